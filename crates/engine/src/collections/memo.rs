//! What was found out once: an id, or ids for a few keys, kept in order.

use std::marker::PhantomData;

#[cfg(not(loom))]
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock};

// `crates/models` runs this file in all orders that its threads can have.
#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

/// See the module documentation. Most have one key, which takes no more room than a list does that is elsewhere.
pub(crate) struct Memo<K, V>(RwLock<SmallVec<[(K, V); 1]>>);

impl<K: Copy + Ord, V: Copy> Memo<K, V> {
    pub(crate) fn new() -> Self {
        Memo(RwLock::new(SmallVec::new()))
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

/// An id that is looked for once. Whoever looks for it finds the same, so it does not matter who was first; a `OnceLock`,
/// which makes sure that one is, costs more to set than most ids do to find.
pub(crate) struct OnceId<T> {
    /// The number plus one; 0 while it is not known.
    number: AtomicU32,
    of: PhantomData<T>,
}

impl<T: Copy + Into<u32> + From<u32>> OnceId<T> {
    pub(crate) fn new() -> Self {
        OnceId { number: AtomicU32::new(0), of: PhantomData }
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<T> {
        self.number.load(Ordering::Acquire).checked_sub(1).map(T::from)
    }

    /// Keeps the id, and returns it.
    #[inline]
    pub(crate) fn set(&self, id: T) -> T {
        self.number.store(id.into() + 1, Ordering::Release);
        id
    }
}
