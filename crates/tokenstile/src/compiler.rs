//! Compiling: a grammar and a vocabulary become a constraint that many sequences share.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokenstile_engine::{CompileError, Constraint, TablesError, Vocab};
use tokenstile_grammar::Limits;
use tokenstile_grammar::ir::Base;

use crate::Grammar;

/// Compiles grammars for one vocabulary. Making one builds the tables of the vocabulary, which takes a few tenths of a second
/// for a large one; it is cheap to clone.
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
pub struct Compiler(tokenstile_engine::Compiler);

impl Compiler {
    /// The version of the format in which tables are saved: a part of the name of a file that several releases may write.
    pub const TABLES_VERSION: u32 = tokenstile_engine::Compiler::TABLES_VERSION;

    /// A compiler for `vocab` with default limits.
    pub fn new(vocab: Vocab) -> Self {
        Compiler(tokenstile_engine::Compiler::new(vocab))
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
        tokenstile_engine::Compiler::from_tables(vocab, bytes).map(Compiler)
    }

    /// Writes the tables of the vocabulary, for [`from_tables`](Self::from_tables). Some 40 MB for 128,000 tokens, in few large
    /// writes. They are for this version of this library, machines of the same byte order, and this vocabulary.
    pub fn save_tables(&self, out: impl io::Write) -> io::Result<()> {
        self.0.save_tables(out)
    }

    /// The same compiler with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Compiler(self.0.with_limits(limits))
    }

    /// The vocabulary.
    pub fn vocab(&self) -> &Vocab {
        self.0.vocab()
    }

    /// Bytes held by the tables of the vocabulary, roughly.
    pub fn table_bytes(&self) -> usize {
        self.0.table_bytes()
    }

    /// Turns a grammar into a constraint. Takes time in proportion to the grammar, not to the vocabulary.
    ///
    /// A grammar that is not needed any more is best given away: of one that is lent, a copy is made.
    pub fn compile<'g>(&self, grammar: impl Into<Cow<'g, Grammar>>) -> Result<Constraint, CompileError> {
        match grammar.into() {
            Cow::Owned(grammar) => self.0.compile(tokenstile_grammar::Grammar::from(grammar)),
            Cow::Borrowed(grammar) => self.0.compile(grammar.as_ref()),
        }
    }

    /// Builds ahead, for at most about `budget`, what constraints of this vocabulary have in common: classes of characters
    /// of many scripts and, with the feature `json-schema`, JSON itself, values of the types that many schemas ask for, and
    /// the formats.
    ///
    /// Without it, the first constraints that need some of that build it as they go. Masks are the same with or without
    /// it. It is kept with the tables of the vocabulary, not in what [`save_tables`](Compiler::save_tables) writes. A good
    /// moment is when a server starts; a few tenths of a second do all of it for a vocabulary of 128,000 tokens.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tokenstile::{Compiler, Grammar, Limits, Vocab};
    /// let vocab = Vocab::from_tokens((0..=255u8).map(|b| (b.into(), vec![b])), &[256])?;
    /// let compiler = Compiler::new(vocab);
    /// compiler.warm(Duration::from_secs(1));
    ///
    /// let mut matcher = compiler.compile(Grammar::json(&Limits::default())?)?.matcher();
    /// matcher.commit_bytes(b"[1, 2]")?;
    /// assert!(matcher.is_accepting());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm(&self, budget: Duration) {
        self.0.warm(&bases(), budget);
    }
}

impl std::fmt::Debug for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiler").field("vocab", self.vocab()).finish_non_exhaustive()
    }
}

/// What grammars of the notations begin with.
fn bases() -> Vec<Arc<Base>> {
    #[cfg(feature = "json-schema")]
    return tokenstile_json_schema::base().into_iter().collect();
    #[cfg(not(feature = "json-schema"))]
    Vec::new()
}
