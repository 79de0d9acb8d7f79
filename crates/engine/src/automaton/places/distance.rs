//! How far a place is from its end, at least: what the search for a completion goes by.

use tokenstile_grammar::ir::Expr;

use super::super::exprs::Shortest;
use super::super::objects::cell::Head;
use super::super::objects::ids::CellId;
use super::super::store::Store;

impl Store {
    /// What is known of the shortest texts of a cell.
    pub(in crate::automaton) fn distance(&self, cell: CellId) -> Shortest {
        let (mut at, mut sum) = (cell, Shortest::EMPTY);
        while at != CellId::NIL {
            let cell = self.cell(at);
            sum = sum.then(self.head_distance(cell.head));
            at = cell.tail;
        }
        sum
    }

    /// The same of what it begins with.
    pub(in crate::automaton) fn head_distance(&self, head: Head) -> Shortest {
        let known = self.program.shortest_texts();
        let arena = &self.program.arena;
        match head {
            Head::Utf8(..) => Shortest { least: 1, most: 3, within: 3 },
            Head::Expr(expr, done) => match arena.get(expr) {
                Expr::Concat(list) => {
                    let rest = arena.list(list).get(done as usize..).unwrap_or_default();
                    rest.iter().map(|&p| known.of(p)).reduce(Shortest::then).unwrap_or(Shortest::EMPTY)
                }
                Expr::Literal(_) => Shortest::exactly(known.of(expr).least.saturating_sub(done)),
                Expr::Repeat { expr: body, min, .. } => known.of(body).times(min.saturating_sub(done)),
                _ => known.of(expr),
            },
            Head::Last => Shortest::EMPTY,
            Head::Bool(_) | Head::End(_) | Head::Frame(_) => Shortest::unknown(0),
        }
    }
}
