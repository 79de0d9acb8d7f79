//! Before the choice of an entry: the same whatever slots are open.
//!
//! *Recognized* is a state from which one choice is come to, if white space, say, is before it. *Exact*, since the way up to
//! the choice does not depend on which slots are open. The *answer* is that of a generic place, which stops at the choice, and
//! what entries of the open slots do at the nodes where it stopped. The *limit*: for what is left of a token, it must not call frames.

use super::super::memory::Origin;
use super::super::walk::calls_apart;
use super::shape::{Ask, StateShape};
use crate::ablate::Switch;
use crate::automaton::Generic;
use crate::tokens::pending::{PendingId, Walked};
use crate::work::{Exceeded, Work};

/// The generic place, and the choice.
pub(super) struct GenericPlace(Generic);

impl<'a> StateShape<'a> for GenericPlace {
    const WAY: Switch = Switch::GenericPlaces;

    fn recognize(ask: &Ask<'a>, work: &mut Work) -> Option<Self> {
        // Where entries are walked as a part of it, it is none.
        let generic = if calls_apart(work) { ask.store.generic_of(ask.state) } else { None }?;
        let store = ask.store;
        let may = !matches!(ask.from, Origin::Pending(pending) if pending != PendingId::WHOLE)
            || store.split_expansion(store.local_of(generic.state)).apart.is_empty();
        may.then_some(GenericPlace(generic))
    }

    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        let GenericPlace(Generic { state, choice }) = self;
        let mut walk = ask.walk(work);
        let known = ask.of(state, walk.work)?;
        walk.take(&known, choice, (ask.from, state))?;
        walk.run()?;
        let mut walked = walk.finish(None);
        walked.pending.extend(known.pending.iter().copied());
        Ok(Some(walked))
    }
}
