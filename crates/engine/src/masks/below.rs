//! What lies below the nodes at which a token may be left over.
//!
//! White space, or a number, may be left at a hundred nodes of the trie, and only from a few of them does a bracket or a
//! comma lead on. Which those are is the same whatever follows, so the children of all of them are put in order once; whoever
//! goes on from there looks at those that he has a byte for.

use super::walk::Walk;
use crate::automaton::LocalExpansion;
use crate::tokens::pending::Pending;
use crate::tokens::trie::Trie;
use crate::work::Exceeded;

/// Fewer nodes than this are gone through one by one.
const MANY: usize = 16;

/// See the module documentation.
pub(super) struct Below {
    /// Where the children by each byte begin.
    starts: Box<[u32; 257]>,
    /// A node, and its child.
    children: Box<[(u32, u32)]>,
}

impl Below {
    /// Whether it pays to put in order what lies below.
    pub(super) fn pays(pending: &Pending) -> bool {
        pending.nodes.len() >= MANY
    }

    pub(super) fn of(trie: &Trie, pending: &Pending) -> Self {
        let mut nodes = pending.nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        let byte = |child: u32| usize::from(trie.byte[child as usize]);
        let mut starts = Box::new([0; 257]);
        for child in nodes.iter().flat_map(|&node| trie.children(node)) {
            starts[byte(child) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut children = vec![(0, 0); starts[256] as usize];
        for &node in &nodes {
            for child in trie.children(node) {
                let place = &mut next[byte(child)];
                children[*place as usize] = (node, child);
                *place += 1;
            }
        }
        Below { starts, children: children.into() }
    }

    /// The children by a byte, each with its node.
    fn by(&self, byte: u8) -> &[(u32, u32)] {
        let at = usize::from(byte);
        &self.children[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.children)
    }
}

impl Walk<'_> {
    /// Takes every child of some nodes that a local has a way to. No frames are called there, neither parts of entries nor
    /// rules.
    pub(super) fn go_on_from_all(&mut self, below: &Below, at: &LocalExpansion) -> Result<(), Exceeded> {
        self.work.spend(1 + at.ways)?;
        for byte in at.alive.iter() {
            let children = below.by(byte);
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
            for node in nodes_before(below, firsts.iter()) {
                self.choice(node, choice)?;
            }
        }
        Ok(())
    }
}

/// The nodes from which one of the bytes leads on, each once.
fn nodes_before(below: &Below, bytes: impl Iterator<Item = u8>) -> Vec<u32> {
    let mut nodes: Vec<u32> = bytes.flat_map(|byte| below.by(byte)).map(|&(node, _)| node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
