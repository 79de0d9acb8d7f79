//! Makes grammars: from nothing, from what a base begins, or from a grammar that is changed.

use std::sync::Arc;

use super::{Arena, Base, Grammar, Rule, Tracking, Warning};
use crate::error::{Error, ErrorKind, Place};
use crate::ids::{ExprId, RuleId};
use crate::limits::Limits;

/// Builds a [`Grammar`]: declare rules, define them, name the root.
///
/// ```
/// use tokenstile_grammar::{GrammarBuilder, Limits};
/// let mut g = GrammarBuilder::new(&Limits::default());
/// let list = g.declare("list", None)?;
/// let (a, comma, again) = (g.arena.literal(b"a"), g.arena.literal(b","), g.arena.rule(list));
/// let more = g.arena.concat(&[comma, again]);
/// let more = g.arena.optional(more);
/// let body = g.arena.concat(&[a, more]);
/// g.define(list, body);
/// let grammar = g.build(list)?;
/// assert_eq!(&*grammar.rule(grammar.root()).name, "list");
/// # Ok::<(), tokenstile_grammar::Error>(())
/// ```
#[derive(Debug)]
pub struct GrammarBuilder {
    /// Where the expressions are made.
    pub arena: Arena,
    rules: Vec<(Arc<str>, Option<ExprId>, Option<Place>)>,
    warnings: Vec<Warning>,
    tracking: Tracking,
    limits: Limits,
}

impl GrammarBuilder {
    /// An empty grammar under `limits`.
    pub fn new(limits: &Limits) -> Self {
        GrammarBuilder::over(Arena::new(limits.exprs), limits)
    }

    /// A grammar without rules over expressions that are there already.
    pub(crate) fn over(arena: Arena, limits: &Limits) -> Self {
        GrammarBuilder {
            arena,
            rules: Vec::with_capacity(16),
            warnings: Vec::new(),
            tracking: Tracking::default(),
            limits: limits.clone(),
        }
    }

    /// A new rule, to be defined later.
    pub fn declare(&mut self, name: impl Into<Arc<str>>, place: Option<Place>) -> Result<RuleId, Error> {
        let id = RuleId::new(self.rules.len()).filter(|_| self.rules.len() < self.limits.rules);
        let id = id.ok_or_else(|| Error::limit("rules", self.limits.rules))?;
        self.rules.push((name.into(), None, place));
        Ok(id)
    }

    /// Gives a rule its body, in place of any it had.
    pub fn define(&mut self, rule: RuleId, body: ExprId) {
        self.rules[rule.index()].1 = Some(body);
    }

    /// The body of a rule, once it is defined.
    pub fn body(&self, rule: RuleId) -> Option<ExprId> {
        self.rules[rule.index()].1
    }

    /// The name of a rule.
    pub fn name(&self, rule: RuleId) -> &str {
        &self.rules[rule.index()].0
    }

    /// How many rules are declared.
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// Drops all rules but those that get an id, in the order of the ids; the bodies are mapped.
    pub(crate) fn keep_rules(&mut self, ids: &[Option<RuleId>], map: &[ExprId]) {
        let mut ids = ids.iter();
        self.rules.retain_mut(|(_, body, _)| {
            *body = body.map(|body| map[body.index()]);
            ids.next().is_some_and(Option::is_some)
        });
    }

    /// Adds a remark for the user.
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    /// Says what is to be remembered of the text while it is written.
    pub fn track(&mut self, tracking: Tracking) {
        self.tracking = tracking;
    }

    /// The finished grammar. Every declared rule must be defined.
    pub fn build(self, root: RuleId) -> Result<Grammar, Error> {
        if self.arena.overflowed() {
            return Err(Error::limit("exprs", self.limits.exprs));
        }
        let mut rules = Vec::with_capacity(self.rules.len());
        for (name, body, place) in self.rules {
            let Some(body) = body else {
                return Err(Error::new(ErrorKind::UndefinedRule, format!("rule `{name}` is not defined")));
            };
            rules.push(Rule { name, body, place });
        }
        let GrammarBuilder { arena, warnings, tracking, .. } = self;
        Ok(Grammar { arena, rules, root, warnings, tracking, survey: None })
    }
}

impl Grammar {
    /// Takes the grammar apart, to be changed and built again.
    pub fn into_builder(self, limits: &Limits) -> GrammarBuilder {
        GrammarBuilder {
            arena: self.arena,
            rules: self.rules.into_iter().map(|r| (r.name, Some(r.body), r.place)).collect(),
            warnings: self.warnings,
            tracking: self.tracking,
            limits: limits.clone(),
        }
    }
}

impl Base {
    /// The beginning of a grammar: the expressions and rules of the base, to which at most `limits.exprs` expressions can
    /// be added, and `room` before anything has to grow.
    pub fn builder(self: &Arc<Self>, limits: &Limits, room: usize) -> Result<GrammarBuilder, Error> {
        let mut arena = self.arena().with_capacity(limits.exprs.saturating_add(self.len()), room);
        arena.base = Some(self.clone());
        let mut builder = GrammarBuilder::over(arena, limits);
        for rule in self.rules() {
            let id = builder.declare(rule.name.clone(), rule.place)?;
            builder.define(id, rule.body);
        }
        Ok(builder)
    }
}
