//! Sets of characters that lack a few of those past ASCII.
//!
//! `.` is not every character, nor is `\S`; but what they lack is in few tokens. Such a set is taken for one that has
//! them all, and the tokens with a character that it lacks are left out again. For that it is known where those
//! characters are in the trie.

use std::sync::{Mutex, OnceLock, PoisonError};

use tokenstile_grammar::ir::CharSet;

use super::chars::ByChar;
use crate::automaton::AppendVec;
use crate::trie::{Trie, TrieNode};

/// The most characters that a set may lack.
const CHARS: usize = 32;
/// How many lacks are known; further ones are taken for what any other set is.
const KNOWN: usize = u8::MAX as usize;

/// What a set of characters lacks of those past ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LackId(u8);

impl LackId {
    pub(crate) const NOTHING: LackId = LackId(0);
}

/// See the module documentation.
pub(crate) struct Lacks {
    /// The characters past ASCII that the bytes of the vocabulary can spell.
    wide: CharSet,
    known: AppendVec<Lack>,
    /// Held by whoever adds one.
    adding: Mutex<()>,
}

/// The characters that a set lacks.
pub(crate) struct Lack {
    pub(crate) chars: CharSet,
    places: OnceLock<Box<[Place]>>,
}

/// Where a character is in the trie: the node at which it is complete, and the tokens below.
#[derive(Clone, Copy)]
struct Place {
    tokens: u32,
    tokens_end: u32,
    node: u32,
}

impl Lacks {
    pub(crate) fn new(wide: CharSet) -> Self {
        Lacks { wide, known: AppendVec::new(), adding: Mutex::default() }
    }

    /// One of the characters past ASCII that can be spelled.
    pub(crate) fn any_wide(&self) -> Option<char> {
        self.wide.ranges().first().and_then(|&(first, _)| char::from_u32(first))
    }

    /// What a set lacks, if that is little enough, and no beginning of a character is lost with it.
    pub(crate) fn of(&self, set: &CharSet) -> Option<LackId> {
        let lacking = self.wide.minus(set);
        if lacking.is_empty() {
            return Some(LackId::NOTHING).filter(|_| !self.wide.is_empty());
        }
        // Characters that differ in their last byte only are 64 next to each other.
        let has_others = |&(first, last): &(u32, u32)| {
            (first >> 6..=last >> 6).all(|block| {
                let block = CharSet::from_ranges([(block << 6, block << 6 | 63)]);
                !self.wide.intersect(&block).minus(&lacking).is_empty()
            })
        };
        if lacking.len() > CHARS || !lacking.ranges().iter().all(has_others) {
            return None;
        }
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let at = match (0..self.known.len()).find(|&at| self.known.get(at).chars == lacking) {
            Some(at) => at,
            None if self.known.len() == KNOWN => return None,
            None => self.known.push(Lack { chars: lacking, places: OnceLock::new() }),
        };
        Some(LackId(at as u8 + 1))
    }

    /// The lack with this number; none if it is nothing.
    pub(crate) fn get(&self, id: LackId) -> Option<&Lack> {
        (id.0 as usize).checked_sub(1).map(|at| self.known.get(at))
    }
}

impl Lack {
    /// Where the characters are, in the order of tokens; what lies within another is left out.
    fn places(&self, trie: &Trie, by_char: &ByChar) -> &[Place] {
        self.places.get_or_init(|| {
            let chars = self.chars.ranges().iter().flat_map(|&(first, last)| first..=last);
            let nodes = chars.filter_map(char::from_u32).flat_map(|c| by_char.nodes(c));
            let mut places: Vec<Place> = nodes
                .map(|&node| {
                    let TrieNode { tokens, tokens_end, .. } = trie.nodes[node as usize];
                    Place { tokens, tokens_end, node }
                })
                .collect();
            // Nodes further down have higher numbers.
            places.sort_unstable_by_key(|place| (place.tokens, u32::MAX - place.tokens_end, place.node));
            places.dedup_by(|next, kept| next.tokens_end <= kept.tokens_end);
            places.into()
        })
    }
}

/// Where the characters of a lack are.
#[derive(Clone, Copy)]
pub(crate) struct Lacking<'a> {
    trie: &'a Trie,
    places: &'a [Place],
}

impl<'a> Lacking<'a> {
    pub(super) fn new(lack: &'a Lack, trie: &'a Trie, by_char: &ByChar) -> Self {
        Lacking { trie, places: lack.places(trie, by_char) }
    }

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

    /// Whether one of them is before or below a node.
    pub(crate) fn is_about(&self, node: u32) -> bool {
        let TrieNode { tokens, tokens_end, .. } = self.trie.nodes[node as usize];
        self.before(tokens_end).is_some_and(|place| place.tokens_end > tokens)
    }

    /// The tokens below a node, on the way to which there is none, that have one of the characters.
    pub(super) fn tokens_below(&self, node: u32) -> impl Iterator<Item = &'a [crate::vocab::TokenId]> {
        let TrieNode { tokens, tokens_end, .. } = self.trie.nodes[node as usize];
        let start = self.places.partition_point(|place| place.tokens < tokens);
        let inside = self.places[start..].iter().take_while(move |place| place.tokens < tokens_end);
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
        let lacks = Lacks::new(CharSet::from_ranges([(0x80, 0x10FFFF)]));
        let set = CharSet::from_ranges([(0, 0x2027), (0x202A, 0x10FFFF)]);
        let lack = lacks.get(lacks.of(&set).unwrap()).unwrap();
        let by_char = ByChar::new(&trie);
        let lacking = Lacking::new(lack, &trie, &by_char);
        for node in 0..trie.nodes.len() as u32 {
            let mut path: Vec<u8> = trie.path(node).collect();
            path.reverse();
            let has = |bytes: &[u8]| {
                bytes.windows(3).any(|w| w == "\u{2028}".as_bytes() || w == "\u{2029}".as_bytes())
            };
            assert_eq!(lacking.is_before(node), has(&path), "{path:x?}");
            let below = words.iter().any(|word| word.as_bytes().starts_with(&path) && has(word.as_bytes()));
            assert_eq!(lacking.is_about(node), below, "{path:x?}");
        }
        let below: Vec<u32> = lacking.tokens_below(crate::trie::ROOT).flatten().copied().collect();
        assert_eq!(below.len(), 5);
    }

    #[test]
    fn a_lack_is_small_and_leaves_every_beginning() {
        let lacks = Lacks::new(CharSet::from_ranges([(0x80, 0x10FFFF)]));
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
        assert_eq!(but(&[(0x400, 0x4FF)]), None);
        // With few bytes there may be no other character that begins alike.
        let few = Lacks::new(CharSet::from_ranges([(0xE9, 0xEA), (0x2028, 0x2029)]));
        assert_eq!(few.of(&CharSet::from_ranges([(0xE9, 0xE9)])), None);
        assert!(few.of(&CharSet::from_ranges([(0xE9, 0xE9), (0x2028, 0x2028)])).is_some());
        assert_eq!(Lacks::new(CharSet::empty()).of(&CharSet::all()), None);
    }
}
