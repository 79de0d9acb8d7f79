//! From a grammar as written to one the engine runs: one pass per file, listed in order in [`prepare`].
//!
//! Every pass keeps the language of the grammar and runs in about linear time, without the call stack, under
//! the limits of a [`Budget`].

mod boolean;
mod corner;
mod factor;
mod fixpoint;
mod graph;
mod inline;
mod left_recursion;
mod nonempty;
mod nullable;
mod productive;
mod rewrite;
mod tail_recursion;

pub use left_recursion::left_recursive;
pub use nullable::nullable;
pub use rewrite::extract;

use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Grammar};
use crate::limits::Budget;

/// How often rules are put together at most.
const ROUNDS: usize = 3;

/// Turns a grammar as written into the one the engine runs.
///
/// `is_never(arena, expr)` tells whether a boolean expression (`And`, `Not`, `Region`: regular, no rules below)
/// matches nothing; such are replaced by `Never`. It is asked once for every outermost one, and where left
/// recursion hides behind one that may be empty, once more for its non-empty texts.
///
/// The result matches the same texts. Every rule in it is reachable from the root and matches some text,
/// every part of a rule can be used, no rule calls itself before a byte was read, and a rule that calls itself
/// at its end is a loop (unless that loop would be very large).
pub fn prepare(
    grammar: &Grammar,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<Grammar, Error> {
    let grammar = rewrite::keep_reachable(grammar, budget)?;
    productive::check(&grammar)?;
    prepare_reachable(grammar, budget, is_never)
}

/// Refuses a grammar with a rule that can match no text for the way it is written.
pub fn check(grammar: &Grammar, budget: &mut Budget<'_>) -> Result<(), Error> {
    productive::check(&rewrite::keep_reachable(grammar, budget)?)
}

/// The grammar without rules that can match no text, and without what needs them; refused if nothing is left.
pub(crate) fn without_dead_ends(grammar: Grammar, budget: &mut Budget<'_>) -> Result<Grammar, Error> {
    productive::prune(rewrite::keep_reachable(&grammar, budget)?, budget)
}

/// Like [`prepare`], for a grammar of which [`check`] has seen the original: rules that can match no text are
/// taken out, with what needs them; only if nothing is left, the grammar is refused.
pub fn prepare_checked(
    grammar: &Grammar,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<Grammar, Error> {
    let grammar = rewrite::keep_reachable(grammar, budget)?;
    prepare_reachable(grammar, budget, is_never)
}

/// The same for a grammar of which nothing is out of reach.
fn prepare_reachable(
    grammar: Grammar,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<Grammar, Error> {
    let grammar = boolean::drop_empty(grammar, budget, is_never)?;
    let grammar = productive::prune(grammar, budget)?;
    let before = Snapshot::of(&grammar);
    let mut grammar = left_recursion::remove(grammar, budget, is_never)?;
    if !before.is(&grammar) {
        grammar = productive::prune(grammar, budget)?;
    }
    let mut room = inline::Room::of(&grammar);
    // Factoring shows `a | a "," list` to be `a ("," list)?`; inlining shows rules that call each other at the
    // end to be one that calls itself; and a rule that became a loop can be inlined.
    let mut reachable = None;
    for round in 0.. {
        grammar = factor::factor(grammar, budget)?;
        let looped;
        (grammar, looped) = tail_recursion::into_loops(grammar, budget)?;
        if round == ROUNDS || round > 0 && !looped {
            break;
        }
        grammar = inline::inline(grammar, &mut room, budget)?;
        grammar = rewrite::keep_reachable(&grammar, budget)?;
        reachable = Some(Snapshot::of(&grammar));
    }
    if reachable.is_some_and(|before| before.is(&grammar)) {
        return Ok(grammar);
    }
    rewrite::keep_reachable(&grammar, budget)
}

/// What shows whether a pass has changed anything: it makes new expressions, or gives a rule another body.
struct Snapshot {
    exprs: usize,
    bodies: Vec<ExprId>,
}

impl Snapshot {
    fn of(grammar: &Grammar) -> Self {
        let bodies = grammar.rules().iter().map(|rule| rule.body).collect();
        Snapshot { exprs: grammar.arena().len(), bodies }
    }

    fn is(&self, grammar: &Grammar) -> bool {
        let bodies = grammar.rules().iter().map(|rule| rule.body);
        self.exprs == grammar.arena().len() && self.bodies.iter().copied().eq(bodies)
    }
}
