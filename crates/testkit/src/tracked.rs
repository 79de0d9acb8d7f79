//! The reference for grammars that ask for repetitions to be noticed ([`Tracking`]).
//!
//! The text is read as JSON from its start, every time, into plain values that are compared one by one. Whether
//! a text can be completed is found out by trying bytes, those that end something first.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use tokenstile_grammar::Grammar;
use tokenstile_grammar::ir::Tracking;

use crate::{Reference, Viability};

/// Texts that are tried, unless it is said otherwise, to find out whether one can be completed.
const TRIES: usize = 4_000;
/// How many bytes are added to a text at most.
const LONGEST: usize = 64;

/// A recognizer of JSON texts for one grammar.
#[derive(Debug)]
pub struct TrackedReference<'g> {
    reference: Reference<'g>,
    tracking: Tracking,
    tries: usize,
    known: RefCell<FxHashMap<Vec<u8>, Viability>>,
}

impl<'g> TrackedReference<'g> {
    /// The recognizer of `grammar`.
    pub fn new(grammar: &'g Grammar) -> Self {
        let known = RefCell::default();
        let (reference, tracking) = (Reference::new(grammar), grammar.tracking());
        TrackedReference { reference, tracking, tries: TRIES, known }
    }

    /// The same with another number of texts that are tried to find out whether one can be completed.
    #[must_use]
    pub fn trying(self, tries: usize) -> Self {
        TrackedReference { tries, ..self }
    }

    /// The bytes that the grammar is given for a text.
    pub fn translate(&self, text: &[u8]) -> Vec<u8> {
        let mut reader = Reader { tracking: self.tracking, text, at: 0, given: Vec::new() };
        let _ = reader.spaced_value();
        let read = reader.given.len();
        reader.given.extend(&text[read..]);
        reader.given
    }

    /// Whether the grammar, which does not know what can be repeated, sees a way on after `text`, or cannot tell.
    pub fn fits(&self, text: &[u8]) -> bool {
        let special = |b: &u8| *b >= Tracking::REPEATED_KEY;
        !text.iter().any(special) && self.reference.viable(&self.translate(text)).known().unwrap_or(true)
    }

    /// Whether `text` is a sentence.
    pub fn accepts(&self, text: &[u8]) -> bool {
        self.fits(text) && self.reference.accepts(&self.translate(text))
    }

    /// Whether some continuation of `text` is a sentence.
    pub fn viable(&self, text: &[u8]) -> Viability {
        if let Some(&known) = self.known.borrow().get(text) {
            return known;
        }
        let found = self.search(text);
        self.known.borrow_mut().insert(text.to_vec(), found);
        found
    }

    fn search(&self, text: &[u8]) -> Viability {
        if !self.fits(text) {
            return Viability::No;
        }
        let mut todo = vec![text.to_vec()];
        let mut cut = false;
        for _ in 0..self.tries {
            let Some(tried) = todo.pop() else { return if cut { Viability::Unknown } else { Viability::No } };
            if self.accepts(&tried) {
                return Viability::Yes;
            }
            if tried.len() >= text.len() + LONGEST {
                cut = true;
                continue;
            }
            // The last one pushed is tried first.
            for byte in (0..Tracking::REPEATED_KEY).filter(|b| !b"\"]}".contains(b)).chain(*b"\"]}") {
                let longer = [&tried[..], &[byte]].concat();
                if self.fits(&longer) {
                    todo.push(longer);
                }
            }
        }
        Viability::Unknown
    }
}

/// A JSON value.
#[derive(Debug)]
enum Value {
    Word(Vec<u8>),
    /// Whether it is negative, its digits without zeros around them, and the power of ten of the last one.
    Number(bool, String, i128),
    /// UTF-16 units, or bytes that are not ASCII.
    Text(Vec<u32>),
    Array(Vec<Value>),
    Object(Vec<(Vec<u32>, Value)>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Word(a), Value::Word(b)) => a == b,
            (Value::Number(s, a, e), Value::Number(t, b, f)) => (s, a, e) == (t, b, f),
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a == b,
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|member| b.contains(member))
            }
            _ => false,
        }
    }
}

/// Reads JSON; `None` where the text ends or is not JSON.
struct Reader<'a> {
    tracking: Tracking,
    text: &'a [u8],
    at: usize,
    given: Vec<u8>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Takes the next byte, and gives `byte` instead.
    fn give(&mut self, byte: u8) {
        self.at += 1;
        self.given.push(byte);
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.give(byte);
        Some(byte)
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|b| b" \t\n\r".contains(&b)) {
            self.take();
        }
    }

    fn spaced_value(&mut self) -> Option<Value> {
        self.blank();
        let value = self.value()?;
        self.blank();
        Some(value)
    }

    fn value(&mut self) -> Option<Value> {
        match self.peek()? {
            b'"' => {
                self.take();
                let text = self.string()?;
                self.take();
                Some(Value::Text(text))
            }
            b'[' => self.array(),
            b'{' => self.object(),
            b't' | b'f' | b'n' => {
                let start = self.at;
                while self.peek()?.is_ascii_lowercase() {
                    self.take();
                }
                Some(Value::Word(self.text[start..self.at].to_vec()))
            }
            b'-' | b'0'..=b'9' => {
                let start = self.at;
                while b"+-.eE0123456789".contains(&self.peek()?) {
                    self.take();
                }
                number(std::str::from_utf8(&self.text[start..self.at]).ok()?)
            }
            _ => None,
        }
    }

    /// What a string says; stops before its closing quote.
    fn string(&mut self) -> Option<Vec<u32>> {
        let mut units = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            match *rest.first()? {
                b'"' => return Some(units),
                b'\\' => {
                    self.take();
                    units.push(match self.take()? {
                        b'n' => 10,
                        b't' => 9,
                        b'r' => 13,
                        b'b' => 8,
                        b'f' => 12,
                        b'u' => {
                            let hex: Option<String> = (0..4).map(|_| self.take().map(char::from)).collect();
                            u32::from_str_radix(&hex?, 16).ok()?
                        }
                        other => other.into(),
                    });
                }
                byte => {
                    let len = match byte {
                        0..=0x7F => 1,
                        0x80..=0xDF => 2,
                        0xE0..=0xEF => 3,
                        _ => 4,
                    };
                    if rest.len() < len {
                        return None;
                    }
                    let character = std::str::from_utf8(&rest[..len]).ok()?.chars().next()?;
                    units.extend(character.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u)));
                    for _ in 0..len {
                        self.take();
                    }
                }
            }
        }
    }

    fn array(&mut self) -> Option<Value> {
        self.take();
        let mut items: Vec<Value> = Vec::new();
        self.blank();
        if self.peek()? == b']' {
            self.take();
            return Some(Value::Array(items));
        }
        loop {
            let item = self.spaced_value()?;
            let repeated = self.tracking.items && items.contains(&item);
            items.push(item);
            match (self.peek()?, repeated) {
                (b',', false) => self.give(b','),
                (b',', true) => self.give(Tracking::COMMA_AFTER_REPEATED),
                (b']', _) => {
                    self.give(if repeated { Tracking::BRACKET_AFTER_REPEATED } else { b']' });
                    return Some(Value::Array(items));
                }
                _ => return None,
            }
        }
    }

    fn object(&mut self) -> Option<Value> {
        self.take();
        let mut members: Vec<(Vec<u32>, Value)> = Vec::new();
        self.blank();
        if self.peek()? == b'}' {
            self.take();
            return Some(Value::Object(members));
        }
        loop {
            self.blank();
            if self.take()? != b'"' {
                return None;
            }
            let key = self.string()?;
            let repeated = self.tracking.keys && members.iter().any(|m| m.0 == key);
            self.give(if repeated { Tracking::REPEATED_KEY } else { b'"' });
            self.blank();
            if self.take()? != b':' {
                return None;
            }
            members.push((key, self.spaced_value()?));
            match self.take()? {
                b',' => {}
                b'}' => return Some(Value::Object(members)),
                _ => return None,
            }
        }
    }
}

/// The value of a number.
fn number(text: &str) -> Option<Value> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let short = digits.trim_end_matches('0');
    if short.is_empty() {
        return Some(Value::Number(false, String::new(), 0));
    }
    let mut power = exponent.parse::<i128>().ok()? - fraction.len() as i128;
    power += (digits.len() - short.len()) as i128;
    Some(Value::Number(negative, short.trim_start_matches('0').to_owned(), power))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenstile_grammar::Limits;

    #[test]
    fn repetitions_are_given_as_other_bytes() {
        let grammar = Grammar::json(&Limits::default()).unwrap();
        let mut reference = TrackedReference::new(&grammar);
        reference.tracking = Tracking { keys: true, items: true, keys_abound: 0 };
        for (text, given) in [
            (&br#"{"a":1,"a":2}"#[..], &b"{\"a\":1,\"a\xFD:2}"[..]),
            (br#"{"a":1,"\u0061":2}"#, b"{\"a\":1,\"\\u0061\xFD:2}"),
            (br#"[1, 1.0 ,2]"#, b"[1, 1.0 \xFE2]"),
            (br#"[{"a":1,"b":[]},{"b":[],"a":1e0}]"#, b"[{\"a\":1,\"b\":[]},{\"b\":[],\"a\":1e0}\xFF"),
            (br#"["a","b"]"#, br#"["a","b"]"#),
            (br#"[["a"],["a"],"#, b"[[\"a\"],[\"a\"]\xFE"),
            (br#"{"a":{"a":1},"b":"#, br#"{"a":{"a":1},"b":"#),
        ] {
            assert_eq!(
                reference.translate(text).escape_ascii().to_string(),
                given.escape_ascii().to_string()
            );
        }
    }
}
