//! What walks left behind, and how an answer is put together from it.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use tokenstile_grammar::ir::IdIndex;

use super::accept::{DENSE, DENSE_SHARED};
use super::below::Below;
use super::choice::{Choices, Origin};
use super::literals::LiteralMemo;
use super::pending::{Pending, PendingId, Walked, WalkedId};
use super::walk::Walk;
use super::whole::Wholes;
use super::wide::WideMemo;
use crate::ablate::{Switch, is_off};
use crate::automaton::{AppendVec, BehindKey, BlankFirst, End, Exceeded, Generic, OWN, StateId, Store, Work};
use crate::library::Library;
use crate::tables::Tables;
use crate::trie::{ROOT, Trie};

/// What walks left behind for others to find.
pub(crate) struct MaskStore {
    /// What other constraints have too: see [`library`](crate::library).
    library: Option<Arc<Library>>,
    /// The first id of this store's own objects.
    own: u32,
    /// More tokens than this are kept as a mask.
    pub(super) dense: usize,
    pending: AppendVec<Known>,
    walked: AppendVec<Walked>,
    index: Mutex<IdIndex<PendingId>>,
    /// What states of the library do with what is pending in this constraint only.
    resolved: RwLock<FxHashMap<(PendingId, StateId), WalkedId>>,
    pub(super) choices: Choices,
    pub(super) literals: LiteralMemo,
    pub(super) wide: WideMemo,
    pub(super) wholes: Wholes,
}

/// Something pending, and what lies below it, once that was asked for.
struct Known {
    pending: Pending,
    below: OnceLock<Below>,
}

impl Known {
    fn new(pending: Pending) -> Self {
        Known { pending, below: OnceLock::new() }
    }
}

impl MaskStore {
    pub(crate) fn new(library: Option<Arc<Library>>) -> Self {
        let store = MaskStore {
            own: if library.is_some() { OWN } else { 0 },
            dense: DENSE,
            resolved: RwLock::default(),
            pending: AppendVec::new(),
            walked: AppendVec::new(),
            index: Mutex::default(),
            choices: Choices::default(),
            literals: LiteralMemo::default(),
            wide: WideMemo::default(),
            wholes: Wholes::new(),
            library,
        };
        if store.library.is_none() {
            store.pending.push(Known::new(Pending::default())); // PendingId::WHOLE
        }
        store
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
        self.library.as_ref().map_or(self, |library| &library.masks)
    }

    pub(crate) fn walked(&self, id: WalkedId) -> &Walked {
        let home = self.home(id.0);
        home.walked.get((id.0 - home.own) as usize)
    }

    pub(super) fn pending(&self, id: PendingId) -> &Pending {
        &self.known(id).pending
    }

    fn known(&self, id: PendingId) -> &Known {
        let home = self.home(id.0);
        home.pending.get((id.0 - home.own) as usize)
    }

    /// What lies below the nodes that are pending, if there are many.
    pub(super) fn below(&self, store: &Store, trie: &Trie, id: PendingId) -> Option<&Below> {
        let Known { pending, below } = self.known(id);
        let made = || {
            let below = Below::of(trie, pending);
            store.home(id.0).add_bytes(below.bytes());
            below
        };
        Below::pays(pending).then(|| below.get_or_init(made))
    }

    /// The store and the memory that know a state: these, or those of the library.
    pub(super) fn at_home<'s>(&'s self, store: &'s Store, state: StateId) -> (&'s MaskStore, &'s Store) {
        match &store.library {
            Some(library) if store.is_shared(state.0) => (&library.masks, &library.store),
            _ => (self, store),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.walked.len()
    }

    pub(super) fn intern(&self, store: &Store, pending: Pending) -> PendingId {
        let hash = FxBuildHasher.hash_one(&pending);
        let shared = self.library.as_ref().filter(|_| pending.end.is_none());
        if let Some(known) = shared.and_then(|library| library.masks.find(hash, &pending)) {
            return known;
        }
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = index.find(hash, |id| *self.pending(id) == pending) {
            return known;
        }
        store.add_bytes(pending.bytes() + size_of::<OnceLock<Below>>());
        let id = PendingId(self.own + self.pending.push(Known::new(pending)) as u32);
        index.insert(hash, id);
        id
    }

    fn find(&self, hash: u64, pending: &Pending) -> Option<PendingId> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.find(hash, |id| *self.pending(id) == *pending)
    }

    /// What is pending where the frame of an entry ends.
    pub(super) fn ended(&self, store: &Store, end: End, of: PendingId) -> PendingId {
        self.intern(store, Pending { end: Some(end), of: Some(of), ..Pending::default() })
    }

    fn add(&self, walked: Walked) -> WalkedId {
        // The lock makes this the only writer.
        let _index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        WalkedId(self.own + self.walked.push(walked) as u32)
    }

    /// The tokens that `state` allows from the start of a token.
    pub(crate) fn start<'s>(
        &'s self,
        store: &'s Store,
        tables: &Tables,
        state: StateId,
        work: &mut Work,
    ) -> Result<&'s Walked, Exceeded> {
        let state = store.clamped(state);
        let slot = &store.state(state).walked;
        if let Some(walked) = slot.get() {
            return Ok(walked);
        }
        let (memory, store) = self.at_home(store, state);
        memory.own_start(store, tables, state, work)
    }

    fn own_start<'s>(
        &self,
        store: &'s Store,
        tables: &Tables,
        state: StateId,
        work: &mut Work,
    ) -> Result<&'s Walked, Exceeded> {
        let slot = &store.state(state).walked;
        if !is_off(Switch::KeyMasks)
            && let Some(key) = store.in_key(state)
        {
            let walked = self.start_in_key(store, tables, key, work)?;
            return Ok(slot.get_or_init(|| Box::new(walked)));
        }
        if store.is_wide(state) && !is_off(Switch::LiteralsApart) {
            let walked = self.start_with_literals(store, tables, state, work)?;
            return Ok(slot.get_or_init(|| Box::new(walked)));
        }
        if let Some(walked) = self.start_but_few(store, tables, state, work)? {
            return Ok(slot.get_or_init(|| Box::new(walked)));
        }
        if let Some(walked) = self.start_shorter(store, tables, state, work)? {
            return Ok(slot.get_or_init(|| Box::new(walked)));
        }
        let mut passed: SmallVec<[PendingId; 2]> = SmallVec::new();
        let mut walk = Walk::new(self, store, tables, work);
        match walk.generic_of(state) {
            Some(Generic { state, choice }) => {
                let known = self.start(store, tables, state, walk.work)?;
                walk.take(known, choice, (Origin::Pending(PendingId::WHOLE), state))?;
                passed.extend_from_slice(&known.pending);
            }
            None if walk.by_members(state, |part, work| self.start(store, tables, part, work))? => {}
            None if let Some(BlankFirst { blank, then }) = walk.blank_first(state) => {
                let known = self.start(store, tables, blank, walk.work)?;
                walk.follow(known, then)?;
            }
            None => walk.visit(ROOT, store.clamped_local(store.local_of(state)))?,
        }
        walk.run()?;
        let mut walked = walk.finish(None);
        walked.pending.extend(passed);
        Ok(slot.get_or_init(|| Box::new(walked)))
    }

    /// The tokens that a state in a key allows.
    fn start_in_key(
        &self,
        store: &Store,
        tables: &Tables,
        (name, behind): (&[u8], BehindKey),
        work: &mut Work,
    ) -> Result<Walked, Exceeded> {
        let mut walk = Walk::new(self, store, tables, work);
        if let Some(node) = walk.along(ROOT, name)? {
            walk.behind_key(node, behind)?;
        }
        Ok(walk.finish(None))
    }

    /// The tokens that a state with literals among its cells allows: those of the literals, and those of the rest, which
    /// is an old friend.
    fn start_with_literals(
        &self,
        store: &Store,
        tables: &Tables,
        state: StateId,
        work: &mut Work,
    ) -> Result<Walked, Exceeded> {
        let mut walk = Walk::new(self, store, tables, work);
        let rest = walk.along_literals(state)?;
        walk.run()?;
        let Some(rest) = store.beside_literals(&rest) else { return Ok(walk.finish(None)) };
        let known = self.start(store, tables, rest, walk.work)?;
        known.accept.add_to(&mut walk.masks, &mut walk.ids);
        let mut walked = walk.finish(None);
        for &pending in &known.pending {
            if !walked.pending.contains(&pending) {
                walked.pending.push(pending);
            }
        }
        Ok(walked)
    }

    /// The tokens that `state` allows for what is left of them in `pending`.
    pub(crate) fn resolve<'a>(
        &'a self,
        store: &'a Store,
        tables: &Tables,
        pending: PendingId,
        state: StateId,
        work: &mut Work,
    ) -> Result<&'a Walked, Exceeded> {
        let Pending { end, of, .. } = *self.pending(pending);
        let (state, pending) = (store.clamped(store.returned(state, end)), of.unwrap_or(pending));
        if pending == PendingId::WHOLE {
            return self.start(store, tables, state, work);
        }
        // A state of the library does not know what is pending in this constraint only.
        let apart = store.is_shared(state.0) && !store.is_shared(pending.0);
        let known = match apart {
            true => {
                self.resolved.read().unwrap_or_else(PoisonError::into_inner).get(&(pending, state)).copied()
            }
            false => store.state(state).resolved.get(pending),
        };
        if let Some(id) = known
            && !is_off(Switch::ResolveMemo)
        {
            return Ok(self.walked(id));
        }
        let (memory, home) = if apart { (self, store) } else { self.at_home(store, state) };
        let id = memory.add(memory.go_on_from(home, tables, pending, state, work)?);
        if apart {
            store.add_bytes(24);
            self.resolved.write().unwrap_or_else(PoisonError::into_inner).insert((pending, state), id);
        } else {
            store.state(state).resolved.insert(pending, id);
        }
        Ok(self.walked(id))
    }

    fn go_on_from(
        &self,
        store: &Store,
        tables: &Tables,
        pending: PendingId,
        state: StateId,
        work: &mut Work,
    ) -> Result<Walked, Exceeded> {
        if let Some(end) = store.only_end(state) {
            let pending = SmallVec::from_iter([self.ended(store, end, pending)]);
            return Ok(Walked { pending, ..Walked::default() });
        }
        if let Some(walked) = self.go_on_shorter(store, tables, pending, state, work)? {
            return Ok(walked);
        }
        let mut walk = Walk::new(self, store, tables, work);
        if let Some(Generic { state, choice }) = walk.generic_of(state)
            && store.split_expansion(store.local_of(state)).apart.is_empty()
        {
            let known = self.resolve(store, tables, pending, state, walk.work)?;
            walk.take(known, choice, (Origin::Pending(pending), state))?;
            walk.run()?;
            let mut walked = walk.finish(None);
            walked.pending.extend(known.pending.iter().copied());
            return Ok(walked);
        }
        if walk.by_members(state, |part, work| self.resolve(store, tables, pending, part, work))? {
            return Ok(walk.finish(None));
        }
        if let Some(BlankFirst { blank, then }) = walk.blank_first(state) {
            let known = self.resolve(store, tables, pending, blank, walk.work)?;
            walk.follow(known, then)?;
            return Ok(walk.finish(None));
        }
        let local = store.clamped_local(store.local_of(state));
        let left = self.pending(pending);
        walk.pending(pending, local)?;
        walk.run()?;
        let at = store.split_expansion(local);
        walk.pass_on(left, at, true);
        // What is pending all the same need not be kept twice.
        Ok(walk.finish(at.pops.then_some(pending)))
    }
}
