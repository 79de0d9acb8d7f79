//! What the tracker wants to know of a vocabulary: the tokens that can pass from one entry of a container to the next.

use super::special::SPECIAL;
use crate::stored::{Array, Reader, TablesError, Writer};
use crate::tokens::trie::{ROOT, Trie};
use crate::vocab::{TokenId, Vocab};

/// Tokens by what they contain.
pub(crate) struct StructureTables {
    /// A byte that stands for a repetition: never part of a text that is followed.
    pub(crate) special: Array<TokenId>,
    /// A comma.
    pub(crate) comma: Array<TokenId>,
    /// A quote, and a comma somewhere behind it.
    pub(crate) quote_comma: Array<TokenId>,
    /// A comma, a quote right behind it, and another one: maybe a whole key, and not the first of its object.
    pub(crate) further_keys: Array<TokenId>,
    /// The places in the trie where a string has just begun, with nothing but white space before it.
    pub(crate) openings: Array<u32>,
}

impl StructureTables {
    pub(crate) fn new(vocab: &Vocab, trie: &Trie) -> Self {
        let [mut special, mut comma, mut quote_comma, mut further_keys] = [const { Vec::new() }; 4];
        for (token, bytes) in trie.tokens.iter().filter_map(|&t| Some((t, vocab.bytes(t)?))) {
            if bytes.iter().any(|b| SPECIAL.contains(b)) {
                special.push(token);
                continue;
            }
            let Some(last) = bytes.iter().rposition(|&b| b == b',') else { continue };
            comma.push(token);
            if bytes[..last].contains(&b'"') {
                quote_comma.push(token);
            }
            if has_further_key(bytes) {
                further_keys.push(token);
            }
        }
        StructureTables {
            special: special.into(),
            comma: comma.into(),
            quote_comma: quote_comma.into(),
            further_keys: further_keys.into(),
            openings: openings(trie).into(),
        }
    }

    /// Adds the lists to a file.
    pub(crate) fn save<'a>(&'a self, file: &mut Writer<'a>) {
        let lists = [&self.special, &self.comma, &self.quote_comma, &self.further_keys, &self.openings];
        lists.into_iter().for_each(|list| file.array(list));
    }

    /// The lists that are in a file.
    pub(crate) fn load(file: &mut Reader, vocab: &Vocab, trie: &Trie) -> Result<Self, TablesError> {
        let tables = StructureTables {
            special: file.array()?,
            comma: file.array()?,
            quote_comma: file.array()?,
            further_keys: file.array()?,
            openings: file.array()?,
        };
        let lists = [&tables.special, &tables.comma, &tables.quote_comma, &tables.further_keys];
        let tokens = lists.into_iter().flatten().all(|&token| vocab.bytes(token).is_some());
        if !tokens || !tables.openings.iter().all(|&node| (node as usize) < trie.nodes.len()) {
            return Err(TablesError::Damaged { what: "the tokens of JSON's structure are none" });
        }
        Ok(tables)
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
