//! Strongly connected components, without the call stack.

/// The components of a graph, those that others lead to first.
pub(super) struct Components {
    nodes: Vec<usize>,
    ends: Vec<usize>,
}

impl Components {
    /// The components: whatever a component leads to is in it or in one before it.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.nodes[start..end])
    }
}

const UNSEEN: u32 = u32::MAX;
const DONE: u32 = u32::MAX - 1;

struct Frame {
    node: usize,
    pending: usize,
}

struct Search {
    /// When a node was first seen, or `UNSEEN`, or `DONE` once its component is complete.
    seen: Vec<u32>,
    low: Vec<u32>,
    time: u32,
    open: Vec<usize>,
    frames: Vec<Frame>,
    pending: Vec<usize>,
    found: Components,
}

/// The components of the nodes (out of `0..size`) that `roots` lead to; `successors` adds those of a node.
/// This is Tarjan's algorithm.
pub(super) fn components(
    size: usize,
    roots: impl IntoIterator<Item = usize>,
    mut successors: impl FnMut(usize, &mut Vec<usize>),
) -> Components {
    let mut search = Search {
        seen: vec![UNSEEN; size],
        low: vec![0; size],
        time: 0,
        open: Vec::new(),
        frames: Vec::new(),
        pending: Vec::new(),
        found: Components { nodes: Vec::new(), ends: Vec::new() },
    };
    for root in roots {
        if search.seen[root] == UNSEEN {
            search.enter(root, &mut successors);
            search.run(&mut successors);
        }
    }
    search.found
}

impl Search {
    fn enter(&mut self, node: usize, successors: &mut impl FnMut(usize, &mut Vec<usize>)) {
        self.seen[node] = self.time;
        self.low[node] = self.time;
        self.time += 1;
        self.open.push(node);
        self.frames.push(Frame { node, pending: self.pending.len() });
        successors(node, &mut self.pending);
    }

    fn run(&mut self, successors: &mut impl FnMut(usize, &mut Vec<usize>)) {
        while let Some(&Frame { node, pending }) = self.frames.last() {
            let next = if self.pending.len() > pending { self.pending.pop() } else { None };
            match next {
                Some(next) if self.seen[next] == UNSEEN => self.enter(next, successors),
                Some(next) if self.seen[next] == DONE => {}
                Some(next) => self.low[node] = self.low[node].min(self.seen[next]),
                None => self.leave(node),
            }
        }
    }

    fn leave(&mut self, node: usize) {
        self.frames.pop();
        if let Some(parent) = self.frames.last() {
            self.low[parent.node] = self.low[parent.node].min(self.low[node]);
        }
        if self.low[node] == self.seen[node] {
            while let Some(member) = self.open.pop() {
                self.seen[member] = DONE;
                self.found.nodes.push(member);
                if member == node {
                    break;
                }
            }
            self.found.ends.push(self.found.nodes.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_lead_to() {
        let edges: [&[usize]; 6] = [&[1, 3], &[2], &[1, 4], &[3], &[], &[0]];
        let found = components(6, [0], |node, out| out.extend_from_slice(edges[node]));
        let mut found: Vec<Vec<usize>> = found.iter().map(<[usize]>::to_vec).collect();
        found.iter_mut().for_each(|c| c.sort_unstable());
        assert_eq!(found.last(), Some(&vec![0]));
        assert!(found.contains(&vec![1, 2]) && found.contains(&vec![3]) && !found.contains(&vec![5]));
        let at = |c: &[usize]| found.iter().position(|f| f == c);
        assert!(at(&[4]) < at(&[1, 2]));
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 1_000_000;
        let found = components(n, [0], |node, out| out.extend((node + 1 < n).then_some(node + 1)));
        assert_eq!(found.iter().count(), n);
    }
}
