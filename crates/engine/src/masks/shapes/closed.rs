//! Places among which a class of characters leads around.
//!
//! *Recognized* is a place from which characters lead about among places, in all of which the text can go on with any of
//! them: in the middle of a text that must contain something, or has parts of its own. *Exact*, since all tokens of such
//! characters are then allowed, however they move about, and only where something else follows in the same token does it matter where
//! they have led. The *answer* is the mask of the run, and the walk goes on behind it. The *limits*: [`PLACES`] places; characters that
//! do not go on everywhere are given up, or the few tokens that have them are looked at one by one.

use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::Wide;
use super::super::walk::{Area, Closed, PlaceTable, Places, RUN_TOKENS, Walk};
use super::shape::{AtAnchor, BytesShape};
use super::wide::DEAD;
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalExpansion, LocalId, Loop, WatchWays, Watcher};
use crate::tokens::accept::Shared;
use crate::tokens::class::{CharClass, LackId};
use crate::tokens::runs::{Anchor, Entry, Profile, Run, RunMask};
use crate::work::Exceeded;

/// A loop that so many other characters lead out of is one of many places.
const EXITS: usize = 16;
/// How many places may be looked at.
const PLACES: usize = 320;
/// The same where each is a formula, of which it takes much more to find out what it can do.
const FORMULAS: usize = 128;

/// The same for what is asked of one place at many nodes.
const PLACES_AROUND: usize = 48;
const FORMULAS_AROUND: usize = 8;

/// The search for it.
struct Search {
    places: Vec<(LocalId, u32)>,
    /// Of each that has been looked at, where its characters lead.
    looked: Vec<Looked>,
    /// Whether some do not go on from a place that is far away.
    fails: bool,
    /// Whether some lead to places that are not among these.
    elsewhere: bool,
    /// Whether there are machines that were not looked into.
    machines: bool,
    ascii: ByteSet,
    wide: bool,
    /// Those past ASCII that lead nowhere from all of them, once one was looked at.
    lack: Option<LackId>,
    dead: Vec<char>,
    /// The most characters of which it is known that they go on.
    most: u32,
    /// Bytes that may follow machines which were not looked into.
    after_machines: ByteSet,
    /// Whether it is for one place at many nodes: what it finds must hold for all characters, and fewer places are looked at.
    certain: bool,
    /// Whether characters are given up that lead elsewhere than most others do.
    narrow: bool,
    /// From places that it takes so many characters to come to, those that do not go on are looked for.
    far: u32,
}

/// Where the characters lead from a place.
#[derive(Default)]
struct Looked {
    ascii: SmallVec<[(u128, usize); 8]>,
    /// The place that all past ASCII lead to, if it is one.
    wide: Option<usize>,
}

impl Looked {
    /// The places that characters lead to.
    fn targets(&self) -> impl Iterator<Item = usize> {
        self.ascii.iter().map(|way| way.1).chain(self.wide)
    }
}

/// The characters that a text of them may begin with, and where they lead.
struct First {
    ascii: ByteSet,
    wide: bool,
    ways: Looked,
}

impl Search {
    /// The characters that go on.
    fn class(&self) -> CharClass {
        let lack = self.lack.filter(|_| self.wide).unwrap_or(LackId::NOTHING);
        CharClass { ascii: self.ascii, wide: self.wide, lack }
    }

    /// Nothing but a first place, and the characters that lead on from it, those past ASCII perhaps among them.
    fn new(home: LocalId, ascii: ByteSet, wide: bool) -> Self {
        Search {
            places: vec![(home, 1)],
            looked: Vec::new(),
            fails: false,
            elsewhere: false,
            machines: false,
            ascii,
            wide,
            lack: None,
            dead: Vec::new(),
            most: u32::MAX,
            after_machines: ByteSet::EMPTY,
            certain: false,
            narrow: false,
            far: FAR,
        }
    }

    /// Whether so many characters lead to several places, and not any number of them.
    fn is_tangled(&self) -> bool {
        let several = |looked: &Looked| {
            let mut targets = looked.targets();
            let first = targets.next();
            targets.any(|to| Some(to) != first)
        };
        let known = self.places.iter().zip(&self.looked).filter(|(place, _)| place.1 < self.most);
        self.most < u32::MAX && known.map(|(_, looked)| looked).any(several)
    }

    /// How many places may be looked at, formulas or others.
    fn most_places(&self, are_formulas: bool) -> usize {
        match (self.certain, are_formulas) {
            (true, true) => FORMULAS_AROUND,
            (true, false) => PLACES_AROUND,
            (false, true) => FORMULAS,
            (false, false) => PLACES,
        }
    }

    /// Whether it takes many characters to come to a place.
    fn is_far(&self, local: LocalId) -> bool {
        !is_off(Switch::FarFailures)
            && self.places.iter().find(|place| place.0 == local).is_none_or(|place| place.1 > self.far)
    }

    /// Whether too little is left to be worth it.
    fn is_poor(&self) -> bool {
        self.ascii.is_empty() || self.most < if self.machines { FEWEST } else { LEAST }
    }

    /// Whether the place that so many characters lead to is the last one that matters.
    fn is_last(&self, chars: u32) -> bool {
        chars >= self.most
    }

    /// The bytes that lead on once all characters are there that are known to go on.
    fn after_most(&self, first: &Looked, alive: impl Fn(LocalId) -> ByteSet) -> ByteSet {
        let mut layer = vec![false; self.places.len()];
        first.targets().for_each(|to| layer[to] = true);
        for _ in 1..self.most {
            let mut next = vec![false; layer.len()];
            for (looked, _) in self.looked.iter().zip(&layer).filter(|place| *place.1) {
                match looked.wide.is_none() && self.wide {
                    true => return ByteSet::ALL, // to several places
                    false => looked.targets().for_each(|to| next[to] = true),
                }
            }
            layer = next;
        }
        let last = self.places.iter().zip(&layer).filter(|place| *place.1);
        last.fold(ByteSet::EMPTY, |all, (place, _)| all.union(&alive(place.0)))
    }

    /// Adds a place; where it is among all.
    fn add(&mut self, local: LocalId, chars: u32) -> usize {
        let known = self.places.iter().position(|place| place.0 == local);
        known.unwrap_or_else(|| {
            self.places.push((local, chars));
            self.places.len() - 1
        })
    }

    /// Where the characters lead, as a table that begins with a first place.
    fn table(&self, first: LocalId, ways: &Looked) -> PlaceTable {
        let is_known = |chars: u32| chars < self.most;
        let mut table = PlaceTable::default();
        let known = self.places.iter().zip(&self.looked).filter(|(place, _)| is_known(place.1));
        for (local, looked) in std::iter::once((first, ways)).chain(known.map(|(place, looked)| (place.0, looked))) {
            let wide = looked.wide.filter(|_| self.wide && self.dead.is_empty());
            table.add(local, looked.ascii.iter().map(|&(set, to)| (set, to + 1)), wide.map(|to| to + 1));
        }
        // Those that are come to by as many characters as may be are behind all others.
        let last = self.places.iter().filter(|place| !is_known(place.1));
        last.for_each(|place| table.add(place.0, std::iter::empty(), None));
        table
    }

    /// The place that most characters lead back to wherever a text has come to, and its number in a table of all, if no
    /// number of characters leads out of these.
    fn base(&self, watcher: &Watcher) -> Option<(LocalId, u8)> {
        let usual = |place: u8| watcher.most_lead_to(place, &self.ascii);
        let base = usual(usual(0)?)?;
        let local = self.places.get((base as usize).checked_sub(1)?)?.0;
        (self.most == u32::MAX && usual(base) == Some(base)).then_some((local, base))
    }

    /// The places as a table, behind a first one from which the characters lead as they do in `first`.
    fn watcher(&self, first: &Looked) -> Option<Watcher> {
        if self.places.len() >= DEAD_PLACE {
            return None;
        }
        let wide = |looked: &Looked| looked.wide.map(|to| to as u8 + 1);
        let ways = |looked: &Looked| -> WatchWays {
            looked.ascii.iter().map(|&(set, to)| (set, to as u8 + 1)).collect()
        };
        let all = std::iter::once(first).chain(&self.looked);
        let places = all.map(|looked| (ways(looked), if self.wide { wide(looked) } else { None }));
        Some(Watcher::of(places, &self.ascii))
    }
}

/// How many tokens may have such characters.
const DEAD_TOKENS: usize = 2_000;
/// Of so many characters at least it must be known that they go on.
const LEAST: u32 = 2;
/// Where so many are known to go on, tokens that have more yet are few: they are looked at one by one.
const FEWEST: u32 = 12;
/// Characters that do not go on from places that it takes so many to come to are looked for; in formulas so many.
const FAR: u32 = 4;
const FAR_IN_FORMULAS: u32 = 2;
/// No place has so high a number.
const DEAD_PLACE: usize = u8::MAX as usize - 1;
/// With so many places, those so many characters away are left: what comes to them is looked at one by one.
const MANY: usize = 12;
const DEEP: u32 = 16;

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
                let failing = self.failing_like(anchor.node, (watcher, closed.base_of_failing), &closed.rest)?;
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
    fn leave_behind(&mut self, run: &Run, places: &mut Places, bytes: &ByteSet) -> Result<(), Exceeded> {
        let leaving = self.tables.profile.leaving(self.trie, run);
        for byte in bytes.iter() {
            for entry in leaving.behind(self.trie, byte) {
                self.work.spend(1)?;
                let before = self.trie.parent[entry.node as usize];
                if let Some(from) = self.place_at(before, places)?
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
                    match self.place_at(before, places)? {
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

    fn find_closed(&mut self, local: LocalId) -> Result<Option<Closed>, Exceeded> {
        let Some(home) = self.home(local)? else { return Ok(None) };
        if !is_off(Switch::CoveredPlaces)
            && let Some(covered) = self.covered(local, home)?
        {
            return Ok(Some(covered));
        }
        if !is_off(Switch::SinglePlace)
            && let Some(single) = self.single(local, home)?
        {
            return Ok(Some(single));
        }
        let alive = self.store.split_expansion(home).alive;
        let wide = alive.intersects(&ByteSet::PAST_ASCII);
        let mut around = Search::new(home, alive.intersect(&ByteSet::ASCII), wide);
        if self.store.is_formula(home) {
            around.far = FAR_IN_FORMULAS;
        }
        if !self.search(&mut around, None)? {
            return Ok(None);
        }
        // What leads out of the text is none of the characters that go on.
        let mut search = Search::new(home, around.ascii, around.wide);
        let mut first = self.search_firsts(local, &mut search, &around)?;
        if !self.search(&mut search, Some(&around))? {
            return Ok(None);
        }
        let loses_wide = wide
            && (!search.wide || search.fails && search.looked.iter().any(|looked| looked.wide.is_none()));
        if (search.is_tangled() || loses_wide)
            && let Some((narrow, its_first)) = self.narrowed(local, &search)?
        {
            (search, first) = (narrow, its_first);
        }
        let First { mut ascii, wide, ways } = first;
        let mut failing = None;
        if search.fails {
            // The table knows of these characters alone, and of one place for all past ASCII.
            ascii = ascii.intersect(&search.ascii);
            search.wide &= search.looked.iter().chain([&ways]).all(|looked| looked.wide.is_some());
            failing = search.watcher(&ways);
            if failing.is_none() {
                return Ok(None);
            }
        }
        let rest = search.class();
        let exits = self.exits(&search);
        let behind = (!search.machines && search.most < u32::MAX).then(|| {
            let after = search.after_most(&ways, |local| self.store.split_expansion(local).alive);
            let wide = if rest.wide { ByteSet::PAST_ASCII } else { ByteSet::EMPTY };
            after.intersect(&rest.ascii.union(&wide))
        });
        let base_of_failing = failing.as_ref().and_then(|watcher| search.base(watcher));
        let table = (!search.machines).then(|| Rc::new(search.table(local, &ways)));
        let known = (rest, search.most, search.dead);
        let closed = self.closed_at((home, home), (local, ascii, wide && rest.wide), known, exits)?;
        Ok(Some(Closed { failing, base_of_failing, behind, table, ..closed }))
    }

    /// The search without the characters that lead elsewhere than most others do, if those are few.
    fn narrowed(
        &mut self,
        local: LocalId,
        search: &Search,
    ) -> Result<Option<(Search, First)>, Exceeded> {
        if search.machines || is_off(Switch::NarrowRuns) {
            return Ok(None);
        }
        let home = search.places[0].0;
        let mut around = Search::new(home, search.ascii, search.wide);
        around.narrow = true;
        if !self.search(&mut around, None)? {
            return Ok(None);
        }
        let mut narrow = Search::new(home, around.ascii, around.wide);
        narrow.narrow = true;
        let first = self.search_firsts(local, &mut narrow, &around)?;
        let is_known = self.search(&mut narrow, Some(&around))? && !narrow.fails;
        let words = ByteSet::LETTERS.union(&ByteSet::range(b'0', b'9'));
        let is_most = !search.ascii.minus(&narrow.ascii).intersects(&words)
            && (narrow.wide || !search.wide)
            && narrow.most >= search.most;
        Ok((is_known && is_most).then_some((narrow, first)))
    }

    /// Adds the places that first characters lead to, of which the others go on, or fail as far away as elsewhere.
    fn search_firsts(
        &mut self,
        local: LocalId,
        search: &mut Search,
        around: &Search,
    ) -> Result<First, Exceeded> {
        let expansion = self.store.split_expansion(local);
        let (mut ascii, mut ways) = (ByteSet::EMPTY, Looked::default());
        for (i, class) in expansion.classes.iter().enumerate() {
            let set = class.set.intersect(&ByteSet::ASCII);
            if set.is_empty() {
                continue;
            }
            let next = self.step(expansion, i)?;
            if search.narrow && next != search.places[0].0 {
                continue;
            }
            let lost = search.ascii.minus(&self.store.split_expansion(next).alive);
            let goes_on = lost.is_empty();
            let is_some = set.intersects(&search.ascii) && 2 * lost.len() < search.ascii.len();
            if goes_on || is_some && around.is_far(next) {
                search.fails |= !goes_on;
                ascii = ascii.union(&set);
                ways.ascii.push((set.ascii_bits(), search.add(next, 1)));
            }
        }
        let mut wide = search.wide && self.search_wide((local, 0), search, &mut ways)?;
        wide &= !search.narrow || ways.wide == Some(0);
        if !wide {
            ways.wide = Some(0); // where no token leads it does not matter
        }
        Ok(First { ascii, wide, ways })
    }

    /// The bytes that may follow the characters of a search in one of its places, or in those that it has left out.
    fn exits(&self, search: &Search) -> ByteSet {
        let wide = if search.wide { ByteSet::PAST_ASCII } else { ByteSet::EMPTY };
        let all = if search.elsewhere { ByteSet::ALL } else { search.after_machines };
        let alive = search.places.iter().map(|place| self.store.split_expansion(place.0).alive);
        alive.fold(all, |all, alive| all.union(&alive)).minus(&search.ascii).minus(&wide)
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

    /// Follows the characters from place to place, giving up those that lead to where others cannot follow. Answers
    /// whether some are left. Where that is far from those `around` the place that most tokens lead to, it is noted.
    fn search(&mut self, search: &mut Search, around: Option<&Search>) -> Result<bool, Exceeded> {
        while let Some(&(local, chars)) = search.places.get(search.looked.len()) {
            if search.places.len() > search.most_places(self.store.is_formula(local)) {
                search.most = search.most.min(chars);
            }
            if !self.goes_on(local) || search.is_poor() {
                return Ok(false);
            }
            if chars >= DEEP && search.places.len() > MANY {
                search.most = search.most.min(chars);
            }
            search.elsewhere |= search.machines && search.is_last(chars);
            let looked = match search.is_last(chars) {
                true => Looked { wide: Some(0), ..Looked::default() }, // no token comes here
                false => self.search_from((local, chars), search, around)?,
            };
            search.looked.push(looked);
        }
        Ok(!search.is_poor())
    }

    /// The characters of which any number, or so many, may follow in a place, whatever they are.
    pub(super) fn area(&mut self, local: LocalId) -> Result<Option<Area>, Exceeded> {
        let alive = self.store.split_expansion(local).alive;
        let wide = alive.intersects(&ByteSet::PAST_ASCII);
        let mut search = Search::new(local, alive.intersect(&ByteSet::ASCII), wide);
        search.certain = true;
        if !self.search(&mut search, None)? || search.machines {
            return Ok(None);
        }
        let wide = search.wide && search.dead.is_empty();
        let most = if search.most == u32::MAX { u32::MAX } else { search.most - 1 };
        Ok(Some(Area { ascii: search.ascii.ascii_bits(), wide, lack: search.class().lack, most }))
    }

    fn search_from(
        &mut self,
        (local, chars): (LocalId, u32),
        search: &mut Search,
        around: Option<&Search>,
    ) -> Result<Looked, Exceeded> {
        let mut looked = Looked::default();
        if let Some((bytes, any, follows)) = self.any_in_machines(local) {
            search.ascii = search.ascii.intersect(&bytes);
            (search.wide, search.machines) = (false, true);
            search.most = search.most.min(chars.saturating_add(any));
            search.after_machines = search.after_machines.union(&follows);
            looked.ascii.push((u128::MAX, search.looked.len())); // inside, up to so many, nothing fails
            return Ok(looked);
        }
        let expansion = self.store.split_expansion(local);
        self.work.spend(8)?;
        if search.narrow {
            let sets = expansion.classes.iter().map(|class| class.set.intersect(&search.ascii));
            let most = sets.max_by_key(|set| self.tokens_by(set));
            search.ascii = most.unwrap_or(ByteSet::EMPTY);
        }
        for (i, class) in expansion.classes.iter().enumerate() {
            let set = class.set.intersect(&search.ascii);
            if set.is_empty() {
                continue;
            }
            let next = self.step(expansion, i)?;
            // What some of the characters rule out, or those characters themselves: the smaller loss. If all that
            // is much, so many characters are too many; if it is far away, it is looked for.
            let lost = search.ascii.minus(&self.store.split_expansion(next).alive);
            let is_far = |around: &Search| around.is_far(next);
            if 2 * lost.len() > search.ascii.len() && 2 * set.len() > search.ascii.len() {
                search.most = search.most.min(chars + 1);
                looked.ascii.push((set.ascii_bits(), search.add(next, chars + 1)));
            } else if lost.is_empty()
                || !search.certain && !search.narrow && around.map_or(chars >= search.far && !is_off(Switch::FarFailures), is_far)
            {
                search.fails |= !lost.is_empty();
                looked.ascii.push((set.ascii_bits(), search.add(next, chars + 1)));
            } else if lost.len() < set.len() {
                search.ascii = search.ascii.minus(&lost);
                looked.ascii.push((set.ascii_bits(), search.add(next, chars + 1)));
            } else {
                search.ascii = search.ascii.minus(&set);
            }
        }
        search.wide = search.wide && self.search_wide((local, chars), search, &mut looked)?;
        Ok(looked)
    }

    /// Adds the places that characters past ASCII lead to, if they all go on.
    fn search_wide(
        &mut self,
        (local, chars): (LocalId, u32),
        search: &mut Search,
        looked: &mut Looked,
    ) -> Result<bool, Exceeded> {
        let Some(Wide { targets, dead, rare, lack, .. }) = self.wide_of(local)? else { return Ok(false) };
        if *search.lack.get_or_insert(lack) != lack {
            return Ok(false); // what some lack leads on elsewhere
        }
        search.dead.extend(dead);
        let mut places: SmallVec<[usize; 4]> = SmallVec::new();
        for target in targets {
            let few = search.narrow && rare.iter().any(|rare| rare.0 == target);
            let goes_on = || search.ascii.is_subset(&self.store.split_expansion(target).alive);
            if !few && (search.is_last(chars + 1) || goes_on()) {
                places.push(search.add(target, chars + 1));
                continue;
            }
            search.elsewhere = true;
            // A few that lead elsewhere are looked at one by one, like those that lead nowhere.
            let few = search.dead.len();
            search.dead.extend(rare.iter().filter(|rare| rare.0 == target).map(|rare| rare.1));
            if search.dead.len() == few {
                return Ok(false);
            }
        }
        looked.wide = if let [only] = places[..] { Some(only) } else { None };
        Ok(self.are_few(&mut search.dead))
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
