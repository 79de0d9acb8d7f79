//! Runs of characters but for what other expressions match: keys that match none of the patterns.
//!
//! *Recognized* is a formula that is a loop but for what others match (see [`ButMatched`]), where a character leads away from those.
//! *Exact*, since wherever the characters lead, the text can go on, and it may end unless the others match what is there. The
//! *answer* is the mask of the run; the others alone are asked where something follows it in the same token, and most of
//! the time they have come to nothing by then. The *limit*: what follows must be told from the run by a byte of ASCII.

use tokenstile_grammar::CharSetId;
use tokenstile_grammar::ir::ByteSet;

use super::super::walk::{Places, Walk};
use super::shape::{AnchorShape, AtAnchor, Seen};
use crate::ablate::{Switch, is_off};
use crate::automaton::{ButMatched, LocalId, Loop};
use crate::tokens::accept::Shared;
use crate::tokens::class::{CharClass, LackId};
use crate::tokens::runs::{Profile, Run, RunMask};
use crate::tuning::walk::{FEW, RUN_TOKENS};
use crate::work::Exceeded;

/// A first character and then any of a loop.
struct First {
    ascii: ByteSet,
    wide: bool,
    rest: CharClass,
    /// What else the loop may go on with.
    others: u128,
    /// The bytes that the whole may begin with, and those that the loop may go on with.
    begins: ByteSet,
    goes_on: ByteSet,
}

/// A loop but for what others match.
pub(super) struct MatchedApart {
    of: ButMatched,
    known: First,
    /// A character behind which the text may end.
    away: u8,
    /// What may follow, and the most characters before it.
    onward: ByteSet,
    most: u32,
}

impl<'a> AnchorShape<'a> for MatchedApart {
    const WAY: Switch = Switch::ComplementRuns;

    /// The place is asked for a few bytes only: to find out all that a formula can do would be most of the work.
    fn recognize(walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Self>, Exceeded> {
        let store = walk.store;
        let Some((state, _)) = store.only_state(at.local) else { return Ok(None) };
        let Some(of) = store.but_matched(state, walk.work)? else { return Ok(None) };
        let Some(known) = walk.first_of(&of)? else { return Ok(None) };
        let First { ascii, rest, others, .. } = known;
        let first = ascii.intersect(&at.anchor.bytes);
        let onward = store.split_expansion(store.clamped_local(store.local_of(of.tail)));
        let is_plain = !onward.pops && onward.ends.is_empty() && onward.apart.is_empty();
        let apart = !onward.alive.intersects(&rest.ascii) && onward.alive.ascii_bits() & others == 0;
        let away = first.intersect(&rest.ascii).intersect(&of.unlike).first();
        let Some(away) = away.filter(|_| is_plain && apart && onward.alive.is_subset(&ByteSet::ASCII)) else {
            return Ok(None);
        };
        if !at.anchor.has(RUN_TOKENS, &first)
            || !Profile::pays(&first, &rest)
            || !walk.knows(at.anchor, &rest)
        {
            return Ok(None);
        }
        let most = match of.most {
            Some((most, set)) if walk.has_all(set, &rest) => most,
            Some(_) => return Ok(None),
            None => u32::MAX,
        };
        Ok(Some(MatchedApart { of, known, away, onward: onward.alive, most }))
    }

    fn answer(self, walk: &mut Walk<'a>, at: AtAnchor<'a>) -> Result<Option<Seen>, Exceeded> {
        let MatchedApart { of, known, away, onward, most } = self;
        let First { wide: first_wide, rest, .. } = known;
        let first = known.ascii.intersect(&at.anchor.bytes);
        let run = Run { anchor: at.index, first, first_wide, rest, most };
        let RunMask { mask, minus, .. } = walk.tables.profile.mask(walk.trie, run);
        walk.masks.push(Shared { mask, minus });
        walk.work.spend(64)?;
        walk.leave_matched(&run, (at.local, away), &of, (known.goes_on, onward))?;
        let done = first.union(if first_wide { &ByteSet::PAST_ASCII } else { &ByteSet::EMPTY });
        let left = known.begins.union(&onward).intersect(&at.anchor.bytes).minus(&done);
        if left.len() > FEW {
            return Ok(Some(Seen::Bytes(done)));
        }
        walk.by_bytes(at.anchor.node, at.local, &left)?;
        Ok(Some(Seen::All))
    }
}

impl Walk<'_> {
    /// Goes on from a node by some bytes, which are few.
    fn by_bytes(&mut self, node: u32, local: LocalId, bytes: &ByteSet) -> Result<(), Exceeded> {
        for byte in bytes.iter() {
            if let (Some(next), Some(child)) = (self.by_byte(local, byte)?, self.trie.child(node, byte)) {
                self.arrive(child, next)?;
            }
        }
        Ok(())
    }

    /// Where a byte leads from a place that calls nothing, without finding out all that it can do.
    pub(super) fn by_byte(&mut self, local: LocalId, byte: u8) -> Result<Option<LocalId>, Exceeded> {
        if self.store.is_expanded(local) || is_off(Switch::WalkedBytes) {
            return self.after_byte(local, byte);
        }
        let next = self.store.step_byte(local, byte, self.work)?;
        Ok(next.map(|next| self.store.clamped_local(next)))
    }

    /// Whether a set of characters has all of a class.
    fn has_all(&self, set: CharSetId, class: &CharClass) -> bool {
        let all = self.store.program.class(set);
        class.ascii.is_subset(&all.ascii) && (!class.wide || all.wide && all.lack == LackId::NOTHING)
    }

    /// Where the first characters of the whole lead, if that is an endless loop in which it may end, and the same for most of
    /// them.
    fn first_of(&mut self, of: &ButMatched) -> Result<Option<First>, Exceeded> {
        let store = self.store;
        let start = store.clamped_local(store.local_of(of.all));
        let Some(home) = self.home(start)? else { return Ok(None) };
        let endless = |repeats: &Loop| {
            repeats.need == 0 && repeats.left.is_none_or(|left| left as usize > self.trie.longest)
        };
        let Some(repeats) = store.repeats(home).filter(endless) else { return Ok(None) };
        // If it must go on with something else, what completes it may be what the others match.
        if !store.split_expansion(home).pops {
            return Ok(None);
        }
        let rest = store.program.class(repeats.chars);
        let ascii = self.leads_to(start, home, &ByteSet::ASCII)?;
        let shown = ascii.first().is_some_and(|byte| store.wide_follows(start, byte, rest.lack));
        let wide = rest.wide && (shown || self.wide_leads_to(start, home, rest.lack)?);
        let [begins, goes_on] = [start, home].map(|local| store.split_expansion(local).alive);
        Ok(Some(First { ascii, wide, rest, others: repeats.others, begins, goes_on }))
    }

    /// Goes on where something else follows a run. `away` is a character behind which the text may end.
    fn leave_matched(
        &mut self,
        run: &Run,
        (local, away): (LocalId, u8),
        of: &ButMatched,
        (goes_on, onward): (ByteSet, ByteSet),
    ) -> Result<(), Exceeded> {
        let store = self.store;
        let Some(home) = self.by_byte(local, away)? else { return Ok(()) };
        let others = store.clamped_local(store.local_of(of.without));
        let others_home = self.after_byte(others, away)?;
        let firsts = store.split_expansion(others).alive;
        // Most of what they search for has not begun: then they are where they were.
        let stays = match others_home {
            Some(home) => Some((self.leads_to(others, home, &ByteSet::ASCII)?, self.stays(home, &run.rest)?)),
            None => None,
        };
        let (profile, trie) = (&self.tables.profile, self.trie);
        let node = profile.anchor(run.anchor).node;
        let (mut known, mut places) = (Places::new(node, others, None), Places::new(node, local, None));
        let wide = if run.rest.wide { &ByteSet::PAST_ASCII } else { &ByteSet::EMPTY };
        let exits = goes_on.union(&onward).minus(&run.rest.ascii).minus(wide);
        let leaving = profile.leaving(trie, run);
        for byte in exits.iter() {
            let from_home = self.by_byte(home, byte)?;
            for entry in leaving.by(byte) {
                let before = trie.parent[entry.node as usize];
                self.work.spend(1)?;
                let left = match &stays {
                    _ if !entry.is_after(&firsts) => None,
                    Some((first, rest)) if entry.is_within(first, rest) => others_home,
                    _ => self.place_at(before, &mut known)?,
                };
                let alike = of.most.is_none() || onward.contains(byte);
                let next = if alike && left == others_home {
                    from_home
                } else if onward.contains(byte) {
                    from_home.filter(|_| !left.is_some_and(|left| store.split_expansion(left).pops))
                } else {
                    match self.place_at(before, &mut places)? {
                        Some(from) => self.after_place(from, &places, byte)?,
                        None => None,
                    }
                };
                if let Some(next) = next {
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }
}
