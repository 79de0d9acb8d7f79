//! Locals: configurations relative to an unknown stack, and what can happen next in them.

use std::sync::OnceLock;

use smallvec::SmallVec;
use tokenstile_grammar::CharSetId;
use tokenstile_grammar::ir::ByteSet;

use super::ids::{CellId, LocalId, NodeId, StateId};
use crate::collections::{Memo, OnceId};
use crate::tokens::class::LackId;
use crate::tokens::pending::End;

/// Cells by the stack they stand on.
pub(crate) type Groups = SmallVec<[(NodeId, SmallVec<[CellId; 8]>); 2]>;

/// Where bytes lead.
pub(crate) type Edges = SmallVec<[(ByteSet, NodeId, CellId); 8]>;

/// A set of heads: a state each, and the stack it stands on.
pub(crate) struct Local {
    /// Sorted by state; states are distinct, and so are stacks.
    pub(crate) heads: SmallVec<[(StateId, NodeId); 1]>,
    /// Whether it stands in a literal and nowhere else.
    pub(crate) in_literal: bool,
    /// What is come to without reading a byte.
    pub(crate) opened: OnceLock<Opened>,
    /// Where single bytes lead: see [`byte`](super::byte).
    pub(crate) bytes: Memo<u8, Option<LocalId>>,
    pub(crate) expansion: OnceLock<LocalExpansion>,
    /// The same with choices apart; `None` if there are none.
    pub(crate) split: OnceLock<Option<Box<LocalExpansion>>>,
    pub(crate) clamped: OnceId<LocalId>,
    pub(crate) repeats: OnceLock<Option<Loop>>,
    /// Whether it stands in many places, some of them in literals.
    pub(crate) has_literals: bool,
    /// Whether it stands in a machine, perhaps among other places.
    pub(crate) in_machine: bool,
    /// For a local that stands in a literal, the one at its end; for one that has literals among others, that without its
    /// literals, or itself if there is no more.
    pub(crate) behind: OnceId<LocalId>,
}

/// What can happen next in a local.
pub(crate) struct LocalExpansion {
    /// Whether the frame we started in may end here.
    pub(crate) pops: bool,
    /// How that frame may end here, if it is that of an entry.
    pub(crate) ends: SmallVec<[End; 2]>,
    /// What is not among the edges.
    pub(crate) apart: Apart,
    /// All bytes that lead anywhere.
    pub(crate) alive: ByteSet,
    /// How many they are.
    pub(crate) ways: usize,
    /// Disjoint sets of bytes that lead to the same place.
    pub(crate) classes: Box<[Class]>,
    pub(crate) edges: Box<[(ByteSet, NodeId, CellId)]>,
    /// The class of each byte, where there are enough of them to make a table pay.
    pub(crate) table: Option<Box<[u8; 256]>>,
}

/// What begins here and is walked by itself: see [`entries`](super::entries).
#[derive(Default)]
pub(crate) struct Apart {
    /// Locals that are choices of an entry.
    pub(crate) choices: SmallVec<[LocalId; 4]>,
    /// Parts of entries: the local to return to, and the state to start in.
    pub(crate) frames: SmallVec<[(LocalId, StateId); 2]>,
    /// The same for rules that call others.
    pub(crate) calls: SmallVec<[(LocalId, StateId); 2]>,
}

impl Apart {
    pub(crate) fn is_empty(&self) -> bool {
        self.choices.is_empty() && self.frames.is_empty() && self.calls.is_empty()
    }
}

/// Bytes that lead to the same place.
pub(crate) struct Class {
    pub(crate) set: ByteSet,
    pub(crate) target: OnceId<LocalId>,
    /// The same with counters clamped.
    pub(crate) clamped: OnceId<LocalId>,
}

impl LocalExpansion {
    /// The class that `byte` belongs to.
    #[inline]
    pub(crate) fn class_of(&self, byte: u8) -> Option<usize> {
        if !self.alive.contains(byte) {
            return None;
        }
        match &self.table {
            Some(table) => Some(table[byte as usize] as usize),
            None => self.classes.iter().position(|c| c.set.contains(byte)),
        }
    }
}

impl LocalExpansion {
    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.classes.len() * size_of::<Class>()
            + self.edges.len() * size_of::<(ByteSet, NodeId, CellId)>()
            + if self.table.is_some() { 256 } else { 0 }
    }
}

/// What is come to from a local without reading a byte.
pub(crate) struct Opened {
    /// The states, and the stacks they stand on.
    pub(crate) states: SmallVec<[(StateId, NodeId); 2]>,
    /// Whether the frame we started in may end here.
    pub(crate) pops: bool,
    /// How that frame may end here, if it is that of an entry.
    pub(crate) ends: SmallVec<[End; 2]>,
    /// What was not gone into.
    pub(crate) apart: Apart,
}

impl Opened {
    /// Whether the frame we started in may end here, in whatever way.
    #[inline]
    pub(crate) fn returns(&self) -> bool {
        self.pops || !self.ends.is_empty()
    }
}

/// A local that repeats one class of characters: `[set]{…}` and then something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    /// The characters that are repeated.
    pub(crate) chars: CharSetId,
    /// How many more of them may follow; `None` for any number.
    pub(crate) left: Option<u32>,
    /// How many more of them must follow.
    pub(crate) need: u32,
    /// Whether the frame may end once they have.
    pub(crate) ends: bool,
    /// The ASCII characters of the set, one bit each.
    pub(crate) ascii: u128,
    /// Whether all other characters that the vocabulary can spell are in it, but for those that it lacks.
    pub(crate) wide: bool,
    pub(crate) lack: LackId,
    /// ASCII characters that something else which is repeated may begin with. Where others follow, it does not matter how
    /// often the loop ran.
    pub(crate) others: u128,
}

/// Adds cells to those of a stack.
pub(crate) fn add_cells(groups: &mut Groups, node: NodeId, cells: &[CellId]) {
    match groups.iter_mut().find(|g| g.0 == node) {
        Some(group) => group.1.extend_from_slice(cells),
        None => groups.push((node, SmallVec::from_slice(cells))),
    }
}
