//! What a step has done, and what was wrong with a plan.

use std::fmt;

use crate::error::MatchError;
use crate::vocab::TokenId;

use super::plan::SequenceId;

/// What a step has done. It is the batch's own, and the next step writes a new one.
#[derive(Debug, Default)]
pub struct StepReport {
    pub(super) turns: Vec<TurnReport>,
    pub(super) rows: Vec<RowReport>,
    /// Of each row, room for the tokens that are listed.
    pub(super) listed: Vec<TokenId>,
    pub(super) room: usize,
}

impl StepReport {
    /// The turns, in the plan's order.
    pub fn turns(&self) -> &[TurnReport] {
        &self.turns
    }

    /// The rows that were written, by their numbers.
    pub fn rows(&self) -> &[RowReport] {
        &self.rows
    }

    /// The rows of one turn, in their order.
    pub fn rows_of(&self, turn: usize) -> &[RowReport] {
        self.turns.get(turn).map_or(&[], |turn| &self.rows[turn.first..turn.first + turn.rows])
    }

    /// Of the row at this place of [`rows`](StepReport::rows): the tokens it allows in their order, if it is
    /// [`RowKind::Few`]; the single one and those that must follow it, if it is [`RowKind::One`]; else none.
    pub fn tokens(&self, index: usize) -> &[TokenId] {
        let Some(row) = self.rows.get(index) else { return &[] };
        let start = index * self.room;
        self.listed.get(start..start + row.tokens).unwrap_or(&[])
    }

    /// The first turn that failed, and why.
    pub fn error(&self) -> Option<(usize, MatchError)> {
        self.turns.iter().enumerate().find_map(|(turn, report)| Some((turn, report.error?)))
    }
}

/// What became of one turn.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TurnReport {
    /// How many of its tokens were committed.
    pub committed: usize,
    /// How many tokens of the draft hold: in a chain, before the first that is refused; in a tree, in all.
    pub held: usize,
    /// Why it went no further: the first token that was not committed is forbidden, or a mask could not be made. What
    /// was committed before stays.
    pub error: Option<MatchError>,
    /// Whether the sequence has ended.
    pub finished: bool,
    /// Whether nothing was done, since the step was cancelled before.
    pub cancelled: bool,
    /// Where its rows begin among those of the report.
    pub(super) first: usize,
    pub(super) rows: usize,
}

/// What was written to one row.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RowReport {
    /// The row's number in the buffer.
    pub row: usize,
    /// What it has.
    pub kind: RowKind,
    /// Whether the row is known to be the same as the batch wrote it last: what was made of it then need not be made again. A
    /// row may be the same without that being known.
    pub same: bool,
    /// How many tokens [`StepReport::tokens`] has for it.
    pub(super) tokens: usize,
}

impl RowReport {
    pub(super) fn new(row: usize) -> Self {
        RowReport { row, kind: RowKind::Past, same: false, tokens: 0 }
    }
}

/// What a row has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RowKind {
    /// A mask.
    Mask,
    /// A mask with a single token, if lists were asked for.
    One,
    /// A mask with few tokens, if lists were asked for.
    Few,
    /// Behind a token of the draft that is refused: what [`StepOptions::refused`](super::StepOptions::refused) says.
    Refused,
    /// Nothing is to be decided there: what [`StepOptions::past`](super::StepOptions::past) says.
    Past,
    /// No mask could be made, and all its bits are 0: the turn has the error.
    Failed,
    /// The step was cancelled before: the row is unchanged.
    Cancelled,
}

/// What is wrong with a plan. Nothing was done of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PlanError {
    /// The batch has no such sequence.
    UnknownSequence {
        /// The turn.
        turn: usize,
    },
    /// Two turns are about one sequence.
    SameSequence {
        /// The later turn.
        turn: usize,
        /// The sequence.
        sequence: SequenceId,
    },
    /// The buffer has too few rows.
    NoSuchRow {
        /// The turn.
        turn: usize,
        /// The row that it would write to.
        row: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// Two turns write to one row.
    SameRow {
        /// One of the turns.
        turn: usize,
        /// The row.
        row: usize,
    },
    /// A row is narrower than the masks of a sequence.
    RowTooShort {
        /// The turn.
        turn: usize,
        /// Words of a row.
        width: usize,
        /// Words of a mask.
        needed: usize,
    },
    /// Rows would overlap.
    StrideTooShort {
        /// Words from one row to the next.
        stride: usize,
        /// Words of a row.
        width: usize,
    },
    /// The arrays of a tree do not have one entry for each token, or it has no root.
    TreeLengths {
        /// How many tokens there are.
        tokens: usize,
        /// How many entries.
        links: usize,
    },
    /// A link of a tree leads to no node, or to one that has another parent already.
    TreeLink {
        /// The node.
        node: usize,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PlanError::UnknownSequence { turn } => write!(f, "turn {turn}: the batch has no such sequence"),
            PlanError::SameSequence { turn, .. } => write!(f, "turn {turn}: its sequence has a turn already"),
            PlanError::NoSuchRow { turn, row, rows } => {
                write!(f, "turn {turn}: row {row} is not in the buffer, which has {rows}")
            }
            PlanError::SameRow { turn, row } => {
                write!(f, "turn {turn}: another turn writes to row {row} too")
            }
            PlanError::RowTooShort { turn, width, needed } => {
                write!(f, "turn {turn}: a row has {width} words, but its masks have {needed}")
            }
            PlanError::StrideTooShort { stride, width } => {
                write!(f, "rows of {width} words cannot be {stride} words apart")
            }
            PlanError::TreeLengths { tokens, links } => {
                write!(f, "a tree of {tokens} tokens has {links} links, or it has no root")
            }
            PlanError::TreeLink { node } => {
                write!(f, "node {node} of a tree is linked to no node, or to one of another parent")
            }
        }
    }
}

impl std::error::Error for PlanError {}
