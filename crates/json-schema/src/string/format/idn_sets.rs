//! The sets of characters that internationalized labels are made of.

use std::sync::OnceLock;

use tokenstile_grammar::Error;
use tokenstile_grammar::ir::CharSet;
use tokenstile_grammar::regex::unicode_class;

use super::idn_tables::{ARABIC_NUMBER, NEUTRAL, RIGHT_TO_LEFT, SPACING, STABLE, UNSTABLE, VIRAMA};

const EXTENDED_DIGITS: (u32, u32) = (0x6F0, 0x6F9);
/// Arabic letters that join on both sides, and those that join to the one before only.
pub(super) const JOIN_BOTH: &[(u32, u32)] = &[
    (0x620, 0x620),
    (0x626, 0x626),
    (0x628, 0x628),
    (0x62A, 0x62E),
    (0x633, 0x63F),
    (0x641, 0x647),
    (0x649, 0x64A),
    (0x66E, 0x66F),
    (0x679, 0x687),
    (0x69A, 0x6BF),
    (0x6C1, 0x6C2),
    (0x6CC, 0x6CC),
    (0x6CE, 0x6CE),
    (0x6D0, 0x6D1),
    (0x6FA, 0x6FC),
    (0x6FF, 0x6FF),
];
pub(super) const JOIN_BEFORE: &[(u32, u32)] = &[
    (0x622, 0x625),
    (0x627, 0x627),
    (0x629, 0x629),
    (0x62F, 0x632),
    (0x648, 0x648),
    (0x671, 0x673),
    (0x688, 0x699),
    (0x6C0, 0x6C0),
    (0x6C3, 0x6CB),
    (0x6CD, 0x6CD),
    (0x6CF, 0x6CF),
    (0x6D2, 0x6D3),
    (0x6D5, 0x6D5),
    (0x6EE, 0x6EF),
];

/// The sets that take a while to work out. Hyphen and characters with a context are in none of them.
pub(super) struct Sets {
    /// Written from left to right, or in no direction.
    pub(super) left: CharSet,
    /// Those of a strong direction.
    pub(super) strong_left: CharSet,
    pub(super) right: CharSet,
    /// Weak characters that labels of both directions may have.
    pub(super) weak: CharSet,
    pub(super) marks: CharSet,
    /// Marks of the bidirectional class `NSM`.
    pub(super) not_spacing: CharSet,
    pub(super) virama: CharSet,
    pub(super) greek: CharSet,
    pub(super) hebrew: CharSet,
    pub(super) kana_or_han: CharSet,
}

pub(super) fn sets() -> Result<&'static Sets, Error> {
    static SETS: OnceLock<Result<Sets, String>> = OnceLock::new();
    let sets = SETS.get_or_init(|| {
        let table = |ranges: &[(u32, u32)]| CharSet::from_ranges(ranges.iter().copied());
        let letters =
            unicode_class(r"[[\p{Ll}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc}]&&\p{Age=14.0}&&[a-z0-9\P{ASCII}]]")?;
        let context = CharSet::of("\u{B7}\u{375}\u{5F3}\u{5F4}\u{30FB}\u{200C}\u{200D}");
        let valid = letters.minus(&table(UNSTABLE)).union(&table(STABLE)).minus(&context);
        let (right, arabic) = (table(RIGHT_TO_LEFT), table(ARABIC_NUMBER));
        let not_spacing = unicode_class(r"\p{Mn}")?.minus(&table(SPACING)).intersect(&valid);
        let weak = table(NEUTRAL).intersect(&valid).union(&not_spacing);
        let left = valid.minus(&right).minus(&arabic);
        let digits = digits();
        Ok(Sets {
            strong_left: left.minus(&weak).minus(&digits),
            left,
            right: right.intersect(&valid),
            weak,
            marks: unicode_class(r"\p{M}")?,
            not_spacing,
            virama: table(VIRAMA).intersect(&valid),
            greek: unicode_class(r"\p{Greek}")?.intersect(&valid),
            hebrew: unicode_class(r"\p{Hebrew}")?.intersect(&valid),
            kana_or_han: unicode_class(r"[\p{Hiragana}\p{Katakana}\p{Han}]")?.intersect(&valid),
        })
    });
    sets.as_ref().map_err(|why| Error::new(tokenstile_grammar::ErrorKind::Unsupported, why.clone()))
}

/// Digits of the bidirectional class `EN`.
pub(super) fn digits() -> CharSet {
    CharSet::from_ranges([(0x30, 0x39), EXTENDED_DIGITS])
}
