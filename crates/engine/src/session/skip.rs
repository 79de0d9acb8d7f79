//! Bytes that are passed over at once, without the places between them.
//!
//! Most of what is committed is known beforehand: names, and what stands between members. Its places are different in
//! each constraint and reached once, so that making them is most of the cost of a token that is new.

use smallvec::SmallVec;

use super::{Refused, Session};
use crate::ablate::{Switch, is_off};
use crate::automaton::{Generic, NodeId, StateId, Store, Ways};
use crate::stack::{Config, Stack, Stacks, normalize};
use crate::work::Work;

impl Session {
    /// Takes bytes that a literal spells without going through the places inside it. Returns where they lead, if there are
    /// any, and how many they are.
    pub(crate) fn skip_literals(
        &self,
        config: &Config,
        bytes: &[u8],
    ) -> Result<(Option<Config>, usize), Refused> {
        let store = &self.generation.store;
        let mut passed: Option<Config> = None;
        let mut done = 0;
        while let [(state, stack)] = &passed.as_ref().unwrap_or(config)[..]
            && done < bytes.len()
            && !is_off(Switch::LiteralSkip)
            && let Some((literal, tail)) = store.literal(*state)
        {
            let shared = literal.iter().zip(&bytes[done..]).take_while(|(a, b)| a == b).count();
            if done + shared < bytes.len() && shared < literal.len() {
                return Err(Refused::At(done + shared));
            }
            done += shared;
            let mut stacks = Stacks::new(store);
            let (next, ret) = if shared < literal.len() {
                (store.along_literal(*state, shared), None)
            } else {
                store.entered(tail)
            };
            let stack = ret.map_or_else(|| stack.clone(), |ret| stacks.push(ret, stack));
            passed = Some(normalize(&mut stacks, SmallVec::from_iter([(next, stack)])));
        }
        Ok((passed, done))
    }

    /// The same where a key is one of several, or another one, and for what stands before it.
    pub(crate) fn skip_keys(
        &self,
        config: &Config,
        bytes: &[u8],
        work: &mut Work,
    ) -> Result<Option<(Config, usize)>, Refused> {
        let Some((config, taken)) = self.skip_to_entry(config, bytes, work)? else {
            return Ok(self.skip_in_keys(config, bytes));
        };
        Ok(Some(match self.skip_in_keys(&config, &bytes[taken..]) {
            Some((further, more)) => (further, taken + more),
            None => (config, taken),
        }))
    }

    /// Takes bytes of keys that have begun.
    fn skip_in_keys(&self, config: &Config, bytes: &[u8]) -> Option<(Config, usize)> {
        let store = &self.generation.store;
        let mut taken = bytes.len();
        // Where there are many heads there is more to do than this.
        if config.len() > 2 || is_off(Switch::KeySkip) {
            return None;
        }
        let mut found: SmallVec<[Ways; 2]> = SmallVec::new();
        for (state, _) in config {
            let (most, states) = store.along(*state, &bytes[..taken])?;
            if most < taken && found.iter().any(|states: &Ways| !states.is_empty()) {
                return None; // rare enough to go byte by byte
            }
            taken = most;
            found.push(states);
        }
        let stacks = config.iter().map(|(_, stack)| stack);
        Some((on_stacks(store, stacks.zip(&found))?, taken))
    }

    /// Takes bytes from before an entry of members: up to where it is chosen as in all members of this kind, then along
    /// the keys of those that are open.
    fn skip_to_entry(
        &self,
        config: &Config,
        bytes: &[u8],
        work: &mut Work,
    ) -> Result<Option<(Config, usize)>, Refused> {
        let store = &self.generation.store;
        let [(state, stack)] = &config[..] else { return Ok(None) };
        if store.is_shared(state.0) || is_off(Switch::EntrySkip) {
            return Ok(None);
        }
        let Some(Generic { state, choice }) = store.generic_of(*state) else { return Ok(None) };
        let (choice, _) = store.local(choice).heads[0];
        let Some((members, _)) = store.open_in(choice) else { return Ok(None) };
        let is_our_choice = |(state, stack)| stack == NodeId::BOTTOM && store.is_generic(state);
        let mut at = store.local_of(state);
        for (taken, &byte) in bytes.iter().enumerate() {
            let here = store.split_expansion(at);
            let chooses = match here.apart.choices[..] {
                [] => false,
                [choice] if is_our_choice(store.local(choice).heads[0]) => true,
                _ => return Ok(None),
            };
            if here.pops
                || !here.ends.is_empty()
                || !here.apart.frames.is_empty()
                || !here.apart.calls.is_empty()
            {
                return Ok(None);
            }
            match here.class_of(byte) {
                Some(_) if chooses && self.generation.masks.entries_begin_with(store, members, byte) => {
                    return Ok(None);
                }
                Some(class) => at = store.step_from(here, class, work)?,
                None if chooses => {
                    let stack = Stacks::new(store).push(choice, stack);
                    let rest = &bytes[taken..];
                    let opened = match *rest {
                        [opening] if !is_off(Switch::OpeningSkip) => store.behind_opening(choice, opening),
                        _ => None,
                    };
                    let further = opened
                        .map(|ways| (1, ways))
                        .or_else(|| store.along_cells(&store.entries_of(choice), rest));
                    let Some((more, ways)) = further else { return Ok(None) };
                    let next = on_stacks(store, std::iter::once((&stack, &ways)));
                    return Ok(next.map(|next| (next, taken + more)));
                }
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// Where ways lead from stacks, if anywhere.
fn on_stacks<'a>(store: &Store, ways: impl Iterator<Item = (&'a Stack, &'a Ways)>) -> Option<Config> {
    let mut stacks = Stacks::new(store);
    let mut heads: SmallVec<[(StateId, Stack); 4]> = SmallVec::new();
    for (stack, ways) in ways {
        heads.extend(ways.iter().map(|&(state, ret)| match ret {
            Some(ret) => (state, stacks.push(ret, stack)),
            None => (state, stack.clone()),
        }));
    }
    (!heads.is_empty()).then(|| normalize(&mut stacks, heads))
}
