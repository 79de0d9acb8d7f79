//! States that are several others together.
//!
//! *Recognized* is a state before several members, or one of which some cells are shared with other constraints. *Exact*,
//! since what a state allows is what each of its cells allows. The *answer* is that of the parts, each of which is met
//! elsewhere too. The *limit* is the number of parts.

use smallvec::SmallVec;

use super::shape::{Ask, StateShape};
use crate::ablate::Switch;
use crate::automaton::StateId;
use crate::tokens::pending::Walked;
use crate::work::{Exceeded, Work};

/// A state before several members, one for each.
pub(super) struct MembersApart(SmallVec<[StateId; 4]>);

impl<'a> StateShape<'a> for MembersApart {
    const WAY: Switch = Switch::MembersApart;

    fn recognize(ask: &Ask<'a>, _: &mut Work) -> Option<Self> {
        ask.store.parts_by_members(ask.state).map(MembersApart)
    }

    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        all_of(ask, &self.0, work)
    }
}

/// The cells that other constraints have too, and the others.
pub(super) struct SharedApart(SmallVec<[StateId; 4]>);

impl<'a> StateShape<'a> for SharedApart {
    const WAY: Switch = Switch::SharedApart;

    fn recognize(ask: &Ask<'a>, _: &mut Work) -> Option<Self> {
        ask.store.parts_by_home(ask.state).map(SharedApart)
    }

    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        all_of(ask, &self.0, work)
    }
}

/// What each part comes to, joined.
fn all_of(ask: &Ask<'_>, parts: &[StateId], work: &mut Work) -> Result<Option<Walked>, Exceeded> {
    let mut walk = ask.walk(work);
    for &part in parts {
        let known = ask.of(part, walk.work)?;
        walk.join(&known)?;
    }
    Ok(Some(walk.finish(None)))
}
