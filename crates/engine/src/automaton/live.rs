//! Whether a formula can be completed.
//!
//! One that cannot is never kept. An accepting formula is looked for, first by following a single way that seems short,
//! then by a search; the answer is remembered for all formulas on the way.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::build::Build;
use super::objects::cell::Head;
use super::objects::formula::{Kind, Steps};
use super::objects::ids::{CellId, FormulaId};
use super::store::Store;
use crate::ablate::{Switch, is_off};
use crate::tuning::formulas::{MANY, PROBE, SEARCH, STALLS, WAYS};
use crate::work::Exceeded;

/// The first byte of many letters past ASCII.
const USUAL_LEAD: u8 = 0xC3;
/// A character has no more bytes behind the first, and one of these is always the second.
const INSIDE: usize = 3;
const TAIL_BYTES: [u8; 3] = [0xA0, 0x80, 0x90];

impl Build<'_> {
    /// Whether some text completes the formula.
    pub(super) fn is_live(&mut self, id: FormulaId) -> bool {
        let store = self.store;
        if let Some(&live) = store.formula(id).live.get() {
            return live;
        }
        if self.formula_accepts(id) {
            return *store.formula(id).live.get_or_init(|| true);
        }
        if !is_off(Switch::CompletionProbe) && self.probe(id) {
            return true;
        }
        // Depth first towards an accepting formula, the nearest first; what leads to one is live, and when the
        // search ends without any, all that was seen is dead.
        let mut seen = rustc_hash::FxHashSet::from_iter([id]);
        let mut path = vec![(id, self.nearest_last(id))];
        while let Some((_, steps)) = path.last_mut() {
            let Some(next) = steps.pop() else {
                path.pop();
                continue;
            };
            let known = store.formula(next).live.get().copied();
            if known == Some(true) || (known.is_none() && self.formula_accepts(next)) {
                let _ = store.formula(next).live.set(true);
                for (id, _) in path {
                    let _ = store.formula(id).live.set(true);
                }
                return true;
            }
            if seen.len() > SEARCH || store.exceeded().is_some() {
                store.set_exceeded(Exceeded { name: "states", value: SEARCH });
                return true;
            }
            if known.is_none() && seen.insert(next) {
                let steps = self.nearest_last(next);
                path.push((next, steps));
            }
        }
        for id in seen {
            let _ = store.formula(id).live.set(false);
        }
        false
    }

    /// The same for one that a byte has led to from another, which can be completed. In a search the one where it began is
    /// covered by all that come behind it: what completes that one completes them, and nothing has to be looked for.
    pub(super) fn is_live_after(&mut self, before: FormulaId, id: FormulaId) -> bool {
        let store = self.store;
        if let Some(&live) = store.formula(id).live.get() {
            return live;
        }
        if is_off(Switch::CoveredOrigins) || id == FormulaId::FALSE {
            return self.is_live(id);
        }
        let origin = *store.formula(before).origin.get_or_init(|| before);
        let mut way: SmallVec<[FormulaId; 4]> = SmallVec::from_slice(&[id]);
        // Inside a character it takes the rest of it to come to one that does.
        while way.len() <= INSIDE {
            let at = way[way.len() - 1];
            if at == FormulaId::TRUE || store.covers_formula(at, origin) {
                for at in way {
                    let _ = store.formula(at).origin.set(origin);
                    let _ = store.formula(at).live.set(true);
                }
                return true;
            }
            let next = TAIL_BYTES.iter().map(|&byte| self.formula_after(at, byte));
            let Some(next) = next.into_iter().find(|&next| next != FormulaId::FALSE) else { break };
            way.push(next);
        }
        self.is_live(id)
    }

    /// Where a formula leads, the way that seems shortest at the end.
    fn nearest_last(&mut self, id: FormulaId) -> SmallVec<[FormulaId; 8]> {
        let mut nexts: SmallVec<[FormulaId; 8]> = self.steps(id).iter().map(|step| step.1).collect();
        nexts.sort_by_cached_key(|&next| std::cmp::Reverse(self.formula_distance(next)));
        nexts
    }

    /// Follows one way that brings a formula nearer to its end, if there is one. That takes no more than where single bytes
    /// lead, and nearly always it comes to an end.
    fn probe(&mut self, id: FormulaId) -> bool {
        let store = self.store;
        let mut path: SmallVec<[FormulaId; 32]> = SmallVec::from_slice(&[id]);
        let (mut at, mut least, mut stalls) = (id, self.formula_distance(id), 0);
        while path.len() < PROBE && stalls < STALLS {
            let Some(next) = self.nearer(at, &path) else { return false };
            path.push(next);
            let known = store.formula(next).live.get().copied();
            if known == Some(true) || self.formula_accepts(next) {
                for id in path {
                    let _ = store.formula(id).live.set(true);
                }
                return true;
            }
            let distance = self.formula_distance(next);
            stalls = if distance < least { 0 } else { stalls + 1 };
            (at, least) = (next, least.min(distance));
        }
        false
    }

    /// Where one byte leads that brings a formula nearer to its end, or as little further away as can be.
    fn nearer(&mut self, id: FormulaId, path: &[FormulaId]) -> Option<FormulaId> {
        let part = self.missing_part(id);
        // Most often it is one of few.
        self.nearer_by(id, part, &ByteSet::ASCII, path)
            .or_else(|| self.nearer_by(id, part, &ByteSet::ALL, path))
    }

    /// The same by a step of a part with one of some bytes, or of more if more is known.
    fn nearer_by(
        &mut self,
        id: FormulaId,
        part: FormulaId,
        bytes: &ByteSet,
        path: &[FormulaId],
    ) -> Option<FormulaId> {
        let store = self.store;
        let distance = self.formula_distance(id);
        let ways = self.nearest_ways(part, bytes);
        let bytes = ways.iter().flat_map(usual_bytes);
        let mut other: Option<(u32, FormulaId)> = None;
        for byte in bytes {
            let next = self.formula_after(id, byte);
            if next == FormulaId::FALSE || store.formula(next).live.get() == Some(&false) {
                continue;
            }
            let far = self.formula_distance(next);
            if far < distance {
                return Some(next);
            }
            if other.is_none_or(|other| far < other.0) && !path.contains(&next) {
                other = Some((far, next));
            }
        }
        other.map(|other| other.1)
    }

    /// Sets of bytes with which a part comes nearest to its end.
    fn nearest_ways(&mut self, part: FormulaId, bytes: &ByteSet) -> SmallVec<[ByteSet; WAYS]> {
        let store = self.store;
        if store.formula(part).known_steps(bytes).is_none()
            && !is_off(Switch::CellDistances)
            && let Some(cells) = store.leaf_of_many(part)
        {
            return self.nearest_of_many(&cells, bytes);
        }
        let mut steps = Steps::from_slice(&self.steps_by(part, bytes));
        steps.sort_by_cached_key(|step| (self.formula_distance(step.1), !self.formula_accepts(step.1)));
        steps.iter().take(WAYS).map(|step| step.0).collect()
    }

    /// The same by what each of many cells misses: to find where all bytes lead, a state of as many cells would be made for
    /// each class of them.
    fn nearest_of_many(&mut self, cells: &[CellId], bytes: &ByteSet) -> SmallVec<[ByteSet; WAYS]> {
        let mut edges = self.edges(cells);
        edges.sort_by_cached_key(|edge| self.cell_distance(edge.1));
        let (mut ways, mut left) = (SmallVec::new(), *bytes);
        for (set, _) in edges {
            let way = set.intersect(&left);
            if way.is_empty() {
                continue;
            }
            ways.push(way);
            left = left.minus(&way);
            if ways.len() == WAYS {
                break;
            }
        }
        ways
    }

    /// The part of a formula that is farthest from its end; if none is far from it, one that is not there.
    fn missing_part(&mut self, mut id: FormulaId) -> FormulaId {
        let store = self.store;
        loop {
            let part = match &store.formula(id).kind {
                Kind::And(parts) if self.formula_distance(id) == 0 => {
                    parts.iter().copied().find(|&part| !self.formula_accepts(part))
                }
                Kind::And(parts) => parts.iter().copied().max_by_key(|&part| self.formula_distance(part)),
                Kind::Or(parts) => parts.iter().copied().min_by_key(|&part| self.formula_distance(part)),
                _ => None,
            };
            match part {
                Some(part) => id = part,
                None => return id,
            }
        }
    }

    /// How many bytes are missing to an end, as far as can be told at a glance. What several parts miss is counted for each, so
    /// that whatever brings one of them nearer counts.
    fn formula_distance(&mut self, id: FormulaId) -> u32 {
        let store = self.store;
        let formula = store.formula(id);
        if let Some(&known) = formula.distance.get() {
            return known;
        }
        let distance = match &formula.kind {
            Kind::False => u32::MAX,
            Kind::True | Kind::Not(_) => 0,
            Kind::Leaf { state, .. } => {
                store.state(*state).kernel.iter().map(|&cell| self.cell_distance(cell)).min().unwrap_or(0)
            }
            Kind::And(parts) => {
                parts.iter().fold(0, |sum: u32, &p| sum.saturating_add(self.formula_distance(p)))
            }
            Kind::Or(parts) => parts.iter().map(|&p| self.formula_distance(p)).min().unwrap_or(0),
        };
        *formula.distance.get_or_init(|| distance)
    }

    /// How many bytes are missing to an end at least.
    pub(super) fn least_left(&mut self, id: FormulaId) -> u32 {
        match &self.store.formula(id).kind {
            Kind::And(parts) => parts.iter().map(|&part| self.least_left(part)).max().unwrap_or(0),
            Kind::Or(parts) => parts.iter().map(|&part| self.least_left(part)).min().unwrap_or(0),
            Kind::Leaf { .. } => self.formula_distance(id),
            _ => 0,
        }
    }

    /// The same for a cell. Many cells have their ends in common.
    fn cell_distance(&mut self, cell: CellId) -> u32 {
        let store = self.store;
        let (mut path, mut at, mut distance) = (SmallVec::<[CellId; 16]>::new(), cell, 0);
        while at != CellId::NIL {
            if !is_off(Switch::DistanceMemo)
                && let Some(&known) = self.index.distances.get(&at)
            {
                distance = known;
                break;
            }
            path.push(at);
            at = store.cell(at).tail;
        }
        for at in path.into_iter().rev() {
            let head = store.cell(at).head;
            let own = match head {
                Head::Bool(formula) => self.formula_distance(formula),
                _ => store.head_distance(head).least,
            };
            distance = own.saturating_add(distance);
            store.add_bytes(16);
            self.index.distances.insert(at, distance);
        }
        distance
    }
}

impl Store {
    /// The cells of a formula that is a state of many and nothing else.
    fn leaf_of_many(&self, id: FormulaId) -> Option<SmallVec<[CellId; 8]>> {
        let Kind::Leaf { state, region: None, .. } = &self.formula(id).kind else { return None };
        let kernel = &self.state(*state).kernel;
        (kernel.len() > MANY).then(|| kernel.iter().copied().filter(|&cell| cell != CellId::NIL).collect())
    }
}

/// Some bytes of a set, a letter or digit if it has one, or else a sign: those are in most other sets, too. And one that a
/// character past ASCII begins with.
fn usual_bytes(bytes: &ByteSet) -> impl Iterator<Item = u8> + use<> {
    let usual = [(b'a', b'z'), (b'0', b'9'), (b'A', b'Z'), (b'#', b'['), (b']', b'~'), (b' ', b'!')];
    let mut usual =
        usual.into_iter().filter_map(|(first, last)| bytes.intersect(&ByteSet::range(first, last)).first());
    let one = usual.next().or_else(|| bytes.first());
    let wide = bytes.contains(USUAL_LEAD).then_some(USUAL_LEAD);
    let other = wide.or_else(|| bytes.iter().last().filter(|&last| last >= 0x80 && Some(last) != one));
    one.into_iter().chain(other)
}
