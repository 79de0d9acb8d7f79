//! Counts what each thread allocates: a case runs in a thread of its own, so the peak of the thread is that of the case.
//!
//! What one thread allocates and another frees is counted wrongly; cases do not do that with anything large.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, with a count of bytes per thread.
pub(crate) struct Counting;

fn count(change: isize) {
    // Threads that are ending have no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

// SAFETY: every call is handed to the system's allocator as it came; the counters are cells of the thread, need no
// allocation and do not panic.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the promises of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Starts a new measurement in this thread: from here on, how many bytes more than now were held at most.
pub(crate) struct Peak {
    before: isize,
}

impl Peak {
    pub(crate) fn start() -> Self {
        let before = HELD.get();
        PEAK.set(before);
        Peak { before }
    }

    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(PEAK.get() - self.before).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_what_was_held_at_most() {
        let peak = Peak::start();
        let large = vec![1u8; 1 << 20];
        drop(large);
        let small = vec![1u8; 1 << 10];
        assert!((1 << 20..(1 << 20) + (1 << 16)).contains(&peak.bytes()), "{}", peak.bytes());
        drop(small);
    }
}
