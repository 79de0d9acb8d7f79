//! The children of the nodes at which a token may be left over, in order of their bytes.

use crate::tokens::pending::Pending;
use crate::tokens::trie::Trie;
use crate::tuning::memory::ORDERED;

/// See the module documentation.
pub(crate) struct Children {
    /// Where the children by each byte begin.
    starts: Box<[u32; 257]>,
    /// A node, and its child.
    children: Box<[(u32, u32)]>,
}

impl Children {
    /// Whether it pays to put in order what lies below.
    pub(crate) fn pays(pending: &Pending) -> bool {
        pending.nodes.len() >= ORDERED
    }

    pub(crate) fn of(trie: &Trie, pending: &Pending) -> Self {
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
        Children { starts, children: children.into() }
    }

    /// The children by a byte, each with its node.
    pub(crate) fn by(&self, byte: u8) -> &[(u32, u32)] {
        let at = usize::from(byte);
        &self.children[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.children)
    }
}
