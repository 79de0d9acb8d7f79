//! Whether a text can go on without a repetition that the grammar minds.
//!
//! A grammar has no dead ends of its own. So a text can be completed as soon as what is being written can become
//! something new; only along the candidates is there anything to search. Grammars are expected to take the plain byte
//! wherever they take the one that stands for a repetition, and to leave enough choice for entries that are not begun.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::{Place, Refused, Session};
use crate::ablate::{Switch, is_off};
use crate::automaton::StateId;
use crate::error::MatchError;
use crate::stack::{Config, Stack};
use crate::tracker::{ConfigKey, Mode, SPECIAL, Spot, TEXT_BYTES, Text, Tracker, key_of};
use crate::tuning::repeats::{PATIENCE, PLENTY, PROBE};
use crate::work::Work;

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The blank characters, one bit each.
pub(super) const BLANK: u128 = 1 << b' ' | 1 << b'\t' | 1 << b'\n' | 1 << b'\r';

/// The digits, one bit each.
pub(super) const DIGITS: u128 = ((1 << 10) - 1) << b'0';

/// A byte that may come next: what the automaton gets for it, and the tracker after it.
struct Way {
    byte: u8,
    given: u8,
    tracker: Tracker,
}

/// Whether a search stayed within what was being written in a container.
struct Stays {
    depth: u32,
    stayed: bool,
}

impl Stays {
    fn see(&mut self, tracker: &Tracker) {
        self.stayed &= tracker.depth() == self.depth && !tracker.began();
    }
}

/// What was found out about places during one call.
#[derive(Default)]
pub(crate) struct Verdicts {
    known: FxHashMap<(ConfigKey, u64), bool>,
    /// The trackers that are known must stay alive: see [`Tracker::identity`].
    kept: Vec<Tracker>,
}

/// What the rest of the matcher asks; without a tracker, the automaton alone answers.
impl Session {
    /// Where `bytes` lead from a place.
    pub(crate) fn go_on(&self, (config, tracker): &Place, bytes: &[u8]) -> Result<Place, Refused> {
        match tracker {
            None => Ok((self.advance(config, bytes)?, None)),
            Some(tracker) if tracker.stays(bytes) => {
                Ok((self.advance(config, bytes)?, Some(tracker.clone())))
            }
            Some(tracker) => {
                let (config, tracker) = self.follow(config, tracker, bytes)?;
                Ok((config, Some(Arc::new(tracker))))
            }
        }
    }

    /// Whether some sequence of tokens completes the text from a place.
    pub(crate) fn is_completable_at(&self, place: &Place) -> Result<bool, MatchError> {
        Ok(self.is_completable(&place.0)? && self.is_alive_at(place)?)
    }

    /// Whether some bytes complete the text from a place.
    pub(crate) fn is_alive_at(&self, (config, tracker): &Place) -> Result<bool, MatchError> {
        match tracker {
            Some(tracker) => self.is_alive(config, tracker, &mut self.work()),
            None => Ok(true),
        }
    }

    /// The first of `bytes` after which the text from a place cannot be completed, where that is known of the last one.
    pub(crate) fn dead_end(&self, from: &Place, bytes: &[u8]) -> Result<usize, MatchError> {
        if from.1.is_none() {
            return Ok(bytes.len() - 1);
        }
        let mut place = from.clone();
        for (at, byte) in bytes.iter().enumerate() {
            place = match self.go_on(&place, &[*byte]) {
                Ok(place) => place,
                Err(Refused::At(_)) => return Ok(at),
                Err(Refused::Limit(e)) => return Err(e.into()),
            };
            if !self.is_alive_at(&place)? {
                return Ok(at);
            }
        }
        Ok(bytes.len() - 1)
    }

    /// The bytes that may come next from a place; not all of them, if there are `enough`.
    pub(crate) fn bytes_at(&self, (config, tracker): &Place, enough: usize) -> Result<ByteSet, MatchError> {
        let next = self.next_bytes(config);
        self.is_sound()?;
        let Some(tracker) = tracker else { return Ok(next) };
        let (mut work, mut bytes) = (self.work(), ByteSet::EMPTY);
        for byte in next.intersect(&TEXT_BYTES).iter() {
            let mut after = (**tracker).clone();
            let given = after.step(byte);
            let alive = next.contains(given)
                && (!after.has_candidates()
                    || match self.advance(config, &[given]) {
                        Ok(config) => self.is_alive(&config, &after, &mut work)?,
                        Err(Refused::At(_)) => false,
                        Err(Refused::Limit(e)) => return Err(e.into()),
                    });
            if alive {
                bytes.insert(byte);
            }
            if bytes.len() >= enough {
                break;
            }
        }
        Ok(bytes)
    }
}

impl Session {
    /// Where `bytes` of text lead, with the bytes that stand for repetitions in their places.
    pub(crate) fn follow(
        &self,
        config: &Config,
        tracker: &Tracker,
        bytes: &[u8],
    ) -> Result<(Config, Tracker), Refused> {
        let fit = bytes.iter().position(|b| SPECIAL.contains(b)).unwrap_or(bytes.len());
        let mut tracker = tracker.clone();
        let config = match tracker.translate(&bytes[..fit]) {
            Some(given) => self.advance(config, &given)?,
            None => self.advance(config, &bytes[..fit])?,
        };
        if fit < bytes.len() { Err(Refused::At(fit)) } else { Ok((config, tracker)) }
    }

    /// Whether the text can be completed from here; remembers the answer.
    pub(crate) fn is_alive_known(
        &self,
        config: &Config,
        tracker: &Tracker,
        verdicts: &mut Verdicts,
        work: &mut Work,
    ) -> Result<bool, MatchError> {
        if !tracker.has_candidates() {
            return Ok(true);
        }
        let spot = self.spot(config);
        if self.is_item_of_plenty(spot, tracker)? || self.outnumbers(spot, tracker)? {
            return Ok(true);
        }
        if self.has_any_exponent(spot, tracker)? {
            return Ok(true);
        }
        if self.is_repetition(spot, tracker)? {
            return Ok(false);
        }
        let single = tracker.only_item().map(|item| (key_of(config), item));
        let memo = &self.generation.corrections.single;
        if let Some(known) = single.as_ref().and_then(|key| memo.get(key)) {
            return Ok(known);
        }
        let key = (key_of(config), tracker.identity());
        if !is_off(Switch::VerdictMemo)
            && let Some(&known) = verdicts.known.get(&key)
        {
            return Ok(known);
        }
        let (alive, stayed) = self.is_alive_within(config, tracker, work)?;
        if let Some(key) = single.filter(|_| stayed) {
            memo.insert(key, alive, |bytes| self.generation.store.add_bytes(bytes));
        }
        verdicts.kept.push(tracker.clone());
        verdicts.known.insert(key, alive);
        Ok(alive)
    }

    /// Whether the text can be completed from here: whether some way leads off all candidates, or past them.
    pub(crate) fn is_alive(
        &self,
        config: &Config,
        tracker: &Tracker,
        work: &mut Work,
    ) -> Result<bool, MatchError> {
        Ok(self.is_alive_within(config, tracker, work)?.0)
    }

    /// The same; and whether nothing but what is being written had to be looked at, less what comes after it.
    fn is_alive_within(
        &self,
        config: &Config,
        tracker: &Tracker,
        work: &mut Work,
    ) -> Result<(bool, bool), MatchError> {
        if !tracker.has_candidates() || self.is_item_of_plenty(self.spot(config), tracker)? {
            return Ok((true, false));
        }
        let mut from = tracker.clone();
        from.mark();
        let mut stays = Stays { depth: tracker.depth(), stayed: true };
        let alive = !is_off(Switch::SearchProbe) && self.probe(config, &from, &mut stays, work)?
            || self.search(config, &from, &mut stays, work)?;
        Ok((alive, stays.stayed))
    }

    /// Follows one way after the other for a few steps: most lead off the candidates as soon as a string begins.
    fn probe(
        &self,
        config: &Config,
        tracker: &Tracker,
        stays: &mut Stays,
        work: &mut Work,
    ) -> Result<bool, MatchError> {
        let mut todo: Vec<(Rc<Config>, Tracker, Option<u8>)> =
            vec![(Rc::new(config.clone()), tracker.clone(), None)];
        for _ in 0..PROBE {
            let Some((config, tracker, given)) = todo.pop() else { return Ok(false) };
            work.spend(64)?;
            let config = match given.map(|given| self.advance(&config, &[given])) {
                None => config,
                Some(Ok(config)) => Rc::new(config),
                Some(Err(Refused::At(_))) => continue,
                Some(Err(Refused::Limit(e))) => return Err(e.into()),
            };
            stays.see(&tracker);
            let Some(ways) = self.ways_from(&config, &tracker) else { return Ok(true) };
            let first = todo.len();
            let ways = ways.into_iter().filter(|way| !is_blank(way.byte));
            todo.extend(ways.map(|way| (config.clone(), way.tracker, Some(way.given))));
            // What opens a string is tried first.
            if let Some(at) = todo[first..].iter().position(|way| way.2 == Some(b'"')) {
                let last = todo.len() - 1;
                todo.swap(first + at, last);
            }
        }
        Ok(false)
    }

    /// The same for all ways. Breadth first, since there may be endlessly many spellings of one value; white space
    /// comes last.
    fn search(
        &self,
        config: &Config,
        tracker: &Tracker,
        stays: &mut Stays,
        work: &mut Work,
    ) -> Result<bool, MatchError> {
        // Kept to the end: a tracker is known by where its parts lie.
        let mut places: Vec<(Config, Tracker)> = vec![(config.clone(), tracker.clone())];
        let mut blank: Vec<(Config, Tracker)> = Vec::new();
        let mut seen: FxHashSet<(ConfigKey, u64)> = FxHashSet::default();
        let mut at = 0;
        loop {
            if at == places.len() {
                if blank.is_empty() {
                    return Ok(false);
                }
                places.append(&mut blank);
            }
            let (from, tracker) = places[at].clone();
            at += 1;
            work.spend(64)?;
            stays.see(&tracker);
            let Some(ways) = self.ways_from(&from, &tracker) else { return Ok(true) };
            for Way { byte, given, tracker } in ways {
                let config = match self.advance(&from, &[given]) {
                    Ok(config) => config,
                    Err(Refused::At(_)) => continue,
                    Err(Refused::Limit(e)) => return Err(e.into()),
                };
                // More white space leads nowhere else.
                if is_blank(byte) && tracker.is_between() && self.are_alike(&config, &from) {
                    continue;
                }
                if seen.insert((key_of(&config), tracker.identity())) {
                    let ahead = if is_blank(byte) { &mut blank } else { &mut places };
                    ahead.push((config, tracker));
                }
            }
        }
    }

    /// Whether two configurations differ in nothing but counts that no token can use up.
    pub(super) fn are_alike(&self, one: &Config, other: &Config) -> bool {
        let store = &self.generation.store;
        let alike = |a: &(StateId, Stack), b: &(StateId, Stack)| {
            store.clamped(a.0) == store.clamped(b.0) && a.1.key == b.1.key
        };
        one.len() == other.len() && one.iter().zip(other).all(|(a, b)| alike(a, b))
    }

    /// The ways on along the candidates; `None` if some way leads off them, or the text may end.
    fn ways_from(&self, config: &Config, tracker: &Tracker) -> Option<SmallVec<[Way; 4]>> {
        if self.accepts(config) {
            return None;
        }
        let next = self.next_bytes(config);
        let text = next.intersect(&TEXT_BYTES);
        if tracker.ways().is_some_and(|ways| !text.is_subset(&ways)) {
            return None;
        }
        let mut found = SmallVec::new();
        for byte in text.iter() {
            let mut tracker = tracker.clone();
            let given = tracker.step(byte);
            if !next.contains(given) {
                continue;
            }
            if !tracker.has_candidates() {
                return None;
            }
            found.push(Way { byte, given, tracker });
        }
        Some(found)
    }

    /// Whether what is being written can certainly become more different things than a text can hold, whatever those
    /// before it were: an entry of the container at `depth`. Counts the choices on some ways on, and gives up soon. `see`
    /// gets the places that it goes on from.
    pub(super) fn has_plenty(
        &self,
        spot: &Spot,
        tracker: &Tracker,
        depth: u32,
        see: &mut dyn FnMut(&Spot),
    ) -> Result<bool, MatchError> {
        if is_off(Switch::Plenty) {
            return Ok(false);
        }
        if !is_off(Switch::AnyKey) && self.is_before_any_key(spot, tracker, depth)? {
            return Ok(true);
        }
        let in_key = tracker.is_at_key();
        // The places from which there was no choice before, each with the one that led there.
        let mut trail: Vec<(&Spot, u32, usize)> = Vec::new();
        let mut todo: Vec<(&Spot, Tracker, f32, usize)> = vec![(spot, tracker.clone(), 0.0, usize::MAX)];
        let mut looked_at = 0;
        while looked_at < PATIENCE {
            let Some((spot, tracker, choices, mut from)) = todo.pop() else { return Ok(false) };
            looked_at += 1;
            let out = tracker.depth().checked_sub(depth);
            let is_known = |out| spot.knows_plenty(out) == Some(true) || self.is_endless_text(spot, &tracker);
            if choices >= PLENTY || out.is_some_and(is_known) {
                // All places on the way there have it as well.
                while let Some(&(spot, out, before)) = trail.get(from) {
                    self.remember_plenty(spot, out, true);
                    from = before;
                }
                return Ok(true);
            }
            let Some(out) = out.filter(|_| !is_over(&tracker, depth, in_key)) else { continue };
            if choices == 0.0 {
                trail.push((spot, out, from));
                from = trail.len() - 1;
            }
            see(spot);
            if let Some((literal, next)) = self.behind_literal(spot)? {
                let mut tracker = tracker;
                if literal.iter().all(|&byte| steps_within(&mut tracker, byte, depth, in_key)) {
                    todo.push((next, tracker, choices, from));
                }
                looked_at += literal.len() - 1;
                continue;
            }
            let mut ways = ways_on(self.classes_at(spot), &tracker, out == 0);
            ways.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (gain, byte) in ways {
                let Some(next) = self.spot_after(spot, byte)? else { continue };
                let mut tracker = tracker.clone();
                if steps_within(&mut tracker, byte, depth, in_key) {
                    todo.push((next, tracker, choices + gain.max(0.0), from));
                }
            }
        }
        Ok(false)
    }

    /// Whether an object in an entry of the container at `depth` may go on with a key of any text: that is seen sooner than
    /// it is found.
    fn is_before_any_key(&self, spot: &Spot, tracker: &Tracker, depth: u32) -> Result<bool, MatchError> {
        let up_to_key: &[u8] = match tracker.mode() {
            Mode::AfterValue if tracker.in_object() && tracker.depth() > depth => b",\"",
            Mode::Member | Mode::Members => b"\"",
            _ => return Ok(false),
        };
        let mut spot = spot;
        for &byte in up_to_key {
            let Some(next) = self.spot_after(spot, byte)? else { return Ok(false) };
            spot = next;
        }
        Ok(spot.any_number.count_ones() > 1)
    }

    /// Whether plain text of a string is being written, and any text may follow.
    fn is_endless_text(&self, spot: &Spot, tracker: &Tracker) -> bool {
        tracker.in_plain_text() && spot.any_number.count_ones() > 1 && !is_off(Switch::EndlessText)
    }
}

/// Whether the key, or the entry of the container at `depth`, that was being written has come to its end.
fn is_over(tracker: &Tracker, depth: u32, in_key: bool) -> bool {
    match (tracker.mode(), tracker.depth().checked_sub(depth)) {
        (Mode::Broken, _) | (_, None) => true,
        (Mode::AfterKey, Some(0)) => in_key,
        (Mode::AfterValue, Some(0)) => true,
        _ => false,
    }
}

/// Takes a byte; whether what was being written goes on. The end of a number or a word is seen by the byte that comes after it,
/// which may begin the next entry already.
fn steps_within(tracker: &mut Tracker, byte: u8, depth: u32, in_key: bool) -> bool {
    let may_end = matches!(tracker.mode(), Mode::Number | Mode::Word) && tracker.depth() == depth;
    tracker.step(byte);
    !(may_end && matches!(byte, b',' | b']' | b'}')) && !is_over(tracker, depth, in_key)
}

/// Bytes to try, one for each class, each with how many different things its class can make of the text, as a power of
/// two. Those that make none are given less the less they are likely to lead to some.
fn ways_on(classes: &[ByteSet], tracker: &Tracker, own: bool) -> SmallVec<[(f32, u8); 8]> {
    let content: ByteSet = match tracker.mode() {
        Mode::Key(Text::PLAIN) | Mode::String(Text::PLAIN) => {
            ByteSet::range(0x20, 0x7E).minus(&ByteSet::single(b'"')).minus(&ByteSet::single(b'\\'))
        }
        Mode::Number if !tracker.in_exponent() => ByteSet::range(b'0', b'9'),
        _ => ByteSet::EMPTY,
    };
    let mut ways = SmallVec::new();
    for class in classes {
        let class = class.intersect(&ByteSet::ASCII);
        let choice = class.intersect(&content);
        if let Some(byte) = choice.first() {
            ways.push(((choice.len() as f32).log2(), byte));
        }
        let rest = class.minus(&content);
        let blank: ByteSet = rest.iter().filter(|&b| is_blank(b)).collect();
        let rest = rest.minus(&blank);
        let rest = match tracker.mode() {
            // The end of a number is past the end of the item.
            Mode::Number if own => rest.intersect(&ByteSet::single(b'.')),
            Mode::Key(Text::PLAIN) | Mode::String(Text::PLAIN) => rest.intersect(&ByteSet::single(b'"')),
            _ => rest,
        };
        if let Some(byte) = rest.first() {
            ways.push((if matches!(byte, b'"' | b'1'..=b'9') { -1.0 } else { -2.0 }, byte));
        }
        if let Some(byte) = blank.first() {
            ways.push((-3.0, byte));
        }
    }
    ways
}
