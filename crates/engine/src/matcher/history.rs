//! What a sequence has committed, and where it stood after some of it.
//!
//! The last few steps lie side by side, each with the place that it led away from, so undoing one of them is to take that
//! place back. Of older steps only the inputs are kept, in blocks that forks share; and of the places at the beginnings of blocks
//! some, fewer and fewer the further back they are: one in so many steps as there are since. What was done since one of them is played
//! again when it is asked for.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::constraint::Generation;
use crate::error::MatchError;
use crate::masks::WholeId;
use crate::session::{Place, Refused, Session};
use crate::stack::MovingStacks;
use crate::tuning::history::{BLOCK, LAST};
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

/// Inputs of [`BLOCK`] steps, linked to those before.
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
    /// The last steps, [`LAST`] at most. Forks share them until one goes on.
    recent: Arc<VecDeque<Step>>,
    /// What was committed before them and is no whole block yet.
    inputs: Vec<Input>,
    /// What was committed before that.
    blocks: Option<Arc<Block>>,
    /// Where the sequence stood at the beginnings of some blocks, by how many steps there were; that of none is among them
    /// if there are blocks.
    kept: Vec<(usize, Here)>,
}

/// Whether it is kept where a sequence stood after so many steps, when it is so many further.
fn is_kept(count: usize, since: usize) -> bool {
    let doublings = (since / (2 * BLOCK) + 1).ilog2();
    count.is_multiple_of(BLOCK << doublings)
}

/// The steps up to the end of a block.
fn end_of(block: Option<&Arc<Block>>) -> usize {
    block.map_or(0, |block| block.end)
}

impl History {
    /// How many steps there are.
    pub(super) fn count(&self) -> usize {
        self.start() + self.recent.len()
    }

    /// How many steps there are before the last ones.
    fn start(&self) -> usize {
        end_of(self.blocks.as_ref()) + self.inputs.len()
    }

    /// Adds a step, and where it led away from.
    #[inline]
    pub(super) fn push(&mut self, from: Here, input: Input) {
        if self.recent.len() == LAST {
            self.put_away();
        }
        Arc::make_mut(&mut self.recent).push_back(Step { from, input });
    }

    /// Takes the oldest of the last steps to those before.
    fn put_away(&mut self) {
        let at = self.start();
        let Some(Step { from, input }) = Arc::make_mut(&mut self.recent).pop_front() else { return };
        if self.inputs.is_empty() {
            self.inputs.reserve_exact(BLOCK);
            self.kept.push((at, from));
        }
        self.inputs.push(input);
        if self.inputs.len() == BLOCK {
            let (before, inputs) = (self.blocks.take(), std::mem::take(&mut self.inputs).into());
            self.blocks = Some(Arc::new(Block { before, inputs, end: at + 1 }));
            let count = self.count();
            self.kept.retain(|(at, _)| is_kept(*at, count - at));
        }
    }

    /// Whether some of what was committed is played again to go back to where the sequence stood after so many steps.
    pub(super) fn is_far(&self, count: usize) -> bool {
        count < self.start()
    }

    /// Goes back to where the sequence stood after so many steps, which are fewer than there are; says where that is.
    pub(super) fn go_back(&mut self, count: usize, session: &Session) -> Result<Option<Here>, MatchError> {
        if let Some(recent) = count.checked_sub(self.start()) {
            let steps = Arc::make_mut(&mut self.recent);
            steps.truncate(recent + 1);
            return Ok(steps.pop_back().map(|step| step.from));
        }
        let mut kept: Vec<(usize, Here)> =
            self.kept.iter().take_while(|(at, _)| *at <= count).cloned().collect();
        let Some((from, mut here)) = kept.pop() else { return Ok(None) };
        let mut again: Vec<&[Input]> = vec![&self.inputs];
        let mut blocks = self.blocks.as_ref();
        while let Some(block) = blocks.filter(|block| block.end > from) {
            again.push(&block.inputs);
            blocks = block.before.as_ref();
        }
        // All is kept as if the sequence had never gone further.
        let mut history = History { blocks: blocks.cloned(), kept, ..History::default() };
        for input in again.into_iter().rev().flatten().take(count - from) {
            let next = here.after(input, session)?;
            history.push(std::mem::replace(&mut here, next), input.clone());
        }
        *self = history;
        Ok(Some(here))
    }

    /// Takes all places over into other caches.
    pub(super) fn renew(&mut self, here: &mut Here, (from, to): (&Generation, &Generation)) {
        let mut moving = MovingStacks::new(&from.store, &to.store);
        here.renew(&mut moving);
        Arc::make_mut(&mut self.recent).iter_mut().for_each(|step| step.from.renew(&mut moving));
        self.kept.iter_mut().for_each(|(_, kept)| kept.renew(&mut moving));
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
            assert!(before.is_some_and(|before| at - before <= 2 * (count - at).max(BLOCK)), "{at}");
        }
        // What is not kept once is not asked for later.
        for at in (0..count / 8).step_by(BLOCK) {
            let times: Vec<bool> = (at..count).step_by(BLOCK).map(|now| is_kept(at, now - at)).collect();
            assert!(times.is_sorted_by(|a, b| a >= b), "{at}");
        }
    }
}
