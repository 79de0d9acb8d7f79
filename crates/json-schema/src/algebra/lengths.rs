//! How long the strings of a set are, and sets of strings that are held to a length.

use crate::tuning::algebra::{HELD, HELD_ROUNDS};
use rustc_hash::FxHashMap;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, CharSet, Expr};

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
        let mut known = FxHashMap::default();
        let has = Lengths(vec![lengths(arena, expr, &mut known)]);
        let left = self.intersect(&has);
        if left.0.is_empty() {
            return arena.never();
        }
        let counted: Option<Vec<ExprId>> =
            left.0.iter().map(|&range| counted(arena, expr, range, &mut known)).collect();
        if let Some(parts) = counted {
            return arena.alt(&parts);
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

    fn has(self, length: u32) -> bool {
        length >= self.min && self.max.is_none_or(|max| length <= max)
    }

    /// How many there may be beside others, if that is possible at all.
    fn beside(self, others: Range) -> Option<Range> {
        let max = match self.max {
            Some(max) => Some(max.checked_sub(others.min)?),
            None => None,
        };
        Some(Range { min: others.max.map_or(0, |others| self.min.saturating_sub(others)), max })
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

/// Those texts of an expression that have so many characters, if to find them is no more than to count the rounds of a
/// loop in each alternative.
fn counted(
    arena: &mut Arena,
    expr: ExprId,
    range: Range,
    known: &mut FxHashMap<ExprId, Range>,
) -> Option<ExprId> {
    let parts: Vec<ExprId> = match arena.get(expr) {
        Expr::Alt(list) => arena.list(list).to_vec(),
        _ => vec![expr],
    };
    if parts.len() > HELD {
        return None;
    }
    let mut found = Vec::new();
    for part in parts {
        counted_sequence(arena, part, range, known, &mut found)?;
    }
    Some(arena.alt(&found))
}

/// The same for a sequence in which all parts that have texts of different lengths are numbers of characters: if there are
/// several, each way to divide the characters among them is an alternative.
fn counted_sequence(
    arena: &mut Arena,
    expr: ExprId,
    range: Range,
    known: &mut FxHashMap<ExprId, Range>,
    found: &mut Vec<ExprId>,
) -> Option<()> {
    if found.len() == HELD {
        return None;
    }
    let mut parts: Vec<ExprId> = match arena.get(expr) {
        Expr::Concat(list) => arena.list(list).to_vec(),
        _ => vec![expr],
    };
    let (mut others, mut varying) = (Range::EMPTY, None);
    for (at, &part) in parts.iter().enumerate() {
        let length = lengths(arena, part, known);
        if length.max == Some(length.min) || varying.is_some() {
            others = others.then(length);
        } else {
            varying = Some(at);
        }
    }
    let Some(at) = varying else {
        found.extend(range.has(others.min).then_some(expr));
        return Some(());
    };
    let Expr::Repeat { expr: body, min, max } = arena.get(parts[at]) else { return None };
    if !matches!(arena.get(body), Expr::Chars(_)) {
        return None;
    }
    let Some(rounds) = range.beside(others).map(|left| left.and(Range { min, max })) else { return Some(()) };
    if rounds.max.is_some_and(|max| max < rounds.min) {
        return Some(());
    }
    if others.max == Some(others.min) {
        parts[at] = arena.repeat(body, rounds.min, rounds.max);
        found.push(arena.concat(&parts));
        return Some(());
    }
    // Each of them is at least one alternative.
    let most = rounds.max.filter(|max| max - rounds.min < HELD_ROUNDS)?;
    for round in rounds.min..=most {
        parts[at] = arena.repeat(body, round, Some(round));
        let one = arena.concat(&parts);
        counted_sequence(arena, one, range, known, found)?;
    }
    Some(())
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
        Expr::Never
        | Expr::Bytes(_)
        | Expr::Rule(_)
        | Expr::Not(_)
        | Expr::Members(_)
        | Expr::Machine(_)
        | Expr::Tokens(_) => Range::ANY,
    };
    known.insert(expr, found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_characters_are_counted() {
        let mut arena = Arena::new(1 << 10);
        let digit = arena.chars(&CharSet::of("0123456789"));
        let (tag, digits, some) = (arena.literal(b"ab"), arena.star(digit), arena.repeat(digit, 1, Some(9)));
        let within =
            |arena: &mut Arena, expr, min, max| Lengths(vec![Range { min, max }]).within(expr, arena);
        for (expr, min, max, rounds) in [
            (digits, 0, Some(4), Some((0, Some(4)))),
            (digits, 3, None, Some((3, None))),
            (some, 0, Some(4), Some((1, Some(4)))),
            (some, 4, Some(20), Some((4, Some(9)))),
            (some, 10, None, None),
        ] {
            let expected = rounds.map_or(arena.never(), |(min, max)| arena.repeat(digit, min, max));
            assert_eq!(within(&mut arena, expr, min, max), expected);
            // With two characters before, as many fewer.
            let longer = arena.concat(&[tag, expr]);
            let expected = arena.concat(&[tag, expected]);
            assert_eq!(within(&mut arena, longer, min + 2, max.map(|max| max + 2)), expected);
        }
        let either = arena.alt(&[tag, digits]);
        let (three, four) = (arena.repeat(digit, 3, Some(3)), arena.repeat(digit, 2, Some(4)));
        let expected = arena.alt(&[tag, four]);
        assert_eq!(within(&mut arena, either, 3, Some(3)), three);
        assert_eq!(within(&mut arena, either, 2, Some(4)), expected);
        // Two loops share their characters in several ways, if not in too many.
        let two = arena.concat(&[digits, tag, digits]);
        assert_eq!(within(&mut arena, two, 0, Some(2)), tag);
        let ways = [(0, 1, 2), (1, 0, 1), (2, 0, 0)].map(|(before, min, max)| {
            let parts = [arena.repeat(digit, before, Some(before)), tag, arena.repeat(digit, min, Some(max))];
            arena.concat(&parts)
        });
        let expected = arena.alt(&ways);
        assert_eq!(within(&mut arena, two, 3, Some(4)), expected);
        assert!(matches!(within(&mut arena, two, 0, Some(9)), id if matches!(arena.get(id), Expr::And(_))));
    }
}
