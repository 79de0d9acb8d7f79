//! Rejects rules that can match no text, and takes out parts that cannot.

use super::fixpoint::{Gate, least};
use super::nullable::nullable_expr;
use super::rewrite::{is_boolean, rewrite};
use crate::error::{Error, ErrorKind};
use crate::ids::{ExprId, RuleId};
use crate::ir::{Expr, Grammar};
use crate::limits::Budget;

/// Which expressions match some text, taking boolean ones on trust.
fn productive(grammar: &Grammar) -> Vec<bool> {
    least(grammar, |id, expr| match expr {
        Expr::Never => Gate::Known(false),
        Expr::Members(_) if nullable_members(grammar, id) => Gate::Known(true),
        Expr::Members(members) => Gate::Members(members),
        Expr::Concat(_) => Gate::All,
        Expr::Repeat { min: 0, .. } => Gate::Known(true),
        Expr::Alt(_) | Expr::Rule(_) | Expr::Repeat { .. } => Gate::Any,
        _ => Gate::Known(true),
    })
}

/// Whether members may be none at all.
fn nullable_members(grammar: &Grammar, id: ExprId) -> bool {
    nullable_expr(grammar.arena(), id, &[], |_| false)
}

/// Refuses a grammar with a rule that can match no text for the way it is written: such a rule is a mistake,
/// even where the grammar could do without it.
pub(super) fn check(grammar: &Grammar) -> Result<(), Error> {
    let productive = productive(grammar);
    let Some(mut rule) = (0..grammar.rules().len())
        .filter_map(RuleId::new)
        .find(|&r| !productive[grammar.rule(r).body.index()])
    else {
        return Ok(());
    };
    // Go on to where the trouble starts: a cycle, or a rule that has nothing at all.
    let mut path = vec![rule];
    let mut on_path = vec![false; grammar.rules().len()];
    while !std::mem::replace(&mut on_path[rule.index()], true) {
        let Some(next) = needed(grammar, &productive, rule).first().copied() else { break };
        rule = next;
        path.push(rule);
    }
    let start = path.iter().position(|&r| r == rule).unwrap_or(0);
    Err(refusal(grammar, rule, &needed(grammar, &productive, rule), &path[start..]))
}

/// The rules that can match no text but that every way through `rule` needs one of.
fn needed(grammar: &Grammar, productive: &[bool], rule: RuleId) -> Vec<RuleId> {
    let arena = grammar.arena();
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut todo: Vec<ExprId> = vec![grammar.rule(rule).body];
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        let children = arena.children(id);
        match arena.get(id) {
            Expr::Rule(called) => found.push(called),
            Expr::Alt(_) => todo.extend(children.iter().rev()),
            _ => todo.extend(children.iter().find(|c| !productive[c.index()])),
        }
    }
    found
}

/// The error for `rule`, which needs one of `needed`, and so on around `cycle` back to itself.
fn refusal(grammar: &Grammar, rule: RuleId, needed: &[RuleId], cycle: &[RuleId]) -> Error {
    let name = |r: RuleId| format!("`{}`", grammar.rule(r).name);
    let why = match needed {
        [] => String::new(),
        &[only] if only == rule => format!(": every alternative needs {} itself", name(rule)),
        &[only] if cycle.len() <= 3 => {
            format!(": every alternative needs {}, which needs {} again", name(only), name(rule))
        }
        &[only] => format!(": every alternative needs {}, which leads back to {}", name(only), name(rule)),
        _ => {
            let some: Vec<String> = needed.iter().take(3).map(|&r| name(r)).collect();
            format!(": every alternative needs one of {}, none of which can come to an end", some.join(", "))
        }
    };
    let rule = grammar.rule(rule);
    let message = format!("rule `{}` can match no text{why}", rule.name);
    Error::at_place(ErrorKind::Unsatisfiable, message, rule.place)
}

/// Takes out everything that can match no text, which is an error only if nothing is left of the root.
pub(super) fn prune(grammar: Grammar, budget: &mut Budget<'_>) -> Result<Grammar, Error> {
    let productive = productive(&grammar);
    let root = grammar.rule(grammar.root());
    if !productive[root.body.index()] {
        let message = format!("rule `{}` can match no text: its conditions exclude each other", root.name);
        return Err(Error::at_place(ErrorKind::Unsatisfiable, message, root.place));
    }
    let arena = grammar.arena();
    if arena.iter().all(|(id, e)| e == Expr::Never || is_boolean(e) || productive[id.index()]) {
        return Ok(grammar);
    }
    rewrite(grammar, budget, |arena, id, rebuilt| {
        Ok(if productive[id.index()] { rebuilt } else { arena.never() })
    })
}
