//! From the parts of a composition to one grammar.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::graft::graft;
use super::marks::{Piece, pieces};
use super::search::{Found, Search};
use super::{Composer, Node, Part, Trigger};
use crate::error::{Error, ErrorKind};
use crate::ids::{ExprId, RuleId};
use crate::ir::{CharSet, Expr, Grammar, GrammarBuilder, TokenName, TokenSet, Warning};
use crate::limits::Limits;

/// Room for what is between the grammars.
const ROOM: usize = 256;

pub(super) fn lower(mut composer: Composer, root: Part) -> Result<Grammar, Error> {
    let root = composer.own(root) as usize;
    if let Some(wrong) = composer.wrong {
        return Err(wrong);
    }
    let Composer { mut nodes, names, limits, repeats_allowed, .. } = composer;
    if let Some(Node::Grammar(grammar)) = nodes.get_mut(root) {
        return Ok(grammar.take());
    }
    let base = nodes.iter().find_map(|node| match node {
        Node::Grammar(grammar) | Node::GrammarWith { grammar, .. } => {
            grammar.base().filter(|_| grammar.has_base())
        }
        _ => None,
    });
    let builder = match base {
        Some(base) => base.builder(&limits, ROOM)?,
        None => GrammarBuilder::new(&limits),
    };
    let mut lowering = Lowering {
        builder,
        limits,
        repeats_allowed,
        made: Vec::with_capacity(nodes.len()),
        rules: FxHashMap::default(),
    };
    for name in names.keys() {
        let rule = lowering.builder.declare(name.clone(), None)?;
        lowering.rules.insert(name.clone(), rule);
    }
    for node in &nodes {
        let made = lowering.node(node)?;
        lowering.made.push(made);
    }
    for (name, at) in &names {
        let body = lowering.made[*at as usize];
        lowering.builder.define(lowering.rules[name], body);
    }
    let rule = lowering.builder.declare("root", None)?;
    lowering.builder.define(rule, lowering.made[root]);
    lowering.builder.build(rule)
}

pub(super) struct Lowering {
    pub(super) builder: GrammarBuilder,
    pub(super) limits: Limits,
    pub(super) repeats_allowed: bool,
    /// What each part has become, in the order of the parts.
    pub(super) made: Vec<ExprId>,
    pub(super) rules: FxHashMap<Arc<str>, RuleId>,
}

impl Lowering {
    fn node(&mut self, node: &Node) -> Result<ExprId, Error> {
        let all = |parts: &[u32]| -> Vec<ExprId> { parts.iter().map(|&at| self.made[at as usize]).collect() };
        Ok(match node {
            Node::Empty => self.builder.arena.empty(),
            Node::Literal(text) => self.builder.arena.literal(text.as_bytes()),
            Node::Marked(text) => self.marked(text),
            Node::Tokens(set) => self.builder.arena.tokens(set),
            Node::Grammar(grammar) => self.grammar(grammar, &[])?,
            Node::GrammarWith { grammar, rules } => {
                let mut known = Vec::with_capacity(rules.len());
                for (name, part) in rules {
                    known.push((&**name, self.rule_of(self.made[*part as usize])?));
                }
                self.grammar(grammar, &known)?
            }
            Node::AnyText => {
                let any = self.builder.arena.chars(&CharSet::all());
                self.builder.arena.star(any)
            }
            Node::Until(excludes) => self.search(&[], excludes)?.until(self)?,
            Node::Through { ends, excludes } => {
                let empty = self.builder.arena.empty();
                let ends: Vec<(Trigger, ExprId)> = ends.iter().map(|end| (end.clone(), empty)).collect();
                self.search(&ends, excludes)?.through(self)?
            }
            Node::Triggered(triggered) => {
                let tags: Vec<(Trigger, ExprId)> = triggered
                    .tags
                    .iter()
                    .map(|(trigger, part)| (trigger.clone(), self.made[part.at as usize]))
                    .collect();
                let found = match (triggered.at_least_one, triggered.stop_after_first) {
                    (true, true) => Found::Once,
                    (true, false) => Found::First,
                    (false, true) => Found::Last,
                    (false, false) => Found::Often,
                };
                let search = self.search(&tags, &triggered.excludes)?;
                search.triggered(self, found)?
            }
            Node::Concat(parts) => {
                let parts = all(parts);
                self.builder.arena.concat(&parts)
            }
            Node::Union(parts) => {
                let parts = all(parts);
                self.builder.arena.alt(&parts)
            }
            Node::Repeat { part, min, max } => {
                self.builder.arena.repeat(self.made[*part as usize], *min, *max)
            }
            Node::Named(name) => {
                let Some(&rule) = self.rules.get(name) else {
                    return Err(Error::new(ErrorKind::UndefinedRule, format!("`{name}` is not defined")));
                };
                self.builder.arena.rule(rule)
            }
        })
    }

    /// A rule whose body is an expression.
    fn rule_of(&mut self, expr: ExprId) -> Result<RuleId, Error> {
        if let Expr::Rule(rule) = self.builder.arena.get(expr) {
            return Ok(rule);
        }
        let rule = self.builder.declare("part", None)?;
        self.builder.define(rule, expr);
        Ok(rule)
    }

    /// A grammar, of which rules by these names are known.
    fn grammar(&mut self, grammar: &Grammar, known: &[(&str, RuleId)]) -> Result<ExprId, Error> {
        if grammar.tracking().any() {
            if !self.repeats_allowed {
                let what = "what is repeated in JSON cannot be told inside other text; close the objects, or allow repetitions";
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
            self.builder.warn(Warning::new("keys or items of JSON inside other text may repeat"));
        }
        let rule = graft(&mut self.builder, grammar, known)?;
        Ok(self.builder.arena.rule(rule))
    }

    /// A text in which special tokens may be written for their names.
    pub(super) fn marked(&mut self, text: &str) -> ExprId {
        let arena = &mut self.builder.arena;
        let mut parts = Vec::new();
        for piece in pieces(text) {
            parts.push(match piece {
                Piece::Text(text) => arena.literal(text.as_bytes()),
                Piece::Name(name) => {
                    let text = arena.literal(name.as_bytes());
                    let token = arena.tokens(&special(name));
                    arena.alt(&[text, token])
                }
            });
        }
        arena.concat(&parts)
    }

    fn search(&mut self, tags: &[(Trigger, ExprId)], excludes: &[Trigger]) -> Result<Search, Error> {
        Search::new(tags, excludes, &self.limits)
    }
}

/// The special token of a name, if there is one.
pub(super) fn special(name: &str) -> TokenSet {
    TokenSet::of([TokenName::special(name)]).if_known()
}
