//! Runs of characters, and the tokens of one.

use std::sync::Arc;

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::class::CharClass;
use crate::collections::Words;
use crate::vocab::TokenId;

/// A first character and then any number of others, from an anchor on: the shape of most large masks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Run {
    pub(crate) anchor: u32,
    /// ASCII bytes the run may start with.
    pub(crate) first: ByteSet,
    /// Whether it may start with any character past ASCII that the others may be.
    pub(crate) first_wide: bool,
    /// The characters after the first.
    pub(crate) rest: CharClass,
    /// The most characters, the first included.
    pub(crate) most: u32,
}

impl Run {
    /// The bytes it may start with, as ranges. Entries are sorted by their first byte, and these are few.
    pub(super) fn first_ranges(&self) -> SmallVec<[(u8, u8); 8]> {
        let mut ranges = SmallVec::new();
        let mut bits = self.first.ascii_bits();
        while bits != 0 {
            let start = bits.trailing_zeros();
            let len = (!(bits >> start)).trailing_zeros();
            ranges.push((start as u8, (start + len - 1) as u8));
            // Adding to the lowest bit of a range carries over all of it.
            bits &= bits.wrapping_add(1 << start);
        }
        ranges.extend(self.first_wide.then_some((0x80, 0xFF)));
        ranges
    }
}

/// The tokens of a run.
#[derive(Clone)]
pub(crate) struct RunMask {
    pub(crate) mask: Words,
    /// Tokens of the mask that have too many characters for the run.
    pub(crate) minus: Arc<[TokenId]>,
    /// The longer tokens of the mask (of more than `tuning::runs::LONG` characters) with their numbers of characters, longest first.
    pub(super) long: Arc<[(u32, TokenId)]>,
    /// No token of the mask has more characters.
    pub(crate) longest: u32,
}

/// Puts a token into a mask.
#[inline]
pub(super) fn set(words: &mut [u32], token: TokenId) {
    words[token as usize / 32] |= 1 << (token % 32);
}

/// Whether a byte of well-formed text starts a character.
pub(super) fn starts_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}
