//! Clocks and memory of this process.

use std::time::Instant;

use rustix::param::page_size;
use rustix::time::{ClockId, clock_gettime};

/// CPU time of this thread, in nanoseconds.
pub(super) fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Now, by the wall clock.
#[inline]
pub(super) fn wall() -> Instant {
    Instant::now()
}

/// Nanoseconds since `start`.
#[inline]
pub(super) fn since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Times one interval as min(wall, CPU time of this thread).
pub(crate) struct Stopwatch {
    cpu: u64,
    wall: Instant,
}

impl Stopwatch {
    /// Starts.
    pub(crate) fn start() -> Self {
        Stopwatch { cpu: thread_cpu_ns(), wall: wall() }
    }

    /// Nanoseconds since the start.
    pub(crate) fn stop(self) -> u64 {
        let wall = since(self.wall);
        wall.min(thread_cpu_ns() - self.cpu)
    }
}

/// Resident memory of this process; 0 where the system does not say.
pub(crate) fn resident_bytes() -> i64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split(' ').nth(1)?.parse::<i64>().ok())
        .unwrap_or(0);
    pages * page_size() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_forward() {
        let watch = Stopwatch::start();
        let mut x = 0u64;
        for i in 0..100_000u64 {
            x = std::hint::black_box(x ^ i);
        }
        assert!(watch.stop() > 0);
        assert!(resident_bytes() > 0);
    }
}
