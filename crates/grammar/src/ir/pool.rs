//! Values that are kept once each, by number.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::index::IdIndex;

/// See the module documentation. A copy shares the values.
#[derive(Clone, Debug)]
pub(super) struct Pool<T> {
    /// The first of them, which copies have in common.
    first: Option<Arc<Indexed<T>>>,
    /// The others.
    own: Indexed<T>,
    /// The size of all of them together, as whoever adds them counts it.
    size: usize,
}

/// Values and where they are.
#[derive(Clone, Debug)]
struct Indexed<T> {
    items: Vec<Arc<T>>,
    /// Of the first so many: the others are indexed when a value is looked for.
    index: IdIndex<u32>,
    indexed: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { first: None, own: Indexed::default(), size: 0 }
    }
}

impl<T> Default for Indexed<T> {
    fn default() -> Self {
        Indexed { items: Vec::new(), index: IdIndex::default(), indexed: 0 }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    /// The values that copies have in common.
    #[inline]
    fn first(&self) -> &[Arc<T>] {
        self.first.as_ref().map_or(&[], |first| &first.items)
    }

    /// How many values copies have in common.
    pub(super) fn shared_len(&self) -> usize {
        self.first().len()
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.first().len() + self.own.items.len()
    }

    /// All values, in the order of their numbers.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// The value with this number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> &T {
        self.item(number)
    }

    #[inline]
    fn item(&self, number: usize) -> &Arc<T> {
        match number.checked_sub(self.first().len()) {
            Some(at) => &self.own.items[at],
            None => &self.first()[number],
        }
    }

    /// The same, with all that is here in common with every copy.
    pub(super) fn shared(mut self) -> Self {
        self.unshare();
        self.own.catch_up();
        Pool { first: Some(Arc::new(self.own)), own: Indexed::default(), size: self.size }
    }

    /// Has all values for itself, so that any of them can be changed.
    fn unshare(&mut self) {
        if let Some(first) = self.first.take() {
            let items = first.items.iter().chain(&self.own.items).cloned().collect();
            self.own = Indexed { items, ..Indexed::default() };
        }
    }

    /// The number of a value that is here already, or its hash.
    pub(super) fn find<Q: Eq + Hash>(&mut self, item: &Q) -> Result<usize, u64>
    where
        T: Borrow<Q>,
    {
        self.own.catch_up();
        let hash = FxBuildHasher.hash_one(item);
        let first = self.first.as_ref().and_then(|first| first.find(hash, item));
        first.or_else(|| self.own.find(hash, item).map(|at| at + self.first().len())).ok_or(hash)
    }

    /// The number of a value of another pool that is not here yet. The two share it.
    pub(super) fn share(&mut self, from: &Self, number: usize) -> usize {
        self.push(from.item(number).clone())
    }

    /// The number of a value that is not here yet.
    pub(super) fn add(&mut self, item: T) -> usize {
        self.push(Arc::new(item))
    }

    fn push(&mut self, item: Arc<T>) -> usize {
        self.own.items.push(item);
        self.len() - 1
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
        let number = self.push(Arc::new(item));
        self.own.add_to_index(hash, self.own.items.len() - 1);
        Some(number)
    }

    /// Lets two values change places. The index is made anew when a value is next looked for.
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        if a != b {
            let (a, b) = (self.changing(a.min(b)), self.changing(a.max(b)));
            self.own.items.swap(a, b);
        }
    }

    /// A value that is to be changed.
    pub(super) fn get_mut(&mut self, number: usize) -> &mut T {
        let at = self.changing(number);
        Arc::make_mut(&mut self.own.items[at])
    }

    /// Where a value is that is going to change.
    fn changing(&mut self, number: usize) -> usize {
        if number < self.first().len() {
            self.unshare();
        }
        self.own.forget_index();
        number - self.first().len()
    }

    /// Keeps the first so many values.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.len() {
            let at = self.changing(len);
            self.own.items.truncate(at);
        }
    }
}

impl<T: Eq + Hash> Indexed<T> {
    fn find<Q: Eq>(&self, hash: u64, item: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        self.index.find(hash, |at| T::borrow(&self.items[at as usize]) == item).map(|at| at as usize)
    }

    fn forget_index(&mut self) {
        if self.indexed > 0 {
            self.index.clear();
            self.indexed = 0;
        }
    }

    fn add_to_index(&mut self, hash: u64, at: usize) {
        self.index.insert(hash, at as u32);
        self.indexed = at + 1;
    }

    fn catch_up(&mut self) {
        for at in self.indexed..self.items.len() {
            self.add_to_index(FxBuildHasher.hash_one(&*self.items[at]), at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_first_values_in_common() {
        let mut pool = Pool::default();
        for (number, word) in ["a", "b", "c"].into_iter().enumerate() {
            assert_eq!(pool.put(&word, 1, 4), Some(number));
        }
        let base = pool.shared();
        let mut copy = base.clone();
        assert_eq!(copy.put(&"b", 1, 4), Some(1));
        assert_eq!(copy.put(&"d", 1, 4), Some(3));
        assert_eq!(copy.put(&"d", 1, 4), Some(3));
        assert_eq!(copy.put(&"e", 1, 4), None, "there is room for four");
        copy.swap(3, 1);
        assert_eq!(
            (copy.iter().copied().collect::<Vec<_>>(), copy.find(&"b")),
            (vec!["a", "d", "c", "b"], Ok(3))
        );
        *copy.get_mut(0) = "f";
        copy.truncate(2);
        assert_eq!(copy.iter().copied().collect::<Vec<_>>(), ["f", "d"]);
        assert!(copy.find(&"a").is_err() && copy.find(&"c").is_err());
        assert_eq!(base.iter().copied().collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
