//! An append-only vector that is read without a lock while it grows.
//!
//! Elements never move: they live in chunks of doubling size, each allocated once and touched only as it fills.
//! A safe version with a `OnceLock` per element was measured first: initialising a chunk cost more than
//! filling it, in the middle of a mask, and every read paid for a second check.
//! With the chunks behind `OnceLock`s and slices, reads were 15 % of the instructions of cold masks; one check is enough.

use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

const FIRST: usize = 32;
const CHUNKS: usize = 27;

/// See the module documentation.
pub(crate) struct AppendVec<T> {
    /// Room for `FIRST`, twice as many, and so on; null where there is none yet.
    chunks: [AtomicPtr<T>; CHUNKS],
    /// How many elements are written. Only grows, and only after the element is complete.
    len: AtomicUsize,
}

// SAFETY: an element is written once, by the one writer (see `push`), before `len` says that it is there, and
// only read after that; so sharing the vector shares `T`s and nothing else, and sending it sends them.
unsafe impl<T: Send + Sync> Sync for AppendVec<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for AppendVec<T> {}

impl<T> AppendVec<T> {
    pub(crate) fn new() -> Self {
        AppendVec { chunks: [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS], len: AtomicUsize::new(0) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// The chunk that has an element, and which of the chunk's it is.
    #[inline]
    fn locate(index: usize) -> (usize, usize) {
        let shifted = NonZeroUsize::MIN.saturating_add(index + (FIRST - 1));
        let log = shifted.ilog2() as usize;
        (log - FIRST.trailing_zeros() as usize, shifted.get() ^ 1 << log)
    }

    /// The element at `index`, which must have come from [`push`](AppendVec::push).
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &T {
        assert!(index < self.len.load(Ordering::Acquire), "index {index} was never handed out");
        let (chunk, offset) = Self::locate(index);
        // SAFETY: `len` is past the index, so `push` has made the chunk, which has room for the offset, and has
        // written the element; the acquiring load makes that visible, and nobody writes it again.
        unsafe { &*self.chunks.get_unchecked(chunk).load(Ordering::Relaxed).add(offset) }
    }

    /// Adds an element. Callers hold the lock of the structure this is part of, so there is one at a time.
    pub(crate) fn push(&self, element: T) -> usize {
        let index = self.len.load(Ordering::Relaxed);
        let (chunk, offset) = Self::locate(index);
        let slot = &self.chunks[chunk];
        let mut start = slot.load(Ordering::Relaxed);
        if start.is_null() {
            start = ManuallyDrop::new(Vec::with_capacity(FIRST << chunk)).as_mut_ptr();
            slot.store(start, Ordering::Relaxed);
        }
        // SAFETY: the chunk has room for the offset. `len` is not past the index, so nobody reads it, and there is no other
        // writer.
        unsafe { start.add(offset).write(element) };
        self.len.store(index + 1, Ordering::Release);
        index
    }
}

impl<T> Drop for AppendVec<T> {
    fn drop(&mut self) {
        let mut left = *self.len.get_mut();
        for (chunk, start) in self.chunks.iter_mut().enumerate() {
            let start = *start.get_mut();
            if start.is_null() {
                break;
            }
            let room = FIRST << chunk;
            let written = left.min(room);
            left -= written;
            // SAFETY: `push` took the chunk from a vector of this capacity, and has written so many elements, in order.
            drop(unsafe { Vec::from_raw_parts(start, written, room) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let vec = AppendVec::new();
        vec.push(String::from("0"));
        let first: *const String = vec.get(0);
        for i in 1..10_000 {
            assert_eq!(vec.push(i.to_string()), i);
        }
        assert!((0..10_000).all(|i| *vec.get(i) == i.to_string()));
        assert_eq!(first, vec.get(0) as *const String);
        assert_eq!(vec.len(), 10_000);
    }

    #[test]
    #[should_panic(expected = "never handed out")]
    fn what_is_not_there_is_not_read() {
        AppendVec::<u8>::new().get(0);
    }
}
