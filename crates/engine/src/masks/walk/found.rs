//! What a walk finds out about places, for as long as it lasts.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::ByteSet;

use crate::automaton::{LocalId, Watched, Watcher};
use crate::tokens::class::{CharClass, LackId};
use crate::tokens::trie::Below;

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
    /// Where more characters than that are looked at: the bytes that the next one may begin with, and those that it may begin
    /// with besides where some before it are past ASCII.
    pub(crate) behind: Option<(ByteSet, ByteSet)>,
    /// Where the characters lead, if that is known of all places.
    pub(crate) table: Option<Rc<PlaceTable>>,
    /// The places, if some of the other characters do not go on from a few that are far away.
    pub(crate) failing: Option<Watcher>,
    /// Of those the place that most texts are in, and its number in the table.
    pub(crate) base_of_failing: Option<(LocalId, u8)>,
    /// Bytes that lead out from any of the places.
    pub(crate) exits: ByteSet,
    /// Of these, bytes that follow a formula alone, and how many others must be read before.
    pub(crate) ends: Option<(ByteSet, u32)>,
    /// The place that most tokens lead to, the bytes that lead to it at first, and the characters that stay there.
    pub(crate) home: LocalId,
    pub(crate) home_first: ByteSet,
    pub(crate) home_rest: CharClass,
    /// What most of the places can do, as far as that is known.
    pub(crate) base: LocalId,
}

/// The characters that a place goes on with, whatever they are, and how many of them.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    pub(crate) ascii: u128,
    pub(crate) wide: bool,
    /// Those past ASCII that it does not go on with.
    pub(crate) lack: LackId,
    pub(crate) most: u32,
}

impl Area {
    /// Whether it goes on with all characters below a node, but for those that it lacks.
    #[inline]
    pub(crate) fn has(&self, below: &Below) -> bool {
        below.ascii & !self.ascii == 0
            && below.chars <= self.most
            && (!below.wide || self.wide && !below.broken && below.boundary)
    }
}

/// Where the bytes down to some nodes lead.
pub(crate) struct Places {
    pub(crate) known: FxHashMap<u32, Option<LocalId>>,
    /// What most of the places can do; none if they are asked for single bytes, and need not be found out about.
    pub(crate) base: Option<LocalId>,
    /// A node, and a table of what leads on from the place there.
    pub(crate) table: Option<(u32, Rc<PlaceTable>)>,
    /// Bytes that follow no fewer than so many others.
    pub(crate) ends: Option<(ByteSet, u32)>,
}

/// Where characters lead from some places.
#[derive(Default)]
pub(crate) struct PlaceTable {
    places: Vec<LocalId>,
    /// The place that each ASCII character leads to.
    next: Vec<[u16; 128]>,
    /// The same for those past ASCII, all of which lead to one.
    wide: Vec<u16>,
    /// The place after so many characters, if it is the same for all of them.
    chain: Vec<u16>,
}

impl PlaceTable {
    /// Stands for a place that is not known.
    const NONE: u16 = u16::MAX;

    /// Adds a place: where ASCII characters lead from it, one bit each, and where all others do.
    pub(crate) fn add(
        &mut self,
        place: LocalId,
        ways: impl Iterator<Item = (u128, usize)>,
        wide: Option<usize>,
    ) {
        let mut row = [Self::NONE; 128];
        for (mut set, to) in ways {
            while set != 0 {
                row[set.trailing_zeros() as usize] = to as u16;
                set &= set - 1;
            }
        }
        self.places.push(place);
        self.next.push(row);
        self.wide.push(wide.map_or(Self::NONE, |to| to as u16));
    }

    /// Finds out whether all characters of a class, those past ASCII perhaps among them, lead to one place from each. What leads
    /// on from the first place may be other characters.
    pub(crate) fn find_chain(&mut self, ascii: &ByteSet, wide: bool) {
        let only = |at: usize| {
            let is_asked = |byte: u8, to: u16| if at == 0 { to != Self::NONE } else { ascii.contains(byte) };
            let ways = (0..128).map(|byte| (byte, self.next[at][byte as usize]));
            let ways = ways.filter(|&(byte, to)| is_asked(byte, to)).map(|way| way.1);
            let mut ways = ways.chain(wide.then_some(self.wide[at]));
            let first = ways.next().filter(|&to| to != Self::NONE)?;
            ways.all(|to| to == first).then_some(first)
        };
        let (mut chain, mut at) = (vec![0], 0);
        while let Some(next) = only(at).filter(|_| chain.len() <= self.places.len()) {
            chain.push(next);
            at = next as usize;
        }
        // From the last one on nothing is known, or it leads back to itself.
        let ends = self.next[at].iter().chain([&self.wide[at]]).all(|&to| to == Self::NONE);
        let is_chain = ends || only(at) == Some(at as u16);
        self.chain = if is_chain { chain } else { Vec::new() };
    }

    /// Where so many characters lead from the first place, if it does not matter which.
    pub(crate) fn after_chars(&self, chars: u32) -> Option<LocalId> {
        let last = self.chain.len().checked_sub(1)?;
        let at = match self.chain.get(chars as usize) {
            Some(&at) => at,
            None if last > 0 && self.chain[last] == self.chain[last - 1] => self.chain[last],
            None => return None,
        };
        self.places.get(at as usize).copied()
    }

    /// Where whole characters lead from the first place, if that is known.
    pub(crate) fn after(&self, bytes: &[u8]) -> Option<LocalId> {
        let mut at = 0;
        for &byte in bytes {
            let next = match byte {
                ..0x80 => self.next.get(at)?[byte as usize],
                0x80..0xC0 => at as u16,
                0xC0.. => *self.wide.get(at)?,
            };
            at = next as usize;
        }
        self.places.get(at).copied()
    }
}

impl Places {
    /// What is known at first: a node, and the place there.
    pub(crate) fn new(node: u32, local: LocalId, base: Option<LocalId>) -> Self {
        Places { known: FxHashMap::from_iter([(node, Some(local))]), base, table: None, ends: None }
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
    /// How often each was come to, and the characters that it goes on with.
    pub(crate) areas: Vec<(u32, Option<Area>)>,
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
