//! Random sentences of a grammar, by expanding it; no recognizer is involved.

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::{CharSet, Expr, Machine, Members};
use tokenstile_grammar::{ExprId, Grammar};

use super::grammar::ALPHABET;
use crate::members::Usable;
use crate::{Rng, spans};

/// Attempts at a text that fulfils an intersection, complement or assertion.
const TRIES: usize = 30;

/// A random sentence of `grammar`, as a rule of thumb no longer than `max_len` bytes: from there on the
/// shortest way out is taken. `None` if the language is empty, or if no text was found for a boolean part
/// (texts for those are guessed and tested).
pub fn sample_sentence(grammar: &Grammar, rng: &mut Rng, max_len: usize) -> Option<Vec<u8>> {
    let root = grammar.rule(grammar.root()).body;
    let mut sampler = Sampler { grammar, rng, max_len, heights: heights(grammar), out: Vec::new(), work: 0 };
    sampler.expand(root, 0)?;
    Some(sampler.out)
}

/// `text` with a few bytes changed, removed, doubled or added: often no sentence any more, but almost one.
pub fn mutate(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..rng.between(1, 2) {
        let at = rng.below(text.len() + 1);
        let mut buffer = [0; 4];
        let fresh = rng.pick(&ALPHABET).encode_utf8(&mut buffer).as_bytes();
        match rng.below(4) {
            0 if at < text.len() => text[at] = if rng.chance(1, 2) { rng.byte() } else { fresh[0] },
            1 if at < text.len() => drop(text.remove(at)),
            2 if at < text.len() => text.insert(at, text[at]),
            _ => drop(text.splice(at..at, fresh.iter().copied())),
        }
    }
    text
}

/// For each expression that surely matches some text, the least number of nested expansions to get one.
fn heights(grammar: &Grammar) -> FxHashMap<ExprId, usize> {
    let arena = grammar.arena();
    let mut heights: FxHashMap<ExprId, usize> = FxHashMap::default();
    loop {
        let mut changed = false;
        for (id, expr) in arena.iter() {
            let of = |id: &ExprId| heights.get(id).copied();
            let height = match expr {
                Expr::Never => None,
                Expr::Members(id) => {
                    let members = arena.members_of(id);
                    let known: Vec<Option<usize>> = members.slots.iter().map(|s| of(&s.entry)).collect();
                    let highest = known.iter().flatten().max().copied().unwrap_or(0);
                    let usable = usable(members, &heights);
                    usable.shortest(&usable.start()).map(|_| highest + 1)
                }
                Expr::Concat(list) => {
                    arena.list(list).iter().try_fold(0, |max, part| Some(of(part)?.max(max))).map(|h| h + 1)
                }
                Expr::Alt(list) => arena.list(list).iter().filter_map(of).min().map(|h| h + 1),
                Expr::Repeat { min: 0, .. } => Some(0),
                Expr::Repeat { expr, .. } | Expr::Region(expr) => of(&expr).map(|h| h + 1),
                Expr::Rule(rule) => of(&grammar.rule(rule).body).map(|h| h + 1),
                // Whether these match anything shows when one tries.
                Expr::And(_) | Expr::Not(_) | Expr::Look { .. } => Some(1),
                Expr::Empty
                | Expr::Bytes(_)
                | Expr::Chars(_)
                | Expr::Literal(_)
                | Expr::Tokens(_)
                | Expr::Machine(_) => Some(0),
            };
            if let Some(height) = height
                && heights.get(&id).is_none_or(|&known| height < known)
            {
                heights.insert(id, height);
                changed = true;
            }
        }
        if !changed {
            return heights;
        }
    }
}

/// Members with those slots for which there is a text.
fn usable<'a>(members: &'a Members, heights: &FxHashMap<ExprId, usize>) -> Usable<'a> {
    let slots = members.slots.iter().map(|s| heights.contains_key(&s.entry)).collect();
    Usable::new(members, slots, heights.contains_key(&members.separator))
}

struct Sampler<'a> {
    grammar: &'a Grammar,
    rng: &'a mut Rng,
    max_len: usize,
    heights: FxHashMap<ExprId, usize>,
    out: Vec<u8>,
    work: usize,
}

impl Sampler<'_> {
    /// Whether it is time to end: from here on only the ways out of least height are taken.
    fn hurry(&self, depth: usize) -> bool {
        self.out.len() >= self.max_len || depth > 60 || self.work > 20_000
    }

    /// Writes a random text of `id`; `None` if none was found.
    fn expand(&mut self, id: ExprId, depth: usize) -> Option<()> {
        self.heights.get(&id)?;
        self.work += 1;
        let grammar = self.grammar;
        let arena = grammar.arena();
        match arena.get(id) {
            Expr::Never => return None,
            Expr::Members(id) => self.entries(arena.members_of(id), depth)?,
            Expr::Machine(id) => self.run(&*arena.machine_of(id).0, depth)?,
            // A token of a terminal is no text.
            Expr::Empty | Expr::Tokens(_) => {}
            Expr::Bytes(set) => {
                let bytes: Vec<u8> = arena.byte_set(set).iter().collect();
                self.out.push(*self.rng.pick(&bytes));
            }
            Expr::Chars(set) => {
                let c = self.character(arena.char_set(set));
                self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Expr::Literal(literal) => self.out.extend_from_slice(arena.literal_bytes(literal)),
            Expr::Concat(list) => {
                arena.list(list).iter().try_for_each(|&part| self.expand(part, depth + 1))?
            }
            Expr::Alt(list) => {
                let part = self.choose(arena.list(list), depth)?;
                self.expand(part, depth + 1)?;
            }
            Expr::Rule(rule) => self.expand(grammar.rule(rule).body, depth + 1)?,
            Expr::Repeat { expr, min, max } => self.rounds(expr, min, max, depth)?,
            Expr::And(_) | Expr::Not(_) | Expr::Look { .. } | Expr::Region(_) => self.guess(id, depth)?,
        }
        Some(())
    }

    fn choose(&mut self, parts: &[ExprId], depth: usize) -> Option<ExprId> {
        let possible: Vec<ExprId> =
            parts.iter().copied().filter(|part| self.heights.contains_key(part)).collect();
        if self.hurry(depth) {
            return possible.into_iter().min_by_key(|part| self.heights[part]);
        }
        (!possible.is_empty()).then(|| *self.rng.pick(&possible))
    }

    fn rounds(&mut self, expr: ExprId, min: u32, max: Option<u32>, depth: usize) -> Option<()> {
        let mut round = 0;
        while max.is_none_or(|max| round < max) {
            let more = self.heights.contains_key(&expr) && !self.hurry(depth) && self.rng.chance(2, 3);
            if round >= min && !more {
                break;
            }
            self.expand(expr, depth + 1)?;
            round += 1;
        }
        Some(())
    }

    fn entries(&mut self, members: &Members, depth: usize) -> Option<()> {
        let usable = usable(members, &self.heights);
        let mut entries = usable.start();
        let mut first = true;
        loop {
            let open = usable.open(&entries);
            let done = usable.may_end(&entries);
            if done && (open.is_empty() || self.hurry(depth) || self.rng.chance(1, 4)) {
                return Some(());
            }
            let (slot, next) = match usable.shortest(&entries)?.first() {
                Some(slot) if self.hurry(depth) => open.into_iter().find(|o| o.0 == *slot)?,
                _ if open.is_empty() => return None,
                _ => self.rng.pick(&open).clone(),
            };
            if !std::mem::replace(&mut first, false) {
                self.expand(members.separator, depth + 1)?;
            }
            self.expand(members.slots[slot as usize].entry, depth + 1)?;
            entries = next;
        }
    }

    /// A random text of a machine; in a hurry it ends as soon as it may.
    fn run(&mut self, machine: &dyn Machine, depth: usize) -> Option<()> {
        let mut state = machine.start().into_vec();
        for _ in 0..10_000 {
            let step = |byte| {
                let mut next = Vec::new();
                machine.step(&state, byte, &mut next).then_some((byte, next))
            };
            let open: Vec<(u8, Vec<u8>)> = (0..=255).filter_map(step).collect();
            let done = machine.accepts(&state);
            if done && (open.is_empty() || self.hurry(depth) || self.rng.chance(1, 4)) {
                return Some(());
            }
            if open.is_empty() {
                return None;
            }
            let (byte, next) = self.rng.pick(&open).clone();
            self.out.push(byte);
            state = next;
        }
        None
    }

    fn character(&mut self, set: &CharSet) -> char {
        let familiar: Vec<char> = ALPHABET.into_iter().filter(|&c| set.contains(c)).collect();
        if !familiar.is_empty() && self.rng.chance(3, 4) {
            return *self.rng.pick(&familiar);
        }
        let &(first, last) = self.rng.pick(set.ranges());
        let c = self.rng.between(first as usize, last as usize) as u32;
        char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Writes a text of a boolean expression: guesses one and tests it, until one fits.
    fn guess(&mut self, id: ExprId, depth: usize) -> Option<()> {
        let start = self.out.len();
        for _ in 0..TRIES {
            self.out.truncate(start);
            let guessed = match self.grammar.arena().get(id) {
                Expr::And(list) => {
                    let part = *self.rng.pick(self.grammar.arena().list(list));
                    self.expand(part, depth + 1)
                }
                Expr::Region(inner) => self.expand_blindly(inner, depth + 1),
                Expr::Not(_) => self.noise(),
                _ => Some(()),
            };
            if guessed.is_some() && spans::matches(self.grammar, id, &self.out[start..]) {
                return Some(());
            }
        }
        self.out.truncate(start);
        None
    }

    /// A text of `id` if its assertions are taken for granted.
    fn expand_blindly(&mut self, id: ExprId, depth: usize) -> Option<()> {
        let grammar = self.grammar;
        match grammar.arena().get(id) {
            Expr::Look { .. } => Some(()),
            Expr::Not(_) => self.noise(),
            Expr::Concat(list) => {
                grammar.arena().list(list).iter().try_for_each(|&part| self.expand_blindly(part, depth + 1))
            }
            Expr::Alt(list) | Expr::And(list) => {
                let part = self.choose(grammar.arena().list(list), depth)?;
                self.expand_blindly(part, depth + 1)
            }
            Expr::Repeat { expr, min, max } => {
                let most = max.unwrap_or(min.saturating_add(3)).min(min.saturating_add(3));
                let count = self.rng.between(min as usize, most as usize);
                (0..count).try_for_each(|_| self.expand_blindly(expr, depth + 1))
            }
            _ => self.expand(id, depth),
        }
    }

    /// A few random characters.
    fn noise(&mut self) -> Option<()> {
        for _ in 0..self.rng.below(4) {
            let c = *self.rng.pick(&ALPHABET);
            self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Some(())
    }
}
