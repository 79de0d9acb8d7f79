//! Steps by a single byte.
//!
//! A walk wants to know all that a local can do, and gets it by classes of bytes ([`LocalExpansion`]). A committed token
//! passes through each place inside it with one byte and hardly ever comes back, so here only what that byte leads to is
//! built.
//!
//! [`LocalExpansion`]: super::local::LocalExpansion

use smallvec::SmallVec;
use tokenstile_grammar::ir::{Expr, Utf8Next};
use tokenstile_grammar::{CharSetId, ExprId};

use super::build::Build;
use super::objects::cell::{Cell, Head};
use super::objects::ids::{CellId, LocalId, NodeId, StateId};
use super::objects::local::{Apart, Groups, Opened, add_cells};
use super::objects::state::Node;
use super::store::Store;
use crate::ablate::{Switch, is_off};
use crate::collections::FewSet;
use crate::tuning::places::OFTEN;
use crate::work::{Exceeded, Work};

impl Store {
    /// What is come to from a local without reading a byte.
    #[inline]
    pub(crate) fn opened(&self, id: LocalId) -> &Opened {
        match self.local(id).opened.get() {
            Some(opened) => opened,
            None => {
                let opened = self.home(id.0).build().open(id, false);
                self.local(id).opened.get_or_init(|| opened)
            }
        }
    }

    /// Where `byte` leads from a local.
    #[inline]
    pub(crate) fn step_byte(
        &self,
        id: LocalId,
        byte: u8,
        work: &mut Work,
    ) -> Result<Option<LocalId>, Exceeded> {
        let local = self.local(id);
        if local.expansion.get().is_none() && !is_off(Switch::SingleBytes) {
            if let Some(known) = local.bytes.get(byte) {
                return Ok(known);
            }
            if local.bytes.len() < OFTEN {
                return self.step_one(id, byte, work);
            }
        }
        match self.local_expansion(id).class_of(byte) {
            Some(class) => self.step(id, class, work).map(Some),
            None => Ok(None),
        }
    }

    #[inline(never)] // not cold: tokens that are new are taken here
    fn step_one(&self, id: LocalId, byte: u8, work: &mut Work) -> Result<Option<LocalId>, Exceeded> {
        work.spend(16)?;
        if self.is_full(usize::MAX) {
            return Err(Exceeded { name: "states", value: self.states_limit });
        }
        let opened = self.opened(id);
        let next = self.home(id.0).build().step_opened(opened, byte)?;
        self.local(id).bytes.insert(byte, next);
        self.home(id.0).add_bytes(8);
        Ok(next)
    }
}

impl Build<'_> {
    /// Follows the heads of a local into the frames that they may call and those that they may return to. With `split`,
    /// what is walked by itself is left as it is.
    pub(super) fn open(&mut self, id: LocalId, split: bool) -> Opened {
        let store = self.store;
        let (mut states, mut ends) = (SmallVec::new(), SmallVec::new());
        let mut apart = Apart::default();
        let mut pops = false;
        let mut seen = FewSet::default();
        // (state, stack, whether the frame was just called: its empty match is the caller's business)
        let mut todo: SmallVec<[(StateId, NodeId, bool); 16]> = SmallVec::new();
        for &(state, node) in &store.local(id).heads {
            todo.push((state, node, false));
        }
        while let Some((state, node, called)) = todo.pop() {
            if !seen.insert((state, node, called)) {
                continue;
            }
            let expansion = store.expansion_in(self, state);
            states.push((state, node));
            for &(ret, start) in expansion.calls.iter() {
                if split && !is_off(Switch::CallsApart) && !store.expansion_in(self, start).calls.is_empty() {
                    apart.calls.push((self.local(&[(ret, node)]), start));
                    continue;
                }
                let above = self.push_node(ret, node);
                todo.push((start, above, true));
            }
            for &(ret, start) in expansion.frames.iter() {
                if split {
                    apart.frames.push((self.local(&[(ret, node)]), start));
                } else {
                    let above = self.push_node(ret, node);
                    todo.push((start, above, true));
                }
            }
            for &choice in expansion.choices.iter() {
                if split {
                    apart.choices.push(self.local(&[(choice, node)]));
                } else {
                    let above = self.push_node(choice, node);
                    todo.push((self.entry_of(choice), above, true));
                }
            }
            if called {
                continue;
            }
            let Node { links, bottom } = store.node(node);
            if expansion.accepting {
                pops |= bottom;
                for &(ret, below) in links {
                    todo.push((ret, below, false));
                }
            }
            for &end in expansion.ends.iter() {
                if *bottom {
                    ends.push(end);
                }
                for &(ret, below) in links {
                    todo.push((self.after_entry(ret, end), below, false));
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        Opened { states, pops, ends, apart }
    }

    /// Where a byte leads from what was opened.
    fn step_opened(&mut self, from: &Opened, byte: u8) -> Result<Option<LocalId>, Exceeded> {
        let store = self.store;
        let mut groups: Groups = SmallVec::new();
        for &(state, node) in &from.states {
            let mut cells: SmallVec<[CellId; 8]> = SmallVec::new();
            for &cell in store.expansion_in(self, state).terminals.iter() {
                self.after_byte(cell, byte, &mut cells);
            }
            if !cells.is_empty() {
                add_cells(&mut groups, node, &cells);
            }
        }
        if groups.is_empty() { Ok(None) } else { self.local_of_step(groups).map(Some) }
    }

    /// Adds the cells that a byte leads to from one that consumes a byte.
    pub(super) fn after_byte(&mut self, cell: CellId, byte: u8, out: &mut SmallVec<[CellId; 8]>) {
        let program = &*self.store.program;
        let Cell { head, tail, .. } = self.store.cell(cell);
        let (expr, at): (ExprId, u32) = match head {
            Head::Utf8(set, node) => return self.after_utf8(set, node, tail, byte, out),
            Head::Bool(formula) => {
                let next = self.formula_after(formula, byte);
                if self.is_live_after(formula, next) {
                    out.extend(self.bool_cells(next, tail));
                }
                return;
            }
            Head::Expr(expr, at) => (expr, at),
            Head::End(_) | Head::Frame(_) | Head::Last => unreachable!("only consuming cells are terminals"),
        };
        match program.arena.get(expr) {
            Expr::Bytes(set) => out.extend(program.arena.byte_set(set).contains(byte).then_some(tail)),
            Expr::Chars(set) => self.after_utf8(set, 0, tail, byte, out),
            Expr::Literal(literal) => {
                let bytes = program.arena.literal_bytes(literal);
                if bytes[at as usize] == byte {
                    let ends = at as usize + 1 == bytes.len();
                    out.push(if ends { tail } else { self.cell(Head::Expr(expr, at + 1), tail) });
                }
            }
            Expr::And(_) if let Some(exceptions) = program.exceptions(expr) => {
                self.after_except((expr, exceptions), (at, tail), byte, out);
            }
            Expr::Machine(machine) => {
                if let Some(next) = self.machine_after((machine, at), byte) {
                    out.push(self.cell(Head::Expr(expr, next.0 + 1), tail));
                }
            }
            _ => unreachable!("only consuming cells are terminals"),
        }
    }

    fn after_utf8(
        &mut self,
        set: CharSetId,
        node: u32,
        tail: CellId,
        byte: u8,
        out: &mut SmallVec<[CellId; 8]>,
    ) {
        match self.store.program.arena.utf8(set).step(node, byte) {
            Some(Utf8Next::Done) => out.push(tail),
            Some(Utf8Next::Node(next)) => out.push(self.cell(Head::Utf8(set, next), tail)),
            None => {}
        }
    }
}
