//! What is remembered by key, and how often that was of use.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// What a memo holds and has done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoStats {
    /// What it remembers.
    pub name: &'static str,
    /// How many results.
    pub entries: usize,
    /// Bytes of its table, roughly. What the results refer to is not counted here.
    pub bytes: usize,
    /// How often a result was asked for and there. Each entry was asked for once when it was not.
    pub hits: u64,
}

/// Results by key. It grows for as long as its owner lives, which counts its bytes and is given up as a whole.
pub(crate) struct Table<K, V> {
    results: FxHashMap<K, V>,
    hits: AtomicU64,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Table { results: FxHashMap::default(), hits: AtomicU64::new(0) }
    }
}

impl<K: Eq + Hash, V> Table<K, V> {
    /// What one entry takes.
    pub(crate) const ENTRY: usize = size_of::<(K, V)>() + 8;

    #[inline]
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let known = self.results.get(key)?;
        // No more than a hint: threads that ask at the same time may be counted as one.
        self.hits.store(self.hits.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        Some(known)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.results.insert(key, value);
    }

    pub(crate) fn stats(&self, name: &'static str) -> MemoStats {
        let entries = self.results.len();
        MemoStats { name, entries, bytes: entries * Self::ENTRY, hits: self.hits.load(Ordering::Relaxed) }
    }
}

/// The same for several threads.
pub(crate) struct Keyed<K, V>(RwLock<Table<K, V>>);

impl<K, V> Default for Keyed<K, V> {
    fn default() -> Self {
        Keyed(RwLock::default())
    }
}

impl<K: Eq + Hash, V: Clone> Keyed<K, V> {
    #[inline]
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Remembers a result, unless another thread was sooner; the one that is remembered. `count` is told how many bytes
    /// that takes.
    pub(crate) fn insert(&self, key: K, value: V, count: impl FnOnce(usize)) -> V {
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        table
            .results
            .entry(key)
            .or_insert_with(|| {
                count(Table::<K, V>::ENTRY);
                value
            })
            .clone()
    }

    pub(crate) fn stats(&self, name: &'static str) -> MemoStats {
        self.0.read().unwrap_or_else(PoisonError::into_inner).stats(name)
    }
}
