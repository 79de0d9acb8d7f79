//! A-labels (RFC 5890): `xn--` and the Punycode of a label that is valid and not ASCII.
//!
//! What is read is kept as it is, in lower case, and decoded when it matters: for whether the label may end, and near
//! its greatest length for whether it can still be completed. Far from that it always can: whatever was read may be the
//! ASCII part, and a hyphen and a few digits insert what makes a label of it.
//!
//! That a label can be completed is shown by a completion, and only those of a certain form are looked for: insertions
//! each of which puts something right, by one of the first code points that do. The rest of such a completion is one,
//! too, so there are no dead ends. A label is left out if some beginning of it has no such completion; labels with
//! several things amiss just before their greatest length may be, others are not.

use std::sync::Arc;

use super::idn_chars::{Chars, VALID};
use super::punycode::Decoder;
use super::ulabel::{Defects, Direction, defects, go_together};
use crate::ids::ExprId;
use crate::ir::{Arena, ByteSet, Machine, MachineRef};

/// What stands before the Punycode.
const PREFIX: u32 = 4;
/// So many characters complete anything but the empty text: a hyphen, three digits for a first insertion, two each for
/// one more at the start and at the end, and one to spare.
const AMPLE: u32 = 9;
/// A hyphen, and three digits for one insertion.
const CLOSE: u32 = 4;
/// How many insertions are looked for, one after another.
const DEPTH: u32 = 4;
/// How many code points are tried for each place.
const TRIED: usize = 3;
/// How many of the first numbers that can be written are looked at, and how many of those that say something valid.
const NUMBERS: u64 = 2_048;
const INSERTIONS: usize = 64;
/// Greater code points are in no label.
const LAST_CODE: u64 = 0x3FFFF;

/// What follows `xn--` in labels of a certain length.
pub(super) struct ALabel {
    name: String,
    most: u32,
    direction: Direction,
}

/// What follows `xn--` in labels of up to `most` characters, of which there must be some to spare.
pub(super) fn after_prefix(arena: &mut Arena, most: u32, direction: Direction) -> ExprId {
    if most < PREFIX + AMPLE + 1 {
        return arena.never();
    }
    let name = format!("A-label {most} {direction:?}");
    arena.machine(MachineRef(Arc::new(ALabel { name, most: most - PREFIX, direction })))
}

impl ALabel {
    /// Whether a text, in lower case, can be completed.
    fn is_live(&self, text: &[u8]) -> bool {
        let Some(room) = self.most.checked_sub(text.len() as u32) else { return false };
        if room > AMPLE || room == AMPLE && !text.is_empty() {
            return true;
        }
        self.can_be_ascii(text, room)
            || self.decoded(text).is_some_and(|decoder| self.goes_on(&decoder, room))
    }

    /// Whether a text can be completed as the ASCII part of a label.
    fn can_be_ascii(&self, text: &[u8], room: u32) -> bool {
        let (Some(first), Some(&last)) = (text.first(), text.last()) else { return false };
        if room < CLOSE {
            return false;
        }
        if first.is_ascii_alphabetic() && last != b'-' && text.get(2..4) != Some(b"--") {
            return true; // one insertion, anywhere
        }
        let chars = Chars::get();
        let decoder = Decoder::new(text);
        match defects(&decoder.label, self.direction, chars) {
            Some(defects) if self.is_remedied(&decoder, &defects, room - 1, DEPTH) => return true,
            _ => {}
        }
        let longer = Decoder::new(&[text, b"a"].concat());
        room > CLOSE
            && defects(&longer.label, self.direction, chars)
                .is_some_and(|defects| self.is_remedied(&longer, &defects, room - 2, DEPTH))
    }

    /// What a text says up to here, unless it is lost.
    fn decoded(&self, text: &[u8]) -> Option<Decoder> {
        let (basic, digits) = match text.iter().rposition(|&byte| byte == b'-') {
            Some(0) => return None,
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (&[][..], text),
        };
        let chars = Chars::get();
        let mut decoder = Decoder::new(basic);
        for &digit in digits {
            if let Some(code) = decoder.read(digit)?
                && chars.of(code) & VALID == 0
            {
                return None;
            }
        }
        Some(decoder)
    }

    fn defects(&self, decoder: &Decoder) -> Option<Defects> {
        defects(&decoder.label, self.direction, Chars::get())
    }

    /// Whether a label can be completed with so many digits more.
    fn goes_on(&self, decoder: &Decoder, room: u32) -> bool {
        let Some(defects) = self.defects(decoder) else { return false };
        if !decoder.is_within() {
            return self.is_remedied(decoder, &defects, room, DEPTH);
        }
        if self.has_insertion(decoder, room) {
            return true;
        }
        !defects.is_empty() && self.is_remedied(decoder, &defects, room, DEPTH)
    }

    /// Whether one of the first numbers that can be written leads on.
    fn has_insertion(&self, decoder: &Decoder, room: u32) -> bool {
        let chars = Chars::get();
        let all = decoder.label.iter().fold(0, |all, &code| all | chars.of(code));
        let mut tried = 0;
        for step in 0..decoder.steps(room).min(NUMBERS) {
            let number = decoder.step(step);
            let (code, _) = decoder.target(number);
            if code > LAST_CODE {
                return false;
            }
            let traits = chars.of(code as u32);
            if traits & VALID == 0 || !go_together(all | traits) {
                continue;
            }
            let Some(cost) = decoder.cost(number, room) else { return false };
            let mut next = decoder.clone();
            next.insert(number);
            let Some(defects) = self.defects(&next) else { continue };
            if self.is_remedied(&next, &defects, room - cost, DEPTH) {
                return true;
            }
            tried += 1;
            if tried == INSERTIONS {
                return false;
            }
        }
        false
    }

    /// Whether insertions of so many digits, each for the better, put a label right.
    fn is_remedied(&self, decoder: &Decoder, defects: &Defects, room: u32, depth: u32) -> bool {
        if defects.is_empty() {
            return true;
        }
        // Each takes a digit, and may put more than one thing right, though never many.
        if depth == 0 || room == 0 || defects.len() as u32 > 3 * room.min(depth) {
            return false;
        }
        let places = defects.iter().flat_map(|defect| defect.remedies(decoder.label.len()));
        for (place, wanted) in places.filter(|remedy| remedy.0 <= decoder.label.len()) {
            let numbers = Chars::get()
                .with(wanted, decoder.code)
                .filter_map(|code| decoder.number(code, place))
                .take_while(|&number| number < decoder.step(decoder.steps(room)));
            let mut tried = 0;
            for (number, cost) in numbers.filter_map(|number| Some((number, decoder.cost(number, room)?))) {
                let mut next = decoder.clone();
                next.insert(number);
                let Some(left) = self.defects(&next).filter(|left| left.len() < defects.len()) else {
                    continue;
                };
                if self.is_remedied(&next, &left, room - cost, depth - 1) {
                    return true;
                }
                tried += 1;
                if tried == TRIED {
                    break;
                }
            }
        }
        false
    }
}

/// Letters, digits and the hyphen.
fn alphabet() -> ByteSet {
    let letters = ByteSet::range(b'a', b'z').union(&ByteSet::range(b'A', b'Z'));
    letters.union(&ByteSet::range(b'0', b'9')).union(&ByteSet::single(b'-'))
}

impl Machine for ALabel {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Box<[u8]> {
        Box::default()
    }

    fn step(&self, state: &[u8], byte: u8, next: &mut Vec<u8>) -> bool {
        if !byte.is_ascii_alphanumeric() && byte != b'-' {
            return false;
        }
        next.extend_from_slice(state);
        next.push(byte.to_ascii_lowercase());
        self.is_live(next)
    }

    fn accepts(&self, state: &[u8]) -> bool {
        if state.last().is_none_or(|&last| last == b'-') {
            return false;
        }
        let decoded = self.decoded(state).filter(|decoder| !decoder.is_within());
        decoded.and_then(|decoder| self.defects(&decoder)).is_some_and(|defects| defects.is_empty())
    }

    fn ends_after(&self, state: &[u8], bytes: &[u8]) -> bool {
        let text: Vec<u8> = [state, bytes].concat().to_ascii_lowercase();
        // Few texts are a label: those that are not need not be followed.
        bytes.iter().all(|byte| alphabet().contains(*byte))
            && self.accepts(&text)
            && (state.len() + 1..=text.len()).all(|length| self.is_live(&text[..length]))
    }

    fn alphabet(&self) -> ByteSet {
        alphabet()
    }

    fn free(&self, state: &[u8]) -> Option<u32> {
        Some((self.most - AMPLE).saturating_sub(state.len() as u32))
    }

    /// Completions are looked for among all bytes of the alphabet.
    fn is_dispensable(&self) -> bool {
        true
    }
}
