//! One sequence: what it has committed, and what may come next.

mod ahead;
mod batch;
mod history;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use crate::constraint::{Constraint, Generation};
use crate::error::MatchError;
use crate::masks::WholeId;
use crate::session::{Place, Refused, Session};
use crate::stack::MovingStacks;
use crate::tokens::accept::{Accept, Union};
use crate::tracker::SPECIAL;
use crate::vocab::TokenId;

use history::{Here, History, Input, RECENT, Step};

pub use batch::fill_masks;

/// One sequence: where it stands, and how it got there.
///
/// A call that is refused changes nothing. Forking costs the same however long the text is; so does undoing a few steps, and
/// that of many is at most like doing as many.
pub struct Matcher {
    session: Session,
    /// Where it stands.
    here: Arc<Here>,
    history: History,
    /// The mask that was last asked for, and the place it belongs to.
    shown: Option<(Arc<Here>, Box<[u32]>)>,
}

impl Clone for Matcher {
    fn clone(&self) -> Self {
        Matcher {
            session: self.session.clone(),
            here: self.here.clone(),
            history: self.history.clone(),
            shown: None,
        }
    }
}

impl Constraint {
    /// A matcher at the start of a text.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.clone())
    }
}

impl Matcher {
    pub(crate) fn new(constraint: Constraint) -> Self {
        let session = Session::new(constraint);
        let here = Arc::new(Here::new(session.start(), &session.generation));
        Matcher { session, history: History::new(here.clone()), here, shown: None }
    }

    /// The constraint this sequence is matched against.
    pub fn constraint(&self) -> &Constraint {
        &self.session.constraint
    }

    /// Words of a mask: one bit per token id, 32 to a word.
    pub fn mask_words(&self) -> usize {
        self.session.constraint.mask_words()
    }

    /// How many bytes of text were committed.
    pub fn text_len(&self) -> usize {
        self.history.last.text_len
    }

    /// How many steps can be undone: one for each commit.
    pub fn steps(&self) -> usize {
        self.history.last.count
    }

    /// Writes the mask of the tokens that may come next: bit `i % 32` of word `i / 32` is token `i`.
    ///
    /// `words` must hold at least [`mask_words`](Matcher::mask_words); what is past that is set to 0.
    pub fn fill_mask(&mut self, words: &mut [u32]) -> Result<(), MatchError> {
        let needed = self.mask_words();
        if words.len() < needed {
            return Err(MatchError::MaskTooShort { given: words.len(), needed });
        }
        self.session.inner().counters.mask();
        if self.is_finished() {
            words.fill(0);
            return Ok(());
        }
        self.renew_if_full()?;
        let accepting = self.write_allowed(words)?;
        if self.session.inner().needs_proof {
            self.session.keep_completable(&self.here.place.0, words)?;
        }
        if let (config, Some(tracker)) = &self.here.place {
            self.session.correct(config, tracker, &mut words[..needed])?;
        }
        self.session.is_sound()?;
        if accepting {
            for &end in self.session.constraint.vocab().end_tokens() {
                if let Some(word) = words[..needed].get_mut(end as usize / 32) {
                    *word |= 1 << (end % 32);
                }
            }
        }
        Ok(())
    }

    /// The mask of the tokens that may come next, in a buffer of the matcher's own. Asking again before the next
    /// commit costs nothing.
    pub fn mask(&mut self) -> Result<&[u32], MatchError> {
        let valid = self.shown.as_ref().is_some_and(|(shown, _)| Arc::ptr_eq(shown, &self.here));
        if !valid {
            let words = self.shown.take().map(|(_, words)| words);
            let mut words = words.unwrap_or_else(|| vec![0; self.mask_words()].into());
            self.fill_mask(&mut words)?;
            self.shown = Some((self.here.clone(), words));
        }
        Ok(self.shown.as_ref().map_or(&[], |(_, words)| words))
    }

    /// Writes the mask of the tokens that the automaton allows; says whether the text may end.
    fn write_allowed(&self, words: &mut [u32]) -> Result<bool, MatchError> {
        let (config, kept) = (&self.here.place.0, &self.session.inner().common.kept);
        let Generation { store, masks, .. } = &*self.session.generation;
        if let Some(known) = self.whole() {
            return Ok(masks.write(store, kept, known, words));
        }
        let mut sets: SmallVec<[&Accept; 8]> = SmallVec::new();
        if let Some(time) = self.session.collect(config, &mut sets)? {
            self.session.inner().counters.cold_mask(time);
        }
        let (tokens, accepts) = (Union::of(&sets), self.session.accepts(config));
        let known = masks.remember(store, config, (tokens, accepts));
        self.here.know(known);
        Ok(masks.write(store, kept, known, words))
    }

    /// What is known of the configuration, if its mask was asked for before.
    fn whole(&self) -> Option<WholeId> {
        if let Some(number) = self.here.whole.load(Ordering::Relaxed).checked_sub(1) {
            return Some(WholeId(number));
        }
        let Generation { store, masks, .. } = &*self.session.generation;
        let found = masks.whole(store, &self.here.place.0)?;
        self.here.know(found);
        Some(found)
    }

    /// Whether `token` may come next. Looks at this token only.
    pub fn allows(&mut self, token: TokenId) -> Result<bool, MatchError> {
        let vocab = self.session.constraint.vocab();
        if token as usize >= vocab.width() || self.is_finished() {
            return Ok(false);
        }
        if vocab.end_tokens().contains(&token) {
            return Ok(self.is_accepting());
        }
        let Some(bytes) = vocab.bytes(token).map(<[u8]>::to_vec) else { return Ok(false) };
        self.renew_if_full()?;
        match self.session.go_on(&self.here.place, &bytes) {
            Ok(place) => self.session.is_completable_at(&place),
            Err(Refused::At(_)) => Ok(false),
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// Takes `token` as the next one.
    pub fn commit(&mut self, token: TokenId) -> Result<(), MatchError> {
        if self.is_finished() {
            return Err(MatchError::Finished);
        }
        let vocab = self.session.constraint.vocab();
        if token as usize >= vocab.width() || token as usize >= vocab.len() {
            return Err(MatchError::UnknownToken { token });
        }
        let forbidden = MatchError::Forbidden { token };
        if vocab.end_tokens().contains(&token) {
            if !self.is_accepting() {
                return Err(forbidden);
            }
            self.push(Input::End, self.here.place.clone(), 0);
            return Ok(());
        }
        self.renew_if_full()?;
        let vocab = self.session.constraint.vocab();
        let bytes = vocab.bytes(token).ok_or(forbidden)?;
        let place = match self.go_on_by(token, bytes) {
            Ok(place) => place,
            Err(Refused::At(_)) => return Err(forbidden),
            Err(Refused::Limit(e)) => return Err(e.into()),
        };
        let len = bytes.len();
        if !self.session.is_completable_at(&place)? {
            return Err(forbidden);
        }
        self.push(Input::Token(token), place, len);
        Ok(())
    }

    /// Takes `bytes` as the next part of the text, as one step.
    pub fn commit_bytes(&mut self, bytes: &[u8]) -> Result<(), MatchError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.is_finished() {
            return Err(MatchError::Finished);
        }
        self.renew_if_full()?;
        match self.session.go_on(&self.here.place, bytes) {
            Ok(place) => {
                if !self.session.is_alive_at(&place)? {
                    let at = self.session.dead_end(&self.here.place, bytes)?;
                    return Err(MatchError::ForbiddenByte { at, byte: bytes[at] });
                }
                self.push(Input::Bytes(Box::new(bytes.to_vec())), place, bytes.len());
                Ok(())
            }
            Err(Refused::At(at)) => {
                let at = self.session.dead_end(&self.here.place, &bytes[..=at])?;
                Err(MatchError::ForbiddenByte { at, byte: bytes[at] })
            }
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// Where a token leads from the last step.
    fn go_on_by(&self, token: TokenId, bytes: &[u8]) -> Result<Place, Refused> {
        let (config, tracker) = &self.here.place;
        let tracker = match tracker {
            Some(tracker) if !tracker.stays(bytes) => {
                if let Some(at) = bytes.iter().position(|b| SPECIAL.contains(b)) {
                    return Err(Refused::At(at));
                }
                let mut after = (**tracker).clone();
                let given = after.translate(bytes);
                let after = Some(Arc::new(after));
                if let Some(given) = given {
                    return Ok((self.session.advance(config, &given)?, after));
                }
                after
            }
            unchanged => unchanged.clone(),
        };
        let Generation { store, masks, .. } = &*self.session.generation;
        let Some(whole) = self.whole() else { return Ok((self.session.advance(config, bytes)?, tracker)) };
        if let Some(config) = masks.known_next(whole, config, token) {
            return Ok((config, tracker));
        }
        let next = self.session.advance(config, bytes)?;
        masks.remember_next(store, whole, (config, &next), token);
        Ok((next, tracker))
    }

    /// Undoes the last `steps` commits, an end token among them or not.
    pub fn rollback(&mut self, steps: usize) -> Result<(), MatchError> {
        let done = self.history.last.count;
        let Some(count) = done.checked_sub(steps) else {
            return Err(MatchError::NothingToUndo { asked: steps, done });
        };
        let target = self.history.step(count);
        if target.place_in(&self.session.generation).is_none() {
            self.renew_if_full()?;
        }
        self.here = self.place_at(&target)?;
        self.history.go_back(target);
        Ok(())
    }

    /// Where the sequence stood after a step: as it is kept, or else by playing what was committed since the last step before
    /// it of which that is kept.
    fn place_at(&self, target: &Arc<Step>) -> Result<Arc<Here>, MatchError> {
        let mut since: Vec<&Arc<Step>> = Vec::new();
        let mut step = target;
        let mut here = loop {
            match (step.place_in(&self.session.generation), &step.before) {
                (Some(here), _) => break here,
                (None, None) => break Arc::new(Here::new(self.session.start(), &self.session.generation)),
                (None, Some(before)) => {
                    since.push(step);
                    step = before;
                }
            }
        };
        for step in since.into_iter().rev() {
            let vocab = self.session.constraint.vocab();
            let bytes = match &step.input {
                Input::Token(token) => vocab.bytes(*token).unwrap_or_default(),
                Input::Bytes(bytes) => bytes,
                Input::Start | Input::End => &[],
            };
            let place = match self.session.go_on(&here.place, bytes) {
                Ok(place) => place,
                Err(Refused::Limit(e)) => return Err(e.into()),
                Err(Refused::At(at)) => return Err(MatchError::ForbiddenByte { at, byte: bytes[at] }),
            };
            here = Arc::new(Here::new(place, &self.session.generation));
            if target.count - step.count < RECENT {
                step.keep(here.clone());
            }
        }
        Ok(here)
    }

    /// A second sequence that starts where this one stands; the two do not see each other.
    #[must_use]
    pub fn fork(&self) -> Matcher {
        self.clone()
    }

    /// Back to the start of a text.
    pub fn reset(&mut self) {
        self.session = Session::new(self.session.constraint.clone());
        self.here = Arc::new(Here::new(self.session.start(), &self.session.generation));
        self.history = History::new(self.here.clone());
    }

    /// Whether the text so far is complete: an end token may come next.
    pub fn is_accepting(&self) -> bool {
        self.session.accepts(&self.here.place.0) && !self.is_finished()
    }

    /// Whether an end token was committed.
    pub fn is_finished(&self) -> bool {
        matches!(self.history.last.input, Input::End)
    }

    fn push(&mut self, input: Input, place: Place, len: usize) {
        self.here = Arc::new(Here::new(place, &self.session.generation));
        self.history.push(input, self.here.clone(), len);
        self.session.inner().retired.drop_some();
    }

    /// If the shared caches have grown too large, or have in them what was given up half-way, moves this sequence to new
    /// ones: where it stands, and where it stood after the steps of which that is kept.
    pub(crate) fn renew_if_full(&mut self) -> Result<(), MatchError> {
        let Session { constraint, generation } = &self.session;
        if self.session.is_sound().is_ok() && !generation.is_full(&constraint.inner.limits) {
            return Ok(());
        }
        let new = constraint.inner.renew(generation);
        let mut moving = MovingStacks::new(&generation.store, &new.store);
        let mut moved = |here: &Here| {
            let (config, tracker) = &here.place;
            Arc::new(Here::new((moving.config(config), tracker.clone()), &new))
        };
        let here = moved(&self.here);
        for step in self.history.placed() {
            if Arc::ptr_eq(step, &self.history.last) {
                step.keep(here.clone());
            } else if let Some(old) = step.place_in(generation) {
                step.keep(moved(&old));
            }
        }
        drop(moving);
        new.settle();
        self.here = here;
        let old = std::mem::replace(&mut self.session.generation, new);
        self.session.inner().retired.add(old);
        Ok(())
    }
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matcher")
            .field("steps", &self.steps())
            .field("text_len", &self.text_len())
            .field("heads", &self.here.place.0.len())
            .finish_non_exhaustive()
    }
}
