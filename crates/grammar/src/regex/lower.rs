//! Syntax tree to expression, with anchors resolved by where they stand.
//!
//! A node is lowered for a [`Context`]: whether its match starts at the start of the text, and whether it
//! ends at the end of it, as far as that is known. `^` then is nothing, impossible or, where it is not known,
//! a real assertion. A node that asks for no edge is lowered once; one that does, at most once for each of
//! the nine contexts, so the result stays linear in the pattern. The walk keeps its own stack.

use rustc_hash::FxHashMap;

use super::ast::{Ast, Boundary, Lines, Node, NodeId, SetId, Width};
use super::options::RegexSemantics;
use super::tables;
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{Arena, CharSet, Expr};
use crate::limits::{Budget, Limits};

/// What is known of one end of a match: is it an edge of the text?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Edge {
    Yes,
    No,
    Unknown,
}

/// What is known of both ends of a match. Where the match is empty, both speak of the same position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Context {
    pub(super) start: Edge,
    pub(super) end: Edge,
}

impl Context {
    const UNKNOWN: Context = Context { start: Edge::Unknown, end: Edge::Unknown };

    pub(super) fn new(start: Edge, end: Edge) -> Self {
        Context { start, end }
    }
}

/// Lowers the whole pattern.
pub(super) fn lower(
    ast: &Ast,
    root: NodeId,
    semantics: RegexSemantics,
    arena: &mut Arena,
    limits: &Limits,
) -> Result<ExprId, Error> {
    let mut lowering = Lowering { ast, arena, done: FxHashMap::default(), budget: Budget::new(limits) };
    let expr = match semantics {
        RegexSemantics::WholeMatch => lowering.node(root, Context::new(Edge::Yes, Edge::Yes))?,
        RegexSemantics::Search => lowering.search(root)?,
    };
    Ok(if has_look(arena, expr) { arena.region(expr) } else { expr })
}

/// Whether an assertion that belongs to the region around `expr` is below it.
pub(super) fn has_look(arena: &Arena, expr: ExprId) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut todo = vec![expr];
    while let Some(id) = todo.pop() {
        if matches!(arena.get(id), Expr::Look { .. }) {
            return true;
        }
        todo.extend(arena.children(id).iter().copied().filter(|&child| seen.insert(child)));
    }
    false
}

pub(super) struct Lowering<'a> {
    pub(super) ast: &'a Ast,
    pub(super) arena: &'a mut Arena,
    done: FxHashMap<(NodeId, Context), ExprId>,
    budget: Budget<'a>,
}

impl Lowering<'_> {
    /// Lowers a node and all below it.
    pub(super) fn node(&mut self, root: NodeId, context: Context) -> Result<ExprId, Error> {
        let mut todo = vec![(root, context)];
        let mut missing = Vec::new();
        while let Some(&(node, context)) = todo.last() {
            self.budget.tick()?;
            let key = self.key(node, context);
            if self.done.contains_key(&key) {
                todo.pop();
                continue;
            }
            missing.clear();
            match self.build(node, key.1, &mut missing)? {
                Some(expr) => {
                    self.done.insert(key, expr);
                    todo.pop();
                }
                None => todo.extend(missing.drain(..).rev()),
            }
        }
        Ok(self.done[&self.key(root, context)])
    }

    fn key(&self, node: NodeId, context: Context) -> (NodeId, Context) {
        (node, if self.ast.info(node).edges { context } else { Context::UNKNOWN })
    }

    /// A child that was lowered before, or a leaf; otherwise it is noted as missing.
    fn child(&mut self, node: NodeId, context: Context, missing: &mut Vec<(NodeId, Context)>) -> ExprId {
        if let Some(leaf) = self.leaf(node, context) {
            return leaf;
        }
        match self.done.get(&self.key(node, context)) {
            Some(&expr) => expr,
            None => {
                missing.push((node, context));
                self.arena.never()
            }
        }
    }

    /// Lowers one node from its children, unless some of them are missing.
    fn build(
        &mut self,
        node: NodeId,
        context: Context,
        missing: &mut Vec<(NodeId, Context)>,
    ) -> Result<Option<ExprId>, Error> {
        let expr = match self.ast.node(node) {
            Node::Concat { .. } => self.concat(node, context, missing)?,
            Node::Alt { .. } => {
                let branches = self.branches(node);
                let mut parts = Vec::with_capacity(branches.len());
                for branch in branches {
                    self.budget.tick()?;
                    parts.push(self.child(branch, context, missing));
                }
                if missing.is_empty() { self.arena.alt(&parts) } else { self.arena.never() }
            }
            Node::Repeat { node, min, max } => self.repeat(node, min, max, context, missing),
            Node::Look { node, behind, negated } => self.look(node, behind, negated, context, missing),
            _ => self.leaf(node, context).unwrap_or_else(|| self.arena.never()),
        };
        Ok(missing.is_empty().then_some(expr))
    }

    /// The alternatives of a node, those of alternatives included, in order.
    pub(super) fn branches(&self, node: NodeId) -> Vec<NodeId> {
        self.flatten(node, |node| match node {
            Node::Alt { start, len } => Some((start, len)),
            _ => None,
        })
    }

    fn flatten(&self, node: NodeId, list: impl Fn(Node) -> Option<(u32, u32)>) -> Vec<NodeId> {
        let (mut todo, mut out) = (vec![node], Vec::new());
        while let Some(node) = todo.pop() {
            match list(self.ast.node(node)) {
                Some((start, len)) => todo.extend(self.ast.list(start, len).iter().rev()),
                None => out.push(node),
            }
        }
        out
    }

    fn concat(
        &mut self,
        node: NodeId,
        context: Context,
        missing: &mut Vec<(NodeId, Context)>,
    ) -> Result<ExprId, Error> {
        let items = self.flatten(node, |node| match node {
            Node::Concat { start, len } => Some((start, len)),
            _ => None,
        });
        // What is known at the end of each item, from the back; then at the start, from the front.
        let mut ends = vec![context.end; items.len()];
        for i in (1..items.len()).rev() {
            ends[i - 1] = after(ends[i], self.ast.info(items[i]).width);
        }
        let mut start = context.start;
        let mut parts = Vec::with_capacity(items.len());
        let mut text = Vec::new();
        for (i, &item) in items.iter().enumerate() {
            self.budget.tick()?;
            if let Node::Literal { start, end } = self.ast.node(item) {
                text.extend_from_slice(&self.ast.bytes[start as usize..end as usize]);
            } else {
                if !text.is_empty() {
                    parts.push(self.arena.literal(&text));
                    text.clear();
                }
                let here = Context::new(start, ends[i]);
                parts.push(match self.ast.node(item) {
                    Node::Word { kind, word } => {
                        let behind = self.word_beside(items[..i].iter().rev(), true, word);
                        let ahead = self.word_beside(items[i + 1..].iter(), false, word);
                        self.boundary(kind, word, here, behind, ahead)
                    }
                    _ => self.child(item, here, missing),
                });
            }
            start = after(start, self.ast.info(item).width);
        }
        if !text.is_empty() {
            parts.push(self.arena.literal(&text));
        }
        if !missing.is_empty() {
            return Ok(self.arena.never());
        }
        self.absorb(&mut parts);
        let parts = self.join_rounds(parts);
        Ok(self.arena.concat(&parts))
    }

    /// The same characters one behind the other are so many rounds of them: `\d\d\d*` is `\d{2,}`.
    fn join_rounds(&mut self, parts: Vec<ExprId>) -> Vec<ExprId> {
        let mut joined: Vec<ExprId> = Vec::with_capacity(parts.len());
        for part in parts {
            let both = joined.last().and_then(|&last| Some((self.rounds(last)?, self.rounds(part)?)));
            if let Some(((body, min, max), (next, least, most))) = both
                && body == next
                && let Some(min) = min.checked_add(least)
                && let Some(max) = add_bounds(max, most)
            {
                joined.pop();
                joined.push(self.arena.repeat(body, min, max));
            } else {
                joined.push(part);
            }
        }
        joined
    }

    /// Characters, and how often they are repeated.
    fn rounds(&self, expr: ExprId) -> Option<(ExprId, u32, Option<u32>)> {
        let is_chars = |expr| matches!(self.arena.get(expr), Expr::Chars(_));
        match self.arena.get(expr) {
            Expr::Repeat { expr: body, min, max } if is_chars(body) => Some((body, min, max)),
            _ => is_chars(expr).then_some((expr, 1, Some(1))),
        }
    }

    /// Beside any number of characters, others of the same kind need be no more than the fewest: `\d+.*` is `\d.*`.
    fn absorb(&mut self, parts: &mut [ExprId]) {
        for i in 1..parts.len() {
            for (few, many) in [(i - 1, i), (i, i - 1)] {
                let Expr::Repeat { expr: body, min, max: None } = self.arena.get(parts[few]) else {
                    continue;
                };
                let Expr::Repeat { expr: other, min: 0, max: None } = self.arena.get(parts[many]) else {
                    continue;
                };
                if let (Expr::Chars(some), Expr::Chars(more)) = (self.arena.get(body), self.arena.get(other))
                    && self.arena.char_set(some).minus(self.arena.char_set(more)).is_empty()
                {
                    parts[few] = self.arena.repeat(body, min, Some(min));
                    break;
                }
            }
        }
    }

    /// Whether the character that the nearest of `items` begins with (or ends with, `at_end`) is a word
    /// character, where that is plain to see.
    fn word_beside<'n>(
        &self,
        mut items: impl Iterator<Item = &'n NodeId>,
        at_end: bool,
        word: SetId,
    ) -> Option<bool> {
        let mut node = *items.find(|&&n| self.ast.info(n).width != Width::Zero)?;
        while let Node::Repeat { node: inner, min: 1.., .. } = self.ast.node(node) {
            node = inner;
        }
        let word = self.ast.set(word);
        let set = match self.ast.node(node) {
            Node::Set(set) if self.ast.set(set).bytes == word.bytes => self.ast.set(set).chars.clone(),
            Node::Literal { start, end } => {
                let text = std::str::from_utf8(&self.ast.bytes[start as usize..end as usize]).ok()?;
                let c = if at_end { text.chars().next_back() } else { text.chars().next() }?;
                // In byte mode only the bytes of a character count, none of which is one of a word.
                return Some(word.chars.contains(c) && (c.is_ascii() || !word.bytes));
            }
            _ => return None,
        };
        let common = set.intersect(&word.chars);
        if common.is_empty() { Some(false) } else { (common == set).then_some(true) }
    }

    fn repeat(
        &mut self,
        node: NodeId,
        min: u32,
        max: Option<u32>,
        context: Context,
        missing: &mut Vec<(NodeId, Context)>,
    ) -> ExprId {
        let info = self.ast.info(node);
        if !info.edges || max == Some(1) {
            let body = self.child(node, context, missing);
            return self.arena.repeat(body, min, max);
        }
        if info.width != Width::Some {
            // A round may be empty, so where the others start is not known.
            let inner = |edge| if edge == Edge::No { Edge::No } else { Edge::Unknown };
            let body = self.child(node, Context::new(inner(context.start), inner(context.end)), missing);
            return self.arena.repeat(body, min, max);
        }
        // Every round takes text, so just the first can start at the start and just the last end at the end.
        let only = self.child(node, context, missing);
        let first = self.child(node, Context::new(context.start, Edge::No), missing);
        let middle = self.child(node, Context::new(Edge::No, Edge::No), missing);
        let last = self.child(node, Context::new(Edge::No, context.end), missing);
        let less = |n: u32| (min.max(n) - n, max.map(|max| max - n));
        let some = if only == first && first == middle && middle == last {
            return self.arena.repeat(only, min, max);
        } else if only == first && middle == last {
            let (least, most) = less(1);
            let more = self.arena.repeat(middle, least, most);
            self.arena.concat(&[first, more])
        } else if only == last && first == middle {
            let (least, most) = less(1);
            let more = self.arena.repeat(middle, least, most);
            self.arena.concat(&[more, last])
        } else {
            let (least, most) = less(2);
            let more = self.arena.repeat(middle, least, most);
            let several = self.arena.concat(&[first, more, last]);
            if min <= 1 { self.arena.alt(&[only, several]) } else { several }
        };
        if min == 0 { self.arena.optional(some) } else { some }
    }

    fn look(
        &mut self,
        node: NodeId,
        behind: bool,
        negated: bool,
        context: Context,
        missing: &mut Vec<(NodeId, Context)>,
    ) -> ExprId {
        let width = self.ast.info(node).width;
        let at_edge = if behind { context.start } else { context.end } == Edge::Yes;
        let mut inner = context;
        if width != Width::Zero {
            *(if behind { &mut inner.start } else { &mut inner.end }) = Edge::Unknown;
        }
        let body = if width == Width::Some && at_edge {
            self.arena.never()
        } else {
            self.child(node, inner, missing)
        };
        self.arena.look(body, behind, negated)
    }

    /// Lowers a node without children.
    fn leaf(&mut self, node: NodeId, context: Context) -> Option<ExprId> {
        let (newline, return_) = (CharSet::single('\n'), CharSet::single('\r'));
        Some(match self.ast.node(node) {
            Node::Empty => self.arena.empty(),
            Node::Literal { start, end } => self.arena.literal(&self.ast.bytes[start as usize..end as usize]),
            Node::Set(set) => self.set(set),
            Node::TextStart => self.edge(context.start, true),
            Node::TextEnd => self.edge(context.end, false),
            Node::LineStart(_) if context.start == Edge::Yes => self.arena.empty(),
            Node::LineEnd(_) if context.end == Edge::Yes => self.arena.empty(),
            Node::LineStart(lines @ (Lines::Lf | Lines::Ecma)) => self.line_edge(lines, true),
            Node::LineEnd(lines @ (Lines::Lf | Lines::Ecma)) => self.line_edge(lines, false),
            Node::LineStart(Lines::Crlf) => {
                let edge = self.edge(context.start, true);
                let after_newline = self.look_at(&newline, true, false);
                let (after_return, no_newline) =
                    (self.look_at(&return_, true, false), self.look_at(&newline, false, true));
                let after_return = self.arena.concat(&[after_return, no_newline]);
                self.arena.alt(&[edge, after_newline, after_return])
            }
            Node::LineEnd(Lines::Crlf) => {
                let edge = self.edge(context.end, false);
                let before_return = self.look_at(&return_, false, false);
                let (no_return, before_newline) =
                    (self.look_at(&return_, true, true), self.look_at(&newline, false, false));
                let before_newline = self.arena.concat(&[no_return, before_newline]);
                self.arena.alt(&[edge, before_return, before_newline])
            }
            Node::Word { kind, word } => self.boundary(kind, word, context, None, None),
            Node::Concat { .. } | Node::Alt { .. } | Node::Repeat { .. } | Node::Look { .. } => return None,
        })
    }

    fn set(&mut self, set: SetId) -> ExprId {
        let set = self.ast.set(set);
        if set.bytes { self.arena.byte(set.byte_set()) } else { self.arena.chars(&set.chars) }
    }

    fn look_at(&mut self, set: &CharSet, behind: bool, negated: bool) -> ExprId {
        let one = self.arena.chars(set);
        self.arena.look(one, behind, negated)
    }

    /// `^` or `$` of the whole text.
    fn edge(&mut self, edge: Edge, behind: bool) -> ExprId {
        match edge {
            Edge::Yes => self.arena.empty(),
            Edge::No => self.arena.never(),
            Edge::Unknown => self.look_at(&CharSet::all(), behind, true),
        }
    }

    /// `^` or `$` of a line: no character of the same line is there.
    fn line_edge(&mut self, lines: Lines, behind: bool) -> ExprId {
        let ends = match lines {
            Lines::Ecma => CharSet::from_ranges(tables::ECMA_LINES.iter().copied()),
            _ => CharSet::single('\n'),
        };
        self.look_at(&ends.complement(), behind, true)
    }

    /// An assertion about words; `behind` and `ahead` say whether word characters are beside it, if known.
    fn boundary(
        &mut self,
        kind: Boundary,
        word: SetId,
        context: Context,
        behind: Option<bool>,
        ahead: Option<bool>,
    ) -> ExprId {
        let word = self.set(word);
        let behind = if context.start == Edge::Yes { Some(false) } else { behind };
        let ahead = if context.end == Edge::Yes { Some(false) } else { ahead };
        let mut look = |known: Option<bool>, is_behind, negated| match known {
            Some(known) if known != negated => self.arena.empty(),
            Some(_) => self.arena.never(),
            None => self.arena.look(word, is_behind, negated),
        };
        let (yes_behind, no_behind) = (look(behind, true, false), look(behind, true, true));
        let (yes_ahead, no_ahead) = (look(ahead, false, false), look(ahead, false, true));
        let arena = &mut *self.arena;
        match kind {
            Boundary::Start => arena.concat(&[no_behind, yes_ahead]),
            Boundary::End => arena.concat(&[yes_behind, no_ahead]),
            Boundary::StartHalf => no_behind,
            Boundary::EndHalf => no_ahead,
            Boundary::Any => {
                let (start, end) =
                    (arena.concat(&[no_behind, yes_ahead]), arena.concat(&[yes_behind, no_ahead]));
                arena.alt(&[start, end])
            }
            Boundary::None => {
                let (inside, outside) =
                    (arena.concat(&[yes_behind, yes_ahead]), arena.concat(&[no_behind, no_ahead]));
                arena.alt(&[inside, outside])
            }
        }
    }
}

/// The sum of two bounds, if it is small enough: none is no bound.
fn add_bounds(one: Option<u32>, other: Option<u32>) -> Option<Option<u32>> {
    match (one, other) {
        (Some(one), Some(other)) => one.checked_add(other).map(Some),
        _ => Some(None),
    }
}

/// What is known beyond an item of some width, from what is known before it.
fn after(edge: Edge, width: Width) -> Edge {
    match (edge, width) {
        (_, Width::Some) | (Edge::No, _) => Edge::No,
        (_, Width::Zero) => edge,
        (_, Width::Maybe) => Edge::Unknown,
    }
}
