//! Compiling: a grammar and a vocabulary become a constraint that many sequences share.

use std::borrow::Cow;
use std::sync::{Arc, RwLock};
use std::time::Instant;

use tokenstile_grammar::ir::{Arena, Expr};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error as GrammarError, ErrorKind, ExprId, Grammar, Limits, passes};

use crate::ablate::{Switch, is_off};
use crate::automaton::{Program, Store};
use crate::constraint::{Common, Constraint, Counters, Generation, Inner, Retiring, Terminals, spelling};
use crate::error::CompileError;
use crate::session::Session;
use crate::stored::TablesError;
use crate::tokens::spellable::spells_all_chars;
use crate::vocab::Vocab;

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
    pub(crate) common: Arc<Common>,
    limits: Limits,
}

impl Compiler {
    /// A compiler for `vocab` with default limits.
    pub fn new(vocab: Vocab) -> Self {
        Compiler { common: Arc::new(Common::new(vocab)), limits: Limits::default() }
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
        Ok(Compiler { common: Arc::new(Common::load(vocab, bytes)?), limits: Limits::default() })
    }

    /// Writes the tables of the vocabulary, for [`from_tables`](Self::from_tables). Some 40 MB for 128,000 tokens, in few large
    /// writes. They are for this version of this library, machines of the same byte order, and this vocabulary.
    pub fn save_tables(&self, mut out: impl std::io::Write) -> std::io::Result<()> {
        self.common.save(&mut out)
    }

    /// The version of the format in which tables are saved: a part of the name of a file that several releases may write.
    pub const TABLES_VERSION: u32 = crate::stored::VERSION;

    /// The same compiler with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The vocabulary.
    pub fn vocab(&self) -> &Vocab {
        &self.common.tables.vocab
    }

    /// Bytes held by the tables of the vocabulary, roughly.
    pub fn table_bytes(&self) -> usize {
        self.common.tables.bytes_held()
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
        let terminals = Terminals::of(&grammar, &self.common)?.map(Arc::new);
        let restricted =
            spelling::restrict(&grammar, terminals.as_deref(), &self.common.tables.trie, limits)?;
        let prepared = match restricted {
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
        if !spells_all_chars(&self.common.tables.trie) || is_off(Switch::KeysAbound) {
            tracking.keys_abound = 0;
        }
        let needs_proof = spelling::needs_proof(&prepared, terminals.is_some(), &self.common.tables);
        if needs_proof && tracking.any() {
            let what = "what is repeated in a text cannot be told from tokens that lack single bytes";
            return Err(GrammarError::new(ErrorKind::Unsupported, what).into());
        }
        let has_base = prepared.has_base() && self.limits.heads == Limits::default().heads;
        let base = prepared.base().filter(|_| has_base).cloned();
        let library = base.as_ref().and_then(|base| self.common.library(base));
        let (rules, exprs) = (prepared.rules().len(), prepared.arena().len());
        let program = Arc::new(Program::new(prepared, &self.common.tables)?);
        let constraint = Constraint::new(Inner {
            common: self.common.clone(),
            limits: self.limits.clone(),
            needs_proof,
            tracking,
            base,
            terminals,
            generation: RwLock::new(Arc::new(Generation::new(&program, &self.limits, library))),
            program,
            retired: Retiring::default(),
            counters: Counters::default(),
            rules,
            exprs,
            compile_time: started.elapsed(),
        });
        if needs_proof {
            let session = Session::new(constraint.clone());
            let completable = session.is_completable(&session.start().0);
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
