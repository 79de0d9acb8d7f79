//! What is known of a vocabulary before any constraint is seen, and sets of its tokens.
//!
//! The [`trie`] has the tokens by their bytes; the [`runs`] has them by the kinds of characters that they are made of,
//! so that the mask of a class of characters is looked up and not walked. [`accept`] and [`pending`] say what a walk of the
//! trie comes to: tokens that are taken, and places in the trie at which a part of the grammar ends in mid-token.

pub(crate) mod accept;
pub(crate) mod bits;
pub(crate) mod class;
pub(crate) mod pending;
pub(crate) mod runs;
pub(crate) mod spellable;
pub(crate) mod tables;
pub(crate) mod trie;
pub(crate) mod union;
