//! The two vocabularies of the sweeps: single bytes, and Llama-3's.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use tokenstile::{Compiler, TokenId, Vocab};

use crate::data::Unreadable;

/// A compiler for one token per byte; the id of a token is its byte.
pub(crate) fn bytes() -> Result<Compiler, Unreadable> {
    let tokens = (0..=255u8).map(|byte| (u32::from(byte), vec![byte]));
    let vocab = Vocab::from_tokens(tokens.chain([(256, b"<end>".to_vec())]), &[256]);
    vocab.map(Compiler::new).map_err(|error| Unreadable(error.to_string()))
}

/// A real vocabulary, with what is needed to cut texts into its tokens.
#[derive(Clone)]
pub(crate) struct Real {
    pub(crate) compiler: Compiler,
    ids: Arc<HashMap<Vec<u8>, TokenId>>,
    longest: usize,
}

impl Real {
    /// Llama-3's vocabulary, from the data of the peers' benchmark.
    pub(crate) fn load(shared: &Path) -> Result<Real, Unreadable> {
        let path = shared.join("peerbench/data/vocab.jsonl");
        let data = fs::read(&path).map_err(|error| Unreadable(format!("{}: {error}", path.display())))?;
        let vocab = Vocab::detect_named("vocab.jsonl", &data)
            .map_err(|error| Unreadable(format!("{}: {error}", path.display())))?;
        Ok(Real::new(vocab))
    }

    pub(crate) fn new(vocab: Vocab) -> Real {
        // Of tokens with the same text, the one with the lowest id.
        let mut ids = HashMap::new();
        vocab.text_tokens().for_each(|(id, bytes)| {
            ids.entry(bytes.to_vec()).or_insert(id);
        });
        let longest = ids.keys().map(Vec::len).max().unwrap_or(0);
        Real { compiler: Compiler::new(vocab), ids: Arc::new(ids), longest }
    }

    /// The token with exactly this text.
    pub(crate) fn id(&self, text: &[u8]) -> Option<TokenId> {
        self.ids.get(text).copied()
    }

    /// The longest token that `text` starts with.
    pub(crate) fn longest(&self, text: &[u8]) -> Option<(TokenId, usize)> {
        let most = self.longest.min(text.len());
        (1..=most).rev().find_map(|length| Some((*self.ids.get(&text[..length])?, length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_the_longest_tokens() {
        let tokens = ["a", "ab", "abc", "b"].iter().map(|t| t.as_bytes().to_vec());
        let real = Real::new(Vocab::from_tokens((0..).zip(tokens), &[9]).unwrap());
        assert_eq!(real.longest(b"abd"), Some((1, 2)));
        assert_eq!(real.longest(b"abcd"), Some((2, 3)));
        assert_eq!(real.longest(b"d"), None);
        assert_eq!(real.id(b"b"), Some(3));
    }
}
