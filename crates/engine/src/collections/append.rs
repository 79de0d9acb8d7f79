//! An append-only vector that is read without a lock while it grows.
//!
//! Elements never move: they live in chunks of doubling size, each allocated once and touched only as it fills.
//! A safe version with a `OnceLock` per element was measured first: initialising a chunk cost more than
//! filling it, in the middle of a mask, and every read paid for a second check.
//! With the chunks behind `OnceLock`s and slices, reads were 15 % of the instructions of cold masks; one check is enough.
//!
//! Appending takes the [`Writer`] that the vector was made with, borrowed mutably. There is one, so nobody else appends at the
//! same time, whatever lock it is kept behind.

use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::ptr;
use std::sync::atomic::AtomicU64;

#[cfg(not(loom))]
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

// `crates/models` runs this file in all orders that its threads can have.
#[cfg(loom)]
use loom::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Room of the first chunk, and how many chunks there may be. A model has little, since every step there is many.
const FIRST: usize = if cfg!(loom) { 2 } else { 32 };
const CHUNKS: usize = if cfg!(loom) { 3 } else { 27 };

/// The right to append to the vectors that were made with it. It cannot be copied.
#[derive(Debug)]
pub(crate) struct Writer {
    /// No two writers have the same.
    number: u64,
}

impl Default for Writer {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Writer { number: NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed) }
    }
}

/// See the module documentation.
pub(crate) struct AppendVec<T> {
    /// Room for `FIRST`, twice as many, and so on; null where there is none yet.
    chunks: [AtomicPtr<T>; CHUNKS],
    /// How many elements are written. Only grows, and only after the element is complete.
    len: AtomicUsize,
    /// The number of the only writer.
    writer: u64,
}

// SAFETY: an element is written once, by the one writer (see `push`), before `len` says that it is there, and
// only read after that; so sharing the vector shares `T`s and nothing else, and appending to it sends them.
unsafe impl<T: Send + Sync> Sync for AppendVec<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for AppendVec<T> {}

impl<T> AppendVec<T> {
    /// A vector that this writer alone may append to.
    pub(crate) fn new(writer: &Writer) -> Self {
        AppendVec {
            chunks: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            len: AtomicUsize::new(0),
            writer: writer.number,
        }
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

    /// Adds an element; says which it is. The writer must be the one that the vector was made with.
    pub(crate) fn push(&self, element: T, writer: &mut Writer) -> usize {
        assert_eq!(self.writer, writer.number, "another vector's writer");
        let index = self.len.load(Ordering::Relaxed);
        let (chunk, offset) = Self::locate(index);
        let slot = &self.chunks[chunk];
        let mut start = slot.load(Ordering::Relaxed);
        if start.is_null() {
            start = ManuallyDrop::new(Vec::with_capacity(FIRST << chunk)).as_mut_ptr();
            slot.store(start, Ordering::Relaxed);
        }
        // SAFETY: the chunk has room for the offset. `len` is not past the index, so nobody reads it. No other call of `push` is
        // going on: it would need the writer with this number too, of which there is one, which is borrowed mutably here.
        unsafe { start.add(offset).write(element) };
        self.len.store(index + 1, Ordering::Release);
        index
    }
}

impl<T> AppendVec<T> {
    /// The elements, chunk by chunk.
    pub(crate) fn into_chunks(mut self) -> Vec<Vec<T>> {
        self.take_chunks().collect()
    }

    /// Takes the chunks out. Whoever does that is alone with the vector, and has seen all that others did.
    fn take_chunks(&mut self) -> impl Iterator<Item = Vec<T>> {
        let mut left = self.len.swap(0, Ordering::Relaxed);
        self.chunks.iter().enumerate().map_while(move |(chunk, start)| {
            let start = start.swap(ptr::null_mut(), Ordering::Relaxed);
            if start.is_null() {
                return None;
            }
            let room = FIRST << chunk;
            let written = left.min(room);
            left -= written;
            // SAFETY: `push` took the chunk from a vector of this capacity, and has written so many elements, in order. Nobody
            // finds it here any more.
            Some(unsafe { Vec::from_raw_parts(start, written, room) })
        })
    }
}

impl<T> Drop for AppendVec<T> {
    fn drop(&mut self) {
        self.take_chunks().for_each(drop);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let mut writer = Writer::default();
        let vec = AppendVec::new(&writer);
        vec.push(String::from("0"), &mut writer);
        let first: *const String = vec.get(0);
        for i in 1..10_000 {
            assert_eq!(vec.push(i.to_string(), &mut writer), i);
        }
        assert!((0..10_000).all(|i| *vec.get(i) == i.to_string()));
        assert_eq!(first, vec.get(0) as *const String);
        assert_eq!(vec.len(), 10_000);
    }

    #[test]
    fn elements_are_taken_out_in_order() {
        let mut writer = Writer::default();
        let vec = AppendVec::new(&writer);
        (0..100).for_each(|i: u32| {
            vec.push(i.to_string(), &mut writer);
        });
        let all: Vec<String> = vec.into_chunks().into_iter().flatten().collect();
        assert_eq!(all, (0..100).map(|i: u32| i.to_string()).collect::<Vec<_>>());
    }

    #[test]
    #[should_panic(expected = "never handed out")]
    fn what_is_not_there_is_not_read() {
        AppendVec::<u8>::new(&Writer::default()).get(0);
    }

    #[test]
    #[should_panic(expected = "another vector's writer")]
    fn only_its_writer_appends() {
        AppendVec::new(&Writer::default()).push(1, &mut Writer::default());
    }

    #[test]
    fn threads_append_and_read() {
        let writer = Writer::default();
        let vec = AppendVec::new(&writer);
        let writer = Mutex::new(writer);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (vec, writer) = (&vec, &writer);
                scope.spawn(move || {
                    for i in 0..500 {
                        let text = format!("{thread} {i}");
                        let at = vec.push(text.clone(), &mut writer.lock().unwrap());
                        assert_eq!(*vec.get(at), text);
                        assert!(!vec.get(vec.len() - 1).is_empty());
                    }
                });
            }
        });
        let mut texts: Vec<&String> = (0..vec.len()).map(|at| vec.get(at)).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), 2_000);
    }
}
