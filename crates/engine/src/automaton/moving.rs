//! Taking objects of one store over into another of the same program.
//!
//! When caches are given up for new ones, sequences keep where they stand: what their states are made of is made again in
//! the new store, and nothing else. An object is told by its content, so what is there already is found; objects of a
//! library that both stores refer to stay as they are.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::ir::Expr;

use super::build::Build;
use super::objects::cell::{Cell, Head};
use super::objects::formula::Kind;
use super::objects::ids::{CellId, CountedId, FormulaId, MachineStateId, StateId};
use super::objects::members::Phase;
use super::store::Store;

/// Something that others may be made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Object {
    Cell(CellId),
    State(StateId),
    Formula(FormulaId),
}

impl Object {
    fn number(self) -> u32 {
        match self {
            Object::Cell(id) => id.0,
            Object::State(id) => id.0,
            Object::Formula(id) => id.0,
        }
    }
}

/// What was taken over so far.
pub(crate) struct Moving<'s> {
    from: &'s Store,
    to: Build<'s>,
    /// Objects with lower numbers are those of a library that both have.
    own: u32,
    /// The new numbers.
    moved: FxHashMap<Object, u32>,
}

impl<'s> Moving<'s> {
    /// Takes objects from one store to another; nobody else adds to the other meanwhile.
    pub(crate) fn new(from: &'s Store, to: &'s Store) -> Self {
        let own = match (&from.library, &to.library) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => from.own,
            _ => 0,
        };
        let fixed = [
            Object::Cell(CellId::NIL),
            Object::Cell(CellId::LAST),
            Object::State(StateId::END),
            Object::Formula(FormulaId::FALSE),
            Object::Formula(FormulaId::TRUE),
        ];
        let moved = fixed.into_iter().map(|object| (object, object.number())).collect();
        Moving { from, to: to.build(), own, moved }
    }

    /// The state in the other store.
    pub(crate) fn state(&mut self, id: StateId) -> StateId {
        let object = Object::State(id);
        if self.known(object).is_none() {
            self.bring(object);
        }
        StateId(self.number(object))
    }

    fn known(&self, object: Object) -> Option<u32> {
        if object.number() < self.own {
            return Some(object.number());
        }
        self.moved.get(&object).copied()
    }

    /// The new number of an object that was taken over.
    fn number(&self, object: Object) -> u32 {
        self.known(object).unwrap_or_else(|| unreachable!("what others are made of is taken over first"))
    }

    fn new_cell(&self, id: CellId) -> CellId {
        CellId(self.number(Object::Cell(id)))
    }

    fn new_state(&self, id: StateId) -> StateId {
        StateId(self.number(Object::State(id)))
    }

    fn new_formula(&self, id: FormulaId) -> FormulaId {
        FormulaId(self.number(Object::Formula(id)))
    }

    /// Takes an object over, and first what it is made of: in a loop, since that may be deep.
    fn bring(&mut self, object: Object) {
        let mut todo = vec![object];
        while let Some(&top) = todo.last() {
            let open = todo.len();
            if self.known(top).is_none() {
                self.for_each_part(top, &mut |part| {
                    if self.known(part).is_none() {
                        todo.push(part);
                    }
                });
            }
            if todo.len() > open {
                continue;
            }
            todo.pop();
            if self.known(top).is_none() {
                let number = match top {
                    Object::Cell(id) => self.make_cell(id).0,
                    Object::State(id) => self.make_state(id).0,
                    Object::Formula(id) => self.make_formula(id).0,
                };
                self.moved.insert(top, number);
            }
        }
    }

    /// What an object is made of.
    fn for_each_part(&self, object: Object, visit: &mut dyn FnMut(Object)) {
        let from = self.from;
        match object {
            Object::Cell(id) => {
                let Cell { head, tail, .. } = from.cell(id);
                visit(Object::Cell(tail));
                match head {
                    Head::Bool(formula) => visit(Object::Formula(formula)),
                    Head::Frame(cell) => visit(Object::Cell(cell)),
                    Head::Expr(..) | Head::Utf8(..) | Head::End(_) | Head::Last => {}
                }
            }
            Object::State(id) => from.state(id).kernel.iter().for_each(|&cell| visit(Object::Cell(cell))),
            Object::Formula(id) => {
                let formula = from.formula(id);
                match &formula.kind {
                    Kind::False | Kind::True => {}
                    Kind::Leaf { state, trackers, .. } => {
                        visit(Object::State(*state));
                        trackers.iter().for_each(|&tracker| visit(Object::State(tracker)));
                    }
                    Kind::And(parts) | Kind::Or(parts) => {
                        parts.iter().for_each(|&part| visit(Object::Formula(part)));
                    }
                    Kind::Not(part) => visit(Object::Formula(*part)),
                }
                let plain = formula.plain.get().into_iter().flatten();
                plain.for_each(|&cell| visit(Object::Cell(cell)));
            }
        }
    }

    fn make_cell(&mut self, id: CellId) -> CellId {
        let Cell { head, tail, .. } = self.from.cell(id);
        let head = match head {
            Head::Expr(expr, at) => match self.from.program.arena.get(expr) {
                Expr::Members(_) => Head::Expr(expr, self.phase(at)),
                Expr::Machine(_) if at > 0 => Head::Expr(expr, self.machine_state(at - 1).0 + 1),
                _ => head,
            },
            Head::Bool(formula) => Head::Bool(self.new_formula(formula)),
            Head::Frame(cell) => Head::Frame(self.new_cell(cell)),
            Head::Utf8(..) | Head::End(_) | Head::Last => head,
        };
        let tail = self.new_cell(tail);
        self.to.cell(head, tail)
    }

    fn make_state(&mut self, id: StateId) -> StateId {
        let kernel: SmallVec<[CellId; 8]> =
            self.from.state(id).kernel.iter().map(|&cell| self.new_cell(cell)).collect();
        self.to.state_of_unfolded(kernel)
    }

    fn make_formula(&mut self, id: FormulaId) -> FormulaId {
        let formula = self.from.formula(id);
        let parts = |parts: &[FormulaId]| {
            let mut parts: Vec<FormulaId> = parts.iter().map(|&part| self.new_formula(part)).collect();
            parts.sort_unstable();
            parts.into_boxed_slice()
        };
        let kind = match &formula.kind {
            Kind::Leaf { state, region, trackers } => Kind::Leaf {
                state: self.new_state(*state),
                region: *region,
                trackers: trackers.iter().map(|&tracker| self.new_state(tracker)).collect(),
            },
            Kind::And(list) => Kind::And(parts(list)),
            Kind::Or(list) => Kind::Or(parts(list)),
            Kind::Not(part) => Kind::Not(self.new_formula(*part)),
            constant => constant.clone(),
        };
        let moved = self.to.formula(kind);
        // What was found out about it, where it is found nowhere else.
        if let Some(plain) = formula.plain.get() {
            let plain = plain.iter().map(|&cell| self.new_cell(cell)).collect();
            let _ = self.to.store.formula(moved).plain.set(plain);
        }
        if let Some(&live) = formula.live.get() {
            let _ = self.to.store.formula(moved).live.set(live);
        }
        moved
    }

    /// The number of a cell of members.
    fn phase(&mut self, at: u32) -> u32 {
        let phase = match Phase::of(at) {
            Phase::Start => Phase::Start,
            Phase::AfterEntry(id) => Phase::AfterEntry(self.counted(id)),
            Phase::AfterSeparator(id) => Phase::AfterSeparator(self.counted(id)),
            Phase::Before(id) => Phase::Before(self.counted(id)),
        };
        phase.number()
    }

    fn counted(&mut self, id: CountedId) -> CountedId {
        if id.0 < self.own {
            return id;
        }
        let counted = self.from.counted(id);
        if counted.generic {
            return self.to.generic_of_members(counted.members, counted.can_end);
        }
        self.to.counted(counted.members, counted.tally.clone())
    }

    fn machine_state(&mut self, id: u32) -> MachineStateId {
        if id < self.own {
            return MachineStateId(id);
        }
        let state = self.from.machine_state(MachineStateId(id));
        self.to.machine_state(state.machine, &state.state)
    }
}
