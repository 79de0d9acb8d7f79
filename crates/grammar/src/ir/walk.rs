//! The walk from the root of a grammar that makes its [`Survey`].

use super::{Expr, Grammar, Survey};
use crate::ids::ExprId;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Unseen,
    Open,
    Done,
}

/// An expression that the walk is in, and the parts of it that are still to be entered.
struct Step<'a> {
    id: ExprId,
    parts: &'a [ExprId],
}

impl Survey {
    pub(crate) fn of(grammar: &Grammar) -> Self {
        let settled = if grammar.has_base() { grammar.arena().base_len() } else { 0 };
        Survey::outside(grammar, settled)
    }

    /// The same with what is reached of the base.
    pub(crate) fn whole(grammar: &Grammar) -> Self {
        Survey::outside(grammar, 0)
    }

    fn outside(grammar: &Grammar, settled: usize) -> Self {
        let (exprs, rules) = (grammar.arena().len(), grammar.rules().len());
        let mut survey = Survey {
            order: Vec::with_capacity(exprs - settled),
            rules: vec![false; rules],
            heads: vec![false; rules],
            calls: vec![0; rules],
            recursive: false,
            booleans: false,
            never: false,
            settled,
        };
        survey.rules[grammar.root().index()] = true;
        survey.heads[grammar.root().index()] = true;
        survey.walk(grammar);
        survey
    }

    fn walk(&mut self, grammar: &Grammar) {
        let arena = grammar.arena();
        let mut marks = vec![Mark::Unseen; arena.len() - self.settled];
        let mut path: Vec<Step<'_>> = Vec::with_capacity(32);
        let root = grammar.rule(grammar.root()).body;
        self.never = root == arena.never();
        if root.index() >= self.settled {
            marks[root.index() - self.settled] = Mark::Open;
            path.push(self.enter(grammar, root));
        }
        while let Some(Step { id, parts }) = path.last_mut() {
            let id = *id;
            let Some((&part, rest)) = parts.split_first() else {
                marks[id.index() - self.settled] = Mark::Done;
                self.order.push(id);
                path.pop();
                continue;
            };
            *parts = rest;
            self.never |= part == arena.never();
            let Some(at) = part.index().checked_sub(self.settled) else { continue };
            match marks[at] {
                Mark::Unseen => {
                    let step = self.enter(grammar, part);
                    if step.parts.is_empty() {
                        marks[at] = Mark::Done;
                        self.order.push(part);
                    } else {
                        marks[at] = Mark::Open;
                        path.push(step);
                    }
                }
                mark => self.meet(grammar, (part, mark), &path),
            }
        }
    }

    /// Goes into an expression for the first time.
    fn enter<'g>(&mut self, grammar: &'g Grammar, id: ExprId) -> Step<'g> {
        let parts = match grammar.arena().get(id) {
            Expr::Rule(rule) => {
                self.rules[rule.index()] = true;
                self.calls[rule.index()] += 1;
                grammar.parts(id)
            }
            expr if expr.is_boolean() => {
                self.booleans = true;
                &[]
            }
            _ => grammar.arena().children(id),
        };
        Step { id, parts }
    }

    /// Comes to a part that it has been to, or is inside of.
    fn meet(&mut self, grammar: &Grammar, (part, mark): (ExprId, Mark), path: &[Step<'_>]) {
        let rule_of = |id: ExprId| match grammar.arena().get(id) {
            Expr::Rule(rule) => Some(rule.index()),
            _ => None,
        };
        let called = rule_of(part);
        if let Some(rule) = called {
            self.calls[rule] += 1;
        }
        if mark == Mark::Open {
            // A part may be of several rules, so the way around need not come by a call that was met before; but some
            // call is on it, since without one nothing is inside of itself.
            let head = called.or_else(|| path.iter().rev().find_map(|step| rule_of(step.id)));
            head.into_iter().for_each(|rule| self.is_head(rule));
        }
    }

    fn is_head(&mut self, rule: usize) {
        self.heads[rule] = true;
        self.recursive = true;
    }
}
