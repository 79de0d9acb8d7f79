//! The objects of the automaton, as they are kept: see the documentation of [`automaton`](super).

pub(super) mod cell;
pub(super) mod formula;
pub(super) mod ids;
pub(super) mod local;
pub(super) mod members;
pub(super) mod state;
