//! Where the characters past ASCII lead.

use smallvec::SmallVec;

use crate::automaton::LocalId;
use crate::tokens::class::LackId;

/// Where characters past ASCII lead, and which of them lead nowhere.
#[derive(Clone)]
pub(crate) struct Wide {
    pub(crate) targets: SmallVec<[LocalId; 4]>,
    pub(crate) dead: SmallVec<[char; 4]>,
    /// More characters that lead nowhere.
    pub(crate) lack: LackId,
    /// Characters with where they lead, if no more than a few lead there.
    pub(crate) rare: SmallVec<[(LocalId, char); 4]>,
    /// Where more do.
    pub(crate) common: SmallVec<[LocalId; 4]>,
}

impl Default for Wide {
    fn default() -> Self {
        Wide {
            targets: SmallVec::new(),
            dead: SmallVec::new(),
            lack: LackId::NOTHING,
            rare: SmallVec::new(),
            common: SmallVec::new(),
        }
    }
}
