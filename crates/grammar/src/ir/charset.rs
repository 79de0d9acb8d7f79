//! A set of Unicode scalar values, with the byte automaton of its UTF-8 encodings.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use regex_syntax::utf8::Utf8Sequences;
use smallvec::{SmallVec, smallvec};

use super::ByteSet;
use crate::tuning::ir::{KEPT_RANGES, MANY_RANGES};

/// A set of Unicode scalar values: sorted, disjoint, non-adjacent ranges. Surrogates are never in it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CharSet {
    ranges: Ranges,
}

/// Most sets are of one range or two.
type Ranges = SmallVec<[(u32, u32); 2]>;

const MAX: u32 = 0x10FFFF;
const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

impl CharSet {
    /// No character.
    pub fn empty() -> Self {
        CharSet { ranges: Ranges::new() }
    }

    /// Every character.
    pub fn all() -> Self {
        CharSet::from_ranges([(0, MAX)])
    }

    /// One character.
    pub fn single(c: char) -> Self {
        CharSet { ranges: smallvec![(c as u32, c as u32)] }
    }

    /// The set of all characters in inclusive `ranges`, in any order and overlapping as they may.
    /// Surrogates and values past U+10FFFF are left out.
    pub fn from_ranges(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut input: SmallVec<[(u32, u32); 16]> = SmallVec::new();
        for (a, b) in ranges {
            let b = b.min(MAX);
            for (lo, hi) in [(a, b.min(SURROGATES.0 - 1)), (a.max(SURROGATES.1 + 1), b)] {
                if lo <= hi {
                    input.push((lo, hi));
                }
            }
        }
        input.sort_unstable();
        let mut out = Ranges::new();
        for (a, b) in input {
            match out.last_mut() {
                Some(last) if a <= last.1.saturating_add(1) => last.1 = last.1.max(b),
                _ => out.push((a, b)),
            }
        }
        CharSet { ranges: out }
    }

    /// The characters of a string.
    pub fn of(chars: &str) -> Self {
        CharSet::from_ranges(chars.chars().map(|c| (c as u32, c as u32)))
    }

    /// The ranges, inclusive, sorted and disjoint.
    #[inline]
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Whether there is no character in the set.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many characters are in the set.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(|&(a, b)| (b - a) as usize + 1).sum()
    }

    /// Whether `c` is in the set.
    #[inline]
    pub fn contains(&self, c: char) -> bool {
        let c = c as u32;
        let i = self.ranges.partition_point(|r| r.1 < c);
        self.ranges.get(i).is_some_and(|r| r.0 <= c)
    }

    /// The only character of the set, if there is just one.
    #[inline]
    pub fn as_single(&self) -> Option<char> {
        match self.ranges[..] {
            [(a, b)] if a == b => char::from_u32(a),
            _ => None,
        }
    }

    /// Characters in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        CharSet::from_ranges(self.ranges.iter().chain(&other.ranges).copied())
    }

    /// Characters not in this set.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut out = Ranges::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(a, b) in &self.ranges {
            if a > next {
                out.push((next, a - 1));
            }
            next = b + 1;
        }
        if next <= MAX {
            out.push((next, MAX));
        }
        CharSet::from_ranges(out)
    }

    /// Characters in both sets.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let (mut i, mut j, mut out) = (0, 0, Ranges::new());
        while let (Some(a), Some(b)) = (self.ranges.get(i), other.ranges.get(j)) {
            let (lo, hi) = (a.0.max(b.0), a.1.min(b.1));
            if lo <= hi {
                out.push((lo, hi));
            }
            if a.1 < b.1 { i += 1 } else { j += 1 }
        }
        CharSet::from_ranges(out)
    }

    /// Characters of this set that are not in `other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.intersect(&other.complement())
    }

    /// The ASCII characters of the set, as bytes.
    pub fn ascii(&self) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        for &(a, b) in self.ranges.iter().take_while(|r| r.0 < 0x80) {
            set = set.union(&ByteSet::range(a as u8, b.min(0x7f) as u8));
        }
        set
    }

    /// Whether every character past ASCII is in the set.
    pub fn has_all_non_ascii(&self) -> bool {
        let wide = CharSet::from_ranges([(0x80, MAX)]);
        self.intersect(&wide) == wide
    }

    /// Whether no character past ASCII is in the set.
    pub fn is_ascii(&self) -> bool {
        self.ranges.last().is_none_or(|r| r.1 < 0x80)
    }
}

impl fmt::Debug for CharSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |f: &mut fmt::Formatter<'_>, c: u32| match char::from_u32(c) {
            Some(c) if (c.is_alphanumeric() && c.is_ascii()) || c == '_' || c == ' ' => write!(f, "{c}"),
            Some(c @ ('!'..='~')) if !"-]\\^".contains(c) => write!(f, "{c}"),
            _ => write!(f, "\\u{{{c:X}}}"),
        };
        f.write_str("[")?;
        for (i, &(a, b)) in self.ranges.iter().enumerate() {
            if i == 24 {
                return write!(f, "…{} ranges]", self.ranges.len());
            }
            show(f, a)?;
            if b > a {
                f.write_str("-")?;
                show(f, b)?;
            }
        }
        f.write_str("]")
    }
}

/// A set, and the bytes that encode its characters once someone has asked for them.
#[derive(Clone, Debug)]
pub(super) struct Encoded {
    pub(super) set: CharSet,
    utf8: OnceLock<Arc<Utf8Dfa>>,
}

impl Encoded {
    pub(super) fn new(set: CharSet) -> Self {
        Encoded { set, utf8: OnceLock::new() }
    }

    pub(super) fn utf8(&self) -> &Utf8Dfa {
        self.utf8.get_or_init(|| known_utf8(&self.set))
    }
}

/// The encodings of sets of many ranges, and how many ranges those have.
#[derive(Default)]
struct KnownUtf8 {
    sets: hashbrown::HashMap<CharSet, Arc<Utf8Dfa>, rustc_hash::FxBuildHasher>,
    ranges: usize,
}

/// The bytes that encode the characters of a set, shared by all sets that are equal and have many ranges.
fn known_utf8(set: &CharSet) -> Arc<Utf8Dfa> {
    static KNOWN: LazyLock<Mutex<KnownUtf8>> = LazyLock::new(Mutex::default);
    let ranges = set.ranges().len();
    if !(MANY_RANGES..KEPT_RANGES).contains(&ranges) {
        return Arc::new(Utf8Dfa::new(set));
    }
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(utf8) = known().sets.get(set) {
        return utf8.clone();
    }
    let utf8 = Arc::new(Utf8Dfa::new(set));
    let mut known = known();
    if known.ranges + ranges > KEPT_RANGES {
        *known = KnownUtf8::default();
    }
    if known.sets.insert(set.clone(), utf8.clone()).is_none() {
        known.ranges += ranges;
    }
    utf8
}

impl Borrow<CharSet> for Encoded {
    fn borrow(&self) -> &CharSet {
        &self.set
    }
}

impl PartialEq for Encoded {
    fn eq(&self, other: &Self) -> bool {
        self.set == other.set
    }
}

impl Eq for Encoded {}

impl Hash for Encoded {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.set.hash(state);
    }
}

/// Where a byte of a [`Utf8Dfa`] leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Utf8Next {
    /// The character is complete.
    Done,
    /// More bytes follow: the node to go on from.
    Node(u32),
}

/// The bytes that encode the characters of a [`CharSet`], as a small automaton. Node 0 is the start; every
/// edge is a set of bytes, the edges of a node are disjoint, and every node leads to a complete character.
#[derive(Clone, Debug, Default)]
pub struct Utf8Dfa {
    nodes: Vec<Vec<(ByteSet, Utf8Next)>>,
}

impl Utf8Dfa {
    /// Builds the automaton of `set`.
    pub fn new(set: &CharSet) -> Self {
        // Suffixes are shared by building from sorted sequences and interning finished nodes.
        type Edge = (u8, u8, Utf8Next);
        let mut dfa = Utf8Dfa { nodes: vec![Vec::new()] };
        let mut interned: hashbrown::HashMap<Vec<Edge2>, u32, rustc_hash::FxBuildHasher> = Default::default();
        #[derive(PartialEq, Eq, Hash, Clone, Copy)]
        struct Edge2(u8, u8, u32);
        // The unfinished path: one list of edges per depth, and the range that leads to the next depth.
        let mut path: Vec<Vec<Edge>> = vec![Vec::new()];
        let mut open: Vec<(u8, u8)> = Vec::new();
        let mut close =
            |path: &mut Vec<Vec<Edge>>, open: &mut Vec<(u8, u8)>, depth: usize, dfa: &mut Utf8Dfa| {
                while open.len() > depth {
                    let edges = path.pop().unwrap_or_default();
                    let key: Vec<Edge2> = edges
                        .iter()
                        .map(|&(a, b, n)| Edge2(a, b, if let Utf8Next::Node(n) = n { n } else { u32::MAX }))
                        .collect();
                    let node = *interned.entry(key).or_insert_with(|| {
                        dfa.nodes.push(merge_edges(&edges));
                        (dfa.nodes.len() - 1) as u32
                    });
                    let (a, b) = open.pop().unwrap_or_default();
                    if let Some(parent) = path.last_mut() {
                        parent.push((a, b, Utf8Next::Node(node)));
                    }
                }
            };
        for &(a, b) in set.ranges() {
            let (Some(a), Some(b)) = (char::from_u32(a), char::from_u32(b)) else { continue };
            for sequence in Utf8Sequences::new(a, b) {
                let ranges: Vec<(u8, u8)> = sequence.as_slice().iter().map(|r| (r.start, r.end)).collect();
                let shared = open.iter().zip(&ranges[..ranges.len() - 1]).take_while(|(x, y)| x == y).count();
                close(&mut path, &mut open, shared, &mut dfa);
                for &range in &ranges[shared..ranges.len() - 1] {
                    open.push(range);
                    path.push(Vec::new());
                }
                let last = ranges[ranges.len() - 1];
                if let Some(edges) = path.last_mut() {
                    edges.push((last.0, last.1, Utf8Next::Done));
                }
            }
        }
        close(&mut path, &mut open, 0, &mut dfa);
        dfa.nodes[0] = merge_edges(&path[0]);
        dfa
    }

    /// The edges out of a node.
    #[inline]
    pub fn edges(&self, node: u32) -> &[(ByteSet, Utf8Next)] {
        &self.nodes[node as usize]
    }

    /// Where `byte` leads from `node`.
    #[inline]
    pub fn step(&self, node: u32, byte: u8) -> Option<Utf8Next> {
        self.edges(node).iter().find(|(set, _)| set.contains(byte)).map(|e| e.1)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the set it was built from has no character.
    pub fn is_empty(&self) -> bool {
        self.nodes[0].is_empty()
    }
}

/// Joins byte ranges with the same target into one set.
fn merge_edges(edges: &[(u8, u8, Utf8Next)]) -> Vec<(ByteSet, Utf8Next)> {
    let mut out: Vec<(ByteSet, Utf8Next)> = Vec::new();
    for &(a, b, next) in edges {
        let set = ByteSet::range(a, b);
        match out.iter_mut().find(|e| e.1 == next) {
            Some(edge) => edge.0 = edge.0.union(&set),
            None => out.push((set, next)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encodes(dfa: &Utf8Dfa, c: char) -> bool {
        let mut buffer = [0; 4];
        let mut node = 0;
        let bytes = c.encode_utf8(&mut buffer).as_bytes();
        for (i, &byte) in bytes.iter().enumerate() {
            match dfa.step(node, byte) {
                Some(Utf8Next::Done) => return i + 1 == bytes.len(),
                Some(Utf8Next::Node(n)) => node = n,
                None => return false,
            }
        }
        false
    }

    #[test]
    fn the_utf8_automaton_accepts_just_the_characters_of_the_set() {
        for set in [
            CharSet::all(),
            CharSet::single('é'),
            CharSet::of("aé€😀"),
            CharSet::of("\n").complement(),
            CharSet::from_ranges([(0x700, 0x900), (0xFFFF, 0x10010), (0x41, 0x5A)]),
        ] {
            let dfa = Utf8Dfa::new(&set);
            assert!(dfa.len() < 40, "{set:?}: {} nodes", dfa.len());
            for c in ('\0'..=char::MAX).step_by(7).chain("aAé€😀\n\u{700}\u{900}\u{FFFF}\u{10010}".chars())
            {
                assert_eq!(encodes(&dfa, c), set.contains(c), "{c:?} in {set:?}");
            }
        }
    }

    #[test]
    fn set_algebra() {
        let a = CharSet::from_ranges([(10, 20), (30, 40)]);
        let b = CharSet::from_ranges([(15, 35)]);
        assert_eq!(a.intersect(&b).ranges(), &[(15, 20), (30, 35)]);
        assert_eq!(a.union(&b).ranges(), &[(10, 40)]);
        assert_eq!(a.minus(&b).ranges(), &[(10, 14), (36, 40)]);
        assert_eq!(a.complement().complement(), a);
        assert!(CharSet::all().complement().is_empty());
        assert!(CharSet::all().has_all_non_ascii());
    }
}
