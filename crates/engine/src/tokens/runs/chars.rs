//! For each character past ASCII, where it is in the trie.

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::CharSet;

use super::super::trie::{Trie, Utf8Place};
use crate::stored::{Array, Reader, TablesError, Writer};

/// See the module documentation.
pub(super) struct ByChar {
    /// The characters, in ascending order.
    chars: Array<u32>,
    /// Where the nodes of each start; one more at the end.
    starts: Array<u32>,
    /// The nodes at which they are complete.
    nodes: Array<u32>,
}

impl Default for ByChar {
    /// Without any character.
    fn default() -> Self {
        ByChar { chars: Vec::new().into(), starts: vec![0].into(), nodes: Vec::new().into() }
    }
}

impl ByChar {
    pub(super) fn new(trie: &Trie) -> Self {
        let mut found: Vec<(char, Vec<u32>)> = collect(trie).into_iter().collect();
        found.sort_unstable_by_key(|(c, _)| *c);
        let (mut starts, mut nodes) = (vec![0], Vec::new());
        for (_, list) in &found {
            nodes.extend_from_slice(list);
            starts.push(nodes.len() as u32);
        }
        let chars: Vec<u32> = found.iter().map(|(c, _)| u32::from(*c)).collect();
        ByChar { chars: chars.into(), starts: starts.into(), nodes: nodes.into() }
    }

    /// The nodes at which a character is complete. All tokens below have it.
    pub(super) fn nodes(&self, c: char) -> &[u32] {
        match self.chars.binary_search(&u32::from(c)) {
            Ok(at) => &self.nodes[self.starts[at] as usize..self.starts[at + 1] as usize],
            Err(_) => &[],
        }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The same as [`nodes`](Self::nodes) for all characters of a set.
    pub(super) fn nodes_of(&self, set: &CharSet) -> impl Iterator<Item = &[u32]> {
        set.ranges().iter().map(|&(first, last)| {
            let start = self.chars.partition_point(|&c| c < first);
            let end = start + self.chars[start..].partition_point(|&c| c <= last);
            &self.nodes[self.starts[start] as usize..self.starts[end] as usize]
        })
    }

    pub(super) fn save<'a>(&'a self, file: &mut Writer<'a>) {
        file.array(&self.chars);
        file.array(&self.starts);
        file.array(&self.nodes);
    }

    pub(super) fn load(file: &mut Reader, trie: &Trie) -> Result<Self, TablesError> {
        let list = ByChar { chars: file.array()?, starts: file.array()?, nodes: file.array()? };
        let sound = list.chars.is_sorted_by(|a, b| a < b)
            && list.starts.len() == list.chars.len() + 1
            && list.starts.is_sorted()
            && list.starts.last().is_some_and(|&end| end as usize <= list.nodes.len())
            && list.nodes.iter().all(|&node| (node as usize) < trie.nodes.len());
        if sound { Ok(list) } else { Err(TablesError::Damaged { what: "the list of characters is none" }) }
    }

    pub(super) fn bytes_held(&self) -> usize {
        size_of_val(&*self.chars) + size_of_val(&*self.starts) + size_of_val(&*self.nodes)
    }
}

fn collect(trie: &Trie) -> FxHashMap<char, Vec<u32>> {
    let mut found: FxHashMap<char, Vec<u32>> = FxHashMap::default();
    let wide = (1..trie.nodes.len() as u32).filter(|&node| trie.byte[node as usize] & 0xC0 == 0x80);
    for node in wide.filter(|&node| trie.utf8[node as usize] == Utf8Place::BOUNDARY) {
        if let Some(c) = std::str::from_utf8(&trie.in_char(node)).ok().and_then(|text| text.chars().next()) {
            found.entry(c).or_default().push(node);
        }
    }
    found
}
