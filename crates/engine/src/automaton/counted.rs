//! Members and machines: expressions whose places are too many to be listed, so that those visited are interned.
//!
//! A cell of members is in one of four phases, which its number tells: 0 is before the first entry, others are after an
//! entry, after a separator, where an entry must follow, or before the first entry of members of which no more is known than
//! whether there must be one. An entry is a frame (see [`entries`]), except
//! inside booleans, where it has a cell for every slot. A cell of a machine has the
//! number 0 at the start, and the state's plus one after that.
//!
//! [`entries`]: super::entries

use std::sync::OnceLock;

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr, Machine, Tallies, Tally};
use tokenstile_grammar::{ExprId, MachineId, MembersId};

use super::build::{Build, Closure};
use super::objects::cell::{Cell, Head};
use super::objects::ids::{CellId, CountedId, LocalId, MachineStateId, StateId, hash_of};
use super::objects::members::{Counted, MachineState, Phase};
use super::store::Store;
use crate::ablate::{Switch, is_off};
use crate::collections::OnceId;
use crate::work::Exceeded;

impl Store {
    #[inline]
    pub(super) fn counted(&self, id: CountedId) -> &Counted {
        let home = self.home(id.0);
        home.counted.get((id.0 - home.own) as usize)
    }

    #[inline]
    pub(super) fn machine_state(&self, id: MachineStateId) -> &MachineState {
        let home = self.home(id.0);
        home.machine_states.get((id.0 - home.own) as usize)
    }

    fn machine_accepts(&self, id: MachineStateId) -> bool {
        let MachineState { machine, state, accepts, .. } = self.machine_state(id);
        *accepts.get_or_init(|| self.program.arena.machine_of(*machine).0.accepts(state))
    }

    /// Whether a state has a machine in it.
    pub(super) fn is_in_machine(&self, id: StateId) -> bool {
        self.state(id).kernel.iter().any(|&cell| match self.cell(cell).head {
            Head::Expr(expr, _) => matches!(self.program.arena.get(expr), Expr::Machine(_)),
            _ => false,
        })
    }

    /// The machines that a local stands in which have more states than can be kept, and the local without them, if there
    /// is more.
    pub(crate) fn machines_of(&self, id: LocalId) -> (SmallVec<[InMachine<'_>; 4]>, Option<LocalId>) {
        let (state, node) = self.local(id).heads[0];
        let (mut machines, mut rest) = (SmallVec::new(), Vec::new());
        for &cell in self.state(state).kernel.iter() {
            match self.machine_at_cell(id, cell) {
                Some(place) => machines.push(place),
                None => rest.push(cell),
            }
        }
        let rest = (!rest.is_empty()).then(|| {
            let mut build = self.build();
            let state = build.state(&rest);
            build.local(&[(state, node)])
        });
        (machines, rest)
    }

    fn machine_at_cell(&self, local: LocalId, cell: CellId) -> Option<InMachine<'_>> {
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return None };
        let Expr::Machine(machine) = self.program.arena.get(expr) else { return None };
        let machine: &dyn Machine = &*self.program.arena.machine_of(machine).0;
        let state: Box<[u8]> = match at.checked_sub(1) {
            Some(state) => self.machine_state(MachineStateId(state)).state.clone(),
            None => machine.start(),
        };
        let any = machine.any(&state)?;
        Some(InMachine { machine, state, any, after: self.local_at(self.local(local).heads[0].1, tail) })
    }
}

/// A place in a machine.
pub(crate) struct InMachine<'a> {
    pub(crate) machine: &'a dyn Machine,
    pub(crate) state: Box<[u8]>,
    /// How many bytes of its alphabet may follow, whatever they are.
    pub(crate) any: u32,
    /// What follows it.
    pub(crate) after: LocalId,
}

impl Build<'_> {
    pub(super) fn counted(&mut self, members: MembersId, tally: Tally) -> CountedId {
        let store = self.store;
        if store.has_shared_members(members) {
            return self.library().counted(members, tally);
        }
        let hash = hash_of(&(members, &tally));
        let same = |id: CountedId| {
            let known = store.counted(id);
            known.members == members && known.tally == tally
        };
        if let Some(id) = self.index.counted.find(hash, same) {
            return id;
        }
        store.add_bytes(size_of::<Counted>() + tally.len() * 8 + 16);
        let can_end = store.program.tallies(members).can_end(&tally);
        let counted = Counted {
            members,
            tally,
            can_end,
            generic: false,
            open: OnceLock::new(),
            rest: OnceLock::new(),
            entry: OnceId::new(),
            clamped: OnceId::new(),
        };
        let id = CountedId::of(store.own, store.counted.push(counted, &mut self.index.writer));
        self.index.counted.insert(hash, id);
        id
    }

    /// The place that stands for all which differ in nothing but the slots that are open, of which there are some.
    pub(super) fn generic(&mut self, (expr, id): (ExprId, CountedId)) -> (ExprId, CountedId) {
        let store = self.store;
        let Counted { members, can_end, .. } = *store.counted(id);
        let known = *self.index.shared_members.entry(members).or_insert_with(|| {
            let library = store.library.as_ref()?;
            library.members_like(&store.program.arena, members)
        });
        match known {
            Some((expr, members)) => (expr, self.library().own_generic(members, can_end)),
            None => (expr, self.own_generic(members, can_end)),
        }
    }

    /// The place that stands for all places after entries of these members.
    pub(super) fn generic_of_members(&mut self, members: MembersId, can_end: bool) -> CountedId {
        if self.store.has_shared_members(members) {
            return self.library().own_generic(members, can_end);
        }
        self.own_generic(members, can_end)
    }

    fn own_generic(&mut self, members: MembersId, can_end: bool) -> CountedId {
        let store = self.store;
        if let Some(&known) = self.index.generic.get(&(members, can_end)) {
            return known;
        }
        let counted = Counted {
            members,
            tally: Tally::new(),
            can_end,
            generic: true,
            open: OnceLock::from(Box::from([0])),
            rest: OnceLock::new(),
            entry: OnceId::new(),
            clamped: OnceId::new(),
        };
        let generic = CountedId::of(store.own, store.counted.push(counted, &mut self.index.writer));
        store.counted(generic).clamped.set(generic);
        self.index.generic.insert((members, can_end), generic);
        generic
    }

    pub(super) fn counted_start(&mut self, members: MembersId) -> CountedId {
        let start = self.store.program.tallies(members).start();
        self.counted(members, start)
    }

    /// The slots that can be used next.
    pub(super) fn open_slots(&mut self, id: CountedId) -> &'_ [u32] {
        let store = self.store;
        let counted = store.counted(id);
        if let Some(open) = counted.open.get() {
            return open;
        }
        let mut open: Vec<u32> = Vec::new();
        let tallies: &Tallies = store.program.tallies(counted.members);
        if tallies.open_slots(&counted.tally, &mut |slot| open.push(slot)).is_err() {
            // Those for which this can happen are refused when they are compiled.
            store.set_exceeded(Exceeded { name: "mask_work", value: open.len() });
        }
        open.sort_unstable();
        store.add_bytes(open.len() * size_of::<u32>());
        counted.open.get_or_init(|| open.into())
    }

    /// What is known after an entry in an open slot.
    pub(super) fn after_slot(&mut self, id: CountedId, slot: u32) -> Option<CountedId> {
        if !is_off(Switch::TallyMemo)
            && let Some(&next) = self.index.counted_next.get(&(id, slot))
        {
            return Some(next);
        }
        let counted = self.store.counted(id);
        let next = self.store.program.tallies(counted.members).step(&counted.tally, slot)?;
        let next = self.counted(counted.members, next);
        self.index.counted_next.insert((id, slot), next);
        self.store.add_bytes(24);
        Some(next)
    }

    /// Whether nothing but the end can follow.
    fn is_full_up(&mut self, phase: &Phase) -> bool {
        match *phase {
            Phase::AfterEntry(id) => self.open_slots(id).is_empty(),
            _ => false,
        }
    }

    /// What a cell of members that can only end comes to: its tail.
    pub(super) fn unfold_counted(&mut self, expr: Expr, at: u32, tail: CellId) -> Option<CellId> {
        match expr {
            Expr::Members(_) => self.is_full_up(&Phase::of(at)).then_some(tail),
            Expr::Machine(_) if at > 0 => {
                let id = MachineStateId(at - 1);
                (self.store.machine_accepts(id) && self.machine_edges(id).is_empty()).then_some(tail)
            }
            _ => None,
        }
    }

    /// Takes the empty steps from a cell of members.
    pub(super) fn close_members(
        &mut self,
        expr: ExprId,
        members: MembersId,
        at: u32,
        tail: CellId,
        out: &mut Closure,
        todo: &mut SmallVec<[CellId; 16]>,
    ) {
        let store = self.store;
        let phase = Phase::of(at);
        let id = match phase {
            Phase::Start => self.counted_start(members),
            Phase::AfterEntry(id) | Phase::AfterSeparator(id) | Phase::Before(id) => id,
        };
        if !matches!(phase, Phase::AfterSeparator(_)) && store.counted(id).can_end {
            todo.push(tail);
        }
        if self.open_slots(id).is_empty() {
            return;
        }
        let listed = store.program.arena.members_of(members);
        let entry = self.cell(Head::Expr(expr, Phase::AfterSeparator(id).number()), tail);
        if let Phase::AfterEntry(_) = phase {
            let next = self.push(listed.separator, entry);
            todo.push(next);
        } else if store.program.is_framed(members) {
            out.choices.push(entry);
        } else {
            let open = store.counted(id).open.get().map_or(&[][..], |open| open);
            for &slot in open.iter().rev() {
                let Some(next) = self.after_slot(id, slot) else { continue };
                let rest = self.cell(Head::Expr(expr, Phase::AfterEntry(next).number()), tail);
                let next = self.push(listed.slots[slot as usize].entry, rest);
                todo.push(next);
            }
        }
    }

    /// The number of a cell of members with the counts clamped that cannot run out within one token.
    pub(super) fn clamp_members(&mut self, members: MembersId, at: u32) -> u32 {
        match Phase::of(at) {
            Phase::Start | Phase::Before(_) => at,
            Phase::AfterEntry(id) => Phase::AfterEntry(self.clamp_counted(members, id)).number(),
            Phase::AfterSeparator(id) => Phase::AfterSeparator(self.clamp_counted(members, id)).number(),
        }
    }

    fn clamp_counted(&mut self, members: MembersId, id: CountedId) -> CountedId {
        let store = self.store;
        let counted = store.counted(id);
        if let Some(clamped) = counted.clamped.get() {
            return clamped;
        }
        let clamped = match store.program.tallies(members).clamped(&counted.tally, store.program.far) {
            Some(tally) => self.counted(members, tally),
            None => id,
        };
        counted.clamped.set(clamped)
    }
}

impl Build<'_> {
    pub(super) fn machine_state(&mut self, machine: MachineId, state: &[u8]) -> MachineStateId {
        let store = self.store;
        if store.has_shared_machine(machine) {
            return self.library().machine_state(machine, state);
        }
        let hash = hash_of(&(machine, state));
        let same = |id: MachineStateId| {
            let known = store.machine_state(id);
            known.machine == machine && *known.state == *state
        };
        if let Some(id) = self.index.machine_states.find(hash, same) {
            return id;
        }
        store.add_bytes(size_of::<MachineState>() + state.len() + 16);
        let state =
            MachineState { machine, state: state.into(), accepts: OnceLock::new(), edges: OnceLock::new() };
        let id = MachineStateId::of(store.own, store.machine_states.push(state, &mut self.index.writer));
        self.index.machine_states.insert(hash, id);
        id
    }

    /// Where the bytes lead from a state of a machine.
    fn machine_edges(&mut self, id: MachineStateId) -> &'_ [(ByteSet, MachineStateId)] {
        let store = self.store;
        let from = store.machine_state(id);
        if let Some(edges) = from.edges.get() {
            return edges;
        }
        let machine: &dyn Machine = &*store.program.arena.machine_of(from.machine).0;
        let mut edges: Vec<(ByteSet, MachineStateId)> = Vec::new();
        let mut next = Vec::new();
        for byte in machine.alphabet().iter() {
            next.clear();
            if !machine.step(&from.state, byte, &mut next) {
                continue;
            }
            let target = self.machine_state(from.machine, &next);
            match edges.iter_mut().find(|e| e.1 == target) {
                Some(edge) => edge.0.insert(byte),
                None => edges.push((ByteSet::single(byte), target)),
            }
        }
        store.add_bytes(edges.len() * size_of::<(ByteSet, MachineStateId)>());
        from.edges.get_or_init(|| edges.into())
    }

    fn machine_at(&mut self, machine: MachineId, at: u32) -> MachineStateId {
        match at.checked_sub(1) {
            Some(state) => MachineStateId(state),
            None => {
                let start = self.store.program.arena.machine_of(machine).0.start();
                self.machine_state(machine, &start)
            }
        }
    }

    /// Takes the empty steps from a cell of a machine.
    pub(super) fn close_machine(
        &mut self,
        cell: CellId,
        (machine, at): (MachineId, u32),
        tail: CellId,
        out: &mut Closure,
        todo: &mut SmallVec<[CellId; 16]>,
    ) {
        let state = self.machine_at(machine, at);
        if self.store.machine_accepts(state) {
            todo.push(tail);
        }
        if !self.machine_edges(state).is_empty() {
            out.terminals.push(cell);
        }
    }

    /// Where a byte leads from a place in a machine.
    pub(super) fn machine_after(
        &mut self,
        (machine, at): (MachineId, u32),
        byte: u8,
    ) -> Option<MachineStateId> {
        let state = self.machine_at(machine, at);
        self.machine_edges(state).iter().find(|edge| edge.0.contains(byte)).map(|edge| edge.1)
    }

    /// The edges of a cell of a machine.
    pub(super) fn step_machine(
        &mut self,
        expr: ExprId,
        (machine, at): (MachineId, u32),
        tail: CellId,
        out: &mut Vec<(ByteSet, CellId)>,
    ) {
        let state = self.machine_at(machine, at);
        self.machine_edges(state);
        let store = self.store;
        for &(set, next) in store.machine_state(state).edges.get().map_or(&[][..], |edges| edges) {
            let target = self.cell(Head::Expr(expr, next.0 + 1), tail);
            out.push((set, target));
        }
    }
}
