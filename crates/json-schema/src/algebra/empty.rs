//! Whether a regular expression over characters matches anything, and whether it never runs out of texts: found out by
//! derivatives within a bound.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use tokenstile_grammar::ir::{Arena, Expr};
use tokenstile_grammar::{CharSetId, ExprId};

use super::endless::is_endless;
use crate::tuning::empty::{CHARACTERS, DEPTH, EXPRESSIONS, FAR, STATES};

/// Whether `expr` surely matches nothing. `false` says that it matches something, or that it is not known.
pub(super) fn is_never(arena: &mut Arena, expr: ExprId) -> bool {
    if expr == arena.never() {
        return true;
    }
    if !has_boolean(arena, expr) {
        return false; // without intersection and complement, nothing is empty but `Never` itself
    }
    search(arena, expr).unwrap_or(false)
}

fn has_boolean(arena: &Arena, expr: ExprId) -> bool {
    let mut todo = vec![expr];
    let mut seen = FxHashSet::default();
    while let Some(id) = todo.pop() {
        if matches!(arena.get(id), Expr::And(_) | Expr::Not(_)) {
            return true;
        }
        if seen.insert(id) {
            todo.extend(arena.children(id));
        }
    }
    false
}

/// `None` if it takes too long to find out, or hangs on an assertion.
fn search(arena: &mut Arena, expr: ExprId) -> Option<bool> {
    let most = arena.len() + EXPRESSIONS;
    let mut seen = FxHashSet::from_iter([expr]);
    let mut todo = vec![expr];
    while let Some(state) = todo.pop() {
        if nullable(arena, state, 0)? {
            return Some(false);
        }
        for next in successors(arena, state, most)? {
            if seen.insert(next) {
                todo.push(next);
            }
        }
        if seen.len() > STATES {
            return None;
        }
    }
    Some(true)
}

/// A number of characters such that every beginning of a text that `expr` matches surely goes on to one of at least so
/// many; `u32::MAX` if it goes on to endlessly many. Looks at no more than `allowance` derivatives, and takes those off it.
pub(super) fn reach(arena: &mut Arena, expr: ExprId, allowance: &mut usize) -> u32 {
    Derivatives::of(arena, expr, allowance).map_or(0, |found| found.reach())
}

/// What an expression can become, by up to [`FAR`] characters.
struct Derivatives {
    /// How many characters it takes at least to come to each.
    depths: Vec<u32>,
    edges: Vec<Vec<usize>>,
    /// Whether a text may end there, or goes on further than was looked.
    ends: Vec<bool>,
    cut: bool,
}

impl Derivatives {
    fn of(arena: &mut Arena, expr: ExprId, allowance: &mut usize) -> Option<Self> {
        let most = arena.len() + EXPRESSIONS;
        let mut ids = FxHashMap::from_iter([(expr, 0)]);
        let mut states = vec![expr];
        let mut found = Derivatives { depths: vec![0], edges: Vec::new(), ends: Vec::new(), cut: false };
        while let Some(&state) = states.get(found.edges.len()) {
            if is_endless(arena, state) {
                found.edges.push(vec![found.edges.len()]);
                found.ends.push(true);
                continue;
            }
            *allowance = allowance.checked_sub(1)?;
            let depth = found.depths[found.edges.len()];
            // Without intersection and complement, some text surely goes on from here.
            if depth >= FAR && !has_boolean(arena, state) {
                found.cut = true;
                found.edges.push(Vec::new());
                found.ends.push(true);
                continue;
            }
            found.ends.push(nullable(arena, state, 0)?);
            let mut next = Vec::new();
            for to in successors(arena, state, most)? {
                next.push(*ids.entry(to).or_insert_with(|| {
                    states.push(to);
                    found.depths.push(depth + 1);
                    states.len() - 1
                }));
            }
            found.edges.push(next);
        }
        Some(found)
    }

    fn reach(&self) -> u32 {
        // The longest way from each to an end, as far as it matters; there is none from where nothing can end.
        let mut longest: Vec<Option<u32>> = self.ends.iter().map(|end| end.then_some(0)).collect();
        for _ in 0..FAR {
            for state in (0..longest.len()).rev() {
                let next = self.edges[state].iter().filter_map(|&to| longest[to]).max();
                longest[state] = longest[state].max(next.map(|next| (next + 1).min(FAR)));
            }
        }
        // The derivatives are finitely many: if none that is alive is left with an end only, there is no last one.
        let goes_on = |state: usize| self.edges[state].iter().any(|&to| longest[to].is_some());
        if !self.cut && (0..longest.len()).all(|state| longest[state].is_none() || goes_on(state)) {
            return u32::MAX;
        }
        let totals =
            longest.iter().zip(&self.depths).filter_map(|(longest, depth)| Some((*longest)? + depth));
        totals.min().unwrap_or(0).min(FAR)
    }
}

/// The derivatives of an expression by one character, but for [`Expr::Never`]; `None` once the arena has more than `most`
/// expressions.
fn successors(arena: &mut Arena, state: ExprId, most: usize) -> Option<Vec<ExprId>> {
    let mut next = Vec::new();
    for c in told_apart(arena, state)? {
        let to = derive(arena, state, c, 0)?;
        if to != arena.never() {
            next.push(to);
        }
        if arena.len() > most {
            return None;
        }
    }
    next.sort_unstable();
    next.dedup();
    (!arena.overflowed()).then_some(next)
}

/// A character for each way in which an expression may go on.
fn told_apart(arena: &Arena, state: ExprId) -> Option<Vec<char>> {
    let mut begins = Begins { edges: vec![0], sets: SmallVec::new(), chars: SmallVec::new() };
    begins.add(arena, state, 0)?;
    let Begins { mut edges, mut sets, chars } = begins;
    edges.sort_unstable();
    edges.dedup();
    if edges.len() > CHARACTERS {
        return None;
    }
    sets.sort_unstable();
    sets.dedup();
    let mut known: FxHashSet<SmallVec<[u64; 1]>> = FxHashSet::default();
    let is_new = |&c: &char| {
        let mut within: SmallVec<[u64; 1]> = smallvec![0; sets.len().div_ceil(64)];
        for (at, &set) in sets.iter().enumerate() {
            within[at / 64] |= u64::from(arena.char_set(set).contains(c)) << (at % 64);
        }
        chars.contains(&c) || known.insert(within)
    };
    Some(edges.into_iter().filter_map(char::from_u32).filter(is_new).collect())
}

fn nullable(arena: &Arena, id: ExprId, depth: usize) -> Option<bool> {
    if depth > DEPTH {
        return None;
    }
    Some(match arena.get(id) {
        Expr::Never | Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => false,
        Expr::Empty => true,
        Expr::Concat(list) | Expr::And(list) => {
            for &part in arena.list(list) {
                if !nullable(arena, part, depth + 1)? {
                    return Some(false);
                }
            }
            true
        }
        Expr::Alt(list) => {
            for &part in arena.list(list) {
                if nullable(arena, part, depth + 1)? {
                    return Some(true);
                }
            }
            false
        }
        Expr::Repeat { expr, min, .. } => min == 0 || nullable(arena, expr, depth + 1)?,
        Expr::Not(expr) => !nullable(arena, expr, depth + 1)?,
        Expr::Region(expr) => nullable(arena, expr, depth + 1)?,
        Expr::Look { .. } | Expr::Rule(_) | Expr::Members(_) | Expr::Machine(_) | Expr::Tokens(_) => {
            return None;
        }
    })
}

/// What the texts of an expression begin with.
struct Begins {
    /// The first characters of every run of characters that the expression does not tell apart.
    edges: Vec<u32>,
    sets: SmallVec<[CharSetId; 8]>,
    /// The first characters of literals.
    chars: SmallVec<[char; 8]>,
}

impl Begins {
    fn add(&mut self, arena: &Arena, id: ExprId, depth: usize) -> Option<()> {
        if depth > DEPTH || self.edges.len() > 16 * CHARACTERS {
            return None;
        }
        match arena.get(id) {
            Expr::Never | Expr::Empty => {}
            Expr::Chars(set) => {
                self.edges.extend(arena.char_set(set).ranges().iter().flat_map(|&(a, b)| [a, b + 1]));
                self.sets.push(set);
            }
            Expr::Literal(literal) => {
                let c = first_char(arena.literal_bytes(literal))?;
                self.edges.extend([c as u32, c as u32 + 1]);
                self.chars.push(c);
            }
            Expr::Concat(list) => {
                for &part in arena.list(list) {
                    self.add(arena, part, depth + 1)?;
                    if !nullable(arena, part, depth + 1)? {
                        break;
                    }
                }
            }
            Expr::Alt(list) | Expr::And(list) => {
                for &part in arena.list(list) {
                    self.add(arena, part, depth + 1)?;
                }
            }
            Expr::Repeat { expr, .. } | Expr::Not(expr) | Expr::Region(expr) => {
                self.add(arena, expr, depth + 1)?;
            }
            _ => return None,
        }
        Some(())
    }
}

fn first_char(bytes: &[u8]) -> Option<char> {
    std::str::from_utf8(bytes).ok()?.chars().next()
}

/// What may follow after `c`.
fn derive(arena: &mut Arena, id: ExprId, c: char, depth: usize) -> Option<ExprId> {
    if depth > DEPTH {
        return None;
    }
    Some(match arena.get(id) {
        Expr::Never | Expr::Empty => arena.never(),
        Expr::Chars(set) if arena.char_set(set).contains(c) => arena.empty(),
        Expr::Chars(_) => arena.never(),
        Expr::Literal(literal) => {
            let bytes = arena.literal_bytes(literal);
            match first_char(bytes)? {
                first if first == c => {
                    let rest = bytes[c.len_utf8()..].to_vec();
                    arena.literal(&rest)
                }
                _ => arena.never(),
            }
        }
        Expr::Concat(list) => {
            let parts: SmallVec<[ExprId; 16]> = SmallVec::from_slice(arena.list(list));
            let mut out: SmallVec<[ExprId; 16]> = SmallVec::new();
            for (i, &part) in parts.iter().enumerate() {
                let head = derive(arena, part, c, depth + 1)?;
                if head != arena.never() {
                    let mut sequence: SmallVec<[ExprId; 16]> = smallvec![head];
                    sequence.extend_from_slice(&parts[i + 1..]);
                    out.push(arena.concat(&sequence));
                }
                if !nullable(arena, part, depth + 1)? {
                    break;
                }
            }
            arena.alt(&out)
        }
        Expr::Alt(list) | Expr::And(list) => {
            let parts: SmallVec<[ExprId; 16]> = SmallVec::from_slice(arena.list(list));
            let mut out: SmallVec<[ExprId; 16]> = SmallVec::new();
            for part in parts {
                out.push(derive(arena, part, c, depth + 1)?);
            }
            if matches!(arena.get(id), Expr::Alt(_)) { arena.alt(&out) } else { arena.and(&out) }
        }
        Expr::Repeat { expr, min, max } => {
            let head = derive(arena, expr, c, depth + 1)?;
            let rest = arena.repeat(expr, min.saturating_sub(1), max.map(|max| max - 1));
            arena.concat(&[head, rest])
        }
        Expr::Not(expr) => {
            let inner = derive(arena, expr, c, depth + 1)?;
            arena.not(inner)
        }
        Expr::Region(expr) => derive(arena, expr, c, depth + 1)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use tokenstile_grammar::{Limits, RegexDialect, RegexOptions, RegexSemantics, regex_expr};

    use super::*;

    #[test]
    fn patterns_that_never_run_out() {
        let options =
            RegexOptions::default().with_dialect(RegexDialect::Ecma).with_semantics(RegexSemantics::Search);
        const ALWAYS: u32 = u32::MAX;
        // Of the pattern, and of its complement.
        let cases = [
            (".*", ALWAYS, ALWAYS), // of nothing, there is no beginning
            ("^[a-z_]+$", ALWAYS, ALWAYS),
            ("^[a-z]{1,20}$", 20, ALWAYS),
            ("^[a-z]{1,255}$", FAR, ALWAYS),
            ("^(?:a|b[0-9]*)$", 1, ALWAYS),
            ("^(?:a|b)[0-9]*$", ALWAYS, ALWAYS),
            ("^(?:ab{3}|c{2,9})d{0,7}$", 9, ALWAYS),
            ("_x$", ALWAYS, ALWAYS),
            ("^x-", ALWAYS, ALWAYS),
            ("\\w{1,16}", ALWAYS, ALWAYS),
            ("^[\\s\\S]{2}", ALWAYS, 1),
            ("^(?:cdn|Cdn)$", 3, ALWAYS),
            ("^b.*a$", ALWAYS, ALWAYS),
            ("^/(([^/]+/)*[^/]+)?$", ALWAYS, ALWAYS),
        ];
        for (pattern, expected, otherwise) in cases {
            let mut arena = Arena::new(1 << 20);
            let expr = regex_expr(pattern, &options, &mut arena, &Limits::default()).unwrap();
            assert_eq!(reach(&mut arena, expr, &mut 400), expected, "{pattern}");
            let not = arena.not(expr);
            assert_eq!(reach(&mut arena, not, &mut 400), otherwise, "not {pattern}");
            // Without looking at any derivative, it is known by its form or not at all.
            let at_once = reach(&mut arena, expr, &mut 0);
            assert!(at_once == 0 || at_once == expected, "{pattern}");
        }
    }

    #[test]
    fn disjoint_patterns_have_an_empty_intersection() {
        let options =
            RegexOptions::default().with_dialect(RegexDialect::Ecma).with_semantics(RegexSemantics::Search);
        let cases = [
            ("^a", "^b", true),
            ("^x-", "^[a-z]+$", true),
            ("^x", "x$", false),
            ("^[0-9]+$", "^[a-z0-9]{3}$", false),
            ("^(?:ab)+$", "^(?:aba)+$", true),
            ("^(?:ab)+$", "^(?:abab)+$", false),
            ("^a{5}$", "^a{6}$", true),
            ("a", "b", false),
        ];
        for (a, b, expected) in cases {
            let mut arena = Arena::new(1 << 20);
            let parts = [a, b].map(|p| regex_expr(p, &options, &mut arena, &Limits::default()).unwrap());
            let both = arena.and(&parts);
            assert_eq!(is_never(&mut arena, both), expected, "{a} and {b}");
            let none = arena.not(parts[0]);
            let none = arena.and(&[parts[0], none]);
            assert!(is_never(&mut arena, none), "{a} and not {a}");
        }
    }
}
