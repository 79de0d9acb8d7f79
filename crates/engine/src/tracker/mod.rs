//! Reading a text as JSON beside the automaton, to find what is repeated in it.
//!
//! Some rules about JSON no grammar can state: that a key is not given twice, that the items of an array differ.
//! For grammars that ask for it ([`Tracking`]) the matcher runs a [`Tracker`] over the text. It hands every byte on
//! to the automaton as it is, except where something has just turned out to be a repetition: there the automaton gets a
//! byte that no text contains, and the grammar says whether it minds.
//!
//! What is written is turned into *symbols* in which equal values are spelled alike: strings without escapes, numbers
//! as digits and a power of ten, an object as a hash of its members in no order. The keys of an open object and the
//! items of an open array are sets of such spellings ([`set`]), and a cursor in the set follows what is being
//! written: as long as it stands, a repetition is possible. This is also how masks are corrected : only
//! along the cursors can anything be wrong with what the automaton alone would allow.
//!
//! While an object is written, its members so far need not be in the order of any earlier object. They are compared
//! with the members of all earlier objects in arrays, one by one. That lets some candidates stand that cannot be
//! met any more, which costs time, not exactness: at the end of the object its hash decides.
//!
//! A tracker is a few shared pointers: the history of a sequence keeps one for each of the last few steps.

mod entries;
mod frame;
mod keys;
mod number;
mod places;
mod reading;
mod rope;
mod set;
mod special;
mod strings;
mod tables;

pub(crate) use entries::may_end_entry;
pub(crate) use keys::clear_repeated_keys;
pub(crate) use places::{ConfigKey, Corrections, Spot, Spots, key_of};
pub(crate) use reading::{Mode, Tracker, Views, ways_of};
pub(crate) use special::{SPECIAL, TEXT_BYTES};
pub(crate) use strings::Text;
pub(crate) use tables::StructureTables;
