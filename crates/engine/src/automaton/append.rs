//! An append-only vector that is read without a lock while it grows.
//!
//! Elements never move: they live in chunks of doubling size, each allocated once. Readers only ever hold ids
//! that were handed out after the element was written, so a read is two loads and no lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const FIRST: usize = 64;
const CHUNKS: usize = 26;

/// See the module documentation.
pub(crate) struct AppendVec<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
    len: AtomicUsize,
}

impl<T> AppendVec<T> {
    pub(crate) fn new() -> Self {
        AppendVec { chunks: std::array::from_fn(|_| OnceLock::new()), len: AtomicUsize::new(0) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    #[inline]
    fn locate(index: usize) -> (usize, usize) {
        let shifted = index + FIRST;
        let chunk = (usize::BITS - 1 - shifted.leading_zeros()) as usize - FIRST.trailing_zeros() as usize;
        (chunk, shifted - (FIRST << chunk))
    }

    /// The element at `index`. The index must have come from [`push`](AppendVec::push).
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &T {
        let (chunk, offset) = Self::locate(index);
        match self.chunks[chunk].get().and_then(|c| c[offset].get()) {
            Some(element) => element,
            None => unreachable!("index {index} was never handed out"),
        }
    }

    /// Adds an element; callers hold the writer's lock, so there is one at a time.
    pub(crate) fn push(&self, element: T) -> usize {
        let index = self.len.load(Ordering::Relaxed);
        let (chunk, offset) = Self::locate(index);
        let slots = self.chunks[chunk]
            .get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect::<Vec<_>>().into());
        if slots[offset].set(element).is_err() {
            unreachable!("slot {index} written twice");
        }
        self.len.store(index + 1, Ordering::Release);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let vec = AppendVec::new();
        let first: *const usize = {
            vec.push(0usize);
            vec.get(0)
        };
        for i in 1..10_000 {
            assert_eq!(vec.push(i), i);
        }
        assert!((0..10_000).all(|i| *vec.get(i) == i));
        assert_eq!(first, vec.get(0) as *const usize);
        assert_eq!(vec.len(), 10_000);
    }
}
