//! The counting itself: one step after the other, and whether what is left can be completed.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::effort::{Effort, too_hard};
use super::judged::Judged;
use super::order::Order;
use super::parts::{CountPlan, Field, SlotPlan, Tally, Witness};
use super::tree::Tree;
use crate::error::Error;
use crate::tuning::ir::TALLY_STEPS;

/// How the entries of a [`Members`](crate::ir::Members) are counted.
#[derive(Clone, Debug)]
pub struct Tallies {
    pub(super) slots: Box<[SlotPlan]>,
    pub(super) counts: Box<[CountPlan]>,
    /// If entries come in order: the counts that are left behind with each slot.
    pub(super) endings: Option<Box<[(u32, u32)]>>,
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
    /// The condition, if there is one.
    pub(super) judged: Option<Judged>,
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
            && self.judged.as_ref().is_none_or(|judged| judged.holds(tally))
    }

    /// The tally after one more entry, in `slot`; `None` if that slot is not open, a count would be above its bound, or
    /// one has come to its end below it. Whether it can be completed is not asked.
    pub fn step(&self, tally: &Tally, slot: u32) -> Option<Tally> {
        let mut next = self.step_unsettled(tally, slot)?;
        if let Some(judged) = self.judged.as_ref().filter(|_| !self.slots[slot as usize].groups.is_empty()) {
            judged.settle(&mut next);
        }
        Some(next)
    }

    /// The same with numbers that the condition does not ask about any more as they are.
    pub(super) fn step_unsettled(&self, tally: &Tally, slot: u32) -> Option<Tally> {
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
        if let Some(judged) = &self.judged {
            slot.groups.iter().for_each(|&group| judged.add(tally, group));
        }
        Some(())
    }

    /// Leaves the slots before `slot` behind; `None` if something there is still wanting.
    fn pass(&self, tally: &mut Tally, endings: &[(u32, u32)], slot: u32) -> Option<()> {
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
        for &(_, count) in endings[first..].iter().take_while(|e| e.0 < slot) {
            let count = &self.counts[count as usize];
            if count.field.get(tally) < count.min {
                return None;
            }
            count.field.set(tally, count.min);
        }
        self.last.set(tally, slot);
        if let Some(alone) = self.alone {
            alone.set(tally, 0);
        }
        Some(())
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

    /// Tells `found` the slots from which on an entry can be taken and the whole still be completed.
    pub fn open_slots(&self, tally: &Tally, found: &mut dyn FnMut(u32)) -> Result<(), Error> {
        match &self.tree {
            // In order, a slot that could be used may leave something behind that is wanting.
            Some(tree) if self.endings.is_some() && self.is_past_windows(tally) => {
                tree.open(self, tally, &mut |slot| {
                    if self.step(tally, slot).is_some() {
                        found(slot);
                    }
                });
                Ok(())
            }
            Some(tree) if self.is_past_windows(tally) => {
                tree.open(self, tally, found);
                Ok(())
            }
            _ => self.open_by_search(tally, found),
        }
    }

    /// Slots in which entries, so many of each, would about complete a tally. It is where a search may begin, and not always
    /// enough or the least.
    pub fn wanting(&self, tally: &Tally) -> Vec<(u32, u32)> {
        if self.can_end(tally) {
            return Vec::new();
        }
        if let Some(judged) = &self.judged {
            let witness = self.judged_witness(judged, tally, &Witness::new(), &mut Effort::judged());
            return witness.ok().flatten().unwrap_or_default();
        }
        let counts = self.bounded.iter().map(|&count| &self.counts[count as usize]);
        let wanting = counts.filter_map(|count| {
            let missing = count.min.saturating_sub(self.value(tally, count));
            let slot = count.slots.iter().copied().find(|&slot| self.is_open(tally, slot))?;
            (missing > 0).then_some((slot, missing))
        });
        wanting.collect()
    }

    /// What one question may cost.
    pub(super) fn effort(&self) -> Effort {
        if self.judged.is_some() { Effort::judged() } else { Effort::default() }
    }

    /// Whether some further entries, or none, make the whole come out right.
    pub fn is_completable(&self, tally: &Tally) -> Result<bool, Error> {
        self.completable(tally, &mut self.effort())
    }

    pub(super) fn completable(&self, tally: &Tally, effort: &mut Effort) -> Result<bool, Error> {
        if self.can_end(tally) {
            return Ok(true);
        }
        if !self.is_past_windows(tally) {
            return self.completable_in_windows(tally, effort);
        }
        match (&self.tree, &self.judged) {
            (Some(tree), _) => Ok(tree.is_completable(self, tally)),
            (None, Some(judged)) => {
                Ok(self.judged_witness(judged, tally, &Witness::new(), effort)?.is_some())
            }
            (None, None) => Ok(self.witness(tally, effort)?.is_some()),
        }
    }

    /// Refuses members for which it may take too long to find out what can be completed.
    pub fn check(&self) -> Result<(), Error> {
        if self.cost() > TALLY_STEPS {
            return Err(too_hard());
        }
        match self.judged {
            Some(_) => self.is_completable(&self.start()).map(|_| ()),
            None => Ok(()),
        }
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
