//! Where the characters past ASCII lead.

use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;
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

/// What was found out about places.
#[derive(Default)]
pub(crate) struct WideMemo(RwLock<FxHashMap<LocalId, Option<Wide>>>);

impl WideMemo {
    pub(crate) fn get(&self, local: LocalId) -> Option<Option<Wide>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&local).cloned()
    }

    pub(crate) fn insert(&self, local: LocalId, wide: Option<Wide>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(local, wide);
    }
}
