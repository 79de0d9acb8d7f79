//! The special cases of a mask, in the order in which they are tried.

use std::sync::PoisonError;

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::{MaskStore, Origin};
use super::super::walk::{FEW, RUN_TOKENS, Walk};
use super::stripe::STRIPE;
use crate::ablate::{Switch, is_off};
use crate::automaton::{BehindKey, BlankFirst, Generic, LocalId, StateId, Store};
use crate::tokens::pending::{Pending, PendingId, Walked};
use crate::tokens::runs::{Profile, Run};
use crate::tokens::tables::Tables;
use crate::tokens::trie::ROOT;
use crate::work::{Exceeded, Work};

impl MaskStore {
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

impl Walk<'_> {
    /// Goes on below `node`, now or later.
    pub(crate) fn visit(&mut self, node: u32, local: LocalId) -> Result<(), Exceeded> {
        if let Some(visited) = &mut self.visited
            && !visited.insert((node, local))
        {
            return Ok(());
        }
        let here = self.store.local(local);
        if here.in_literal
            && !is_off(Switch::LiteralDescent)
            && let Some(literal) = self.store.local_literal(local)
        {
            return self.literal(node, local, literal);
        }
        if here.wide && !is_off(Switch::LiteralsApart) {
            // What is come to by one of them may be come to by others, once they follow each other.
            self.visited.get_or_insert_default();
            let (state, stack) = here.heads[0];
            let (literals, rest) = self.store.literals_of(state);
            self.literals(node, stack, &literals)?;
            let rest = self.store.local_beside_literals(local, &rest);
            return rest.map_or(Ok(()), |rest| self.visit(node, rest));
        }
        if here.in_machine && self.machines(node, local)? {
            return Ok(());
        }
        if let Some(anchor) = self.tables.profile.anchor_at(node)
            && (node == ROOT || !is_off(Switch::InnerAnchors))
        {
            return if node != ROOT && self.take_whole(node, local) {
                Ok(())
            } else {
                self.anchor(anchor, local)
            };
        }
        if self.take_whole(node, local) || self.stays_below(node, local)? {
            return Ok(());
        }
        if self.counts
            && self.trie.below[node as usize].chars >= STRIPE
            && !is_off(Switch::RepeatedBytes)
            && self.stripe(node, local)?
        {
            return Ok(());
        }
        if self.booleans
            && !self.store.is_expanded(local)
            && !is_off(Switch::WatchedSubtrees)
            && self.watched_below(node, local)?
        {
            return Ok(());
        }
        let at = self.expansion(local);
        self.ends_in(at, |pending| pending.nodes.push(node));
        self.todo.push((node, local, at));
        Ok(())
    }

    /// Visits an anchor: runs of characters by the tables, the rest by walking.
    fn anchor(&mut self, index: u32, local: LocalId) -> Result<(), Exceeded> {
        let tables = self.tables;
        let anchor = tables.profile.anchor(index);
        if !is_off(Switch::FormulasApart) && self.formulas(anchor.node, local)? {
            return Ok(());
        }
        if self.words_apart(anchor.node, local)? {
            return Ok(());
        }
        let mut seen = self.but_few(index, local)?;
        if seen.is_empty()
            && !is_off(Switch::ComplementRuns)
            && let Some((bytes, left)) = self.free(index, local)?
        {
            if left.len() <= FEW {
                return self.by_bytes(anchor.node, local, &left);
            }
            seen = bytes;
        }
        if self.booleans && seen.is_empty() && !is_off(Switch::WatchedRuns) && self.watched(index, local)? {
            return Ok(());
        }
        let expansion = self.expansion(local);
        self.ends_in(expansion, |pending| match anchor.node {
            ROOT => pending.whole = true,
            node => pending.nodes.push(node),
        });
        let ascii = ByteSet::ASCII;
        let mut left = anchor.bytes.intersect(&expansion.alive).minus(&seen);
        // Places are followed without what they call: that is walked by itself, or else they must not call anything.
        let alone = self.calls_apart() || self.store.split_expansion(local).apart.is_empty();
        if alone && !is_off(Switch::ClosedEarly) && self.is_left_anyhow(anchor, expansion, &left)? {
            left = left.minus(&self.closed(index, local, &left)?);
        }
        for (i, class) in expansion.classes.iter().enumerate() {
            let first = class.set.intersect(&left).intersect(&ascii);
            if !anchor.has(RUN_TOKENS, &first) || is_off(Switch::Runs) {
                continue;
            }
            let next = self.step(expansion, i)?;
            let repeats = self.store.repeats(next).or_else(|| self.last_round(local, &first));
            let Some(repeats) = repeats else { continue };
            let rest = self.store.program.class(repeats.chars);
            if !Profile::pays(&first, &rest)
                || !self.knows(anchor, &rest)
                || !self.stays_simple(next, repeats, &rest)?
            {
                continue;
            }
            let shown = first.first().is_some_and(|byte| self.store.wide_follows(local, byte, rest.lack));
            let first_wide = rest.wide && (shown || self.wide_leads_to(local, next, rest.lack)?);
            let most = repeats.left.map_or(u32::MAX, |l| l.saturating_add(1));
            let run = Run { anchor: index, first, first_wide, rest, most };
            self.run_of(run, next, repeats)?;
            left = left.minus(&first);
            if first_wide {
                left = left.intersect(&ascii);
            }
        }
        // Words are left: they are no simple run, but may be one all the same.
        if !is_off(Switch::CountedChains) && self.has_words(anchor, expansion, &left)? {
            left = left.minus(&self.chain(index, expansion, &left)?);
        }
        let past_ascii = left.intersect(&ByteSet::PAST_ASCII);
        if alone && (anchor.has(RUN_TOKENS, &past_ascii) || self.has_words(anchor, expansion, &left)?) {
            left = left.minus(&self.closed(index, local, &left)?);
        }
        if alone && !is_off(Switch::WideRuns) {
            left = left.minus(&self.one_wide(index, local, &left)?);
        }
        for byte in left.iter() {
            if let (Some(class), Some(child)) = (expansion.class_of(byte), self.trie.child(anchor.node, byte))
            {
                let next = self.step(expansion, class)?;
                self.arrive(child, next)?;
            }
        }
        self.apart(anchor.node, expansion)
    }
}
