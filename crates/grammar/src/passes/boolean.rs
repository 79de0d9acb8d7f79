//! Finds boolean expressions that match nothing.
//!
//! Whether an intersection or a complement is empty takes an automaton to decide, and those belong to the
//! engine: it is asked once for every outermost boolean expression.

use super::rewrite::rewrite;
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Expr, Grammar};
use crate::limits::Budget;

/// Puts `Never` in place of the outermost boolean expressions for which `is_never` says so.
pub(super) fn drop_empty(
    grammar: Grammar,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<Grammar, Error> {
    rewrite(grammar, budget, |arena, id, rebuilt| match arena.get(id) {
        Expr::And(_) | Expr::Not(_) | Expr::Region(_) if is_never(arena, id)? => Ok(arena.never()),
        _ => Ok(rebuilt),
    })
}
