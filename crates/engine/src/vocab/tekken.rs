//! Mistral's `tekken.json`: base64 tokens by rank, behind a block of special tokens.
//!
//! The special tokens take the first `default_num_special_tokens` ids; the token of rank r has the id behind
//! them. The file holds more ranks than the model uses: `default_vocab_size` cuts them off. Files of the first
//! versions do not list the special tokens; those have the fixed names below. Ids of the block without a name
//! are called `<SPECIAL_n>`, as Mistral's own library calls them.

use super::error::{VocabError, VocabErrorKind};
use super::json::{json_error, json_object};
use super::{TokenKind, Vocab, encoding, narrow_id};

/// Special tokens of files that do not list them, by id.
const UNLISTED: &[&str] = &[
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// The largest block of special tokens: each unnamed one is given a name, and a few bytes must not make
/// millions of them. Known files have 1,000.
const MAX_SPECIAL: u64 = 1 << 16;

json_object! {
    File {
        "config" => config: Option<Config>,
        "vocab" => vocab: Option<Vec<Token>>,
        "special_tokens" => special_tokens: Option<Vec<Special>>,
    }
}

json_object! {
    Config {
        "default_vocab_size" => vocab_size: Option<u64>,
        "default_num_special_tokens" => special_size: Option<u64>,
    }
}

json_object! {
    Token {
        "rank" => rank: Option<u64>,
        "token_bytes" => token_bytes: Option<String>,
    }
}

json_object! {
    Special {
        "rank" => rank: Option<u64>,
        "token_str" => token_str: Option<String>,
    }
}

impl Vocab {
    /// Reads a `tekken.json`.
    ///
    /// ```
    /// use tokenstile::Vocab;
    ///
    /// let text = r#"{"config": {"default_vocab_size": 5, "default_num_special_tokens": 3},
    ///     "vocab": [{"rank": 0, "token_bytes": "IQ=="}, {"rank": 1, "token_bytes": "Ig=="}]}"#;
    /// let vocab = Vocab::from_tekken_json(text.as_bytes())?;
    /// assert_eq!(vocab.bytes(3), Some(&b"!"[..]));
    /// assert_eq!(vocab.end_tokens(), [2]);
    /// # Ok::<(), tokenstile::VocabError>(())
    /// ```
    pub fn from_tekken_json(bytes: &[u8]) -> Result<Vocab, VocabError> {
        let file: File = serde_json::from_slice(bytes).map_err(|error| json_error(&error, 1))?;
        let config = file.config.ok_or_else(|| missing("config"))?;
        let vocab_size = config.vocab_size.ok_or_else(|| missing("default_vocab_size"))?;
        let special_size = config.special_size.ok_or_else(|| missing("default_num_special_tokens"))?;
        let vocab = file.vocab.ok_or_else(|| missing("vocab"))?;

        let mut builder = Vocab::builder();
        builder.reserve_ids(vocab_size)?;
        if special_size > vocab_size {
            let message = format!("{special_size} special tokens do not fit a vocabulary of {vocab_size}");
            return Err(VocabError::new(VocabErrorKind::IdOutOfRange, message));
        }

        if special_size > MAX_SPECIAL {
            let message = format!("{special_size} special tokens are above the limit of {MAX_SPECIAL}");
            return Err(VocabError::new(VocabErrorKind::TooLarge, message));
        }
        let mut names: Vec<Option<String>> = vec![None; special_size as usize];
        match file.special_tokens {
            None => {
                for (name, unlisted) in names.iter_mut().zip(UNLISTED) {
                    *name = Some((*unlisted).to_string());
                }
            }
            Some(listed) => {
                for special in listed {
                    let rank = special.rank.ok_or_else(|| missing("rank"))?;
                    let name = special.token_str.ok_or_else(|| missing("token_str"))?;
                    let Some(slot) = usize::try_from(rank).ok().and_then(|rank| names.get_mut(rank)) else {
                        let message = format!("special token {rank} is not below {special_size}");
                        return Err(VocabError::new(VocabErrorKind::IdOutOfRange, message));
                    };
                    if slot.as_ref().is_some_and(|before| *before != name) {
                        let message = format!("special token {rank} is given twice, differently");
                        return Err(VocabError::new(VocabErrorKind::DuplicateId, message));
                    }
                    *slot = Some(name);
                }
            }
        }
        for (id, name) in names.into_iter().enumerate() {
            let (kind, name) = match name {
                Some(name) => (TokenKind::Special, name),
                None => (TokenKind::Unused, format!("<SPECIAL_{id}>")),
            };
            builder.add_wide(id as u64, kind, name.as_bytes())?;
        }

        let mut text = Vec::new();
        for token in vocab {
            let rank = token.rank.ok_or_else(|| missing("rank"))?;
            let id = rank.saturating_add(special_size);
            if id >= vocab_size {
                continue;
            }
            let b64 = token.token_bytes.ok_or_else(|| missing("token_bytes"))?;
            text.clear();
            let here = narrow_id(id)?;
            encoding::base64(b64.as_bytes(), &mut text).map_err(|error| error.at_token(here))?;
            builder.add(here, TokenKind::Text, &text)?;
        }
        builder.build()?.with_guessed_end_tokens(&[])
    }
}

fn missing(key: &str) -> VocabError {
    VocabError::new(VocabErrorKind::Syntax, format!("\"{key}\" is missing"))
}
