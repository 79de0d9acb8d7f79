//! The search for places among which a class of characters leads around.
//!
//! It begins with a place and the characters that lead on from it, and follows them from place to place. Where some do not go
//! on, they are given up, or those that lead there; where most do not, that is as many characters as are known to go on.

use std::rc::Rc;

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::memory::Wide;
use super::super::walk::{Area, Closed, PlaceTable, Walk};
use crate::ablate::{Switch, is_off};
use crate::automaton::{LocalId, WatchWays, Watcher};
use crate::tokens::class::{CharClass, LackId};
use crate::tuning::closed::{
    DEEP, FAR, FAR_IN_FORMULAS, FORMULAS, FORMULAS_AROUND, LEAST, LEAST_BY_MACHINES, MANY, PLACES,
    PLACES_AROUND,
};
use crate::work::Exceeded;

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
        self.ascii.is_empty() || self.most < if self.machines { LEAST_BY_MACHINES } else { LEAST }
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
        for (local, looked) in
            std::iter::once((first, ways)).chain(known.map(|(place, looked)| (place.0, looked)))
        {
            let wide = looked.wide.filter(|_| self.wide && self.dead.is_empty());
            table.add(local, looked.ascii.iter().map(|&(set, to)| (set, to + 1)), wide.map(|to| to + 1));
        }
        // Those that are come to by as many characters as may be are behind all others.
        let last = self.places.iter().filter(|place| !is_known(place.1));
        last.for_each(|place| table.add(place.0, std::iter::empty(), None));
        table.find_chain(&self.ascii, self.wide);
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

/// No place has so high a number.
const DEAD_PLACE: usize = u8::MAX as usize - 1;

impl Walk<'_> {
    pub(super) fn find_closed(&mut self, local: LocalId) -> Result<Option<Closed>, Exceeded> {
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
            let all = rest.ascii.union(&wide);
            // A few past ASCII may have led elsewhere, where more goes on.
            let others = if search.dead.is_empty() { ByteSet::EMPTY } else { all.minus(&after) };
            (after.intersect(&all), others)
        });
        let base_of_failing = failing.as_ref().and_then(|watcher| search.base(watcher));
        let table = (!search.machines).then(|| Rc::new(search.table(local, &ways)));
        let known = (rest, search.most, search.dead);
        let closed = self.closed_at((home, home), (local, ascii, wide && rest.wide), known, exits)?;
        Ok(Some(Closed { failing, base_of_failing, behind, table, ..closed }))
    }

    /// The search without the characters that lead elsewhere than most others do, if those are few.
    fn narrowed(&mut self, local: LocalId, search: &Search) -> Result<Option<(Search, First)>, Exceeded> {
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
                || !search.certain
                    && !search.narrow
                    && around.map_or(chars >= search.far && !is_off(Switch::FarFailures), is_far)
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
}
