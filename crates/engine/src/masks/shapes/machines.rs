//! Places in machines that have more states than can be kept.
//!
//! *Recognized* is a place in machines, where what follows them is told from what they read. *Exact*, since the machines
//! themselves read the tokens; where one says that so many bytes may follow whatever they are, no other may come. The *answer* is
//! the mask that the tables of runs have of that many bytes, the longer tokens as the machines read them, and what follows.
//! The *limit*: other things that are open must be in the same frame. The states on the way are dropped.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::walk::Walk;
use super::shape::{Place, PlaceShape};
use crate::ablate::Switch;
use crate::automaton::{InMachine, LocalId};
use crate::tokens::accept::Shared;
use crate::tokens::class::{CharClass, LackId};
use crate::tokens::runs::{Run, RunMask};
use crate::work::Exceeded;

type Places<'a> = SmallVec<[InMachine<'a>; 4]>;

/// The machines that a place is in, and what else it is in.
pub(super) struct InMachines<'a> {
    machines: Places<'a>,
    rest: Option<LocalId>,
}

impl<'a> PlaceShape<'a> for InMachines<'a> {
    const WAY: Switch = Switch::MachineRuns;

    #[inline]
    fn may_be(_: &mut Walk<'a>, at: Place<'a>) -> bool {
        at.here.in_machine
    }

    fn recognize(walk: &mut Walk<'a>, at: Place<'a>) -> Result<Option<Self>, Exceeded> {
        Ok(walk.machines_at(at.local).map(|(machines, rest)| InMachines { machines, rest }))
    }

    fn answer(self, walk: &mut Walk<'a>, Place { node, .. }: Place<'a>) -> Result<bool, Exceeded> {
        let InMachines { machines, rest } = self;
        if let Some(rest) = rest {
            walk.visit(node, rest)?;
        }
        for place in machines.iter().filter(|place| place.machine.accepts(&place.state)) {
            walk.visit(node, place.after)?;
        }
        match walk.tables.profile.anchor_at(node) {
            Some(index) => walk.read_at_anchor(index, &machines)?,
            None => machines.iter().try_for_each(|place| walk.read_below(node, place, ByteSet::EMPTY, 0))?,
        }
        Ok(true)
    }
}

impl<'a> Walk<'a> {
    /// The machines that a place is in, and what else it is in, if tokens can be read by them: what follows must be told
    /// from what they read, and be in the same frame.
    fn machines_at(&self, local: LocalId) -> Option<(Places<'a>, Option<LocalId>)> {
        if !self.store.local(local).in_machine {
            return None;
        }
        let (machines, rest) = self.store.machines_of(local);
        let is_apart = |place: &InMachine<'_>| {
            let follows = self.store.split_expansion(place.after).alive;
            self.goes_on(place.after) && !follows.intersects(&place.machine.alphabet())
        };
        (!machines.is_empty() && machines.iter().all(is_apart)).then_some((machines, rest))
    }

    /// For a place in machines and nowhere else: the bytes they read, how many of those may follow whatever they are, and the bytes that
    /// may follow the machines.
    pub(super) fn any_in_machines(&self, local: LocalId) -> Option<(ByteSet, u32, ByteSet)> {
        let (machines, None) = self.machines_at(local)? else { return None };
        let most = machines.iter().max_by_key(|place| place.any)?;
        let follows = machines.iter().map(|place| self.store.split_expansion(place.after).alive);
        let follows = follows.fold(ByteSet::EMPTY, |all, alive| all.union(&alive));
        Some((most.machine.alphabet(), most.any, follows))
    }

    /// Has machines read the tokens from an anchor on.
    fn read_at_anchor(&mut self, index: u32, machines: &Places<'a>) -> Result<(), Exceeded> {
        let node = self.tables.profile.anchor(index).node;
        // What one machine reads whatever it is, the others need not read.
        let most = machines.iter().max_by_key(|place| place.any);
        let (bytes, any) = most.map_or((ByteSet::EMPTY, 0), |p| (p.machine.alphabet(), p.any));
        if any > 0 {
            let run = run_of(index, bytes, any);
            let RunMask { mask, minus, .. } = self.tables.profile.mask(self.trie, run);
            self.work.spend(64)?;
            self.masks.push(Shared { mask, minus });
        }
        for (i, place) in machines.iter().enumerate() {
            let covers = |a: &InMachine<'_>, b: &InMachine<'_>| a.machine.covers(b.machine.name());
            let is_covered = machines.iter().enumerate().any(|(j, other)| {
                covers(other, place) && other.state == place.state && (j < i || !covers(place, other))
            });
            if !is_covered {
                self.read_below(node, place, bytes, any)?;
            }
            self.leave_machine(index, place)?;
        }
        Ok(())
    }

    /// Goes on where a machine that was entered at an anchor may end.
    fn leave_machine(&mut self, index: u32, place: &InMachine<'_>) -> Result<(), Exceeded> {
        let anchor = self.tables.profile.anchor(index);
        let run = run_of(index, place.machine.alphabet(), u32::MAX);
        let leaving = self.tables.profile.leaving(self.trie, &run);
        let mut path: SmallVec<[u8; 32]> = SmallVec::new();
        for byte in self.store.split_expansion(place.after).alive.iter() {
            for entry in leaving.by(byte) {
                self.work.spend(1)?;
                path.clear();
                let mut at = self.trie.parent[entry.node as usize];
                while at != anchor.node {
                    path.push(self.trie.byte[at as usize]);
                    at = self.trie.parent[at as usize];
                }
                path.reverse();
                if place.machine.ends_after(&place.state, &path)
                    && let Some(next) = self.after_byte(place.after, byte)?
                {
                    self.arrive(entry.node, next)?;
                }
            }
        }
        Ok(())
    }

    /// Has the machine read what is below a node, but for tokens of up to `taken` bytes of a class. At an anchor, it is
    /// left to others to go on where it may end.
    fn read_below(
        &mut self,
        node: u32,
        place: &InMachine<'_>,
        class: ByteSet,
        taken: u32,
    ) -> Result<(), Exceeded> {
        let is_anchor = self.tables.profile.anchor_at(node).is_some();
        let alphabet = place.machine.alphabet();
        let taken = if alphabet.is_subset(&class) { taken } else { 0 };
        let mut todo: Vec<(u32, u32, Vec<u8>)> = vec![(node, 0, place.state.to_vec())];
        let mut next = Vec::new();
        while let Some((node, bytes, state)) = todo.pop() {
            for child in self.trie.children(node) {
                let all_taken = bytes + 1 + self.trie.below[child as usize].chars <= taken;
                let byte = self.trie.byte[child as usize];
                if all_taken || !alphabet.contains(byte) {
                    continue;
                }
                self.work.spend(1)?;
                next.clear();
                if !place.machine.step(&state, byte, &mut next) {
                    continue;
                }
                if bytes >= taken {
                    self.trie.add_own(child, &mut self.ids);
                }
                if self.trie.nodes[child as usize].children > 0 {
                    if !is_anchor && self.follows(child, place.after) && place.machine.accepts(&next) {
                        self.visit(child, place.after)?;
                    }
                    todo.push((child, bytes + 1, next.clone()));
                }
            }
        }
        Ok(())
    }

    /// Whether some child of a node is a way to go on from a place.
    fn follows(&self, node: u32, local: LocalId) -> bool {
        let alive = self.store.split_expansion(local).alive;
        self.trie.children(node).any(|child| alive.contains(self.trie.byte[child as usize]))
    }
}

/// The run of up to so many bytes of an alphabet.
fn run_of(anchor: u32, ascii: ByteSet, most: u32) -> Run {
    Run {
        anchor,
        first: ascii,
        first_wide: false,
        rest: CharClass { ascii, wide: false, lack: LackId::NOTHING },
        most,
    }
}
