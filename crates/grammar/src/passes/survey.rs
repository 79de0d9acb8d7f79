//! What one walk from the root shows of a grammar: which passes have something to do, and in which order.

use super::rewrite::is_boolean;
use crate::ids::ExprId;
use crate::ir::{Expr, Grammar};

/// See the module documentation. What is below boolean expressions is not looked at.
pub(super) struct Survey {
    /// The expressions that the root reaches, each after its parts and after what it calls, but for calls of `heads`.
    pub(super) order: Vec<ExprId>,
    pub(super) rules: Vec<bool>,
    /// The root, and rules that the walk came to inside themselves. Around every cycle of calls there is one.
    pub(super) heads: Vec<bool>,
    /// How many expressions and bodies call each rule.
    pub(super) calls: Vec<u32>,
    /// Whether some rule calls itself, by whatever way.
    pub(super) recursive: bool,
    /// Whether there are boolean expressions.
    pub(super) booleans: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Unseen,
    Open,
    Done,
}

impl Survey {
    pub(super) fn of(grammar: &Grammar) -> Self {
        let (exprs, rules) = (grammar.arena().len(), grammar.rules().len());
        let mut survey = Survey {
            order: Vec::with_capacity(exprs),
            rules: vec![false; rules],
            heads: vec![false; rules],
            calls: vec![0; rules],
            recursive: false,
            booleans: false,
        };
        survey.rules[grammar.root().index()] = true;
        survey.heads[grammar.root().index()] = true;
        survey.walk(grammar);
        survey
    }

    fn walk(&mut self, grammar: &Grammar) {
        let mut marks = vec![Mark::Unseen; grammar.arena().len()];
        let root = grammar.rule(grammar.root()).body;
        let mut path: Vec<(ExprId, usize)> = Vec::new();
        self.enter(grammar, root, &mut marks, &mut path);
        while let Some((id, next)) = path.last_mut() {
            let id = *id;
            let expr = grammar.arena().get(id);
            let parts = if is_boolean(expr) { &[] } else { grammar.parts(id) };
            let Some(&part) = parts.get(*next) else {
                marks[id.index()] = Mark::Done;
                self.order.push(id);
                path.pop();
                continue;
            };
            *next += 1;
            match (marks[part.index()], grammar.arena().get(part), expr) {
                (Mark::Unseen, ..) => self.enter(grammar, part, &mut marks, &mut path),
                (mark, Expr::Rule(rule), _) => {
                    self.calls[rule.index()] += 1;
                    if mark == Mark::Open {
                        self.is_head(rule.index());
                    }
                }
                (Mark::Open, _, Expr::Rule(rule)) => self.is_head(rule.index()),
                _ => {}
            }
        }
    }

    fn enter(&mut self, grammar: &Grammar, id: ExprId, marks: &mut [Mark], path: &mut Vec<(ExprId, usize)>) {
        marks[id.index()] = Mark::Open;
        path.push((id, 0));
        match grammar.arena().get(id) {
            Expr::Rule(rule) => {
                self.rules[rule.index()] = true;
                self.calls[rule.index()] += 1;
            }
            expr => self.booleans |= is_boolean(expr),
        }
    }

    fn is_head(&mut self, rule: usize) {
        self.heads[rule] = true;
        self.recursive = true;
    }
}
