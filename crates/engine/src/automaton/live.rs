//! Whether a formula can be completed.
//!
//! One that cannot is never kept. An accepting formula is looked for, first by following a single way that seems short,
//! then by a search; the answer is remembered for all formulas on the way.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::boolean::{FormulaId, Kind, Steps};
use super::build::Build;
use super::store::{CellId, Exceeded, Head, Store};

/// How many formulas the search for one completion may look at.
const SEARCH: usize = 1 << 15;
/// How long a way is followed before all are searched.
const PROBE: usize = 128;
/// So many sets of bytes are tried to come nearer to the end.
const WAYS: usize = 3;
/// The first byte of many letters past ASCII.
const USUAL_LEAD: u8 = 0xC3;
/// So often in a row a way may come no nearer.
const STALLS: u32 = 16;

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
        if self.probe(id) {
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

    /// Where a formula leads, the way that seems shortest at the end.
    fn nearest_last(&mut self, id: FormulaId) -> SmallVec<[FormulaId; 8]> {
        let mut nexts: SmallVec<[FormulaId; 8]> = self.steps(id).iter().map(|step| step.1).collect();
        nexts.sort_by_cached_key(|&next| std::cmp::Reverse(self.store.formula_distance(next)));
        nexts
    }

    /// Follows one way that brings a formula nearer to its end, if there is one. That takes no more than where single bytes
    /// lead, and nearly always it comes to an end.
    fn probe(&mut self, id: FormulaId) -> bool {
        let store = self.store;
        let mut path: SmallVec<[FormulaId; 32]> = SmallVec::from_slice(&[id]);
        let (mut at, mut least, mut stalls) = (id, store.formula_distance(id), 0);
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
            let distance = store.formula_distance(next);
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
        let distance = store.formula_distance(id);
        let mut steps = Steps::from_slice(&self.steps_by(part, bytes));
        steps.sort_by_cached_key(|step| (store.formula_distance(step.1), !self.formula_accepts(step.1)));
        let bytes = steps.iter().take(WAYS).flat_map(|step| usual_bytes(&step.0));
        let mut other: Option<(u32, FormulaId)> = None;
        for byte in bytes {
            let next = self.formula_after(id, byte);
            if next == FormulaId::FALSE || store.formula(next).live.get() == Some(&false) {
                continue;
            }
            let far = store.formula_distance(next);
            if far < distance {
                return Some(next);
            }
            if other.is_none_or(|other| far < other.0) && !path.contains(&next) {
                other = Some((far, next));
            }
        }
        other.map(|other| other.1)
    }

    /// The part of a formula that is farthest from its end; if none is far from it, one that is not there.
    fn missing_part(&mut self, mut id: FormulaId) -> FormulaId {
        let store = self.store;
        let distance = |id: &FormulaId| store.formula_distance(*id);
        loop {
            let part = match &store.formula(id).kind {
                Kind::And(parts) if distance(&id) == 0 => {
                    parts.iter().copied().find(|&part| !self.formula_accepts(part))
                }
                Kind::And(parts) => parts.iter().copied().max_by_key(distance),
                Kind::Or(parts) => parts.iter().copied().min_by_key(distance),
                _ => None,
            };
            match part {
                Some(part) => id = part,
                None => return id,
            }
        }
    }
}

impl Store {
    /// How many bytes are missing to an end, as far as can be told at a glance. What several parts miss is counted for each, so
    /// that whatever brings one of them nearer counts.
    fn formula_distance(&self, id: FormulaId) -> u32 {
        let formula = self.formula(id);
        *formula.distance.get_or_init(|| match &formula.kind {
            Kind::False => u32::MAX,
            Kind::True | Kind::Not(_) => 0,
            Kind::Leaf { state, .. } => {
                self.state(*state).kernel.iter().map(|&cell| self.cell_distance(cell)).min().unwrap_or(0)
            }
            Kind::And(parts) => {
                parts.iter().fold(0, |sum: u32, &p| sum.saturating_add(self.formula_distance(p)))
            }
            Kind::Or(parts) => parts.iter().map(|&p| self.formula_distance(p)).min().unwrap_or(0),
        })
    }

    /// The same for a cell.
    fn cell_distance(&self, cell: CellId) -> u32 {
        let mut distance = self.distance(cell).least;
        let mut at = cell;
        while at != CellId::NIL {
            let cell = self.cell(at);
            if let Head::Bool(formula) = cell.head {
                distance = distance.saturating_add(self.formula_distance(formula));
            }
            at = cell.tail;
        }
        distance
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
