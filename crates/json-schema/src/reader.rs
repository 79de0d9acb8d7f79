//! JSON texts as values (RFC 8259).
//!
//! Strict: no comments, no trailing commas, no lone surrogates, no key twice in an object. Numbers are kept as they
//! were written, since their size and their digits matter to a schema. The reader keeps its own stack, but values are
//! compared recursively, so that nesting has a bound of its own beside [`Limits::nesting`].

use bumpalo::Bump;
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ErrorKind, Limits};

/// Deepest nesting, whatever the limits say: recursion over a value must fit on a stack.
const MAX_DEPTH: usize = 2_000;

/// A JSON value. Numbers are kept as written; the members of an object are in order, none twice. What the text has as it
/// is stays there; the rest is in a room that is given up as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(&'a str),
    /// A string, its escapes resolved.
    String(&'a str),
    /// An array.
    Array(&'a [Json<'a>]),
    /// An object.
    Object(&'a [(&'a str, Json<'a>)]),
}

impl<'a> Json<'a> {
    /// Reads a text that is one value.
    pub fn parse(
        text: &'a str,
        room: &'a Bump,
        limits: &Limits,
        budget: &mut Budget<'_>,
    ) -> Result<Self, Error> {
        if text.len() > limits.source_bytes {
            return Err(Error::limit("source_bytes", limits.source_bytes));
        }
        let depth = limits.nesting.min(MAX_DEPTH);
        let (stack, items, members) =
            (Vec::with_capacity(16), Vec::with_capacity(16), Vec::with_capacity(32));
        Reader { text, bytes: text.as_bytes(), at: 0, room, depth, stack, items, members }.read(budget)
    }

    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        match self {
            Json::Object(members) => members.iter().find(|(name, _)| *name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&'a str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value it is, for messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(true) => "true",
            Json::Bool(false) => "false",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// An array or object that is not closed yet, and where what it has so far begins in `Reader::items` or
/// `Reader::members`. The value of an object's last member is being read.
#[derive(Clone, Copy)]
enum Open {
    Array(usize),
    Object(usize),
}

/// A member, and where its key stands.
struct Member<'a> {
    at: usize,
    key: &'a str,
    value: Json<'a>,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    room: &'a Bump,
    depth: usize,
    stack: Vec<Open>,
    /// The items of all open arrays, and the members of all open objects.
    items: Vec<Json<'a>>,
    members: Vec<Member<'a>>,
}

impl<'a> Reader<'a> {
    fn read(mut self, budget: &mut Budget<'_>) -> Result<Json<'a>, Error> {
        self.blank();
        loop {
            budget.tick()?;
            if let Some(value) = self.value()?
                && let Some(root) = self.close(value)?
            {
                self.blank();
                return match self.peek() {
                    None => Ok(root),
                    Some(_) => Err(self.unexpected("the end of the text")),
                };
            }
            self.blank();
        }
    }

    /// The value that starts here; `None` if it is an array or object that has something in it, and was opened.
    fn value(&mut self) -> Result<Option<Json<'a>>, Error> {
        let start = self.at;
        Ok(Some(match self.peek() {
            Some(b'"') => Json::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Json::Number(self.number()?),
            Some(b'[') => {
                self.at += 1;
                self.blank();
                if !self.eat(b']') {
                    self.open(Open::Array(self.items.len()), start)?;
                    return Ok(None);
                }
                Json::Array(&[])
            }
            Some(b'{') => {
                self.at += 1;
                self.blank();
                if !self.eat(b'}') {
                    let open = Open::Object(self.members.len());
                    self.key()?;
                    self.open(open, start)?;
                    return Ok(None);
                }
                Json::Object(&[])
            }
            _ if self.word("true") => Json::Bool(true),
            _ if self.word("false") => Json::Bool(false),
            _ if self.word("null") => Json::Null,
            _ => return Err(self.unexpected("a value")),
        }))
    }

    fn open(&mut self, open: Open, start: usize) -> Result<(), Error> {
        if self.stack.len() >= self.depth {
            return Err(Error::limit("nesting", self.depth).with_place(self.text, start));
        }
        self.stack.push(open);
        Ok(())
    }

    /// Puts a finished value where it belongs, and closes what ends behind it. The whole value, if that is all.
    fn close(&mut self, mut value: Json<'a>) -> Result<Option<Json<'a>>, Error> {
        loop {
            let Some(&open) = self.stack.last() else { return Ok(Some(value)) };
            self.blank();
            match open {
                Open::Array(from) => {
                    self.items.push(value);
                    if self.eat(b',') {
                        self.no_trailing_comma(b']')?;
                        return Ok(None);
                    }
                    if !self.eat(b']') {
                        return Err(self.unexpected("`,` or `]`"));
                    }
                    value = Json::Array(self.room.alloc_slice_copy(&self.items[from..]));
                    self.items.truncate(from);
                }
                Open::Object(from) => {
                    if let Some(last) = self.members.last_mut() {
                        last.value = value;
                    }
                    if self.eat(b',') {
                        self.no_trailing_comma(b'}')?;
                        self.key()?;
                        return Ok(None);
                    }
                    if !self.eat(b'}') {
                        return Err(self.unexpected("`,` or `}`"));
                    }
                    self.no_key_twice(from)?;
                    let members = self.members.drain(from..).map(|member| (member.key, member.value));
                    value = Json::Object(self.room.alloc_slice_fill_iter(members));
                }
            }
            self.stack.pop();
        }
    }

    /// A key and its colon; the member is there then, but for its value.
    fn key(&mut self) -> Result<(), Error> {
        self.blank();
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let at = self.at;
        let key = self.string()?;
        self.blank();
        if !self.eat(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.members.push(Member { at, key, value: Json::Null });
        Ok(())
    }

    /// Refuses an object with a key twice, at the second. Its members are those from `from` on.
    fn no_key_twice(&self, from: usize) -> Result<(), Error> {
        let members = &self.members[from..];
        let again = if members.len() <= 8 {
            (1..members.len()).find(|&i| members[..i].iter().any(|member| member.key == members[i].key))
        } else {
            let mut order: Vec<usize> = (0..members.len()).collect();
            order.sort_unstable_by(|&a, &b| members[a].key.cmp(members[b].key).then(a.cmp(&b)));
            let again = order.windows(2).filter(|pair| members[pair[0]].key == members[pair[1]].key);
            again.map(|pair| pair[1]).min()
        };
        let Some(Member { at, key, .. }) = again.map(|again| &members[again]) else { return Ok(()) };
        let message = format!("the key {} is in the object already", quoted(key));
        Err(Error::at(ErrorKind::Syntax, message, self.text, *at))
    }

    fn no_trailing_comma(&mut self, close: u8) -> Result<(), Error> {
        let comma = self.at - 1;
        self.blank();
        if self.peek() != Some(close) {
            return Ok(());
        }
        let message = format!("JSON has no comma before `{}`", char::from(close));
        Err(Error::at(ErrorKind::Syntax, message, self.text, comma))
    }

    fn string(&mut self) -> Result<&'a str, Error> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let run = self.at;
            self.at += plain_len(&self.bytes[run..]);
            let text = &self.text[run..self.at];
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    if out.is_empty() {
                        return Ok(text);
                    }
                    out.push_str(text);
                    return Ok(self.room.alloc_str(&out));
                }
                Some(b'\\') => {
                    out.push_str(text);
                    out.push(self.escape()?);
                }
                Some(control) => {
                    let message = format!("a string must write the character U+{control:04X} as an escape");
                    return Err(self.error(message, self.at));
                }
                None => return Err(self.error("the string has no closing quote", start)),
            }
        }
    }

    /// The character of an escape, which starts here.
    fn escape(&mut self) -> Result<char, Error> {
        let start = self.at;
        self.at += 2;
        Ok(match self.bytes.get(start + 1) {
            Some(&c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let lone = "the escape is half of a surrogate pair, not a character";
                let first = self.hex()?;
                let code = match first {
                    0xD800..=0xDBFF if self.bytes[self.at..].starts_with(b"\\u") => {
                        self.at += 2;
                        let second = self.hex()?;
                        if !(0xDC00..=0xDFFF).contains(&second) {
                            return Err(self.error(lone, start));
                        }
                        0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
                    }
                    code => code,
                };
                char::from_u32(code).ok_or_else(|| self.error(lone, start))?
            }
            _ => return Err(self.error("JSON has no such escape", start)),
        })
    }

    fn hex(&mut self) -> Result<u32, Error> {
        let mut code = 0;
        for i in 0..4 {
            let digit = self.bytes.get(self.at + i).and_then(|&b| char::from(b).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.error("`\\u` needs four hexadecimal digits", self.at - 2));
            };
            code = code << 4 | digit;
        }
        self.at += 4;
        Ok(code)
    }

    fn number(&mut self) -> Result<&'a str, Error> {
        let start = self.at;
        self.eat(b'-');
        if self.eat(b'0') {
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.error("a number has no leading zeros", start));
            }
        } else {
            self.digits(start)?;
        }
        if self.eat(b'.') {
            self.digits(start)?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits(start)?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self, start: usize) -> Result<(), Error> {
        let digits = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += digits;
        if digits == 0 {
            Err(self.error("the number is incomplete: a digit must follow", start))
        } else {
            Ok(())
        }
    }

    fn blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    fn word(&mut self, word: &str) -> bool {
        let is = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += if is { word.len() } else { 0 };
        is
    }

    fn error(&self, message: impl Into<String>, at: usize) -> Error {
        Error::at(ErrorKind::Syntax, message, self.text, at)
    }

    /// The error that something else stands here, with a hint where it is a usual mistake.
    fn unexpected(&self, expected: &str) -> Error {
        let rest = &self.text[self.at..];
        let word: String = rest.chars().take_while(char::is_ascii_alphanumeric).take(20).collect();
        let message = match rest.chars().next() {
            None => format!("the text ends where {expected} is expected"),
            Some('\'') => format!("expected {expected}; JSON has double quotes only"),
            Some('/') if rest.starts_with("//") || rest.starts_with("/*") => "JSON has no comments".into(),
            Some('#') => "JSON has no comments".into(),
            Some('\u{FEFF}') => "JSON does not begin with a byte order mark".into(),
            Some('+' | '.') => format!("expected {expected}; a number begins with a digit or `-`"),
            Some(_) if matches!(&*word, "NaN" | "Infinity") => {
                format!("expected {expected}; JSON has no `{word}`")
            }
            Some(_) if matches!(&*word, "True" | "False" | "None" | "undefined") => {
                format!("expected {expected}; JSON writes `true`, `false` and `null`")
            }
            Some(_) if !word.is_empty() => format!("expected {expected}, not `{word}`"),
            Some(c) => format!("expected {expected}, not {}", quoted(c.encode_utf8(&mut [0; 4]))),
        };
        self.error(message, self.at)
    }
}

/// A piece of input in backquotes, for messages: short and on one line.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(60).is_some() { "…" } else { "" };
    format!("`{short}{more}`")
}

/// How many bytes stand for themselves before the first that ends a string, begins an escape or is not allowed.
fn plain_len(bytes: &[u8]) -> usize {
    let stops = |b: u8| b == b'"' || b == b'\\' || b < 0x20;
    let mut start = 0;
    // Eight bytes as one number: in `marks`, the lowest bit of those that are set is in the first byte that stops.
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    while let Some(&chunk) = bytes[start..].first_chunk::<8>() {
        let word = u64::from_le_bytes(chunk);
        let below = |word: u64, least: u64| word.wrapping_sub(ONES * least) & !word;
        let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let marks = (below(word, 0x20) | is(b'"') | is(b'\\')) & TOPS;
        if marks != 0 {
            return start + marks.trailing_zeros() as usize / 8;
        }
        start += 8;
    }
    let rest = &bytes[start..];
    start + rest.iter().position(|&b| stops(b)).unwrap_or(rest.len())
}
