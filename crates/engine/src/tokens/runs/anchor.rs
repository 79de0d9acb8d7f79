//! The tables of one anchor: groups of tokens by kinds of characters, and the index of what leaves a run.

use std::ops::Range;
use std::sync::OnceLock;

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::class::CharClass;
use super::super::trie::{Trie, Utf8Place};
use super::collect::Collected;
use super::found::Found;
use super::kinds::{WIDE, kind_of, left_out, touched_kinds};
use super::lacks::Lacking;
use super::run::{Run, starts_character};
use crate::stored::{Array, Reader, TablesError, Writer, plain};
use crate::vocab::TokenId;

/// The tables of one anchor.
pub(crate) struct Anchor {
    pub(crate) node: u32,
    /// How many characters lead there.
    pub(super) chars: u32,
    /// Bytes of the anchor's children.
    pub(crate) bytes: ByteSet,
    /// How many tokens lie below each child, by byte.
    counts: Box<[u32; 256]>,
    /// Sorted by `first`.
    groups: Array<Group>,
    /// The tokens of the groups.
    tokens: Array<Counted>,
    /// The masks of the groups that have one, one after the other.
    dense: Array<u32>,
    kinds: Vec<Kind>,
    /// The tokens that have a letter or digit after their first character, by that.
    held: Array<TokenId>,
    /// Where those of each ASCII byte start; one more at the end.
    held_starts: Array<u32>,
    entries: Array<Entry>,
    /// Where the entries of each byte start; one more at the end.
    starts: Array<u32>,
    /// The entries by how many characters are before them, once someone has asked.
    by_chars: OnceLock<ByChars>,
}

/// Entries by how many characters are before them.
struct ByChars {
    /// For each number of characters and each byte, where the entries start; one more at the end.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl ByChars {
    fn new(trie: &Trie, entries: &[Entry]) -> Self {
        let slot = |entry: &Entry| entry.chars as usize * 256 + trie.byte[entry.node as usize] as usize;
        let most = entries.iter().map(|entry| entry.chars).max().unwrap_or(0);
        let mut starts = vec![0; (most as usize + 1) * 256 + 1];
        entries.iter().for_each(|entry| starts[slot(entry) + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0; starts[starts.len() - 1] as usize];
        for (at, entry) in (0..).zip(entries) {
            let slot = slot(entry);
            sorted[next[slot] as usize] = at;
            next[slot] += 1;
        }
        ByChars { starts, entries: sorted }
    }

    /// The entries that a byte leads to behind so many characters.
    fn of(&self, chars: u32, byte: u8) -> &[u32] {
        let slot = chars as usize * 256 + byte as usize;
        match self.starts.get(slot..slot + 2) {
            Some(&[start, end]) => &self.entries[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// A kind of first character: its bytes among the anchor's children, and its groups.
struct Kind {
    first: u128,
    bytes: ByteSet,
    groups: Range<usize>,
}

plain! {
    /// Tokens whose first character is of one kind and whose others are of the same set of kinds.
    #[derive(Clone, Copy)]
    pub(super) struct Group {
        first: u128,
        rest: u128,
        /// Where its tokens are, sorted by number of characters.
        start: u32,
        end: u32,
        /// Which mask has all of them, counted from one; 0 if they are few and there is none.
        dense: u32,
        unused: u32,
    }

    /// A token and its number of characters.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) struct Counted {
        pub(super) chars: u32,
        pub(super) token: TokenId,
    }

    /// A node that a byte leads to, with what lies between the anchor and that byte.
    #[derive(Clone, Copy)]
    pub(crate) struct Entry {
        /// ASCII bytes after the first character, as two words.
        ascii: [u64; 2],
        pub(crate) node: u32,
        pub(crate) chars: u32,
        pub(super) first: u8,
        pub(crate) wide: bool,
        unused: [u8; 6],
    }
}

impl Group {
    pub(super) fn new(first: u128, rest: u128, tokens: Range<u32>, dense: u32) -> Self {
        Group { first, rest, start: tokens.start, end: tokens.end, dense, unused: 0 }
    }
}

impl Entry {
    pub(super) fn new(node: u32, chars: u32, first: u8, ascii: u128, wide: bool) -> Self {
        Entry { ascii: [ascii as u64, (ascii >> 64) as u64], node, chars, first, wide, unused: [0; 6] }
    }

    /// Whether what lies between begins with one of some bytes.
    #[inline]
    pub(crate) fn is_after(&self, bytes: &ByteSet) -> bool {
        bytes.contains(self.first)
    }

    /// Whether what lies between is one of `first` and then any of `rest`.
    #[inline]
    pub(crate) fn is_within(&self, first: &ByteSet, rest: &CharClass) -> bool {
        let words = rest.ascii.words();
        first.contains(self.first)
            && self.ascii[0] & !words[0] == 0
            && self.ascii[1] & !words[1] == 0
            && (rest.wide || !self.wide)
    }
}

impl Anchor {
    pub(super) fn new(trie: &Trie, node: u32, words: usize) -> Self {
        let Collected { groups, tokens, dense, held, held_starts, entries, starts } =
            Collected::new(trie, node, words);
        let anchor = Anchor {
            node,
            chars: 0,
            bytes: ByteSet::EMPTY,
            counts: Box::new([0; 256]),
            groups: groups.into(),
            tokens: tokens.into(),
            dense: dense.into(),
            kinds: Vec::new(),
            held: held.into(),
            held_starts: held_starts.into(),
            entries: entries.into(),
            starts: starts.into(),
            by_chars: OnceLock::new(),
        };
        anchor.completed(trie)
    }

    /// Fills in what the trie and the arrays tell.
    fn completed(mut self, trie: &Trie) -> Self {
        for child in trie.children(self.node) {
            let byte = trie.byte[child as usize];
            self.bytes.insert(byte);
            self.counts[byte as usize] = trie.subtree(child).len() as u32;
        }
        self.chars = trie.path(self.node).filter(|&byte| starts_character(byte)).count() as u32;
        let mut start = 0;
        for groups in self.groups.chunk_by(|a, b| a.first == b.first) {
            let first = groups[0].first;
            let bytes = self.bytes.iter().filter(|&b| kind_of(b) == first).collect();
            self.kinds.push(Kind { first, bytes, groups: start..start + groups.len() });
            start += groups.len();
        }
        self
    }

    /// Adds the arrays to a file.
    pub(super) fn save<'a>(&'a self, file: &mut Writer<'a>) {
        file.array(&self.groups);
        file.array(&self.tokens);
        file.array(&self.dense);
        file.array(&self.held);
        file.array(&self.held_starts);
        file.array(&self.entries);
        file.array(&self.starts);
    }

    /// The anchor at a node, of which the arrays are in a file.
    pub(super) fn load(file: &mut Reader, trie: &Trie, node: u32, words: usize) -> Result<Self, TablesError> {
        let anchor = Anchor {
            node,
            chars: 0,
            bytes: ByteSet::EMPTY,
            counts: Box::new([0; 256]),
            groups: file.array()?,
            tokens: file.array()?,
            dense: file.array()?,
            kinds: Vec::new(),
            held: file.array()?,
            held_starts: file.array()?,
            entries: file.array()?,
            starts: file.array()?,
            by_chars: OnceLock::new(),
        };
        if !anchor.has_sound_groups(trie, words) || !anchor.has_sound_entries(trie) {
            return Err(TablesError::Damaged { what: "the tables of an anchor are none" });
        }
        Ok(anchor.completed(trie))
    }

    /// Whether everything that groups and lists of tokens lead to is there.
    fn has_sound_groups(&self, trie: &Trie, words: usize) -> bool {
        let is_token = |token: TokenId| (token as usize / 32) < words;
        let masks = self.dense.len() / words.max(1);
        let is_group = |group: &Group| {
            group.start <= group.end
                && group.end as usize <= self.tokens.len()
                && group.dense as usize <= masks
        };
        self.groups.iter().all(is_group)
            && self.tokens.iter().all(|t| is_token(t.token) && t.chars as usize <= trie.longest)
            && is_index(&self.held_starts, 128, self.held.len())
            && self.held.iter().all(|&token| is_token(token))
    }

    /// Whether the entries lead to nodes below the anchor, each to one that its byte leads to.
    fn has_sound_entries(&self, trie: &Trie) -> bool {
        if !is_index(&self.starts, 256, self.entries.len()) {
            return false;
        }
        let top = &trie.nodes[self.node as usize];
        // Nodes that share tokens are on one path, on which those further down have higher numbers.
        let is_below = |entry: &Entry, byte: usize| {
            trie.nodes.get(entry.node as usize).is_some_and(|node| {
                entry.node > self.node && top.tokens <= node.tokens && node.tokens_end <= top.tokens_end
            }) && trie.byte[entry.node as usize] as usize == byte
                && entry.chars as usize <= trie.longest
        };
        self.starts.windows(2).enumerate().all(|(byte, range)| {
            self.entries[range[0] as usize..range[1] as usize].iter().all(|entry| is_below(entry, byte))
        })
    }

    /// The tokens that have a letter or digit after their first character.
    fn held(&self, byte: u8) -> &[TokenId] {
        let at = usize::from(byte & 0x7F);
        &self.held[self.held_starts[at] as usize..self.held_starts[at + 1] as usize]
    }

    pub(super) fn bytes_held(&self) -> usize {
        size_of_val(&*self.groups)
            + size_of_val(&*self.tokens)
            + size_of_val(&*self.dense)
            + size_of_val(&*self.held)
            + size_of_val(&*self.entries)
            + self.by_chars.get().map_or(0, |by_chars| 4 * (by_chars.entries.len() + by_chars.starts.len()))
    }

    fn by_chars(&self, trie: &Trie) -> &ByChars {
        self.by_chars.get_or_init(|| ByChars::new(trie, &self.entries))
    }

    /// Puts the entries in order by the number of characters before them, as someone will ask for.
    pub(super) fn sort_by_chars(&self, trie: &Trie) {
        self.by_chars(trie);
    }

    /// Whether at least `least` tokens start with one of `bytes` after the anchor.
    pub(crate) fn has(&self, least: usize, bytes: &ByteSet) -> bool {
        let mut count = 0;
        bytes.iter().any(|b| {
            count += self.counts[b as usize] as usize;
            count >= least
        })
    }

    /// How many tokens start with one of `bytes` after the anchor.
    pub(crate) fn count(&self, bytes: &ByteSet) -> usize {
        bytes.iter().map(|b| self.counts[b as usize] as usize).sum()
    }

    /// Adds the tokens of a group.
    fn add_group(&self, found: &mut Found, group: &Group) {
        let tokens = &self.tokens[group.start as usize..group.end as usize];
        let dense = (group.dense as usize).checked_sub(1).map(|at| {
            let words = found.words.len();
            &self.dense[at * words..(at + 1) * words]
        });
        found.add(tokens, dense);
    }

    /// The nodes that some bytes lead to behind at least one character.
    pub(super) fn entries_by(&self, bytes: &ByteSet) -> impl Iterator<Item = &Entry> {
        let range = |byte: usize| self.starts[byte] as usize..self.starts[byte + 1] as usize;
        bytes.iter().flat_map(move |byte| &self.entries[range(byte.into())])
    }

    /// The tokens that a run matches as a whole, whatever their number of characters, and without regard to characters
    /// that are lacking.
    pub(super) fn found(&self, trie: &Trie, run: &Run, words: usize) -> Found {
        let mut found = Found::new(words);
        self.find(trie, run, &mut found);
        found
    }

    fn find(&self, trie: &Trie, run: &Run, found: &mut Found) {
        let allowed = touched_kinds(&run.rest);
        let left_out = left_out(&run.rest);
        let held: usize = left_out.iter().map(|byte| self.held(byte).len()).sum();
        let firsts = self.bytes.iter().filter(|&b| run.first.contains(b) || b >= 0x80 && run.first_wide);
        let firsts: ByteSet = firsts.collect();
        if held > self.count(&firsts) {
            // Fewer tokens than would be taken out again: they are soon found one by one.
            let mut nodes: Vec<u32> = firsts.iter().filter_map(|b| trie.child(self.node, b)).collect();
            nodes.retain(|&n| !matches!(trie.utf8[n as usize], Utf8Place::BROKEN | Utf8Place::LEADING));
            found.add_matching(trie, &nodes, run);
            return;
        }
        for kind in &self.kinds {
            let groups = self.groups[kind.groups.clone()].iter().filter(|g| g.rest & !allowed == 0);
            if kind.first == WIDE {
                if run.first_wide {
                    groups.for_each(|g| self.add_group(found, g));
                }
                continue;
            }
            let wanted = kind.bytes.intersect(&run.first);
            if wanted.is_empty() {
                continue;
            }
            let unwanted = kind.bytes.minus(&wanted);
            if self.count(&unwanted) > self.count(&wanted) {
                // A few first bytes of many: look at their tokens one by one.
                let nodes: Vec<u32> = wanted.iter().filter_map(|b| trie.child(self.node, b)).collect();
                found.add_matching(trie, &nodes, run);
                continue;
            }
            groups.for_each(|g| self.add_group(found, g));
            found.remove_below(trie, self.node, &unwanted);
        }
        left_out.iter().for_each(|byte| found.remove(self.held(byte)));
    }
}

/// What leaves a run.
pub(crate) struct Leaving<'a> {
    anchor: &'a Anchor,
    run: Run,
    /// Entries are sorted by their first byte, and these are few.
    firsts: SmallVec<[(u8, u8); 8]>,
    lacking: Option<Lacking<'a>>,
}

impl<'a> Leaving<'a> {
    pub(super) fn new(anchor: &'a Anchor, run: Run, lacking: Option<Lacking<'a>>) -> Self {
        Leaving { anchor, firsts: run.first_ranges(), run, lacking }
    }

    /// The nodes that `byte` leads to after the run, together with the number of characters before it.
    pub(crate) fn by(&self, byte: u8) -> LeavingBy<'_> {
        let Anchor { starts, entries, .. } = self.anchor;
        let entries = &entries[starts[byte as usize] as usize..starts[byte as usize + 1] as usize];
        LeavingBy { leaving: self, here: [].iter(), entries, firsts: self.firsts.iter() }
    }

    /// The nodes that `byte` leads to after as many characters as the run may have at most.
    pub(crate) fn behind(&self, trie: &Trie, byte: u8) -> impl Iterator<Item = Entry> {
        let Anchor { entries, .. } = self.anchor;
        let by_chars = self.anchor.by_chars(trie);
        let all = by_chars.of(self.run.most, byte).iter().map(|&at| entries[at as usize]);
        all.filter(|entry| self.begins(entry.first) && self.has(entry))
    }

    /// Whether the run may begin with a byte.
    fn begins(&self, byte: u8) -> bool {
        if byte < 0x80 { self.run.first.contains(byte) } else { self.run.first_wide }
    }

    /// Whether the run gets to where an entry leaves it; its first byte is one of the run's.
    #[inline]
    fn has(&self, entry: &Entry) -> bool {
        let (run, words) = (&self.run, self.run.rest.ascii.words());
        let is_whole = || !self.lacking.is_some_and(|lacking| lacking.is_before(entry.node));
        entry.ascii[0] & !words[0] == 0
            && entry.ascii[1] & !words[1] == 0
            && entry.chars <= run.most
            && (!entry.wide || run.rest.wide && is_whole())
    }
}

/// What leaves a run by one byte. Masks spend much of their time here: a chain of adapters took two thirds more instructions.
pub(crate) struct LeavingBy<'a> {
    leaving: &'a Leaving<'a>,
    here: std::slice::Iter<'a, Entry>,
    /// Those behind.
    entries: &'a [Entry],
    firsts: std::slice::Iter<'a, (u8, u8)>,
}

impl Iterator for LeavingBy<'_> {
    type Item = Entry;

    #[inline]
    fn next(&mut self) -> Option<Entry> {
        loop {
            if let Some(entry) = self.here.find(|entry| self.leaving.has(entry)) {
                return Some(*entry);
            }
            if self.entries.is_empty() {
                return None;
            }
            let &(low, high) = self.firsts.next()?;
            let start = self.entries.partition_point(|entry| entry.first < low);
            let entries = &self.entries[start..];
            let (here, behind) = entries.split_at(entries.partition_point(|entry| entry.first <= high));
            (self.here, self.entries) = (here.iter(), behind);
        }
    }
}

/// Whether these are the starts of so many lists in an array of `len` values, with the end of the last one.
fn is_index(starts: &[u32], lists: usize, len: usize) -> bool {
    starts.len() == lists + 1 && starts.is_sorted() && starts.last().is_some_and(|&end| end as usize == len)
}
