//! All that is known of runs in a vocabulary, and the masks made of it.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::{ByteSet, CharSet};

use super::super::class::{CharClass, LackId};
use super::super::spellable::spellable_chars;
use super::super::trie::{ROOT, Trie, Utf8Place};
use super::anchor::{Anchor, Leaving};
use super::chars::ByChar;
use super::found::Found;
use super::kinds::{DIGIT, LOWER, UPPER, WIDE, touched_kinds};
use super::lacks::{Lacking, Lacks};
use super::lengths::Lengths;
use super::long::{Long, LongToken};
use super::{Run, RunMask};
use crate::ablate::{Switch, is_off};
use crate::collections::Words;
use crate::stored::{Array, Reader, TablesError, Writer};
use crate::tuning::runs::{ANCHOR_DEPTH, ANCHOR_TOKENS, CACHE_BYTES, FEW, LONG};
use crate::vocab::TokenId;

/// All anchors of a vocabulary.
pub(crate) struct Profile {
    pub(super) anchors: Vec<Anchor>,
    /// Where they are in the trie, in ascending order.
    nodes: Array<u32>,
    /// For the first nodes of the trie, the anchor that each is, plus one. Anchors are near the root.
    anchor_of: Vec<u16>,
    words: usize,
    /// For runs of few characters.
    lengths: Lengths,
    long: Long,
    /// What character sets lack of those past ASCII.
    pub(crate) lacks: Arc<Lacks>,
    cache: Mutex<RunCache>,
}

#[derive(Default)]
struct RunCache {
    masks: FxHashMap<Run, RunMask>,
    bytes: usize,
}

/// So many words of a mask are looked at in one go.
const ROW: usize = 16;

/// So many characters short runs of an anchor have at most, with those before it.
fn most_chars(anchors: &[Anchor]) -> u32 {
    LONG + anchors.iter().map(|anchor| anchor.chars).max().unwrap_or(0)
}

impl Profile {
    pub(crate) fn new(trie: &Trie, words: usize) -> Self {
        let mut nodes = vec![ROOT];
        nodes.extend((1..trie.nodes.len() as u32).filter(|&n| {
            let tokens = trie.subtree(n).len();
            tokens > ANCHOR_TOKENS
                && trie.utf8[n as usize] == Utf8Place::BOUNDARY
                && trie.path(n).count() <= ANCHOR_DEPTH
        }));
        let anchors: Vec<Anchor> = nodes.iter().map(|&n| Anchor::new(trie, n, words)).collect();
        let lengths = Lengths::new(trie, words, most_chars(&anchors));
        Profile::of(trie, (nodes.into(), anchors), ByChar::new(trie), lengths, Long::new(trie), words)
    }

    fn of(
        trie: &Trie,
        (nodes, anchors): (Array<u32>, Vec<Anchor>),
        by_char: ByChar,
        lengths: Lengths,
        long: Long,
        words: usize,
    ) -> Self {
        let mut anchor_of = vec![0; nodes.last().map_or(0, |&n| n as usize + 1)];
        nodes.iter().enumerate().for_each(|(i, &n)| anchor_of[n as usize] = i as u16 + 1);
        let wide = spellable_chars(&CharSet::from_ranges([(0x80, 0x10FFFF)]), &trie.bytes_used);
        let lacks = Arc::new(Lacks::new(wide, by_char));
        let cache = Mutex::default();
        let profile = Profile { anchors, nodes, anchor_of, words, lengths, long, lacks, cache };
        profile.make_common(trie);
        profile
    }

    /// Adds the arrays to a file.
    pub(crate) fn save<'a>(&'a self, file: &mut Writer<'a>) {
        file.array(&self.nodes);
        self.anchors.iter().for_each(|anchor| anchor.save(file));
        self.lacks.by_char().save(file);
        self.lengths.save(file);
        self.long.save(file);
    }

    /// The profile of which the arrays are in a file.
    pub(crate) fn load(file: &mut Reader, trie: &Trie, words: usize) -> Result<Self, TablesError> {
        let nodes: Array<u32> = file.array()?;
        let ascending = nodes.is_sorted_by(|a, b| a < b) && nodes.first() == Some(&ROOT);
        let last = nodes.last().is_some_and(|&last| (last as usize) < trie.nodes.len());
        let near = |&node: &u32| trie.path(node).count() <= ANCHOR_DEPTH;
        if !ascending || !last || nodes.len() >= usize::from(u16::MAX) || !nodes.iter().all(near) {
            return Err(TablesError::Damaged { what: "the anchors are none" });
        }
        let anchors: Vec<Anchor> =
            nodes.iter().map(|&n| Anchor::load(file, trie, n, words)).collect::<Result<_, _>>()?;
        let by_char = ByChar::load(file, trie)?;
        let lengths = Lengths::load(file, words, most_chars(&anchors))?;
        let long = Long::load(file, words)?;
        Ok(Profile::of(trie, (nodes, anchors), by_char, lengths, long, words))
    }

    /// The tokens that have a certain character past ASCII, perhaps some of them twice.
    pub(crate) fn tokens_with<'a>(&'a self, trie: &'a Trie, c: char) -> impl Iterator<Item = TokenId> + 'a {
        self.lacks.by_char().nodes(c).iter().flat_map(|&node| trie.subtree(node)).copied()
    }

    /// Where the characters are that a class lacks; none if it lacks nothing.
    pub(crate) fn lacking<'a>(&'a self, trie: &'a Trie, lack: LackId) -> Option<Lacking<'a>> {
        self.lacks.lacking(trie, lack)
    }

    /// The tokens of more than so many bytes, which are no fewer than [`SHORT`].
    pub(crate) fn longer_than(&self, bytes: u32) -> &[LongToken] {
        self.long.than(bytes)
    }

    /// What leaves a run.
    pub(crate) fn leaving<'a>(&'a self, trie: &'a Trie, run: &Run) -> Leaving<'a> {
        let (anchor, lacking) = (self.anchor(run.anchor), self.lacking(trie, run.rest.lack));
        Leaving::new(anchor, *run, lacking)
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
            return self.shorter(&full, run);
        }
        let minus = full.long.iter().take_while(|t| t.0 > run.most).map(|t| t.1).collect();
        RunMask { minus, ..full }
    }

    /// The tokens that are a run but for their having too many characters.
    pub(crate) fn longer(&self, trie: &Trie, run: Run) -> Arc<[TokenId]> {
        self.longer_up_to(trie, run, u32::MAX)
    }

    /// The same without those that have more than so many, as far as that can be told at a glance.
    pub(crate) fn longer_up_to(&self, trie: &Trie, run: Run, most: u32) -> Arc<[TokenId]> {
        if run.most >= LONG {
            return self.mask(trie, run).minus;
        }
        let all = self.mask(trie, Run { most: if most < LONG { most } else { u32::MAX }, ..run });
        let short = self.at_most(&run);
        let mut longer = Vec::new();
        // Most of them are short: a row of words has none that is not.
        for (row, (all, short)) in (0..).zip(all.mask.chunks(ROW).zip(short.chunks(ROW))) {
            if all.iter().zip(short).fold(0, |left, (all, short)| left | (all & !short)) == 0 {
                continue;
            }
            for (at, (all, short)) in (row * ROW as u32..).zip(all.iter().zip(short)) {
                let mut bits = all & !short;
                while bits != 0 {
                    longer.push(at * 32 + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
        longer.into()
    }

    fn cached(&self, trie: &Trie, run: Run) -> RunMask {
        if !is_off(Switch::RunMemo)
            && let Some(mask) = self.lock().masks.get(&run)
        {
            return mask.clone();
        }
        let known = self.out_of_its_class(trie, &run).or_else(|| self.out_of_all(trie, &run));
        let mask = known.unwrap_or_else(|| {
            let found = self.anchor(run.anchor).found(trie, &run, self.words);
            self.without_lacking(trie, &run, found)
        });
        self.keep(run, mask)
    }

    /// The tokens of a run that begins with nearly all characters of its class: those of the class but for some, if they
    /// are known.
    fn out_of_its_class(&self, trie: &Trie, run: &Run) -> Option<RunMask> {
        let anchor = self.anchor(run.anchor);
        let first = anchor.bytes.intersect(&run.rest.ascii);
        let (all, left) = (Run { first, first_wide: run.rest.wide, ..*run }, first.minus(&run.first));
        let nearly = run.first_wide == all.first_wide && run.first.is_subset(&first) && !left.is_empty();
        if !nearly || anchor.count(&left) > FEW || is_off(Switch::RunsOutOfClass) {
            return None;
        }
        let known = self.lock().masks.get(&all).cloned()?;
        let mut found = Found::from(known);
        found.remove_below(trie, anchor.node, &left);
        Some(found.finish())
    }

    /// The tokens of a run of nearly all characters: those of all characters but for some.
    fn out_of_all(&self, trie: &Trie, run: &Run) -> Option<RunMask> {
        let anchor = self.anchor(run.anchor);
        let ascii = ByteSet::ASCII;
        let rest = CharClass { ascii, wide: true, lack: LackId::NOTHING };
        let all = Run { first: anchor.bytes.intersect(&ascii), first_wide: true, rest, ..*run };
        let (first, later) = (all.first.minus(&run.first), ascii.minus(&run.rest.ascii));
        let nearly = run.rest.wide && run.first_wide && *run != all;
        if !nearly
            || is_off(Switch::RunsOutOfAll)
            || anchor.count(&first) + anchor.entries_by(&later).count() > FEW
        {
            return None;
        }
        let mut found = Found::from(self.cached(trie, all));
        found.remove_below(trie, anchor.node, &first);
        anchor.entries_by(&later).for_each(|entry| found.remove(trie.subtree(entry.node)));
        Some(self.without_lacking(trie, run, found))
    }

    /// What was found but for tokens with characters that the class of a run lacks.
    fn without_lacking(&self, trie: &Trie, run: &Run, mut found: Found) -> RunMask {
        if let Some(lacking) = self.lacking(trie, run.rest.lack) {
            let node = self.anchor(run.anchor).node;
            for (low, high) in run.first_ranges() {
                let row = trie.tokens_by(node, low, high);
                lacking.tokens_in(row).for_each(|tokens| found.remove(tokens));
            }
        }
        found.finish()
    }

    /// The tokens of a run that is like one of any length, but for that.
    fn shorter(&self, full: &RunMask, run: Run) -> RunMask {
        if !is_off(Switch::RunMemo)
            && let Some(mask) = self.lock().masks.get(&run)
        {
            return mask.clone();
        }
        let mut mask = Words::zeros(self.words);
        let both = full.mask.iter().zip(self.at_most(&run));
        mask.make_mut().iter_mut().zip(both).for_each(|(word, (all, short))| *word = all & short);
        let (minus, long) = (Arc::default(), Arc::default());
        self.keep(run, RunMask { mask, minus, long, longest: run.most })
    }

    /// The tokens that have no more characters than a run may have, which are fewer than [`LONG`].
    fn at_most(&self, run: &Run) -> &[u32] {
        self.lengths.at_most(self.anchor(run.anchor).chars + run.most)
    }

    fn keep(&self, run: Run, mask: RunMask) -> RunMask {
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
        let anchors: usize = self.anchors.iter().map(Anchor::bytes_held).sum();
        anchors
            + self.lacks.bytes_held()
            + self.lengths.bytes_held()
            + self.long.bytes_held()
            + self.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_first_bytes() {
        let ranges = |bytes: &[u8], first_wide| {
            let rest = CharClass { ascii: ByteSet::EMPTY, wide: first_wide, lack: LackId::NOTHING };
            let first = bytes.iter().copied().collect();
            Run { anchor: 0, first, first_wide, rest, most: 1 }.first_ranges().to_vec()
        };
        assert_eq!(ranges(b"", false), []);
        assert_eq!(ranges(b"cabxz", true), [(b'a', b'c'), (b'x', b'x'), (b'z', b'z'), (0x80, 0xFF)]);
        assert_eq!(ranges(&[0, 1, 0x7E, 0x7F], false), [(0, 1), (0x7E, 0x7F)]);
        assert_eq!(ranges(&(0..0x80).collect::<Vec<u8>>(), false), [(0, 0x7F)]);
    }
}
