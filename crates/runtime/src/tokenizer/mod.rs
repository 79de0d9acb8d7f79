//! A model's own tokenizer, from the metadata of its GGUF file: text in, tokens out.
//!
//! Two kinds are known. *Byte-level* (`gpt2`): a pattern cuts the text into words, and in each word pairs are merged in the
//! order of a list. *Pieces* (`llama`, SentencePiece): over the whole text, the pair that makes the piece with the
//! best score is merged first; what is no piece is spelled in bytes. Both work on bytes, since forced text may begin or
//! end inside a character. The `tokenizers` crate was considered: it would bring some seventy crates, and reads no GGUF.

mod byte_level;
mod pieces;
mod split;

use std::collections::HashMap;

use tokenstile::{TokenId, Vocab};

use crate::error::LoadError;
use crate::gguf::Gguf;
use byte_level::ByteLevel;
use pieces::Pieces;

/// The tokenizer of a model.
pub struct Tokenizer {
    vocab: Vocab,
    kind: Kind,
    /// Names of special tokens by their first byte, longest first.
    special: HashMap<u8, Vec<Name>>,
    /// Written before the text of a prompt.
    begin: Option<TokenId>,
}

/// The name of a special token.
type Name = (Box<[u8]>, TokenId);

enum Kind {
    ByteLevel(ByteLevel),
    Pieces(Pieces),
}

impl Tokenizer {
    /// The tokenizer in a file, for a model with `width` logits.
    pub fn read(gguf: &Gguf, width: usize) -> Result<Tokenizer, LoadError> {
        let vocab = gguf.vocab()?.with_width(width);
        let vocab = vocab.map_err(|error| LoadError::Vocab { path: gguf.path().to_owned(), error })?;
        let kind = match gguf.text("tokenizer.ggml.model") {
            Some("gpt2") => Kind::ByteLevel(ByteLevel::read(gguf, &vocab)?),
            Some("llama") => Kind::Pieces(Pieces::read(gguf, &vocab)),
            other => return Err(LoadError::PreTokenizer { name: other.unwrap_or("").to_owned() }),
        };
        let mut special: HashMap<u8, Vec<Name>> = HashMap::new();
        for (id, name) in vocab.special_tokens() {
            if let Some(&first) = name.as_bytes().first() {
                special.entry(first).or_default().push((name.as_bytes().into(), id));
            }
        }
        for names in special.values_mut() {
            names.sort_by_key(|(name, id)| (std::cmp::Reverse(name.len()), *id));
        }
        // Byte-level vocabularies begin a text only where the file says so; the others do unless it says not.
        let begins = gguf.flag("tokenizer.ggml.add_bos_token").unwrap_or(matches!(kind, Kind::Pieces(_)));
        let begin = gguf.count("tokenizer.ggml.bos_token_id").and_then(|id| TokenId::try_from(id).ok());
        Ok(Tokenizer { vocab, kind, special, begin: begin.filter(|_| begins) })
    }

    /// The vocabulary: what each token spells.
    pub fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// The token that a text begins with, where the model wants one.
    pub fn begin(&self) -> Option<TokenId> {
        self.begin
    }

    /// Tokens of plain text; names of special tokens are text like any other. It goes on from what was before:
    /// nothing is put in front of it.
    pub fn encode(&self, text: &[u8]) -> Vec<TokenId> {
        let mut tokens = Vec::new();
        self.encode_into(text, &mut tokens);
        tokens
    }

    /// Tokens of a prompt: names of special tokens stand for these, and the model's begin token comes first,
    /// unless the prompt has it already.
    pub fn encode_prompt(&self, text: &str) -> Vec<TokenId> {
        let bytes = text.as_bytes();
        let mut tokens: Vec<TokenId> = self.begin.into_iter().collect();
        let (mut plain, mut at) = (0, 0);
        while at < bytes.len() {
            match self.special_at(&bytes[at..]) {
                Some((id, len)) => {
                    self.encode_prompt_part(&bytes[plain..at], &mut tokens);
                    if !(tokens.len() == 1 && self.begin == Some(id)) {
                        tokens.push(id);
                    }
                    at += len;
                    plain = at;
                }
                None => at += 1,
            }
        }
        self.encode_prompt_part(&bytes[plain..], &mut tokens);
        tokens
    }

    /// Text of a prompt between special tokens.
    fn encode_prompt_part(&self, text: &[u8], tokens: &mut Vec<TokenId>) {
        if text.is_empty() {
            return;
        }
        match &self.kind {
            Kind::Pieces(pieces)
                if pieces.space_first && tokens.len() <= usize::from(self.begin.is_some()) =>
            {
                self.encode_into(&[b" ", text].concat(), tokens);
            }
            _ => self.encode_into(text, tokens),
        }
    }

    fn encode_into(&self, text: &[u8], tokens: &mut Vec<TokenId>) {
        match &self.kind {
            Kind::ByteLevel(kind) => kind.encode(text, tokens),
            Kind::Pieces(kind) => kind.encode(text, tokens),
        }
    }

    fn special_at(&self, bytes: &[u8]) -> Option<(TokenId, usize)> {
        let names = self.special.get(bytes.first()?)?;
        names.iter().find(|(name, _)| bytes.starts_with(name)).map(|(name, id)| (*id, name.len()))
    }

    /// The bytes that tokens spell; special tokens spell nothing.
    pub fn decode(&self, tokens: &[TokenId]) -> Vec<u8> {
        tokens.iter().filter_map(|&token| self.vocab.bytes(token)).flatten().copied().collect()
    }
}

/// The kinds of tokenizers that are known, for messages.
pub(crate) fn known_kinds() -> String {
    format!("`llama` and byte-level {} are", split::NAMES.join(", "))
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizer").field("tokens", &self.vocab.len()).finish_non_exhaustive()
    }
}
