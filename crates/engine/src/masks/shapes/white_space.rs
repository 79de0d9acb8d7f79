//! White space, and then something else.
//!
//! *Recognized* is a state that begins with white space in all of its cells. *Exact*, since the white space is a frame like
//! one that is called, and what follows is where it returns. The *answer* is what is known of white space, and what follows does
//! with what that leaves. The *limit*: not too many within each other.

use super::shape::{Ask, StateShape};
use crate::ablate::Switch;
use crate::automaton::WhiteSpaceFirst;
use crate::tokens::pending::Walked;
use crate::tuning::walk::FRAMES_DEEP;
use crate::work::{Exceeded, Work};

impl<'a> StateShape<'a> for WhiteSpaceFirst {
    const WAY: Switch = Switch::WhiteSpaceApart;

    fn recognize(ask: &Ask<'a>, work: &mut Work) -> Option<Self> {
        if may_be_apart(work) { ask.store.white_space_first(ask.state) } else { None }
    }

    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        let mut walk = ask.walk(work);
        let known = ask.of(self.space, walk.work)?;
        walk.follow(&known, self.then)?;
        Ok(Some(walk.finish(None)))
    }
}

/// Whether white space may be walked by itself: what follows it, which is one deeper, may call frames.
fn may_be_apart(work: &Work) -> bool {
    work.depth + 1 < FRAMES_DEEP
}
