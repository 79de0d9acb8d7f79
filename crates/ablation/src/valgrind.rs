//! Asks callgrind to begin to count.
//!
//! Until then programs run at a fifth of their speed, and from then on at a fiftieth: reading a vocabulary and three hundred
//! schemas takes longer than all that is counted.

/// The request to begin, as `callgrind.h` numbers it.
#[cfg(target_arch = "x86_64")]
const START: u64 = 0x4354_0004;

/// Begins to count, if this runs under callgrind; else nothing happens.
pub(crate) fn start_counting() {
    #[cfg(target_arch = "x86_64")]
    {
        let request = [START, 0, 0, 0, 0, 0];
        // SAFETY: to the processor these are four rotations that leave a register as it was, and an exchange of one with
        // itself. Valgrind takes them for a request at the address in `rax`, and answers in `rdx`.
        unsafe {
            std::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") request.as_ptr(),
                inout("rdx") 0u64 => _,
            );
        }
    }
}
