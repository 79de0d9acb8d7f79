//! States, what can happen next in them, and stacks of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::ids::{CellId, LocalId, NodeId, StateId};
use crate::collections::{Memo, OnceId};
use crate::tokens::pending::{End, PendingId, Walked, WalkedId};

/// A set of cells in one frame.
pub(crate) struct State {
    /// Sorted, without duplicates.
    pub(crate) kernel: SmallVec<[CellId; 4]>,
    pub(crate) expansion: OnceLock<Expansion>,
    pub(crate) clamped: OnceId<StateId>,
    pub(crate) local: OnceId<LocalId>,
    /// The tokens that this state allows from the start of a token.
    pub(crate) walked: OnceLock<Box<Walked>>,
    /// The same for what is left of a token after an inner frame ended.
    pub(crate) resolved: Memo<PendingId, WalkedId>,
    /// For a choice, where it goes on after an entry.
    pub(crate) after: Memo<End, StateId>,
    /// What stands for this state whatever slots are open.
    pub(crate) generic: KnownGeneric,
    /// The bytes that what is left of the frame may begin with.
    pub(crate) firsts: OnceLock<Box<ByteSet>>,
    /// See [`goes_on`](Store::goes_on).
    pub(crate) goes_on: OnceLock<bool>,
}

/// What can happen next in a state.
pub(crate) struct Expansion {
    /// Cells that consume a byte.
    pub(crate) terminals: SmallVec<[CellId; 4]>,
    /// Where bytes lead from those.
    pub(crate) edges: OnceLock<Box<[(ByteSet, CellId)]>>,
    /// Calls: the state to return to, and the state to start in.
    pub(crate) calls: SmallVec<[(StateId, StateId); 2]>,
    /// The same for parts of entries.
    pub(crate) frames: SmallVec<[(StateId, StateId); 2]>,
    /// Entries of members that may begin, each as the state to return to: see [`entries`](super::entries).
    pub(crate) choices: SmallVec<[StateId; 4]>,
    /// Whether the frame may end here.
    pub(crate) accepting: bool,
    /// Whether the text may end here.
    pub(crate) last: bool,
    /// How the frame may end here, if it is that of an entry.
    pub(crate) ends: SmallVec<[End; 2]>,
}

/// A stack, from above.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    /// Sorted pairs of the state to return to and the stack below it.
    pub(crate) links: SmallVec<[(StateId, NodeId); 1]>,
    /// Whether this may also be the unknown stack itself.
    pub(crate) bottom: bool,
}

/// What stands for a state whatever slots are open.
#[derive(Clone, Copy)]
pub(crate) struct Generic {
    pub(crate) state: StateId,
    /// The choice that the state itself comes to.
    pub(crate) choice: LocalId,
}

/// What stands for a state whatever slots are open, if anything does, once someone has asked.
#[derive(Default)]
pub(crate) struct KnownGeneric(AtomicU64);

impl KnownGeneric {
    const NONE: u64 = u64::MAX;

    #[inline]
    pub(crate) fn get(&self) -> Option<Option<Generic>> {
        match self.0.load(Ordering::Acquire) {
            0 => None,
            Self::NONE => Some(None),
            known => Some(Some(Generic {
                state: StateId((known >> 32) as u32),
                choice: LocalId(known as u32 - 1),
            })),
        }
    }

    pub(crate) fn set(&self, generic: Option<Generic>) -> Option<Generic> {
        let known = generic.map_or(Self::NONE, |Generic { state, choice }| {
            u64::from(state.0) << 32 | u64::from(choice.0 + 1)
        });
        self.0.store(known, Ordering::Release);
        generic
    }
}
