//! The counting itself: one step after the other, and whether what is left can be completed.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::effort::{Effort, MOST, too_hard};
use super::order::Order;
use super::parts::{CountPlan, Ending, Field, PairPlan, SlotPlan, Tally, pair};
use super::tree::Tree;
use crate::error::Error;

/// How the entries of a [`Members`](crate::ir::Members) are counted.
#[derive(Clone, Debug)]
pub struct Tallies {
    pub(super) slots: Box<[SlotPlan]>,
    pub(super) counts: Box<[CountPlan]>,
    pub(super) pairs: Box<[PairPlan]>,
    /// If entries come in order: what is left behind with each slot.
    pub(super) endings: Option<Box<[(u32, Ending)]>>,
    /// The last position at which a slot opens or closes; from there on positions do not matter.
    pub(super) edge: u32,
    pub(super) position: Field,
    /// The slot of the last entry, if they come in order.
    pub(super) last: Field,
    /// If counts of one slot share a field: that field, and those of the slots that must be used.
    pub(super) alone: Option<Field>,
    pub(super) required: Box<[u32]>,
    pub(super) words: usize,
    /// The counts with a lower bound, and those that masks may clamp.
    pub(super) bounded: Box<[u32]>,
    pub(super) clampable: Box<[u32]>,
    /// If the counts are nested or apart.
    pub(super) tree: Option<Tree>,
    /// If that is not all there is: how to search.
    pub(super) order: Option<Order>,
}

impl Tallies {
    /// Before the first entry.
    pub fn start(&self) -> Tally {
        SmallVec::from_elem(0, self.words)
    }

    /// The number of entries of a count. What was left behind has what it needs.
    #[inline]
    pub(super) fn value(&self, tally: &Tally, count: &CountPlan) -> u32 {
        match count.alone.map(|slot| slot.cmp(&self.last.get(tally))) {
            Some(Ordering::Less) => count.min,
            Some(Ordering::Greater) => 0,
            _ => count.field.get(tally),
        }
    }

    /// Whether there may be no entry after these.
    pub fn can_end(&self, tally: &Tally) -> bool {
        let mut bounded = self.bounded.iter().map(|&c| &self.counts[c as usize]);
        bounded.all(|c| self.value(tally, c) >= c.min)
            && self.pairs.iter().all(|p| p.field.get(tally) != pair::PENDING)
    }

    /// The tally after one more entry, in `slot`; `None` if that slot is not open, a count would be above its bound, or
    /// one has come to its end below it. Whether it can be completed is not asked.
    pub fn step(&self, tally: &Tally, slot: u32) -> Option<Tally> {
        if !self.is_open(tally, slot) {
            return None;
        }
        let mut next = tally.clone();
        if let Some(endings) = &self.endings {
            self.pass(&mut next, endings, slot)?;
        }
        self.add(&mut next, slot)?;
        let position = self.position.get(tally);
        if position < self.edge {
            self.position.set(&mut next, position + 1);
            for count in self.counts.iter().filter(|c| c.closes == position + 1) {
                if count.field.get(&next) < count.min {
                    return None;
                }
                count.field.set(&mut next, count.min);
            }
        }
        Some(next)
    }

    /// Counts an entry in `slot`; `None` if a count would be above its bound.
    pub(super) fn add(&self, tally: &mut Tally, slot: u32) -> Option<()> {
        let slot = &self.slots[slot as usize];
        for &count in &slot.counts {
            let count = &self.counts[count as usize];
            let now = count.field.get(tally);
            match count.max {
                Some(max) if now >= max => return None,
                Some(_) => count.field.set(tally, now + 1),
                None => count.field.set(tally, (now + 1).min(count.min)),
            }
        }
        for &number in &slot.implies {
            let field = self.pairs[number as usize].field;
            if field.get(tally) == pair::OPEN {
                field.set(tally, pair::PENDING);
            }
        }
        for &number in &slot.implied_by {
            self.pairs[number as usize].field.set(tally, pair::DONE);
        }
        Some(())
    }

    /// Leaves the slots before `slot` behind; `None` if something there is still wanting.
    fn pass(&self, tally: &mut Tally, endings: &[(u32, Ending)], slot: u32) -> Option<()> {
        let last = self.last.get(tally);
        if last == slot {
            return Some(());
        }
        let first = self.required.partition_point(|&s| s < last);
        for &passed in self.required[first..].iter().take_while(|&&s| s < slot) {
            let mut counts = self.slots[passed as usize].counts.iter().map(|&c| &self.counts[c as usize]);
            if counts.any(|c| c.alone.is_some() && self.value(tally, c) < c.min) {
                return None;
            }
        }
        let first = endings.partition_point(|e| e.0 < last);
        for &(passed, ending) in endings[first..].iter().take_while(|e| e.0 < slot) {
            match ending {
                Ending::Count(count) => {
                    let count = &self.counts[count as usize];
                    if count.field.get(tally) < count.min {
                        return None;
                    }
                    count.field.set(tally, count.min);
                }
                Ending::Pairs => self.pass_pairs(tally, passed)?,
            }
        }
        self.last.set(tally, slot);
        if let Some(alone) = self.alone {
            alone.set(tally, 0);
        }
        Some(())
    }

    /// Leaves the pairs of a slot behind: one that it has begun must be done, and one it would begin is of no concern.
    fn pass_pairs(&self, tally: &mut Tally, slot: u32) -> Option<()> {
        let slot = &self.slots[slot as usize];
        for &number in &slot.implies {
            let field = self.pairs[number as usize].field;
            if field.get(tally) == pair::OPEN {
                field.set(tally, pair::DONE);
            }
        }
        let pending = |&number: &u32| self.pairs[number as usize].field.get(tally) == pair::PENDING;
        (!slot.implied_by.iter().any(pending)).then_some(())
    }

    /// Whether the order and the position allow an entry in `slot`.
    #[inline]
    pub(super) fn is_open(&self, tally: &Tally, slot: u32) -> bool {
        let SlotPlan { from, to, .. } = self.slots[slot as usize];
        let position = self.position.get(tally);
        from <= position && position < to && (self.endings.is_none() || slot >= self.last.get(tally))
    }

    /// Whether positions do not matter any more.
    pub(super) fn is_past_windows(&self, tally: &Tally) -> bool {
        self.position.get(tally) >= self.edge
    }

    /// The slots from which on an entry can be taken and the whole still be completed, each with the tally after it.
    pub fn open(&self, tally: &Tally, found: &mut dyn FnMut(u32, Tally)) -> Result<(), Error> {
        match &self.tree {
            Some(tree) if self.pairs.is_empty() && self.is_past_windows(tally) => {
                tree.open(self, tally, &mut |slot| {
                    if let Some(next) = self.step(tally, slot) {
                        found(slot, next);
                    }
                });
                Ok(())
            }
            _ => self.open_by_search(tally, found),
        }
    }

    /// The same without the tallies.
    pub fn open_slots(&self, tally: &Tally, found: &mut dyn FnMut(u32)) -> Result<(), Error> {
        match &self.tree {
            // In order, a slot that could be used may leave something behind that is wanting.
            Some(tree) if self.endings.is_none() && self.pairs.is_empty() && self.is_past_windows(tally) => {
                tree.open(self, tally, found);
                Ok(())
            }
            _ => self.open(tally, &mut |slot, _| found(slot)),
        }
    }

    /// Whether some further entries, or none, make the whole come out right.
    pub fn is_completable(&self, tally: &Tally) -> Result<bool, Error> {
        self.completable(tally, &mut Effort::default())
    }

    pub(super) fn completable(&self, tally: &Tally, effort: &mut Effort) -> Result<bool, Error> {
        if self.can_end(tally) {
            return Ok(true);
        }
        if !self.is_past_windows(tally) {
            return self.completable_in_windows(tally, effort);
        }
        if let Some(tree) = &self.tree {
            if self.pairs.is_empty() {
                return Ok(tree.is_completable(self, tally));
            }
            if let Some(known) = self.completable_if_implied(tree, tally) {
                return Ok(known);
            }
        }
        Ok(self.witness(tally, effort)?.is_some())
    }

    /// Refuses members for which it may take too long to find out what can be completed.
    pub fn check(&self) -> Result<(), Error> {
        if self.cost() > MOST {
            return Err(too_hard());
        }
        Ok(())
    }

    /// The tally as far as so many more entries can tell: counts that stay clear of both their bounds are taken for one.
    /// `None` if it is the same.
    pub fn clamped(&self, tally: &Tally, entries: u32) -> Option<Tally> {
        let mut clamped: Option<Tally> = None;
        for &count in &self.clampable {
            let count = &self.counts[count as usize];
            let now = self.value(tally, count);
            let room = entries.saturating_add(count.slack);
            if count.max.is_none_or(|max| max.saturating_sub(now) >= room) {
                let far = count.min.saturating_sub(now) >= entries;
                let value = if far { 0 } else { now.min(count.min) };
                if value != now {
                    count.field.set(clamped.get_or_insert_with(|| tally.clone()), value);
                }
            }
        }
        clamped
    }
}
