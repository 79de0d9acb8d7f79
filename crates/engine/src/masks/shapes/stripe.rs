//! Tokens of one and the same byte: rules of dashes, of dots, of blanks.
//!
//! They are the longest tokens of a vocabulary. Where loops only count them, the places on the way differ in nothing but
//! how often the loops have run, and need not be found out about.

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::super::walk::Walk;
use crate::automaton::LocalId;
use crate::work::Exceeded;

/// So many of a byte must be left to make it worth while.
pub(super) const STRIPE: u32 = 6;

impl Walk<'_> {
    /// Goes on below a node in the middle of such tokens, where a place does nothing with them but count. Answers whether
    /// that was so.
    #[inline(never)] // most places never come here
    pub(super) fn stripe(&mut self, node: u32, local: LocalId) -> Result<bool, Exceeded> {
        if !self.store.counts(local) {
            return Ok(false);
        }
        let byte = self.trie.byte[node as usize];
        let more = |&node: &u32| self.trie.child(node, byte);
        let mut below = std::iter::successors(Some(node), more);
        if below.clone().nth(STRIPE as usize).is_none() || byte >= 0x80 || !self.goes_on(local) {
            return Ok(false);
        }
        let expansion = self.store.split_expansion(local);
        let Some(class) = expansion.class_of(byte) else { return Ok(false) };
        let next = self.step(expansion, class)?;
        let rounds = self.store.rounds(local, next, &ByteSet::single(byte));
        let Some(rounds) = rounds.filter(|rounds| rounds.most >= STRIPE) else { return Ok(false) };
        let others = expansion.alive.minus(&ByteSet::single(byte));
        // The place itself, the next one, and so many behind it.
        let most = rounds.most + 1;
        let nodes: SmallVec<[u32; 64]> = below.by_ref().take(most as usize + 1).collect();
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
        Ok(true)
    }
}
