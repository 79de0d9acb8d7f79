//! What a vocabulary knows about runs of characters, before any constraint is seen.
//!
//! Most of a vocabulary is words, and most large masks are "tokens made of these characters". Such a mask is
//! never found by walking: tokens are grouped by which kinds of characters they are made of (a few thousand
//! groups for a hundred thousand tokens), and the mask of a class is the union of the groups inside it. What
//! leaves the run in mid-token is found by an index from each byte to the trie nodes it leads to.
//!
//! All this is relative to an **anchor**: the root, and every node with a large subtree below it (in practice
//! the space that words start with, the commonest letters and a few signs).

mod anchor;
mod chars;
mod collect;
mod common;
mod found;
mod kinds;
mod lacks;
mod lengths;
mod long;
mod profile;
mod run;

pub(crate) use anchor::{Anchor, Entry};
pub(crate) use lacks::Lacks;
pub(crate) use long::LongToken;
pub(crate) use profile::Profile;
pub(crate) use run::{Run, RunMask};
