//! States that stand in a literal: the places inside it are passed over without states of their own.

use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, Expr};

use super::local::Groups;
use super::store::{Cell, CellId, Head, LocalId, StateId, Store};

/// Places in literals: what is left of each, and what follows it.
pub(crate) type Literals<'a> = Vec<(&'a [u8], CellId)>;

/// Where bytes lead: how many of them, and states, some of which stand in frames that return to others.
pub(crate) type Along = (usize, SmallVec<[(StateId, Option<StateId>); 2]>);

/// The literal that an expression begins with, if it is seen to begin with one.
pub(crate) fn first_literal(arena: &Arena, expr: ExprId) -> Option<&[u8]> {
    let first = match arena.get(expr) {
        Expr::Concat(list) => arena.list(list)[0],
        _ => expr,
    };
    match arena.get(first) {
        Expr::Literal(literal) => Some(arena.literal_bytes(literal)),
        _ => None,
    }
}

impl Store {
    /// Whether a state has several cells, some of them literals. The literals of such a state are followed one by one.
    pub(super) fn is_wide(&self, id: StateId) -> bool {
        let kernel = &self.state(id).kernel;
        kernel.len() > 1 && kernel.iter().any(|&cell| self.literal_at(cell).is_some())
    }

    /// The literals of a wide local, and the local without them, if there is more.
    pub(crate) fn literals_of(&self, id: LocalId) -> (Literals<'_>, Option<LocalId>) {
        let (state, node) = self.local(id).heads[0];
        let (mut literals, mut rest) = (Vec::new(), Vec::new());
        for &cell in self.state(state).kernel.iter() {
            match self.literal_at(cell) {
                Some(literal) => literals.push(literal),
                None => rest.push(cell),
            }
        }
        let rest = (!rest.is_empty()).then(|| {
            let mut build = self.build();
            let state = build.state(&rest);
            build.local(&[(state, node)])
        });
        (literals, rest)
    }

    /// The local in which one cell of a local is left, clamped.
    pub(crate) fn local_at(&self, id: LocalId, cell: CellId) -> LocalId {
        let (_, node) = self.local(id).heads[0];
        let mut build = self.build();
        let next = build.local_of_groups(SmallVec::from_iter([(node, SmallVec::from_slice(&[cell]))]));
        build.clamp_local(next)
    }

    #[inline]
    pub(super) fn literal_at(&self, cell: CellId) -> Option<(&[u8], CellId)> {
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return None };
        match self.program.arena.get(expr) {
            Expr::Literal(literal) => Some((&self.program.arena.literal_bytes(literal)[at as usize..], tail)),
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
    pub(crate) fn local_literal(&self, id: LocalId) -> Option<&[u8]> {
        let local = self.local(id);
        if local.in_literal { self.literal(local.heads[0].0).map(|l| l.0) } else { None }
    }

    /// The local at the end of the literal that a local stands in, clamped.
    pub(crate) fn after_literal(&self, id: LocalId) -> LocalId {
        let local = self.local(id);
        if let Some(&known) = local.after_literal.get() {
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
        *local.after_literal.get_or_init(|| next)
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
    pub(crate) fn along(&self, id: StateId, bytes: &[u8]) -> Option<Along> {
        let kernel = &self.state(id).kernel;
        let mut limit = bytes.len();
        for &cell in kernel.iter() {
            let Cell { head, .. } = self.cell(cell);
            if let Some((literal, _)) = self.literal_at(cell) {
                if literal.len() <= limit && bytes.starts_with(literal) {
                    limit = literal.len();
                }
            } else {
                let cell = if let Head::Frame(inner) = head { inner } else { cell };
                limit = limit.min(self.along_exceptions(cell, bytes)?.0);
            }
        }
        let bytes = Some(&bytes[..limit]).filter(|bytes| !bytes.is_empty())?;
        let mut build = self.build();
        let (mut cells, mut states): (SmallVec<[CellId; 8]>, SmallVec<_>) = Default::default();
        for &cell in kernel.iter() {
            let Cell { head, tail, .. } = self.cell(cell);
            if let Some((literal, _)) = self.literal_at(cell) {
                if let (true, Head::Expr(expr, at)) = (literal.starts_with(bytes), head) {
                    let ends = literal.len() == bytes.len();
                    let next = Head::Expr(expr, at + bytes.len() as u32);
                    cells.push(if ends { tail } else { build.cell(next, tail) });
                }
            } else if let Head::Frame(inner) = head {
                let next = build.cell(self.along_exceptions(inner, bytes)?.1, self.cell(inner).tail);
                let ret = build.state(&[tail]);
                states.push((build.state(&[next]), Some(ret)));
            } else {
                cells.push(build.cell(self.along_exceptions(cell, bytes)?.1, tail));
            }
        }
        if !cells.is_empty() {
            states.push((build.state(&cells), None));
        }
        Some((bytes.len(), states))
    }

    /// The state of a single cell.
    pub(crate) fn state_of(&self, cell: CellId) -> StateId {
        self.build().state(&[cell])
    }
}
