//! Random members and machines.

use std::sync::Arc;

use tokenstile_grammar::ir::{
    ClauseId, Condition, ConditionBuilder, Count, Machine, MachineRef, Members, Slot,
};
use tokenstile_grammar::{Error, ExprId, Grammar, GrammarBuilder, Limits};

use crate::Rng;

/// Random members over `entries`: windows, counts that may overlap, a condition. There may be no way to keep the counts.
pub fn random_members(rng: &mut Rng, separator: ExprId, entries: &[ExprId]) -> Members {
    let windows = rng.chance(1, 3);
    let slots: Box<[Slot]> = entries.iter().map(|&entry| random_slot(rng, entry, windows)).collect();
    let number = slots.len() as u32;
    let mut counts: Vec<Count> = Vec::new();
    let all = || (0..number).collect::<Box<[u32]>>();
    if rng.chance(1, 2) {
        counts.push(random_count(rng, &all()));
    }
    // Often as in an object: each slot at most once, and what one implies.
    let object = rng.chance(1, 3);
    if object {
        counts.extend((0..number).map(|s| Count {
            slots: [s].into_iter().collect(),
            min: rng.below(4) as u32 / 3,
            max: Some(1),
        }));
    } else if rng.chance(2, 3) {
        let singles = (0..number).filter(|_| rng.chance(3, 4)).collect::<Vec<_>>();
        counts.extend(singles.into_iter().map(|s| random_count(rng, &[s])));
    }
    for _ in 0..if object { 0 } else { rng.below(3) } {
        let some: Box<[u32]> = all().iter().copied().filter(|_| rng.chance(1, 2)).collect();
        counts.push(random_count(rng, &some));
    }
    let conditioned = number > 0 && rng.chance(1, if object { 2 } else { 3 });
    let condition = conditioned.then(|| Box::new(random_condition(rng, number)));
    let in_order = rng.chance(1, 2);
    Members { separator, slots, counts: counts.into(), condition, in_order }
}

/// A condition over the entries in some slots: often that one slot asks for another, else any formula.
pub fn random_condition(rng: &mut Rng, slots: u32) -> Condition {
    let mut builder = ConditionBuilder::default();
    let slot = |rng: &mut Rng| rng.below(slots as usize) as u32;
    if rng.chance(1, 3) {
        let pairs: Vec<(u32, u32)> = (0..rng.between(1, 3)).map(|_| (slot(rng), slot(rng))).collect();
        let whole = builder.implies(pairs);
        return builder.build(whole);
    }
    let mut parts: Vec<ClauseId> = Vec::new();
    for _ in 0..rng.between(2, 5) {
        let group: Vec<u32> = (0..rng.between(1, 2)).map(|_| slot(rng)).collect();
        let min = if rng.chance(1, 4) { 2 } else { 1 };
        parts.push(builder.at_least(group, min));
    }
    for _ in 0..rng.between(1, 5) {
        let some: Vec<ClauseId> = (0..rng.between(1, 3)).map(|_| *rng.pick(&parts)).collect();
        parts.push(match rng.below(4) {
            0 => builder.all(&some),
            1 => builder.any(&some),
            2 => builder.one(&some),
            _ => builder.not(some[0]),
        });
    }
    builder.build(parts[parts.len() - 1])
}

fn random_slot(rng: &mut Rng, entry: ExprId, windows: bool) -> Slot {
    if !windows || rng.chance(1, 3) {
        return Slot::anywhere(entry);
    }
    let from = rng.below(3) as u32;
    let to = if rng.chance(1, 2) { u32::MAX } else { from + rng.below(4) as u32 };
    Slot { entry, from, to }
}

fn random_count(rng: &mut Rng, slots: &[u32]) -> Count {
    let min = [0, 0, 0, 1, 1, 2][rng.below(6)];
    let max = if rng.chance(1, 3) { None } else { Some(min + rng.below(3) as u32) };
    Count { slots: slots.iter().copied().collect(), min, max }
}

/// A deterministic automaton over the bytes from `a` on, of which every state can be completed.
#[derive(Clone, Debug)]
pub struct RandomDfa {
    name: String,
    accepts: Vec<bool>,
    /// By state and byte.
    steps: Vec<[Option<u8>; LETTERS]>,
}

const LETTERS: usize = 3;

/// A random automaton with at least one text.
pub fn random_dfa(rng: &mut Rng) -> RandomDfa {
    let states = rng.between(1, 5);
    let mut dfa = RandomDfa {
        name: format!("dfa {}", rng.next_u64()),
        accepts: (0..states).map(|_| rng.chance(1, 3)).collect(),
        steps: vec![[None; LETTERS]; states],
    };
    dfa.accepts[rng.below(states)] = true;
    for step in dfa.steps.iter_mut().flatten() {
        *step = rng.chance(1, 2).then(|| rng.below(states) as u8);
    }
    // The start leads to some state that accepts, if by a way of its own.
    let end = dfa.accepts.iter().position(|a| *a).unwrap_or(0);
    dfa.steps[0][rng.below(LETTERS)] = Some(end as u8);
    let mut alive = dfa.accepts.clone();
    loop {
        let leads = |row: &[Option<u8>; LETTERS]| row.iter().flatten().any(|&to| alive[to as usize]);
        let next: Vec<bool> = dfa.steps.iter().zip(&alive).map(|(row, &a)| a || leads(row)).collect();
        if next == alive {
            break;
        }
        alive = next;
    }
    for step in dfa.steps.iter_mut().flatten() {
        *step = step.filter(|&to| alive[to as usize]);
    }
    dfa
}

impl RandomDfa {
    /// The automaton as a machine.
    pub fn machine(&self) -> MachineRef {
        MachineRef(Arc::new(self.clone()))
    }

    /// A grammar with a rule for each state.
    pub fn grammar(&self) -> Result<Grammar, Error> {
        let mut builder = GrammarBuilder::new(&Limits::default());
        let states = 0..self.steps.len();
        let rules =
            states.map(|s| builder.declare(format!("s{s}"), None)).collect::<Result<Vec<_>, Error>>()?;
        for (state, row) in self.steps.iter().enumerate() {
            let mut ways = Vec::new();
            if self.accepts[state] {
                ways.push(builder.arena.empty());
            }
            for (byte, to) in (b'a'..).zip(row) {
                if let Some(to) = to {
                    let (read, rest) =
                        (builder.arena.literal(&[byte]), builder.arena.rule(rules[*to as usize]));
                    ways.push(builder.arena.concat(&[read, rest]));
                }
            }
            let body = builder.arena.alt(&ways);
            builder.define(rules[state], body);
        }
        builder.build(rules[0])
    }
}

impl Machine for RandomDfa {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Box<[u8]> {
        [0].into()
    }

    fn step(&self, state: &[u8], byte: u8, next: &mut Vec<u8>) -> bool {
        let letter = byte.wrapping_sub(b'a') as usize;
        match self.steps[state[0] as usize].get(letter).copied().flatten() {
            Some(to) => next.push(to),
            None => return false,
        }
        true
    }

    fn accepts(&self, state: &[u8]) -> bool {
        self.accepts[state[0] as usize]
    }
}
