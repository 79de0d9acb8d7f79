//! About how many bytes a state still needs: what the search for a shortest completion is led by.
//!
//! Exact for plain expressions. Where what is left depends on what was written (members, machines, booleans) it is a
//! guess, and rather too high: it orders a search and says when to begin one, and no answer depends on it.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::Expr;

use super::FAR;
use super::objects::cell::Head;
use super::objects::ids::{CellId, StateId};
use super::store::Store;

/// Taken for what cannot be told.
const GUESS: u32 = 12;

impl Store {
    /// About how many bytes lead from a state to the end of its frame.
    pub(crate) fn rest_of(&self, id: StateId) -> u32 {
        let cells = self.state(id).kernel.iter();
        cells.map(|&cell| self.rest_of_cell(cell)).min().unwrap_or(FAR).min(FAR)
    }

    fn rest_of_cell(&self, mut id: CellId) -> u32 {
        let mut sum = 0u32;
        while id != CellId::NIL {
            let cell = self.cell(id);
            let head = match cell.head {
                Head::Expr(expr, at) => self.rest_of_expr(expr, at),
                Head::Utf8(..) => 1,
                Head::Bool(_) => GUESS,
                Head::End(_) | Head::Last => 0,
                // Frames are not nested deep: an entry's parts.
                Head::Frame(inner) if inner != id => self.rest_of_cell(inner),
                Head::Frame(_) => GUESS,
            };
            sum = sum.saturating_add(head);
            id = cell.tail;
        }
        sum
    }

    /// What is left of an expression at a place in it.
    fn rest_of_expr(&self, expr: ExprId, at: u32) -> u32 {
        let lengths = self.program.lengths();
        let whole = lengths[expr.index()];
        match self.program.arena.get(expr) {
            _ if at == 0 => whole,
            Expr::Literal(_) => whole.saturating_sub(at),
            Expr::Concat(list) => {
                let rest = self.program.arena.list(list).get(at as usize..).unwrap_or_default();
                rest.iter().map(|part| lengths[part.index()]).fold(0u32, u32::saturating_add)
            }
            Expr::Repeat { expr, min, .. } => lengths[expr.index()].saturating_mul(min.saturating_sub(at)),
            Expr::Members(_) => whole,
            Expr::Machine(_) => 1,
            _ => whole,
        }
    }
}
