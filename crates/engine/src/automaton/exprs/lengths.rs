//! About how many bytes the shortest text of each expression has.
//!
//! Exact for plain expressions. Where what is left depends on what was written (members, machines, booleans) it is a
//! guess, and rather too high: it orders a search and says when to begin one, and no answer depends on it.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, CharSet, Expr, Members, Tallies};

use crate::tuning::exprs::LENGTH_ROUNDS;

/// More bytes than any search goes for.
pub(crate) const FAR: u32 = 1 << 24;

/// About how many bytes the shortest text of each expression has.
pub(crate) fn lengths(arena: &Arena, bodies: &[ExprId]) -> Vec<u32> {
    let mut rules = vec![FAR; bodies.len()];
    for _ in 0..LENGTH_ROUNDS {
        let all = of_all(arena, &rules);
        let next: Vec<u32> = bodies.iter().map(|body| all[body.index()]).collect();
        if next == rules {
            return all;
        }
        rules = next;
    }
    of_all(arena, &rules)
}

/// The lengths of all expressions, given those of the rules.
fn of_all(arena: &Arena, rules: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::with_capacity(arena.len());
    // Parts come before what they are part of.
    for (_, expr) in arena.iter() {
        let of = |id: &ExprId| all[id.index()];
        let sum = |list: &[ExprId]| list.iter().map(of).fold(0u32, |a, b| a.saturating_add(b));
        let length = match expr {
            Expr::Never => FAR,
            Expr::Empty | Expr::Look { .. } | Expr::Not(_) => 0,
            Expr::Bytes(_) | Expr::Tokens(_) => 1,
            Expr::Chars(set) => shortest_character(arena.char_set(set)),
            Expr::Literal(literal) => arena.literal_bytes(literal).len() as u32,
            Expr::Concat(list) => sum(arena.list(list)),
            Expr::Alt(list) => arena.list(list).iter().map(of).min().unwrap_or(FAR),
            Expr::And(list) => arena.list(list).iter().map(of).max().unwrap_or(0),
            Expr::Repeat { expr, min, .. } => of(&expr).saturating_mul(min),
            Expr::Rule(rule) => rules.get(rule.index()).copied().unwrap_or(FAR),
            Expr::Region(inner) => of(&inner),
            Expr::Members(members) => of_members(arena.members_of(members), &all),
            Expr::Machine(machine) => {
                let machine = &arena.machine_of(machine).0;
                if machine.accepts(&machine.start()) { 0 } else { 1 }
            }
        };
        all.push(length.min(FAR));
    }
    all
}

/// The entries that must be there, the shortest that each count allows.
fn of_members(members: &Members, all: &[u32]) -> u32 {
    let separator = all[members.separator.index()];
    if members.condition.is_some() {
        let tallies = Tallies::new(members);
        let wanting = tallies.wanting(&tallies.start());
        return length_of_entries(members, &wanting, all).saturating_sub(separator);
    }
    let entry = |slot: &u32| all[members.slots[*slot as usize].entry.index()];
    let counts = members.counts.iter().filter(|count| count.min > 0).map(|count| {
        let shortest = count.slots.iter().map(entry).min().unwrap_or(FAR);
        shortest.saturating_add(separator).saturating_mul(count.min)
    });
    counts.fold(0u32, u32::saturating_add).saturating_sub(separator)
}

/// The bytes of some entries, with a separator before each.
pub(crate) fn length_of_entries(members: &Members, entries: &[(u32, u32)], lengths: &[u32]) -> u32 {
    let separator = lengths[members.separator.index()];
    let of = |&(slot, times): &(u32, u32)| {
        let entry = lengths[members.slots[slot as usize].entry.index()];
        entry.saturating_add(separator).saturating_mul(times)
    };
    entries.iter().map(of).fold(0u32, u32::saturating_add)
}

fn shortest_character(set: &CharSet) -> u32 {
    let first = set.ranges().first().and_then(|range| char::from_u32(range.0));
    first.map_or(FAR, |c| c.len_utf8() as u32)
}
