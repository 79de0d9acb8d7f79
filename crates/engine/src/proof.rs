//! Proving that tokens can complete a text, for vocabularies in which some byte is no token of its own.
//!
//! What tokens can spell is a regular language; its automaton ([`Spelling`]) is a trie whose ends lead back to
//! the root. Bytes that are tokens themselves need no more than that, so the trie holds only those and the
//! tokens with other bytes in them: usually few. A text can be completed if a path through the grammar and a
//! path through the spelling end together. For a frame, that is a set of *exits*: in which spelling states the
//! frame may be left if it is entered in a given one. Exits are found by following both automata at once, with
//! calls resolved by the exits of the frame that is called, until nothing new turns up.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use crate::advance::Refused;
use crate::automaton::{End, Exceeded, StateId, Store};
use crate::error::MatchError;
use crate::matcher::Matcher;
use crate::stack::{Config, Stack};
use crate::trie::{ROOT, Trie};
use crate::vocab::Vocab;

/// How many pairs of a state and a spelling one proof may look at.
const PAIRS: usize = 1 << 20;

/// What the tokens of a vocabulary can spell, as an automaton. State 0 is "between tokens".
pub(crate) struct Spelling {
    nodes: Vec<SpellingNode>,
}

#[derive(Default)]
struct SpellingNode {
    children: Vec<(u8, u32)>,
    /// Whether a token ends here.
    ends: bool,
}

impl Spelling {
    pub(crate) fn new(vocab: &Vocab, trie: &Trie) -> Self {
        let hard: ByteSet = trie.bytes_used.minus(&trie.single_bytes);
        let mut spelling = Spelling { nodes: vec![SpellingNode::default()] };
        for bytes in trie.tokens.iter().filter_map(|&t| vocab.bytes(t)) {
            if bytes.len() == 1 || bytes.iter().any(|&b| hard.contains(b)) {
                spelling.add(bytes);
            }
        }
        spelling
    }

    fn add(&mut self, token: &[u8]) {
        let mut at = 0;
        for &byte in token {
            let known = self.nodes[at].children.iter().find(|c| c.0 == byte).map(|c| c.1 as usize);
            at = known.unwrap_or_else(|| {
                let new = self.nodes.len();
                self.nodes.push(SpellingNode::default());
                self.nodes[at].children.push((byte, new as u32));
                new
            });
        }
        self.nodes[at].ends = true;
    }
}

/// The exits found so far, by state and spelling at entry.
#[derive(Default)]
pub(crate) struct Proofs(Mutex<FxHashMap<Entry, Arc<[Exit]>>>);

/// A state of the automaton and a state of the spelling.
type Entry = (StateId, u32);

/// How a frame ends, if it is that of an entry, and a state of the spelling.
type Exit = (Option<End>, u32);

impl Proofs {
    /// In which states of the spelling the frame of `entry` may end.
    fn exits(&self, store: &Store, spelling: &Spelling, entry: Entry) -> Result<Arc<[Exit]>, Exceeded> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(exits) = known.get(&entry) {
            return Ok(exits.clone());
        }
        let mut search = Search::new(store, spelling, &known);
        search.enter(entry);
        search.run()?;
        let found: Vec<(Entry, Vec<Exit>)> =
            search.frames.into_iter().map(|f| (f.entry, f.exits.into_iter().collect())).collect();
        known.extend(found.into_iter().map(|(entry, exits)| (entry, exits.into())));
        Ok(known.get(&entry).cloned().unwrap_or_default())
    }
}

/// One search: frames that were entered, and places in them still to look at.
struct Search<'a> {
    store: &'a Store,
    spelling: &'a Spelling,
    known: &'a FxHashMap<Entry, Arc<[Exit]>>,
    frames: Vec<Frame>,
    index: FxHashMap<Entry, usize>,
    todo: Vec<(usize, Entry)>,
    pairs: usize,
}

/// A frame entered in a certain spelling.
struct Frame {
    entry: Entry,
    reached: FxHashSet<Entry>,
    exits: FxHashSet<Exit>,
    /// Frames that called this one, with the state they go on in.
    callers: Vec<(usize, StateId)>,
}

impl<'a> Search<'a> {
    fn new(store: &'a Store, spelling: &'a Spelling, known: &'a FxHashMap<Entry, Arc<[Exit]>>) -> Self {
        Search {
            store,
            spelling,
            known,
            frames: Vec::new(),
            index: FxHashMap::default(),
            todo: Vec::new(),
            pairs: 0,
        }
    }

    fn enter(&mut self, entry: Entry) -> usize {
        if let Some(&frame) = self.index.get(&entry) {
            return frame;
        }
        let frame = self.frames.len();
        self.index.insert(entry, frame);
        self.frames.push(Frame {
            entry,
            reached: FxHashSet::default(),
            exits: FxHashSet::default(),
            callers: Vec::new(),
        });
        self.reach(frame, entry);
        frame
    }

    fn reach(&mut self, frame: usize, place: Entry) {
        if self.frames[frame].reached.insert(place) {
            self.pairs += 1;
            self.todo.push((frame, place));
        }
    }

    fn run(&mut self) -> Result<(), Exceeded> {
        while let Some((frame, (state, spelled))) = self.todo.pop() {
            if self.pairs > PAIRS {
                return Err(Exceeded { name: "mask_work", value: PAIRS });
            }
            let expansion = self.store.expansion(state);
            let ends = expansion.accepting.then_some(None).into_iter();
            for end in ends.chain(expansion.ends.iter().map(|&end| Some(end))) {
                if self.frames[frame].exits.insert((end, spelled)) {
                    for (caller, ret) in self.frames[frame].callers.clone() {
                        self.reach(caller, (self.store.returned(ret, end), spelled));
                    }
                }
            }
            for &choice in expansion.choices.iter() {
                self.call(frame, choice, (self.store.entry_of(choice), spelled));
            }
            for &(ret, start) in expansion.calls.iter().chain(&expansion.frames) {
                self.call(frame, ret, (start, spelled));
            }
            for &(byte, next) in &self.spelling.nodes[spelled as usize].children {
                let Some(target) = self.store.step_in_frame(state, byte) else { continue };
                let node = &self.spelling.nodes[next as usize];
                if node.ends {
                    self.reach(frame, (target, ROOT));
                }
                if !node.children.is_empty() {
                    self.reach(frame, (target, next));
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, caller: usize, ret: StateId, entry: Entry) {
        if let Some(exits) = self.known.get(&entry) {
            for &(end, spelled) in exits.iter() {
                self.reach(caller, (self.store.returned(ret, end), spelled));
            }
            return;
        }
        let callee = self.enter(entry);
        if !self.frames[callee].callers.contains(&(caller, ret)) {
            self.frames[callee].callers.push((caller, ret));
            for (end, spelled) in self.frames[callee].exits.clone() {
                self.reach(caller, (self.store.returned(ret, end), spelled));
            }
        }
    }
}

impl Matcher {
    /// Whether some sequence of tokens completes the text from `config`.
    pub(crate) fn is_completable(&self, config: &Config) -> Result<bool, MatchError> {
        if !self.constraint().inner.needs_proof {
            return Ok(true);
        }
        let store = &self.generation.store;
        let spelling = self.constraint().inner.tables.spelling();
        let exits = |state, spelled| self.generation.proofs.exits(store, spelling, (state, spelled));
        let mut seen: FxHashSet<(u128, Exit)> = FxHashSet::default();
        let mut todo: Vec<(&Stack, Exit)> = Vec::new();
        for (state, stack) in config {
            todo.extend(exits(*state, ROOT)?.iter().map(|&exit| (stack, exit)));
        }
        while let Some((stack, exit)) = todo.pop() {
            let (end, spelled) = exit;
            if stack.bottom && spelled == ROOT {
                return Ok(true);
            }
            if !seen.insert((stack.key, exit)) {
                continue;
            }
            for (ret, below) in &stack.links {
                let ret = store.returned(*ret, end);
                todo.extend(exits(ret, spelled)?.iter().map(|&exit| (below, exit)));
            }
        }
        Ok(false)
    }

    /// Takes out of a mask the tokens after which no sequence of tokens completes the text.
    #[inline(never)] // hardly any grammar needs it
    pub(crate) fn keep_completable(&self, config: &Config, words: &mut [u32]) -> Result<(), MatchError> {
        let mut known: FxHashMap<SmallVec<[(StateId, u128); 2]>, bool> = FxHashMap::default();
        let vocab = self.constraint().vocab();
        for token in 0..vocab.width() as u32 {
            if words[token as usize / 32] >> (token % 32) & 1 == 0 {
                continue;
            }
            let Some(bytes) = vocab.bytes(token) else { continue };
            let completable = match self.advance(config, bytes) {
                Ok(next) => {
                    let key = next.iter().map(|(state, stack)| (*state, stack.key)).collect();
                    match known.get(&key) {
                        Some(&known) => known,
                        None => *known.entry(key).or_insert(self.is_completable(&next)?),
                    }
                }
                Err(Refused::At(_)) => false,
                Err(Refused::Limit(e)) => return Err(e.into()),
            };
            if !completable {
                words[token as usize / 32] &= !(1 << (token % 32));
            }
        }
        Ok(())
    }
}
