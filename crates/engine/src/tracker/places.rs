//! What is remembered of configurations for the sake of repetitions: where bytes lead from them, and which tokens begin
//! something new there.
//!
//! Candidates stand in the same few places of a grammar again and again. What the automaton does there does not depend on
//! them, so it is found once.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::number::Number;
use super::reading::Mode;
use super::set::Symbol;
use crate::automaton::StateId;
use crate::collections::{AppendVec, Keyed, Writer};
use crate::stack::Config;
use crate::vocab::TokenId;

/// What tells two configurations apart.
pub(crate) type ConfigKey = SmallVec<[(StateId, u128); 2]>;

/// The key of a configuration.
pub(crate) fn key_of(config: &Config) -> ConfigKey {
    config.iter().map(|(state, stack)| (*state, stack.key)).collect()
}

/// Tokens by the configuration, whether it stands inside a string, whether those matter that close something, and others
/// that open nothing, and whether keys abound.
type Beginning = Keyed<(ConfigKey, [bool; 4]), Arc<[TokenId]>>;

/// A configuration, and what tells all about an item there that is compared with one other: where in it the text stands, and
/// what is left of the other.
type SingleKey = (ConfigKey, (Mode, Number, SmallVec<[Symbol; 16]>));

/// For each configuration, the tokens that begin something new and have to be looked at one by one.
#[derive(Default)]
pub(crate) struct Corrections {
    pub(crate) beginning: Beginning,
    /// Whether a text can be completed where what is being written is compared with one item.
    pub(crate) single: Keyed<SingleKey, bool>,
    pub(crate) spots: Spots,
}

/// Where bytes lead: the numbers of spots, or nowhere.
type Ways = SmallVec<[(u8, Option<u32>); 4]>;

/// Choices by the node of the trie, and whether they are digits.
type ChoicesBelow = SmallVec<[((u32, bool), f32); 1]>;

/// A configuration.
pub(crate) struct Spot {
    pub(crate) config: Config,
    /// The ASCII characters that lead back to it, one bit each, where that is plain to see.
    pub(crate) loops: u128,
    /// ASCII characters any number of which may come next, where that is plain to see, one bit each.
    pub(crate) any_number: u128,
    /// The bytes of text that may come next.
    pub(crate) next: OnceLock<ByteSet>,
    /// The bytes that may come next, together where they lead to the same.
    pub(crate) classes: OnceLock<Box<[ByteSet]>>,
    pub(crate) after: RwLock<Ways>,
    /// Whether what is being written, or what holds it so many containers further out, has plenty of choice left.
    pub(crate) plenty: RwLock<SmallVec<[(u32, bool); 1]>>,
    /// How many different things the string, or the number, that is being written can become at least, as a power of two.
    pub(crate) choices: [OnceLock<f32>; 2],
    /// The same wherever tokens lead that are below a node of the trie: the least of all.
    pub(crate) choices_below: RwLock<ChoicesBelow>,
    /// Whether a number can get any exponent.
    pub(crate) any_exponent: OnceLock<bool>,
    /// Whether nothing but the end of an item may come, and not that of a repetition.
    pub(crate) ends_anew: OnceLock<bool>,
    /// Of keys, where nothing holds their object: see [`is_key_of_plenty`](Session::is_key_of_plenty).
    pub(crate) plenty_alone: OnceLock<Option<bool>>,
}

/// All that were come to.
pub(crate) struct Spots {
    pub(crate) list: AppendVec<Spot>,
    pub(crate) index: Mutex<SpotIndex>,
}

/// The numbers of spots, and the right to add to them.
#[derive(Default)]
pub(crate) struct SpotIndex {
    pub(crate) numbers: FxHashMap<ConfigKey, u32>,
    pub(crate) writer: Writer,
}

impl Default for Spots {
    fn default() -> Self {
        let index = SpotIndex::default();
        Spots { list: AppendVec::new(&index.writer), index: Mutex::new(index) }
    }
}

impl Spot {
    /// Whether what is being written, or what holds it so many containers further out, is known to have plenty of choice
    /// left, or not to.
    pub(crate) fn knows_plenty(&self, out: u32) -> Option<bool> {
        let known = self.plenty.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|known| known.0 == out).map(|known| known.1)
    }

    /// Whether it is known which bytes may come next.
    pub(crate) fn knows_next(&self) -> bool {
        self.next.get().is_some()
    }

    /// Whether a byte leads back, where that is plain to see.
    pub(crate) fn loops_on(&self, byte: u8) -> bool {
        byte < 0x80 && self.loops >> byte & 1 == 1
    }
}
