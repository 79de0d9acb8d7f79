//! Finding an expression that is there already.

use super::hash::hash_of;
use super::{Arena, Expr};
use crate::ids::ExprId;

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
