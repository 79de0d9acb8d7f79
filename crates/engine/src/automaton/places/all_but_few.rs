//! Texts of an expression but for a few, which can be told one by one.

use super::super::exprs::Texts;
use super::super::objects::cell::{Cell, Head};
use super::super::objects::ids::{CellId, StateId};
use super::super::store::Store;

/// What a state is: texts of `all` but for the `few`, then `tail`.
pub(crate) struct AllButFew {
    pub(crate) all: StateId,
    pub(crate) tail: StateId,
    pub(crate) few: Vec<Vec<u8>>,
}

impl Store {
    /// A state as texts of one expression but for a few, if that is what it is.
    pub(crate) fn all_but_few(&self, state: StateId) -> Option<AllButFew> {
        let [cell] = self.state(state).kernel[..] else { return None };
        if let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell)
            && let Some(exceptions) = self.program.exceptions(expr)
        {
            return self.except_few(exceptions, at, tail);
        }
        let (formula, tail) = self.formula_at(state)?;
        let (all, excepted) = self.leaf_without(formula)?;
        let mut few = Texts::default();
        for state in excepted {
            self.state(state).kernel.iter().try_for_each(|&cell| self.add_texts(cell, &mut few))?;
        }
        let few = few.iter().map(<[u8]>::to_vec).collect();
        let all = self.build().state(all);
        Some(AllButFew { all, tail: self.build().state(&[tail]), few })
    }

    /// Adds all texts of a cell, if they are few.
    fn add_texts(&self, cell: CellId, texts: &mut Texts) -> Option<()> {
        let mut parts = Vec::new();
        let mut at = cell;
        while at != CellId::NIL {
            let Cell { head, tail, .. } = self.cell(at);
            let Head::Expr(expr, done) = head else { return None };
            parts.push((expr, done));
            at = tail;
        }
        parts.reverse();
        texts.add(&self.program.arena, parts)
    }
}
