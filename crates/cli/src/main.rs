//! The `tokenstile` command. All of it is in the library, because a crate of the workspace can turn a feature on only for a
//! library that it depends on: so `crates/dev` adds `test` and `bench` to what is built from a clone.

use std::process::ExitCode;

/// What a mask needs is allocated in pieces of all sizes. Against the C library's, first masks take up to 5 % less time with this
/// one and compiling 6 to 10 %. It is kept from huge pages: to clear one in the middle of a mask was seen to take 0.2 to 2 ms.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tokenstile_cli::main()
}
