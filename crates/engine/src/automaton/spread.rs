//! Choices with words among them, as the words and the rest.
//!
//! Where a keyword may stand or an identifier, every letter that a keyword begins with leads to a place of its own. Taken
//! apart, the keywords are literals, and the identifiers a run of characters that many grammars have.

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr};

use super::build::Build;
use super::store::{Cell, CellId, Head, StateId, Store};

/// How many ways there may be.
const WAYS: usize = 64;
/// So many letters make an alphabet.
const LETTERS: usize = 10;

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
            match self.cell_of(cell) {
                Some(Cell { head: Head::Expr(expr, _), tail, .. }) if let Expr::Alt(list) = arena.get(expr) => {
                    todo.extend(arena.list(list).iter().map(|&part| build.push(part, tail)));
                }
                _ => ways.push(cell),
            }
            if ways.len() + todo.len() > WAYS {
                return None;
            }
        }
        let is_word = |&cell: &CellId| self.literal_word(cell);
        let others = ways.iter().any(|&cell| self.begins_with_letters(cell));
        (others && ways.iter().any(is_word)).then(|| build.state(&ways))
    }

    fn cell_of(&self, cell: CellId) -> Option<Cell> {
        (cell != CellId::NIL).then(|| self.cell(cell))
    }

    fn literal_word(&self, cell: CellId) -> bool {
        self.cell_of(cell).is_some()
            && self.literal_at(cell).is_some_and(|(literal, _)| literal[0].is_ascii_alphabetic())
    }

    /// Whether a cell is a class with most letters, or a call.
    fn begins_with_letters(&self, cell: CellId) -> bool {
        let Some(Cell { head: Head::Expr(expr, _), .. }) = self.cell_of(cell) else { return false };
        let arena = &self.program.arena;
        match arena.get(expr) {
            Expr::Bytes(set) => has_letters(arena.byte_set(set)),
            Expr::Chars(set) => has_letters(&arena.char_set(set).ascii()),
            Expr::Rule(_) => true,
            _ => false,
        }
    }
}

impl Build<'_> {
    /// Whether a frame may begin with any letter: then it is walked by itself, although it calls nothing.
    pub(super) fn begins_with_letters(&mut self, start: StateId) -> bool {
        has_letters(&self.first_bytes(start, 0))
    }
}

fn has_letters(bytes: &ByteSet) -> bool {
    bytes.intersect(&ByteSet::range(b'a', b'z').union(&ByteSet::range(b'A', b'Z'))).len() >= LETTERS
}
