//! What must hold of the entries of members as a whole: a formula over how many of them are in certain slots.
//!
//! "Exactly one of these objects" or "this key or that one" says something about all entries together. As a choice of members
//! it has an alternative for each way to fulfil it; as a formula it is as long as it is said, and whoever counts entries asks
//! whether it holds, and whether it still can.

use std::fmt;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A clause of a condition that is being built.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClauseId(u32);

/// One part of a condition. Parts have lower numbers than what they are part of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Clause {
    /// At least `min` entries are in the slots of a group.
    AtLeast {
        group: u32,
        min: u32,
    },
    Not(u32),
    All(Box<[u32]>),
    Any(Box<[u32]>),
    /// Exactly one of them holds.
    One(Box<[u32]>),
}

impl Clause {
    /// Its parts.
    pub(crate) fn parts(&self) -> &[u32] {
        match self {
            Clause::AtLeast { .. } => &[],
            Clause::Not(part) => std::slice::from_ref(part),
            Clause::All(parts) | Clause::Any(parts) | Clause::One(parts) => parts,
        }
    }
}

/// A formula over numbers of entries, as part of [`Members`](super::Members).
///
/// ```
/// use tokenstile_grammar::ir::{Condition, ConditionBuilder};
/// let mut b = ConditionBuilder::default();
/// let [first, second] = [b.at_least([0], 1), b.at_least([1, 2], 1)];
/// let either = b.one(&[first, second]);
/// let condition: Condition = b.build(either);
/// assert!(condition.holds(|slot| u32::from(slot == 2)) && !condition.holds(|_| 1));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Condition {
    /// Sets of slots, each in order.
    groups: Box<[SmallVec<[u32; 2]>]>,
    /// The last one is the whole; none says nothing.
    clauses: Box<[Clause]>,
}

impl Condition {
    /// Whether it says nothing.
    pub fn is_always(&self) -> bool {
        self.clauses.is_empty()
    }

    /// Whether no entries fulfil it, as its form shows.
    pub(crate) fn is_never(&self) -> bool {
        matches!(&self.clauses[..], [Clause::Any(parts)] if parts.is_empty())
    }

    /// Whether it holds, given how many entries are in each slot.
    pub fn holds(&self, entries: impl Fn(u32) -> u32) -> bool {
        let sum =
            |group: &SmallVec<[u32; 2]>| group.iter().map(|&slot| entries(slot)).fold(0, u32::saturating_add);
        let sums: Vec<u32> = self.groups.iter().map(sum).collect();
        self.truth(|group| sums[group as usize]).last().copied().unwrap_or(true)
    }

    /// Whether each clause holds, given how many entries are in each group.
    pub(crate) fn truth(&self, entries: impl Fn(u32) -> u32) -> SmallVec<[bool; 64]> {
        let mut truth: SmallVec<[bool; 64]> = SmallVec::with_capacity(self.clauses.len());
        for clause in &self.clauses {
            let holds = |part: &&u32| truth[**part as usize];
            let here = match clause {
                Clause::AtLeast { group, min } => entries(*group) >= *min,
                Clause::Not(part) => !truth[*part as usize],
                Clause::All(parts) => parts.iter().all(|part| holds(&part)),
                Clause::Any(parts) => parts.iter().any(|part| holds(&part)),
                Clause::One(parts) => parts.iter().filter(holds).count() == 1,
            };
            truth.push(here);
        }
        truth
    }

    /// The sets of slots that it is about.
    pub(crate) fn groups(&self) -> &[SmallVec<[u32; 2]>] {
        &self.groups
    }

    pub(crate) fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// The greatest number of entries in any group that makes a difference.
    pub fn most(&self) -> u32 {
        let least = |clause: &Clause| match clause {
            Clause::AtLeast { min, .. } => *min,
            _ => 0,
        };
        self.clauses.iter().map(least).max().unwrap_or(0)
    }

    /// The same over other slots: those without a number have no entries.
    pub(crate) fn renumbered(&self, number: impl Fn(u32) -> Option<u32>) -> Condition {
        let mut builder = ConditionBuilder::default();
        let mut ids: Vec<ClauseId> = Vec::with_capacity(self.clauses.len());
        for clause in &self.clauses {
            let parts: SmallVec<[ClauseId; 8]> =
                clause.parts().iter().map(|&part| ids[part as usize]).collect();
            ids.push(match clause {
                Clause::AtLeast { group, min } => {
                    let slots = self.groups[*group as usize].iter().filter_map(|&slot| number(slot));
                    builder.at_least(slots, *min)
                }
                Clause::Not(_) => builder.not(parts[0]),
                Clause::All(_) => builder.all(&parts),
                Clause::Any(_) => builder.any(&parts),
                Clause::One(_) => builder.one(&parts),
            });
        }
        match ids.last() {
            Some(&whole) => builder.build(whole),
            None => Condition::default(),
        }
    }

    /// How many numbers it takes to write it down.
    pub(super) fn size(&self) -> usize {
        self.groups.iter().map(|group| group.len() + 1).sum::<usize>()
            + self.clauses.iter().map(|clause| clause.parts().len() + 2).sum::<usize>()
    }
}

impl fmt::Display for Condition {
    /// Clause by clause: `#0 0+1>=1, #1 not #0`. The last is the whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: &[u32]| parts.iter().map(|part| format!("#{part}")).collect::<Vec<_>>().join(" ");
        for (number, clause) in self.clauses.iter().enumerate() {
            write!(f, "{}#{number} ", if number == 0 { "" } else { ", " })?;
            match clause {
                Clause::AtLeast { group, min } => {
                    let slots = self.groups[*group as usize].iter().map(u32::to_string).collect::<Vec<_>>();
                    write!(f, "{}>={min}", slots.join("+"))?;
                }
                Clause::Not(part) => write!(f, "not #{part}")?,
                Clause::All(parts) => write!(f, "all {}", list(parts))?,
                Clause::Any(parts) => write!(f, "any {}", list(parts))?,
                Clause::One(parts) => write!(f, "one {}", list(parts))?,
            }
        }
        Ok(())
    }
}

/// Builds a [`Condition`] from its parts up. What is built alike is one clause.
#[derive(Clone, Debug, Default)]
pub struct ConditionBuilder {
    groups: Vec<SmallVec<[u32; 2]>>,
    group_index: FxHashMap<SmallVec<[u32; 2]>, u32>,
    clauses: Vec<Clause>,
    index: FxHashMap<Clause, u32>,
}

impl ConditionBuilder {
    /// At least `min` entries are in one of these slots.
    pub fn at_least(&mut self, slots: impl IntoIterator<Item = u32>, min: u32) -> ClauseId {
        let mut slots: SmallVec<[u32; 2]> = slots.into_iter().collect();
        slots.sort_unstable();
        slots.dedup();
        match (min, &slots[..]) {
            (0, _) => return self.always(),
            (_, []) => return self.never(),
            _ => {}
        }
        let group = match self.group_index.get(&slots) {
            Some(&group) => group,
            None => {
                let group = self.groups.len() as u32;
                self.groups.push(slots.clone());
                self.group_index.insert(slots, group);
                group
            }
        };
        self.clause(Clause::AtLeast { group, min })
    }

    /// It holds of any entries.
    pub fn always(&mut self) -> ClauseId {
        self.clause(Clause::All(Box::default()))
    }

    /// It holds of no entries.
    pub fn never(&mut self) -> ClauseId {
        self.clause(Clause::Any(Box::default()))
    }

    /// It does not hold.
    pub fn not(&mut self, part: ClauseId) -> ClauseId {
        match &self.clauses[part.0 as usize] {
            Clause::Not(inner) => ClauseId(*inner),
            Clause::All(parts) if parts.is_empty() => self.never(),
            Clause::Any(parts) if parts.is_empty() => self.always(),
            _ => self.clause(Clause::Not(part.0)),
        }
    }

    /// All of them hold.
    pub fn all(&mut self, parts: &[ClauseId]) -> ClauseId {
        let (always, never) = (self.always(), self.never());
        if parts.contains(&never) {
            return never;
        }
        match self.joined(
            parts,
            always,
            |clause| if let Clause::All(parts) = clause { Some(parts) } else { None },
        ) {
            parts if parts.len() == 1 => ClauseId(parts[0]),
            parts => self.clause(Clause::All(parts)),
        }
    }

    /// At least one of them holds.
    pub fn any(&mut self, parts: &[ClauseId]) -> ClauseId {
        let (always, never) = (self.always(), self.never());
        if parts.contains(&always) {
            return always;
        }
        match self.joined(
            parts,
            never,
            |clause| if let Clause::Any(parts) = clause { Some(parts) } else { None },
        ) {
            parts if parts.len() == 1 => ClauseId(parts[0]),
            parts => self.clause(Clause::Any(parts)),
        }
    }

    /// With entries in slot `a` there are some in slot `b`, for each pair.
    pub fn implies(&mut self, pairs: impl IntoIterator<Item = (u32, u32)>) -> ClauseId {
        let mut all = Vec::new();
        for (a, b) in pairs {
            let (a, b) = (self.at_least([a], 1), self.at_least([b], 1));
            let without = self.not(a);
            all.push(self.any(&[without, b]));
        }
        self.all(&all)
    }

    /// Exactly one of them holds. One that is there twice is no single one.
    pub fn one(&mut self, parts: &[ClauseId]) -> ClauseId {
        let (always, never) = (self.always(), self.never());
        let mut parts: SmallVec<[ClauseId; 8]> =
            parts.iter().copied().filter(|&part| part != never).collect();
        parts.sort_unstable();
        if parts.windows(2).any(|pair| pair[0] == pair[1]) {
            return self.one_of_repeated(&parts);
        }
        if let Some(at) = parts.iter().position(|&part| part == always) {
            parts.remove(at);
            let others = self.any(&parts);
            return self.not(others);
        }
        match parts[..] {
            [] => never,
            [part] => part,
            _ => self.clause(Clause::One(parts.iter().map(|part| part.0).collect())),
        }
    }

    /// Exactly one of some, in order, that are partly the same: those that are there more than once must not hold.
    fn one_of_repeated(&mut self, parts: &[ClauseId]) -> ClauseId {
        let (mut single, mut repeated) = (SmallVec::<[ClauseId; 8]>::new(), SmallVec::<[ClauseId; 8]>::new());
        for same in parts.chunk_by(|a, b| a == b) {
            if same.len() == 1 { &mut single } else { &mut repeated }.push(same[0]);
        }
        let (one, some) = (self.one(&single), self.any(&repeated));
        let none = self.not(some);
        self.all(&[one, none])
    }

    /// The parts of a conjunction or disjunction, without what says nothing and with the parts of parts that are one.
    fn joined(
        &self,
        parts: &[ClauseId],
        nothing: ClauseId,
        inner: impl Fn(&Clause) -> Option<&[u32]>,
    ) -> Box<[u32]> {
        let mut joined: Vec<u32> = Vec::with_capacity(parts.len());
        for part in parts.iter().filter(|&&part| part != nothing) {
            match inner(&self.clauses[part.0 as usize]) {
                Some(parts) => joined.extend_from_slice(parts),
                None => joined.push(part.0),
            }
        }
        joined.sort_unstable();
        joined.dedup();
        joined.into()
    }

    fn clause(&mut self, clause: Clause) -> ClauseId {
        if let Some(&known) = self.index.get(&clause) {
            return ClauseId(known);
        }
        let id = self.clauses.len() as u32;
        self.clauses.push(clause.clone());
        self.index.insert(clause, id);
        ClauseId(id)
    }

    /// The condition that is this clause.
    pub fn build(self, whole: ClauseId) -> Condition {
        if matches!(&self.clauses[whole.0 as usize], Clause::All(parts) if parts.is_empty()) {
            return Condition::default();
        }
        let mut used = vec![false; self.clauses.len()];
        used[whole.0 as usize] = true;
        self.mark(whole.0, &mut used);
        let mut numbers = vec![0; self.clauses.len()];
        let mut groups: Vec<SmallVec<[u32; 2]>> = Vec::new();
        let mut group_numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut clauses: Vec<Clause> = Vec::new();
        for (at, clause) in self.clauses.iter().enumerate().filter(|(at, _)| used[*at]) {
            let map =
                |parts: &[u32]| parts.iter().map(|&part| numbers[part as usize]).collect::<Box<[u32]>>();
            let clause = match clause {
                Clause::AtLeast { group, min } => {
                    let number = *group_numbers.entry(*group).or_insert_with(|| {
                        groups.push(self.groups[*group as usize].clone());
                        groups.len() as u32 - 1
                    });
                    Clause::AtLeast { group: number, min: *min }
                }
                Clause::Not(part) => Clause::Not(numbers[*part as usize]),
                Clause::All(parts) => Clause::All(map(parts)),
                Clause::Any(parts) => Clause::Any(map(parts)),
                Clause::One(parts) => Clause::One(map(parts)),
            };
            numbers[at] = clauses.len() as u32;
            clauses.push(clause);
        }
        Condition { groups: groups.into(), clauses: clauses.into() }
    }

    /// Marks all that a clause is made of. Parts have lower numbers, so the way down ends.
    fn mark(&self, from: u32, used: &mut [bool]) {
        let mut todo = vec![from];
        while let Some(at) = todo.pop() {
            for &part in self.clauses[at as usize].parts() {
                if !std::mem::replace(&mut used[part as usize], true) {
                    todo.push(part);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_and_what_is_there_twice_are_simplified() {
        let mut b = ConditionBuilder::default();
        let (a, c) = (b.at_least([3, 1, 3], 1), b.at_least([2], 1));
        assert_eq!(b.at_least([1, 3], 1), a);
        let (always, never) = (b.always(), b.never());
        assert_eq!(b.all(&[a, always]), a);
        assert_eq!(b.any(&[a, never, a]), a);
        assert_eq!(b.all(&[a, never]), never);
        let not = b.not(a);
        assert_eq!(b.not(not), a);
        assert_eq!(b.one(&[a, a]), never);
        let one = b.one(&[a, always]);
        assert_eq!(one, not);
        let twice = b.one(&[a, c, a]);
        let condition = b.clone().build(twice);
        assert!(
            condition.holds(|slot| u32::from(slot == 2))
                && !condition.holds(|_| 1)
                && !condition.holds(|_| 0)
        );
        assert!(b.clone().build(always).is_always() && b.clone().build(never).is_never());
        assert!(!b.build(never).holds(|_| 5));
    }
}
