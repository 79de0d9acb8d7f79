//! Taking out of a mask what the automaton alone would allow although it leads to a repetition.
//!
//! There are two ways for a token to be wrong. It goes on with a key or an item that is being written and could still
//! be a repetition: those tokens are found by following the candidates down the trie. Or it begins a new one behind a
//! comma of its own: those are few in a vocabulary, and which of them are worth a look depends on the configuration
//! alone, so that is found out once and remembered ([`Corrections`]). Keys that abound are simpler: see [`keys`](super::keys).

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::keys::clear_repeated_keys;
use super::search::{BLANK, ConfigKey, Verdicts, is_blank, key_of};
use super::{Cursors, Mode, TEXT_BYTES, Tracker, ways_of};
use crate::advance::Refused;
use crate::automaton::Work;
use crate::error::MatchError;
use crate::matcher::Matcher;
use crate::stack::Config;
use crate::tables::Tables;
use crate::trie::ROOT;
use crate::vocab::TokenId;

/// Tokens that are alike but for plain text of a string before the bytes that they share.
struct Alike {
    rest: Box<[u8]>,
    tokens: Vec<TokenId>,
}

/// Tokens by the configuration and whether it stands inside a string.
type Beginning = FxHashMap<(ConfigKey, bool), Arc<[Alike]>>;

/// For each configuration, the tokens that begin something new and have to be looked at one by one.
#[derive(Default)]
pub(crate) struct Corrections {
    beginning: Mutex<Beginning>,
    plenty: Mutex<FxHashMap<ConfigKey, bool>>,
}

pub(super) fn has(words: &[u32], token: TokenId) -> bool {
    words.get(token as usize / 32).is_some_and(|w| w >> (token % 32) & 1 == 1)
}

pub(super) fn clear(words: &mut [u32], token: TokenId) {
    if let Some(word) = words.get_mut(token as usize / 32) {
        *word &= !(1 << (token % 32));
    }
}

/// A configuration.
struct Spot {
    config: Config,
    /// The ASCII characters that lead back to it, one bit each, where that is plain to see.
    loops: u128,
    next: OnceCell<ByteSet>,
}

impl Spot {
    fn loops_on(&self, byte: u8) -> bool {
        byte < 0x80 && self.loops >> byte & 1 == 1
    }
}

/// A place on the way down the trie.
struct Place {
    node: u32,
    tracker: Tracker,
    spot: Rc<Spot>,
    /// Whether a repetition lies behind: what the automaton alone would say no longer counts.
    repeated: bool,
    /// Whether the text is known to be completable from here.
    alive: bool,
}

/// One mask to be corrected.
struct Correction<'a> {
    matcher: &'a Matcher,
    tables: &'a Tables,
    words: &'a mut [u32],
    verdicts: Verdicts,
    work: Work,
}

impl Matcher {
    /// Takes out of `words`, which the automaton filled for `config`, the tokens that lead to a repetition.
    pub(crate) fn correct(
        &self,
        config: &Config,
        tracker: &Tracker,
        words: &mut [u32],
    ) -> Result<(), MatchError> {
        let tables = &self.constraint().inner.tables;
        for &token in &tables.structure().special {
            clear(words, token);
        }
        let (tracking, mut work) = (tracker.tracking(), self.work());
        if tracker.keys_abound() {
            clear_repeated_keys(tables, tracker, words, &mut work)?;
            if !tracking.items {
                return Ok(());
            }
        }
        let beginning = self.beginning(config, tracker, words)?;
        let mut correction = Correction { matcher: self, tables, words, verdicts: Verdicts::default(), work };
        if tracker.has_candidates() {
            correction.walk(config, tracker)?;
        }
        for alike in beginning.iter() {
            correction.check_alike(config, tracker, alike)?;
        }
        Ok(())
    }

    /// The tokens of a mask that begin something new which may be, or may only become, a repetition.
    fn beginning(
        &self,
        config: &Config,
        tracker: &Tracker,
        words: &[u32],
    ) -> Result<Arc<[Alike]>, MatchError> {
        let inside = matches!(tracker.mode(), Mode::Key(_) | Mode::String(_));
        let known = &self.generation.corrections.beginning;
        let key = (key_of(config), inside);
        if let Some(list) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(list.clone());
        }
        let tables = &self.constraint().inner.tables;
        let structure = tables.structure();
        // Inside a string, plain text before the quote makes no difference: many tokens are alike.
        let plain = if inside { self.loops_of(config).unwrap_or(0) & !(1 << b'"' | 1 << b'\\') } else { 0 };
        let is_plain = |byte: u8| byte < 0x80 && plain >> byte & 1 == 1;
        let mut verdicts: FxHashMap<&[u8], Option<usize>> = FxHashMap::default();
        let mut found: Vec<Alike> = Vec::new();
        for &token in if inside { &structure.quote_comma } else { &structure.comma } {
            let Some(bytes) = tables.vocab.bytes(token).filter(|_| has(words, token)) else { continue };
            let bytes = &bytes[bytes.iter().take_while(|&&b| is_plain(b)).count()..];
            let place = match verdicts.get(bytes) {
                Some(&known) => known,
                None => {
                    let begins = self.begins_something(config, tracker, bytes)?;
                    if begins {
                        found.push(Alike { rest: bytes.into(), tokens: Vec::new() });
                    }
                    *verdicts.entry(bytes).or_insert(begins.then_some(found.len().wrapping_sub(1)))
                }
            };
            if let Some(at) = place {
                found[at].tokens.push(token);
            }
        }
        let size: usize = found.iter().map(|alike| alike.rest.len() + alike.tokens.len() * 4 + 64).sum();
        let found: Arc<[Alike]> = found.into();
        self.generation.store.add_bytes(size + 128);
        known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        Ok(found)
    }

    /// Whether `bytes` begin something new after a comma, and it ends in them or may have too little choice.
    fn begins_something(&self, config: &Config, tracker: &Tracker, bytes: &[u8]) -> Result<bool, MatchError> {
        let mut after = tracker.clone();
        after.mark();
        after.translate(bytes);
        Ok(after.began() && (after.ended() || !self.leads_to_plenty(config, bytes, &after)?))
    }

    /// Whether there is plenty of choice behind a token; `after` is the tracker there.
    fn leads_to_plenty(&self, config: &Config, bytes: &[u8], after: &Tracker) -> Result<bool, MatchError> {
        let config = match self.advance(config, bytes) {
            Ok(config) => config,
            Err(Refused::At(_)) => return Ok(false),
            Err(Refused::Limit(e)) => return Err(e.into()),
        };
        let known = &self.generation.corrections.plenty;
        let key = key_of(&config);
        if let Some(&plenty) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(plenty);
        }
        let plenty = self.has_plenty(&config, after)?;
        self.generation.store.add_bytes(96);
        known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, plenty);
        Ok(plenty)
    }

    fn spot(&self, config: Config) -> Rc<Spot> {
        let loops = self.loops_of(&config).unwrap_or(0);
        Rc::new(Spot { config, loops, next: OnceCell::new() })
    }

    /// The ASCII characters that lead from a configuration back to it, where that is plain to see.
    fn loops_of(&self, config: &Config) -> Option<u128> {
        let store = &self.generation.store;
        let [(state, stack)] = &config[..] else { return None };
        if store.may_end(*state) && !stack.links.is_empty() {
            return None;
        }
        let repeats = store.repeats(store.local_of(store.clamped(*state)))?;
        let some = u8::try_from(repeats.ascii.trailing_zeros()).ok()?;
        let again = store.run_through(*state, &[some])?;
        (again == *state).then_some(repeats.ascii)
    }
}

impl Correction<'_> {
    /// Runs tokens through: one for all, where the text before what they share makes no difference.
    fn check_alike(&mut self, config: &Config, tracker: &Tracker, alike: &Alike) -> Result<(), MatchError> {
        let mut tokens = alike.tokens.iter().copied().filter(|&token| has(self.words, token)).peekable();
        if tokens.peek().is_none() {
            return Ok(());
        }
        let tokens: SmallVec<[TokenId; 8]> = tokens.collect();
        if tracker.is_indifferent(&alike.rest) {
            if !self.is_fine(config, tracker, &alike.rest)? {
                tokens.into_iter().for_each(|token| clear(self.words, token));
            }
            return Ok(());
        }
        for token in tokens {
            let bytes = self.tables.vocab.bytes(token).unwrap_or_default();
            if !self.is_fine(config, tracker, bytes)? {
                clear(self.words, token);
            }
        }
        Ok(())
    }

    /// Whether the text can be completed after `bytes`, which the automaton has allowed.
    fn is_fine(&mut self, config: &Config, tracker: &Tracker, bytes: &[u8]) -> Result<bool, MatchError> {
        let mut after = tracker.clone();
        if after.translate(bytes).is_none() && !after.has_candidates() {
            return Ok(true); // there is nothing that it could repeat
        }
        match self.matcher.follow(config, tracker, bytes) {
            Ok((config, tracker)) => {
                self.matcher.is_alive_known(&config, &tracker, &mut self.verdicts, &mut self.work)
            }
            Err(Refused::At(_)) => Ok(false),
            Err(Refused::Limit(e)) => Err(e.into()),
        }
    }

    /// Follows the candidates down the trie.
    fn walk(&mut self, config: &Config, tracker: &Tracker) -> Result<(), MatchError> {
        let trie = &self.tables.trie;
        let spot = self.matcher.spot(config.clone());
        let mut todo =
            vec![Place { node: ROOT, tracker: tracker.clone(), spot, repeated: false, alive: true }];
        while let Some(place) = todo.pop() {
            if place.spot.loops != 0
                && !place.repeated
                && let Some(cursors) = place.tracker.cursors()
            {
                self.run(&place, cursors, &mut todo)?;
                continue;
            }
            let children = trie.children(place.node);
            // Where there are many ways, most of them lead nowhere.
            let ways = match place.tracker.ways() {
                _ if place.repeated => TEXT_BYTES,
                Some(ways) => ways,
                None if children.len() > 8 => self.next_of(&place.spot),
                None => TEXT_BYTES,
            };
            for child in self.children(place.node, &ways)? {
                todo.extend(self.arrive(&place, child)?);
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

    /// Goes on below a place inside a string that the automaton does not tell from the next: as long as plain text
    /// is written, only the candidates move. Where something else comes, that is left to be done.
    fn run(&mut self, place: &Place, cursors: Cursors, todo: &mut Vec<Place>) -> Result<(), MatchError> {
        let trie = &self.tables.trie;
        let mut inside: Vec<(u32, Cursors, SmallVec<[u8; 16]>)> =
            vec![(place.node, cursors, SmallVec::new())];
        while let Some((node, cursors, path)) = inside.pop() {
            for child in self.children(node, &ways_of(cursors.iter()))? {
                let byte = trie.byte[child as usize];
                let mut next = cursors.clone();
                if byte != b'"' && byte != b'\\' && place.spot.loops_on(byte) {
                    next.retain(|c| c.step(byte.into()));
                    let off = place.spot.loops & !ways_of(next.iter()).ascii_bits() != 0;
                    if off || !trie.own(child).iter().any(|&t| has(self.words, t)) {
                        if trie.nodes[child as usize].children > 0 {
                            let path = path.iter().copied().chain([byte]).collect();
                            inside.push((child, next, path));
                        }
                        continue;
                    }
                }
                let mut tracker = place.tracker.clone();
                tracker.translate(&path);
                let here = Place { node, tracker, spot: place.spot.clone(), repeated: false, alive: false };
                todo.extend(self.arrive(&here, child)?);
            }
        }
        Ok(())
    }

    /// The bytes of text that the automaton takes next.
    fn next_of(&self, spot: &Spot) -> ByteSet {
        *spot.next.get_or_init(|| self.matcher.next_bytes(&spot.config).intersect(&TEXT_BYTES))
    }

    /// Goes to a child of a place; the place there, if there is more to see below it.
    fn arrive(&mut self, place: &Place, child: u32) -> Result<Option<Place>, MatchError> {
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
        if blank && place.alive && !trie.below[child as usize].has_more_than(&BLANK) {
            return Ok(None);
        }
        let spot = if place.spot.loops_on(given) {
            place.spot.clone()
        } else {
            match self.matcher.advance(&place.spot.config, &[given]) {
                Ok(config) if key_of(&config) == key_of(&place.spot.config) => place.spot.clone(),
                Ok(config) => self.matcher.spot(config),
                Err(Refused::Limit(e)) => return Err(e.into()),
                Err(Refused::At(_)) => {
                    if repeated {
                        trie.subtree(child).iter().for_each(|&t| clear(self.words, t));
                    }
                    return Ok(None);
                }
            }
        };
        let mut alive = blank && place.alive;
        if !alive && trie.own(child).iter().any(|&t| has(self.words, t)) {
            alive = self.is_alive(&spot, &tracker)?;
            if !alive {
                trie.own(child).iter().for_each(|&t| clear(self.words, t));
            }
        }
        if trie.nodes[child as usize].children == 0 {
            return Ok(None);
        }
        Ok(Some(Place { node: child, tracker, spot, repeated, alive }))
    }

    fn is_alive(&mut self, spot: &Spot, tracker: &Tracker) -> Result<bool, MatchError> {
        if let Some(ways) = tracker.ways()
            && (spot.loops & !ways.ascii_bits() != 0 || !self.next_of(spot).is_subset(&ways))
        {
            return Ok(true);
        }
        self.matcher.is_alive_known(&spot.config, tracker, &mut self.verdicts, &mut self.work)
    }
}
