//! Boolean regular expressions over bytes and position labels, with their derivatives.
//!
//! A *labelled text* is a byte string that carries, at every position (before each byte and at the end), the
//! set of labels that hold there. A [`Re`] is a set of labelled texts, so a label is just one more atom: it
//! matches the empty text at a position where it holds. With that, union, intersection and complement mean
//! what they always mean and Brzozowski's rules apply as in the book; the labels that hold at the current
//! position are one more argument.

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::ByteSet;

use super::SpanAutomaton;

/// An expression in a [`Pool`].
pub(super) type ReId = u32;

/// Labels that hold at a position, one bit each.
pub(super) type Labels = u64;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Re {
    Never,
    Empty,
    Set(ByteSet),
    /// The empty text, where the label holds (or, if not `holds`, where it does not).
    Label {
        label: u32,
        holds: bool,
    },
    /// What brings the automaton of a nested region from this state to acceptance.
    Nested {
        region: u32,
        state: u32,
    },
    Concat(ReId, ReId),
    Or(Vec<ReId>),
    And(Vec<ReId>),
    Not(ReId),
    Repeat {
        re: ReId,
        min: u32,
        max: Option<u32>,
    },
}

/// Hash-consed expressions, normalised up to associativity, commutativity and idempotence of `Or` and `And`:
/// by Brzozowski's theorem an expression then has finitely many derivatives.
#[derive(Debug)]
pub(super) struct Pool {
    nodes: Vec<Re>,
    ids: FxHashMap<Re, ReId>,
    derivatives: FxHashMap<(ReId, Labels, u8), ReId>,
    /// Automata of regions inside this one.
    pub(super) nested: Vec<SpanAutomaton>,
}

impl Pool {
    pub(super) const NEVER: ReId = 0;
    pub(super) const EMPTY: ReId = 1;
    /// Every labelled text: not [`NEVER`](Self::NEVER).
    pub(super) const ALL: ReId = 2;

    pub(super) fn new() -> Self {
        let (nodes, ids, derivatives) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        let mut pool = Pool { nodes, ids, derivatives, nested: Vec::new() };
        pool.intern(Re::Never);
        pool.intern(Re::Empty);
        pool.intern(Re::Not(Self::NEVER));
        pool
    }

    fn intern(&mut self, re: Re) -> ReId {
        if let Some(&id) = self.ids.get(&re) {
            return id;
        }
        let id = self.nodes.len() as ReId;
        self.nodes.push(re.clone());
        self.ids.insert(re, id);
        id
    }

    pub(super) fn get(&self, id: ReId) -> &Re {
        &self.nodes[id as usize]
    }

    pub(super) fn set(&mut self, set: ByteSet) -> ReId {
        if set.is_empty() { Self::NEVER } else { self.intern(Re::Set(set)) }
    }

    pub(super) fn label(&mut self, label: u32, holds: bool) -> ReId {
        self.intern(Re::Label { label, holds })
    }

    pub(super) fn nested(&mut self, region: u32, state: u32) -> ReId {
        if state == SpanAutomaton::DEAD { Self::NEVER } else { self.intern(Re::Nested { region, state }) }
    }

    pub(super) fn not(&mut self, re: ReId) -> ReId {
        match *self.get(re) {
            Re::Not(inner) => inner,
            _ => self.intern(Re::Not(re)),
        }
    }

    pub(super) fn concat(&mut self, a: ReId, b: ReId) -> ReId {
        match (a, b) {
            (Self::NEVER, _) | (_, Self::NEVER) => Self::NEVER,
            (Self::EMPTY, other) | (other, Self::EMPTY) => other,
            (Self::ALL, Self::ALL) => Self::ALL,
            _ => match *self.get(a) {
                Re::Concat(first, rest) => {
                    let rest = self.concat(rest, b);
                    self.concat(first, rest)
                }
                _ => self.intern(Re::Concat(a, b)),
            },
        }
    }

    pub(super) fn repeat(&mut self, re: ReId, min: u32, max: Option<u32>) -> ReId {
        match (re, min, max) {
            (_, _, Some(0)) | (Self::EMPTY, ..) | (Self::NEVER, 0, _) => Self::EMPTY,
            (Self::NEVER, ..) => Self::NEVER,
            (_, 1, Some(1)) => re,
            _ => self.intern(Re::Repeat { re, min, max }),
        }
    }

    pub(super) fn or(&mut self, parts: impl IntoIterator<Item = ReId>) -> ReId {
        let (mut flat, mut bytes) = (Vec::new(), ByteSet::EMPTY);
        for part in parts {
            let members = if let Re::Or(inner) = self.get(part) { inner.clone() } else { vec![part] };
            for member in members {
                match self.get(member) {
                    Re::Set(set) => bytes = bytes.union(set),
                    _ => flat.push(member),
                }
            }
        }
        flat.push(self.set(bytes));
        let flat = self.normalised(flat, Self::NEVER, Self::ALL);
        match flat[..] {
            [] => Self::NEVER,
            [one] => one,
            _ => self.intern(Re::Or(flat)),
        }
    }

    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = ReId>) -> ReId {
        let mut flat = Vec::new();
        for part in parts {
            match self.get(part) {
                Re::And(inner) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        let flat = self.normalised(flat, Self::ALL, Self::NEVER);
        match flat[..] {
            [] => Self::ALL,
            [one] => one,
            _ => self.intern(Re::And(flat)),
        }
    }

    /// Members of a union or intersection, sorted, without the neutral element; just the absorbing element if
    /// it is there or if some member meets its own complement.
    fn normalised(&self, mut flat: Vec<ReId>, neutral: ReId, absorbing: ReId) -> Vec<ReId> {
        flat.retain(|&re| re != neutral);
        flat.sort_unstable();
        flat.dedup();
        let opposed = |&re: &ReId| matches!(*self.get(re), Re::Not(inner) if flat.contains(&inner));
        if flat.contains(&absorbing) || flat.iter().any(opposed) { vec![absorbing] } else { flat }
    }

    /// Whether the empty text belongs to `re` at a position where `labels` hold.
    pub(super) fn nullable(&self, re: ReId, labels: Labels) -> bool {
        match *self.get(re) {
            Re::Never | Re::Set(_) => false,
            Re::Empty => true,
            Re::Label { label, holds } => (labels >> label & 1 == 1) == holds,
            Re::Nested { region, state } => self.nested[region as usize].is_accepting(state),
            Re::Concat(a, b) => self.nullable(a, labels) && self.nullable(b, labels),
            Re::Or(ref list) => list.iter().any(|&part| self.nullable(part, labels)),
            Re::And(ref list) => list.iter().all(|&part| self.nullable(part, labels)),
            Re::Not(inner) => !self.nullable(inner, labels),
            Re::Repeat { re, min, .. } => min == 0 || self.nullable(re, labels),
        }
    }

    /// What may follow `byte` in `re`, read at a position where `labels` hold.
    pub(super) fn derivative(&mut self, re: ReId, labels: Labels, byte: u8) -> ReId {
        if let Some(&known) = self.derivatives.get(&(re, labels, byte)) {
            return known;
        }
        let result = match self.get(re).clone() {
            Re::Never | Re::Empty | Re::Label { .. } => Self::NEVER,
            Re::Set(set) => {
                if set.contains(byte) {
                    Self::EMPTY
                } else {
                    Self::NEVER
                }
            }
            Re::Nested { region, state } => {
                let next = self.nested[region as usize].step(state, byte);
                self.nested(region, next)
            }
            Re::Concat(a, b) => {
                let first = self.derivative(a, labels, byte);
                let through = self.concat(first, b);
                let past =
                    if self.nullable(a, labels) { self.derivative(b, labels, byte) } else { Self::NEVER };
                self.or([through, past])
            }
            Re::Or(list) => {
                let parts: Vec<ReId> = list.iter().map(|&part| self.derivative(part, labels, byte)).collect();
                self.or(parts)
            }
            Re::And(list) => {
                let parts: Vec<ReId> = list.iter().map(|&part| self.derivative(part, labels, byte)).collect();
                self.and(parts)
            }
            Re::Not(inner) => {
                let inner = self.derivative(inner, labels, byte);
                self.not(inner)
            }
            Re::Repeat { re, min, max } => {
                // Where one round may be empty *here*, any number of the required rounds may be; elsewhere
                // that need not hold, so it has to be settled now.
                let min = if self.nullable(re, labels) { 0 } else { min.saturating_sub(1) };
                let first = self.derivative(re, labels, byte);
                let rest = self.repeat(re, min, max.map(|max| max - 1));
                self.concat(first, rest)
            }
        };
        self.derivatives.insert((re, labels, byte), result);
        result
    }

    /// The labels that [`nullable`](Self::nullable) and [`derivative`](Self::derivative) may ask about.
    pub(super) fn asked(&self, re: ReId) -> Labels {
        match *self.get(re) {
            Re::Never | Re::Empty | Re::Set(_) | Re::Nested { .. } => 0,
            Re::Label { label, .. } => 1 << label,
            Re::Concat(a, b) if self.maybe_empty(a) => self.asked(a) | self.asked(b),
            Re::Concat(a, _) => self.asked(a),
            Re::Or(ref list) | Re::And(ref list) => list.iter().fold(0, |all, &part| all | self.asked(part)),
            Re::Not(inner) | Re::Repeat { re: inner, .. } => self.asked(inner),
        }
    }

    /// False only if no labels make the expression nullable.
    fn maybe_empty(&self, re: ReId) -> bool {
        match *self.get(re) {
            Re::Never | Re::Set(_) => false,
            Re::Empty | Re::Label { .. } | Re::Not(_) => true,
            Re::Nested { region, state } => self.nested[region as usize].is_accepting(state),
            Re::Concat(a, b) => self.maybe_empty(a) && self.maybe_empty(b),
            Re::Or(ref list) => list.iter().any(|&part| self.maybe_empty(part)),
            Re::And(ref list) => list.iter().all(|&part| self.maybe_empty(part)),
            Re::Repeat { re, min, .. } => min == 0 || self.maybe_empty(re),
        }
    }
}
