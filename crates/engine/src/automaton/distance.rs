//! How far a place is from its end, at least: what the search for a completion goes by. And whether JSON has to escape
//! anything on the way.

use std::sync::Arc;

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, ByteSet, Expr};

use super::store::{CellId, Head, Store};
use crate::per_base::PerBase;
use crate::profile::ESCAPED;

/// What is known of the texts of an expression, of the shortest ones in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shortest {
    /// The shortest text has no fewer.
    pub(super) least: u32,
    /// The shortest text has no more.
    pub(super) most: u32,
    /// Wherever one is within the expression, no more than so many lead to its end.
    pub(super) within: u32,
    /// All texts are made of characters that JSON writes as they are.
    pub(super) plain: bool,
}

impl Shortest {
    const EMPTY: Shortest = Shortest::exactly(0, true);

    const fn exactly(bytes: u32, plain: bool) -> Self {
        Shortest { least: bytes, most: bytes, within: bytes, plain }
    }

    /// Nothing is known but that it takes `least` bytes.
    fn unknown(least: u32) -> Self {
        Shortest { least, most: u32::MAX, within: u32::MAX, plain: false }
    }

    fn then(self, next: Shortest) -> Self {
        Shortest {
            least: self.least.saturating_add(next.least),
            most: self.most.saturating_add(next.most),
            within: self.within.saturating_add(next.most).max(next.within),
            plain: self.plain && next.plain,
        }
    }

    fn or(self, other: Shortest) -> Self {
        Shortest {
            least: self.least.min(other.least),
            most: self.most.min(other.most),
            within: self.within.max(other.within),
            plain: self.plain && other.plain,
        }
    }

    /// `rounds` more of it, or none, at least.
    fn times(self, rounds: u32) -> Self {
        Shortest {
            least: self.least.saturating_mul(rounds),
            most: self.most.saturating_mul(rounds),
            within: self.within.saturating_add(self.most.saturating_mul(rounds.saturating_sub(1))),
            plain: self.plain,
        }
    }
}

/// What is known of each expression of an arena.
pub(super) struct ShortestTexts {
    /// Of those of the base, if the arena begins with it: they are the same for all.
    base: Arc<[Shortest]>,
    own: Vec<Shortest>,
}

impl ShortestTexts {
    pub(super) fn new(arena: &Arena) -> Self {
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

    fn of(&self, id: ExprId) -> Shortest {
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
            Expr::Bytes(set) => {
                let set = arena.byte_set(set);
                Shortest::exactly(1, is_plain(set) && !set.intersects(&ByteSet::PAST_ASCII))
            }
            Expr::Chars(set) => {
                Shortest { least: 1, most: 4, within: 4, plain: is_plain(&arena.char_set(set).ascii()) }
            }
            Expr::Literal(literal) => {
                let bytes = arena.literal_bytes(literal);
                let plain = bytes.iter().all(|&byte| byte >= 0x80 || ESCAPED >> byte & 1 == 0);
                Shortest::exactly(bytes.len() as u32, plain)
            }
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

impl Store {
    /// What is known of the shortest texts of a cell.
    pub(super) fn distance(&self, cell: CellId) -> Shortest {
        let (mut at, mut sum) = (cell, Shortest::EMPTY);
        while at != CellId::NIL {
            let cell = self.cell(at);
            sum = sum.then(self.head_distance(cell.head));
            at = cell.tail;
        }
        sum
    }

    /// The same of what it begins with.
    pub(super) fn head_distance(&self, head: Head) -> Shortest {
        let known = self.program.shortest_texts();
        let arena = &self.program.arena;
        match head {
            Head::Utf8(..) => Shortest { least: 1, most: 3, within: 3, plain: true },
            Head::Expr(expr, done) => match arena.get(expr) {
                Expr::Concat(list) => {
                    let rest = arena.list(list).get(done as usize..).unwrap_or_default();
                    rest.iter().map(|&p| known.of(p)).reduce(Shortest::then).unwrap_or(Shortest::EMPTY)
                }
                Expr::Literal(_) => {
                    let Shortest { least, plain, .. } = known.of(expr);
                    Shortest::exactly(least.saturating_sub(done), plain)
                }
                Expr::Repeat { expr: body, min, .. } => known.of(body).times(min.saturating_sub(done)),
                _ => known.of(expr),
            },
            Head::Bool(_) | Head::End(_) | Head::Frame(_) => Shortest::unknown(0),
        }
    }
}

/// Whether JSON escapes none of the ASCII characters in a set.
fn is_plain(set: &ByteSet) -> bool {
    set.ascii_bits() & ESCAPED == 0
}
