//! Building new cells, states, nodes and locals, under the store's lock.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr, Utf8Next};
use tokenstile_grammar::{ExprId, Limits, RuleId};

use super::exprs::Behind;
use super::objects::cell::{Cell, Head};
use super::objects::ids::{CellId, FormulaId, NodeId, StateId, hash_of};
use super::objects::state::{Expansion, KnownGeneric, Node, State};
use super::store::{Index, Store};
use super::{LocalId, OWN, Program, SharedStore};
use crate::ablate::{Switch, is_off};
use crate::collections::{AppendVec, FewSet, Memo, OnceId};
use crate::tokens::pending::End;
use crate::tuning::places::{FIRSTS_DEPTH, MANY_CELLS};

/// The store, with the right to add to it.
pub(crate) struct Build<'s> {
    pub(super) store: &'s Store,
    pub(super) index: MutexGuard<'s, Index>,
    /// The same for the library, once something has to be found there.
    library: Option<Box<Build<'s>>>,
}

/// What a set of cells comes down to, with every empty step taken.
#[derive(Default)]
pub(super) struct Closure {
    /// Cells whose head consumes a byte.
    pub(super) terminals: SmallVec<[CellId; 4]>,
    pub(super) calls: SmallVec<[(RuleId, CellId); 4]>,
    pub(super) accepting: bool,
    /// Whether the text may end.
    pub(super) last: bool,
    /// How the frame of an entry may end.
    pub(super) ends: SmallVec<[End; 2]>,
    /// Cells of members of which an entry may begin.
    pub(super) choices: SmallVec<[CellId; 4]>,
    /// Frames that are called, and what follows them.
    pub(super) frames: SmallVec<[(CellId, CellId); 2]>,
    /// Lookaheads met, each with what follows it.
    pub(super) looks: SmallVec<[(ExprId, CellId); 2]>,
}

/// What decides the assertions of a region at the current place.
#[derive(Clone, Copy, Default)]
pub(super) struct Here<'a> {
    pub(super) looks: &'a [Behind],
    /// For each, the state of "any text that ends with it".
    pub(super) trackers: &'a [StateId],
    /// Lookaheads that are known to hold at the current place.
    pub(super) assumed: &'a [ExprId],
}

impl<'s> Build<'s> {
    pub(super) fn new(store: &'s Store, index: MutexGuard<'s, Index>) -> Self {
        Build { store, index, library: None }
    }

    /// Who builds the object with this number.
    #[inline]
    pub(super) fn home(&mut self, id: u32) -> &mut Build<'s> {
        if self.store.is_shared(id) { self.library() } else { self }
    }

    /// Who builds what is made of nothing but what the library has; there must be one.
    pub(super) fn library(&mut self) -> &mut Build<'s> {
        let store = self.store;
        match &store.library {
            Some(library) => self.library.get_or_insert_with(|| Box::new(library.store.build())),
            None => self,
        }
    }

    /// Makes the objects with fixed ids.
    pub(super) fn constants(&mut self) {
        self.state(&[CellId::NIL]);
        self.node(Node { links: SmallVec::new(), bottom: true });
        self.formula_constants();
    }

    pub(super) fn cell(&mut self, head: Head, tail: CellId) -> CellId {
        let store = self.store;
        if store.is_shared(tail.0) && store.is_shared_head(head) {
            return self.library().cell(head, tail);
        }
        let hash = hash_of(&(head, tail));
        let same = |id: CellId| {
            let cell = store.cell(id);
            cell.head == head && cell.tail == tail
        };
        if let Some(id) = self.index.cells.find(hash, same) {
            return id;
        }
        let clamped_head = self.clamp_head(head);
        let clamped_tail = store.cell(tail).clamped;
        let clamped = if clamped_head == head && clamped_tail == tail {
            CellId::of(store.own, store.cells.len())
        } else {
            self.cell(clamped_head, clamped_tail)
        };
        let cell = Cell { head, tail, clamped };
        let id = CellId::of(store.own, store.cells.push(cell, &mut self.index.writer));
        let clamped_is_self = clamped_head == head && clamped_tail == tail;
        debug_assert!(!clamped_is_self || clamped == id);
        store.add_bytes(size_of::<Cell>() + 16);
        self.index.cells.insert(hash, id);
        id
    }

    /// The count of a repetition, or one that no token can tell from it.
    fn clamp_head(&mut self, head: Head) -> Head {
        let Head::Expr(id, count) = head else { return head };
        let (min, max) = match self.store.program.arena.get(id) {
            Expr::Repeat { .. } if is_off(Switch::ClampedCounts) => return head,
            Expr::Repeat { min, max, .. } => (min, max),
            Expr::Members(_) if is_off(Switch::ClampedMembers) => return head,
            Expr::Members(members) => return Head::Expr(id, self.clamp_members(members, count)),
            _ => return head,
        };
        let far = self.store.program.far;
        if max.is_some_and(|max| max.saturating_sub(count).saturating_add(1) < far) {
            return head;
        }
        if min.saturating_sub(count) >= far { Head::Expr(id, 0) } else { Head::Expr(id, count.min(min)) }
    }

    /// The cell that matches `expr`, then `tail`.
    pub(super) fn push(&mut self, expr: ExprId, tail: CellId) -> CellId {
        match self.store.program.arena.get(expr) {
            Expr::Empty => tail,
            _ => self.cell(Head::Expr(expr, 0), tail),
        }
    }

    /// A repetition with `count` rounds done, then `tail`.
    fn push_repeat(&mut self, id: ExprId, min: u32, max: Option<u32>, count: u32, tail: CellId) -> CellId {
        match max {
            Some(max) if count >= max => tail,
            Some(_) => self.cell(Head::Expr(id, count), tail),
            None => self.cell(Head::Expr(id, count.min(min)), tail),
        }
    }

    /// Whether a rule that is called before `tail` needs no frame of its own. At the end of the text one that is called
    /// elsewhere too has one, or all that is in it would be there twice.
    fn is_inlined(&self, rule: RuleId, tail: CellId) -> bool {
        tail == CellId::NIL || tail == CellId::LAST && !self.store.program.is_recursive(rule)
    }

    /// The cell without the wrappers that have only one way in, so that equal places are equal cells.
    pub(super) fn unfold(&mut self, mut id: CellId) -> CellId {
        let program = &*self.store.program;
        while id != CellId::NIL {
            let Cell { head: Head::Expr(expr, at), tail, .. } = self.store.cell(id) else { break };
            id = match program.arena.get(expr) {
                Expr::Empty => tail,
                Expr::Concat(list) => self.push_part(expr, program.arena.list(list), at as usize, tail),
                Expr::Rule(rule) if self.is_inlined(rule, tail) => {
                    self.push(program.bodies[rule.index()], tail)
                }
                Expr::Region(inner) if program.region(expr).is_none() => self.push(inner, tail),
                other => match self.unfold_counted(other, at, tail) {
                    Some(next) => next,
                    None => break,
                },
            };
        }
        id
    }

    /// The parts of a sequence from the one at `at` on, then `tail`.
    fn push_part(&mut self, sequence: ExprId, parts: &[ExprId], at: usize, tail: CellId) -> CellId {
        let rest = match parts.len() - at {
            1 => tail,
            2 => self.push(parts[at + 1], tail),
            _ => self.cell(Head::Expr(sequence, at as u32 + 1), tail),
        };
        self.push(parts[at], rest)
    }

    /// The state of a set of cells.
    pub(super) fn state(&mut self, cells: &[CellId]) -> StateId {
        let kernel = cells.iter().map(|&c| self.unfold(c)).collect();
        self.state_of_unfolded(kernel)
    }

    /// The same for cells that are [unfolded](Build::unfold).
    pub(super) fn state_of_unfolded(&mut self, mut kernel: SmallVec<[CellId; 8]>) -> StateId {
        kernel.sort_unstable();
        kernel.dedup();
        let store = self.store;
        if kernel.len() > MANY_CELLS && !is_off(Switch::CoveredCells) {
            store.drop_covered(&mut kernel);
        }
        if kernel.iter().all(|cell| store.is_shared(cell.0)) {
            return self.library().state_of(kernel);
        }
        self.state_of(kernel)
    }

    /// The state of a set of cells that are as they should be, in order.
    fn state_of(&mut self, kernel: SmallVec<[CellId; 8]>) -> StateId {
        let store = self.store;
        let hash = hash_of(&kernel[..]);
        if let Some(id) = self.index.states.find(hash, |id| store.state(id).kernel[..] == kernel[..]) {
            return id;
        }
        store.add_bytes(size_of::<State>() + kernel.len() * 4 + 24);
        let state = State {
            kernel: SmallVec::from_slice(&kernel),
            expansion: OnceLock::new(),
            clamped: OnceId::new(),
            local: OnceId::new(),
            walked: OnceLock::new(),
            resolved: Memo::new(),
            after: Memo::new(),
            generic: KnownGeneric::default(),
            firsts: OnceLock::new(),
            goes_on: OnceLock::new(),
        };
        let id = StateId::of(store.own, store.states.push(state, &mut self.index.writer));
        self.index.states.insert(hash, id);
        id
    }

    /// The state with its counters clamped.
    pub(super) fn clamp_state(&mut self, id: StateId) -> StateId {
        let state = self.store.state(id);
        if let Some(clamped) = state.clamped.get() {
            return clamped;
        }
        if self.store.is_shared(id.0) {
            return self.library().clamp_state(id);
        }
        let store = self.store;
        let is_clamped = |&id: &CellId| {
            let cell = store.cell(id);
            cell.clamped == id && !matches!(cell.head, Head::Bool(_))
        };
        if state.kernel.iter().all(is_clamped) {
            return state.clamped.set(id);
        }
        let mut cells: SmallVec<[CellId; 8]> = SmallVec::new();
        for &id in state.kernel.iter() {
            let cell = self.store.cell(id);
            match cell.head {
                Head::Bool(formula) => {
                    let off = is_off(Switch::ClampedBounds);
                    let formula = if off { formula } else { self.clamp_formula(formula) };
                    let rest = self.bool_cells(formula, cell.tail);
                    cells.extend(rest.into_iter().map(|cell| self.store.cell(cell).clamped));
                }
                _ => cells.push(cell.clamped),
            }
        }
        let clamped = if cells[..] == state.kernel[..] { id } else { self.state(&cells) };
        state.clamped.set(clamped)
    }

    pub(super) fn node(&mut self, node: Node) -> NodeId {
        let store = self.store;
        if node.links.iter().all(|link| store.is_shared(link.0.0) && store.is_shared(link.1.0))
            && store.own > 0
        {
            return self.library().node(node);
        }
        let hash = hash_of(&node);
        if let Some(id) = self.index.nodes.find(hash, |id| *store.node(id) == node) {
            return id;
        }
        store.add_bytes(size_of::<Node>() + 16);
        let id = NodeId::of(store.own, store.nodes.push(node, &mut self.index.writer));
        self.index.nodes.insert(hash, id);
        id
    }

    /// The stack with `ret` on top of `below`.
    pub(super) fn push_node(&mut self, ret: StateId, below: NodeId) -> NodeId {
        let node = self.store.node(below);
        if !node.bottom && node.links[..] == [(ret, node.links[0].1)] && self.store.is_star(ret) {
            return below; // x* after x* is x*
        }
        self.node(Node { links: SmallVec::from_buf([(ret, below)]), bottom: false })
    }

    /// Computes what can happen next in a state.
    pub(super) fn expand_state(&mut self, id: StateId) {
        let state = self.store.state(id);
        if state.expansion.get().is_some() {
            return;
        }
        let closure = self.closure(&state.kernel, Here::default());
        let calls = if closure.calls.is_empty() { SmallVec::new() } else { self.group_calls(closure.calls) };
        let (mut frames, mut choices) = (SmallVec::new(), SmallVec::new());
        for (cell, tail) in closure.frames {
            frames.push((self.state(&[tail]), self.state(&[cell])));
        }
        for cell in closure.choices {
            choices.push(self.state(&[cell]));
        }
        let (ends, accepting, last) = (closure.ends, closure.accepting, closure.last);
        let size = closure.terminals.len() * 4 + (calls.len() + frames.len() + choices.len()) * 8;
        self.store.add_bytes(size);
        let expansion = Expansion {
            terminals: closure.terminals,
            edges: OnceLock::new(),
            calls,
            frames,
            choices,
            accepting,
            last,
            ends,
        };
        let _ = state.expansion.set(expansion);
    }

    /// Joins calls that return to the same state into one frame.
    #[inline(never)] // most states have none
    fn group_calls(
        &mut self,
        mut calls: SmallVec<[(RuleId, CellId); 4]>,
    ) -> SmallVec<[(StateId, StateId); 2]> {
        calls.sort_unstable();
        calls.dedup();
        let mut by_return: SmallVec<[(StateId, SmallVec<[CellId; 8]>); 1]> = SmallVec::new();
        let mut i = 0;
        while i < calls.len() {
            let rule = calls[i].0;
            let end = i + calls[i..].iter().take_while(|c| c.0 == rule).count();
            let tails: SmallVec<[CellId; 8]> = calls[i..end].iter().map(|c| c.1).collect();
            let ret = self.state(&tails);
            let start = self.push(self.store.program.bodies[rule.index()], CellId::NIL);
            match by_return.iter_mut().find(|g| g.0 == ret) {
                Some(group) => group.1.push(start),
                None => by_return.push((ret, SmallVec::from_slice(&[start]))),
            }
            i = end;
        }
        by_return.into_iter().map(|(ret, cells)| (ret, self.state(&cells))).collect()
    }

    /// Takes every empty step from `kernel`.
    pub(super) fn closure(&mut self, kernel: &[CellId], here: Here<'_>) -> Closure {
        let mut out = Closure::default();
        let mut seen = FewSet::default();
        let mut todo: SmallVec<[CellId; 16]> = SmallVec::from_slice(kernel);
        todo.reverse();
        // Repetitions of nullable bodies: once one is open, the same with more rounds done adds nothing.
        let mut open: SmallVec<[(ExprId, CellId); 4]> = SmallVec::new();
        while let Some(id) = todo.pop() {
            if id == CellId::NIL {
                out.accepting = true;
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            let Cell { head, tail, .. } = self.store.cell(id);
            let (expr, at) = match head {
                Head::Expr(expr, at) => (expr, at),
                Head::Utf8(..) => {
                    out.terminals.push(id);
                    continue;
                }
                Head::Bool(formula) => {
                    if self.formula_accepts(formula) {
                        todo.push(tail);
                    }
                    out.terminals.push(id);
                    continue;
                }
                Head::End(end) => {
                    out.ends.push(end);
                    continue;
                }
                Head::Last => {
                    out.last = true;
                    continue;
                }
                Head::Frame(cell) => {
                    out.frames.push((cell, tail));
                    continue;
                }
            };
            self.close_expr(id, expr, at, tail, here, &mut out, &mut todo, &mut open);
        }
        out
    }

    #[allow(clippy::too_many_arguments)] // one step of the loop above, split off to stay readable
    fn close_expr(
        &mut self,
        id: CellId,
        expr: ExprId,
        at: u32,
        tail: CellId,
        here: Here<'_>,
        out: &mut Closure,
        todo: &mut SmallVec<[CellId; 16]>,
        open: &mut SmallVec<[(ExprId, CellId); 4]>,
    ) {
        let store = self.store;
        let program = &*store.program;
        match program.arena.get(expr) {
            // Token terminals are bytes by now.
            Expr::Never | Expr::Tokens(_) => {}
            Expr::Empty => todo.push(tail),
            Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => out.terminals.push(id),
            Expr::Concat(list) => {
                let next = self.push_part(expr, program.arena.list(list), at as usize, tail);
                todo.push(next);
            }
            Expr::Alt(list) => {
                for &part in program.arena.list(list).iter().rev() {
                    let next = self.push(part, tail);
                    todo.push(next);
                }
            }
            Expr::Repeat { expr: body, min, max } => {
                let nullable = program.is_nullable(body);
                if nullable {
                    if open.contains(&(expr, tail)) {
                        return;
                    }
                    open.push((expr, tail));
                }
                if nullable || at >= min {
                    todo.push(tail);
                }
                let again = self.push_repeat(expr, min, max, at.saturating_add(1), tail);
                let next = self.push(body, again);
                todo.push(next);
            }
            Expr::Rule(rule) if self.is_inlined(rule, tail) => {
                let next = self.push(program.bodies[rule.index()], tail);
                todo.push(next);
            }
            Expr::Rule(rule) => {
                out.calls.push((rule, tail));
                if program.is_nullable(expr) {
                    todo.push(tail);
                }
            }
            Expr::Region(inner) if program.region(expr).is_none() => {
                let next = self.push(inner, tail);
                todo.push(next);
            }
            Expr::And(_) if let Some(exceptions) = program.exceptions(expr) => {
                if exceptions.may_end(at) {
                    todo.push(tail);
                }
                out.terminals.push(id);
            }
            Expr::And(_) | Expr::Not(_) | Expr::Region(_) => self.close_formula(expr, tail, todo),
            Expr::Look { behind: true, negated, .. } => {
                if self.holds_behind(expr, here) != negated {
                    todo.push(tail);
                }
            }
            Expr::Look { .. } if here.assumed.contains(&expr) => todo.push(tail),
            Expr::Look { .. } => out.looks.push((expr, tail)),
            Expr::Members(members) => self.close_members(expr, members, at, tail, out, todo),
            Expr::Machine(machine) => self.close_machine(id, (machine, at), tail, out, todo),
        }
    }

    #[inline(never)] // hardly any grammar has formulas
    fn close_formula(&mut self, expr: ExprId, tail: CellId, todo: &mut SmallVec<[CellId; 16]>) {
        let formula = self.formula_of(expr);
        if formula != FormulaId::FALSE {
            todo.extend(self.bool_cells(formula, tail));
        }
    }

    /// Whether what a lookbehind asks for is what was written last.
    #[inline(never)] // hardly any grammar has them
    fn holds_behind(&mut self, look: ExprId, here: Here<'_>) -> bool {
        let tracker = here.looks.iter().position(|l| l.look == look).map(|i| here.trackers[i]);
        tracker.is_some_and(|t| self.store.expansion_in(self, t).accepting)
    }

    /// The edges by byte of cells that consume one.
    pub(super) fn edges(&mut self, terminals: &[CellId]) -> Vec<(ByteSet, CellId)> {
        let program = &*self.store.program;
        let mut edges = Vec::with_capacity(terminals.len());
        for &id in terminals {
            let Cell { head, tail, .. } = self.store.cell(id);
            match head {
                Head::Utf8(set, node) => self.utf8_edges(set, node, tail, &mut edges),
                Head::Bool(formula) => {
                    for (set, next) in self.formula_edges(formula) {
                        edges.extend(self.bool_cells(next, tail).into_iter().map(|target| (set, target)));
                    }
                }
                Head::Expr(expr, at) => match program.arena.get(expr) {
                    Expr::Bytes(set) => edges.push((*program.arena.byte_set(set), tail)),
                    Expr::Chars(set) => self.utf8_edges(set, 0, tail, &mut edges),
                    Expr::Literal(literal) => {
                        let bytes = program.arena.literal_bytes(literal);
                        let next = if at as usize + 1 < bytes.len() {
                            self.cell(Head::Expr(expr, at + 1), tail)
                        } else {
                            tail
                        };
                        edges.push((ByteSet::single(bytes[at as usize]), next));
                    }
                    Expr::Machine(machine) => self.step_machine(expr, (machine, at), tail, &mut edges),
                    Expr::And(_) if let Some(exceptions) = program.exceptions(expr) => {
                        self.edges_of_except((expr, exceptions), (at, tail), &mut edges);
                    }
                    _ => unreachable!("only consuming cells are terminals"),
                },
                Head::End(_) | Head::Frame(_) | Head::Last => {
                    unreachable!("only consuming cells are terminals")
                }
            }
        }
        edges
    }

    fn utf8_edges(
        &mut self,
        set: tokenstile_grammar::CharSetId,
        node: u32,
        tail: CellId,
        edges: &mut Vec<(ByteSet, CellId)>,
    ) {
        let program = &*self.store.program;
        for &(bytes, next) in program.arena.utf8(set).edges(node) {
            let target = match next {
                Utf8Next::Done => tail,
                Utf8Next::Node(n) => self.cell(Head::Utf8(set, n), tail),
            };
            edges.push((bytes, target));
        }
    }
}

impl Build<'_> {
    /// The bytes that what is left of a frame may begin with; all of them if that is too much to find out.
    pub(super) fn first_bytes(&mut self, id: StateId, depth: usize) -> ByteSet {
        let store = self.store;
        if let Some(known) = store.state(id).firsts.get() {
            return **known;
        }
        if depth == FIRSTS_DEPTH {
            return ByteSet::ALL;
        }
        if let Some((literal, _)) = store.literal(id) {
            return literal.first().map_or(ByteSet::EMPTY, |&byte| ByteSet::single(byte));
        }
        let edges = store.edges_in(self, id).iter();
        let mut bytes = edges.fold(ByteSet::EMPTY, |all, edge| all.union(&edge.0));
        let expansion = store.expansion_in(self, id);
        for &(_, start) in expansion.calls.iter().chain(&expansion.frames) {
            bytes = bytes.union(&self.first_bytes(start, depth + 1));
        }
        for &choice in expansion.choices.iter() {
            let entry = self.entry_of(choice);
            bytes = bytes.union(&self.first_bytes(entry, depth + 1));
        }
        **store.state(id).firsts.get_or_init(|| Box::new(bytes))
    }
}

impl Store {
    /// The bytes that what is left of a frame may begin with.
    #[inline]
    pub(crate) fn first_bytes(&self, id: StateId) -> ByteSet {
        match self.state(id).firsts.get() {
            Some(known) => **known,
            None => self.build().first_bytes(id, 0),
        }
    }

    /// Like [`expansion`](Store::expansion), for those who hold the lock already.
    pub(super) fn expansion_in<'a>(&'a self, build: &mut Build<'_>, id: StateId) -> &'a Expansion {
        if self.state(id).expansion.get().is_none() {
            build.home(id.0).expand_state(id);
        }
        self.state(id).expansion.get().unwrap_or_else(|| unreachable!("expand_state sets it"))
    }

    /// Where bytes lead from a state, for those who hold the lock already.
    pub(super) fn edges_in<'a>(&'a self, build: &mut Build<'_>, id: StateId) -> &'a [(ByteSet, CellId)] {
        let expansion = self.expansion_in(build, id);
        if let Some(edges) = expansion.edges.get() {
            return edges;
        }
        let edges = build.home(id.0).edges(&expansion.terminals);
        self.home(id.0).add_bytes(edges.len() * size_of::<(ByteSet, CellId)>());
        expansion.edges.get_or_init(|| edges.into())
    }

    /// Whether a state is just `x*`, so that two of it in a row are one.
    pub(crate) fn is_star(&self, id: StateId) -> bool {
        let [cell] = self.state(id).kernel[..] else { return false };
        let Cell { head: Head::Expr(expr, _), tail: CellId::NIL, .. } = self.cell(cell) else { return false };
        matches!(self.program.arena.get(expr), Expr::Repeat { min: 0, max: None, .. })
    }
}

impl Store {
    /// The store of a program that begins as that of the library does, if there is one.
    pub(crate) fn new(program: Arc<Program>, limits: &Limits, library: Option<Arc<SharedStore>>) -> Self {
        let exprs = program.arena.len() - program.arena.base_len();
        let entries = program.arena.all_members().map(|_| OnceLock::new()).collect();
        let index = Index::new(exprs);
        let store = Store {
            program,
            own: if library.is_some() { OWN } else { 0 },
            library,
            entries,
            cells: AppendVec::new(&index.writer),
            states: AppendVec::new(&index.writer),
            nodes: AppendVec::new(&index.writer),
            locals: AppendVec::new(&index.writer),
            formulas: AppendVec::new(&index.writer),
            counted: AppendVec::new(&index.writer),
            machine_states: AppendVec::new(&index.writer),
            index: Mutex::new(index),
            heads_limit: limits.heads,
            states_limit: limits.states,
            bytes: AtomicUsize::new(0),
            start: OnceLock::new(),
            exceeded: OnceLock::new(),
        };
        if store.library.is_none() {
            let head = Head::Expr(store.program.arena.empty(), 0);
            let mut build = store.build();
            for (head, id) in [(head, CellId::NIL), (Head::Last, CellId::LAST)] {
                store.cells.push(Cell { head, tail: CellId::NIL, clamped: id }, &mut build.index.writer);
            }
            build.constants();
        }
        let mut build = store.build();
        let cell = build.push(store.program.start(), CellId::LAST);
        let start = build.state(&[cell]);
        drop(build);
        let _ = store.start.set(start);
        store
    }

    /// Takes the writer's lock.
    pub(super) fn build(&self) -> Build<'_> {
        // A poisoned index is still consistent: an entry is added only after its object is complete.
        let index: MutexGuard<'_, Index> = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        Build::new(self, index)
    }

    /// Whether the root, a boolean expression, matches nothing.
    pub(crate) fn is_never(&self) -> bool {
        self.build().formula_of(self.program.root) == FormulaId::FALSE
    }

    /// What can happen next in a state.
    pub(crate) fn expansion(&self, id: StateId) -> &Expansion {
        let state = self.state(id);
        match state.expansion.get() {
            Some(expansion) => expansion,
            None => {
                self.home(id.0).build().expand_state(id);
                state.expansion.get().unwrap_or_else(|| unreachable!("expand_state sets it"))
            }
        }
    }

    /// The state as far as one token can tell: see [`Cell::clamped`].
    #[inline]
    pub(crate) fn clamped(&self, id: StateId) -> StateId {
        let state = self.state(id);
        match state.clamped.get() {
            Some(clamped) => clamped,
            None => self.home(id.0).build().clamp_state(id),
        }
    }

    /// The configuration "in this state, on an unknown stack".
    #[inline]
    pub(crate) fn local_of(&self, id: StateId) -> LocalId {
        let state = self.state(id);
        match state.local.get() {
            Some(local) => local,
            None => {
                let local = self.home(id.0).build().local(&[(id, NodeId::BOTTOM)]);
                state.local.set(local)
            }
        }
    }

    /// Where `byte` leads from a state without leaving its frame or calling another.
    pub(crate) fn step_in_frame(&self, id: StateId, byte: u8) -> Option<StateId> {
        let mut build = self.build();
        let edges = self.edges_in(&mut build, id).iter().filter(|e| e.0.contains(byte));
        let cells: SmallVec<[CellId; 8]> = edges.map(|e| e.1).collect();
        if cells.is_empty() { None } else { Some(build.state(&cells)) }
    }

    /// The state that matches what any of `states` matches.
    pub(crate) fn union(&self, states: &[StateId]) -> StateId {
        let cells: Vec<CellId> = states.iter().flat_map(|&s| self.state(s).kernel.iter().copied()).collect();
        self.build().state(&cells)
    }
}
