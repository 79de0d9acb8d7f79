//! Tokens of one and the same byte: rules of dashes, of dots, of blanks.
//!
//! *Recognized* is a node in the middle of such tokens, in a place that does nothing with that byte but count it. *Exact*, since
//! the places on the way then differ in nothing but how often loops have run. The *answer* is the tokens as far as the counts
//! go, without finding out about those places, which are the longest ways in a vocabulary. The *limit*: less than [`STRIPE`]
//! of a byte are walked.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::walk::Walk;
use super::shape::{Place, PlaceShape};
use crate::ablate::Switch;
use crate::automaton::{LocalId, Rounds};
use crate::tuning::shapes::STRIPE;
use crate::work::Exceeded;

/// A byte that is counted, and how often.
pub(super) struct Stripe {
    byte: u8,
    rounds: Rounds,
}

impl<'a> PlaceShape<'a> for Stripe {
    const WAY: Switch = Switch::RepeatedBytes;

    #[inline]
    fn may_be(walk: &mut Walk<'a>, at: Place<'a>) -> bool {
        walk.counts && walk.trie.below[at.node as usize].chars >= STRIPE
    }

    fn recognize(
        walk: &mut Walk<'a>,
        Place { node, local, .. }: Place<'a>,
    ) -> Result<Option<Self>, Exceeded> {
        walk.find_stripe(node, local)
    }

    fn answer(self, walk: &mut Walk<'a>, at: Place<'a>) -> Result<bool, Exceeded> {
        walk.along_stripe(self, at).map(|()| true)
    }
}

impl Walk<'_> {
    fn find_stripe(&mut self, node: u32, local: LocalId) -> Result<Option<Stripe>, Exceeded> {
        let byte = self.trie.byte[node as usize];
        let mut below = std::iter::successors(Some(node), |&node| self.trie.child(node, byte));
        let is_one = self.store.counts(local) && below.nth(STRIPE as usize).is_some() && byte < 0x80;
        if !is_one || !self.goes_on(local) {
            return Ok(None);
        }
        let expansion = self.store.split_expansion(local);
        let Some(class) = expansion.class_of(byte) else { return Ok(None) };
        let next = self.step(expansion, class)?;
        let rounds = self.store.rounds(local, next, &ByteSet::single(byte));
        let rounds = rounds.filter(|rounds| rounds.most >= STRIPE);
        Ok(rounds.map(|rounds| Stripe { byte, rounds }))
    }

    /// Goes on below a node in the middle of such tokens.
    fn along_stripe(
        &mut self,
        Stripe { byte, rounds }: Stripe,
        Place { node, local, .. }: Place<'_>,
    ) -> Result<(), Exceeded> {
        let alive = self.store.split_expansion(local).alive;
        let below = std::iter::successors(Some(node), |&node| self.trie.child(node, byte));
        let others = alive.minus(&ByteSet::single(byte));
        // The place itself, the next one, and so many behind it.
        let most = rounds.most + 1;
        let nodes: SmallVec<[u32; 64]> = below.take(most as usize + 1).collect();
        self.work.spend(nodes.len())?;
        for (done, &node) in (0..).zip(&nodes) {
            if done > 0 {
                self.trie.add_own(node, &mut self.ids);
            }
            if done == most {
                self.visit(node, self.store.after_rounds(&rounds, done - 1))?;
                break;
            }
            for child in
                self.trie.children(node).filter(|&child| others.contains(self.trie.byte[child as usize]))
            {
                let from = if done == 0 { local } else { self.store.after_rounds(&rounds, done - 1) };
                if let Some(next) = self.by_byte(from, self.trie.byte[child as usize])? {
                    self.arrive(child, next)?;
                }
            }
        }
        Ok(())
    }
}
