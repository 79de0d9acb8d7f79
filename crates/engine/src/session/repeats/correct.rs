//! Taking out of a mask what the automaton alone would allow although it leads to a repetition.
//!
//! There are two ways for a token to be wrong. It goes on with a key or an item that is being written and could still
//! be a repetition: those tokens are found by following the candidates down the trie. Or it begins a new one behind a
//! comma of its own: those are few in a vocabulary, and which of them are worth a look depends on the configuration
//! alone, so that is found out once and remembered ([`Corrections`]). Keys that abound are simpler: see [`clear_repeated_keys`].

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::{Refused, Session};
use super::choices::is_all;
use super::search::{BLANK, DIGITS, Verdicts, is_blank};
use crate::ablate::{Switch, is_off};
use crate::error::MatchError;
use crate::stack::Config;
use crate::tokens::bits::{clear, has};
use crate::tokens::tables::Tables;
use crate::tokens::trie::ROOT;
use crate::tracker::{
    Mode, Spot, TEXT_BYTES, Tracker, Views, clear_repeated_keys, key_of, may_end_entry, ways_of,
};
use crate::vocab::TokenId;
use crate::work::Work;

/// The characters of a string or a number that is being written any number of which may come next, one bit each, if there
/// are enough of them that what is written can become endlessly many things. So no token that is made of them, and
/// nothing else, ends in a repetition.
fn endless_at(spot: &Spot, tracker: &Tracker) -> u128 {
    let chars = match tracker.mode() {
        _ if is_off(Switch::EndlessText) => 0,
        _ if tracker.in_digits() => spot.any_number & DIGITS,
        _ if tracker.in_plain_text() => spot.any_number,
        _ => 0,
    };
    if chars.count_ones() > 1 { chars } else { 0 }
}

/// Whether there are brackets in bytes: those that open an array, and those that close something.
fn brackets(bytes: &[u8]) -> (bool, bool) {
    (bytes.contains(&b'['), bytes.iter().any(|b| matches!(b, b'}' | b']')))
}

/// A place on the way down the trie.
struct Place<'a> {
    node: u32,
    tracker: Tracker,
    spot: &'a Spot,
    /// Whether a repetition lies behind: what the automaton alone would say no longer counts.
    repeated: bool,
    /// Whether the text is known to be completable from here.
    alive: bool,
}

/// A place inside a string on the way down the trie.
struct Inside<'a, 'p> {
    node: u32,
    candidates: Views<'p>,
    /// The bytes that the candidates go on with.
    ways: ByteSet,
    place: Whereabouts<'a>,
}

/// Where in the grammar a place inside a string is.
#[derive(Clone, Copy)]
enum Whereabouts<'a> {
    /// Where any number of these ASCII characters may follow, one bit each; nothing but those were written, so that it need
    /// not be known better.
    Free(u128),
    At(&'a Spot),
}

/// One mask to be corrected.
struct Correction<'a> {
    session: &'a Session,
    tables: &'a Tables,
    words: &'a mut [u32],
    verdicts: Verdicts,
    work: Work,
}

impl Session {
    /// Takes out of `words`, which the automaton filled for `config`, the tokens that lead to a repetition.
    pub(crate) fn correct(
        &self,
        config: &Config,
        tracker: &Tracker,
        words: &mut [u32],
    ) -> Result<(), MatchError> {
        let common = &self.inner().common;
        let tables = &common.tables;
        for &token in &common.structure().special {
            clear(words, token);
        }
        let (tracking, mut work) = (tracker.tracking(), self.work());
        if tracker.keys_abound() {
            clear_repeated_keys((tables, common.structure()), tracker, words, &mut work)?;
            if !tracking.items {
                return Ok(());
            }
        }
        let beginning = self.beginning(config, tracker, words)?;
        let mut correction = Correction { session: self, tables, words, verdicts: Verdicts::default(), work };
        if tracker.has_candidates() {
            correction.walk(config, tracker)?;
        }
        for &token in beginning.iter() {
            correction.check(config, tracker, token)?;
        }
        Ok(())
    }

    /// The tokens of a mask that begin something new which may be, or may only become, a repetition.
    fn beginning(
        &self,
        config: &Config,
        tracker: &Tracker,
        words: &[u32],
    ) -> Result<Arc<[TokenId]>, MatchError> {
        let inside = matches!(tracker.mode(), Mode::Key(_) | Mode::String(_));
        // What the tracker says of bytes is one of these, or that they open an array.
        let (closing, other) = (tracker.begins_no_item(false, true), tracker.begins_no_item(false, false));
        let known = &self.generation.corrections.beginning;
        let key = (key_of(config), [inside, closing, other, tracker.keys_abound()]);
        if !is_off(Switch::BeginningMemo)
            && let Some(list) = known.get(&key)
        {
            return Ok(list);
        }
        let common = &self.inner().common;
        let (tables, structure) = (&common.tables, common.structure());
        // Inside a string, plain text before the quote makes no difference to what begins behind it.
        let plain = if inside { self.loops_of(config).unwrap_or(0) & !(1 << b'"' | 1 << b'\\') } else { 0 };
        let is_plain = |byte: u8| byte < 0x80 && plain >> byte & 1 == 1;
        let mut verdicts: FxHashMap<&[u8], bool> = FxHashMap::default();
        let mut found: Vec<TokenId> = Vec::new();
        let tokens = if inside { &structure.quote_comma } else { &structure.comma };
        for &token in tokens.iter().filter(|&&token| has(words, token)) {
            let bytes = tables.vocab.bytes(token).unwrap_or_default();
            let bytes = &bytes[bytes.iter().take_while(|&&b| is_plain(b)).count()..];
            let (opens, closes) = brackets(bytes);
            if tracker.begins_no_item(opens, closes) {
                continue;
            }
            let begins = match verdicts.get(bytes) {
                Some(&known) => known,
                None => *verdicts.entry(bytes).or_insert(self.begins_something(config, tracker, bytes)?),
            };
            found.extend(begins.then_some(token));
        }
        let (size, found) = (size_of_val(&*found), Arc::from(found));
        Ok(known.insert(key, found, |bytes| self.generation.store.add_bytes(bytes + size)))
    }

    /// Whether `bytes` begin something new after a comma, and it ends in them or may have too little choice.
    fn begins_something(&self, config: &Config, tracker: &Tracker, bytes: &[u8]) -> Result<bool, MatchError> {
        let comma = tracker.may_begin(bytes);
        if comma.is_none() && !is_off(Switch::CommaGlance) {
            return Ok(false);
        }
        let there = match self.advance(config, bytes) {
            Ok(config) => Some(self.spot(&config)),
            Err(Refused::At(_)) => None,
            Err(Refused::Limit(e)) => return Err(e.into()),
        };
        // Most begin an item of a kind that is known to have plenty of choice.
        let may_end = comma.is_none_or(|comma| may_end_entry(&bytes[comma..]));
        if there.is_some_and(|spot| spot.knows_plenty(0) == Some(true)) && !may_end {
            return Ok(false);
        }
        let mut after = tracker.clone();
        after.mark();
        after.translate(bytes);
        if !after.began() || after.ended() {
            return Ok(after.began());
        }
        Ok(match there {
            Some(spot) => !self.has_plenty_known(spot, &after, after.depth())?,
            None => true,
        })
    }
}

impl<'a> Correction<'a> {
    /// Runs a token through.
    fn check(&mut self, config: &Config, tracker: &Tracker, token: TokenId) -> Result<(), MatchError> {
        let bytes = self.tables.vocab.bytes(token).unwrap_or_default();
        if has(self.words, token) && !self.is_fine(config, tracker, bytes)? {
            clear(self.words, token);
        }
        Ok(())
    }

    /// Whether the text can be completed after `bytes`, which the automaton has allowed.
    fn is_fine(&mut self, config: &Config, tracker: &Tracker, bytes: &[u8]) -> Result<bool, MatchError> {
        let mut after = tracker.clone();
        if after.translate(bytes).is_none() && !after.has_candidates() {
            return Ok(true); // there is nothing that it could repeat
        }
        match self.session.follow(config, tracker, bytes) {
            Ok((config, tracker)) => {
                self.session.is_alive_known(&config, &tracker, &mut self.verdicts, &mut self.work)
            }
            Err(Refused::At(_)) => Ok(false),
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// Follows the candidates down the trie.
    fn walk(&mut self, config: &Config, tracker: &Tracker) -> Result<(), MatchError> {
        let trie = &self.tables.trie;
        let spot = self.session.spot(config);
        let mut todo =
            vec![Place { node: ROOT, tracker: tracker.clone(), spot, repeated: false, alive: true }];
        while let Some(place) = todo.pop() {
            if !place.repeated
                && let Some(candidates) = place.tracker.views()
            {
                self.run(&place, candidates, &mut todo)?;
                continue;
            }
            let children = trie.children(place.node);
            // Where there are many ways, most of them lead nowhere.
            let ways = match place.tracker.ways().or_else(|| place.tracker.signs()) {
                _ if place.repeated => TEXT_BYTES,
                Some(ways) => ways,
                None if children.len() > 8 => self.session.next_at(place.spot),
                None => TEXT_BYTES,
            };
            let endless = if place.repeated { 0 } else { endless_at(place.spot, &place.tracker) };
            for child in self.children(place.node, &ways)? {
                let here = (place.spot, &place.tracker);
                let is_harmless = is_all(trie, child, endless, false)
                    || !place.repeated && self.session.is_harmless(trie, here, child)?;
                if !is_harmless {
                    todo.extend(self.arrive(&place, child)?);
                }
            }
        }
        Ok(())
    }

    /// The children of a node that `ways` lead to.
    fn children(&mut self, node: u32, ways: &ByteSet) -> Result<SmallVec<[u32; 16]>, MatchError> {
        let trie = &self.tables.trie;
        let children = trie.children(node);
        let few = ways.len() * 4 < children.len();
        self.work.spend(1 + if few { ways.len() } else { children.len() })?;
        Ok(if few {
            ways.iter().filter_map(|byte| trie.child(node, byte)).collect()
        } else {
            children.filter(|&child| ways.contains(trie.byte[child as usize])).collect()
        })
    }

    /// Goes on below a place inside a string: as long as plain text is written, only the automaton and the candidates
    /// move. Where something else comes, that is left to be done.
    fn run<'p>(
        &mut self,
        place: &'p Place<'a>,
        candidates: Views<'p>,
        todo: &mut Vec<Place<'a>>,
    ) -> Result<(), MatchError> {
        let trie = &self.tables.trie;
        let start = match place.spot.any_number {
            0 => Whereabouts::At(place.spot),
            _ if is_off(Switch::FreeText) => Whereabouts::At(place.spot),
            free => Whereabouts::Free(free),
        };
        let ways = ways_of(candidates.iter().copied());
        let endless = endless_at(place.spot, &place.tracker);
        // No candidate goes on with characters past ASCII: tokens that do are none of theirs.
        let narrow = !place.tracker.repeats_wide();
        let mut inside = vec![Inside { node: place.node, candidates, ways, place: start }];
        while let Some(at) = inside.pop() {
            let endless = if let Whereabouts::Free(_) = at.place { endless } else { 0 };
            for child in self.children(at.node, &at.ways)? {
                let byte = trie.byte[child as usize];
                if is_all(trie, child, endless, narrow) {
                    continue;
                }
                let here = (place.spot, &place.tracker);
                if at.node == place.node && endless == 0 && self.session.is_harmless(trie, here, child)? {
                    continue;
                }
                if byte != b'"' && byte != b'\\' {
                    inside.extend(self.run_on(place, &at, child)?);
                    continue;
                }
                let Some(spot) = self.spot_inside(place, &at)? else { continue };
                let tracker = self.tracker_inside(place, &at);
                let here = Place { node: at.node, tracker, spot, repeated: false, alive: false };
                todo.extend(self.arrive(&here, child)?);
            }
        }
        Ok(())
    }

    /// What was written of a string on the way to a place inside of it.
    fn path(&self, place: &Place<'a>, at: &Inside<'a, '_>) -> SmallVec<[u8; 16]> {
        let (trie, mut node, mut path) = (&self.tables.trie, at.node, SmallVec::new());
        while node != place.node {
            path.push(trie.byte[node as usize]);
            node = trie.parent[node as usize];
        }
        path.reverse();
        path
    }

    /// Where a place inside a string is.
    fn spot_inside(&self, place: &Place<'a>, at: &Inside<'a, '_>) -> Result<Option<&'a Spot>, MatchError> {
        if let Whereabouts::At(spot) = at.place {
            return Ok(Some(spot));
        }
        match self.session.advance(&place.spot.config, &self.path(place, at)) {
            Ok(config) => Ok(Some(self.session.spot(&config))),
            Err(Refused::At(_)) => Ok(None),
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// The tracker at a place inside a string.
    fn tracker_inside(&self, place: &Place<'a>, at: &Inside<'a, '_>) -> Tracker {
        let mut tracker = place.tracker.clone();
        tracker.translate(&self.path(place, at));
        tracker
    }

    /// Goes to a child by plain text; the place there, if there is more to see below it.
    fn run_on<'p>(
        &mut self,
        place: &'p Place<'a>,
        at: &Inside<'a, 'p>,
        child: u32,
    ) -> Result<Option<Inside<'a, 'p>>, MatchError> {
        let trie = &self.tables.trie;
        let byte = trie.byte[child as usize];
        let mut candidates = at.candidates.clone();
        candidates.retain(|candidate| candidate.step(byte.into()));
        if candidates.is_empty() {
            return Ok(None);
        }
        let there = match at.place {
            Whereabouts::Free(free) if byte < 0x80 && free >> byte & 1 == 1 => at.place,
            _ => {
                let Some(spot) = self.spot_inside(place, at)? else { return Ok(None) };
                let Some(spot) = self.session.spot_after(spot, byte)? else { return Ok(None) };
                Whereabouts::At(spot)
            }
        };
        let ways = ways_of(candidates.iter().copied());
        let next = Inside { node: child, candidates, ways, place: there };
        if trie.own(child).iter().any(|&t| has(self.words, t)) && !self.is_alive_inside(place, &next)? {
            trie.subtree(child).iter().for_each(|&t| clear(self.words, t));
            return Ok(None);
        }
        Ok((trie.nodes[child as usize].children > 0).then_some(next))
    }

    /// Whether the text can be completed from a place inside a string.
    fn is_alive_inside(&mut self, place: &Place<'a>, at: &Inside<'a, '_>) -> Result<bool, MatchError> {
        if let Whereabouts::Free(free) = at.place
            && (free & !at.ways.ascii_bits() != 0 || endless_at(place.spot, &place.tracker) != 0)
        {
            return Ok(true);
        }
        let Some(spot) = self.spot_inside(place, at)? else { return Ok(false) };
        if self.leads_off(spot, &at.ways)? || self.session.is_item_of_plenty(spot, &place.tracker)? {
            return Ok(true);
        }
        // What is written on the way there is plain text as well.
        if self.session.outnumbers(spot, &place.tracker)? {
            return Ok(true);
        }
        let tracker = self.tracker_inside(place, at);
        self.session.is_alive_known(&spot.config, &tracker, &mut self.verdicts, &mut self.work)
    }

    /// Whether the automaton takes something that is none of `ways`.
    fn leads_off(&self, spot: &Spot, ways: &ByteSet) -> Result<bool, MatchError> {
        let leads = |ascii: u128| ascii & !ways.ascii_bits() != 0;
        if leads(spot.loops) || leads(spot.any_number) {
            return Ok(true);
        }
        // Where any text may be written, some letter goes on; that is found sooner than all that does.
        if !spot.knows_next()
            && !is_off(Switch::LettersFirst)
            && let Some(byte) = (b'a'..=b'z').rev().find(|&byte| !ways.contains(byte))
            && self.session.spot_after(spot, byte)?.is_some()
        {
            return Ok(true);
        }
        Ok(!self.session.next_at(spot).is_subset(ways))
    }

    /// Goes to a child of a place; the place there, if there is more to see below it.
    fn arrive(&mut self, place: &Place<'a>, child: u32) -> Result<Option<Place<'a>>, MatchError> {
        let trie = &self.tables.trie;
        let byte = trie.byte[child as usize];
        let mut tracker = place.tracker.clone();
        let given = tracker.step(byte);
        let repeated = place.repeated || given != byte;
        if !repeated && !tracker.has_candidates() {
            return Ok(None);
        }
        // White space between tokens changes nothing.
        let blank = !repeated && is_blank(byte) && place.tracker.is_between();
        if blank
            && place.alive
            && !is_off(Switch::BlankPassed)
            && !trie.below[child as usize].has_more_than(&BLANK)
        {
            return Ok(None);
        }
        let Some(spot) = self.session.spot_after(place.spot, given)? else {
            if repeated {
                trie.subtree(child).iter().for_each(|&t| clear(self.words, t));
            }
            return Ok(None);
        };
        let mut alive = blank && place.alive;
        if !alive && trie.own(child).iter().any(|&t| has(self.words, t)) {
            alive = self.is_alive(spot, &tracker)?;
            if !alive {
                // Whatever is written further on cannot be completed either.
                trie.subtree(child).iter().for_each(|&t| clear(self.words, t));
                return Ok(None);
            }
        }
        if trie.nodes[child as usize].children == 0 {
            return Ok(None);
        }
        Ok(Some(Place { node: child, tracker, spot, repeated, alive }))
    }

    fn is_alive(&mut self, spot: &Spot, tracker: &Tracker) -> Result<bool, MatchError> {
        if let Some(ways) = tracker.ways()
            && self.leads_off(spot, &ways)?
        {
            return Ok(true);
        }
        self.session.is_alive_known(&spot.config, tracker, &mut self.verdicts, &mut self.work)
    }
}
