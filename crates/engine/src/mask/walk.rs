//! The walk: a state against the trie.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::SmallVec;
use std::hash::BuildHasher;
use tokenstile_grammar::ir::ByteSet;

use super::accept::{Accept, Shared};
use super::pending::{Pending, PendingId, Walked, WalkedId};
use crate::automaton::{AppendVec, CharClass, Exceeded, LocalExpansion, LocalId, Loop, StateId, Store, Work};
use crate::profile::{Profile, Run, RunMask};
use crate::tables::Tables;
use crate::trie::{ROOT, Trie};
use crate::vocab::TokenId;

/// Runs of fewer tokens than this are walked: the tables would cost more than they save.
const RUN_TOKENS: usize = 256;

/// What walks left behind for others to find.
pub(crate) struct MaskStore {
    pending: AppendVec<Pending>,
    walked: AppendVec<Walked>,
    index: Mutex<HashTable<PendingId>>,
}

impl MaskStore {
    pub(crate) fn new() -> Self {
        let store = MaskStore {
            pending: AppendVec::new(),
            walked: AppendVec::new(),
            index: Mutex::new(HashTable::new()),
        };
        store.pending.push(Pending::default()); // PendingId::WHOLE
        store
    }

    pub(crate) fn walked(&self, id: WalkedId) -> &Walked {
        self.walked.get(id.0 as usize)
    }

    pub(crate) fn count(&self) -> usize {
        self.walked.len()
    }

    fn intern(&self, pending: Pending) -> (PendingId, bool) {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = FxBuildHasher.hash_one(&pending);
        if let Some(&id) = index.find(hash, |id| *self.pending.get(id.0 as usize) == pending) {
            return (id, false);
        }
        let id = PendingId(self.pending.push(pending) as u32);
        index.insert_unique(hash, id, |id| FxBuildHasher.hash_one(self.pending.get(id.0 as usize)));
        (id, true)
    }

    fn add(&self, walked: Walked) -> WalkedId {
        // The lock makes this the only writer.
        let _index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        WalkedId(self.walked.push(walked) as u32)
    }

    /// The tokens that `state` allows from the start of a token.
    pub(crate) fn start<'s>(
        &self,
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
        let mut walk = Walk::new(store, tables, work);
        walk.visit(ROOT, store.clamped_local(store.local_of(state)))?;
        walk.run()?;
        let walked = walk.finish(self, None);
        Ok(slot.get_or_init(|| walked))
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
        if pending == PendingId::WHOLE {
            return self.start(store, tables, state, work);
        }
        let state = store.clamped(state);
        let memo = &store.state(state).resolved;
        if let Some(id) = memo.get(pending) {
            return Ok(self.walked(id));
        }
        let local = store.clamped_local(store.local_of(state));
        let mut walk = Walk::new(store, tables, work);
        walk.pending(self.pending.get(pending.0 as usize), local)?;
        walk.run()?;
        let passes = store.local_expansion(local).pops.then_some(pending);
        let walked = walk.finish(self, passes);
        let id = self.add(walked);
        memo.insert(pending, id);
        Ok(self.walked(id))
    }
}

/// One walk: what is still to visit, and what was found.
struct Walk<'a> {
    store: &'a Store,
    tables: &'a Tables,
    trie: &'a Trie,
    work: &'a mut Work,
    todo: Vec<(u32, LocalId)>,
    ids: Vec<TokenId>,
    masks: SmallVec<[Shared; 1]>,
    whole: bool,
    found: Pending,
    /// Places that were visited, where a place may be come to in several ways.
    visited: Option<FxHashSet<(u32, LocalId)>>,
}

impl<'a> Walk<'a> {
    fn new(store: &'a Store, tables: &'a Tables, work: &'a mut Work) -> Self {
        Walk {
            store,
            tables,
            trie: &tables.trie,
            work,
            todo: Vec::new(),
            ids: Vec::new(),
            masks: SmallVec::new(),
            whole: false,
            found: Pending::default(),
            visited: None,
        }
    }

    /// The result; `passes` is what stays pending because the state itself may end at once.
    fn finish(mut self, masks: &MaskStore, passes: Option<PendingId>) -> Walked {
        let mut pending: SmallVec<[PendingId; 2]> = passes.into_iter().collect();
        if self.whole {
            pending.push(PendingId::WHOLE);
        }
        let mut bytes = 0;
        if self.found.nodes.len() > 64 {
            self.found.nodes.sort_unstable();
            self.found.nodes.dedup();
        }
        if !self.found.is_empty() {
            let size = self.found.bytes();
            let (id, new) = masks.intern(self.found);
            bytes += if new { size } else { 0 };
            if !pending.contains(&id) {
                pending.push(id);
            }
        }
        let accept = Accept::new(self.masks, &self.ids, self.tables.words);
        self.store.add_bytes(bytes + accept.bytes() + size_of::<Walked>());
        Walked { accept, pending }
    }

    #[inline]
    fn step(&mut self, local: LocalId, from: &LocalExpansion, class: usize) -> Result<LocalId, Exceeded> {
        self.store.step_clamped(local, from, class, self.work)
    }

    /// Visits what there is to visit.
    fn run(&mut self) -> Result<(), Exceeded> {
        while let Some((node, local)) = self.todo.pop() {
            self.go_on(node, local)?;
        }
        Ok(())
    }

    /// Takes every child of `node` that `local` has a way to.
    #[inline]
    fn go_on(&mut self, node: u32, local: LocalId) -> Result<(), Exceeded> {
        let expansion = self.store.local_expansion(local);
        let children = self.trie.children(node);
        let ways = expansion.alive.len();
        self.work.spend(1 + ways.min(children.len()))?;
        if ways * 4 < children.len() {
            for byte in expansion.alive.iter() {
                if let (Some(child), Some(class)) = (self.trie.child(node, byte), expansion.class_of(byte)) {
                    let next = self.step(local, expansion, class)?;
                    self.arrive(child, next)?;
                }
            }
        } else {
            for child in children {
                if let Some(class) = expansion.class_of(self.trie.byte[child as usize]) {
                    let next = self.step(local, expansion, class)?;
                    self.arrive(child, next)?;
                }
            }
        }
        Ok(())
    }

    /// Comes to `node` in `local`: takes the tokens that end here, and goes on below if there is more.
    #[inline]
    fn arrive(&mut self, node: u32, local: LocalId) -> Result<(), Exceeded> {
        self.ids.extend_from_slice(self.trie.own(node));
        if self.trie.nodes[node as usize].children == 0 { Ok(()) } else { self.visit(node, local) }
    }

    /// Goes on below `node`, now or later.
    fn visit(&mut self, node: u32, local: LocalId) -> Result<(), Exceeded> {
        if let Some(visited) = &mut self.visited
            && !visited.insert((node, local))
        {
            return Ok(());
        }
        if let Some(literal) = self.store.local_literal(local) {
            return self.literal(node, local, literal);
        }
        if let Some(anchor) = self.tables.profile.anchor_at(node) {
            return if node != ROOT && self.take_whole(node, local) {
                Ok(())
            } else {
                self.anchor(anchor, local)
            };
        }
        if self.take_whole(node, local) {
            return Ok(());
        }
        if self.store.local_expansion(local).pops {
            self.found.nodes.push(node);
        }
        self.todo.push((node, local));
        Ok(())
    }

    /// Follows a literal down the trie. The places inside it need no states of their own.
    fn literal(&mut self, mut node: u32, local: LocalId, literal: &[u8]) -> Result<(), Exceeded> {
        self.work.spend(literal.len().min(self.trie.longest))?;
        for &byte in literal {
            let Some(child) = self.trie.child(node, byte) else { return Ok(()) };
            node = child;
            self.ids.extend_from_slice(self.trie.own(node));
        }
        if self.trie.nodes[node as usize].children == 0 {
            return Ok(());
        }
        let next = self.store.after_literal(local);
        self.visit(node, next)
    }

    /// If everything below `node` stays inside a loop, takes it all.
    #[inline]
    fn take_whole(&mut self, node: u32, local: LocalId) -> bool {
        let Some(repeats) = self.store.repeats_ref(local) else { return false };
        let below = &self.trie.below[node as usize];
        let pure = below.ascii & !repeats.ascii == 0
            && (!below.wide || (repeats.wide && !below.broken && below.boundary))
            && repeats.left.is_none_or(|left| below.chars <= left)
            && (repeats.need == 0 || below.chars < repeats.need);
        if !pure {
            return false;
        }
        let own = self.trie.own(node).len();
        self.ids.extend_from_slice(&self.trie.subtree(node)[own..]);
        if self.store.local_expansion(local).pops {
            self.found.pure.push((node, self.store.program.class(repeats.chars)));
        }
        true
    }

    /// Visits an anchor: runs of characters by the tables, the rest by walking.
    fn anchor(&mut self, index: u32, local: LocalId) -> Result<(), Exceeded> {
        let tables = self.tables;
        let anchor = tables.profile.anchor(index);
        let expansion = self.store.local_expansion(local);
        if expansion.pops {
            if anchor.node == ROOT {
                self.whole = true;
            } else {
                self.found.nodes.push(anchor.node);
            }
        }
        let ascii = ByteSet::range(0, 0x7f);
        let mut left = anchor.bytes.intersect(&expansion.alive);
        for (i, class) in expansion.classes.iter().enumerate() {
            let first = class.set.intersect(&left).intersect(&ascii);
            if !anchor.has(RUN_TOKENS, &first) {
                continue;
            }
            let next = self.step(local, expansion, i)?;
            let Some(repeats) = self.store.repeats(next) else { continue };
            let rest = self.store.program.class(repeats.chars);
            if !Profile::pays(&first, &rest) || !self.stays_simple(next, repeats, &rest)? {
                continue;
            }
            let shown = first.first().is_some_and(|byte| self.store.wide_follows(local, byte));
            let first_wide = rest.wide && (shown || self.wide_leads_to(local, next)?);
            let most = repeats.left.map_or(u32::MAX, |l| l.saturating_add(1));
            let run = Run { anchor: index, first, first_wide, rest, most };
            self.run_of(run, next, repeats)?;
            left = left.minus(&first);
            if first_wide {
                left = left.intersect(&ascii);
            }
        }
        for byte in left.iter() {
            if let (Some(class), Some(child)) = (expansion.class_of(byte), self.trie.child(anchor.node, byte))
            {
                let next = self.step(local, expansion, class)?;
                self.arrive(child, next)?;
            }
        }
        Ok(())
    }

    /// Whether what may follow a run can never be mistaken for more of it, also once enough rounds are done.
    fn stays_simple(&mut self, local: LocalId, repeats: Loop, rest: &CharClass) -> Result<bool, Exceeded> {
        if repeats.need == 0 {
            return Ok(true); // `Store::repeats` has looked at this
        }
        let mut chain = vec![local];
        self.extend_chain(&mut chain, rest, repeats.need as usize + 1)?;
        if chain.len() <= repeats.need as usize {
            return Ok(true); // no token gets that far
        }
        let after = chain[chain.len() - 1];
        Ok(if repeats.left == Some(repeats.need) {
            !overlaps(&self.store.local_expansion(after).alive, rest)
        } else {
            self.store.repeats(after).is_some_and(|r| r.chars == repeats.chars)
        })
    }

    /// Takes the tokens of a run, and goes on where something else follows it. `local` is the configuration
    /// after the run's first character.
    fn run_of(&mut self, run: Run, local: LocalId, repeats: Loop) -> Result<(), Exceeded> {
        let tables = self.tables;
        let anchor = tables.profile.anchor(run.anchor);
        let RunMask { mask, minus, .. } = tables.profile.mask(self.trie, run);
        self.masks.push(Shared { mask, minus });
        self.work.spend(64)?;
        // The configuration after one, two, three … characters of the run.
        let mut chain = vec![local];
        let in_run = |byte: u8| if byte < 0x80 { run.rest.ascii.contains(byte) } else { run.rest.wide };
        if repeats.need > 0 || repeats.left.is_some() {
            self.extend_chain(&mut chain, &run.rest, repeats.need as usize + 1)?;
        }
        let at_need = chain[chain.len() - 1];
        let exits = self.store.local_expansion(local).alive.union(&self.store.local_expansion(at_need).alive);
        if self.store.local_expansion(at_need).pops {
            self.found.runs.push((run, repeats.need + 1));
        }
        let firsts = run.first_ranges();
        for byte in exits.iter().filter(|&b| !in_run(b)) {
            for entry in anchor.after(byte, &run, &firsts) {
                self.work.spend(1)?;
                let rounds = entry.chars as usize - 1;
                let index = match repeats {
                    Loop { left: None, need: 0, .. } => 0,
                    // A character past ASCII may be one more round, where not all of them are in the run.
                    Loop { plain: true, need, .. } if byte < 0x80 => {
                        if rounds < need as usize {
                            continue;
                        }
                        need as usize
                    }
                    _ => rounds,
                };
                if chain.len() <= index {
                    self.extend_chain(&mut chain, &run.rest, index + 1)?;
                }
                let Some(&from) = chain.get(index) else { continue };
                let expansion = self.store.local_expansion(from);
                if let Some(class) = expansion.class_of(byte) {
                    let next = self.step(from, expansion, class)?;
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }

    /// Makes `chain` at least `len` long, if the run goes on for so long.
    fn extend_chain(
        &mut self,
        chain: &mut Vec<LocalId>,
        rest: &CharClass,
        len: usize,
    ) -> Result<(), Exceeded> {
        let longest = self.trie.longest.saturating_add(1);
        let Some(byte) = rest.ascii.first() else { return Ok(()) };
        while chain.len() < len.min(longest) {
            let last = chain[chain.len() - 1];
            let expansion = self.store.local_expansion(last);
            let Some(class) = expansion.class_of(byte) else { return Ok(()) };
            let next = self.step(last, expansion, class)?;
            chain.push(next);
        }
        Ok(())
    }

    /// Whether every character past ASCII leads from `local` to `target`.
    fn wide_leads_to(&mut self, local: LocalId, target: LocalId) -> Result<bool, Exceeded> {
        const TAIL: (u8, u8) = (0x80, 0xBF);
        // For each kind of first byte, the range of the second one and how many follow.
        type Bytes = (u8, u8);
        const LEADS: [(Bytes, Bytes, usize); 8] = [
            ((0xC2, 0xDF), (0x80, 0xBF), 0),
            ((0xE0, 0xE0), (0xA0, 0xBF), 1),
            ((0xE1, 0xEC), (0x80, 0xBF), 1),
            ((0xED, 0xED), (0x80, 0x9F), 1),
            ((0xEE, 0xEF), (0x80, 0xBF), 1),
            ((0xF0, 0xF0), (0x90, 0xBF), 2),
            ((0xF1, 0xF3), (0x80, 0xBF), 2),
            ((0xF4, 0xF4), (0x80, 0x8F), 2),
        ];
        for (lead, second, more) in LEADS {
            let ranges: SmallVec<[(u8, u8); 4]> =
                [lead, second].into_iter().chain(std::iter::repeat_n(TAIL, more)).collect();
            let mut at = local;
            let mut spellable = true;
            for (low, high) in ranges {
                let bytes = ByteSet::range(low, high).intersect(&self.trie.bytes_used);
                let Some(byte) = bytes.first() else {
                    spellable = false;
                    break;
                };
                let expansion = self.store.local_expansion(at);
                let Some(class) = expansion.class_of(byte) else { return Ok(false) };
                if !bytes.is_subset(&expansion.classes[class].set) {
                    return Ok(false);
                }
                at = self.step(at, expansion, class)?;
            }
            if spellable && at != target {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Goes on from every pending place in `local`.
    fn pending(&mut self, pending: &Pending, local: LocalId) -> Result<(), Exceeded> {
        let expansion = self.store.local_expansion(local);
        self.visited = Some(FxHashSet::default());
        for &node in &pending.nodes {
            self.go_on(node, local)?;
        }
        for &(node, class) in &pending.pure {
            if overlaps(&expansion.alive, &class) {
                self.go_on_below(node, local)?;
            }
        }
        for (run, least) in &pending.runs {
            let anchor = self.tables.profile.anchor(run.anchor);
            let firsts = run.first_ranges();
            for byte in expansion.alive.iter() {
                let Some(class) = expansion.class_of(byte) else { continue };
                let mut next = None;
                for entry in anchor.after(byte, run, &firsts).filter(|e| e.chars >= *least) {
                    self.work.spend(1)?;
                    let next = match next {
                        Some(next) => next,
                        None => *next.insert(self.step(local, expansion, class)?),
                    };
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }

    /// Goes on from every node of a subtree.
    fn go_on_below(&mut self, node: u32, local: LocalId) -> Result<(), Exceeded> {
        let mut nodes = vec![node];
        while let Some(node) = nodes.pop() {
            if self.trie.utf8[node as usize].may_be_boundary() {
                self.go_on(node, local)?;
            }
            nodes.extend(self.trie.children(node));
        }
        Ok(())
    }
}

fn overlaps(alive: &ByteSet, class: &CharClass) -> bool {
    alive.intersects(&class.ascii) || (class.wide && alive.intersects(&ByteSet::range(0x80, 0xFF)))
}
