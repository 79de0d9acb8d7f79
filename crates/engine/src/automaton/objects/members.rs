//! Places in members and machines: too many to be listed, so that those visited are interned.

use std::sync::OnceLock;

use tokenstile_grammar::ir::{ByteSet, Tally};
use tokenstile_grammar::{MachineId, MembersId};

use super::ids::{CellId, CountedId, MachineStateId, StateId};
use crate::collections::OnceId;

/// Some members after some entries.
pub(crate) struct Counted {
    pub(crate) members: MembersId,
    pub(crate) tally: Tally,
    pub(crate) can_end: bool,
    /// Whether this stands for all places after an entry that are alike in whether they can end.
    pub(crate) generic: bool,
    /// The slots that can be used next, in order.
    pub(crate) open: OnceLock<Box<[u32]>>,
    /// About how many bytes the entries take that are wanting.
    pub(crate) rest: OnceLock<u32>,
    /// The state at the start of an entry.
    pub(crate) entry: OnceId<StateId>,
    /// The same as far as one token can tell.
    pub(crate) clamped: OnceId<CountedId>,
}

/// A state of a machine that was visited.
pub(crate) struct MachineState {
    pub(crate) machine: MachineId,
    pub(crate) state: Box<[u8]>,
    pub(crate) accepts: OnceLock<bool>,
    pub(crate) edges: OnceLock<Box<[(ByteSet, MachineStateId)]>>,
}

/// Where a cell of members stands.
pub(crate) enum Phase {
    Start,
    AfterEntry(CountedId),
    AfterSeparator(CountedId),
    /// The start of generic members.
    Before(CountedId),
}

impl Phase {
    pub(crate) fn of(at: u32) -> Self {
        match (at / 3, at % 3) {
            (0, 0) => Phase::Start,
            (id, 1) => Phase::AfterEntry(CountedId(id)),
            (id, 2) => Phase::AfterSeparator(CountedId(id)),
            (id, _) => Phase::Before(CountedId(id - 1)),
        }
    }

    pub(crate) fn number(&self) -> u32 {
        match self {
            Phase::Start => 0,
            // Ids are below 2^29: see `OWN` and `Limits::states`.
            Phase::AfterEntry(id) => id.0 * 3 + 1,
            Phase::AfterSeparator(id) => id.0 * 3 + 2,
            Phase::Before(id) => id.0 * 3 + 3,
        }
    }
}

/// The cells of an entry, once they were needed.
pub(crate) struct Entry {
    pub(crate) start: OnceId<CellId>,
    /// The first byte of the literal that it begins with, if it begins with one.
    pub(crate) opening: Option<u8>,
    /// Behind that byte.
    pub(crate) opened: OnceId<CellId>,
}
