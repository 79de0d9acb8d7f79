//! One sequence: what it has committed, and what may come next.

mod ahead;
mod batch;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use crate::constraint::{Constraint, Generation};
use crate::error::MatchError;
use crate::masks::WholeId;
use crate::session::{Place, Refused, Session};
use crate::tokens::accept::{Accept, Union};
use crate::tracker::SPECIAL;
use crate::vocab::TokenId;

pub use batch::fill_masks;

/// One sequence: where it stands, and how it got there.
///
/// A call that is refused changes nothing. Forking and undoing cost the same however long the text is.
pub struct Matcher {
    pub(super) session: Session,
    pub(super) last: Arc<Step>,
    /// The mask that was last asked for, and the step it belongs to.
    shown: Option<(Arc<Step>, Box<[u32]>)>,
}

impl Clone for Matcher {
    fn clone(&self) -> Self {
        Matcher { session: self.session.clone(), last: self.last.clone(), shown: None }
    }
}

/// One commit, linked to the one before.
pub(super) struct Step {
    before: Option<Arc<Step>>,
    input: Input,
    /// The tracker is beside the automaton, for constraints that ask for it.
    pub(super) place: Place,
    /// The number of the [`WholeId`] of the configuration plus one; 0 while it is not known.
    whole: AtomicU32,
    /// Commits up to this one.
    count: usize,
    /// Bytes of text up to this one.
    text_len: usize,
}

enum Input {
    Start,
    Token(TokenId),
    Bytes(Box<[u8]>),
    End(TokenId),
}

impl Step {
    /// Takes note of where the configuration's masks are.
    fn know(&self, whole: WholeId) {
        self.whole.store(whole.0 + 1, Ordering::Relaxed);
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

impl Constraint {
    /// A matcher at the start of a text.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.clone())
    }
}

impl Matcher {
    pub(crate) fn new(constraint: Constraint) -> Self {
        let session = Session::new(constraint);
        let last = Arc::new(start(&session));
        Matcher { session, last, shown: None }
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
        self.last.text_len
    }

    /// How many steps can be undone: one for each commit.
    pub fn steps(&self) -> usize {
        self.last.count
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
            self.session.keep_completable(&self.last.place.0, words)?;
        }
        if let (config, Some(tracker)) = &self.last.place {
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
        let valid = self.shown.as_ref().is_some_and(|(step, _)| Arc::ptr_eq(step, &self.last));
        if !valid {
            let words = self.shown.take().map(|(_, words)| words);
            let mut words = words.unwrap_or_else(|| vec![0; self.mask_words()].into());
            self.fill_mask(&mut words)?;
            self.shown = Some((self.last.clone(), words));
        }
        Ok(self.shown.as_ref().map_or(&[], |(_, words)| words))
    }

    /// Writes the mask of the tokens that the automaton allows; says whether the text may end.
    fn write_allowed(&self, words: &mut [u32]) -> Result<bool, MatchError> {
        let (config, kept) = (&self.last.place.0, &self.session.inner().common.kept);
        let Generation { store, masks, .. } = &*self.session.generation;
        if let Some(known) = self.whole() {
            return Ok(masks.write(store, kept, known, words));
        }
        let with_codes;
        let mut sets: SmallVec<[&Accept; 8]> = SmallVec::new();
        if let Some(time) = self.session.collect(config, &mut sets)? {
            self.session.inner().counters.cold_mask(time);
        }
        if let Some(terminals) = self.session.terminals() {
            with_codes = self.session.with_codes(terminals, config, &sets)?;
            sets = with_codes.iter().collect();
        }
        let (tokens, accepts) = (Union::of(&sets), self.session.accepts(config));
        let known = masks.remember(store, config, (tokens, accepts));
        self.last.know(known);
        Ok(masks.write(store, kept, known, words))
    }

    /// What is known of the configuration, if its mask was asked for before.
    fn whole(&self) -> Option<WholeId> {
        if let Some(number) = self.last.whole.load(Ordering::Relaxed).checked_sub(1) {
            return Some(WholeId(number));
        }
        let found = self.session.generation.masks.whole(&self.last.place.0)?;
        self.last.know(found);
        Some(found)
    }

    /// Whether `token` may come next. Looks at this token only.
    pub fn allows(&mut self, token: TokenId) -> Result<bool, MatchError> {
        let vocab = self.session.constraint.vocab();
        if token as usize >= vocab.width() || self.is_finished() {
            return Ok(false);
        }
        if vocab.end_tokens().contains(&token) && (self.is_accepting() || self.session.terminals().is_none())
        {
            return Ok(self.is_accepting());
        }
        if self.session.terminals().is_some() {
            self.renew_if_full()?;
            return match self.session.advance_by(&self.last.place.0, token) {
                Ok(config) => self.session.is_completable(&config),
                Err(Refused::At(_)) => Ok(false),
                Err(Refused::Limit(e)) => Err(e.into()),
            };
        }
        let Some(bytes) = vocab.bytes(token).map(<[u8]>::to_vec) else { return Ok(false) };
        self.renew_if_full()?;
        match self.session.go_on(&self.last.place, &bytes) {
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
            if self.is_accepting() {
                self.push(Input::End(token), self.last.place.clone(), 0);
                return Ok(());
            }
            if self.session.terminals().is_none() {
                return Err(forbidden);
            }
        }
        self.renew_if_full()?;
        let vocab = self.session.constraint.vocab();
        let bytes = match vocab.bytes(token) {
            Some(bytes) => bytes,
            None if self.session.terminals().is_some() => &[],
            None => return Err(forbidden),
        };
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
        let marks = self.session.marks();
        if let Some(at) = bytes.iter().position(|&byte| marks.contains(byte)) {
            return Err(MatchError::ForbiddenByte { at, byte: bytes[at] });
        }
        match self.session.go_on(&self.last.place, bytes) {
            Ok(place) => {
                if !self.session.is_alive_at(&place)? {
                    let at = self.session.dead_end(&self.last.place, bytes)?;
                    return Err(MatchError::ForbiddenByte { at, byte: bytes[at] });
                }
                self.push(Input::Bytes(bytes.into()), place, bytes.len());
                Ok(())
            }
            Err(Refused::At(at)) => {
                let at = self.session.dead_end(&self.last.place, &bytes[..=at])?;
                Err(MatchError::ForbiddenByte { at, byte: bytes[at] })
            }
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// Where a token leads from the last step.
    fn go_on_by(&self, token: TokenId, bytes: &[u8]) -> Result<Place, Refused> {
        let (config, tracker) = &self.last.place;
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
        let advance = || match self.session.terminals() {
            None => self.session.advance(config, bytes),
            Some(_) => self.session.advance_by(config, token),
        };
        let Some(whole) = self.whole() else { return Ok((advance()?, tracker)) };
        if let Some(config) = masks.known_next(whole, token) {
            return Ok((config, tracker));
        }
        let config = advance()?;
        masks.remember_next(store, whole, token, &config);
        Ok((config, tracker))
    }

    /// Undoes the last `steps` commits, an end token among them or not.
    pub fn rollback(&mut self, steps: usize) -> Result<(), MatchError> {
        if steps > self.last.count {
            return Err(MatchError::NothingToUndo { asked: steps, done: self.last.count });
        }
        for _ in 0..steps {
            if let Some(before) = &self.last.before {
                self.last = before.clone();
            }
        }
        Ok(())
    }

    /// A second sequence that starts where this one stands; the two do not see each other.
    #[must_use]
    pub fn fork(&self) -> Matcher {
        self.clone()
    }

    /// Back to the start of a text.
    pub fn reset(&mut self) {
        self.session = Session::new(self.session.constraint.clone());
        self.last = Arc::new(start(&self.session));
    }

    /// Whether the text so far is complete: an end token may come next.
    pub fn is_accepting(&self) -> bool {
        self.session.accepts(&self.last.place.0) && !self.is_finished()
    }

    /// Whether an end token was committed.
    pub fn is_finished(&self) -> bool {
        matches!(self.last.input, Input::End(_))
    }

    fn push(&mut self, input: Input, place: Place, len: usize) {
        let (count, text_len) = (self.last.count + 1, self.last.text_len + len);
        self.last = Arc::new(Step {
            before: Some(self.last.clone()),
            input,
            place,
            whole: AtomicU32::new(0),
            count,
            text_len,
        });
    }

    /// If the shared caches have grown too large, or have in them what was given up half-way, moves this sequence to new
    /// ones by playing it again.
    pub(crate) fn renew_if_full(&mut self) -> Result<(), MatchError> {
        let Session { constraint, generation } = &self.session;
        if self.session.is_sound().is_ok() && !generation.is_full(&constraint.inner.limits) {
            return Ok(());
        }
        let mut inputs = Vec::with_capacity(self.last.count);
        let mut step = &self.last;
        while let Some(before) = &step.before {
            inputs.push(step.clone());
            step = before;
        }
        let generation = constraint.inner.renew(generation);
        let session = Session { constraint: constraint.clone(), generation };
        let mut again = Matcher { last: Arc::new(start(&session)), session, shown: None };
        for step in inputs.into_iter().rev() {
            let (input, bytes): (Input, &[u8]) = match &step.input {
                Input::Start => continue,
                Input::Token(t) => {
                    (Input::Token(*t), self.session.constraint.vocab().bytes(*t).unwrap_or_default())
                }
                Input::Bytes(b) => (Input::Bytes(b.clone()), b),
                Input::End(t) => (Input::End(*t), &[]),
            };
            let place = match (&input, again.session.terminals()) {
                (Input::Token(token), Some(_)) => {
                    again.session.advance_by(&again.last.place.0, *token).map(|config| (config, None))
                }
                _ => again.session.go_on(&again.last.place, bytes),
            };
            let place = match place {
                Ok(place) => place,
                Err(Refused::Limit(e)) => return Err(e.into()),
                Err(Refused::At(at)) => return Err(MatchError::ForbiddenByte { at, byte: bytes[at] }),
            };
            again.push(input, place, bytes.len());
        }
        again.session.generation.settle();
        *self = again;
        Ok(())
    }
}

fn start(session: &Session) -> Step {
    Step {
        before: None,
        input: Input::Start,
        place: session.start(),
        whole: AtomicU32::new(0),
        count: 0,
        text_len: 0,
    }
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matcher")
            .field("steps", &self.steps())
            .field("text_len", &self.text_len())
            .field("heads", &self.last.place.0.len())
            .finish_non_exhaustive()
    }
}
