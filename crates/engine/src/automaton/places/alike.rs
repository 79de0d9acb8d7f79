//! Whether characters past ASCII are told apart.
//!
//! Most patterns are about ASCII: to them one letter of another script is as good as another. Then it is enough to follow
//! one of them, where all of them in UTF-8 are dozens of places.

use smallvec::SmallVec;
use tokenstile_grammar::CharSetId;
use tokenstile_grammar::ir::{ByteSet, CharSet, Expr};

use super::super::objects::cell::{Cell, Head};
use super::super::objects::formula::Kind;
use super::super::objects::ids::{CellId, FormulaId, LocalId, StateId};
use super::super::store::Store;
use crate::tokens::class::LackId;
use crate::tuning::seen::WIDE_PARTS;
use crate::work::{Exceeded, Work};

impl Store {
    /// Where each character past ASCII leads from a local, if that is seen to be the same place for all of them. `like`
    /// is one of them.
    pub(crate) fn wide_alike(
        &self,
        id: LocalId,
        like: char,
        work: &mut Work,
    ) -> Result<Option<LocalId>, Exceeded> {
        let states = &self.opened(id).states;
        if !states.iter().all(|&(state, _)| self.is_alike(state)) {
            return Ok(None);
        }
        let mut at = id;
        for &byte in like.encode_utf8(&mut [0; 4]).as_bytes() {
            match self.step_byte(at, byte, work)? {
                Some(next) => at = self.clamped_local(next),
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// The characters past ASCII in parts, all of which lead from a local to the same place each, if anywhere; `None` if that
    /// cannot be seen.
    pub(crate) fn wide_parts(&self, id: LocalId, all: &CharSet) -> Option<Vec<CharSet>> {
        let mut sets: SmallVec<[CharSetId; 8]> = SmallVec::new();
        for &(state, _) in &self.opened(id).states {
            let expansion = self.expansion_in(&mut self.build(), state);
            if !expansion.terminals.iter().all(|&cell| self.add_wide_sets(cell, &mut sets)) {
                return None;
            }
        }
        let mut parts = vec![all.clone()];
        for set in sets {
            if parts.len() > WIDE_PARTS {
                return None;
            }
            let set = self.program.arena.char_set(set);
            let split = |part: CharSet| [part.intersect(set), part.minus(set)];
            parts = parts.into_iter().flat_map(split).filter(|part| !part.is_empty()).collect();
        }
        Some(parts)
    }

    /// Adds the sets with characters past ASCII that a cell reads; whether it reads no others.
    fn add_wide_sets(&self, cell: CellId, sets: &mut SmallVec<[CharSetId; 8]>) -> bool {
        if cell == CellId::NIL {
            return true;
        }
        let arena = &self.program.arena;
        match self.cell(cell).head {
            Head::Bool(formula) => self.add_wide_sets_of(formula, sets),
            Head::Expr(expr, _) if let Expr::Chars(set) = arena.get(expr) => {
                if !arena.char_set(set).is_ascii() && !sets.contains(&set) {
                    sets.push(set);
                }
                true
            }
            _ => self.is_alike_in(cell),
        }
    }

    /// The same for all parts of a formula.
    fn add_wide_sets_of(&self, id: FormulaId, sets: &mut SmallVec<[CharSetId; 8]>) -> bool {
        match &self.formula(id).kind {
            Kind::False | Kind::True => true,
            Kind::Leaf { state, trackers, .. } => {
                let kernel = &self.state(*state).kernel;
                trackers.is_empty() && kernel.iter().all(|&cell| self.add_wide_sets(cell, sets))
            }
            Kind::And(parts) | Kind::Or(parts) => parts.iter().all(|&part| self.add_wide_sets_of(part, sets)),
            Kind::Not(part) => self.add_wide_sets_of(*part, sets),
        }
    }

    /// Whether every one of them leads from a local to others that have all cells of `base`, as classes of all of them
    /// show. Where it goes on besides may depend on the character.
    pub(crate) fn wide_covers(&self, id: LocalId, base: LocalId) -> bool {
        let (Some((state, stack)), Some((base, below))) = (self.only_state(id), self.only_state(base)) else {
            return false;
        };
        let mut build = self.build();
        let terminals = &self.expansion_in(&mut build, state).terminals;
        let leads_on = |&cell: &CellId| match self.cell(cell) {
            Cell { head: Head::Expr(expr, _), tail, .. } => match self.program.arena.get(expr) {
                Expr::Chars(set) => {
                    let class = self.program.class(set);
                    (class.wide && class.lack == LackId::NOTHING).then_some(tail)
                }
                _ => None,
            },
            _ => None,
        };
        let next: SmallVec<[CellId; 4]> =
            terminals.iter().filter_map(leads_on).map(|tail| build.unfold(tail)).collect();
        let wanted = &self.state(base).kernel;
        stack == below && !wanted.is_empty() && wanted.iter().all(|cell| next.contains(cell))
    }

    /// Whether they are not told apart in a state.
    fn is_alike(&self, state: StateId) -> bool {
        let expansion = self.expansion_in(&mut self.build(), state);
        expansion.terminals.iter().all(|&cell| self.is_alike_in(cell))
    }

    /// Whether they are not told apart by a cell that reads a byte, or by one that is the end.
    fn is_alike_in(&self, cell: CellId) -> bool {
        if cell == CellId::NIL {
            return true;
        }
        let Cell { head, tail, .. } = self.cell(cell);
        let (expr, at) = match head {
            Head::Expr(expr, at) => (expr, at),
            Head::Bool(formula) => return self.is_alike_formula(formula),
            Head::Last => return true,
            _ => return false,
        };
        match self.program.arena.get(expr) {
            Expr::Chars(set) => {
                let class = self.program.class(set);
                let all = class.wide && class.lack == LackId::NOTHING;
                all || self.program.arena.char_set(set).is_ascii()
            }
            Expr::Literal(literal) => self.program.arena.literal_bytes(literal)[at as usize].is_ascii(),
            // Any bytes: however many there are in a character, they all lead back to where they were.
            Expr::Bytes(set) => {
                *self.program.arena.byte_set(set) == ByteSet::ALL
                    && matches!(self.cell(tail).head, Head::Expr(rest, _) if rest == self.program.anything)
            }
            _ => false,
        }
    }

    /// Whether all parts of a formula do not.
    fn is_alike_formula(&self, id: FormulaId) -> bool {
        match &self.formula(id).kind {
            Kind::False | Kind::True => true,
            Kind::Leaf { state, trackers, .. } => {
                trackers.is_empty() && self.state(*state).kernel.iter().all(|&cell| self.is_alike_in(cell))
            }
            Kind::And(parts) | Kind::Or(parts) => parts.iter().all(|&part| self.is_alike_formula(part)),
            Kind::Not(part) => self.is_alike_formula(*part),
        }
    }
}
