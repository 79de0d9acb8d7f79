//! For each character past ASCII, the tokens that have it.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::stored::{Array, Reader, TablesError, Writer};
use crate::trie::{ROOT, Trie, Utf8Place};
use crate::vocab::TokenId;

/// See the module documentation.
pub(super) struct ByChar {
    /// The characters, in ascending order.
    chars: Array<u32>,
    /// Where the tokens of each start; one more at the end.
    starts: Array<u32>,
    tokens: Array<TokenId>,
}

impl ByChar {
    pub(super) fn new(trie: &Trie) -> Self {
        let mut found: Vec<(char, Vec<TokenId>)> = collect(trie).into_iter().collect();
        found.sort_unstable_by_key(|(c, _)| *c);
        let (mut starts, mut tokens) = (vec![0], Vec::new());
        for (_, list) in &mut found {
            list.sort_unstable();
            list.dedup();
            tokens.extend_from_slice(list);
            starts.push(tokens.len() as u32);
        }
        let chars: Vec<u32> = found.iter().map(|(c, _)| u32::from(*c)).collect();
        ByChar { chars: chars.into(), starts: starts.into(), tokens: tokens.into() }
    }

    /// The tokens that have a character.
    pub(super) fn tokens(&self, c: char) -> &[TokenId] {
        match self.chars.binary_search(&u32::from(c)) {
            Ok(at) => &self.tokens[self.starts[at] as usize..self.starts[at + 1] as usize],
            Err(_) => &[],
        }
    }

    pub(super) fn save<'a>(&'a self, file: &mut Writer<'a>) {
        file.array(&self.chars);
        file.array(&self.starts);
        file.array(&self.tokens);
    }

    pub(super) fn load(file: &mut Reader, words: usize) -> Result<Self, TablesError> {
        let list = ByChar { chars: file.array()?, starts: file.array()?, tokens: file.array()? };
        let sound = list.chars.is_sorted_by(|a, b| a < b)
            && list.starts.len() == list.chars.len() + 1
            && list.starts.is_sorted()
            && list.starts.last().is_some_and(|&end| end as usize <= list.tokens.len())
            && list.tokens.iter().all(|&token| (token as usize / 32) < words);
        if sound { Ok(list) } else { Err(TablesError::Damaged { what: "the list of characters is none" }) }
    }

    pub(super) fn bytes_held(&self) -> usize {
        size_of_val(&*self.chars) + size_of_val(&*self.starts) + size_of_val(&*self.tokens)
    }
}

fn collect(trie: &Trie) -> FxHashMap<char, Vec<TokenId>> {
    let mut found: FxHashMap<char, Vec<TokenId>> = FxHashMap::default();
    // Whoever has a character has a node at which it is complete; all tokens below have it, too.
    let wide = (1..trie.nodes.len() as u32).filter(|&node| trie.byte[node as usize] & 0xC0 == 0x80);
    for node in wide.filter(|&node| trie.utf8[node as usize] == Utf8Place::BOUNDARY) {
        let mut bytes: SmallVec<[u8; 4]> = SmallVec::new();
        let mut at = node;
        while bytes.last().is_none_or(|byte| byte & 0xC0 == 0x80) && at != ROOT {
            bytes.push(trie.byte[at as usize]);
            at = trie.parent[at as usize];
        }
        bytes.reverse();
        if let Some(c) = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            found.entry(c).or_default().extend_from_slice(trie.subtree(node));
        }
    }
    found
}
