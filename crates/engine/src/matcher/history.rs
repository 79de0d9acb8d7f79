//! What a sequence has committed, and where it stood after some of it.
//!
//! The last few steps lie side by side, each with the place that it led away from, so undoing one of them is to take that
//! place back. Of older steps only the inputs are kept, in blocks that forks share; and of the places between blocks some, fewer
//! and fewer the further back they are: one in so many steps as there are since. What was done since one of them is played
//! again when it is asked for.

use std::sync::Arc;

use crate::constraint::Generation;
use crate::error::MatchError;
use crate::masks::WholeId;
use crate::session::{Place, Refused, Session};
use crate::stack::MovingStacks;
use crate::tuning::history::RECENT;
use crate::vocab::{TokenId, Vocab};

/// Bytes that have room in an input.
const SHORT: usize = 14;

/// Where a sequence stands.
#[derive(Clone)]
pub(super) struct Here {
    /// The tracker is beside the automaton, for constraints that ask for it.
    pub(super) place: Place,
    /// What is remembered of the configuration's masks, once that was asked for.
    pub(super) whole: Option<WholeId>,
    /// Bytes of text up to here.
    pub(super) text_len: usize,
    /// Whether an end token was committed.
    pub(super) is_finished: bool,
}

impl Here {
    /// The start of a text.
    pub(super) fn start(session: &Session) -> Self {
        Here { place: session.start(), whole: None, text_len: 0, is_finished: false }
    }

    /// Where an input leads.
    fn after(&self, input: &Input, session: &Session) -> Result<Self, MatchError> {
        let bytes = input.bytes(session.constraint.vocab());
        let place = match (input, session.terminals()) {
            (Input::Token(token), Some(_)) => {
                session.advance_by(&self.place.0, *token).map(|config| (config, None))
            }
            _ => session.go_on(&self.place, bytes),
        };
        let place = match place {
            Ok(place) => place,
            Err(Refused::Limit(e)) => return Err(e.into()),
            Err(Refused::At(at)) => return Err(MatchError::ForbiddenByte { at, byte: bytes[at] }),
        };
        let text_len = self.text_len + bytes.len();
        Ok(Here { place, whole: None, text_len, is_finished: matches!(input, Input::End) })
    }

    /// Takes the place over into other caches.
    fn renew(&mut self, moving: &mut MovingStacks<'_>) {
        self.place.0 = moving.config(&self.place.0);
        self.whole = None;
    }
}

/// What was committed in a step.
#[derive(Clone)]
pub(super) enum Input {
    Token(TokenId),
    /// So many bytes.
    Short(u8, [u8; SHORT]),
    #[allow(clippy::box_collection, reason = "an input is small, and nearly none are long")]
    Long(Box<Vec<u8>>),
    End,
}

impl Input {
    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        let mut short = [0; SHORT];
        match (short.get_mut(..bytes.len()), u8::try_from(bytes.len())) {
            (Some(room), Ok(len)) => {
                room.copy_from_slice(bytes);
                Input::Short(len, short)
            }
            _ => Input::Long(Box::new(bytes.to_vec())),
        }
    }

    fn bytes<'a>(&'a self, vocab: &'a Vocab) -> &'a [u8] {
        match self {
            Input::Token(token) => vocab.bytes(*token).unwrap_or_default(),
            Input::Short(len, bytes) => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Input::Long(bytes) => bytes,
            Input::End => &[],
        }
    }
}

/// A commit, and where the sequence stood before it.
#[derive(Clone)]
struct Step {
    from: Here,
    input: Input,
}

/// Inputs of [`RECENT`] steps, linked to those before.
struct Block {
    before: Option<Arc<Block>>,
    inputs: Box<[Input]>,
    /// Steps up to the last of them.
    end: usize,
}

impl Drop for Block {
    /// In a loop: a long history must not use the call stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(block) = before {
            before = Arc::into_inner(block).and_then(|mut block| block.before.take());
        }
    }
}

/// All commits.
#[derive(Clone, Default)]
pub(super) struct History {
    /// The last steps, fewer than twice [`RECENT`].
    recent: Arc<Vec<Step>>,
    /// What was committed before them.
    blocks: Option<Arc<Block>>,
    /// Where the sequence stood after so many steps, for some numbers that are ends of blocks; that of none is among them if there are
    /// blocks.
    kept: Arc<[(usize, Here)]>,
}

/// Whether it is kept where a sequence stood after so many steps, when it is so many further.
fn is_kept(count: usize, since: usize) -> bool {
    let doublings = (since / (2 * RECENT) + 1).ilog2();
    count.is_multiple_of(RECENT << doublings)
}

/// The steps up to the end of a block.
fn end_of(block: Option<&Arc<Block>>) -> usize {
    block.map_or(0, |block| block.end)
}

impl History {
    /// How many steps there are.
    pub(super) fn count(&self) -> usize {
        end_of(self.blocks.as_ref()) + self.recent.len()
    }

    /// Adds a step, and where it led away from.
    pub(super) fn push(&mut self, from: Here, input: Input) {
        let recent = Arc::make_mut(&mut self.recent);
        recent.push(Step { from, input });
        if recent.len() == 2 * RECENT {
            self.put_away();
        }
    }

    /// Makes a block of the older half of the last steps.
    fn put_away(&mut self) {
        let (count, start) = (self.count(), end_of(self.blocks.as_ref()));
        let mut old = Arc::make_mut(&mut self.recent).drain(..RECENT);
        let mut inputs = Vec::with_capacity(RECENT);
        let first = old.next().map(|step| {
            inputs.push(step.input);
            (start, step.from)
        });
        inputs.extend(old.map(|step| step.input));
        let kept = self.kept.iter().filter(|(at, _)| is_kept(*at, count - at)).cloned();
        self.kept = kept.chain(first).collect();
        let (before, end) = (self.blocks.take(), start + inputs.len());
        self.blocks = Some(Arc::new(Block { before, inputs: inputs.into(), end }));
    }

    /// Whether some of what was committed is played again to go back to where the sequence stood after so many steps.
    pub(super) fn is_far(&self, count: usize) -> bool {
        count < end_of(self.blocks.as_ref())
    }

    /// Goes back to where the sequence stood after so many steps, which are fewer than there are; says where that is.
    pub(super) fn go_back(&mut self, count: usize, session: &Session) -> Result<Option<Here>, MatchError> {
        let start = end_of(self.blocks.as_ref());
        if let Some(recent) = count.checked_sub(start) {
            let steps = Arc::make_mut(&mut self.recent);
            steps.truncate(recent + 1);
            return Ok(steps.pop().map(|step| step.from));
        }
        let mut kept: Vec<(usize, Here)> =
            self.kept.iter().take_while(|(at, _)| *at <= count).cloned().collect();
        let Some((from, here)) = kept.pop() else { return Ok(None) };
        let mut again: Vec<&Arc<Block>> = Vec::new();
        let mut last = self.blocks.as_ref();
        while let Some(block) = last.filter(|block| block.end > from) {
            again.push(block);
            last = block.before.as_ref();
        }
        let (mut here, mut at, mut blocks, mut steps) = (here, from, last.cloned(), Vec::new());
        // Places are kept as if the sequence had never gone further.
        let recent = count.saturating_sub(RECENT) / RECENT * RECENT;
        for block in again.into_iter().rev() {
            let is_recent = at >= recent;
            if !is_recent {
                blocks = Some(block.clone());
                if is_kept(at, count - at) {
                    kept.push((at, here.clone()));
                }
            }
            for input in block.inputs.iter().take(count - at) {
                let next = here.after(input, session)?;
                let from = std::mem::replace(&mut here, next);
                if is_recent {
                    steps.push(Step { from, input: input.clone() });
                }
                at += 1;
            }
        }
        *self = History { recent: Arc::new(steps), blocks, kept: kept.into() };
        Ok(Some(here))
    }

    /// Takes all places over into other caches.
    pub(super) fn renew(&mut self, here: &mut Here, (from, to): (&Generation, &Generation)) {
        let mut moving = MovingStacks::new(&from.store, &to.store);
        here.renew(&mut moving);
        Arc::make_mut(&mut self.recent).iter_mut().for_each(|step| step.from.renew(&mut moving));
        Arc::make_mut(&mut self.kept).iter_mut().for_each(|(_, kept)| kept.renew(&mut moving));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_small() {
        assert_eq!(size_of::<Input>(), 16);
        assert!(size_of::<Step>() <= 96, "{}", size_of::<Step>());
    }

    #[test]
    fn few_steps_are_kept_and_none_is_far_from_one() {
        let count = 100_000;
        let kept: Vec<usize> = (0..=count).filter(|&at| is_kept(at, count - at)).collect();
        assert!(kept.len() < 64, "{} of {count}", kept.len());
        for at in (0..count).step_by(7) {
            let before = kept.iter().rev().find(|&&kept| kept <= at);
            assert!(before.is_some_and(|before| at - before <= 2 * (count - at).max(RECENT)), "{at}");
        }
        // What is not kept once is not asked for later.
        for at in (0..count / 8).step_by(RECENT) {
            let times: Vec<bool> = (at..count).step_by(RECENT).map(|now| is_kept(at, now - at)).collect();
            assert!(times.is_sorted_by(|a, b| a >= b), "{at}");
        }
    }
}
