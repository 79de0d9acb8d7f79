//! Internationalized names of hosts: labels of RFC 5890, their characters and contexts after RFC 5892, the rule for
//! text in both directions after RFC 5893.
//!
//! A label is ASCII, a U-label or an A-label (`xn--…`, see [`alabel`](super::alabel)).
//! A U-label may have up to 58 characters: more never fit into 63 once they are encoded, though fewer may not either.
//! Joining is known of Arabic letters only, so a zero width non-joiner stands between those or after a virama.
//! Intersections would say all this in fewer lines, and take far too many states: a character and its context are
//! one unit instead.

use tokenstile_grammar::ir::CharSet;
use tokenstile_grammar::{Error, ExprId};

use super::build::{Build, ENDLESS};
use super::host;
use super::idn_sets::{JOIN_BEFORE, JOIN_BOTH, Sets, digits, sets};
use super::idn_tables::ARABIC_NUMBER;
use super::texts::Format;
use super::ulabel::Direction;

/// How many characters a U-label may have.
const MOST: u32 = 58;
/// How many labels of how many characters a name has.
const LENGTHS: [(u32, u32); 2] = [(3, 63), (8, 30)];
/// Where lengths are not looked at.
const ANY_LENGTH: (u32, u32) = (ENDLESS, ENDLESS);

/// The name of a host; labels are set apart by any of four full stops.
pub(super) fn hostname(build: &mut Build<'_>) -> Result<Format, Error> {
    let (sets, stop) = (sets()?, stop(build));
    let exact = names(build, sets, stop, (&[host::LOOSE], true))?;
    Ok(Format {
        exact: host::of_length(build, exact),
        written: names(build, sets, stop, (&LENGTHS, true))?,
        least: plain_hostname(build)?,
        most: host::labels(build, stop, host::LOOSE, &|build, most| Ok(loose(build, sets, most)))?,
    })
}

/// The same without A-labels.
fn plain_hostname(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let stop = stop(build);
    names(build, sets()?, stop, (&LENGTHS, false))
}

/// The same in an address of mail, of which the length is not looked at.
pub(super) fn domain(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let stop = stop(build);
    names(build, sets()?, stop, (&[ANY_LENGTH], false))
}

fn stop(build: &mut Build<'_>) -> ExprId {
    build.one_of(".\u{3002}\u{FF0E}\u{FF61}", &[])
}

/// Names whose labels are so many and so long, with or without A-labels.
fn names(
    build: &mut Build<'_>,
    sets: &Sets,
    stop: ExprId,
    (lengths, encoded): (&[(u32, u32)], bool),
) -> Result<ExprId, Error> {
    let a_label = |build: &mut Build<'_>, most, direction| match encoded {
        true => host::a_label(build, most, direction),
        false => Ok(build.arena.never()),
    };
    let either = |build: &mut Build<'_>, most| {
        let encoded = a_label(build, most, Direction::Left)?;
        let labels = [ascii(build, most)?, left(build, sets, most)?, kana(build, sets, most), encoded];
        Ok(build.any(&labels))
    };
    // Where some label is written from right to left, all have to follow the rule about directions.
    let ordered = |build: &mut Build<'_>, most| {
        let labels = [ordered(build, sets, most)?, a_label(build, most, Direction::Ordered)?];
        Ok(build.any(&labels))
    };
    let mut names = Vec::new();
    for &lengths in lengths {
        names.push(host::labels(build, stop, lengths, &either)?);
        names.push(host::labels(build, stop, lengths, &ordered)?);
    }
    Ok(build.any(&names))
}

/// Every label and more: any characters that some label has, no hyphen at the ends, no mark at the start.
fn loose(build: &mut Build<'_>, sets: &Sets, most: u32) -> ExprId {
    let others = CharSet::of("\u{B7}\u{375}\u{5F3}\u{5F4}\u{30FB}\u{200C}\u{200D}");
    let capitals = CharSet::from_ranges([(0x41, 0x5A)].iter().chain(ARABIC_NUMBER).copied());
    let valid = sets.left.union(&sets.right).union(&sets.weak).union(&others).union(&capitals);
    let first = build.arena.chars(&valid.minus(&sets.marks));
    let any = build.arena.chars(&valid.union(&CharSet::single('-')));
    let (any, last) = (build.rep(any, 0, most - 2), build.arena.chars(&valid));
    let rest = build.seq(&[any, last]);
    let rest = build.opt(rest);
    build.seq(&[first, rest])
}

/// Letters, digits and hyphens; no hyphen at the ends, nor two in the third and fourth place.
fn ascii(build: &mut Build<'_>, most: u32) -> Result<ExprId, Error> {
    let rest = |before: u32| match most {
        ENDLESS => String::from("(?:[-0-9A-Za-z]*[0-9A-Za-z])?"),
        _ => format!("(?:[-0-9A-Za-z]{{0,{}}}[0-9A-Za-z])?", most - before - 1),
    };
    let (third, fourth) = (rest(3), rest(4));
    build.re(&format!(
        "[0-9A-Za-z](?:[0-9A-Za-z]|[-0-9A-Za-z][0-9A-Za-z]{third}|[-0-9A-Za-z]-[0-9A-Za-z]{fourth})?"
    ))
}

/// How many characters a U-label may have besides some.
fn inside(most: u32, besides: u32) -> u32 {
    if most == ENDLESS { ENDLESS } else { most.min(MOST) - besides }
}

/// What a label is made of.
struct Shape<'a> {
    first: &'a CharSet,
    inner: &'a CharSet,
    last: &'a CharSet,
    /// Characters with their context that may stand anywhere, and those that may not stand first.
    units: [ExprId; 2],
    /// What may follow the last character.
    after: ExprId,
}

impl Shape<'_> {
    /// Labels of so many characters, those with a context counted as one.
    fn label(&self, build: &mut Build<'_>, most: u32) -> ExprId {
        let hyphen = build.text("-");
        let maybe = build.opt(hyphen);
        let [units, later] = self.units;
        let mut one = |set: &CharSet, more: &[ExprId]| {
            let set = build.arena.chars(set);
            build.any(&[&[set, units], more].concat())
        };
        let only = one(&self.first.intersect(self.last), &[]);
        let first = one(self.first, &[]);
        let inner = one(self.inner, &[later]);
        let last = one(self.last, &[later]);
        let any = build.any(&[inner, hyphen]);
        // Two hyphens must not be in the third and fourth place.
        let rest = build.rep(any, 0, inside(most, 4));
        let rest = build.seq(&[inner, rest, last]);
        let rest = build.any(&[last, rest]);
        let rest = build.seq(&[any, maybe, rest]);
        let rest = build.any(&[last, rest]);
        let several = build.seq(&[first, rest]);
        let labels = build.any(&[only, several]);
        build.seq(&[labels, self.after])
    }
}

/// Contexts of characters that are written from left to right or in no direction.
fn left_units(build: &mut Build<'_>, sets: &Sets) -> Result<[ExprId; 2], Error> {
    let dots = build.re("l(?:\u{B7}l){1,2}")?;
    let (keraia, greek) = (build.text("\u{375}"), build.arena.chars(&sets.greek));
    let keraia = build.seq(&[keraia, greek]);
    let virama = build.arena.chars(&sets.virama);
    let joiner = build.one_of("\u{200C}\u{200D}", &[]);
    Ok([build.any(&[dots, keraia]), build.seq(&[virama, joiner])])
}

/// A label without characters that are written from right to left.
fn left(build: &mut Build<'_>, sets: &Sets, most: u32) -> Result<ExprId, Error> {
    let units = left_units(build, sets)?;
    let first = sets.left.minus(&sets.marks);
    let shape =
        Shape { first: &first, inner: &sets.left, last: &sets.left, units, after: build.arena.empty() };
    Ok(shape.label(build, most))
}

/// A label with a katakana middle dot: some character must be kana or Han.
fn kana(build: &mut Build<'_>, sets: &Sets, most: u32) -> ExprId {
    let dot = CharSet::single('\u{30FB}');
    let first = build.arena.chars(&sets.left.minus(&sets.marks).union(&dot));
    let inner = build.arena.chars(&sets.left.union(&dot));
    let inner = build.rep(inner, 0, if most == ENDLESS { ENDLESS } else { inside(most, 2) / 2 });
    let before = build.seq(&[first, inner]);
    let parts = [build.opt(before), build.arena.chars(&sets.kana_or_han), inner];
    build.seq(&parts)
}

/// A label that follows the rule about directions (RFC 5893, section 2).
fn ordered(build: &mut Build<'_>, sets: &Sets, most: u32) -> Result<ExprId, Error> {
    let digits = digits();
    let arabic = CharSet::from_ranges(ARABIC_NUMBER.iter().copied());
    let marks = build.arena.chars(&sets.not_spacing);
    let marks = build.rep(marks, 0, 3);
    let units = left_units(build, sets)?;
    let (first, last) = (sets.strong_left.minus(&sets.marks), sets.strong_left.union(&digits));
    let shape = Shape { first: &first, inner: &sets.left, last: &last, units, after: marks };
    let mut labels = vec![shape.label(build, most)];

    let (hebrew, quote) = (build.arena.chars(&sets.hebrew), build.one_of("\u{5F3}\u{5F4}", &[]));
    let quotes = build.rep(quote, 1, 2);
    let quoted = build.seq(&[hebrew, quotes]);
    let (both, before) = (build.chars(JOIN_BOTH), build.chars(&[JOIN_BOTH, JOIN_BEFORE].concat()));
    let joiner = build.text("\u{200C}");
    let again = build.seq(&[marks, joiner, marks, both]);
    let again = build.rep(again, 0, 2);
    let joined = build.seq(&[both, again, marks, joiner, marks, before]);
    let units = [build.any(&[quoted, joined]), build.arena.never()];
    // Digits of one kind only.
    for numbers in [digits, arabic] {
        let last = sets.right.union(&numbers);
        let shape =
            Shape { first: &sets.right, inner: &last.union(&sets.weak), last: &last, units, after: marks };
        labels.push(shape.label(build, most));
    }
    Ok(build.any(&labels))
}
