//! One filling of a constraint's caches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokenstile_grammar::Limits;

use super::library::Library;
use super::proof::Proofs;
use crate::automaton::{Program, Store};
use crate::collections::{MemoStats, Retired};
use crate::masks::MaskStore;
use crate::tracker::Corrections;

/// One filling of the caches; dropped as a whole when it has grown too large.
pub(crate) struct Generation {
    pub(crate) store: Store,
    /// What other constraints have too.
    library: Option<Arc<Library>>,
    pub(crate) masks: MaskStore,
    pub(crate) proofs: Proofs,
    pub(crate) corrections: Corrections,
    /// No other generation of the process has it.
    pub(crate) number: u64,
    /// What was held right after a sequence had moved here: less than that cannot do.
    floor: AtomicUsize,
}

impl Generation {
    pub(crate) fn new(program: &Arc<Program>, limits: &Limits, library: Option<Arc<Library>>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (automaton, masks) = match &library {
            Some(library) => (Some(library.automaton.clone()), Some(library.masks.clone())),
            None => (None, None),
        };
        Generation {
            masks: MaskStore::new(masks),
            store: Store::new(program.clone(), limits, automaton),
            library,
            proofs: Proofs::default(),
            corrections: Corrections::default(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            floor: AtomicUsize::new(0),
        }
    }

    /// What is remembered by key.
    pub(crate) fn memos(&self) -> Vec<MemoStats> {
        let mut memos = self.store.memos();
        memos.extend(self.masks.memos());
        memos.push(self.proofs.stats());
        memos.push(self.corrections.single.stats("items that are compared with one"));
        memos.push(self.corrections.beginning.stats("tokens that begin something"));
        memos
    }

    /// What takes long to drop; the rest is dropped here.
    pub(super) fn retire(self) -> Retired {
        let mut retired = Retired::default();
        self.store.retire(&mut retired);
        self.masks.retire(&mut retired);
        retired.add(self.corrections.spots.list);
        retired
    }

    /// Whether this has grown so large that it should be given up.
    pub(crate) fn is_full(&self, limits: &Limits) -> bool {
        let floor = self.floor.load(Ordering::Relaxed);
        self.store.is_full(limits.cache_bytes.max(floor.saturating_mul(2)))
            || self.library.as_ref().is_some_and(|library| library.is_full())
    }

    /// Takes note of how much a sequence needs that has just moved here.
    pub(crate) fn settle(&self) {
        self.floor.fetch_max(self.store.bytes(), Ordering::Relaxed);
    }
}
