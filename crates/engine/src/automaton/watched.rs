//! A loop of characters beside formulas that watch what is written.
//!
//! `^(?=.*[0-9])(?!.*password)[a-z0-9]{8,24}$` is a loop and two conditions. What may be written next depends on all of
//! it, but each part by itself has few places: none or one for the digit, eight for the word. So the parts are looked at
//! one by one, where all of them together would be hundreds of places.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use tokenstile_grammar::ir::{ByteSet, Expr};

use super::boolean::{FormulaId, Kind};
use super::build::Build;
use super::store::{Cell, CellId, Head, StateId, Store};
use crate::ablate::{Switch, is_off};
use crate::trie::pair;
use crate::vocab::TokenId;

/// How many places a part may have.
const PLACES: usize = 64;
/// How many parts there may be beside the loop.
pub(crate) const WATCHERS: usize = 6;
/// How many ways a text may go on that is nearly at its end.
const ENDINGS: usize = 256;
/// A place that nothing leads away from.
const DEAD: u8 = u8::MAX;

/// What a state is: a loop of ASCII characters under conditions, and then something else.
pub(crate) struct Watched {
    pub(crate) chars: ByteSet,
    /// How many more of them may follow, and how many must.
    pub(crate) left: u32,
    pub(crate) need: u32,
    pub(crate) tail: StateId,
    pub(crate) watchers: SmallVec<[Arc<Watcher>; 4]>,
    /// So many characters are enough to meet all conditions, wherever a text has come to.
    pub(crate) spare: u32,
}

/// The places of all watchers at once; those that are not there are in their first place.
pub(crate) type WatchPlace = [u8; WATCHERS];

/// The places that the characters of a loop lead to in a formula. The first is where we are.
pub(crate) struct Watcher {
    /// Where each ASCII byte leads from each place.
    next: Vec<[u8; 128]>,
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

impl Store {
    /// A state of one formula as a loop under conditions, if that is what it is and they can be told apart.
    pub(crate) fn watched(&self, state: StateId) -> Option<Watched> {
        let (formula, tail) = self.formula_at(state)?;
        let Kind::And(parts) = &self.formula(formula).kind else { return None };
        let (at, (chars, left, need)) =
            parts.iter().enumerate().find_map(|(at, &part)| Some((at, self.counted_chars(part)?)))?;
        if parts.len() > WATCHERS {
            return None;
        }
        let mut build = self.build();
        let others = parts.iter().enumerate().filter(|other| other.0 != at);
        let watchers = others.map(|(_, &part)| build.watcher(part, &chars)).collect::<Option<_>>()?;
        let tail = build.state(&[tail]);
        let mut watched = Watched { chars, left, need, tail, watchers, spare: 0 };
        watched.spare = watched.ending()?;
        Some(watched)
    }

    /// If a formula is nothing but a number of ASCII characters: which, how many at most and how many at least.
    fn counted_chars(&self, id: FormulaId) -> Option<(ByteSet, u32, u32)> {
        let arena = &self.program.arena;
        let Kind::Leaf { state, trackers, .. } = &self.formula(id).kind else { return None };
        let kernel = &self.state(*state).kernel;
        let mut cells = kernel.iter().copied().filter(|&cell| cell != CellId::NIL);
        let (Some(cell), None, true) = (cells.next(), cells.next(), trackers.is_empty()) else { return None };
        let Cell { head: Head::Expr(one, _), tail, .. } = self.cell(cell) else { return None };
        let Expr::Chars(set) = arena.get(one) else { return None };
        let chars = arena.char_set(set);
        let may_end = kernel.contains(&CellId::NIL);
        if !chars.is_ascii() {
            return None;
        }
        if tail == CellId::NIL {
            return Some((chars.ascii(), 1, u32::from(!may_end)));
        }
        let Cell { head: Head::Expr(expr, done), tail: CellId::NIL, .. } = self.cell(tail) else {
            return None;
        };
        let Expr::Repeat { expr: body, min, max } = arena.get(expr) else { return None };
        if arena.get(body) != Expr::Chars(set) {
            return None;
        }
        // One is read to come to where so many are done.
        let left = max.map_or(u32::MAX, |max| max.saturating_sub(done).saturating_add(1));
        let need = if may_end { 0 } else { min.saturating_sub(done).saturating_add(1) };
        Some((chars.ascii(), left, need))
    }
}

impl Build<'_> {
    /// The places that some ASCII characters lead to in a formula; none if they are too many.
    fn watcher(&mut self, formula: FormulaId, chars: &ByteSet) -> Option<Arc<Watcher>> {
        let key = (formula, chars.ascii_bits());
        if !is_off(Switch::WatcherMemo)
            && let Some(known) = self.index.watchers.get(&key)
        {
            return known.clone();
        }
        let found = self.find_watcher(formula, chars).map(Arc::new);
        let places = found.as_ref().map_or(0, |watcher| watcher.next.len());
        self.store.add_bytes(size_of::<Watcher>() + 64 + places * (129 + size_of::<ToFail>()));
        self.index.watchers.insert(key, found.clone());
        found
    }

    fn find_watcher(&mut self, formula: FormulaId, chars: &ByteSet) -> Option<Watcher> {
        let mut places = vec![formula];
        let mut next: Vec<[u8; 128]> = Vec::new();
        // Which bytes lead where, and those that lead nowhere.
        let mut ways: Vec<WatchWays> = Vec::new();
        while let Some(&place) = places.get(next.len()) {
            let (mut row, mut sets) = ([DEAD; 128], SmallVec::new());
            let mut dead = *chars;
            for &(set, to) in self.steps_by(place, chars).iter() {
                let set = set.intersect(chars);
                if set.is_empty() || to == FormulaId::FALSE {
                    continue;
                }
                let at = places.iter().position(|&known| known == to).unwrap_or(places.len());
                if at == places.len() {
                    places.push(to);
                }
                if places.len() > PLACES {
                    return None;
                }
                set.iter().for_each(|byte| row[byte as usize] = at as u8);
                sets.push((set.ascii_bits(), at as u8));
                dead = dead.minus(&set);
            }
            if !dead.is_empty() {
                sets.push((dead.ascii_bits(), DEAD));
            }
            next.push(row);
            ways.push(sets);
        }
        let accepts = places.iter().map(|&place| self.formula_accepts(place)).collect();
        Some(Watcher {
            next,
            wide: Vec::new(),
            accepts,
            failing: to_fail(&ways),
            fails_with: RwLock::default(),
        })
    }
}

/// The bytes that lead from a place to others, by where they lead.
pub(crate) type WatchWays = SmallVec<[(u128, u8); 8]>;
/// Stands for all characters past ASCII among such bytes.
const WIDE: u128 = u128::MAX;

/// For each place what leads from there to where it has failed.
fn to_fail(ways: &[WatchWays]) -> Vec<Option<ToFail>> {
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
    fn after(&self, place: u8, bytes: &[u8]) -> u8 {
        bytes.iter().fold(place, |at, &byte| match self.next.get(at as usize) {
            Some(row) => row[byte as usize],
            None => DEAD,
        })
    }

    fn accepts(&self, place: u8) -> bool {
        self.accepts.get(place as usize).copied().unwrap_or(false)
    }

    /// Whether bytes lead from everywhere to where the condition is met.
    fn is_met_from_anywhere(&self, bytes: &[u8]) -> bool {
        (0..self.next.len() as u8).all(|place| self.accepts(self.after(place, bytes)))
    }

    /// Whether bytes lead from everywhere to where the condition is met and stays so, however often another follows.
    fn stays_met(&self, bytes: &[u8], more: u8) -> bool {
        let mut places: SmallVec<[u8; 16]> =
            (0..self.next.len() as u8).map(|place| self.after(place, bytes)).collect();
        (0..=self.next.len()).all(|_| {
            let met = places.iter().all(|&place| self.accepts(place));
            places.iter_mut().for_each(|place| *place = self.after(*place, &[more]));
            met
        })
    }

    /// Whether a byte never fails.
    fn is_safe(&self, byte: u8) -> bool {
        self.next.iter().all(|row| row[byte as usize] != DEAD)
    }
}

impl Watched {
    /// The watchers, and the characters that they watch.
    pub(crate) fn watching(&self) -> (impl Iterator<Item = &Watcher>, &ByteSet) {
        (self.watchers.iter().map(|watcher| &**watcher), &self.chars)
    }

    /// Characters that meet all conditions, wherever a text has come to, and go on doing so if the last of them, or another
    /// one, is written again and again: how many they are.
    fn ending(&self) -> Option<u32> {
        let safe = |byte: &u8| self.watchers.iter().all(|watcher| watcher.is_safe(*byte));
        let safe: SmallVec<[u8; 64]> = self.chars.iter().filter(safe).collect();
        let mut ending: SmallVec<[u8; 8]> = SmallVec::new();
        for watcher in &self.watchers {
            if !watcher.is_met_from_anywhere(&ending) {
                let one = safe.iter().copied().find(|&byte| {
                    ending.push(byte);
                    let met = watcher.is_met_from_anywhere(&ending);
                    ending.pop();
                    met
                });
                ending.push(one?);
            }
        }
        let stays = |byte: u8| self.watchers.iter().all(|watcher| watcher.stays_met(&ending, byte));
        let last = ending.last().copied().into_iter();
        last.chain(safe.iter().copied().take(4)).any(stays).then_some(ending.len() as u32)
    }

    /// Where bytes lead from where the watchers are; `None` if a condition has failed.
    pub(crate) fn after(&self, bytes: &[u8]) -> Option<WatchPlace> {
        let mut place = [0; WATCHERS];
        for (watcher, at) in self.watchers.iter().zip(&mut place) {
            *at = watcher.after(0, bytes);
            if *at == DEAD {
                return None;
            }
        }
        Some(place)
    }

    /// Whether all conditions are met after some bytes.
    pub(crate) fn is_met_after(&self, bytes: &[u8]) -> bool {
        self.after(bytes).is_some_and(|place| self.accepts(&place))
    }

    /// Whether all conditions are met.
    pub(crate) fn accepts(&self, place: &WatchPlace) -> bool {
        self.watchers.iter().zip(place).all(|(watcher, &at)| watcher.accepts(at))
    }

    /// The bytes with which all watchers stay where they are.
    pub(crate) fn staying(&self) -> ByteSet {
        let stays = |&byte: &u8| self.watchers.iter().all(|watcher| watcher.next[0][byte as usize] == 0);
        self.chars.iter().filter(stays).collect()
    }

    /// Whether a text that has read so many more characters can be completed; `None` if that is too much to find out.
    pub(crate) fn can_end(&self, place: &WatchPlace, read: u32, known: &mut Endings) -> Option<bool> {
        let Some(left) = self.left.checked_sub(read) else { return Some(false) };
        let need = self.need.saturating_sub(read);
        if left >= self.spare {
            return Some(true);
        }
        let key = (*place, left, need);
        if let Some(&known) = known.get(&key) {
            return known;
        }
        let can = self.search_ending(place, left, need);
        known.insert(key, can);
        can
    }

    /// Where one byte leads; `None` if that is none of the characters, or a condition fails.
    #[inline]
    pub(crate) fn step(&self, place: &WatchPlace, byte: u8) -> Option<WatchPlace> {
        if !self.chars.contains(byte) {
            return None;
        }
        let mut next = *place;
        for (watcher, at) in self.watchers.iter().zip(&mut next) {
            *at = watcher.step(*at, byte)?;
        }
        Some(next)
    }

    fn search_ending(&self, place: &WatchPlace, left: u32, need: u32) -> Option<bool> {
        let mut places: FxHashSet<WatchPlace> = FxHashSet::from_iter([*place]);
        for read in 0..=left {
            if read >= need && places.iter().any(|place| self.accepts(place)) {
                return Some(true);
            }
            let steps = places.iter().flat_map(|place| self.chars.iter().map(move |byte| (place, byte)));
            places = steps.filter_map(|(place, byte)| self.step(place, byte)).collect();
            if places.len() > ENDINGS {
                return None;
            }
        }
        Some(false)
    }
}

/// Whether texts near their ends can be completed.
pub(crate) type Endings = FxHashMap<(WatchPlace, u32, u32), Option<bool>>;
