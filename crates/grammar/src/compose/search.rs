//! Free text that is searched for triggers while it is written.
//!
//! The triggers are a trie, whose nodes are what of a trigger has been written so far, and every node knows where another
//! character leads (Aho and Corasick's automaton). Each node becomes a rule that calls the next one at its end, which
//! costs no stack. The alphabet are characters and the names of special tokens that are written as tokens.
//!
//! Where a trigger is complete no text goes on. What the trigger begins follows, or the rest of another trigger that began
//! with or before it: from there on it is *certain* that a trigger began so many characters ago at least.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::Trigger;
use super::lower::{Lowering, special};
use super::marks::{Piece, pieces};
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// How many symbols lead here.
    depth: u32,
}

/// Where free text stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Place {
    node: usize,
    /// So many symbols ago, or more, a trigger has begun for certain; 0 in text.
    since: u32,
}

const START: Place = Place { node: 0, since: 0 };

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
        for symbol in text {
            let new = self.nodes.len();
            let next = *self.nodes[at].children.entry(symbol).or_insert(new);
            if next == new {
                self.nodes.push(Node { depth: self.nodes[at].depth + 1, ..Node::default() });
            }
            at = next;
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
                todo.push_back(child);
            }
        }
    }

    /// Where a symbol leads from a node of text.
    fn next(&self, at: usize, symbol: &Symbol) -> Option<usize> {
        self.ends_of(at).find_map(|node| node.children.get(symbol).copied())
    }

    /// A node and those of the ends of its text, the longest first, down to the empty one.
    fn ends_of(&self, at: usize) -> impl Iterator<Item = &Node> {
        let next = |&at: &usize| (at != 0).then(|| self.nodes[at].fail);
        std::iter::successors(Some(at), next).map(|at| &self.nodes[at])
    }

    /// Where the symbols that have an edge lead from a place: those of nodes that a trigger may have begun with.
    fn leads(&self, at: Place) -> BTreeMap<&Symbol, Place> {
        let mut leads = BTreeMap::new();
        for node in self.ends_of(at.node).take_while(|node| node.depth >= at.since) {
            for (symbol, &child) in &node.children {
                leads.entry(symbol).or_insert_with(|| self.entered(child, at.since));
            }
        }
        leads
    }

    /// The place of a node to which a symbol has led, where it was certain before `since` when.
    fn entered(&self, node: usize, since: u32) -> Place {
        Place { node, since: if since == 0 { 0 } else { since + 1 } }
    }

    /// What is complete at a place: what begins there, and since when a longer trigger must have begun.
    fn complete(&self, at: Place) -> Option<(Vec<ExprId>, u32)> {
        let longest = self.ends_of(at.node).find(|node| node.ends)?;
        let begun = self.ends_of(at.node).take_while(|node| node.depth >= at.since.max(1));
        let begins = begun.flat_map(|node| node.begins.iter().copied()).collect();
        Some((begins, at.since.max(longest.depth)))
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

    /// The places that free text can come to, each with what begins there and where it goes on from; those from which nothing
    /// goes on are left out.
    fn places(&self, limits: &Limits) -> Result<Places, Error> {
        let mut places = Places::default();
        let mut todo = vec![START];
        let mut order = Vec::new();
        let mut seen = FxHashSet::from_iter([START]);
        while let Some(at) = todo.pop() {
            let (begins, from) = match self.complete(at) {
                Some((begins, since)) => (begins, Place { since, ..at }),
                None => (Vec::new(), at),
            };
            let leads = self.leads(from);
            todo.extend(leads.values().copied().filter(|&next| seen.insert(next)));
            order.push(Known { at, begins, from });
            if seen.len() > limits.rules {
                return Err(Error::limit("rules", limits.rules));
            }
        }
        // A certain place leads to places that are certain since longer.
        order.sort_by_key(|known| std::cmp::Reverse(known.at.since.max(known.from.since)));
        for known in order {
            let goes_on = known.from.since == 0
                || !known.begins.is_empty()
                || self.leads(known.from).values().any(|next| places.contains_key(next));
            if goes_on {
                places.insert(known.at, known);
            }
        }
        Ok(places)
    }

    /// The rules of all places, called at the root: text, which may end if it `may_end`, with `after` what a trigger begins.
    fn rules(
        &self,
        to: &mut Lowering,
        may_end: bool,
        after: &dyn Fn((&mut Lowering, RuleId), ExprId) -> ExprId,
    ) -> Result<ExprId, Error> {
        let begins = self.tokens.len() + self.nodes.iter().map(|node| node.begins.len()).sum::<usize>();
        if begins == 0 && !may_end {
            return Ok(to.builder.arena.never());
        }
        let places = self.places(&to.limits)?;
        let mut rules: FxHashMap<Place, RuleId> = FxHashMap::default();
        let mut known: Vec<&Known> = places.values().collect();
        known.sort_by_key(|known| (known.at.node, known.at.since));
        for known in &known {
            rules.insert(known.at, to.builder.declare("text", None)?);
        }
        let root = rules[&START];
        let tokens: Vec<ExprId> =
            self.by_tokens(to).into_iter().map(|begun| after((to, root), begun)).collect();
        for known in known {
            let mut ways: Vec<ExprId> = Vec::new();
            for &begun in &known.begins {
                ways.push(after((to, root), begun));
            }
            let leads = self.leads(known.from);
            for (symbol, next) in &leads {
                ways.extend(call(to, symbol, rules.get(next)));
            }
            let body = if known.from.since == 0 {
                let empty = to.builder.arena.empty();
                ways.extend(may_end.then_some(empty));
                ways.extend(&tokens);
                text_body(to, known.at.node == 0, leads.into_keys(), (root, ways))
            } else {
                to.builder.arena.alt(&ways)
            };
            to.builder.define(rules[&known.at], body);
        }
        Ok(to.builder.arena.rule(root))
    }
}

/// A place, and how it goes on.
#[derive(Debug)]
struct Known {
    at: Place,
    begins: Vec<ExprId>,
    /// The place, with what is certain since something was complete there.
    from: Place,
}

type Places = FxHashMap<Place, Known>;

/// The body of a place of text: characters that lead nowhere else lead back to the root, where they are a loop.
fn text_body<'s>(
    to: &mut Lowering,
    is_root: bool,
    leading: impl Iterator<Item = &'s Symbol>,
    (root, mut ways): (RuleId, Vec<ExprId>),
) -> ExprId {
    let chars = leading.filter_map(|symbol| match symbol {
        Symbol::Char(c) => Some((*c as u32, *c as u32)),
        Symbol::Name(_) => None,
    });
    let others = CharSet::from_ranges(chars).complement();
    let arena = &mut to.builder.arena;
    let others = arena.chars(&others);
    if is_root {
        let (others, ways) = (arena.star(others), arena.alt(&ways));
        return arena.concat(&[others, ways]);
    }
    let again = arena.rule(root);
    ways.push(arena.concat(&[others, again]));
    arena.alt(&ways)
}

/// A symbol, and then a rule if there is one.
fn call(to: &mut Lowering, symbol: &Symbol, rule: Option<&RuleId>) -> Option<ExprId> {
    let rule = *rule?;
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
