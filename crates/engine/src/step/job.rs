//! One turn: its tokens are committed, and the masks along its draft are written.

use super::plan::{DraftTokens, Fill, PADDING, StepOptions, Turn};
use super::report::{RowKind, RowReport, TurnReport};
use super::tree::{DraftTree, Links, NONE};
use crate::error::MatchError;
use crate::matcher::{MaskKey, Matcher};
use crate::vocab::TokenId;

use smallvec::SmallVec;

/// A turn that is being worked on, with the matcher of its sequence.
pub(super) struct Job {
    pub(super) matcher: Matcher,
    /// Its place in the plan.
    pub(super) turn: usize,
    /// The number of its first row, and how many there are.
    pub(super) row: usize,
    pub(super) rows: usize,
    pub(super) report: TurnReport,
}

/// The part of the buffer and of the report that belongs to one turn, or to several that follow one another.
pub(super) struct Part<'a> {
    pub(super) words: &'a mut [u32],
    /// The number of the row that `words` begins with.
    pub(super) first_row: usize,
    pub(super) rows: &'a mut [RowReport],
    pub(super) listed: &'a mut [TokenId],
    /// Which masks the batch wrote to the rows from `first_row` on last.
    pub(super) written: &'a mut [Option<MaskKey>],
}

/// What is the same for all turns of a step.
pub(super) struct Context<'a> {
    pub(super) turns: &'a [Turn<'a>],
    pub(super) options: &'a StepOptions,
    pub(super) width: usize,
    pub(super) stride: usize,
}

impl Job {
    /// Does the turn.
    pub(super) fn run(&mut self, context: &Context<'_>, part: Part<'_>) {
        let turn = &context.turns[self.turn];
        for (index, report) in part.rows.iter_mut().enumerate() {
            *report = RowReport::new(self.row + index);
        }
        let skipped = self.row - part.first_row;
        let mut rows = Rows { context, offset: skipped * context.stride, skipped, part };
        if context.options.cancel.as_ref().is_some_and(|cancel| cancel.is_cancelled()) {
            self.report.cancelled = true;
            rows.part.rows.iter_mut().for_each(|row| row.kind = RowKind::Cancelled);
            return;
        }
        let done = self.commit(turn.tokens).and_then(|()| match &turn.draft {
            DraftTokens::None => rows.mask(&mut self.matcher, 0).map(|_| ()),
            DraftTokens::Chain(tokens) => self.chain(tokens, &mut rows),
            DraftTokens::Tree(tree) => self.tree(tree, &mut rows),
        });
        self.report.finished = self.matcher.is_finished();
        match done {
            Ok(()) => rows.fill_past(),
            Err(error) => {
                self.report.error = Some(error);
                rows.fail();
            }
        }
    }

    fn commit(&mut self, tokens: &[TokenId]) -> Result<(), MatchError> {
        for &token in tokens {
            self.matcher.commit(token)?;
            self.report.committed += 1;
        }
        Ok(())
    }

    /// The masks before and behind each token of a chain. The matcher stands where it stood afterwards, whatever comes.
    fn chain(&mut self, tokens: &[TokenId], rows: &mut Rows<'_, '_>) -> Result<(), MatchError> {
        let start = self.matcher.steps();
        let done = self.chain_from(tokens, rows);
        self.matcher.rollback(self.matcher.steps() - start)?;
        done
    }

    fn chain_from(&mut self, tokens: &[TokenId], rows: &mut Rows<'_, '_>) -> Result<(), MatchError> {
        let mut goes_on = rows.mask(&mut self.matcher, 0)?;
        for (index, &token) in tokens.iter().enumerate() {
            if !goes_on || token == PADDING {
                return Ok(());
            }
            if !take(&mut self.matcher, token)? {
                (index..tokens.len()).for_each(|behind| rows.refuse(behind + 1, index));
                return Ok(());
            }
            self.report.held += 1;
            goes_on = rows.mask(&mut self.matcher, index + 1)?;
        }
        Ok(())
    }

    /// The masks of all nodes of a tree. The matcher stands where it stood afterwards, whatever comes.
    fn tree(&mut self, tree: &DraftTree<'_>, rows: &mut Rows<'_, '_>) -> Result<(), MatchError> {
        // The plan was checked with the same links.
        let Ok(links) = tree.links() else { return Ok(()) };
        let start = self.matcher.steps();
        let done = self.tree_from(tree, &links, rows);
        self.matcher.rollback(self.matcher.steps() - start)?;
        done
    }

    fn tree_from(
        &mut self,
        tree: &DraftTree<'_>,
        links: &Links,
        rows: &mut Rows<'_, '_>,
    ) -> Result<(), MatchError> {
        if !rows.mask(&mut self.matcher, 0)? {
            return Ok(());
        }
        // The nodes on the way to where the matcher stands; the next one to look at is below or beside the last of them.
        let mut path: SmallVec<[u32; 64]> = SmallVec::from_iter([0]);
        let mut next = links.first[0];
        while let Some(&above) = path.last() {
            if next == NONE {
                path.pop();
                next = links.next[above as usize];
                if !path.is_empty() {
                    self.matcher.rollback(1)?;
                }
                continue;
            }
            let node = next as usize;
            let token = tree.token(node);
            next = links.next[node];
            if token == PADDING {
                continue;
            }
            if !take(&mut self.matcher, token)? {
                refuse_below(links, node, above as usize, rows);
                continue;
            }
            self.report.held += 1;
            if rows.mask(&mut self.matcher, node)? {
                path.push(node as u32);
                next = links.first[node];
            } else {
                self.matcher.rollback(1)?;
            }
        }
        Ok(())
    }
}

/// Commits a token of a draft; says whether it is allowed.
fn take(matcher: &mut Matcher, token: TokenId) -> Result<bool, MatchError> {
    match matcher.commit(token) {
        Ok(()) => Ok(true),
        Err(MatchError::Forbidden { .. } | MatchError::UnknownToken { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A node was refused that hangs on `above`: so is all that is below it.
fn refuse_below(links: &Links, node: usize, above: usize, rows: &mut Rows<'_, '_>) {
    rows.refuse(node, above);
    let mut open: SmallVec<[u32; 64]> = SmallVec::from_iter([links.first[node]]);
    while let Some(node) = open.pop() {
        if node != NONE {
            rows.refuse(node as usize, above);
            open.extend([links.first[node as usize], links.next[node as usize]]);
        }
    }
}

/// The rows of one turn.
struct Rows<'a, 'b> {
    context: &'a Context<'a>,
    /// Where the words of its first row begin.
    offset: usize,
    /// How many rows of the part are before its first.
    skipped: usize,
    part: Part<'b>,
}

impl Rows<'_, '_> {
    fn words(&mut self, row: usize) -> &mut [u32] {
        let start = self.offset + row * self.context.stride;
        &mut self.part.words[start..start + self.context.width]
    }

    /// Writes the mask of where the matcher stands; says whether anything may follow. Where it has ended, the row stays one
    /// in which nothing is decided.
    fn mask(&mut self, matcher: &mut Matcher, row: usize) -> Result<bool, MatchError> {
        if matcher.is_finished() {
            return Ok(false);
        }
        matcher.fill_mask(self.words(row))?;
        let key = matcher.mask_key();
        let report = &mut self.part.rows[row];
        report.kind = RowKind::Mask;
        report.same = key.is_some() && self.part.written[self.skipped + row] == key;
        self.part.written[self.skipped + row] = key;
        if self.context.options.few > 0 {
            self.list(matcher, row)?;
        }
        Ok(true)
    }

    /// If a row allows few tokens, lists them.
    fn list(&mut self, matcher: &mut Matcher, row: usize) -> Result<(), MatchError> {
        let (few, room) = (self.context.options.few, self.context.options.listed());
        let mut found: SmallVec<[TokenId; 32]> = SmallVec::new();
        for (index, &word) in self.words(row).iter().enumerate() {
            let mut word = word;
            while word != 0 {
                if found.len() == few {
                    return Ok(());
                }
                found.push((32 * index) as TokenId + word.trailing_zeros());
                word &= word - 1;
            }
        }
        let report = &mut self.part.rows[row];
        report.kind = if found.len() == 1 { RowKind::One } else { RowKind::Few };
        if found.len() == 1 {
            follow(matcher, &mut found, self.context.options.forced)?;
        }
        report.tokens = found.len();
        self.part.listed[row * room..row * room + found.len()].copy_from_slice(&found);
        Ok(())
    }

    /// A row behind a token that is refused; `last` is that of the last token that holds.
    fn refuse(&mut self, row: usize, last: usize) {
        self.part.rows[row].kind = RowKind::Refused;
        self.fill(row, self.context.options.refused, last);
    }

    /// Fills what no token came to.
    fn fill_past(&mut self) {
        let mut last = 0;
        for row in 0..self.part.rows.len() {
            match self.part.rows[row].kind {
                RowKind::Past => self.fill(row, self.context.options.past, last),
                RowKind::Refused => {}
                _ => last = row,
            }
        }
    }

    fn fill(&mut self, row: usize, fill: Fill, last: usize) {
        if fill != Fill::Unchanged {
            self.part.written[self.skipped + row] = None;
        }
        match fill {
            Fill::Zeros => self.words(row).fill(0),
            Fill::Ones => self.words(row).fill(u32::MAX),
            Fill::LastMask if self.part.rows[last].kind == RowKind::Past => self.words(row).fill(u32::MAX),
            Fill::LastMask => {
                let (from, to) =
                    (self.offset + last * self.context.stride, self.offset + row * self.context.stride);
                self.part.words.copy_within(from..from + self.context.width, to);
            }
            Fill::Unchanged => {}
        }
    }

    /// No row is to be relied on.
    fn fail(&mut self) {
        for row in 0..self.part.rows.len() {
            self.part.rows[row] =
                RowReport { kind: RowKind::Failed, ..RowReport::new(self.part.rows[row].row) };
            self.part.written[self.skipped + row] = None;
            self.words(row).fill(0);
        }
    }
}

/// Adds what must follow a single token, at most `most` tokens. The matcher stands where it stood afterwards.
fn follow(
    matcher: &mut Matcher,
    tokens: &mut SmallVec<[TokenId; 32]>,
    most: usize,
) -> Result<(), MatchError> {
    let start = matcher.steps();
    let mut followed = Ok(());
    while followed.is_ok() && tokens.len() <= most {
        let Some(&last) = tokens.last() else { break };
        match matcher.commit(last).and_then(|()| matcher.single_token()) {
            Ok(Some(next)) => tokens.push(next),
            Ok(None) => break,
            Err(error) => followed = Err(error),
        }
    }
    matcher.rollback(matcher.steps() - start)?;
    followed
}
