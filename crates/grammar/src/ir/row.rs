//! Lists that begin alike.

use std::sync::Arc;

/// A list of which copies have the beginning in common.
#[derive(Clone, Debug)]
pub(super) struct Row<T> {
    first: Arc<[T]>,
    own: Vec<T>,
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Row { first: Arc::default(), own: Vec::new() }
    }
}

impl<T: Copy> Row<T> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.first.len() + self.own.len()
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> T {
        match at.checked_sub(self.first.len()) {
            Some(at) => self.own[at],
            None => self.first[at],
        }
    }

    /// So many that were added together.
    #[inline]
    pub(super) fn slice(&self, start: usize, len: usize) -> &[T] {
        match start.checked_sub(self.first.len()) {
            Some(start) => &self.own[start..][..len],
            None => &self.first[start..][..len],
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.first.iter().chain(&self.own).copied()
    }

    pub(super) fn push(&mut self, item: T) {
        self.own.push(item);
    }

    pub(super) fn extend_from_slice(&mut self, items: &[T]) {
        self.own.extend_from_slice(items);
    }

    /// So many that were added together, to be changed.
    #[inline]
    pub(super) fn slice_mut(&mut self, start: usize, len: usize) -> &mut [T] {
        let start = self.own_at(start);
        &mut self.own[start..][..len]
    }

    #[inline]
    pub(super) fn set(&mut self, at: usize, item: T) {
        self.slice_mut(at, 1)[0] = item;
    }

    /// Keeps the first so many.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.len() {
            let at = self.own_at(len);
            self.own.truncate(at);
        }
    }

    /// Where something is that is going to change.
    #[inline]
    fn own_at(&mut self, at: usize) -> usize {
        if at < self.first.len() {
            self.unshare();
        }
        at - self.first.len()
    }

    #[cold]
    fn unshare(&mut self) {
        self.own = self.iter().collect();
        self.first = Arc::default();
    }

    /// How many copies have in common.
    pub(super) fn shared_len(&self) -> usize {
        self.first.len()
    }

    /// The same, with all that is here in common with every copy.
    pub(super) fn shared(self) -> Self {
        Row { first: self.iter().collect(), own: Vec::new() }
    }

    /// A copy with room for so many more.
    pub(super) fn to_grow(&self, room: usize) -> Self {
        let mut own = Vec::with_capacity(self.own.len() + room);
        own.extend_from_slice(&self.own);
        Row { first: self.first.clone(), own }
    }
}

impl<T> Extend<T> for Row<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.own.extend(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_beginning_in_common() {
        let mut row = Row::default();
        row.extend([1, 2, 3]);
        let base = row.shared();
        let mut copy = base.to_grow(2);
        copy.push(4);
        copy.extend_from_slice(&[5, 6]);
        assert_eq!((copy.len(), copy.get(1), copy.get(5)), (6, 2, 6));
        assert_eq!((copy.slice(1, 2), copy.slice(3, 3)), (&[2, 3][..], &[4, 5, 6][..]));
        copy.slice_mut(4, 1)[0] = 7;
        copy.truncate(5);
        assert_eq!(copy.iter().collect::<Vec<_>>(), [1, 2, 3, 4, 7]);
        copy.slice_mut(1, 1)[0] = 8;
        copy.truncate(2);
        assert_eq!(copy.iter().collect::<Vec<_>>(), [1, 8]);
        assert_eq!(base.iter().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
