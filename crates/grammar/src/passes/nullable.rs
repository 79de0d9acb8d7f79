//! Which expressions match the empty text.

use super::fixpoint::{Gate, least};
use crate::ids::{ExprId, RuleId};
use crate::ir::{Arena, Expr, Grammar};
use crate::tuning::passes::SWEEPS;

/// Whether each expression of the grammar's arena, in order of its ids, matches the empty text.
///
/// The answer for an assertion ([`Expr::Look`]) is the one it gives in a region that is the empty text.
///
/// ```
/// use tokenstile_grammar::{GrammarBuilder, Limits, passes};
/// let mut g = GrammarBuilder::new(&Limits::default());
/// let root = g.declare("root", None)?;
/// let (a, call) = (g.arena.literal(b"a"), g.arena.rule(root));
/// let body = g.arena.concat(&[a, call]);
/// let body = g.arena.optional(body);
/// g.define(root, body);
/// let grammar = g.build(root)?;
/// let nullable = passes::nullable(&grammar);
/// assert!(nullable[body.index()] && nullable[call.index()] && !nullable[a.index()]);
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
pub fn nullable(grammar: &Grammar) -> Vec<bool> {
    nullable_after(grammar, nullable_in_base(grammar))
}

/// The same where it is known of the first expressions.
fn nullable_after(grammar: &Grammar, settled: &[bool]) -> Vec<bool> {
    let arena = grammar.arena();
    // Only regular expressions have a complement, and those need no fixpoint: children come first.
    let mut known = vec![false; arena.len()];
    known[..settled.len()].copy_from_slice(settled);
    let ids = || (settled.len()..arena.len()).filter_map(ExprId::new);
    for sweep in 0..SWEEPS {
        let mut bodies = Vec::with_capacity(grammar.rules().len());
        bodies.extend(grammar.rules().iter().map(|rule| known[rule.body.index()]));
        for id in ids().filter(|id| sweep == 0 || !arena.is_regular(*id)) {
            known[id.index()] = nullable_expr(arena, id, &known, |rule| bodies[rule.index()]);
        }
        if grammar.rules().iter().zip(bodies).all(|(rule, before)| known[rule.body.index()] == before) {
            return known;
        }
    }
    least(grammar, |id, expr| match expr {
        _ if arena.is_regular(id) => Gate::Known(known[id.index()]),
        Expr::Repeat { min: 0, .. } => Gate::Known(true),
        Expr::Members(_) | Expr::Machine(_) => Gate::Known(nullable_expr(arena, id, &[], |_| false)),
        Expr::Concat(_) => Gate::All,
        _ => Gate::Any,
    })
}

/// The same for the expressions of the base, if the grammar begins with it: they call none but its own rules.
fn nullable_in_base(grammar: &Grammar) -> &[bool] {
    match grammar.base().filter(|_| grammar.has_base()) {
        Some(base) => base.nullable(|base| nullable_after(base, &[])),
        None => &[],
    }
}

/// Whether one expression matches the empty text, from the answers for its children and for rules.
pub(super) fn nullable_expr(
    arena: &Arena,
    id: ExprId,
    known: &[bool],
    rule: impl Fn(RuleId) -> bool,
) -> bool {
    match arena.get(id) {
        Expr::Never | Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) | Expr::Tokens(_) => false,
        Expr::Empty => true,
        Expr::Concat(list) | Expr::And(list) => arena.list(list).iter().all(|c| known[c.index()]),
        Expr::Alt(list) => arena.list(list).iter().any(|c| known[c.index()]),
        Expr::Repeat { expr, min, .. } => min == 0 || known[expr.index()],
        Expr::Rule(called) => rule(called),
        Expr::Not(expr) => !known[expr.index()],
        Expr::Look { expr, negated, .. } => known[expr.index()] != negated,
        Expr::Region(expr) => known[expr.index()],
        Expr::Members(members) => arena.members_of(members).may_be_empty(),
        Expr::Machine(machine) => {
            let machine = &arena.machine_of(machine).0;
            machine.accepts(&machine.start())
        }
    }
}
