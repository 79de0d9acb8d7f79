//! What walks left behind, and how an answer is put together from it.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxBuildHasher;
use tokenstile_grammar::ir::IdIndex;

use super::whole::Wholes;
use super::{Children, Choices, LiteralMemo, Wide};
use crate::automaton::{LocalId, OWN, StateId, Store};
use crate::collections::{AppendVec, Keyed, MemoStats, Retired, Writer};
use crate::tokens::class::CharClass;
use crate::tokens::pending::{End, Pending, PendingId, Walked, WalkedId};
use crate::tokens::trie::Trie;
use crate::tuning::accept::{DENSE, DENSE_SHARED};
use crate::vocab::TokenId;

/// What walks left behind for others to find.
pub(crate) struct MaskStore {
    /// What other constraints have too.
    shared: Option<Arc<MaskStore>>,
    /// The first id of this store's own objects.
    own: u32,
    /// More tokens than this are kept as a mask.
    pub(crate) dense: usize,
    pending: AppendVec<Known>,
    walked: AppendVec<Walked>,
    index: Mutex<Index>,
    /// What states of the library do with what is pending in this constraint only.
    pub(crate) resolved: Keyed<(PendingId, StateId), WalkedId>,
    pub(crate) choices: Choices,
    pub(crate) literals: LiteralMemo,
    /// Where characters past ASCII lead.
    pub(crate) wide: Keyed<LocalId, Option<Wide>>,
    /// With which tokens below a node a text of a class fails from a place.
    pub(crate) failing: Keyed<(LocalId, CharClass, u32), Arc<[TokenId]>>,
    pub(crate) wholes: Wholes,
}

/// What is held by whoever adds to what walks left behind.
#[derive(Default)]
struct Index {
    pending: IdIndex<PendingId>,
    writer: Writer,
}

/// Something pending, and its children in order, once that was asked for.
struct Known {
    pending: Pending,
    children: OnceLock<Children>,
}

impl Known {
    fn new(pending: Pending) -> Self {
        Known { pending, children: OnceLock::new() }
    }
}

impl MaskStore {
    pub(crate) fn new(shared: Option<Arc<MaskStore>>) -> Self {
        let mut index = Index::default();
        let pending = AppendVec::new(&index.writer);
        if shared.is_none() {
            pending.push(Known::new(Pending::default()), &mut index.writer); // PendingId::WHOLE
        }
        MaskStore {
            own: if shared.is_some() { OWN } else { 0 },
            dense: DENSE,
            resolved: Keyed::default(),
            pending,
            walked: AppendVec::new(&index.writer),
            index: Mutex::new(index),
            choices: Choices::default(),
            literals: LiteralMemo::default(),
            wide: Keyed::default(),
            failing: Keyed::default(),
            wholes: Wholes::new(),
            shared,
        }
    }

    /// One that constraints share.
    pub(crate) fn of_library() -> Self {
        MaskStore { dense: DENSE_SHARED, ..MaskStore::new(None) }
    }

    /// Where the object with this number is: here, or in the library.
    #[inline]
    fn home(&self, id: u32) -> &MaskStore {
        if id >= self.own {
            return self;
        }
        self.shared.as_deref().unwrap_or(self)
    }

    pub(crate) fn walked(&self, id: WalkedId) -> &Walked {
        let home = self.home(id.0);
        home.walked.get((id.0 - home.own) as usize)
    }

    pub(crate) fn pending(&self, id: PendingId) -> &Pending {
        &self.known(id).pending
    }

    fn known(&self, id: PendingId) -> &Known {
        let home = self.home(id.0);
        home.pending.get((id.0 - home.own) as usize)
    }

    /// The children of the nodes that are pending, in order of their bytes, if there are many.
    pub(crate) fn children(&self, store: &Store, trie: &Trie, id: PendingId) -> Option<&Children> {
        let Known { pending, children } = self.known(id);
        let made = || {
            let children = Children::of(trie, pending);
            store.home(id.0).add_bytes(children.bytes());
            children
        };
        Children::pays(pending).then(|| children.get_or_init(made))
    }

    /// The store and the memory that know a state: these, or those of the library.
    pub(crate) fn at_home<'s>(&'s self, store: &'s Store, state: StateId) -> (&'s MaskStore, &'s Store) {
        match (&self.shared, &store.library) {
            (Some(masks), Some(library)) if store.is_shared(state.0) => (masks, &library.store),
            _ => (self, store),
        }
    }

    /// Hands over what takes long to drop.
    pub(crate) fn retire(self, retired: &mut Retired) {
        let MaskStore { pending, walked, wholes, .. } = self;
        retired.add(pending);
        retired.add(walked);
        wholes.retire(retired);
    }

    /// What is remembered by key.
    pub(crate) fn memos(&self) -> Vec<MemoStats> {
        let mut memos = vec![
            self.resolved.stats("pending in states of the library"),
            self.wide.stats("characters past ASCII"),
            self.literals.stats(),
        ];
        memos.extend(self.choices.memos());
        memos
    }

    pub(crate) fn count(&self) -> usize {
        self.walked.len()
    }

    pub(crate) fn intern(&self, store: &Store, pending: Pending) -> PendingId {
        let hash = FxBuildHasher.hash_one(&pending);
        let shared = self.shared.as_ref().filter(|_| pending.end.is_none());
        if let Some(known) = shared.and_then(|shared| shared.find(hash, &pending)) {
            return known;
        }
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = index.pending.find(hash, |id| *self.pending(id) == pending) {
            return known;
        }
        store.add_bytes(pending.bytes() + size_of::<OnceLock<Children>>());
        let id = PendingId(self.own + self.pending.push(Known::new(pending), &mut index.writer) as u32);
        index.pending.insert(hash, id);
        id
    }

    fn find(&self, hash: u64, pending: &Pending) -> Option<PendingId> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.pending.find(hash, |id| *self.pending(id) == *pending)
    }

    /// What is pending where the frame of an entry ends.
    pub(crate) fn ended(&self, store: &Store, end: End, of: PendingId) -> PendingId {
        self.intern(store, Pending { end: Some(end), of: Some(of), ..Pending::default() })
    }

    pub(crate) fn add(&self, walked: Walked) -> WalkedId {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        WalkedId(self.own + self.walked.push(walked, &mut index.writer) as u32)
    }
}
