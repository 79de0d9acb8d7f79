//! What the passes share: one way to rewrite all expressions, one to copy what is still in use.

use smallvec::SmallVec;

use crate::error::Error;
use crate::ids::{ExprId, RuleId};
use crate::ir::{Arena, Expr, Grammar, Survey};
use crate::limits::Budget;
use crate::tuning::passes::DEAD;

/// Rewrites every expression that the root reaches, children first. `change` gets the old expression and
/// the same expression with its children rewritten, and answers what takes its place. Boolean expressions
/// are handed over as they are, without what is below them. Answers that there was something to do.
pub(super) fn rewrite(
    grammar: &mut Grammar,
    survey: &Survey,
    budget: &mut Budget<'_>,
    mut change: impl FnMut(&mut Arena, ExprId, ExprId) -> Result<ExprId, Error>,
) -> Result<bool, Error> {
    let root = grammar.root();
    let mut builder = grammar.take().into_builder(budget.limits());
    let mut map = identity(&builder.arena);
    for &old in &survey.order {
        budget.tick()?;
        let rebuilt = rebuild(&mut builder.arena, old, &map);
        map[old.index()] = change(&mut builder.arena, old, rebuilt)?;
    }
    for rule in rule_ids(builder.rule_count()) {
        if let Some(body) = builder.body(rule) {
            builder.define(rule, map[body.index()]);
        }
    }
    *grammar = builder.build(root)?;
    Ok(true)
}

/// Every expression in its own place.
pub(super) fn identity(arena: &Arena) -> Vec<ExprId> {
    (0..arena.len()).map(|at| ExprId::new(at).unwrap_or(arena.never())).collect()
}

/// All rule ids below `count`.
pub(super) fn rule_ids(count: usize) -> impl Iterator<Item = RuleId> {
    (0..count).filter_map(RuleId::new)
}

/// The expression with its children mapped; itself if none of them changed.
pub(super) fn rebuild(arena: &mut Arena, id: ExprId, map: &[ExprId]) -> ExprId {
    let expr = arena.get(id);
    if expr.is_boolean() {
        return id;
    }
    let children = arena.children(id);
    if children.iter().all(|child| map[child.index()] == *child) {
        return id;
    }
    let children: SmallVec<[ExprId; 16]> = children.iter().map(|child| map[child.index()]).collect();
    match expr {
        Expr::Concat(_) => arena.concat(&children),
        Expr::Alt(_) => arena.alt(&children),
        Expr::Repeat { min, max, .. } => arena.repeat(children[0], min, max),
        Expr::Members(members) => {
            let members = arena.members_of(members).with_children(&children);
            arena.members(members)
        }
        _ => id,
    }
}

/// Finds what can be reached from rules that are asked for one after the other.
#[derive(Default)]
pub(super) struct Reach {
    exprs: Vec<bool>,
    /// The same as a list.
    found: Vec<ExprId>,
    stack: Vec<ExprId>,
}

impl Reach {
    /// Marks all below `expr`, and tells `call` each call that was not met before.
    pub(super) fn visit(&mut self, arena: &Arena, expr: ExprId, mut call: impl FnMut(RuleId)) {
        self.exprs.resize(arena.len(), false);
        self.stack.push(expr);
        while let Some(id) = self.stack.pop() {
            if std::mem::replace(&mut self.exprs[id.index()], true) {
                continue;
            }
            self.found.push(id);
            match arena.get(id) {
                Expr::Rule(rule) => call(rule),
                _ => self.stack.extend_from_slice(arena.children(id)),
            }
        }
    }
}

/// Which expressions the root reaches.
pub fn reachable(grammar: &Grammar) -> Vec<bool> {
    marked(grammar.arena(), &Survey::whole(grammar))
}

fn marked(arena: &Arena, survey: &Survey) -> Vec<bool> {
    let mut marked = vec![false; arena.len()];
    survey.order.iter().for_each(|id| marked[id.index()] = true);
    if survey.booleans {
        // Children come before their parents.
        for id in (survey.settled..arena.len()).rev().filter_map(ExprId::new) {
            if marked[id.index()] {
                arena.children(id).iter().for_each(|child| marked[child.index()] = true);
            }
        }
    }
    marked
}

/// The grammar without the rules that the root does not reach, and without most expressions of that kind. The survey is
/// that of the grammar.
pub(super) fn keep_reachable(
    grammar: Grammar,
    survey: &Survey,
    budget: &Budget<'_>,
) -> Result<Grammar, Error> {
    let arena = grammar.arena();
    let marked = marked(arena, survey);
    let base = arena.base_len();
    let based = arena.base().map_or(0, |base| base.rule_count());
    let is_kept = |rule: usize| survey.rules[rule] || rule < based;
    let own = base.max(Arena::STANDING)..marked.len();
    let dead = own.clone().filter(|&at| !marked[at]).filter_map(ExprId::new);
    // What has to be checked must not be looked at if it is of no use.
    let is_plain = |id: ExprId| !arena.get(id).is_boolean() && !matches!(arena.get(id), Expr::Members(_));
    if (0..survey.rules.len()).all(is_kept)
        && dead.clone().count() * DEAD <= own.len()
        && dead.clone().all(is_plain)
    {
        return Ok(grammar);
    }
    let mut next = 0..;
    let kept = (0..survey.rules.len()).map(is_kept);
    let rules: Vec<Option<RuleId>> =
        kept.map(|kept| if kept { next.next().and_then(RuleId::new) } else { None }).collect();
    let root = grammar.root();
    let mut builder = grammar.into_builder(budget.limits());
    let map = builder.arena.retain(base, &marked, &rules);
    builder.keep_rules(&rules, &map);
    builder.build(rules[root.index()].unwrap_or(root))
}

/// A copy of one expression, which has no rules below, in an arena of its own.
pub fn extract(arena: &Arena, expr: ExprId) -> (Arena, ExprId) {
    let (alone, exprs) = extract_all(arena, &[expr], &[]);
    (alone, exprs[0])
}

/// The same for several expressions, which call the first rules of the grammar only; these keep their ids.
pub fn extract_all(arena: &Arena, exprs: &[ExprId], rules: &[RuleId]) -> (Arena, Vec<ExprId>) {
    let mut reach = Reach::default();
    exprs.iter().for_each(|&expr| reach.visit(arena, expr, |_| ()));
    let rules: Vec<Option<RuleId>> = rules.iter().copied().map(Some).collect();
    reach.found.sort_unstable();
    let (alone, map) = arena.compact(&reach.found, &rules);
    (alone, exprs.iter().map(|expr| map[expr.index()]).collect())
}
