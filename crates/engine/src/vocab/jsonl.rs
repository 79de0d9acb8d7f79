//! JSON Lines: the plain exchange format of this project.
//!
//! The first line is a header, `{"n_vocab": 3, "eos": 2, "stop": [2], "special": [2]}`, of which only
//! `n_vocab` is needed; then one token a line, `{"id": 0, "b64": "IQ=="}`, with `"special": true` for special
//! tokens, whose `b64` is their name. Ids may be missing. Other keys are ignored.

use rustc_hash::FxHashSet;

use super::error::{VocabError, VocabErrorKind};
use super::json::{json_error, json_object};
use super::{TokenId, TokenKind, Vocab, encoding, narrow_id};

json_object! {
    Header {
        "n_vocab" => n_vocab: Option<u64>,
        "eos" => eos: Option<u64>,
        "stop" => stop: Option<Vec<u64>>,
        "special" => special: Option<Vec<u64>>,
    }
}

json_object! {
    Line {
        "id" => id: Option<u64>,
        "b64" => b64: Option<String>,
        "special" => special: Option<bool>,
    }
}

impl Vocab {
    /// Reads a JSON Lines vocabulary. The end tokens are the header's `eos`, then its `stop`.
    ///
    /// ```
    /// use tokenstile::Vocab;
    ///
    /// let text = r#"{"n_vocab": 2, "eos": 1}
    /// {"id": 0, "b64": "IQ=="}
    /// {"id": 1, "b64": "PC9zPg==", "special": true}"#;
    /// let vocab = Vocab::from_jsonl(text.as_bytes())?;
    /// assert_eq!(vocab.bytes(0), Some(&b"!"[..]));
    /// assert_eq!(vocab.name(1), Some("</s>"));
    /// assert_eq!(vocab.end_tokens(), [1]);
    /// # Ok::<(), tokenstile::VocabError>(())
    /// ```
    pub fn from_jsonl(bytes: &[u8]) -> Result<Vocab, VocabError> {
        let mut lines = bytes
            .split(|&b| b == b'\n')
            .enumerate()
            .map(|(i, line)| (i + 1, line.trim_ascii()))
            .filter(|(_, line)| !line.is_empty());
        let (at, line) = lines
            .next()
            .ok_or_else(|| VocabError::new(VocabErrorKind::Empty, "the vocabulary file is empty"))?;
        let header: Header = serde_json::from_slice(line).map_err(|error| json_error(&error, at))?;
        let n_vocab = header.n_vocab.ok_or_else(|| missing("n_vocab", at))?;
        let special: FxHashSet<u64> = header.special.unwrap_or_default().into_iter().collect();

        let mut builder = Vocab::builder();
        builder.reserve_ids(n_vocab).map_err(|error| error.at_line(at))?;
        let mut text = Vec::new();
        for (at, line) in lines {
            let line: Line = serde_json::from_slice(line).map_err(|error| json_error(&error, at))?;
            let id = line.id.ok_or_else(|| missing("id", at))?;
            if id >= n_vocab {
                let message = format!("token id {id} is not below n_vocab, {n_vocab}");
                return Err(VocabError::new(VocabErrorKind::IdOutOfRange, message).at_line(at));
            }
            let b64 = line.b64.ok_or_else(|| missing("b64", at))?;
            text.clear();
            encoding::base64(b64.as_bytes(), &mut text).map_err(|error| error.at_line(at))?;
            let is_special = line.special.unwrap_or(false) || special.contains(&id);
            let kind = if is_special { TokenKind::Special } else { TokenKind::Text };
            builder.add_wide(id, kind, &text).map_err(|error| error.at_line(at))?;
        }
        let end: Result<Vec<TokenId>, _> =
            header.eos.into_iter().chain(header.stop.unwrap_or_default()).map(narrow_id).collect();
        let vocab = builder.build()?;
        vocab.with_end_tokens(&end.map_err(|error| error.at_line(at))?)
    }
}

fn missing(key: &str, line: usize) -> VocabError {
    VocabError::new(VocabErrorKind::Syntax, format!("expected an object with a number or text in \"{key}\""))
        .at_line(line)
}
