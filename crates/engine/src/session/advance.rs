//! Moving a configuration on by bytes.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::{Refused, Session};
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalId, StateId, partition};
use crate::stack::{Config, Rebase, Stack, Stacks, normalize};
use crate::tuning::session::CHUNK;
use crate::work::{Exceeded, Work};

impl Session {
    /// Where `bytes` lead from `config`.
    pub(crate) fn advance(&self, config: &Config, bytes: &[u8]) -> Result<Config, Refused> {
        let next = self.advance_by_chunks(config, bytes);
        // Where a search was given up, neither answer is one.
        self.is_sound()?;
        next
    }

    fn advance_by_chunks(&self, config: &Config, bytes: &[u8]) -> Result<Config, Refused> {
        let mut work = self.work();
        let first = chunk_of(bytes);
        let mut config = self.advance_chunk(config, first, &mut work)?;
        let mut done = first.len();
        while done < bytes.len() {
            let chunk = chunk_of(&bytes[done..]);
            config = self.advance_chunk(&config, chunk, &mut work).map_err(|e| match e {
                Refused::At(at) => Refused::At(done + at),
                limit => limit,
            })?;
            done += chunk.len();
        }
        Ok(config)
    }

    fn advance_chunk(&self, config: &Config, bytes: &[u8], work: &mut Work) -> Result<Config, Refused> {
        let store = &self.generation.store;
        let (literal, mut skipped) = self.skip_literals(config, bytes)?;
        let mut bytes = &bytes[skipped..];
        if bytes.is_empty() {
            return Ok(literal.unwrap_or_else(|| config.clone()));
        }
        let config = literal.as_ref().unwrap_or(config);
        if let [(state, stack)] = &config[..]
            && (!store.may_end(*state) || stack.links.is_empty())
            && !is_off(Switch::RunSkip)
            && let Some(next) = store.run_through(*state, bytes)
        {
            return Ok(SmallVec::from_iter([(next, stack.clone())]));
        }
        let key = self.skip_keys(config, bytes, work)?;
        if let Some((next, more)) = &key {
            (skipped, bytes) = (skipped + more, &bytes[*more..]);
            if bytes.is_empty() {
                return Ok(next.clone());
            }
        }
        let config = key.as_ref().map_or(config, |(next, _)| next);
        let mut threads: SmallVec<[(LocalId, Stack); 4]> =
            config.iter().map(|(s, stack)| (store.local_of(*s), stack.clone())).collect();
        for (i, &byte) in bytes.iter().enumerate() {
            // Nearly always there is one thread, which does not return.
            if let [(local, _)] = &mut threads[..]
                && !is_off(Switch::SingleThread)
                && !store.opened(*local).returns()
            {
                work.spend(1)?;
                match store.step_byte(*local, byte, work)? {
                    Some(next) => *local = next,
                    None => return Err(Refused::At(skipped + i)),
                }
                continue;
            }
            self.add_returns(&mut threads);
            work.spend(threads.len())?;
            let mut next: SmallVec<[(LocalId, Stack); 4]> = SmallVec::new();
            for (local, stack) in threads {
                let Some(local) = store.step_byte(local, byte, work)? else { continue };
                if !next.iter().any(|t| t.0 == local && t.1.key == stack.key) {
                    next.push((local, stack));
                }
            }
            if next.is_empty() {
                return Err(Refused::At(skipped + i));
            }
            threads = next;
        }
        let mut stacks = Stacks::new(store);
        let mut heads: SmallVec<[(StateId, Stack); 4]> = SmallVec::new();
        for (local, base) in &threads {
            let mut rebase = Rebase::new(base);
            for &(state, node) in &store.local(*local).heads {
                heads.push((state, rebase.stack(&mut stacks, node)));
            }
        }
        let config = normalize(&mut stacks, heads);
        work.spend(stacks.work())?;
        let limit = self.inner().limits.heads;
        if config.len() > limit {
            return Err(Exceeded { name: "heads", value: limit }.into());
        }
        Ok(config)
    }

    /// Where the frame of a thread may end, adds the threads that go on below it.
    fn add_returns(&self, threads: &mut SmallVec<[(LocalId, Stack); 4]>) {
        let store = &self.generation.store;
        let mut i = 0;
        while i < threads.len() {
            let opened = store.opened(threads[i].0);
            i += 1;
            if !opened.returns() {
                continue;
            }
            let stack = threads[i - 1].1.clone();
            let ends = opened.pops.then_some(None).into_iter().chain(opened.ends.iter().map(|&e| Some(e)));
            for (end, (ret, below)) in ends.flat_map(|end| stack.links.iter().map(move |link| (end, link))) {
                let local = store.local_of(store.returned(*ret, end));
                if !threads.iter().any(|t| t.0 == local && t.1.key == below.key) {
                    threads.push((local, below.clone()));
                }
            }
        }
    }

    pub(crate) fn next_bytes(&self, config: &Config) -> ByteSet {
        let threads = self.threads(config);
        let alive = threads.iter().map(|t| &self.generation.store.local_expansion(t.0).alive);
        alive.fold(ByteSet::EMPTY, |all, alive| all.union(alive))
    }

    /// The places of a configuration, those that it may return to included.
    fn threads(&self, config: &Config) -> SmallVec<[(LocalId, Stack); 4]> {
        let store = &self.generation.store;
        let mut threads: SmallVec<[(LocalId, Stack); 4]> =
            config.iter().map(|(s, stack)| (store.local_of(*s), stack.clone())).collect();
        self.add_returns(&mut threads);
        threads
    }

    /// Which bytes may come next, by classes that lead alike.
    pub(crate) fn next_classes(&self, config: &Config) -> SmallVec<[ByteSet; 8]> {
        let threads = self.threads(config);
        let locals = threads.iter().map(|t| self.generation.store.local_expansion(t.0));
        partition(locals.flat_map(|e| e.classes.iter().map(|c| &c.set)))
    }
}

/// The first bytes of a text, cut between characters if it is UTF-8.
fn chunk_of(bytes: &[u8]) -> &[u8] {
    if bytes.len() <= CHUNK {
        return bytes;
    }
    let end = (CHUNK - 3..=CHUNK).rev().find(|&i| bytes[i] & 0xC0 != 0x80);
    &bytes[..end.unwrap_or(CHUNK)]
}
