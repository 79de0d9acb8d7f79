//! Byte-level tokenizers: words, whose bytes are merged pair by pair in the order of a list.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use tokenstile::{TokenId, Vocab};

use super::split::Splitter;
use crate::error::LoadError;
use crate::gguf::{Gguf, Value};

/// A byte-level tokenizer.
pub(super) struct ByteLevel {
    splitter: Splitter,
    /// The tokens of single bytes, where there are such.
    bytes: Vec<Option<TokenId>>,
    /// Words that are a token as they are, where those are not merged from their bytes (Llama 3).
    whole: HashMap<Box<[u8]>, TokenId>,
    /// What two neighbours become, and how early.
    merges: HashMap<(TokenId, TokenId), (u32, TokenId)>,
}

impl ByteLevel {
    pub(super) fn read(gguf: &Gguf, vocab: &Vocab) -> Result<ByteLevel, LoadError> {
        let name = gguf.text("tokenizer.ggml.pre").unwrap_or("default");
        let unknown = || LoadError::PreTokenizer { name: name.to_owned() };
        let splitter = Splitter::named(name).ok_or_else(unknown)?;
        let tokens = gguf.list("tokenizer.ggml.tokens").unwrap_or_default();
        // Merges name tokens as the file spells them, which need not be as they are mapped to bytes.
        let mut by_name: HashMap<&[u8], TokenId> = HashMap::new();
        for (value, id) in tokens.iter().zip(0..) {
            if let Value::Bytes(name) = value {
                by_name.entry(name).or_insert(id);
            }
        }
        let mut bytes = vec![None; 256];
        let mut whole = HashMap::new();
        let keeps_words = matches!(name, "llama-bpe" | "llama3");
        for (id, text) in vocab.text_tokens() {
            if let [byte] = text {
                bytes[usize::from(*byte)].get_or_insert(id);
            } else if keeps_words {
                whole.entry(text.into()).or_insert(id);
            }
        }
        let mut merges = HashMap::new();
        for (value, rank) in gguf.list("tokenizer.ggml.merges").unwrap_or_default().iter().zip(0..) {
            let Value::Bytes(pair) = value else { continue };
            let Some(space) = pair.iter().skip(1).position(|&byte| byte == b' ').map(|at| at + 1) else {
                continue;
            };
            let (left, right) = (&pair[..space], &pair[space + 1..]);
            let ids = (by_name.get(left), by_name.get(right), by_name.get(&[left, right].concat()[..]));
            if let (Some(&left), Some(&right), Some(&whole)) = ids {
                merges.entry((left, right)).or_insert((rank, whole));
            }
        }
        Ok(ByteLevel { splitter, bytes, whole, merges })
    }

    pub(super) fn encode(&self, text: &[u8], tokens: &mut Vec<TokenId>) {
        // Words are of characters. Where bytes are not, each stands alone.
        for chunk in text.utf8_chunks() {
            self.splitter.split(chunk.valid(), &mut |word| self.encode_word(word.as_bytes(), tokens));
            tokens.extend(chunk.invalid().iter().filter_map(|&byte| self.bytes[usize::from(byte)]));
        }
    }

    fn encode_word(&self, word: &[u8], tokens: &mut Vec<TokenId>) {
        if let Some(&token) = self.whole.get(word) {
            return tokens.push(token);
        }
        let start = tokens.len();
        tokens.extend(word.iter().filter_map(|&byte| self.bytes[usize::from(byte)]));
        let merged = merge(&tokens[start..], |left, right| self.merges.get(&(left, right)).copied());
        tokens.truncate(start);
        tokens.extend(merged);
    }
}

/// Merges neighbours, the lowest rank first and of equal ones the leftmost, until none can be.
pub(super) fn merge<R: Ord + Copy>(
    symbols: &[TokenId],
    rank: impl Fn(TokenId, TokenId) -> Option<(R, TokenId)>,
) -> Vec<TokenId> {
    /// Stands for no neighbour, and for a symbol that was merged into the one before it.
    const NONE: usize = usize::MAX;
    let mut ids: Vec<Option<TokenId>> = symbols.iter().copied().map(Some).collect();
    let mut before: Vec<usize> = (0..ids.len()).map(|i| i.wrapping_sub(1)).collect();
    let mut after: Vec<usize> = (1..=ids.len()).map(|i| if i == ids.len() { NONE } else { i }).collect();
    let mut queue = BinaryHeap::new();
    let offer = |queue: &mut BinaryHeap<_>, ids: &[Option<TokenId>], left: usize, right: usize| {
        if left == NONE || right == NONE {
            return;
        }
        if let (Some(a), Some(b)) = (ids[left], ids[right])
            && let Some((rank, whole)) = rank(a, b)
        {
            queue.push(Reverse((rank, left, right, a, b, whole)));
        }
    };
    for right in 1..ids.len() {
        offer(&mut queue, &ids, right - 1, right);
    }
    while let Some(Reverse((_, left, right, a, b, whole))) = queue.pop() {
        // Either may have become something else in the meantime.
        if ids[left] != Some(a) || ids[right] != Some(b) || after[left] != right {
            continue;
        }
        (ids[left], ids[right]) = (Some(whole), None);
        after[left] = after[right];
        if after[left] != NONE {
            before[after[left]] = left;
        }
        offer(&mut queue, &ids, before[left], left);
        offer(&mut queue, &ids, left, after[left]);
    }
    ids.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_merged_by_rank() {
        // 1 2 -> 12 first, then 12 3 -> 123; 2 3 -> 23 last.
        let rank = |left, right| match (left, right) {
            (1, 2) => Some((0, 12)),
            (12, 3) => Some((1, 123)),
            (2, 3) => Some((2, 23)),
            _ => None,
        };
        assert_eq!(merge(&[1, 2, 3, 2, 3], rank), [123, 23]);
        assert_eq!(merge(&[], rank), [0; 0]);
        assert_eq!(merge(&[3], rank), [3]);
        assert_eq!(merge(&[1, 1, 2, 2], rank), [1, 12, 2]);
    }
}
