//! Finds boolean expressions that match nothing.
//!
//! Whether an intersection or a complement is empty takes an automaton to decide, and those belong to the
//! engine: it is asked once for every outermost boolean expression.

use rustc_hash::FxHashSet;

use super::rewrite::rewrite;
use super::survey::Survey;
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Expr, Grammar};
use crate::limits::Budget;

/// Puts `Never` in place of the outermost boolean expressions for which `is_never` says so.
pub(super) fn drop_empty(
    grammar: Grammar,
    survey: &Survey,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<Grammar, Error> {
    if !survey.booleans {
        return Ok(grammar);
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
        return Ok(grammar);
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
            Expr::Not(few) if is_finite(arena, few) => {}
            Expr::Repeat { expr, max: None, .. } if has_texts(arena, expr) => endless += 1,
            _ => return false,
        }
    }
    endless == 1
}

/// Whether an expression surely has no more than finitely many texts.
fn is_finite(arena: &Arena, id: ExprId) -> bool {
    all_below(arena, id, |expr| match expr {
        Expr::Never | Expr::Empty | Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => true,
        Expr::Concat(_) | Expr::Alt(_) => true,
        Expr::Repeat { max, .. } => max.is_some(),
        _ => false,
    })
}

/// Whether an expression surely has a text, and not the empty one only.
fn has_texts(arena: &Arena, id: ExprId) -> bool {
    match arena.get(id) {
        Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => true,
        Expr::Alt(list) => arena.list(list).iter().any(|&part| has_texts(arena, part)),
        _ => false,
    }
}

fn all_below(arena: &Arena, id: ExprId, holds: impl Fn(Expr) -> bool) -> bool {
    let mut todo = vec![id];
    let mut seen = FxHashSet::default();
    while let Some(id) = todo.pop() {
        if !holds(arena.get(id)) {
            return false;
        }
        todo.extend(arena.children(id).iter().copied().filter(|&child| seen.insert(child)));
    }
    true
}
