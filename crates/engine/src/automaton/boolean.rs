//! Boolean expressions as formulas over states.
//!
//! `And` and `Not` are formulas whose leaves are states of their regular operands; a step of the formula is a
//! step of every leaf. Assertions live in a *region*: a lookahead is the conjunction of "what follows starts
//! with A" with everything that follows it in the region; a lookbehind is decided by a tracker, a state of
//! "any text that ends with A" that runs along from the region's start.
//!
//! A formula from which no text can be completed is never kept (see [`live`](super::live)), so a boolean cell, like every
//! other cell, can always be finished.

use std::borrow::Cow;
use std::sync::OnceLock;

use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{ByteSet, Expr};

use super::build::{Build, Here};
use super::objects::cell::{Cell, Head};
use super::objects::formula::{Formula, Kind, Step, Steps};
use super::objects::ids::{CellId, FormulaId, LocalId, StateId, hash_of};
use super::partition::partition;
use super::store::Store;
use crate::ablate::{Switch, is_off};
use crate::tuning::formulas::{LARGE, LEAVES};
use crate::work::Exceeded;

/// The region that a leaf belongs to.
#[derive(Clone)]
struct Scope {
    region: Option<ExprId>,
    trackers: SmallVec<[StateId; 2]>,
}

impl Store {
    pub(super) fn formula(&self, id: FormulaId) -> &Formula {
        let home = self.home(id.0);
        home.formulas.get((id.0 - home.own) as usize)
    }

    /// The formula that a state is, if it is one, and what follows it: in the middle, or at the start of its expression.
    pub(super) fn formula_at(&self, state: StateId) -> Option<(FormulaId, CellId)> {
        let [cell] = self.state(state).kernel[..] else { return None };
        let Cell { head, tail, .. } = self.cell(cell);
        match head {
            Head::Bool(formula) => Some((formula, tail)),
            Head::Expr(expr, _) if self.is_boolean(expr) => Some((self.build().formula_of(expr), tail)),
            _ => None,
        }
    }

    /// Whether a local is nothing but a formula.
    #[inline]
    pub(crate) fn is_formula(&self, id: LocalId) -> bool {
        let Some((state, _)) = self.only_state(id) else { return false };
        let [cell] = self.state(state).kernel[..] else { return false };
        match self.cell(cell).head {
            Head::Bool(_) => true,
            Head::Expr(expr, _) => self.is_boolean(expr),
            _ => false,
        }
    }

    /// Whether an expression is followed as a formula.
    fn is_boolean(&self, expr: ExprId) -> bool {
        matches!(self.program.arena.get(expr), Expr::And(_) | Expr::Not(_) | Expr::Region(_))
            && self.program.exceptions(expr).is_none()
    }
}

impl<'s> Build<'s> {
    pub(super) fn formula_constants(&mut self) {
        self.formula(Kind::False);
        self.formula(Kind::True);
    }

    pub(super) fn formula(&mut self, kind: Kind) -> FormulaId {
        let store = self.store;
        let hash = hash_of(&kind);
        match self.index.formulas.find(hash, |id| store.formula(id).kind == kind) {
            Some(id) => id,
            None => self.new_formula(hash, kind),
        }
    }

    /// The conjunction or disjunction of just these parts, which are in order.
    fn formula_of_parts(&mut self, parts: &[FormulaId], both: bool) -> FormulaId {
        let store = self.store;
        let hash = hash_of(&(both, parts));
        let is_same = |id| match &store.formula(id).kind {
            Kind::And(known) if both => **known == *parts,
            Kind::Or(known) if !both => **known == *parts,
            _ => false,
        };
        match self.index.formulas.find(hash, is_same) {
            Some(id) => id,
            None if both => self.new_formula(hash, Kind::And(parts.into())),
            None => self.new_formula(hash, Kind::Or(parts.into())),
        }
    }

    fn new_formula(&mut self, hash: u64, kind: Kind) -> FormulaId {
        let store = self.store;
        store.add_bytes(size_of::<Formula>() + 64);
        let formula = Formula {
            kind,
            accepting: OnceLock::new(),
            steps: OnceLock::new(),
            some_steps: OnceLock::new(),
            live: OnceLock::new(),
            origin: OnceLock::new(),
            distance: OnceLock::new(),
            complement: OnceLock::new(),
            plain: OnceLock::new(),
        };
        let id = FormulaId::of(store.own, store.formulas.push(formula, &mut self.index.writer));
        self.index.formulas.insert(hash, id);
        id
    }

    pub(super) fn all_of(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.joined(parts, true)
    }

    fn any_of(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.joined(parts, false)
    }

    /// The conjunction of formulas, or their disjunction.
    fn joined(&mut self, parts: impl IntoIterator<Item = FormulaId>, both: bool) -> FormulaId {
        let store = self.store;
        // What decides alone, and what changes nothing.
        let (zero, one) =
            if both { (FormulaId::FALSE, FormulaId::TRUE) } else { (FormulaId::TRUE, FormulaId::FALSE) };
        let mut flat: SmallVec<[FormulaId; 4]> = SmallVec::new();
        let mut is_mixed = false;
        for part in parts {
            match &store.formula(part).kind {
                _ if part == zero => return zero,
                _ if part == one => {}
                Kind::And(list) if both => flat.extend_from_slice(list),
                Kind::Or(list) if !both => flat.extend_from_slice(list),
                kind => {
                    is_mixed |= !matches!(kind, Kind::Leaf { .. });
                    flat.push(part);
                }
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if is_mixed && flat.len() > 1 && !is_off(Switch::FormulaRules) {
            match self.simplified(&flat, both) {
                Some(parts) if parts.contains(&zero) => return zero,
                Some(parts) => return self.joined(parts, both),
                None => {}
            }
        }
        match flat[..] {
            [] => one,
            [only] => only,
            _ => self.formula_of_parts(&flat, both),
        }
    }

    /// Parts of a conjunction or a disjunction, less what the others make needless: with "a", "a or b" says nothing, and
    /// "not a or b" says "b". `None` if there is nothing like that.
    fn simplified(&mut self, parts: &[FormulaId], both: bool) -> Option<SmallVec<[FormulaId; 4]>> {
        let store = self.store;
        let is_opposite = |a: FormulaId| match store.formula(a) {
            Formula { kind: Kind::Not(b), .. } => parts.binary_search(b).is_ok(),
            // If there is none yet, it is not among the parts.
            Formula { kind: Kind::Leaf { .. }, complement, .. } => {
                complement.get().is_some_and(|not| parts.binary_search(not).is_ok())
            }
            _ => false,
        };
        let mut out: SmallVec<[FormulaId; 4]> = SmallVec::new();
        let mut changed = false;
        for &part in parts {
            let inner = match &store.formula(part).kind {
                Kind::Or(list) if both => list,
                Kind::And(list) if !both => list,
                Kind::Not(_) if is_opposite(part) => {
                    return Some(SmallVec::from_slice(&[if both {
                        FormulaId::FALSE
                    } else {
                        FormulaId::TRUE
                    }]));
                }
                _ => {
                    out.push(part);
                    continue;
                }
            };
            if inner.iter().any(|one| parts.binary_search(one).is_ok()) {
                changed = true;
            } else if inner.iter().any(|&one| is_opposite(one)) {
                changed = true;
                let rest: SmallVec<[FormulaId; 4]> =
                    inner.iter().copied().filter(|&one| !is_opposite(one)).collect();
                out.push(self.joined(rest, !both));
            } else {
                out.push(part);
            }
        }
        changed.then_some(out)
    }

    /// The complement. Only leaves are under a "not": so it can be told how far a formula is from its end.
    fn none_of(&mut self, part: FormulaId) -> FormulaId {
        let store = self.store;
        let formula = store.formula(part);
        if let Some(&known) = formula.complement.get() {
            return known;
        }
        let complement = match &formula.kind {
            Kind::False => FormulaId::TRUE,
            Kind::True => FormulaId::FALSE,
            Kind::Not(inner) => *inner,
            Kind::And(parts) => {
                let parts: SmallVec<[FormulaId; 4]> = parts.iter().map(|&p| self.none_of(p)).collect();
                self.any_of(parts)
            }
            Kind::Or(parts) => {
                let parts: SmallVec<[FormulaId; 4]> = parts.iter().map(|&p| self.none_of(p)).collect();
                self.all_of(parts)
            }
            Kind::Leaf { .. } => self.formula(Kind::Not(part)),
        };
        *formula.complement.get_or_init(|| complement)
    }

    /// The formula of a boolean expression at its start; `FALSE` if nothing matches it.
    pub(super) fn formula_of(&mut self, expr: ExprId) -> FormulaId {
        let formula = self.start_of(expr);
        if self.is_live(formula) { formula } else { FormulaId::FALSE }
    }

    fn start_of(&mut self, expr: ExprId) -> FormulaId {
        let program = self.store.program.clone();
        match program.arena.get(expr) {
            Expr::And(list) => {
                let parts: SmallVec<[FormulaId; 4]> =
                    program.arena.list(list).iter().map(|&p| self.start_of(p)).collect();
                self.all_of(parts)
            }
            Expr::Not(inner) => {
                let inner = match program.arena.get(inner) {
                    Expr::Alt(list) => self.start_of_any(program.arena.list(list)),
                    _ => self.start_of(inner),
                };
                self.none_of(inner)
            }
            Expr::Region(inner) => {
                let behinds = program.region(expr).unwrap_or_default();
                let mut trackers = SmallVec::new();
                for behind in behinds {
                    let cell = self.push(behind.ends_with, CellId::NIL);
                    trackers.push(self.state(&[cell]));
                }
                let cell = self.push(inner, CellId::NIL);
                self.leaf(&[cell], &Scope { region: Some(expr), trackers })
            }
            _ => {
                let cell = self.push(expr, CellId::NIL);
                self.leaf(&[cell], &Scope { region: None, trackers: SmallVec::new() })
            }
        }
    }

    /// The formula of a choice of which the complement is wanted: that of formulas is one of their complements, not of a
    /// state among whose cells they are.
    fn start_of_any(&mut self, choice: &[ExprId]) -> FormulaId {
        let (formulas, plain): (SmallVec<[ExprId; 4]>, SmallVec<[ExprId; 4]>) =
            choice.iter().copied().partition(|&part| self.store.is_boolean(part));
        let mut parts: SmallVec<[FormulaId; 4]> =
            formulas.into_iter().map(|part| self.start_of(part)).collect();
        let cells: SmallVec<[CellId; 4]> =
            plain.into_iter().map(|part| self.push(part, CellId::NIL)).collect();
        parts.push(self.leaf(&cells, &Scope { region: None, trackers: SmallVec::new() }));
        self.any_of(parts)
    }

    /// The formula of a set of cells, with the assertions at this place decided or turned into conjunctions.
    fn leaf(&mut self, cells: &[CellId], scope: &Scope) -> FormulaId {
        if scope.region.is_some() {
            return self.leaf_assuming(cells, scope, &mut SmallVec::new());
        }
        if !is_off(Switch::LeafMemo)
            && let Some(&known) = self.index.large_leaves.get(cells)
        {
            return known;
        }
        let leaf = self.leaf_assuming(cells, scope, &mut SmallVec::new());
        if let Kind::Leaf { state, .. } = &self.store.formula(leaf).kind
            && self.store.state(*state).kernel.len() > LARGE
        {
            self.store.add_bytes(2 * size_of_val(cells) + 32);
            self.index.large_leaves.insert(cells.into(), leaf);
        }
        leaf
    }

    /// The same where the lookaheads in `assumed` hold: a loop may come back to one without moving on.
    fn leaf_assuming(
        &mut self,
        cells: &[CellId],
        scope: &Scope,
        assumed: &mut SmallVec<[ExprId; 4]>,
    ) -> FormulaId {
        let program = self.store.program.clone();
        let looks = scope.region.and_then(|r| program.region(r)).unwrap_or_default();
        let closure = self.closure(cells, Here { looks, trackers: &scope.trackers, assumed });
        debug_assert!(closure.calls.is_empty() && closure.choices.is_empty(), "boolean operands are regular");
        self.index.leaves += 1;
        if self.index.leaves > LEAVES {
            self.store.set_exceeded(Exceeded { name: "states", value: LEAVES });
            return FormulaId::FALSE;
        }
        let mut kernel = closure.terminals;
        if closure.accepting {
            kernel.push(CellId::NIL);
        }
        let anything = self.push(program.anything, CellId::NIL);
        let plain = if kernel.is_empty() {
            FormulaId::FALSE
        } else if closure.accepting && kernel.iter().any(|&c| self.is_any_byte_then(c, anything)) {
            FormulaId::TRUE
        } else {
            let state = self.state(&kernel);
            let kind = Kind::Leaf { state, region: scope.region, trackers: scope.trackers.clone() };
            let leaf = self.formula(kind);
            if scope.region.is_none() {
                let _ = self.store.formula(leaf).plain.set(cells.into());
                let _ = self.store.formula(leaf).live.set(true);
            }
            leaf
        };
        let mut parts: SmallVec<[FormulaId; 4]> = SmallVec::from_slice(&[plain]);
        for (look, tail) in closure.looks {
            let Expr::Look { expr, negated, .. } = program.arena.get(look) else { continue };
            let cell = self.push(expr, anything);
            let ahead = self.leaf(&[cell], scope);
            let ahead = if negated { self.none_of(ahead) } else { ahead };
            if ahead != FormulaId::FALSE {
                assumed.push(look);
                let rest = self.leaf_assuming(&[tail], scope, assumed);
                assumed.pop();
                parts.push(self.all_of([ahead, rest]));
            }
        }
        self.any_of(parts)
    }

    /// Whether a cell is "any byte, then `tail`".
    fn is_any_byte_then(&self, cell: CellId, tail: CellId) -> bool {
        let cell = self.store.cell(cell);
        let Head::Expr(expr, _) = cell.head else { return false };
        let arena = &self.store.program.arena;
        let is_any = |set| *arena.byte_set(set) == ByteSet::ALL;
        cell.tail == tail && matches!(arena.get(expr), Expr::Bytes(set) if is_any(set))
    }

    pub(super) fn formula_accepts(&mut self, id: FormulaId) -> bool {
        let formula = self.store.formula(id);
        if let Some(&known) = formula.accepting.get() {
            return known;
        }
        let accepting = match &formula.kind {
            Kind::False => false,
            Kind::True => true,
            Kind::Leaf { state, .. } => self.store.state(*state).kernel.contains(&CellId::NIL),
            Kind::And(parts) => parts.iter().all(|&p| self.formula_accepts(p)),
            Kind::Or(parts) => parts.iter().any(|&p| self.formula_accepts(p)),
            Kind::Not(part) => !self.formula_accepts(*part),
        };
        *formula.accepting.get_or_init(|| accepting)
    }

    /// Cells any of which matches the rest of a formula, then `tail`. What has come down to a plain expression is one
    /// again: such places are equal to others that never were part of a boolean, and loops in them are seen as such.
    pub(super) fn bool_cells(&mut self, formula: FormulaId, tail: CellId) -> SmallVec<[CellId; 4]> {
        if formula == FormulaId::TRUE {
            let anything = self.store.program.anything;
            return SmallVec::from_slice(&[self.push(anything, tail)]);
        }
        match self.store.formula(formula).plain.get() {
            Some(cells) => cells.iter().map(|&cell| self.graft(cell, tail)).collect(),
            None => SmallVec::from_slice(&[self.cell(Head::Bool(formula), tail)]),
        }
    }

    /// The cell that matches what `cell` does up to its end, then `tail`.
    fn graft(&mut self, cell: CellId, tail: CellId) -> CellId {
        let mut heads: SmallVec<[Head; 8]> = SmallVec::new();
        let mut at = cell;
        while at != CellId::NIL {
            let cell = self.store.cell(at);
            heads.push(cell.head);
            at = cell.tail;
        }
        heads.into_iter().rev().fold(tail, |tail, head| self.cell(head, tail))
    }

    /// Where the bytes lead from a formula; only to formulas that can be completed.
    #[inline(never)] // hardly any grammar has formulas
    pub(super) fn formula_edges(&mut self, id: FormulaId) -> Steps {
        self.steps(id).iter().copied().filter(|step| self.is_live_after(id, step.1)).collect()
    }

    /// Where the bytes lead from a formula, by classes of bytes that lead alike.
    pub(super) fn steps(&mut self, id: FormulaId) -> &'s [Step] {
        let store = self.store;
        if let Some(steps) = store.formula(id).steps.get() {
            return steps;
        }
        let steps = self.find_steps(id, &ByteSet::ALL);
        store.add_bytes(size_of_val(&*steps));
        store.formula(id).steps.get_or_init(|| (*steps).into())
    }

    /// The same for some bytes, if no more is known: of characters past ASCII there are many classes. Other bytes may be among
    /// them.
    pub(super) fn steps_by(&mut self, id: FormulaId, bytes: &ByteSet) -> Cow<'s, [Step]> {
        let (store, formula) = (self.store, self.store.formula(id));
        if let Some(steps) = formula.known_steps(bytes) {
            return Cow::Borrowed(steps);
        }
        if *bytes == ByteSet::ALL || is_off(Switch::PartialSteps) {
            return Cow::Borrowed(self.steps(id));
        }
        let steps = self.find_steps(id, bytes).into_vec();
        if formula.some_steps.get().is_some() {
            return Cow::Owned(steps);
        }
        store.add_bytes(size_of_val(&*steps) + 64);
        Cow::Borrowed(&formula.some_steps.get_or_init(|| Box::new((*bytes, steps.into()))).1)
    }

    fn find_steps(&mut self, id: FormulaId, bytes: &ByteSet) -> Steps {
        let mut steps: Steps = SmallVec::new();
        match &self.store.formula(id).kind {
            Kind::False => {}
            Kind::True => steps.push((*bytes, FormulaId::TRUE)),
            Kind::Leaf { state, region, trackers } => {
                let scope = Scope { region: *region, trackers: trackers.clone() };
                steps = self.leaf_steps(*state, &scope, bytes);
            }
            Kind::Not(part) => {
                let inner = self.steps_by(*part, bytes);
                for &(set, next) in inner.iter() {
                    add_step(&mut steps, (set.intersect(bytes), self.none_of(next)));
                }
                add_step(&mut steps, (bytes.minus(&covered(&inner)), FormulaId::TRUE));
            }
            Kind::And(parts) => steps = self.product(parts, true, bytes),
            Kind::Or(parts) => steps = self.product(parts, false, bytes),
        }
        steps
    }

    /// The steps of a conjunction or disjunction: where the parts lead is put together once for each class of bytes.
    fn product(&mut self, parts: &[FormulaId], both: bool, bytes: &ByteSet) -> Steps {
        let parts: SmallVec<[Cow<'_, [Step]>; 4]> =
            parts.iter().map(|&part| self.steps_by(part, bytes)).collect();
        // Where one part leads nowhere, a conjunction does not either.
        let all = match both {
            true => parts.iter().fold(*bytes, |common, steps| common.intersect(&covered(steps))),
            false => *bytes,
        };
        let sets: SmallVec<[ByteSet; 32]> =
            parts.iter().flat_map(|steps| steps.iter().map(|step| step.0.intersect(&all))).collect();
        let mut steps = Steps::new();
        for class in partition(sets.iter()) {
            let Some(byte) = class.first() else { continue };
            let leads = parts.iter().map(|steps| after(steps, byte));
            add_step(&mut steps, (class, self.joined(leads, both)));
        }
        steps
    }

    fn leaf_steps(&mut self, state: StateId, scope: &Scope, bytes: &ByteSet) -> Steps {
        let store = self.store;
        let terminals: Vec<CellId> =
            store.state(state).kernel.iter().copied().filter(|&c| c != CellId::NIL).collect();
        let edges = self.edges(&terminals);
        let mut sets: SmallVec<[ByteSet; 8]> = edges.iter().map(|e| e.0.intersect(bytes)).collect();
        let covered = sets.iter().fold(ByteSet::EMPTY, |all, s| all.union(s));
        for &tracker in &scope.trackers {
            let tracked = store.edges_in(self, tracker);
            sets.extend(tracked.iter().map(|e| e.0.intersect(&covered)));
        }
        let mut out = SmallVec::new();
        for class in partition(sets.iter()) {
            let Some(byte) = class.first() else { continue };
            let targets: SmallVec<[CellId; 8]> =
                edges.iter().filter(|e| e.0.contains(byte)).map(|e| e.1).collect();
            if targets.is_empty() {
                continue;
            }
            let mut next = Scope { region: scope.region, trackers: SmallVec::new() };
            for &tracker in &scope.trackers {
                next.trackers.push(self.tracker_after(tracker, byte));
            }
            add_step(&mut out, (class, self.leaf(&targets, &next)));
        }
        out
    }

    fn tracker_after(&mut self, tracker: StateId, byte: u8) -> StateId {
        let edges = self.store.edges_in(self, tracker).iter().filter(|e| e.0.contains(byte));
        let cells: SmallVec<[CellId; 8]> = edges.map(|e| e.1).collect();
        self.state(&cells)
    }

    /// Where one byte leads from a formula.
    pub(super) fn formula_after(&mut self, id: FormulaId, byte: u8) -> FormulaId {
        let store = self.store;
        if let Some(steps) = store.formula(id).known_steps(&ByteSet::single(byte)) {
            return after(steps, byte);
        }
        match &store.formula(id).kind {
            Kind::False => FormulaId::FALSE,
            Kind::True => FormulaId::TRUE,
            Kind::Leaf { state, region, trackers } => {
                let mut targets: SmallVec<[CellId; 8]> = SmallVec::new();
                for &cell in store.state(*state).kernel.iter().filter(|&&cell| cell != CellId::NIL) {
                    self.after_byte(cell, byte, &mut targets);
                }
                if targets.is_empty() {
                    return FormulaId::FALSE;
                }
                let trackers = trackers.iter().map(|&tracker| self.tracker_after(tracker, byte)).collect();
                self.leaf(&targets, &Scope { region: *region, trackers })
            }
            Kind::Not(part) => {
                let next = self.formula_after(*part, byte);
                self.none_of(next)
            }
            Kind::And(parts) => {
                let next: SmallVec<[FormulaId; 4]> =
                    parts.iter().map(|&part| self.formula_after(part, byte)).collect();
                self.all_of(next)
            }
            Kind::Or(parts) => {
                let next: SmallVec<[FormulaId; 4]> =
                    parts.iter().map(|&part| self.formula_after(part, byte)).collect();
                self.any_of(next)
            }
        }
    }
}

impl Store {
    /// Of "texts of this, but none of those": the cells of this and the states of those.
    pub(super) fn leaf_without(&self, id: FormulaId) -> Option<(&[CellId], SmallVec<[StateId; 2]>)> {
        let Kind::And(parts) = &self.formula(id).kind else { return None };
        let (mut all, mut without) = (None, SmallVec::new());
        for &part in parts.iter() {
            match &self.formula(part).kind {
                Kind::Leaf { .. } if all.is_none() => all = Some(self.formula(part).plain.get()?),
                Kind::Not(part) => match &self.formula(*part).kind {
                    Kind::Leaf { state, region: None, .. } => without.push(*state),
                    _ => return None,
                },
                _ => return None,
            }
        }
        Some((all?, without))
    }
}

/// The bytes that lead somewhere.
fn covered(steps: &[Step]) -> ByteSet {
    steps.iter().fold(ByteSet::EMPTY, |all, step| all.union(&step.0))
}

/// Where one byte leads.
fn after(steps: &[Step], byte: u8) -> FormulaId {
    steps.iter().find(|step| step.0.contains(byte)).map_or(FormulaId::FALSE, |step| step.1)
}

/// Adds a step that leads somewhere, to one that leads to the same formula if there is one.
fn add_step(steps: &mut Steps, (set, next): Step) {
    if set.is_empty() || next == FormulaId::FALSE {
        return;
    }
    match steps.iter_mut().find(|step| step.1 == next) {
        Some(step) => step.0 = step.0.union(&set),
        None => steps.push((set, next)),
    }
}
