//! The vocabulary a command works with: a file, or the bytes themselves.

use std::fmt::Write as _;
use std::path::Path;

use tokenstile::Vocab;

use crate::failure::Failure;

/// Id of the end token of [`bytes`]; the ids below it are the bytes.
pub(crate) const BYTE_END: u32 = 256;

/// The vocabulary in `path`, or one token per byte and an end token.
pub(crate) fn load(path: Option<&Path>) -> Result<Vocab, Failure> {
    let Some(path) = path else { return Ok(bytes()) };
    let data = std::fs::read(path).map_err(|error| Failure::io(path, error))?;
    Vocab::detect(&data).map_err(|error| Failure::Vocab { path: path.to_owned(), error })
}

/// 256 single-byte tokens, token id = byte, and the end token [`BYTE_END`].
pub(crate) fn bytes() -> Vocab {
    Vocab::detect(byte_vocab_jsonl().as_bytes()).expect("the byte vocabulary is well formed")
}

/// The byte vocabulary in the JSON Lines form that `--vocab` reads.
fn byte_vocab_jsonl() -> String {
    let mut text = format!(
        "{{\"name\":\"bytes\",\"n_vocab\":257,\"eos\":{BYTE_END},\"stop\":[{BYTE_END}],\"special\":[{BYTE_END}]}}\n"
    );
    for byte in 0..=255u8 {
        writeln!(text, "{{\"id\":{byte},\"b64\":\"{}\"}}", base64_of_byte(byte))
            .expect("writing to a string cannot fail");
    }
    // `<end>`: a name only; a special token never matches text.
    writeln!(text, "{{\"id\":{BYTE_END},\"b64\":\"PGVuZD4=\",\"special\":true}}")
        .expect("writing to a string cannot fail");
    text
}

/// One byte in base64: six bits, two bits, two signs of padding.
fn base64_of_byte(byte: u8) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let sign = |six: u8| char::from(SIGNS[usize::from(six & 63)]);
    format!("{}{}==", sign(byte >> 2), sign(byte << 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_single_bytes() {
        let expect = [(0, "AA=="), (b'a', "YQ=="), (b'M', "TQ=="), (0xff, "/w=="), (0xfb, "+w==")];
        for (byte, text) in expect {
            assert_eq!(base64_of_byte(byte), text);
        }
    }

    #[test]
    fn byte_vocabulary_is_the_bytes() {
        let vocab = bytes();
        assert_eq!(vocab.len(), 257);
        assert_eq!(vocab.end_tokens(), [BYTE_END]);
        for byte in 0..=255u8 {
            assert_eq!(vocab.bytes(u32::from(byte)), Some(&[byte][..]));
        }
    }
}
