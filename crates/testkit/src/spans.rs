//! Membership in a regular expression of the IR, read straight off the definition: does this expression match
//! the text from `i` to `j`, inside the region from `lo` to `hi`?
//!
//! It shares nothing with [`boolean`](crate::boolean), which it checks, and does not even use the UTF-8
//! automata of the grammar crate. Cubic or worse: for short texts only.

use rustc_hash::{FxHashMap, FxHashSet};
use tokenstile_grammar::ir::{Arena, Expr};
use tokenstile_grammar::{ExprId, Grammar};

/// Whether `expr` matches the whole of `text`. Assertions outside any region see the whole of `text`.
///
/// # Panics
/// If `expr` is not regular.
pub fn matches(grammar: &Grammar, expr: ExprId, text: &[u8]) -> bool {
    let mut spans = Spans { arena: grammar.arena(), text, known: FxHashMap::default() };
    spans.matches(expr, Span { from: 0, to: text.len() }, Span { from: 0, to: text.len() })
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Span {
    from: usize,
    to: usize,
}

struct Spans<'a> {
    arena: &'a Arena,
    text: &'a [u8],
    known: FxHashMap<(ExprId, Span, Span), bool>,
}

impl Spans<'_> {
    fn matches(&mut self, id: ExprId, span: Span, region: Span) -> bool {
        if let Some(&known) = self.known.get(&(id, span, region)) {
            return known;
        }
        let result = self.decide(id, span, region);
        self.known.insert((id, span, region), result);
        result
    }

    fn decide(&mut self, id: ExprId, span: Span, region: Span) -> bool {
        let arena = self.arena;
        let text = &self.text[span.from..span.to];
        match arena.get(id) {
            Expr::Never => false,
            Expr::Empty => text.is_empty(),
            Expr::Bytes(set) => matches!(*text, [byte] if arena.byte_set(set).contains(byte)),
            Expr::Chars(set) => {
                let mut chars = std::str::from_utf8(text).unwrap_or_default().chars();
                matches!((chars.next(), chars.next()), (Some(c), None) if arena.char_set(set).contains(c))
            }
            Expr::Literal(literal) => text == arena.literal_bytes(literal),
            Expr::Concat(list) => self.rounds(arena.list(list), span, region).contains(&span.to),
            Expr::Alt(list) => arena.list(list).iter().any(|&part| self.matches(part, span, region)),
            Expr::And(list) => arena.list(list).iter().all(|&part| self.matches(part, span, region)),
            Expr::Not(inner) => !self.matches(inner, span, region),
            Expr::Repeat { expr, min, max } => self.repeats(expr, min, max, span, region),
            Expr::Look { expr, behind, negated } => {
                let here = span.from;
                text.is_empty() && negated != self.looks(expr, behind, here, region)
            }
            Expr::Region(inner) => self.matches(inner, span, span),
            Expr::Members(_) | Expr::Machine(_) | Expr::Tokens(_) => {
                panic!("members, a machine or tokens below a boolean")
            }
            Expr::Rule(_) => panic!("a rule is called in an expression that should be regular"),
        }
    }

    /// Where the parts, one after the other, may end.
    fn rounds(&mut self, parts: &[ExprId], span: Span, region: Span) -> FxHashSet<usize> {
        let mut ends = FxHashSet::from_iter([span.from]);
        for &part in parts {
            ends = self.after(part, &ends, span.to, region);
        }
        ends
    }

    /// Where a match of `expr` that starts at one of `starts` may end.
    fn after(
        &mut self,
        expr: ExprId,
        starts: &FxHashSet<usize>,
        end: usize,
        region: Span,
    ) -> FxHashSet<usize> {
        let mut ends = FxHashSet::default();
        for &from in starts {
            ends.extend((from..=end).filter(|&to| self.matches(expr, Span { from, to }, region)));
        }
        ends
    }

    fn repeats(&mut self, expr: ExprId, min: u32, max: Option<u32>, span: Span, region: Span) -> bool {
        // Rounds past `min` that match nothing can be left out, so no more than this many are of use.
        let enough = min.saturating_add((span.to - span.from) as u32);
        let mut ends = FxHashSet::from_iter([span.from]);
        for round in 0..=max.unwrap_or(enough).min(enough) {
            if round >= min && ends.contains(&span.to) {
                return true;
            }
            if ends.is_empty() {
                return false;
            }
            ends = self.after(expr, &ends, span.to, region);
        }
        false
    }

    fn looks(&mut self, expr: ExprId, behind: bool, here: usize, region: Span) -> bool {
        if behind {
            (region.from..=here).any(|from| self.matches(expr, Span { from, to: here }, region))
        } else {
            (here..=region.to).any(|to| self.matches(expr, Span { from: here, to }, region))
        }
    }
}
