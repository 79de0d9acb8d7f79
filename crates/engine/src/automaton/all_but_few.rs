//! Texts of an expression but for a few, which can be told one by one.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, Expr};

use super::store::{Cell, CellId, Head, StateId, Store};

/// How many bytes all exceptions may have together.
const BYTES: usize = 1 << 16;
/// How many characters of a class may be told apart.
const CHARS: usize = 8;

/// What a state is: texts of `whole` but for the `few`, then `tail`.
pub(crate) struct AllButFew {
    pub(crate) whole: StateId,
    pub(crate) tail: StateId,
    pub(crate) few: Vec<Vec<u8>>,
}

impl Store {
    /// A state as texts of one expression but for a few, if that is what it is.
    pub(crate) fn all_but_few(&self, state: StateId) -> Option<AllButFew> {
        let [cell] = self.state(state).kernel[..] else { return None };
        let Cell { head, tail, .. } = self.cell(cell);
        let formula = match head {
            Head::Bool(formula) => formula,
            Head::Expr(expr, at) if let Some(exceptions) = self.program.exceptions(expr) => {
                return self.except_few(exceptions, at, tail);
            }
            Head::Expr(expr, _) if matches!(self.program.arena.get(expr), Expr::And(_)) => {
                self.build().formula_of(expr)
            }
            _ => return None,
        };
        let (whole, excepted) = self.leaf_without(formula)?;
        let mut few = Vec::new();
        for state in excepted {
            for &cell in self.state(state).kernel.iter() {
                few.extend(self.texts_of(cell)?);
            }
        }
        let whole = self.build().state(whole);
        Some(AllButFew { whole, tail: self.build().state(&[tail]), few })
    }

    /// All texts of a cell, if they are few.
    fn texts_of(&self, cell: CellId) -> Option<Vec<Vec<u8>>> {
        let mut texts = vec![Vec::new()];
        let mut at = cell;
        while at != CellId::NIL {
            let Cell { head, tail, .. } = self.cell(at);
            let Head::Expr(expr, done) = head else { return None };
            texts = append(&self.program.arena, &texts, expr, done as usize, 0)?;
            at = tail;
        }
        Some(texts)
    }
}

/// All texts of an expression, if they are few.
pub(super) fn texts_of_expr(arena: &Arena, expr: ExprId) -> Option<Vec<Vec<u8>>> {
    append(arena, &[Vec::new()], expr, 0, 0)
}

/// The texts, each with every text of an expression behind it.
fn append(arena: &Arena, texts: &[Vec<u8>], expr: ExprId, done: usize, depth: usize) -> Option<Vec<Vec<u8>>> {
    if depth > 64 {
        return None;
    }
    let with = |text: &Vec<u8>, more: &[u8]| [&text[..], more].concat();
    let found: Vec<Vec<u8>> = match arena.get(expr) {
        Expr::Never => Vec::new(),
        Expr::Empty => texts.to_vec(),
        Expr::Literal(literal) => {
            let bytes = arena.literal_bytes(literal).get(done..)?;
            texts.iter().map(|text| with(text, bytes)).collect()
        }
        Expr::Chars(set) => {
            let set = arena.char_set(set);
            if set.len() > CHARS {
                return None;
            }
            let codes = set.ranges().iter().flat_map(|&(low, high)| low..=high);
            let chars: Vec<char> = codes.filter_map(char::from_u32).collect();
            let spelled = |c: &char| c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
            texts.iter().flat_map(|text| chars.iter().map(|c| with(text, &spelled(c)))).collect()
        }
        Expr::Concat(list) => {
            let mut texts = texts.to_vec();
            for &part in arena.list(list).get(done..)? {
                texts = append(arena, &texts, part, 0, depth + 1)?;
            }
            texts
        }
        Expr::Alt(list) => {
            let mut found = Vec::new();
            for &part in arena.list(list) {
                found.extend(append(arena, texts, part, 0, depth + 1)?);
            }
            found
        }
        Expr::Repeat { expr: one, min, max: Some(max) } if max <= 64 => {
            let (mut rounds, mut found) = (texts.to_vec(), Vec::new());
            for round in done..=max as usize {
                if round >= min as usize {
                    found.extend_from_slice(&rounds);
                }
                if round < max as usize {
                    rounds = append(arena, &rounds, one, 0, depth + 1)?;
                }
            }
            found
        }
        _ => return None,
    };
    (found.iter().map(|text| text.len() + 24).sum::<usize>() <= BYTES).then_some(found)
}
