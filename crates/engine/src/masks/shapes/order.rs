//! The special cases of a mask, in the order in which they are tried.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::{MaskStore, Origin};
use super::super::walk::Walk;
use super::apart::{FormulasApart, KeywordsApart, WordCallsApart};
use super::but_few::{ExceptedKey, ExceptedRun};
use super::but_matched::MatchedApart;
use super::chain::Chains;
use super::closed::{ClosedEarly, ClosedPlaces};
use super::generic::GenericPlace;
use super::key::InKey;
use super::literals::{BesideLiterals, InLiteral, OfLiterals};
use super::loops::{LoopSubtree, StayingSubtree};
use super::machines::InMachines;
use super::parts::{MembersApart, SharedApart};
use super::runs::Runs;
use super::shape::{AnchorShape, Ask, AtAnchor, BytesShape, Place, PlaceShape, Seen, StateShape};
use super::shorter::{LongBound, LongCount};
use super::stripe::Stripe;
use super::watched::{WatchedRun, WatchedSubtree};
use super::wide::OneWide;
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalExpansion, LocalId, StateId, Store, WhiteSpaceFirst};
use crate::tokens::pending::{Pending, PendingId, Walked};
use crate::tokens::tables::Tables;
use crate::tokens::trie::ROOT;
use crate::work::{Exceeded, Work};

/// The answer of the first shape that has one.
macro_rules! first_of {
    ($asked:ident($what:expr, $with:expr): $($shape:ty),+ $(,)?) => {{
        $(if let Some(answer) = <$shape>::$asked($what, $with)? {
            return Ok(Some(answer));
        })+
        Ok(None)
    }};
}

impl Ask<'_> {
    /// The shapes of states.
    fn by_shape(&self, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        first_of!(of(self, work):
            InKey<'_>, OfLiterals, ExceptedKey<'_>, LongCount, LongBound,
            GenericPlace, MembersApart, SharedApart, WhiteSpaceFirst)
    }
}

impl<'a> Walk<'a> {
    /// The shapes of places at any node. Answers whether it is one.
    #[inline]
    fn by_shape(&mut self, at: Place<'a>) -> Result<bool, Exceeded> {
        Ok(InLiteral::at(self, at)?
            || BesideLiterals::at(self, at)?
            || InMachines::at(self, at)?
            || at.node != ROOT && LoopSubtree::at(self, at)?)
    }

    /// The shapes of places at nodes without tables of runs. Answers whether it is one.
    #[inline]
    fn by_shape_without_tables(&mut self, at: Place<'a>) -> Result<bool, Exceeded> {
        Ok(StayingSubtree::at(self, at)? || Stripe::at(self, at)? || WatchedSubtree::at(self, at)?)
    }

    /// The shapes of places at anchors.
    fn by_shape_at_anchor(&mut self, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded> {
        first_of!(at(self, at):
            FormulasApart, KeywordsApart, WordCallsApart, ExceptedRun<'_>, MatchedApart, WatchedRun)
    }

    /// The shapes of bytes at anchors. Takes out of those that are left what it has seen to.
    fn by_shape_of_bytes(
        &mut self,
        left: &mut ByteSet,
        at: AtAnchor<'a>,
        expansion: &LocalExpansion,
    ) -> Result<(), Exceeded> {
        ClosedEarly::out_of(left, self, at, expansion)?;
        Runs::out_of(left, self, at, expansion)?;
        Chains::out_of(left, self, at, expansion)?;
        ClosedPlaces::out_of(left, self, at, expansion)?;
        OneWide::out_of(left, self, at, expansion)
    }
}

impl Ask<'_> {
    /// What the state does with the tokens: by a shape, or by walking.
    pub(super) fn answer(&self, work: &mut Work) -> Result<Walked, Exceeded> {
        if let Some(walked) = self.by_shape(work)? {
            return Ok(walked);
        }
        let Ask { memory, store, from, .. } = *self;
        let mut walk = self.walk(work);
        let local = store.clamped_local(store.local_of(self.state));
        let pending = match from {
            Origin::Pending(PendingId::WHOLE) => {
                walk.visit(ROOT, local)?;
                None
            }
            Origin::Node(node) => {
                walk.visit(node, local)?;
                None
            }
            Origin::Pending(pending) => {
                walk.pending(pending, local)?;
                Some(pending)
            }
        };
        walk.run()?;
        let Some(pending) = pending else { return Ok(walk.finish(None)) };
        let at = store.split_expansion(local);
        walk.pass_on(memory.pending(pending), at, true);
        // What is pending all the same need not be kept twice.
        Ok(walk.finish(at.pops.then_some(pending)))
    }
}

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
        let (memory, home) = self.at_home(store, state);
        let ask = Ask { memory, store: home, tables, from: Origin::Pending(PendingId::WHOLE), state };
        let walked = ask.answer(work)?;
        Ok(slot.get_or_init(|| Box::new(walked)))
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
            true => self.resolved.get(&(pending, state)),
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
            self.resolved.insert((pending, state), id, |bytes| store.add_bytes(bytes));
        } else {
            store.state(state).resolved.insert(pending, id);
        }
        Ok(self.walked(id))
    }

    /// The same where it was not asked before.
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
        Ask { memory: self, store, tables, from: Origin::Pending(pending), state }.answer(work)
    }
}

impl<'a> Walk<'a> {
    /// Goes on below `node`, now or later.
    pub(crate) fn visit(&mut self, node: u32, local: LocalId) -> Result<(), Exceeded> {
        if let Some(visited) = &mut self.visited
            && !visited.insert((node, local))
        {
            return Ok(());
        }
        let at = Place { node, local, here: self.store.local(local) };
        if self.by_shape(at)? {
            return Ok(());
        }
        if let Some(index) = self.tables.profile.anchor_at(node)
            && (node == ROOT || !is_off(Switch::InnerAnchors))
        {
            let anchor = self.tables.profile.anchor(index);
            return self.visit_anchor(AtAnchor { index, anchor, local });
        }
        if self.by_shape_without_tables(at)? {
            return Ok(());
        }
        let at = self.expansion(local);
        self.ends_in(at, |pending| pending.nodes.push(node));
        self.todo.push((node, local, at));
        Ok(())
    }

    /// Visits an anchor: runs of characters by the tables, the rest by walking.
    fn visit_anchor(&mut self, at: AtAnchor<'a>) -> Result<(), Exceeded> {
        let node = at.anchor.node;
        let seen = match self.by_shape_at_anchor(at)? {
            Some(Seen::All) => return Ok(()),
            Some(Seen::Bytes(seen)) => seen,
            None => ByteSet::EMPTY,
        };
        let expansion = self.expansion(at.local);
        self.ends_in(expansion, |pending| match node {
            ROOT => pending.whole = true,
            node => pending.nodes.push(node),
        });
        let mut left = at.anchor.bytes.intersect(&expansion.alive).minus(&seen);
        self.by_shape_of_bytes(&mut left, at, expansion)?;
        for byte in left.iter() {
            if let (Some(class), Some(child)) = (expansion.class_of(byte), self.trie.child(node, byte)) {
                let next = self.step(expansion, class)?;
                self.arrive(child, next)?;
            }
        }
        self.apart(node, expansion)
    }
}
