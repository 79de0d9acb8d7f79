//! Places among which a class of characters leads around.
//!
//! *Recognized* is a place from which characters lead about among places, in all of which the text can go on with any of
//! them, or with as many of them as are left: in the middle of a text that must contain something, or has parts of its own.
//! *Exact*, since all tokens of such characters are then allowed, however they move about, and only where something else
//! follows in the same token, or more of them than are left, does it matter where they have led. The *answer* is the mask of
//! the run, and the walk goes on behind it. The *limits* are those of the [search](super::search); characters that do not go
//! on everywhere are given up, or the few tokens that have them are looked at one by one.

use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::walk::{Closed, Places, Walk};
use super::shape::{AtAnchor, BytesShape};
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalExpansion, LocalId, Loop};
use crate::tokens::accept::Shared;
use crate::tokens::class::CharClass;
use crate::tokens::runs::{Anchor, Entry, Profile, Run, RunMask};
use crate::tuning::closed::{DEAD, DEAD_TOKENS, EXITS};
use crate::tuning::walk::RUN_TOKENS;
use crate::work::Exceeded;

/// Bytes that lead among such places.
pub(super) struct ClosedPlaces;

impl BytesShape for ClosedPlaces {
    const WAY: Switch = Switch::ClosedPlaces;

    fn take(
        walk: &mut Walk<'_>,
        at: AtAnchor<'_>,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
        let past_ascii = left.intersect(&ByteSet::PAST_ASCII);
        let are_many =
            at.anchor.has(RUN_TOKENS, &past_ascii) || walk.has_words(at.anchor, expansion, left)?;
        match are_many && walk.calls_nothing(at.local) {
            true => walk.closed(at, left),
            false => Ok(ByteSet::EMPTY),
        }
    }
}

/// The same where they lead to a loop that most other characters lead out of: then it matters little that it is one.
pub(super) struct ClosedEarly;

impl BytesShape for ClosedEarly {
    const WAY: Switch = Switch::ClosedEarly;

    fn take(
        walk: &mut Walk<'_>,
        at: AtAnchor<'_>,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
        match walk.calls_nothing(at.local) && walk.is_left_anyhow(at.anchor, expansion, left)? {
            true => walk.closed(at, left),
            false => Ok(ByteSet::EMPTY),
        }
    }
}

impl Walk<'_> {
    /// Whether places can be followed without what they call: that is walked by itself, or there is nothing.
    pub(super) fn calls_nothing(&self, local: LocalId) -> bool {
        self.calls_apart() || self.store.split_expansion(local).apart.is_empty()
    }

    /// Takes all tokens from an anchor on that lead about among places that go on. Answers the bytes it has seen to.
    fn closed(
        &mut self,
        AtAnchor { index, anchor, local }: AtAnchor<'_>,
        left: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
        if is_off(Switch::ClosedPlaces) {
            return Ok(ByteSet::EMPTY);
        }
        let Some(closed) = self.closed_from(local)? else { return Ok(ByteSet::EMPTY) };
        let first = closed.first.intersect(left);
        let wide = if closed.first_wide { ByteSet::PAST_ASCII } else { ByteSet::EMPTY };
        if !anchor.has(RUN_TOKENS, &first.union(&wide))
            || !Profile::pays(&first, &closed.rest)
            || !self.knows(anchor, &closed.rest)
        {
            return Ok(ByteSet::EMPTY);
        }
        let run =
            Run { anchor: index, first, first_wide: closed.first_wide, rest: closed.rest, most: u32::MAX };
        let run = if closed.behind.is_some() { Run { most: closed.most, ..run } } else { run };
        let RunMask { mask, minus, .. } = self.tables.profile.mask(self.trie, run);
        self.work.spend(64)?;
        let minus = match closed.behind {
            Some(_) => minus,
            None => self.tables.profile.longer(self.trie, Run { most: closed.most, ..run }),
        };
        let minus = self.with_dead(minus, &closed.dead, &mask);
        self.one_by_one(anchor.node, local, &minus)?;
        let minus = match &closed.failing {
            Some(watcher) => {
                let failing =
                    self.failing_like(anchor.node, (watcher, closed.base_of_failing), &closed.rest)?;
                self.with_tokens_of(minus, &mask, &failing)
            }
            None => minus,
        };
        self.masks.push(Shared { mask, minus });
        let stays = |entry: &Entry, _| entry.is_within(&closed.home_first, &closed.home_rest);
        let mut places = Places::new(anchor.node, local, Some(closed.base));
        places.ends = closed.ends.filter(|_| !is_off(Switch::FarEnds));
        places.table = closed.table.clone().map(|table| (anchor.node, table));
        self.leave_from(&run, (&mut places, closed.home), &closed.exits, stays)?;
        if let Some(behind) = &closed.behind {
            self.leave_behind(&run, &mut places, behind)?;
        }
        Ok(first.union(&wide))
    }

    /// Goes on where a run is as long as it may be, and more of its characters follow.
    fn leave_behind(
        &mut self,
        run: &Run,
        places: &mut Places,
        (bytes, wide): &(ByteSet, ByteSet),
    ) -> Result<(), Exceeded> {
        let leaving = self.tables.profile.leaving(self.trie, run);
        for byte in bytes.union(wide).iter() {
            let is_any = bytes.contains(byte);
            for entry in leaving.behind(self.trie, byte).filter(|entry| is_any || entry.wide) {
                self.work.spend(1)?;
                let before = self.trie.parent[entry.node as usize];
                if let Some(from) = self.place_before(&entry, before, places)?
                    && let Some(next) = self.after_place(from, places, byte)?
                {
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a loop is come to that most other characters lead out of: then it matters little that it is one.
    fn is_left_anyhow(
        &mut self,
        anchor: &Anchor,
        expansion: &LocalExpansion,
        left: &ByteSet,
    ) -> Result<bool, Exceeded> {
        for (i, class) in expansion.classes.iter().enumerate() {
            if !anchor.has(RUN_TOKENS, &class.set.intersect(left)) {
                continue;
            }
            let next = self.step(expansion, i)?;
            let Some(repeats) = self.store.repeats(next) else { continue };
            let chars = self.store.program.class(repeats.chars);
            let others = self.store.split_expansion(next).alive.minus(&chars.ascii);
            let ascii = others.intersect(&ByteSet::ASCII).len();
            if ascii > EXITS && (chars.wide || ascii < others.len()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tokens that have to be looked at: some, and those of a mask that have certain characters.
    pub(super) fn with_dead(&self, some: Arc<[u32]>, dead: &[char], mask: &[u32]) -> Arc<[u32]> {
        if dead.is_empty() {
            return some;
        }
        let mut tokens: Vec<u32> = some.to_vec();
        for &c in dead {
            let with = self.tables.profile.tokens_with(self.trie, c);
            tokens.extend(with.filter(|&t| mask[t as usize / 32] >> (t % 32) & 1 == 1));
        }
        tokens.sort_unstable();
        tokens.dedup();
        tokens.into()
    }

    /// Tokens of which nothing is known: each by itself.
    pub(super) fn one_by_one(&mut self, node: u32, local: LocalId, tokens: &[u32]) -> Result<(), Exceeded> {
        let depth = self.trie.path(node).count();
        for &token in tokens {
            let bytes = self.tables.vocab.bytes(token).unwrap_or_default();
            let at = self.after_bytes(local, bytes.get(depth..).unwrap_or_default())?;
            self.ids.extend(at.map(|_| token));
        }
        Ok(())
    }

    /// Where some bytes lead.
    pub(super) fn after_bytes(&mut self, local: LocalId, bytes: &[u8]) -> Result<Option<LocalId>, Exceeded> {
        let mut at = local;
        for (done, &byte) in bytes.iter().enumerate() {
            self.work.spend(1)?;
            match self.by_byte(at, byte)? {
                Some(next) if next == at && self.is_within(at, &bytes[done + 1..]) => break,
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Whether some bytes are ASCII characters of the loop that a place is. One of them led back to it, so all of them do.
    fn is_within(&self, local: LocalId, bytes: &[u8]) -> bool {
        let is_in = |ascii: u128| bytes.iter().all(|&byte| byte < 0x80 && ascii >> byte & 1 == 1);
        self.store
            .repeats(local)
            .is_some_and(|repeats| repeats.left.is_none() && repeats.need == 0 && is_in(repeats.ascii))
    }

    pub(crate) fn after_byte(&mut self, local: LocalId, byte: u8) -> Result<Option<LocalId>, Exceeded> {
        let expansion = self.store.split_expansion(local);
        expansion.class_of(byte).map(|class| self.step(expansion, class)).transpose()
    }

    /// The same for a place that perhaps can do what `base` can and little more: then it is put together from where the
    /// byte leads from these two.
    pub(super) fn after_byte_like(
        &mut self,
        local: LocalId,
        base: LocalId,
        byte: u8,
    ) -> Result<Option<LocalId>, Exceeded> {
        let Some(more) = self.store.more_than(local, base) else { return self.after_byte(local, byte) };
        match (self.after_byte(base, byte)?, self.after_byte(more, byte)?) {
            (Some(one), Some(other)) => match self.store.either(one, other) {
                None => self.after_byte(local, byte),
                both => Ok(both),
            },
            (one, other) => Ok(one.or(other)),
        }
    }

    /// Goes on where something else follows a run. Where it is known of the nodes in between that they lead `home`, that
    /// need not be found out.
    pub(super) fn leave_from(
        &mut self,
        run: &Run,
        (places, home): (&mut Places, LocalId),
        exits: &ByteSet,
        is_home: impl Fn(&Entry, u32) -> bool,
    ) -> Result<(), Exceeded> {
        let leaving = self.tables.profile.leaving(self.trie, run);
        let above = self.tables.profile.anchor(run.anchor).node;
        for byte in exits.iter() {
            let ends = places.ends.filter(|ends| ends.0.contains(byte));
            let least = ends.map_or(0, |ends| ends.1 as usize);
            let from_home = if least == 0 { self.after_byte(home, byte)? } else { None };
            for entry in leaving.by(byte) {
                if least > 0 && !self.is_below_by(entry.node, above, least + 1) {
                    continue;
                }
                let before = self.trie.parent[entry.node as usize];
                let next = if least == 0 && !is_off(Switch::HomeExits) && is_home(&entry, before) {
                    from_home
                } else {
                    self.work.spend(1)?;
                    match self.place_before(&entry, before, places)? {
                        Some(from) => self.after_place(from, places, byte)?,
                        None => None,
                    }
                };
                if let Some(next) = next {
                    self.work.spend(1)?;
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }

    /// Whether it takes at least so many bytes to come from one node down to another.
    fn is_below_by(&self, node: u32, above: u32, least: usize) -> bool {
        let way = std::iter::successors(Some(node), |&at| Some(self.trie.parent[at as usize]));
        way.take_while(|&at| at != above).take(least).count() == least
    }

    /// Where a byte leads from one of some places.
    pub(super) fn after_place(
        &mut self,
        from: LocalId,
        places: &Places,
        byte: u8,
    ) -> Result<Option<LocalId>, Exceeded> {
        match places.base {
            Some(base) if places.table.is_none() => self.after_byte_like(from, base, byte),
            _ => self.by_byte(from, byte),
        }
    }

    /// Where the bytes before an entry lead.
    fn place_before(
        &mut self,
        entry: &Entry,
        before: u32,
        places: &mut Places,
    ) -> Result<Option<LocalId>, Exceeded> {
        let by_chars = places.table.as_ref().and_then(|(_, table)| table.after_chars(entry.chars));
        if by_chars.is_some() { Ok(by_chars) } else { self.place_at(before, places) }
    }

    /// Where the bytes down to a node lead.
    pub(super) fn place_at(&mut self, node: u32, places: &mut Places) -> Result<Option<LocalId>, Exceeded> {
        if let Some(place) = self.place_by_table(node, places) {
            return Ok(Some(place));
        }
        let mut path: SmallVec<[u32; 16]> = SmallVec::new();
        let mut at = node;
        let mut place = loop {
            if let Some(&place) = places.known.get(&at) {
                break place;
            }
            path.push(at);
            at = self.trie.parent[at as usize];
        };
        for &node in path.iter().rev() {
            if let Some(from) = place {
                self.work.spend(1)?;
                place = self.after_place(from, places, self.trie.byte[node as usize])?;
            }
            places.known.insert(node, place);
        }
        Ok(place)
    }

    /// The same if a table tells.
    fn place_by_table(&self, node: u32, places: &Places) -> Option<LocalId> {
        let (above, table) = places.table.as_ref()?;
        let mut bytes: SmallVec<[u8; 32]> = SmallVec::new();
        let mut at = node;
        while at != *above {
            bytes.push(self.trie.byte[at as usize]);
            at = self.trie.parent[at as usize];
        }
        bytes.reverse();
        table.after(&bytes)
    }

    fn closed_from(&mut self, local: LocalId) -> Result<Option<Rc<Closed>>, Exceeded> {
        if let Some((_, known)) = self.closures.iter().find(|known| known.0 == local) {
            return Ok(known.clone());
        }
        let found = self.find_closed(local)?.map(Rc::new);
        self.closures.push((local, found.clone()));
        Ok(found)
    }

    /// The place that most tokens lead to by their first character.
    pub(super) fn home(&mut self, local: LocalId) -> Result<Option<LocalId>, Exceeded> {
        self.heaviest(local, None)
    }

    /// The same, or the place that most others lead to.
    pub(super) fn heaviest(
        &mut self,
        local: LocalId,
        but: Option<LocalId>,
    ) -> Result<Option<LocalId>, Exceeded> {
        let expansion = self.store.split_expansion(local);
        let weights = expansion.classes.iter().map(|class| self.tokens_by(&class.set));
        let mut weights: SmallVec<[(usize, usize); 16]> = weights.enumerate().map(|(i, w)| (w, i)).collect();
        while let Some(at) = (0..weights.len()).max_by_key(|&at| weights[at]) {
            let next = self.step(expansion, weights.swap_remove(at).1)?;
            if but != Some(next) {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// How many tokens begin with one of some ASCII bytes. Those that begin with a space do not count: they have something
    /// behind it.
    pub(super) fn tokens_by(&self, bytes: &ByteSet) -> usize {
        let counted = bytes.intersect(&ByteSet::ASCII).minus(&ByteSet::single(b' '));
        self.tables.profile.anchor(0).count(&counted)
    }
    /// What is known to go on from a first place, with another that most tokens lead to and one that most are like: a class,
    /// up to how many characters, and which of them do not.
    pub(super) fn closed_at(
        &mut self,
        (home, base): (LocalId, LocalId),
        (local, first, first_wide): (LocalId, ByteSet, bool),
        (rest, most, dead): (CharClass, u32, Vec<char>),
        exits: ByteSet,
    ) -> Result<Closed, Exceeded> {
        let (home_first, home_rest) = (self.leads_to(local, home, &first)?, self.stays(home, &rest)?);
        Ok(Closed {
            first,
            first_wide,
            rest,
            most,
            dead,
            behind: None,
            table: None,
            failing: None,
            base_of_failing: None,
            exits,
            ends: None,
            home,
            home_first,
            home_rest,
            base,
        })
    }

    /// Whether characters, and the tokens that have them, are few enough to be looked at one by one.
    pub(super) fn are_few(&self, chars: &mut Vec<char>) -> bool {
        chars.sort_unstable();
        chars.dedup();
        let with = |&c: &char| self.tables.profile.tokens_with(self.trie, c).count();
        chars.len() <= DEAD && chars.iter().map(with).sum::<usize>() <= DEAD_TOKENS
    }

    /// Whether nothing happens in a place but that bytes lead on from it.
    pub(crate) fn goes_on(&self, local: LocalId) -> bool {
        let expansion = self.store.split_expansion(local);
        !expansion.pops && expansion.ends.is_empty() && expansion.apart.is_empty()
    }

    /// Those of some bytes that lead from one place to another.
    pub(crate) fn leads_to(
        &mut self,
        from: LocalId,
        to: LocalId,
        bytes: &ByteSet,
    ) -> Result<ByteSet, Exceeded> {
        let expansion = self.store.split_expansion(from);
        let mut found = ByteSet::EMPTY;
        for (i, class) in expansion.classes.iter().enumerate() {
            if class.set.intersects(bytes) && self.step(expansion, i)? == to {
                found = found.union(&class.set.intersect(bytes));
            }
        }
        Ok(found)
    }

    /// Those of the characters of a class that lead from a place back to it.
    pub(super) fn stays(&mut self, home: LocalId, class: &CharClass) -> Result<CharClass, Exceeded> {
        if let Some(Loop { chars, left: None, need: 0, .. }) = self.store.repeats(home)
            && self.store.program.class(chars) == *class
        {
            return Ok(*class);
        }
        let ascii = self.leads_to(home, home, &class.ascii)?;
        let wide = class.wide && self.wide_leads_to(home, home, class.lack)?;
        Ok(CharClass { ascii, wide, lack: class.lack })
    }
}
