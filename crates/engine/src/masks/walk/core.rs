//! The walk: a state against the trie.

use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::MaskStore;
use super::{Closed, Rows, UnderConditions};
use crate::ablate::{Switch, is_off};
use crate::automaton::{
    BlankFirst, CellId, Generic, Literals, LocalExpansion, LocalId, Loop, NodeId, StateId, Store, WordsCalled,
};
use crate::tokens::accept::{Accept, Shared};
use crate::tokens::class::CharClass;
use crate::tokens::pending::{End, Pending, PendingId, PendingRun, Walked};
use crate::tokens::runs::{Anchor, Run, RunMask};
use crate::tokens::tables::Tables;
use crate::tokens::trie::{Descent, Ids, Trie};
use crate::work::{Exceeded, Work};

/// Runs of fewer tokens than this are walked: the tables would cost more than they save.
pub(crate) const RUN_TOKENS: usize = 256;
/// A loop that so many other characters lead out of is one of many places.
const EXITS: usize = 16;
/// More children than this are looked at only if there are some to be found, and more bytes than this at once.
pub(crate) const FEW: usize = 4;
/// A place that is visited so often in a row is looked at for characters that stay there.
const VISITS: u32 = 8;
/// A walk of so many nodes is long.
const MANY_VISITS: u32 = 512;
/// So many frames are walked within each other; those they call further on are walked as a part of them.
const DEPTH: u32 = 32;

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
    staying: Staying,
    /// Whether there are formulas, and loops that are counted.
    pub(crate) booleans: bool,
    pub(crate) counts: bool,
}

/// The place that was visited last.
struct Staying {
    local: LocalId,
    /// How often in a row.
    visits: u32,
    /// The ASCII characters that lead from there back to it, if it was often.
    ascii: u128,
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
    #[inline]
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

    /// Takes a state apart by the members that it is before, and takes what `ask` says of each part; whether there are
    /// several.
    pub(crate) fn by_members<W: Deref<Target = Walked>>(
        &mut self,
        state: StateId,
        ask: impl Fn(StateId, &mut Work) -> Result<W, Exceeded>,
    ) -> Result<bool, Exceeded> {
        let parts = self.store.parts_by_members(state);
        let parts = parts.or_else(|| self.store.parts_by_home(state));
        let Some(parts) = parts else { return Ok(false) };
        for part in parts {
            let known = ask(part, self.work)?;
            self.join(&known)?;
        }
        Ok(true)
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
        self.work.depth < DEPTH && !is_off(Switch::FramesApart)
    }

    /// What can happen next in a local. Frames are walked by themselves, but not too many within each other.
    #[inline]
    pub(crate) fn expansion(&self, local: LocalId) -> &'a LocalExpansion {
        if self.calls_apart() { self.store.split_expansion(local) } else { self.store.local_expansion(local) }
    }

    /// What stands for a state whatever slots are open. Its entries are none that can be walked as a part of it, so this is
    /// only where they are walked by themselves.
    pub(crate) fn generic_of(&self, state: StateId) -> Option<Generic> {
        if self.calls_apart() && !is_off(Switch::GenericPlaces) { self.store.generic_of(state) } else { None }
    }

    /// Takes a state apart that begins with white space, but not too many of them within each other: what follows, which is
    /// one deeper, may call frames.
    pub(crate) fn blank_first(&self, state: StateId) -> Option<BlankFirst> {
        if self.work.depth + 1 < DEPTH && !is_off(Switch::BlanksApart) {
            self.store.blank_first(state)
        } else {
            None
        }
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

    /// Follows a literal down the trie. The places inside it need no states of their own.
    pub(crate) fn literal(
        &mut self,
        node: u32,
        local: LocalId,
        (literal, tail): (&[u8], CellId),
    ) -> Result<(), Exceeded> {
        self.work.spend(literal.len().min(self.trie.longest))?;
        let Some(node) = self.along(node, literal)? else { return Ok(()) };
        match self.store.behind_key(tail) {
            Some(behind)
                if self.store.local(local).heads[0].1 == NodeId::BOTTOM && !is_off(Switch::KeyTails) =>
            {
                self.behind_key(node, behind)
            }
            _ => self.visit(node, self.store.after_literal(local)),
        }
    }

    /// Takes the tokens on the way that bytes lead down from a node; where they lead, if there is more below.
    pub(crate) fn along(&mut self, node: u32, bytes: &[u8]) -> Result<Option<u32>, Exceeded> {
        self.work.spend(2)?;
        Ok(self.trie.along(node, bytes, &mut self.ids))
    }

    /// The same for many of them.
    pub(crate) fn literals(
        &mut self,
        node: u32,
        stack: NodeId,
        literals: &Literals<'_>,
    ) -> Result<(), Exceeded> {
        let mut descent = Descent::from(node);
        for &(literal, tail) in literals {
            self.work.spend(2)?;
            let end = descent.to(self.trie, literal, |node| self.trie.add_own(node, &mut self.ids));
            if let Some(end) = end.filter(|&end| self.trie.nodes[end as usize].children > 0) {
                self.behind_literal(end, stack, tail)?;
            }
        }
        Ok(())
    }

    /// Goes on below a node with what follows a literal.
    pub(crate) fn behind_literal(&mut self, node: u32, stack: NodeId, tail: CellId) -> Result<(), Exceeded> {
        match self.store.behind_key(tail) {
            Some(behind) if stack == NodeId::BOTTOM && !is_off(Switch::KeyTails) => {
                self.behind_key(node, behind)
            }
            _ => self.visit(node, self.store.local_at(stack, tail)),
        }
    }

    /// If everything below `node` stays inside a loop, takes it all.
    #[inline]
    pub(crate) fn take_whole(&mut self, node: u32, local: LocalId) -> bool {
        if is_off(Switch::LoopSubtrees) {
            return false;
        }
        let Some(repeats) = self.store.repeats_ref(local) else { return false };
        let below = &self.trie.below[node as usize];
        let pure = below.ascii & !repeats.ascii == 0
            && (!below.wide
                || (repeats.wide && !below.broken && below.boundary && self.is_whole(node, repeats)))
            && repeats.left.is_none_or(|left| below.chars <= left)
            && (repeats.need == 0 || !repeats.ends || below.chars < repeats.need);
        if !pure {
            return false;
        }
        self.take_below(node);
        let class = self.store.program.class(repeats.chars);
        self.ends_in(self.store.split_expansion(local), |pending| pending.pure.push((node, class)));
        true
    }

    /// The same for a place that is no loop, but that some characters stay in. That is found out for one that is visited
    /// again and again.
    #[inline]
    pub(crate) fn stays_below(&mut self, node: u32, local: LocalId) -> Result<bool, Exceeded> {
        if is_off(Switch::StayingSubtrees) {
            return Ok(false);
        }
        if self.staying.local != local {
            self.staying = Staying { local, visits: 0, ascii: 0 };
        }
        self.staying.visits += 1;
        if self.staying.visits == VISITS && self.goes_on(local) {
            self.staying.ascii = self.leads_to(local, local, &ByteSet::ASCII)?.ascii_bits();
        }
        let ascii = self.staying.ascii;
        let below = &self.trie.below[node as usize];
        if ascii == 0 || below.wide || below.ascii & !ascii != 0 {
            return Ok(false);
        }
        self.take_below(node);
        Ok(true)
    }

    /// Takes all tokens below a node.
    fn take_below(&mut self, node: u32) {
        let own = self.trie.own(node).len();
        self.ids.extend_from_slice(&self.trie.subtree(node)[own..]);
    }

    /// Whether below a node there is no character that a loop lacks.
    #[inline]
    fn is_whole(&self, node: u32, repeats: &Loop) -> bool {
        let lacking = self.tables.profile.lacking(self.trie, repeats.lack);
        lacking.is_none_or(|lacking| !lacking.is_below(node))
    }

    /// Whether the tables of an anchor tell of runs of a class: not if a character that it lacks is on the way there.
    pub(crate) fn knows(&self, anchor: &Anchor, class: &CharClass) -> bool {
        let lacking = self.tables.profile.lacking(self.trie, class.lack);
        lacking.is_none_or(|lacking| !lacking.is_before(anchor.node))
    }

    /// Whether many tokens begin with letters that lead to more than one word.
    pub(crate) fn has_words(
        &mut self,
        anchor: &Anchor,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<bool, Exceeded> {
        let mut words = left.intersect(&ByteSet::LETTERS);
        if !anchor.has(RUN_TOKENS, &words) {
            return Ok(false);
        }
        for (i, class) in expansion.classes.iter().enumerate().filter(|(_, class)| class.set.intersects(left))
        {
            let next = self.step(expansion, i)?;
            if self.store.local(next).in_literal {
                words = words.minus(&class.set);
            }
        }
        Ok(anchor.has(RUN_TOKENS, &words))
    }

    /// Visits an anchor where formulas are open beside others: each by itself. Answers whether that was so.
    pub(crate) fn formulas(&mut self, node: u32, local: LocalId) -> Result<bool, Exceeded> {
        let Some((state, stack)) = self.store.only_state(local) else { return Ok(false) };
        let Some(parts) = self.store.formulas_apart(state) else { return Ok(false) };
        for part in parts {
            self.visit(node, self.store.local_on(part, stack))?;
        }
        Ok(true)
    }

    /// Visits an anchor where words are open beside other things: those by themselves. Answers whether that was so.
    pub(crate) fn words_apart(&mut self, node: u32, local: LocalId) -> Result<bool, Exceeded> {
        let store = self.store;
        let Some((state, stack)) = store.only_state(local) else { return Ok(false) };
        if !is_off(Switch::KeywordsApart)
            && let Some(spread) = store.spread(state)
        {
            self.visit(node, store.local_on(spread, stack))?;
            return Ok(true);
        }
        if is_off(Switch::WordCallsApart) {
            return Ok(false);
        }
        let Some(WordsCalled { rest, calls }) = store.words_called(state, stack) else { return Ok(false) };
        for call in calls {
            self.visit(node, store.clamped_local(call))?;
        }
        self.visit(node, store.local_on(rest, stack))?;
        Ok(true)
    }

    /// Whether a loop is come to that most other characters lead out of: then it matters little that it is one.
    pub(crate) fn is_left_anyhow(
        &mut self,
        anchor: &Anchor,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<bool, Exceeded> {
        for (i, class) in expansion.classes.iter().enumerate() {
            if !anchor.has(RUN_TOKENS, &class.set.intersect(left)) {
                continue;
            }
            let next = self.step(expansion, i)?;
            let Some(repeats) = self.store.repeats(next) else { continue };
            let chars = self.store.program.class(repeats.chars);
            let others = self.store.split_expansion(next).alive.minus(&chars.ascii);
            let ascii = others.intersect(&ByteSet::ASCII).len();
            if ascii > EXITS && (chars.wide || ascii < others.len()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// If these bytes are those of a loop in its last round: the loop after it. With the characters past ASCII, one character
    /// is many nodes.
    pub(crate) fn last_round(&self, local: LocalId, first: &ByteSet) -> Option<Loop> {
        if is_off(Switch::LastRound) {
            return None;
        }
        let repeats = self.store.repeats(local)?;
        let last = repeats.left == Some(1) && repeats.wide && first.ascii_bits() & !repeats.ascii == 0;
        last.then_some(Loop { left: Some(0), need: 0, ..repeats })
    }

    /// Whether what may follow a run can never be mistaken for more of it, also once enough rounds are done.
    pub(crate) fn stays_simple(
        &mut self,
        local: LocalId,
        repeats: Loop,
        rest: &CharClass,
    ) -> Result<bool, Exceeded> {
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
            let after = self.store.split_expansion(after);
            after.apart.is_empty() && !overlaps(&after.alive, rest)
        } else {
            self.store.repeats(after).is_some_and(|r| r.chars == repeats.chars)
        })
    }

    /// Takes the tokens of a run, and goes on where something else follows it. `local` is the configuration
    /// after the run's first character.
    pub(crate) fn run_of(&mut self, run: Run, local: LocalId, repeats: Loop) -> Result<(), Exceeded> {
        let tables = self.tables;
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
        let exits = self.store.split_expansion(local).alive.union(&self.store.split_expansion(at_need).alive);
        let least = repeats.need + 1;
        self.ends_in(self.store.split_expansion(at_need), |pending| {
            pending.runs.push(PendingRun { run, least, except: Arc::default() })
        });
        let leaving = tables.profile.leaving(self.trie, &run);
        for byte in exits.iter().filter(|&b| !in_run(b)) {
            // The number of rounds matters only if there must be some, or what follows depends on it. A character past
            // ASCII may be one more round, where not all of them are in the run.
            let alike = match repeats {
                Loop { left: None, need: 0, .. } => true,
                Loop { others, .. } => byte < 0x80 && others >> byte & 1 == 0,
            };
            if alike {
                let Some(&from) = chain.get(repeats.need as usize) else { continue };
                let mut entries = leaving.by(byte).filter(|entry| entry.chars > repeats.need).peekable();
                // Most bytes have none, and then need no place that they lead to.
                let next = if entries.peek().is_some() { self.after_byte(from, byte)? } else { None };
                let Some(next) = next else { continue };
                for entry in entries {
                    self.work.spend(1)?;
                    self.arrive(entry.node, next)?;
                }
                continue;
            }
            for entry in leaving.by(byte) {
                self.work.spend(1)?;
                let index = entry.chars as usize - 1;
                if chain.len() <= index {
                    self.extend_chain(&mut chain, &run.rest, index + 1)?;
                }
                let Some(&from) = chain.get(index) else { continue };
                if let Some(next) = self.after_byte(from, byte)? {
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
            let expansion = self.store.split_expansion(last);
            let Some(class) = expansion.class_of(byte) else { return Ok(()) };
            let next = self.step(expansion, class)?;
            chain.push(next);
        }
        Ok(())
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
            memory.below(self.store, self.trie, id)
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

fn overlaps(alive: &ByteSet, class: &CharClass) -> bool {
    alive.intersects(&class.ascii) || (class.wide && alive.intersects(&ByteSet::PAST_ASCII))
}
