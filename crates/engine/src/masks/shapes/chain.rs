//! Places one behind the other, from each of which the same characters lead to the next.
//!
//! *Recognized* is a set of ASCII bytes that lead from an anchor into a row of places like those of `[a-z]{2,3}|[a-z]{5,8}`:
//! no loop, but it does not matter either which letters come. *Exact*, since after so many of them there is one place, and after
//! the last there is none. The *answer* is the mask of all tokens of so many letters; where something else follows them, it is
//! told by their number what they have led to. The *limits*: [`LONGEST`] places, [`FIRSTS`] ways to begin.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::walk::Walk;
use super::shape::{AtAnchor, BytesShape};
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalExpansion, LocalId, Rounds, Store};
use crate::tokens::accept::Shared;
use crate::tokens::class::{CharClass, LackId};
use crate::tokens::runs::{Anchor, Profile, Run, RunMask};
use crate::tuning::chain::{CHARS, FIRSTS, LONGEST, SHORT, WALKED};
use crate::tuning::runs;
use crate::tuning::walk::RUN_TOKENS;
use crate::work::Exceeded;

/// Places one behind the other, as far as they were followed.
struct Chain {
    places: Vec<Place>,
    /// What leads on from any of them.
    alive: ByteSet,
    /// Whether none of the characters leads on from the last one.
    ends: bool,
    rounds: Option<Rounds>,
}

#[derive(Clone, Copy)]
enum Place {
    Known(LocalId),
    /// So many rounds behind one that is known.
    Later(u32),
}

impl Chain {
    fn new(first: LocalId) -> Self {
        Chain { places: vec![Place::Known(first)], alive: ByteSet::EMPTY, ends: false, rounds: None }
    }

    /// The place after so many characters and one.
    fn at(&mut self, store: &Store, index: usize) -> Option<LocalId> {
        let place = self.places.get_mut(index)?;
        let known = match (*place, &self.rounds) {
            (Place::Later(more), Some(rounds)) => store.after_rounds(rounds, more),
            (Place::Known(known), _) => known,
            (Place::Later(_), None) => return None,
        };
        *place = Place::Known(known);
        Some(known)
    }

    fn last(&mut self, store: &Store) -> Option<LocalId> {
        self.at(store, self.places.len() - 1)
    }
}

/// Bytes that lead into a row of places.
pub(super) struct Chains;

impl BytesShape for Chains {
    const WAY: Switch = Switch::CountedChains;

    fn take(
        walk: &mut Walk<'_>,
        at: AtAnchor<'_>,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
        // Words are left: they are no simple run, but may be one all the same.
        match walk.has_words(at.anchor, expansion, left)? {
            true => walk.chains(at, expansion, left),
            false => Ok(ByteSet::EMPTY),
        }
    }
}

impl Walk<'_> {
    fn chains(
        &mut self,
        AtAnchor { index, anchor, .. }: AtAnchor<'_>,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
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
            if self.store.split_expansion(next).alive.intersects(&ByteSet::PAST_ASCII) {
                continue; // so may other characters
            }
            let Some(ascii) = self.most_chars(next).filter(|chars| chars.len() >= CHARS) else { continue };
            let rest = CharClass { ascii, wide: false, lack: LackId::NOTHING };
            let mut chain = Chain::new(next);
            if !Profile::pays(&first, &rest) || !self.follow_chain(&mut chain, &ascii, SHORT + 1)? {
                continue;
            }
            if chain.ends && chain.places.len() <= SHORT && !anchor.has(WALKED, &first) {
                continue;
            }
            let run = Run { anchor: index, first, first_wide: false, rest, most: u32::MAX };
            if self.along_chain(run, &mut chain)? {
                seen = seen.union(&first);
            }
        }
        Ok(seen)
    }

    /// Whether many tokens begin with letters that lead to more than one word.
    pub(super) fn has_words(
        &mut self,
        anchor: &Anchor,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<bool, Exceeded> {
        let mut words = left.intersect(&ByteSet::LETTERS);
        if !anchor.has(RUN_TOKENS, &words) {
            return Ok(false);
        }
        for (i, class) in expansion.classes.iter().enumerate().filter(|(_, class)| class.set.intersects(left))
        {
            let next = self.step(expansion, i)?;
            if self.store.local(next).in_literal {
                words = words.minus(&class.set);
            }
        }
        Ok(anchor.has(RUN_TOKENS, &words))
    }

    /// The characters that most tokens go on with from a place to one and the same.
    fn most_chars(&self, start: LocalId) -> Option<ByteSet> {
        let root = self.tables.profile.anchor(0);
        let sets = self.store.split_expansion(start).classes.iter().map(|class| class.set);
        sets.map(|set| set.intersect(&ByteSet::ASCII)).max_by_key(|set| root.count(set))
    }

    /// Makes a chain so long, or as long as it is. Answers whether it is one up to there.
    fn follow_chain(&mut self, chain: &mut Chain, chars: &ByteSet, len: usize) -> Result<bool, Exceeded> {
        let store = self.store;
        let (Some(byte), Some(mut at)) = (chars.first(), chain.last(store)) else { return Ok(false) };
        loop {
            let expansion = store.split_expansion(at);
            chain.alive = chain.alive.union(&expansion.alive);
            if !self.goes_on(at) || chain.places.len() > LONGEST {
                return Ok(false);
            }
            if chain.ends || chain.places.len() >= len {
                return Ok(true);
            }
            self.work.spend(1)?;
            match expansion.class_of(byte) {
                None if !expansion.alive.intersects(chars) => chain.ends = true,
                Some(class) if chars.is_subset(&expansion.classes[class].set) => {
                    let next = self.step(expansion, class)?;
                    if next == at {
                        return Ok(false);
                    }
                    chain.places.push(Place::Known(next));
                    self.skip_rounds(chain, (at, next), chars, len);
                    at = chain.last(store).unwrap_or(next);
                }
                _ => return Ok(false),
            }
        }
    }

    /// Makes a chain longer by places that are like the last one: nothing more need be known of them.
    fn skip_rounds(&self, chain: &mut Chain, last: (LocalId, LocalId), chars: &ByteSet, len: usize) {
        let wanted = len.saturating_sub(chain.places.len()).min(LONGEST);
        if chain.rounds.is_none() && wanted > SHORT && !is_off(Switch::ChainRounds) {
            chain.rounds = self.store.rounds(last.0, last.1, chars);
            let alike = chain.rounds.as_ref().map_or(0, |rounds| rounds.most);
            chain.places.extend((1..=alike.min(wanted as u32)).map(Place::Later));
        }
    }

    /// Takes the tokens of a run that lead along a chain. Answers whether it is one for as long as the tokens are.
    fn along_chain(&mut self, run: Run, chain: &mut Chain) -> Result<bool, Exceeded> {
        let tables = self.tables;
        let longest = self.longest_run(&run, tables.profile.mask(self.trie, run).longest);
        if !self.follow_chain(chain, &run.rest.ascii, longest)? {
            return Ok(false);
        }
        let most = if chain.ends { chain.places.len() as u32 } else { u32::MAX };
        let run = Run { most, ..run };
        let RunMask { mask, minus, .. } = tables.profile.mask(self.trie, run);
        self.masks.push(Shared { mask, minus });
        self.work.spend(64)?;
        let leaving = tables.profile.leaving(self.trie, &run);
        for byte in chain.alive.minus(&run.rest.ascii).iter() {
            for entry in leaving.by(byte) {
                self.work.spend(1)?;
                let Some(from) = chain.at(self.store, entry.chars as usize - 1) else { continue };
                if let Some(next) = self.by_byte(from, byte)? {
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(true)
    }

    /// The most characters of a run that any token from its anchor on begins with, or more, given how many a token has that
    /// is nothing else.
    fn longest_run(&self, run: &Run, longest: u32) -> usize {
        let profile = &self.tables.profile;
        let path: SmallVec<[u8; 8]> = self.trie.path(profile.anchor(run.anchor).node).collect();
        let longest = longest.max(runs::SHORT) as usize;
        let long = profile.longer_than(longest as u32).iter().filter(|long| long.has(&run.rest.ascii));
        let runs = long.filter_map(|long| {
            let bytes = self.tables.vocab.bytes(long.token)?;
            let (before, behind) = bytes.split_at_checked(path.len())?;
            let (first, behind) = behind.split_first()?;
            let begins = before.iter().eq(path.iter().rev()) && run.first.contains(*first);
            begins.then(|| 1 + behind.iter().take_while(|&&byte| run.rest.ascii.contains(byte)).count())
        });
        runs.max().map_or(longest, |most| longest.max(most))
    }
}
