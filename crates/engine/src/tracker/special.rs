//! Bytes that no text has.

use tokenstile_grammar::ir::{ByteSet, Tracking};

/// The bytes that stand for repetitions; no text has them.
pub(crate) const SPECIAL: std::ops::RangeInclusive<u8> =
    Tracking::REPEATED_KEY..=Tracking::BRACKET_AFTER_REPEATED;

/// The bytes of texts.
pub(crate) const TEXT_BYTES: ByteSet = ByteSet::range(0, Tracking::REPEATED_KEY - 1);
