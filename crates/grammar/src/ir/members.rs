//! Lists of separated entries that are counted: the members of a JSON object, the items of an array.
//!
//! "The keys a, b and c, each at most once, b always, in any order" has six texts for the order alone, and sixty
//! keys have more than there are atoms; so this is one expression, and whoever runs it keeps the counts.

use smallvec::SmallVec;

use super::{Condition, Tallies};
use crate::error::Error;
use crate::ids::ExprId;

/// Entries with separators between them, under counts.
///
/// A text matches if it is `e₀ sep e₁ sep … eₙ₋₁` (nothing at all for n = 0) and every entry can be given a slot so
/// that
/// - `eᵢ` matches its slot's [`entry`](Slot::entry), and the slot is open at `i`: `from ≤ i < to`;
/// - if the members are [`in_order`](Members::in_order), the numbers of the slots never fall;
/// - for each [`Count`], the number of entries that were given one of its slots is within its bounds;
/// - the [`condition`](Members::condition) holds of how many entries were given each slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Members {
    /// What stands between two entries.
    pub separator: ExprId,
    /// What the entries may be.
    pub slots: Box<[Slot]>,
    /// How many there may be.
    pub counts: Box<[Count]>,
    /// What must hold of all entries together.
    pub condition: Option<Box<Condition>>,
    /// Whether entries come in the order of the slots.
    pub in_order: bool,
}

impl Members {
    /// The same with other children: the separator, then the entry of each slot.
    pub fn with_children(&self, children: &[ExprId]) -> Members {
        let entries = self.slots.iter().zip(&children[1..]);
        let slots = entries.map(|(slot, &entry)| Slot { entry, ..*slot }).collect();
        Members { separator: children[0], slots, ..self.clone() }
    }

    /// Whether these are its children.
    pub(super) fn has_children(&self, children: &[ExprId]) -> bool {
        self.separator == children[0]
            && self.slots.iter().map(|slot| slot.entry).eq(children[1..].iter().copied())
    }

    /// Gives it other children, in place.
    pub(super) fn set_children(&mut self, children: &[ExprId]) {
        self.separator = children[0];
        self.slots.iter_mut().zip(&children[1..]).for_each(|(slot, &entry)| slot.entry = entry);
    }

    /// Refuses members for which it may take too long to find out what can be completed: counts that overlap in
    /// too many ways.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_apart() {
            return Ok(()); // each count by itself
        }
        Tallies::new(self).check()
    }

    /// Whether slots are open everywhere and none is counted twice, so that no count has to do with another.
    fn is_apart(&self) -> bool {
        let anywhere = |slot: &Slot| (slot.from, slot.to) == (0, u32::MAX);
        if self.condition.is_some() || !self.slots.iter().all(anywhere) {
            return false;
        }
        // Counts of one slot each, in order, are the usual thing.
        if self
            .counts
            .windows(2)
            .all(|pair| matches!((&pair[0].slots[..], &pair[1].slots[..]), ([a], [b]) if a < b))
        {
            return true;
        }
        let mut counted = vec![false; self.slots.len()];
        let mut slots = self.counts.iter().flat_map(|count| &count.slots);
        slots.all(|&slot| !std::mem::replace(&mut counted[slot as usize], true))
    }

    /// Whether [`restricted`](Self::restricted) to all slots but those of the entry `never` changes nothing.
    pub(super) fn is_settled(&self, never: ExprId) -> bool {
        let rising = |slots: &[u32]| slots.windows(2).all(|pair| pair[0] < pair[1]);
        let says = |c: &Count| {
            c.max != Some(0)
                && (c.min > 0 || c.max.is_some())
                && c.max.is_none_or(|max| c.min <= max)
                && !c.slots.is_empty()
                && rising(&c.slots)
        };
        self.slots.iter().all(|slot| slot.from < slot.to && slot.entry != never)
            && self.condition.is_none()
            && self.counts.iter().all(says)
            && self.counts.windows(2).all(|pair| pair[0].slots < pair[1].slots)
    }

    /// The same without the empty text.
    pub(crate) fn nonempty(&self) -> Members {
        self.with_total(1, None)
    }

    /// How many numbers it takes to write this down.
    pub(super) fn size(&self) -> usize {
        let condition = self.condition.as_ref().map_or(0, |condition| condition.size());
        let counts = self.counts.iter().map(|c| c.slots.len() + 1).sum::<usize>();
        self.slots.len() + counts + condition
    }

    /// Whether no entries at all fulfil everything.
    pub fn may_be_empty(&self) -> bool {
        self.counts.iter().all(|count| count.min == 0)
            && self.condition.as_ref().is_none_or(|condition| condition.holds(|_| 0))
    }

    fn with_total(&self, min: u32, max: Option<u32>) -> Members {
        let all = Count { slots: (0..self.slots.len() as u32).collect(), min, max };
        Members { counts: self.counts.iter().cloned().chain([all]).collect(), ..self.clone() }
    }

    /// The same with only those slots that `keep` wants; a separator that matches
    /// nothing (`joins` is false) leaves room for one entry. `None` if a count can then not be kept.
    pub(crate) fn restricted(&self, joins: bool, keep: impl Fn(&Slot) -> bool) -> Option<Members> {
        let limited;
        let whole = if joins {
            self
        } else {
            limited = self.with_total(0, Some(1));
            &limited
        };
        let kept = whole.usable(keep);
        let mut next = 0..;
        let numbers: Vec<Option<u32>> = kept.iter().map(|&k| if k { next.next() } else { None }).collect();
        let number = |slot: u32| numbers.get(slot as usize).copied().flatten();
        let mut counts: Vec<Count> = Vec::new();
        for count in &whole.counts {
            let mut slots: SmallVec<[u32; 2]> = count.slots.iter().filter_map(|&s| number(s)).collect();
            slots.sort_unstable();
            slots.dedup();
            counts.push(Count { slots, ..*count });
        }
        let slots = whole.slots.iter().zip(&kept).filter(|s| *s.1).map(|s| *s.0).collect();
        let counts = merged(counts)?;
        let condition = whole.condition.as_ref().map(|condition| condition.renumbered(number));
        if condition.as_ref().is_some_and(Condition::is_never) {
            return None;
        }
        let condition = condition.filter(|condition| !condition.is_always()).map(Box::new);
        let (separator, in_order) = (whole.separator, whole.in_order);
        Some(Members { separator, slots, counts, condition, in_order })
    }

    /// Which slots can be used at all, for all that is seen at once.
    fn usable(&self, keep: impl Fn(&Slot) -> bool) -> Vec<bool> {
        let mut kept: Vec<bool> = self.slots.iter().map(|s| s.from < s.to && keep(s)).collect();
        for count in self.counts.iter().filter(|c| c.max == Some(0)) {
            count.slots.iter().for_each(|&s| kept[s as usize] = false);
        }
        kept
    }

    /// Whether some number of entries is right. If that takes too long to find out, it is taken to be so: such members
    /// are refused later.
    pub(crate) fn is_satisfiable(&self) -> bool {
        if self.may_be_empty() {
            return true;
        }
        if self.is_apart() {
            return true; // with as many in each slot as are asked for
        }
        let tallies = Tallies::new(self);
        tallies.is_completable(&tallies.start()).unwrap_or(true)
    }
}

/// The counts in order, one for each set of slots, without those that say nothing; `None` if one cannot be kept.
fn merged(mut counts: Vec<Count>) -> Option<Box<[Count]>> {
    counts.sort_unstable_by(|a, b| a.slots.cmp(&b.slots));
    counts.dedup_by(|next, kept| {
        let same = next.slots == kept.slots;
        if same {
            kept.min = kept.min.max(next.min);
            kept.max = [kept.max, next.max].into_iter().flatten().min();
        }
        same
    });
    let possible = |c: &Count| c.max.is_none_or(|max| c.min <= max) && !(c.slots.is_empty() && c.min > 0);
    if !counts.iter().all(possible) {
        return None;
    }
    counts.retain(|c| !c.slots.is_empty() && (c.min > 0 || c.max.is_some()));
    Some(counts.into())
}

/// One kind of entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// What it matches. Never the empty text.
    pub entry: ExprId,
    /// The first position, counted from 0, at which it may stand.
    pub from: u32,
    /// The position before which it may stand; `u32::MAX` if there is no end.
    pub to: u32,
}

impl Slot {
    /// An entry that may stand anywhere.
    pub fn anywhere(entry: ExprId) -> Self {
        Slot { entry, from: 0, to: u32::MAX }
    }
}

/// A bound on the number of entries in some slots.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Count {
    /// Which slots, sorted. Mostly it is one.
    pub slots: SmallVec<[u32; 2]>,
    /// Least number of entries.
    pub min: u32,
    /// Greatest number of entries.
    pub max: Option<u32>,
}
