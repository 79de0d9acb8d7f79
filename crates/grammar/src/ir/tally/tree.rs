//! Counts that are nested or apart: the numbers that a count can still reach are an interval, and the intervals of what
//! is inside add up.

use smallvec::SmallVec;

use super::parts::{CountPlan, SlotPlan, Tally};
use super::tallies::Tallies;

/// More than any number of entries, and small enough for sums.
const MANY: i64 = 1 << 40;
/// No count.
const NONE: u32 = u32::MAX;

/// For each slot and each count, the least count around it.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    of_slot: Box<[u32]>,
    of_count: Box<[u32]>,
}

/// How many entries can still come: of a count's parts together, and of the count.
#[derive(Clone, Copy, Default)]
struct Bounds {
    parts: (i64, i64),
    own: (i64, i64),
}

type All = SmallVec<[Bounds; 32]>;

impl Tree {
    /// The tree of counts that are sorted by size; `None` if some overlap.
    pub(super) fn new(slots: &[SlotPlan], counts: &[CountPlan]) -> Option<Self> {
        let around = |slot: u32, count: usize| {
            let counts = &slots[slot as usize].counts;
            let at = counts.iter().position(|&c| c as usize == count)?;
            Some(counts.get(at + 1).copied().unwrap_or(NONE))
        };
        let mut of_count = Vec::with_capacity(counts.len());
        for (number, count) in counts.iter().enumerate() {
            let (&first, rest) = count.slots.split_first()?;
            let parent = around(first, number)?;
            if rest.iter().any(|&s| around(s, number) != Some(parent)) {
                return None;
            }
            of_count.push(parent);
        }
        let of_slot = slots.iter().map(|s| s.counts.first().copied().unwrap_or(NONE)).collect();
        Some(Tree { of_slot, of_count: of_count.into() })
    }

    pub(super) fn is_completable(&self, tallies: &Tallies, tally: &Tally) -> bool {
        self.bounds(tallies, tally).is_some()
    }

    /// Tells `found` the slots that can be used next so that the rest can be completed.
    pub(super) fn open(&self, tallies: &Tallies, tally: &Tally, found: &mut dyn FnMut(u32)) {
        let ordered = tallies.endings.is_some();
        if !ordered && tallies.can_end(tally) {
            return open_with_room(tallies, tally, found);
        }
        let Some(mut bounds) = self.bounds(tallies, tally) else { return };
        let first = if ordered { tallies.last.get(tally) } else { 0 };
        for slot in first..self.of_slot.len() as u32 {
            let usable = tallies.is_open(tally, slot);
            if usable && self.can_add(tallies, tally, &bounds, slot) {
                found(slot);
            }
            // What comes later in order comes without this slot.
            if ordered && usable && !self.remove(tallies, tally, &mut bounds, slot) {
                return;
            }
        }
    }

    /// The bounds of all counts; `None` if some cannot be kept.
    fn bounds(&self, tallies: &Tallies, tally: &Tally) -> Option<All> {
        let mut all: All = SmallVec::from_elem(Bounds::default(), self.of_count.len());
        for (slot, &count) in (0..).zip(&self.of_slot) {
            if count != NONE && tallies.is_open(tally, slot) {
                all[count as usize].parts.1 += MANY;
            }
        }
        for (number, &parent) in self.of_count.iter().enumerate() {
            let own = of_count(tallies, &tallies.counts[number], tally, all[number].parts, 0)?;
            all[number].own = own;
            if parent != NONE {
                let parts = &mut all[parent as usize].parts;
                *parts = (parts.0 + own.0, parts.1 + own.1);
            }
        }
        Some(all)
    }

    fn can_add(&self, tallies: &Tallies, tally: &Tally, all: &All, slot: u32) -> bool {
        let mut change = (0, 0);
        let mut count = self.of_slot[slot as usize];
        while count != NONE {
            let Bounds { parts, own } = all[count as usize];
            let parts = (parts.0 + change.0, parts.1 + change.1);
            let Some(new) = of_count(tallies, &tallies.counts[count as usize], tally, parts, 1) else {
                return false;
            };
            change = (new.0 - own.0, new.1 - own.1);
            count = self.of_count[count as usize];
        }
        true
    }

    /// Takes a slot away; whether all counts can still be kept.
    fn remove(&self, tallies: &Tallies, tally: &Tally, all: &mut All, slot: u32) -> bool {
        let mut change = (0, -MANY);
        let mut count = self.of_slot[slot as usize];
        while count != NONE {
            let bounds = &mut all[count as usize];
            bounds.parts = (bounds.parts.0 + change.0, bounds.parts.1 + change.1);
            let new = of_count(tallies, &tallies.counts[count as usize], tally, bounds.parts, 0);
            let Some(new) = new else { return false };
            change = (new.0 - bounds.own.0, new.1 - bounds.own.1);
            bounds.own = new;
            count = self.of_count[count as usize];
        }
        true
    }
}

/// How many entries of a count can still come, `more` of which have just been counted; `None` if none of the numbers will do.
#[inline]
fn of_count(
    tallies: &Tallies,
    count: &CountPlan,
    tally: &Tally,
    parts: (i64, i64),
    more: i64,
) -> Option<(i64, i64)> {
    let now = tallies.value(tally, count) as i64 + more;
    let low = parts.0.max(count.min as i64 - now);
    let high = count.max.map_or(parts.1, |max| parts.1.min(max as i64 - now));
    (low <= high).then_some((low, high))
}

/// Tells `found` the slots that can be used next where nothing is wanting: those with room for one more.
fn open_with_room(tallies: &Tallies, tally: &Tally, found: &mut dyn FnMut(u32)) {
    let is_full = |&count: &u32| {
        let count = &tallies.counts[count as usize];
        count.max.is_some_and(|max| tallies.value(tally, count) >= max)
    };
    for (slot, plan) in (0..).zip(&tallies.slots) {
        if tallies.is_open(tally, slot) && !plan.counts.iter().any(is_full) {
            found(slot);
        }
    }
}
