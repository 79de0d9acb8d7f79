//! Characters and how JSON spells them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::ir::{Arena, ByteSet, CharSet};
use tokenstile_grammar::{CharSetId, ExprId};

use super::super::options::Spelling;

/// The characters with a short escape, and the letter of it; the last is needed only by [`Spelling::Any`].
const SHORT: [(char, u8); 8] = [
    ('"', b'"'),
    ('\\', b'\\'),
    ('\n', b'n'),
    ('\r', b'r'),
    ('\t', b't'),
    ('\u{8}', b'b'),
    ('\u{C}', b'f'),
    ('/', b'/'),
];
/// What cannot stand for itself.
const ESCAPED: [(u32, u32); 3] = [(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C)];

/// Inclusive ranges of numbers, sorted and disjoint.
type Ranges = SmallVec<[(u32, u32); 4]>;

/// Spells characters, texts and sets in one of the two ways, and remembers the sets. It is for one arena.
pub(crate) struct Speller {
    spelling: Spelling,
    sets: FxHashMap<CharSetId, ExprId>,
    chars: FxHashMap<char, ExprId>,
    /// The escapes of sets that have certain characters of those that cannot stand for themselves.
    escapes: FxHashMap<ByteSet, ExprId>,
    any: Option<ExprId>,
    /// What follows the backslash in the long escapes of control characters, if the arena has it already.
    controls: Option<ExprId>,
}

impl Speller {
    pub(crate) fn new(spelling: Spelling) -> Self {
        Speller {
            spelling,
            sets: FxHashMap::default(),
            chars: FxHashMap::default(),
            escapes: FxHashMap::default(),
            any: None,
            controls: None,
        }
    }

    /// For an arena that has the expressions of any text and of the [escapes of control characters](control_escapes).
    pub(crate) fn over(spelling: Spelling, any: ExprId, controls: ExprId) -> Self {
        Speller { any: Some(any), controls: Some(controls), ..Speller::new(spelling) }
    }

    /// Any text.
    pub(crate) fn any_text(&mut self, arena: &mut Arena) -> ExprId {
        if let Some(any) = self.any {
            return any;
        }
        let one = self.spell(&CharSet::all(), arena);
        let any = arena.star(one);
        self.any = Some(any);
        any
    }

    /// Whether a text is its own and only spelling.
    pub(crate) fn is_plain(&self, text: &str) -> bool {
        self.spelling == Spelling::Canonical && !text.bytes().any(is_escaped)
    }

    /// One character of a set, which is the expression `expr`.
    pub(super) fn set(&mut self, expr: ExprId, id: CharSetId, arena: &mut Arena) -> ExprId {
        let escaped = |set: &CharSet| set.ascii().iter().any(is_escaped);
        if self.spelling == Spelling::Canonical && !escaped(arena.char_set(id)) {
            return expr;
        }
        if let Some(&known) = self.sets.get(&id) {
            return known;
        }
        let set = arena.char_set(id).clone();
        let spelled = self.spell(&set, arena);
        self.sets.insert(id, spelled);
        spelled
    }

    /// One text.
    pub(super) fn text(&mut self, text: &str, arena: &mut Arena) -> ExprId {
        let mut parts: SmallVec<[ExprId; 16]> = SmallVec::new();
        let mut plain = Vec::with_capacity(text.len());
        for c in text.chars() {
            match canonical(c) {
                Some(bytes) if self.spelling == Spelling::Canonical => plain.extend_from_slice(&bytes),
                _ => {
                    parts.push(arena.literal(&plain));
                    plain.clear();
                    parts.push(self.one(c, arena));
                }
            }
        }
        parts.push(arena.literal(&plain));
        arena.concat(&parts)
    }

    fn one(&mut self, c: char, arena: &mut Arena) -> ExprId {
        if let Some(&known) = self.chars.get(&c) {
            return known;
        }
        let spelled = self.spell(&CharSet::single(c), arena);
        self.chars.insert(c, spelled);
        spelled
    }

    fn spell(&mut self, set: &CharSet, arena: &mut Arena) -> ExprId {
        let raw = arena.chars(&set.minus(&CharSet::from_ranges(ESCAPED)));
        let escape = match self.spelling {
            Spelling::Any => {
                let long = long_escapes(set, arena);
                escapes(set, |_| true, long, arena)
            }
            Spelling::Canonical => self.needed_escapes(set, arena),
        };
        arena.alt(&[raw, escape])
    }

    /// The escapes of what cannot stand for itself. Sets differ much less in this than in the rest.
    fn needed_escapes(&mut self, set: &CharSet, arena: &mut Arena) -> ExprId {
        let needed = set.ascii().intersect(&CharSet::from_ranges(ESCAPED).ascii());
        if let Some(&known) = self.escapes.get(&needed) {
            return known;
        }
        let controls = controls();
        let long = match self.controls {
            Some(known) if controls.is_subset(&needed) => known,
            _ => long_escapes(&chars_of(&needed.intersect(&controls)), arena),
        };
        let escapes = escapes(set, is_escaped, long, arena);
        self.escapes.insert(needed, escapes);
        escapes
    }
}

/// Whether a character of ASCII cannot stand for itself.
fn is_escaped(byte: u8) -> bool {
    ESCAPED.iter().any(|range| (range.0..=range.1).contains(&byte.into()))
}

/// The characters that have long escapes only.
fn controls() -> ByteSet {
    (0..0x20).filter(|&b| !SHORT.iter().any(|&(c, _)| c == char::from(b))).collect()
}

/// What follows the backslash in the long escapes of control characters.
pub(crate) fn control_escapes(arena: &mut Arena) -> ExprId {
    long_escapes(&chars_of(&controls()), arena)
}

/// Characters of ASCII.
fn chars_of(bytes: &ByteSet) -> CharSet {
    CharSet::from_ranges(bytes.iter().map(|b| (b.into(), b.into())))
}

/// The same for a set.
fn long_escapes(set: &CharSet, arena: &mut Arena) -> ExprId {
    let (u, digits) = (arena.literal(b"u"), unicode_escapes(set, arena));
    arena.concat(&[u, digits])
}

/// The escapes of a set: short ones where they are wanted, and long ones, of which what follows the backslash is known.
fn escapes(set: &CharSet, wants_short: impl Fn(u8) -> bool, long: ExprId, arena: &mut Arena) -> ExprId {
    let short = SHORT.iter().filter(|&&(c, _)| set.contains(c) && wants_short(c as u8));
    let short = arena.chars(&CharSet::from_ranges(short.map(|&(_, b)| (b as u32, b as u32))));
    let backslash = arena.literal(b"\\");
    let escape = arena.alt(&[short, long]);
    arena.concat(&[backslash, escape])
}

/// The canonical spelling of a character, unless it has several (hexadecimal digits in either case).
fn canonical(c: char) -> Option<SmallVec<[u8; 4]>> {
    if let Some(&(_, letter)) = SHORT.iter().find(|s| s.0 == c && c != '/') {
        return Some(SmallVec::from_slice(&[b'\\', letter]));
    }
    (c >= ' ').then(|| SmallVec::from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()))
}

/// What follows `\u` in the long escapes of a set: four digits, or two times four with `\u` between them.
fn unicode_escapes(set: &CharSet, arena: &mut Arena) -> ExprId {
    let basic: Ranges =
        set.ranges().iter().filter(|r| r.0 < 0x10000).map(|&(a, b)| (a, b.min(0xFFFF))).collect();
    let basic = hex(&basic, 4, arena);
    let mut parts: Vec<ExprId> = vec![basic];
    for (firsts, seconds) in surrogates(set) {
        let shifted =
            |ranges: &Ranges, by: u32| ranges.iter().map(|r| (r.0 + by, r.1 + by)).collect::<Ranges>();
        let first = hex(&shifted(&firsts, 0xD800), 4, arena);
        let second = hex(&shifted(&seconds, 0xDC00), 4, arena);
        let u = arena.literal(b"\\u");
        parts.push(arena.concat(&[first, u, second]));
    }
    arena.alt(&parts)
}

/// The pairs of ten bits each that stand for the characters past U+FFFF: first halves, and the second halves that
/// any of them may have.
fn surrogates(set: &CharSet) -> Vec<(Ranges, Ranges)> {
    let mut full = Ranges::new();
    let mut partial: Vec<(u32, Ranges)> = Vec::new();
    for &(a, b) in set.ranges().iter().filter(|r| r.1 >= 0x10000) {
        let (mut a, b) = (a.max(0x10000) - 0x10000, b - 0x10000);
        while a <= b {
            let half = a >> 10;
            if a & 0x3FF == 0 && b >= a + 0x3FF {
                let after = (b + 1) >> 10;
                full.push((half, after - 1));
                a = after << 10;
                continue;
            }
            let last = b.min(a | 0x3FF);
            let range = (a & 0x3FF, last & 0x3FF);
            match partial.last_mut() {
                Some((same, ranges)) if *same == half => ranges.push(range),
                _ => partial.push((half, Ranges::from_slice(&[range]))),
            }
            a = last + 1;
        }
    }
    let mut out: Vec<(Ranges, Ranges)> = Vec::new();
    if !full.is_empty() {
        out.push((join(full), Ranges::from_slice(&[(0, 0x3FF)])));
    }
    let mut known: FxHashMap<Ranges, usize> = FxHashMap::default();
    for (half, ranges) in partial {
        match known.get(&ranges) {
            Some(&i) => out[i].0.push((half, half)),
            None => {
                known.insert(ranges.clone(), out.len());
                out.push((Ranges::from_slice(&[(half, half)]), ranges));
            }
        }
    }
    out.into_iter().map(|(firsts, seconds)| (join(firsts), seconds)).collect()
}

/// The numbers of `ranges`, no two of which touch, in so many hexadecimal digits, of either case.
fn hex(ranges: &[(u32, u32)], digits: u32, arena: &mut Arena) -> ExprId {
    if ranges.is_empty() {
        return arena.never();
    }
    if digits == 0 {
        return arena.empty();
    }
    let size = 1 << (4 * (digits - 1));
    if ranges == [(0, size * 16 - 1)] {
        let digit = hex_digits(0xFFFF, arena);
        return arena.repeat(digit, digits, Some(digits));
    }
    // Digits that go on alike, as bits.
    let mut groups: SmallVec<[(Ranges, u16); 4]> = SmallVec::new();
    let mut ranges = ranges;
    for digit in 0..16 {
        let (low, high) = (digit * size, digit * size + size - 1);
        ranges = &ranges[ranges.partition_point(|r| r.1 < low)..];
        let inside = &ranges[..ranges.partition_point(|r| r.0 <= high)];
        if inside.is_empty() {
            continue;
        }
        let rest: Ranges = inside.iter().map(|r| (r.0.max(low) - low, r.1.min(high) - low)).collect();
        match groups.iter_mut().find(|g| g.0 == rest) {
            Some(group) => group.1 |= 1 << digit,
            None => groups.push((rest, 1 << digit)),
        }
    }
    let mut parts: SmallVec<[ExprId; 8]> = SmallVec::new();
    for (rest, bits) in groups {
        let (digit, rest) = (hex_digits(bits, arena), hex(&rest, digits - 1, arena));
        parts.push(arena.concat(&[digit, rest]));
    }
    arena.alt(&parts)
}

/// Joins neighbours of sorted ranges.
fn join(ranges: Ranges) -> Ranges {
    let mut out = Ranges::new();
    for (a, b) in ranges {
        match out.last_mut() {
            Some(last) if a <= last.1 + 1 => last.1 = last.1.max(b),
            _ => out.push((a, b)),
        }
    }
    out
}

/// One of the hexadecimal digits whose bits are set.
fn hex_digits(bits: u16, arena: &mut Arena) -> ExprId {
    let digits = (0..16).filter(|d| bits >> d & 1 != 0);
    let chars = digits.flat_map(|d| match d {
        0..10 => [0x30 + d, 0x30 + d],
        _ => [0x61 + d - 10, 0x41 + d - 10],
    });
    arena.chars(&CharSet::from_ranges(chars.map(|c| (c, c))))
}
