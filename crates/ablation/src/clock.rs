//! The CPU time of this thread: on a busy machine a step of milliseconds is interrupted, and a clock on the wall counts that.

/// Nanoseconds that this thread has run.
pub(crate) fn thread_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the call to write to, and outlives it.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "this system has no clock of threads");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
