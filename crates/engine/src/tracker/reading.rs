//! The tracker itself: it reads a text byte by byte and says what is repeated.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Tracking};

use super::frame::{Candidates, Frame, Kind, Object, hash_candidates};
use super::number::Number;
use super::rope::Rope;
use super::set::{Cursor, Set, Symbol, View, symbol};
use super::special::SPECIAL;
use super::strings::{Piece, Text};
use crate::ablate::{Switch, is_off};

/// Where a tracker stands in the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Mode {
    /// Before a value.
    Value,
    /// After `[`.
    Items,
    /// After `{`.
    Members,
    /// After a comma in an object.
    Member,
    Key(Text),
    AfterKey,
    String(Text),
    Number,
    /// In `true`, `false` or `null`.
    Word,
    AfterValue,
    /// This is not JSON.
    Broken,
}

/// See the module documentation.
#[derive(Clone)]
pub(crate) struct Tracker {
    pub(super) tracking: Tracking,
    pub(super) mode: Mode,
    pub(super) top: Option<Arc<Frame>>,
    /// Open arrays, if items are compared: inside of them everything is spelled.
    pub(super) arrays: u32,
    /// The keys of the object that the key being written could still become.
    pub(super) key: Option<Cursor>,
    pub(super) candidates: Candidates,
    /// The members of all earlier objects in arrays.
    pub(super) members: Set,
    pub(super) spelled: Rope,
    /// Where the key being written began.
    pub(super) key_start: usize,
    /// The bytes of the longest key of the text; they are no fewer than its characters.
    pub(super) longest_key: u32,
    pub(super) number: Number,
    /// Whether a comma before something that is compared was passed since the last [`mark`](Tracker::mark), and whether
    /// something ended after it.
    pub(super) began: bool,
    pub(super) ended: bool,
}

impl Tracker {
    /// A tracker at the start of a text.
    pub(crate) fn new(tracking: Tracking) -> Self {
        Tracker {
            tracking,
            mode: Mode::Value,
            top: None,
            arrays: 0,
            key: None,
            candidates: Candidates::new(),
            members: Set::default(),
            spelled: Rope::default(),
            key_start: 0,
            longest_key: 0,
            number: Number::default(),
            began: false,
            ended: false,
        }
    }

    /// Whether what is being written could still come to nothing but a repetition.
    #[inline]
    pub(crate) fn has_candidates(&self) -> bool {
        !self.candidates.is_empty() || self.key.is_some() && !self.keys_abound()
    }

    /// Whether whatever is written of a key can become a new one.
    #[inline]
    pub(crate) fn keys_abound(&self) -> bool {
        self.longest_key < self.tracking.keys_abound
    }

    pub(crate) fn tracking(&self) -> Tracking {
        self.tracking
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether it stands between the tokens of the text, where white space makes no difference.
    pub(crate) fn is_between(&self) -> bool {
        use Mode::{AfterKey, AfterValue, Items, Member, Members, Value};
        matches!(self.mode, Value | Items | Members | Member | AfterKey | AfterValue)
    }

    /// Whether the plain text of a key or a string is being written.
    pub(crate) fn in_plain_text(&self) -> bool {
        matches!(self.mode, Mode::Key(Text::PLAIN) | Mode::String(Text::PLAIN))
    }

    /// Open containers.
    pub(crate) fn depth(&self) -> u32 {
        self.top.as_ref().map_or(0, |f| f.depth)
    }

    /// Starts to look out for commas.
    pub(crate) fn mark(&mut self) {
        (self.began, self.ended) = (false, false);
    }

    /// Whether an entry of a container that is compared with others was begun after another since [`mark`](Tracker::mark).
    pub(crate) fn began(&self) -> bool {
        self.began
    }

    /// Whether a key or an item ended after that.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Whether the number being written is in its exponent.
    pub(crate) fn in_exponent(&self) -> bool {
        self.number.in_exponent()
    }

    /// The places that candidates stand at, where what is written is the plain text of a string.
    pub(crate) fn views(&self) -> Option<Views<'_>> {
        self.in_plain_text().then(|| self.compared().map(Cursor::view).collect())
    }

    /// Bytes other than which none leaves a candidate, where that can be told without a step.
    pub(crate) fn ways(&self) -> Option<ByteSet> {
        self.in_plain_text().then(|| ways_of(self.compared().map(Cursor::view)))
    }

    /// How many keys and items what is being written could still become a repetition of, as a power of two; more if they
    /// are not known by themselves.
    pub(crate) fn repeatable(&self) -> f32 {
        let all: u64 = self.compared().map(|cursor| u64::from(cursor.view().count())).sum();
        (all as f32).log2()
    }

    /// The same after one more character of the string or the number that is being written; not more than before.
    pub(crate) fn repeatable_after(&self, byte: u8) -> f32 {
        let is_plain = self.in_plain_text() || self.number.is_spelled_by(byte) && self.in_digits();
        if !is_plain {
            return self.repeatable();
        }
        let after = |cursor: &Cursor| {
            let mut view = cursor.view();
            if view.step(byte.into()) { u64::from(view.count()) } else { 0 }
        };
        (self.compared().map(after).sum::<u64>() as f32).log2()
    }

    /// What a number, or a value that has ended, is compared with, if that is one item of its own array and not long.
    pub(crate) fn only_item(&self) -> Option<(Mode, Number, SmallVec<[Symbol; 16]>)> {
        let [candidate] = &self.candidates[..] else { return None };
        let is_alone = matches!(self.mode, Mode::Number | Mode::AfterValue)
            && self.compared_at() == Some(self.depth())
            && candidate.depth == self.depth();
        let rest = candidate.cursor.view().only().filter(|rest| is_alone && rest.len() <= 16)?;
        Some((self.mode, self.number_as_seen(), SmallVec::from_slice(rest)))
    }

    /// Whether there are bytes past ASCII in any of those.
    pub(crate) fn repeats_wide(&self) -> bool {
        self.compared().any(|cursor| cursor.view().is_wide())
    }

    /// Whether an item that is compared with no others but those of its own array would be a repetition if it ended here.
    pub(crate) fn ends_in_repetition(&self) -> bool {
        matches!(self.mode, Mode::Number | Mode::AfterValue)
            && self.compared_at() == Some(self.depth())
            && self.clone().step(b',') == Tracking::COMMA_AFTER_REPEATED
    }

    /// Whether a number other than 0 is being written.
    pub(crate) fn has_value(&self) -> bool {
        self.mode == Mode::Number && self.number.significant
    }

    /// Whether digits of a number's value are being written.
    pub(crate) fn in_digits(&self) -> bool {
        self.mode == Mode::Number && !self.number.in_exponent()
    }

    /// Where the candidates stand.
    fn compared(&self) -> impl Iterator<Item = &Cursor> {
        let key = self.key.iter().filter(|_| !self.keys_abound());
        key.chain(self.candidates.iter().map(|c| &c.cursor))
    }

    /// Two trackers of one text with the same key find the same repetitions in whatever follows. Both must be alive
    /// when they are compared.
    pub(crate) fn identity(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.mode, self.top.as_ref().map_or(0, |f| f.key)).hash(&mut hasher);
        self.key.as_ref().map(Cursor::address).hash(&mut hasher);
        hash_candidates(&self.candidates, &mut hasher);
        if self.mode == Mode::Number {
            self.number_as_seen().hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The number being written, less what can make no difference to any candidate.
    fn number_as_seen(&self) -> Number {
        let mut number = self.number.clone();
        let cursors = || self.candidates.iter().map(|c| &c.cursor);
        if number.in_fraction() && number.significant {
            let zeros = |cursor: &Cursor| {
                let mut cursor = cursor.clone();
                (0..number.zeros).take_while(|_| cursor.step(b'0'.into())).count() as u64
            };
            let most = cursors().map(zeros).max().unwrap_or(0);
            number.zeros = number.zeros.min(most + 1);
        }
        if !number.significant && cursors().all(|c| c.next().all(|s| s == symbol::END)) {
            number.point = 0;
        }
        number
    }

    /// Takes `bytes`; answers what the automaton gets, if it is not these very bytes.
    pub(crate) fn translate(&mut self, bytes: &[u8]) -> Option<SmallVec<[u8; 32]>> {
        let (at, first) = bytes.iter().enumerate().find_map(|(at, &b)| {
            let given = self.step(b);
            (given != b).then_some((at, given))
        })?;
        let mut given = SmallVec::from_slice(&bytes[..at]);
        given.push(first);
        given.extend(bytes[at + 1..].iter().map(|&b| self.step(b)));
        Some(given)
    }

    /// Whether `bytes` are plain to see to change nothing: they go on with a value that nothing is compared with.
    pub(crate) fn stays(&self, bytes: &[u8]) -> bool {
        if is_off(Switch::TrackerStays) {
            return false;
        }
        let inside = |byte: u8| match self.mode {
            Mode::String(Text::PLAIN) => byte != b'"' && byte != b'\\' && !SPECIAL.contains(&byte),
            Mode::Number => byte.is_ascii_digit(),
            _ => false,
        };
        self.arrays == 0 && self.candidates.is_empty() && bytes.iter().all(|&b| inside(b))
    }

    /// Whether bytes begin neither an item of an array that is worth comparing nor a key. `opens` tells whether an array
    /// may begin in them, `closes` whether something may end.
    pub(crate) fn begins_no_item(&self, opens: bool, closes: bool) -> bool {
        !opens && (!self.tracking.keys || self.keys_abound()) && self.ends_no_item(closes)
    }

    /// Whether no item that is worth comparing ends in bytes; `closes` tells whether anything may.
    fn ends_no_item(&self, closes: bool) -> bool {
        self.arrays == 0 || !closes && self.in_object()
    }

    /// Whether the innermost container is an object.
    pub(crate) fn in_object(&self) -> bool {
        self.top.as_ref().is_some_and(|frame| frame.is_object())
    }

    /// Whether a key is being written or may come next.
    pub(crate) fn is_at_key(&self) -> bool {
        matches!(self.mode, Mode::Member | Mode::Members | Mode::Key(_))
    }

    /// The depth of the innermost array an item of which is compared with others, if no key is.
    pub(crate) fn compared_at(&self) -> Option<u32> {
        let is_key_compared = self.key.is_some() && !self.keys_abound();
        self.candidates.last().filter(|_| !is_key_compared).map(|candidate| candidate.depth)
    }

    /// Takes a byte of the text; answers the byte that the automaton gets.
    pub(crate) fn step(&mut self, byte: u8) -> u8 {
        match self.mode {
            Mode::Key(text) => return self.in_key(text, byte),
            Mode::String(text) => self.in_string(text, byte),
            Mode::Number => {
                if !self.in_number(byte) {
                    self.end_number();
                    return self.between(byte);
                }
            }
            Mode::Word if byte.is_ascii_lowercase() => {}
            Mode::Word => {
                self.mode = Mode::AfterValue;
                return self.between(byte);
            }
            _ => return self.between(byte),
        }
        byte
    }

    /// A byte outside of strings, numbers and words.
    fn between(&mut self, byte: u8) -> u8 {
        match (self.mode, byte) {
            (_, b' ' | b'\t' | b'\n' | b'\r') => {}
            (Mode::Value | Mode::Items, _) if byte != b']' => self.begin_value(byte),
            (Mode::Items, b']') => return self.close_array(false),
            (Mode::Members | Mode::Member, b'"') => self.begin_key(),
            (Mode::Members, b'}') => self.close_object(),
            (Mode::AfterKey, b':') => self.mode = Mode::Value,
            (Mode::AfterValue, b',' | b'}' | b']') => return self.end_entry(byte),
            _ => self.fail(),
        }
        byte
    }

    /// The bytes that JSON allows, where those are a few signs.
    pub(crate) fn signs(&self) -> Option<ByteSet> {
        let signs: &[u8] = match self.mode {
            Mode::Member => b"\"",
            Mode::Members => b"\"}",
            Mode::AfterKey => b":",
            Mode::AfterValue => b",}]",
            _ => return None,
        };
        Some(signs.iter().chain(b" \t\n\r").copied().collect())
    }

    /// From here on the text is not JSON, and nothing is found in it.
    pub(super) fn fail(&mut self) {
        self.mode = Mode::Broken;
        self.key = None;
        self.candidates.clear();
    }

    /// Spells one more symbol.
    pub(super) fn emit(&mut self, symbol: Symbol) {
        if self.arrays > 0 || matches!(self.mode, Mode::Key(_)) {
            self.spelled.push(symbol);
        }
        if self.key.as_mut().is_some_and(|key| !key.step(symbol)) {
            self.key = None;
        }
        if !self.candidates.is_empty() {
            self.candidates.retain(|c| c.cursor.step(symbol));
        }
    }

    pub(super) fn begin_value(&mut self, byte: u8) {
        self.mode = Mode::AfterValue;
        match byte {
            b'"' => {
                self.emit(symbol::STRING);
                self.mode = Mode::String(Text::PLAIN);
            }
            b'{' => self.open_object(),
            b'[' => self.open_array(),
            b'-' | b'0'..=b'9' => {
                self.mode = Mode::Number;
                if self.arrays > 0 {
                    self.number = Number::default();
                    self.emit(symbol::NUMBER);
                }
                self.in_number(byte);
            }
            b't' | b'f' | b'n' => {
                self.mode = Mode::Word;
                self.emit(match byte {
                    b't' => symbol::TRUE,
                    b'f' => symbol::FALSE,
                    _ => symbol::NULL,
                });
            }
            _ => self.fail(),
        }
    }

    /// A byte in a number; whether it belongs to it.
    fn in_number(&mut self, byte: u8) -> bool {
        if self.arrays == 0 {
            return matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        }
        let mut symbols: SmallVec<[Symbol; 8]> = SmallVec::new();
        let taken = self.number.step(byte, |s| symbols.push(s));
        symbols.into_iter().for_each(|s| self.emit(s));
        taken
    }

    pub(super) fn end_number(&mut self) {
        self.mode = Mode::AfterValue;
        if self.arrays > 0 {
            let mut symbols: SmallVec<[Symbol; 8]> = SmallVec::new();
            self.number.finish(|s| symbols.push(s));
            symbols.into_iter().for_each(|s| self.emit(s));
            self.number = Number::default();
        }
    }

    #[inline]
    fn in_string(&mut self, text: Text, byte: u8) {
        if text == Text::PLAIN && byte != b'"' && byte != b'\\' {
            return self.emit(byte.into());
        }
        match text.step(byte) {
            Some((next, piece)) => {
                self.emit_piece(piece);
                self.mode = Mode::String(next);
                self.drop_misspelled(next);
            }
            None if byte == b'"' => {
                self.emit_piece(text.rest());
                self.emit(symbol::END);
                self.mode = Mode::AfterValue;
            }
            None => self.fail(),
        }
    }

    fn begin_key(&mut self) {
        self.key_start = self.spelled.len();
        self.mode = Mode::Key(Text::PLAIN);
    }

    #[inline]
    fn in_key(&mut self, text: Text, byte: u8) -> u8 {
        if text == Text::PLAIN && byte != b'"' && byte != b'\\' {
            self.emit(byte.into());
            return byte;
        }
        match text.step(byte) {
            Some((next, piece)) => {
                self.emit_piece(piece);
                self.mode = Mode::Key(next);
                self.drop_misspelled(next);
                byte
            }
            None if byte == b'"' => {
                self.emit_piece(text.rest());
                self.emit(symbol::END);
                self.end_key()
            }
            None => {
                self.fail();
                byte
            }
        }
    }

    fn emit_piece(&mut self, piece: Piece) {
        piece.into_iter().for_each(|byte| self.emit(byte.into()));
    }

    /// Gives up candidates that the escape being written cannot lead to.
    fn drop_misspelled(&mut self, text: Text) {
        if let Some((low, high)) = text.units() {
            if self.key.as_ref().is_some_and(|key| !key.has_unit(low, high)) {
                self.key = None;
            }
            self.candidates.retain(|c| c.cursor.has_unit(low, high));
        }
    }

    fn end_key(&mut self) -> u8 {
        self.mode = Mode::AfterKey;
        self.ended |= self.began;
        let start = self.key_start;
        let length = u32::try_from(self.spelled.len().saturating_sub(start)).unwrap_or(u32::MAX - 1);
        self.longest_key = self.longest_key.max(length.min(u32::MAX - 1));
        let repeated = self.key.take().is_some();
        let Some(frame) = self.top.take() else { return b'"' };
        self.top = Some(match &frame.kind {
            Kind::Object(object) => {
                let mut object = Object { member: start, ..object.clone() };
                if self.tracking.keys && !repeated {
                    object.keys.insert(&self.spelled.since(start));
                }
                Frame::new(frame.below.clone(), Kind::Object(object))
            }
            Kind::Array(_) => frame,
        });
        if self.arrays == 0 {
            self.spelled.truncate(start);
        }
        if repeated { Tracking::REPEATED_KEY } else { b'"' }
    }
}

/// Places in sets.
pub(crate) type Views<'a> = SmallVec<[View<'a>; 2]>;

/// The bytes that go on from any of these places inside a string.
pub(crate) fn ways_of<'a>(views: impl Iterator<Item = View<'a>>) -> ByteSet {
    let mut ways = ByteSet::single(b'\\');
    for symbol in views.flat_map(View::next) {
        match u8::try_from(symbol) {
            Ok(byte) => ways.insert(byte),
            Err(_) if symbol == symbol::END => ways.insert(b'"'),
            Err(_) => {}
        }
    }
    ways
}
