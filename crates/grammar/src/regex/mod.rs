//! Regular expressions: a pattern in, one regular expression of the grammar out.
//!
//! The parser is our own, since `regex-syntax` refuses assertions; only its Unicode tables are used. It reads
//! the syntax of the `regex` crate and that of ECMA-262 (which JSON Schema asks for), the lookaround of the
//! latter in both. Greedy and lazy are alike here: the set of matching texts is all that counts. What has no
//! finite automaton (back-references) or has matches that depend on the order of the search (atomic groups,
//! possessive quantifiers) is refused.
//!
//! Anchors are resolved while the pattern is lowered: every part is lowered for where it stands (surely at
//! the edge of the text, surely not, or not known), which leaves no assertion in ordinary patterns. The few
//! that remain become [`Expr::Look`](crate::ir::Expr::Look) in one region around the whole.

mod ast;
mod classes;
mod escapes;
mod lower;
mod parser;
mod search;
mod tables;
#[cfg(test)]
mod tests;

pub use tables::unicode as unicode_class;

use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Grammar, GrammarBuilder};
use crate::limits::Limits;

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

impl Grammar {
    /// The grammar of the texts that a regular expression matches.
    ///
    /// ```
    /// use tokenstile_grammar::{ErrorKind, Grammar, Limits, RegexOptions};
    /// let (options, limits) = (RegexOptions::default(), Limits::default());
    /// let grammar = Grammar::regex(r"^[0-9]{3}-(?:a|b)+$", &options, &limits)?;
    /// assert_eq!(grammar.to_string(), "root ::= ([0-9]{3,3} \"-\" [a-b]+)\n");
    ///
    /// let error = Grammar::regex(r"(a+)\1", &options, &limits).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Unsupported);
    /// assert_eq!(error.place().map(|p| (p.line, p.column)), Some((1, 5)));
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn regex(pattern: &str, options: &RegexOptions, limits: &Limits) -> Result<Grammar, Error> {
        let mut builder = GrammarBuilder::new(limits);
        let root = builder.declare("root", None)?;
        let body = regex_expr(pattern, options, &mut builder.arena, limits)?;
        builder.define(root, body);
        builder.build(root)
    }
}

/// The expression of the texts that a regular expression matches, made in `arena`. It is regular, and its
/// assertions, if any are left, are in a region of their own: it can be used as a part of anything.
///
/// ```
/// use tokenstile_grammar::ir::Arena;
/// use tokenstile_grammar::{Limits, RegexOptions, regex_expr};
/// let limits = Limits::default();
/// let mut arena = Arena::new(limits.exprs);
/// let expr = regex_expr("(?:ab)?^ab$", &RegexOptions::default(), &mut arena, &limits)?;
/// assert!(arena.is_regular(expr));
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
pub fn regex_expr(
    pattern: &str,
    options: &RegexOptions,
    arena: &mut Arena,
    limits: &Limits,
) -> Result<ExprId, Error> {
    let (ast, root) = parser::parse(pattern, options, limits)?;
    let expr = lower::lower(&ast, root, options.semantics, arena, limits)
        .map_err(|error| error.with_place(pattern, 0))?;
    if arena.overflowed() {
        return Err(Error::limit("exprs", limits.exprs).with_place(pattern, 0));
    }
    Ok(expr)
}
