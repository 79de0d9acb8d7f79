//! What a backslash means, outside and inside of bracketed classes, in both dialects.
//!
//! An escape that one dialect reads as a plain letter and others as something else (`\A` or `\Z` in
//! ECMA-262 without its `u` flag) is refused: whoever wrote it meant the something else.

use super::ast::{Boundary, Node, SetId};
use super::parser::Parser;
use super::tables::{self, Set};
use crate::error::Error;

/// What an escape stands for.
pub(super) enum Escape {
    /// A code point; in ECMA-262 perhaps a lone surrogate.
    Char(u32),
    /// A byte past ASCII, in byte mode.
    Byte(u8),
    /// A predefined class.
    Set(SetId),
    /// An assertion; never inside of a class.
    Assertion(Node),
}

impl Parser<'_> {
    /// Parses an escape; the backslash comes next.
    pub(super) fn escape(&mut self, in_class: bool) -> Result<Escape, Error> {
        let at = self.pos;
        self.pos += 1;
        let Some(c) = self.bump() else {
            return Err(self.syntax("the pattern ends in a backslash", at));
        };
        let code = match c {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => return Ok(Escape::Set(self.perl(c)?)),
            'p' | 'P' => return Ok(Escape::Set(self.property(at)?)),
            't' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            'b' | 'B' if !in_class => return self.boundary(c, at).map(Escape::Assertion),
            _ if self.ecma => self.ecma_escape(c, at, in_class)?,
            _ => return self.rust_escape(c, at, in_class),
        };
        Ok(Escape::Char(code))
    }

    fn rust_escape(&mut self, c: char, at: usize, in_class: bool) -> Result<Escape, Error> {
        match c {
            'x' | 'u' | 'U' => {
                let digits = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                self.skip_space();
                let braced = self.peek() == Some('{');
                let code = self.hex(digits, at)?;
                if char::from_u32(code).is_none() {
                    return Err(self.syntax(format!("U+{code:04X} is not a character"), at));
                }
                if c == 'x' && !braced && code > 0x7F && !self.flags.unicode {
                    return Ok(Escape::Byte(code as u8));
                }
                Ok(Escape::Char(code))
            }
            'a' => Ok(Escape::Char(0x07)),
            'A' | 'z' | '<' | '>' if in_class => {
                Err(self.syntax(format!("`\\{c}` has no meaning in a class"), at))
            }
            'b' | 'B' => Err(self.syntax(format!("`\\{c}` has no meaning in a class"), at)),
            'A' => Ok(Escape::Assertion(Node::TextStart)),
            'z' => Ok(Escape::Assertion(Node::TextEnd)),
            '<' | '>' => {
                let kind = if c == '<' { Boundary::Start } else { Boundary::End };
                let word = self.perl('w')?;
                Ok(Escape::Assertion(Node::Word { kind, word }))
            }
            _ if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok(Escape::Char(c as u32)),
            _ => Err(self.unknown(c, at)),
        }
    }

    fn ecma_escape(&mut self, c: char, at: usize, in_class: bool) -> Result<u32, Error> {
        match c {
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => Ok(0),
            'b' if in_class => Ok(0x08),
            'c' => match self.peek() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    self.pos += 1;
                    Ok(letter as u32 % 32)
                }
                _ => Err(self.syntax("`\\c` needs a letter after it", at)),
            },
            'x' => {
                if self.peek() == Some('{') {
                    return Err(self.syntax("ECMA-262 writes `\\u{…}`, not `\\x{…}`", at));
                }
                self.hex(2, at)
            }
            'u' => {
                let braced = self.peek() == Some('{');
                let code = self.hex(4, at)?;
                if code > 0x10FFFF {
                    return Err(self.syntax("no character is beyond U+10FFFF", at));
                }
                if !braced && (0xD800..0xDC00).contains(&code) && self.rest().starts_with("\\u") {
                    let back = self.pos;
                    self.pos += 2;
                    if self.peek() != Some('{')
                        && let Ok(low @ 0xDC00..=0xDFFF) = self.hex(4, back)
                    {
                        return Ok(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
                    }
                    self.pos = back;
                }
                Ok(code)
            }
            _ if !c.is_ascii_alphanumeric() => Ok(c as u32),
            _ => Err(self.unknown(c, at)),
        }
    }

    /// The refusal of an escape that has no meaning here.
    fn unknown(&self, c: char, at: usize) -> Error {
        let what = match c {
            '0'..='9' => "back-references and octal escapes are not supported",
            'k' | 'g' => "back-references are not supported",
            'A' | 'z' | 'Z' | 'G' => "this anchor is not supported; use `^` or `$`",
            'K' => "resetting the start of the match is not supported",
            'Q' | 'E' => "quoting is not supported; escape each character",
            'h' | 'H' | 'R' | 'X' | 'N' | 'V' => "this class is not supported",
            _ => return self.syntax(format!("unknown escape `\\{c}`"), at),
        };
        self.unsupported(format!("`\\{c}`: {what}"), at)
    }

    /// `digits` hexadecimal digits, or any number of them in braces.
    fn hex(&mut self, digits: usize, at: usize) -> Result<u32, Error> {
        let invalid = |p: &Self| p.syntax("invalid hexadecimal escape", at);
        if !self.eat("{") {
            let mut value = 0;
            for i in 0..digits {
                if i > 0 {
                    self.skip_space();
                }
                let digit = self.bump().and_then(|c| c.to_digit(16)).ok_or_else(|| invalid(self))?;
                value = value << 4 | digit;
            }
            return Ok(value);
        }
        let (mut value, mut any) = (0u32, false);
        loop {
            self.skip_space();
            match self.bump() {
                Some('}') if any => return Ok(value),
                Some(c) => {
                    let digit = c.to_digit(16).ok_or_else(|| invalid(self))?;
                    value = value.checked_mul(16).ok_or_else(|| invalid(self))? + digit;
                    any = true;
                }
                None => return Err(invalid(self)),
            }
        }
    }

    /// `\d`, `\w`, `\s` and, in upper case, their complements.
    pub(super) fn perl(&mut self, class: char) -> Result<SetId, Error> {
        let (ecma, unicode) = (self.ecma, self.flags.unicode);
        let fold = ecma && self.flags.case_insensitive;
        let key = format!("\\{class}{}{}", if unicode { "" } else { "-u" }, if fold { "i" } else { "" });
        if let Some(&set) = self.classes.get(&key) {
            return Ok(set);
        }
        let base = class.to_ascii_lowercase();
        let mut set = match (ecma, unicode) {
            (true, _) => Set::ranges(tables::ecma_perl(base).iter().copied(), false),
            (_, false) => Set::ranges(tables::ascii_perl(base).iter().copied(), true),
            _ => Set::chars(tables::unicode_perl(base).clone()),
        };
        if fold {
            set = set.fold();
        }
        if class.is_ascii_uppercase() {
            set = set.negate();
        }
        let id = self.ast.intern(set);
        self.classes.insert(key, id);
        Ok(id)
    }

    /// `\p{…}`, `\pL` and their complements; what follows the `p` comes next.
    fn property(&mut self, at: usize) -> Result<SetId, Error> {
        if !self.flags.unicode {
            return Err(self.syntax("Unicode classes are not allowed without the flag `u`", at));
        }
        self.skip_space();
        let start = self.pos;
        match self.bump() {
            Some('{') => {
                let Some(len) = self.rest().find('}') else {
                    return Err(self.syntax("the Unicode class has no closing `}`", at));
                };
                self.pos += len + 1;
            }
            Some('\\') | None => return Err(self.syntax("`\\p` needs the name of a Unicode class", at)),
            Some(_) if self.ecma => return Err(self.syntax("ECMA-262 writes `\\p{…}`", at)),
            Some(_) => {}
        }
        let name = &self.source[start..self.pos];
        let negated = self.source[at..].starts_with("\\P");
        let fold = self.flags.case_insensitive;
        let key = format!("{}{name}{}", if negated { "\\P" } else { "\\p" }, if fold { "i" } else { "" });
        if let Some(&set) = self.classes.get(&key) {
            return Ok(set);
        }
        let found = tables::unicode(&format!("\\p{name}"));
        let mut set = Set::chars(found.map_err(|why| self.syntax(format!("`\\p{name}`: {why}"), at))?);
        // The dialects differ in whether the complement is taken before folding or after.
        if negated && self.ecma {
            set = set.negate();
        }
        if fold {
            set = set.fold();
        }
        if negated && !self.ecma {
            set = set.negate();
        }
        let id = self.ast.intern(set);
        self.classes.insert(key, id);
        Ok(id)
    }

    /// `\b`, `\B` and, in the Rust dialect, `\b{start}` and its like.
    fn boundary(&mut self, c: char, at: usize) -> Result<Node, Error> {
        let word = self.perl('w')?;
        if c == 'B' {
            return Ok(Node::Word { kind: Boundary::None, word });
        }
        let mut kind = Boundary::Any;
        if !self.ecma && self.peek() == Some('{') {
            let brace = self.pos;
            self.pos += 1;
            self.skip_space();
            let is_name = |c: char| c.is_ascii_alphabetic() || c == '-';
            let mut name = String::new();
            while let Some(c) = self.peek().filter(|&c| is_name(c)) {
                self.pos += 1;
                if name.len() < 16 {
                    name.push(c);
                }
                self.skip_space();
            }
            if name.is_empty() {
                // A repetition of `\b`.
                self.pos = brace;
            } else if !self.eat("}") {
                return Err(self.syntax("`\\b{` has no closing `}`", at));
            } else {
                kind = match name.as_str() {
                    "start" => Boundary::Start,
                    "end" => Boundary::End,
                    "start-half" => Boundary::StartHalf,
                    "end-half" => Boundary::EndHalf,
                    _ => return Err(self.syntax(format!("unknown word boundary `\\b{{{name}}}`"), at)),
                };
            }
        }
        Ok(Node::Word { kind, word })
    }
}
