//! Choices with words among them, as the words and the rest.
//!
//! Where a keyword may stand or an identifier, every letter that a keyword begins with leads to a place of its own. Taken
//! apart, the keywords are literals, and the identifiers a run of characters that many grammars have.

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr};

use super::super::build::Build;
use super::super::objects::cell::{Cell, Head};
use super::super::objects::ids::{CellId, LocalId, NodeId, StateId};
use super::super::store::Store;
use crate::tuning::seen::{LETTERS, SPREAD_WAYS};

impl Store {
    /// A state that is a choice between literals that are words and other things, as one with a cell for each of them.
    pub(crate) fn spread(&self, id: StateId) -> Option<StateId> {
        let kernel = &self.state(id).kernel;
        let arena = &self.program.arena;
        let is_choice = |&cell: &CellId| match self.cell(cell).head {
            Head::Expr(expr, _) => matches!(arena.get(expr), Expr::Alt(_)),
            _ => false,
        };
        if !kernel.iter().any(is_choice) {
            return None;
        }
        let mut build = self.build();
        let (mut ways, mut todo): (SmallVec<[CellId; 8]>, SmallVec<[CellId; 16]>) =
            (SmallVec::new(), kernel.iter().copied().collect());
        while let Some(cell) = todo.pop() {
            let cell = build.unfold(cell);
            match self.cell(cell) {
                Cell { head: Head::Expr(expr, _), tail, .. } if let Expr::Alt(list) = arena.get(expr) => {
                    todo.extend(arena.list(list).iter().map(|&part| build.push(part, tail)));
                }
                _ => ways.push(cell),
            }
            if ways.len() + todo.len() > SPREAD_WAYS {
                return None;
            }
        }
        let has_word = ways.iter().any(|&cell| self.is_word(cell));
        let has_more = has_word && ways.iter().any(|&cell| build.begins_with_letters(cell));
        has_more.then(|| build.state(&ways))
    }

    fn is_word(&self, cell: CellId) -> bool {
        self.literal_at(cell).is_some_and(|(literal, _)| literal[0].is_ascii_alphabetic())
    }
}

/// A state without calls of rules that begin with letters, and where those begin.
pub(crate) struct WordsCalled {
    pub(crate) rest: StateId,
    pub(crate) calls: SmallVec<[LocalId; 4]>,
}

impl Store {
    /// Takes calls of rules out of a state that may begin with any letter and call nothing themselves, if it has those and
    /// more.
    pub(crate) fn words_called(&self, id: StateId, stack: NodeId) -> Option<WordsCalled> {
        let kernel = &self.state(id).kernel;
        let is_call = |&cell: &CellId| match self.cell(cell) {
            Cell { head: Head::Expr(expr, _), tail, .. } if tail != CellId::NIL => {
                matches!(self.program.arena.get(expr), Expr::Rule(_))
            }
            _ => false,
        };
        if kernel.len() < 2 || !kernel.iter().any(is_call) {
            return None;
        }
        let mut build = self.build();
        let (mut rest, mut calls): (SmallVec<[CellId; 8]>, SmallVec<[LocalId; 4]>) = Default::default();
        for &cell in kernel.iter() {
            match Some(cell).filter(is_call).and_then(|cell| build.word_call(cell, stack)) {
                Some(call) => calls.push(call),
                None => rest.push(cell),
            }
        }
        (!calls.is_empty() && !rest.is_empty()).then(|| WordsCalled { rest: build.state(&rest), calls })
    }
}

impl Build<'_> {
    /// Whether a cell is a class with most letters, or calls a rule that may begin with those.
    fn begins_with_letters(&mut self, cell: CellId) -> bool {
        let Cell { head: Head::Expr(expr, _), .. } = self.store.cell(cell) else { return false };
        let arena = &self.store.program.arena;
        match arena.get(expr) {
            Expr::Bytes(set) => has_letters(arena.byte_set(set)),
            Expr::Chars(set) => has_letters(&arena.char_set(set).ascii()),
            Expr::Rule(rule) => {
                let body = self.push(self.store.program.bodies[rule.index()], CellId::NIL);
                let start = self.state(&[body]);
                has_letters(&self.first_bytes(start, 0))
            }
            _ => false,
        }
    }

    /// The local at the start of a rule that a cell calls, if that is such a rule.
    fn word_call(&mut self, cell: CellId, stack: NodeId) -> Option<LocalId> {
        let Cell { head: Head::Expr(expr, _), tail, .. } = self.store.cell(cell) else { return None };
        let Expr::Rule(rule) = self.store.program.arena.get(expr) else { return None };
        let body = self.push(self.store.program.bodies[rule.index()], CellId::NIL);
        let start = self.state(&[body]);
        let calls = !self.store.expansion_in(self, start).calls.is_empty();
        if calls || !has_letters(&self.first_bytes(start, 0)) {
            return None;
        }
        let ret = self.state(&[tail]);
        let above = self.push_node(ret, stack);
        Some(self.local(&[(start, above)]))
    }
}

fn has_letters(bytes: &ByteSet) -> bool {
    bytes.intersect(&ByteSet::LETTERS).len() >= LETTERS
}
