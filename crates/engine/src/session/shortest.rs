//! The shortest way to complete a text.
//!
//! A best-first search over configurations, byte by byte, led by the length that each still needs (`automaton/length.rs`).
//! Where that is exact the search walks straight to the end; elsewhere it looks around, within a bound.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::{Place, Refused, Session};
use crate::automaton::{FAR, StateId};
use crate::error::MatchError;
use crate::stack::{Config, Stack};
use crate::tokens::pending::End;
use crate::tracker::{ConfigKey, key_of};
use crate::tuning::session::{ALIKE, PLACES};

/// About how many bytes follow a frame that ends in some way on some stack.
type Known = FxHashMap<(u128, Option<End>), u32>;

/// A place that the search has reached.
struct Reached {
    place: Place,
    /// Where from, and by which byte.
    from: usize,
    byte: u8,
    cost: u32,
}

impl Session {
    /// About how many bytes it takes to complete a text from a configuration, rather too many than too few.
    pub(crate) fn completion_estimate(&self, config: &Config) -> usize {
        self.rest_of(config, &mut FxHashMap::default()) as usize
    }

    /// Bytes that complete a text from a place, as few as can be found; `None` if the search was given up, or if it takes more than
    /// text. What stands for tokens is among the bytes if they may be `with_tokens`.
    pub(crate) fn shortest_completion(
        &self,
        start: Place,
        with_tokens: bool,
    ) -> Result<Option<Vec<u8>>, MatchError> {
        let mut search = Search::new(self, start);
        while let Some(at) = search.next() {
            let place = search.reached[at].place.clone();
            if self.accepts(&place.0) {
                return Ok(Some(search.bytes(at)));
            }
            if search.reached.len() > PLACES {
                break;
            }
            for byte in self.ways(&place, with_tokens)? {
                match self.go_on(&place, &[byte]) {
                    Ok(next) => search.offer(self, next, at, byte),
                    Err(Refused::At(_)) => {}
                    Err(Refused::Limit(e)) => return Err(e.into()),
                }
            }
        }
        Ok(None)
    }

    /// Bytes that may come next, one for each way to go on.
    fn ways(&self, place: &Place, with_tokens: bool) -> Result<Vec<u8>, MatchError> {
        let tracked = place.1.is_some();
        let allowed = self.bytes_at(place, 256)?;
        let allowed = if with_tokens { allowed } else { allowed.minus(&self.marks()) };
        let classes = self.next_classes(&place.0);
        let count = if tracked { ALIKE } else { 1 };
        Ok(classes.iter().flat_map(|class| plainest(&class.intersect(&allowed), count)).collect())
    }

    /// About how many bytes lead from a configuration to the end of the text.
    fn rest_of(&self, config: &Config, known: &mut Known) -> u32 {
        for (state, stack) in config {
            self.know_below(*state, stack, known);
        }
        let heads = config.iter().map(|(state, stack)| self.rest_above(*state, stack, known));
        heads.min().unwrap_or(FAR).min(FAR)
    }

    /// The same for a state, where it is known of what is below.
    fn rest_above(&self, state: StateId, stack: &Stack, known: &Known) -> u32 {
        let store = &self.generation.store;
        let cells = store.rests_of(state).map(|(rest, end)| {
            let below = known.get(&(stack.key, end)).copied().unwrap_or(FAR);
            rest.saturating_add(below)
        });
        cells.min().unwrap_or(FAR).min(FAR)
    }

    /// Finds out about all that a frame may end in: iterative, since stacks are deep.
    fn know_below(&self, state: StateId, stack: &Stack, known: &mut Known) {
        let store = &self.generation.store;
        let mut todo: Vec<(&Stack, Option<End>)> =
            store.rests_of(state).map(|(_, end)| (stack, end)).collect();
        while let Some((top, end)) = todo.last().copied() {
            if known.contains_key(&(top.key, end)) {
                todo.pop();
                continue;
            }
            let returns: SmallVec<[(StateId, &Stack); 2]> =
                top.links.iter().map(|(ret, below)| (store.returned(*ret, end), below)).collect();
            let before = todo.len();
            for (state, below) in &returns {
                let ends = store.rests_of(*state).map(|(_, end)| (*below, end));
                todo.extend(ends.filter(|(below, end)| !known.contains_key(&(below.key, *end))));
            }
            if todo.len() > before {
                continue;
            }
            let least = returns.iter().map(|(state, below)| self.rest_above(*state, below, known)).min();
            known.insert((top.key, end), if top.bottom { 0 } else { least.unwrap_or(FAR) });
            todo.pop();
        }
    }
}

/// Up to `count` bytes of a set, those first that people would write.
pub(crate) fn plainest(set: &ByteSet, count: usize) -> Vec<u8> {
    let rank = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'!'..=b'~' => 2,
        b' ' => 3,
        _ => 4,
    };
    let mut bytes: Vec<u8> = set.iter().collect();
    bytes.sort_by_key(|&byte| (rank(byte), byte));
    bytes.truncate(count);
    bytes
}

/// The places that were reached, and those to look at next.
struct Search {
    reached: Vec<Reached>,
    queue: BinaryHeap<Reverse<(u32, u32, usize)>>,
    seen: FxHashSet<(ConfigKey, u64)>,
    known: Known,
}

impl Search {
    fn new(session: &Session, start: Place) -> Search {
        let mut search = Search {
            reached: Vec::new(),
            queue: BinaryHeap::new(),
            seen: FxHashSet::default(),
            known: FxHashMap::default(),
        };
        search.offer(session, start, usize::MAX, 0);
        search
    }

    fn offer(&mut self, session: &Session, place: Place, from: usize, byte: u8) {
        let cost = self.reached.get(from).map_or(0, |reached| reached.cost + 1);
        // The trackers that are compared are all alive.
        let tracker = place.1.as_ref().map_or(0, |tracker| tracker.identity());
        if !self.seen.insert((key_of(&place.0), tracker)) {
            return;
        }
        let rest = session.rest_of(&place.0, &mut self.known);
        self.queue.push(Reverse((cost.saturating_add(rest), rest, self.reached.len())));
        self.reached.push(Reached { place, from, byte, cost });
    }

    fn next(&mut self) -> Option<usize> {
        self.queue.pop().map(|Reverse((.., at))| at)
    }

    fn bytes(&self, mut at: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(reached) = self.reached.get(at).filter(|reached| reached.from != usize::MAX) {
            bytes.push(reached.byte);
            at = reached.from;
        }
        bytes.reverse();
        bytes
    }
}
