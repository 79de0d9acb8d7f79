//! Loops of which many rounds are left, as loops of which more are.
//!
//! *Recognized* is a loop of which more rounds are left than most tokens have characters, and an expression under a length that
//! is some way off. *Exact*, since such a state allows what one of any length does, but for the few tokens that are longer
//! than what is left. The *answer* is what is known of the one with more rounds, less those. The *limit*: nothing may
//! be pending behind so many bytes, and no more than [`OPEN`] tokens are followed to see whether they fit.

use smallvec::SmallVec;

use super::super::memory::{MaskStore, Origin};
use super::shape::{Ask, StateShape};
use crate::ablate::Switch;
use crate::automaton::{Bounded, StateId, Store};
use crate::tokens::pending::Walked;
use crate::tokens::runs::LongToken;
use crate::tokens::tables::Tables;
use crate::tokens::trie::Trie;
use crate::tuning::runs::SHORT;
use crate::tuning::shapes::OPEN;
use crate::vocab::TokenId;
use crate::work::{Exceeded, Work};

/// A loop of which many rounds are left, as one of which more are.
pub(super) struct LongCount {
    like: StateId,
    left: u32,
}

impl<'a> StateShape<'a> for LongCount {
    const WAY: Switch = Switch::LongCounts;

    fn recognize(ask: &Ask<'a>, _: &mut Work) -> Option<Self> {
        if matches!(ask.from, Origin::Node(_)) {
            return None;
        }
        ask.store.with_more_left(ask.state).map(|(like, left)| LongCount { like, left })
    }

    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        let &Ask { memory, store, tables, .. } = ask;
        let LongCount { like, left } = self;
        let known = ask.of(like, work)?;
        work.is_cold();
        let class = store.repeats(store.local_of(like)).map(|repeats| store.program.class(repeats.chars));
        let Some(class) = class.filter(|_| ask.is_start()) else {
            return Ok(memory.is_short(tables, &known, left, work)?.then(|| known.clone()));
        };
        let long = tables.profile.longer_than(left);
        work.spend(long.len())?;
        let is_long = |token: TokenId| tables.vocab.bytes(token).is_some_and(|b| b.len() > left as usize);
        let found = known.accept.among(is_long);
        let is_other = |long: &LongToken| !long.is_of(&class) && found.has(long.token);
        if long.iter().any(is_other) || !memory.is_near(&tables.trie, &known, left) {
            return Ok(None); // how many rounds they take cannot be told at a glance
        }
        let too_long = long.iter().filter(|long| long.is_of(&class) && long.chars > left);
        let out: SmallVec<[TokenId; 64]> = too_long.map(|long| long.token).collect();
        Ok(Some(known.without(store, &out, is_long)))
    }
}

/// An expression under a length that is some way off, as it is without that.
pub(super) struct LongBound(Bounded);

impl<'a> StateShape<'a> for LongBound {
    const WAY: Switch = Switch::LongBounds;

    fn recognize(ask: &Ask<'a>, _: &mut Work) -> Option<Self> {
        if ask.is_start() { ask.store.without_bound(ask.state, SHORT).map(LongBound) } else { None }
    }

    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        let &Ask { memory, store, tables, .. } = ask;
        let known = ask.of(self.0.like, work)?;
        work.is_cold();
        let short = self.0.many - self.0.ends;
        let is_long = |token: TokenId| tables.vocab.bytes(token).is_some_and(|b| b.len() >= short as usize);
        if !memory.is_near(&tables.trie, &known, short - 1) {
            return Ok(None);
        }
        let found = known.accept.among(is_long);
        let out = self.too_long(ask, |token| found.has(token), work)?;
        Ok(out.map(|out| known.without(store, &out, is_long)))
    }
}

impl LongBound {
    /// The tokens among those found that do not fit; `None` if that cannot be told of too many.
    fn too_long(
        &self,
        ask: &Ask<'_>,
        is_found: impl Fn(TokenId) -> bool,
        work: &mut Work,
    ) -> Result<Option<SmallVec<[TokenId; 64]>>, Exceeded> {
        let LongBound(bounded) = self;
        let &Ask { store, tables, .. } = ask;
        let (many, short) = (bounded.many, bounded.many - bounded.ends);
        let class = store.program.class(bounded.chars);
        let long = tables.profile.longer_than(short - 1);
        work.spend(long.len())?;
        let [local, like] = [ask.state, bounded.like].map(|state| store.clamped_local(store.local_of(state)));
        let mut walk = ask.walk(work);
        let (mut out, mut open): (SmallVec<[TokenId; 64]>, usize) = (SmallVec::new(), 0);
        let mut last = None; // most tokens lead to a few places
        let can_tell = |long: &&LongToken| long.chars >= short || !long.is_of(&class);
        for long in long.iter().filter(can_tell).filter(|long| is_found(long.token)) {
            let bytes = tables.vocab.bytes(long.token).unwrap_or_default();
            let fits = match long.is_of(&class) {
                true if long.chars >= many => Some(false),
                true => {
                    // Whether it can still come to an end depends on where it has come to.
                    let at = walk.after_bytes(like, bytes)?;
                    if last.is_none_or(|(place, _)| place != at) {
                        last = Some((at, at.and_then(|at| store.end_from(bounded, at))));
                    }
                    let end = last.and_then(|(_, end)| end);
                    end.filter(|end| long.chars + end < many).map(|_| true)
                }
                false => None,
            };
            open += usize::from(fits.is_none());
            if open > OPEN {
                return Ok(None);
            }
            if !fits.map_or_else(|| Ok(walk.after_bytes(local, bytes)?.is_some()), Ok)? {
                out.push(long.token);
            }
        }
        Ok(Some(out))
    }
}

impl MaskStore {
    /// Whether no token of more than so many bytes was found, neither as a whole nor in part.
    fn is_short(
        &self,
        tables: &Tables,
        known: &Walked,
        bytes: u32,
        work: &mut Work,
    ) -> Result<bool, Exceeded> {
        let long = tables.profile.longer_than(bytes);
        work.spend(long.len())?;
        let is_long = |token: TokenId| tables.vocab.bytes(token).is_some_and(|b| b.len() > bytes as usize);
        let found = known.accept.among(is_long);
        Ok(!long.iter().any(|long| found.has(long.token)) && self.is_near(&tables.trie, known, bytes))
    }

    /// Whether nothing is pending, or to be chosen, behind more than so many bytes.
    fn is_near(&self, trie: &Trie, known: &Walked, bytes: u32) -> bool {
        let most = bytes as usize;
        let is_near = |&node: &u32| trie.path(node).take(most + 1).count() <= most;
        known.choices.is_empty()
            && known.pending.iter().all(|&id| {
                let pending = self.pending(id);
                let pending = pending.of.map_or(pending, |of| self.pending(of));
                pending.pure.is_empty() && pending.runs.is_empty() && pending.nodes.iter().all(is_near)
            })
    }
}

impl Walked {
    /// The same but for some tokens, all of which are long.
    fn without(&self, store: &Store, out: &[TokenId], is_long: impl Fn(TokenId) -> bool) -> Walked {
        let accept = self.accept.without(out, |token| is_long(token) && out.contains(&token));
        store.add_bytes(accept.bytes() + size_of::<Walked>());
        Walked { accept, pending: self.pending.clone(), choices: Box::default() }
    }
}
