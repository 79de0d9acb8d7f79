//! Formulas over states.

use std::sync::OnceLock;

use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::ByteSet;

use super::ids::{CellId, FormulaId, StateId};

/// Some bytes, and the formula that they lead to.
pub(crate) type Step = (ByteSet, FormulaId);

/// Where bytes lead: disjoint sets of them, with a formula each.
pub(crate) type Steps = SmallVec<[Step; 8]>;

/// One formula, with what was found out about it.
pub(crate) struct Formula {
    pub(crate) kind: Kind,
    pub(crate) accepting: OnceLock<bool>,
    pub(crate) steps: OnceLock<Box<[Step]>>,
    /// The same for some bytes, those that were asked for first.
    pub(crate) some_steps: OnceLock<Box<(ByteSet, Box<[Step]>)>>,
    /// See [`live`](super::live).
    pub(crate) live: OnceLock<bool>,
    /// Of one that can be completed, another that can, of which this can do all: mostly where the search for something began.
    pub(crate) origin: OnceLock<FormulaId>,
    pub(crate) distance: OnceLock<u32>,
    pub(crate) complement: OnceLock<FormulaId>,
    /// Of a leaf outside of every region: the cells it came from, which need no formula.
    pub(crate) plain: OnceLock<Box<[CellId]>>,
}

impl Formula {
    /// Where some bytes lead, and perhaps others, if that is known.
    pub(crate) fn known_steps(&self, bytes: &ByteSet) -> Option<&[Step]> {
        let some = || self.some_steps.get().filter(|some| bytes.is_subset(&some.0)).map(|some| &some.1);
        self.steps.get().or_else(some).map(|steps| &**steps)
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    False,
    True,
    /// A set of cells, all of which consume a byte or are the end; `trackers` decide the lookbehinds of `region`.
    Leaf {
        state: StateId,
        region: Option<ExprId>,
        trackers: SmallVec<[StateId; 2]>,
    },
    And(Box<[FormulaId]>),
    Or(Box<[FormulaId]>),
    Not(FormulaId),
}
