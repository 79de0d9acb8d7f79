//! What walks left behind for others to find.

mod children;
mod choices;
mod literals;
mod store;
mod whole;
mod wide;

pub(crate) use children::Children;
pub(crate) use choices::{Choices, Origin, SlotWalk};
pub(crate) use literals::{LiteralMemo, LiteralWay, LiteralWays};
pub(crate) use store::MaskStore;
pub(crate) use whole::{Kept, WholeId};
pub(crate) use wide::Wide;
