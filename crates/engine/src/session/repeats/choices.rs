//! How many different things a string or a number that is being written can still become.
//!
//! If those are more than the earlier items that it could repeat, one of them is new, whatever those are: then nothing need
//! be searched, however many items there are.

use std::sync::PoisonError;

use super::super::Session;
use super::search::{DIGITS, PLENTY};
use crate::tokens::trie::Trie;
use crate::tracker::{Spot, Tracker};
use crate::work::Exceeded;

/// So many characters are looked ahead.
const AHEAD: usize = 64;

/// Choices are multiplied as sums of numbers that are rounded, by less than this.
pub(super) const ROUNDED: f32 = 0.01;

/// What the text of a string, or a number, is made of, where each character makes another one of it.
pub(super) fn content_of(tracker: &Tracker) -> u128 {
    if tracker.in_digits() {
        DIGITS
    } else if tracker.in_plain_text() {
        // From the space to the tilde, less what is not written as it is.
        (!0 << b' ') & !(1 << 0x7F | 1 << b'"' | 1 << b'\\')
    } else {
        0
    }
}

impl Session {
    /// Whether the string or the number that is being written can become more different things than there are for it to
    /// repeat.
    pub(super) fn outnumbers(&self, spot: &Spot, tracker: &Tracker) -> Result<bool, Exceeded> {
        let content = content_of(tracker);
        Ok(content != 0 && self.choices_at(spot, content)? > tracker.repeatable() + ROUNDED)
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

    /// The least of that wherever tokens lead that are below a node of the trie and go on with digits only.
    pub(super) fn choices_below(&self, trie: &Trie, spot: &Spot, node: u32) -> Result<f32, Exceeded> {
        let known = spot.choices_below.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&(_, known)) = known.iter().find(|known| known.0 == node) {
            return Ok(known);
        }
        drop(known);
        let (mut least, mut todo) = (PLENTY, vec![(node, spot)]);
        while let Some((node, spot)) = todo.pop() {
            for child in trie.children(node).filter(|&child| is_all(trie, child, DIGITS)) {
                let Some(next) = self.spot_after(spot, trie.byte[child as usize])? else { continue };
                least = least.min(self.choices_at(next, DIGITS)?);
                todo.push((child, next));
            }
        }
        let mut known = spot.choices_below.write().unwrap_or_else(PoisonError::into_inner);
        self.generation.store.add_bytes(8);
        known.push((node, least));
        Ok(least)
    }
}

/// Whether a node and all below it is made of some ASCII characters, one bit each.
pub(super) fn is_all(trie: &Trie, node: u32, ascii: u128) -> bool {
    let byte = trie.byte[node as usize];
    byte < 0x80 && ascii >> byte & 1 == 1 && !trie.below[node as usize].has_more_than(&ascii)
}
