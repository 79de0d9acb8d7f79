//! Rejects rules that can match no text, and takes out parts that cannot.

use super::fixpoint::{Gate, least, satisfiable_with};
use super::nullable::nullable_expr;
use super::rewrite::rewrite;
use crate::error::{Error, ErrorKind};
use crate::ids::{ExprId, RuleId};
use crate::ir::{Expr, Grammar, Survey};
use crate::limits::Budget;
use crate::tuning::passes::SWEEPS;

/// Whether all expressions that the root reaches match some text, as one sees at a glance: there is nothing among them
/// that does not, and nothing is left open by recursion.
fn all_productive(survey: &Survey) -> bool {
    !survey.never && !survey.recursive
}

/// Which of the expressions that the root reaches match some text, taking boolean ones on trust.
pub(super) fn productive(grammar: &Grammar, survey: &Survey) -> Vec<bool> {
    // Each part is written once: most of an arena is a base, which is settled.
    let mut holds = Vec::with_capacity(grammar.arena().len());
    holds.resize(survey.settled, true);
    holds.resize(grammar.arena().len(), false);
    holds[grammar.arena().never().index()] = false;
    for _ in 0..SWEEPS {
        let mut changed = false;
        for &id in &survey.order {
            if !holds[id.index()] && is_productive(grammar, id, &holds) {
                holds[id.index()] = true;
                changed = true;
            }
        }
        // Without recursion everything comes after what it depends on.
        if !changed || !survey.recursive {
            return holds;
        }
    }
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

fn is_productive(grammar: &Grammar, id: ExprId, holds: &[bool]) -> bool {
    let mut parts = grammar.parts(id).iter().map(|part| holds[part.index()]);
    match grammar.arena().get(id) {
        Expr::Never => false,
        Expr::Repeat { min: 0, .. } => true,
        Expr::Members(members) => {
            // An arena has no members that cannot be satisfied as long as every entry can.
            parts.all(|holds| holds)
                || nullable_members(grammar, id)
                || satisfiable_with(grammar.arena().members_of(members), holds)
        }
        Expr::Concat(_) => parts.all(|holds| holds),
        Expr::Alt(_) | Expr::Rule(_) | Expr::Repeat { .. } => parts.any(|holds| holds),
        _ => true,
    }
}

/// Whether members may be none at all.
fn nullable_members(grammar: &Grammar, id: ExprId) -> bool {
    nullable_expr(grammar.arena(), id, &[], |_| false)
}

/// Refuses a grammar with a rule that can match no text for the way it is written: such a rule is a mistake,
/// even where the grammar could do without it.
pub(super) fn check(grammar: &Grammar, survey: &Survey) -> Result<(), Error> {
    if all_productive(survey) {
        return Ok(());
    }
    let productive = productive(grammar, survey);
    let Some(mut rule) = (0..grammar.rules().len())
        .filter_map(RuleId::new)
        .find(|&r| survey.rules[r.index()] && !productive[grammar.rule(r).body.index()])
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

/// Takes out everything that can match no text, which is an error only if nothing is left of the root. Answers whether
/// there is any.
pub(super) fn prune(grammar: &mut Grammar, survey: &Survey, budget: &mut Budget<'_>) -> Result<bool, Error> {
    if all_productive(survey) {
        return Ok(false);
    }
    let productive = productive(grammar, survey);
    let root = grammar.rule(grammar.root());
    if !productive[root.body.index()] {
        let message = format!("rule `{}` can match no text: its conditions exclude each other", root.name);
        return Err(Error::at_place(ErrorKind::Unsatisfiable, message, root.place));
    }
    if survey.order.iter().all(|id| productive[id.index()] || *id == grammar.arena().never()) {
        return Ok(false);
    }
    rewrite(grammar, survey, budget, |arena, id, rebuilt| {
        Ok(if productive[id.index()] { rebuilt } else { arena.never() })
    })
}
