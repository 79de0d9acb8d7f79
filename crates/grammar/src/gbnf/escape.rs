//! Backslash escapes of literals and character classes.

use super::dialect::Dialect;
use super::lexer::{Lexer, shown};
use crate::error::{Error, ErrorKind};

/// What an escape stands for.
pub(super) enum Escape {
    /// A character.
    Char(char),
    /// A set of characters, in sorted inclusive ranges.
    Set(&'static [(u32, u32)]),
}

const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
const NOT_DIGIT: &[(u32, u32)] = &[(0, 0x2F), (0x3A, 0x10FFFF)];
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const NOT_WORD: &[(u32, u32)] = &[(0, 0x2F), (0x3A, 0x40), (0x5B, 0x5E), (0x60, 0x60), (0x7B, 0x10FFFF)];
const SPACE: &[(u32, u32)] = &[(0x09, 0x0D), (0x20, 0x20)];
const NOT_SPACE: &[(u32, u32)] = &[(0, 0x08), (0x0E, 0x1F), (0x21, 0x10FFFF)];

impl Lexer<'_> {
    /// Reads an escape; the lexer stands at its backslash.
    pub(super) fn escape(&mut self, in_class: bool) -> Result<Escape, Error> {
        let start = self.at;
        self.at += 1;
        let Some(letter) = self.peek_char() else {
            return Err(self.error(
                ErrorKind::Syntax,
                "expected an escape after `\\`, found end of input",
                start,
            ));
        };
        self.at += letter.len_utf8();
        let ebnf = self.dialect == Dialect::Ebnf;
        let value = match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '"' | '\\' | '[' | ']' => letter,
            'x' => return self.hex(start, 2),
            'u' => return self.hex(start, 4),
            'U' => return self.hex(start, 8),
            '\'' | '?' if ebnf => letter,
            'a' if ebnf => '\x07',
            'b' if ebnf => '\x08',
            'e' if ebnf => '\x1B',
            'f' if ebnf => '\x0C',
            'v' if ebnf => '\x0B',
            '0' if ebnf => '\0',
            '^' | '$' | '.' | '*' | '+' | '(' | ')' | '{' | '}' | '|' | '/' | '-' if ebnf && in_class => {
                letter
            }
            'd' if ebnf && in_class => return Ok(Escape::Set(DIGIT)),
            'D' if ebnf && in_class => return Ok(Escape::Set(NOT_DIGIT)),
            'w' if ebnf && in_class => return Ok(Escape::Set(WORD)),
            'W' if ebnf && in_class => return Ok(Escape::Set(NOT_WORD)),
            's' if ebnf && in_class => return Ok(Escape::Set(SPACE)),
            'S' if ebnf && in_class => return Ok(Escape::Set(NOT_SPACE)),
            'd' | 'D' | 'w' | 'W' | 's' | 'S' if ebnf => {
                let message =
                    format!("expected an escape, found `\\{letter}`, which belongs inside `[` and `]`");
                return Err(self.error(ErrorKind::Syntax, message, start));
            }
            _ => {
                let message = format!(
                    "expected one of the escapes \\n \\t \\r \\\" \\\\ \\[ \\] \\xHH \\uHHHH \\UHHHHHHHH, found `\\{}`",
                    shown(letter)
                );
                return Err(self.error(ErrorKind::Syntax, message, start));
            }
        };
        Ok(Escape::Char(value))
    }

    /// Reads the digits of `\x`, `\u` or `\U`: exactly `width` of them. xgrammar reads any number after `\x`;
    /// one digit means the same everywhere, and where the readings differ the escape is refused.
    fn hex(&mut self, start: usize, width: usize) -> Result<Escape, Error> {
        let digits = self.bytes[self.at..].iter().take(width).take_while(|b| b.is_ascii_hexdigit()).count();
        let lax = self.dialect == Dialect::Ebnf && width == 2;
        let end = self.at + digits;
        if digits < width && !(lax && digits == 1) {
            let spelled = &self.source[start..end];
            let message = format!("expected {width} hexadecimal digits, found `{spelled}` with {digits}");
            return Err(self.error(ErrorKind::Syntax, message, start));
        }
        if lax && self.bytes.get(end).is_some_and(u8::is_ascii_hexdigit) {
            let message = "`\\x` with more than two digits is ambiguous: write `\\uHHHH` or `\\UHHHHHHHH`";
            return Err(self.error(ErrorKind::Unsupported, message, start));
        }
        let spelled = &self.source[start..end];
        let value = u32::from_str_radix(&self.source[self.at..end], 16).unwrap_or(u32::MAX);
        self.at = end;
        char::from_u32(value).map(Escape::Char).ok_or_else(|| {
            let why = if value > 0x10FFFF {
                "is past U+10FFFF"
            } else {
                "is a surrogate; write the character itself, or one `\\UHHHHHHHH`"
            };
            self.error(ErrorKind::Syntax, format!("expected a character, but `{spelled}` {why}"), start)
        })
    }
}
