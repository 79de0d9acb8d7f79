//! Places one behind the other, from each of which the same characters lead to the next.
//!
//! `[a-z]{2,3}|[a-z]{5,8}` is no loop, but it does not matter either which letters come: after so many of them there is
//! one place, and after the last there is none. So all tokens of so many letters are taken, and where something else
//! follows them, it is told by their number what they have led to.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::accept::Shared;
use super::walk::{RUN_TOKENS, Walk};
use crate::automaton::{CharClass, Exceeded, LocalExpansion, LocalId};
use crate::profile::{LackId, Profile, Run, RunMask};

/// How many places there may be.
const LONGEST: usize = 64;
/// With fewer characters, what they lead to is soon walked.
const CHARS: usize = 10;
/// With so few places one behind the other, up to so many tokens are walked too: most are longer.
const SHORT: usize = 3;
const WALKED: usize = 4_000;
/// Where there are more ways to begin, each character leads somewhere else.
const FIRSTS: usize = 8;

impl Walk<'_> {
    /// Takes all tokens from an anchor on that lead along places one behind the other. Answers the bytes it has seen to.
    pub(super) fn chain(
        &mut self,
        index: u32,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
        let anchor = self.tables.profile.anchor(index);
        let mut seen = ByteSet::EMPTY;
        let ascii = left.intersect(&ByteSet::ASCII);
        let firsts = expansion.classes.iter().map(|class| class.set.intersect(&ascii)).enumerate();
        let firsts: SmallVec<[(usize, ByteSet); FIRSTS]> =
            firsts.filter(|(_, first)| anchor.has(RUN_TOKENS, first)).collect();
        if firsts.len() > FIRSTS {
            return Ok(seen);
        }
        for (i, first) in firsts {
            let next = self.step(expansion, i)?;
            let Some((chain, ascii)) = self.chain_from(next)? else { continue };
            if chain.len() <= SHORT && !anchor.has(WALKED, &first) {
                continue;
            }
            let rest = CharClass { ascii, wide: false, lack: LackId::NOTHING };
            if Profile::pays(&first, &rest) {
                let most = chain.len() as u32;
                self.along_chain(Run { anchor: index, first, first_wide: false, rest, most }, &chain)?;
                seen = seen.union(&first);
            }
        }
        Ok(seen)
    }

    /// The places that characters lead to one behind the other until there is no more, and those characters.
    fn chain_from(&mut self, start: LocalId) -> Result<Option<(Vec<LocalId>, ByteSet)>, Exceeded> {
        let root = self.tables.profile.anchor(0);
        let weight = |set: &ByteSet| root.count(&set.intersect(&ByteSet::ASCII));
        let classes = &self.store.split_expansion(start).classes;
        let most = classes.iter().map(|class| class.set).max_by_key(weight);
        let Some(chars) = most.map(|set| set.intersect(&ByteSet::ASCII)) else { return Ok(None) };
        let Some(byte) = chars.first().filter(|_| chars.len() >= CHARS) else { return Ok(None) };
        let mut chain = vec![start];
        loop {
            let at = chain[chain.len() - 1];
            let expansion = self.store.split_expansion(at);
            if !self.goes_on(at) || chain.len() > LONGEST {
                return Ok(None);
            }
            self.work.spend(1)?;
            match expansion.class_of(byte) {
                None if !expansion.alive.intersects(&chars) => return Ok(Some((chain, chars))),
                Some(class) if chars.is_subset(&expansion.classes[class].set) => {
                    let next = self.step(expansion, class)?;
                    if next == at {
                        return Ok(None);
                    }
                    chain.push(next);
                }
                _ => return Ok(None),
            }
        }
    }

    fn along_chain(&mut self, run: Run, chain: &[LocalId]) -> Result<(), Exceeded> {
        let RunMask { mask, minus, .. } = self.tables.profile.mask(self.trie, run);
        self.masks.push(Shared { mask, minus });
        self.work.spend(64)?;
        let (store, tables) = (self.store, self.tables);
        let alive = chain.iter().map(|&at| store.split_expansion(at).alive);
        let exits = alive.fold(ByteSet::EMPTY, |all, alive| all.union(&alive));
        let leaving = tables.profile.leaving(self.trie, &run);
        for byte in exits.minus(&run.rest.ascii).iter() {
            for entry in leaving.by(byte) {
                self.work.spend(1)?;
                let Some(&from) = chain.get(entry.chars as usize - 1) else { continue };
                if let Some(next) = self.after_byte(from, byte)? {
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }
}
