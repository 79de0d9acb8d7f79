//! Numbers within bounds: as far as one token can tell, most of their places are those of any number.
//!
//! A bound is as many digits long as it is, but tokens have three digits in a row, or one. So a loop of digits that may go
//! round a few times more may as well go on for ever; and where it may, the ways along the digits of a bound itself, which
//! end where the loop does, add nothing to it. What is left is the number without bounds, whose masks all constraints share.

use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, Expr};

use super::program::Program;
use super::store::{Cell, CellId, Head, Store};
use crate::ablate::{Switch, is_off};

/// So far behind a cell is looked.
const BEHIND: usize = 16;
/// So many expressions are looked at of what a cell reads.
const PARTS: u32 = 256;

impl Program {
    /// A loop of this expression that may go round so many times more, less one, does not come to its end within a token;
    /// nor does one that must.
    pub(super) fn far_in(&self, expr: ExprId) -> u32 {
        if !is_off(Switch::DigitCounts) && reads_digits(&self.arena, expr, &mut 1) {
            self.far_in_digits
        } else {
            self.far
        }
    }
}

impl Store {
    /// Leaves out cells that read digits only up to where a loop of any digits leads, which is another of the cells.
    pub(super) fn drop_digits(&self, cells: &mut SmallVec<[CellId; 8]>) {
        if cells.len() < 2 {
            return;
        }
        let Some((at, tail)) = (0..).zip(&*cells).find_map(|(at, &cell)| Some((at, self.any_digits(cell)?)))
        else {
            return;
        };
        let any = cells[at];
        cells.retain(|cell| *cell == any || !self.is_digits_before(*cell, tail));
    }

    /// What follows the loop that a cell is, if it is one of any digits, as many as there are or none.
    fn any_digits(&self, cell: CellId) -> Option<CellId> {
        let Cell { head: Head::Expr(expr, done), tail, .. } = self.cell(cell) else { return None };
        let arena = &self.program.arena;
        match arena.get(expr) {
            Expr::Repeat { expr, min, max: None } if done >= min => match arena.get(expr) {
                Expr::Chars(set) if arena.char_set(set).ranges() == [(0x30, 0x39)] => Some(tail),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether what is read from a cell up to another one is digits.
    fn is_digits_before(&self, mut cell: CellId, tail: CellId) -> bool {
        let mut parts = PARTS;
        for _ in 0..BEHIND {
            if cell == tail {
                return true;
            }
            let Cell { head: Head::Expr(expr, _), tail: next, .. } = self.cell(cell) else { return false };
            if cell == CellId::NIL || !reads_digits(&self.program.arena, expr, &mut parts) {
                return false;
            }
            cell = next;
        }
        false
    }
}

/// Whether it is seen that an expression reads nothing but digits; no more than so many of its parts are looked at.
fn reads_digits(arena: &Arena, expr: ExprId, parts: &mut u32) -> bool {
    let Some(left) = parts.checked_sub(1) else { return false };
    *parts = left;
    match arena.get(expr) {
        Expr::Empty => true,
        Expr::Chars(set) => arena
            .char_set(set)
            .ranges()
            .iter()
            .all(|range| (0x30..=0x39).contains(&range.0) && range.1 <= 0x39),
        Expr::Literal(literal) => arena.literal_bytes(literal).iter().all(u8::is_ascii_digit),
        Expr::Concat(list) | Expr::Alt(list) => {
            arena.list(list).iter().all(|&part| reads_digits(arena, part, parts))
        }
        Expr::Repeat { expr, .. } => reads_digits(arena, expr, parts),
        _ => false,
    }
}
