//! Builds the tables of an anchor: one walk over everything below it.

use rustc_hash::FxHashMap;

use super::super::trie::{Trie, Utf8Place};
use super::anchor::{Counted, Entry, Group};
use super::kinds::{BROKEN, WORD_BYTES, kind_of};
use super::run::{set, starts_character};
use crate::tuning::runs::DENSE_GROUP;
use crate::vocab::TokenId;

/// The arrays of an [`Anchor`](super::Anchor).
pub(super) struct Collected {
    pub(super) groups: Vec<Group>,
    pub(super) tokens: Vec<Counted>,
    pub(super) dense: Vec<u32>,
    pub(super) held: Vec<TokenId>,
    pub(super) held_starts: Vec<u32>,
    pub(super) entries: Vec<Entry>,
    pub(super) starts: Vec<u32>,
}

/// What lies between the anchor and a node.
#[derive(Clone, Copy)]
struct Path {
    ascii: u128,
    rest: u128,
    first: u8,
    chars: u32,
    wide: bool,
}

/// What the walk has found.
struct Walk {
    /// By the kind of the first character and the kinds of the others.
    groups: FxHashMap<(u128, u128), Vec<Counted>>,
    holders: [Vec<TokenId>; 128],
    /// With the byte that leads there.
    entries: Vec<(u8, Entry)>,
    todo: Vec<(u32, Path)>,
}

impl Collected {
    pub(super) fn new(trie: &Trie, node: u32, words: usize) -> Self {
        let Walk { groups, holders, mut entries, .. } = Walk::over(trie, node);
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable_by_key(|g| g.0);
        let mut all = Collected {
            groups: Vec::new(),
            tokens: Vec::new(),
            dense: Vec::new(),
            held: Vec::new(),
            held_starts: vec![0],
            entries: Vec::new(),
            starts: Vec::new(),
        };
        for ((first, rest), tokens) in groups {
            all.add_group(first, rest, tokens, words);
        }
        for tokens in holders {
            all.held.extend(tokens);
            all.held_starts.push(all.held.len() as u32);
        }
        entries.sort_unstable_by_key(|e| (e.0, e.1.first, e.1.node));
        let start = |byte: usize| entries.partition_point(|e| (e.0 as usize) < byte) as u32;
        all.starts = (0..=256).map(start).collect();
        all.entries = entries.into_iter().map(|e| e.1).collect();
        all
    }

    fn add_group(&mut self, first: u128, rest: u128, mut tokens: Vec<Counted>, words: usize) {
        tokens.sort_unstable();
        let start = self.tokens.len() as u32;
        let mut dense = 0;
        if tokens.len() > DENSE_GROUP {
            let at = self.dense.len();
            self.dense.resize(at + words, 0);
            tokens.iter().for_each(|t| set(&mut self.dense[at..], t.token));
            dense = (self.dense.len() / words) as u32;
        }
        self.tokens.extend(tokens);
        self.groups.push(Group::new(first, rest, start..self.tokens.len() as u32, dense));
    }
}

impl Walk {
    fn over(trie: &Trie, node: u32) -> Self {
        let mut walk = Walk {
            groups: FxHashMap::default(),
            holders: [const { Vec::new() }; 128],
            entries: Vec::new(),
            todo: Vec::new(),
        };
        for child in trie.children(node) {
            let byte = trie.byte[child as usize];
            let broken = matches!(trie.utf8[child as usize], Utf8Place::BROKEN | Utf8Place::LEADING);
            let rest = if broken { BROKEN } else { 0 };
            walk.todo.push((child, Path { ascii: 0, rest, first: byte, chars: 1, wide: byte >= 0x80 }));
        }
        while let Some((node, path)) = walk.todo.pop() {
            walk.visit(trie, node, path);
        }
        walk
    }

    fn visit(&mut self, trie: &Trie, node: u32, path: Path) {
        let tokens = trie.own(node);
        if !tokens.is_empty() {
            let group = self.groups.entry((kind_of(path.first), path.rest)).or_default();
            group.extend(tokens.iter().map(|&token| Counted { chars: path.chars, token }));
            let kept = WORD_BYTES & path.ascii;
            for byte in (0..128).filter(|byte| kept >> byte & 1 == 1) {
                self.holders[byte].extend_from_slice(tokens);
            }
        }
        let boundary = trie.utf8[node as usize] == Utf8Place::BOUNDARY && path.rest & BROKEN == 0;
        for child in trie.children(node) {
            let byte = trie.byte[child as usize];
            if boundary {
                self.entries.push((byte, Entry::new(child, path.chars, path.first, path.ascii, path.wide)));
            }
            // A character past ASCII is one character, however many bytes it has.
            let in_first = !boundary && path.chars == 1 && path.first >= 0x80;
            let broken = trie.utf8[child as usize] == Utf8Place::BROKEN;
            let below = Path {
                ascii: path.ascii | if byte < 0x80 { 1 << byte } else { 0 },
                rest: path.rest | if in_first { 0 } else { kind_of(byte) } | if broken { BROKEN } else { 0 },
                chars: path.chars + u32::from(starts_character(byte)),
                wide: path.wide || byte >= 0x80,
                first: path.first,
            };
            self.todo.push((child, below));
        }
    }
}
