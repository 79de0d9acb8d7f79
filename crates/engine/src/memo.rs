//! What was found out once for a few keys, kept in order.

use std::sync::{PoisonError, RwLock};

/// See the module documentation.
pub(crate) struct Memo<K, V>(RwLock<Vec<(K, V)>>);

impl<K: Copy + Ord, V: Copy> Memo<K, V> {
    pub(crate) const fn new() -> Self {
        Memo(RwLock::new(Vec::new()))
    }

    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<V> {
        let list = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if list.len() <= 8 {
            return list.iter().find(|e| e.0 == key).map(|e| e.1);
        }
        list.binary_search_by_key(&key, |e| e.0).ok().map(|i| list[i].1)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn insert(&self, key: K, value: V) {
        let mut list = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Err(at) = list.binary_search_by_key(&key, |e| e.0) {
            list.insert(at, (key, value));
        }
    }
}
