//! Text to tokens, one at a time.

use super::dialect::Dialect;
use super::escape::Escape;
use crate::error::{Error, ErrorKind, Place};
use crate::ir::TokenName;

/// A token. The contents of literals and classes wait in the lexer, so that no token owns memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'s> {
    /// `name ::=`
    Define(&'s str),
    /// The name of a rule.
    Name(&'s str),
    /// `::=` without a name before it.
    Assign,
    /// A literal; its bytes are in [`Lexer::literal`].
    Literal,
    /// A character class; its ranges are in [`Lexer::ranges`].
    Class { negated: bool },
    /// `<…>` or `!<…>`; which token is in [`Lexer::token`].
    Terminal { negated: bool },
    /// `.`
    Any,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `|`
    Or,
    /// `?`, `*`, `+` or `{…}`
    Repeat { min: u32, max: Option<u32> },
    /// The end of the text.
    End,
}

/// The greatest count of a repetition: the last `u32` is what the engine may use for "without end".
const MAX_COUNT: u32 = u32::MAX - 1;

/// Macros of xgrammar, which look like a call of a rule before a group.
const MACROS: [&str; 5] = ["TagDispatch", "TokenTagDispatch", "Token", "ExcludeToken", "Regex"];

/// Reads tokens off a source text.
pub(super) struct Lexer<'s> {
    pub(super) source: &'s str,
    pub(super) bytes: &'s [u8],
    pub(super) dialect: Dialect,
    /// Byte offset of what is read next.
    pub(super) at: usize,
    /// Byte offset of the token that was read last.
    pub(super) start: usize,
    /// Whether the last token is the first on its line.
    pub(super) starts_line: bool,
    /// What the last [`Token::Literal`] holds.
    pub(super) literal: Vec<u8>,
    /// What the last [`Token::Class`] holds.
    pub(super) ranges: Vec<(u32, u32)>,
    /// What the last [`Token::Terminal`] names.
    pub(super) token: TokenName,
    /// The last place asked for: places are found by walking on from it.
    place: Place,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str, dialect: Dialect) -> Self {
        Lexer {
            source,
            bytes: source.as_bytes(),
            dialect,
            at: 0,
            start: 0,
            starts_line: true,
            literal: Vec::new(),
            ranges: Vec::new(),
            token: TokenName::id(0),
            place: Place { offset: 0, line: 1, column: 1 },
        }
    }

    /// An error at a byte offset.
    pub(super) fn error(&self, kind: ErrorKind, message: impl Into<String>, offset: usize) -> Error {
        Error::at(kind, message, self.source, offset)
    }

    /// The place of the last token. Places are asked for in the order of the text, so that all of them
    /// together cost one walk over it.
    pub(super) fn place(&mut self) -> Place {
        for c in self.source[self.place.offset..self.start].chars() {
            if c == '\n' {
                self.place.line += 1;
                self.place.column = 1;
            } else {
                self.place.column += 1;
            }
        }
        self.place.offset = self.start;
        self.place
    }

    /// How to call a token in a message: what stands in the text.
    pub(super) fn describe(&self, token: Token<'_>) -> String {
        match token {
            Token::Define(name) => format!("the definition of {}", quoted(name)),
            Token::Name(name) => format!("rule name {}", quoted(name)),
            Token::Literal => "a literal".into(),
            Token::Class { .. } => "a character class".into(),
            Token::Terminal { .. } => "a token".into(),
            Token::End => "end of input".into(),
            _ => quoted(&self.source[self.start..self.at]),
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn peek_char(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    /// Reads the next token.
    pub(super) fn next(&mut self) -> Result<Token<'s>, Error> {
        let first = self.at == 0;
        self.starts_line = self.skip_space() || first;
        self.start = self.at;
        let Some(byte) = self.peek() else { return Ok(Token::End) };
        let simple = match byte {
            b'"' => return self.literal(b'"'),
            b'\'' if self.dialect == Dialect::Ebnf => return self.literal(b'\''),
            b'[' => return self.class(),
            b'{' => return self.counts(),
            b':' if self.bytes[self.at..].starts_with(b"::=") => {
                self.at += 3;
                return Ok(Token::Assign);
            }
            b'(' if self.dialect == Dialect::Ebnf && self.bytes.get(self.at + 1) == Some(&b'=') => {
                return Err(self.unsupported("lookahead assertions `(= …)` are not supported"));
            }
            b'<' | b'!' if self.dialect == Dialect::Gbnf => return self.token_terminal(),
            b'.' => Token::Any,
            b'(' => Token::Open,
            b')' => Token::Close,
            b'|' => Token::Or,
            b'?' => Token::Repeat { min: 0, max: Some(1) },
            b'*' => Token::Repeat { min: 0, max: None },
            b'+' => Token::Repeat { min: 1, max: None },
            _ if is_name(byte) => return self.name(),
            _ => return Err(self.expected("a rule, a literal or a class")),
        };
        self.at += 1;
        Ok(simple)
    }

    /// Skips white space and comments. Answers whether there was a newline.
    fn skip_space(&mut self) -> bool {
        let mut newline = false;
        if self.at == 0 && self.source.starts_with('\u{FEFF}') {
            self.at = '\u{FEFF}'.len_utf8();
        }
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'\n' | b'\r' => {
                    newline = true;
                    self.at += 1;
                }
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r' | 0));
                    self.at += end.unwrap_or(rest.len());
                }
                _ => break,
            }
        }
        newline
    }

    fn unsupported(&self, message: &str) -> Error {
        self.error(ErrorKind::Unsupported, message, self.start)
    }

    /// A name, with the `::=` after it if there is one.
    fn name(&mut self) -> Result<Token<'s>, Error> {
        let start = self.at;
        while let Some(byte) = self.peek() {
            let dotted = self.dialect == Dialect::Ebnf
                && byte == b'.'
                && self.bytes.get(self.at + 1).copied().is_some_and(is_name);
            if !is_name(byte) && !dotted {
                break;
            }
            self.at += 1;
        }
        let (name, end) = (&self.source[start..self.at], self.at);
        self.skip_space();
        if self.bytes[self.at..].starts_with(b"::=") {
            self.at += 3;
            return Ok(Token::Define(name));
        }
        if self.dialect == Dialect::Ebnf && self.peek() == Some(b'(') && MACROS.contains(&name) {
            return Err(self.unsupported(&format!("macros such as `{name}(…)` are not supported")));
        }
        self.at = end;
        Ok(Token::Name(name))
    }

    /// A literal; its quotes are `quote`.
    fn literal(&mut self, quote: u8) -> Result<Token<'s>, Error> {
        self.literal.clear();
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let stop = rest.iter().position(|&b| b == quote || matches!(b, b'\\' | b'\n' | b'\r' | 0));
            let stop = stop.unwrap_or(rest.len());
            self.literal.extend_from_slice(&rest[..stop]);
            self.at += stop;
            match self.peek() {
                Some(byte) if byte == quote => {
                    self.at += 1;
                    return Ok(Token::Literal);
                }
                Some(b'\\') => match self.escape(false)? {
                    Escape::Char(c) => self.literal.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    Escape::Set(_) => unreachable!("sets are read in classes only"),
                },
                Some(0) => return Err(self.nul()),
                Some(newline) if self.dialect == Dialect::Gbnf => {
                    self.literal.push(newline);
                    self.at += 1;
                }
                _ => return Err(self.unterminated("literal", quote)),
            }
        }
    }

    fn unterminated(&self, what: &str, close: u8) -> Error {
        let close = close as char;
        let found = if self.at < self.bytes.len() { "a newline" } else { "end of input" };
        let message = format!("unterminated {what}: expected `{close}`, found {found}");
        self.error(ErrorKind::Syntax, message, self.start)
    }

    fn nul(&self) -> Error {
        self.error(ErrorKind::Syntax, "expected text, found a NUL byte; write `\\x00` to match one", self.at)
    }

    /// A character class.
    fn class(&mut self) -> Result<Token<'s>, Error> {
        self.ranges.clear();
        self.at += 1;
        let negated = self.peek() == Some(b'^');
        self.at += usize::from(negated);
        loop {
            let start = self.at;
            if self.peek() == Some(b']') {
                self.at += 1;
                break;
            }
            let low = match self.class_char()? {
                Escape::Set(set) => {
                    self.ranges.extend_from_slice(set);
                    continue;
                }
                Escape::Char(low) => low,
            };
            let is_range = self.peek() == Some(b'-') && self.bytes.get(self.at + 1) != Some(&b']');
            let mut high = low;
            if is_range {
                self.at += 1;
                let end = self.at;
                let Escape::Char(c) = self.class_char()? else {
                    let message = "expected a character to end the range, found a set of them";
                    return Err(self.error(ErrorKind::Syntax, message, end));
                };
                high = c;
            }
            if high < low {
                let message = format!(
                    "reversed range: `{}` comes after `{}`; a range goes from low to high",
                    shown(low),
                    shown(high)
                );
                return Err(self.error(ErrorKind::Syntax, message, start));
            }
            self.ranges.push((low as u32, high as u32));
        }
        if self.ranges.is_empty() {
            let found = &self.source[self.start..self.at];
            let message = format!("expected a character in the class, found the empty class `{found}`");
            return Err(self.error(ErrorKind::Syntax, message, self.start));
        }
        Ok(Token::Class { negated })
    }

    /// A character or an escape inside a class.
    fn class_char(&mut self) -> Result<Escape, Error> {
        match self.peek_char() {
            None => Err(self.unterminated("character class", b']')),
            Some('\n' | '\r') if self.dialect == Dialect::Ebnf => {
                Err(self.unterminated("character class", b']'))
            }
            Some('\0') => Err(self.nul()),
            Some('\\') => self.escape(true),
            Some(c) => {
                self.at += c.len_utf8();
                Ok(Escape::Char(c))
            }
        }
    }

    /// `{m}`, `{m,}`, `{,n}` or `{m,n}`.
    fn counts(&mut self) -> Result<Token<'s>, Error> {
        self.at += 1;
        let min = self.count()?;
        self.skip_space();
        let mut max = min;
        if self.peek() == Some(b',') {
            self.at += 1;
            self.skip_space();
            // xgrammar prints an open end as `-1`.
            if self.dialect == Dialect::Ebnf && min.is_some() && self.bytes[self.at..].starts_with(b"-1") {
                self.at += 2;
                max = None;
            } else {
                max = self.count()?;
            }
            if min.is_none() && max.is_none() {
                return Err(self.expected("a repetition count"));
            }
            self.skip_space();
        } else if min.is_none() {
            return Err(self.expected("a repetition count"));
        }
        if self.peek() != Some(b'}') {
            return Err(self.expected("`}` to end the repetition"));
        }
        self.at += 1;
        let min = min.unwrap_or(0);
        if let Some(max) = max.filter(|&max| max < min) {
            let message = format!("reversed repetition: the maximum {max} is less than the minimum {min}");
            return Err(self.error(ErrorKind::Syntax, message, self.start));
        }
        Ok(Token::Repeat { min, max })
    }

    /// The error for the character that is next.
    pub(super) fn expected(&self, what: &str) -> Error {
        let found = match self.peek_char() {
            Some(c) => format!("`{}`", shown(c)),
            None => "end of input".into(),
        };
        self.error(ErrorKind::Syntax, format!("expected {what}, found {found}"), self.at)
    }

    /// A number, if one is next.
    fn count(&mut self) -> Result<Option<u32>, Error> {
        self.skip_space();
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return Ok(None);
        }
        let digits = self.source[start..self.at].trim_start_matches('0');
        let value = if digits.is_empty() { Some(0) } else { digits.parse().ok().filter(|&n| n <= MAX_COUNT) };
        let message = format!("repetition counts past {MAX_COUNT} are not supported");
        value.map(Some).ok_or_else(|| self.error(ErrorKind::Unsupported, message, start))
    }
}

/// Text of the source in a message: between backquotes, and not more than a line can hold.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(64) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}

/// A character in a message; one that cannot be seen is escaped.
pub(super) fn shown(c: char) -> String {
    if matches!(c, '\'' | '"' | '\\') { c.to_string() } else { c.escape_debug().to_string() }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
