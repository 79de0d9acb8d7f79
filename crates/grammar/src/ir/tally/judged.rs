//! Entries of which a [`Condition`] must hold: what is kept of them, and whether they can still come out right.
//!
//! Of each group of slots that the condition is about, the number of entries is kept as far as it matters. Once nothing that
//! may follow can make a difference for a part of the condition, its groups are set to one common value, so that equal
//! futures are equal tallies: an alternative that is out costs nothing any more.
//!
//! Whether a tally can be completed is found by a search that begins with nothing. Entries that make up for what is missing
//! are tried; where the condition does not hold of them, the numbers that are the reason are looked at, and in any
//! completion at least one of them is another. So each of those is tried in turn, as a bound on its group.

use smallvec::SmallVec;

use super::effort::Effort;
use super::parts::{Field, Layout, SlotPlan, Tally, Witness};
use super::tallies::Tallies;
use crate::error::Error;
use crate::ir::Condition;
use crate::ir::condition::Clause;

/// How a condition is kept in tallies.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    condition: Condition,
    groups: Box<[Group]>,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    field: Field,
    /// More entries than this make no difference.
    most: u32,
}

impl Judged {
    /// Lays out the groups; slots get to know theirs.
    pub(super) fn new(condition: &Condition, slots: &mut [SlotPlan], layout: &mut Layout) -> Self {
        let mut most = vec![0; condition.groups().len()];
        for clause in condition.clauses() {
            if let Clause::AtLeast { group, min } = clause {
                let most = &mut most[*group as usize];
                *most = (*most).max(*min);
            }
        }
        for (number, group) in (0..).zip(condition.groups()) {
            group.iter().for_each(|&slot| slots[slot as usize].groups.push(number));
        }
        let groups = most.into_iter().map(|most| Group { field: layout.field(most), most }).collect();
        Judged { condition: condition.clone(), groups }
    }

    /// Nothing beside the counts.
    pub(super) fn of_counts() -> Self {
        Judged { condition: Condition::default(), groups: Box::default() }
    }

    fn count(&self, tally: &Tally, group: u32) -> u32 {
        self.groups[group as usize].field.get(tally)
    }

    /// Counts an entry of a group.
    #[inline]
    pub(super) fn add(&self, tally: &mut Tally, group: u32) {
        let Group { field, most } = self.groups[group as usize];
        field.set(tally, (field.get(tally) + 1).min(most));
    }

    pub(super) fn holds(&self, tally: &Tally) -> bool {
        self.condition.truth(|group| self.count(tally, group)).last().copied().unwrap_or(true)
    }

    /// Sets the groups that make no difference any more to their greatest number. What is decided is so whatever follows,
    /// and that number may follow.
    pub(super) fn settle(&self, tally: &mut Tally) {
        let clauses = self.condition.clauses();
        if clauses.is_empty() {
            return;
        }
        let decided = self.decided(tally);
        let mut matters: SmallVec<[bool; 64]> = SmallVec::from_elem(false, clauses.len());
        let mut groups: SmallVec<[bool; 64]> = SmallVec::from_elem(false, self.groups.len());
        matters[clauses.len() - 1] = true;
        for (at, clause) in clauses.iter().enumerate().rev() {
            if !matters[at] || decided[at].is_some() {
                continue;
            }
            if let Clause::AtLeast { group, .. } = clause {
                groups[*group as usize] = true;
            }
            clause.parts().iter().for_each(|&part| matters[part as usize] = true);
        }
        for (group, _) in self.groups.iter().zip(&groups).filter(|(_, matters)| !**matters) {
            group.field.set(tally, group.most);
        }
    }

    /// What is decided about each clause whatever entries follow.
    fn decided(&self, tally: &Tally) -> SmallVec<[Option<bool>; 64]> {
        let mut decided: SmallVec<[Option<bool>; 64]> =
            SmallVec::with_capacity(self.condition.clauses().len());
        for clause in self.condition.clauses() {
            let of = |part: &u32| decided[*part as usize];
            let here = match clause {
                Clause::AtLeast { group, min } => (self.count(tally, *group) >= *min).then_some(true),
                Clause::Not(part) => of(part).map(|holds| !holds),
                Clause::All(parts) => all(parts.iter().map(of)),
                Clause::Any(parts) => {
                    all(parts.iter().map(|part| of(part).map(|holds| !holds))).map(|none| !none)
                }
                Clause::One(parts) => one(parts.iter().map(of)),
            };
            decided.push(here);
        }
        decided
    }
}

/// Whether all hold, as far as it is known of each.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = None,
        }
    }
    known
}

/// Whether exactly one holds.
fn one(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let (mut holding, mut open) = (0, 0);
    for part in parts {
        match part {
            Some(true) => holding += 1,
            Some(false) => {}
            None => open += 1,
        }
    }
    match (holding, open) {
        (2.., _) => Some(false),
        (holding, 0) => Some(holding == 1),
        _ => None,
    }
}

impl Tallies {
    /// Entries that complete a tally under a condition, if there are any. Those of `likely` that may follow are tried
    /// first: they complete another tally.
    pub(super) fn judged_witness(
        &self,
        judged: &Judged,
        tally: &Tally,
        likely: &Witness,
        effort: &mut Effort,
    ) -> Result<Option<Witness>, Error> {
        if !likely.is_empty() {
            let mut search = Search::new(self, judged, tally);
            let taken = search.take(likely);
            if let Some(mut witness) = search.run(effort)? {
                taken.into_iter().for_each(|(slot, times)| add_entries(&mut witness, slot, times));
                witness.sort_unstable();
                return Ok(Some(witness));
            }
        }
        Search::new(self, judged, tally).run(effort)
    }
}

/// Adds entries to those that complete a tally.
fn add_entries(witness: &mut Witness, slot: u32, times: u32) {
    match witness.iter_mut().find(|known| known.0 == slot) {
        Some(known) => known.1 += times,
        None => witness.push((slot, times)),
    }
}

/// How many entries are missing, and the slots that make up for it.
type Missing = (u32, SmallVec<[u32; 8]>);

/// A number of entries in a group: whether there are at least so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fact {
    group: u32,
    min: u32,
    holds: bool,
}

/// Facts of which one must be otherwise, and the bounds before each was taken up.
struct Branch {
    facts: SmallVec<[Fact; 8]>,
    next: usize,
    /// Bounds to put back: of the fact that is tried as otherwise, and of all of them.
    tried: Option<(u32, (u32, u32))>,
    before: SmallVec<[(u32, (u32, u32)); 8]>,
}

/// The search for a completion.
struct Search<'t> {
    tallies: &'t Tallies,
    judged: &'t Judged,
    /// Entries in each count and each group, with those that were added.
    counts: Vec<u32>,
    groups: Vec<u32>,
    /// Which slots are open.
    usable: Vec<bool>,
    /// How many entries each group must have, and may have.
    bounds: Vec<(u32, u32)>,
    /// The groups with a lower bound.
    wanting: Vec<u32>,
    /// Which groups can have more entries than they have.
    grows: Vec<bool>,
    start: Vec<u32>,
}

/// What has too few entries.
#[derive(Clone, Copy)]
enum Need {
    Count(u32),
    Group(u32),
}

/// A slot chosen for a need, and the others that are left to try.
struct Choice {
    slots: SmallVec<[u32; 8]>,
    next: usize,
    taken: Option<(u32, u32)>,
    missing: u32,
}

impl<'t> Search<'t> {
    fn new(tallies: &'t Tallies, judged: &'t Judged, tally: &Tally) -> Self {
        let counts: Vec<u32> = tallies.counts.iter().map(|count| tallies.value(tally, count)).collect();
        let groups: Vec<u32> =
            (0..judged.groups.len() as u32).map(|group| judged.count(tally, group)).collect();
        let full = |&count: &u32| {
            tallies.counts[count as usize].max.is_some_and(|max| counts[count as usize] >= max)
        };
        let usable: Vec<bool> = (0..)
            .zip(&tallies.slots)
            .map(|(number, slot)| tallies.is_open(tally, number) && !slot.counts.iter().any(full))
            .collect();
        let grows =
            judged.condition.groups().iter().map(|group| group.iter().any(|&slot| usable[slot as usize]));
        Search {
            grows: grows.collect(),
            bounds: vec![(0, u32::MAX); groups.len()],
            start: groups.clone(),
            wanting: Vec::new(),
            tallies,
            judged,
            counts,
            groups,
            usable,
        }
    }

    /// Begins with some entries, as far as they may follow; those that do.
    fn take(&mut self, likely: &Witness) -> Witness {
        let mut taken = Witness::new();
        for &(slot, times) in likely {
            let times = times.min(self.room(slot));
            if times > 0 {
                self.put(slot, times, true);
                taken.push((slot, times));
            }
        }
        self.start.clone_from(&self.groups);
        taken
    }

    fn run(mut self, effort: &mut Effort) -> Result<Option<Witness>, Error> {
        let size = (self.judged.condition.clauses().len() + self.groups.len()) as u64;
        let mut branches: Vec<Branch> = Vec::new();
        let mut entries = Witness::new();
        loop {
            effort.spend(size)?;
            if self.fill_up(&mut entries, effort)? {
                match self.reasons() {
                    None => return Ok(Some(entries)),
                    Some(facts) => {
                        branches.push(Branch { facts, next: 0, tried: None, before: SmallVec::new() });
                    }
                }
            }
            // The next fact that can be otherwise, of the last branch that has one.
            loop {
                let Some(branch) = branches.last_mut() else { return Ok(None) };
                if self.go_on(branch) {
                    break;
                }
                branches.pop();
            }
        }
    }

    /// Adds entries to some, or else to none, until nothing is missing; whether that can be.
    fn fill_up(&mut self, entries: &mut Witness, effort: &mut Effort) -> Result<bool, Error> {
        let within = self.groups.iter().zip(&self.bounds).all(|(entries, bounds)| *entries <= bounds.1);
        if within && let Some(more) = self.fill(effort)? {
            more.into_iter().for_each(|(slot, times)| add_entries(entries, slot, times));
            entries.sort_unstable();
            return Ok(true);
        }
        if entries.is_empty() {
            return Ok(false);
        }
        std::mem::take(entries).into_iter().for_each(|(slot, times)| self.put(slot, times, false));
        let filled = self.fill(effort)?;
        *entries = filled.unwrap_or_default();
        // Nothing was added if nothing is there.
        Ok(!entries.is_empty() || self.worst_need(effort)?.is_none())
    }

    /// Takes up the next fact of a branch as otherwise, and those before it as they are. Whether there is one.
    fn go_on(&mut self, branch: &mut Branch) -> bool {
        loop {
            if let Some((group, bounds)) = branch.tried.take() {
                self.bounds[group as usize] = bounds;
                let fact = branch.facts[branch.next - 1];
                branch.before.push((fact.group, self.bounds[fact.group as usize]));
                if !self.bind(fact) {
                    break;
                }
            }
            let Some(&fact) = branch.facts.get(branch.next) else { break };
            branch.next += 1;
            branch.tried = Some((fact.group, self.bounds[fact.group as usize]));
            if self.bind(Fact { holds: !fact.holds, ..fact }) {
                return true;
            }
        }
        while let Some((group, bounds)) = branch.before.pop() {
            self.bounds[group as usize] = bounds;
        }
        false
    }

    /// Bounds a group by a fact; whether that leaves any number.
    fn bind(&mut self, Fact { group, min, holds }: Fact) -> bool {
        let (least, most) = &mut self.bounds[group as usize];
        if holds {
            *least = (*least).max(min);
            if !self.wanting.contains(&group) {
                self.wanting.push(group);
            }
        } else {
            *most = (*most).min(min - 1);
        }
        *least <= *most && self.start[group as usize] <= *most
    }

    /// Adds entries until nothing is missing, and says which; `None` if that cannot be.
    fn fill(&mut self, effort: &mut Effort) -> Result<Option<Witness>, Error> {
        let mut choices: Vec<Choice> = Vec::new();
        loop {
            match self.worst_need(effort)? {
                None => break,
                Some((missing, slots)) => choices.push(Choice { slots, next: 0, taken: None, missing }),
            }
            loop {
                let Some(choice) = choices.last_mut() else { return Ok(None) };
                if let Some((slot, times)) = choice.taken.take() {
                    self.put(slot, times, false);
                }
                let Some(&slot) = choice.slots.get(choice.next) else {
                    choices.pop();
                    continue;
                };
                effort.spend(1)?;
                choice.next += 1;
                let times = if self.room(slot) == u32::MAX { choice.missing } else { 1 };
                choice.taken = Some((slot, times));
                self.put(slot, times, true);
                break;
            }
        }
        let mut witness: Witness = Witness::new();
        let taken = choices.into_iter().filter_map(|choice| choice.taken);
        taken.for_each(|(slot, times)| add_entries(&mut witness, slot, times));
        Ok(Some(witness))
    }

    fn put(&mut self, slot: u32, times: u32, adds: bool) {
        let slot = &self.tallies.slots[slot as usize];
        let change =
            |number: &mut u32| *number = if adds { number.saturating_add(times) } else { *number - times };
        slot.counts.iter().for_each(|&count| change(&mut self.counts[count as usize]));
        slot.groups.iter().for_each(|&group| change(&mut self.groups[group as usize]));
    }

    /// How many more entries a slot may have.
    fn room(&self, slot: u32) -> u32 {
        if !self.usable[slot as usize] {
            return 0;
        }
        let slot = &self.tallies.slots[slot as usize];
        let counts = slot.counts.iter().filter_map(|&count| {
            let max = self.tallies.counts[count as usize].max?;
            Some(max.saturating_sub(self.counts[count as usize]))
        });
        let groups = slot
            .groups
            .iter()
            .filter(|&&group| self.bounds[group as usize].1 != u32::MAX)
            .map(|&group| self.bounds[group as usize].1.saturating_sub(self.groups[group as usize]));
        counts.chain(groups).min().unwrap_or(u32::MAX)
    }

    /// Of all that has too few entries, what has the fewest slots to make up for it: how many are missing, and the slots,
    /// first those that change the least besides.
    fn worst_need(&self, effort: &mut Effort) -> Result<Option<Missing>, Error> {
        let counts = self.tallies.bounded.iter().map(|&count| Need::Count(count));
        let groups = self.wanting.iter().map(|&group| Need::Group(group));
        let mut worst: Option<Missing> = None;
        for need in counts.chain(groups) {
            let (missing, slots) = match need {
                Need::Count(count) => {
                    let plan = &self.tallies.counts[count as usize];
                    (plan.min.saturating_sub(self.counts[count as usize]), &plan.slots)
                }
                Need::Group(group) => {
                    let least = self.bounds[group as usize].0;
                    let slots = &self.judged.condition.groups()[group as usize];
                    (least.saturating_sub(self.groups[group as usize]), slots)
                }
            };
            if missing == 0 {
                continue;
            }
            effort.spend(slots.len() as u64)?;
            let open: SmallVec<[u32; 8]> =
                slots.iter().copied().filter(|&slot| self.room(slot) > 0).collect();
            if worst.as_ref().is_none_or(|(_, known)| open.len() < known.len()) {
                worst = Some((missing, open));
            }
        }
        if let Some((_, slots)) = &mut worst {
            slots.sort_by_key(|&slot| self.tallies.slots[slot as usize].groups.len());
        }
        Ok(worst)
    }

    /// Why the condition does not hold of the entries: facts that can be otherwise; `None` if it holds.
    fn reasons(&self) -> Option<SmallVec<[Fact; 8]>> {
        let clauses = self.judged.condition.clauses();
        let truth = self.judged.condition.truth(|group| self.groups[group as usize]);
        let whole = clauses.len().checked_sub(1).filter(|&whole| !truth[whole])?;
        let costs = self.costs(&truth);
        let (mut facts, mut todo) = (SmallVec::new(), vec![whole as u32]);
        let mut seen: SmallVec<[bool; 64]> = SmallVec::from_elem(false, clauses.len());
        while let Some(at) = todo.pop() {
            if costs[at as usize] == 0 || std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            let holds = truth[at as usize];
            match &clauses[at as usize] {
                &Clause::AtLeast { group, min } => facts.push(Fact { group, min, holds }),
                Clause::Not(part) => todo.push(*part),
                Clause::All(parts) if !holds => todo.extend(cheapest(parts, false, &truth, &costs, 1)),
                Clause::Any(parts) if holds => todo.extend(cheapest(parts, true, &truth, &costs, 1)),
                Clause::One(parts) if !holds && parts.iter().any(|&part| truth[part as usize]) => {
                    todo.extend(cheapest(parts, true, &truth, &costs, 2));
                }
                Clause::All(parts) | Clause::Any(parts) | Clause::One(parts) => {
                    todo.extend(parts.iter().rev())
                }
            }
        }
        Some(facts)
    }

    /// How many facts that can be otherwise are the reason for the truth of each clause, counted as often as they are met.
    fn costs(&self, truth: &[bool]) -> SmallVec<[u32; 64]> {
        let mut costs: SmallVec<[u32; 64]> = SmallVec::with_capacity(truth.len());
        for (at, clause) in self.judged.condition.clauses().iter().enumerate() {
            let of = |part: &u32| costs[*part as usize];
            let those = |parts: &[u32], which: bool| {
                let mut those: SmallVec<[u32; 16]> =
                    parts.iter().filter(|&&part| truth[part as usize] == which).map(of).collect();
                those.sort_unstable();
                those
            };
            let sum = |parts: &[u32]| parts.iter().map(of).fold(0, u32::saturating_add);
            let here = match clause {
                Clause::AtLeast { group, min } => u32::from(!self.is_bound(*group, *min, truth[at])),
                Clause::Not(part) => of(part),
                Clause::All(parts) if !truth[at] => those(parts, false)[0],
                Clause::Any(parts) if truth[at] => those(parts, true)[0],
                Clause::One(parts) if !truth[at] && parts.iter().any(|&part| truth[part as usize]) => {
                    let holding = those(parts, true);
                    holding[0].saturating_add(holding[1])
                }
                Clause::All(parts) | Clause::Any(parts) | Clause::One(parts) => sum(parts),
            };
            costs.push(here);
        }
        costs
    }

    /// Whether a fact cannot be otherwise under the bounds.
    fn is_bound(&self, group: u32, min: u32, holds: bool) -> bool {
        let (least, most) = self.bounds[group as usize];
        let start = self.start[group as usize];
        match holds {
            true => start.max(least) >= min,
            false => most < min || !self.grows[group as usize],
        }
    }
}

/// The parts that hold, or do not, for the fewest reasons.
fn cheapest(parts: &[u32], which: bool, truth: &[bool], costs: &[u32], number: usize) -> SmallVec<[u32; 2]> {
    let mut those: SmallVec<[u32; 16]> =
        parts.iter().copied().filter(|&part| truth[part as usize] == which).collect();
    those.sort_by_key(|&part| costs[part as usize]);
    those.into_iter().take(number).rev().collect()
}
