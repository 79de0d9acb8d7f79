//! Circles, levels and arrows that run up, of any graph.
//!
//! A graph is a number of nodes and a set of arrows, from what imports to what is imported.

use std::collections::BTreeMap;

/// Arrows between the nodes `0..nodes`.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: usize,
    /// Each arrow, and how many imports it stands for.
    pub(super) arrows: BTreeMap<(usize, usize), usize>,
}

impl Graph {
    /// The graph of imports, each of which may occur several times.
    pub(super) fn new(nodes: usize, imports: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut arrows = BTreeMap::new();
        for import in imports {
            *arrows.entry(import).or_insert(0) += 1;
        }
        Graph { nodes, arrows }
    }

    /// The nodes that an arrow leads to from `node`.
    fn next(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.arrows.range((node, 0)..(node + 1, 0)).map(|(&(_, to), _)| to)
    }

    /// The largest sets of nodes in which each reaches each other, those that import nothing of others first.
    pub(super) fn components(&self) -> Vec<Vec<usize>> {
        let mut search = Search {
            graph: self,
            order: vec![None; self.nodes],
            lowest: vec![0; self.nodes],
            open: Vec::new(),
            is_open: vec![false; self.nodes],
            found: Vec::new(),
            count: 0,
        };
        for node in 0..self.nodes {
            if search.order[node].is_none() {
                search.visit(node);
            }
        }
        search.found
    }

    /// The components by level: one more than the highest of what they import.
    pub(super) fn levels(&self) -> Vec<Vec<Vec<usize>>> {
        let mut level_of = vec![0; self.nodes];
        let mut levels: Vec<Vec<Vec<usize>>> = Vec::new();
        for component in self.components() {
            let below =
                component.iter().flat_map(|&node| self.next(node)).filter(|to| !component.contains(to));
            let level = below.map(|to| level_of[to] + 1).max().unwrap_or(0);
            for &node in &component {
                level_of[node] = level;
            }
            if levels.len() <= level {
                levels.resize(level + 1, Vec::new());
            }
            levels[level].push(component);
        }
        levels
    }

    /// An order of the nodes, lowest first, in which few imports run up. The fewest are hard to find: within each circle, nodes
    /// are moved one at a time to where the fewest run up, until no move helps.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        for mut component in self.components() {
            // What imports little and is imported much begins below.
            let count = |from: usize, to: usize| self.arrows.get(&(from, to)).copied().unwrap_or(0);
            component.sort_by_cached_key(|&node| {
                let out: usize = (0..self.nodes).map(|other| count(node, other)).sum();
                let into: usize = (0..self.nodes).map(|other| count(other, node)).sum();
                (out + 1) * 1000 / (into + 1)
            });
            order.extend(self.improve(component));
        }
        order
    }

    fn improve(&self, mut order: Vec<usize>) -> Vec<usize> {
        let count = |from: usize, to: usize| self.arrows.get(&(from, to)).copied().unwrap_or(0);
        let mut moved = true;
        while moved {
            moved = false;
            for node in order.clone() {
                let from = order.iter().position(|&other| other == node).unwrap_or(0);
                order.remove(from);
                let cost_at = |place: usize| {
                    let up: usize = order[place..].iter().map(|&other| count(node, other)).sum();
                    let down: usize = order[..place].iter().map(|&other| count(other, node)).sum();
                    up + down
                };
                let best = (0..=order.len()).min_by_key(|&place| cost_at(place)).unwrap_or(from);
                let is_better = cost_at(best) < cost_at(from);
                moved |= is_better;
                order.insert(if is_better { best } else { from }, node);
            }
        }
        order
    }
}

/// Tarjan's search for components.
struct Search<'a> {
    graph: &'a Graph,
    /// When a node was reached.
    order: Vec<Option<usize>>,
    /// The earliest open node that a node reaches.
    lowest: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    found: Vec<Vec<usize>>,
    count: usize,
}

impl Search<'_> {
    fn visit(&mut self, node: usize) {
        let number = self.count;
        self.count += 1;
        self.order[node] = Some(number);
        self.lowest[node] = number;
        self.open.push(node);
        self.is_open[node] = true;
        for to in self.graph.next(node) {
            match self.order[to] {
                None => {
                    self.visit(to);
                    self.lowest[node] = self.lowest[node].min(self.lowest[to]);
                }
                Some(reached) if self.is_open[to] => self.lowest[node] = self.lowest[node].min(reached),
                Some(_) => {}
            }
        }
        if self.lowest[node] == number {
            let start = self.open.iter().rposition(|&open| open == node).unwrap_or(0);
            let component = self.open.split_off(start);
            for &closed in &component {
                self.is_open[closed] = false;
            }
            self.found.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, arrows: &[(usize, usize)]) -> Graph {
        Graph::new(nodes, arrows.iter().copied())
    }

    #[test]
    fn circles_and_levels_are_found() {
        let graph = graph(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 0), (4, 3)]);
        let mut components = graph.components();
        components.iter_mut().for_each(|component| component.sort_unstable());
        assert_eq!(components, [vec![3], vec![1, 2], vec![0], vec![4], vec![5]]);
        let sizes: Vec<usize> = graph.levels().iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 1, 1, 1]);
    }

    #[test]
    fn few_arrows_run_up() {
        // A circle of four with one arrow to cut, and a node above it.
        let graph = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3), (4, 0)]);
        assert_eq!(graph.order(), [3, 2, 1, 0, 4]);
    }
}
