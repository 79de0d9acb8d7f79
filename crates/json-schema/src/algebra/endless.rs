//! Where it is plain to see that an expression never runs out of texts: that every beginning of one of them, a whole one
//! too, goes on to endlessly many.

use crate::tuning::algebra::ENDLESS_DEPTH;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, CharSet, Expr};

/// Whether every beginning of a text of `expr` surely goes on to endlessly many. `false` says nothing.
pub(super) fn is_endless(arena: &Arena, expr: ExprId) -> bool {
    endless(arena, expr, 0)
}

fn endless(arena: &Arena, id: ExprId, depth: usize) -> bool {
    if depth > ENDLESS_DEPTH {
        return false;
    }
    match arena.get(id) {
        // Whatever is written of it, it goes on to the end, and there more rounds can follow.
        Expr::Repeat { expr, max: None, .. } => arena.has_text(expr),
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
                [one] => endless(arena, one, depth + 1) && without.iter().all(|&e| arena.is_finite(e)),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether outside of all these every beginning goes on endlessly: they are few, or all lack some character.
fn leaves_plenty(arena: &Arena, without: &[ExprId]) -> bool {
    let mut ranges = Vec::new();
    let many = without.iter().filter(|&&expr| !arena.is_finite(expr));
    for &expr in many {
        let known = arena.all_below(expr, |part| {
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
