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
mod options;
mod parser;
mod search;
mod tables;
#[cfg(test)]
mod tests;

pub use options::{RegexDialect, RegexOptions, RegexSemantics};
pub use tables::unicode as unicode_class;

use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Grammar, GrammarBuilder};
use crate::limits::Limits;

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
