//! The walk of the trie: what is visited and how, without what makes it short.

mod core;
mod found;

pub(crate) use self::core::{Walk, calls_apart, overlaps};
pub(crate) use found::{Area, Closed, FIRST, PlaceTable, Places, Rows, Staying, UnderConditions};
