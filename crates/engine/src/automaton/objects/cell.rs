//! Cells: what is left to match of one rule body.

use tokenstile_grammar::{CharSetId, ExprId};

use super::ids::{CellId, FormulaId};
use crate::tokens::pending::End;

/// What a cell matches before its tail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Head {
    /// An expression; the number is the offset into a literal, the position in a sequence, the count of finished
    /// rounds of a repetition, or a place in members or a machine.
    Expr(ExprId, u32),
    /// The rest of a character, from a node of its set's UTF-8 automaton.
    Utf8(CharSetId, u32),
    /// The rest of a boolean expression.
    Bool(FormulaId),
    /// The end of a frame that is an entry of some members.
    End(End),
    /// A cell in a frame of its own, up to the end of that.
    Frame(CellId),
    /// The end of the text. Nothing is read behind it, and no frame returns: so nothing can be pending there.
    Last,
}

/// What is left to match: see the module documentation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) head: Head,
    pub(crate) tail: CellId,
    /// The same cell with counters that cannot run out within one token set to one common value.
    pub(crate) clamped: CellId,
}
