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
pub use rewrite::{extract, extract_all, reachable};

use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, Grammar, Survey};
use crate::limits::Budget;
use crate::tuning::passes::ROUNDS;

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
    prepare_owned(grammar.to_grow(), budget, is_never)
}

/// The same in place of the grammar.
pub fn prepare_owned(
    grammar: Grammar,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<Grammar, Error> {
    let surveyed = Surveyed::new(grammar);
    productive::check(&surveyed.grammar, &surveyed.survey)?;
    prepare_surveyed(surveyed, budget, is_never)
}

/// Refuses a grammar with a rule that can match no text for the way it is written.
pub fn check(grammar: &Grammar) -> Result<(), Error> {
    productive::check(grammar, &Survey::of(grammar))
}

/// The grammar without rules that can match no text, and without what needs them; refused if nothing is left.
pub fn without_dead_ends(mut grammar: Grammar, budget: &mut Budget<'_>) -> Result<Grammar, Error> {
    let survey = Arc::new(Survey::of(&grammar));
    if !productive::prune(&mut grammar, &survey, budget)? {
        grammar.keep_survey(survey);
    }
    Ok(grammar)
}

/// The grammar with common beginnings of alternatives written once, and without what the root does not reach.
pub fn factored(grammar: Grammar, budget: &mut Budget<'_>) -> Result<Grammar, Error> {
    let mut it = Surveyed::new(grammar);
    it.pass(|grammar, survey| factor::factor(grammar, survey, budget))?;
    rewrite::keep_reachable(it.grammar, &it.survey, budget)
}

/// Like [`prepare`], for a grammar of which [`check`] has seen the original: rules that can match no text are
/// taken out, with what needs them; only if nothing is left, the grammar is refused.
pub fn prepare_checked(
    grammar: &Grammar,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<Grammar, Error> {
    prepare_surveyed(Surveyed::new(grammar.to_grow()), budget, is_never)
}

fn prepare_surveyed(
    mut it: Surveyed,
    budget: &mut Budget<'_>,
    is_never: &mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
) -> Result<Grammar, Error> {
    it.pass(|grammar, survey| boolean::drop_empty(grammar, survey, budget, is_never))?;
    it.pass(|grammar, survey| productive::prune(grammar, survey, budget))?;
    it.pass(|grammar, survey| left_recursion::remove(grammar, survey, budget, is_never))?;
    if it.changed {
        it.pass(|grammar, survey| productive::prune(grammar, survey, budget))?;
    }
    let mut room = inline::Room::of(&it.grammar);
    // Factoring shows `a | a "," list` to be `a ("," list)?`; inlining shows rules that call each other at the
    // end to be one that calls itself; and a rule that became a loop can be inlined.
    for round in 0.. {
        it.pass(|grammar, survey| factor::factor(grammar, survey, budget))?;
        it.pass(|grammar, survey| tail_recursion::into_loops(grammar, survey, budget))?;
        if round == ROUNDS || round > 0 && !it.changed {
            break;
        }
        it.pass(|grammar, survey| inline::inline(grammar, survey, &mut room, budget))?;
        if !it.changed {
            break;
        }
    }
    rewrite::keep_reachable(it.grammar, &it.survey, budget)
}

/// A grammar, and what a walk through it has shown.
struct Surveyed {
    grammar: Grammar,
    survey: Arc<Survey>,
    /// Whether the last pass has changed anything: made or dropped expressions, or given a rule another body.
    changed: bool,
}

impl Surveyed {
    fn new(grammar: Grammar) -> Self {
        let survey = grammar.survey().cloned().unwrap_or_else(|| Arc::new(Survey::of(&grammar)));
        Surveyed { survey, grammar, changed: false }
    }

    /// Lets a pass do its work, which answers whether it has done anything.
    fn pass(&mut self, pass: impl FnOnce(&mut Grammar, &Survey) -> Result<bool, Error>) -> Result<(), Error> {
        let of = |grammar: &Grammar| (grammar.arena().len(), grammar.rules().len());
        let size = of(&self.grammar);
        let bodies: SmallVec<[ExprId; 64]> = self.grammar.rules().iter().map(|rule| rule.body).collect();
        self.changed = pass(&mut self.grammar, &self.survey)?
            && (size != of(&self.grammar)
                || !self.grammar.rules().iter().map(|rule| rule.body).eq(bodies.iter().copied()));
        if self.changed {
            self.survey = Arc::new(Survey::of(&self.grammar));
        }
        Ok(())
    }
}
