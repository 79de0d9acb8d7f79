//! A compiled grammar, as its users hold it, and what it counts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use tokenstile_grammar::Limits;
use tokenstile_grammar::ir::{Base, Tracking};

use super::common::Common;
use super::counters::Counters;
use super::generation::Generation;
use super::terminals::Terminals;
use crate::automaton::Program;
use crate::collections::{MemoStats, Retired};
use crate::tuning::generation::DROPPED;
use crate::vocab::Vocab;

/// A compiled grammar: immutable to its users, shared by any number of matchers and threads.
///
/// Its caches fill as it is used, are bounded by [`Limits::cache_bytes`] and rebuilt when they grow past that. A matcher that
/// is not used keeps the caches that it was used with last.
#[derive(Clone)]
pub struct Constraint {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) common: Arc<Common>,
    pub(crate) limits: Limits,
    /// Whether it must be proved of each configuration that tokens can complete it: see [`spelling`].
    pub(crate) needs_proof: bool,
    /// What is remembered of the text while it is written.
    pub(crate) tracking: Tracking,
    /// What the program begins with, if that is as the base has it: then there is a library for it.
    pub(crate) base: Option<Arc<Base>>,
    /// Which tokens the token terminals take, if there are any.
    pub(crate) terminals: Option<Arc<Terminals>>,
    pub(crate) program: Arc<Program>,
    pub(crate) generation: RwLock<Arc<Generation>>,
    /// What is left of caches that were given up.
    pub(crate) retired: Retiring,
    pub(crate) counters: Counters,
    pub(crate) rules: usize,
    pub(crate) exprs: usize,
    pub(crate) compile_time: Duration,
}

/// What is left of caches that were given up, to be dropped little by little.
#[derive(Default)]
pub(crate) struct Retiring {
    /// Whether there is anything.
    is_due: AtomicBool,
    left: Mutex<Retired>,
}

impl Retiring {
    /// Takes caches of a sequence that has moved to others; the last to come brings all there is to drop.
    pub(crate) fn add(&self, generation: Arc<Generation>) {
        let Some(generation) = Arc::into_inner(generation) else { return };
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = generation.retire();
        self.is_due.store(true, Ordering::Relaxed);
    }

    /// Drops some of it, unless someone else does.
    #[inline]
    pub(crate) fn drop_some(&self) {
        if self.is_due.load(Ordering::Relaxed)
            && let Ok(mut left) = self.left.try_lock()
        {
            self.is_due.store(left.shrink(DROPPED), Ordering::Relaxed);
        }
    }
}

impl Inner {
    pub(crate) fn generation(&self) -> Arc<Generation> {
        self.generation.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Empty caches.
    fn new_generation(&self) -> Generation {
        let library = self.base.as_ref().and_then(|base| self.common.library(base));
        Generation::new(&self.program, &self.limits, library)
    }

    /// The caches to use instead of `old`, which has grown too large.
    pub(crate) fn renew(&self, old: &Arc<Generation>) -> Arc<Generation> {
        let mut current = self.generation.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, old) {
            *current = Arc::new(self.new_generation());
            self.counters.renewal();
        }
        current.clone()
    }
}

impl Constraint {
    pub(crate) fn new(inner: Inner) -> Self {
        Constraint { inner: Arc::new(inner) }
    }

    /// The vocabulary this was compiled for.
    pub fn vocab(&self) -> &Vocab {
        &self.inner.common.tables.vocab
    }

    /// Words of a mask: one bit per token id, 32 to a word.
    pub fn mask_words(&self) -> usize {
        self.inner.common.tables.words
    }

    /// The same constraint with empty caches, as it was right after it was compiled.
    #[must_use]
    pub fn fresh(&self) -> Constraint {
        let old = &self.inner;
        let inner = Inner {
            common: old.common.clone(),
            limits: old.limits.clone(),
            needs_proof: old.needs_proof,
            tracking: old.tracking,
            base: old.base.clone(),
            terminals: old.terminals.clone(),
            generation: RwLock::new(Arc::new(old.new_generation())),
            program: old.program.clone(),
            retired: Retiring::default(),
            counters: Counters::default(),
            rules: old.rules,
            exprs: old.exprs,
            compile_time: old.compile_time,
        };
        Constraint::new(inner)
    }

    /// What this constraint holds and has done so far. Keeping the counters costs an atomic addition a mask, and two
    /// readings of the clock for a mask that is not in the caches.
    ///
    /// ```
    /// use tokenstile::{Compiler, Grammar, Limits, Vocab};
    /// let vocab = Vocab::from_tokens([(0, "a"), (1, "b")], &[2])?;
    /// let constraint = Compiler::new(vocab).compile(&Grammar::gbnf("root ::= \"a\" \"b\"", &Limits::default())?)?;
    /// let mut mask = vec![0; constraint.mask_words()];
    /// for _ in 0..3 {
    ///     constraint.matcher().fill_mask(&mut mask)?;
    /// }
    /// let stats = constraint.stats();
    /// assert_eq!((stats.masks, stats.cold_masks), (3, 1)); // the second and third time it was known
    /// assert!(!stats.cold_time.is_zero() && stats.cache_bytes > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> Stats {
        let inner = &self.inner;
        let generation = inner.generation();
        let (cold_masks, cold_time) = inner.counters.cold_masks();
        Stats {
            rules: inner.rules,
            exprs: inner.exprs,
            states: generation.store.state_count(),
            walks: generation.masks.count(),
            cache_bytes: generation.store.bytes(),
            masks: inner.counters.masks(),
            cold_masks,
            cold_time,
            renewals: inner.counters.renewals(),
            compile_time: inner.compile_time,
            memos: generation.memos(),
        }
    }
}

impl std::fmt::Debug for Constraint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Constraint").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// What a constraint holds and has done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Rules after preparation.
    pub rules: usize,
    /// Expressions after preparation.
    pub exprs: usize,
    /// Automaton states built so far.
    pub states: usize,
    /// Token sets computed so far for what is left of a token after a frame ended.
    pub walks: usize,
    /// Bytes of cache held, roughly.
    pub cache_bytes: usize,
    /// Masks asked for.
    pub masks: u64,
    /// Masks among those for which not everything that the automaton has to say was in the caches. What is looked up about
    /// keys and items that may not repeat, and whether tokens can complete a text, is not counted.
    pub cold_masks: u64,
    /// Time of the [cold masks](Stats::cold_masks), each from where the caches first did not have something until the
    /// automaton's part was worked out. Masks that were in the caches add nothing: two readings of the clock for each of them would cost those
    /// too who never read this. What is built by [`warm`](Constraint::warm) is not counted either.
    pub cold_time: Duration,
    /// How often the caches were started anew because they had grown too large, or because a search was given up.
    pub renewals: u64,
    /// Time that the compile took.
    pub compile_time: Duration,
    /// What is remembered by key, memo by memo.
    pub memos: Vec<MemoStats>,
}

impl std::fmt::Display for Stats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} rules, {} expressions, {} states, {} KiB of cache ({} times anew), {} masks, {} of them cold in {:?}, \
             compiled in {:?}",
            self.rules,
            self.exprs,
            self.states,
            self.cache_bytes / 1024,
            self.renewals,
            self.masks,
            self.cold_masks,
            self.cold_time,
            self.compile_time
        )
    }
}
