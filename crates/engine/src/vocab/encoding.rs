//! How tokenizers write bytes as text: the byte alphabet of GPT-2, and the pieces of SentencePiece.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::error::{VocabError, VocabErrorKind};

/// Code points of the byte alphabet lie below this.
const ALPHABET: usize = 0x144;

/// Byte of each code point of the alphabet, `u16::MAX` where there is none.
///
/// Bytes that print in Latin-1 stand for themselves; the others, in order, are the code points from 256 on.
const BYTE_OF: [u16; ALPHABET] = {
    let mut table = [u16::MAX; ALPHABET];
    let mut next = 0x100;
    let mut byte = 0;
    while byte < 0x100 {
        let prints = matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
        if prints {
            table[byte] = byte as u16;
        } else {
            table[next] = byte as u16;
            next += 1;
        }
        byte += 1;
    }
    table
};

/// Appends the bytes of a byte-level token. One that has a character outside the alphabet was not written in
/// it (Cohere has 1,403 such tokens) and stands for its own UTF-8.
pub(super) fn byte_level(token: &str, out: &mut Vec<u8>) {
    let start = out.len();
    for c in token.chars() {
        match BYTE_OF.get(c as usize) {
            Some(&byte) if byte != u16::MAX => out.push(byte as u8),
            _ => {
                out.truncate(start);
                out.extend_from_slice(token.as_bytes());
                return;
            }
        }
    }
}

/// The byte of a `<0xNN>` token.
pub(super) fn byte_piece(token: &[u8]) -> Option<u8> {
    let digits = token.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    let &[high, low] = digits else { return None };
    let digit = |d: u8| (d as char).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

/// The character that stands for a space in SentencePiece, `▁`.
pub(super) const SPACE_MARK: char = '\u{2581}';

/// Appends a piece with every `mark` turned into a space. Works on bytes: a GGUF may hold pieces that are not
/// UTF-8, and a complete UTF-8 character never starts inside another.
pub(super) fn spaced_piece(token: &[u8], mark: char, out: &mut Vec<u8>) {
    let mut utf8 = [0; 4];
    let mark = mark.encode_utf8(&mut utf8).as_bytes();
    let mut rest = token;
    while let Some((&first, tail)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(mark) {
            out.push(b' ');
            rest = after;
        } else {
            out.push(first);
            rest = tail;
        }
    }
}

/// Decodes standard base64 with padding.
pub(super) fn base64(text: &[u8], out: &mut Vec<u8>) -> Result<(), VocabError> {
    STANDARD.decode_vec(text, out).map_err(|error| {
        VocabError::new(VocabErrorKind::Encoding, format!("token is not valid base64: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(token: &str) -> Vec<u8> {
        let mut out = Vec::new();
        byte_level(token, &mut out);
        out
    }

    #[test]
    fn byte_alphabet() {
        let all: Vec<u8> = BYTE_OF.iter().filter(|&&b| b != u16::MAX).map(|&b| b as u8).collect();
        assert_eq!(all.len(), 256);
        assert_eq!(decoded("Ġthe"), b" the");
        assert_eq!(decoded("Ċ"), b"\n");
        assert_eq!(decoded("Ã©"), "é".as_bytes());
        assert_eq!(decoded("Ń"), [0xad]);
        assert_eq!(decoded("ńĠ"), "ńĠ".as_bytes());
        assert_eq!(decoded("日本"), "日本".as_bytes());
        assert_eq!(decoded("a b"), b"a b");
    }

    #[test]
    fn pieces() {
        assert_eq!(byte_piece(b"<0x0A>"), Some(10));
        assert_eq!(byte_piece(b"<0xfF>"), Some(255));
        for wrong in ["<0x0>", "<0x0AB>", "<0xGG>", "0x0A", "<0x0A", "<0x+1>"] {
            assert_eq!(byte_piece(wrong.as_bytes()), None, "{wrong}");
        }
        let mut out = Vec::new();
        spaced_piece("▁▁a▁\u{2580}".as_bytes(), SPACE_MARK, &mut out);
        assert_eq!(out, "  a \u{2580}".as_bytes());
        out.clear();
        spaced_piece(b"\xe2\x96\xe2\x96\x81\xff", SPACE_MARK, &mut out);
        assert_eq!(out, b"\xe2\x96 \xff");
    }
}
