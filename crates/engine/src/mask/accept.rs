//! A set of tokens as the walk found it: shared masks of whole classes, and single ids.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::vocab::TokenId;

/// More ids than this are kept as a mask of their own.
const DENSE: usize = 1_024;

/// See the module documentation.
#[derive(Default, Clone)]
pub(crate) struct Accept {
    masks: SmallVec<[Arc<[u32]>; 1]>,
    ids: Box<[TokenId]>,
}

impl Accept {
    pub(crate) fn new(mut masks: SmallVec<[Arc<[u32]>; 1]>, ids: &[TokenId], words: usize) -> Self {
        if ids.len() <= DENSE {
            return Accept { masks, ids: ids.into() };
        }
        let mut dense = vec![0u32; words];
        set_all(&mut dense, ids);
        masks.push(dense.into());
        Accept { masks, ids: Box::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.masks.is_empty() && self.ids.is_empty()
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.ids.len() * 4 + self.masks.iter().map(|m| m.len() * 4).sum::<usize>()
    }

    /// Writes the union of `sets` over `words`, which may hold anything.
    pub(crate) fn write_union<'a>(sets: impl Iterator<Item = &'a Accept> + Clone, words: &mut [u32]) {
        let mut masks = sets.clone().flat_map(|s| s.masks.iter());
        match masks.next() {
            Some(first) => {
                let n = first.len().min(words.len());
                words[..n].copy_from_slice(&first[..n]);
                words[n..].fill(0);
                masks.for_each(|mask| or_into(words, mask));
            }
            None => words.fill(0),
        }
        sets.for_each(|s| set_all(words, &s.ids));
    }
}

#[inline]
fn set_all(words: &mut [u32], ids: &[TokenId]) {
    for &id in ids {
        if let Some(word) = words.get_mut(id as usize / 32) {
            *word |= 1 << (id % 32);
        }
    }
}

#[inline]
fn or_into(words: &mut [u32], mask: &[u32]) {
    for (word, &bits) in words.iter_mut().zip(mask) {
        *word |= bits;
    }
}
