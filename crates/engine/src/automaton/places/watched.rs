//! A loop of characters beside formulas that watch what is written.
//!
//! `^(?=.*[0-9])(?!.*password)[a-z0-9]{8,24}$` is a loop and two conditions. What may be written next depends on all of
//! it, but each part by itself has few places: none or one for the digit, eight for the word. So the parts are looked at
//! one by one, where all of them together would be hundreds of places.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr};

use super::super::build::Build;
use super::super::objects::cell::{Cell, Head};
use super::super::objects::formula::Kind;
use super::super::objects::ids::{CellId, FormulaId, StateId};
use super::super::store::Store;
use super::super::{WatchWays, Watcher};
use super::watcher::{DEAD, ToFail};
use crate::ablate::{Switch, is_off};
use crate::tuning::seen::{ENDINGS, WATCHED_PLACES, WATCHERS};

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
                if places.len() > WATCHED_PLACES {
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
        Some(Watcher::new(next, accepts, &ways))
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
