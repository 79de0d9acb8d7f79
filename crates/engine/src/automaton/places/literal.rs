//! States that stand in a literal: the places inside it are passed over without states of their own.

use smallvec::SmallVec;
use tokenstile_grammar::ir::Expr;

use super::super::build::Build;
use super::super::objects::cell::{Cell, Head};
use super::super::objects::ids::{CellId, LocalId, NodeId, StateId};
use super::super::objects::local::Groups;
use super::super::store::Store;

/// Places in literals: what is left of each, and what follows it.
pub(crate) type Literals<'a> = SmallVec<[(&'a [u8], CellId); 4]>;

/// Cells that are not in literals.
pub(crate) type Rest = SmallVec<[CellId; 8]>;

/// States, some of which stand in frames that return to others.
pub(crate) type Ways = SmallVec<[(StateId, Option<StateId>); 2]>;

impl Store {
    /// Whether a state has several cells, some of them literals. The literals of such a state are followed one by one.
    pub(crate) fn has_literals(&self, id: StateId) -> bool {
        let kernel = &self.state(id).kernel;
        kernel.len() > 1 && kernel.iter().any(|&cell| self.literal_at(cell).is_some())
    }

    /// The literals of a state, and its other cells.
    pub(crate) fn literals_of(&self, id: StateId) -> (Literals<'_>, Rest) {
        let kernel = &self.state(id).kernel;
        let (mut literals, mut rest) = (Literals::with_capacity(kernel.len()), Rest::new());
        for &cell in kernel {
            match self.literal_at(cell) {
                Some(literal) => literals.push(literal),
                None => rest.push(cell),
            }
        }
        (literals, rest)
    }

    /// The state of the cells beside literals, if there are any.
    pub(crate) fn beside_literals(&self, rest: &Rest) -> Option<StateId> {
        (!rest.is_empty()).then(|| self.build().state(rest))
    }

    /// The same for a local of one state.
    pub(crate) fn local_beside_literals(&self, id: LocalId, rest: &Rest) -> Option<LocalId> {
        let local = self.local(id);
        local.behind.get().or_else(|| {
            let rest = self.beside_literals(rest)?;
            Some(local.behind.set(self.local_on(rest, local.heads[0].1)))
        })
    }

    /// The local of a cell on a stack, clamped.
    pub(crate) fn local_at(&self, node: NodeId, cell: CellId) -> LocalId {
        let mut build = self.build();
        let next = build.local_of_groups(SmallVec::from_iter([(node, SmallVec::from_slice(&[cell]))]));
        build.clamp_local(next)
    }

    /// What is left of the literal that a cell stands in, if it does, and what follows it.
    #[inline]
    pub(crate) fn literal_at(&self, cell: CellId) -> Option<(&[u8], CellId)> {
        let Cell { head, tail, .. } = self.cell(cell);
        Some((self.literal_in(head)?, tail))
    }

    /// What is left of the literal that a cell stands in.
    #[inline]
    fn literal_in(&self, head: Head) -> Option<&[u8]> {
        let Head::Expr(expr, at) = head else { return None };
        match self.program.arena.get(expr) {
            Expr::Literal(literal) => Some(&self.program.arena.literal_bytes(literal)[at as usize..]),
            _ => None,
        }
    }

    /// The bytes that must come next, if the state stands in a literal and nowhere else, and what follows them.
    #[inline]
    pub(crate) fn literal(&self, id: StateId) -> Option<(&[u8], CellId)> {
        let [cell] = self.state(id).kernel[..] else { return None };
        self.literal_at(cell)
    }

    /// The same for a local.
    #[inline]
    pub(crate) fn local_literal(&self, id: LocalId) -> Option<(&[u8], CellId)> {
        let local = self.local(id);
        if local.in_literal { self.literal(local.heads[0].0) } else { None }
    }

    /// The local at the end of the literal that a local stands in, clamped.
    pub(crate) fn after_literal(&self, id: LocalId) -> LocalId {
        let local = self.local(id);
        if let Some(known) = local.behind.get() {
            return known;
        }
        let mut groups = Groups::new();
        if let [(state, node)] = local.heads[..]
            && let Some((_, tail)) = self.literal(state)
        {
            groups.push((node, SmallVec::from_slice(&[tail])));
        }
        let mut build = self.build();
        let next = build.local_of_groups(groups);
        let next = build.clamp_local(next);
        local.behind.set(next)
    }

    /// The state `bytes` further into the literal that a state stands in.
    pub(crate) fn along_literal(&self, id: StateId, bytes: usize) -> StateId {
        let [cell] = self.state(id).kernel[..] else { return id };
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return id };
        let mut build = self.build();
        let next = build.cell(Head::Expr(expr, at + bytes as u32), tail);
        build.state(&[next])
    }

    /// Where `bytes` lead, or the first of them, if a state stands in nothing but literals and loops with exceptions: how
    /// many of them, and the states they lead to, each with the state that its frame returns to if it is one that begins
    /// here. `None` if this is not seen without going byte by byte.
    pub(crate) fn along(&self, id: StateId, bytes: &[u8]) -> Option<(usize, Ways)> {
        self.along_cells(&self.state(id).kernel, bytes)
    }

    /// The same for the cells of a state that need not be made.
    pub(crate) fn along_cells(&self, cells: &[CellId], bytes: &[u8]) -> Option<(usize, Ways)> {
        let first = *bytes.first()?;
        let mut limit = bytes.len();
        // Each way on: a cell, and what its frame returns to if it begins here.
        let mut ways: SmallVec<[(CellId, Option<CellId>); 8]> = SmallVec::new();
        for &cell in cells {
            let Cell { head, tail, .. } = self.cell(cell);
            let (mut cell, head, ret) = match head {
                Head::Frame(inner) => (inner, self.cell(inner).head, Some(tail)),
                _ => (cell, head, None),
            };
            let mut literal = self.literal_in(head);
            if literal.is_none()
                && let Some(behind) = self.behind_exceptions(cell, first)
            {
                let Some(behind) = behind else { continue };
                (cell, literal) = (behind, self.literal_in(self.cell(behind).head));
            }
            match literal {
                Some(literal) if literal[0] != first => continue,
                Some(literal) if literal.len() <= limit && bytes.starts_with(literal) => {
                    limit = literal.len();
                }
                Some(_) => {}
                None => limit = limit.min(self.along_exceptions(cell, bytes)?.0),
            }
            ways.push((cell, ret));
        }
        let bytes = Some(&bytes[..limit]).filter(|bytes| !bytes.is_empty())?;
        let mut build = self.build();
        let mut states = Ways::new();
        let mut cells: SmallVec<[CellId; 8]> = SmallVec::new();
        for (cell, ret) in ways {
            let Some(next) = build.along(cell, bytes)? else { continue };
            match ret {
                Some(ret) => states.push((build.state(&[next]), Some(build.state(&[ret])))),
                None => cells.push(build.unfold(next)),
            }
        }
        build.add_ways(cells, &mut states);
        Some((bytes.len(), states))
    }

    /// The state of a single cell; if it is a frame, the state at its start and the one that it returns to.
    pub(crate) fn entered(&self, cell: CellId) -> (StateId, Option<StateId>) {
        let mut build = self.build();
        match build.called(cell) {
            Some((start, ret)) => (start, Some(ret)),
            None => (build.state(&[cell]), None),
        }
    }
}

impl Build<'_> {
    /// Where bytes lead from a literal, as far as it goes, or a loop with exceptions, if anywhere.
    pub(in crate::automaton) fn along(&mut self, cell: CellId, bytes: &[u8]) -> Option<Option<CellId>> {
        let Cell { head, tail, .. } = self.store.cell(cell);
        let (Some(literal), Head::Expr(expr, at)) = (self.store.literal_in(head), head) else {
            let (_, next) = self.store.along_exceptions(cell, bytes)?;
            return Some(Some(self.cell(next, tail)));
        };
        Some(literal.starts_with(bytes).then(|| match literal.len() - bytes.len() {
            0 => tail,
            _ => self.cell(Head::Expr(expr, at + bytes.len() as u32), tail),
        }))
    }

    /// Adds the ways of cells, which are [unfolded](Build::unfold): each frame by itself, the others as one state.
    pub(in crate::automaton) fn add_ways(&mut self, mut cells: SmallVec<[CellId; 8]>, ways: &mut Ways) {
        cells.retain(|&mut cell| match self.called(cell) {
            Some((start, ret)) => {
                ways.push((start, Some(ret)));
                false
            }
            None => true,
        });
        if !cells.is_empty() {
            ways.push((self.state_of_unfolded(cells), None));
        }
    }

    /// If a cell is a frame: the state at its start, and the one that it returns to.
    fn called(&mut self, cell: CellId) -> Option<(StateId, StateId)> {
        let Cell { head: Head::Frame(inner), tail, .. } = self.store.cell(cell) else { return None };
        Some((self.state(&[inner]), self.state(&[tail])))
    }
}
