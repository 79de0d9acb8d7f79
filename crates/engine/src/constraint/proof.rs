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
use tokenstile_grammar::ir::ByteSet;

use super::terminals::MARKS;
use crate::automaton::{StateId, Store};
use crate::collections::{MemoStats, Table};
use crate::tokens::pending::End;
use crate::tokens::trie::{ROOT, Trie};
use crate::tuning::constraint::PAIRS;
use crate::vocab::Vocab;
use crate::work::Exceeded;

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
    /// For constraints with token terminals, their [`MARKS`] are tokens, and tokens with such bytes are none.
    pub(crate) fn new(vocab: &Vocab, trie: &Trie, with_marks: bool) -> Self {
        let hard: ByteSet = trie.bytes_used.minus(&trie.single_bytes);
        let mut spelling = Spelling { nodes: vec![SpellingNode::default()] };
        for bytes in trie.tokens.iter().filter_map(|&t| vocab.bytes(t)) {
            if with_marks && bytes.iter().any(|&b| MARKS.contains(b)) {
                continue;
            }
            if bytes.len() == 1 || bytes.iter().any(|&b| hard.contains(b)) {
                spelling.add(bytes);
            }
        }
        for mark in MARKS.iter().filter(|_| with_marks) {
            spelling.add(&[mark]);
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
pub(crate) struct Proofs(Mutex<Table<Entry, Arc<[Exit]>>>);

/// A state of the automaton and a state of the spelling.
pub(crate) type Entry = (StateId, u32);

/// How a frame ends, if it is that of an entry, and a state of the spelling.
pub(crate) type Exit = (Option<End>, u32);

impl Proofs {
    pub(super) fn stats(&self) -> MemoStats {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).stats("spellings")
    }

    /// In which states of the spelling the frame of `entry` may end.
    pub(crate) fn exits(
        &self,
        store: &Store,
        spelling: &Spelling,
        entry: Entry,
    ) -> Result<Arc<[Exit]>, Exceeded> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(exits) = known.get(&entry) {
            return Ok(exits.clone());
        }
        let mut search = Search::new(store, spelling, &known);
        search.enter(entry);
        search.run()?;
        let found: Vec<(Entry, Vec<Exit>)> =
            search.frames.into_iter().map(|f| (f.entry, f.exits.into_iter().collect())).collect();
        for (entry, exits) in found {
            store.add_bytes(size_of_val(&exits[..]) + Table::<Entry, Arc<[Exit]>>::ENTRY);
            known.insert(entry, exits.into());
        }
        Ok(known.get(&entry).cloned().unwrap_or_default())
    }
}

/// One search: frames that were entered, and places in them still to look at.
struct Search<'a> {
    store: &'a Store,
    spelling: &'a Spelling,
    known: &'a Table<Entry, Arc<[Exit]>>,
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
    fn new(store: &'a Store, spelling: &'a Spelling, known: &'a Table<Entry, Arc<[Exit]>>) -> Self {
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
            let ends = (expansion.accepting || expansion.last).then_some(None).into_iter();
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
