//! Numbers: exact decimals, sets of them, and the texts of their members.

mod any;
mod canonical;
mod decimal;
mod exponents;
mod lattice;
mod natural;
mod order;
mod plain;
mod plain_machine;
mod scientific;
mod set;
mod side;
#[cfg(test)]
mod tests;

use tokenstile_grammar::ir::Arena;
use tokenstile_grammar::{Error, ExprId, Limits};

pub(crate) use decimal::Decimal;
pub(crate) use set::NumberSet;

use super::options::Spelling;

impl NumberSet {
    /// The texts of the JSON numbers whose value is in the set: those that a writer would write, or all.
    pub(crate) fn expr(
        &self,
        spelling: Spelling,
        arena: &mut Arena,
        limits: &Limits,
    ) -> Result<ExprId, Error> {
        let expr = match spelling {
            Spelling::Canonical => canonical::canonical(self, true, arena)?,
            Spelling::Any => any::any(self, arena)?,
        };
        if arena.overflowed() { Err(Error::limit("exprs", limits.exprs)) } else { Ok(expr) }
    }

    /// The texts of the integers in the set that have neither fraction nor exponent.
    pub(crate) fn plain_integers(&self, arena: &mut Arena) -> Result<ExprId, Error> {
        canonical::canonical(&self.intersect(&NumberSet::integers())?, false, arena)
    }

    /// Whether it holds a number below zero.
    fn has_negative(&self) -> bool {
        let below = self.points.partition_point(|(point, _)| point.is_negative());
        // A piece with multiples that holds none below zero would have been cut off there.
        self.points[..below].iter().any(|(_, holds)| *holds)
            || self.pieces[..=below].iter().any(|p| !p.is_none())
    }

    /// The same numbers with the other sign.
    fn mirrored(&self) -> NumberSet {
        let points = self.points.iter().rev().map(|(point, holds)| (point.negated(), *holds)).collect();
        NumberSet { points, pieces: self.pieces.iter().rev().cloned().collect() }
    }

    /// Whether its formulas show that it holds integers only.
    fn only_integers(&self) -> bool {
        self.points.iter().all(|(point, holds)| !holds || point.is_integer())
            && self.pieces.iter().all(|piece| !piece.is_dense() && piece.steps().all(Decimal::is_integer))
    }
}
