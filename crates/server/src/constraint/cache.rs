//! Compiled constraints, shared by requests: compiled on threads of their own, kept while there is room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokenstile::{Cancel, CompileError, Compiler, Constraint, Fingerprint, Limits};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Asked, Source};
use crate::config::Config;
use crate::error::ApiError;
use crate::metrics::Metrics;

/// The most time for building ahead what all constraints share.
const WARM_SHARED: Duration = Duration::from_secs(1);
/// Bytes that an expression of a grammar takes, roughly.
const EXPR_BYTES: usize = 64;

/// The cache. Entries are found by source, options and vocabulary; the one that was not used for longest goes first.
pub(crate) struct Constraints {
    compiler: Compiler,
    limits: Limits,
    most_bytes: usize,
    entries: Mutex<Entries>,
    compiling: Arc<Semaphore>,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Entries {
    by_source: HashMap<(Source, Fingerprint), Entry>,
    clock: u64,
}

struct Entry {
    constraint: Constraint,
    used: u64,
}

impl Entry {
    /// What it holds now; this grows while it is used.
    fn bytes(&self, source: &Source) -> usize {
        let stats = self.constraint.stats();
        2 * source.len() + stats.exprs * EXPR_BYTES + stats.cache_bytes
    }
}

impl Constraints {
    /// An empty one. What constraints share is built ahead beside it, so that the first requests do not wait for that.
    pub(crate) fn new(compiler: Compiler, config: &Config, metrics: Arc<Metrics>) -> Constraints {
        let shared = compiler.clone();
        std::thread::spawn(move || shared.warm(WARM_SHARED));
        let defaults = Limits::default();
        // No constraint may fill the cache alone.
        let cache_bytes = defaults.cache_bytes.min(config.cache_bytes / 4);
        let limits = defaults
            .with_source_bytes(config.constraint_bytes)
            .with_compile_time(config.compile_time)
            .with_cache_bytes(cache_bytes);
        Constraints {
            compiler,
            limits,
            most_bytes: config.cache_bytes,
            entries: Mutex::default(),
            compiling: Arc::new(Semaphore::new(config.compile_threads.max(1))),
            metrics,
        }
    }

    /// The bounds under which constraints are compiled.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leave to compile: only so many do at the same time.
    pub(crate) async fn permit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        self.compiling.clone().acquire_owned().await.map_err(|_| ApiError::unavailable())
    }

    /// The compiled constraint: from the cache, or compiled now. If what this returns is dropped, the compile is given up.
    pub(crate) async fn get(&self, asked: &Asked) -> Result<Constraint, ApiError> {
        if asked.source.len() > self.limits.source_bytes {
            let message = format!("`{}` is longer than {} bytes", asked.field, self.limits.source_bytes);
            return Err(ApiError::field(&asked.field, message).code("constraint_limit"));
        }
        if let Some(found) = self.find(&asked.source) {
            return Ok(found);
        }
        let permit = self.permit().await?;
        // Another request may have had the same constraint compiled meanwhile.
        if let Some(found) = self.find(&asked.source) {
            return Ok(found);
        }
        self.metrics.cache_misses.add(1);
        let cancel = CancelOnDrop::new();
        let limits = self.limits.clone().with_cancel(cancel.flag());
        let (compiler, source) = (self.compiler.clone(), asked.source.clone());
        let begun = Instant::now();
        let compiled = tokio::task::spawn_blocking(move || {
            let compiled = compile(&compiler, &source, limits);
            drop(permit);
            compiled
        });
        let compiled = compiled.await.map_err(|_| ApiError::internal("the compile failed"))?;
        cancel.disarm();
        self.metrics.compile_time.note(begun.elapsed());
        let constraint = compiled.map_err(|error| asked.refuse(&error))?;
        self.keep(asked.source.clone(), constraint.clone());
        Ok(constraint)
    }

    fn find(&self, source: &Source) -> Option<Constraint> {
        let mut entries = self.entries();
        entries.clock += 1;
        let now = entries.clock;
        let entry = entries.by_source.get_mut(&(source.clone(), self.compiler.vocab().fingerprint()))?;
        entry.used = now;
        self.metrics.cache_hits.add(1);
        Some(entry.constraint.clone())
    }

    fn keep(&self, source: Source, constraint: Constraint) {
        let mut entries = self.entries();
        entries.clock += 1;
        let entry = Entry { constraint, used: entries.clock };
        entries.by_source.insert((source, self.compiler.vocab().fingerprint()), entry);
        drop(entries);
        self.tidy();
    }

    /// Drops entries until the rest has room, and counts what is there. Constraints grow while they are used, so this
    /// is done now and then.
    pub(crate) fn tidy(&self) {
        let mut entries = self.entries();
        let sizes = entries.by_source.iter().map(|(key, entry)| (entry.used, entry.bytes(&key.0)));
        let mut sizes: Vec<(u64, usize)> = sizes.collect();
        sizes.sort_unstable();
        let mut bytes: usize = sizes.iter().map(|(_, bytes)| bytes).sum();
        let mut gone = 0;
        for (used, size) in sizes {
            if bytes <= self.most_bytes {
                break;
            }
            bytes -= size;
            gone = used;
            self.metrics.cache_evictions.add(1);
        }
        entries.by_source.retain(|_, entry| entry.used > gone);
        self.metrics.cache_bytes.set(bytes);
        self.metrics.cache_entries.set(entries.by_source.len());
    }
}

fn compile(compiler: &Compiler, source: &Source, limits: Limits) -> Result<Constraint, CompileError> {
    let grammar = source.grammar(&limits)?;
    compiler.clone().with_limits(limits).compile(grammar)
}

/// Gives up a compile when the request that wanted it goes away.
pub(crate) struct CancelOnDrop(Option<Cancel>);

impl CancelOnDrop {
    pub(crate) fn new() -> CancelOnDrop {
        CancelOnDrop(Some(Cancel::new()))
    }

    /// The flag for the limits of the compile.
    pub(crate) fn flag(&self) -> Option<Cancel> {
        self.0.clone()
    }

    /// The compile has come to its end.
    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.cancel();
        }
    }
}
