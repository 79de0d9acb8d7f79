//! What threads share in the engine without a lock, run by [loom](https://docs.rs/loom) in all orders that the threads can
//! have, and with every value that an atomic may have for them.
//!
//! The files of the engine are compiled once more here, with loom's atomics. `cargo test -p tokenstile-models` takes seconds: a
//! model has two or three threads, and each of them does a few steps.
#![cfg(test)]
#![allow(dead_code, reason = "a model does not use all of a file")]

#[path = "../../engine/src/collections/append.rs"]
mod append;
#[path = "../../engine/src/collections/memo.rs"]
mod memo;

mod appending;
mod once;
