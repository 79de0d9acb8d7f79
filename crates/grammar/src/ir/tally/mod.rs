//! Counting the entries of a [`Members`]: what is known after some of them, and whether the rest can come out right.
//!
//! A [`Tally`] is all that matters of the entries so far, in a few bits: numbers that can no longer make a difference
//! are set to one common value, so that equal futures are equal tallies. Whether a tally can be completed is decided by
//! the first of these that applies:
//!
//! - where counts are nested or apart (each slot at most once, so many in all), sums of intervals (`tree.rs`);
//! - the same with pairs that imply each other, by what is implied (`implied.rs`);
//! - else by a search over the slots in an order in which few counts are open at a time, or, while positions matter,
//!   over the tallies themselves (`search.rs`). Members for which this would take too long are refused
//!   ([`Tallies::check`]) before they are used.

mod implied;
mod search;
mod tree;

use smallvec::SmallVec;

use super::Members;
use crate::error::{Error, ErrorKind};
use search::Effort;
use tree::Tree;

/// What is known after some entries: counts, the last slot, the position. Read by [`Tallies`] alone.
pub type Tally = SmallVec<[u64; 2]>;

/// Some bits of a tally.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Field {
    #[inline]
    fn get(self, tally: &Tally) -> u32 {
        (tally[self.word as usize] >> self.shift & self.mask) as u32
    }

    #[inline]
    fn set(self, tally: &mut Tally, value: u32) {
        debug_assert!(value as u64 <= self.mask);
        let word = &mut tally[self.word as usize];
        *word = *word & !(self.mask << self.shift) | (value as u64) << self.shift;
    }
}

/// Gives out bits of a tally.
#[derive(Default)]
struct Layout {
    words: u32,
    used: u32,
}

impl Layout {
    /// Room for the numbers up to `most`.
    fn field(&mut self, most: u32) -> Field {
        let bits = u32::BITS - most.leading_zeros();
        if self.words == 0 || self.used + bits > u64::BITS {
            self.words += 1;
            self.used = 0;
        }
        let field = Field { word: self.words - 1, shift: self.used.min(63), mask: (1 << bits) - 1 };
        self.used += bits;
        field
    }
}

#[derive(Clone, Debug, Default)]
struct SlotPlan {
    from: u32,
    to: u32,
    /// The counts it belongs to, the smallest first.
    counts: SmallVec<[u32; 2]>,
    /// The pairs it is the first, and the second, of.
    implies: SmallVec<[u32; 1]>,
    implied_by: SmallVec<[u32; 1]>,
}

#[derive(Clone, Debug)]
struct CountPlan {
    min: u32,
    max: Option<u32>,
    field: Field,
    slots: Box<[u32]>,
    /// The position from which on none of its slots is open; `u32::MAX` if there is none.
    closes: u32,
    /// If masks may take far counts for one: how much room its upper bound must leave to what others need.
    slack: Option<u32>,
}

impl CountPlan {
    /// The greatest number that is told from others.
    fn limit(&self) -> u32 {
        self.max.unwrap_or(self.min)
    }
}

/// What is known of a pair `(a, b)`.
mod pair {
    pub(super) const OPEN: u32 = 0;
    /// `a` was used and `b` not yet.
    pub(super) const PENDING: u32 = 1;
    pub(super) const DONE: u32 = 2;
}

#[derive(Clone, Copy, Debug)]
struct PairPlan {
    a: u32,
    b: u32,
    field: Field,
}

/// How the entries of a [`Members`] are counted.
#[derive(Clone, Debug)]
pub struct Tallies {
    slots: Box<[SlotPlan]>,
    counts: Box<[CountPlan]>,
    pairs: Box<[PairPlan]>,
    /// If entries come in order: for each slot, the counts that it is the last of.
    ends: Option<Box<[SmallVec<[u32; 2]>]>>,
    /// The last position at which a slot opens or closes; from there on positions do not matter.
    edge: u32,
    position: Field,
    last: Field,
    words: usize,
    /// If the counts are nested or apart.
    tree: Option<Tree>,
    order: search::Order,
}

impl Tallies {
    /// The counting of `members`, the slots of which are numbered and whose counts are in order: as the arena has it.
    pub fn new(members: &Members) -> Self {
        let mut slots: Vec<SlotPlan> = members
            .slots
            .iter()
            .map(|s| SlotPlan { from: s.from, to: s.to, ..SlotPlan::default() })
            .collect();
        let mut layout = Layout::default();
        let edges = slots.iter().flat_map(|s| [s.from, s.to]).filter(|&e| e != u32::MAX);
        let edge = edges.max().unwrap_or(0);
        let position = layout.field(edge);
        let last = layout.field(if members.in_order { slots.len() as u32 } else { 0 });
        let mut counts: Vec<CountPlan> = Vec::with_capacity(members.counts.len());
        let mut by_size: Vec<_> = members.counts.iter().collect();
        by_size.sort_by_key(|c| c.slots.len());
        for count in by_size {
            let closes = count.slots.iter().map(|&s| slots[s as usize].to).max().unwrap_or(u32::MAX);
            let field = layout.field(count.max.unwrap_or(count.min));
            count.slots.iter().for_each(|&s| slots[s as usize].counts.push(counts.len() as u32));
            let (min, max, slots) = (count.min, count.max, count.slots.clone());
            counts.push(CountPlan { min, max, field, slots, closes, slack: None });
        }
        let mut pairs = Vec::with_capacity(members.implies.len());
        for (number, &(a, b)) in (0..).zip(&members.implies) {
            slots[a as usize].implies.push(number);
            slots[b as usize].implied_by.push(number);
            pairs.push(PairPlan { a, b, field: layout.field(pair::DONE) });
        }
        let ends = members.in_order.then(|| {
            let mut ends = vec![SmallVec::new(); slots.len()];
            for (number, count) in (0..).zip(&counts) {
                if let Some(&last) = count.slots.last() {
                    ends[last as usize].push(number);
                }
            }
            ends.into()
        });
        let tree = Tree::new(&slots, &counts);
        let order = search::Order::new(slots.len(), &counts, &pairs);
        let (slots, counts, pairs) = (slots.into(), counts.into(), pairs.into());
        let words = layout.words as usize;
        let mut this = Tallies { slots, counts, pairs, ends, edge, position, last, words, tree, order };
        this.find_slack();
        this
    }

    /// Before the first entry.
    pub fn start(&self) -> Tally {
        SmallVec::from_elem(0, self.words)
    }

    /// Whether there may be no entry after these.
    pub fn can_end(&self, tally: &Tally) -> bool {
        self.counts.iter().all(|c| c.field.get(tally) >= c.min)
            && self.pairs.iter().all(|p| p.field.get(tally) != pair::PENDING)
    }

    /// The tally after one more entry, in `slot`; `None` if that slot is not open, a count would be above its bound, or
    /// one has come to its end below it. Whether it can be completed is not asked.
    pub fn step(&self, tally: &Tally, slot: u32) -> Option<Tally> {
        if !self.is_open(tally, slot) {
            return None;
        }
        let mut next = tally.clone();
        self.add(&mut next, slot)?;
        if let Some(ends) = &self.ends {
            self.pass(&mut next, ends, self.last.get(tally), slot)?;
            self.last.set(&mut next, slot);
        }
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
    fn add(&self, tally: &mut Tally, slot: u32) -> Option<()> {
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

    /// Leaves the slots from `from` to before `to` behind; `None` if something there is still wanting.
    fn pass(&self, tally: &mut Tally, ends: &[SmallVec<[u32; 2]>], from: u32, to: u32) -> Option<()> {
        for slot in from..to {
            for &count in &ends[slot as usize] {
                let count = &self.counts[count as usize];
                if count.field.get(tally) < count.min {
                    return None;
                }
                count.field.set(tally, count.min);
            }
            let slot = &self.slots[slot as usize];
            for &number in &slot.implies {
                let field = self.pairs[number as usize].field;
                if field.get(tally) == pair::OPEN {
                    field.set(tally, pair::DONE);
                }
            }
            if slot.implied_by.iter().any(|&p| self.pairs[p as usize].field.get(tally) == pair::PENDING) {
                return None;
            }
        }
        Some(())
    }

    /// Whether the order and the position allow an entry in `slot`.
    #[inline]
    fn is_open(&self, tally: &Tally, slot: u32) -> bool {
        let SlotPlan { from, to, .. } = self.slots[slot as usize];
        let position = self.position.get(tally);
        from <= position && position < to && (self.ends.is_none() || slot >= self.last.get(tally))
    }

    /// Whether positions do not matter any more.
    fn is_past_windows(&self, tally: &Tally) -> bool {
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

    /// Whether some further entries, or none, make the whole come out right.
    pub fn is_completable(&self, tally: &Tally) -> Result<bool, Error> {
        self.completable(tally, &mut Effort::default())
    }

    fn completable(&self, tally: &Tally, effort: &mut Effort) -> Result<bool, Error> {
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
        if self.cost() > search::MOST {
            return Err(too_hard());
        }
        Ok(())
    }

    /// The tally as far as so many more entries can tell: counts that stay clear of both their bounds are taken for one.
    pub fn clamped(&self, tally: &Tally, entries: u32) -> Tally {
        let mut clamped = tally.clone();
        for count in &self.counts {
            let Some(slack) = count.slack else { continue };
            let now = count.field.get(tally);
            let room = entries.saturating_add(slack);
            if count.max.is_none_or(|max| max.saturating_sub(now) >= room) {
                let far = count.min.saturating_sub(now) >= entries;
                count.field.set(&mut clamped, if far { 0 } else { now.min(count.min) });
            }
        }
        clamped
    }

    /// Finds the counts that may be clamped: some slot can always make up for what is missing, so that all that others
    /// need of the count is room; and they never need more entries than the sum of their lower bounds.
    fn find_slack(&mut self) {
        if self.edge > 0 {
            return;
        }
        let needs = |c: &CountPlan| c.min as u64;
        let all: u64 = self.counts.iter().map(needs).sum::<u64>() + self.pairs.len() as u64;
        let ordered = self.ends.is_some();
        for number in 0..self.counts.len() {
            let count = &self.counts[number];
            let mut slots = count.slots.iter().map(|&s| (s, &self.slots[s as usize]));
            let free = slots.any(|(number_of_slot, slot)| {
                slot.implies.is_empty()
                    && (!ordered || number_of_slot as usize + 1 == self.slots.len())
                    && slot
                        .counts
                        .iter()
                        .all(|&c| c as usize == number || self.counts[c as usize].max.is_none())
            });
            if free {
                self.counts[number].slack = u32::try_from(all - needs(&self.counts[number])).ok();
            }
        }
    }
}

fn too_hard() -> Error {
    let what = "bounds on the number of members or items overlap in too many ways to be enforced";
    Error::new(ErrorKind::Unsupported, what)
}
