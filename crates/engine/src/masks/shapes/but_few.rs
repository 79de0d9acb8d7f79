//! Runs of characters with exceptions: keys that are not one of those that have a name.
//!
//! *Recognized* is a state, and a place at an anchor, that is any text of a loop but for a few. *Exact*, since wherever the
//! characters lead, the text can go on; only right behind an exception it cannot end. The *answer* for a state is what the loop
//! alone does, less what goes on right behind an exception, mostly nothing; at an anchor it is the mask of the run, and the
//! places on the way to an exception are told by following those down the trie. The *limit*: what follows must not be taken
//! for more of the loop.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::{MaskStore, Origin};
use super::super::walk::{Places, Walk};
use super::shape::{AnchorShape, Ask, AtAnchor, Seen, StateShape};
use crate::ablate::Switch;
use crate::automaton::{AllButFew, Except, LocalExpansion, LocalId, Loop, StateId, Store};
use crate::tokens::accept::Shared;
use crate::tokens::class::CharClass;
use crate::tokens::pending::{PendingId, PendingRun, Walked};
use crate::tokens::runs::{Profile, Run, RunMask};
use crate::tokens::tables::Tables;
use crate::tokens::trie::{Descent, ROOT, Trie};
use crate::tuning::walk::RUN_TOKENS;
use crate::vocab::TokenId;
use crate::work::{Exceeded, Work};

/// Where the exceptions lie below a node: those that end, and all nodes on the way.
struct Exceptions {
    ends: Arc<[u32]>,
    on_the_way: Vec<u32>,
}

impl Exceptions {
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
        Exceptions { ends: ends.into(), on_the_way }
    }
}

/// A place that is a loop but for a few texts, with the texts, the loop's characters, the place that they lead to, and what may
/// follow.
pub(super) struct ExceptedRun<'a> {
    few: Vec<Vec<u8>>,
    rest: CharClass,
    home: LocalId,
    onward: &'a LocalExpansion,
}

impl<'a> AnchorShape<'a> for ExceptedRun<'a> {
    const WAY: Switch = Switch::ExceptedRuns;

    fn recognize(walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Self>, Exceeded> {
        let store = walk.store;
        let known = store.only_state(at.local).and_then(|(state, _)| store.all_but_few(state));
        let Some(AllButFew { all, tail, few }) = known else { return Ok(None) };
        let Some(repeats) = store.repeats(store.local_of(all)).filter(is_endless) else { return Ok(None) };
        let rest = store.program.class(repeats.chars);
        let first = rest.ascii.intersect(&at.anchor.bytes);
        if !at.anchor.has(RUN_TOKENS, &first)
            || !Profile::pays(&first, &rest)
            || !walk.knows(at.anchor, &rest)
        {
            return Ok(None);
        }
        let Some(home) = walk.away_from(at.local, &few, &rest)? else { return Ok(None) };
        let onward = store.split_expansion(store.local_of(tail));
        Ok(onward.apart.is_empty().then_some(ExceptedRun { few, rest, home, onward }))
    }

    fn answer(self, walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded> {
        let ExceptedRun { few, rest, home, onward } = self;
        let first = rest.ascii.intersect(&at.anchor.bytes);
        let run = Run { anchor: at.index, first, first_wide: rest.wide, rest, most: u32::MAX };
        let RunMask { mask, minus, .. } = walk.tables.profile.mask(walk.trie, run);
        walk.masks.push(Shared { mask, minus });
        walk.work.spend(64 + few.len())?;
        let exceptions = Exceptions::new(walk.trie, at.anchor.node, &few);
        let except = exceptions.ends.clone();
        walk.ends_in(walk.store.split_expansion(home), |pending| {
            pending.runs.push(PendingRun { run, least: 1, except: except.clone() });
        });
        let wide = if rest.wide { ByteSet::PAST_ASCII } else { ByteSet::EMPTY };
        let alive = walk.store.split_expansion(home).alive;
        let exits = alive.union(&onward.alive).minus(&rest.ascii).minus(&wide);
        let mut places = Places::new(at.anchor.node, at.local, Some(home));
        walk.leave_from(&run, (&mut places, home), &exits, |_, before| {
            exceptions.on_the_way.binary_search(&before).is_err()
        })?;
        Ok(Some(Seen::Bytes(first.union(&wide))))
    }
}

/// Whether a loop may end at once, and never has to.
fn is_endless(repeats: &Loop) -> bool {
    repeats.left.is_none() && repeats.need == 0
}

impl Walk<'_> {
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
        let repeats = self.store.repeats(home).filter(is_endless);
        Ok(repeats.filter(|repeats| self.store.program.class(repeats.chars) == *rest).map(|_| home))
    }
}

impl Store {
    /// A state as texts of a loop but for a few, if what may follow them cannot be taken for more of the loop; and the
    /// bytes that may.
    fn except_apart(&self, state: StateId) -> Option<(Except<'_>, ByteSet)> {
        let except = self.except(state)?;
        let tail = self.split_expansion(self.local_of(except.tail));
        let plain = !tail.pops && tail.ends.is_empty() && tail.apart.is_empty();
        let follows =
            Some(tail.alive).filter(|alive| plain && !alive.intersects(&except.exceptions.bytes()))?;
        Some((except, follows))
    }
}

/// A state that is texts of a loop but for a few, and the bytes that may follow.
pub(super) struct ExceptedKey<'a>(Except<'a>, ByteSet);

impl<'a> StateShape<'a> for ExceptedKey<'a> {
    const WAY: Switch = Switch::ExceptedKeys;

    fn recognize(ask: &Ask<'a>, _: &mut Work) -> Option<Self> {
        if matches!(ask.from, Origin::Pending(_)) && !ask.is_start() {
            return None;
        }
        ask.store.except_apart(ask.state).map(|(except, follows)| ExceptedKey(except, follows))
    }

    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        let ExceptedKey(except, follows) = self;
        let known = ask.of(except.like, work)?;
        work.is_cold();
        let node = if let Origin::Node(node) = ask.from { node } else { ROOT };
        let few = ask.memory.but_behind(ask.store, ask.tables, (&except, &follows, node), &known, work)?;
        Ok(Some(few.unwrap_or_else(|| known.clone())))
    }
}

impl MaskStore {
    /// What is known of the loop, less what goes on right behind an exception; `None` if that is all of it.
    fn but_behind(
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
