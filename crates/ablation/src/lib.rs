//! Fixed work for `cargo xtask ablate`: constraints and texts that are gone through with ways of the engine turned off.
//!
//! A [`Workload`] comes in: its cases are compiled one after the other, and each goes twice along its text, with caches
//! that are cold and then warm. Out come the times of all steps and a hash of all masks ([`run::timed`]), or, under
//! callgrind, which function each part that is to be counted ran in ([`run::counted`]). `explain` looks at one step alone.

mod clock;
#[cfg(feature = "ablate")]
pub mod explain;
pub mod phases;
pub mod run;
mod valgrind;
pub mod workload;

pub use workload::{Case, Workload};
