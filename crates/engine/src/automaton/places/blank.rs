//! States that stand before white space and then something else: the two are taken apart.
//!
//! White space is the same everywhere, and what tokens do with it is known; only what follows it is new.

use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::Expr;

use super::super::objects::cell::Head;
use super::super::objects::ids::{CellId, StateId};
use super::super::store::Store;
use crate::tuning::seen::{BLANK_DEPTH, BLANK_SIGN};

/// A state that is white space, perhaps behind a sign, and then another.
#[derive(Clone, Copy)]
pub(crate) struct BlankFirst {
    /// The white space alone, at the end of which its frame ends.
    pub(crate) blank: StateId,
    pub(crate) then: StateId,
}

impl Store {
    /// Takes a state apart that begins with white space in all of its cells, or with a sign and white space.
    pub(crate) fn blank_first(&self, id: StateId) -> Option<BlankFirst> {
        if self.is_shared(id.0) || !self.has_base() {
            return None;
        }
        let mut cells: SmallVec<[CellId; 4]> = SmallVec::from_slice(&self.state(id).kernel);
        let mut heads: SmallVec<[Head; 4]> = SmallVec::new();
        let mut blanks = 0;
        let mut build = None;
        while let Some(head) = self.common_head(&cells) {
            if self.is_blank_head(head) {
                blanks += 1;
            } else if !heads.is_empty() || !self.is_sign(cells[0]) {
                break;
            }
            heads.push(head);
            let build = build.get_or_insert_with(|| self.build());
            cells.iter_mut().for_each(|cell| *cell = build.unfold(self.cell(*cell).tail));
        }
        if blanks == 0 || cells.contains(&CellId::NIL) {
            return None;
        }
        let mut build = build?;
        let blank = heads.into_iter().rev().fold(CellId::NIL, |tail, head| build.cell(head, tail));
        let blank = build.state(&[blank]);
        let is_known = self.library.is_none() || self.is_shared(blank.0);
        is_known.then(|| BlankFirst { blank, then: build.state(&cells) })
    }

    /// What all of some cells begin with, if that is the same.
    fn common_head(&self, cells: &[CellId]) -> Option<Head> {
        let (&first, others) = cells.split_first()?;
        let head = Some(first).filter(|&first| first != CellId::NIL).map(|first| self.cell(first).head)?;
        others.iter().all(|&cell| cell != CellId::NIL && self.cell(cell).head == head).then_some(head)
    }

    fn is_sign(&self, cell: CellId) -> bool {
        self.literal_at(cell).is_some_and(|(literal, _)| literal.len() <= BLANK_SIGN)
    }

    fn is_blank_head(&self, head: Head) -> bool {
        let Head::Expr(expr, _) = head else { return false };
        matches!(self.program.arena.get(expr), Expr::Repeat { .. }) && self.is_blank(expr, 0)
    }

    /// Whether all texts of an expression are seen to be white space.
    pub(crate) fn is_white_space(&self, expr: ExprId) -> bool {
        self.is_blank(expr, 0)
    }

    fn is_blank(&self, expr: ExprId, depth: u32) -> bool {
        let arena = &self.program.arena;
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match arena.get(expr) {
            Expr::Chars(set) => {
                let set = arena.char_set(set);
                set.is_ascii() && set.ascii().iter().all(|byte| is_blank(&byte))
            }
            Expr::Literal(literal) => arena.literal_bytes(literal).iter().all(is_blank),
            Expr::Repeat { expr, .. } => depth < BLANK_DEPTH && self.is_blank(expr, depth + 1),
            Expr::Alt(list) | Expr::Concat(list) => {
                depth < BLANK_DEPTH && arena.list(list).iter().all(|&part| self.is_blank(part, depth + 1))
            }
            _ => false,
        }
    }
}
