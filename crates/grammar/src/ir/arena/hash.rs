//! The hash by which an expression is found again.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::ids::ExprId;
use crate::ir::Expr;

/// An odd number with its bits well mixed.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of an expression that is built like this, from its children and bytes and not from where they are stored.
pub(super) fn hash_of(expr: &Expr, children: &[ExprId], bytes: &[u8]) -> u64 {
    let (kind, own) = match *expr {
        Expr::Never => (0, 0),
        Expr::Empty => (1, 0),
        Expr::Bytes(id) => (2, id.index() as u64),
        Expr::Chars(id) => (3, id.index() as u64),
        Expr::Literal(_) => (4, bytes.len() as u64),
        Expr::Concat(_) => (5, 0),
        Expr::Alt(_) => (6, 0),
        Expr::Repeat { expr, min, max } => (7, FxBuildHasher.hash_one((expr, min, max))),
        Expr::Rule(id) => (8, id.index() as u64),
        Expr::And(_) => (9, 0),
        Expr::Not(e) => (10, e.index() as u64),
        Expr::Look { expr, behind, negated } => (11, FxBuildHasher.hash_one((expr, behind, negated))),
        Expr::Region(e) => (12, e.index() as u64),
        Expr::Members(id) => (13, id.index() as u64),
        Expr::Machine(id) => (14, id.index() as u64),
        Expr::Tokens(id) => (15, id.index() as u64),
    };
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(SPREAD);
    let mut hash = mix(kind, own);
    for child in children {
        hash = mix(hash, child.index() as u64);
    }
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        hash = mix(hash, rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    }
    hash >> 32 // the better half
}
