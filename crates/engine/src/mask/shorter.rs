//! Loops of which many rounds are left, as loops of which more are: a string that may have fifty more characters allows what
//! one of any length does, but for the few tokens that have more than fifty.

use smallvec::SmallVec;

use super::pending::{PendingId, Walked};
use super::store::MaskStore;
use crate::automaton::{Exceeded, StateId, Store, Work};
use crate::tables::Tables;
use crate::trie::Trie;
use crate::vocab::TokenId;

impl MaskStore {
    /// What a state comes to that is such a loop: what is known of one with more rounds, less what has too many characters.
    pub(super) fn start_shorter(
        &self,
        store: &Store,
        tables: &Tables,
        state: StateId,
        work: &mut Work,
    ) -> Result<Option<Walked>, Exceeded> {
        let Some((like, left)) = store.with_more_left(state) else { return Ok(None) };
        let class = store.repeats(store.local_of(like)).map(|repeats| store.program.class(repeats.chars));
        let known = self.start(store, tables, like, work)?;
        work.is_cold();
        let long = tables.profile.longer_than(left);
        work.spend(long.len())?;
        let mut out: SmallVec<[TokenId; 64]> = SmallVec::new();
        for token in long {
            if !class.is_some_and(|class| token.is_of(&class)) {
                if known.accept.has(token.token) {
                    return Ok(None); // how many rounds it takes cannot be told at a glance
                }
            } else if token.chars > left {
                out.push(token.token);
            }
        }
        if !self.is_near(&tables.trie, known, left) {
            return Ok(None);
        }
        let is_long = |token: TokenId| tables.vocab.bytes(token).is_some_and(|b| b.len() > left as usize);
        let accept = known.accept.without(&out, |token| is_long(token) && out.contains(&token));
        store.add_bytes(accept.bytes() + size_of::<Walked>());
        Ok(Some(Walked { accept, pending: known.pending.clone(), choices: Box::default() }))
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
        let Some((like, left)) = store.with_more_left(state) else { return Ok(None) };
        let known = self.resolve(store, tables, pending, like, work)?;
        let long = tables.profile.longer_than(left);
        work.spend(long.len())?;
        let is_same = long.iter().all(|long| !known.accept.has(long.token));
        Ok((is_same && self.is_near(&tables.trie, known, left)).then(|| known.clone()))
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
