//! Values that are kept once each, by number.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Pool<T> {
    items: Vec<T>,
    numbers: FxHashMap<T, usize>,
    /// The size of all of them together, as whoever adds them counts it.
    size: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { items: Vec::new(), numbers: FxHashMap::default(), size: 0 }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    /// All values, in the order of their numbers.
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// The number of a value that is here already.
    pub(super) fn find(&self, item: &T) -> Option<usize> {
        self.numbers.get(item).copied()
    }

    /// The number of a value of this size; `None` if there is no more room for a new one.
    pub(super) fn put(&mut self, item: &T, size: usize, room: usize) -> Option<usize> {
        if let Some(number) = self.find(item) {
            return Some(number);
        }
        self.size = self.size.checked_add(size).filter(|&size| size <= room)?;
        self.items.push(item.clone());
        self.numbers.insert(item.clone(), self.items.len() - 1);
        Some(self.items.len() - 1)
    }
}
