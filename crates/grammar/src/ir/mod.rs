//! The intermediate representation: what every front end produces and the engine consumes.
//!
//! A [`Grammar`] is a set of named rules over one [`Arena`] of expressions. It is written down exactly as the
//! front end read it; [`passes::prepare`](crate::passes::prepare) turns it into the form the engine runs.

mod arena;
mod base;
mod byteset;
mod charset;
mod display;
mod index;
mod machine;
mod members;
mod pool;
mod row;
mod survey;
mod tally;

pub use arena::{Arena, Expr, List, Literal};
pub use base::{Base, BaseId, BaseParts, Usual, UsualGrammars};
pub use byteset::ByteSet;
pub use charset::{CharSet, Utf8Dfa, Utf8Next};
pub use index::IdIndex;
pub use machine::{Machine, MachineRef};
pub use members::{Count, Members, Slot};
pub use tally::{Tallies, Tally};

pub(crate) use survey::Survey;

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Place};
use crate::ids::{ExprId, RuleId};
use crate::limits::Limits;

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

/// Something that a user should know about a constraint that was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Warning {
    /// What it is.
    pub message: String,
    /// Where, in text.
    pub place: Option<Place>,
    /// Where, in a JSON document.
    pub pointer: Option<String>,
}

impl Warning {
    /// A remark about nothing in particular.
    pub fn new(message: impl Into<String>) -> Self {
        Warning { message: message.into(), place: None, pointer: None }
    }

    /// The same about a place in a JSON document.
    #[must_use]
    pub fn with_pointer(self, pointer: impl Into<Option<String>>) -> Self {
        Warning { pointer: pointer.into(), ..self }
    }

    /// The same about a place in text.
    #[must_use]
    pub fn with_place(self, place: impl Into<Option<Place>>) -> Self {
        Warning { place: place.into(), ..self }
    }
}

/// A constraint as rules over expressions.
#[derive(Clone, Debug)]
pub struct Grammar {
    arena: Arena,
    rules: Vec<Rule>,
    root: RuleId,
    warnings: Vec<Warning>,
    tracking: Tracking,
    /// What a walk has shown of it, if the front end has made one: preparing it begins with that.
    survey: Option<Arc<Survey>>,
}

/// What is to be remembered of a JSON text while it is written, since no grammar can.
///
/// Whoever runs such a grammar reads the text as JSON beside it, and gives the grammar another byte in place of the one
/// that was written where something is repeated. None of these bytes can occur in UTF-8, so a grammar says with
/// ordinary byte sets whether it minds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tracking {
    /// The closing quote of a member's key is given as [`REPEATED_KEY`](Tracking::REPEATED_KEY) if its object already
    /// has a member with the same key, however it is spelled.
    pub keys: bool,
    /// The comma or bracket after an item that equals an earlier one of its array, as JSON Schema compares values, is
    /// given as [`COMMA_AFTER_REPEATED`](Tracking::COMMA_AFTER_REPEATED) or
    /// [`BRACKET_AFTER_REPEATED`](Tracking::BRACKET_AFTER_REPEATED). White space before it stays as it is.
    pub items: bool,
    /// A promise: the grammar never takes [`REPEATED_KEY`](Tracking::REPEATED_KEY), and whatever it lets be written of
    /// a key can become a key of at least so many characters; with `u32::MAX`, one that its object does not have yet.
    /// As long as no key has so many, a text can go on if it repeats no key, and nothing has to be searched to find
    /// that out. 0 promises nothing.
    pub keys_abound: u32,
}

impl Tracking {
    /// In place of `"` at the end of a repeated key.
    pub const REPEATED_KEY: u8 = 0xFD;
    /// In place of `,` after a repeated item.
    pub const COMMA_AFTER_REPEATED: u8 = 0xFE;
    /// In place of `]` after a repeated item.
    pub const BRACKET_AFTER_REPEATED: u8 = 0xFF;

    /// Whether there is anything to remember.
    pub fn any(self) -> bool {
        self.keys || self.items
    }
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
    fn without_base(mut self) -> Grammar {
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
