//! One call for a step of an inference server: tokens in, the masks of all sequences out.

mod job;
mod plan;
mod report;
mod tree;

use job::{Context, Job, Part};

use crate::matcher::{MaskKey, Matcher};

pub use plan::{DraftTokens, Fill, MaskRows, PADDING, SequenceId, StepOptions, Turn};
pub use report::{PlanError, RowKind, RowReport, StepReport, TurnReport};
pub use tree::DraftTree;

/// The sequences that a server works on together.
///
/// A [`step`](Batch::step) commits what the model has written to each, and writes the masks of what may come next, along
/// drafts too. The sequences may belong to different constraints.
///
/// ```
/// use tokenstile::{Batch, Compiler, DraftTokens, Grammar, Limits, MaskRows, StepOptions, Turn, Vocab};
/// let vocab = Vocab::from_tokens([(0, "a"), (1, "b"), (2, "c")], &[3])?;
/// let compiler = Compiler::new(vocab);
/// let ab = compiler.compile(&Grammar::gbnf(r#"root ::= "a" "b"* "c""#, &Limits::default())?)?;
///
/// let mut batch = Batch::new();
/// let (one, two) = (batch.insert(ab.matcher()), batch.insert(ab.matcher()));
/// let mut masks = [0; 4];
/// let turns = [Turn::new(one, 0), Turn::new(two, 1).commit(&[0]).draft(DraftTokens::Chain(&[1, 2]))];
/// let report = batch.step(&turns, MaskRows::new(&mut masks, 1), &StepOptions::default())?;
/// assert_eq!(report.error(), None);
/// assert_eq!(report.turns()[1].held, 2); // "a" is committed, and "bc" holds
/// assert_eq!(masks, [0b0001, 0b0110, 0b0110, 0b1000]);
/// assert_eq!(batch.get(two).map(|matcher| matcher.steps()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Batch {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// The turns of the plan by their rows: the first, how many, and whose they are.
    order: Vec<(usize, usize, usize)>,
    /// The turns that are being done, in the order of their rows. Empty between steps.
    jobs: Vec<Job>,
    report: StepReport,
    /// Which masks were written to which rows last.
    written: Vec<Option<MaskKey>>,
}

/// The place of one sequence.
#[derive(Default)]
struct Slot {
    /// Absent while its turn is done.
    matcher: Option<Matcher>,
    use_count: u32,
    /// The turn of the plan that is checked, plus one.
    turn: usize,
}

impl Batch {
    /// A batch of no sequences.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sequence, standing wherever it stands.
    pub fn insert(&mut self, matcher: Matcher) -> SequenceId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        });
        let place = &mut self.slots[slot as usize];
        place.matcher = Some(matcher);
        SequenceId { slot, use_count: place.use_count }
    }

    /// Takes a sequence out.
    pub fn remove(&mut self, id: SequenceId) -> Option<Matcher> {
        let slot = self.slots.get_mut(id.slot as usize).filter(|slot| slot.use_count == id.use_count)?;
        let matcher = slot.matcher.take()?;
        slot.use_count += 1;
        self.free.push(id.slot);
        Some(matcher)
    }

    /// The matcher of a sequence.
    pub fn get(&self, id: SequenceId) -> Option<&Matcher> {
        let slot = self.slots.get(id.slot as usize).filter(|slot| slot.use_count == id.use_count)?;
        slot.matcher.as_ref()
    }

    /// The matcher of a sequence, to be rolled back or forked.
    pub fn get_mut(&mut self, id: SequenceId) -> Option<&mut Matcher> {
        let slot = self.slots.get_mut(id.slot as usize).filter(|slot| slot.use_count == id.use_count)?;
        slot.matcher.as_mut()
    }

    /// How many sequences there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Does one step: of each turn first its tokens are committed, then its masks are written.
    ///
    /// A plan that cannot be done as a whole is an error, and nothing is done. What goes wrong with one sequence is in its
    /// [`TurnReport`], and does not stop the others. Rows that no turn names are left alone.
    pub fn step(
        &mut self,
        turns: &[Turn<'_>],
        masks: MaskRows<'_>,
        options: &StepOptions,
    ) -> Result<&StepReport, PlanError> {
        self.check(turns, &masks)?;
        self.begin(turns, options.listed());
        let MaskRows { words, width, stride } = masks;
        let context = Context { turns, options, width, stride };
        let StepReport { rows, listed, .. } = &mut self.report;
        let part = Part { words, first_row: 0, rows, listed, written: &mut self.written };
        run(&mut self.jobs, &context, part);
        self.end(turns);
        Ok(&self.report)
    }

    /// Takes the rows of the buffer for unknown: it is another one, or somebody else has written to it. Until then a row that is
    /// written as it was is reported as [`same`](RowReport::same).
    pub fn forget_rows(&mut self) {
        self.written.clear();
    }

    /// Whether a plan can be done.
    fn check(&mut self, turns: &[Turn<'_>], masks: &MaskRows<'_>) -> Result<(), PlanError> {
        let MaskRows { ref words, width, stride } = *masks;
        if stride < width {
            return Err(PlanError::StrideTooShort { stride, width });
        }
        let rows = if words.len() < width || width == 0 { 0 } else { (words.len() - width) / stride + 1 };
        self.slots.iter_mut().for_each(|slot| slot.turn = 0);
        self.order.clear();
        for (turn, asked) in turns.iter().enumerate() {
            let slot = self.slots.get_mut(asked.sequence.slot as usize);
            let slot = slot.filter(|slot| slot.use_count == asked.sequence.use_count);
            let Some(slot) = slot else { return Err(PlanError::UnknownSequence { turn }) };
            let Some(matcher) = &slot.matcher else { return Err(PlanError::UnknownSequence { turn }) };
            if slot.turn != 0 {
                return Err(PlanError::SameSequence { turn, sequence: asked.sequence });
            }
            slot.turn = turn + 1;
            let needed = matcher.mask_words();
            if width < needed {
                return Err(PlanError::RowTooShort { turn, width, needed });
            }
            let last = asked.row.saturating_add(asked.draft.rows() - 1);
            if last >= rows {
                return Err(PlanError::NoSuchRow { turn, row: last, rows });
            }
            if let DraftTokens::Tree(tree) = &asked.draft {
                tree.links()?;
            }
            self.order.push((asked.row, asked.draft.rows(), turn));
        }
        self.order.sort_unstable();
        match self.order.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
            Some(pair) => Err(PlanError::SameRow { turn: pair[1].2, row: pair[1].0 }),
            None => Ok(()),
        }
    }

    /// Takes the matchers out of their slots, and makes room for the report.
    fn begin(&mut self, turns: &[Turn<'_>], room: usize) {
        let mut first = 0;
        for &(row, rows, turn) in &self.order {
            let slot = &mut self.slots[turns[turn].sequence.slot as usize];
            if let Some(matcher) = slot.matcher.take() {
                let report = TurnReport { first, rows, ..TurnReport::default() };
                self.jobs.push(Job { matcher, turn, row, rows, report });
            }
            first += rows;
        }
        let end = self.order.last().map_or(0, |(row, rows, _)| row + rows);
        self.written.resize(end.max(self.written.len()), None);
        self.report.room = room;
        self.report.rows.clear();
        self.report.rows.resize(first, RowReport::new(0));
        self.report.listed.clear();
        self.report.listed.resize(first * room, 0);
        self.report.turns.clear();
        self.report.turns.resize(turns.len(), TurnReport::default());
    }

    /// Puts the matchers back.
    fn end(&mut self, turns: &[Turn<'_>]) {
        for job in self.jobs.drain(..) {
            self.report.turns[job.turn] = job.report;
            self.slots[turns[job.turn].sequence.slot as usize].matcher = Some(job.matcher);
        }
    }
}

/// Does turns whose rows follow one another.
fn run(jobs: &mut [Job], context: &Context<'_>, part: Part<'_>) {
    if let [job] = jobs {
        return job.run(context, part);
    }
    let middle = jobs.len() / 2;
    let Some(boundary) = jobs.get(middle).map(|job| job.row) else { return };
    let (first, second) = jobs.split_at_mut(middle);
    let (words, more_words) = part.words.split_at_mut((boundary - part.first_row) * context.stride);
    let count: usize = first.iter().map(|job| job.rows).sum();
    let (rows, more_rows) = part.rows.split_at_mut(count);
    let (listed, more_listed) = part.listed.split_at_mut(count * context.options.listed());
    let (written, more_written) = part.written.split_at_mut(boundary - part.first_row);
    let part = Part { words, first_row: part.first_row, rows, listed, written };
    let more = Part {
        words: more_words,
        first_row: boundary,
        rows: more_rows,
        listed: more_listed,
        written: more_written,
    };
    #[cfg(feature = "rayon")]
    if context.options.parallel {
        rayon::join(|| run(first, context, part), || run(second, context, more));
        return;
    }
    run(first, context, part);
    run(second, context, more);
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch").field("sequences", &self.len()).finish_non_exhaustive()
    }
}
