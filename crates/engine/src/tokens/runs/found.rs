//! The mask of a run while it is put together.

use std::sync::Arc;

use tokenstile_grammar::ir::ByteSet;

use super::super::trie::{Trie, Utf8Place};
use super::super::union;
use super::anchor::Counted;
use super::run::{Run, RunMask, set, starts_character};
use crate::collections::Words;
use crate::tuning::runs::LONG;
use crate::vocab::TokenId;

/// A run's mask while it is put together.
pub(super) struct Found {
    /// Where it will stay: copied once if it begins as another one, and not at all otherwise.
    pub(super) words: Words,
    long: Vec<(u32, TokenId)>,
    longest: u32,
}

impl From<RunMask> for Found {
    fn from(mask: RunMask) -> Self {
        Found { words: mask.mask, long: mask.long.to_vec(), longest: mask.longest }
    }
}

impl Found {
    pub(super) fn new(words: usize) -> Self {
        Found { words: Words::zeros(words), long: Vec::new(), longest: 0 }
    }

    pub(super) fn remove(&mut self, tokens: &[TokenId]) {
        let words = self.words.make_mut();
        tokens.iter().for_each(|&t| words[t as usize / 32] &= !(1 << (t % 32)));
    }

    /// The same for those that some bytes lead to from a node.
    pub(super) fn remove_below(&mut self, trie: &Trie, node: u32, bytes: &ByteSet) {
        let children = bytes.iter().filter_map(|byte| trie.child(node, byte));
        children.for_each(|child| self.remove(trie.subtree(child)));
    }

    /// Adds tokens, sorted by their numbers of characters; `dense` is all of them.
    pub(super) fn add(&mut self, tokens: &[Counted], dense: Option<&[u32]>) {
        let words = self.words.make_mut();
        match dense {
            Some(dense) => union::add(dense, words),
            None => tokens.iter().for_each(|t| set(words, t.token)),
        }
        let long = tokens.iter().rev().take_while(|t| t.chars > LONG);
        self.long.extend(long.map(|t| (t.chars, t.token)));
        self.longest = self.longest.max(tokens.last().map_or(0, |t| t.chars));
    }

    pub(super) fn finish(mut self) -> RunMask {
        // Tokens that were taken out again are still listed.
        let words = &self.words;
        self.long.retain(|t| words[t.1 as usize / 32] >> (t.1 % 32) & 1 == 1);
        self.long.sort_unstable_by(|a, b| b.cmp(a));
        RunMask { mask: self.words, minus: Arc::default(), long: self.long.into(), longest: self.longest }
    }

    /// Adds the tokens below `nodes` whose further bytes are all in the run.
    pub(super) fn add_matching(&mut self, trie: &Trie, nodes: &[u32], run: &Run) {
        let mut todo: Vec<(u32, u32)> = nodes.iter().map(|&n| (n, 1)).collect();
        let allowed = run.rest.ascii.ascii_bits();
        let words = self.words.make_mut();
        while let Some((node, chars)) = todo.pop() {
            let below = trie.below[node as usize];
            let pure = below.ascii & !allowed == 0 && !below.broken && (run.rest.wide || !below.wide);
            if pure && below.boundary && chars + below.chars <= LONG {
                trie.subtree(node).iter().for_each(|&t| set(words, t));
                self.longest = self.longest.max(chars + below.chars);
                continue;
            }
            for &token in trie.own(node) {
                set(words, token);
                self.longest = self.longest.max(chars);
                if chars > LONG {
                    self.long.push((chars, token));
                }
            }
            for child in trie.children(node) {
                let byte = trie.byte[child as usize];
                let fits = if byte < 0x80 { run.rest.ascii.contains(byte) } else { run.rest.wide };
                let broken = trie.utf8[child as usize] == Utf8Place::BROKEN;
                if fits && !broken {
                    todo.push((child, chars + u32::from(starts_character(byte))));
                }
            }
        }
    }
}
