//! The masks that nearly every grammar asks for: digits, letters, words, text, quoted text.

use tokenstile_grammar::ir::{ByteSet, CharSet};

use super::super::class::{CharClass, LackId};
use super::super::trie::Trie;
use super::profile::Profile;
use super::run::Run;

/// What `.` in patterns lacks of the characters past ASCII, and what `\S` does.
const LINE_ENDS: &str = "\u{2028}\u{2029}";
const SPACES: &str = "\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\
                      \u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";

impl Profile {
    /// Makes them, where most of the tokens are.
    pub(super) fn make_common(&self, trie: &Trie) {
        let classes = self.common_classes();
        for anchor in 0..self.anchors.len().min(2) {
            for rest in &classes {
                let first = rest.ascii.intersect(&self.anchors[anchor].bytes);
                let (anchor, first_wide) = (anchor as u32, rest.wide);
                self.mask(trie, Run { anchor, first, first_wide, rest: *rest, most: u32::MAX });
            }
        }
    }

    /// Makes those of any text and of any quoted text at all anchors, and those of one character past ASCII, until it is over.
    pub(crate) fn make_texts(&self, trie: &Trie, is_over: &dyn Fn() -> bool) {
        self.anchors.iter().take_while(|_| !is_over()).for_each(|anchor| anchor.sort_by_chars(trie));
        let (quoted, none) = (quoted(), ByteSet::EMPTY);
        for (anchor, tables) in (0..).zip(&self.anchors) {
            if is_over() {
                return;
            }
            for (ascii, most) in [(ByteSet::ASCII, u32::MAX), (quoted, u32::MAX), (none, 1)] {
                let rest = CharClass { ascii, wide: true, lack: LackId::NOTHING };
                let first = ascii.intersect(&tables.bytes);
                self.mask(trie, Run { anchor, first, first_wide: true, rest, most });
            }
        }
    }

    fn common_classes(&self) -> Vec<CharClass> {
        let (digits, lower) = (ByteSet::range(b'0', b'9'), ByteSet::range(b'a', b'z'));
        let letters = ByteSet::LETTERS;
        let word = letters.union(&digits).union(&ByteSet::single(b'_'));
        let line = ByteSet::ASCII.minus(&ByteSet::single(b'\n'));
        let quoted = quoted();
        let unspaced = quoted.minus(&ByteSet::single(b' '));
        let narrow = |ascii| CharClass { ascii, wide: false, lack: LackId::NOTHING };
        let wide = |(ascii, lacking)| {
            let lack = self.lacks.of(&CharSet::of(lacking).complement())?;
            Some(CharClass { ascii, wide: true, lack })
        };
        let all = ByteSet::ASCII;
        let texts = [(all, ""), (line, ""), (quoted, ""), (quoted, LINE_ENDS), (unspaced, SPACES)];
        let narrow = [digits, lower, letters, word].map(narrow);
        narrow.into_iter().chain(texts.into_iter().filter_map(wide)).collect()
    }
}

/// The ASCII characters that most notations escape between quotes, one bit each.
const ESCAPED: u128 = 0xFFFF_FFFF | 1 << b'"' | 1 << b'\\';

/// What needs no escape between quotes.
fn quoted() -> ByteSet {
    (0..0x80).filter(|byte| ESCAPED >> byte & 1 == 0).collect()
}
