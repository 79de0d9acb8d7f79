//! In which order a search goes over the slots.

use smallvec::SmallVec;

use super::parts::CountPlan;

/// The slots in an order in which few counts are open at a time.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) slots: Box<[u32]>,
    /// For each place in the order, the counts that are complete after it.
    pub(super) counts: Box<[SmallVec<[u32; 2]>]>,
}

impl Order {
    /// Counts come sorted by size; slots of small ones stand together.
    pub(super) fn new(slots: usize, counts: &[CountPlan]) -> Self {
        let mut place = vec![u32::MAX; slots];
        let mut order = Vec::with_capacity(slots);
        let mut put = |slot: u32| {
            if place[slot as usize] == u32::MAX {
                place[slot as usize] = order.len() as u32;
                order.push(slot);
            }
        };
        let small = counts.partition_point(|c| c.slots.len() <= 1);
        let middle = counts.partition_point(|c| c.slots.len() <= 4);
        counts[small..middle].iter().flat_map(|c| &c.slots[..]).for_each(|&s| put(s));
        counts[middle..].iter().flat_map(|c| &c.slots[..]).for_each(|&s| put(s));
        (0..slots as u32).for_each(&mut put);
        let mut ends = Order { slots: order.into(), counts: vec![SmallVec::new(); slots].into() };
        for (number, count) in (0..).zip(counts) {
            if let Some(last) = count.slots.iter().map(|&s| place[s as usize]).max() {
                ends.counts[last as usize].push(number);
            }
        }
        ends
    }
}
