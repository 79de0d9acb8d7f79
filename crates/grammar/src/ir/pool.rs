//! Values that are kept once each, by number.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// See the module documentation. A copy shares the values.
#[derive(Clone, Debug)]
pub(super) struct Pool<T> {
    items: Vec<Arc<T>>,
    index: HashTable<u32>,
    /// The size of all of them together, as whoever adds them counts it.
    size: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { items: Vec::new(), index: HashTable::new(), size: 0 }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    /// All values, in the order of their numbers.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.items.iter().map(|item| &**item)
    }

    /// The value with this number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> &T {
        &self.items[number]
    }

    /// The number of a value that is here already.
    pub(super) fn find(&self, item: &T) -> Option<usize> {
        let found = self.index.find(FxBuildHasher.hash_one(item), |&at| *self.items[at as usize] == *item);
        found.map(|&at| at as usize)
    }

    /// The number of a value of another pool that is not here yet. The two share it.
    pub(super) fn share(&mut self, from: &Self, number: usize) -> usize {
        self.push(from.items[number].clone())
    }

    /// The number of a value that is not here yet.
    pub(super) fn add(&mut self, item: T) -> usize {
        self.push(Arc::new(item))
    }

    fn push(&mut self, item: Arc<T>) -> usize {
        let at = self.items.len();
        self.items.push(item);
        let hash = |&at: &u32| FxBuildHasher.hash_one(&*self.items[at as usize]);
        self.index.insert_unique(hash(&(at as u32)), at as u32, hash);
        at
    }

    /// The number of a value of this size; `None` if there is no more room for a new one.
    pub(super) fn put(&mut self, item: &T, size: usize, room: usize) -> Option<usize> {
        if let Some(number) = self.find(item) {
            return Some(number);
        }
        self.size = self.size.checked_add(size).filter(|&size| size <= room)?;
        Some(self.push(Arc::new(item.clone())))
    }
}
