//! Members from their definition: how often each slot was used, which was the last, how many entries there were. What can
//! be completed is found by trying all ways on, the shortest first. For small members only.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::Members;

/// The entries so far.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Entries {
    /// How often each slot was used; past all bounds it stays where it is.
    used: Vec<u32>,
    last: u32,
    /// How many there are; past all windows it stays where it is.
    number: u32,
}

/// Members of which only some slots can be used.
pub(crate) struct Usable<'a> {
    members: &'a Members,
    slots: Vec<bool>,
    /// Whether a second entry can follow the first.
    joins: bool,
}

impl<'a> Usable<'a> {
    pub(crate) fn new(members: &'a Members, slots: Vec<bool>, joins: bool) -> Self {
        Usable { members, slots, joins }
    }

    pub(crate) fn start(&self) -> Entries {
        Entries { used: vec![0; self.members.slots.len()], last: 0, number: 0 }
    }

    /// Whether the entries may end here: every count is in its bounds, and the condition holds.
    pub(crate) fn may_end(&self, entries: &Entries) -> bool {
        let counted = self.members.counts.iter().all(|count| {
            let sum: u32 = count.slots.iter().map(|&s| entries.used[s as usize]).sum();
            sum >= count.min && count.max.is_none_or(|max| sum <= max)
        });
        let condition = self.members.condition.as_ref();
        counted && condition.is_none_or(|condition| condition.holds(|slot| entries.used[slot as usize]))
    }

    /// The entries with one more in `slot`, if it may stand there and no count is above its bound.
    pub(crate) fn with(&self, entries: &Entries, slot: u32) -> Option<Entries> {
        let at = &self.members.slots[slot as usize];
        let number = entries.number;
        let open = at.from <= number && number < at.to && self.slots[slot as usize];
        let first = entries.used.iter().all(|&n| n == 0);
        if !open || self.members.in_order && slot < entries.last || !self.joins && !first {
            return None;
        }
        let condition = self.members.condition.as_ref().map(|condition| condition.most());
        let bounds =
            self.members.counts.iter().flat_map(|c| [Some(c.min), c.max]).chain([condition]).flatten();
        let edges = self.members.slots.iter().flat_map(|s| [s.from, s.to]).filter(|&e| e != u32::MAX);
        let mut next = entries.clone();
        next.used[slot as usize] = (next.used[slot as usize] + 1).min(bounds.max().unwrap_or(0) + 1);
        next.last = slot;
        next.number = (number + 1).min(edges.max().unwrap_or(0));
        let over = self.members.counts.iter().any(|c| {
            let sum: u32 = c.slots.iter().map(|&s| next.used[s as usize]).sum();
            c.max.is_some_and(|max| sum > max)
        });
        (!over).then_some(next)
    }

    /// The slots of the shortest way to an end.
    pub(crate) fn shortest(&self, entries: &Entries) -> Option<Vec<u32>> {
        let mut from: FxHashMap<Entries, Option<(Entries, u32)>> = FxHashMap::default();
        from.insert(entries.clone(), None);
        let mut todo = VecDeque::from([entries.clone()]);
        while let Some(here) = todo.pop_front() {
            if self.may_end(&here) {
                let mut way = Vec::new();
                let mut at = here;
                while let Some(Some((before, slot))) = from.get(&at) {
                    way.push(*slot);
                    at = before.clone();
                }
                way.reverse();
                return Some(way);
            }
            for slot in 0..self.slots.len() as u32 {
                if let Some(next) = self.with(&here, slot)
                    && !from.contains_key(&next)
                {
                    from.insert(next.clone(), Some((here.clone(), slot)));
                    todo.push_back(next);
                }
            }
        }
        None
    }

    /// The slots that can be used next so that an end can be reached.
    pub(crate) fn open(&self, entries: &Entries) -> Vec<(u32, Entries)> {
        let next = (0..self.slots.len() as u32).filter_map(|s| Some((s, self.with(entries, s)?)));
        next.filter(|(_, next)| self.shortest(next).is_some()).collect()
    }
}
