//! Finding an expression that is there already.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::{Arena, Expr};
use crate::ids::ExprId;

/// An odd number with its bits well mixed.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Arena {
    /// The expression that is built like this.
    pub(super) fn find(&self, hash: u64, expr: &Expr, children: &[ExprId], bytes: &[u8]) -> Option<ExprId> {
        let is_it = |id| self.same(id, expr, children, bytes);
        // What has a part that is not shared is not shared either.
        let may_be_shared = children.last().is_none_or(|child| child.index() < self.exprs.shared_len());
        self.index.find(hash, is_it).or_else(|| may_be_shared.then(|| self.shared.find(hash, is_it))?)
    }

    pub(super) fn add_to_index(&mut self, hash: u64, id: ExprId) {
        self.index.insert(hash, id);
        self.indexed = id.index() + 1;
    }

    /// Indexes what is not indexed yet.
    pub(super) fn catch_up(&mut self) {
        for id in (self.indexed..self.exprs.len()).filter_map(ExprId::new) {
            let (children, bytes) = self.parts_of(self.get(id));
            self.add_to_index(hash_of(&self.get(id), children, bytes), id);
        }
    }

    fn same(&self, id: ExprId, expr: &Expr, children: &[ExprId], bytes: &[u8]) -> bool {
        let stored = self.get(id);
        if std::mem::discriminant(&stored) != std::mem::discriminant(expr) {
            return false;
        }
        match stored {
            Expr::Concat(_) | Expr::Alt(_) | Expr::And(_) | Expr::Literal(_) => {
                self.parts_of(stored) == (children, bytes)
            }
            _ => stored == *expr,
        }
    }

    fn parts_of(&self, expr: Expr) -> (&[ExprId], &[u8]) {
        match expr {
            Expr::Concat(l) | Expr::Alt(l) | Expr::And(l) => (self.list(l), &[]),
            Expr::Literal(l) => (&[], self.literal_bytes(l)),
            _ => (&[], &[]),
        }
    }
}

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
