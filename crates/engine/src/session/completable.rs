//! Whether tokens can complete a text, where some byte is no token of its own: see [`proof`](crate::constraint::proof).

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{Refused, Session};
use crate::automaton::StateId;
use crate::constraint::proof::Exit;
use crate::error::MatchError;
use crate::stack::{Config, Stack};
use crate::tokens::trie::ROOT;

impl Session {
    /// Whether some sequence of tokens completes the text from `config`.
    pub(crate) fn is_completable(&self, config: &Config) -> Result<bool, MatchError> {
        if !self.inner().needs_proof {
            return Ok(true);
        }
        let store = &self.generation.store;
        let spelling = self.inner().common.spelling(self.inner().terminals.is_some());
        let exits = |state, spelled| self.generation.proofs.exits(store, spelling, (state, spelled));
        let mut seen: FxHashSet<(u128, Exit)> = FxHashSet::default();
        let mut todo: Vec<(&Stack, Exit)> = Vec::new();
        for (state, stack) in config {
            todo.extend(exits(*state, ROOT)?.iter().map(|&exit| (stack, exit)));
        }
        while let Some((stack, exit)) = todo.pop() {
            let (end, spelled) = exit;
            if stack.bottom && spelled == ROOT {
                return Ok(true);
            }
            if !seen.insert((stack.key, exit)) {
                continue;
            }
            for (ret, below) in &stack.links {
                let ret = store.returned(*ret, end);
                todo.extend(exits(ret, spelled)?.iter().map(|&exit| (below, exit)));
            }
        }
        Ok(false)
    }

    /// Takes out of a mask the tokens after which no sequence of tokens completes the text.
    #[inline(never)] // hardly any grammar needs it
    pub(crate) fn keep_completable(&self, config: &Config, words: &mut [u32]) -> Result<(), MatchError> {
        let mut known: FxHashMap<SmallVec<[(StateId, u128); 2]>, bool> = FxHashMap::default();
        for token in 0..self.constraint.vocab().width() as u32 {
            if words[token as usize / 32] >> (token % 32) & 1 == 0 {
                continue;
            }
            let completable = match self.advance_by(config, token) {
                Ok(next) => {
                    let key = next.iter().map(|(state, stack)| (*state, stack.key)).collect();
                    match known.get(&key) {
                        Some(&known) => known,
                        None => *known.entry(key).or_insert(self.is_completable(&next)?),
                    }
                }
                Err(Refused::At(_)) => false,
                Err(Refused::Limit(e)) => return Err(e.into()),
            };
            if !completable {
                words[token as usize / 32] &= !(1 << (token % 32));
            }
        }
        Ok(())
    }
}
