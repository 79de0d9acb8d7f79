//! Telling the format of a vocabulary by its content.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::error::{VocabError, VocabErrorKind};
use super::{Vocab, json, tiktoken};

impl Vocab {
    /// Reads a vocabulary in any of the known formats, told by content.
    ///
    /// tiktoken ranks carry no special tokens and so get no end tokens; see
    /// [`detect_named`](Self::detect_named) and [`with_end_tokens`](Self::with_end_tokens).
    ///
    /// ```
    /// use tokenstile::Vocab;
    ///
    /// let vocab = Vocab::detect(b"IQ== 0\nIg== 1\n")?;
    /// assert_eq!(vocab.bytes(1), Some(&b"\""[..]));
    /// # Ok::<(), tokenstile::VocabError>(())
    /// ```
    pub fn detect(bytes: &[u8]) -> Result<Vocab, VocabError> {
        Vocab::detect_named("", bytes)
    }

    /// As [`detect`](Self::detect), with the name of the file as a hint: the special tokens of the encodings
    /// published as `r50k_base`, `p50k_base`, `cl100k_base` and `o200k_base` (with a `.tiktoken` at the end
    /// or not) are known and added. Folders in front of the name are ignored.
    pub fn detect_named(name: &str, bytes: &[u8]) -> Result<Vocab, VocabError> {
        let first = bytes.iter().copied().find(|b| !b.is_ascii_whitespace());
        if bytes.starts_with(b"GGUF") {
            Vocab::from_gguf(bytes)
        } else if first == Some(b'{') {
            let keys = first_object_keys(bytes)?;
            if keys.contains("model") {
                Vocab::from_tokenizer_json(bytes)
            } else if keys.contains("n_vocab") {
                Vocab::from_jsonl(bytes)
            } else if keys.contains("vocab") && keys.contains("config") {
                Vocab::from_tekken_json(bytes)
            } else {
                Err(unknown("a JSON object that is no tokenizer.json, tekken.json or vocabulary list"))
            }
        } else if tiktoken::looks_like(bytes) {
            Vocab::from_tiktoken(bytes, tiktoken::known_special(name))
        } else if bytes.first() == Some(&0x0a) {
            Vocab::from_sentencepiece(bytes)
        } else if bytes.is_empty() {
            Err(VocabError::new(VocabErrorKind::Empty, "the vocabulary file is empty"))
        } else {
            Err(unknown(
                "not a vocabulary: none of tokenizer.json, tekken.json, tiktoken, SentencePiece, GGUF, JSON Lines",
            ))
        }
    }
}

fn unknown(message: &str) -> VocabError {
    VocabError::new(VocabErrorKind::UnknownFormat, message)
}

/// The keys of the first JSON object in the text.
struct Keys(BTreeSet<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = BTreeSet::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.insert(key);
                }
                Ok(Keys(keys))
            }
        }
        input.deserialize_map(KeyVisitor)
    }
}

fn first_object_keys(bytes: &[u8]) -> Result<BTreeSet<String>, VocabError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    Ok(Keys::deserialize(&mut reader).map_err(|error| json::json_error(&error, 1))?.0)
}
