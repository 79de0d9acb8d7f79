//! Expressions without the empty text, and new expressions under a bound.

use rustc_hash::FxHashMap;

use super::nullable::nullable_expr;
use crate::error::{Error, Place};
use crate::ids::{ExprId, RuleId};
use crate::ir::{Arena, Expr, Grammar, GrammarBuilder};
use crate::limits::Budget;

/// A grammar to which non-empty versions of expressions and rules can be added.
pub(super) struct NonEmpty<'a, 'b, 'l> {
    pub builder: GrammarBuilder,
    budget: &'b mut Budget<'l>,
    is_never: &'a mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
    nullable: Vec<bool>,
    original: Vec<Original>,
    /// Non-empty versions found so far.
    known: FxHashMap<ExprId, ExprId>,
    /// From a rule to the one for its non-empty texts, and back.
    some_of: FxHashMap<RuleId, RuleId>,
    whole_of: FxHashMap<RuleId, RuleId>,
    /// How many list entries and literal bytes were written.
    written: usize,
}

/// What is remembered of a rule of the original grammar.
struct Original {
    body: ExprId,
    place: Option<Place>,
    nullable: bool,
}

impl<'a, 'b, 'l> NonEmpty<'a, 'b, 'l> {
    pub(super) fn new(
        grammar: Grammar,
        nullable: Vec<bool>,
        budget: &'b mut Budget<'l>,
        is_never: &'a mut dyn FnMut(&Arena, ExprId) -> Result<bool, Error>,
    ) -> Self {
        let original = |r: &crate::ir::Rule| Original {
            body: r.body,
            place: r.place,
            nullable: nullable[r.body.index()],
        };
        let original = grammar.rules().iter().map(original).collect();
        NonEmpty {
            builder: grammar.into_builder(budget.limits()),
            budget,
            is_never,
            nullable,
            original,
            known: FxHashMap::default(),
            some_of: FxHashMap::default(),
            whole_of: FxHashMap::default(),
            written: 0,
        }
    }

    /// The grammar as it now is.
    pub(super) fn finish(self, root: RuleId) -> Result<Grammar, Error> {
        self.builder.build(root)
    }

    /// The body that a rule of the original grammar had.
    pub(super) fn original_body(&self, rule: RuleId) -> ExprId {
        self.original[rule.index()].body
    }

    /// Whether a rule of the original grammar matches the empty text.
    pub(super) fn is_nullable_rule(&self, rule: RuleId) -> bool {
        self.original[rule.index()].nullable
    }

    /// The rule whose non-empty texts `rule` was made for.
    pub(super) fn whole_of(&self, rule: RuleId) -> Option<RuleId> {
        self.whole_of.get(&rule).copied()
    }

    /// A new rule at the place of an original one.
    pub(super) fn declare_like(
        &mut self,
        rule: RuleId,
        name: impl FnOnce(&GrammarBuilder) -> String,
    ) -> Result<RuleId, Error> {
        self.budget.tick()?;
        let (name, place) = (name(&self.builder), self.original[rule.index()].place);
        self.builder.declare(name, place)
    }

    /// Whether an expression over original rules matches the empty text.
    pub(super) fn is_nullable(&mut self, id: ExprId) -> bool {
        while self.nullable.len() <= id.index() {
            let Some(next) = ExprId::new(self.nullable.len()) else { break };
            let (arena, original, known) = (&self.builder.arena, &self.original, &self.nullable);
            // Of the rules made here, those that can be empty only ever stand last in a finished body.
            let rule = |r: RuleId| original.get(r.index()).is_some_and(|o| o.nullable);
            let value = nullable_expr(arena, next, known, rule);
            self.nullable.push(value);
        }
        self.nullable[id.index()]
    }

    /// The parts one after the other.
    pub(super) fn concat(&mut self, parts: &[ExprId]) -> Result<ExprId, Error> {
        let made = self.builder.arena.concat(parts);
        self.count(made)
    }

    /// Any one of the parts.
    pub(super) fn alt(&mut self, parts: &[ExprId]) -> Result<ExprId, Error> {
        let made = self.builder.arena.alt(parts);
        self.count(made)
    }

    /// Bounds what is written. Joined sequences are copies, so the number of expressions alone says little.
    fn count(&mut self, made: ExprId) -> Result<ExprId, Error> {
        self.budget.tick()?;
        let arena = &self.builder.arena;
        let size =
            |id: ExprId| if let Expr::Literal(l) = arena.get(id) { arena.literal_bytes(l).len() } else { 1 };
        self.written += match arena.get(made) {
            Expr::Concat(list) | Expr::Alt(list) => arena.list(list).iter().map(|&c| size(c)).sum(),
            _ => size(made),
        };
        let limit = self.budget.limits().exprs;
        if arena.overflowed() || self.written / 8 > limit {
            return Err(Error::limit("exprs", limit));
        }
        Ok(made)
    }

    /// A call of the rule for the non-empty texts of an original rule that matches the empty one too.
    pub(super) fn nonempty_rule(&mut self, rule: RuleId) -> Result<ExprId, Error> {
        let some = match self.some_of.get(&rule) {
            Some(&some) => some,
            None => {
                let some = self.declare_like(rule, |builder| format!("{}+", builder.name(rule)))?;
                self.some_of.insert(rule, some);
                self.whole_of.insert(some, rule);
                some
            }
        };
        Ok(self.builder.arena.rule(some))
    }

    /// The non-empty texts of an expression over original rules.
    pub(super) fn nonempty(&mut self, id: ExprId) -> Result<ExprId, Error> {
        let mut todo = vec![(id, false)];
        while let Some((next, children_done)) = todo.pop() {
            if self.known.contains_key(&next) {
                continue;
            }
            self.budget.tick()?;
            if !self.is_nullable(next) {
                self.known.insert(next, next);
            } else if children_done {
                let some = self.nonempty_from_children(next)?;
                self.known.insert(next, some);
            } else {
                todo.push((next, true));
                if matches!(
                    self.builder.arena.get(next),
                    Expr::Concat(_) | Expr::Alt(_) | Expr::Repeat { .. }
                ) {
                    todo.extend(self.builder.arena.children(next).iter().map(|&c| (c, false)));
                }
            }
        }
        Ok(self.known[&id])
    }

    fn nonempty_from_children(&mut self, id: ExprId) -> Result<ExprId, Error> {
        let children = self.builder.arena.children(id).to_vec();
        match self.builder.arena.get(id) {
            Expr::Concat(_) => self.nonempty_sequence(&children),
            Expr::Alt(_) => {
                let parts: Vec<ExprId> = children.iter().map(|c| self.known[c]).collect();
                self.alt(&parts)
            }
            // Whether min is 0 or the expression may be empty: one non-empty round at least, and no more needed.
            Expr::Repeat { expr, max, .. } => Ok(self.builder.arena.repeat(self.known[&expr], 1, max)),
            Expr::Rule(rule) => self.nonempty_rule(rule),
            Expr::Members(members) => {
                let some = self.builder.arena.members_of(members).nonempty();
                Ok(self.builder.arena.members(some))
            }
            Expr::Machine(machine) => match self.builder.arena.machine_of(machine).nonempty() {
                Some(some) => Ok(self.builder.arena.machine(some)),
                None => Ok(self.builder.arena.never()),
            },
            Expr::And(_) | Expr::Not(_) | Expr::Region(_) => {
                let empty = self.builder.arena.empty();
                let some = self.builder.arena.not(empty);
                let both = self.builder.arena.and(&[id, some]);
                let never = (self.is_never)(&self.builder.arena, both)?;
                Ok(if never { self.builder.arena.never() } else { both })
            }
            _ => Ok(self.builder.arena.never()),
        }
    }

    /// For parts that may all be empty: some part is not. Halved, to share what follows.
    fn nonempty_sequence(&mut self, parts: &[ExprId]) -> Result<ExprId, Error> {
        if let &[part] = parts {
            return Ok(self.known[&part]);
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        let rest = self.concat(right)?;
        let some_left = self.nonempty_sequence(left)?;
        let starts_left = self.concat(&[some_left, rest])?;
        let starts_right = self.nonempty_sequence(right)?;
        self.alt(&[starts_left, starts_right])
    }
}
