//! Whether a place can do all that another can, as its form shows.
//!
//! It can if it has all of its cells, or for each one that can do more: a loop that need not go round so often any more, or
//! may go round more often. A formula can if its parts can, each what one of the other's can; under a negation it is the
//! other way round.

use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::Expr;

use super::super::objects::cell::{Cell, Head};
use super::super::objects::formula::Kind;
use super::super::objects::ids::{CellId, FormulaId, LocalId, StateId};
use super::super::store::Store;
use crate::ablate::{Switch, is_off};
use crate::tuning::covers::{ALIKE, BEHIND, CELLS, PARTS};

impl Store {
    /// Whether a place can do all that another can.
    pub(crate) fn covers(&self, id: LocalId, other: LocalId) -> bool {
        id == other || self.on_one_stack(id, other).is_some_and(|(a, b)| self.state_covers(a, b))
    }

    /// Whether a place has all the cells of another.
    pub(crate) fn has_cells_of(&self, id: LocalId, other: LocalId) -> bool {
        self.on_one_stack(id, other).is_some_and(|(a, b)| self.has_cells(a, b))
    }

    /// The states of two places that are one each, on the same stack.
    fn on_one_stack(&self, a: LocalId, b: LocalId) -> Option<(StateId, StateId)> {
        let ((a, stack), (b, below)) = (self.only_state(a)?, self.only_state(b)?);
        (stack == below).then_some((a, b))
    }

    fn has_cells(&self, a: StateId, b: StateId) -> bool {
        let (more, some) = (&self.state(a).kernel, &self.state(b).kernel);
        some.len() <= more.len() && some.iter().all(|cell| more.binary_search(cell).is_ok())
    }

    fn state_covers(&self, a: StateId, b: StateId) -> bool {
        if self.program.booleans
            && let (Some((f, after)), Some((g, then))) = (self.formula_at(a), self.formula_at(b))
        {
            let mut left = PARTS;
            return after == then
                && !is_off(Switch::CoveringFormulas)
                && self.formula_covers(f, g, &mut left);
        }
        self.cells_cover(a, b)
    }

    /// The same for states that are no formulas.
    fn cells_cover(&self, a: StateId, b: StateId) -> bool {
        if self.has_cells(a, b) || is_off(Switch::CoveringRounds) {
            return self.has_cells(a, b);
        }
        let (more, some) = (&self.state(a).kernel, &self.state(b).kernel);
        let covered = |&cell: &CellId| more.iter().any(|&other| self.cell_covers(other, cell));
        more.len() <= CELLS && some.len() <= CELLS && some.iter().all(covered)
    }

    /// Whether a cell can do what another can: the same, but for the rounds of loops.
    fn cell_covers(&self, mut a: CellId, mut b: CellId) -> bool {
        for _ in 0..BEHIND {
            if a == b {
                return true;
            }
            if a == CellId::NIL || b == CellId::NIL {
                return false;
            }
            let (Cell { head: one, tail: after, .. }, Cell { head: other, tail: then, .. }) =
                (self.cell(a), self.cell(b));
            let covers = match (one, other) {
                _ if one == other => true,
                (Head::Expr(expr, done), Head::Expr(same, before)) => {
                    expr == same && self.rounds_cover(expr, done, before)
                }
                _ => false,
            };
            if !covers {
                return false;
            }
            (a, b) = (after, then);
        }
        false
    }

    /// Whether a loop that has gone round `done` times can do all that it could after `before` rounds.
    fn rounds_cover(&self, expr: ExprId, done: u32, before: u32) -> bool {
        let Expr::Repeat { min, max, .. } = self.program.arena.get(expr) else { return false };
        let [least, other] = [done, before].map(|rounds| min.saturating_sub(rounds));
        least <= other && max.is_none_or(|_| done <= before)
    }

    /// Leaves out what does not matter: cells that can do nothing that another cannot. Where `(.{1,63}\.){1,127}` has read many
    /// dots, each may have ended a round or not, but all that counts is the way with the fewest rounds, inside and out.
    pub(in crate::automaton) fn drop_covered(&self, cells: &mut SmallVec<[CellId; 8]>) {
        let shape = |&cell: &CellId| {
            let (shape, is_bounded) = self.cell_shape(cell, BEHIND);
            is_bounded.then_some((shape, cell))
        };
        let mut shapes: SmallVec<[(u64, CellId); 32]> = cells.iter().filter_map(shape).collect();
        shapes.sort_unstable();
        let mut dropped: SmallVec<[CellId; 32]> = SmallVec::new();
        for alike in shapes.chunk_by(|a, b| a.0 == b.0).filter(|alike| (2..=ALIKE).contains(&alike.len())) {
            let mut kept: SmallVec<[CellId; 8]> = SmallVec::new();
            for &(_, cell) in alike {
                if kept.iter().any(|&other| self.cell_covers(other, cell)) {
                    dropped.push(cell);
                    continue;
                }
                kept.retain(|&mut other| {
                    let covered = self.cell_covers(cell, other);
                    dropped.extend(covered.then_some(other));
                    !covered
                });
                kept.push(cell);
            }
        }
        dropped.sort_unstable();
        cells.retain(|cell| dropped.binary_search(cell).is_err());
    }

    /// Whether a formula can do all that another can.
    pub(in crate::automaton) fn covers_formula(&self, id: FormulaId, other: FormulaId) -> bool {
        self.formula_covers(id, other, &mut { PARTS })
    }

    /// The place where the search began that a place is in, if it is a formula.
    pub(crate) fn origin_of(&self, id: LocalId) -> Option<LocalId> {
        let (state, stack) = self.only_state(id)?;
        let (formula, tail) = self.formula_at(state)?;
        let origin = *self.formula(formula).origin.get()?;
        let cells = self.build().bool_cells(origin, tail);
        Some(self.local_of_cells(&cells, stack))
    }

    /// How many bytes a place must read at least before a formula that it is may end.
    pub(crate) fn least_of_formula(&self, id: LocalId) -> Option<u32> {
        let (state, _) = self.only_state(id)?;
        let (formula, _) = self.formula_at(state)?;
        Some(self.build().least_left(formula))
    }

    fn formula_covers(&self, f: FormulaId, g: FormulaId, left: &mut u32) -> bool {
        if f == g {
            return true;
        }
        let Some(less) = left.checked_sub(1) else { return false };
        *left = less;
        match (&self.formula(f).kind, &self.formula(g).kind) {
            (Kind::True, _) | (_, Kind::False) => true,
            (Kind::And(parts), _) => parts.iter().all(|&part| self.formula_covers(part, g, left)),
            (_, Kind::Or(parts)) => parts.iter().all(|&part| self.formula_covers(f, part, left)),
            (_, Kind::And(parts)) => {
                parts.binary_search(&f).is_ok()
                    || parts.iter().any(|&part| self.formula_covers(f, part, left))
            }
            (Kind::Or(parts), _) => parts.iter().any(|&part| self.formula_covers(part, g, left)),
            (&Kind::Not(f), &Kind::Not(g)) => self.formula_covers(g, f, left),
            (
                Kind::Leaf { state: a, region, trackers },
                Kind::Leaf { state: b, region: other, trackers: others },
            ) => region == other && trackers == others && self.cells_cover(*a, *b),
            _ => false,
        }
    }

    /// The expressions that a formula is made of, as far as they say what may be read; `None` if that could be anything.
    pub(crate) fn exprs_of_formula(&self, state: StateId) -> Option<(SmallVec<[ExprId; 16]>, CellId)> {
        let (formula, tail) = self.formula_at(state)?;
        let (mut exprs, mut left) = (SmallVec::new(), PARTS);
        self.add_exprs(formula, &mut left, &mut exprs).then_some((exprs, tail))
    }

    fn add_exprs(&self, id: FormulaId, left: &mut u32, exprs: &mut SmallVec<[ExprId; 16]>) -> bool {
        let Some(less) = left.checked_sub(1) else { return false };
        *left = less;
        match &self.formula(id).kind {
            Kind::False => true,
            Kind::Leaf { state, .. } => {
                self.state(*state).kernel.iter().all(|&cell| self.add_exprs_behind(cell, exprs))
            }
            Kind::And(parts) => parts.iter().any(|&part| {
                let before = exprs.len();
                let is_known = self.add_exprs(part, left, exprs);
                if !is_known {
                    exprs.truncate(before);
                }
                is_known
            }),
            Kind::Or(parts) => parts.iter().all(|&part| self.add_exprs(part, left, exprs)),
            _ => false,
        }
    }

    fn add_exprs_behind(&self, cell: CellId, exprs: &mut SmallVec<[ExprId; 16]>) -> bool {
        let mut at = cell;
        while at != CellId::NIL {
            let Cell { head: Head::Expr(expr, _), tail, .. } = self.cell(at) else { return false };
            exprs.push(expr);
            at = tail;
        }
        true
    }
}
