//! Which characters the bytes of a vocabulary can spell.

use encodings::sequences;
use tokenstile_grammar::ir::{ByteSet, CharSet};

use super::trie::Trie;

/// The characters of `set` whose encodings use only `bytes`.
pub(crate) fn spellable_chars(set: &CharSet, bytes: &ByteSet) -> CharSet {
    if *bytes == ByteSet::ALL {
        return set.clone();
    }
    CharSet::from_ranges(set.ranges().iter().flat_map(|&(a, b)| sequences(a, b, bytes)))
}

mod encodings {
    //! Code point ranges by the bytes that encode them.

    use tokenstile_grammar::ir::ByteSet;

    /// The parts of `first..=last` whose UTF-8 encodings use only `bytes`.
    pub(super) fn sequences(first: u32, last: u32, bytes: &ByteSet) -> Vec<(u32, u32)> {
        // (first code point of a length, one past the last, bits in the lead byte's payload, lead marker, tails)
        const LENGTHS: [(u32, u32, u8, u32); 4] = [
            (0, 0x80, 0x00, 0),
            (0x80, 0x800, 0xC0, 1),
            (0x800, 0x10000, 0xE0, 2),
            (0x10000, 0x110000, 0xF0, 3),
        ];
        let tails: ByteSet = ByteSet::range(0x80, 0xBF);
        let mut out = Vec::new();
        for (start, end, marker, count) in LENGTHS {
            let (low, high) = (first.max(start), last.min(end - 1));
            if low > high {
                continue;
            }
            let shift = 6 * count;
            for lead in low >> shift..=high >> shift {
                if !bytes.contains(marker | lead as u8) {
                    continue;
                }
                let (a, b) = (low.max(lead << shift), high.min((lead << shift) + ((1 << shift) - 1)));
                if count == 0 || tails.is_subset(bytes) {
                    out.push((a, b));
                } else {
                    out.extend(with_tails(a, b, count, bytes));
                }
            }
        }
        out
    }

    /// Some continuation bytes are missing: looks at every code point.
    fn with_tails(a: u32, b: u32, count: u32, bytes: &ByteSet) -> impl Iterator<Item = (u32, u32)> {
        (a..=b)
            .filter(move |c| (0..count).all(|i| bytes.contains(0x80 | (c >> (6 * i) & 0x3F) as u8)))
            .map(|c| (c, c))
    }
}

/// Whether every byte that UTF-8 needs occurs in some token.
pub(crate) fn spells_all_chars(trie: &Trie) -> bool {
    let utf8 = ByteSet::range(0x00, 0xBF).union(&ByteSet::range(0xC2, 0xF4));
    utf8.is_subset(&trie.bytes_used)
}
