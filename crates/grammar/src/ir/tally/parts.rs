//! What a [`Tally`] is made of: bits for every number that matters, and what each slot and count has to do with them.

use smallvec::SmallVec;

/// What is known after some entries: counts, the last slot, the position. Read by [`Tallies`](super::Tallies) alone.
pub type Tally = SmallVec<[u64; 2]>;

/// Entries that complete a tally: slots, in order, and how many of each.
pub(super) type Witness = Vec<(u32, u32)>;

/// Some bits of a tally.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Field {
    #[inline]
    pub(super) fn get(self, tally: &Tally) -> u32 {
        (tally[self.word as usize] >> self.shift & self.mask) as u32
    }

    #[inline]
    pub(super) fn set(self, tally: &mut Tally, value: u32) {
        debug_assert!(value as u64 <= self.mask);
        let word = &mut tally[self.word as usize];
        *word = *word & !(self.mask << self.shift) | (value as u64) << self.shift;
    }
}

/// Gives out bits of a tally.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) words: u32,
    used: u32,
}

impl Layout {
    /// Room for the numbers up to `most`.
    pub(super) fn field(&mut self, most: u32) -> Field {
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
pub(super) struct SlotPlan {
    pub(super) from: u32,
    pub(super) to: u32,
    /// The counts it belongs to, the smallest first.
    pub(super) counts: SmallVec<[u32; 2]>,
    /// The groups of the condition that it belongs to.
    pub(super) groups: SmallVec<[u32; 2]>,
}

#[derive(Clone, Debug)]
pub(super) struct CountPlan {
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    pub(super) field: Field,
    pub(super) slots: SmallVec<[u32; 2]>,
    /// If it shares its field with the other counts of one slot: that slot. Only the last one used has anything in it.
    pub(super) alone: Option<u32>,
    /// The position from which on none of its slots is open; `u32::MAX` if there is none.
    pub(super) closes: u32,
    /// If it is clamped: how much room its upper bound must leave to what others need.
    pub(super) slack: u32,
}

impl CountPlan {
    /// The greatest number that is told from others.
    pub(super) fn limit(&self) -> u32 {
        self.max.unwrap_or(self.min)
    }
}
