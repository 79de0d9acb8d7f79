//! Building ahead for what is likely to come.
//!
//! First along texts that the constraint may be asked for ([`Texts`]), where their tokens end; what time is left goes
//! to whatever may come, breadth first.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tokenstile_grammar::ir::{BaseParts, ByteSet};

use super::text::Texts;
use crate::automaton::StateId;
use crate::constraint::Constraint;
use crate::session::{Place, Session, plainest};
use crate::stack::Config;
use crate::tokens::trie::ROOT;
use crate::tuning::warm::{FILLERS, IDLE};

/// How long to build.
#[derive(Clone, Copy)]
struct Until<'u> {
    deadline: Instant,
    bytes: usize,
    /// Asked between masks.
    goes_on: &'u dyn Fn() -> bool,
}

impl Constraint {
    /// Builds ahead, for at most `budget`, what the first steps of a text will need.
    ///
    /// Goes along texts that the constraint may be asked for (each member of an object, two items of an array, each way
    /// of a choice in turn) and builds the masks at the ends of their tokens; then along whatever may come, outwards from
    /// the start. So a larger budget reaches further. Masks are the same with or without it, only faster the first time.
    /// A good moment is while a prompt is being processed: see [`warm_while`](Constraint::warm_while).
    pub fn warm(&self, budget: Duration) {
        self.warm_within(budget, usize::MAX);
    }

    /// Builds ahead as [`warm`](Constraint::warm) does, until `budget` is spent or the caches hold `bytes`,
    /// whichever is first. Never more than half of [`Limits::cache_bytes`](crate::Limits::cache_bytes) is filled ahead. What
    /// other constraints of the vocabulary can use too is not counted: it has a bound of its own.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tokenstile::{Compiler, Grammar, Limits, Vocab};
    /// let vocab = Vocab::from_tokens((0..=255u8).map(|b| (b.into(), vec![b])), &[256])?;
    /// let grammar = Grammar::regex("[a-z]{1,8}(-[0-9]+)?", &Default::default(), &Limits::default())?;
    /// let constraint = Compiler::new(vocab).compile(&grammar)?;
    /// constraint.warm_within(Duration::from_secs(1), 100_000);
    ///
    /// let mut mask = vec![0; constraint.mask_words()];
    /// constraint.matcher().fill_mask(&mut mask)?;
    /// assert_eq!(constraint.stats().cold_masks, 0); // it was there already
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm_within(&self, budget: Duration, bytes: usize) {
        self.warm_while(budget, bytes, &|| true);
    }

    /// Builds ahead as [`warm_within`](Constraint::warm_within) does, for as long as `goes_on` says so: it is asked between
    /// masks. So a thread that has nothing to do until the model has read the prompt builds ahead for just that long.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicBool, Ordering};
    /// use std::time::Duration;
    /// # use tokenstile::{Compiler, Grammar, Limits, Vocab};
    /// # let vocab = Vocab::from_tokens((0..=255u8).map(|b| (b.into(), vec![b])), &[256])?;
    /// # let grammar = Grammar::regex("[a-z]{1,8}(-[0-9]+)?", &Default::default(), &Limits::default())?;
    /// # let constraint = Compiler::new(vocab).compile(&grammar)?;
    /// # let run_the_model = || {};
    /// let is_read = AtomicBool::new(false);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         let goes_on = || !is_read.load(Ordering::Relaxed);
    ///         constraint.warm_while(Duration::from_secs(1), 4 << 20, &goes_on);
    ///     });
    ///     run_the_model();
    ///     is_read.store(true, Ordering::Relaxed);
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm_while(&self, budget: Duration, bytes: usize, goes_on: &dyn Fn() -> bool) {
        let now = Instant::now();
        // A deadline past what the clock can say is none.
        let deadline = now.checked_add(budget).unwrap_or_else(|| now + Duration::from_secs(1 << 30));
        Session::new(self.clone()).explore(Until { deadline, bytes, goes_on });
    }
}

impl Session {
    /// Builds the masks of what is likely to come, until then.
    fn explore(&self, until: Until<'_>) {
        let full = (self.inner().limits.cache_bytes / 2).min(until.bytes);
        let until = Until { bytes: full, ..until };
        let mut texts = Texts::new(&self.generation.store);
        let mut idle = 0;
        while idle < IDLE && !texts.are_over() {
            match self.go_along(&texts.next(), until) {
                Some(true) => idle = 0,
                Some(false) => idle += 1,
                None => return,
            }
        }
        self.explore_breadth_first(until);
    }

    fn is_spent(&self, until: Until<'_>) -> bool {
        !(until.goes_on)()
            || self.is_sound().is_err()
            || Instant::now() >= until.deadline
            || self.generation.store.is_full(until.bytes)
    }

    /// Makes the mask at the end of each token of a text, as far as the constraint goes along. Says whether one of them was
    /// new, if there is time left.
    fn go_along(&self, text: &[u8], until: Until<'_>) -> Option<bool> {
        let mut place = self.start();
        let (mut rest, mut is_new) = (text, false);
        while !self.is_spent(until) {
            is_new |= self.collect(&place.0, &mut SmallVec::new()).ok()?.is_some();
            if rest.is_empty() {
                return Some(is_new);
            }
            let token = self.likely_token(rest);
            match self.go_on(&place, &rest[..token]) {
                Ok(next) => (place, rest) = (next, &rest[token..]),
                Err(_) => match self.fill_in(place, rest) {
                    Some(next) => (place, rest) = next,
                    None => return Some(is_new),
                },
            }
        }
        None
    }

    /// How long the token is that a text is likely to begin with. Tokens as a rule end before a space.
    fn likely_token(&self, text: &[u8]) -> usize {
        let trie = &self.inner().common.tables.trie;
        let end = text.iter().skip(1).position(|&byte| byte == b' ').map_or(text.len(), |at| at + 1);
        let (mut node, mut longest) = (ROOT, 1);
        for (at, &byte) in text[..end].iter().enumerate() {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            if !trie.own(node).is_empty() {
                longest = at + 1;
            }
        }
        longest
    }

    /// Goes on from a place where a text cannot, with as few other bytes as it takes until it can, be it from its next
    /// sign on.
    fn fill_in<'t>(&self, mut place: Place, text: &'t [u8]) -> Option<(Place, &'t [u8])> {
        let base = self.generation.store.program.arena.base();
        let signs = base.map_or_else(|| BaseParts::default().signs, |base| *base.signs());
        let sign = text.iter().position(|&byte| signs.contains(byte)).unwrap_or(text.len());
        for _ in 0..FILLERS {
            for rest in [text, &text[sign..]] {
                if let [first, ..] = rest
                    && let Ok(next) = self.go_on(&place, &[*first])
                {
                    return Some((next, &rest[1..]));
                }
            }
            let filler = plainest(&self.bytes_at(&place, 256).ok()?, 1);
            place = self.go_on(&place, &filler).ok().filter(|_| !filler.is_empty())?;
        }
        None
    }

    /// Visits configurations breadth first, byte by byte, and builds their masks. Those that differ from one visited
    /// before only in how often a loop has run come last.
    fn explore_breadth_first(&self, until: Until<'_>) {
        let store = &self.generation.store;
        let (mut shapes, mut seen) = (FxHashSet::default(), FxHashSet::default());
        let mut todo: VecDeque<Config> = VecDeque::from([self.start().0]);
        let mut later: VecDeque<Config> = VecDeque::new();
        while let Some(config) = todo.pop_front().or_else(|| later.pop_front()) {
            if self.is_spent(until) || self.collect(&config, &mut SmallVec::new()).is_err() {
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
                let shape: SmallVec<[(u64, u64); 2]> =
                    key.iter().map(|k| (store.shape(k.0), store.shape(k.1))).collect();
                if shapes.insert(shape) {
                    seen.insert(key);
                    todo.push_back(next);
                } else if seen.insert(key) {
                    later.push_back(next);
                }
            }
        }
    }
}
