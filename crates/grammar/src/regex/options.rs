//! What a caller says of a pattern: in which syntax it is, and which texts it stands for.

/// Whose syntax and classes a pattern uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum RegexDialect {
    /// The `regex` crate's: Unicode-aware classes, nested classes with set operations, flags such as `(?x)`.
    /// Lookaround is understood as well.
    #[default]
    Rust,
    /// ECMA-262's, with its `u` flag as to what a character is and with annex B as to what is forgiven
    /// (a lone brace, superfluous escapes of punctuation). `\d` and `\w` are ASCII. `(?i)`, `(?s)` and
    /// `(?m)` are understood as well.
    Ecma,
}

/// Which texts a pattern stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum RegexSemantics {
    /// Texts that the pattern matches from start to end.
    #[default]
    WholeMatch,
    /// Texts in which the pattern matches somewhere, as `pattern` of JSON Schema means it.
    Search,
}

/// How to read a pattern.
///
/// ```
/// use tokenstile::{Grammar, Limits, RegexDialect, RegexOptions, RegexSemantics};
/// let options = RegexOptions::default().with_dialect(RegexDialect::Ecma).with_semantics(RegexSemantics::Search);
/// let grammar = Grammar::regex("^ab", &options, &Limits::default())?;
/// assert_eq!(grammar.to_string(), "root ::= (\"ab\" [\\u{0}-\\u{D7FF}\\u{E000}-\\u{10FFFF}]*)\n");
/// # Ok::<(), tokenstile::GrammarError>(())
/// ```
///
/// Begin with the default and change what should be different, by a method or in its field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RegexOptions {
    /// Whose syntax and classes.
    pub dialect: RegexDialect,
    /// Which texts.
    pub semantics: RegexSemantics,
    /// Letters match in either case, as after `(?i)`.
    pub case_insensitive: bool,
    /// `.` matches line ends too, as after `(?s)`.
    pub dot_all: bool,
    /// `^` and `$` match at line ends too, as after `(?m)`.
    pub multi_line: bool,
}

impl RegexOptions {
    /// The same with another [`dialect`](RegexOptions::dialect).
    #[must_use]
    pub fn with_dialect(self, dialect: RegexDialect) -> Self {
        RegexOptions { dialect, ..self }
    }

    /// The same with other [`semantics`](RegexOptions::semantics).
    #[must_use]
    pub fn with_semantics(self, semantics: RegexSemantics) -> Self {
        RegexOptions { semantics, ..self }
    }

    /// The same with [`case_insensitive`](RegexOptions::case_insensitive) set or not.
    #[must_use]
    pub fn with_case_insensitive(self, case_insensitive: bool) -> Self {
        RegexOptions { case_insensitive, ..self }
    }

    /// The same with [`dot_all`](RegexOptions::dot_all) set or not.
    #[must_use]
    pub fn with_dot_all(self, dot_all: bool) -> Self {
        RegexOptions { dot_all, ..self }
    }

    /// The same with [`multi_line`](RegexOptions::multi_line) set or not.
    #[must_use]
    pub fn with_multi_line(self, multi_line: bool) -> Self {
        RegexOptions { multi_line, ..self }
    }
}
