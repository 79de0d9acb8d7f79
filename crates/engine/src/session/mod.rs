//! One sequence and the caches of its constraint: where bytes lead, which tokens may come, what is repeated.
//!
//! A [`Session`] remembers nothing of the text: whoever asks says where the sequence stands.

mod advance;
mod collect;
mod completable;
mod repeats;
mod shortest;
mod skip;
mod terminals;

use std::sync::Arc;

use smallvec::SmallVec;

use crate::constraint::{Constraint, Generation, Inner};
use crate::stack::{Config, StackNode};
use crate::tracker::Tracker;
use crate::work::{Exceeded, Work};

pub(crate) use shortest::plainest;
pub use terminals::Piece;

/// A constraint, and the filling of its caches that a sequence uses.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) constraint: Constraint,
    pub(crate) generation: Arc<Generation>,
}

/// Where bytes lead: the automaton's part, and the tracker's if there is one.
pub(crate) type Place = (Config, Option<Arc<Tracker>>);

/// Why bytes did not fit.
pub(crate) enum Refused {
    At(usize),
    Limit(Exceeded),
}

impl From<Exceeded> for Refused {
    fn from(e: Exceeded) -> Self {
        Refused::Limit(e)
    }
}

impl Session {
    /// A session with the caches that are used now.
    pub(crate) fn new(constraint: Constraint) -> Self {
        let generation = constraint.inner.generation();
        Session { constraint, generation }
    }

    #[inline]
    pub(crate) fn inner(&self) -> &Inner {
        &self.constraint.inner
    }

    /// The start of a text.
    pub(crate) fn start(&self) -> Place {
        let tracking = self.inner().tracking;
        let tracker = tracking.any().then(|| Arc::new(Tracker::new(tracking)));
        (SmallVec::from_iter([(self.generation.store.start(), StackNode::bottom())]), tracker)
    }

    /// Whether the text may end in a configuration.
    pub(crate) fn accepts(&self, config: &Config) -> bool {
        let store = &self.generation.store;
        config.iter().any(|(state, stack)| stack.accepts_from(store, *state))
    }

    /// Whether nothing was given up half-way in the caches: what they say then is not to be relied on.
    pub(crate) fn is_sound(&self) -> Result<(), Exceeded> {
        self.generation.store.exceeded().map_or(Ok(()), Err)
    }

    pub(crate) fn work(&self) -> Work {
        Work::new(self.inner().limits.mask_work)
    }
}
