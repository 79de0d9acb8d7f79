//! The walk: a state against the trie.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::MaskStore;
use super::{Closed, Rows, Staying, UnderConditions};
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalExpansion, LocalId, Store};
use crate::tokens::accept::{Accept, Shared};
use crate::tokens::class::CharClass;
use crate::tokens::pending::{End, Pending, PendingId, PendingRun, Walked};
use crate::tokens::tables::Tables;
use crate::tokens::trie::{Ids, Trie};
use crate::tuning::walk::{FEW, FRAMES_DEEP, MANY_VISITS};
use crate::work::{Exceeded, Work};

/// One walk: what is still to visit, and what was found.
pub(crate) struct Walk<'a> {
    pub(crate) memory: &'a MaskStore,
    pub(crate) store: &'a Store,
    pub(crate) tables: &'a Tables,
    pub(crate) trie: &'a Trie,
    pub(crate) work: &'a mut Work,
    pub(crate) todo: Vec<(u32, LocalId, &'a LocalExpansion)>,
    pub(crate) rows: Rows,
    pub(crate) ids: Ids,
    pub(crate) masks: SmallVec<[Shared; 1]>,
    found: Pending,
    /// The same where the frame of an entry ends, by how it does.
    found_ends: Vec<Pending>,
    /// What is pending as it was found elsewhere.
    pub(crate) passed: SmallVec<[PendingId; 2]>,
    /// Nodes at which an entry is to be chosen of which no more is known.
    pub(crate) chosen: Vec<u32>,
    pub(crate) closures: Vec<(LocalId, Option<Rc<Closed>>)>,
    /// The formula that was looked at last for being a loop under conditions.
    pub(crate) last_watched: Option<(LocalId, Option<Rc<UnderConditions>>)>,
    /// Places that were visited, where a place may be come to in several ways.
    pub(crate) visited: Option<FxHashSet<(u32, LocalId)>>,
    pub(crate) staying: Staying,
    /// Whether there are formulas, and loops that are counted.
    pub(crate) booleans: bool,
    pub(crate) counts: bool,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        memory: &'a MaskStore,
        store: &'a Store,
        tables: &'a Tables,
        work: &'a mut Work,
    ) -> Self {
        work.is_cold();
        Walk {
            memory,
            store,
            tables,
            trie: &tables.trie,
            work,
            todo: Vec::new(),
            rows: Rows::default(),
            ids: Ids::new(),
            masks: SmallVec::new(),
            found: Pending::default(),
            found_ends: Vec::new(),
            passed: SmallVec::new(),
            chosen: Vec::new(),
            closures: Vec::new(),
            last_watched: None,
            visited: None,
            staying: Staying { local: LocalId(u32::MAX), visits: 0, ascii: 0 },
            booleans: store.program.booleans,
            counts: store.program.counts,
        }
    }

    /// The result; `passes` is what stays pending because the state itself may end at once.
    pub(crate) fn finish(self, passes: Option<PendingId>) -> Walked {
        let mut pending = self.passed;
        pending.extend(passes);
        for mut found in std::iter::once(self.found).chain(self.found_ends) {
            found.tidy();
            let end = found.end.take();
            let whole = std::mem::take(&mut found.whole).then_some(PendingId::WHOLE);
            let rest = (!found.is_empty()).then(|| self.memory.intern(self.store, found));
            for of in whole.into_iter().chain(rest) {
                let id = match end {
                    Some(end) => self.memory.ended(self.store, end, of),
                    None => of,
                };
                if !pending.contains(&id) {
                    pending.push(id);
                }
            }
        }
        let accept = Accept::new(self.masks, &self.ids, (self.tables.words, self.memory.dense));
        self.store.add_bytes(accept.bytes() + size_of::<Walked>());
        Walked { accept, pending, choices: self.chosen.into() }
    }

    /// Takes note of something that is pending if the frame may end in a local.
    #[inline(always)] // hardly anything ends here, and that is quickly seen
    pub(crate) fn ends_in(&mut self, at: &LocalExpansion, note: impl Fn(&mut Pending)) {
        if at.pops {
            note(&mut self.found);
        }
        for &end in at.ends.iter() {
            note(self.found_at(end));
        }
    }

    /// Where the frame may end in a local that was returned to, what is pending stays so.
    pub(crate) fn pass_on(&mut self, pending: &Pending, at: &LocalExpansion, kept: bool) {
        if at.pops && !kept {
            self.found.extend(pending);
        }
        if !at.ends.is_empty() {
            let kept = std::mem::take(&mut self.found);
            self.ends_in(at, |found| found.extend(pending));
            self.found = kept;
        }
    }

    /// Takes what another walk has found.
    pub(crate) fn join(&mut self, known: &Walked) -> Result<(), Exceeded> {
        known.accept.add_to(&mut self.masks, &mut self.ids);
        known.pending.iter().try_for_each(|&pending| self.stays_pending(pending))
    }

    /// Takes note of what is pending behind a frame that has returned.
    fn stays_pending(&mut self, id: PendingId) -> Result<(), Exceeded> {
        let memory = self.memory;
        let pending = memory.pending(id);
        let (found, of) = match (pending.end, pending.of) {
            (Some(end), Some(of)) => (self.found_at(end), of),
            _ => (&mut self.found, id),
        };
        if of == PendingId::WHOLE {
            found.whole = true;
            return Ok(());
        }
        let more = memory.pending(of);
        found.extend(more);
        self.work.spend((more.nodes.len() + more.pure.len()) / 4)
    }

    /// What is pending where the frame ends in a certain way.
    fn found_at(&mut self, end: End) -> &mut Pending {
        let known = self.found_ends.iter().position(|p| p.end == Some(end));
        let index = known.unwrap_or_else(|| {
            self.found_ends.push(Pending { end: Some(end), ..Pending::default() });
            self.found_ends.len() - 1
        });
        &mut self.found_ends[index]
    }

    /// Whether frames are walked by themselves: not too many within each other.
    #[inline]
    pub(crate) fn calls_apart(&self) -> bool {
        calls_apart(self.work)
    }

    /// What can happen next in a local. Frames are walked by themselves, but not too many within each other.
    #[inline]
    pub(crate) fn expansion(&self, local: LocalId) -> &'a LocalExpansion {
        if self.calls_apart() { self.store.split_expansion(local) } else { self.store.local_expansion(local) }
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
            && self.masks.is_empty()
            && self.found.is_empty()
            && self.found_ends.is_empty()
            && self.passed.is_empty()
    }

    #[inline]
    pub(crate) fn step(&mut self, from: &LocalExpansion, class: usize) -> Result<LocalId, Exceeded> {
        self.store.step_clamped(from, class, self.work)
    }

    /// Visits what there is to visit.
    pub(crate) fn run(&mut self) -> Result<(), Exceeded> {
        let mut visits = 0;
        while let Some((node, local, at)) = self.todo.pop() {
            visits += 1;
            if visits < MANY_VISITS
                || !self.calls_apart()
                || is_off(Switch::RowTables)
                || !self.by_rows(node, local)?
            {
                self.go_on(node, at)?;
            }
        }
        Ok(())
    }

    /// Takes every child of `node` that a local has a way to.
    #[inline]
    fn go_on(&mut self, node: u32, expansion: &LocalExpansion) -> Result<(), Exceeded> {
        let children = self.trie.children(node);
        let ways = expansion.ways;
        self.work.spend(1 + ways.min(children.len()))?;
        if children.len() > FEW
            && !is_off(Switch::SubtreeFilter)
            && !self.is_any_below(node, &expansion.alive)
        {
            return self.apart(node, expansion);
        }
        if ways * 4 < children.len() {
            for byte in expansion.alive.iter() {
                if let (Some(child), Some(class)) = (self.trie.child(node, byte), expansion.class_of(byte)) {
                    let next = self.step(expansion, class)?;
                    self.arrive(child, next)?;
                }
            }
        } else {
            for child in children {
                if let Some(class) = expansion.class_of(self.trie.byte[child as usize]) {
                    let next = self.step(expansion, class)?;
                    self.arrive(child, next)?;
                }
            }
        }
        self.apart(node, expansion)
    }

    /// Whether some of these bytes occur below a node.
    #[inline]
    fn is_any_below(&self, node: u32, bytes: &ByteSet) -> bool {
        let below = &self.trie.below[node as usize];
        below.ascii & bytes.ascii_bits() != 0 || below.wide && bytes.intersects(&ByteSet::PAST_ASCII)
    }

    /// Comes to `node` in `local`: takes the tokens that end here, and goes on below if there is more.
    #[inline]
    pub(crate) fn arrive(&mut self, node: u32, local: LocalId) -> Result<(), Exceeded> {
        self.trie.add_own(node, &mut self.ids);
        if self.trie.nodes[node as usize].children == 0 { Ok(()) } else { self.visit(node, local) }
    }

    /// Takes the tokens on the way that bytes lead down from a node; where they lead, if there is more below.
    pub(crate) fn along(&mut self, node: u32, bytes: &[u8]) -> Result<Option<u32>, Exceeded> {
        self.work.spend(2)?;
        Ok(self.trie.along(node, bytes, &mut self.ids))
    }

    /// Goes on from every pending place in `local`.
    pub(crate) fn pending(&mut self, id: PendingId, local: LocalId) -> Result<(), Exceeded> {
        let memory = self.memory;
        let pending = memory.pending(id);
        let split = self.expansion(local);
        let expansion = match pending {
            Pending { pure, runs, .. } if pure.is_empty() && runs.is_empty() => split,
            _ => self.store.local_expansion(local),
        };
        self.visited.get_or_insert_default();
        let below = if split.apart.frames.is_empty()
            && split.apart.calls.is_empty()
            && !is_off(Switch::ChildrenByByte)
        {
            memory.children(self.store, self.trie, id)
        } else {
            None
        };
        match below {
            Some(below) => {
                self.work.spend(pending.nodes.len() / 4)?;
                self.go_on_from_all(below, split)?;
            }
            None => pending.nodes.iter().try_for_each(|&node| self.go_on(node, split))?,
        }
        for &(node, class) in &pending.pure {
            if overlaps(&expansion.alive, &class) {
                self.go_on_below(node, split)?;
            }
        }
        for PendingRun { run, least, except } in &pending.runs {
            let leaving = self.tables.profile.leaving(self.trie, run);
            for byte in expansion.alive.iter() {
                let Some(class) = expansion.class_of(byte) else { continue };
                let mut next = None;
                for entry in leaving.by(byte).filter(|e| e.chars >= *least) {
                    self.work.spend(1)?;
                    let before = || self.trie.parent[entry.node as usize];
                    if !except.is_empty() && except.binary_search(&before()).is_ok() {
                        continue;
                    }
                    let next = match next {
                        Some(next) => next,
                        None => *next.insert(self.step(expansion, class)?),
                    };
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }

    /// Goes on from every node of a subtree.
    fn go_on_below(&mut self, node: u32, at: &LocalExpansion) -> Result<(), Exceeded> {
        let mut nodes = vec![node];
        while let Some(node) = nodes.pop() {
            if self.trie.utf8[node as usize].may_be_boundary() {
                self.go_on(node, at)?;
            }
            nodes.extend(self.trie.children(node));
        }
        Ok(())
    }
}

/// Whether a place goes on with a character of a class.
pub(crate) fn overlaps(alive: &ByteSet, class: &CharClass) -> bool {
    alive.intersects(&class.ascii) || (class.wide && alive.intersects(&ByteSet::PAST_ASCII))
}

/// Whether frames are walked by themselves: not too many within each other.
#[inline]
pub(crate) fn calls_apart(work: &Work) -> bool {
    work.depth < FRAMES_DEEP && !is_off(Switch::FramesApart)
}
