//! Runs of characters under conditions: passwords that must have a digit, names that must not have a word in them.
//!
//! *Recognized* is a formula that is a loop beside conditions which watch the text go by (see [`Watched`]), at an anchor and at any
//! other node. *Exact*, since where each condition can be met in a few more characters, wherever the text has come to, all
//! tokens of the run are allowed that leave room for those, but for those with which a condition fails. The *answer* is the
//! mask of the run, less the few with which one does, which are found by going down the trie where it has all bytes that failing
//! takes. The *limit*: more than [`LONG_TOKENS`] tokens that leave too little room are walked.

use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::walk::{UnderConditions, Walk};
use super::shape::{AnchorShape, AtAnchor, Place, PlaceShape, Seen};
use crate::ablate::{Switch, is_off};
use crate::automaton::{Endings, LocalId, WatchPlace, Watched, Watcher};
use crate::tokens::accept::Shared;
use crate::tokens::class::{CharClass, LackId};
use crate::tokens::runs::{Entry, Profile, Run, RunMask};
use crate::tokens::trie::{Ids, ROOT};
use crate::tuning::seen::WATCHERS;
use crate::tuning::shapes::{LONG_TOKENS, UNLIKE};
use crate::tuning::walk::RUN_TOKENS;
use crate::work::Exceeded;

/// A loop under conditions, at an anchor.
pub(super) struct WatchedRun(Rc<UnderConditions>);

impl<'a> AnchorShape<'a> for WatchedRun {
    const WAY: Switch = Switch::WatchedRuns;

    fn recognize(walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Self>, Exceeded> {
        let known = if walk.booleans { walk.watched_at(at.local) } else { None };
        Ok(known.map(WatchedRun))
    }

    fn answer(self, walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded> {
        let done = walk.watched(at.index, &self.0)?;
        Ok(done.then_some(Seen::All))
    }
}

/// The same at another node.
pub(super) struct WatchedSubtree(Rc<UnderConditions>);

impl<'a> PlaceShape<'a> for WatchedSubtree {
    const WAY: Switch = Switch::WatchedSubtrees;

    #[inline]
    fn may_be(walk: &mut Walk<'a>, at: Place<'a>) -> bool {
        // What a place can do that was expanded is known already.
        walk.booleans && !walk.store.is_expanded(at.local)
    }

    fn recognize(walk: &mut Walk<'a>, at: Place<'a>) -> Result<Option<Self>, Exceeded> {
        Ok(walk.watched_at(at.local).map(WatchedSubtree))
    }

    fn answer(self, walk: &mut Walk<'a>, at: Place<'a>) -> Result<bool, Exceeded> {
        walk.watched_below(at.node, &self.0)
    }
}

/// The tokens with which a text fails in the first place of a table, as long as they do not come to where they come from
/// another place; and, in order, those with which it does not fail before that, but in the other place.
type Unlike = (Vec<u32>, Vec<u32>);

impl Walk<'_> {
    /// Takes all tokens from an anchor on. Answers whether they are not too many to be looked at.
    fn watched(&mut self, index: u32, known: &UnderConditions) -> Result<bool, Exceeded> {
        let UnderConditions { watched, onward, exits } = known;
        let anchor = self.tables.profile.anchor(index);
        let first = watched.chars.intersect(&anchor.bytes);
        let rest = CharClass { ascii: watched.chars, wide: false, lack: LackId::NOTHING };
        let pays = anchor.has(RUN_TOKENS, &first) && Profile::pays(&first, &rest);
        if !pays || watched.left <= watched.spare {
            return self.watched_below(anchor.node, known);
        }
        let run = Run { anchor: index, first, first_wide: false, rest, most: watched.left };
        let short = Run { most: watched.left - watched.spare, ..run };
        let Some(long) = self.long_tokens(&short, watched)? else { return Ok(false) };
        let RunMask { mask, minus, .. } = self.tables.profile.mask(self.trie, short);
        let minus = self.with_failing(minus, &mask, anchor.node, watched.watching())?;
        self.masks.push(Shared { mask, minus });
        self.ids.extend_from_slice(&long);
        self.work.spend(64)?;
        self.leave_watched(&run, watched, (*onward, *exits))?;
        Ok(true)
    }

    /// Takes all tokens below a node, by walking. Answers whether it can be told that they can be completed.
    #[inline(never)] // hardly any grammar has formulas
    fn watched_below(&mut self, node: u32, known: &UnderConditions) -> Result<bool, Exceeded> {
        let UnderConditions { watched, onward, exits } = known;
        let mut endings = Endings::default();
        let (mut found, mut left) = (Ids::new(), SmallVec::<[(u32, u8); 8]>::new());
        let mut todo: SmallVec<[(u32, WatchPlace, u32); 16]> =
            SmallVec::from_slice(&[(node, [0; WATCHERS], 0)]);
        while let Some((node, place, read)) = todo.pop() {
            let children = self.trie.children(node);
            self.work.spend(1 + children.len() / 4)?;
            let may_end = read >= watched.need && watched.accepts(&place);
            for child in children {
                let byte = self.trie.byte[child as usize];
                if exits.contains(byte) {
                    left.extend(may_end.then_some((child, byte)));
                }
                let Some(next) = watched.step(&place, byte) else { continue };
                match watched.can_end(&next, read + 1, &mut endings) {
                    None => return Ok(false),
                    Some(true) => {
                        self.trie.add_own(child, &mut found);
                        todo.push((child, next, read + 1));
                    }
                    Some(false) => {}
                }
            }
        }
        self.ids.extend_from_slice(&found);
        for (child, byte) in left {
            if let Some(next) = self.after_byte(*onward, byte)? {
                self.arrive(child, next)?;
            }
        }
        Ok(true)
    }

    /// A place as a loop under conditions, and what follows it, if nothing can be mistaken for both.
    fn watched_at(&mut self, local: LocalId) -> Option<Rc<UnderConditions>> {
        if !self.store.is_formula(local) {
            return None;
        }
        if let Some((_, known)) = self.last_watched.as_ref().filter(|known| known.0 == local) {
            return known.clone();
        }
        let found = self.find_watched(local).map(Rc::new);
        self.last_watched = Some((local, found.clone()));
        found
    }

    fn find_watched(&self, local: LocalId) -> Option<UnderConditions> {
        let store = self.store;
        let (state, stack) = store.only_state(local)?;
        let watched = store.watched(state)?;
        let onward = store.clamped_local(store.local_on(watched.tail, stack));
        let exits = store.split_expansion(onward).alive;
        let apart = !exits.intersects(&watched.chars) && exits.is_subset(&ByteSet::ASCII);
        (self.goes_on(onward) && apart).then_some(UnderConditions { watched, onward, exits })
    }

    /// The tokens that are allowed of those that leave too little room for what meets the conditions; `None` if those are
    /// too many.
    fn long_tokens(
        &mut self,
        short: &Run,
        watched: &Watched,
    ) -> Result<Option<SmallVec<[u32; 32]>>, Exceeded> {
        let mut allowed = SmallVec::new();
        if watched.spare == 0 {
            return Ok(Some(allowed));
        }
        let long = self.tables.profile.longer_up_to(self.trie, *short, watched.left);
        let depth = self.trie.path(self.tables.profile.anchor(short.anchor).node).count();
        if long.len() > LONG_TOKENS {
            return Ok(None);
        }
        self.work.spend(long.len())?;
        let mut endings = Endings::default();
        for &token in long.iter() {
            let bytes = self.tables.vocab.bytes(token).unwrap_or_default();
            let bytes = bytes.get(depth..).unwrap_or_default();
            let Some(place) = watched.after(bytes) else { continue };
            match watched.can_end(&place, bytes.len() as u32, &mut endings) {
                None => return Ok(None),
                Some(true) => allowed.push(token),
                Some(false) => {}
            }
        }
        Ok(Some(allowed))
    }

    /// Tokens that are to be left out of a mask: some, and those with which a condition fails.
    pub(super) fn with_failing<'w>(
        &mut self,
        some: Arc<[u32]>,
        mask: &[u32],
        node: u32,
        (watchers, chars): (impl Iterator<Item = &'w Watcher>, &ByteSet),
    ) -> Result<Arc<[u32]>, Exceeded> {
        let mut minus = some;
        for watcher in watchers.filter(|watcher| watcher.can_fail()) {
            let failing = watcher.fails_with(node, || self.failing((node, 0), watcher, chars))?;
            minus = self.with_tokens_of(minus, mask, &failing);
        }
        Ok(minus)
    }

    /// Tokens that are to be left out of a mask: some, and those of it that are among others.
    pub(super) fn with_tokens_of(&self, some: Arc<[u32]>, mask: &[u32], others: &[u32]) -> Arc<[u32]> {
        let in_mask = |token: &u32| mask[*token as usize / 32] >> (*token % 32) & 1 == 1;
        let mut tokens: SmallVec<[u32; 32]> = others.iter().copied().filter(in_mask).collect();
        if tokens.is_empty() {
            return some;
        }
        tokens.extend_from_slice(&some);
        tokens.sort_unstable();
        tokens.dedup();
        Arc::from(&tokens[..])
    }

    /// The tokens below a node with which a text fails that is in the first place of a table. Where it is known with which it
    /// fails in the place that most texts are in, only those are looked at that lead elsewhere from the one than from the
    /// other.
    pub(super) fn failing_like(
        &mut self,
        node: u32,
        (watcher, base): (&Watcher, Option<(LocalId, u8)>),
        class: &CharClass,
    ) -> Result<Arc<[u32]>, Exceeded> {
        let chars = &class.ascii;
        let Some((base, number)) = base.filter(|_| watcher.can_fail() && !is_off(Switch::FailingLike)) else {
            return watcher.fails_with(node, || self.failing((node, 0), watcher, chars));
        };
        let key = (base, *class, node);
        let known = match self.memory.failing.get(&key) {
            Some(known) => known,
            None => {
                let found = self.failing((node, number), watcher, chars)?.into();
                self.memory.failing.insert(key, found, |bytes| self.store.add_bytes(bytes))
            }
        };
        match self.failing_unlike(node, number, watcher, chars)? {
            Some((fails, goes_on)) if fails.is_empty() && goes_on.is_empty() => Ok(known),
            Some((mut fails, goes_on)) => {
                fails.extend(known.iter().copied().filter(|token| goes_on.binary_search(token).is_err()));
                Ok(fails.into())
            }
            None => watcher.fails_with(node, || self.failing((node, 0), watcher, chars)),
        }
    }

    /// What tells tokens below a node apart in the first place of a table and in another; `None` if they are many.
    fn failing_unlike(
        &mut self,
        node: u32,
        other: u8,
        watcher: &Watcher,
        chars: &ByteSet,
    ) -> Result<Option<Unlike>, Exceeded> {
        let (mut fails, mut goes_on) = (Vec::new(), Vec::new());
        let mut todo = vec![(node, 0, other)];
        let mut visits = 0;
        while let Some((node, place, other)) = todo.pop().filter(|place| place.1 != place.2) {
            let children = self.trie.children(node);
            visits += 1 + children.len() / 4;
            self.work.spend(1 + children.len() / 4)?;
            if visits > UNLIKE {
                return Ok(None);
            }
            for child in children {
                let byte = self.trie.byte[child as usize];
                let (Some(next), Some(behind)) =
                    (watcher.step_any(place, byte, chars), watcher.step_any(other, byte, chars))
                else {
                    continue;
                };
                match (next, behind) {
                    (None, _) => fails.extend_from_slice(self.trie.subtree(child)),
                    (Some(next), Some(behind)) if next == behind => {}
                    (Some(next), Some(behind)) => todo.push((child, next, behind)),
                    (Some(next), None) => {
                        goes_on.extend_from_slice(self.trie.subtree(child));
                        fails.extend(self.failing((child, next), watcher, chars)?);
                    }
                }
            }
        }
        goes_on.sort_unstable();
        Ok(Some((fails, goes_on)))
    }

    /// The tokens below a node with which a condition fails from a place.
    fn failing(
        &mut self,
        start: (u32, u8),
        watcher: &Watcher,
        chars: &ByteSet,
    ) -> Result<Vec<u32>, Exceeded> {
        let mut tokens = Vec::new();
        let mut todo = vec![start];
        while let Some((node, place)) = todo.pop() {
            let children = self.trie.children(node);
            self.work.spend(1 + children.len() / 4)?;
            let at = children.start as usize..children.end as usize;
            for ((child, &byte), below) in children.zip(&self.trie.byte[at.clone()]).zip(&self.trie.below[at])
            {
                let Some(next) = watcher.step_any(place, byte, chars) else { continue };
                let Some(next) = next else {
                    tokens.extend_from_slice(self.trie.subtree(child));
                    continue;
                };
                // Most have too little below them.
                let may_fail = watcher.to_fail(next).is_some_and(|to| {
                    is_off(Switch::FailureFilter)
                        || to.least <= below.chars
                            && to.pairs & !below.pairs == 0
                            && to.bytes & !below.ascii == 0
                });
                if may_fail {
                    todo.push((child, next));
                }
            }
        }
        self.store.add_bytes(tokens.len() * 4 + 32);
        Ok(tokens)
    }

    /// Goes on where a run ends with all conditions met.
    fn leave_watched(
        &mut self,
        run: &Run,
        watched: &Watched,
        (onward, exits): (LocalId, ByteSet),
    ) -> Result<(), Exceeded> {
        let (trie, profile) = (self.trie, &self.tables.profile);
        let node = profile.anchor(run.anchor).node;
        let met = watched.is_met_after(&[]);
        let staying = watched.staying();
        let stay = CharClass { ascii: staying, wide: false, lack: LackId::NOTHING };
        let leaving = profile.leaving(trie, run);
        for byte in exits.iter() {
            let Some(next) = self.after_byte(onward, byte)? else { continue };
            if let Some(child) = trie.child(node, byte).filter(|_| met && watched.need == 0) {
                self.arrive(child, next)?;
            }
            for entry in leaving.by(byte).filter(|entry| entry.chars >= watched.need) {
                self.work.spend(1)?;
                let met = match entry.is_within(&staying, &stay) {
                    true => met,
                    false => self.is_met_before(&entry, node, watched),
                };
                if met {
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }

    /// Whether all conditions are met where an entry leaves a run that began at a node.
    fn is_met_before(&self, entry: &Entry, node: u32, watched: &Watched) -> bool {
        let before = self.trie.parent[entry.node as usize];
        let above = std::iter::successors(Some(before), |&at| Some(self.trie.parent[at as usize]));
        let above = above.take_while(|&at| at != node && at != ROOT);
        let mut bytes: SmallVec<[u8; 32]> = above.map(|at| self.trie.byte[at as usize]).collect();
        bytes.reverse();
        watched.is_met_after(&bytes)
    }
}
