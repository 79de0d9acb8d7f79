//! Where it is plain to see that an expression never runs out of texts: that every beginning of one of them, a whole one
//! too, goes on to endlessly many.

use rustc_hash::FxHashSet;

use crate::ids::ExprId;
use crate::ir::{Arena, CharSet, Expr};

/// How deeply nested an expression is looked into.
const DEPTH: usize = 100;
/// How many parts of one are looked at.
const PARTS: usize = 2_000;

/// Whether every beginning of a text of `expr` surely goes on to endlessly many. `false` says nothing.
pub(super) fn is_endless(arena: &Arena, expr: ExprId) -> bool {
    endless(arena, expr, 0)
}

fn endless(arena: &Arena, id: ExprId, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    match arena.get(id) {
        // Whatever is written of it, it goes on to the end, and there more rounds can follow.
        Expr::Repeat { expr, max: None, .. } => has_text(arena, expr, 0),
        // In whichever round the beginning stops, that one goes on.
        Expr::Repeat { expr, .. } => endless(arena, expr, depth + 1),
        // All before the last part comes to an end somehow, and the last one goes on.
        Expr::Concat(list) => arena.list(list).last().is_some_and(|&last| endless(arena, last, depth + 1)),
        Expr::Alt(list) => arena.list(list).iter().all(|&part| endless(arena, part, depth + 1)),
        Expr::Not(without) => leaves_plenty(arena, &[without]),
        Expr::And(list) => {
            let (mut within, mut without) = (Vec::new(), Vec::new());
            for &part in arena.list(list) {
                match arena.get(part) {
                    Expr::Not(inner) => without.push(inner),
                    _ => within.push(part),
                }
            }
            match within[..] {
                [] => leaves_plenty(arena, &without),
                // Of endlessly many, a few are taken.
                [one] => endless(arena, one, depth + 1) && without.iter().all(|&e| is_finite(arena, e)),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether outside of all these every beginning goes on endlessly: they are few, or all lack some character.
fn leaves_plenty(arena: &Arena, without: &[ExprId]) -> bool {
    let mut ranges = Vec::new();
    let many = without.iter().filter(|&&expr| !is_finite(arena, expr));
    for &expr in many {
        let known = all_below(arena, expr, |part| {
            match part {
                Expr::Chars(set) => ranges.extend_from_slice(arena.char_set(set).ranges()),
                Expr::Literal(literal) => match std::str::from_utf8(arena.literal_bytes(literal)) {
                    Ok(text) => ranges.extend(text.chars().map(|c| (c as u32, c as u32))),
                    Err(_) => return false,
                },
                Expr::Never | Expr::Empty | Expr::Concat(_) | Expr::Alt(_) | Expr::Repeat { .. } => {}
                _ => return false,
            }
            true
        });
        if !known {
            return false;
        }
    }
    !CharSet::from_ranges(ranges).complement().is_empty()
}

/// Whether an expression surely has no more than finitely many texts.
fn is_finite(arena: &Arena, id: ExprId) -> bool {
    all_below(arena, id, |expr| match expr {
        Expr::Never | Expr::Empty | Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => true,
        Expr::Concat(_) | Expr::Alt(_) => true,
        Expr::Repeat { max, .. } => max.is_some(),
        _ => false,
    })
}

/// Whether an expression surely has a text, and not the empty one only.
fn has_text(arena: &Arena, id: ExprId, depth: usize) -> bool {
    let has = |&part: &ExprId| has_text(arena, part, depth + 1);
    match arena.get(id) {
        Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => true,
        _ if depth > DEPTH => false,
        Expr::Alt(list) => arena.list(list).iter().any(has),
        Expr::Concat(list) => arena.list(list).iter().all(|part| has(part) || is_optional(arena, *part)),
        Expr::Repeat { expr, .. } => has(&expr),
        _ => false,
    }
}

fn is_optional(arena: &Arena, id: ExprId) -> bool {
    matches!(arena.get(id), Expr::Empty | Expr::Repeat { min: 0, .. })
}

fn all_below(arena: &Arena, id: ExprId, mut holds: impl FnMut(Expr) -> bool) -> bool {
    let mut todo = vec![id];
    let mut seen = FxHashSet::default();
    while let Some(id) = todo.pop() {
        if seen.len() > PARTS || !holds(arena.get(id)) {
            return false;
        }
        todo.extend(arena.children(id).iter().copied().filter(|&child| seen.insert(child)));
    }
    true
}
