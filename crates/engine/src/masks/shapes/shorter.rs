//! Loops of which many rounds are left, as loops of which more are: a string that may have fifty more characters allows what
//! one of any length does, but for the few tokens that have more than fifty.

use smallvec::SmallVec;

use super::super::memory::MaskStore;
use super::super::walk::Walk;
use crate::ablate::{Switch, is_off};
use crate::automaton::{Bounded, Loop, StateId, Store};
use crate::tokens::pending::{PendingId, Walked};
use crate::tokens::runs::{LongToken, SHORT};
use crate::tokens::tables::Tables;
use crate::tokens::trie::Trie;
use crate::vocab::TokenId;
use crate::work::{Exceeded, Work};

/// So many tokens are followed by themselves to see whether they are too long.
const OPEN: usize = 32;

impl MaskStore {
    /// What a state that is such a loop comes to: what is known of one with more rounds, less what has too many characters.
    pub(super) fn start_shorter(
        &self,
        store: &Store,
        tables: &Tables,
        state: StateId,
        work: &mut Work,
    ) -> Result<Option<Walked>, Exceeded> {
        let like = if is_off(Switch::LongCounts) { None } else { store.with_more_left(state) };
        let Some((like, left)) = like else {
            return self.start_bounded(store, tables, state, work);
        };
        let known = self.start(store, tables, like, work)?;
        work.is_cold();
        let Some(Loop { chars, .. }) = store.repeats(store.local_of(like)) else {
            return Ok(self.is_short(tables, known, left, work)?.then(|| known.clone()));
        };
        let class = store.program.class(chars);
        let long = tables.profile.longer_than(left);
        work.spend(long.len())?;
        let is_long = |token: TokenId| tables.vocab.bytes(token).is_some_and(|b| b.len() > left as usize);
        let found = known.accept.among(is_long);
        let is_other = |long: &LongToken| !long.is_of(&class) && found.has(long.token);
        if long.iter().any(is_other) || !self.is_near(&tables.trie, known, left) {
            return Ok(None); // how many rounds they take cannot be told at a glance
        }
        let too_long = long.iter().filter(|long| long.is_of(&class) && long.chars > left);
        let out: SmallVec<[TokenId; 64]> = too_long.map(|long| long.token).collect();
        Ok(Some(known.without(store, &out, is_long)))
    }

    /// The same for an expression under a length that is some way off: what it allows without that, less what is too long.
    fn start_bounded(
        &self,
        store: &Store,
        tables: &Tables,
        state: StateId,
        work: &mut Work,
    ) -> Result<Option<Walked>, Exceeded> {
        if is_off(Switch::LongBounds) {
            return Ok(None);
        }
        let Some(bounded) = store.without_bound(state, SHORT) else { return Ok(None) };
        let Bounded { like, chars, many, ends, .. } = bounded;
        let known = self.start(store, tables, like, work)?;
        work.is_cold();
        let short = many - ends;
        let class = store.program.class(chars);
        let long = tables.profile.longer_than(short - 1);
        work.spend(long.len())?;
        let is_long = |token: TokenId| tables.vocab.bytes(token).is_some_and(|b| b.len() >= short as usize);
        if !self.is_near(&tables.trie, known, short - 1) {
            return Ok(None);
        }
        let found = known.accept.among(is_long);
        let [local, like] = [state, like].map(|state| store.clamped_local(store.local_of(state)));
        let mut walk = Walk::new(self, store, tables, work);
        let (mut out, mut open): (SmallVec<[TokenId; 64]>, usize) = (SmallVec::new(), 0);
        let mut last = None; // most tokens lead to a few places
        let can_tell = |long: &&LongToken| long.chars >= short || !long.is_of(&class);
        for long in long.iter().filter(can_tell).filter(|long| found.has(long.token)) {
            let bytes = tables.vocab.bytes(long.token).unwrap_or_default();
            let fits = match long.is_of(&class) {
                true if long.chars >= many => Some(false),
                true => {
                    // Whether it can still come to an end depends on where it has come to.
                    let at = walk.after_bytes(like, bytes)?;
                    if last.is_none_or(|(place, _)| place != at) {
                        last = Some((at, at.and_then(|at| store.end_from(&bounded, at))));
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
        Ok(Some(known.without(store, &out, is_long)))
    }

    /// The same for what is left of tokens, where no token is so long that it matters.
    pub(super) fn go_on_shorter(
        &self,
        store: &Store,
        tables: &Tables,
        pending: PendingId,
        state: StateId,
        work: &mut Work,
    ) -> Result<Option<Walked>, Exceeded> {
        if is_off(Switch::LongCounts) {
            return Ok(None);
        }
        let Some((like, left)) = store.with_more_left(state) else { return Ok(None) };
        let known = self.resolve(store, tables, pending, like, work)?;
        Ok(self.is_short(tables, known, left, work)?.then(|| known.clone()))
    }

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
