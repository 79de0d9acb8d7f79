//! A set of tokens as the walk found it: shared masks of whole classes, and single ids.

use std::sync::Arc;

use smallvec::SmallVec;

use super::trie::Ids;
use super::union;
use crate::ablate::{Switch, is_off};
use crate::collections::Words;
use crate::tuning::accept::MASKS;
use crate::vocab::TokenId;

/// See the module documentation.
#[derive(Default, Clone)]
pub(crate) struct Accept {
    masks: SmallVec<[Shared; 1]>,
    ids: Arc<[TokenId]>,
}

/// A mask that others use too, less a few tokens.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) mask: Words,
    pub(crate) minus: Arc<[TokenId]>,
}

impl Accept {
    /// The union of `masks` and `ids`, as a mask of its own if there are many masks, or more than `dense` ids.
    pub(crate) fn new(
        mut masks: SmallVec<[Shared; 1]>,
        ids: &[TokenId],
        (words, dense): (usize, usize),
    ) -> Self {
        let (is_dense, are_many) = (ids.len() > dense, masks.len() > MASKS);
        if (!is_dense || is_off(Switch::DenseSets)) && (!are_many || is_off(Switch::MergedMasks)) {
            return Accept { masks, ids: shared(ids) };
        }
        let mut all = Words::zeros(words);
        let mask = all.make_mut();
        write_masks(&masks, mask);
        set_all(mask, ids);
        masks.clear();
        masks.push(Shared { mask: all, minus: Arc::default() });
        Accept { masks, ids: Arc::default() }
    }

    /// Adds these tokens to masks and ids that are being collected.
    pub(crate) fn add_to(&self, masks: &mut SmallVec<[Shared; 1]>, ids: &mut Ids) {
        masks.extend(self.masks.iter().cloned());
        ids.extend_from_slice(&self.ids);
    }

    /// Whether these are single tokens, and the other is the same list of them.
    #[inline]
    pub(crate) fn is_same(&self, other: &Accept) -> bool {
        self.masks.is_empty() && other.masks.is_empty() && Arc::ptr_eq(&self.ids, &other.ids)
    }

    /// The same but for some tokens, and a way to tell whether one is among them.
    pub(crate) fn without(&self, tokens: &[TokenId], is_among: impl Fn(TokenId) -> bool) -> Accept {
        let masks = self.masks.iter().map(|shared| {
            let Shared { mask, minus } = shared;
            let more = tokens.iter().copied().filter(|&id| shared.has(id));
            Shared { mask: mask.clone(), minus: minus.iter().copied().chain(more).collect() }
        });
        let masks = masks.collect();
        if !self.ids.iter().any(|&id| is_among(id)) {
            return Accept { masks, ids: self.ids.clone() };
        }
        let ids: Ids = self.ids.iter().copied().filter(|&id| !is_among(id)).collect();
        Accept { masks, ids: shared(&ids) }
    }

    /// Those of these tokens that are of a kind, to ask for many of that kind.
    pub(crate) fn among(&self, is_of_kind: impl Fn(TokenId) -> bool) -> Among<'_> {
        let mut ids: SmallVec<[TokenId; 8]> = self.ids.iter().copied().filter(|&id| is_of_kind(id)).collect();
        ids.sort_unstable();
        Among { masks: &self.masks, ids }
    }

    /// One of the tokens, if there are any.
    pub(crate) fn first(&self) -> Option<TokenId> {
        let in_mask = || {
            let (at, word) =
                self.masks.iter().flat_map(|m| m.mask.iter().enumerate()).find(|(_, w)| **w != 0)?;
            Some(at as TokenId * 32 + word.trailing_zeros())
        };
        self.ids.first().copied().or_else(in_mask)
    }

    /// The one token, if there are no others.
    pub(crate) fn only(&self) -> Option<TokenId> {
        match self.ids[..] {
            [id] if self.masks.is_empty() => Some(id),
            _ => None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.masks.is_empty() && self.ids.is_empty()
    }

    /// Bytes that are held by these tokens alone, right after they were found: a mask that others have is theirs.
    pub(crate) fn bytes(&self) -> usize {
        let own = self.masks.iter().filter(|shared| shared.mask.is_alone());
        size_of::<Self>()
            + self.ids.len() * 4
            + own.map(|shared| size_of_val(&*shared.mask)).sum::<usize>()
            + self.masks.iter().map(|shared| size_of_val(&*shared.minus)).sum::<usize>()
    }
}

/// Tokens of one kind in a set, of which those in no mask were looked for.
pub(crate) struct Among<'a> {
    masks: &'a [Shared],
    /// Sorted.
    ids: SmallVec<[TokenId; 8]>,
}

impl Among<'_> {
    /// Whether a token of that kind is in the set.
    pub(crate) fn has(&self, id: TokenId) -> bool {
        self.masks.iter().any(|shared| shared.has(id)) || self.ids.binary_search(&id).is_ok()
    }
}

/// All tokens of some sets, whose parts it shares.
#[derive(Default, Clone)]
pub(crate) struct Union {
    masks: SmallVec<[Shared; 1]>,
    ids: SmallVec<[Arc<[TokenId]>; 3]>,
}

impl Union {
    pub(crate) fn of(sets: &[&Accept]) -> Self {
        let ids = sets.iter().map(|set| &set.ids).filter(|ids| !ids.is_empty());
        Union {
            masks: sets.iter().flat_map(|set| set.masks.iter().cloned()).collect(),
            ids: ids.cloned().collect(),
        }
    }

    /// Writes these tokens over `words`, which may hold anything.
    pub(crate) fn write(&self, words: &mut [u32]) {
        write_masks(&self.masks, words);
        self.ids.iter().for_each(|ids| set_all(words, ids));
    }

    /// Whether it takes more than a copy, and more than so many single tokens, to write them.
    pub(crate) fn is_worth_keeping(&self, many: usize) -> bool {
        self.masks.len() > 1 || self.singles() > many
    }

    /// How many tokens are set or cleared one by one.
    pub(crate) fn singles(&self) -> usize {
        let minus = self.masks.iter().map(|shared| shared.minus.len());
        self.ids.iter().map(|ids| ids.len()).chain(minus).sum()
    }

    /// Whether the other is made of the same parts.
    pub(crate) fn is_same(&self, other: &Union) -> bool {
        let same = |(a, b): (&Shared, &Shared)| a.mask.is_same(&b.mask) && a.minus == b.minus;
        self.ids == other.ids
            && self.masks.len() == other.masks.len()
            && self.masks.iter().zip(&other.masks).all(same)
    }

    /// A hash of the parts, in which four ids at a time do not wait for each other.
    pub(crate) fn fingerprint(&self) -> u64 {
        const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut lanes = [self.ids.len() as u64; 4];
        for ids in self.ids.iter().flat_map(|ids| ids.chunks(4)) {
            for (lane, &id) in lanes.iter_mut().zip(ids) {
                *lane = (*lane ^ u64::from(id)).wrapping_mul(MIX).rotate_left(23);
            }
        }
        let masks = self.masks.iter().map(|shared| shared.mask.as_ptr() as u64 ^ shared.minus.len() as u64);
        lanes
            .into_iter()
            .chain(masks)
            .fold(0u64, |hash, part| (hash ^ part).wrapping_mul(MIX).rotate_left(29))
    }
}

/// Writes the union of masks over `words`, which may hold anything.
fn write_masks(masks: &[Shared], words: &mut [u32]) {
    let plain = masks.iter().filter(|shared| shared.minus.is_empty());
    let plain: SmallVec<[&[u32]; 4]> = plain.map(|shared| &*shared.mask).collect();
    // Those that lack some tokens come one by one; one of them first, if there are no others.
    let mut lacking = masks.iter().filter(|shared| !shared.minus.is_empty());
    match if plain.is_empty() { lacking.next() } else { None } {
        Some(Shared { mask, minus }) => {
            union::write(&[mask], words);
            clear_all(words, minus.iter().copied());
        }
        None => union::write(&plain, words),
    }
    lacking.for_each(|shared| shared.or_into(words));
}

/// Ids in memory of their own; none take none.
fn shared(ids: &[TokenId]) -> Arc<[TokenId]> {
    if ids.is_empty() { Arc::default() } else { ids.into() }
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
fn clear_all(words: &mut [u32], ids: impl Iterator<Item = TokenId>) {
    for id in ids {
        if let Some(word) = words.get_mut(id as usize / 32) {
            *word &= !(1 << (id % 32));
        }
    }
}

impl Shared {
    fn has(&self, id: TokenId) -> bool {
        let word = self.mask.get(id as usize / 32);
        word.is_some_and(|word| word >> (id % 32) & 1 == 1) && !self.minus.contains(&id)
    }

    #[inline]
    fn or_into(&self, words: &mut [u32]) {
        // What this mask does not really have must not be taken from it, nor from the words.
        let has =
            |words: &[u32], id: TokenId| words.get(id as usize / 32).is_some_and(|w| w >> (id % 32) & 1 == 1);
        let absent: SmallVec<[TokenId; 32]> =
            self.minus.iter().copied().filter(|&id| !has(words, id)).collect();
        union::add(&self.mask, words);
        clear_all(words, absent.into_iter());
    }
}
