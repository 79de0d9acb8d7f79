//! Search semantics: any text, the pattern, any text, with the pattern's anchors honoured.
//!
//! A match starts at the start of the text or after some of it, and ends likewise, so it is lowered for each
//! of the four cases, which for most patterns are all the same or mostly impossible. Beside "any text",
//! what is optional can be left out: `[a-z]+` occurs just where `[a-z]` does.

use super::ast::NodeId;
use super::lower::{Context, Edge, Lowering, has_look};
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::{CharSet, Expr};

/// Alternatives that want the same text around them.
#[derive(Default)]
struct Groups {
    anywhere: Vec<ExprId>,
    at_start: Vec<ExprId>,
    at_end: Vec<ExprId>,
    whole: Vec<ExprId>,
    /// At the start with text after it, at the end with text before it, with text on both sides.
    rest: [Vec<ExprId>; 3],
}

impl Lowering<'_> {
    pub(super) fn search(&mut self, root: NodeId) -> Result<ExprId, Error> {
        let never = self.arena.never();
        let mut groups = Groups::default();
        let branches = if self.ast.info(root).edges { self.branches(root) } else { vec![root] };
        for branch in branches {
            let mut at = |start, end| self.node(branch, Context::new(start, end));
            let whole = at(Edge::Yes, Edge::Yes)?;
            let start = at(Edge::Yes, Edge::No)?;
            let end = at(Edge::No, Edge::Yes)?;
            let inside = at(Edge::No, Edge::No)?;
            if whole == start && start == end && end == inside {
                groups.anywhere.push(whole);
            } else if whole == start && end == never && inside == never {
                groups.at_start.push(whole);
            } else if whole == end && start == never && inside == never {
                groups.at_end.push(whole);
            } else if end == never && inside == never && has_look(self.arena, start) {
                // An assertion is needed anyway: let it see to the end too.
                groups.at_start.push(self.node(branch, Context::new(Edge::Yes, Edge::Unknown))?);
            } else if start == never && inside == never && has_look(self.arena, end) {
                groups.at_end.push(self.node(branch, Context::new(Edge::Unknown, Edge::Yes))?);
            } else if has_look(self.arena, inside) {
                groups.anywhere.push(self.node(branch, Context::new(Edge::Unknown, Edge::Unknown))?);
            } else {
                groups.whole.push(whole);
                groups.rest[0].push(start);
                groups.rest[1].push(end);
                groups.rest[2].push(inside);
            }
        }
        let any = self.arena.chars(&CharSet::all());
        let (text, some) = (self.arena.star(any), self.arena.repeat(any, 1, None));
        let Groups { anywhere, at_start, at_end, mut whole, rest } = groups;
        for (group, before, after) in [(anywhere, true, true), (at_start, false, true), (at_end, true, false)]
        {
            let group = self.arena.alt(&group);
            let core = self.trim(group, before, after);
            let parts = [if before { text } else { self.arena.empty() }, core];
            let joined = self.arena.concat(&parts);
            whole.push(if after && joined != text { self.arena.concat(&[joined, text]) } else { joined });
        }
        let sides = [(false, true), (true, false), (true, true)];
        for (group, (before, after)) in rest.into_iter().zip(sides) {
            let group = self.arena.alt(&group);
            let empty = self.arena.empty();
            let parts = [if before { some } else { empty }, group, if after { some } else { empty }];
            whole.push(self.arena.concat(&parts));
        }
        Ok(self.arena.alt(&whole))
    }

    /// Leaves out what is optional at the sides that have any text beside them.
    fn trim(&mut self, expr: ExprId, before: bool, after: bool) -> ExprId {
        // Any text is UTF-8; optional bytes that are not would be lost.
        if self.ast.has_bytes() {
            return expr;
        }
        let mut parts = std::collections::VecDeque::from([expr]);
        for front in [before.then_some(true), after.then_some(false)].into_iter().flatten() {
            while let Some(part) = if front { parts.pop_front() } else { parts.pop_back() } {
                if self.is_optional(part, 0) {
                    continue;
                }
                let mut put = |part| if front { parts.push_front(part) } else { parts.push_back(part) };
                match self.arena.get(part) {
                    Expr::Concat(list) if front => {
                        self.arena.list(list).iter().rev().for_each(|&part| put(part));
                    }
                    Expr::Concat(list) => self.arena.list(list).iter().for_each(|&part| put(part)),
                    Expr::Repeat { expr, min: 1, .. } => put(expr),
                    Expr::Repeat { expr, min, .. } => {
                        let least = self.arena.repeat(expr, min, Some(min));
                        put(least);
                        break;
                    }
                    _ => {
                        put(part);
                        break;
                    }
                }
            }
        }
        self.arena.concat(parts.make_contiguous())
    }

    /// Whether the empty text surely matches, wherever it stands; a few levels deep.
    fn is_optional(&self, expr: ExprId, depth: usize) -> bool {
        let inner = |e: &ExprId| depth < 8 && self.is_optional(*e, depth + 1);
        match self.arena.get(expr) {
            Expr::Empty | Expr::Repeat { min: 0, .. } => true,
            Expr::Repeat { expr, .. } => inner(&expr),
            Expr::Concat(list) => self.arena.list(list).iter().all(inner),
            Expr::Alt(list) => self.arena.list(list).iter().any(inner),
            _ => false,
        }
    }
}
