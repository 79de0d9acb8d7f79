//! The places that the characters of a loop lead to under one condition, as a table.

use std::sync::{Arc, PoisonError, RwLock};

use smallvec::{SmallVec, smallvec};
use tokenstile_grammar::ir::ByteSet;

use crate::tokens::trie::pair;
use crate::vocab::TokenId;

/// A place that nothing leads away from.
pub(in crate::automaton) const DEAD: u8 = u8::MAX;

/// The places that the characters of a loop lead to in a formula. The first is where we are.
pub(crate) struct Watcher {
    /// Where each ASCII byte leads from each place.
    pub(crate) next: Vec<[u8; 128]>,
    /// The same of characters past ASCII, whatever they are; empty if none is asked for.
    wide: Vec<u8>,
    accepts: Vec<bool>,
    /// What it takes to fail, if it can.
    failing: Vec<Option<ToFail>>,
    /// The tokens below trie nodes with which it fails, as far as someone has asked.
    fails_with: RwLock<Vec<(u32, Arc<[TokenId]>)>>,
}

/// What leads from a place to where a condition has failed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct ToFail {
    /// The bytes that come up on all ways, and the [`pair`]s of them, from the byte on that leads to the place.
    pub(crate) bytes: u128,
    pub(crate) pairs: u64,
    /// How many there are on the shortest.
    pub(crate) least: u32,
}

/// The bytes that lead from a place to others, by where they lead.
pub(crate) type WatchWays = SmallVec<[(u128, u8); 8]>;

/// Stands for all characters past ASCII among such bytes.
const WIDE: u128 = u128::MAX;

/// For each place what leads from there to where it has failed.
pub(crate) fn to_fail(ways: &[WatchWays]) -> Vec<Option<ToFail>> {
    let led_to = only_bytes(ways);
    let mut found: Vec<Option<ToFail>> = vec![None; ways.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, ways) in ways.iter().enumerate().rev() {
            let mut all: Option<ToFail> = None;
            for &(set, to) in ways {
                let behind = match to {
                    DEAD => Some(ToFail { bytes: 0, pairs: 0, least: 0 }),
                    to => found[to as usize],
                };
                let Some(behind) = behind else { continue };
                // One of several bytes is none that must come up.
                let own = only(set);
                let pairs = led_to[at].zip(own).map_or(0, |(before, byte)| pair(before, byte));
                let way = ToFail {
                    bytes: behind.bytes | own.map_or(0, |byte| 1 << byte),
                    pairs: behind.pairs | pairs,
                    least: behind.least + 1,
                };
                all = Some(all.map_or(way, |all| ToFail {
                    bytes: all.bytes & way.bytes,
                    pairs: all.pairs & way.pairs,
                    least: all.least.min(way.least),
                }));
            }
            changed |= std::mem::replace(&mut found[at], all) != all;
        }
    }
    found
}

/// For each place the byte that leads to it, if it is always the same. The first has something before it that is not known.
fn only_bytes(ways: &[WatchWays]) -> SmallVec<[Option<u8>; 16]> {
    let mut sets: SmallVec<[u128; 16]> = smallvec![0; ways.len()];
    for &(set, to) in ways.iter().flatten().filter(|way| way.1 != DEAD) {
        sets[to as usize] |= set;
    }
    sets[0] = 0;
    sets.iter().map(|&set| only(set)).collect()
}

/// The byte of a set of one.
fn only(set: u128) -> Option<u8> {
    set.is_power_of_two().then_some(set.trailing_zeros() as u8)
}

impl Watcher {
    /// Of ASCII characters alone: where each leads from each place, and which places meet the condition.
    pub(in crate::automaton) fn new(next: Vec<[u8; 128]>, accepts: Vec<bool>, ways: &[WatchWays]) -> Self {
        let failing = to_fail(ways);
        Watcher { next, wide: Vec::new(), accepts, failing, fails_with: RwLock::default() }
    }

    /// Of places that are known: where the ASCII bytes and the characters past ASCII lead from each. What leads nowhere
    /// fails.
    pub(crate) fn of(places: impl Iterator<Item = (WatchWays, Option<u8>)>, chars: &ByteSet) -> Self {
        let (mut next, mut wide, mut all): (Vec<[u8; 128]>, Vec<u8>, Vec<WatchWays>) = Default::default();
        for (mut ways, past_ascii) in places {
            let mut row = [DEAD; 128];
            let mut dead = chars.ascii_bits();
            for (set, to) in &mut ways {
                *set &= chars.ascii_bits();
                dead &= !*set;
                (0..128).filter(|byte| *set >> byte & 1 == 1).for_each(|byte| row[byte] = *to);
            }
            ways.retain(|way| way.0 != 0);
            ways.extend((dead != 0).then_some((dead, DEAD)));
            ways.extend(past_ascii.map(|to| (WIDE, to)));
            next.push(row);
            wide.extend(past_ascii);
            all.push(ways);
        }
        let failing = to_fail(&all);
        Watcher { next, wide, accepts: Vec::new(), failing, fails_with: RwLock::default() }
    }

    /// The place that most of some ASCII characters lead to from one.
    pub(crate) fn most_lead_to(&self, place: u8, chars: &ByteSet) -> Option<u8> {
        let row = self.next.get(place as usize)?;
        let mut counts = [0u8; 256];
        chars.iter().filter(|&byte| byte < 0x80).for_each(|byte| counts[row[byte as usize] as usize] += 1);
        (0..DEAD).max_by_key(|&place| counts[place as usize])
    }

    /// Where a byte leads from a place, if it does not fail; `None` if it is none of the characters that were asked for.
    #[inline]
    pub(crate) fn step_any(&self, place: u8, byte: u8, chars: &ByteSet) -> Option<Option<u8>> {
        match byte {
            0x80.. if self.wide.is_empty() => None,
            0xC0.. => Some(Some(self.wide[place as usize])),
            0x80.. => Some(Some(place)),
            _ if chars.contains(byte) => Some(self.step(place, byte)),
            _ => None,
        }
    }

    /// Where a byte leads from a place, if it does not fail.
    #[inline]
    pub(crate) fn step(&self, place: u8, byte: u8) -> Option<u8> {
        Some(self.next[place as usize][byte as usize]).filter(|&next| next != DEAD)
    }

    /// What it takes to fail from a place, if it can.
    #[inline]
    pub(crate) fn to_fail(&self, place: u8) -> Option<&ToFail> {
        self.failing[place as usize].as_ref()
    }

    /// Whether it can fail.
    pub(crate) fn can_fail(&self) -> bool {
        self.failing[0].is_some()
    }

    /// The tokens below a node with which it fails, which `find` finds.
    pub(crate) fn fails_with<E>(
        &self,
        node: u32,
        find: impl FnOnce() -> Result<Vec<TokenId>, E>,
    ) -> Result<Arc<[TokenId]>, E> {
        let known = |list: &[(u32, Arc<[TokenId]>)]| list.iter().find(|e| e.0 == node).map(|e| e.1.clone());
        if let Some(known) = known(&self.fails_with.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(known);
        }
        let found: Arc<[TokenId]> = find()?.into();
        self.fails_with.write().unwrap_or_else(PoisonError::into_inner).push((node, found.clone()));
        Ok(found)
    }

    /// Where bytes lead from a place.
    pub(crate) fn after(&self, place: u8, bytes: &[u8]) -> u8 {
        bytes.iter().fold(place, |at, &byte| match self.next.get(at as usize) {
            Some(row) => row[byte as usize],
            None => DEAD,
        })
    }

    pub(crate) fn accepts(&self, place: u8) -> bool {
        self.accepts.get(place as usize).copied().unwrap_or(false)
    }

    /// Whether bytes lead from everywhere to where the condition is met.
    pub(crate) fn is_met_from_anywhere(&self, bytes: &[u8]) -> bool {
        (0..self.next.len() as u8).all(|place| self.accepts(self.after(place, bytes)))
    }

    /// Whether bytes lead from everywhere to where the condition is met and stays so, however often another follows.
    pub(crate) fn stays_met(&self, bytes: &[u8], more: u8) -> bool {
        let mut places: SmallVec<[u8; 16]> =
            (0..self.next.len() as u8).map(|place| self.after(place, bytes)).collect();
        (0..=self.next.len()).all(|_| {
            let met = places.iter().all(|&place| self.accepts(place));
            places.iter_mut().for_each(|place| *place = self.after(*place, &[more]));
            met
        })
    }

    /// Whether a byte never fails.
    pub(crate) fn is_safe(&self, byte: u8) -> bool {
        self.next.iter().all(|row| row[byte as usize] != DEAD)
    }
}
