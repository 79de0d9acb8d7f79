//! Completions found by search: where positions matter, and where counts overlap.

use rustc_hash::{FxHashMap, FxHashSet};

use super::effort::Effort;
use super::judged::Judged;
use super::order::Order;
use super::parts::{CountPlan, Tally, Witness};
use super::tallies::Tallies;
use crate::error::Error;

/// A tally on the way, where it came from, and how often the last slot was used.
struct Reached {
    tally: Tally,
    from: u32,
    times: u32,
}

impl Tallies {
    /// [`open_slots`](Tallies::open_slots) for all kinds of members.
    pub(super) fn open_by_search(&self, tally: &Tally, found: &mut dyn FnMut(u32)) -> Result<(), Error> {
        if let Some(judged) = self.judged.as_ref().filter(|_| self.is_past_windows(tally)) {
            return self.open_under(judged, tally, found);
        }
        let witness = match self.is_past_windows(tally) && self.tree.is_none() {
            true => self.witness(tally, &mut Effort::default())?,
            false => None,
        };
        for slot in 0..self.slots.len() as u32 {
            let Some(next) = self.step(tally, slot) else { continue };
            let known = witness.as_ref().is_some_and(|w| self.completes(w, &next, slot));
            if known || self.completable(&next, &mut self.effort())? {
                found(slot);
            }
        }
        Ok(())
    }

    /// The same under a condition. What completes one tally mostly completes the next, or nearly.
    fn open_under(&self, judged: &Judged, tally: &Tally, found: &mut dyn FnMut(u32)) -> Result<(), Error> {
        let mut effort = Effort::judged();
        let Some(first) = self.judged_witness(judged, tally, &Witness::new(), &mut effort)? else {
            return Ok(());
        };
        let mut last = first.clone();
        for slot in 0..self.slots.len() as u32 {
            let Some(next) = self.step_unsettled(tally, slot) else { continue };
            effort.spend(1)?;
            if self.completes(&first, &next, slot) || self.completes(&last, &next, slot) {
                found(slot);
            } else if let Some(witness) = self.judged_witness(judged, &next, &first, &mut effort)? {
                last = witness;
                found(slot);
            }
        }
        Ok(())
    }

    /// Whether a tally can be completed while positions matter: every way on is tried.
    pub(super) fn completable_in_windows(&self, tally: &Tally, effort: &mut Effort) -> Result<bool, Error> {
        let mut seen: FxHashSet<Tally> = FxHashSet::default();
        let mut todo = vec![tally.clone()];
        while let Some(tally) = todo.pop() {
            if self.can_end(&tally) {
                return Ok(true);
            }
            if self.is_past_windows(&tally) {
                if self.completable(&tally, effort)? {
                    return Ok(true);
                }
                continue;
            }
            effort.spend(1)?;
            for slot in 0..self.slots.len() as u32 {
                if let Some(next) = self.step(&tally, slot)
                    && seen.insert(next.clone())
                {
                    todo.push(next);
                }
            }
        }
        Ok(false)
    }

    /// Entries that complete a tally where positions do not matter, if there are any: slot by slot, all numbers of
    /// entries that may be needed are tried, and of tallies that came out alike one is kept.
    pub(super) fn witness(&self, tally: &Tally, effort: &mut Effort) -> Result<Option<Witness>, Error> {
        let Some(order) = &self.order else { return Ok(None) };
        let most = self.most_needed(tally);
        let mut layers: Vec<Vec<Reached>> = vec![vec![Reached { tally: tally.clone(), from: 0, times: 0 }]];
        for (place, &slot) in order.slots.iter().enumerate() {
            let times = if self.is_open(tally, slot) { most } else { 0 };
            let mut next: Vec<Reached> = Vec::new();
            let mut index: FxHashSet<Tally> = FxHashSet::default();
            for (from, before) in (0..).zip(&layers[place]) {
                let mut now = before.tally.clone();
                for times in 0..=times {
                    effort.spend(1)?;
                    if times > 0 {
                        let old = now.clone();
                        if self.add(&mut now, slot).is_none() || now == old {
                            break;
                        }
                    }
                    if let Some(tally) = self.closed(order, now.clone(), place)
                        && index.insert(tally.clone())
                    {
                        next.push(Reached { tally, from, times });
                    }
                }
            }
            if next.is_empty() {
                return Ok(None);
            }
            layers.push(next);
        }
        let mut witness = Witness::new();
        let mut at = 0;
        for (place, &slot) in order.slots.iter().enumerate().rev() {
            let reached = &layers[place + 1][at as usize];
            if reached.times > 0 {
                witness.push((slot, reached.times));
            }
            at = reached.from;
        }
        witness.sort_unstable();
        Ok(Some(witness))
    }

    /// No completion needs more entries than this: one for each that is missing from a count.
    fn most_needed(&self, tally: &Tally) -> u32 {
        let missing = self.counts.iter().map(|c| c.min.saturating_sub(c.field.get(tally)));
        missing.fold(0, u32::saturating_add)
    }

    /// The tally without what is complete at a place of the order; `None` if something is wanting there.
    fn closed(&self, order: &Order, mut tally: Tally, place: usize) -> Option<Tally> {
        for &number in &order.counts[place] {
            let count = &self.counts[number as usize];
            if count.field.get(&tally) < count.min {
                return None;
            }
            count.field.set(&mut tally, count.min);
        }
        Some(tally)
    }

    /// Whether a witness, or the same without one entry in `used`, completes a tally.
    pub(super) fn completes(&self, witness: &Witness, tally: &Tally, used: u32) -> bool {
        let replay = |skip: Option<u32>| {
            let mut tally = tally.clone();
            for &(slot, times) in witness {
                let times = if skip == Some(slot) { times - 1 } else { times };
                for _ in 0..times {
                    match self.step_unsettled(&tally, slot) {
                        Some(next) => tally = next,
                        None => return false,
                    }
                }
            }
            self.can_end(&tally)
        };
        let contained = witness.iter().any(|&(slot, _)| slot == used);
        contained && replay(Some(used)) || replay(None)
    }

    /// How many steps a search may take at most.
    pub(super) fn cost(&self) -> u64 {
        let range = |c: &CountPlan| c.limit() as u64 + 1;
        let mut cost = 0u64;
        if self.edge > 0 {
            // While positions matter, the number of all entries is the position.
            let counts = self.counts.iter().filter(|c| c.slots.len() < self.slots.len()).map(range);
            let ordered = if self.endings.is_some() { self.slots.len() as u64 } else { 1 };
            cost = product(counts.chain([self.edge as u64 + 1, ordered]));
        }
        let Some(order) = &self.order else { return cost };
        let leaves = if self.edge > 0 { cost } else { 1 };
        let rounds = self.most_needed(&self.start()) as u64 + 1;
        let mut open: FxHashMap<u32, u64> = FxHashMap::default();
        let mut search = 0u64;
        for (place, &slot) in order.slots.iter().enumerate() {
            search = search.saturating_add(product(open.values().copied()).saturating_mul(rounds));
            let slot = &self.slots[slot as usize];
            open.extend(slot.counts.iter().map(|&c| (c, range(&self.counts[c as usize]))));
            order.counts[place].iter().for_each(|c| _ = open.remove(c));
        }
        cost.saturating_add(leaves.saturating_mul(search))
    }
}

fn product(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(1, u64::saturating_mul)
}
