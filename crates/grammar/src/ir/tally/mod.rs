//! Counting the entries of a [`Members`](super::Members): what is known after some of them, and whether the rest can
//! come out right.
//!
//! A [`Tally`] is all that matters of the entries so far, in a few bits: numbers that can no longer make a difference
//! are set to one common value, so that equal futures are equal tallies. Whether a tally can be completed is decided by
//! the first of these that applies:
//!
//! - where counts are nested or apart (each slot at most once, so many in all), sums of intervals (`tree.rs`);
//! - under a condition, by a search that is led by what does not hold yet (`judged.rs`);
//! - else by a search over the slots in an order in which few counts are open at a time, or, while positions matter,
//!   over the tallies themselves (`search.rs`). Members for which this would take too long are refused
//!   ([`Tallies::check`]) before they are used.

mod effort;
mod judged;
mod order;
mod parts;
mod plan;
mod search;
mod tallies;
mod tree;

pub use parts::Tally;
pub use tallies::Tallies;
