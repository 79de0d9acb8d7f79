//! What the rules for internationalized labels ask of a character, in one table.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::CharSet;

use super::idn_sets::{JOIN_BEFORE, JOIN_BOTH, Sets, digits, sets};
use super::idn_tables::{self, ARABIC_NUMBER};

/// Traits of a character, as bits.
pub(super) type Traits = u16;

/// May be in a label, perhaps in certain contexts only.
pub(super) const VALID: Traits = 1 << 0;
/// A combining mark.
pub(super) const MARK: Traits = 1 << 1;
/// Strongly of left to right.
pub(super) const LEFT: Traits = 1 << 2;
/// Strongly of right to left.
pub(super) const RIGHT: Traits = 1 << 3;
/// A number of right to left.
pub(super) const ARABIC: Traits = 1 << 4;
/// Any other digit that keeps its direction.
pub(super) const DIGIT: Traits = 1 << 5;
/// A mark of the direction of what it stands on.
pub(super) const NOT_SPACING: Traits = 1 << 6;
pub(super) const VIRAMA: Traits = 1 << 7;
pub(super) const GREEK: Traits = 1 << 8;
pub(super) const HEBREW: Traits = 1 << 9;
/// Hiragana, katakana or Han.
pub(super) const KANA: Traits = 1 << 10;
/// Joins to both sides.
pub(super) const BOTH: Traits = 1 << 11;
/// Joins to what stands before it.
pub(super) const BEFORE: Traits = 1 << 12;
/// May be composed with what stands before it, or change places with it.
pub(super) const COMBINING: Traits = 1 << 13;

/// The traits of all characters that have some.
pub(super) struct Chars {
    /// Ascending: up to the next start, all characters have these traits.
    starts: Vec<(u32, Traits)>,
    /// The same for looking up: for every so many code points a block, and what the blocks have.
    blocks: Vec<u16>,
    traits: Vec<[Traits; BLOCK]>,
}

const BLOCK: usize = 128;
/// All characters of labels are below this.
const END: u32 = 0x3_2000;

impl Chars {
    /// The table. It takes a while to work out, so it is made once, when it is first asked for.
    pub(super) fn get() -> &'static Chars {
        static CHARS: OnceLock<Chars> = OnceLock::new();
        // Without the classes of Unicode, no character is valid.
        CHARS.get_or_init(|| sets().map_or(Chars::of_ranges(vec![(0, 0)]), Chars::new))
    }

    fn new(sets: &Sets) -> Chars {
        let table = |ranges: &[(u32, u32)]| CharSet::from_ranges(ranges.iter().copied());
        let context = CharSet::of("\u{B7}\u{375}\u{5F3}\u{5F4}\u{30FB}\u{200C}\u{200D}");
        let arabic = table(ARABIC_NUMBER);
        let classes = idn_tables::COMBINING.iter().map(|range| (range.0, range.1));
        let seconds = idn_tables::COMPOSED.iter().map(|composed| (composed.1, composed.1));
        let combining = CharSet::from_ranges(classes.chain(seconds));
        let valid = sets.left.union(&sets.right).union(&sets.not_spacing).union(&sets.weak).union(&context);
        let rows = [
            (VALID, valid.union(&arabic)),
            (MARK, sets.marks.clone()),
            (LEFT, sets.strong_left.union(&CharSet::from_ranges([(0x41, 0x5A)]))),
            (RIGHT, sets.right.union(&CharSet::of("\u{5F3}\u{5F4}"))),
            (ARABIC, arabic),
            (DIGIT, digits()),
            (NOT_SPACING, sets.not_spacing.clone()),
            (VIRAMA, sets.virama.clone()),
            (GREEK, sets.greek.union(&CharSet::of("\u{375}"))),
            (HEBREW, sets.hebrew.union(&CharSet::of("\u{5F3}\u{5F4}"))),
            (KANA, sets.kana_or_han.clone()),
            (BOTH, table(JOIN_BOTH)),
            (BEFORE, table(JOIN_BEFORE)),
            (COMBINING, combining),
        ];
        let changes = rows.iter().flat_map(|(trait_, set)| {
            set.ranges().iter().flat_map(|&(a, b)| [(a, *trait_), (b + 1, *trait_)])
        });
        let mut changes: Vec<(u32, Traits)> = changes.collect();
        changes.sort_unstable();
        let mut starts = vec![(0, 0)];
        for (at, trait_) in changes {
            let (start, now) = starts[starts.len() - 1];
            if start == at {
                starts.pop();
            }
            starts.push((at, now ^ trait_));
        }
        Chars::of_ranges(starts)
    }

    fn of_ranges(starts: Vec<(u32, Traits)>) -> Chars {
        let (mut blocks, mut traits, mut known) = (Vec::new(), Vec::new(), FxHashMap::default());
        let mut at = 0;
        for first in (0..END).step_by(BLOCK) {
            let block: [Traits; BLOCK] = std::array::from_fn(|i| {
                while starts.get(at + 1).is_some_and(|next| next.0 <= first + i as u32) {
                    at += 1;
                }
                starts[at].1
            });
            let number = *known.entry(block).or_insert_with(|| {
                traits.push(block);
                traits.len() as u16 - 1
            });
            blocks.push(number);
        }
        Chars { starts, blocks, traits }
    }

    /// The traits of a code point.
    #[inline]
    pub(super) fn of(&self, code: u32) -> Traits {
        let block = self.blocks.get(code as usize / BLOCK);
        block.map_or(0, |&block| self.traits[block as usize][code as usize % BLOCK])
    }

    /// The code points from `least` on that have a trait.
    pub(super) fn with(&self, wanted: Traits, least: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.starts.partition_point(|s| s.0 <= least) - 1;
        let ends = self.starts[from + 1..].iter().map(|s| s.0);
        let ranges = self.starts[from..].iter().zip(ends);
        ranges
            .filter(move |((_, traits), _)| traits & wanted != 0)
            .flat_map(move |(&(start, _), end)| start.max(least)..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_are_those_of_the_sets() {
        let (chars, sets) = (Chars::get(), sets().unwrap());
        for c in (0..0x32000).filter_map(char::from_u32) {
            let traits = chars.of(c as u32);
            assert_eq!(traits & NOT_SPACING != 0, sets.not_spacing.contains(c), "{c:?}");
            assert_eq!(traits & MARK != 0, sets.marks.contains(c), "{c:?}");
            let known = sets.left.contains(c) || sets.right.contains(c);
            assert!(!known || traits & VALID != 0, "{c:?}");
        }
        for (c, expected) in [
            ('a', VALID | LEFT),
            ('-', 0),
            ('7', VALID | DIGIT),
            ('ß', VALID | LEFT),
            ('É', 0),
            ('ب', VALID | RIGHT | BOTH),
            ('ا', VALID | RIGHT | BEFORE),
            ('٣', VALID | ARABIC),
            ('۳', VALID | DIGIT),
            ('丈', VALID | LEFT | KANA),
            ('\u{94D}', VALID | MARK | NOT_SPACING | VIRAMA | COMBINING),
            ('\u{30FB}', VALID),
        ] {
            assert_eq!(chars.of(c as u32), expected, "{c:?}");
        }
        assert_eq!(chars.with(VALID, 0x80).next(), Some(0xB7));
        assert_eq!(chars.with(VALID, 0xB8).next(), Some(0xDF));
        assert_eq!(chars.with(GREEK, 0x376).next(), Some(0x377));
    }
}
