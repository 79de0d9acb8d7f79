//! tiktoken ranks: one token a line, base64 of its bytes, a space, its id.
//!
//! The files carry no special tokens; they come from the code that ships with a model, and so from the caller.

use super::error::{VocabError, VocabErrorKind};
use super::{TokenId, TokenKind, Vocab, encoding};

impl Vocab {
    /// Reads tiktoken ranks and adds special tokens, from among which the
    /// [end tokens](Vocab::end_tokens) are chosen by name.
    ///
    /// ```
    /// use tokenstile::Vocab;
    ///
    /// let vocab = Vocab::from_tiktoken(b"IQ== 0\nIg== 1\n", &[("<|endoftext|>", 5)])?;
    /// assert_eq!(vocab.len(), 6);
    /// assert_eq!(vocab.bytes(0), Some(&b"!"[..]));
    /// assert_eq!(vocab.end_tokens(), [5]);
    /// # Ok::<(), tokenstile::VocabError>(())
    /// ```
    pub fn from_tiktoken<S: AsRef<str>>(bytes: &[u8], special: &[(S, TokenId)]) -> Result<Vocab, VocabError> {
        let mut builder = Vocab::builder();
        let mut text = Vec::new();
        for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let (token, rank) = parts(line).ok_or_else(|| {
                let message = "expected base64, one space, and a decimal number";
                VocabError::new(VocabErrorKind::Syntax, message).at_line(i + 1)
            })?;
            text.clear();
            encoding::base64(token, &mut text).map_err(|error| error.at_line(i + 1))?;
            builder.add_wide(rank, TokenKind::Text, &text).map_err(|error| error.at_line(i + 1))?;
        }
        for (name, id) in special {
            builder.add(*id, TokenKind::Special, name.as_ref().as_bytes())?;
        }
        builder.build()?.with_guessed_end_tokens(&[])
    }
}

fn parts(line: &[u8]) -> Option<(&[u8], u64)> {
    let space = line.iter().position(|&b| b == b' ')?;
    let (token, rank) = (&line[..space], &line[space + 1..]);
    let digits = !rank.is_empty() && rank.iter().all(u8::is_ascii_digit);
    (digits && !token.is_empty()).then_some(())?;
    // More digits than fit are an id out of range, not a malformed line.
    Some((token, std::str::from_utf8(rank).ok()?.parse().unwrap_or(u64::MAX)))
}

/// Whether the first line is one of tiktoken's.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let base64 = |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let line = bytes.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii();
    parts(line).is_some_and(|(token, _)| token.iter().all(base64))
}

/// The special tokens of the encodings that OpenAI publishes, by the name of their file.
pub(super) fn known_special(name: &str) -> &'static [(&'static str, TokenId)] {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match name.strip_suffix(".tiktoken").unwrap_or(name) {
        "r50k_base" | "p50k_base" => &[("<|endoftext|>", 50256)],
        "cl100k_base" => &[
            ("<|endoftext|>", 100257),
            ("<|fim_prefix|>", 100258),
            ("<|fim_middle|>", 100259),
            ("<|fim_suffix|>", 100260),
            ("<|endofprompt|>", 100276),
        ],
        "o200k_base" => &[("<|endoftext|>", 199999), ("<|endofprompt|>", 200018)],
        _ => &[],
    }
}
