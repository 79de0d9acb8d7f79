//! Texts of a loop but for a few: keys that are none of the names.
//!
//! `And[loop, Not[texts]]` is a formula like others, but so frequent that it has a form of its own: a cell whose number is
//! a place on the way to the excepted texts. A byte leads along some of them or away, into the plain loop, for good.

use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::ByteSet;

use super::super::build::{Build, Here};
use super::super::exprs::Exceptions;
use super::super::objects::cell::{Cell, Head};
use super::super::objects::ids::{CellId, StateId};
use super::super::store::Store;
use super::all_but_few::AllButFew;

/// A state that is texts of a loop but for a few, then something else.
pub(crate) struct Except<'a> {
    pub(crate) exceptions: &'a Exceptions,
    /// The place among the exceptions.
    pub(crate) at: u32,
    /// The state with the same texts but for exceptions: any, if the loop may end here, or those that go on.
    pub(crate) like: StateId,
    /// What follows.
    pub(crate) tail: StateId,
}

impl Store {
    /// A state as texts of a loop but for a few, if that is what it is.
    pub(crate) fn except(&self, state: StateId) -> Option<Except<'_>> {
        let [cell] = self.state(state).kernel[..] else { return None };
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return None };
        let exceptions = self.program.exceptions(expr).filter(|exceptions| exceptions.is_between(at))?;
        let mut build = self.build();
        let again = build.cell(Head::Expr(exceptions.repeat, 0), tail);
        let like = if exceptions.may_end(at) { again } else { build.push(exceptions.body, again) };
        let (like, tail) = (build.state(&[like]), build.state(&[tail]));
        Some(Except { exceptions, at, like, tail })
    }

    /// The same as texts of an expression but for those that can be told one by one.
    pub(in crate::automaton) fn except_few(
        &self,
        exceptions: &Exceptions,
        at: u32,
        tail: CellId,
    ) -> Option<AllButFew> {
        if !exceptions.is_between(at) {
            return None;
        }
        let mut build = self.build();
        let all = build.cell(Head::Expr(exceptions.repeat, 0), CellId::NIL);
        let (all, tail) = (build.state(&[all]), build.state(&[tail]));
        Some(AllButFew { all, tail, few: exceptions.texts_from(at).map(<[u8]>::to_vec).collect() })
    }

    /// How many of `bytes` a cell takes that is such texts, and where it then is: as many as lead along the exceptions and
    /// then, in the plain loop, are ASCII characters of it.
    pub(crate) fn along_exceptions(&self, cell: CellId, bytes: &[u8]) -> Option<(usize, Head)> {
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return None };
        let exceptions = self.program.exceptions(expr)?;
        // What follows must not be taken for more of the loop.
        if self.literal_at(tail).is_none_or(|(literal, _)| exceptions.bytes().contains(literal[0])) {
            return None;
        }
        let (mut at, mut taken) = (at, 0);
        while let Some(child) = bytes.get(taken).and_then(|&byte| exceptions.child(at, byte)) {
            (at, taken) = (child, taken + 1);
        }
        let plain = bytes[taken..].iter().take_while(|&&byte| exceptions.ascii.contains(byte)).count();
        Some(match plain {
            _ if !exceptions.is_between(at) => return None,
            0 => (taken, Head::Expr(expr, at)),
            _ => (taken + plain, Head::Expr(exceptions.repeat, 0)),
        })
    }

    /// If a cell is such texts and cannot go on with a byte: what follows, if it may end instead.
    pub(in crate::automaton) fn behind_exceptions(&self, cell: CellId, byte: u8) -> Option<Option<CellId>> {
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return None };
        let exceptions = self.program.exceptions(expr)?;
        let stops = exceptions.is_between(at) && !exceptions.bytes().contains(byte);
        stops.then(|| exceptions.may_end(at).then_some(tail))
    }
}

impl Build<'_> {
    /// The cells in the plain loop that consume a byte where the exceptions are left.
    pub(in crate::automaton) fn beside_exceptions(
        &mut self,
        exceptions: &Exceptions,
        at: u32,
        tail: CellId,
    ) -> SmallVec<[CellId; 8]> {
        let again = self.cell(Head::Expr(exceptions.repeat, 0), tail);
        let mut cells: SmallVec<[CellId; 8]> = SmallVec::from_slice(&[self.push(exceptions.body, again)]);
        for &byte in exceptions.partial(at) {
            let terminals = self.closure(&cells, Here::default()).terminals;
            cells.clear();
            terminals.iter().for_each(|&cell| self.after_byte(cell, byte, &mut cells));
        }
        self.closure(&cells, Here::default()).terminals.into_iter().collect()
    }

    /// Adds the cells that a byte leads to.
    pub(in crate::automaton) fn after_except(
        &mut self,
        (expr, exceptions): (ExprId, &Exceptions),
        (at, tail): (u32, CellId),
        byte: u8,
        out: &mut SmallVec<[CellId; 8]>,
    ) {
        if let Some(child) = exceptions.child(at, byte) {
            out.push(self.cell(Head::Expr(expr, child), tail));
        } else if exceptions.is_between(at) && exceptions.ascii.contains(byte) {
            out.push(self.cell(Head::Expr(exceptions.repeat, 0), tail));
        } else {
            for cell in self.beside_exceptions(exceptions, at, tail) {
                self.after_byte(cell, byte, out);
            }
        }
    }

    /// The edges by byte.
    #[inline(never)] // most states have none
    pub(in crate::automaton) fn edges_of_except(
        &mut self,
        (expr, exceptions): (ExprId, &Exceptions),
        (at, tail): (u32, CellId),
        edges: &mut Vec<(ByteSet, CellId)>,
    ) {
        let named: ByteSet = exceptions.children(at).map(|child| child.0).collect();
        let beside = self.beside_exceptions(exceptions, at, tail);
        let beside = self.edges(&beside);
        edges.extend(
            beside.into_iter().map(|(set, next)| (set.minus(&named), next)).filter(|e| !e.0.is_empty()),
        );
        for (byte, child) in exceptions.children(at) {
            edges.push((ByteSet::single(byte), self.cell(Head::Expr(expr, child), tail)));
        }
    }
}
