//! Free text that is searched for triggers while it is written.
//!
//! The triggers are a trie, whose nodes are what of a trigger has been written so far, and every node knows where another
//! character leads (Aho and Corasick's automaton). Each node becomes a rule that calls the next one at its end, which
//! costs no stack. The alphabet are characters and the names of special tokens that are written as tokens.
//!
//! At a node where a trigger is complete no text goes on. What the trigger begins follows, or the rest of a longer one:
//! the nodes below are *certain*, since there is no way back to text from them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::Trigger;
use super::lower::{Lowering, special};
use super::marks::{Piece, pieces};
use crate::error::{Error, ErrorKind};
use crate::ids::{ExprId, RuleId};
use crate::ir::{CharSet, TokenSet};
use crate::limits::Limits;

/// In so many names a text may have a special token each; the others are text.
const NAMES: usize = 4;

/// How often triggers come, and where text may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// Any number of times, with text everywhere.
    Often,
    /// At least once, with no text before the first.
    First,
    /// At most once, with text before it only.
    Last,
    /// Exactly once, without text.
    Once,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Symbol {
    Char(char),
    Name(Arc<str>),
}

#[derive(Default, Debug)]
struct Node {
    children: BTreeMap<Symbol, usize>,
    /// The node of the longest end of this one's text.
    fail: usize,
    /// What begins here, this node's own triggers alone.
    begins: Vec<ExprId>,
    /// Whether a trigger or something excluded ends here.
    ends: bool,
    /// Whether something ends before it, of which this is the rest.
    certain: bool,
    /// Whether a trigger ends here or below.
    leads: bool,
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Search {
    /// The root first; a node comes after those of shorter texts.
    nodes: Vec<Node>,
    order: Vec<usize>,
    /// Triggers that are tokens.
    tokens: Vec<(TokenSet, ExprId)>,
}

impl Search {
    pub(super) fn new(
        tags: &[(Trigger, ExprId)],
        excludes: &[Trigger],
        limits: &Limits,
    ) -> Result<Search, Error> {
        let mut search = Search { nodes: vec![Node::default()], order: Vec::new(), tokens: Vec::new() };
        let begins = tags.iter().map(|(trigger, begun)| (trigger, Some(*begun)));
        for (trigger, begun) in begins.chain(excludes.iter().map(|excluded| (excluded, None))) {
            match trigger {
                Trigger::Text(text) => search.add(text.chars().map(Symbol::Char), begun)?,
                Trigger::Marked(text) => {
                    for spelled in spellings(text) {
                        search.add(spelled.into_iter(), begun)?;
                    }
                }
                Trigger::Tokens(set) => search.tokens.extend(begun.map(|begun| (set.clone(), begun))),
            }
            if search.nodes.len() > limits.rules {
                return Err(Error::limit("rules", limits.rules));
            }
        }
        search.link();
        Ok(search)
    }

    fn add(&mut self, text: impl Iterator<Item = Symbol>, begun: Option<ExprId>) -> Result<(), Error> {
        let mut at = 0;
        self.nodes[at].leads |= begun.is_some();
        for symbol in text {
            let new = self.nodes.len();
            let next = *self.nodes[at].children.entry(symbol).or_insert(new);
            if next == new {
                self.nodes.push(Node::default());
            }
            at = next;
            self.nodes[at].leads |= begun.is_some();
        }
        if at == 0 {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "a trigger or something excluded is the empty text",
            ));
        }
        self.nodes[at].ends = true;
        self.nodes[at].begins.extend(begun);
        Ok(())
    }

    /// Finds where each node fails to, shorter texts first.
    fn link(&mut self) {
        let mut todo = VecDeque::from([0]);
        while let Some(at) = todo.pop_front() {
            self.order.push(at);
            let children: Vec<(Symbol, usize)> =
                self.nodes[at].children.iter().map(|(symbol, &child)| (symbol.clone(), child)).collect();
            for (symbol, child) in children {
                let fail = if at == 0 { 0 } else { self.next(self.nodes[at].fail, &symbol).unwrap_or(0) };
                self.nodes[child].fail = fail;
                self.nodes[child].certain = self.nodes[at].certain || self.is_end(at);
                todo.push_back(child);
            }
        }
    }

    /// Where a symbol leads from a node of text.
    fn next(&self, mut at: usize, symbol: &Symbol) -> Option<usize> {
        loop {
            if let Some(&next) = self.nodes[at].children.get(symbol) {
                return Some(next);
            }
            if at == 0 {
                return None;
            }
            at = self.nodes[at].fail;
        }
    }

    /// A node and those of the ends of its text, up to the empty one.
    fn ends_of(&self, at: usize) -> impl Iterator<Item = &Node> {
        let next = |&at: &usize| (at != 0).then(|| self.nodes[at].fail);
        std::iter::successors(Some(at), next).map(|at| &self.nodes[at])
    }

    /// Whether a trigger or something excluded is complete at a node of text.
    fn is_end(&self, at: usize) -> bool {
        self.ends_of(at).any(|node| node.ends)
    }

    /// Text in which nothing is complete.
    pub(super) fn until(&self, to: &mut Lowering) -> Result<ExprId, Error> {
        self.rules(to, true, &|_, begun| begun)
    }

    /// Text up to a trigger, and what that begins.
    pub(super) fn through(&self, to: &mut Lowering) -> Result<ExprId, Error> {
        self.rules(to, false, &|_, begun| begun)
    }

    /// Text in which triggers begin something.
    pub(super) fn triggered(&self, to: &mut Lowering, found: Found) -> Result<ExprId, Error> {
        match found {
            Found::Once => Ok(self.at_once(to)),
            Found::Last => self.rules(to, true, &|_, begun| begun),
            Found::Often => self.often(to),
            Found::First => {
                let first = self.at_once(to);
                let others = self.often(to)?;
                Ok(to.builder.arena.concat(&[first, others]))
            }
        }
    }

    fn often(&self, to: &mut Lowering) -> Result<ExprId, Error> {
        self.rules(to, true, &|(to, root), begun| {
            let again = to.builder.arena.rule(root);
            to.builder.arena.concat(&[begun, again])
        })
    }

    /// A trigger and what it begins, without text before it.
    fn at_once(&self, to: &mut Lowering) -> ExprId {
        let mut made = vec![to.builder.arena.never(); self.nodes.len()];
        for &at in self.order.iter().rev() {
            let mut ways = self.nodes[at].begins.clone();
            for (symbol, &child) in &self.nodes[at].children {
                let symbol = written(to, symbol);
                ways.push(to.builder.arena.concat(&[symbol, made[child]]));
            }
            if at == 0 {
                ways.extend(self.by_tokens(to));
            }
            made[at] = to.builder.arena.alt(&ways);
        }
        made[0]
    }

    /// Triggers that are tokens, with what they begin.
    fn by_tokens(&self, to: &mut Lowering) -> Vec<ExprId> {
        let arena = &mut to.builder.arena;
        let way = |(set, begun): &(TokenSet, ExprId)| {
            let token = arena.tokens(set);
            arena.concat(&[token, *begun])
        };
        self.tokens.iter().map(way).collect()
    }

    /// The rules of all nodes, called at the root: text, which may end if it `may_end`, with `after` what a trigger begins.
    fn rules(
        &self,
        to: &mut Lowering,
        may_end: bool,
        after: &dyn Fn((&mut Lowering, RuleId), ExprId) -> ExprId,
    ) -> Result<ExprId, Error> {
        let mut rules: Vec<Option<RuleId>> = vec![None; self.nodes.len()];
        for &at in &self.order {
            // From what is only excluded nothing goes on.
            let is_dead = !self.nodes[at].leads && (self.nodes[at].certain || self.is_end(at));
            if !is_dead || self.ends_of(at).any(|node| !node.begins.is_empty()) && !self.nodes[at].certain {
                rules[at] = Some(to.builder.declare("text", None)?);
            }
        }
        let Some(root) = rules[0] else { return Ok(to.builder.arena.never()) };
        let text = self.by_tokens(to).into_iter().map(|begun| after((to, root), begun)).collect::<Vec<_>>();
        for &at in &self.order {
            let Some(rule) = rules[at] else { continue };
            let node = &self.nodes[at];
            let mut ways = Vec::new();
            if node.certain || self.is_end(at) {
                let ends: Vec<&Node> = if node.certain { vec![node] } else { self.ends_of(at).collect() };
                for &begun in ends.iter().flat_map(|node| &node.begins) {
                    ways.push(after((to, root), begun));
                }
                for (symbol, &child) in node.children.iter().filter(|(_, child)| self.nodes[**child].leads) {
                    ways.extend(call(to, symbol, rules[child]));
                }
                let body = to.builder.arena.alt(&ways);
                to.builder.define(rule, body);
                continue;
            }
            let empty = to.builder.arena.empty();
            ways.extend(may_end.then_some(empty));
            ways.extend(&text);
            let body = self.text_rule(to, at, (&rules, root), ways);
            to.builder.define(rule, body);
        }
        Ok(to.builder.arena.rule(root))
    }

    /// The body of the rule of a node of text, of which some ways to go on are known.
    fn text_rule(
        &self,
        to: &mut Lowering,
        at: usize,
        (rules, root): (&[Option<RuleId>], RuleId),
        mut ways: Vec<ExprId>,
    ) -> ExprId {
        let mut leads: BTreeMap<&Symbol, usize> = BTreeMap::new();
        for node in self.ends_of(at) {
            for (symbol, &child) in &node.children {
                leads.entry(symbol).or_insert(child);
            }
        }
        let chars = leads.keys().filter_map(|symbol| match symbol {
            Symbol::Char(c) => Some((*c as u32, *c as u32)),
            Symbol::Name(_) => None,
        });
        let others = CharSet::from_ranges(chars).complement();
        for (symbol, child) in leads {
            ways.extend(call(to, symbol, rules[child]));
        }
        let arena = &mut to.builder.arena;
        let others = arena.chars(&others);
        if at == 0 {
            let (others, ways) = (arena.star(others), arena.alt(&ways));
            return arena.concat(&[others, ways]);
        }
        let again = arena.rule(root);
        ways.push(arena.concat(&[others, again]));
        arena.alt(&ways)
    }
}

/// A symbol, and then a rule if there is one.
fn call(to: &mut Lowering, symbol: &Symbol, rule: Option<RuleId>) -> Option<ExprId> {
    let rule = rule?;
    let symbol = written(to, symbol);
    let rest = to.builder.arena.rule(rule);
    Some(to.builder.arena.concat(&[symbol, rest]))
}

fn written(to: &mut Lowering, symbol: &Symbol) -> ExprId {
    match symbol {
        Symbol::Char(c) => to.builder.arena.literal(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Symbol::Name(name) => to.builder.arena.tokens(&special(name)),
    }
}

/// The ways to write a text in which names of special tokens may be tokens.
fn spellings(text: &str) -> Vec<Vec<Symbol>> {
    let mut spelled: Vec<Vec<Symbol>> = vec![Vec::new()];
    let mut names = 0;
    for piece in pieces(text) {
        let (Piece::Text(text) | Piece::Name(text)) = piece;
        let tokens = matches!(piece, Piece::Name(_)) && names < NAMES;
        names += usize::from(tokens);
        let with_token = if tokens { spelled.clone() } else { Vec::new() };
        spelled.iter_mut().for_each(|symbols| symbols.extend(text.chars().map(Symbol::Char)));
        spelled.extend(with_token.into_iter().map(|mut symbols| {
            symbols.push(Symbol::Name(text.into()));
            symbols
        }));
    }
    spelled
}
