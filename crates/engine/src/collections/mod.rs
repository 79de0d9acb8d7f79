//! Containers that the rest of the engine is made of: what they hold is no concern of theirs.

mod append;
mod few;
mod keyed;
mod memo;
mod per_base;
mod retired;
mod words;

pub(crate) use append::{AppendVec, Writer};
pub(crate) use few::FewSet;
pub use keyed::MemoStats;
pub(crate) use keyed::{Keyed, Table};
pub(crate) use memo::{Memo, OnceId};
pub(crate) use per_base::PerBase;
pub(crate) use retired::Retired;
pub(crate) use words::Words;
