//! Masks of whole configurations.
//!
//! A mask is the union of a few token sets, one for each frame that a token may leave. They are found once for
//! a configuration, and what they come to is remembered. For those that are asked for again and again, the union itself is
//! kept: a mask is then one copy. Such masks are many times the same, in one constraint and in others, so they are shared
//! by all of a vocabulary.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use smallvec::SmallVec;
use tokenstile_grammar::ir::IdIndex;

use super::store::MaskStore;
use crate::ablate::{Switch, is_off};
use crate::automaton::{StateId, Store};
use crate::collections::{AppendVec, Retired, Words, Writer};
use crate::stack::Config;
use crate::tokens::accept::Union;
use crate::tuning::memory::{FEW, KNOWN, MANY, PLACES, TOKENS, VERY_MANY, WARM};
use crate::vocab::TokenId;

/// A [`Whole`] in the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WholeId(pub(crate) u32);

/// A configuration's token sets.
struct Whole {
    key: Key,
    tokens: Union,
    /// Whether the text may end.
    accepts: bool,
    used: AtomicU32,
    mask: OnceLock<Words>,
    /// Where some tokens lead from some of its configurations.
    next: RwLock<Vec<Next>>,
}

/// Where a token leads from a configuration.
struct Next {
    token: TokenId,
    from: Key,
    to: Config,
}

impl Next {
    fn is(&self, token: TokenId, from: &Config) -> bool {
        self.token == token
            && self.from.len() == from.len()
            && self.from.iter().zip(from).all(|(known, head)| *known == (head.0, head.1.key))
    }
}

/// All configurations whose token sets are known.
pub(crate) struct Wholes {
    list: AppendVec<Whole>,
    index: RwLock<Index>,
}

#[derive(Default)]
struct Index {
    numbers: IdIndex<u32>,
    writer: Writer,
}

impl Wholes {
    pub(crate) fn new() -> Self {
        let index = Index::default();
        Wholes { list: AppendVec::new(&index.writer), index: RwLock::new(index) }
    }

    /// Hands over what takes long to drop.
    pub(super) fn retire(self, retired: &mut Retired) {
        retired.add(self.list);
    }

    fn find(&self, key: &[(StateId, u128)]) -> Option<WholeId> {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        index.numbers.find(hash_of(key), |at| self.get(WholeId(at)).key[..] == *key).map(WholeId)
    }

    fn get(&self, id: WholeId) -> &Whole {
        self.list.get(id.0 as usize)
    }

    /// Keeps what was worked out for a configuration.
    fn add(&self, key: &[(StateId, u128)], (tokens, accepts): (Union, bool)) -> WholeId {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        let hash = hash_of(key);
        if let Some(known) = index.numbers.find(hash, |at| self.get(WholeId(at)).key[..] == *key) {
            return WholeId(known);
        }
        let whole = Whole {
            key: key.into(),
            tokens,
            accepts,
            used: AtomicU32::new(0),
            mask: OnceLock::new(),
            next: RwLock::new(Vec::new()),
        };
        let at = self.list.push(whole, &mut index.writer);
        index.numbers.insert(hash, at as u32);
        WholeId(at as u32)
    }
}

/// What tells configurations apart whose masks may differ: their states and stacks as far as one token can tell. Counts that
/// run along make no difference.
type Key = SmallVec<[(StateId, u128); 1]>;

/// What is found of the key of a configuration.
#[inline]
fn with_key<T>(store: &Store, config: &Config, find: impl FnOnce(&[(StateId, u128)]) -> T) -> T {
    if let [(state, stack)] = &config[..] {
        return find(&[(store.clamped(*state), stack.seen(store))]);
    }
    let mut key: SmallVec<[(StateId, u128); 4]> =
        config.iter().map(|(state, stack)| (store.clamped(*state), stack.seen(store))).collect();
    key.sort_unstable();
    key.dedup();
    find(&key)
}

fn hash_of(key: &[(StateId, u128)]) -> u64 {
    // The keys of stacks are hashes already.
    key.iter().fold(0u64, |hash, (state, stack)| {
        let state = u64::from(state.0).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash ^ *stack as u64 ^ state).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29)
    })
}

/// A mask, and the tokens that it was made for.
struct KeptMask {
    tokens: Union,
    mask: Words,
}

/// A place for a mask.
type Place = RwLock<Option<KeptMask>>;

/// The mask of these tokens, if it was kept in their place.
fn find(place: &Place, tokens: &Union) -> Option<Words> {
    let place = place.read().unwrap_or_else(PoisonError::into_inner);
    place.as_ref().filter(|known| known.tokens.is_same(tokens)).map(|known| known.mask.clone())
}

/// The masks that are kept for all constraints of a vocabulary, each in a place that its tokens tell.
pub(crate) struct Kept {
    words: usize,
    places: Box<[Place]>,
}

impl Kept {
    pub(crate) fn new(words: usize) -> Self {
        Kept { words, places: (0..PLACES).map(|_| RwLock::new(None)).collect() }
    }

    /// Where the mask of these tokens is kept, if it is.
    fn place(&self, tokens: &Union) -> &Place {
        &self.places[tokens.fingerprint() as usize % PLACES]
    }

    /// Keeps the mask of these tokens, which is `words`.
    #[inline(never)] // once for a mask
    fn keep(&self, store: &Store, place: &Place, tokens: &Union, words: &[u32]) -> Words {
        let mask = Words::from(&words[..self.words.min(words.len())]);
        store.add_bytes(size_of_val(&*mask));
        let mut place = place.write().unwrap_or_else(PoisonError::into_inner);
        *place = Some(KeptMask { tokens: tokens.clone(), mask: mask.clone() });
        mask
    }
}

impl MaskStore {
    /// What is known of a configuration.
    pub(crate) fn whole(&self, store: &Store, config: &Config) -> Option<WholeId> {
        if is_off(Switch::ConfigurationMemo) {
            return None;
        }
        with_key(store, config, |key| self.wholes.find(key))
    }

    /// Writes the mask of a configuration; says whether the text may end there.
    pub(crate) fn write(&self, store: &Store, kept: &Kept, id: WholeId, words: &mut [u32]) -> bool {
        let whole = self.wholes.get(id);
        if let Some(mask) = whole.mask.get() {
            copy(mask, words);
            return whole.accepts;
        }
        whole.tokens.write(words);
        if is_off(Switch::KeptMasks) {
            return whole.accepts;
        }
        // Counted as long as it matters: a count is a word that all threads write.
        let used = match whole.used.load(Ordering::Relaxed) {
            used if used > WARM => used,
            _ => whole.used.fetch_add(1, Ordering::Relaxed),
        };
        let due = if whole.tokens.singles() > VERY_MANY { 0 } else { WARM };
        if used == due && whole.tokens.is_worth_keeping(FEW)
            || used == KNOWN && whole.tokens.is_worth_keeping(MANY)
        {
            let place = kept.place(&whole.tokens);
            let known = if is_off(Switch::KeptElsewhere) { None } else { find(place, &whole.tokens) };
            let mask = match known {
                None if used == due => Some(kept.keep(store, place, &whole.tokens, words)),
                known => known,
            };
            mask.map(|mask| whole.mask.set(mask));
        }
        whole.accepts
    }

    /// Where a token leads from a configuration, if that was asked before.
    pub(crate) fn known_next(&self, id: WholeId, from: &Config, token: TokenId) -> Option<Config> {
        if is_off(Switch::CommitMemo) {
            return None;
        }
        let next = self.wholes.get(id).next.read().unwrap_or_else(PoisonError::into_inner);
        next.iter().find(|known| known.is(token, from)).map(|known| known.to.clone())
    }

    /// Remembers where a token leads from a configuration. What goes on with a string or the like, whatever counts run along,
    /// is found as fast as it would be looked up; then it has the same masks, which is what is said.
    pub(crate) fn remember_next(
        &self,
        store: &Store,
        id: WholeId,
        (from, to): (&Config, &Config),
        token: TokenId,
    ) -> Option<WholeId> {
        let whole = self.wholes.get(id);
        if with_key(store, to, |key| *key == whole.key[..]) {
            return Some(id);
        }
        let mut next = whole.next.write().unwrap_or_else(PoisonError::into_inner);
        if next.len() < TOKENS && !next.iter().any(|known| known.is(token, from)) {
            store.add_bytes(size_of::<Next>() + 128);
            let key = from.iter().map(|(state, stack)| (*state, stack.key)).collect();
            next.push(Next { token, from: key, to: to.clone() });
        }
        None
    }

    /// Remembers the tokens of a configuration, and whether the text may end there.
    pub(crate) fn remember(
        &self,
        store: &Store,
        config: &Config,
        (tokens, accepts): (Union, bool),
    ) -> WholeId {
        store.add_bytes(size_of::<Whole>() + 16);
        with_key(store, config, |key| self.wholes.add(key, (tokens, accepts)))
    }
}

fn copy(mask: &[u32], words: &mut [u32]) {
    let n = mask.len().min(words.len());
    let (words, past) = words.split_at_mut(n);
    words.copy_from_slice(&mask[..n]);
    if !past.is_empty() {
        past.fill(0);
    }
}
