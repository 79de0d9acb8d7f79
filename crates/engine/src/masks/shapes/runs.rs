//! Runs of characters: a loop is looked up in the tables of its vocabulary.
//!
//! *Recognized* is a set of ASCII bytes that lead from an anchor to a loop of characters, where what may follow the loop can
//! never be mistaken for more of it. *Exact*, since then a token is allowed as far as all of its characters are in the
//! loop, and where one is not, the number of them before it is all that matters. The *answer* is the mask that the tables
//! have of such tokens, with the walk going on behind each place where something else follows. The *limit*: a class of less
//! than [`RUN_TOKENS`] tokens is walked.

use std::sync::Arc;

use tokenstile_grammar::ir::ByteSet;

use super::super::walk::{Walk, overlaps};
use super::shape::{AtAnchor, BytesShape};
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalExpansion, LocalId, Loop};
use crate::tokens::accept::Shared;
use crate::tokens::class::CharClass;
use crate::tokens::pending::PendingRun;
use crate::tokens::runs::{Anchor, Profile, Run, RunMask};
use crate::tuning::walk::RUN_TOKENS;
use crate::work::Exceeded;

/// Bytes that lead to a loop.
pub(super) struct Runs;

impl BytesShape for Runs {
    const WAY: Switch = Switch::Runs;

    fn take(
        walk: &mut Walk<'_>,
        at: AtAnchor<'_>,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
        let (mut seen, ascii) = (ByteSet::EMPTY, left.intersect(&ByteSet::ASCII));
        for (i, class) in expansion.classes.iter().enumerate() {
            let first = class.set.intersect(&ascii);
            if !at.anchor.has(RUN_TOKENS, &first) {
                continue;
            }
            let next = walk.step(expansion, i)?;
            let Some((run, repeats)) = walk.run_by(at, first, next)? else { continue };
            walk.run_of(run, next, repeats)?;
            let wide = if run.first_wide { ByteSet::PAST_ASCII } else { ByteSet::EMPTY };
            seen = seen.union(&first).union(&wide);
        }
        Ok(seen)
    }
}

impl Walk<'_> {
    /// The run that begins with some bytes which lead to a place, if that is a loop.
    fn run_by(
        &mut self,
        AtAnchor { index, anchor, local }: AtAnchor<'_>,
        first: ByteSet,
        next: LocalId,
    ) -> Result<Option<(Run, Loop)>, Exceeded> {
        let repeats = self.store.repeats(next).or_else(|| self.last_round(local, &first));
        let Some(repeats) = repeats else { return Ok(None) };
        let rest = self.store.program.class(repeats.chars);
        if !Profile::pays(&first, &rest)
            || !self.knows(anchor, &rest)
            || !self.stays_simple(next, repeats, &rest)?
        {
            return Ok(None);
        }
        let shown = first.first().is_some_and(|byte| self.store.wide_follows(local, byte, rest.lack));
        let first_wide = rest.wide && (shown || self.wide_leads_to(local, next, rest.lack)?);
        let most = repeats.left.map_or(u32::MAX, |l| l.saturating_add(1));
        Ok(Some((Run { anchor: index, first, first_wide, rest, most }, repeats)))
    }

    /// Whether the tables of an anchor tell of runs of a class: not if a character that it lacks is on the way there.
    pub(crate) fn knows(&self, anchor: &Anchor, class: &CharClass) -> bool {
        let lacking = self.tables.profile.lacking(self.trie, class.lack);
        lacking.is_none_or(|lacking| !lacking.is_before(anchor.node))
    }

    /// If these bytes are those of a loop in its last round: the loop after it. With the characters past ASCII, one character
    /// is many nodes.
    pub(crate) fn last_round(&self, local: LocalId, first: &ByteSet) -> Option<Loop> {
        if is_off(Switch::LastRound) {
            return None;
        }
        let repeats = self.store.repeats(local)?;
        let last = repeats.left == Some(1) && repeats.wide && first.ascii_bits() & !repeats.ascii == 0;
        last.then_some(Loop { left: Some(0), need: 0, ..repeats })
    }

    /// Whether what may follow a run can never be mistaken for more of it, also once enough rounds are done.
    pub(crate) fn stays_simple(
        &mut self,
        local: LocalId,
        repeats: Loop,
        rest: &CharClass,
    ) -> Result<bool, Exceeded> {
        if repeats.need == 0 {
            return Ok(true); // `Store::repeats` has looked at this
        }
        let mut chain = vec![local];
        self.extend_chain(&mut chain, rest, repeats.need as usize + 1)?;
        if chain.len() <= repeats.need as usize {
            return Ok(true); // no token gets that far
        }
        let after = chain[chain.len() - 1];
        Ok(if repeats.left == Some(repeats.need) {
            let after = self.store.split_expansion(after);
            after.apart.is_empty() && !overlaps(&after.alive, rest)
        } else {
            self.store.repeats(after).is_some_and(|r| r.chars == repeats.chars)
        })
    }

    /// Takes the tokens of a run, and goes on where something else follows it. `local` is the configuration
    /// after the run's first character.
    pub(crate) fn run_of(&mut self, run: Run, local: LocalId, repeats: Loop) -> Result<(), Exceeded> {
        let tables = self.tables;
        let RunMask { mask, minus, .. } = tables.profile.mask(self.trie, run);
        self.masks.push(Shared { mask, minus });
        self.work.spend(64)?;
        // The configuration after one, two, three … characters of the run.
        let mut chain = vec![local];
        let in_run = |byte: u8| if byte < 0x80 { run.rest.ascii.contains(byte) } else { run.rest.wide };
        if repeats.need > 0 || repeats.left.is_some() {
            self.extend_chain(&mut chain, &run.rest, repeats.need as usize + 1)?;
        }
        let at_need = chain[chain.len() - 1];
        let exits = self.store.split_expansion(local).alive.union(&self.store.split_expansion(at_need).alive);
        let least = repeats.need + 1;
        self.ends_in(self.store.split_expansion(at_need), |pending| {
            pending.runs.push(PendingRun { run, least, except: Arc::default() })
        });
        let leaving = tables.profile.leaving(self.trie, &run);
        for byte in exits.iter().filter(|&b| !in_run(b)) {
            // The number of rounds matters only if there must be some, or what follows depends on it. A character past
            // ASCII may be one more round, where not all of them are in the run.
            let alike = match repeats {
                Loop { left: None, need: 0, .. } => true,
                Loop { others, .. } => byte < 0x80 && others >> byte & 1 == 0,
            };
            if alike {
                let Some(&from) = chain.get(repeats.need as usize) else { continue };
                let mut entries = leaving.by(byte).filter(|entry| entry.chars > repeats.need).peekable();
                // Most bytes have none, and then need no place that they lead to.
                let next = if entries.peek().is_some() { self.after_byte(from, byte)? } else { None };
                let Some(next) = next else { continue };
                for entry in entries {
                    self.work.spend(1)?;
                    self.arrive(entry.node, next)?;
                }
                continue;
            }
            for entry in leaving.by(byte) {
                self.work.spend(1)?;
                let index = entry.chars as usize - 1;
                if chain.len() <= index {
                    self.extend_chain(&mut chain, &run.rest, index + 1)?;
                }
                let Some(&from) = chain.get(index) else { continue };
                if let Some(next) = self.after_byte(from, byte)? {
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }

    /// Makes `chain` at least `len` long, if the run goes on for so long.
    fn extend_chain(
        &mut self,
        chain: &mut Vec<LocalId>,
        rest: &CharClass,
        len: usize,
    ) -> Result<(), Exceeded> {
        let longest = self.trie.longest.saturating_add(1);
        let Some(byte) = rest.ascii.first() else { return Ok(()) };
        while chain.len() < len.min(longest) {
            let last = chain[chain.len() - 1];
            let expansion = self.store.split_expansion(last);
            let Some(class) = expansion.class_of(byte) else { return Ok(()) };
            let next = self.step(expansion, class)?;
            chain.push(next);
        }
        Ok(())
    }
}
