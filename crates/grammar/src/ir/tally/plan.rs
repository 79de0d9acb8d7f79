//! Finds out how the entries of a [`Members`] are to be counted.

use super::judged::Judged;
use super::order::Order;
use super::parts::{CountPlan, Field, Layout, SlotPlan};
use super::tallies::Tallies;
use super::tree::Tree;
use crate::ir::{Members, Slot};
use crate::tuning::ir::TALLY_STEPS;

impl Tallies {
    /// The counting of `members` as the arena has them: counts that say something, no two of the same slots.
    pub fn new(members: &Members) -> Self {
        let slot = |s: &Slot| SlotPlan { from: s.from, to: s.to, ..SlotPlan::default() };
        let mut slots: Vec<SlotPlan> = members.slots.iter().map(slot).collect();
        let edges = slots.iter().flat_map(|s| [s.from, s.to]).filter(|&e| e != u32::MAX);
        let edge = edges.max().unwrap_or(0);
        let mut counts = count_plans(members, &mut slots);
        let mut layout = Layout::default();
        let position = layout.field(edge);
        let last = layout.field(if members.in_order { slots.len() as u32 } else { 0 });
        let condition = members.condition.as_ref().filter(|condition| !condition.is_always());
        let judged = condition.map(|condition| Judged::new(condition, &mut slots, &mut layout));
        let tree = if judged.is_none() { Tree::new(&slots, &counts) } else { None };
        let simple = tree.is_some();
        let alone = (members.in_order && edge == 0 && simple)
            .then(|| {
                let limits = counts.iter().filter(|c| c.slots.len() == 1).map(CountPlan::limit);
                limits.max().map(|most| layout.field(most))
            })
            .flatten();
        for count in &mut counts {
            (count.alone, count.field) = match (alone, &count.slots[..]) {
                (Some(field), &[slot]) => (Some(slot), field),
                _ => (None, layout.field(count.limit())),
            };
        }
        let order = (!simple && judged.is_none()).then(|| Order::new(slots.len(), &counts));
        let endings = members.in_order.then(|| endings(&counts));
        let numbers = |which: &dyn Fn(&CountPlan) -> bool| {
            (0..).zip(&counts).filter(|c| which(c.1)).map(|c| c.0).collect::<Box<[u32]>>()
        };
        let bounded = numbers(&|c| c.min > 0);
        let mut required: Vec<u32> = counts.iter().filter(|c| c.min > 0).filter_map(|c| c.alone).collect();
        required.sort_unstable();
        let mut this = Tallies {
            slots: slots.into(),
            counts: counts.into(),
            endings,
            edge,
            position,
            last,
            alone,
            required: required.into(),
            words: layout.words as usize,
            bounded,
            clampable: Box::default(),
            tree,
            order,
            judged,
        };
        this.find_slack();
        this.search_if_too_many();
        this
    }

    /// Leaves counts that overlap in too many ways for all numbers of entries to be gone through to the search by bounds.
    fn search_if_too_many(&mut self) {
        if self.order.is_some() && self.cost() > TALLY_STEPS {
            self.order = None;
            self.clampable = Box::default();
            self.judged = Some(Judged::of_counts());
        }
    }

    /// Finds the counts that may be clamped: some slot can always make up for what is missing, so that all that others
    /// need of the count is room; and they never need more entries than the sum of their lower bounds.
    fn find_slack(&mut self) {
        if self.edge > 0 || self.judged.is_some() {
            return;
        }
        let all = self.counts.iter().map(|c| c.min as u64).sum::<u64>();
        let mut clampable = Vec::new();
        for number in 0..self.counts.len() {
            let others = all - self.counts[number].min as u64;
            if self.counts[number].limit() > 1
                && self.has_free_slot(number)
                && let Ok(slack) = u32::try_from(others)
            {
                self.counts[number].slack = slack;
                clampable.push(number as u32);
            }
        }
        self.clampable = clampable.into();
    }

    /// Whether a count has a slot that can be used any number of times, for all that others say.
    fn has_free_slot(&self, number: usize) -> bool {
        let bounds = |c: u32| c as usize != number && self.counts[c as usize].max.is_some();
        let last = (self.slots.len() as u32).saturating_sub(1);
        self.counts[number].slots.iter().any(|&number| {
            let slot = &self.slots[number as usize];
            let passed = self.endings.is_some() && number < last;
            !passed && !slot.counts.iter().any(|&c| bounds(c))
        })
    }
}

/// The counts, sorted by size; slots get to know theirs.
fn count_plans(members: &Members, slots: &mut [SlotPlan]) -> Vec<CountPlan> {
    let mut by_size: Vec<_> = members.counts.iter().collect();
    by_size.sort_by_key(|c| c.slots.len());
    let mut counts: Vec<CountPlan> = Vec::with_capacity(by_size.len());
    for count in by_size {
        let closes = count.slots.iter().map(|&s| slots[s as usize].to).max().unwrap_or(u32::MAX);
        count.slots.iter().for_each(|&s| slots[s as usize].counts.push(counts.len() as u32));
        counts.push(CountPlan {
            min: count.min,
            max: count.max,
            field: Field::default(),
            slots: count.slots.clone(),
            alone: None,
            closes,
            slack: 0,
        });
    }
    counts
}

/// What ends with each slot, in the order of the slots. Counts that share a field need no end.
fn endings(counts: &[CountPlan]) -> Box<[(u32, u32)]> {
    let mut endings: Vec<(u32, u32)> = Vec::new();
    for (number, count) in (0..).zip(counts).filter(|c| c.1.alone.is_none()) {
        endings.extend(count.slots.last().map(|&last| (last, number)));
    }
    endings.sort_by_key(|e| e.0);
    endings.into()
}
