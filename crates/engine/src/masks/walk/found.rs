//! What a walk finds out about places, for as long as it lasts.

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::ByteSet;

use crate::automaton::{LocalId, Watched, Watcher};
use crate::tokens::class::CharClass;

/// A first character and then any of a class: where all that leads is known to go on.
pub(crate) struct Closed {
    /// ASCII bytes that lead there, and whether every character past ASCII does.
    pub(crate) first: ByteSet,
    pub(crate) first_wide: bool,
    pub(crate) rest: CharClass,
    /// The most characters of which that is known.
    pub(crate) most: u32,
    /// Characters past ASCII that do not go on everywhere.
    pub(crate) dead: Vec<char>,
    /// The places, if some of the other characters do not go on from a few that are far away.
    pub(crate) failing: Option<Watcher>,
    /// Bytes that lead out from any of the places.
    pub(crate) exits: ByteSet,
    /// The place that most tokens lead to, the bytes that lead to it at first, and the characters that stay there.
    pub(crate) home: LocalId,
    pub(crate) home_first: ByteSet,
    pub(crate) home_rest: CharClass,
    /// What most of the places can do, as far as that is known.
    pub(crate) base: LocalId,
}

/// Where the bytes down to some nodes lead.
pub(crate) struct Places {
    pub(crate) known: FxHashMap<u32, Option<LocalId>>,
    /// What most of the places can do; none if they are asked for single bytes, and need not be found out about.
    pub(crate) base: Option<LocalId>,
}

impl Places {
    /// What is known at first: a node, and the place there.
    pub(crate) fn new(node: u32, local: LocalId, base: Option<LocalId>) -> Self {
        Places { known: FxHashMap::from_iter([(node, Some(local))]), base }
    }
}

/// The place that was visited last.
pub(crate) struct Staying {
    pub(crate) local: LocalId,
    /// How often in a row.
    pub(crate) visits: u32,
    /// The ASCII characters that lead from there back to it, if it was often.
    pub(crate) ascii: u128,
}

/// A loop under conditions.
pub(crate) struct UnderConditions {
    pub(crate) watched: Watched,
    /// Where it goes on behind the loop, and the bytes that lead on there.
    pub(crate) onward: LocalId,
    pub(crate) exits: ByteSet,
}

/// See the module documentation.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<[u16; 256]>,
    /// The place of each.
    pub(crate) places: Vec<LocalId>,
    /// The row of each place, or that it has none.
    pub(crate) known: FxHashMap<LocalId, u16>,
}

impl Rows {
    pub(crate) fn place(&self, row: u16) -> LocalId {
        self.places[usize::from(row - FIRST)]
    }
}

/// The number of the first row.
pub(crate) const FIRST: u16 = 3;
