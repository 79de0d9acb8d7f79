//! The mask from its definition: every token is tried.
//!
//! A token is allowed if the text with it can be completed to a sentence *by tokens of this vocabulary*. Where
//! every byte is a token, every continuation can be written, and that is the same as byte viability. Elsewhere
//! it takes a search over token sequences, which is bounded.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use tokenstile_grammar::ir::{ByteSet, TokenName, TokenSet};

use crate::{RefState, Reference, Viability};

/// States that one search for a completion may visit before it answers [`Viability::Unknown`].
const MAX_STATES: usize = 300;

/// A [`Reference`] together with a vocabulary.
///
/// Tokens without bytes are never allowed: they match no text, and a decoder could write them for ever.
#[derive(Debug)]
pub struct TokenReference<'r, 'g> {
    reference: &'r Reference<'g>,
    tokens: Vec<(u32, Vec<u8>)>,
    special: Vec<(u32, String)>,
    end: Vec<u32>,
    has_all_bytes: bool,
    completable: RefCell<FxHashMap<RefState, Viability>>,
}

impl<'r, 'g> TokenReference<'r, 'g> {
    /// A vocabulary of `tokens` (id and bytes, in any order) and `end` tokens. An id that is listed as both is
    /// an end token only: it does not match text.
    pub fn new(reference: &'r Reference<'g>, tokens: &[(u32, Vec<u8>)], end: &[u32]) -> Self {
        let tokens: Vec<(u32, Vec<u8>)> =
            tokens.iter().filter(|(id, bytes)| !bytes.is_empty() && !end.contains(id)).cloned().collect();
        let single: ByteSet =
            tokens.iter().filter(|(_, bytes)| bytes.len() == 1).map(|(_, bytes)| bytes[0]).collect();
        TokenReference {
            reference,
            tokens,
            special: Vec::new(),
            end: end.to_vec(),
            has_all_bytes: single == ByteSet::ALL,
            completable: RefCell::default(),
        }
    }

    /// The same with special tokens, which terminals can take by their names.
    #[must_use]
    pub fn with_special(self, special: &[(u32, String)]) -> Self {
        TokenReference { special: special.to_vec(), ..self }
    }

    /// The state after a token of the vocabulary.
    pub fn step(&self, state: RefState, token: u32) -> RefState {
        let text = self.tokens.iter().find(|(id, _)| *id == token).map(|(_, bytes)| &bytes[..]);
        self.reference.step_token(state, text, &|set| self.has(set, token))
    }

    /// Whether a set of tokens has a token.
    fn has(&self, set: &TokenSet, token: u32) -> bool {
        let named = set.names.iter().any(|name| self.is(name, token));
        if set.negated { !named && !self.end.contains(&token) } else { named }
    }

    fn is(&self, name: &TokenName, token: u32) -> bool {
        let special = |wanted: &str| self.special.iter().find(|(_, name)| name == wanted).map(|(id, _)| *id);
        match name {
            TokenName::Ids(first, last) => (*first..=*last).contains(&token),
            TokenName::Special(name) => special(name) == Some(token),
            TokenName::Text(text) => match special(text) {
                Some(id) => id == token,
                None => self.tokens.iter().any(|(id, bytes)| *id == token && bytes == text.as_bytes()),
            },
        }
    }

    /// For each token id up to the largest that may ever be allowed, whether it is allowed after the text that
    /// led to `state`. End tokens are allowed just where the text is a sentence. Ids past the end of the mask,
    /// and ids that are no token, are not allowed.
    pub fn mask(&self, state: RefState) -> Vec<Viability> {
        let special = self.special.iter().map(|(id, _)| *id);
        let ids = self.tokens.iter().map(|t| t.0).chain(self.end.iter().copied()).chain(special.clone());
        let mut mask = vec![Viability::No; ids.max().map_or(0, |id| id as usize + 1)];
        for (id, bytes) in &self.tokens {
            let next = self.reference.step_token(state, Some(bytes), &|set| self.has(set, *id));
            // The same id with two spellings would be a broken vocabulary; the more permissive one counts.
            mask[*id as usize] = mask[*id as usize].max(self.completable(next));
        }
        for id in special {
            mask[id as usize] = self.completable(self.step(state, id));
        }
        for &id in &self.end {
            let accepting = self.reference.is_accepting(state);
            mask[id as usize] =
                if accepting { Viability::Yes } else { self.completable(self.step(state, id)) };
        }
        mask
    }

    /// Whether the text that led to `state` can be completed to a sentence by tokens of this vocabulary.
    pub fn completable(&self, state: RefState) -> Viability {
        let by_bytes = self.reference.viability(state);
        if self.has_all_bytes || by_bytes == Viability::No || self.reference.is_accepting(state) {
            return by_bytes;
        }
        if let Some(&known) = self.completable.borrow().get(&state) {
            return known;
        }
        let found = self.search(state);
        self.completable.borrow_mut().insert(state, found);
        found
    }

    /// Breadth-first search over token sequences for one that ends in a sentence.
    fn search(&self, state: RefState) -> Viability {
        let mut queue = vec![state];
        let mut seen: FxHashSet<RefState> = FxHashSet::from_iter([state]);
        let mut at = 0;
        while let Some(&here) = queue.get(at) {
            let ids = self.tokens.iter().map(|(id, _)| *id).chain(self.special.iter().map(|(id, _)| *id));
            for token in ids.chain(self.end.iter().copied()) {
                let next = self.step(here, token);
                let known = self.completable.borrow().get(&next).copied();
                if self.reference.is_accepting(next) || known == Some(Viability::Yes) {
                    return Viability::Yes;
                }
                let dead = self.reference.viability(next) == Viability::No || known == Some(Viability::No);
                if !dead && seen.insert(next) {
                    queue.push(next);
                }
            }
            if queue.len() > MAX_STATES {
                return Viability::Unknown;
            }
            at += 1;
        }
        // Nothing that was seen leads to a sentence.
        self.completable.borrow_mut().extend(queue.into_iter().map(|state| (state, Viability::No)));
        Viability::No
    }
}
