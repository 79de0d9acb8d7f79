//! Runs of characters with exceptions: keys that are not one of those that have a name.
//!
//! Wherever the characters lead, the text can go on; only right behind an exception it cannot end. So the tables of runs
//! answer for all of it, and the places on the way to an exception are told by following those down the trie.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::MaskStore;
use super::super::walk::{Places, RUN_TOKENS, Walk};
use crate::ablate::{Switch, is_off};
use crate::automaton::{AllButFew, Except, LocalId, Loop, StateId, Store};
use crate::tokens::accept::Shared;
use crate::tokens::class::CharClass;
use crate::tokens::pending::{PendingId, PendingRun, Walked};
use crate::tokens::runs::{Profile, Run, RunMask};
use crate::tokens::tables::Tables;
use crate::tokens::trie::{Descent, ROOT, Trie};
use crate::vocab::TokenId;
use crate::work::{Exceeded, Work};

/// Where the exceptions lie below a node: those that end, and all nodes on the way.
struct Below {
    ends: Arc<[u32]>,
    on_the_way: Vec<u32>,
}

impl Below {
    fn new(trie: &Trie, node: u32, few: &[Vec<u8>]) -> Self {
        let (mut ends, mut on_the_way) = (Vec::new(), vec![node]);
        for text in few {
            let mut at = Some(node);
            for &byte in text {
                at = at.and_then(|at| trie.child(at, byte));
                let Some(at) = at else { break };
                on_the_way.push(at);
            }
            ends.extend(at);
        }
        for nodes in [&mut ends, &mut on_the_way] {
            nodes.sort_unstable();
            nodes.dedup();
        }
        Below { ends: ends.into(), on_the_way }
    }
}

impl Walk<'_> {
    /// Takes all tokens from an anchor on, where a place is a loop but for a few texts. Answers the bytes it has seen to.
    pub(super) fn but_few(&mut self, index: u32, local: LocalId) -> Result<ByteSet, Exceeded> {
        let store = self.store;
        if is_off(Switch::ExceptedRuns) {
            return Ok(ByteSet::EMPTY);
        }
        let known = store.only_state(local).and_then(|(state, _)| store.all_but_few(state));
        let Some(AllButFew { whole, tail, few }) = known else { return Ok(ByteSet::EMPTY) };
        let endless = |repeats: &Loop| repeats.left.is_none() && repeats.need == 0;
        let Some(repeats) = store.repeats(store.local_of(whole)).filter(endless) else {
            return Ok(ByteSet::EMPTY);
        };
        let rest = store.program.class(repeats.chars);
        let anchor = self.tables.profile.anchor(index);
        let first = rest.ascii.intersect(&anchor.bytes);
        if !anchor.has(RUN_TOKENS, &first) || !Profile::pays(&first, &rest) || !self.knows(anchor, &rest) {
            return Ok(ByteSet::EMPTY);
        }
        let Some(home) = self.away_from(local, &few, &rest)? else { return Ok(ByteSet::EMPTY) };
        let onward = store.split_expansion(store.local_of(tail));
        if !onward.apart.is_empty() {
            return Ok(ByteSet::EMPTY);
        }
        let run = Run { anchor: index, first, first_wide: rest.wide, rest, most: u32::MAX };
        let RunMask { mask, minus, .. } = self.tables.profile.mask(self.trie, run);
        self.masks.push(Shared { mask, minus });
        self.work.spend(64 + few.len())?;
        let below = Below::new(self.trie, anchor.node, &few);
        let except = below.ends.clone();
        self.ends_in(store.split_expansion(home), |pending| {
            pending.runs.push(PendingRun { run, least: 1, except: except.clone() });
        });
        let wide = if rest.wide { ByteSet::PAST_ASCII } else { ByteSet::EMPTY };
        let exits = store.split_expansion(home).alive.union(&onward.alive).minus(&rest.ascii).minus(&wide);
        let mut places = Places::new(anchor.node, local, Some(home));
        self.leave_from(&run, (&mut places, home), &exits, |_, before| {
            below.on_the_way.binary_search(&before).is_err()
        })?;
        Ok(first.union(&wide))
    }

    /// Where the characters of a loop lead that are no exception's first, if that is the loop alone.
    fn away_from(
        &mut self,
        local: LocalId,
        few: &[Vec<u8>],
        rest: &CharClass,
    ) -> Result<Option<LocalId>, Exceeded> {
        let firsts: ByteSet = few.iter().filter_map(|text| text.first().copied()).collect();
        let Some(byte) = rest.ascii.minus(&firsts).first() else { return Ok(None) };
        let Some(home) = self.after_byte(local, byte)? else { return Ok(None) };
        let repeats = self.store.repeats(home).filter(|repeats| repeats.left.is_none() && repeats.need == 0);
        Ok(repeats.filter(|repeats| self.store.program.class(repeats.chars) == *rest).map(|_| home))
    }
}

impl Store {
    /// A state as texts of a loop but for a few, if what may follow them cannot be taken for more of the loop; and the
    /// bytes that may.
    pub(super) fn except_apart(&self, state: StateId) -> Option<(Except<'_>, ByteSet)> {
        let except = self.except(state)?;
        let tail = self.split_expansion(self.local_of(except.tail));
        let plain = !tail.pops && tail.ends.is_empty() && tail.apart.is_empty();
        let follows =
            Some(tail.alive).filter(|alive| plain && !alive.intersects(&except.exceptions.bytes()))?;
        Some((except, follows))
    }
}

impl MaskStore {
    /// What a state comes to that is texts of a loop but for a few: what the loop alone does, less what goes on right
    /// behind one of those. Most of the time that is nothing, and the loop is known from elsewhere.
    pub(super) fn start_but_few(
        &self,
        store: &Store,
        tables: &Tables,
        state: StateId,
        work: &mut Work,
    ) -> Result<Option<Walked>, Exceeded> {
        if is_off(Switch::ExceptedKeys) {
            return Ok(None);
        }
        let Some((except, follows)) = store.except_apart(state) else { return Ok(None) };
        let known = self.start(store, tables, except.like, work)?;
        work.is_cold();
        let few = self.but_behind(store, tables, (&except, &follows, ROOT), known, work)?;
        Ok(Some(few.unwrap_or_else(|| known.clone())))
    }

    /// What is known of the loop, less what goes on right behind an exception; `None` if that is all of it.
    pub(super) fn but_behind(
        &self,
        store: &Store,
        tables: &Tables,
        (except, follows, node): (&Except<'_>, &ByteSet, u32),
        known: &Walked,
        work: &mut Work,
    ) -> Result<Option<Walked>, Exceeded> {
        let wrong = behind_exceptions(&tables.trie, (except, node), follows, work)?;
        if wrong.is_empty() {
            return Ok(None);
        }
        let tokens: FxHashSet<TokenId> =
            wrong.iter().flat_map(|&node| tables.trie.subtree(node)).copied().collect();
        let list: Vec<TokenId> = tokens.iter().copied().collect();
        let pending = known.pending.iter().filter_map(|&id| self.pending_but(store, tables, id, &wrong));
        let (accept, pending) = (known.accept.without(&list, |id| tokens.contains(&id)), pending.collect());
        store.add_bytes(accept.bytes() + size_of::<Walked>());
        Ok(Some(Walked { accept, pending, choices: Box::default() }))
    }

    /// What is pending but for what lies below some nodes, if that leaves anything.
    fn pending_but(&self, store: &Store, tables: &Tables, id: PendingId, wrong: &[u32]) -> Option<PendingId> {
        let mut pending = self.pending(id).clone();
        if let (Some(end), Some(of)) = (pending.end, pending.of) {
            return self.pending_but(store, tables, of, wrong).map(|of| self.ended(store, end, of));
        }
        let is_right = |node: u32| {
            let mut at = node;
            while at != ROOT && !wrong.contains(&at) {
                at = tables.trie.parent[at as usize];
            }
            at == ROOT
        };
        pending.nodes.retain(|&node| is_right(node));
        pending.pure.retain(|&(node, _)| is_right(node));
        pending.runs.retain(|run| is_right(tables.profile.anchor(run.run.anchor).node));
        (!pending.is_empty()).then(|| self.intern(store, pending))
    }
}

/// The trie nodes to which an exception leads, and what follows it one byte further.
fn behind_exceptions(
    trie: &Trie,
    (except, start): (&Except<'_>, u32),
    follows: &ByteSet,
    work: &mut Work,
) -> Result<Vec<u32>, Exceeded> {
    let mut wrong = Vec::new();
    let mut descent = Descent::from(start);
    for text in except.exceptions.texts_from(except.at) {
        work.spend(1)?;
        // At the start, what may follow is known to be what may not.
        if let Some(node) = descent.to(trie, text, |_| ()).filter(|_| !text.is_empty()) {
            wrong.extend(follows.iter().filter_map(|byte| trie.child(node, byte)));
        }
    }
    Ok(wrong)
}
