//! One sequence: what it has committed, and what may come next.

mod ahead;
mod history;
mod several;

use std::sync::Arc;

use smallvec::SmallVec;

use crate::constraint::{Constraint, Generation};
use crate::error::MatchError;
use crate::masks::WholeId;
use crate::session::{Place, Refused, Session};
use crate::tokens::accept::{Accept, Union};
use crate::tracker::SPECIAL;
use crate::vocab::TokenId;

use history::{Here, History, Input};

pub use several::Commit;

/// One sequence: where it stands, and how it got there.
///
/// A call that is refused changes nothing. Forking costs the same however long the text is; so does undoing a few steps, and
/// that of many is at most like doing as many.
pub struct Matcher {
    session: Session,
    /// Where it stands.
    here: Here,
    history: History,
    /// The mask that was last asked for.
    shown: Box<[u32]>,
    /// After how many steps it was asked for, as long as those steps stand.
    shown_at: Option<usize>,
}

/// What tells masks apart: see [`Matcher::mask_key`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MaskKey {
    generation: u64,
    whole: WholeId,
}

impl Clone for Matcher {
    fn clone(&self) -> Self {
        Matcher {
            session: self.session.clone(),
            here: self.here.clone(),
            history: self.history.clone(),
            shown: Box::default(),
            shown_at: None,
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
        let here = Here::start(&session);
        let history = History::default();
        Matcher { session, here, history, shown: Box::default(), shown_at: None }
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
        self.here.text_len
    }

    /// How many steps can be undone: one for each commit.
    pub fn steps(&self) -> usize {
        self.history.count()
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
        let steps = self.steps();
        if self.shown_at != Some(steps) {
            let mut words = std::mem::take(&mut self.shown);
            if words.is_empty() {
                words = vec![0; self.mask_words()].into();
            }
            self.shown_at = None;
            let filled = self.fill_mask(&mut words);
            self.shown = words;
            filled?;
            self.shown_at = Some(steps);
        }
        Ok(&self.shown)
    }

    /// Writes the mask of the tokens that the automaton allows; says whether the text may end.
    fn write_allowed(&mut self, words: &mut [u32]) -> Result<bool, MatchError> {
        let known = self.whole();
        let (config, kept) = (&self.here.place.0, &self.session.inner().common.kept);
        let Generation { store, masks, .. } = &*self.session.generation;
        if let Some(known) = known {
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
        self.here.whole = Some(known);
        Ok(masks.write(store, kept, known, words))
    }

    /// What the mask that was written last depends on, if that can be told: two masks with the same key are the same.
    pub(crate) fn mask_key(&self) -> Option<MaskKey> {
        let (is_plain, generation) = (self.here.place.1.is_none(), self.session.generation.number);
        let whole = self.here.whole.filter(|_| is_plain && !self.is_finished())?;
        Some(MaskKey { generation, whole })
    }

    /// What is known of the configuration, if its mask was asked for before.
    fn whole(&mut self) -> Option<WholeId> {
        if self.here.whole.is_none() {
            let Generation { store, masks, .. } = &*self.session.generation;
            self.here.whole = masks.whole(store, &self.here.place.0);
        }
        self.here.whole
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
            return match self.session.advance_by(&self.here.place.0, token) {
                Ok(config) => self.session.is_completable(&config),
                Err(Refused::At(_)) => Ok(false),
                Err(Refused::Limit(e)) => Err(e.into()),
            };
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
            if self.is_accepting() {
                self.push(Input::End, (self.here.place.clone(), None), 0);
                return Ok(());
            }
            if self.session.terminals().is_none() {
                return Err(forbidden);
            }
        }
        self.renew_if_full()?;
        let whole = self.whole();
        let bytes = match self.session.constraint.vocab().bytes(token) {
            Some(bytes) => bytes,
            None if self.session.terminals().is_some() => &[],
            None => return Err(forbidden),
        };
        let next = match self.go_on_by(whole, token, bytes) {
            Ok(next) => next,
            Err(Refused::At(_)) => return Err(forbidden),
            Err(Refused::Limit(e)) => return Err(e.into()),
        };
        let len = bytes.len();
        if !self.session.is_completable_at(&next.0)? {
            return Err(forbidden);
        }
        self.push(Input::Token(token), next, len);
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
        match self.session.go_on(&self.here.place, bytes) {
            Ok(place) => {
                if !self.session.is_alive_at(&place)? {
                    let at = self.session.dead_end(&self.here.place, bytes)?;
                    return Err(MatchError::ForbiddenByte { at, byte: bytes[at] });
                }
                self.push(Input::of_bytes(bytes), (place, None), bytes.len());
                Ok(())
            }
            Err(Refused::At(at)) => {
                let at = self.session.dead_end(&self.here.place, &bytes[..=at])?;
                Err(MatchError::ForbiddenByte { at, byte: bytes[at] })
            }
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// Where a token leads from here, and what is known of the configuration there.
    fn go_on_by(
        &self,
        whole: Option<WholeId>,
        token: TokenId,
        bytes: &[u8],
    ) -> Result<(Place, Option<WholeId>), Refused> {
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
                    return Ok(((self.session.advance(config, &given)?, after), None));
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
        let Some(whole) = whole else { return Ok(((advance()?, tracker), None)) };
        if let Some(config) = masks.known_next(whole, config, token) {
            return Ok(((config, tracker), None));
        }
        let next = advance()?;
        let known = masks.remember_next(store, whole, (config, &next), token);
        Ok(((next, tracker), known))
    }

    /// Undoes the last `steps` commits, an end token among them or not.
    pub fn rollback(&mut self, steps: usize) -> Result<(), MatchError> {
        let done = self.steps();
        let Some(count) = done.checked_sub(steps) else {
            return Err(MatchError::NothingToUndo { asked: steps, done });
        };
        if steps == 0 {
            return Ok(());
        }
        if self.history.is_far(count) {
            self.renew_if_full()?;
        }
        if let Some(here) = self.history.go_back(count, &self.session)? {
            self.here = here;
            self.shown_at = self.shown_at.filter(|&at| at <= count);
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
        self.here = Here::start(&self.session);
        self.history = History::default();
        self.shown_at = None;
    }

    /// Whether the text so far is complete: an end token may come next.
    pub fn is_accepting(&self) -> bool {
        self.session.accepts(&self.here.place.0) && !self.is_finished()
    }

    /// Whether an end token was committed.
    pub fn is_finished(&self) -> bool {
        self.here.is_finished
    }

    /// Takes a step to a place, of whose configuration something may be known.
    fn push(&mut self, input: Input, (place, whole): (Place, Option<WholeId>), len: usize) {
        let text_len = self.here.text_len + len;
        let is_finished = matches!(input, Input::End);
        let from = std::mem::replace(&mut self.here, Here { place, whole, text_len, is_finished });
        self.history.push(from, input);
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
        self.history.renew(&mut self.here, (generation, &new));
        new.settle();
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
