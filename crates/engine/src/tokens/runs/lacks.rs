//! Sets of characters that lack some of those past ASCII.
//!
//! `.` is not every character, nor is `\S` or `\p{L}`; but what they lack is in few tokens, or at least not in most of
//! them. Such a set is taken for one that has them all, and the tokens with a character that it lacks are left out again.
//! For that it is known where those characters are in the trie, and the beginnings of characters that all lack.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::CharSet;

use super::super::class::{CharClass, LackId};
use super::super::trie::{Trie, TrieNode, Utf8Place};
use super::chars::ByChar;
use crate::ablate::{Switch, is_off};
use crate::collections::{AppendVec, Writer};
use crate::tuning::lacks::{ASKED, BYTES, CHARS, LACKED, RANGES};

/// How many lacks are known; further ones are taken for what any other set is.
const KNOWN: usize = u8::MAX as usize;

/// See the module documentation.
pub(crate) struct Lacks {
    /// The characters past ASCII that the bytes of the vocabulary can spell.
    wide: CharSet,
    /// Where they are in the trie.
    by_char: ByChar,
    /// The tokens that end inside a character.
    cut: OnceLock<Box<[Cut]>>,
    known: AppendVec<Lack>,
    /// What sets of many ranges lack.
    asked: Mutex<Asked>,
    adding: Mutex<Adding>,
    /// The sets that grammars begin with, as constraints of this vocabulary see them.
    base: OnceLock<Box<[OnceLock<CharClass>]>>,
}

/// What is held by whoever adds what a set lacks.
#[derive(Default)]
struct Adding {
    /// How much is taken by all that were added.
    bytes: usize,
    writer: Writer,
}

/// The characters that a set lacks.
pub(crate) struct Lack {
    pub(crate) chars: CharSet,
    places: OnceLock<Places>,
}

/// Where the characters that a set lacks are, in the order of tokens.
struct Places {
    /// Without those that lie within another.
    outermost: Box<[Place]>,
    /// Where each is in whose tokens no more of them begin: the first token, and the node.
    deepest: Box<[(u32, u32)]>,
}

/// Where a character is in the trie: the node at which it is complete, and the tokens below.
#[derive(Clone, Copy)]
struct Place {
    tokens: u32,
    tokens_end: u32,
    node: u32,
}

/// Sets of many ranges, and what they lack.
#[derive(Default)]
struct Asked {
    sets: FxHashMap<CharSet, Option<LackId>>,
    /// How many ranges they have together.
    ranges: usize,
}

impl Asked {
    fn add(&mut self, set: &CharSet, lack: Option<LackId>) {
        if self.ranges + set.ranges().len() > ASKED {
            *self = Asked::default();
        }
        if set.ranges().len() <= ASKED && self.sets.insert(set.clone(), lack).is_none() {
            self.ranges += set.ranges().len();
        }
    }
}

/// A node at which tokens end inside a character: the first and the last that it may be.
struct Cut {
    node: u32,
    first: u32,
    last: u32,
}

impl Lacks {
    pub(super) fn new(wide: CharSet, by_char: ByChar) -> Self {
        let adding = Adding::default();
        Lacks {
            wide,
            by_char,
            cut: OnceLock::new(),
            known: AppendVec::new(&adding.writer),
            asked: Mutex::default(),
            adding: Mutex::new(adding),
            base: OnceLock::new(),
        }
    }

    /// What is known of the first so many sets, which are those that grammars begin with.
    pub(crate) fn base_classes(&self, len: usize) -> &[OnceLock<CharClass>] {
        self.base.get_or_init(|| (0..len).map(|_| OnceLock::new()).collect())
    }

    /// Those of a vocabulary that nothing is known of: there are none.
    pub(crate) fn none() -> Self {
        Lacks::new(CharSet::empty(), ByChar::default())
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.by_char.bytes_held() + self.adding.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// Where characters are in the trie.
    pub(super) fn by_char(&self) -> &ByChar {
        &self.by_char
    }

    /// The characters past ASCII that can be spelled.
    pub(crate) fn wide(&self) -> &CharSet {
        &self.wide
    }

    /// One of the characters past ASCII that can be spelled.
    pub(crate) fn any_wide(&self) -> Option<char> {
        self.wide.ranges().first().and_then(|&(first, _)| char::from_u32(first))
    }

    /// What a set lacks, if that is little enough. For sets of many ranges that is remembered: constraints share them.
    pub(crate) fn of(&self, set: &CharSet) -> Option<LackId> {
        if set.ranges().len() <= RANGES || is_off(Switch::LackMemo) {
            return self.find(set);
        }
        let asked = || self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = asked().sets.get(set) {
            return known;
        }
        let found = self.find(set);
        asked().add(set, found);
        found
    }

    fn find(&self, set: &CharSet) -> Option<LackId> {
        let lacking = self.wide.minus(set);
        if lacking.is_empty() {
            return Some(LackId::NOTHING).filter(|_| !self.wide.is_empty());
        }
        if is_off(Switch::LackingClasses) {
            return None;
        }
        let is_few = lacking.len() <= CHARS;
        let lacked = self.by_char.nodes_of(&lacking).map(<[u32]>::len).sum::<usize>();
        let had = self.by_char.len() - lacked;
        if !is_few && (had == 0 || lacked > LACKED * had) {
            return None;
        }
        let mut adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let at = match (0..self.known.len()).find(|&at| self.known.get(at).chars == lacking) {
            Some(at) => at,
            None if self.known.len() == KNOWN || !is_few && adding.bytes > BYTES => return None,
            None => {
                adding.bytes +=
                    size_of_val(lacking.ranges()) + lacked * (size_of::<Place>() + size_of::<(u32, u32)>());
                let lack = Lack { chars: lacking, places: OnceLock::new() };
                self.known.push(lack, &mut adding.writer)
            }
        };
        Some(LackId(at as u8 + 1))
    }

    /// Where the characters of a lack are, and the beginnings that only they have; none if it is nothing.
    pub(super) fn lacking<'a>(&'a self, trie: &'a Trie, id: LackId) -> Option<Lacking<'a>> {
        let lack = self.get(id)?;
        let Places { outermost, deepest } = lack.places.get_or_init(|| self.places(trie, &lack.chars));
        Some(Lacking { trie, places: outermost, deepest })
    }

    /// Where some characters are.
    fn places(&self, trie: &Trie, chars: &CharSet) -> Places {
        let others = self.wide.minus(chars);
        let has_other = |cut: &&Cut| {
            let next = others.ranges().partition_point(|range| range.1 < cut.first);
            others.ranges().get(next).is_some_and(|range| range.0 <= cut.last)
        };
        let cut = self.cut.get_or_init(|| find_cut(trie)).iter();
        let cut = cut.filter(|cut| !has_other(cut)).map(|cut| cut.node);
        let nodes = self.by_char.nodes_of(chars).flatten().copied().chain(cut);
        // Of those whose tokens begin with the same, the first node down to it and the last: nodes further down have higher
        // numbers.
        const NONE: (u32, u32) = (u32::MAX, 0);
        let mut found = vec![NONE; trie.tokens.len()];
        for node in nodes {
            if let Some((first, last)) = found.get_mut(trie.nodes[node as usize].tokens as usize) {
                (*first, *last) = (node.min(*first), node.max(*last));
            }
        }
        let (mut outermost, mut deepest) = (Vec::<Place>::new(), Vec::new());
        for (token, &(first, last)) in (0..).zip(&found).filter(|(_, found)| **found != NONE) {
            deepest.push((token, last));
            if outermost.last().is_none_or(|place| place.tokens_end <= token) {
                let tokens_end = trie.nodes[first as usize].tokens_end;
                outermost.push(Place { tokens: token, tokens_end, node: first });
            }
        }
        Places { outermost: outermost.into(), deepest: deepest.into() }
    }

    /// The lack with this number; none if it is nothing.
    pub(crate) fn get(&self, id: LackId) -> Option<&Lack> {
        (id.0 as usize).checked_sub(1).map(|at| self.known.get(at))
    }
}

fn find_cut(trie: &Trie) -> Box<[Cut]> {
    let inside = (1..trie.nodes.len() as u32).filter(|&node| trie.utf8[node as usize] == Utf8Place::INSIDE);
    let cut = inside.filter(|&node| !trie.own(node).is_empty()).map(|node| {
        let (first, last) = begun(&trie.in_char(node));
        Cut { node, first, last }
    });
    cut.collect()
}

/// The first and the last character that begin with some bytes, but have more. Where the bytes are no such beginning, as in
/// a damaged file, they are the wrong way round.
fn begun(bytes: &[u8]) -> (u32, u32) {
    let Some((&first, more)) = bytes.split_first() else { return (1, 0) };
    // How long the characters are, the bits of the first byte, and the least character that is so long.
    let (length, bits, least): (usize, u8, u32) = match first {
        ..0xE0 => (2, first & 0x1F, 0x80),
        0xE0..0xF0 => (3, first & 0x0F, 0x800),
        0xF0.. => (4, first & 0x07, 0x10000),
    };
    let Some(left) = length.checked_sub(bytes.len()) else { return (1, 0) };
    let start = more.iter().fold(u32::from(bits), |code, byte| code << 6 | u32::from(byte & 0x3F));
    ((start << (6 * left)).max(least), (((start + 1) << (6 * left)) - 1).min(0x10FFFF))
}

/// Where the characters of a lack are.
#[derive(Clone, Copy)]
pub(crate) struct Lacking<'a> {
    trie: &'a Trie,
    places: &'a [Place],
    deepest: &'a [(u32, u32)],
}

impl<'a> Lacking<'a> {
    /// The last place that begins before a token.
    fn before(&self, token: u32) -> Option<&'a Place> {
        self.places[..self.places.partition_point(|place| place.tokens < token)].last()
    }

    /// Whether one of the characters is on the way to a node.
    #[inline]
    pub(crate) fn is_before(&self, node: u32) -> bool {
        let TrieNode { tokens, tokens_end, .. } = self.trie.nodes[node as usize];
        let place = self.before(tokens + 1);
        place.is_some_and(|place| tokens_end <= place.tokens_end && place.node <= node)
    }

    /// Whether one of them is below a node.
    pub(crate) fn is_below(&self, node: u32) -> bool {
        let TrieNode { tokens, tokens_end, .. } = self.trie.nodes[node as usize];
        let start = self.deepest.partition_point(|place| place.0 < tokens);
        // The first may be on the way to the node; others that begin behind it are below.
        self.deepest[start..].iter().take_while(|place| place.0 < tokens_end).any(|place| place.1 > node)
    }

    /// Of some tokens in a row, on the way to which there is none, those that have one of the characters.
    pub(super) fn tokens_in(&self, row: Range<u32>) -> impl Iterator<Item = &'a [crate::vocab::TokenId]> {
        let start = self.places.partition_point(|place| place.tokens < row.start);
        let inside = self.places[start..].iter().take_while(move |place| place.tokens < row.end);
        let trie = self.trie;
        inside.map(move |place| &trie.tokens[place.tokens as usize..place.tokens_end as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocab;

    #[test]
    fn where_a_character_is_on_the_way() {
        let words = ["a\u{2028}b", "a\u{2028}\u{2028}", "ab", "\u{2028}", "c\u{2029}", "\u{2027}\u{2029}x"];
        let bytes: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        let all = bytes.iter().map(Vec::as_slice).chain(words.map(str::as_bytes));
        let trie = Trie::new(&Vocab::from_tokens((0..).zip(all), &[]).unwrap());
        let lacks = Lacks::new(CharSet::from_ranges([(0x80, 0x10FFFF)]), ByChar::new(&trie));
        let set = CharSet::from_ranges([(0, 0x2027), (0x202A, 0x10FFFF)]);
        let lacking = lacks.lacking(&trie, lacks.of(&set).unwrap()).unwrap();
        for node in 0..trie.nodes.len() as u32 {
            let mut path: Vec<u8> = trie.path(node).collect();
            path.reverse();
            let has = |bytes: &[u8]| {
                bytes.windows(3).any(|w| w == "\u{2028}".as_bytes() || w == "\u{2029}".as_bytes())
            };
            assert_eq!(lacking.is_before(node), has(&path), "{path:x?}");
            // A character that is complete at the node or before is none below it.
            let behind = |word: &&str| has(&word.as_bytes()[path.len().saturating_sub(2)..]);
            let below = words.iter().filter(|word| word.as_bytes().starts_with(&path)).any(behind);
            assert_eq!(lacking.is_below(node), below, "{path:x?}");
        }
        let below: Vec<u32> = lacking.tokens_in(0..trie.tokens.len() as u32).flatten().copied().collect();
        assert_eq!(below.len(), 5);
    }

    #[test]
    fn beginnings_that_only_lacking_characters_have() {
        // Single bytes, and two that begin characters from U+0400 on and from U+3040 on.
        let words = [&b"x\xD0"[..], b"x\xE3\x81"];
        let bytes: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        let all = bytes.iter().map(Vec::as_slice).chain(words);
        let trie = Trie::new(&Vocab::from_tokens((0..).zip(all), &[]).unwrap());
        let lacks = Lacks::new(CharSet::from_ranges([(0x80, 0x10FFFF)]), ByChar::new(&trie));
        let cut_off = |lacking: (u32, u32)| {
            let places = lacks.places(&trie, &CharSet::from_ranges([lacking]));
            let mut tokens: Vec<u32> =
                places.outermost.iter().flat_map(|place| trie.subtree(place.node)).copied().collect();
            tokens.sort_unstable();
            tokens
        };
        assert!(cut_off((0x400, 0x43E)).is_empty());
        assert_eq!(cut_off((0x400, 0x43F)), [0xD0, 256]);
        assert_eq!(cut_off((0x400, 0x4FF)), [0xD0, 0xD1, 0xD2, 0xD3, 256]);
        assert_eq!(cut_off((0x3040, 0x307F)), [257]);
        assert_eq!(cut_off((0x3000, 0x3FFF)), [0xE3, 257]);
        assert_eq!(cut_off((0x10000, 0x10FFFF)), [0xF0, 0xF1, 0xF2, 0xF3, 0xF4]);
    }

    #[test]
    fn a_lack_is_small_or_outweighed() {
        let words = ["\u{450}", "a\u{451}", "\u{452}b", "\u{3042}"];
        let trie = Trie::new(&Vocab::from_tokens((0..).zip(words), &[]).unwrap());
        let lacks = Lacks::new(CharSet::from_ranges([(0x80, 0x10FFFF)]), ByChar::new(&trie));
        let but = |ranges: &[(u32, u32)]| {
            lacks.of(&CharSet::all().minus(&CharSet::from_ranges(ranges.iter().copied())))
        };
        assert_eq!(but(&[]), Some(LackId::NOTHING));
        assert_eq!(but(&[(b'a'.into(), b'z'.into())]), Some(LackId::NOTHING));
        let two = but(&[(0x2028, 0x2029)]);
        assert!(
            two.is_some() && two != Some(LackId::NOTHING) && two == but(&[(0x20, 0x20), (0x2028, 0x2029)])
        );
        assert_ne!(two, but(&[(0x2028, 0x202A)]));
        assert!(but(&[(0x3040, 0x309F)]).is_some(), "in fewer tokens than the others");
        assert_eq!(but(&[(0x400, 0x4FF)]), None, "in most tokens");
        assert!(but(&[(0x450, 0x452)]).is_some(), "in most tokens, but few characters");
        assert_eq!(lacks.of(&CharSet::from_ranges([(0, 0x7F)])), None, "nothing past ASCII");
        let narrow = Trie::new(&Vocab::from_tokens((0..).zip(["a", "b"]), &[]).unwrap());
        let narrow = Lacks::new(CharSet::from_ranges([(0x80, 0x10FFFF)]), ByChar::new(&narrow));
        assert_eq!(narrow.of(&CharSet::from_ranges([(0, 0x7F)])), None, "no token past ASCII");
        assert_eq!(Lacks::none().of(&CharSet::all()), None);
    }
}
