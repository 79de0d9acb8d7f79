//! Least fixpoints of yes/no properties over the expressions of a grammar, in time linear in its size.

use crate::ids::{ExprId, MembersId};
use crate::ir::{Expr, Grammar, Members};

/// How a property of an expression follows from that of its children; the child of a call is the rule's body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    Known(bool),
    All,
    Any,
    /// Entries that can be chosen so that all counts are kept; not for members that may be none.
    Members(MembersId),
}

/// The least assignment under `gate`, in arena order.
pub(super) fn least(grammar: &Grammar, gate: impl Fn(ExprId, Expr) -> Gate) -> Vec<bool> {
    let size = grammar.arena().len();
    let mut holds = vec![false; size];
    let mut missing = vec![0u32; size];
    let mut todo: Vec<ExprId> = Vec::new();
    // Pairs (child, parent); sorted by counting, so that the parents of each child lie together.
    let mut starts = vec![0u32; size + 1];
    let mut edges: Vec<(u32, ExprId)> = Vec::new();
    for (id, expr) in grammar.arena().iter() {
        let children = grammar.parts(id);
        missing[id.index()] = match gate(id, expr) {
            Gate::Known(true) => {
                holds[id.index()] = true;
                todo.push(id);
                continue;
            }
            Gate::Known(false) => continue,
            Gate::All => children.len() as u32,
            Gate::Any => 1,
            Gate::Members(members) => least_entries(grammar, members),
        };
        for child in children {
            starts[child.index() + 1] += 1;
            edges.push((child.index() as u32, id));
        }
    }
    for i in 0..size {
        starts[i + 1] += starts[i];
    }
    let mut parents = vec![grammar.arena().never(); edges.len()];
    let mut next = starts.clone();
    for (child, parent) in edges {
        parents[next[child as usize] as usize] = parent;
        next[child as usize] += 1;
    }
    while let Some(id) = todo.pop() {
        for &parent in &parents[starts[id.index()] as usize..starts[id.index() + 1] as usize] {
            if holds[parent.index()] {
                continue;
            }
            missing[parent.index()] = missing[parent.index()].saturating_sub(1);
            if missing[parent.index()] > 0 {
                continue;
            }
            if let Gate::Members(members) = gate(parent, grammar.arena().get(parent))
                && !satisfiable_with(grammar.arena().members_of(members), &holds)
            {
                continue;
            }
            holds[parent.index()] = true;
            todo.push(parent);
        }
    }
    holds
}

/// How many different slots members need at least: there is no use in asking before.
fn least_entries(grammar: &Grammar, members: MembersId) -> u32 {
    let counts = &grammar.arena().members_of(members).counts;
    counts.iter().filter(|c| c.slots.len() == 1 && c.min > 0).count().max(1) as u32
}

/// Whether entries can be chosen among those for which something holds.
pub(super) fn satisfiable_with(members: &Members, holds: &[bool]) -> bool {
    let some = members.restricted(holds[members.separator.index()], |slot| holds[slot.entry.index()]);
    some.is_some_and(|m| m.is_satisfiable())
}
