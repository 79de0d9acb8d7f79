//! Texts of an expression but for those of others, which can always go on.
//!
//! The key of another member is any text that matches none of the patterns. Wherever a text has come to, it can be
//! completed by a character with which no text of the patterns ends; so there is nothing to be searched for.

use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr};
use tokenstile_grammar::{CharSetId, ExprId};

use super::super::objects::cell::{Cell, Head};
use super::super::objects::ids::{CellId, LocalId, NodeId, StateId};
use super::super::store::Store;
use crate::tuning::seen::MATCHED_EXPRS;
use crate::work::{Exceeded, Work};

/// What a cell is: texts of `all` but for those of `without`, then `tail`.
pub(crate) struct ButMatched {
    pub(crate) all: StateId,
    pub(crate) without: StateId,
    pub(crate) tail: StateId,
    /// The ASCII characters with which no text of `without` ends.
    pub(crate) unlike: ByteSet,
    /// The most characters, and a set in which those must be.
    pub(crate) most: Option<(u32, CharSetId)>,
}

impl Store {
    /// A state of one formula as texts of one expression but for those of others, if that is what it is.
    pub(crate) fn but_matched(
        &self,
        state: StateId,
        work: &mut Work,
    ) -> Result<Option<ButMatched>, Exceeded> {
        let mut looked = 0;
        let found = self.find_but_matched(state, &mut looked);
        work.spend(looked / 8)?;
        Ok(found)
    }

    fn find_but_matched(&self, state: StateId, looked: &mut usize) -> Option<ButMatched> {
        let [cell] = self.state(state).kernel[..] else { return None };
        let Cell { head: Head::Bool(formula), tail, .. } = self.cell(cell) else { return None };
        let (all, mut without) = self.leaf_without(formula)?;
        let most = without.iter().find_map(|&state| self.longer(state));
        match without.len() {
            1 if most.is_some() => without.clear(),
            _ if most.is_some() => return None, // without room for another character, a text might not be completed
            _ => {}
        }
        let cells: SmallVec<[CellId; 16]> =
            without.iter().flat_map(|&state| self.state(state).kernel.iter().copied()).collect();
        let mut lasts = Lasts { store: self, bytes: ByteSet::EMPTY, looked };
        cells.iter().try_for_each(|&cell| lasts.add_cell(cell))?;
        let unlike = ByteSet::ASCII.minus(&lasts.bytes);
        let mut build = self.build();
        let [all, without, tail] = [all, &cells, &[tail]].map(|cells| build.state(cells));
        Some(ButMatched { all, without, tail, unlike, most })
    }

    /// If the texts of a state are all that have more than so many characters of a set: how many, and the set.
    pub(in crate::automaton) fn longer(&self, state: StateId) -> Option<(u32, CharSetId)> {
        let arena = &self.program.arena;
        let mut found: Option<(CellId, Option<CharSetId>)> = None;
        for &cell in self.state(state).kernel.iter() {
            let Cell { head: Head::Expr(expr, _), tail, .. } = self.cell(cell) else { return None };
            let set = match arena.get(expr) {
                Expr::Chars(set) => Some(set),
                _ => None,
            };
            match &mut found {
                // Beside the plain characters there are their escapes, which must come back to where the others lead.
                Some((next, known)) if set.is_none() || known.is_none() => {
                    *next = if set.is_some() { tail } else { *next };
                    *known = known.or(set);
                }
                Some(_) => return None,
                None => found = Some((tail, set)),
            }
        }
        let (next, Some(set)) = found? else { return None };
        let Cell { head: Head::Expr(expr, done), tail, .. } = self.cell(next) else { return None };
        let Expr::Repeat { expr: body, min, max: Some(max) } = arena.get(expr) else { return None };
        let is_set = self.repeated_chars(body) == Some(set);
        let comes_back = |&cell: &CellId| {
            let mut at = cell;
            while at != CellId::NIL && at != next {
                at = self.cell(at).tail;
            }
            at == next
        };
        if !self.state(state).kernel.iter().all(comes_back) {
            return None;
        }
        let Cell { head: Head::Expr(rest, _), tail: CellId::NIL, .. } = self.cell(tail) else { return None };
        (is_set && min == max && rest == self.program.anything).then(|| (min - done, set))
    }

    /// The formulas that a state is open to, each as a state of its own, and a state of all else, if there are formulas and
    /// nothing is called.
    pub(crate) fn formulas_apart(&self, state: StateId) -> Option<SmallVec<[StateId; 4]>> {
        if !self.program.booleans {
            return None;
        }
        let is_formula =
            |&cell: &CellId| cell != CellId::NIL && matches!(self.cell(cell).head, Head::Bool(_));
        if let [cell] = self.state(state).kernel[..]
            && is_formula(&cell)
        {
            return None;
        }
        let mut build = self.build();
        let open = self.expansion_in(&mut build, state);
        let calls = open.calls.len() + open.frames.len() + open.choices.len() + open.ends.len();
        if open.accepting || calls > 0 || !open.terminals.iter().any(is_formula) {
            return None;
        }
        let (formulas, others): (SmallVec<[CellId; 4]>, SmallVec<[CellId; 4]>) =
            open.terminals.iter().copied().partition(is_formula);
        let mut parts: SmallVec<[StateId; 4]> = formulas.iter().map(|&cell| build.state(&[cell])).collect();
        parts.extend((!others.is_empty()).then(|| build.state(&others)));
        Some(parts)
    }

    /// Whether a local is in one state only, and which.
    pub(crate) fn only_state(&self, id: LocalId) -> Option<(StateId, NodeId)> {
        match self.local(id).heads[..] {
            [head] => Some(head),
            _ => None,
        }
    }
}

/// The ASCII bytes that texts end with; perhaps more.
struct Lasts<'a> {
    store: &'a Store,
    bytes: ByteSet,
    looked: &'a mut usize,
}

impl Lasts<'_> {
    /// Adds what the texts of a cell end with, from there to the end of its frame.
    fn add_cell(&mut self, cell: CellId) -> Option<()> {
        let mut heads: SmallVec<[Head; 8]> = SmallVec::new();
        let mut at = cell;
        while at != CellId::NIL {
            let Cell { head, tail, .. } = self.store.cell(at);
            heads.push(head);
            at = tail;
        }
        for head in heads.into_iter().rev() {
            match head {
                Head::Expr(expr, at) => {
                    if !self.add_rest(expr, at)? {
                        break;
                    }
                }
                // The rest of a character past ASCII.
                Head::Utf8(..) => break,
                Head::Last => {}
                Head::Bool(_) | Head::End(_) | Head::Frame(_) => return None,
            }
        }
        Some(())
    }

    /// The same for an expression from a place in it on; whether nothing may be left of it.
    fn add_rest(&mut self, expr: ExprId, at: u32) -> Option<bool> {
        let program = &self.store.program;
        match program.arena.get(expr) {
            Expr::Concat(list) => {
                for &part in program.arena.list(list).get(at as usize..)?.iter().rev() {
                    self.add(part)?;
                    if !program.is_nullable(part) {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Expr::Repeat { expr: body, min, .. } => {
                self.add(body)?;
                Some(at >= min || program.is_nullable(body))
            }
            _ => {
                self.add(expr)?;
                Some(program.is_nullable(expr))
            }
        }
    }

    /// The same for whole expressions.
    fn add(&mut self, expr: ExprId) -> Option<()> {
        let program = &self.store.program;
        let mut todo: SmallVec<[ExprId; 16]> = SmallVec::from_slice(&[expr]);
        while let Some(expr) = todo.pop() {
            *self.looked += 1;
            if *self.looked > MATCHED_EXPRS {
                return None;
            }
            match program.arena.get(expr) {
                Expr::Never | Expr::Empty => {}
                Expr::Bytes(set) => self.bytes = self.bytes.union(program.arena.byte_set(set)),
                Expr::Chars(set) => self.bytes = self.bytes.union(&program.arena.char_set(set).ascii()),
                Expr::Literal(literal) => {
                    self.bytes.insert(*program.arena.literal_bytes(literal).last()?);
                }
                Expr::Alt(list) => todo.extend_from_slice(program.arena.list(list)),
                Expr::Repeat { expr, .. } => todo.push(expr),
                Expr::Concat(list) => {
                    for &part in program.arena.list(list).iter().rev() {
                        todo.push(part);
                        if !program.is_nullable(part) {
                            break;
                        }
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }
}
