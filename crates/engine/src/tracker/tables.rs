//! What the tracker wants to know of a vocabulary: the tokens that can pass from one entry of a container to the next.

use crate::trie::Trie;
use crate::vocab::{TokenId, Vocab};

use super::SPECIAL;

/// Tokens by what they contain.
pub(crate) struct StructureTables {
    /// A byte that stands for a repetition: never part of a text that is followed.
    pub(crate) special: Vec<TokenId>,
    /// A comma.
    pub(crate) comma: Vec<TokenId>,
    /// A quote, and a comma somewhere behind it.
    pub(crate) quote_comma: Vec<TokenId>,
}

impl StructureTables {
    pub(crate) fn new(vocab: &Vocab, trie: &Trie) -> Self {
        let mut tables = StructureTables { special: Vec::new(), comma: Vec::new(), quote_comma: Vec::new() };
        for (token, bytes) in trie.tokens.iter().filter_map(|&t| Some((t, vocab.bytes(t)?))) {
            if bytes.iter().any(|b| SPECIAL.contains(b)) {
                tables.special.push(token);
                continue;
            }
            let Some(last) = bytes.iter().rposition(|&b| b == b',') else { continue };
            tables.comma.push(token);
            if bytes[..last].contains(&b'"') {
                tables.quote_comma.push(token);
            }
        }
        tables
    }
}
