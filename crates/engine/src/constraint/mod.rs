//! What sequences share: the tables of a vocabulary, what its constraints have in common, and a constraint with its caches.

mod common;
mod compiled;
mod counters;
mod generation;
mod library;
mod machine;
pub(crate) mod proof;
pub(crate) mod spelling;
pub(crate) mod terminals;

pub(crate) use common::Common;
pub use compiled::{Constraint, Stats};
pub(crate) use compiled::{Inner, Retiring};
pub(crate) use counters::Counters;
pub(crate) use generation::Generation;
pub(crate) use terminals::Terminals;
