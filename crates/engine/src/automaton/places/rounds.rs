//! Places that differ in nothing but how often their loops have run.
//!
//! In the middle of `[a-z]([-a-z0-9]{0,61}[a-z0-9])?` every letter leads to a place like the last one, with one more
//! round done. As long as no loop comes near its least or its most rounds, what such a place can do is the same, but
//! for the numbers: so the places behind need not be found one by one.

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr};

use super::super::objects::cell::{Cell, Head};
use super::super::objects::ids::{CellId, LocalId, NodeId};
use super::super::store::Store;

/// A place whose loops go on.
pub(crate) struct Rounds {
    node: NodeId,
    cells: SmallVec<[CellId; 8]>,
    /// Which of the cells are loops that go on.
    go_on: u64,
    /// How many more rounds are all alike.
    pub(crate) most: u32,
}

impl Store {
    /// Whether a place is in a loop whose rounds are counted, and not so far from their end that no token can tell.
    pub(crate) fn counts(&self, id: LocalId) -> bool {
        let far = self.program.far;
        let is_counted = |&cell: &CellId| match self.cell(cell).head {
            Head::Expr(expr, _) => {
                matches!(self.program.arena.get(expr), Expr::Repeat { max: Some(max), .. } if max < far)
            }
            _ => false,
        };
        self.only_state(id).is_some_and(|(state, _)| self.state(state).kernel.iter().any(is_counted))
    }

    /// If one of some characters leads from a place to another in which some loops have done one more round, and that is all:
    /// how that goes on.
    pub(crate) fn rounds(&self, before: LocalId, after: LocalId, chars: &ByteSet) -> Option<Rounds> {
        let ((a, node), (b, below)) = (self.only_state(before)?, self.only_state(after)?);
        let (a, b) = (&self.state(a).kernel, &self.state(b).kernel);
        if node != below || a.len() != b.len() || b.len() > u64::BITS as usize {
            return None;
        }
        let mut rounds = Rounds { node, cells: SmallVec::from_slice(b), go_on: 0, most: u32::MAX };
        for (i, &cell) in b.iter().enumerate() {
            let mut alike = a.iter().filter(|&&other| self.is_same_loop(other, cell));
            let (Some(&other), None) = (alike.next(), alike.next()) else { return None };
            if other != cell {
                rounds.go_on |= 1 << i;
                rounds.most = rounds.most.min(self.rounds_alike(other, cell, chars)?);
            }
        }
        (rounds.go_on != 0).then_some(rounds)
    }

    /// The place after so many more rounds of all loops that go on, which are no more than are alike.
    pub(crate) fn after_rounds(&self, rounds: &Rounds, more: u32) -> LocalId {
        let mut build = self.build();
        let cells: SmallVec<[CellId; 8]> = (0..)
            .zip(&rounds.cells)
            .map(|(i, &cell)| match self.cell(cell) {
                Cell { head: Head::Expr(expr, count), tail, .. } if rounds.go_on >> i & 1 == 1 => {
                    build.cell(Head::Expr(expr, count + more), tail)
                }
                _ => cell,
            })
            .collect();
        drop(build);
        self.local_of_cells(&cells, rounds.node)
    }

    /// Whether two cells are the same but for a number.
    fn is_same_loop(&self, a: CellId, b: CellId) -> bool {
        let (a, b) = (self.cell(a), self.cell(b));
        let same = match (a.head, b.head) {
            (Head::Expr(a, at), Head::Expr(b, other)) => {
                a == b && (at == other || matches!(self.program.arena.get(a), Expr::Repeat { .. }))
            }
            (a, b) => a == b,
        };
        same && a.tail == b.tail
    }

    /// If a cell is a loop of characters and another is that with one more round: how many rounds behind that nothing else
    /// changes. With the other things that may be repeated, a number would be in what follows them.
    fn rounds_alike(&self, before: CellId, after: CellId, chars: &ByteSet) -> Option<u32> {
        let (Head::Expr(expr, count), Head::Expr(_, next)) = (self.cell(before).head, self.cell(after).head)
        else {
            return None;
        };
        let Expr::Repeat { expr: body, min, max } = self.program.arena.get(expr) else { return None };
        let others = self.other_beginnings(body) & chars.ascii_bits();
        if next != count + 1 || others != 0 || self.repeated_chars(body).is_none() {
            return None;
        }
        // One round more is left in the end, and enough are done before or only behind all of them.
        let left = max.map_or(u32::MAX, |max| (max - next).saturating_sub(2));
        let needed = if count >= min { u32::MAX } else { (min - next.min(min)).saturating_sub(1) };
        Some(left.min(needed))
    }
}
