//! How long the strings of a set are, and sets of strings that are held to a length.

use rustc_hash::FxHashMap;

use crate::ids::ExprId;
use crate::ir::{Arena, CharSet, Expr};

/// Numbers of characters, as ranges that neither overlap nor touch, in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lengths(Vec<Range>);

/// From the least to the greatest, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    min: u32,
    max: Option<u32>,
}

impl Lengths {
    /// The lengths of which an expression is all strings, if it is just that.
    pub(super) fn all_of(arena: &Arena, expr: ExprId) -> Option<Lengths> {
        let any = CharSet::all();
        let is_any = |id: ExprId| matches!(arena.get(id), Expr::Chars(set) if *arena.char_set(set) == any);
        match arena.get(expr) {
            Expr::Empty => Some(Lengths(vec![Range::EMPTY])),
            Expr::Repeat { expr, min, max } if is_any(expr) => Some(Lengths(vec![Range { min, max }])),
            Expr::Repeat { expr, min: 0, max: Some(1) } => {
                let some = Lengths::all_of(arena, expr)?;
                Some(some.union(&Lengths(vec![Range::EMPTY])))
            }
            Expr::Alt(list) => {
                let parts = arena.list(list).iter();
                parts.map(|&part| Lengths::all_of(arena, part)).reduce(|a, b| Some(a?.union(&b?)))?
            }
            _ if is_any(expr) => Some(Lengths(vec![Range::ONE])),
            _ => None,
        }
    }

    /// All strings of these lengths.
    pub(super) fn expr(&self, arena: &mut Arena) -> ExprId {
        let parts: Vec<ExprId> = self.0.iter().map(|range| range.expr(arena)).collect();
        arena.alt(&parts)
    }

    /// All other lengths. A string longer than can be counted is none.
    pub(super) fn complement(&self) -> Lengths {
        let mut others = Vec::new();
        let mut next = Some(0);
        for range in &self.0 {
            if let Some(start) = next.filter(|&start| start < range.min) {
                others.push(Range { min: start, max: Some(range.min - 1) });
            }
            next = range.max.and_then(|max| max.checked_add(1));
        }
        others.extend(next.map(|min| Range { min, max: None }));
        Lengths(others)
    }

    pub(super) fn union(&self, other: &Lengths) -> Lengths {
        let mut ranges: Vec<Range> = self.0.iter().chain(&other.0).copied().collect();
        ranges.sort_by_key(|range| range.min);
        ranges.dedup_by(|next, kept| {
            let touch = kept.max.is_none_or(|max| next.min <= max.saturating_add(1));
            if touch {
                kept.max = kept.max.zip(next.max).map(|(a, b)| a.max(b));
            }
            touch
        });
        Lengths(ranges)
    }

    pub(super) fn intersect(&self, other: &Lengths) -> Lengths {
        self.complement().union(&other.complement()).complement()
    }

    /// Those texts of an expression that have one of these lengths.
    ///
    /// Bounds that all of its texts keep are left out. The others are written as "not shorter" and "not longer": of the
    /// one nothing is left once it is reached, of the other nothing can be seen until it is near, so that most places
    /// are places of the expression alone.
    pub(super) fn within(&self, expr: ExprId, arena: &mut Arena) -> ExprId {
        let has = lengths(arena, expr, &mut FxHashMap::default());
        let has = Lengths(vec![has]);
        if self.intersect(&has).0.is_empty() {
            return arena.never();
        }
        let mut parts = vec![expr];
        for range in self.complement().0 {
            let concerned = has.intersect(&Lengths(vec![range])).0;
            if !concerned.is_empty() {
                let excluded = range.expr(arena);
                parts.push(arena.not(excluded));
            }
        }
        arena.and(&parts)
    }
}

impl Range {
    const ANY: Range = Range { min: 0, max: None };
    const EMPTY: Range = Range { min: 0, max: Some(0) };
    const ONE: Range = Range { min: 1, max: Some(1) };

    fn expr(self, arena: &mut Arena) -> ExprId {
        let any = arena.chars(&CharSet::all());
        arena.repeat(any, self.min, self.max)
    }

    fn then(self, other: Range) -> Range {
        let max = self.max.zip(other.max).and_then(|(a, b)| a.checked_add(b));
        Range { min: self.min.saturating_add(other.min), max }
    }

    fn or(self, other: Range) -> Range {
        Range { min: self.min.min(other.min), max: self.max.zip(other.max).map(|(a, b)| a.max(b)) }
    }

    fn and(self, other: Range) -> Range {
        Range { min: self.min.max(other.min), max: self.max.into_iter().chain(other.max).min() }
    }

    fn times(self, min: u32, max: Option<u32>) -> Range {
        let most =
            if self.max == Some(0) { Some(0) } else { self.max.zip(max).and_then(|(a, b)| a.checked_mul(b)) };
        Range { min: self.min.saturating_mul(min), max: most }
    }
}

/// Between which lengths all texts of an expression are; it need not have texts of both.
fn lengths(arena: &Arena, expr: ExprId, known: &mut FxHashMap<ExprId, Range>) -> Range {
    if let Some(&found) = known.get(&expr) {
        return found;
    }
    let found = match arena.get(expr) {
        Expr::Empty | Expr::Look { .. } => Range::EMPTY,
        Expr::Chars(_) => Range::ONE,
        Expr::Literal(literal) => {
            let starts = arena.literal_bytes(literal).iter().filter(|&&byte| byte & 0xC0 != 0x80);
            let count = starts.count() as u32;
            Range { min: count, max: Some(count) }
        }
        Expr::Concat(list) => {
            let parts = arena.list(list).iter();
            parts.fold(Range::EMPTY, |sum, &part| sum.then(lengths(arena, part, known)))
        }
        Expr::Alt(list) => {
            let parts = arena.list(list).iter().map(|&part| lengths(arena, part, known));
            parts.reduce(Range::or).unwrap_or(Range::ANY)
        }
        Expr::And(list) => {
            let parts = arena.list(list).iter();
            parts.fold(Range::ANY, |both, &part| both.and(lengths(arena, part, known)))
        }
        Expr::Repeat { expr, min, max } => lengths(arena, expr, known).times(min, max),
        Expr::Region(inner) => lengths(arena, inner, known),
        Expr::Never | Expr::Bytes(_) | Expr::Rule(_) | Expr::Not(_) | Expr::Members(_) | Expr::Machine(_) => {
            Range::ANY
        }
    };
    known.insert(expr, found);
    found
}
