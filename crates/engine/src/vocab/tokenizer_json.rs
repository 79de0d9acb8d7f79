//! Hugging Face `tokenizer.json`: BPE and Unigram models, byte-level or SentencePiece-like.
//!
//! What a token spells is what the file's decoder makes of it. Three decoders occur in language models: the
//! byte alphabet (`ByteLevel`), a mark for spaces (`Metaspace`, or `Replace` of `▁`), and `<0xNN>` for bytes
//! (`ByteFallback`). Where the file has no decoder, its pre-tokenizer and normalizer tell; where those do not,
//! the tokens themselves do. What the decoder does to a whole text, such as cutting one space off its front,
//! is no matter of a single token and is left out. Models that glue words with `##` or `</w>` are refused.

use std::borrow::Cow;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::error::{VocabError, VocabErrorKind};
use super::json::{json_error, json_object};
use super::names::{self, AddedRule};
use super::{TokenId, TokenKind, Vocab, VocabBuilder, encoding, narrow_id};

json_object! {
    File {
        "added_tokens" => added: Option<Vec<Added>>,
        "normalizer" => normalizer: Value,
        "pre_tokenizer" => pre_tokenizer: Value,
        "decoder" => decoder: Value,
        "model" => model: Option<Model>,
    }
}

json_object! {
    Added {
        "id" => id: Option<u64>,
        "content" => content: Option<String>,
        "special" => special: Option<bool>,
    }
}

json_object! {
    Model {
        "type" => model_type: Option<String>,
        "vocab" => vocab: Option<Entries>,
        "merges" => merges: Option<IgnoredAny>,
        "unk_token" => unk_token: Option<String>,
        "unk_id" => unk_id: Option<u64>,
        "byte_fallback" => byte_fallback: Option<bool>,
        "continuing_subword_prefix" => prefix: Option<String>,
        "end_of_word_suffix" => suffix: Option<String>,
    }
}

/// Tokens and ids, from `{"token": id, …}` or, in Unigram models, `[["token", score], …]`.
struct Entries {
    tokens: Vec<(String, u64)>,
    scored: bool,
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from tokens to ids, or a list of pairs of token and score")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut tokens = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    tokens.push(entry);
                }
                Ok(Entries { tokens, scored: false })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entries, A::Error> {
                let mut tokens = Vec::new();
                while let Some((token, IgnoredAny)) = list.next_element()? {
                    tokens.push((token, tokens.len() as u64));
                }
                Ok(Entries { tokens, scored: true })
            }
        }
        input.deserialize_any(EntriesVisitor)
    }
}

impl Vocab {
    /// Reads a Hugging Face `tokenizer.json`.
    ///
    /// Its flag `special` is not reliable, so *added* tokens are sorted by this rule: numbered fillers
    /// (`<unused7>`, `[PAD151646]`) are unused; those flagged are special; those named like HTML elements are
    /// text in vocabularies that have several; those that look like markers (`<…>` or `[…]` around a name
    /// without white space) are special; all others, such as runs of spaces, are text. To overrule it:
    /// [`with_special`](Self::with_special), [`with_text`](Self::with_text).
    ///
    /// ```
    /// use tokenstile::Vocab;
    ///
    /// let text = r#"{
    ///     "added_tokens": [{"id": 2, "content": "<|im_end|>", "special": true}],
    ///     "decoder": {"type": "ByteLevel"},
    ///     "model": {"type": "BPE", "vocab": {"Ġ": 0, "a": 1}, "merges": []}
    /// }"#;
    /// let vocab = Vocab::from_tokenizer_json(text.as_bytes())?;
    /// assert_eq!(vocab.bytes(0), Some(&b" "[..]));
    /// assert_eq!(vocab.end_tokens(), [2]);
    /// # Ok::<(), tokenstile::VocabError>(())
    /// ```
    pub fn from_tokenizer_json(bytes: &[u8]) -> Result<Vocab, VocabError> {
        let mut file: File = serde_json::from_slice(bytes).map_err(|error| json_error(&error, 1))?;
        let mut model = file.model.take().ok_or_else(|| missing("model"))?;
        let entries = model.vocab.take().ok_or_else(|| missing("vocab"))?;
        check_model(&model, &entries)?;
        let spelling = Spelling::of(&file, &model, &entries.tokens)?;

        let mut builder = Vocab::builder();
        let mut added = add_added_tokens(&mut builder, file.added.as_deref().unwrap_or_default(), &spelling)?;
        let unknown =
            |token: &str, id: u64| model.unk_token.as_deref() == Some(token) || model.unk_id == Some(id);
        let mut text = Vec::new();
        for (token, id) in &entries.tokens {
            let id = narrow_id(*id)?;
            if let Some(content) = added.remove(&id) {
                if content != token {
                    let message =
                        format!("token {id} is {token:?} in the model but {content:?} as an added token");
                    return Err(VocabError::new(VocabErrorKind::DuplicateId, message).at_token(id));
                }
                continue;
            }
            let kind = if names::is_filler(token) {
                TokenKind::Unused
            } else if unknown(token, u64::from(id)) {
                TokenKind::Special
            } else {
                TokenKind::Text
            };
            text.clear();
            spelling.spell(kind, token, &mut text);
            builder.add(id, kind, &text)?;
        }
        builder.build()?.with_guessed_end_tokens(&[])
    }
}

/// Adds the added tokens and returns them by id.
fn add_added_tokens<'a>(
    builder: &mut VocabBuilder,
    added: &'a [Added],
    spelling: &Spelling,
) -> Result<FxHashMap<TokenId, &'a str>, VocabError> {
    let unflagged = added.iter().filter(|token| token.special != Some(true));
    let rule = AddedRule::new(unflagged.filter_map(|token| token.content.as_deref()));
    let mut by_id = FxHashMap::default();
    let mut text = Vec::new();
    for token in added {
        let id = narrow_id(token.id.ok_or_else(|| missing("id"))?)?;
        let content = token.content.as_deref().ok_or_else(|| missing("content"))?;
        let kind = rule.kind(content, token.special.unwrap_or(false));
        text.clear();
        spelling.spell(kind, content, &mut text);
        builder.add(id, kind, &text)?;
        by_id.insert(id, content);
    }
    Ok(by_id)
}

fn check_model(model: &Model, entries: &Entries) -> Result<(), VocabError> {
    // Old files do not name the type; Unigram and BPE can be told by their shape.
    let guessed = match (entries.scored, model.merges.is_some()) {
        (true, _) => "Unigram",
        (false, true) => "BPE",
        (false, false) => "WordPiece",
    };
    let model_type = model.model_type.as_deref().unwrap_or(guessed);
    if !matches!(model_type, "BPE" | "Unigram") {
        return Err(unsupported(format!("model type {model_type:?} is not supported: BPE and Unigram are")));
    }
    for (key, value) in [("continuing_subword_prefix", &model.prefix), ("end_of_word_suffix", &model.suffix)]
    {
        if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
            return Err(unsupported(format!("{key} {value:?} is not supported")));
        }
    }
    Ok(())
}

/// How the file's tokens spell bytes.
struct Spelling {
    byte_level: bool,
    space_mark: Option<char>,
    byte_fallback: bool,
}

impl Spelling {
    fn of(file: &File, model: &Model, tokens: &[(String, u64)]) -> Result<Self, VocabError> {
        let mut spelling = Spelling {
            byte_level: false,
            space_mark: None,
            byte_fallback: model.byte_fallback.unwrap_or(false),
        };
        spelling.learn(&file.decoder)?;
        if !spelling.known() {
            spelling.learn(&file.pre_tokenizer)?;
            spelling.learn(&file.normalizer)?;
        }
        if !spelling.known() {
            // A space in front of a word is the most common thing there is: its sign tells.
            let count = |mark| tokens.iter().filter(|(token, _)| token.starts_with(mark)).count();
            let (byte_level, spaced) = (count('Ġ'), count(encoding::SPACE_MARK));
            spelling.byte_level = byte_level > spaced;
            spelling.space_mark = (spaced > byte_level).then_some(encoding::SPACE_MARK);
        }
        Ok(spelling)
    }

    fn known(&self) -> bool {
        self.byte_level || self.space_mark.is_some()
    }

    /// Takes note of one decoder, pre-tokenizer or normalizer, or a sequence of them.
    fn learn(&mut self, step: &Value) -> Result<(), VocabError> {
        // serde_json nests no deeper than 128 levels.
        for list in ["decoders", "pretokenizers", "normalizers"] {
            step[list].as_array().into_iter().flatten().try_for_each(|step| self.learn(step))?;
        }
        match step["type"].as_str().unwrap_or_default() {
            "ByteLevel" => self.byte_level = true,
            "ByteFallback" => self.byte_fallback = true,
            "Metaspace" => {
                let mark = step["replacement"].as_str().and_then(|mark| mark.chars().next());
                self.space_mark = Some(mark.unwrap_or(encoding::SPACE_MARK));
            }
            "Replace" => {
                let (from, to) = (step["pattern"]["String"].as_str(), step["content"].as_str());
                let mark = match (from, to) {
                    (Some(mark), Some(" ")) | (Some(" "), Some(mark)) => mark,
                    _ => return Ok(()),
                };
                let mut chars = mark.chars();
                if let (Some(mark), None) = (chars.next(), chars.next()) {
                    self.space_mark = Some(mark);
                }
            }
            name @ ("WordPiece" | "BPEDecoder" | "CTC") => {
                return Err(unsupported(format!("decoder {name:?} is not supported")));
            }
            _ => {}
        }
        Ok(())
    }

    /// Appends what a token spells: the bytes of text, the name of others.
    ///
    /// Added tokens go the same way, as they do in the library that defines the format: DeepSeek Coder adds
    /// `õ` for the byte F5.
    fn spell(&self, kind: TokenKind, token: &str, out: &mut Vec<u8>) {
        if kind != TokenKind::Text {
            out.extend_from_slice(token.as_bytes());
        } else if self.byte_level {
            encoding::byte_level(token, out);
        } else if let Some(byte) = encoding::byte_piece(token.as_bytes()).filter(|_| self.byte_fallback) {
            out.push(byte);
        } else if let Some(mark) = self.space_mark {
            encoding::spaced_piece(token.as_bytes(), mark, out);
        } else {
            out.extend_from_slice(token.as_bytes());
        }
    }
}

fn missing(key: &str) -> VocabError {
    VocabError::new(VocabErrorKind::Syntax, format!("\"{key}\" is missing"))
}

fn unsupported(message: impl Into<Cow<'static, str>>) -> VocabError {
    VocabError::new(VocabErrorKind::Unsupported, message.into())
}
