//! Turns tail recursion into loops: `x = b x | c` into `x = b* c`, `list = a ("," list)?` into `a ("," a)*`.
//!
//! Other calls of the rule, inside `b` or `c`, stay: they are true nesting. Rules that call each other at the
//! end are left alone here; inlining makes one of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::rewrite::rule_ids;
use crate::error::Error;
use crate::ids::{ExprId, RuleId};
use crate::ir::{Arena, Expr, Grammar, Survey};
use crate::limits::Budget;
use crate::tuning::passes::COPIED;

/// Puts loops in place of tail calls, in the same language; answers whether there are any to look at.
pub(super) fn into_loops(
    grammar: &mut Grammar,
    survey: &Survey,
    budget: &mut Budget<'_>,
) -> Result<bool, Error> {
    // A rule that calls itself at its end was met inside itself.
    let calls_itself = |rule: RuleId| {
        let body = grammar.rule(rule).body;
        survey.heads[rule.index()]
            && ends(grammar.arena(), body).iter().any(|&end| grammar.arena().get(end) == Expr::Rule(rule))
    };
    if !survey.recursive || !rule_ids(grammar.rules().len()).any(calls_itself) {
        return Ok(false);
    }
    let root = grammar.root();
    let mut builder = grammar.take().into_builder(budget.limits());
    for rule in rule_ids(builder.rule_count()).filter(|r| survey.heads[r.index()]) {
        budget.tick()?;
        if let Some(body) = builder.body(rule)
            && let Some(body) = as_loop(&mut builder.arena, rule, body, budget)?
        {
            builder.define(rule, body);
        }
    }
    *grammar = builder.build(root)?;
    Ok(true)
}

/// The body `p (b rule | c)` as `p (b p)* c`.
fn as_loop(
    arena: &mut Arena,
    rule: RuleId,
    body: ExprId,
    budget: &mut Budget<'_>,
) -> Result<Option<ExprId>, Error> {
    let parts = match arena.get(body) {
        Expr::Concat(list) => arena.list(list).to_vec(),
        _ => vec![body],
    };
    let Some((&last, before)) = parts.split_last() else { return Ok(None) };
    let Some(Tail { again, end }) = split(arena, rule, last, budget)? else { return Ok(None) };
    let before = arena.concat(before);
    if again == arena.empty() {
        let rounds = arena.repeat(before, 1, None);
        return Ok(Some(arena.concat(&[rounds, end])));
    }
    let round = arena.concat(&[again, before]);
    let rounds = arena.star(round);
    Ok(Some(arena.concat(&[before, rounds, end])))
}

/// An expression as `again rule | end`.
#[derive(Clone, Copy)]
struct Tail {
    again: ExprId,
    end: ExprId,
}

/// Splits off the calls of `rule` at the end of an expression; `None` if there are none or it costs too much.
fn split(
    arena: &mut Arena,
    rule: RuleId,
    top: ExprId,
    budget: &mut Budget<'_>,
) -> Result<Option<Tail>, Error> {
    let ends = ends(arena, top);
    if !ends.iter().any(|&e| arena.get(e) == Expr::Rule(rule)) {
        return Ok(None);
    }
    let mut tails: FxHashMap<ExprId, Tail> = FxHashMap::default();
    let mut copied = 0;
    for &id in &ends {
        budget.tick()?;
        let last: Vec<Tail> = last_parts(arena, id).iter().map(|c| tails[c]).collect();
        let untouched = last.iter().all(|t| t.again == arena.never());
        let tail = match arena.get(id) {
            Expr::Rule(called) if called == rule => Tail { again: arena.empty(), end: arena.never() },
            _ if untouched => Tail { again: arena.never(), end: id },
            Expr::Concat(list) => {
                let mut parts = arena.list(list).to_vec();
                let mut with_last = |arena: &mut Arena, last: ExprId| {
                    parts.pop();
                    parts.push(last);
                    copied += parts.len() + size(arena, last);
                    arena.concat(&parts)
                };
                Tail { again: with_last(arena, last[0].again), end: with_last(arena, last[0].end) }
            }
            Expr::Alt(_) => {
                copied += last.len();
                let (again, end): (Vec<ExprId>, Vec<ExprId>) = last.iter().map(|t| (t.again, t.end)).unzip();
                Tail { again: arena.alt(&again), end: arena.alt(&end) }
            }
            _ => Tail { again: last[0].again, end: arena.optional(last[0].end) },
        };
        if copied > COPIED {
            return Ok(None);
        }
        tails.insert(id, tail);
    }
    Ok(Some(tails[&top]))
}

fn size(arena: &Arena, id: ExprId) -> usize {
    match arena.get(id) {
        Expr::Concat(list) | Expr::Alt(list) => arena.list(list).len(),
        Expr::Literal(literal) => arena.literal_bytes(literal).len(),
        _ => 1,
    }
}

/// The expressions at the end of `top`, children first.
fn ends(arena: &Arena, top: ExprId) -> Vec<ExprId> {
    let mut found: FxHashSet<ExprId> = FxHashSet::default();
    let mut todo = vec![top];
    while let Some(id) = todo.pop() {
        if found.insert(id) {
            todo.extend(last_parts(arena, id));
        }
    }
    let mut ends: Vec<ExprId> = found.into_iter().collect();
    ends.sort_unstable();
    ends
}

/// The children that stand at the end of an expression.
fn last_parts(arena: &Arena, id: ExprId) -> Vec<ExprId> {
    match arena.get(id) {
        Expr::Concat(list) => arena.list(list).last().copied().into_iter().collect(),
        Expr::Alt(list) => arena.list(list).to_vec(),
        Expr::Repeat { expr, min: 0, max: Some(1) } => vec![expr],
        _ => Vec::new(),
    }
}
