//! Where the characters past ASCII lead.

use smallvec::SmallVec;

use crate::automaton::LocalId;

/// Where characters past ASCII lead, and which of them lead nowhere.
#[derive(Clone, Default)]
pub(crate) struct Wide {
    pub(crate) targets: SmallVec<[LocalId; 4]>,
    pub(crate) dead: SmallVec<[char; 4]>,
    /// Characters with where they lead, if no more than a few lead there.
    pub(crate) rare: SmallVec<[(LocalId, char); 4]>,
    /// Where more do.
    pub(crate) common: SmallVec<[LocalId; 4]>,
}
