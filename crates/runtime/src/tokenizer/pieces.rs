//! SentencePiece-like tokenizers: pieces with scores, merged best first over the whole text.

use std::collections::HashMap;

use tokenstile::{TokenId, Vocab};

use super::byte_level::merge;
use crate::gguf::{Gguf, Value};

/// Ids from here on stand, while a text is merged, for characters that are no token of their own.
const UNKNOWN: TokenId = 1 << 31;

/// A tokenizer of pieces.
pub(super) struct Pieces {
    /// Piece and score by text.
    by_text: HashMap<Box<[u8]>, (TokenId, f32)>,
    /// The text of a piece, for merging.
    texts: HashMap<TokenId, Box<[u8]>>,
    /// Tokens of single bytes, for what has no piece.
    bytes: Vec<Option<TokenId>>,
    /// Whether a space is put before a text.
    pub(super) space_first: bool,
}

impl Pieces {
    pub(super) fn read(gguf: &Gguf, vocab: &Vocab) -> Pieces {
        let scores = gguf.list("tokenizer.ggml.scores").unwrap_or_default();
        let types = gguf.list("tokenizer.ggml.token_type").unwrap_or_default();
        let score = |id: TokenId| match scores.get(id as usize) {
            Some(Value::Float(score)) => *score as f32,
            _ => 0.0,
        };
        let is_byte = |id: TokenId| types.get(id as usize) == Some(&Value::Integer(6));
        let (mut by_text, mut texts) = (HashMap::new(), HashMap::new());
        let mut bytes = vec![None; 256];
        for (id, text) in vocab.text_tokens() {
            if is_byte(id) && text.len() == 1 {
                bytes[usize::from(text[0])].get_or_insert(id);
            } else {
                by_text.entry(text.into()).or_insert((id, score(id)));
                texts.insert(id, text.into());
            }
        }
        let space_first = gguf.flag("tokenizer.ggml.add_space_prefix").unwrap_or(true);
        Pieces { by_text, texts, bytes, space_first }
    }

    pub(super) fn encode(&self, text: &[u8], tokens: &mut Vec<TokenId>) {
        let mut unknown: Vec<&[u8]> = Vec::new();
        let mut symbols = Vec::new();
        let mut symbol = |character: &'_ [u8], whole: &mut Vec<TokenId>, at: usize| {
            let character = &text[at..at + character.len()];
            match self.by_text.get(character) {
                Some(&(id, _)) => whole.push(id),
                None => {
                    whole.push(UNKNOWN + unknown.len() as TokenId);
                    unknown.push(character);
                }
            }
        };
        let mut at = 0;
        for chunk in text.utf8_chunks() {
            for character in chunk.valid().chars() {
                symbol(&text[at..at + character.len_utf8()], &mut symbols, at);
                at += character.len_utf8();
            }
            for byte in chunk.invalid() {
                symbol(std::slice::from_ref(byte), &mut symbols, at);
                at += 1;
            }
        }
        let spelled = |id: TokenId| match id.checked_sub(UNKNOWN) {
            Some(index) => unknown.get(index as usize).copied(),
            None => self.texts.get(&id).map(|text| &text[..]),
        };
        let merged = merge(&symbols, |left, right| {
            let whole = [spelled(left)?, spelled(right)?].concat();
            let &(id, score) = self.by_text.get(&whole[..])?;
            // Best score first, and the order of the heap is by the lowest.
            Some((Rank(-score), id))
        });
        for id in merged {
            match id.checked_sub(UNKNOWN) {
                None => tokens.push(id),
                Some(index) => {
                    let spelled = unknown[index as usize].iter();
                    tokens.extend(spelled.filter_map(|&byte| self.bytes[usize::from(byte)]));
                }
            }
        }
    }
}

/// A score that can be compared.
#[derive(Clone, Copy, PartialEq)]
struct Rank(f32);

impl Eq for Rank {}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
