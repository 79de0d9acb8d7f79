//! The lazy automaton of one constraint.
//!
//! Four kinds of interned objects, each built on first use and never changed after:
//!
//! - a **cell** ([`Cell`]) is what is left to match of one rule body: an expression, how far into it, and the
//!   cell that follows. The empty list, [`CellId::NIL`], is the end of the frame; behind the root stands the end of
//!   the text, [`CellId::LAST`].
//! - a **state** ([`State`]) is a set of cells in one frame: the determinized positions inside a rule.
//!   Counters live in the cells, so they are never unrolled.
//! - a **node** ([`Node`]) is a stack seen from above: what to return to, and the stacks below. `BOTTOM`
//!   stands for "the stack under the place where we started looking".
//! - a **local** ([`Local`]) is a configuration relative to that place: a set of (state, node) heads, with its
//!   transitions by byte. Locals do not know the text before them, so one table serves every parse.
//!
//! A call in tail position is expanded in place and pushes nothing, so right recursion runs in constant
//! stack; left recursion is removed before we get here. Ends of frames are resolved when the next byte is known.
//!
//! Boolean expressions and assertions are *formulas* over states (see [`boolean`]); they occur as single cells.
//! So do members and machines, whose places are interned as they are visited (see [`counted`]). What places are seen to be
//! is in [`places`].

mod boolean;
mod build;
mod byte;
mod counted;
mod entries;
mod exprs;
mod length;
mod live;
mod local;
mod moving;
mod objects;
mod partition;
mod places;
mod shared;
mod store;

pub(crate) use counted::InMachine;
pub(crate) use entries::BehindKey;
pub(crate) use exprs::{FAR, Program};
pub(crate) use moving::Moving;
pub(crate) use objects::cell::{Cell, Head};
pub(crate) use objects::ids::{CellId, LocalId, NodeId, OWN, StateId};
pub(crate) use objects::local::{Local, LocalExpansion, Loop};
pub(crate) use objects::state::Generic;
pub(crate) use partition::partition;
pub(crate) use places::{
    AllButFew, Bounded, ButMatched, Endings, Except, Literals, Rest, Rounds, WatchPlace, WatchWays, Watched,
    Watcher, Ways, WhiteSpaceFirst,
};
pub(crate) use store::{SharedStore, Store};
