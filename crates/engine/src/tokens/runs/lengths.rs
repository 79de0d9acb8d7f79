//! Tokens by their number of characters.

use super::super::trie::{ROOT, Trie};
use super::run::{set, starts_character};
use crate::stored::{Array, Reader, TablesError, Writer};

/// For each number of characters up to some, the mask of the tokens that have at most so many.
pub(super) struct Lengths {
    words: usize,
    masks: Array<u32>,
}

impl Lengths {
    /// Those for up to `most` characters.
    pub(super) fn new(trie: &Trie, words: usize, most: u32) -> Self {
        let mut masks = vec![0; size(words, most)];
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
        Lengths { words, masks: masks.into() }
    }

    /// Adds the array to a file.
    pub(super) fn save<'a>(&'a self, file: &mut Writer<'a>) {
        file.array(&self.masks);
    }

    /// Those of a file.
    pub(super) fn load(file: &mut Reader, words: usize, most: u32) -> Result<Self, TablesError> {
        let masks: Array<u32> = file.array()?;
        if masks.len() != size(words, most) {
            return Err(TablesError::Damaged { what: "the masks by length are too many or too few" });
        }
        Ok(Lengths { words, masks })
    }

    /// The tokens of at most so many characters.
    pub(super) fn at_most(&self, chars: u32) -> &[u32] {
        &self.masks[chars as usize * self.words..][..self.words]
    }

    pub(super) fn bytes_held(&self) -> usize {
        size_of_val(&self.masks[..])
    }
}

/// Words of all masks.
fn size(words: usize, most: u32) -> usize {
    words * (most as usize + 1)
}
