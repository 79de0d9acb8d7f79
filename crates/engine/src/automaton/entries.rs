//! Entries of members as frames of their own.
//!
//! Which entries may come next depends on what has been written, and with sixty members in any order that is hardly
//! ever the same twice. What a single entry looks like does not depend on it. So an entry is a frame: the state to
//! return to is the members' place before the entry (the *choice*), the cells inside do not know it, and the
//! frame's end tells the slot that it was. Returning with that slot gives the place after the entry. Cells, states
//! and walks inside entries are thus shared by all that can be written before them.

use smallvec::SmallVec;
use tokenstile_grammar::ir::{Expr, Slot};
use tokenstile_grammar::{ExprId, MembersId};

use super::Generic;
use super::build::Build;
use super::exprs::first_literal;
use super::objects::cell::{Cell, Head};
use super::objects::ids::{CellId, CountedId, LocalId, NodeId, StateId};
use super::objects::members::{Entry, Phase};
use super::places::Ways;
use super::store::Store;
use crate::ablate::{Switch, is_off};
use crate::collections::OnceId;
use crate::tokens::pending::End;
use crate::tuning::entries::{HEADS, PARTS};

/// What follows a key in its entry: a frame that others share, and the end.
#[derive(Clone, Copy)]
pub(crate) struct BehindKey {
    rest: CellId,
    end: End,
}

type Heads = SmallVec<[Head; 8]>;

/// A place in members.
#[derive(Clone, Copy)]
struct Place {
    expr: ExprId,
    id: CountedId,
    tail: CellId,
    /// Where it is, but for the number.
    phase: fn(CountedId) -> Phase,
}

impl Place {
    fn is_same(&self, other: &Place) -> bool {
        (self.expr, self.id, self.tail) == (other.expr, other.id, other.tail)
    }

    /// Whether it is more than the choice of an entry.
    fn is_before_choice(&self) -> bool {
        !matches!((self.phase)(self.id), Phase::AfterSeparator(_))
    }
}

impl Store {
    /// Whether a cell is the end of its frame.
    #[inline]
    pub(crate) fn is_end(&self, cell: CellId) -> bool {
        cell == CellId::NIL || matches!(self.cell(cell).head, Head::End(_))
    }

    /// Whether a cell is an end: of its frame, or of the text.
    #[inline]
    pub(crate) fn reads_nothing(&self, cell: CellId) -> bool {
        cell == CellId::LAST || self.is_end(cell)
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
        let Some(end) = end else { return ret };
        let known = &self.state(ret).after;
        let after = if is_off(Switch::EntryMemo) { None } else { known.get(end) };
        after.unwrap_or_else(|| {
            let after = self.build().after_entry(ret, end);
            known.insert(end, after);
            after
        })
    }

    /// The state at the start of an entry.
    pub(crate) fn entry_of(&self, choice: StateId) -> StateId {
        self.build().entry_of(choice)
    }

    /// The cells of that state.
    pub(crate) fn entries_of(&self, choice: StateId) -> SmallVec<[CellId; 32]> {
        let first = self.state(choice).kernel.first().and_then(|&cell| self.choice(cell));
        first.map_or_else(SmallVec::new, |(_, _, id)| self.build().entries(id))
    }

    /// Where a byte leads from that state, if all of the cells are seen to begin with a literal that begins with it.
    pub(crate) fn behind_opening(&self, choice: StateId, opening: u8) -> Option<Ways> {
        let (_, _, id) = self.choice(*self.state(choice).kernel.first()?)?;
        let (members, open) = (self.counted(id).members, self.open(id));
        let mut build = self.build();
        let behind = |&slot: &u32| build.behind_opening(members, slot, opening);
        let cells = open.iter().map(behind).collect::<Option<_>>()?;
        let mut ways = Ways::new();
        build.add_ways(cells, &mut ways);
        Some(ways)
    }

    /// The members of a choice, and the slots that are open.
    pub(crate) fn open_in(&self, choice: StateId) -> Option<(MembersId, &[u32])> {
        let (_, _, id) = self.choice(*self.state(choice).kernel.first()?)?;
        Some((self.counted(id).members, self.open(id)))
    }

    /// A state as several that are it together, each of which is before members of its own or a place in them; `None`
    /// if there is more in it than that, or less than two of them.
    pub(crate) fn parts_by_members(&self, id: StateId) -> Option<SmallVec<[StateId; 4]>> {
        let kernel = &self.state(id).kernel;
        if kernel.len() < 2 || kernel.len() > PARTS {
            return None;
        }
        let mut parts: SmallVec<[(Place, SmallVec<[CellId; 4]>); 4]> = SmallVec::new();
        for &cell in kernel.iter() {
            let (_, place) = self.before_members(cell)?;
            match parts.iter_mut().find(|part| part.0.is_same(&place)) {
                Some(part) => part.1.push(cell),
                None => parts.push((place, SmallVec::from_slice(&[cell]))),
            }
        }
        let mut build = self.build();
        (parts.len() > 1).then(|| parts.into_iter().map(|part| build.state(&part.1)).collect())
    }

    /// A state of which some cells are the library's, and others are not, as two that are it together.
    pub(crate) fn parts_by_home(&self, id: StateId) -> Option<SmallVec<[StateId; 4]>> {
        let kernel = &self.state(id).kernel;
        // The library has the lower ids.
        let (shared, own) = kernel.split_at(kernel.partition_point(|cell| self.is_shared(cell.0)));
        if shared.is_empty() || own.is_empty() {
            return None;
        }
        let mut build = self.build();
        Some([shared, own].into_iter().map(|cells| build.state(cells)).collect())
    }

    /// For a state from which one choice is come to: what stands for it whatever slots are open.
    pub(crate) fn generic_of(&self, id: StateId) -> Option<Generic> {
        let known = &self.state(id).generic;
        if is_off(Switch::GenericMemo) {
            return self.find_generic(id);
        }
        known.get().unwrap_or_else(|| known.set(self.find_generic(id)))
    }

    fn find_generic(&self, id: StateId) -> Option<Generic> {
        let kernel = &self.state(id).kernel;
        if kernel.len() > 4 || self.program.arena.all_members().len() == 0 {
            return None;
        }
        let mut parts: SmallVec<[(Heads, Place); 4]> = SmallVec::new();
        for &cell in kernel.iter() {
            parts.push(self.before_members(cell)?);
        }
        let place = parts.first()?.1;
        let moves = |(heads, place): &(Heads, Place)| !heads.is_empty() || place.is_before_choice();
        if !parts.iter().all(|(_, other)| place.is_same(other)) || !parts.iter().any(moves) {
            return None;
        }
        let mut build = self.build();
        let (expr, generic) = build.generic((place.expr, place.id));
        let mut cells: SmallVec<[CellId; 4]> = SmallVec::new();
        for (heads, Place { tail, phase, .. }) in parts {
            let members = build.cell(Head::Expr(expr, phase(generic).number()), tail);
            cells.push(heads.into_iter().rev().fold(members, |tail, head| build.cell(head, tail)));
        }
        let choice = Phase::AfterSeparator(place.id).number();
        let choice = build.cell(Head::Expr(place.expr, choice), place.tail);
        let (state, choice) = (build.state(&cells), build.state(&[choice]));
        Some(Generic { state, choice: build.local(&[(choice, NodeId::BOTTOM)]) })
    }

    /// If a cell is a place in members, or a few things before one: those things and the place.
    fn before_members(&self, mut cell: CellId) -> Option<(Heads, Place)> {
        let mut heads = Heads::new();
        loop {
            let Cell { head, tail, .. } = self.cell(cell);
            if let Head::Expr(expr, at) = head {
                match self.program.arena.get(expr) {
                    Expr::Members(members) => {
                        return Some((heads, self.place_in(members, (expr, at), tail)?));
                    }
                    // Sequences are taken apart as they are gone through.
                    Expr::Concat(_) => {
                        cell = self.build().unfold(cell);
                        continue;
                    }
                    _ => {}
                }
            }
            if tail == CellId::NIL || heads.len() == HEADS {
                return None;
            }
            heads.push(head);
            cell = tail;
        }
    }

    /// A place in members, unless nothing is known of it.
    fn place_in(&self, members: MembersId, (expr, at): (ExprId, u32), tail: CellId) -> Option<Place> {
        if !self.program.is_framed(members) {
            return None;
        }
        let (id, phase): (_, fn(CountedId) -> Phase) = match Phase::of(at) {
            Phase::Start => {
                let mut build = self.build();
                let start = build.counted_start(members);
                if build.open_slots(start).is_empty() {
                    return None;
                }
                (start, Phase::Before)
            }
            Phase::AfterEntry(id) => (id, Phase::AfterEntry),
            Phase::AfterSeparator(id) => (id, Phase::AfterSeparator),
            Phase::Before(_) => return None,
        };
        (!self.counted(id).generic).then_some(Place { expr, id, tail, phase })
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

    /// A cell as what follows a key and then the entry's end, if that is what it is.
    pub(crate) fn behind_key(&self, cell: CellId) -> Option<BehindKey> {
        let Cell { head: Head::Frame(rest), tail, .. } = self.cell(cell) else { return None };
        let Head::End(end) = self.cell(tail).head else { return None };
        Some(BehindKey { rest, end })
    }

    /// What is left of a key, and what follows it, if the state stands in one and nowhere else.
    pub(crate) fn in_key(&self, id: StateId) -> Option<(&[u8], BehindKey)> {
        let (name, tail) = self.literal(id)?;
        Some((name, self.behind_key(tail)?))
    }

    /// The state behind a key, and the end of its entry.
    pub(crate) fn start_behind(&self, BehindKey { rest, end }: BehindKey) -> (StateId, End) {
        (self.build().state(&[rest]), end)
    }

    /// The text that an entry in one slot begins with, if it is a literal.
    pub(crate) fn slot_literal(&self, members: MembersId, slot: u32) -> Option<&[u8]> {
        let arena = &self.program.arena;
        first_literal(arena, arena.members_of(members).slots[slot as usize].entry)
    }

    /// What follows that text.
    pub(crate) fn slot_tail(&self, members: MembersId, slot: u32) -> Option<CellId> {
        let cell = self.build().entry(members, slot);
        self.literal_at(cell).map(|(_, tail)| tail)
    }

    /// The local of an entry in one slot, on an unknown stack.
    pub(crate) fn slot_local(&self, members: MembersId, slot: u32) -> LocalId {
        let mut build = self.build();
        let cell = build.entry(members, slot);
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

    /// What is known of the entries of members.
    fn known_entries(&self, members: MembersId) -> &[Entry] {
        self.entries[members.index()].get_or_init(|| {
            let slots = &self.program.arena.members_of(members).slots;
            self.add_bytes(slots.len() * size_of::<Entry>());
            let entry = |slot: &Slot| {
                let opening = first_literal(&self.program.arena, slot.entry).map(|literal| literal[0]);
                Entry { start: OnceId::new(), opening, opened: OnceId::new() }
            };
            slots.iter().map(entry).collect()
        })
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
    /// The cell of an entry in a slot.
    fn entry(&mut self, members: MembersId, slot: u32) -> CellId {
        if self.store.has_shared_members(members) {
            return self.library().entry(members, slot);
        }
        let known = &self.store.known_entries(members)[slot as usize].start;
        if let Some(cell) = known.get() {
            return cell;
        }
        let entry = self.store.program.arena.members_of(members).slots[slot as usize].entry;
        let end = self.cell(Head::End(End { members, slot }), CellId::NIL);
        let cell = self.entry_cell(entry, end);
        known.set(cell)
    }

    /// The cell behind the first byte of an entry in a slot, if the entry begins with a literal that begins with that byte.
    fn behind_opening(&mut self, members: MembersId, slot: u32, opening: u8) -> Option<CellId> {
        if self.store.has_shared_members(members) {
            return self.library().behind_opening(members, slot, opening);
        }
        let known = &self.store.known_entries(members)[slot as usize];
        if known.opening != Some(opening) {
            return None;
        }
        if let Some(cell) = known.opened.get() {
            return Some(cell);
        }
        let start = self.entry(members, slot);
        self.store.literal_at(start)?;
        let next = self.along(start, &[opening])??;
        Some(known.opened.set(self.unfold(next)))
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
        if let Some(known) = store.counted(id).entry.get() {
            return known;
        }
        let cells = self.entries(id);
        let state = self.state(&cells);
        store.counted(id).entry.set(state)
    }

    /// The cells at the start of an entry in each of the slots that are open.
    fn entries(&mut self, id: CountedId) -> SmallVec<[CellId; 32]> {
        let store = self.store;
        self.open_slots(id);
        let members = store.counted(id).members;
        store.open(id).iter().map(|&slot| self.entry(members, slot)).collect()
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
