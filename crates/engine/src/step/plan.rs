//! What a step is asked to do: which sequences take which tokens, what may follow, and where the masks go.

use tokenstile_grammar::limits::Cancel;

use super::tree::DraftTree;
use crate::vocab::TokenId;

/// In a draft, the place of a token that there is none of. It is -1 in the arrays of engines.
pub const PADDING: TokenId = TokenId::MAX;

/// One sequence of a [`Batch`](super::Batch).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SequenceId {
    pub(super) slot: u32,
    /// How often the slot was used before, so that an id is not taken for that of another sequence.
    pub(super) use_count: u32,
}

/// What one sequence does in a step: it commits tokens, and then its masks are written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Turn<'a> {
    /// The sequence.
    pub sequence: SequenceId,
    /// What the model has written since the last step.
    pub tokens: &'a [TokenId],
    /// What may come next and has not been decided yet.
    pub draft: DraftTokens<'a>,
    /// The first of the rows that its masks are written to; they follow one another.
    pub row: usize,
}

impl<'a> Turn<'a> {
    /// A mask for a sequence as it stands, written to this row.
    pub fn new(sequence: SequenceId, row: usize) -> Self {
        Turn { sequence, tokens: &[], draft: DraftTokens::None, row }
    }

    /// The same, after these tokens were committed.
    #[must_use]
    pub fn commit(self, tokens: &'a [TokenId]) -> Self {
        Turn { tokens, ..self }
    }

    /// The same, with the masks along a draft.
    #[must_use]
    pub fn draft(self, draft: DraftTokens<'a>) -> Self {
        Turn { draft, ..self }
    }
}

/// Tokens that may come next, as a smaller model or a guess has them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum DraftTokens<'a> {
    /// None: the mask of where the sequence stands takes one row.
    None,
    /// One token after the other: n tokens take n + 1 rows, the first for where the sequence stands. What follows
    /// [`PADDING`] is not looked at.
    Chain(&'a [TokenId]),
    /// A tree of tokens.
    Tree(DraftTree<'a>),
}

impl DraftTokens<'_> {
    /// How many rows the masks take.
    pub fn rows(&self) -> usize {
        match self {
            DraftTokens::None => 1,
            DraftTokens::Chain(tokens) => tokens.len() + 1,
            DraftTokens::Tree(tree) => tree.rows(),
        }
    }
}

/// Where masks are written: rows of words in one buffer.
#[derive(Debug)]
pub struct MaskRows<'a> {
    pub(super) words: &'a mut [u32],
    pub(super) width: usize,
    pub(super) stride: usize,
}

impl<'a> MaskRows<'a> {
    /// Rows of `width` words that follow one another.
    pub fn new(words: &'a mut [u32], width: usize) -> Self {
        MaskRows { words, width, stride: width }
    }

    /// The same with so many words from the beginning of one row to the next. What lies between rows is left alone.
    #[must_use]
    pub fn with_stride(self, stride: usize) -> Self {
        MaskRows { stride, ..self }
    }
}

/// What stands in a row that has no mask of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fill {
    /// All bits are 0.
    Zeros,
    /// All bits are 1.
    Ones,
    /// The mask of the token before: of the last one that holds on the way to it. All bits are 1 if there is none.
    LastMask,
    /// What was in the buffer.
    Unchanged,
}

/// How a step is done.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepOptions {
    /// What stands in the rows behind a token of a draft that is refused.
    pub refused: Fill,
    /// What stands in the rows of a sequence that has ended, behind an end token of a draft, behind [`PADDING`], and of nodes that no root reaches.
    pub past: Fill,
    /// A row that allows at most so many tokens is reported as the list of them; 0 reports no lists. With 1 and more, a row
    /// that allows a single token is told from the others.
    pub few: usize,
    /// Of a row that allows a single token, at most so many of the tokens that must follow are reported.
    pub forced: usize,
    /// Whether the rows are shared among the threads of the current pool of `rayon`, if the feature is on.
    pub parallel: bool,
    /// Ends the step when it is raised: turns that were not begun are reported and left undone.
    pub cancel: Option<Cancel>,
}

impl Default for StepOptions {
    fn default() -> Self {
        StepOptions {
            refused: Fill::LastMask,
            past: Fill::Ones,
            few: 0,
            forced: 0,
            parallel: true,
            cancel: None,
        }
    }
}

impl StepOptions {
    /// The same with other rows behind a token that is refused.
    #[must_use]
    pub fn with_refused(self, refused: Fill) -> Self {
        StepOptions { refused, ..self }
    }

    /// The same with other rows where nothing is to be decided any more.
    #[must_use]
    pub fn with_past(self, past: Fill) -> Self {
        StepOptions { past, ..self }
    }

    /// The same with lists of rows that allow few tokens.
    #[must_use]
    pub fn with_few(self, few: usize) -> Self {
        StepOptions { few, ..self }
    }

    /// The same with what must follow where there is a single token.
    #[must_use]
    pub fn with_forced(self, forced: usize) -> Self {
        StepOptions { forced, ..self }
    }

    /// The same on one thread, or on those of the pool.
    #[must_use]
    pub fn with_parallel(self, parallel: bool) -> Self {
        StepOptions { parallel, ..self }
    }

    /// The same with a flag to cancel with, or with none.
    #[must_use]
    pub fn with_cancel(self, cancel: impl Into<Option<Cancel>>) -> Self {
        StepOptions { cancel: cancel.into(), ..self }
    }

    /// How many tokens a row may be reported with.
    pub(super) fn listed(&self) -> usize {
        if self.few == 0 { 0 } else { self.few.max(1 + self.forced) }
    }
}
