//! Lists of separated entries that are counted: the members of a JSON object, the items of an array.
//!
//! "The keys a, b and c, each at most once, b always, in any order" has six texts for the order alone, and sixty
//! keys have more than there are atoms; so this is one expression, and whoever runs it keeps the counts.

use crate::ids::ExprId;

/// Entries with separators between them, under counts.
///
/// A text matches if it is `e₀ sep e₁ sep … eₙ₋₁` (nothing at all for n = 0) and every entry can be given a slot so
/// that
/// - `eᵢ` matches its slot's [`entry`](Slot::entry), and the slot is open at `i`: `from ≤ i < to`;
/// - if the members are [`in_order`](Members::in_order), the numbers of the slots never fall;
/// - for each [`Count`], the number of entries that were given one of its slots is within its bounds;
/// - for each pair `(a, b)` of [`implies`](Members::implies): if slot `a` was given to an entry, so was slot `b`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Members {
    /// What stands between two entries.
    pub separator: ExprId,
    /// What the entries may be.
    pub slots: Box<[Slot]>,
    /// How many there may be.
    pub counts: Box<[Count]>,
    /// Pairs of slots: whoever uses the first must use the second.
    pub implies: Box<[(u32, u32)]>,
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
    /// Which slots, sorted.
    pub slots: Box<[u32]>,
    /// Least number of entries.
    pub min: u32,
    /// Greatest number of entries.
    pub max: Option<u32>,
}
