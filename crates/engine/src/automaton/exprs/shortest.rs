//! What is known of the texts of an expression: how long the shortest ones are.

use std::sync::Arc;

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, Expr};

use crate::collections::PerBase;

/// What is known of the texts of an expression, of the shortest ones in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shortest {
    /// The shortest text has no fewer.
    pub(crate) least: u32,
    /// The shortest text has no more.
    pub(crate) most: u32,
    /// Wherever one is within the expression, no more than so many lead to its end.
    pub(crate) within: u32,
}

impl Shortest {
    pub(crate) const EMPTY: Shortest = Shortest::exactly(0);

    pub(crate) const fn exactly(bytes: u32) -> Self {
        Shortest { least: bytes, most: bytes, within: bytes }
    }

    /// Nothing is known but that it takes `least` bytes.
    pub(crate) fn unknown(least: u32) -> Self {
        Shortest { least, most: u32::MAX, within: u32::MAX }
    }

    pub(crate) fn then(self, next: Shortest) -> Self {
        Shortest {
            least: self.least.saturating_add(next.least),
            most: self.most.saturating_add(next.most),
            within: self.within.saturating_add(next.most).max(next.within),
        }
    }

    fn or(self, other: Shortest) -> Self {
        Shortest {
            least: self.least.min(other.least),
            most: self.most.min(other.most),
            within: self.within.max(other.within),
        }
    }

    /// `rounds` more of it, or none, at least.
    pub(crate) fn times(self, rounds: u32) -> Self {
        Shortest {
            least: self.least.saturating_mul(rounds),
            most: self.most.saturating_mul(rounds),
            within: self.within.saturating_add(self.most.saturating_mul(rounds.saturating_sub(1))),
        }
    }
}

/// What is known of each expression of an arena.
pub(crate) struct ShortestTexts {
    /// Of those of the base, if the arena begins with it: they are the same for all.
    base: Arc<[Shortest]>,
    own: Vec<Shortest>,
}

impl ShortestTexts {
    pub(crate) fn new(arena: &Arena) -> Self {
        static KNOWN: PerBase<[Shortest]> = PerBase::new();
        let of_base = arena.base().map(|base| {
            let find = || ShortestTexts::behind(Arc::default(), base.arena()).own.into();
            KNOWN.get_or(base.id(), |_| true, || Some(find()))
        });
        ShortestTexts::behind(of_base.flatten().unwrap_or_default(), arena)
    }

    /// Those of an arena of which the first are known.
    fn behind(base: Arc<[Shortest]>, arena: &Arena) -> Self {
        let start = base.len();
        let mut known = ShortestTexts { base, own: Vec::with_capacity(arena.len() - start) };
        // What an expression is made of stands before it in the arena.
        for id in (start..arena.len()).filter_map(ExprId::new) {
            let found = known.find(arena, id);
            known.own.push(found);
        }
        known
    }

    pub(crate) fn of(&self, id: ExprId) -> Shortest {
        let known = match id.index().checked_sub(self.base.len()) {
            Some(at) => self.own.get(at),
            None => self.base.get(id.index()),
        };
        known.copied().unwrap_or(Shortest::unknown(0))
    }

    fn find(&self, arena: &Arena, id: ExprId) -> Shortest {
        let of = |id: ExprId| self.of(id);
        match arena.get(id) {
            Expr::Empty => Shortest::EMPTY,
            Expr::Bytes(_) | Expr::Tokens(_) => Shortest::exactly(1),
            Expr::Chars(_) => Shortest { least: 1, most: 4, within: 4 },
            Expr::Literal(literal) => Shortest::exactly(arena.literal_bytes(literal).len() as u32),
            Expr::Concat(list) => {
                arena.list(list).iter().map(|&p| of(p)).reduce(Shortest::then).unwrap_or(Shortest::EMPTY)
            }
            Expr::Alt(list) => {
                arena.list(list).iter().map(|&p| of(p)).reduce(Shortest::or).unwrap_or(Shortest::EMPTY)
            }
            Expr::And(list) => {
                Shortest::unknown(arena.list(list).iter().map(|&p| of(p).least).max().unwrap_or(0))
            }
            Expr::Repeat { expr, min, .. } => of(expr).times(min),
            Expr::Region(inner) => Shortest::unknown(of(inner).least),
            Expr::Never | Expr::Rule(_) | Expr::Not(_) | Expr::Look { .. } => Shortest::unknown(0),
            Expr::Members(_) | Expr::Machine(_) => Shortest::unknown(0),
        }
    }
}
