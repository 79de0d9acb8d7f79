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
