//! States that stand before white space and then something else: the two are taken apart.
//!
//! White space is the same everywhere, and what tokens do with it is known; only what follows it is new.

use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::Expr;

use super::super::objects::cell::Head;
use super::super::objects::ids::{CellId, StateId};
use super::super::store::Store;
use crate::tuning::seen::{SPACE_DEPTH, SPACE_SIGN};

/// A state that is white space, perhaps behind a sign, and then another.
#[derive(Clone, Copy)]
pub(crate) struct WhiteSpaceFirst {
    /// The white space alone, at the end of which its frame ends.
    pub(crate) space: StateId,
    pub(crate) then: StateId,
}

impl Store {
    /// Takes a state apart that begins with white space in all of its cells, or with a sign and white space.
    pub(crate) fn white_space_first(&self, id: StateId) -> Option<WhiteSpaceFirst> {
        if self.is_shared(id.0) || !self.has_base() {
            return None;
        }
        let mut cells: SmallVec<[CellId; 4]> = SmallVec::from_slice(&self.state(id).kernel);
        let mut heads: SmallVec<[Head; 4]> = SmallVec::new();
        let mut spaces = 0;
        let mut build = None;
        while let Some(head) = self.common_head(&cells) {
            if self.is_repeated_space(head) {
                spaces += 1;
            } else if !heads.is_empty() || !self.is_sign(cells[0]) {
                break;
            }
            heads.push(head);
            let build = build.get_or_insert_with(|| self.build());
            cells.iter_mut().for_each(|cell| *cell = build.unfold(self.cell(*cell).tail));
        }
        if spaces == 0 || cells.contains(&CellId::NIL) {
            return None;
        }
        let mut build = build?;
        let space = heads.into_iter().rev().fold(CellId::NIL, |tail, head| build.cell(head, tail));
        let space = build.state(&[space]);
        let is_known = self.library.is_none() || self.is_shared(space.0);
        is_known.then(|| WhiteSpaceFirst { space, then: build.state(&cells) })
    }

    /// What all of some cells begin with, if that is the same.
    fn common_head(&self, cells: &[CellId]) -> Option<Head> {
        let (&first, others) = cells.split_first()?;
        let head = Some(first).filter(|&first| first != CellId::NIL).map(|first| self.cell(first).head)?;
        others.iter().all(|&cell| cell != CellId::NIL && self.cell(cell).head == head).then_some(head)
    }

    fn is_sign(&self, cell: CellId) -> bool {
        self.literal_at(cell).is_some_and(|(literal, _)| literal.len() <= SPACE_SIGN)
    }

    fn is_repeated_space(&self, head: Head) -> bool {
        let Head::Expr(expr, _) = head else { return false };
        matches!(self.program.arena.get(expr), Expr::Repeat { .. }) && self.is_space_within(expr, 0)
    }

    /// Whether all texts of an expression are seen to be white space.
    pub(crate) fn is_white_space(&self, expr: ExprId) -> bool {
        self.is_space_within(expr, 0)
    }

    fn is_space_within(&self, expr: ExprId, depth: u32) -> bool {
        let arena = &self.program.arena;
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match arena.get(expr) {
            Expr::Chars(set) => {
                let set = arena.char_set(set);
                set.is_ascii() && set.ascii().iter().all(|byte| is_space(&byte))
            }
            Expr::Literal(literal) => arena.literal_bytes(literal).iter().all(is_space),
            Expr::Repeat { expr, .. } => depth < SPACE_DEPTH && self.is_space_within(expr, depth + 1),
            Expr::Alt(list) | Expr::Concat(list) => {
                depth < SPACE_DEPTH
                    && arena.list(list).iter().all(|&part| self.is_space_within(part, depth + 1))
            }
            _ => false,
        }
    }
}
