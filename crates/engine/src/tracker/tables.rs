//! What the tracker wants to know of a vocabulary: the tokens that can pass from one entry of a container to the next.

use crate::trie::{ROOT, Trie};
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
    /// A comma, a quote right behind it, and another one: maybe a whole key, and not the first of its object.
    pub(crate) further_keys: Vec<TokenId>,
    /// The places in the trie where a string has just begun, with nothing but white space before it.
    pub(crate) openings: Vec<u32>,
}

impl StructureTables {
    pub(crate) fn new(vocab: &Vocab, trie: &Trie) -> Self {
        let mut tables = StructureTables {
            special: Vec::new(),
            comma: Vec::new(),
            quote_comma: Vec::new(),
            further_keys: Vec::new(),
            openings: openings(trie),
        };
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
            if has_further_key(bytes) {
                tables.further_keys.push(token);
            }
        }
        tables
    }
}

fn has_further_key(bytes: &[u8]) -> bool {
    let commas = bytes.iter().enumerate().filter(|(_, b)| **b == b',');
    let mut behind = commas.map(|(at, _)| bytes[at + 1..].trim_ascii_start());
    behind.any(|rest| rest.first() == Some(&b'"') && rest[1..].contains(&b'"'))
}

fn openings(trie: &Trie) -> Vec<u32> {
    let (mut blank, mut openings) = (vec![ROOT], Vec::new());
    while let Some(node) = blank.pop() {
        for child in trie.children(node) {
            match trie.byte[child as usize] {
                b'"' => openings.push(child),
                b' ' | b'\t' | b'\n' | b'\r' => blank.push(child),
                _ => {}
            }
        }
    }
    openings
}
