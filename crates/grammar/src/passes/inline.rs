//! Puts the bodies of small rules in place of their calls, so that what stays a call is true nesting.

use super::rewrite::{call_components, rebuild, rule_ids};
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Expr, Grammar};
use crate::limits::Budget;

/// A rule up to this size is put in place of all its calls.
const SMALL: u32 = 64;
/// A rule that is called once may be larger. There is a bound all the same: in a long chain of rules each would
/// otherwise be copied into the next.
const SMALL_FOR_ONE_CALL: u32 = 1_024;

/// The same language with fewer calls. Rules that call themselves, by whatever way, are never moved.
pub(super) fn inline(grammar: Grammar, budget: &mut Budget<'_>) -> Result<Grammar, Error> {
    let order = call_components(&grammar);
    let calls = count_calls(&grammar);
    let root = grammar.root();
    let mut room = 3 * grammar.arena().len() as u64 + 10_000;
    let mut builder = grammar.into_builder(budget.limits());
    let mut map: Vec<ExprId> = builder.arena.iter().map(|(id, _)| id).collect();
    let mut sizes = Sizes(Vec::new());
    let mut sorted: Vec<usize> = Vec::new();
    // What an expression leads to comes before it, except around a cycle, where calls stay as they are.
    for members in order.iter() {
        budget.tick()?;
        if let &[only] = members
            && let Expr::Rule(rule) = builder.arena.get(map[only])
        {
            let Some(body) = builder.body(rule).map(|b| map[b.index()]) else { continue };
            let (size, calls) = (sizes.of(&builder.arena, body), calls[rule.index()]);
            let growth = size as u64 * (calls.max(1) as u64 - 1);
            if growth <= room && (size <= SMALL || calls <= 1 && size <= SMALL_FOR_ONE_CALL) {
                room -= growth;
                map[only] = body;
            }
            continue;
        }
        sorted.clear();
        sorted.extend_from_slice(members);
        sorted.sort_unstable();
        for &i in &sorted {
            map[i] = rebuild(&mut builder.arena, map[i], &map);
        }
    }
    for rule in rule_ids(builder.rule_count()) {
        if let Some(body) = builder.body(rule) {
            builder.define(rule, map[body.index()]);
        }
    }
    builder.build(root)
}

/// How many expressions call each rule.
fn count_calls(grammar: &Grammar) -> Vec<u32> {
    let arena = grammar.arena();
    let mut calls = vec![0; grammar.rules().len()];
    let bodies = grammar.rules().iter().map(|r| r.body);
    for child in arena.iter().flat_map(|(id, _)| arena.children(id)).chain(bodies) {
        if let Expr::Rule(rule) = arena.get(child) {
            calls[rule.index()] += 1;
        }
    }
    calls
}

/// Sizes of expressions written out as trees; a call counts as one, a literal by its bytes.
struct Sizes(Vec<u32>);

impl Sizes {
    fn of(&mut self, arena: &Arena, id: ExprId) -> u32 {
        while self.0.len() <= id.index() {
            let Some(next) = ExprId::new(self.0.len()) else { break };
            let size = match arena.get(next) {
                Expr::Literal(literal) => arena.literal_bytes(literal).len() as u32,
                _ => arena.children(next).iter().fold(1u32, |sum, c| sum.saturating_add(self.0[c.index()])),
            };
            self.0.push(size);
        }
        self.0[id.index()]
    }
}
