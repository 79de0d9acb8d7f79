//! The intermediate representation: what every front end produces and the engine consumes.
//!
//! A [`Grammar`] is a set of named rules over one [`Arena`] of expressions. It is written down exactly as the
//! front end read it; [`passes::prepare`](crate::passes::prepare) turns it into the form the engine runs.

mod arena;
mod base;
mod builder;
mod byteset;
mod charset;
mod condition;
mod display;
mod expr;
mod grammar;
mod index;
mod machine;
mod members;
mod pool;
mod row;
mod survey;
mod tally;
mod tokens;
mod tracking;
mod walk;
mod warning;

pub use arena::Arena;
pub use base::{Base, BaseId, BaseParts, Usual, UsualGrammars};
pub use builder::GrammarBuilder;
pub use byteset::ByteSet;
pub use charset::{CharSet, Utf8Dfa, Utf8Next};
pub use condition::{ClauseId, Condition, ConditionBuilder};
pub use expr::{Expr, List, Literal};
pub use grammar::{Grammar, Rule};
pub use index::IdIndex;
pub use machine::{Machine, MachineRef};
pub use members::{Count, Members, Slot};
pub use tally::{Tallies, Tally};
pub use tokens::{TokenName, TokenSet};
pub use tracking::Tracking;
pub use warning::Warning;

pub(crate) use survey::Survey;
