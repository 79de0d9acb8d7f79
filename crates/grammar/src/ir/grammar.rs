//! A grammar as it is read: rules over an arena, and what goes with them.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Arena, Base, Expr, Survey, Tracking, Warning};
use crate::error::Place;
use crate::ids::{ExprId, RuleId};

/// A named rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Name, as written in the source or made up by a front end or pass.
    pub name: Arc<str>,
    /// What it matches.
    pub body: ExprId,
    /// Where it was defined.
    pub place: Option<Place>,
}

/// A constraint as rules over expressions.
#[derive(Clone, Debug)]
pub struct Grammar {
    pub(super) arena: Arena,
    pub(super) rules: Vec<Rule>,
    pub(super) root: RuleId,
    pub(super) warnings: Vec<Warning>,
    pub(super) tracking: Tracking,
    /// What a walk has shown of it, if the front end has made one: preparing it begins with that.
    pub(super) survey: Option<Arc<Survey>>,
}

impl Grammar {
    /// The base that the expressions begin with, if there is one. See [`has_base`](Grammar::has_base) for the rules.
    pub fn base(&self) -> Option<&Arc<Base>> {
        self.arena.base()
    }

    /// Whether this begins with a [base](Base) as it is. The first expressions and rules stay those of the base when a
    /// grammar is prepared, unless something had to be changed in them.
    pub fn has_base(&self) -> bool {
        self.base().is_some_and(|base| {
            let mut own = self.rules.iter();
            base.rules().iter().all(|rule| own.next().is_some_and(|own| own.body == rule.body))
        })
    }

    /// The same grammar as one that begins with nothing known.
    pub(super) fn without_base(mut self) -> Grammar {
        self.arena.base = None;
        self
    }

    /// What is to be remembered of the text while it is written.
    pub fn tracking(&self) -> Tracking {
        self.tracking
    }

    /// The arena of all expressions.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// All rules, in the order of their ids.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// One rule.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// The rule that whole texts match.
    pub fn root(&self) -> RuleId {
        self.root
    }

    /// What an expression leads to: its children, or the body of the rule that it calls.
    #[inline]
    pub(crate) fn parts(&self, id: ExprId) -> &[ExprId] {
        match self.arena.get(id) {
            Expr::Rule(rule) => std::slice::from_ref(&self.rules[rule.index()].body),
            _ => self.arena.children(id),
        }
    }

    /// What the front end had to say about a constraint it accepted.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The same with these remarks, instead of those that it has.
    #[must_use]
    pub fn with_warnings(self, warnings: Vec<Warning>) -> Self {
        Grammar { warnings, ..self }
    }

    /// The expressions alone.
    pub fn into_arena(self) -> Arena {
        self.arena
    }

    /// A copy to which something is going to be added.
    pub(crate) fn to_grow(&self) -> Grammar {
        let arena = self.arena.to_grow((self.arena.len() - self.arena.base_len()) / 2);
        let (rules, warnings) = (self.rules.clone(), self.warnings.clone());
        Grammar {
            arena,
            rules,
            root: self.root,
            warnings,
            tracking: self.tracking,
            survey: self.survey.clone(),
        }
    }

    /// What a walk has shown of it, if one was made.
    pub(crate) fn survey(&self) -> Option<&Arc<Survey>> {
        self.survey.as_ref()
    }

    /// Keeps what a walk has shown of it, for as long as it stays as it is.
    pub(crate) fn keep_survey(&mut self, survey: Arc<Survey>) {
        self.survey = Some(survey);
    }

    /// The grammar, of which nothing is left here.
    pub(crate) fn take(&mut self) -> Grammar {
        let (root, tracking) = (self.root, self.tracking);
        let (arena, rules, warnings) = (Arena::bare(0), Vec::new(), Vec::new());
        std::mem::replace(self, Grammar { arena, rules, root, warnings, tracking, survey: None })
    }
}

impl From<Grammar> for Cow<'_, Grammar> {
    fn from(grammar: Grammar) -> Self {
        Cow::Owned(grammar)
    }
}

impl<'a> From<&'a Grammar> for Cow<'a, Grammar> {
    fn from(grammar: &'a Grammar) -> Self {
        Cow::Borrowed(grammar)
    }
}
