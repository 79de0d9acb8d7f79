//! What single expressions show of their texts.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, Expr};

/// The literal that an expression begins with, if it is seen to begin with one.
pub(crate) fn first_literal(arena: &Arena, expr: ExprId) -> Option<&[u8]> {
    let first = match arena.get(expr) {
        Expr::Concat(list) => arena.list(list)[0],
        _ => expr,
    };
    match arena.get(first) {
        Expr::Literal(literal) => Some(arena.literal_bytes(literal)),
        _ => None,
    }
}

/// Whether it is seen that an expression reads nothing but digits; no more than so many of its parts are looked at.
pub(crate) fn reads_digits(arena: &Arena, expr: ExprId, parts: &mut u32) -> bool {
    let Some(left) = parts.checked_sub(1) else { return false };
    *parts = left;
    match arena.get(expr) {
        Expr::Empty => true,
        Expr::Chars(set) => arena
            .char_set(set)
            .ranges()
            .iter()
            .all(|range| (0x30..=0x39).contains(&range.0) && range.1 <= 0x39),
        Expr::Literal(literal) => arena.literal_bytes(literal).iter().all(u8::is_ascii_digit),
        Expr::Concat(list) | Expr::Alt(list) => {
            arena.list(list).iter().all(|&part| reads_digits(arena, part, parts))
        }
        Expr::Repeat { expr, .. } => reads_digits(arena, expr, parts),
        _ => false,
    }
}
