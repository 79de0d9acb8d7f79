//! Finds boolean expressions that match nothing.
//!
//! Whether an intersection or a complement is empty takes an automaton to decide, and those belong to the
//! engine: it is asked once for every outermost boolean expression.

use rustc_hash::FxHashSet;

use super::rewrite::rewrite;
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Expr, Grammar, Survey};
use crate::limits::Budget;

/// Puts `Never` in place of the outermost boolean expressions for which `is_never` says so; answers whether there are any.
pub(super) fn drop_empty(
    grammar: &mut Grammar,
    survey: &Survey,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<bool, Error> {
    if !survey.booleans {
        return Ok(false);
    }
    let arena = grammar.arena();
    let mut empty = FxHashSet::default();
    for &id in &survey.order {
        if let Expr::And(_) | Expr::Not(_) | Expr::Region(_) = arena.get(id)
            && !is_endless_but_few(arena, id)
        {
            budget.check()?;
            if is_never(arena, id)? {
                empty.insert(id);
            }
        }
    }
    if empty.is_empty() {
        return Ok(false);
    }
    rewrite(grammar, survey, budget, |arena, id, rebuilt| {
        Ok(if empty.contains(&id) { arena.never() } else { rebuilt })
    })
}

/// Whether an expression is plain to see to be "endlessly many texts, but for a few": keys that are not among those with
/// a name, mostly.
fn is_endless_but_few(arena: &Arena, id: ExprId) -> bool {
    let Expr::And(list) = arena.get(id) else { return false };
    let mut endless = 0;
    for &part in arena.list(list) {
        match arena.get(part) {
            Expr::Not(few) if arena.is_finite(few) => {}
            Expr::Repeat { expr, max: None, .. } if arena.has_text(expr) => endless += 1,
            _ => return false,
        }
    }
    endless == 1
}
