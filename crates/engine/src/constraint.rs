//! Compiling: a grammar and a vocabulary become a constraint that many sequences share.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokenstile_grammar::ir::{Arena, Expr, Tracking};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error as GrammarError, ErrorKind, ExprId, Grammar, Limits, passes};

use crate::ablate::{Switch, is_off};
use crate::automaton::{Program, Store};
use crate::counters::Counters;
use crate::error::CompileError;
use crate::library::Library;
use crate::mask::MaskStore;
use crate::matcher::Matcher;
use crate::proof::Proofs;
use crate::spelling;
use crate::stored::TablesError;
use crate::tables::Tables;
use crate::tracker::Corrections;
use crate::vocab::Vocab;
use crate::warm::Until;

/// Compiles grammars for one vocabulary. Making one builds the tables of the vocabulary; it is cheap to clone.
///
/// ```
/// use tokenstile::{Compiler, Grammar, Limits, Vocab};
/// let vocab = Vocab::from_tokens([(0, b"ye".to_vec()), (1, b"s".to_vec()), (2, b"no".to_vec())], &[3])?;
/// let compiler = Compiler::new(vocab);
/// let grammar = Grammar::choice(&["yes", "no"], &Limits::default())?;
/// let mut matcher = compiler.compile(&grammar)?.matcher();
/// assert!(matcher.allows(0)? && matcher.allows(2)? && !matcher.allows(1)?);
/// matcher.commit(0)?;
/// matcher.commit(1)?;
/// assert!(matcher.is_accepting());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Compiler {
    pub(crate) tables: Arc<Tables>,
    limits: Limits,
}

impl Compiler {
    /// A compiler for `vocab` with default limits.
    pub fn new(vocab: Vocab) -> Self {
        Compiler { tables: Arc::new(Tables::new(vocab)), limits: Limits::default() }
    }

    /// A compiler for `vocab` with default limits and the tables that [`save_tables`](Self::save_tables) wrote for the same
    /// vocabulary: in a tenth of the time that building them takes.
    ///
    /// The tables are used where they lie, so `bytes` is best a memory map, which processes share; a `Vec<u8>` does as well.
    /// Tables that do not fit are an error, whatever is wrong with them; then build new ones with [`new`](Self::new). What a
    /// checksum cannot tell is a file that someone made up with care: keep it where only those can write whom you trust.
    ///
    /// ```
    /// use tokenstile::{Compiler, TablesError, Vocab};
    ///
    /// let vocab = Vocab::from_tokens([(0, "yes"), (1, "no"), (2, "</s>")], &[2])?;
    /// let mut saved = Vec::new();
    /// Compiler::new(vocab.clone()).save_tables(&mut saved)?;
    ///
    /// // In the next process: Mmap::map(&File::open(path)?)? instead of `saved`.
    /// let compiler = match Compiler::from_tables(vocab.clone(), saved.clone()) {
    ///     Ok(compiler) => compiler,
    ///     Err(_) => Compiler::new(vocab.clone()),
    /// };
    /// assert_eq!(compiler.vocab().fingerprint(), vocab.fingerprint());
    ///
    /// let other = Vocab::from_tokens([(0, "yes"), (1, "</s>")], &[1])?;
    /// assert!(matches!(Compiler::from_tables(other, saved), Err(TablesError::Vocabulary { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_tables(
        vocab: Vocab,
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Self, TablesError> {
        Ok(Compiler { tables: Arc::new(Tables::load(vocab, bytes)?), limits: Limits::default() })
    }

    /// Writes the tables of the vocabulary, for [`from_tables`](Self::from_tables). Some 40 MB for 128,000 tokens, in few large
    /// writes. They are for this version of this library, machines of the same byte order, and this vocabulary.
    pub fn save_tables(&self, mut out: impl std::io::Write) -> std::io::Result<()> {
        self.tables.save(&mut out)
    }

    /// The version of the format in which tables are saved: a part of the name of a file that several releases may write.
    pub const TABLES_VERSION: u32 = crate::stored::VERSION;

    /// The same compiler with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    #[cfg(test)]
    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The vocabulary.
    pub fn vocab(&self) -> &Vocab {
        &self.tables.vocab
    }

    /// Bytes held by the tables of the vocabulary, roughly.
    pub fn table_bytes(&self) -> usize {
        self.tables.bytes_held()
    }

    /// Turns a grammar into a constraint. Takes time in proportion to the grammar, not to the vocabulary.
    ///
    /// A grammar that is not needed any more is best given away: of one that is lent, a copy is made.
    pub fn compile<'g>(&self, grammar: impl Into<Cow<'g, Grammar>>) -> Result<Constraint, CompileError> {
        self.compile_grammar(grammar.into())
    }

    fn compile_grammar(&self, grammar: Cow<'_, Grammar>) -> Result<Constraint, CompileError> {
        let started = Instant::now();
        let mut budget = Budget::new(&self.limits);
        let limits = &self.limits;
        let mut is_never = |arena: &_, expr| boolean_is_never(arena, expr, limits);
        let prepared = match spelling::restrict(&grammar, &self.tables.trie, limits)? {
            None => match grammar {
                Cow::Owned(grammar) => passes::prepare_owned(grammar, &mut budget, &mut is_never)?,
                Cow::Borrowed(grammar) => passes::prepare(grammar, &mut budget, &mut is_never)?,
            },
            Some(restricted) => {
                passes::check(&grammar)?;
                match passes::prepare_checked(&restricted.grammar, &mut budget, &mut is_never) {
                    Err(error) if error.kind() == ErrorKind::Unsatisfiable => {
                        passes::prepare(&grammar, &mut budget, &mut is_never)?;
                        return Err(CompileError::Unspellable { missing: restricted.missing });
                    }
                    prepared => prepared?,
                }
            }
        };
        let mut tracking = prepared.tracking();
        // What was promised was promised of all characters.
        if !spelling::spells_all_chars(&self.tables.trie) || is_off(Switch::KeysAbound) {
            tracking.keys_abound = 0;
        }
        let needs_proof = spelling::needs_proof(&prepared, &self.tables);
        if needs_proof && tracking.any() {
            let what = "what is repeated in a text cannot be told from tokens that lack single bytes";
            return Err(GrammarError::new(ErrorKind::Unsupported, what).into());
        }
        let has_base = prepared.has_base() && self.limits.heads == Limits::default().heads;
        let library = if has_base { self.tables.library() } else { None };
        let (rules, exprs) = (prepared.rules().len(), prepared.arena().len());
        let program = Arc::new(Program::new(prepared, &self.tables)?);
        let inner = Inner {
            tables: self.tables.clone(),
            limits: self.limits.clone(),
            needs_proof,
            tracking,
            has_base,
            generation: RwLock::new(Arc::new(Generation::new(&program, &self.limits, library))),
            program,
            counters: Counters::default(),
            rules,
            exprs,
            compile_time: started.elapsed(),
        };
        let constraint = Constraint { inner: Arc::new(inner) };
        if needs_proof {
            let completable = constraint.matcher().can_complete();
            if !completable.map_err(CompileError::from_match)? {
                return Err(CompileError::Unspellable { missing: Vec::new() });
            }
        }
        Ok(constraint)
    }
}

/// Whether a boolean expression matches nothing.
fn boolean_is_never(arena: &Arena, expr: ExprId, limits: &Limits) -> Result<bool, GrammarError> {
    if !has_booleans(arena, expr) {
        return Ok(false); // a plain expression: the passes have seen that it matches something
    }
    let (arena, expr) = passes::extract(arena, expr);
    let program = Program::of_expr(arena, expr)?;
    let store = Store::new(Arc::new(program), limits, None);
    let empty = store.is_never();
    match store.exceeded() {
        Some(e) => Err(GrammarError::limit(e.name, e.value)),
        None => Ok(empty),
    }
}

/// Whether anything but the outermost region is boolean.
fn has_booleans(arena: &Arena, expr: ExprId) -> bool {
    let mut todo = vec![expr];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = todo.pop() {
        if matches!(arena.get(id), Expr::And(_) | Expr::Not(_) | Expr::Look { .. }) {
            return true;
        }
        todo.extend(arena.children(id).iter().copied().filter(|&c| seen.insert(c)));
    }
    false
}

/// One filling of the caches; dropped as a whole when it has grown too large.
pub(crate) struct Generation {
    pub(crate) store: Store,
    pub(crate) masks: MaskStore,
    pub(crate) proofs: Proofs,
    pub(crate) corrections: Corrections,
    /// What was held right after a sequence had moved here: less than that cannot do.
    floor: AtomicUsize,
}

impl Generation {
    fn new(program: &Arc<Program>, limits: &Limits, library: Option<Arc<Library>>) -> Self {
        Generation {
            masks: MaskStore::new(library.clone()),
            store: Store::new(program.clone(), limits, library),
            proofs: Proofs::default(),
            corrections: Corrections::default(),
            floor: AtomicUsize::new(0),
        }
    }
}

impl Generation {
    /// Whether this has grown so large that it should be given up.
    pub(crate) fn is_full(&self, limits: &Limits) -> bool {
        let floor = self.floor.load(Ordering::Relaxed);
        self.store.is_full(limits.cache_bytes.max(floor.saturating_mul(2)))
            || self.store.library.as_ref().is_some_and(|library| library.is_full())
    }

    /// Takes note of how much a sequence needs that has just moved here.
    pub(crate) fn settle(&self) {
        self.floor.fetch_max(self.store.bytes(), Ordering::Relaxed);
    }
}

/// A compiled grammar: immutable to its users, shared by any number of matchers and threads.
///
/// Its caches fill as it is used, are bounded by [`Limits::cache_bytes`] and rebuilt when they grow past that. A matcher that
/// is not used keeps the caches that it was used with last.
#[derive(Clone)]
pub struct Constraint {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) tables: Arc<Tables>,
    pub(crate) limits: Limits,
    /// Whether it must be proved of each configuration that tokens can complete it: see [`spelling`].
    pub(crate) needs_proof: bool,
    /// What is remembered of the text while it is written.
    pub(crate) tracking: Tracking,
    /// Whether the program begins as that of the library does.
    has_base: bool,
    program: Arc<Program>,
    generation: RwLock<Arc<Generation>>,
    pub(crate) counters: Counters,
    rules: usize,
    exprs: usize,
    compile_time: Duration,
}

impl Inner {
    pub(crate) fn generation(&self) -> Arc<Generation> {
        self.generation.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Empty caches.
    fn new_generation(&self) -> Generation {
        let library = if self.has_base { self.tables.library() } else { None };
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
    /// A matcher at the start of a text.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.clone())
    }

    /// The vocabulary this was compiled for.
    pub fn vocab(&self) -> &Vocab {
        &self.inner.tables.vocab
    }

    /// Words of a mask: one bit per token id, 32 to a word.
    pub fn mask_words(&self) -> usize {
        self.inner.tables.words
    }

    /// The same constraint with empty caches, as it was right after it was compiled.
    #[must_use]
    pub fn fresh(&self) -> Constraint {
        let old = &self.inner;
        let inner = Inner {
            tables: old.tables.clone(),
            limits: old.limits.clone(),
            needs_proof: old.needs_proof,
            tracking: old.tracking,
            has_base: old.has_base,
            generation: RwLock::new(Arc::new(old.new_generation())),
            program: old.program.clone(),
            counters: Counters::default(),
            rules: old.rules,
            exprs: old.exprs,
            compile_time: old.compile_time,
        };
        Constraint { inner: Arc::new(inner) }
    }

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
    /// whichever is first. Never more than half of [`Limits::cache_bytes`] is filled ahead. What other constraints of the
    /// vocabulary can use too is not counted: it has a bound of its own.
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
        self.matcher().explore(Until { deadline, bytes, goes_on });
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
