//! Whether code points are a label of RFC 5890, and if not, what would have to be inserted.
//!
//! The rules are those of [`idn`](super::idn), but asked of a label that is there. What is wrong with a label may be put
//! right by later insertions, which bring ever greater code points; or it may not, and then the label is lost.

use smallvec::SmallVec;

use super::idn_chars::{
    ARABIC, BEFORE, BOTH, COMBINING, Chars, DIGIT, GREEK, HEBREW, KANA, LEFT, MARK, NOT_SPACING, RIGHT,
    Traits, VALID, VIRAMA,
};
use super::normal::not_normalized;

const HYPHEN: u32 = '-' as u32;
const MIDDLE_DOT: u32 = 0xB7;
const KERAIA: u32 = 0x375;
const GERESH: u32 = 0x5F3;
const GERSHAYIM: u32 = 0x5F4;
const NON_JOINER: u32 = 0x200C;
const JOINER: u32 = 0x200D;
const KANA_DOT: u32 = 0x30FB;

/// Which labels are asked for, as to their direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// From left to right, or from right to left by the rule of RFC 5893.
    Any,
    /// From left to right, whatever that rule says.
    Left,
    /// Either, but by the rule: for names of which some label is written from right to left.
    Ordered,
}

/// Something that is wrong with a label, and what may put it right: a character with such a trait, at a place.
pub(super) enum Defect {
    /// Nothing is there but ASCII.
    Ascii,
    /// What stands first must not.
    First,
    /// What stands last must not.
    Last,
    /// There are hyphens in the third and fourth place.
    Hyphens,
    /// A keraia at this place is followed by no Greek letter.
    Keraia(usize),
    /// A joiner at this place follows no virama, nor stands between letters that join.
    Joiner(usize),
    /// A katakana middle dot, and no kana or Han.
    Kana,
    /// What stands here would be composed with what follows, or change places with it.
    NotNormalized(usize),
}

impl Defect {
    pub(super) fn remedies(&self, length: usize) -> SmallVec<[(usize, Traits); 4]> {
        let list: &[(usize, Traits)] = match *self {
            Defect::Ascii => &[(0, VALID), (length, VALID)],
            Defect::First => &[(0, VALID)],
            Defect::Last => &[(length, VALID)],
            Defect::Hyphens => &[(0, VALID), (1, VALID), (2, VALID), (3, VALID)],
            Defect::Keraia(at) => &[(at + 1, GREEK)],
            Defect::Joiner(at) => &[(at, VIRAMA)],
            Defect::Kana => &[(0, KANA), (length, KANA)],
            Defect::NotNormalized(at) => &[(at + 1, VALID), (at + 2, VALID)],
        };
        SmallVec::from_slice(list)
    }
}

/// What is wrong with a label.
pub(super) type Defects = SmallVec<[Defect; 4]>;

/// What is wrong with a label, whose characters may all be in one; `None` if nothing can put it right.
pub(super) fn defects(label: &[u32], direction: Direction, chars: &Chars) -> Option<Defects> {
    let traits: SmallVec<[Traits; 64]> = label.iter().map(|&code| chars.of(code)).collect();
    let all = traits.iter().fold(0, |all, traits| all | traits);
    let mut found = Defects::new();
    if label.iter().all(|&code| code < 0x80) {
        found.push(Defect::Ascii);
    }
    let [first, last] = ends(label, &traits, all, direction)?;
    if !first || label.first() == Some(&HYPHEN) || traits.first().is_some_and(|t| t & MARK != 0) {
        found.push(Defect::First);
    }
    if !last || label.last() == Some(&HYPHEN) {
        found.push(Defect::Last);
    }
    if label.get(2..4) == Some(&[HYPHEN; 2]) {
        found.push(Defect::Hyphens);
    }
    for (at, &code) in label.iter().enumerate().filter(|(_, code)| **code >= MIDDLE_DOT) {
        found.extend(context(label, &traits, at, code)?);
    }
    if label.contains(&KANA_DOT) && all & KANA == 0 {
        found.push(Defect::Kana);
    }
    if all & COMBINING != 0 {
        found.extend(not_normalized(label).map(Defect::NotNormalized));
    }
    Some(found)
}

/// Whether the directions of characters that together have these traits go together.
pub(super) fn go_together(all: Traits) -> bool {
    let right = all & (RIGHT | ARABIC) != 0;
    let mixed = all & LEFT != 0 || all & ARABIC != 0 && all & DIGIT != 0;
    !(right && mixed)
}

/// Whether the first and the last character may stand there, as far as directions go; `None` if the directions of some
/// characters do not go together.
fn ends(label: &[u32], traits: &[Traits], all: Traits, direction: Direction) -> Option<[bool; 2]> {
    let first = traits.first().copied().unwrap_or(0);
    let last = traits.iter().rev().find(|&traits| traits & NOT_SPACING == 0).copied().unwrap_or(0);
    if all & (RIGHT | ARABIC) != 0 {
        if !go_together(all) || direction == Direction::Left {
            return None;
        }
        return Some([first & RIGHT != 0, last & (RIGHT | ARABIC | DIGIT) != 0]);
    }
    if direction == Direction::Ordered && !label.is_empty() {
        return Some([first & LEFT != 0, last & (LEFT | DIGIT) != 0]);
    }
    Some([true; 2])
}

/// What is wrong with what stands around a character; `None` if that can only get worse.
fn context(label: &[u32], traits: &[Traits], at: usize, code: u32) -> Option<Option<Defect>> {
    let before = at.checked_sub(1).map_or(0, |before| traits[before]);
    match code {
        MIDDLE_DOT => {
            let l = u32::from(b'l');
            let between = at > 0 && label[at - 1] == l && label.get(at + 1) == Some(&l);
            between.then_some(None)
        }
        GERESH | GERSHAYIM => (before & HEBREW != 0).then_some(None),
        KERAIA => {
            let greek = traits.get(at + 1).is_some_and(|after| after & GREEK != 0);
            Some((!greek).then_some(Defect::Keraia(at)))
        }
        JOINER => Some((before & VIRAMA == 0).then_some(Defect::Joiner(at))),
        NON_JOINER => {
            let fine = before & VIRAMA != 0 || joins(traits, at);
            Some((!fine).then_some(Defect::Joiner(at)))
        }
        _ => Some(None),
    }
}

/// Whether letters on both sides would join, marks aside.
fn joins(traits: &[Traits], at: usize) -> bool {
    let letter = |traits: &&Traits| **traits & NOT_SPACING == 0;
    let before = traits[..at].iter().rev().find(letter);
    let after = traits[at + 1..].iter().find(letter);
    before.is_some_and(|t| t & BOTH != 0) && after.is_some_and(|t| t & (BOTH | BEFORE) != 0)
}
