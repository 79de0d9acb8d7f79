//! Lengths that a text must not have, beside an expression that it must match.
//!
//! "No more than a hundred characters" is "not a hundred and one and then anything". Few tokens are so long that they can
//! tell, so masks are made without it, and those tokens are looked at by themselves.

use smallvec::SmallVec;
use tokenstile_grammar::CharSetId;

use super::super::build::Build;
use super::super::objects::cell::Head;
use super::super::objects::formula::Kind;
use super::super::objects::ids::{CellId, FormulaId, LocalId, StateId};
use super::super::store::Store;

/// A state that is one plain expression and a length that is not far away, nor near.
pub(crate) struct Bounded {
    /// The same without the length.
    pub(crate) like: StateId,
    tail: CellId,
    /// The characters that are counted, how many are too many, and how many it may take to come to an end.
    pub(crate) chars: CharSetId,
    pub(crate) many: u32,
    pub(crate) ends: u32,
}

/// A conjunction of lengths that a text must not have and one plain expression.
struct Bounds {
    /// With the bytes that may come before each can fail.
    bounds: SmallVec<[(FormulaId, u32); 4]>,
    only: FormulaId,
    /// How many bytes it may take from anywhere in the expression to come to its end.
    ends: u32,
}

impl Build<'_> {
    /// The formula as far as one token can tell: without those of its "not as long as that" that are far away.
    #[inline(never)] // hardly any grammar has formulas
    pub(in crate::automaton) fn clamp_formula(&mut self, id: FormulaId) -> FormulaId {
        let store = self.store;
        let Some(Bounds { bounds, only, ends }) = store.bounds_of(id) else { return id };
        let need = ends.saturating_add(store.program.far);
        let near = bounds.into_iter().filter(|bound| bound.1 < need).map(|bound| bound.0);
        let near: SmallVec<[FormulaId; 4]> = near.chain([only]).collect();
        self.all_of(near)
    }
}

impl Store {
    /// A conjunction as bounds and one plain expression, if that is what it is.
    fn bounds_of(&self, id: FormulaId) -> Option<Bounds> {
        let Kind::And(parts) = &self.formula(id).kind else { return None };
        let (mut bounds, mut only) = (SmallVec::new(), None);
        for &part in parts.iter() {
            match self.bytes_left(part) {
                Some(left) => bounds.push((part, left)),
                // What is left must be able to end before a bound is reached; of one plain expression it is known how soon.
                None if only.is_none() => only = Some(part),
                None => return None,
            }
        }
        let only = only?;
        let Kind::Leaf { state, region: None, .. } = &self.formula(only).kind else { return None };
        let ends = self.state(*state).kernel.iter().map(|&cell| self.distance(cell).within).max();
        Some(Bounds { bounds, only, ends: ends.unwrap_or(0) })
    }

    /// A state as one without the length that it may have at most, if tokens of more than `least` characters can tell.
    pub(crate) fn without_bound(&self, state: StateId, least: u32) -> Option<Bounded> {
        let (formula, tail) = self.formula_at(state)?;
        let Bounds { bounds, only, ends } = self.bounds_of(formula)?;
        let [(bound, many)] = bounds[..] else { return None };
        let Kind::Not(bound) = self.formula(bound).kind else { return None };
        let Kind::Leaf { state: counted, .. } = &self.formula(bound).kind else { return None };
        let (most, chars) = self.longer(*counted)?;
        if many < ends.saturating_add(least) || most.checked_add(1) != Some(many) {
            return None;
        }
        let mut build = self.build();
        let cells = build.bool_cells(only, tail);
        Some(Bounded { like: build.state(&cells), tail, chars, many, ends })
    }

    /// How many bytes are enough to come to the end of the expression from a place in the state without its length.
    pub(crate) fn end_from(&self, bounded: &Bounded, local: LocalId) -> Option<u32> {
        let (state, _) = self.only_state(local)?;
        let behind = self.distance(bounded.tail).least;
        let most = self.state(state).kernel.iter().map(|&cell| self.distance(cell).most).min()?;
        most.checked_sub(behind)
    }

    /// Of a formula that says "not so many characters and then anything": how many bytes may come before it can fail.
    fn bytes_left(&self, id: FormulaId) -> Option<u32> {
        let Kind::Not(part) = self.formula(id).kind else { return None };
        let Kind::Leaf { state, region: None, .. } = &self.formula(part).kind else { return None };
        self.state(*state).kernel.iter().map(|&cell| self.bytes_to_anything(cell)).min().flatten()
    }

    /// The least number of bytes before a cell comes to be "anything", if that is its end.
    fn bytes_to_anything(&self, cell: CellId) -> Option<u32> {
        let mut last = None;
        let mut at = cell;
        while at != CellId::NIL {
            let cell = self.cell(at);
            (last, at) = (Some(cell.head), cell.tail);
        }
        let ends = matches!(last, Some(Head::Expr(expr, _)) if expr == self.program.anything);
        ends.then(|| self.distance(cell).least)
    }
}
