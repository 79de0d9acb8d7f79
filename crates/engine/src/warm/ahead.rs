//! Building ahead for what is likely to come.
//!
//! First along texts that the constraint may be asked for ([`Texts`]), where their tokens end; what time is left goes
//! to whatever may come, breadth first.

use std::collections::VecDeque;
use std::time::Instant;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::text::Texts;
use crate::automaton::StateId;
use crate::matcher::{Matcher, Place};
use crate::shortest::plainest;
use crate::stack::Config;
use crate::trie::ROOT;

/// Bytes put in where a text does not go on as it was thought to.
const FILLERS: usize = 40;
/// So many texts without anything new are enough.
const IDLE: u32 = 3;

/// How long to build.
#[derive(Clone, Copy)]
pub(crate) struct Until<'u> {
    pub(crate) deadline: Instant,
    pub(crate) bytes: usize,
    /// Asked between masks.
    pub(crate) goes_on: &'u dyn Fn() -> bool,
}

impl Matcher {
    /// Builds the masks of what is likely to come, until then.
    pub(crate) fn explore(&self, until: Until<'_>) {
        let full = (self.constraint().inner.limits.cache_bytes / 2).min(until.bytes);
        let until = Until { bytes: full, ..until };
        let mut texts = Texts::new(&self.generation.store);
        let mut idle = 0;
        while idle < IDLE && !texts.are_over() {
            match self.go_along(&texts.next(), until) {
                Some(true) => idle = 0,
                Some(false) => idle += 1,
                None => return,
            }
        }
        self.explore_breadth_first(until);
    }

    fn is_spent(&self, until: Until<'_>) -> bool {
        !(until.goes_on)()
            || self.is_sound().is_err()
            || Instant::now() >= until.deadline
            || self.generation.store.is_full(until.bytes)
    }

    /// Makes the mask at the end of each token of a text, as far as the constraint goes along. Says whether one of them was
    /// new, if there is time left.
    fn go_along(&self, text: &[u8], until: Until<'_>) -> Option<bool> {
        let mut place: Place = (self.last.config.clone(), self.last.tracker.clone());
        let (mut rest, mut is_new) = (text, false);
        while !self.is_spent(until) {
            is_new |= self.collect(&place.0, &mut SmallVec::new()).ok()?.is_some();
            if rest.is_empty() {
                return Some(is_new);
            }
            let token = self.likely_token(rest);
            match self.go_on_from(&place.0, place.1.as_ref(), &rest[..token]) {
                Ok(next) => (place, rest) = (next, &rest[token..]),
                Err(_) => match self.fill_in(place, rest) {
                    Some(next) => (place, rest) = next,
                    None => return Some(is_new),
                },
            }
        }
        None
    }

    /// How long the token is that a text is likely to begin with. Tokens as a rule end before a space.
    fn likely_token(&self, text: &[u8]) -> usize {
        let trie = &self.constraint().inner.tables.trie;
        let end = text.iter().skip(1).position(|&byte| byte == b' ').map_or(text.len(), |at| at + 1);
        let (mut node, mut longest) = (ROOT, 1);
        for (at, &byte) in text[..end].iter().enumerate() {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            if !trie.own(node).is_empty() {
                longest = at + 1;
            }
        }
        longest
    }

    /// Goes on from a place where a text cannot, with as few other bytes as it takes until it can, be it from its next
    /// sign on.
    fn fill_in<'t>(&self, mut place: Place, text: &'t [u8]) -> Option<(Place, &'t [u8])> {
        let is_sign = |byte: &u8| matches!(byte, b'"' | b',' | b'}' | b']');
        let sign = text.iter().position(is_sign).unwrap_or(text.len());
        for _ in 0..FILLERS {
            for rest in [text, &text[sign..]] {
                if let [first, ..] = rest
                    && let Ok(next) = self.go_on_from(&place.0, place.1.as_ref(), &[*first])
                {
                    return Some((next, &rest[1..]));
                }
            }
            let filler = plainest(&self.bytes_at(&place, 256).ok()?, 1);
            place =
                self.go_on_from(&place.0, place.1.as_ref(), &filler).ok().filter(|_| !filler.is_empty())?;
        }
        None
    }

    /// Visits configurations breadth first, byte by byte, and builds their masks. Those that differ from one visited
    /// before only in how often a loop has run come last.
    fn explore_breadth_first(&self, until: Until<'_>) {
        let store = &self.generation.store;
        let (mut shapes, mut seen) = (FxHashSet::default(), FxHashSet::default());
        let mut todo: VecDeque<Config> = VecDeque::from([self.last.config.clone()]);
        let mut later: VecDeque<Config> = VecDeque::new();
        while let Some(config) = todo.pop_front().or_else(|| later.pop_front()) {
            if self.is_spent(until) || self.collect(&config, &mut SmallVec::new()).is_err() {
                return;
            }
            for byte in self.next_classes(&config).iter().filter_map(ByteSet::first) {
                let Ok(next) = self.advance(&config, &[byte]) else { continue };
                // Masks depend on the state and what it returns to next, hardly ever on more.
                let tops = next.iter().map(|(state, stack)| {
                    let below = stack.links.first().map_or(StateId::END, |l| store.clamped(l.0));
                    (store.clamped(*state), below)
                });
                let key: SmallVec<[(StateId, StateId); 2]> = tops.collect();
                let shape: SmallVec<[(u64, u64); 2]> =
                    key.iter().map(|k| (store.shape(k.0), store.shape(k.1))).collect();
                if shapes.insert(shape) {
                    seen.insert(key);
                    todo.push_back(next);
                } else if seen.insert(key) {
                    later.push_back(next);
                }
            }
        }
    }
}
