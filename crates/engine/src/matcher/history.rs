//! What a sequence has committed, and where it stood after some of it.
//!
//! A step is a token, and little more: long texts have many. Where the sequence stood after it takes more room, so that is
//! kept of the last few steps, and of fewer and fewer the further back they are: one in so many as there are steps since. What
//! lies between is played again when it is asked for, which is never more than twice what was undone before.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::constraint::Generation;
use crate::masks::WholeId;
use crate::session::Place;
use crate::vocab::TokenId;

/// So many steps at least can be undone without anything being played again.
pub(super) const RECENT: usize = 32;

/// Where a sequence stands.
pub(super) struct Here {
    /// The tracker is beside the automaton, for constraints that ask for it.
    pub(super) place: Place,
    /// The number of the [`WholeId`] of the configuration plus one; 0 while it is not known.
    pub(super) whole: AtomicU32,
    /// The caches that the configuration is made of.
    generation: u64,
}

impl Here {
    pub(super) fn new(place: Place, generation: &Generation) -> Self {
        Here { place, whole: AtomicU32::new(0), generation: generation.number }
    }

    /// Takes note of where the configuration's masks are.
    pub(super) fn know(&self, whole: WholeId) {
        self.whole.store(whole.0 + 1, Ordering::Relaxed);
    }
}

pub(super) enum Input {
    Start,
    Token(TokenId),
    #[allow(clippy::box_collection, reason = "a step is small, and nearly all are tokens")]
    Bytes(Box<Vec<u8>>),
    End,
}

/// One commit, linked to the one before.
pub(super) struct Step {
    pub(super) before: Option<Arc<Step>>,
    pub(super) input: Input,
    /// Commits up to this one.
    pub(super) count: usize,
    /// Bytes of text up to this one.
    pub(super) text_len: usize,
    /// Where the sequence stood after it, as long as that is kept. Sequences that have the step in common may be of different
    /// caches.
    place: Mutex<Option<Arc<Here>>>,
}

impl Step {
    /// Where the sequence stood after it, if that is kept for these caches.
    pub(super) fn place_in(&self, generation: &Generation) -> Option<Arc<Here>> {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        place.as_ref().filter(|here| here.generation == generation.number).cloned()
    }

    pub(super) fn keep(&self, here: Arc<Here>) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(here);
    }

    fn forget(&self) {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(place); // after the lock
    }
}

impl Drop for Step {
    /// In a loop: a long history must not use the call stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(step) = before {
            before = Arc::into_inner(step).and_then(|mut s| s.before.take());
        }
    }
}

/// All commits.
#[derive(Clone)]
pub(super) struct History {
    pub(super) last: Arc<Step>,
    /// Steps before the recent ones of which it is kept where the sequence stood, the last one first.
    far: Arc<[Arc<Step>]>,
}

/// Whether it is kept where a sequence stood after so many steps, when it is so many further.
fn is_kept(count: usize, since: usize) -> bool {
    let doublings = (since / (2 * RECENT) + 1).ilog2();
    count.is_multiple_of(RECENT << doublings)
}

impl History {
    /// That of a sequence at its start.
    pub(super) fn new(start: Arc<Here>) -> Self {
        let place = Mutex::new(Some(start));
        let last = Arc::new(Step { before: None, input: Input::Start, count: 0, text_len: 0, place });
        History { last, far: Arc::default() }
    }

    /// Adds a commit.
    pub(super) fn push(&mut self, input: Input, here: Arc<Here>, len: usize) {
        let Step { count, text_len, .. } = *self.last;
        self.last = Arc::new(Step {
            before: Some(self.last.clone()),
            input,
            count: count + 1,
            text_len: text_len + len,
            place: Mutex::new(Some(here)),
        });
        if self.last.count.is_multiple_of(RECENT) {
            self.thin_out();
        }
    }

    /// Forgets where the sequence stood after steps that are no longer recent.
    fn thin_out(&mut self) {
        let count = self.last.count;
        let mut far: Vec<Arc<Step>> = Vec::new();
        for step in self.recent(2 * RECENT).skip(RECENT) {
            if is_kept(step.count, count - step.count) {
                far.push(step.clone());
            } else {
                step.forget();
            }
        }
        let oldest = far.last().map_or(count, |step| step.count);
        for step in self.far.iter().filter(|step| step.count < oldest) {
            if is_kept(step.count, count - step.count) {
                far.push(step.clone());
            } else {
                step.forget();
            }
        }
        self.far = far.into();
    }

    /// The last so many steps, the last one first.
    fn recent(&self, many: usize) -> impl Iterator<Item = &Arc<Step>> {
        std::iter::successors(Some(&self.last), |step| step.before.as_ref()).take(many)
    }

    /// The steps of which it may be kept where the sequence stood.
    pub(super) fn placed(&self) -> impl Iterator<Item = &Arc<Step>> {
        self.recent(2 * RECENT).chain(self.far.iter())
    }

    /// The step after so many commits, at most as many as there are.
    pub(super) fn step(&self, count: usize) -> Arc<Step> {
        let mut step = &self.last;
        while let Some(before) = step.before.as_ref().filter(|_| step.count > count) {
            step = before;
        }
        step.clone()
    }

    /// Goes back to an earlier step.
    pub(super) fn go_back(&mut self, step: Arc<Step>) {
        if self.far.first().is_some_and(|far| far.count > step.count) {
            self.far = self.far.iter().filter(|far| far.count <= step.count).cloned().collect();
        }
        self.last = step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
