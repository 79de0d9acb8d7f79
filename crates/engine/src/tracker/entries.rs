//! Members and items: how containers begin, grow and end.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;
use tokenstile_grammar::ir::Tracking;

use super::frame::{Array, Candidate, Frame, Kind, Object};
use super::reading::{Mode, Tracker};
use super::set::{Set, Symbol, symbol};

/// Stands among the members of earlier objects so that one without any can be compared with the next.
const NO_MEMBER: [Symbol; 1] = [symbol::OBJECT];

impl Tracker {
    pub(super) fn open_object(&mut self) {
        let start = self.spelled.len();
        let outside = self.candidates.clone();
        self.candidates.retain(|c| c.cursor.has(symbol::OBJECT));
        self.compare_members();
        let object = Object { keys: Set::default(), sum: 0, outside, start, member: start };
        self.top = Some(Frame::new(self.top.take(), Kind::Object(object)));
        self.mode = Mode::Members;
    }

    /// Compares what follows with the members of earlier objects.
    fn compare_members(&mut self) {
        if self.candidates.is_empty() {
            return;
        }
        match self.members.cursor() {
            Some(cursor) => self.candidates.iter_mut().for_each(|c| c.cursor = cursor.clone()),
            None => self.candidates.clear(),
        }
    }

    pub(super) fn open_array(&mut self) {
        self.emit(symbol::ARRAY);
        self.arrays += self.tracking.items as u32;
        let array = Array { items: Set::default(), item: self.spelled.len() };
        self.top = Some(Frame::new(self.top.take(), Kind::Array(array)));
        self.mode = Mode::Items;
    }

    /// A comma or a bracket after a value.
    pub(super) fn end_entry(&mut self, byte: u8) -> u8 {
        let Some(frame) = self.top.clone() else {
            self.fail();
            return byte;
        };
        match (&frame.kind, byte) {
            (Kind::Object(object), b',' | b'}') => {
                self.end_member(&frame, object);
                if byte == b'}' {
                    self.close_object();
                } else {
                    self.began |= self.tracking.keys && !self.keys_abound();
                    self.mode = Mode::Member;
                    if let Some(Frame { kind: Kind::Object(object), .. }) = self.top.as_deref() {
                        self.key = object.keys.cursor();
                    }
                }
                byte
            }
            (Kind::Array(array), b',' | b']') => {
                let repeated = self.end_item(&frame, array, byte == b',');
                if byte == b']' {
                    return self.close_array(repeated);
                }
                self.began |= self.tracking.items;
                self.begin_item();
                if repeated { Tracking::COMMA_AFTER_REPEATED } else { byte }
            }
            _ => {
                self.fail();
                byte
            }
        }
    }

    /// The first comma of some bytes before something that is compared, if there may be one: nothing but strings and brackets
    /// is looked at.
    pub(crate) fn may_begin(&self, bytes: &[u8]) -> Option<usize> {
        let (mut in_text, mut is_escaped, mut key) = (false, false, 0);
        if let Mode::Key(text) | Mode::String(text) = self.mode {
            (in_text, is_escaped) = (true, text.after_backslash());
        }
        if let Mode::Key(_) = self.mode {
            key = self.spelled.len() - self.key_start;
        }
        // Keys that end in the bytes are no longer than this.
        let longest = u32::try_from(key + bytes.len()).unwrap_or(u32::MAX).max(self.longest_key);
        let compares_keys = self.tracking.keys && longest >= self.tracking.keys_abound;
        let mut below = self.top.as_deref();
        let mut opened: SmallVec<[bool; 8]> = SmallVec::new();
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'"' => in_text = !in_text,
                b'\\' => is_escaped = in_text,
                _ if in_text => {}
                b'{' | b'[' => opened.push(byte == b'{'),
                b'}' | b']' if opened.pop().is_none() => {
                    below = below.and_then(|frame| frame.below.as_deref())
                }
                b',' => {
                    let in_object = opened.last().copied().or_else(|| Some(below?.is_object()))?;
                    let is_compared = if in_object { compares_keys } else { self.tracking.items };
                    if is_compared {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Adds a finished member to what its object is.
    fn end_member(&mut self, frame: &Arc<Frame>, object: &Object) {
        if self.arrays == 0 {
            return;
        }
        self.candidates.retain(|c| c.cursor.at_end());
        self.compare_members();
        let member = self.spelled.since(object.member);
        let object = Object { sum: object.sum.wrapping_add(hash_of(&member)), ..object.clone() };
        self.members.insert(&member);
        self.spelled.truncate(object.member);
        self.top = Some(Frame::new(frame.below.clone(), Kind::Object(object)));
    }

    pub(super) fn close_object(&mut self) {
        self.mode = Mode::AfterValue;
        self.key = None;
        let Some(frame) = self.top.take() else { return };
        self.top = frame.below.clone();
        let Kind::Object(object) = &frame.kind else { return };
        if self.arrays == 0 {
            return;
        }
        let standing = std::mem::take(&mut self.candidates);
        let outside = object.outside.iter();
        self.candidates = outside.filter(|c| standing.iter().any(|s| s.depth == c.depth)).cloned().collect();
        self.members.insert(&NO_MEMBER);
        self.spelled.truncate(object.start);
        self.emit(symbol::OBJECT);
        object.sum.to_be_bytes().into_iter().for_each(|b| self.emit(b.into()));
    }

    /// Whether the item that has ended is in its array already; if not, and if `more` items follow, adds it.
    fn end_item(&mut self, frame: &Arc<Frame>, array: &Array, more: bool) -> bool {
        if !self.tracking.items {
            return false;
        }
        self.ended |= self.began;
        let own = self.candidates.last().filter(|c| c.depth == frame.depth);
        let own = own.map(|c| c.cursor.at_end());
        if own.is_some() {
            self.candidates.pop();
        }
        let repeated = own == Some(true);
        if more && !repeated {
            let mut items = array.items.clone();
            items.insert(&self.spelled.since(array.item));
            let array = Array { items, item: array.item };
            self.top = Some(Frame::new(frame.below.clone(), Kind::Array(array)));
        }
        repeated
    }

    fn begin_item(&mut self) {
        self.mode = Mode::Value;
        let len = self.spelled.len();
        let Some(frame) = self.top.clone() else { return };
        let Kind::Array(array) = &frame.kind else { return };
        if !self.tracking.items {
            return;
        }
        // An array that is no item itself has no further use for what its items were spelled like.
        if self.arrays == 1 {
            self.spelled.truncate(array.item);
        } else {
            let array = Array { items: array.items.clone(), item: len };
            self.top = Some(Frame::new(frame.below.clone(), Kind::Array(array)));
        }
        if let Some(cursor) = array.items.cursor() {
            self.candidates.push(Candidate { depth: frame.depth, cursor });
        }
    }

    pub(super) fn close_array(&mut self, repeated: bool) -> u8 {
        self.mode = Mode::AfterValue;
        if let Some(frame) = self.top.take() {
            self.top = frame.below.clone();
            if let Kind::Array(array) = &frame.kind
                && self.arrays == 1
            {
                self.spelled.truncate(array.item);
            }
        }
        self.arrays = self.arrays.saturating_sub(self.tracking.items as u32);
        self.emit(symbol::END_ARRAY);
        if repeated { Tracking::BRACKET_AFTER_REPEATED } else { b']' }
    }
}

/// A hash of a member with a secret seed: equal for equal members, and with no input to be made equal for others.
fn hash_of(symbols: &[Symbol]) -> u128 {
    static SEEDS: OnceLock<[RandomState; 2]> = OnceLock::new();
    let [a, b] = SEEDS.get_or_init(|| [RandomState::new(), RandomState::new()]);
    u128::from(a.hash_one(symbols)) << 64 | u128::from(b.hash_one(symbols))
}

/// Whether a key or an item may end in bytes that begin with the comma before it.
pub(crate) fn may_end_entry(bytes: &[u8]) -> bool {
    let quotes = bytes.iter().filter(|&&byte| byte == b'"').count();
    quotes > 1 || bytes[1..].iter().any(|&byte| matches!(byte, b',' | b']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing that begins or ends is overlooked, wherever a token begins and ends in a text.
    #[test]
    fn what_begins_is_seen_at_a_glance() {
        let text = br#" [1, {"a": "x, \"y]", "bc" : [[], {"d,": {}}, "\\", "\u0022,"]}, [{"k":1},{"k":2}], -2.5 , "" ] "#;
        for (keys, items, keys_abound) in
            [(true, true, 0), (true, true, 3), (false, true, 0), (true, false, 2)]
        {
            let tracking = Tracking { keys, items, keys_abound };
            for from in 0..text.len() {
                let mut before = Tracker::new(tracking);
                before.translate(&text[..from]);
                before.mark();
                for bytes in (from..=text.len()).map(|to| &text[from..to]) {
                    let mut after = before.clone();
                    after.translate(bytes);
                    let comma = before.may_begin(bytes);
                    let bytes = String::from_utf8_lossy(bytes);
                    assert!(comma.is_some() || !after.began(), "{bytes} at {from}, {tracking:?}");
                    let may_end = comma.is_some_and(|comma| may_end_entry(&bytes.as_bytes()[comma..]));
                    assert!(may_end || !after.ended(), "{bytes} at {from}, {tracking:?}");
                }
            }
        }
    }
}
