//! What a vocabulary knows about runs of characters, before any constraint is seen.
//!
//! Most of a vocabulary is words, and most large masks are "tokens made of these characters". Such a mask is
//! never found by walking: tokens are grouped by which kinds of characters they are made of (a few thousand
//! groups for a hundred thousand tokens), and the mask of a class is the union of the groups inside it. What
//! leaves the run in mid-token is found by an index from each byte to the trie nodes it leads to.
//!
//! All this is relative to an **anchor**: the root, and every node with a large subtree below it (in practice
//! the space that words start with, the commonest letters and a few signs).

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use crate::automaton::CharClass;
use crate::trie::{ROOT, Trie, Utf8State};
use crate::vocab::TokenId;

/// A subtree with more tokens than this gets tables of its own.
const ANCHOR_TOKENS: usize = 800;
/// A group with more tokens than this keeps a mask.
const DENSE_GROUP: usize = 256;
/// Bytes of masks that are kept for classes seen before.
const CACHE_BYTES: usize = 64 << 20;

/// All letters and digits.
const WORD_BYTES: u128 = 0x07ff_fffe_07ff_fffe_03ff_0000_0000_0000;
const LOWER: u128 = 1 << b'a';
const UPPER: u128 = 1 << b'A';
const DIGIT: u128 = 1 << b'0';
/// Letters past the first of each case stand for what has no byte of its own.
const WIDE: u128 = 1 << b'b';
const BROKEN: u128 = 1 << b'c';

/// The kind of a byte: letters and digits are one kind each.
fn kind_of(byte: u8) -> u128 {
    match byte {
        b'a'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        0x80.. => WIDE,
        _ => 1 << byte,
    }
}

/// A first character and then any number of others, from an anchor on: the shape of most large masks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Run {
    pub(crate) anchor: u32,
    /// ASCII bytes the run may start with.
    pub(crate) first: ByteSet,
    /// Whether it may start with any character past ASCII; only if the others may be those, too.
    pub(crate) first_wide: bool,
    /// The characters after the first.
    pub(crate) rest: CharClass,
    /// The most characters, the first included.
    pub(crate) most: u32,
}

impl Run {
    /// The bytes it may start with, as ranges. Entries are sorted by their first byte, and these are few.
    pub(crate) fn first_ranges(&self) -> SmallVec<[(u8, u8); 8]> {
        ranges(&self.first).chain(self.first_wide.then_some((0x80, 0xFF))).collect()
    }
}

/// All anchors of a vocabulary.
pub(crate) struct Profile {
    anchors: Vec<Anchor>,
    /// For the first nodes of the trie, the anchor that each is, plus one. Anchors are near the root.
    anchor_of: Vec<u16>,
    words: usize,
    /// For each character past ASCII, the tokens that have it.
    with_char: FxHashMap<char, Vec<TokenId>>,
    cache: Mutex<RunCache>,
}

#[derive(Default)]
struct RunCache {
    masks: FxHashMap<Run, RunMask>,
    bytes: usize,
}

/// The tokens of a run.
#[derive(Clone)]
pub(crate) struct RunMask {
    pub(crate) mask: Arc<[u32]>,
    /// Tokens of the mask that have too many characters for the run.
    pub(crate) minus: Arc<[TokenId]>,
    /// The longer tokens of the mask (of more than [`LONG`] characters) with their numbers of characters, longest first.
    long: Arc<[(u32, TokenId)]>,
    /// The most characters of any token in the mask.
    longest: u32,
}

/// From this many characters on, tokens are few enough to be listed.
pub(crate) const LONG: u32 = 32;

/// The tables of one anchor.
pub(crate) struct Anchor {
    pub(crate) node: u32,
    /// Bytes of the anchor's children.
    pub(crate) bytes: ByteSet,
    /// How many tokens lie below each child, by byte.
    counts: Box<[u32; 256]>,
    /// Sorted by `first`.
    groups: Vec<Group>,
    kinds: Vec<Kind>,
    /// For each letter and digit, the tokens that have it after their first character.
    holders: Box<[Vec<TokenId>; 128]>,
    entries: Vec<Entry>,
    /// Where the entries of each byte start; one more at the end.
    starts: Box<[u32; 257]>,
}

/// A kind of first character: its bytes among the anchor's children, and its groups.
struct Kind {
    first: u128,
    bytes: ByteSet,
    groups: Range<usize>,
}

/// Tokens whose first character is of one kind and whose others are of the same set of kinds.
struct Group {
    first: u128,
    rest: u128,
    /// Sorted by number of characters.
    tokens: Vec<(u32, TokenId)>,
    /// All of them, if they are many.
    dense: Option<Box<[u32]>>,
}

/// A node that a byte leads to, with what lies between the anchor and that byte.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// ASCII bytes after the first character, as two words.
    ascii: [u64; 2],
    pub(crate) node: u32,
    pub(crate) chars: u32,
    first: u8,
    wide: bool,
}

impl Entry {
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

impl Profile {
    pub(crate) fn new(trie: &Trie, words: usize) -> Self {
        let utf8 = &trie.utf8;
        let mut nodes = vec![ROOT];
        nodes.extend((1..trie.nodes.len() as u32).filter(|&n| {
            let tokens = trie.subtree(n).len();
            tokens > ANCHOR_TOKENS && utf8[n as usize] == Utf8State::Boundary
        }));
        let mut anchor_of = vec![0; nodes.last().map_or(0, |&n| n as usize + 1)];
        nodes.iter().enumerate().for_each(|(i, &n)| anchor_of[n as usize] = i as u16 + 1);
        let anchors = nodes.into_iter().map(|n| Anchor::new(trie, utf8, n, words)).collect();
        let with_char = tokens_by_char(trie);
        let profile = Profile { anchors, anchor_of, words, with_char, cache: Mutex::default() };
        profile.make_common(trie);
        profile
    }

    /// Makes the masks that nearly every grammar asks for: digits, letters, words, text, quoted text.
    fn make_common(&self, trie: &Trie) {
        let ascii = ByteSet::range(0, 0x7F);
        let (digits, lower, upper) =
            (ByteSet::range(b'0', b'9'), ByteSet::range(b'a', b'z'), ByteSet::range(b'A', b'Z'));
        let letters = lower.union(&upper);
        let word = letters.union(&digits).union(&ByteSet::single(b'_'));
        let line = ascii.minus(&ByteSet::single(b'\n'));
        let quoted = ByteSet::range(0x20, 0x7F).minus(&b"\"\\".iter().copied().collect());
        let classes =
            [(digits, false), (lower, false), (letters, false), (word, false), (line, true), (quoted, true)];
        for (anchor, (bytes, wide)) in (0..self.anchors.len().min(2)).flat_map(|a| classes.map(|c| (a, c))) {
            let rest = CharClass { ascii: bytes, wide };
            let first = bytes.intersect(&self.anchors[anchor].bytes);
            self.mask(trie, Run { anchor: anchor as u32, first, first_wide: wide, rest, most: u32::MAX });
        }
    }

    /// The tokens that have a certain character past ASCII.
    pub(crate) fn tokens_with(&self, c: char) -> &[TokenId] {
        self.with_char.get(&c).map_or(&[], Vec::as_slice)
    }

    /// The anchor at a node, if it is one.
    #[inline]
    pub(crate) fn anchor_at(&self, node: u32) -> Option<u32> {
        let index = *self.anchor_of.get(node as usize)?;
        (index as u32).checked_sub(1)
    }

    pub(crate) fn anchor(&self, index: u32) -> &Anchor {
        &self.anchors[index as usize]
    }

    /// Whether the tables should answer for a run: without words in it, it is a short walk, and so are numbers after a
    /// sign.
    pub(crate) fn pays(first: &ByteSet, rest: &CharClass) -> bool {
        let kinds = touched_kinds(rest);
        kinds & (LOWER | UPPER | WIDE) != 0
            || (kinds & DIGIT != 0 && first.is_subset(&ByteSet::range(b'0', b'9')))
    }

    /// The tokens that a run matches as a whole. [`pays`](Profile::pays) must hold.
    pub(crate) fn mask(&self, trie: &Trie, run: Run) -> RunMask {
        let full = self.cached(trie, Run { most: u32::MAX, ..run });
        if run.most >= full.longest {
            return full;
        }
        if run.most < LONG {
            return self.cached(trie, run);
        }
        let minus = full.long.iter().take_while(|t| t.0 > run.most).map(|t| t.1).collect();
        RunMask { minus, ..full }
    }

    /// The tokens that are a run but for their having too many characters.
    pub(crate) fn longer(&self, trie: &Trie, run: Run) -> Arc<[TokenId]> {
        if run.most >= LONG {
            return self.mask(trie, run).minus;
        }
        let (all, short) = (self.cached(trie, Run { most: u32::MAX, ..run }), self.cached(trie, run));
        let words = all.mask.iter().zip(short.mask.iter()).enumerate();
        let left = words.map(|(i, (all, short))| (i as u32 * 32, all & !short)).filter(|word| word.1 != 0);
        left.flat_map(|(at, bits)| (0..32).filter(move |i| bits >> i & 1 == 1).map(move |i| at + i)).collect()
    }

    fn cached(&self, trie: &Trie, run: Run) -> RunMask {
        if let Some(mask) = self.lock().masks.get(&run) {
            return mask.clone();
        }
        let mask = self.anchor(run.anchor).mask(trie, &run, self.words);
        let mut cache = self.lock();
        if cache.bytes > CACHE_BYTES {
            *cache = RunCache::default();
        }
        cache.bytes += self.words * 4 + mask.long.len() * 8;
        cache.masks.entry(run).or_insert(mask).clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, RunCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bytes_held(&self) -> usize {
        let anchors: usize = self
            .anchors
            .iter()
            .map(|a| {
                let dense = a.groups.iter().filter(|g| g.tokens.len() > DENSE_GROUP).count();
                a.entries.len() * size_of::<Entry>()
                    + a.holders.iter().map(|tokens| tokens.len() * 4).sum::<usize>()
                    + dense * self.words * 4
                    + a.groups.len() * size_of::<Group>()
            })
            .sum();
        let with_char: usize = self.with_char.values().map(|tokens| 48 + tokens.len() * 4).sum();
        anchors + with_char + self.lock().bytes
    }
}

/// For each character past ASCII, the tokens that have it.
fn tokens_by_char(trie: &Trie) -> FxHashMap<char, Vec<TokenId>> {
    let mut found: FxHashMap<char, Vec<TokenId>> = FxHashMap::default();
    // Whoever has a character has a node at which it is complete; all tokens below have it, too.
    let wide = (1..trie.nodes.len() as u32).filter(|&node| trie.byte[node as usize] & 0xC0 == 0x80);
    for node in wide.filter(|&node| trie.utf8[node as usize] == Utf8State::Boundary) {
        let mut bytes: SmallVec<[u8; 4]> = SmallVec::new();
        let mut at = node;
        while bytes.last().is_none_or(|byte| byte & 0xC0 == 0x80) && at != ROOT {
            bytes.push(trie.byte[at as usize]);
            at = trie.parent[at as usize];
        }
        bytes.reverse();
        if let Some(c) = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            found.entry(c).or_default().extend_from_slice(trie.subtree(node));
        }
    }
    for tokens in found.values_mut() {
        tokens.sort_unstable();
        tokens.dedup();
    }
    found
}

/// The kinds of which a class allows any character.
fn touched_kinds(class: &CharClass) -> u128 {
    let wide = if class.wide { WIDE } else { 0 };
    class.ascii.iter().filter(|&byte| byte < 0x80).fold(wide, |kinds, byte| kinds | kind_of(byte))
}

/// Letters and digits that a class leaves out although it has others of their kind.
fn left_out(class: &CharClass) -> ByteSet {
    let kinds = [(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')].map(|(low, high)| ByteSet::range(low, high));
    let split = kinds.into_iter().filter(|kind| kind.intersects(&class.ascii));
    split.fold(ByteSet::EMPTY, |all, kind| all.union(&kind.minus(&class.ascii)))
}

impl Anchor {
    fn new(trie: &Trie, utf8: &[Utf8State], node: u32, words: usize) -> Self {
        let mut anchor = Anchor {
            node,
            bytes: trie.children(node).map(|c| trie.byte[c as usize]).collect(),
            counts: Box::new([0; 256]),
            groups: Vec::new(),
            kinds: Vec::new(),
            holders: Box::new([const { Vec::new() }; 128]),
            entries: Vec::new(),
            starts: Box::new([0; 257]),
        };
        for child in trie.children(node) {
            anchor.counts[trie.byte[child as usize] as usize] = trie.subtree(child).len() as u32;
        }
        anchor.collect(trie, utf8, words);
        anchor
    }

    /// Walks the subtree once, making the groups and the index.
    fn collect(&mut self, trie: &Trie, utf8: &[Utf8State], words: usize) {
        #[derive(Clone, Copy)]
        struct Path {
            ascii: u128,
            rest: u128,
            first: u8,
            chars: u32,
            wide: bool,
        }
        let mut groups: FxHashMap<(u128, u128), usize> = FxHashMap::default();
        let mut found: Vec<(u8, Entry)> = Vec::new();
        let mut todo: Vec<(u32, Path)> = Vec::new();
        for child in trie.children(self.node) {
            let byte = trie.byte[child as usize];
            let broken = matches!(utf8[child as usize], Utf8State::Broken | Utf8State::Leading(_));
            let rest = if broken { BROKEN } else { 0 };
            todo.push((child, Path { ascii: 0, rest, first: byte, chars: 1, wide: byte >= 0x80 }));
        }
        while let Some((node, path)) = todo.pop() {
            let tokens = trie.own(node);
            if !tokens.is_empty() {
                let key = (kind_of(path.first), path.rest);
                let at = *groups.entry(key).or_insert_with(|| {
                    self.groups.push(Group { first: key.0, rest: key.1, tokens: Vec::new(), dense: None });
                    self.groups.len() - 1
                });
                self.groups[at].tokens.extend(tokens.iter().map(|&t| (path.chars, t)));
                let kept = WORD_BYTES & path.ascii;
                for byte in (0..128).filter(|byte| kept >> byte & 1 == 1) {
                    self.holders[byte].extend_from_slice(tokens);
                }
            }
            let boundary = utf8[node as usize] == Utf8State::Boundary && path.rest & BROKEN == 0;
            for child in trie.children(node) {
                let byte = trie.byte[child as usize];
                if boundary {
                    let ascii = [path.ascii as u64, (path.ascii >> 64) as u64];
                    let (chars, first, wide) = (path.chars, path.first, path.wide);
                    found.push((byte, Entry { ascii, node: child, chars, first, wide }));
                }
                // A character past ASCII is one character, however many bytes it has.
                let starts = byte & 0xC0 != 0x80;
                let in_first = !boundary && path.chars == 1 && path.first >= 0x80;
                let broken = utf8[child as usize] == Utf8State::Broken;
                todo.push((
                    child,
                    Path {
                        ascii: path.ascii | if byte < 0x80 { 1 << byte } else { 0 },
                        rest: path.rest
                            | if in_first { 0 } else { kind_of(byte) }
                            | if broken { BROKEN } else { 0 },
                        chars: path.chars + starts as u32,
                        wide: path.wide || byte >= 0x80,
                        first: path.first,
                    },
                ));
            }
        }
        for group in &mut self.groups {
            group.tokens.sort_unstable();
            group.dense = (group.tokens.len() > DENSE_GROUP).then(|| {
                let mut dense = vec![0u32; words].into_boxed_slice();
                group.tokens.iter().for_each(|&(_, t)| set(&mut dense, t));
                dense
            });
        }
        self.groups.sort_unstable_by_key(|g| (g.first, g.rest));
        let mut start = 0;
        while start < self.groups.len() {
            let first = self.groups[start].first;
            let end = start + self.groups[start..].partition_point(|g| g.first == first);
            let bytes = self.bytes.iter().filter(|&b| kind_of(b) == first).collect();
            self.kinds.push(Kind { first, bytes, groups: start..end });
            start = end;
        }
        found.sort_unstable_by_key(|e| (e.0, e.1.first, e.1.node));
        for byte in 0..=256usize {
            self.starts[byte] = found.partition_point(|e| (e.0 as usize) < byte) as u32;
        }
        self.entries = found.into_iter().map(|e| e.1).collect();
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

    /// The nodes that `byte` leads to after `run`, together with the number of characters before it.
    /// `firsts` are the [`first_ranges`](Run::first_ranges) of the run.
    pub(crate) fn after<'a>(
        &'a self,
        byte: u8,
        run: &'a Run,
        firsts: &'a [(u8, u8)],
    ) -> impl Iterator<Item = Entry> + 'a {
        let range = self.starts[byte as usize] as usize..self.starts[byte as usize + 1] as usize;
        let entries = &self.entries[range];
        let words = run.rest.ascii.words();
        firsts
            .iter()
            .flat_map(move |&(low, high)| {
                let start = entries.partition_point(|e| e.first < low);
                let end = start + entries[start..].partition_point(|e| e.first <= high);
                entries[start..end].iter().copied()
            })
            .filter(move |e| {
                e.ascii[0] & !words[0] == 0
                    && e.ascii[1] & !words[1] == 0
                    && e.chars <= run.most
                    && (run.rest.wide || !e.wide)
            })
    }

    fn mask(&self, trie: &Trie, run: &Run, words: usize) -> RunMask {
        let mut found = Found { words: vec![0; words], long: Vec::new(), longest: 0 };
        let allowed = touched_kinds(&run.rest);
        let left_out = left_out(&run.rest);
        let held: usize = left_out.iter().map(|byte| self.holders[byte as usize].len()).sum();
        if held > self.count(&self.bytes) {
            // A few letters of many: their tokens are soon found one by one.
            let firsts = self.bytes.iter().filter(|&b| run.first.contains(b) || b >= 0x80 && run.first_wide);
            let mut nodes: Vec<u32> = firsts.filter_map(|b| trie.child(self.node, b)).collect();
            nodes.retain(|&n| !matches!(trie.utf8[n as usize], Utf8State::Broken | Utf8State::Leading(_)));
            found.add_matching(trie, &nodes, run);
            return found.finish();
        }
        for kind in &self.kinds {
            let groups = self.groups[kind.groups.clone()].iter().filter(|g| g.rest & !allowed == 0);
            if kind.first == WIDE {
                if run.first_wide {
                    groups.for_each(|g| found.add_group(g, run.most));
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
            groups.for_each(|g| found.add_group(g, run.most));
            for child in unwanted.iter().filter_map(|b| trie.child(self.node, b)) {
                found.remove(trie.subtree(child));
            }
        }
        left_out.iter().for_each(|byte| found.remove(&self.holders[byte as usize]));
        found.finish()
    }
}

/// The ranges of consecutive bytes in a set.
fn ranges(set: &ByteSet) -> impl Iterator<Item = (u8, u8)> + use<> {
    let set = *set;
    let mut next = 0u16;
    std::iter::from_fn(move || {
        let start = (next..256).find(|&b| set.contains(b as u8))?;
        next = (start..256).find(|&b| !set.contains(b as u8)).unwrap_or(256);
        Some((start as u8, (next - 1) as u8))
    })
}

#[inline]
fn set(words: &mut [u32], token: TokenId) {
    words[token as usize / 32] |= 1 << (token % 32);
}

/// A run's mask while it is put together.
struct Found {
    words: Vec<u32>,
    long: Vec<(u32, TokenId)>,
    longest: u32,
}

impl Found {
    fn remove(&mut self, tokens: &[TokenId]) {
        tokens.iter().for_each(|&t| self.words[t as usize / 32] &= !(1 << (t % 32)));
    }

    fn add_group(&mut self, group: &Group, most: u32) {
        let longest = group.tokens.last().map_or(0, |t| t.0);
        match &group.dense {
            Some(dense) if longest <= most => {
                self.words.iter_mut().zip(dense.iter()).for_each(|(w, d)| *w |= d);
            }
            _ => group.tokens.iter().take_while(|t| t.0 <= most).for_each(|t| set(&mut self.words, t.1)),
        }
        let fits = group.tokens.iter().rev().skip_while(|t| t.0 > most);
        self.long.extend(fits.take_while(|t| t.0 > LONG));
        self.longest = self.longest.max(longest.min(most));
    }

    fn finish(mut self) -> RunMask {
        // Tokens that were taken out again are still listed.
        let words = &self.words;
        self.long.retain(|t| words[t.1 as usize / 32] >> (t.1 % 32) & 1 == 1);
        self.long.sort_unstable_by(|a, b| b.cmp(a));
        RunMask {
            mask: self.words.into(),
            minus: Arc::default(),
            long: self.long.into(),
            longest: self.longest,
        }
    }

    /// Adds the tokens below `nodes` whose further bytes are all in the run.
    fn add_matching(&mut self, trie: &Trie, nodes: &[u32], run: &Run) {
        let mut todo: Vec<(u32, u32)> = nodes.iter().map(|&n| (n, 1)).collect();
        let allowed = run.rest.ascii.ascii_bits();
        while let Some((node, chars)) = todo.pop() {
            let below = trie.below[node as usize];
            let pure = below.ascii & !allowed == 0 && !below.broken && (run.rest.wide || !below.wide);
            if pure && below.boundary && chars + below.chars <= LONG.min(run.most) {
                trie.subtree(node).iter().for_each(|&t| set(&mut self.words, t));
                self.longest = self.longest.max(chars + below.chars);
                continue;
            }
            for &token in trie.own(node) {
                set(&mut self.words, token);
                self.longest = self.longest.max(chars);
                if chars > LONG {
                    self.long.push((chars, token));
                }
            }
            for child in trie.children(node) {
                let byte = trie.byte[child as usize];
                let starts = byte & 0xC0 != 0x80;
                let fits = if byte < 0x80 { run.rest.ascii.contains(byte) } else { run.rest.wide };
                let broken = trie.utf8[child as usize] == Utf8State::Broken;
                if fits && !broken && chars + starts as u32 <= run.most {
                    todo.push((child, chars + starts as u32));
                }
            }
        }
    }
}
