//! Limits on a piece of work: what it may still cost, and which limit it ran into.

use std::time::{Duration, Instant};

/// A limit that a piece of work ran into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Exceeded {
    pub(crate) name: &'static str,
    pub(crate) value: usize,
}

/// Counts units of work against a limit.
#[derive(Debug)]
pub(crate) struct Work {
    left: usize,
    limit: usize,
    /// When something first had to be worked out that no cache had.
    cold_since: Option<Instant>,
    /// How many frames are walked within each other.
    pub(crate) depth: u32,
}

impl Work {
    pub(crate) fn new(limit: usize) -> Self {
        Work { left: limit, limit, cold_since: None, depth: 0 }
    }

    /// Takes note that something is not in the caches. Only then is the clock read.
    #[inline]
    pub(crate) fn is_cold(&mut self) {
        self.cold_since.get_or_insert_with(Instant::now);
    }

    /// How long ago something was first not in the caches; none if everything was.
    #[inline]
    pub(crate) fn cold_for(&self) -> Option<Duration> {
        self.cold_since.map(|since| since.elapsed())
    }

    #[inline]
    pub(crate) fn spend(&mut self, units: usize) -> Result<(), Exceeded> {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Exceeded { name: "mask_work", value: self.limit }),
        }
    }
}
