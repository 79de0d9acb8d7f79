//! What lies below the nodes at which a token may be left over.
//!
//! White space, or a number, may be left at a hundred nodes of the trie, and only from a few of them does a bracket or a
//! comma lead on. Which those are is the same whatever follows, so the children of all of them are put in order once; whoever
//! goes on from there looks at those that he has a byte for.

use super::super::memory::Children;
use super::super::walk::Walk;
use crate::automaton::LocalExpansion;
use crate::work::Exceeded;

impl Walk<'_> {
    /// Takes every child of some nodes that a local has a way to. No frames are called there, neither parts of entries nor
    /// rules.
    pub(crate) fn go_on_from_all(&mut self, ordered: &Children, at: &LocalExpansion) -> Result<(), Exceeded> {
        self.work.spend(1 + at.ways)?;
        for byte in at.alive.iter() {
            let children = ordered.by(byte);
            if children.is_empty() {
                continue;
            }
            let Some(class) = at.class_of(byte) else { continue };
            let next = self.step(at, class)?;
            self.work.spend(children.len())?;
            children.iter().try_for_each(|&(_, child)| self.arrive(child, next))?;
        }
        for &choice in at.apart.choices.iter() {
            let Some(firsts) = self.firsts_of_choice(choice) else { continue };
            for node in nodes_before(ordered, firsts.iter()) {
                self.choice(node, choice)?;
            }
        }
        Ok(())
    }
}

/// The nodes from which one of the bytes leads on, each once.
fn nodes_before(ordered: &Children, bytes: impl Iterator<Item = u8>) -> Vec<u32> {
    let mut nodes: Vec<u32> = bytes.flat_map(|byte| ordered.by(byte)).map(|&(node, _)| node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
