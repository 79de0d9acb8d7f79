//! What tokens do along literals.
//!
//! Words that may be given once each, such as the items of an array of an enumeration that must differ, are another set of
//! literals after every one of them: hundreds of literals, of which all but one were followed down the trie before. So
//! where there are many, what came of each is remembered.

use std::ops::Range;
use std::sync::PoisonError;

use smallvec::SmallVec;

use super::super::memory::{LiteralWay, LiteralWays};
use super::super::walk::Walk;
use crate::ablate::{Switch, is_off};
use crate::automaton::{CellId, NodeId, Rest, StateId};
use crate::tokens::trie::{Ids, ROOT};
use crate::vocab::TokenId;
use crate::work::Exceeded;

/// Fewer literals than this are followed as fast as they are looked up.
const MANY: usize = 16;

/// What came of several literals, being put together.
#[derive(Default)]
struct Taken {
    /// Where the tokens of the last one are: those in a row often begin alike, and so do the lists of their tokens.
    last: Range<usize>,
    ends: SmallVec<[(u32, CellId); 8]>,
}

impl Taken {
    fn take(&mut self, known: &LiteralWays, way: LiteralWay, ids: &mut Ids) {
        let here = way.at as usize..(way.at + way.len) as usize;
        let (before, tokens) = (&known.tokens[self.last.clone()], &known.tokens[here.clone()]);
        let alike = before.iter().zip(tokens).take_while(|(a, b)| a == b).count();
        // Mostly one or two, for which copying a slice is slow.
        tokens[alike..].iter().for_each(|&token| ids.push(token));
        self.last = here;
        self.ends.extend(way.end.map(|end| (end, way.tail)));
    }
}

impl Walk<'_> {
    /// Takes what tokens do from their start along the literals of a wide state; its other cells.
    pub(super) fn along_literals(&mut self, state: StateId) -> Result<Rest, Exceeded> {
        let kernel = &self.store.state(state).kernel;
        if kernel.len() < MANY || is_off(Switch::LiteralMemo) {
            let (literals, rest) = self.store.literals_of(state);
            self.literals(ROOT, NodeId::BOTTOM, &literals)?;
            return Ok(rest);
        }
        self.work.spend(2 * kernel.len())?;
        let memo = &self.memory.literals.0;
        let (mut taken, mut rest) = (Taken::default(), Rest::new());
        {
            let known = memo.read().unwrap_or_else(PoisonError::into_inner);
            for cell in kernel {
                match known.ways.get(cell) {
                    Some(&way) => taken.take(&known, way, &mut self.ids),
                    None => rest.push(*cell),
                }
            }
        }
        if rest.iter().any(|&cell| self.store.literal_at(cell).is_some()) {
            let mut known = memo.write().unwrap_or_else(PoisonError::into_inner);
            let before = known.tokens.len();
            rest.retain(|cell| {
                let Some(literal) = self.store.literal_at(*cell) else { return true };
                let way = known.follow(self.trie, literal);
                known.ways.insert(*cell, way);
                taken.take(&known, way, &mut self.ids);
                self.store.add_bytes(size_of::<(CellId, LiteralWay)>() + 8);
                false
            });
            self.store.add_bytes((known.tokens.len() - before) * size_of::<TokenId>());
        }
        let mut ends = taken.ends.into_iter();
        ends.try_for_each(|(end, tail)| self.behind_literal(end, NodeId::BOTTOM, tail))?;
        Ok(rest)
    }
}
