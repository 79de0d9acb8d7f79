//! Tokens by their number of characters.

use super::found::set;
use crate::trie::{ROOT, Trie};

/// For each number of characters up to some, the mask of the tokens that have at most so many.
pub(super) struct Lengths {
    words: usize,
    masks: Vec<u32>,
}

impl Lengths {
    /// Those for up to `most` characters.
    pub(super) fn new(trie: &Trie, words: usize, most: u32) -> Self {
        let mut masks = vec![0; words * (most as usize + 1)];
        let mut chars = vec![0u32; trie.nodes.len()];
        for node in (ROOT + 1)..trie.nodes.len() as u32 {
            let above = chars[trie.parent[node as usize] as usize];
            let here = above + u32::from(starts_character(trie.byte[node as usize]));
            chars[node as usize] = here;
            if here <= most {
                let mask = &mut masks[here as usize * words..][..words];
                trie.own(node).iter().for_each(|&token| set(mask, token));
            }
        }
        for at in words..masks.len() {
            masks[at] |= masks[at - words];
        }
        Lengths { words, masks }
    }

    /// The tokens of at most so many characters.
    pub(super) fn at_most(&self, chars: u32) -> &[u32] {
        &self.masks[chars as usize * self.words..][..self.words]
    }

    pub(super) fn bytes_held(&self) -> usize {
        size_of_val(&self.masks[..])
    }
}

/// Whether a byte of well-formed text starts a character.
pub(super) fn starts_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}
