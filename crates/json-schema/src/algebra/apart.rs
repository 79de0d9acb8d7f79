//! Sets of strings that have nothing in common, as their beginnings show.
//!
//! The keys of one pattern are often told from those of another by the first few characters (`^title_…`,
//! `^description_…`). Then "the one but not the other" is the one alone, and no complement has to be worked out.

use crate::tuning::algebra::APART_DEPTH;
use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, CharSet, Expr};

/// What all of some expressions match, without complements that take nothing away.
pub(super) fn common(exprs: &[ExprId], arena: &mut Arena) -> ExprId {
    let mut parts: SmallVec<[ExprId; 8]> = SmallVec::new();
    for &expr in exprs {
        match arena.get(expr) {
            Expr::And(list) => parts.extend_from_slice(arena.list(list)),
            _ => parts.push(expr),
        }
    }
    let complement = |part: ExprId| match arena.get(part) {
        Expr::Not(inner) => Some(inner),
        _ => None,
    };
    let positive: SmallVec<[ExprId; 4]> =
        parts.iter().copied().filter(|&part| complement(part).is_none()).collect();
    for (i, &one) in positive.iter().enumerate() {
        if positive[..i].iter().any(|&other| are_apart(arena, one, other)) {
            return arena.never();
        }
    }
    let takes_away = |&part: &ExprId| match complement(part) {
        Some(inner) => !positive.iter().any(|&one| are_apart(arena, one, inner)),
        None => !positive.iter().any(|&one| one != part && allows_all_of(arena, part, one)),
    };
    let parts: SmallVec<[ExprId; 8]> = parts.iter().copied().filter(takes_away).collect();
    arena.and(&parts)
}

/// Whether the beginnings of two expressions show that no string is in both.
pub(super) fn are_apart(arena: &Arena, a: ExprId, b: ExprId) -> bool {
    let mut beginnings = arena.beginning(a).iter().zip(arena.beginning(b));
    if beginnings.any(|(a, b)| a != b) {
        return true;
    }
    match (Firsts::of(arena, a, 0), Firsts::of(arena, b, 0)) {
        (Some(a), Some(b)) => !(a.empty && b.empty) && a.chars.intersect(&b.chars).is_empty(),
        _ => false,
    }
}

/// Whether an expression takes nothing away from another: whatever that begins with, anything may follow.
fn allows_all_of(arena: &Arena, expr: ExprId, other: ExprId) -> bool {
    match Firsts::of(arena, other, 0) {
        Some(Firsts { chars, empty: false }) => allows_all_after(arena, expr, &chars, 0),
        _ => false,
    }
}

/// Whether anything may follow each of some first characters, as the form of an expression shows.
fn allows_all_after(arena: &Arena, expr: ExprId, chars: &CharSet, depth: usize) -> bool {
    let is_any = |expr: ExprId| match arena.get(expr) {
        Expr::Repeat { expr, min: 0, max: None } => {
            matches!(arena.get(expr), Expr::Chars(set) if *arena.char_set(set) == CharSet::all())
        }
        _ => false,
    };
    match arena.get(expr) {
        Expr::Repeat { expr, min: 0 | 1, max: Some(1) } if depth < APART_DEPTH => {
            allows_all_after(arena, expr, chars, depth + 1)
        }
        Expr::Alt(list) if depth < APART_DEPTH => {
            arena.list(list).iter().any(|&part| allows_all_after(arena, part, chars, depth + 1))
        }
        Expr::Concat(list) => match *arena.list(list) {
            [first, rest] if is_any(rest) => {
                matches!(arena.get(first), Expr::Chars(set) if chars.minus(arena.char_set(set)).is_empty())
            }
            _ => false,
        },
        _ => is_any(expr),
    }
}

/// What the strings of an expression may begin with, and perhaps more.
struct Firsts {
    chars: CharSet,
    /// Whether one of them may be empty.
    empty: bool,
}

impl Firsts {
    fn of(arena: &Arena, expr: ExprId, depth: usize) -> Option<Firsts> {
        if depth > APART_DEPTH {
            return None;
        }
        let of = |&part: &ExprId| Firsts::of(arena, part, depth + 1);
        let chars = match arena.get(expr) {
            Expr::Never | Expr::Empty => CharSet::empty(),
            Expr::Chars(set) => arena.char_set(set).clone(),
            Expr::Literal(literal) => {
                let text = std::str::from_utf8(arena.literal_bytes(literal)).ok()?;
                CharSet::single(text.chars().next()?)
            }
            Expr::Region(inner) => return of(&inner),
            Expr::Repeat { expr, min, .. } => {
                let Firsts { chars, empty } = of(&expr)?;
                return Some(Firsts { chars, empty: empty || min == 0 });
            }
            Expr::Alt(list) => {
                let none = Firsts { chars: CharSet::empty(), empty: false };
                return arena.list(list).iter().try_fold(none, |all, part| {
                    let Firsts { chars, empty } = of(part)?;
                    Some(Firsts { chars: all.chars.union(&chars), empty: all.empty || empty })
                });
            }
            Expr::Concat(list) => {
                let mut all = Firsts { chars: CharSet::empty(), empty: true };
                for part in arena.list(list) {
                    let Firsts { chars, empty } = of(part)?;
                    all = Firsts { chars: all.chars.union(&chars), empty };
                    if !empty {
                        break;
                    }
                }
                return Some(all);
            }
            // Each of the parts says as much and more.
            Expr::And(list) => return arena.list(list).iter().find_map(of),
            _ => return None,
        };
        Some(Firsts { chars, empty: arena.get(expr) == Expr::Empty })
    }
}

#[cfg(test)]
mod tests {
    use tokenstile_grammar::{Limits, RegexOptions, regex_expr};

    use super::*;

    #[test]
    fn a_complement_that_takes_nothing_away_is_left_out() {
        let mut arena = Arena::new(1 << 10);
        let mut re = |pattern: &str| {
            regex_expr(pattern, &RegexOptions::default(), &mut arena, &Limits::default()).unwrap()
        };
        let (title, text) = (re("title_[a-z]*"), re("text_.*"));
        let (anything_else, maybe) = (re("(?s)[^a-z].*|[a-z]+-(?:x|yz)"), re("(?s)(?:[0-9].*)?"));
        let (digit, word, none) = (re("[0-9]x?"), re("(?:a|[b-z]y)+"), re("[a-f]*"));
        let [not_text, not_title, not_word, not_none] = [text, title, word, none].map(|e| arena.not(e));
        assert_eq!(common(&[title, not_text], &mut arena), title);
        assert_eq!(common(&[digit, not_word, not_none], &mut arena), digit);
        let both = arena.and(&[not_word, not_title]);
        assert_eq!(common(&[both, digit], &mut arena), digit);
        assert_eq!(common(&[title, text], &mut arena), arena.never());
        for all_but_letters in [anything_else, maybe] {
            assert_eq!(common(&[all_but_letters, digit], &mut arena), digit);
        }
        // The empty string is in both, a word may begin with t, and complements alone stay.
        for kept in [[none, not_none], [title, not_word], [not_text, not_title]] {
            let and = arena.and(&kept);
            assert_eq!(common(&kept, &mut arena), and);
        }
    }
}
