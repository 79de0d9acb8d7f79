//! An append-only vector that is read without a lock while it grows.
//!
//! Elements never move: they live in chunks of doubling size, each allocated once and touched only as it fills.
//! A safe version with a `OnceLock` per element was measured first: initialising a chunk cost more than
//! filling it, in the middle of a mask, and every read paid for a second check.

use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{cell::UnsafeCell, ptr};

const FIRST: usize = 32;
const CHUNKS: usize = 27;

/// See the module documentation.
pub(crate) struct AppendVec<T> {
    chunks: [OnceLock<Chunk<T>>; CHUNKS],
    /// How many elements are written. Only grows, and only after the element is complete.
    len: AtomicUsize,
}

type Chunk<T> = Box<[UnsafeCell<MaybeUninit<T>>]>;

// SAFETY: an element is written once, by the one writer (see `push`), before `len` says that it is there, and
// only read after that; so sharing the vector shares `T`s and nothing else.
unsafe impl<T: Send + Sync> Sync for AppendVec<T> {}

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

    #[inline]
    fn slot(&self, index: usize) -> &UnsafeCell<MaybeUninit<T>> {
        let (chunk, offset) = Self::locate(index);
        match self.chunks[chunk].get() {
            Some(chunk) => &chunk[offset],
            None => unreachable!("chunk {chunk} was never made"),
        }
    }

    /// The element at `index`, which must have come from [`push`](AppendVec::push).
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &T {
        assert!(index < self.len.load(Ordering::Acquire), "index {index} was never handed out");
        // SAFETY: `len` is past the index, so the element was written before; the acquiring load makes that
        // write visible, and nobody writes it again.
        unsafe { (*self.slot(index).get()).assume_init_ref() }
    }

    /// Adds an element. Callers hold the lock of the structure this is part of, so there is one at a time.
    pub(crate) fn push(&self, element: T) -> usize {
        let index = self.len.load(Ordering::Relaxed);
        let (chunk, _) = Self::locate(index);
        self.chunks[chunk].get_or_init(|| {
            let mut slots = Vec::with_capacity(FIRST << chunk);
            // SAFETY: the capacity is that large, and slots that hold nothing need no initialisation.
            unsafe { slots.set_len(FIRST << chunk) };
            slots.into_boxed_slice()
        });
        // SAFETY: `len` is not past the index, so nobody reads the slot, and there is no other writer.
        unsafe { ptr::write(self.slot(index).get(), MaybeUninit::new(element)) };
        self.len.store(index + 1, Ordering::Release);
        index
    }
}

impl<T> Drop for AppendVec<T> {
    fn drop(&mut self) {
        for index in 0..*self.len.get_mut() {
            // SAFETY: every element below `len` is written, and this is the last use of it.
            unsafe { (*self.slot(index).get()).assume_init_drop() };
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
