//! One sequence against a constraint.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use crate::automaton::{Exceeded, LocalId, StateId, Work, partition};
use crate::constraint::{Constraint, Generation};
use crate::error::MatchError;
use crate::few::FewSet;
use crate::mask::{Accept, PendingId};
use crate::stack::{Config, Rebase, Stack, StackNode, Stacks, normalize};
use crate::vocab::TokenId;

/// Bytes committed at a time: bounds how deep a stack can grow between two configurations.
const CHUNK: usize = 256;
/// The most bytes that [`Matcher::forced_bytes`] returns at once.
const FORCED: usize = 4_096;

/// One sequence: where it stands, and how it got there.
///
/// A call that is refused changes nothing. Forking and undoing cost the same however long the text is.
pub struct Matcher {
    constraint: Constraint,
    pub(crate) generation: Arc<Generation>,
    last: Arc<Step>,
    /// The mask that was last asked for, and the step it belongs to.
    shown: Option<(Arc<Step>, Box<[u32]>)>,
}

impl Clone for Matcher {
    fn clone(&self) -> Self {
        Matcher {
            constraint: self.constraint.clone(),
            generation: self.generation.clone(),
            last: self.last.clone(),
            shown: None,
        }
    }
}

/// One commit, linked to the one before.
struct Step {
    before: Option<Arc<Step>>,
    input: Input,
    config: Config,
    /// Commits up to this one.
    count: usize,
    /// Bytes of text up to this one.
    text_len: usize,
}

enum Input {
    Start,
    Token(TokenId),
    Bytes(Box<[u8]>),
    End(TokenId),
}

impl Drop for Step {
    /// In a loop: a long history must not use the call stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(step) = before {
            before = Arc::into_inner(step).and_then(|mut s| s.before.take());
        }
    }
}

/// Why bytes did not fit.
pub(crate) enum Refused {
    At(usize),
    Limit(Exceeded),
}

impl From<Exceeded> for Refused {
    fn from(e: Exceeded) -> Self {
        Refused::Limit(e)
    }
}

impl Matcher {
    pub(crate) fn new(constraint: Constraint) -> Self {
        let generation = constraint.inner.generation();
        let last = Arc::new(start(&generation));
        Matcher { constraint, generation, last, shown: None }
    }

    /// The constraint this sequence is matched against.
    pub fn constraint(&self) -> &Constraint {
        &self.constraint
    }

    /// Words of a mask: one bit per token id, 32 to a word.
    pub fn mask_words(&self) -> usize {
        self.constraint.mask_words()
    }

    /// How many bytes of text were committed.
    pub fn text_len(&self) -> usize {
        self.last.text_len
    }

    /// How many steps can be undone: one for each commit.
    pub fn steps(&self) -> usize {
        self.last.count
    }

    /// Writes the mask of the tokens that may come next: bit `i % 32` of word `i / 32` is token `i`.
    ///
    /// `words` must hold at least [`mask_words`](Matcher::mask_words); what is past that is set to 0.
    pub fn fill_mask(&mut self, words: &mut [u32]) -> Result<(), MatchError> {
        let needed = self.mask_words();
        if words.len() < needed {
            return Err(MatchError::MaskTooShort { given: words.len(), needed });
        }
        self.constraint.inner.counters.masks.fetch_add(1, Ordering::Relaxed);
        if self.is_finished() {
            words.fill(0);
            return Ok(());
        }
        self.renew_if_full()?;
        {
            let mut sets: SmallVec<[&Accept; 8]> = SmallVec::new();
            self.collect(&self.last.config, &mut sets)?;
            Accept::write_union(sets.iter().copied(), words);
        }
        if self.constraint.inner.needs_proof {
            self.keep_completable(&self.last.config, words)?;
        }
        if self.is_accepting() {
            for &end in self.constraint.vocab().end_tokens() {
                if let Some(word) = words[..needed].get_mut(end as usize / 32) {
                    *word |= 1 << (end % 32);
                }
            }
        }
        Ok(())
    }

    /// The mask of the tokens that may come next, in a buffer of the matcher's own. Asking again before the next
    /// commit costs nothing.
    pub fn mask(&mut self) -> Result<&[u32], MatchError> {
        let valid = self.shown.as_ref().is_some_and(|(step, _)| Arc::ptr_eq(step, &self.last));
        if !valid {
            let words = self.shown.take().map(|(_, words)| words);
            let mut words = words.unwrap_or_else(|| vec![0; self.mask_words()].into());
            self.fill_mask(&mut words)?;
            self.shown = Some((self.last.clone(), words));
        }
        Ok(self.shown.as_ref().map_or(&[], |(_, words)| words))
    }

    /// Collects the token sets whose union is the mask.
    fn collect<'a>(
        &'a self,
        config: &'a Config,
        sets: &mut SmallVec<[&'a Accept; 8]>,
    ) -> Result<(), MatchError> {
        let Generation { store, masks, .. } = &*self.generation;
        let tables = &self.constraint.inner.tables;
        let mut work = self.work();
        let mut seen: FewSet<(u128, PendingId)> = FewSet::default();
        let mut todo: SmallVec<[(&Stack, PendingId); 8]> = SmallVec::new();
        for (state, stack) in config {
            let walked = masks.start(store, tables, *state, &mut work)?;
            if !walked.accept.is_empty() {
                sets.push(&walked.accept);
            }
            todo.extend(walked.pending.iter().map(|&p| (stack, p)));
        }
        while let Some((stack, pending)) = todo.pop() {
            if stack.links.is_empty() {
                continue;
            }
            // A stack is met again only where the grammar is ambiguous.
            if !seen.insert((stack.key, pending)) {
                continue;
            }
            work.spend(1)?;
            for (ret, below) in &stack.links {
                let walked = masks.resolve(store, tables, pending, *ret, &mut work)?;
                if !walked.accept.is_empty() {
                    sets.push(&walked.accept);
                }
                todo.extend(walked.pending.iter().map(|&p| (below, p)));
            }
        }
        Ok(())
    }

    pub(crate) fn work(&self) -> Work {
        Work::new(self.constraint.inner.limits.mask_work)
    }

    /// Whether `token` may come next. Looks at this token only.
    pub fn allows(&mut self, token: TokenId) -> Result<bool, MatchError> {
        let vocab = self.constraint.vocab();
        if token as usize >= vocab.width() || self.is_finished() {
            return Ok(false);
        }
        if vocab.end_tokens().contains(&token) {
            return Ok(self.is_accepting());
        }
        let Some(bytes) = vocab.bytes(token).map(<[u8]>::to_vec) else { return Ok(false) };
        self.renew_if_full()?;
        match self.advance(&self.last.config, &bytes) {
            Ok(config) => self.is_completable(&config),
            Err(Refused::At(_)) => Ok(false),
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// Whether some sequence of tokens completes the text from where it stands.
    pub(crate) fn can_complete(&self) -> Result<bool, MatchError> {
        self.is_completable(&self.last.config)
    }

    /// Takes `token` as the next one.
    pub fn commit(&mut self, token: TokenId) -> Result<(), MatchError> {
        if self.is_finished() {
            return Err(MatchError::Finished);
        }
        let vocab = self.constraint.vocab();
        if token as usize >= vocab.width() || token as usize >= vocab.len() {
            return Err(MatchError::UnknownToken { token });
        }
        let forbidden = MatchError::Forbidden { token };
        if vocab.end_tokens().contains(&token) {
            if !self.is_accepting() {
                return Err(forbidden);
            }
            self.push(Input::End(token), self.last.config.clone(), 0);
            return Ok(());
        }
        self.renew_if_full()?;
        let vocab = self.constraint.vocab();
        let bytes = vocab.bytes(token).ok_or(forbidden)?;
        let config = match self.advance(&self.last.config, bytes) {
            Ok(config) => config,
            Err(Refused::At(_)) => return Err(forbidden),
            Err(Refused::Limit(e)) => return Err(e.into()),
        };
        let len = bytes.len();
        if !self.is_completable(&config)? {
            return Err(forbidden);
        }
        self.push(Input::Token(token), config, len);
        Ok(())
    }

    /// Takes `bytes` as the next part of the text, as one step.
    pub fn commit_bytes(&mut self, bytes: &[u8]) -> Result<(), MatchError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.is_finished() {
            return Err(MatchError::Finished);
        }
        self.renew_if_full()?;
        match self.advance(&self.last.config, bytes) {
            Ok(config) => {
                self.push(Input::Bytes(bytes.into()), config, bytes.len());
                Ok(())
            }
            Err(Refused::At(at)) => Err(MatchError::ForbiddenByte { at, byte: bytes[at] }),
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// Undoes the last `steps` commits, an end token among them or not.
    pub fn rollback(&mut self, steps: usize) -> Result<(), MatchError> {
        if steps > self.last.count {
            return Err(MatchError::NothingToUndo { asked: steps, done: self.last.count });
        }
        for _ in 0..steps {
            if let Some(before) = &self.last.before {
                self.last = before.clone();
            }
        }
        Ok(())
    }

    /// A second sequence that starts where this one stands; the two do not see each other.
    #[must_use]
    pub fn fork(&self) -> Matcher {
        self.clone()
    }

    /// Back to the start of a text.
    pub fn reset(&mut self) {
        self.generation = self.constraint.inner.generation();
        self.last = Arc::new(start(&self.generation));
    }

    /// Whether the text so far is complete: an end token may come next.
    pub fn is_accepting(&self) -> bool {
        self.accepts(&self.last.config) && !self.is_finished()
    }

    pub(crate) fn accepts(&self, config: &Config) -> bool {
        let store = &self.generation.store;
        config.iter().any(|(state, stack)| stack.accepts && store.is_accepting(*state))
    }

    /// Whether an end token was committed.
    pub fn is_finished(&self) -> bool {
        matches!(self.last.input, Input::End(_))
    }

    /// Which bytes may come next.
    pub fn allowed_bytes(&mut self) -> Result<ByteSet, MatchError> {
        if self.is_finished() {
            return Ok(ByteSet::EMPTY);
        }
        self.renew_if_full()?;
        Ok(self.next_bytes(&self.last.config))
    }

    pub(crate) fn next_bytes(&self, config: &Config) -> ByteSet {
        self.next_classes(config).iter().fold(ByteSet::EMPTY, |all, class| all.union(class))
    }

    /// Which bytes may come next, by classes that lead alike.
    fn next_classes(&self, config: &Config) -> SmallVec<[ByteSet; 8]> {
        let store = &self.generation.store;
        let mut threads: SmallVec<[(LocalId, Stack); 4]> =
            config.iter().map(|(s, stack)| (store.local_of(*s), stack.clone())).collect();
        self.add_returns(&mut threads);
        let locals = threads.iter().map(|t| store.local_expansion(t.0));
        partition(locals.flat_map(|e| e.classes.iter().map(|c| &c.set)))
    }

    /// The bytes that must come next, whatever is chosen: as far as there is only one way to go on.
    pub fn forced_bytes(&mut self) -> Result<Vec<u8>, MatchError> {
        let mut forced = Vec::new();
        if self.is_finished() {
            return Ok(forced);
        }
        self.renew_if_full()?;
        let mut config = self.last.config.clone();
        while forced.len() < FORCED && !self.accepts(&config) {
            let bytes = self.next_bytes(&config);
            let (1, Some(byte)) = (bytes.len(), bytes.first()) else { break };
            match self.advance(&config, &[byte]) {
                Ok(next) => config = next,
                Err(Refused::At(_)) => break,
                Err(Refused::Limit(e)) => return Err(e.into()),
            }
            forced.push(byte);
        }
        Ok(forced)
    }

    /// The tokens that must come next, in the tokenizer's own segmentation.
    ///
    /// `encode` turns bytes into tokens as the model's tokenizer does. Tokens at the end of the forced text
    /// that could become part of a longer token with what follows are left out, so what is returned is what
    /// the tokenizer would have made of the finished text. Nothing is committed.
    pub fn forced_tokens(
        &mut self,
        encode: impl FnOnce(&[u8]) -> Vec<TokenId>,
    ) -> Result<Vec<TokenId>, MatchError> {
        let forced = self.forced_bytes()?;
        if forced.is_empty() {
            return Ok(Vec::new());
        }
        let mut tokens = encode(&forced);
        let vocab = self.constraint.vocab();
        let spelled: Option<Vec<&[u8]>> = tokens.iter().map(|&t| vocab.bytes(t)).collect();
        let Some(spelled) = spelled.filter(|s| s.concat() == forced) else { return Ok(Vec::new()) };
        let trie = &self.constraint.inner.tables.trie;
        let mut keep = tokens.len();
        for start in 0..spelled.len() {
            let tail = spelled[start..].concat();
            if trie.find(&tail).is_some_and(|node| !trie.children(node).is_empty()) {
                keep = start;
                break;
            }
        }
        tokens.truncate(keep);
        Ok(tokens)
    }

    /// Visits configurations breadth first, byte by byte, and builds their masks, until `deadline`.
    pub(crate) fn explore(&self, deadline: Instant) {
        let store = &self.generation.store;
        let mut seen = FxHashSet::default();
        let mut todo: VecDeque<Config> = VecDeque::from([self.last.config.clone()]);
        let full = self.constraint.inner.limits.cache_bytes / 2;
        while let Some(config) = todo.pop_front() {
            if Instant::now() >= deadline || store.is_full(full) {
                return;
            }
            if self.collect(&config, &mut SmallVec::new()).is_err() {
                return;
            }
            for byte in self.next_classes(&config).iter().filter_map(ByteSet::first) {
                let Ok(next) = self.advance(&config, &[byte]) else { continue };
                // Masks depend on the state and what it returns to next, hardly ever on more.
                let tops = next.iter().map(|(state, stack)| {
                    let below = stack.links.first().map_or(StateId::END, |l| store.clamped(l.0));
                    (store.clamped(*state), below)
                });
                let key: SmallVec<[(StateId, StateId); 2]> = tops.collect();
                if seen.insert(key) {
                    todo.push_back(next);
                }
            }
        }
    }

    fn push(&mut self, input: Input, config: Config, len: usize) {
        let (count, text_len) = (self.last.count + 1, self.last.text_len + len);
        self.last = Arc::new(Step { before: Some(self.last.clone()), input, config, count, text_len });
    }

    /// Where `bytes` lead from `config`.
    pub(crate) fn advance(&self, config: &Config, bytes: &[u8]) -> Result<Config, Refused> {
        let mut work = self.work();
        let mut config = config.clone();
        let mut done = 0;
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
        let (config, skipped) = self.skip_literals(config.clone(), bytes)?;
        let bytes = &bytes[skipped..];
        if bytes.is_empty() {
            return Ok(config);
        }
        if let [(state, stack)] = &config[..]
            && (!store.is_accepting(*state) || stack.links.is_empty())
            && let Some(next) = store.run_through(*state, bytes)
        {
            return Ok(SmallVec::from_buf([(next, stack.clone())]));
        }
        let mut threads: SmallVec<[(LocalId, Stack); 4]> =
            config.iter().map(|(s, stack)| (store.local_of(*s), stack.clone())).collect();
        for (i, &byte) in bytes.iter().enumerate() {
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
        let limit = self.constraint.inner.limits.heads;
        if config.len() > limit {
            return Err(Exceeded { name: "heads", value: limit }.into());
        }
        Ok(config)
    }

    /// Takes bytes that a literal spells without going through the places inside it. Returns how many.
    fn skip_literals(&self, mut config: Config, bytes: &[u8]) -> Result<(Config, usize), Refused> {
        let store = &self.generation.store;
        let mut done = 0;
        while let [(state, stack)] = &config[..]
            && done < bytes.len()
            && let Some((literal, tail)) = store.literal(*state)
        {
            let shared = literal.iter().zip(&bytes[done..]).take_while(|(a, b)| a == b).count();
            if done + shared < bytes.len() && shared < literal.len() {
                return Err(Refused::At(done + shared));
            }
            done += shared;
            let next = if shared < literal.len() {
                store.along_literal(*state, shared)
            } else {
                store.state_of(tail)
            };
            let head = (next, stack.clone());
            config = normalize(&mut Stacks::new(store), SmallVec::from_iter([head]));
        }
        Ok((config, done))
    }

    /// Where the frame of a thread may end, adds the threads that go on below it.
    fn add_returns(&self, threads: &mut SmallVec<[(LocalId, Stack); 4]>) {
        let store = &self.generation.store;
        let mut i = 0;
        while i < threads.len() {
            let (local, stack) = threads[i].clone();
            i += 1;
            if !store.local_expansion(local).pops {
                continue;
            }
            for (ret, below) in &stack.links {
                let local = store.local_of(*ret);
                if !threads.iter().any(|t| t.0 == local && t.1.key == below.key) {
                    threads.push((local, below.clone()));
                }
            }
        }
    }

    /// If the shared caches have grown too large, moves this sequence to new ones by playing it again.
    fn renew_if_full(&mut self) -> Result<(), MatchError> {
        let inner = &self.constraint.inner;
        if let Some(e) = self.generation.store.exceeded() {
            return Err(e.into());
        }
        if !self.generation.is_full(&inner.limits) {
            return Ok(());
        }
        let mut inputs = Vec::with_capacity(self.last.count);
        let mut step = &self.last;
        while let Some(before) = &step.before {
            inputs.push(step.clone());
            step = before;
        }
        let generation = inner.renew(&self.generation);
        let mut again = Matcher {
            constraint: self.constraint.clone(),
            last: Arc::new(start(&generation)),
            generation,
            shown: None,
        };
        for step in inputs.into_iter().rev() {
            let (input, bytes): (Input, &[u8]) = match &step.input {
                Input::Start => continue,
                Input::Token(t) => (Input::Token(*t), self.constraint.vocab().bytes(*t).unwrap_or_default()),
                Input::Bytes(b) => (Input::Bytes(b.clone()), b),
                Input::End(t) => (Input::End(*t), &[]),
            };
            let config = match again.advance(&again.last.config, bytes) {
                Ok(config) => config,
                Err(Refused::Limit(e)) => return Err(e.into()),
                Err(Refused::At(at)) => return Err(MatchError::ForbiddenByte { at, byte: bytes[at] }),
            };
            again.push(input, config, bytes.len());
        }
        again.generation.settle();
        *self = again;
        Ok(())
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

fn start(generation: &Generation) -> Step {
    let config: Config = SmallVec::from_buf([(generation.store.start(), StackNode::bottom())]);
    Step { before: None, input: Input::Start, config, count: 0, text_len: 0 }
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matcher")
            .field("steps", &self.steps())
            .field("text_len", &self.text_len())
            .field("heads", &self.last.config.len())
            .finish_non_exhaustive()
    }
}
