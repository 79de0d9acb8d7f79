//! What is left of tokens when a frame ends before they do.

use std::sync::Arc;

use smallvec::SmallVec;
use tokenstile_grammar::MembersId;

use super::accept::Accept;
use super::class::CharClass;
use super::runs::Run;
use crate::tuning::pending::{FEW, MANY};

/// How the frame of an entry ends: in which slot of which members.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct End {
    pub(crate) members: MembersId,
    pub(crate) slot: u32,
}

/// Trie nodes at which a frame may end with bytes of the token left over.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Pending {
    /// How the frame ends, if it is that of an entry.
    pub(crate) end: Option<End>,
    /// What is pending then.
    pub(crate) of: Option<PendingId>,
    /// Whether the frame may end before the token; not kept.
    pub(crate) whole: bool,
    /// One by one.
    pub(crate) nodes: Vec<u32>,
    /// Every node of a subtree whose bytes are all in the class.
    pub(crate) pure: Vec<(u32, CharClass)>,
    /// Every node that a run leads to.
    pub(crate) runs: SmallVec<[PendingRun; 1]>,
}

/// The nodes that a run leads to with at least so many characters, but for some.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PendingRun {
    pub(crate) run: Run,
    pub(crate) least: u32,
    /// In ascending order.
    pub(crate) except: Arc<[u32]>,
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        self.of.is_none() && self.nodes.is_empty() && self.pure.is_empty() && self.runs.is_empty()
    }

    /// Adds what is pending elsewhere.
    pub(crate) fn extend(&mut self, other: &Pending) {
        let (nodes, pure) = (self.nodes.len() + other.nodes.len(), self.pure.len() + other.pure.len());
        if nodes > self.nodes.capacity().max(MANY) || pure > self.pure.capacity().max(MANY) {
            self.tidy(); // the same may have been added again and again
        }
        self.nodes.extend_from_slice(&other.nodes);
        self.pure.extend_from_slice(&other.pure);
        for run in &other.runs {
            if !self.runs.contains(run) {
                self.runs.push(run.clone());
            }
        }
    }

    /// Leaves out what is there twice. Where there is little, that does not matter.
    pub(crate) fn tidy(&mut self) {
        if self.nodes.len() > FEW {
            self.nodes.sort_unstable();
            self.nodes.dedup();
        }
        if self.pure.len() > FEW {
            self.pure.sort_unstable_by_key(|(node, class)| (*node, class.wide, class.ascii));
            self.pure.dedup();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.nodes.len() * 4 + self.pure.len() * size_of::<(u32, CharClass)>()
    }
}

/// An interned [`Pending`], or the whole token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PendingId(pub(crate) u32);

impl PendingId {
    /// Nothing of the token is consumed yet: the frame may end before it.
    pub(crate) const WHOLE: PendingId = PendingId(0);
}

/// A [`Walked`] in the store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct WalkedId(pub(crate) u32);

/// What came of a walk.
#[derive(Clone, Default)]
pub(crate) struct Walked {
    /// Tokens consumed as a whole.
    pub(crate) accept: Accept,
    /// What is pending for the state below.
    pub(crate) pending: SmallVec<[PendingId; 2]>,
    /// Trie nodes at which an entry is to be chosen, in the walk of a state that stands for several.
    pub(crate) choices: Box<[u32]>,
}
