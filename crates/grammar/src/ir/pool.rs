//! Values that are kept once each, by number.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// See the module documentation. A copy shares the values.
#[derive(Clone, Debug)]
pub(super) struct Pool<T> {
    items: Vec<Arc<T>>,
    /// Of the first so many, with their hashes: the others are indexed when a value is looked for.
    index: HashTable<(u64, u32)>,
    indexed: usize,
    /// The size of all of them together, as whoever adds them counts it.
    size: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { items: Vec::new(), index: HashTable::new(), indexed: 0, size: 0 }
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

    /// The number of a value that is here already, or its hash.
    pub(super) fn find(&mut self, item: &T) -> Result<usize, u64> {
        self.catch_up();
        let hash = FxBuildHasher.hash_one(item);
        let found = self.index.find(hash, |&(_, at)| *self.items[at as usize] == *item);
        found.map(|&(_, at)| at as usize).ok_or(hash)
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
        self.items.push(item);
        self.items.len() - 1
    }

    /// The number of a value of this size; `None` if there is no more room for a new one.
    pub(super) fn put(&mut self, item: &T, size: usize, room: usize) -> Option<usize> {
        match self.find(item) {
            Ok(number) => Some(number),
            Err(hash) => self.insert(item.clone(), hash, size, room),
        }
    }

    /// The number of a value of this hash and size that was not found; `None` if there is no more room.
    pub(super) fn insert(&mut self, item: T, hash: u64, size: usize, room: usize) -> Option<usize> {
        self.size = self.size.checked_add(size).filter(|&size| size <= room)?;
        let at = self.push(Arc::new(item));
        self.add_to_index(hash, at);
        Some(at)
    }

    /// Lets two values change places. The index is made anew when a value is next looked for.
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
        self.forget_index();
    }

    /// A value that is to be changed.
    pub(super) fn get_mut(&mut self, number: usize) -> &mut T {
        self.forget_index();
        Arc::make_mut(&mut self.items[number])
    }

    /// Keeps the first so many values.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.items.len() {
            self.items.truncate(len);
            self.forget_index();
        }
    }

    fn forget_index(&mut self) {
        if self.indexed > 0 {
            self.index.clear();
            self.indexed = 0;
        }
    }

    fn add_to_index(&mut self, hash: u64, at: usize) {
        self.index.insert_unique(hash, (hash, at as u32), |&(hash, _)| hash);
        self.indexed = at + 1;
    }

    fn catch_up(&mut self) {
        for at in self.indexed..self.items.len() {
            self.add_to_index(FxBuildHasher.hash_one(&*self.items[at]), at);
        }
    }
}
