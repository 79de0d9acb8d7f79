//! What a constraint has done, counted.
//!
//! A mask that is known is written in a few hundred nanoseconds, by all threads of a server at once. So that counting it costs
//! next to nothing, threads count in places of their own; what is seldom counted has one place.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Places for the counts of different threads.
const PLACES: usize = 8;

/// A count with a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Line(AtomicU64);

/// See the module documentation.
#[derive(Default)]
pub(crate) struct Counters {
    masks: [Line; PLACES],
    renewals: AtomicU64,
    cold_masks: AtomicU64,
    cold_nanos: AtomicU64,
}

/// The place of this thread. Threads take places in turn.
#[inline]
fn place() -> usize {
    thread_local!(static PLACE: Cell<usize> = const { Cell::new(usize::MAX) });
    #[cold]
    fn next() -> usize {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed) % PLACES
    }
    // A thread whose locals are gone already counts with the first.
    let place = PLACE.try_with(|place| {
        if place.get() == usize::MAX {
            place.set(next());
        }
        place.get()
    });
    place.unwrap_or(0)
}

impl Counters {
    /// Takes note of a mask.
    #[inline]
    pub(crate) fn mask(&self) {
        self.masks[place()].0.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes note of a mask for which the caches did not have everything.
    #[cold]
    pub(crate) fn cold_mask(&self, time: Duration) {
        self.cold_masks.fetch_add(1, Ordering::Relaxed);
        self.cold_nanos.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Takes note of caches that were given up for new ones.
    pub(crate) fn renewal(&self) {
        self.renewals.fetch_add(1, Ordering::Relaxed);
    }

    /// All masks.
    pub(crate) fn masks(&self) -> u64 {
        self.masks.iter().map(|line| line.0.load(Ordering::Relaxed)).sum()
    }

    /// Those for which the caches did not have everything, and how long they took.
    pub(crate) fn cold_masks(&self) -> (u64, Duration) {
        let time = Duration::from_nanos(self.cold_nanos.load(Ordering::Relaxed));
        (self.cold_masks.load(Ordering::Relaxed), time)
    }

    /// How often caches were given up for new ones.
    pub(crate) fn renewals(&self) -> u64 {
        self.renewals.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_count_together() {
        let counters = Counters::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * PLACES + 1 {
                scope.spawn(|| (0..1000).for_each(|_| counters.mask()));
            }
        });
        assert_eq!(counters.masks(), (2 * PLACES as u64 + 1) * 1000);
    }
}
