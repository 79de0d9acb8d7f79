//! What a JSON string says, byte by byte.

use smallvec::SmallVec;

/// Decoded bytes that have become certain.
pub(crate) type Piece = SmallVec<[u8; 8]>;

/// A place inside a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Text {
    escape: Escape,
    /// The first half of a surrogate pair, whose second half may follow; 0 if there is none.
    high: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Escape {
    No,
    /// After a backslash.
    Begun,
    /// After `\u` and so many digits, with their value.
    Hex(u8, u16),
}

impl Text {
    /// Between characters, or inside of one that is written as it is.
    pub(crate) const PLAIN: Text = Text { escape: Escape::No, high: 0 };

    /// Whether one of the signs `"\\/bfnrtu` must follow.
    pub(crate) fn after_backslash(self) -> bool {
        self.escape == Escape::Begun
    }

    /// The place after `byte` and what is now certain; `None` if the string ends or is not well formed.
    pub(crate) fn step(self, byte: u8) -> Option<(Text, Piece)> {
        match self.escape {
            Escape::No => match byte {
                b'"' => None,
                b'\\' => Some((Text { escape: Escape::Begun, ..self }, Piece::new())),
                _ => {
                    let mut piece = self.rest();
                    piece.push(byte);
                    Some((Text::PLAIN, piece))
                }
            },
            Escape::Begun => {
                let plain = match byte {
                    b'u' => return Some((Text { escape: Escape::Hex(0, 0), ..self }, Piece::new())),
                    b'"' | b'\\' | b'/' => byte,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    _ => return None,
                };
                let mut piece = self.rest();
                piece.push(plain);
                Some((Text::PLAIN, piece))
            }
            Escape::Hex(count, value) => {
                let digit = (byte as char).to_digit(16)? as u16;
                let value = value << 4 | digit;
                if count < 3 {
                    return Some((Text { escape: Escape::Hex(count + 1, value), ..self }, Piece::new()));
                }
                Some(self.unit(value))
            }
        }
    }

    /// The place after an escape of the UTF-16 unit `unit`.
    fn unit(self, unit: u16) -> (Text, Piece) {
        let mut piece = Piece::new();
        match unit {
            0xDC00..=0xDFFF if self.high != 0 => {
                let code = 0x10000 + ((u32::from(self.high) - 0xD800) << 10) + (u32::from(unit) - 0xDC00);
                encode(code, &mut piece);
            }
            0xD800..=0xDBFF => return (Text { escape: Escape::No, high: unit }, self.rest()),
            _ => {
                piece = self.rest();
                encode(unit.into(), &mut piece);
            }
        }
        (Text::PLAIN, piece)
    }

    /// What is certain once no second half of a pair follows.
    pub(crate) fn rest(self) -> Piece {
        let mut piece = Piece::new();
        if self.high != 0 {
            encode(self.high.into(), &mut piece);
        }
        piece
    }

    /// The UTF-16 units that what is not certain yet may begin with, if there is anything.
    pub(crate) fn units(self) -> Option<(u16, u16)> {
        match self.escape {
            _ if self.high != 0 => Some((self.high, self.high)),
            Escape::Hex(count, value) => {
                let open = 16 - 4 * u32::from(count);
                let low = u32::from(value) << open;
                Some((low as u16, (low + ((1 << open) - 1)) as u16))
            }
            _ => None,
        }
    }
}

/// Writes a code point as UTF-8 would, halves of surrogate pairs as well.
fn encode(code: u32, out: &mut Piece) {
    let tail = |shift: u32| 0x80 | (code >> shift & 0x3F) as u8;
    match code {
        0..=0x7F => out.push(code as u8),
        0x80..=0x7FF => out.extend([0xC0 | (code >> 6) as u8, tail(0)]),
        0x800..=0xFFFF => out.extend([0xE0 | (code >> 12) as u8, tail(6), tail(0)]),
        _ => out.extend([0xF0 | (code >> 18) as u8, tail(12), tail(6), tail(0)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<u8> {
        let (mut at, mut out) = (Text::PLAIN, Vec::new());
        for byte in text.bytes() {
            let (next, piece) = at.step(byte).expect(text);
            out.extend(piece);
            at = next;
        }
        out.extend(at.rest());
        out
    }

    #[test]
    fn spellings_of_one_string() {
        for text in ["a", "\\u0061"] {
            assert_eq!(read(text), b"a");
        }
        for text in ["é😀", "\\u00e9\\ud83d\\uDE00", "\\u00E9😀"] {
            assert_eq!(read(text), "é😀".as_bytes());
        }
        assert_eq!(read("\\n\\/\\\"\\\\\\t\\b\\f\\r"), b"\n/\"\\\t\x08\x0c\r");
        // A half alone is neither lost nor joined with what is no half.
        assert_eq!(read("\\ud83dx"), b"\xED\xA0\xBDx");
        assert_eq!(read("\\ud83d\\n"), b"\xED\xA0\xBD\n");
        assert_eq!(read("\\ud83d\\ud83d\\ude00"), [b"\xED\xA0\xBD", "😀".as_bytes()].concat());
        assert_eq!(read("\\ude00"), b"\xED\xB8\x80");
        assert!(Text::PLAIN.step(b'"').is_none());
    }
}
