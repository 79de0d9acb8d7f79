//! About how many bytes a state still needs: what the search for a shortest completion is led by.
//!
//! Exact for plain expressions. Where what is left depends on what was written (members, machines, booleans) it is a
//! guess, and rather too high: it orders a search and says when to begin one, and no answer depends on it.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::Expr;

use super::exprs::length_of_entries;
use super::objects::cell::Head;
use super::objects::ids::{CellId, StateId};
use super::objects::members::Phase;
use super::store::Store;
use crate::tokens::pending::End;
use crate::tuning::places::LENGTH_GUESS;

impl Store {
    /// For each cell of a state, about how many bytes lead from there to the end of its frame, and how the frame ends then.
    pub(crate) fn rests_of(&self, id: StateId) -> impl Iterator<Item = (u32, Option<End>)> {
        self.state(id).kernel.iter().map(|&cell| self.rest_of_cell(cell))
    }

    /// About how many bytes lead from a cell to the end of its frame, and how the frame ends there.
    fn rest_of_cell(&self, mut id: CellId) -> (u32, Option<End>) {
        let (mut sum, mut end) = (0u32, None);
        while id != CellId::NIL {
            let cell = self.cell(id);
            let head = match cell.head {
                Head::Expr(expr, at) => self.rest_of_expr(expr, at),
                Head::Utf8(..) => 1,
                Head::Bool(_) => LENGTH_GUESS,
                Head::End(ended) => {
                    end = Some(ended);
                    0
                }
                Head::Last => 0,
                // Frames are not nested deep: an entry's parts.
                Head::Frame(inner) if inner != id => self.rest_of_cell(inner).0,
                Head::Frame(_) => LENGTH_GUESS,
            };
            sum = sum.saturating_add(head);
            id = cell.tail;
        }
        (sum, end)
    }

    /// What is left of an expression at a place in it.
    fn rest_of_expr(&self, expr: ExprId, at: u32) -> u32 {
        let lengths = self.program.lengths();
        let whole = lengths[expr.index()];
        match self.program.arena.get(expr) {
            Expr::Members(_) => self.rest_of_members(Phase::of(at), whole),
            _ if at == 0 => whole,
            Expr::Literal(_) => whole.saturating_sub(at),
            Expr::Concat(list) => {
                let rest = self.program.arena.list(list).get(at as usize..).unwrap_or_default();
                rest.iter().map(|part| lengths[part.index()]).fold(0u32, u32::saturating_add)
            }
            Expr::Repeat { expr, min, .. } => lengths[expr.index()].saturating_mul(min.saturating_sub(at)),
            Expr::Machine(_) => 1,
            _ => whole,
        }
    }

    /// What is wanting of members.
    fn rest_of_members(&self, phase: Phase, whole: u32) -> u32 {
        let (id, in_entry) = match phase {
            Phase::Start | Phase::Before(_) => return whole,
            Phase::AfterEntry(id) => (id, false),
            Phase::AfterSeparator(id) => (id, true),
        };
        let counted = self.counted(id);
        let rest = *counted.rest.get_or_init(|| {
            let members = self.program.arena.members_of(counted.members);
            let wanting = self.program.tallies(counted.members).wanting(&counted.tally);
            length_of_entries(members, &wanting, self.program.lengths())
        });
        let separator =
            self.program.lengths()[self.program.arena.members_of(counted.members).separator.index()];
        // Behind a separator there must be an entry, whether or not one is wanting.
        match (in_entry, rest) {
            (false, _) => rest,
            (true, 0) => LENGTH_GUESS,
            (true, _) => rest.saturating_sub(separator),
        }
    }
}
