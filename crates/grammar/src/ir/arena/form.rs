//! What the form of an expression shows of its texts, without any search.

use rustc_hash::FxHashSet;

use super::{Arena, Expr};
use crate::ids::ExprId;
use crate::tuning::ir::FORM_DEPTH;

impl Arena {
    /// Whether an expression surely has no more than finitely many texts.
    pub fn is_finite(&self, id: ExprId) -> bool {
        self.all_below(id, |expr| match expr {
            Expr::Never | Expr::Empty | Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => true,
            Expr::Concat(_) | Expr::Alt(_) => true,
            Expr::Repeat { max, .. } => max.is_some(),
            _ => false,
        })
    }

    /// Bytes that all texts of an expression begin with, as far as they are plain to see.
    pub fn beginning(&self, mut id: ExprId) -> &[u8] {
        for _ in 0..FORM_DEPTH {
            id = match self.get(id) {
                Expr::Literal(literal) => return self.literal_bytes(literal),
                Expr::Region(inner) => inner,
                Expr::Concat(list) => self.list(list)[0],
                _ => break,
            };
        }
        &[]
    }

    /// Whether an expression surely has a text, and not the empty one only.
    pub fn has_text(&self, id: ExprId) -> bool {
        self.has_text_at(id, 0)
    }

    fn has_text_at(&self, id: ExprId, depth: usize) -> bool {
        let has = |&part: &ExprId| self.has_text_at(part, depth + 1);
        let optional = |&part: &ExprId| matches!(self.get(part), Expr::Repeat { min: 0, .. });
        match self.get(id) {
            Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => true,
            _ if depth > FORM_DEPTH => false,
            Expr::Alt(list) => self.list(list).iter().any(has),
            Expr::Concat(list) => {
                let parts = self.list(list);
                parts.iter().any(has) && parts.iter().all(|part| optional(part) || has(part))
            }
            Expr::Repeat { expr, .. } => has(&expr),
            _ => false,
        }
    }

    /// Whether something holds of an expression and of all below it.
    pub fn all_below(&self, id: ExprId, mut holds: impl FnMut(Expr) -> bool) -> bool {
        let mut todo = vec![id];
        let mut seen = FxHashSet::default();
        while let Some(id) = todo.pop() {
            if !holds(self.get(id)) {
                return false;
            }
            // What has nothing below it may as well be looked at again.
            let is_new = |&child: &ExprId| self.children(child).is_empty() || seen.insert(child);
            todo.extend(self.children(id).iter().copied().filter(is_new));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_nothing_at_all_has_no_text_for_sure() {
        let mut arena = Arena::new(64);
        let (a, b) = (arena.literal(b"a"), arena.literal(b"b"));
        let nothing = arena.and(&[a, b]);
        let optional = arena.optional(nothing);
        let (some, twice) = (arena.star(a), arena.repeat(nothing, 0, Some(2)));
        let both = arena.concat(&[optional, twice]);
        assert!(!arena.has_text(nothing) && !arena.has_text(both));
        let with_text = arena.concat(&[optional, some]);
        let needs_nothing = arena.concat(&[nothing, some]);
        assert!(arena.has_text(with_text) && !arena.has_text(needs_nothing));
        assert!(arena.is_finite(a) && !arena.is_finite(some) && !arena.is_finite(nothing));
    }
}
