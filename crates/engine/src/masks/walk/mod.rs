//! The walk of the trie: what is visited and how, without what makes it short.

mod core;
mod found;

pub(crate) use self::core::{FEW, RUN_TOKENS, Walk};
pub(crate) use found::{Closed, FIRST, Places, Rows, UnderConditions};
