//! Words: what tokens do along literals.
//!
//! *Recognized* is a place in a literal, and one in which literals are open beside other things. *Exact*, since a literal is one
//! way down the trie, and what a place allows is what each of its cells does. The *answer* is the tokens on that way, and those
//! of what follows it; the rest of the place is visited without the literals. The *limit*: where there are [`LITERALS`], what came of each
//! is remembered: words that may be given once each, such as the items of an array of an enumeration that must
//! differ, are nearly the same set of literals after every one of them.

use std::ops::Range;
use std::sync::PoisonError;

use smallvec::SmallVec;

use super::super::memory::{LiteralWay, LiteralWays};
use super::super::walk::Walk;
use super::shape::{Ask, Place, PlaceShape, StateShape};
use crate::ablate::{Switch, is_off};
use crate::automaton::{CellId, Literals, NodeId, Rest, StateId};
use crate::tokens::pending::Walked;
use crate::tokens::trie::{Descent, Ids, ROOT};
use crate::tuning::shapes::LITERALS;
use crate::vocab::TokenId;
use crate::work::{Exceeded, Work};

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

/// A place in a literal, with what is left of it and what follows.
pub(super) struct InLiteral<'a>(&'a [u8], CellId);

impl<'a> PlaceShape<'a> for InLiteral<'a> {
    const WAY: Switch = Switch::LiteralDescent;

    #[inline]
    fn may_be(_: &mut Walk<'a>, at: Place<'a>) -> bool {
        at.here.in_literal
    }

    fn recognize(walk: &mut Walk<'a>, at: Place<'a>) -> Result<Option<Self>, Exceeded> {
        Ok(walk.store.local_literal(at.local).map(|(literal, tail)| InLiteral(literal, tail)))
    }

    /// Follows it down the trie. The places inside it need no states of their own.
    fn answer(self, walk: &mut Walk<'a>, Place { node, local, here }: Place<'a>) -> Result<bool, Exceeded> {
        let InLiteral(literal, tail) = self;
        walk.work.spend(literal.len().min(walk.trie.longest))?;
        let Some(node) = walk.along(node, literal)? else { return Ok(true) };
        match walk.store.behind_key(tail) {
            Some(behind) if here.heads[0].1 == NodeId::BOTTOM && !is_off(Switch::KeyTails) => {
                walk.behind_key(node, behind)?;
            }
            _ => walk.visit(node, walk.store.after_literal(local))?,
        }
        Ok(true)
    }
}

/// A place in which literals are open, all on one stack, and the rest of it.
pub(super) struct BesideLiterals<'a> {
    stack: NodeId,
    literals: Literals<'a>,
    rest: Rest,
}

impl<'a> PlaceShape<'a> for BesideLiterals<'a> {
    const WAY: Switch = Switch::LiteralsApart;

    #[inline]
    fn may_be(_: &mut Walk<'a>, at: Place<'a>) -> bool {
        at.here.has_literals
    }

    fn recognize(walk: &mut Walk<'a>, at: Place<'a>) -> Result<Option<Self>, Exceeded> {
        let (state, stack) = at.here.heads[0];
        let (literals, rest) = walk.store.literals_of(state);
        Ok(Some(BesideLiterals { stack, literals, rest }))
    }

    fn answer(self, walk: &mut Walk<'a>, Place { node, local, .. }: Place<'a>) -> Result<bool, Exceeded> {
        // What is come to by one of them may be come to by others, once they follow each other.
        walk.visited.get_or_insert_default();
        walk.literals(node, self.stack, &self.literals)?;
        if let Some(rest) = walk.store.local_beside_literals(local, &self.rest) {
            walk.visit(node, rest)?;
        }
        Ok(true)
    }
}

/// A state in which literals are open.
pub(super) struct OfLiterals;

impl<'a> StateShape<'a> for OfLiterals {
    const WAY: Switch = Switch::LiteralsApart;

    fn recognize(ask: &Ask<'a>, _: &mut Work) -> Option<Self> {
        (ask.is_start() && ask.store.has_literals(ask.state)).then_some(OfLiterals)
    }

    /// The tokens of the literals, and those of the rest, which is met elsewhere too.
    fn answer(self, ask: &Ask<'a>, work: &mut Work) -> Result<Option<Walked>, Exceeded> {
        let mut walk = ask.walk(work);
        let rest = walk.along_literals(ask.state)?;
        walk.run()?;
        let Some(rest) = ask.store.beside_literals(&rest) else { return Ok(Some(walk.finish(None))) };
        let known = ask.of(rest, walk.work)?;
        known.accept.add_to(&mut walk.masks, &mut walk.ids);
        let mut walked = walk.finish(None);
        for &pending in &known.pending {
            if !walked.pending.contains(&pending) {
                walked.pending.push(pending);
            }
        }
        Ok(Some(walked))
    }
}

impl Walk<'_> {
    /// Takes what tokens do from their start along the literals of a state; its other cells.
    fn along_literals(&mut self, state: StateId) -> Result<Rest, Exceeded> {
        let kernel = &self.store.state(state).kernel;
        if kernel.len() < LITERALS || is_off(Switch::LiteralMemo) {
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

    /// The same for many of them.
    fn literals(&mut self, node: u32, stack: NodeId, literals: &Literals<'_>) -> Result<(), Exceeded> {
        let mut descent = Descent::from(node);
        for &(literal, tail) in literals {
            self.work.spend(2)?;
            let end = descent.to(self.trie, literal, |node| self.trie.add_own(node, &mut self.ids));
            if let Some(end) = end.filter(|&end| self.trie.nodes[end as usize].children > 0) {
                self.behind_literal(end, stack, tail)?;
            }
        }
        Ok(())
    }

    /// Goes on below a node with what follows a literal.
    pub(super) fn behind_literal(&mut self, node: u32, stack: NodeId, tail: CellId) -> Result<(), Exceeded> {
        match self.store.behind_key(tail) {
            Some(behind) if stack == NodeId::BOTTOM && !is_off(Switch::KeyTails) => {
                self.behind_key(node, behind)
            }
            _ => self.visit(node, self.store.local_at(stack, tail)),
        }
    }
}
