//! Puts the bodies of small rules in place of their calls, so that what stays a call is true nesting.
//!
//! A rule with a long run of characters in it (an identifier, a quoted string) stays one if it is called from
//! several places: inside the run it does not matter where it was called from, and the engine then has to work
//! out only once which tokens go on with it.
//!
//! Around a cycle of calls one rule has to stay; the others are as good as any rule. So an expression grammar
//! becomes one rule that calls itself for what is in parentheses.

use super::rewrite::{identity, rebuild, rule_ids};
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Expr, Grammar, Survey};
use crate::limits::Budget;
use crate::tuning::passes::{RUN_CHARS, RUN_ROUNDS, SMALL, SMALL_FOR_ONE_CALL};

/// By how much inlining may make a grammar larger.
pub(super) struct Room(u64);

impl Room {
    /// For all passes over a grammar that is now as given.
    pub(super) fn of(grammar: &Grammar) -> Self {
        Room(3 * grammar.arena().len() as u64 + 10_000)
    }
}

/// Takes out calls, in the same language; answers whether there are any to look at.
pub(super) fn inline(
    grammar: &mut Grammar,
    survey: &Survey,
    room: &mut Room,
    budget: &mut Budget<'_>,
) -> Result<bool, Error> {
    let based = grammar.base().map_or(0, |base| base.rule_count());
    let stays = |rule: usize| rule < based || survey.heads[rule];
    let stays = (0..survey.rules.len()).all(|rule| !survey.rules[rule] || stays(rule));
    if stays {
        return Ok(false);
    }
    let root = grammar.root();
    let mut sizes = Sizes(sizes_of_base(grammar, survey.settled));
    let mut builder = grammar.take().into_builder(budget.limits());
    let mut map = identity(&builder.arena);
    sizes.0.reserve(builder.arena.len() - sizes.0.len());
    for &id in &survey.order {
        budget.tick()?;
        let Expr::Rule(rule) = builder.arena.get(id) else {
            map[id.index()] = rebuild(&mut builder.arena, id, &map);
            continue;
        };
        if rule.index() < based {
            continue; // they are called, so that what is known of them can be used
        }
        let Some(body) = builder.body(rule).filter(|_| !survey.heads[rule.index()]) else { continue };
        let body = map[body.index()];
        let (size, calls) = (sizes.of(&builder.arena, body), survey.calls[rule.index()]);
        let growth = size as u64 * (calls.max(1) as u64 - 1);
        let small =
            if calls <= 1 { size <= SMALL_FOR_ONE_CALL } else { size <= SMALL && !sizes.has_run(body) };
        if small && growth <= room.0 {
            room.0 -= growth;
            map[id.index()] = body;
        }
    }
    for rule in rule_ids(builder.rule_count()) {
        if let Some(body) = builder.body(rule) {
            builder.define(rule, map[body.index()]);
        }
    }
    *grammar = builder.build(root)?;
    Ok(true)
}

/// Sizes of expressions written out as trees (a call counts as one, a literal by its bytes), and whether there is
/// a long run of characters in them.
struct Sizes(Vec<(u32, bool)>);

/// The sizes of the expressions of the base, if the grammar begins with it.
fn sizes_of_base(grammar: &Grammar, settled: usize) -> Vec<(u32, bool)> {
    let Some(base) = grammar.base().filter(|_| settled > 0) else { return Vec::new() };
    let known = base.sizes(|arena| {
        let mut sizes = Sizes(Vec::new());
        if let Some(last) = arena.len().checked_sub(1).and_then(ExprId::new) {
            sizes.of(arena, last);
        }
        sizes.0
    });
    known.to_vec()
}

impl Sizes {
    fn of(&mut self, arena: &Arena, id: ExprId) -> u32 {
        while self.0.len() <= id.index() {
            let Some(next) = ExprId::new(self.0.len()) else { break };
            let known = match arena.get(next) {
                Expr::Literal(literal) => (arena.literal_bytes(literal).len() as u32, false),
                expr => {
                    let run = matches!(expr, Expr::Repeat { .. }) && is_run(arena, next);
                    arena.children(next).iter().fold((1u32, run), |(size, run), part| {
                        let part = self.0[part.index()];
                        (size.saturating_add(part.0), run || part.1)
                    })
                }
            };
            self.0.push(known);
        }
        self.0[id.index()].0
    }

    /// Whether there is a run in an expression whose size was asked for.
    fn has_run(&self, id: ExprId) -> bool {
        self.0.get(id.index()).is_some_and(|known| known.1)
    }
}

/// Whether an expression is a long run of characters of a large class, perhaps with other things in between.
fn is_run(arena: &Arena, id: ExprId) -> bool {
    let Expr::Repeat { expr, max, .. } = arena.get(id) else { return false };
    let large =
        |id: ExprId| matches!(arena.get(id), Expr::Chars(set) if arena.char_set(set).len() >= RUN_CHARS);
    max.is_none_or(|max| max >= RUN_ROUNDS)
        && match arena.get(expr) {
            Expr::Alt(list) => arena.list(list).iter().any(|&e| large(e)),
            _ => large(expr),
        }
}
