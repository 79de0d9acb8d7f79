//! The prepared grammar in the form the automaton reads, and what is known of its expressions.

mod exceptions;
mod expressions;
mod lengths;
mod program;
mod shortest;
mod texts;

pub(crate) use exceptions::Exceptions;
pub(crate) use expressions::first_literal;
pub(crate) use lengths::{FAR, length_of_entries};
pub(crate) use program::{Behind, Program};
pub(crate) use shortest::Shortest;
pub(crate) use texts::Texts;
