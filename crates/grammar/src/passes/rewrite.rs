//! What the passes share: one way to rewrite all expressions, one to copy what is still in use.

use super::graph::{Components, components};
use crate::error::Error;
use crate::ids::{ExprId, RuleId};
use crate::ir::{Arena, Expr, Grammar, GrammarBuilder, Rule};
use crate::limits::Budget;

/// Whether this is the top of a regular part that the passes treat as one symbol.
pub(super) fn is_boolean(expr: Expr) -> bool {
    matches!(expr, Expr::And(_) | Expr::Not(_) | Expr::Region(_) | Expr::Look { .. })
}

/// Rewrites every expression that a rule consists of, children first. `change` gets the old expression and
/// the same expression with its children rewritten, and answers what takes its place. Boolean expressions
/// are handed over as they are, without what is below them.
pub(super) fn rewrite(
    grammar: Grammar,
    budget: &mut Budget<'_>,
    mut change: impl FnMut(&mut Arena, ExprId, ExprId) -> Result<ExprId, Error>,
) -> Result<Grammar, Error> {
    let (root, used) = (grammar.root(), used_in_bodies(&grammar));
    let mut builder = grammar.into_builder(budget.limits());
    let mut map: Vec<ExprId> = builder.arena.iter().map(|(id, _)| id).collect();
    for i in 0..map.len() {
        if !used[i] {
            continue;
        }
        budget.tick()?;
        let old = map[i];
        let rebuilt = rebuild(&mut builder.arena, old, &map);
        map[i] = change(&mut builder.arena, old, rebuilt)?;
    }
    for rule in rule_ids(builder.rule_count()) {
        if let Some(body) = builder.body(rule) {
            builder.define(rule, map[body.index()]);
        }
    }
    builder.build(root)
}

/// All rule ids below `count`.
pub(super) fn rule_ids(count: usize) -> impl Iterator<Item = RuleId> {
    (0..count).filter_map(RuleId::new)
}

/// Marks the expressions of all rules, but not what is below boolean ones.
fn used_in_bodies(grammar: &Grammar) -> Vec<bool> {
    let arena = grammar.arena();
    let mut used = vec![false; arena.len()];
    for rule in grammar.rules() {
        used[rule.body.index()] = true;
    }
    for i in (0..used.len()).rev() {
        let Some(id) = ExprId::new(i).filter(|_| used[i]) else { continue };
        if !is_boolean(arena.get(id)) {
            arena.children(id).iter().for_each(|c| used[c.index()] = true);
        }
    }
    used
}

/// The expression with its children mapped; itself if none of them changed.
pub(super) fn rebuild(arena: &mut Arena, id: ExprId, map: &[ExprId]) -> ExprId {
    let expr = arena.get(id);
    if is_boolean(expr) {
        return id;
    }
    let mut children = arena.children(id);
    let mut changed = false;
    for child in &mut children {
        changed |= map[child.index()] != *child;
        *child = map[child.index()];
    }
    match expr {
        _ if !changed => id,
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
            match arena.get(id) {
                Expr::Rule(rule) => call(rule),
                _ => self.stack.extend(arena.children(id)),
            }
        }
    }
}

/// A copy of the grammar without the rules and expressions that the root does not reach.
pub(super) fn keep_reachable(grammar: &Grammar, budget: &mut Budget<'_>) -> Result<Grammar, Error> {
    let mut reach = Reach::default();
    let mut kept = vec![false; grammar.rules().len()];
    let mut todo = vec![grammar.root()];
    while let Some(rule) = todo.pop() {
        if !std::mem::replace(&mut kept[rule.index()], true) {
            budget.tick()?;
            reach.visit(grammar.arena(), grammar.rule(rule).body, |called| todo.push(called));
        }
    }
    reach.exprs.resize(grammar.arena().len(), false);
    // `Never` and `Empty` are always there.
    if kept.iter().all(|kept| *kept) && reach.exprs.iter().skip(2).all(|reached| *reached) {
        return Ok(grammar.clone());
    }
    let mut builder = GrammarBuilder::new(budget.limits());
    builder.track(grammar.tracking());
    let mut rules: Vec<Option<RuleId>> = vec![None; kept.len()];
    for (i, Rule { name, place, .. }) in grammar.rules().iter().enumerate().filter(|r| kept[r.0]) {
        rules[i] = Some(builder.declare(name.as_str(), *place)?);
    }
    let map = copy(grammar.arena(), &reach.exprs, &rules, &mut builder.arena, budget)?;
    for (new, old) in rules.iter().zip(grammar.rules()) {
        if let Some(new) = new {
            builder.define(*new, map[old.body.index()]);
        }
    }
    grammar.warnings().iter().for_each(|w| builder.warn(w.clone()));
    builder.build(rules[grammar.root().index()].unwrap_or(grammar.root()))
}

/// A copy of one expression, which has no rules below, in an arena of its own.
pub fn extract(arena: &Arena, expr: ExprId, budget: &mut Budget<'_>) -> Result<(Arena, ExprId), Error> {
    let mut reach = Reach::default();
    reach.visit(arena, expr, |_| ());
    let mut alone = Arena::new(budget.limits().exprs);
    let map = copy(arena, &reach.exprs, &[], &mut alone, budget)?;
    let expr = map[expr.index()];
    Ok((alone, expr))
}

/// Copies the marked expressions, with other rule ids; the answer maps old ids to new ones.
fn copy(
    from: &Arena,
    marked: &[bool],
    rules: &[Option<RuleId>],
    to: &mut Arena,
    budget: &mut Budget<'_>,
) -> Result<Vec<ExprId>, Error> {
    let mut map = vec![to.never(); from.len()];
    for (id, expr) in from.iter().filter(|(id, _)| marked[id.index()]) {
        budget.tick()?;
        let mut children = from.children(id);
        children.iter_mut().for_each(|c| *c = map[c.index()]);
        map[id.index()] = match expr {
            Expr::Never => to.never(),
            Expr::Empty => to.empty(),
            Expr::Bytes(set) => to.byte(set),
            Expr::Chars(set) => to.chars(from.char_set(set)),
            Expr::Literal(literal) => to.literal(from.literal_bytes(literal)),
            Expr::Concat(_) => to.concat(&children),
            Expr::Alt(_) => to.alt(&children),
            Expr::Repeat { min, max, .. } => to.repeat(children[0], min, max),
            Expr::Rule(rule) => rules[rule.index()].map_or(to.never(), |rule| to.rule(rule)),
            Expr::And(_) => to.and(&children),
            Expr::Not(_) => to.not(children[0]),
            Expr::Look { behind, negated, .. } => to.look(children[0], behind, negated),
            Expr::Region(_) => to.region(children[0]),
            Expr::Members(members) => to.members(from.members_of(members).with_children(&children)),
            Expr::Machine(machine) => to.machine(from.machine_of(machine).clone()),
        };
    }
    Ok(map)
}

/// The expressions of the root and of all it calls, as components of the graph from expressions to their
/// parts and from calls to bodies. A call in a component with others is one of a recursive rule.
pub(super) fn call_components(grammar: &Grammar) -> Components {
    components(grammar.arena().len(), [grammar.rule(grammar.root()).body.index()], |node, out| {
        if let Some(id) = ExprId::new(node) {
            call_successors(grammar, id, out);
        }
    })
}

/// Adds the parts of an expression; for a call, the body of the rule.
pub(super) fn call_successors(grammar: &Grammar, id: ExprId, out: &mut Vec<usize>) {
    match grammar.arena().get(id) {
        Expr::Rule(rule) => out.push(grammar.rule(rule).body.index()),
        expr if is_boolean(expr) => {}
        _ => out.extend(grammar.arena().children(id).iter().map(|c| c.index())),
    }
}
