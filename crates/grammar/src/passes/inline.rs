//! Puts the bodies of small rules in place of their calls, so that what stays a call is true nesting.
//!
//! A rule with a long run of characters in it (an identifier, a quoted string) stays one if it is called from
//! several places: inside the run it does not matter where it was called from, and the engine then has to work
//! out only once which tokens go on with it.
//!
//! Around a cycle of calls one rule has to stay; the others are as good as any rule. So an expression grammar
//! becomes one rule that calls itself for what is in parentheses.

use super::graph::{Components, components};
use super::rewrite::{call_successors, rebuild, rule_ids};
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Expr, Grammar};
use crate::limits::Budget;

/// A rule up to this size is put in place of all its calls.
const SMALL: u32 = 64;
/// A rule that is called once may be larger. There is a bound all the same: in a long chain of rules each would
/// otherwise be copied into the next.
const SMALL_FOR_ONE_CALL: u32 = 1_024;

/// By how much inlining may make a grammar larger.
pub(super) struct Room(u64);

impl Room {
    /// For all passes over a grammar that is now as given.
    pub(super) fn of(grammar: &Grammar) -> Self {
        Room(3 * grammar.arena().len() as u64 + 10_000)
    }
}

/// The same language with fewer calls.
pub(super) fn inline(grammar: Grammar, room: &mut Room, budget: &mut Budget<'_>) -> Result<Grammar, Error> {
    let kept = cycle_heads(&grammar);
    let order = bottom_up(&grammar, &kept);
    let calls = count_calls(&grammar);
    let root = grammar.root();
    let mut builder = grammar.into_builder(budget.limits());
    let mut map: Vec<ExprId> = builder.arena.iter().map(|(id, _)| id).collect();
    let mut sizes = Sizes(Vec::new());
    let mut sorted: Vec<usize> = Vec::new();
    for members in order.iter() {
        budget.tick()?;
        if let &[only] = members
            && let Expr::Rule(rule) = builder.arena.get(map[only])
        {
            let Some(body) = builder.body(rule).map(|b| map[b.index()]) else { continue };
            let (size, calls) = (sizes.of(&builder.arena, body), calls[rule.index()]);
            let growth = size as u64 * (calls.max(1) as u64 - 1);
            let small =
                if calls <= 1 { size <= SMALL_FOR_ONE_CALL } else { size <= SMALL && !sizes.has_run(body) };
            if small && !kept[rule.index()] && growth <= room.0 {
                room.0 -= growth;
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

/// Rules that stay because a walk from the root comes to a call of them inside themselves.
fn cycle_heads(grammar: &Grammar) -> Vec<bool> {
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut kept = vec![false; grammar.rules().len()];
    kept[grammar.root().index()] = true;
    let mut states = vec![0; grammar.arena().len()];
    let mut todo = vec![(grammar.rule(grammar.root()).body.index(), false)];
    let mut successors = Vec::new();
    while let Some((node, leaving)) = todo.pop() {
        let Some(id) = ExprId::new(node) else { continue };
        match (leaving, states[node], grammar.arena().get(id)) {
            (true, ..) => states[node] = DONE,
            (_, OPEN, Expr::Rule(rule)) => kept[rule.index()] = true,
            (_, OPEN | DONE, _) => {}
            _ => {
                states[node] = OPEN;
                todo.push((node, true));
                call_successors(grammar, id, &mut successors);
                todo.extend(successors.drain(..).rev().map(|next| (next, false)));
            }
        }
    }
    kept
}

/// The expressions, each after what it leads to, where calls of `kept` rules lead nowhere. A cycle can be left
/// where rules share a body; its calls stay.
fn bottom_up(grammar: &Grammar, kept: &[bool]) -> Components {
    let starts = grammar.rules().iter().zip(kept).filter(|r| *r.1).map(|r| r.0.body.index());
    components(grammar.arena().len(), starts, |node, out| {
        let Some(id) = ExprId::new(node) else { return };
        match grammar.arena().get(id) {
            Expr::Rule(rule) if kept[rule.index()] => {}
            _ => call_successors(grammar, id, out),
        }
    })
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

/// From this many characters on, a class makes a run.
const RUN_CHARS: usize = 20;
/// From this many rounds on, a repetition is one.
const RUN_ROUNDS: u32 = 16;

/// Sizes of expressions written out as trees (a call counts as one, a literal by its bytes), and whether there is
/// a long run of characters in them.
struct Sizes(Vec<(u32, bool)>);

impl Sizes {
    fn of(&mut self, arena: &Arena, id: ExprId) -> u32 {
        while self.0.len() <= id.index() {
            let Some(next) = ExprId::new(self.0.len()) else { break };
            let children = arena.children(next);
            let size = match arena.get(next) {
                Expr::Literal(literal) => arena.literal_bytes(literal).len() as u32,
                _ => children.iter().fold(1u32, |sum, c| sum.saturating_add(self.0[c.index()].0)),
            };
            let run = is_run(arena, next) || children.iter().any(|c| self.0[c.index()].1);
            self.0.push((size, run));
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
