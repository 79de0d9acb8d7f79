//! Entries of members as frames of their own.
//!
//! Which entries may come next depends on what has been written, and with sixty members in any order that is hardly
//! ever the same twice. What a single entry looks like does not depend on it. So an entry is a frame: the state to
//! return to is the members' place before the entry (the *choice*), the cells inside do not know it, and the
//! frame's end tells the slot that it was. Returning with that slot gives the place after the entry. Cells, states
//! and walks inside entries are thus shared by all that can be written before them.

use smallvec::SmallVec;
use tokenstile_grammar::ir::Expr;
use tokenstile_grammar::{ExprId, MembersId};

use super::build::Build;
use super::counted::{CountedId, Phase};
use super::store::{Cell, CellId, End, Head, LocalId, NodeId, StateId, Store};

impl Store {
    /// Whether a cell is the end of its frame.
    #[inline]
    pub(crate) fn is_end(&self, cell: CellId) -> bool {
        cell == CellId::NIL || matches!(self.cell(cell).head, Head::End(_))
    }

    /// Whether a state is the end of its frame and nothing else.
    #[inline]
    pub(crate) fn has_ended(&self, id: StateId) -> bool {
        self.state(id).kernel.iter().all(|&cell| self.is_end(cell))
    }

    /// How the frame ends in a state that is nothing but its end.
    pub(crate) fn ends_of(&self, id: StateId) -> impl Iterator<Item = Option<End>> {
        self.state(id).kernel.iter().map(|&cell| match self.cell(cell).head {
            Head::End(end) => Some(end),
            _ => None,
        })
    }

    /// The state that a frame which ends in `end` returns to, if `ret` is where it was called.
    pub(crate) fn returned(&self, ret: StateId, end: Option<End>) -> StateId {
        match end {
            Some(end) => self.build().after_entry(ret, end),
            None => ret,
        }
    }

    /// The state at the start of an entry.
    pub(crate) fn entry_of(&self, choice: StateId) -> StateId {
        self.build().entry_of(choice)
    }

    /// The members of a choice, and the slots that are open.
    pub(crate) fn open_in(&self, choice: StateId) -> Option<(MembersId, &[u32])> {
        let (_, _, id) = self.choice(*self.state(choice).kernel.first()?)?;
        Some((self.counted(id).members, self.open(id)))
    }

    /// For a state after an entry: the state that stands for it whatever slots are open, and the choice that may follow.
    pub(crate) fn generic_of(&self, id: StateId) -> Option<(StateId, LocalId)> {
        let [cell] = self.state(id).kernel[..] else { return None };
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return None };
        let Expr::Members(members) = self.program.arena.get(expr) else { return None };
        let Phase::AfterEntry(counted) = Phase::of(at) else { return None };
        if self.counted(counted).generic || !self.program.is_framed(members) {
            return None;
        }
        let mut build = self.build();
        let generic = build.generic(counted);
        let generic = build.cell(Head::Expr(expr, Phase::AfterEntry(generic).number()), tail);
        let choice = build.cell(Head::Expr(expr, Phase::AfterSeparator(counted).number()), tail);
        let (generic, choice) = (build.state(&[generic]), build.state(&[choice]));
        let choice = build.local(&[(choice, NodeId::BOTTOM)]);
        let (local, _) = (build.local(&[(generic, NodeId::BOTTOM)]), drop(build));
        self.split_expansion(local).apart.is_empty().then_some((generic, choice))
    }

    /// Whether a choice is one of no certain slots.
    pub(crate) fn is_generic(&self, choice: StateId) -> bool {
        let first = self.state(choice).kernel.first().and_then(|&cell| self.choice(cell));
        first.is_some_and(|(_, _, id)| self.counted(id).generic)
    }

    /// How the frame ends, if the state is the end of an entry and nothing else.
    pub(crate) fn only_end(&self, id: StateId) -> Option<End> {
        match self.state(id).kernel[..] {
            [cell] => match self.cell(cell).head {
                Head::End(end) => Some(end),
                _ => None,
            },
            _ => None,
        }
    }

    /// The local of an entry in one slot, on an unknown stack.
    pub(crate) fn slot_local(&self, members: MembersId, slot: u32) -> LocalId {
        let mut build = self.build();
        let cell = build.entries(members)[slot as usize];
        let state = build.state(&[cell]);
        build.local(&[(state, NodeId::BOTTOM)])
    }

    /// Where a choice goes on after an entry in `slot`, clamped.
    pub(crate) fn local_after_entry(&self, choice: LocalId, end: End) -> LocalId {
        let (state, node) = self.local(choice).heads[0];
        let mut build = self.build();
        let after = build.after_entry(state, end);
        let local = build.local(&[(after, node)]);
        build.clamp_local(local)
    }

    /// If the cell is a choice, its place, what follows the members, and what was counted.
    fn choice(&self, cell: CellId) -> Option<(ExprId, CellId, CountedId)> {
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return None };
        let Expr::Members(_) = self.program.arena.get(expr) else { return None };
        match Phase::of(at) {
            Phase::AfterSeparator(id) => Some((expr, tail, id)),
            _ => None,
        }
    }

    fn open(&self, id: CountedId) -> &[u32] {
        match self.counted(id).open.get() {
            Some(open) => open,
            None => {
                self.build().open_slots(id);
                self.counted(id).open.get().map_or(&[], |open| open)
            }
        }
    }
}

impl Build<'_> {
    /// The cells of the entries of some members, by slot.
    fn entries(&mut self, members: MembersId) -> &'_ [CellId] {
        let store = self.store;
        let known = &store.entries[members.index()];
        if known.get().is_none() {
            let slots = &store.program.arena.members_of(members).slots;
            let mut cells = Vec::with_capacity(slots.len());
            for (number, slot) in (0..).zip(slots) {
                let end = self.cell(Head::End(End { members, slot: number }), CellId::NIL);
                cells.push(self.entry_cell(slot.entry, end));
            }
            store.add_bytes(cells.len() * size_of::<CellId>());
            let _ = known.set(cells.into());
        }
        known.get().map_or(&[], |cells| cells)
    }

    /// The cell of an entry. What follows its key, if it has one, is a frame that others share.
    fn entry_cell(&mut self, entry: ExprId, end: CellId) -> CellId {
        let program = &*self.store.program;
        let parts = match program.arena.get(entry) {
            Expr::Concat(list) => program.arena.list(list),
            _ => &[],
        };
        match parts {
            [key, rest @ ..]
                if matches!(program.arena.get(*key), Expr::Literal(_))
                    && !rest.iter().all(|&part| program.is_nullable(part)) =>
            {
                let rest = rest.iter().rev().fold(CellId::NIL, |tail, &part| self.push(part, tail));
                let rest = self.cell(Head::Frame(rest), end);
                self.push(*key, rest)
            }
            _ => {
                let cell = self.push(entry, end);
                self.unfold(cell)
            }
        }
    }

    pub(super) fn entry_of(&mut self, choice: StateId) -> StateId {
        let store = self.store;
        let first = store.state(choice).kernel.first().and_then(|&cell| store.choice(cell));
        let Some((_, _, id)) = first else { return StateId::END };
        if let Some(&known) = store.counted(id).entry.get() {
            return known;
        }
        self.open_slots(id);
        let entries = self.entries(store.counted(id).members);
        let cells: Vec<CellId> = store.open(id).iter().map(|&slot| entries[slot as usize]).collect();
        let state = self.state(&cells);
        *store.counted(id).entry.get_or_init(|| state)
    }

    /// Where a choice goes on after an entry.
    pub(super) fn after_entry(&mut self, choice: StateId, end: End) -> StateId {
        let cells = self.cells_after_entry(choice, end);
        self.state(&cells)
    }

    pub(super) fn cells_after_entry(&mut self, choice: StateId, end: End) -> SmallVec<[CellId; 2]> {
        let store = self.store;
        let mut cells: SmallVec<[CellId; 2]> = SmallVec::new();
        for &cell in store.state(choice).kernel.iter() {
            if let Some((expr, tail, id)) = store.choice(cell)
                && store.counted(id).members == end.members
                && let Some(next) = self.after_slot(id, end.slot)
            {
                cells.push(self.cell(Head::Expr(expr, Phase::AfterEntry(next).number()), tail));
            }
        }
        debug_assert!(!cells.is_empty(), "only entries that are open are begun");
        cells
    }
}
