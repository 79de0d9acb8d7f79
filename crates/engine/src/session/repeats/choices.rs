//! How many different things a string or a number that is being written can still become.
//!
//! If those are more than the earlier items that it could repeat, one of them is new, whatever those are: then nothing need
//! be searched, however many items there are.

use std::sync::PoisonError;

use super::super::Session;
use super::search::{BLANK, DIGITS, is_blank};
use crate::ablate::{Switch, is_off};
use crate::tokens::trie::Trie;
use crate::tracker::{Mode, Spot, Tracker};
use crate::tuning::repeat_choices::{AHEAD, BELOW, BLANKS, MANY, ROUNDED};
use crate::tuning::repeats::PLENTY;
use crate::work::Exceeded;

/// Stands for all nodes of the trie where there is too much to see below one.
const ANY_NODE: u32 = u32::MAX;

/// Ways to the digits of an exponent.
const TO_EXPONENT: [&[u8]; 8] = [b"", b"1", b"e1", b"E1", b"0e1", b"0E1", b".0e1", b".0E1"];

/// From the space to the tilde, less what is not written as it is in a string.
const TEXT: u128 = (!0 << b' ') & !(1 << 0x7F | 1 << b'"' | 1 << b'\\');

/// What the text of a string, or a number, is made of, where each character makes another one of it.
pub(super) fn content_of(tracker: &Tracker) -> u128 {
    if tracker.in_digits() {
        DIGITS
    } else if tracker.in_plain_text() {
        TEXT
    } else {
        0
    }
}

impl Session {
    /// Whether the string or the number that is being written, or comes next, can become more different things than there
    /// are for it to repeat.
    pub(super) fn outnumbers(&self, spot: &Spot, tracker: &Tracker) -> Result<bool, Exceeded> {
        let content = content_of(tracker);
        if content != 0 {
            return Ok(self.choices_at(spot, content)? > tracker.repeatable() + ROUNDED);
        }
        if tracker.mode() == Mode::Value {
            for (byte, content) in [(b'"', TEXT), (b'1', DIGITS)] {
                if let Some(begun) = self.spot_after(spot, byte)?
                    && self.choices_at(begun, content)? > tracker.repeatable() + ROUNDED
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// At least so many different things, as a power of two, can become of what is being written: as many as there are ways
    /// through a few characters of which all lead to the same. They are of one length, and what follows is the same.
    fn choices_at(&self, spot: &Spot, content: u128) -> Result<f32, Exceeded> {
        let of = (content == DIGITS) as usize;
        if let Some(&known) = spot.choices[of].get() {
            return Ok(known);
        }
        let (mut path, mut at): (Vec<(&Spot, f32)>, &Spot) = (Vec::new(), spot);
        let mut choices = 0.0;
        while path.len() < AHEAD {
            if let Some(&known) = at.choices[of].get() {
                choices = known;
                break;
            }
            let of_content = self.classes_at(at).iter().map(|class| class.ascii_bits() & content);
            let Some(class) = of_content.max_by_key(|class| class.count_ones()).filter(|&class| class != 0)
            else {
                path.push((at, 0.0));
                break;
            };
            path.push((at, (class.count_ones() as f32).log2()));
            match self.spot_after(at, class.trailing_zeros() as u8)? {
                Some(next) => at = next,
                None => break,
            }
        }
        for (spot, gain) in path.into_iter().rev() {
            choices = f32::min(choices + gain, PLENTY);
            let _ = spot.choices[of].set(choices);
        }
        Ok(choices)
    }

    /// Whether no token that leads on to a node of the trie, or below it, can have come to nothing but a repetition there:
    /// wherever it is, what is being written can become more different things than there are to repeat.
    pub(super) fn is_harmless(
        &self,
        trie: &Trie,
        (spot, tracker): (&Spot, &Tracker),
        node: u32,
    ) -> Result<bool, Exceeded> {
        let (content, byte) = (content_of(tracker), trie.byte[node as usize]);
        if byte >= 0x80 || content >> byte & 1 == 0 || is_off(Switch::EndlessText) {
            return Ok(false);
        }
        let repeatable = tracker.repeatable_after(byte);
        if repeatable < MANY && content != DIGITS {
            return Ok(false);
        }
        let Some(next) = self.spot_after(spot, byte)? else { return Ok(true) };
        let enough = repeatable + ROUNDED;
        Ok(self.choices_at(next, content)? > enough
            && self.choices_below(trie, next, content, node)? > enough)
    }

    /// The least of the choices wherever tokens lead that are below a node of the trie; none, if one may lead out of what is
    /// being written, or there is too much to see.
    fn choices_below(&self, trie: &Trie, spot: &Spot, content: u128, node: u32) -> Result<f32, Exceeded> {
        let mut key = (node, content == DIGITS);
        let known = spot.choices_below.read().unwrap_or_else(PoisonError::into_inner);
        let is_known = |known: &&((u32, bool), f32)| known.0 == key || known.0 == (ANY_NODE, key.1);
        if let Some(&(_, known)) = known.iter().find(is_known) {
            return Ok(known);
        }
        drop(known);
        let (mut least, mut seen, mut todo) = (PLENTY, 0, vec![(node, spot)]);
        while let Some((node, spot)) = todo.pop() {
            for child in trie.children(node) {
                let byte = trie.byte[child as usize];
                let Some(next) = self.spot_after(spot, byte)? else { continue };
                seen += 1;
                if seen > BELOW || byte >= 0x80 || content >> byte & 1 == 0 {
                    (least, todo) = (0.0, Vec::new());
                    key.0 = if seen > BELOW { ANY_NODE } else { key.0 };
                    break;
                }
                least = least.min(self.choices_at(next, content)?);
                todo.push((child, next));
            }
        }
        let mut known = spot.choices_below.write().unwrap_or_else(PoisonError::into_inner);
        self.generation.store.add_bytes(size_of_val(&(key, least)));
        known.push((key, least));
        Ok(least)
    }

    /// Whether the number that is being written can get any exponent, which makes it another one unless it is 0.
    pub(super) fn has_any_exponent(&self, spot: &Spot, tracker: &Tracker) -> Result<bool, Exceeded> {
        if !tracker.has_value() {
            return Ok(false);
        }
        if let Some(&known) = spot.any_exponent.get() {
            return Ok(known);
        }
        let mut found = false;
        for way in TO_EXPONENT {
            let mut at = Some(spot);
            for &byte in way {
                at = at.map(|at| self.spot_after(at, byte)).transpose()?.flatten();
            }
            let in_exponent = tracker.in_exponent() || way.len() > 1;
            found |= in_exponent && at.is_some_and(|at| (at.any_number & DIGITS).count_ones() > 1);
        }
        Ok(*spot.any_exponent.get_or_init(|| found))
    }

    /// Whether an item is a repetition and cannot become anything else.
    pub(super) fn is_repetition(&self, spot: &Spot, tracker: &Tracker) -> Result<bool, Exceeded> {
        Ok(self.ends_anew(spot)? && tracker.ends_in_repetition())
    }

    /// Whether nothing but white space and the end of an item may come, which the grammar does not take of a repetition.
    fn ends_anew(&self, spot: &Spot) -> Result<bool, Exceeded> {
        if let Some(&known) = spot.ends_anew.get() {
            return Ok(known);
        }
        let ends = BLANK | 1 << b',' | 1 << b']';
        let (mut seen, mut at) = (vec![spot], 0);
        let mut ends_anew = true;
        while let Some(&spot) = seen.get(at).filter(|_| ends_anew) {
            at += 1;
            let next = self.next_bytes(&spot.config);
            let other = next.iter().any(|byte| byte >= 0x80 || ends >> byte & 1 == 0);
            ends_anew = !other && seen.len() <= BLANKS;
            for byte in next.iter().filter(|&byte| is_blank(byte)) {
                let Some(next) = self.spot_after(spot, byte)? else { continue };
                if !seen.iter().any(|known| self.are_alike(&known.config, &next.config)) {
                    seen.push(next);
                }
            }
        }
        Ok(*spot.ends_anew.get_or_init(|| ends_anew))
    }
}

/// Whether a node and all below it is made of some ASCII characters, one bit each; and of others past ASCII, if `wide`.
pub(super) fn is_all(trie: &Trie, node: u32, ascii: u128, wide: bool) -> bool {
    let (byte, below) = (trie.byte[node as usize], &trie.below[node as usize]);
    byte < 0x80 && ascii >> byte & 1 == 1 && below.ascii & !ascii == 0 && (wide || !below.wide)
}
