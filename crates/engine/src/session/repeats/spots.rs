//! Configurations on the way down the trie, remembered with where bytes lead from them.
//!
//! Candidates stand in the same few places of a grammar again and again. What the automaton does there does not depend on
//! them, so it is found once.

use std::sync::{OnceLock, PoisonError, RwLock};

use tokenstile_grammar::ir::ByteSet;

use super::super::{Refused, Session};
use crate::ablate::{Switch, is_off};
use crate::error::MatchError;
use crate::stack::{Config, StackNode, Stacks, normalize};
use crate::tracker::{Spot, SpotIndex, Spots, TEXT_BYTES, Tracker, key_of};
use crate::work::Exceeded;

impl Session {
    /// What is known of a configuration.
    pub(super) fn spot(&self, config: &Config) -> &Spot {
        self.spots().list.get(self.spot_number(config) as usize)
    }

    fn spots(&self) -> &Spots {
        &self.generation.corrections.spots
    }

    fn spot_number(&self, config: &Config) -> u32 {
        let spots = self.spots();
        let key = key_of(config);
        let index = || spots.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = index().numbers.get(&key) {
            return known;
        }
        let spot = Spot {
            config: config.clone(),
            loops: self.loops_of(config).unwrap_or(0),
            any_number: self.any_number_at(config),
            next: OnceLock::new(),
            classes: OnceLock::new(),
            after: RwLock::default(),
            plenty: RwLock::default(),
            plenty_alone: OnceLock::new(),
            choices: Default::default(),
            choices_below: RwLock::default(),
            any_exponent: OnceLock::new(),
            ends_anew: OnceLock::new(),
        };
        let SpotIndex { numbers, writer } = &mut *index();
        *numbers.entry(key).or_insert_with(|| {
            self.generation.store.add_bytes(size_of::<Spot>() + 96);
            spots.list.push(spot, writer) as u32
        })
    }

    /// Where a byte leads.
    pub(super) fn spot_after<'a>(&'a self, spot: &'a Spot, byte: u8) -> Result<Option<&'a Spot>, Exceeded> {
        if spot.loops_on(byte) {
            return Ok(Some(spot));
        }
        let get = |number: Option<u32>| number.map(|number| self.spots().list.get(number as usize));
        let known = spot.after.read().unwrap_or_else(PoisonError::into_inner);
        if !is_off(Switch::SpotMemo)
            && let Some(&(_, number)) = known.iter().find(|known| known.0 == byte)
        {
            return Ok(get(number));
        }
        drop(known);
        let number = match self.advance(&spot.config, &[byte]) {
            Ok(config) => Some(self.spot_number(&config)),
            Err(Refused::At(_)) => None,
            Err(Refused::Limit(e)) => return Err(e),
        };
        let mut known = spot.after.write().unwrap_or_else(PoisonError::into_inner);
        if known.iter().all(|known| known.0 != byte) {
            self.generation.store.add_bytes(16);
            known.push((byte, number));
        }
        Ok(get(number))
    }

    /// If nothing but a literal may come next: its bytes, and where they lead.
    pub(super) fn behind_literal(&self, spot: &Spot) -> Result<Option<(&[u8], &Spot)>, Exceeded> {
        let [(state, _)] = &spot.config[..] else { return Ok(None) };
        let Some((literal, _)) = self.generation.store.literal(*state) else { return Ok(None) };
        match self.advance(&spot.config, literal) {
            Ok(config) => Ok(Some((literal, self.spot(&config)))),
            Err(Refused::At(_)) => Ok(None),
            Err(Refused::Limit(e)) => Err(e),
        }
    }

    /// ASCII characters any number of which may come next, where that is plain to see, one bit each.
    fn any_number_at(&self, config: &Config) -> u128 {
        let store = &self.generation.store;
        let ascii = config.iter().map(|(state, _)| store.any_number_of(*state));
        ascii.max_by_key(|ascii| ascii.count_ones()).unwrap_or(0) & !(1 << b'"' | 1 << b'\\')
    }

    /// The bytes of text that may come next.
    pub(super) fn next_at(&self, spot: &Spot) -> ByteSet {
        *spot.next.get_or_init(|| self.next_bytes(&spot.config).intersect(&TEXT_BYTES))
    }

    /// The bytes that may come next, together where they lead to the same.
    pub(super) fn classes_at<'a>(&self, spot: &'a Spot) -> &'a [ByteSet] {
        spot.classes.get_or_init(|| {
            let classes = self.next_classes(&spot.config);
            self.generation.store.add_bytes(size_of_val(&classes[..]));
            classes.into_boxed_slice()
        })
    }

    /// Whether the innermost item that is compared with others has plenty of choice left.
    pub(super) fn is_item_of_plenty(&self, spot: &Spot, tracker: &Tracker) -> Result<bool, MatchError> {
        tracker.compared_at().map_or(Ok(false), |depth| self.has_plenty_known(spot, tracker, depth))
    }

    /// The same of an entry of the container at `depth`: see [`has_plenty`](Session::has_plenty).
    pub(super) fn has_plenty_known(
        &self,
        spot: &Spot,
        tracker: &Tracker,
        depth: u32,
    ) -> Result<bool, MatchError> {
        let out = tracker.depth() - depth;
        if !is_off(Switch::PlentyMemo)
            && let Some(plenty) = spot.knows_plenty(out)
        {
            return Ok(plenty);
        }
        let plenty = match self.is_key_of_plenty(spot, tracker, depth)? {
            Some(plenty) => plenty,
            None => self.has_plenty(spot, tracker, depth, &mut |_| {})?,
        };
        self.remember_plenty(spot, out, plenty);
        Ok(plenty)
    }

    /// Whether a key that is being written, or comes next, has plenty of choice left, if that does not depend on what its
    /// object stands in: so it is found once for all objects of its kind.
    fn is_key_of_plenty(
        &self,
        spot: &Spot,
        tracker: &Tracker,
        depth: u32,
    ) -> Result<Option<bool>, MatchError> {
        if tracker.depth() != depth || !tracker.is_at_key() || is_off(Switch::PlentyAlone) {
            return Ok(None);
        }
        let bottom = StackNode::bottom();
        let heads = spot.config.iter().map(|(state, _)| (*state, bottom.clone())).collect();
        let alone = self.spot(&normalize(&mut Stacks::new(&self.generation.store), heads));
        if let Some(&known) = alone.plenty_alone.get() {
            return Ok(known);
        }
        // Where a frame ends, the ways on from below it are not seen here.
        let mut ends = false;
        let plenty =
            self.has_plenty(alone, tracker, depth, &mut |spot| ends |= self.accepts(&spot.config))?;
        Ok(*alone.plenty_alone.get_or_init(|| (plenty || !ends).then_some(plenty)))
    }

    /// Remembers what [`knows_plenty`](Spot::knows_plenty) answers.
    pub(super) fn remember_plenty(&self, spot: &Spot, out: u32, plenty: bool) {
        let mut known = spot.plenty.write().unwrap_or_else(PoisonError::into_inner);
        match known.iter_mut().find(|known| known.0 == out) {
            Some(known) => known.1 |= plenty,
            None => {
                self.generation.store.add_bytes(8);
                known.push((out, plenty));
            }
        }
    }

    /// The ASCII characters that lead from a configuration back to it, where that is plain to see.
    pub(super) fn loops_of(&self, config: &Config) -> Option<u128> {
        let store = &self.generation.store;
        let [(state, stack)] = &config[..] else { return None };
        if store.may_end(*state) && !stack.links.is_empty() {
            return None;
        }
        let repeats = store.repeats(store.local_of(store.clamped(*state)))?;
        let some = u8::try_from(repeats.ascii.trailing_zeros()).ok()?;
        let again = store.run_through(*state, &[some])?;
        (again == *state).then_some(repeats.ascii)
    }
}
