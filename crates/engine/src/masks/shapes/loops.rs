//! Subtrees of the trie whose characters all stay where they are.
//!
//! *Recognized* is a node below which there are no other characters than those of the loop that a place is, or than those
//! that lead from a place back to it. *Exact*, since each prefix of each token below then ends in that place, or in the same
//! one with fewer rounds left, of which there are enough. The *answer* is the slice of the trie's tokens. The *limits*: a place
//! that is no loop is looked at once it was visited [`VISITS`] times in a row, and with ASCII alone.

use tokenstile_grammar::ir::ByteSet;

use super::super::walk::{Staying, Walk};
use super::shape::{Place, PlaceShape};
use crate::ablate::Switch;
use crate::automaton::Loop;
use crate::tokens::class::CharClass;
use crate::tuning::shapes::VISITS;
use crate::work::Exceeded;

/// A loop, of which nothing below a node leads out.
pub(super) struct LoopSubtree(CharClass);

impl<'a> PlaceShape<'a> for LoopSubtree {
    const WAY: Switch = Switch::LoopSubtrees;

    #[inline]
    fn may_be(walk: &mut Walk<'a>, Place { node, local, .. }: Place<'a>) -> bool {
        let Some(repeats) = walk.store.repeats_ref(local) else { return false };
        let below = &walk.trie.below[node as usize];
        below.ascii & !repeats.ascii == 0
            && (!below.wide
                || (repeats.wide && !below.broken && below.boundary && walk.is_whole(node, repeats)))
            && repeats.left.is_none_or(|left| below.chars <= left)
            && (repeats.need == 0 || !repeats.ends || below.chars < repeats.need)
    }

    #[inline]
    fn recognize(walk: &mut Walk<'a>, at: Place<'a>) -> Result<Option<Self>, Exceeded> {
        let repeats = walk.store.repeats_ref(at.local);
        Ok(repeats.map(|repeats| LoopSubtree(walk.store.program.class(repeats.chars))))
    }

    #[inline]
    fn answer(self, walk: &mut Walk<'a>, Place { node, local, .. }: Place<'a>) -> Result<bool, Exceeded> {
        walk.take_below(node);
        walk.ends_in(walk.store.split_expansion(local), |pending| pending.pure.push((node, self.0)));
        Ok(true)
    }
}

/// A place that all characters below a node lead back to.
pub(super) struct StayingSubtree;

impl<'a> PlaceShape<'a> for StayingSubtree {
    const WAY: Switch = Switch::StayingSubtrees;

    #[inline]
    fn may_be(walk: &mut Walk<'a>, Place { node, local, .. }: Place<'a>) -> bool {
        if walk.staying.local != local {
            walk.staying = Staying { local, visits: 0, ascii: 0 };
        }
        walk.staying.visits += 1;
        walk.staying.visits == VISITS || walk.stays_below(node)
    }

    fn recognize(
        walk: &mut Walk<'a>,
        Place { node, local, .. }: Place<'a>,
    ) -> Result<Option<Self>, Exceeded> {
        if walk.staying.visits == VISITS && walk.goes_on(local) {
            walk.staying.ascii = walk.leads_to(local, local, &ByteSet::ASCII)?.ascii_bits();
        }
        Ok(walk.stays_below(node).then_some(StayingSubtree))
    }

    fn answer(self, walk: &mut Walk<'a>, Place { node, .. }: Place<'a>) -> Result<bool, Exceeded> {
        walk.take_below(node);
        Ok(true)
    }
}

impl Walk<'_> {
    /// Whether all characters below a node stay in the place that was visited last, as far as that is known.
    #[inline]
    fn stays_below(&self, node: u32) -> bool {
        let (ascii, below) = (self.staying.ascii, &self.trie.below[node as usize]);
        ascii != 0 && !below.wide && below.ascii & !ascii == 0
    }

    /// Takes all tokens below a node.
    #[inline]
    fn take_below(&mut self, node: u32) {
        let own = self.trie.own(node).len();
        self.ids.extend_from_slice(&self.trie.subtree(node)[own..]);
    }

    /// Whether below a node there is no character that a loop lacks.
    #[inline]
    fn is_whole(&self, node: u32, repeats: &Loop) -> bool {
        let lacking = self.tables.profile.lacking(self.trie, repeats.lack);
        lacking.is_none_or(|lacking| !lacking.is_below(node))
    }
}
