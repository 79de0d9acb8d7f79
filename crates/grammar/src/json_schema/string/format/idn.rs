//! Internationalized names of hosts: labels of RFC 5890, their characters and contexts after RFC 5892, the rule for
//! text in both directions after RFC 5893.
//!
//! A label is ASCII or a U-label. A-labels (`xn--…`) are left out: whether one is valid shows only when it is decoded.
//! A U-label may have up to 58 characters, more never fit into 63 once they are encoded, though fewer may not either.
//! Joining is known of Arabic letters only, so a zero width non-joiner stands between those or after a virama.

use std::sync::OnceLock;

use super::Build;
use super::idn_tables::{ARABIC_NUMBER, NEUTRAL, RIGHT_TO_LEFT, SPACING, STABLE, UNSTABLE, VIRAMA};
use crate::error::Error;
use crate::ids::ExprId;
use crate::ir::CharSet;
use crate::regex::unicode_class;

const ARABIC_DIGITS: (u32, u32) = (0x660, 0x669);
const EXTENDED_DIGITS: (u32, u32) = (0x6F0, 0x6F9);
/// Arabic letters that join on both sides, and those that join to the one before only.
const JOIN_BOTH: &[(u32, u32)] = &[
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
const JOIN_BEFORE: &[(u32, u32)] = &[
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

/// The sets that take a while to work out.
struct Sets {
    /// What a U-label is made of, hyphen and contexts included.
    label: CharSet,
    marks: CharSet,
    /// Marks of the bidirectional class `NSM`.
    not_spacing: CharSet,
    transparent: CharSet,
    greek: CharSet,
    hebrew: CharSet,
    kana_or_han: CharSet,
}

fn sets() -> Result<&'static Sets, Error> {
    static SETS: OnceLock<Result<Sets, String>> = OnceLock::new();
    let sets = SETS.get_or_init(|| {
        let table = |ranges: &[(u32, u32)]| CharSet::from_ranges(ranges.iter().copied());
        let letters = unicode_class(r"[[\p{Ll}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc}]&&\p{Age=14.0}&&\P{ASCII}]")?;
        let valid = letters.minus(&table(UNSTABLE)).union(&table(STABLE)).union(&CharSet::single('ß'));
        let context = CharSet::of("\u{B7}\u{375}\u{5F3}\u{5F4}\u{30FB}\u{200C}\u{200D}");
        let ascii = table(&[(0x2D, 0x2D), (0x30, 0x39), (0x61, 0x7A), ARABIC_DIGITS, EXTENDED_DIGITS]);
        Ok(Sets {
            label: valid.union(&context).union(&ascii),
            marks: unicode_class(r"\p{M}")?,
            not_spacing: unicode_class(r"\p{Mn}")?.minus(&table(SPACING)),
            transparent: unicode_class(r"[\p{Mn}\p{Me}\p{Cf}]")?,
            greek: unicode_class(r"\p{Greek}")?,
            hebrew: unicode_class(r"\p{Hebrew}")?,
            kana_or_han: unicode_class(r"[\p{Hiragana}\p{Katakana}\p{Han}]")?,
        })
    });
    sets.as_ref().map_err(|why| Error::new(crate::error::ErrorKind::Unsupported, why.clone()))
}

/// The name of a host; labels are set apart by any of four full stops.
pub(super) fn hostname(build: &mut Build<'_>) -> Result<ExprId, Error> {
    let sets = sets()?;
    let bad = misplaced(build, sets);
    let ascii = build.re("[0-9A-Za-z](?:[-0-9A-Za-z]{0,61}[0-9A-Za-z])?")?;
    let tagged = build.re(".{2}--.*")?;
    let not_tagged = build.arena.not(tagged);
    let ascii = build.arena.and(&[ascii, not_tagged]);
    let right = CharSet::from_ranges([RIGHT_TO_LEFT, ARABIC_NUMBER].concat());
    let mut unicode = |chars: &CharSet| {
        let one = build.arena.chars(chars);
        let some = build.rep(one, 1, 58);
        build.arena.and(&[some, bad])
    };
    let (left, both) = (unicode(&sets.label.minus(&right)), unicode(&sets.label));
    // Only where some label is written from right to left, all have to follow the rule about directions.
    let left = build.any(&[left, ascii]);
    let (ordered_left, ordered_right) = directions(build, sets);
    let (ordered_left, ordered_right) =
        (build.arena.and(&[left, ordered_left]), build.arena.and(&[both, ordered_right]));
    let ordered = build.any(&[ordered_left, ordered_right]);
    let stop = build.one_of(".\u{3002}\u{FF0E}\u{FF61}", &[]);
    let mut names = Vec::new();
    for label in [left, ordered] {
        let next = build.seq(&[stop, label]);
        let more = build.star(next);
        names.push(build.seq(&[label, more]));
    }
    let name = build.any(&names);
    let length = build.length(1, 253);
    Ok(build.arena.and(&[name, length]))
}

/// U-labels in which no character is where it must not be, as the complement of those with one that is.
fn misplaced(build: &mut Build<'_>, sets: &Sets) -> ExprId {
    let all = build.arena.chars(&CharSet::all());
    let any = build.star(all);
    let hyphen = CharSet::single('-');
    let virama = CharSet::from_ranges(VIRAMA.iter().copied());
    let mut bad = vec![first(build, &sets.marks.union(&hyphen)), last(build, &hyphen)];
    let (two, hyphens) = (build.rep(all, 2, 2), build.text("--"));
    bad.push(build.seq(&[two, hyphens, any]));
    let ascii = build.chars(&[(0, 0x7F)]);
    bad.push(build.star(ascii));

    let l = CharSet::single('l');
    bad.push(unless_before(build, "\u{B7}", &l));
    bad.push(unless_after(build, "\u{B7}", &l));
    bad.push(unless_before(build, "\u{375}", &sets.greek));
    bad.push(unless_after(build, "\u{5F3}\u{5F4}", &sets.hebrew));
    bad.push(unless_after(build, "\u{200D}", &virama));

    let other = build.arena.chars(&sets.kana_or_han.complement());
    let (others, dot) = (build.star(other), build.text("\u{30FB}"));
    bad.push(build.seq(&[others, dot, others]));
    for (one, two) in [(ARABIC_DIGITS, EXTENDED_DIGITS), (EXTENDED_DIGITS, ARABIC_DIGITS)] {
        let (one, two) = (build.chars(&[one]), build.chars(&[two]));
        bad.push(build.seq(&[any, one, any, two, any]));
    }
    bad.extend(non_joiner(build, sets, &virama, any));
    let bad = build.any(&bad);
    build.arena.not(bad)
}

fn text(build: &mut Build<'_>) -> ExprId {
    let all = build.arena.chars(&CharSet::all());
    build.star(all)
}

/// Texts that begin with one of `set`.
fn first(build: &mut Build<'_>, set: &CharSet) -> ExprId {
    let parts = [build.arena.chars(set), text(build)];
    build.seq(&parts)
}

/// Texts that end with one of `set`.
fn last(build: &mut Build<'_>, set: &CharSet) -> ExprId {
    let parts = [text(build), build.arena.chars(set)];
    build.seq(&parts)
}

/// Texts with one of `chars` that is not before one of `set`.
fn unless_before(build: &mut Build<'_>, chars: &str, set: &CharSet) -> ExprId {
    let other = first(build, &set.complement());
    let parts = [text(build), build.one_of(chars, &[]), build.opt(other)];
    build.seq(&parts)
}

/// Texts with one of `chars` that is not after one of `set`.
fn unless_after(build: &mut Build<'_>, chars: &str, set: &CharSet) -> ExprId {
    let other = last(build, &set.complement());
    let parts = [build.opt(other), build.one_of(chars, &[]), text(build)];
    build.seq(&parts)
}

/// Texts with a zero width non-joiner that neither follows a virama nor stands between letters that join.
fn non_joiner(build: &mut Build<'_>, sets: &Sets, virama: &CharSet, any: ExprId) -> [ExprId; 2] {
    let joiner = build.text("\u{200C}");
    let between = build.arena.chars(&sets.transparent);
    let between = build.star(between);
    let (both, before) = (build.chars(JOIN_BOTH), build.chars(&[JOIN_BOTH, JOIN_BEFORE].concat()));
    let after_virama = last(build, virama);
    let joins_before = build.seq(&[any, both, between]);
    let good = build.any(&[after_virama, joins_before]);
    let (neither, no_virama) = (build.arena.not(good), build.arena.not(after_virama));
    let joins_after = build.seq(&[between, before, any]);
    let no_join = build.arena.not(joins_after);
    let wrap = |build: &mut Build<'_>, not| build.arena.and(&[any, not]);
    let (neither, no_virama, no_join) = (wrap(build, neither), wrap(build, no_virama), wrap(build, no_join));
    [build.seq(&[neither, joiner, any]), build.seq(&[no_virama, joiner, no_join])]
}

/// The rule about directions (RFC 5893, section 2), for labels of either; which characters a label from left to right
/// has was seen to before.
fn directions(build: &mut Build<'_>, sets: &Sets) -> (ExprId, ExprId) {
    let right = CharSet::from_ranges(RIGHT_TO_LEFT.iter().copied());
    let arabic = CharSet::from_ranges(ARABIC_NUMBER.iter().copied());
    let digits = CharSet::from_ranges([(0x30, 0x39), EXTENDED_DIGITS]);
    let neutral = CharSet::from_ranges(NEUTRAL.iter().copied()).union(&CharSet::of("-\u{200C}\u{200D}"));
    let weak = neutral.union(&sets.not_spacing);
    let strong = right.union(&arabic).union(&digits).union(&weak).complement();
    let marks = build.arena.chars(&sets.not_spacing);
    let marks = build.star(marks);
    let ends = |build: &mut Build<'_>, set: &CharSet| {
        let end = last(build, set);
        build.seq(&[end, marks])
    };
    let left = [first(build, &strong), ends(build, &strong.union(&digits))];
    let left = build.arena.and(&left);

    let numbers = digits.union(&arabic);
    let rest = |build: &mut Build<'_>, numbers: &CharSet| {
        let one = build.arena.chars(&right.union(&weak).union(numbers));
        build.star(one)
    };
    let one_kind = [rest(build, &digits), rest(build, &arabic)];
    let one_kind = build.any(&one_kind);
    let parts = [one_kind, first(build, &right), ends(build, &right.union(&numbers))];
    (left, build.arena.and(&parts))
}
