//! Every bound of the library, in one place.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};

/// Bounds that hold for every compile and every mask. The defaults are safe for untrusted input on a server.
///
/// An exceeded limit is an error that names the field and its value ([`ErrorKind::Limit`]); it never aborts
/// the process and never leaves a half-changed state behind.
///
/// ```
/// use tokenstile::{Grammar, Limits};
/// let limits = Limits::default().with_source_bytes(8);
/// let error = Grammar::gbnf("root ::= \"far too long\"", &limits).unwrap_err();
/// assert!(error.to_string().contains("source_bytes"));
/// ```
///
/// Begin with [`Limits::default`] and change what should be different, by a method or in its field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of constraint source text.
    pub source_bytes: usize,
    /// Depth of nested groups in source text.
    pub nesting: usize,
    /// Rules of a grammar, those made by the passes included.
    pub rules: usize,
    /// Expressions of a grammar, those made by the passes included.
    pub exprs: usize,
    /// Automaton states that one constraint may hold before its cache is started anew.
    pub states: usize,
    /// Parse heads that one configuration may have (the width of an ambiguity).
    pub heads: usize,
    /// Bytes of rebuildable cache that one constraint may hold, roughly: when they are more, it starts anew.
    pub cache_bytes: usize,
    /// Units of work (trie nodes visited, states built) that one mask or one commit may take.
    pub mask_work: usize,
    /// Time that each stage of a compile may take: reading the source, and making a constraint of it.
    pub compile_time: Duration,
    /// Set from outside to give up a compile that is no longer wanted.
    pub cancel: Option<Cancel>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            source_bytes: 16 << 20,
            nesting: 1_000,
            rules: 1 << 20,
            exprs: 1 << 22,
            states: 1 << 20,
            heads: 4_096,
            cache_bytes: 64 << 20,
            mask_work: 20_000_000,
            compile_time: Duration::from_secs(10),
            cancel: None,
        }
    }
}

impl Limits {
    /// The same with another bound on [`source_bytes`](Limits::source_bytes).
    #[must_use]
    pub fn with_source_bytes(self, source_bytes: usize) -> Self {
        Limits { source_bytes, ..self }
    }

    /// The same with another bound on [`nesting`](Limits::nesting).
    #[must_use]
    pub fn with_nesting(self, nesting: usize) -> Self {
        Limits { nesting, ..self }
    }

    /// The same with another bound on [`rules`](Limits::rules).
    #[must_use]
    pub fn with_rules(self, rules: usize) -> Self {
        Limits { rules, ..self }
    }

    /// The same with another bound on [`exprs`](Limits::exprs).
    #[must_use]
    pub fn with_exprs(self, exprs: usize) -> Self {
        Limits { exprs, ..self }
    }

    /// The same with another bound on [`states`](Limits::states).
    #[must_use]
    pub fn with_states(self, states: usize) -> Self {
        Limits { states, ..self }
    }

    /// The same with another bound on [`heads`](Limits::heads).
    #[must_use]
    pub fn with_heads(self, heads: usize) -> Self {
        Limits { heads, ..self }
    }

    /// The same with another bound on [`cache_bytes`](Limits::cache_bytes).
    #[must_use]
    pub fn with_cache_bytes(self, cache_bytes: usize) -> Self {
        Limits { cache_bytes, ..self }
    }

    /// The same with another bound on [`mask_work`](Limits::mask_work).
    #[must_use]
    pub fn with_mask_work(self, mask_work: usize) -> Self {
        Limits { mask_work, ..self }
    }

    /// The same with another bound on [`compile_time`](Limits::compile_time).
    #[must_use]
    pub fn with_compile_time(self, compile_time: Duration) -> Self {
        Limits { compile_time, ..self }
    }

    /// The same with a flag to [`cancel`](Limits::cancel) with, or with none.
    #[must_use]
    pub fn with_cancel(self, cancel: impl Into<Option<Cancel>>) -> Self {
        Limits { cancel: cancel.into(), ..self }
    }
}

/// A flag that another thread raises to cancel a compile.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the compile that holds this flag to stop at its next check.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Cancel::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Checks the time and cancellation limits of one compile; cheap enough to call once per unit of work.
#[derive(Debug)]
pub struct Budget<'a> {
    limits: &'a Limits,
    started: Instant,
    ticks: u32,
}

impl<'a> Budget<'a> {
    /// Starts the clock.
    pub fn new(limits: &'a Limits) -> Self {
        Budget { limits, started: Instant::now(), ticks: 0 }
    }

    /// The limits this budget enforces.
    pub fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Counts one unit of work; looks at the clock every 256 of them.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Error> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks & 0xff == 0 { self.check() } else { Ok(()) }
    }

    /// Looks at the clock and the cancel flag now.
    pub fn check(&self) -> Result<(), Error> {
        if self.limits.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(Error::new(ErrorKind::Cancelled, "the compile was cancelled"));
        }
        if self.started.elapsed() > self.limits.compile_time {
            return Err(Error::limit("compile_time", format!("{:?}", self.limits.compile_time)));
        }
        Ok(())
    }
}
