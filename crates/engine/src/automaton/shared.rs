//! What the automata of many constraints have in common.
//!
//! Grammars that begin with the same expressions and rules have the same cells, states and transitions made of those alone.
//! They are made once, in a store of their own, which the stores of constraints refer to. Its objects have the lower ids. A
//! constraint's objects may be made of the shared ones, never the other way round.

use std::sync::Arc;

use tokenstile_grammar::ir::{Arena, Expr};
use tokenstile_grammar::{CharSetId, ExprId, Limits, MachineId, MembersId};

use super::SharedStore;
use super::exprs::{Program, first_literal};
use super::objects::cell::Head;
use super::objects::members::Phase;
use super::store::Store;

impl SharedStore {
    /// The store of a program that is nothing but what other programs begin with.
    pub(crate) fn new(program: Program) -> Self {
        let store = Store::new(Arc::new(program), &Limits::default(), None);
        let program = store.program.clone();
        let arena = &program.arena;
        let generic = arena.iter().filter_map(|(id, expr)| match expr {
            Expr::Members(members) => Some((id, members)),
            _ => None,
        });
        SharedStore {
            exprs: arena.base_len(),
            char_sets: arena.char_sets().len(),
            machines: arena.iter().filter(|(_, expr)| matches!(expr, Expr::Machine(_))).count(),
            members: arena.all_members().len(),
            generic: generic.collect(),
            store,
        }
    }

    /// How many expressions it is made of.
    #[cfg(test)]
    pub(crate) fn exprs(&self) -> usize {
        self.exprs
    }

    /// The members that stand for some others, if nothing is known of those but their separator and, where there are such
    /// members, the byte that all of their entries begin with.
    pub(crate) fn members_like(&self, arena: &Arena, members: MembersId) -> Option<(ExprId, MembersId)> {
        let own = &self.store.program.arena;
        let separator = arena.members_of(members).separator;
        let like = |opening| {
            let is_like = |&(_, known): &(ExprId, MembersId)| {
                own.members_of(known).separator == separator && opening_of(own, known) == opening
            };
            self.generic.iter().copied().find(is_like)
        };
        opening_of(arena, members).and_then(|opening| like(Some(opening))).or_else(|| like(None))
    }
}

/// The byte that all entries of some members are seen to begin with: in objects, a quote.
fn opening_of(arena: &Arena, members: MembersId) -> Option<u8> {
    let slots = arena.members_of(members).slots.iter();
    let mut openings = slots.map(|slot| first_literal(arena, slot.entry).map(|literal| literal[0]));
    let first = openings.next()??;
    openings.all(|opening| opening == Some(first)).then_some(first)
}

impl Store {
    /// Whether the grammar begins with a base, as the library's does, which is nothing else.
    pub(crate) fn has_base(&self) -> bool {
        self.program.arena.base().is_some()
    }

    /// Whether the object with this number is the library's.
    #[inline]
    pub(crate) fn is_shared(&self, id: u32) -> bool {
        id < self.own
    }

    /// Whether the head of a cell is made of what the library has.
    pub(crate) fn is_shared_head(&self, head: Head) -> bool {
        let Some(library) = &self.library else { return false };
        match head {
            Head::Expr(expr, at) => {
                expr.index() < library.exprs
                    && match self.program.arena.get(expr) {
                        Expr::Members(_) => match Phase::of(at) {
                            Phase::Start => true,
                            Phase::AfterEntry(id) | Phase::AfterSeparator(id) | Phase::Before(id) => {
                                self.is_shared(id.0)
                            }
                        },
                        Expr::Machine(_) => at == 0 || self.is_shared(at - 1),
                        _ => true,
                    }
            }
            Head::Utf8(set, _) => CharSetId::index(set) < library.char_sets,
            Head::End(end) => self.has_shared_members(end.members),
            Head::Frame(cell) => self.is_shared(cell.0),
            Head::Last => true,
            Head::Bool(_) => false,
        }
    }

    /// Whether members are those of the library.
    pub(crate) fn has_shared_members(&self, members: MembersId) -> bool {
        self.library.as_ref().is_some_and(|library| members.index() < library.members)
    }

    /// Whether a machine is one of the library.
    pub(crate) fn has_shared_machine(&self, machine: MachineId) -> bool {
        self.library.as_ref().is_some_and(|library| machine.index() < library.machines)
    }
}
