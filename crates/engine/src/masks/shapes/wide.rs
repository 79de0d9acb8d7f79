//! Where the characters past ASCII lead, all of them at once.
//!
//! *Recognized* is a place at an anchor from which they all lead to one place, and none of them on from there. *Exact*, since they
//! are then a run of one character. The *answer* is its mask; as bytes they are many nodes. The *limits*: [`WIDE_PLACES`]
//! places in the middle of a character, and [`DEAD`] characters that lead nowhere.

use std::sync::Arc;

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, CharSet};

use super::super::memory::Wide;
use super::super::walk::{Places, Walk};
use super::shape::{AtAnchor, BytesShape};
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalExpansion, LocalId};
use crate::tokens::accept::Shared;
use crate::tokens::class::{CharClass, LackId};
use crate::tokens::runs::{Run, RunMask};
use crate::tuning::closed::{DEAD, RARE, WIDE_PLACES};
use crate::tuning::walk::RUN_TOKENS;
use crate::work::Exceeded;

/// From one byte to another.
type Bytes = (u8, u8);

const TAIL: Bytes = (0x80, 0xBF);
/// For each kind of first byte past ASCII, the range of the second one and how many follow.
const LEADS: [(Bytes, Bytes, usize); 8] = [
    ((0xC2, 0xDF), (0x80, 0xBF), 0),
    ((0xE0, 0xE0), (0xA0, 0xBF), 1),
    ((0xE1, 0xEC), (0x80, 0xBF), 1),
    ((0xED, 0xED), (0x80, 0x9F), 1),
    ((0xEE, 0xEF), (0x80, 0xBF), 1),
    ((0xF0, 0xF0), (0x90, 0xBF), 2),
    ((0xF1, 0xF3), (0x80, 0xBF), 2),
    ((0xF4, 0xF4), (0x80, 0x8F), 2),
];

impl Wide {
    /// Adds the characters that have a byte of each set to those that lead nowhere; whether they are few.
    fn add_dead(&mut self, path: &[ByteSet], last: &ByteSet) -> bool {
        let chars = chars_of(path, last, DEAD - self.dead.len());
        self.dead.extend(chars.iter().flatten().copied());
        chars.is_some()
    }

    /// Adds that the characters of a set lead to a place.
    fn add_part(&mut self, part: &CharSet, target: LocalId) {
        if !self.targets.contains(&target) {
            self.targets.push(target);
        }
        let known = self.rare.iter().filter(|rare| rare.0 == target).count();
        if self.common.contains(&target) {
        } else if known + part.len() <= RARE {
            self.rare.extend(chars_in(part).map(|c| (target, c)));
        } else {
            self.rare.retain(|rare| rare.0 != target);
            self.common.push(target);
        }
    }

    /// Adds that they lead to a place.
    fn add_target(&mut self, path: &[ByteSet], last: &ByteSet, target: LocalId) {
        if !self.targets.contains(&target) {
            self.targets.push(target);
        }
        if self.common.contains(&target) {
            return;
        }
        let known = self.rare.iter().filter(|rare| rare.0 == target).count();
        match chars_of(path, last, RARE - known) {
            Some(chars) => self.rare.extend(chars.into_iter().map(|c| (target, c))),
            None => {
                self.rare.retain(|rare| rare.0 != target);
                self.common.push(target);
            }
        }
    }
}

/// The characters of a set, which are few.
fn chars_in(set: &CharSet) -> impl Iterator<Item = char> {
    set.ranges().iter().flat_map(|&(first, last)| first..=last).filter_map(char::from_u32)
}

/// The characters that have a byte of each set, if they are no more than so many.
fn chars_of(path: &[ByteSet], last: &ByteSet, most: usize) -> Option<Vec<char>> {
    let count: usize = path.iter().chain([last]).map(|set| set.len()).product();
    if count > most {
        return None;
    }
    let mut spelled: Vec<Vec<u8>> = vec![Vec::new()];
    for set in path.iter().chain([last]) {
        let with = |text: &Vec<u8>| set.iter().map(|byte| [&text[..], &[byte]].concat()).collect::<Vec<_>>();
        spelled = spelled.iter().flat_map(with).collect();
    }
    Some(spelled.iter().filter_map(|bytes| std::str::from_utf8(bytes).ok()?.chars().next()).collect())
}

/// Characters past ASCII that lead to one place.
pub(super) struct OneWide;

impl BytesShape for OneWide {
    const WAY: Switch = Switch::WideRuns;

    fn take(
        walk: &mut Walk<'_>,
        at: AtAnchor<'_>,
        _: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
        let are_many = at.anchor.has(RUN_TOKENS, &left.intersect(&ByteSet::PAST_ASCII));
        match are_many && walk.calls_nothing(at.local) {
            true => walk.one_wide(at),
            false => Ok(ByteSet::EMPTY),
        }
    }
}

impl Walk<'_> {
    /// Whether every character past ASCII leads from `local` to `target`, and those of a lack nowhere.
    pub(super) fn wide_leads_to(
        &mut self,
        local: LocalId,
        target: LocalId,
        lack: LackId,
    ) -> Result<bool, Exceeded> {
        let Some(Wide { targets, dead, lack: lacking, .. }) = self.wide_of(local)? else { return Ok(false) };
        if lacking != LackId::NOTHING {
            return Ok(lacking == lack && targets.iter().all(|&other| other == target));
        }
        let same = match self.tables.profile.lacks.get(lack) {
            Some(lack) => lack.chars.len() == dead.len() && dead.iter().all(|&c| lack.chars.contains(c)),
            None => dead.is_empty(),
        };
        Ok(same && targets.iter().all(|&other| other == target))
    }

    /// Takes, from an anchor on, the characters past ASCII. Answers the bytes it has seen to.
    fn one_wide(&mut self, AtAnchor { index, anchor, local }: AtAnchor<'_>) -> Result<ByteSet, Exceeded> {
        let (past, none) = (ByteSet::PAST_ASCII, ByteSet::EMPTY);
        let Some(Wide { targets, dead, lack, .. }) = self.wide_of(local)? else { return Ok(none) };
        let &[next] = &targets[..] else { return Ok(none) };
        let exits = self.store.split_expansion(next).alive;
        if !self.goes_on(next) || exits.intersects(&past) || !self.are_few(&mut dead.to_vec()) {
            return Ok(none);
        }
        let rest = CharClass { ascii: none, wide: true, lack };
        if !self.knows(anchor, &rest) {
            return Ok(none);
        }
        let run = Run { anchor: index, first: none, first_wide: true, rest, most: 1 };
        let RunMask { mask, .. } = self.tables.profile.mask(self.trie, run);
        self.work.spend(64)?;
        let minus = self.with_dead(Arc::default(), &dead, &mask);
        self.one_by_one(anchor.node, local, &minus)?;
        self.masks.push(Shared { mask, minus });
        let mut places = Places::new(anchor.node, local, Some(next));
        self.leave_from(&run, (&mut places, next), &exits, |_, _| dead.is_empty())?;
        Ok(past)
    }

    /// Where the characters past ASCII lead that the vocabulary can spell, if all but a few lead somewhere.
    pub(super) fn wide_of(&mut self, local: LocalId) -> Result<Option<Wide>, Exceeded> {
        if !is_off(Switch::WideMemo)
            && let Some(known) = self.memory.wide.get(&local)
        {
            return Ok(known);
        }
        let found = self.find_wide(local)?;
        Ok(self.memory.wide.insert(local, found, |bytes| self.store.add_bytes(bytes)))
    }

    /// The same as the sets of characters show that are read there.
    fn wide_by_parts(&mut self, local: LocalId, parts: Vec<CharSet>) -> Result<Option<Wide>, Exceeded> {
        let lacks = &self.tables.profile.lacks;
        self.work.spend(8 * parts.len())?;
        let (mut found, mut dead) = (Wide::default(), CharSet::empty());
        for part in parts {
            let Some(like) = part.ranges().first().and_then(|range| char::from_u32(range.0)) else {
                continue;
            };
            let mut at = Some(local);
            for &byte in like.encode_utf8(&mut [0; 4]).as_bytes() {
                let Some(from) = at else { break };
                let next = self.store.step_byte(from, byte, self.work)?;
                at = next.map(|next| self.store.clamped_local(next));
            }
            match at {
                Some(target) => found.add_part(&part, target),
                None => dead = dead.union(&part),
            }
        }
        if dead.len() <= DEAD {
            found.dead.extend(chars_in(&dead));
        } else if let Some(lack) = lacks.of(&dead.complement()) {
            found.lack = lack;
        } else {
            return Ok(None);
        }
        Ok(Some(found))
    }

    fn find_wide(&mut self, local: LocalId) -> Result<Option<Wide>, Exceeded> {
        if let Some(like) = self.tables.profile.lacks.any_wide()
            && !is_off(Switch::WideAlike)
            && let Some(target) = self.store.wide_alike(local, like, self.work)?
        {
            return Ok(Some(Wide { targets: SmallVec::from_slice(&[target]), ..Wide::default() }));
        }
        if !is_off(Switch::WideParts)
            && let Some(parts) = self.store.wide_parts(local, self.tables.profile.lacks.wide())
        {
            return self.wide_by_parts(local, parts);
        }
        let mut found = Wide::default();
        let mut looked = 0;
        for (lead, second, more) in LEADS {
            let mut todo: Vec<(LocalId, SmallVec<[ByteSet; 4]>)> = vec![(local, SmallVec::new())];
            while let Some((place, path)) = todo.pop() {
                let (low, high) = match path.len() {
                    0 => lead,
                    1 => second,
                    _ => TAIL,
                };
                let last = path.len() == more + 1;
                looked += 1;
                let expansion = self.store.split_expansion(place);
                let bytes = ByteSet::range(low, high).intersect(&self.trie.bytes_used);
                let dead = bytes.minus(&expansion.alive);
                if looked > WIDE_PLACES || !(dead.is_empty() || last && found.add_dead(&path, &dead)) {
                    return Ok(None);
                }
                for (i, class) in expansion.classes.iter().enumerate() {
                    let set = class.set.intersect(&bytes);
                    if set.is_empty() {
                        continue;
                    }
                    let next = self.step(expansion, i)?;
                    if last {
                        found.add_target(&path, &set, next);
                    } else {
                        todo.push((next, path.iter().copied().chain([set]).collect()));
                    }
                }
            }
        }
        Ok(Some(found))
    }
}
