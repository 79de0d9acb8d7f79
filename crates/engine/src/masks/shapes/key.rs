//! Inside a key that is certain.
//!
//! *Recognized* is a state that is the rest of one key, behind which comes what follows keys of its kind. *Exact*, since
//! nothing else may be read. The *answer* is the tokens on the one way down the trie, and behind it those of a frame that all
//! members share. It has no *limit*.

use super::shape::{Ask, StateShape};
use crate::ablate::Switch;
use crate::automaton::BehindKey;
use crate::tokens::pending::Walked;
use crate::tokens::trie::ROOT;
use crate::work::{Exceeded, Work};

/// The rest of a key, and what follows it.
pub(super) struct InKey<'a>(&'a [u8], BehindKey);

impl<'a> StateShape<'a> for InKey<'a> {
    const WAY: Switch = Switch::KeyMasks;

    fn recognize(ask: &Ask<'a>, _: &mut Work) -> Option<Self> {
        let key = if ask.is_start() { ask.store.in_key(ask.state) } else { None };
        key.map(|(name, behind)| InKey(name, behind))
    }

    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        let InKey(name, behind) = self;
        let mut walk = ask.walk(work);
        if let Some(node) = walk.along(ROOT, name)? {
            walk.behind_key(node, behind)?;
        }
        Ok(Some(walk.finish(None)))
    }
}
