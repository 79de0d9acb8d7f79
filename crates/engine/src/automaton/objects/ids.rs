//! Numbers of the automaton's objects, and how equal objects are found.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub(crate) u32);
        impl $name {
            #[inline]
            pub(crate) fn of(own: u32, index: usize) -> Self {
                // `Limits::states` keeps every arena far below 2^28 entries.
                $name(own + index as u32)
            }
        }
        impl From<u32> for $name {
            #[inline]
            fn from(number: u32) -> Self {
                $name(number)
            }
        }
        impl From<$name> for u32 {
            #[inline]
            fn from(id: $name) -> u32 {
                id.0
            }
        }
    };
}
id!(/// A [`Cell`](super::cell::Cell).
    CellId);
id!(/// A [`State`](super::state::State).
    StateId);
id!(/// A [`Node`](super::state::Node).
    NodeId);
id!(/// A [`Local`](super::local::Local).
    LocalId);
id!(/// A [`Formula`](super::formula::Formula).
    FormulaId);

id!(/// A [`Counted`](super::members::Counted).
    CountedId);

id!(/// A [`MachineState`](super::members::MachineState).
    MachineStateId);

/// Ids below this are the library's, if there is one.
pub(crate) const OWN: u32 = 1 << 28;

impl CellId {
    /// The end of the frame.
    pub(crate) const NIL: CellId = CellId(0);

    /// The end of the text.
    pub(crate) const LAST: CellId = CellId(1);
}

impl StateId {
    /// The state in which the frame has ended and nothing else is possible.
    pub(crate) const END: StateId = StateId(0);
}

impl NodeId {
    /// The stack under the place where we started looking.
    pub(crate) const BOTTOM: NodeId = NodeId(0);
}

impl FormulaId {
    pub(crate) const FALSE: FormulaId = FormulaId(0);
    pub(crate) const TRUE: FormulaId = FormulaId(1);
}

/// The hash by which objects are found.
pub(crate) fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    FxBuildHasher.hash_one(value)
}
