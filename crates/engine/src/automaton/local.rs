//! Configurations relative to an unknown stack, and their transitions by byte.

use std::sync::OnceLock;

use smallvec::SmallVec;
use tokenstile_grammar::ir::ByteSet;

use super::LocalExpansion;
use super::build::Build;
use super::objects::cell::Head;
use super::objects::ids::{CellId, LocalId, NodeId, StateId, hash_of};
use super::objects::local::{Apart, Class, Edges, Groups, Local, Opened, add_cells};
use super::objects::state::Node;
use super::partition::partition;
use super::store::Store;
use crate::ablate::{Switch, is_off};
use crate::collections::{Memo, OnceId};
use crate::tokens::pending::End;
use crate::tuning::places::{JOIN_DEPTH, LISTED};
use crate::work::{Exceeded, Work};

impl Store {
    /// What can happen next in a local.
    #[inline(always)] // the most frequent call of a walk, and two loads when it is known
    pub(crate) fn local_expansion(&self, id: LocalId) -> &LocalExpansion {
        match self.local(id).expansion.get() {
            Some(expansion) => expansion,
            None => self.new_expansion(id),
        }
    }

    #[inline(never)] // not cold: masks that are new are made here
    fn new_expansion(&self, id: LocalId) -> &LocalExpansion {
        self.home(id.0).build().expand_local(id);
        self.local(id).expansion.get().unwrap_or_else(|| unreachable!("expand_local sets it"))
    }

    /// What can happen next in a local, with the choices of an entry apart: see [`entries`](super::entries).
    #[inline(always)]
    pub(crate) fn split_expansion(&self, id: LocalId) -> &LocalExpansion {
        match self.local(id).split.get() {
            Some(Some(split)) => split,
            Some(None) => self.local_expansion(id),
            None => self.new_split(id),
        }
    }

    /// Whether that is known.
    pub(crate) fn is_expanded(&self, id: LocalId) -> bool {
        self.local(id).split.get().is_some()
    }

    #[inline(never)] // not cold: masks that are new are made here
    fn new_split(&self, id: LocalId) -> &LocalExpansion {
        self.home(id.0).build().split_local(id);
        match self.local(id).split.get() {
            Some(Some(split)) => split,
            _ => self.local_expansion(id),
        }
    }

    /// Where class `class` leads from a local.
    #[inline]
    pub(crate) fn step(&self, id: LocalId, class: usize, work: &mut Work) -> Result<LocalId, Exceeded> {
        self.step_from(self.local_expansion(id), class, work)
    }

    /// The same for who has what can happen next in the local.
    #[inline]
    pub(crate) fn step_from(
        &self,
        from: &LocalExpansion,
        class: usize,
        work: &mut Work,
    ) -> Result<LocalId, Exceeded> {
        match from.classes[class].target.get() {
            Some(target) => Ok(target),
            None => self.step_new(from, class, work),
        }
    }

    /// Where class `class` leads, as far as one token can tell.
    #[inline]
    pub(crate) fn step_clamped(
        &self,
        expansion: &LocalExpansion,
        class: usize,
        work: &mut Work,
    ) -> Result<LocalId, Exceeded> {
        match expansion.classes[class].clamped.get() {
            Some(target) => Ok(target),
            None => {
                let target = self.clamped_local(self.step_from(expansion, class, work)?);
                Ok(expansion.classes[class].clamped.set(target))
            }
        }
    }

    #[inline(never)] // not cold: masks that are new are made here
    fn step_new(
        &self,
        expansion: &LocalExpansion,
        class: usize,
        work: &mut Work,
    ) -> Result<LocalId, Exceeded> {
        work.spend(16 + expansion.edges.len())?;
        if self.is_full(usize::MAX) {
            return Err(Exceeded { name: "states", value: self.states_limit });
        }
        let target = self.build().step(expansion, class)?;
        Ok(expansion.classes[class].target.set(target))
    }

    /// The local of a state on a stack, as far as one token can tell.
    pub(crate) fn local_on(&self, state: StateId, node: NodeId) -> LocalId {
        let mut build = self.build();
        let local = build.local(&[(state, node)]);
        build.clamp_local(local)
    }

    /// The same of a set of cells.
    pub(crate) fn local_of_cells(&self, cells: &[CellId], node: NodeId) -> LocalId {
        let state = self.build().state(cells);
        self.local_on(state, node)
    }

    /// The local as far as one token can tell: see [`Cell::clamped`].
    #[inline]
    pub(crate) fn clamped_local(&self, id: LocalId) -> LocalId {
        let local = self.local(id);
        match local.clamped.get() {
            Some(clamped) => clamped,
            None => self.home(id.0).build().clamp_local(id),
        }
    }
}

impl Build<'_> {
    #[inline(never)] // it is called in many places
    pub(super) fn local(&mut self, heads: &[(StateId, NodeId)]) -> LocalId {
        let store = self.store;
        if heads.iter().all(|head| store.is_shared(head.0.0) && store.is_shared(head.1.0)) {
            return self.library().own_local(heads);
        }
        self.own_local(heads)
    }

    fn own_local(&mut self, heads: &[(StateId, NodeId)]) -> LocalId {
        let store = self.store;
        let hash = hash_of(&heads);
        if let Some(id) = self.index.locals.find(hash, |id| store.local(id).heads[..] == *heads) {
            return id;
        }
        store.add_bytes(size_of::<Local>() + 24);
        let in_literal = matches!(heads, [(state, _)] if store.literal(*state).is_some());
        let local = Local {
            heads: SmallVec::from_slice(heads),
            in_literal,
            opened: OnceLock::new(),
            bytes: Memo::new(),
            expansion: OnceLock::new(),
            split: OnceLock::new(),
            clamped: OnceId::new(),
            repeats: OnceLock::new(),
            has_literals: matches!(heads, [(state, _)] if store.has_literals(*state)),
            in_machine: matches!(heads, [(state, _)] if store.is_in_machine(*state)),
            behind: OnceId::new(),
        };
        let id = LocalId::of(store.own, store.locals.push(local, &mut self.index.writer));
        self.index.locals.insert(hash, id);
        id
    }

    fn expand_local(&mut self, id: LocalId) {
        let store = self.store;
        if store.local(id).expansion.get().is_none() {
            let expansion = self.expanded(id, false);
            store.add_bytes(expansion.bytes());
            let _ = store.local(id).expansion.set(expansion);
        }
    }

    fn split_local(&mut self, id: LocalId) {
        let store = self.store;
        let local = store.local(id);
        if local.split.get().is_some() {
            return;
        }
        let expansion = self.expanded(id, true);
        store.add_bytes(expansion.bytes());
        let split = if expansion.apart.is_empty() {
            let _ = local.expansion.set(expansion);
            None
        } else {
            Some(Box::new(expansion))
        };
        let _ = local.split.set(split);
    }

    /// Collects the edges of all heads, of the frames they may call and of those they may return to. With `split`,
    /// choices of an entry are left as they are.
    fn expanded(&mut self, id: LocalId, split: bool) -> LocalExpansion {
        let store = self.store;
        let Opened { states, pops, ends, apart } = self.open(id, split);
        let mut edges = Edges::new();
        for (state, node) in states {
            edges.extend(store.edges_in(self, state).iter().map(|&(set, cell)| (set, node, cell)));
        }
        make_expansion(join_edges(edges), (pops, ends), apart)
    }

    /// Where a class of bytes leads.
    fn step(&mut self, from: &LocalExpansion, class: usize) -> Result<LocalId, Exceeded> {
        let Some(byte) = from.classes[class].set.first() else { unreachable!("classes are not empty") };
        // Edges are sorted by stack: one group of cells per stack.
        let mut groups: Groups = SmallVec::new();
        for &(set, node, cell) in from.edges.iter().filter(|e| e.0.contains(byte)) {
            debug_assert!(set.contains(byte));
            match groups.last_mut() {
                Some(group) if group.0 == node => group.1.push(cell),
                _ => groups.push((node, SmallVec::from_slice(&[cell]))),
            }
        }
        self.local_of_step(groups)
    }

    /// The local of what a byte has led to.
    pub(super) fn local_of_step(&mut self, groups: Groups) -> Result<LocalId, Exceeded> {
        let local = self.local_of_groups(groups);
        if self.store.local(local).heads.len() > self.store.heads_limit {
            return Err(Exceeded { name: "heads", value: self.store.heads_limit });
        }
        Ok(local)
    }

    /// The local of cells on stacks.
    pub(super) fn local_of_groups(&mut self, mut groups: Groups) -> LocalId {
        self.return_from_ended(&mut groups);
        let mut heads: SmallVec<[(StateId, NodeId); 4]> = SmallVec::new();
        for (node, cells) in groups {
            let state = self.state(&cells);
            match heads.iter_mut().find(|h| h.0 == state) {
                Some(head) => head.1 = self.merge_nodes(head.1, node, 0),
                None => heads.push((state, node)),
            }
        }
        heads.sort_unstable();
        self.local(&heads)
    }

    /// Frames that have ended and can do nothing else are left at once.
    fn return_from_ended(&mut self, groups: &mut Groups) {
        let store = self.store;
        let ended = |g: &(NodeId, SmallVec<[CellId; 8]>)| {
            g.0 != NodeId::BOTTOM && g.1.iter().all(|&c| store.is_end(c))
        };
        while let Some(i) = groups.iter().position(ended) {
            let (node, mut cells) = groups.swap_remove(i);
            let node = store.node(node);
            cells.sort_unstable();
            cells.dedup();
            for cell in cells {
                if node.bottom {
                    add_cells(groups, NodeId::BOTTOM, &[cell]);
                }
                for &(ret, below) in &node.links {
                    match store.cell(cell).head {
                        Head::End(end) => add_cells(groups, below, &self.cells_after_entry(ret, end)),
                        _ => add_cells(groups, below, &store.state(ret).kernel),
                    }
                }
            }
        }
    }

    fn merge_nodes(&mut self, a: NodeId, b: NodeId, depth: usize) -> NodeId {
        let pair = (a.min(b), a.max(b));
        if !is_off(Switch::JoinMemo)
            && let Some(&known) = self.index.joined.get(&pair)
        {
            return known;
        }
        let (x, y) = (self.store.node(a), self.store.node(b));
        let links = x.links.iter().chain(&y.links).copied().collect();
        let joined = self.joined_node(links, x.bottom || y.bottom, depth);
        self.index.joined.insert(pair, joined);
        self.store.add_bytes(16);
        joined
    }

    /// The node of these links; two ways to return to the same state are one, with the stacks below joined.
    fn joined_node(
        &mut self,
        mut links: SmallVec<[(StateId, NodeId); 4]>,
        bottom: bool,
        depth: usize,
    ) -> NodeId {
        links.sort_unstable();
        links.dedup();
        let mut joined: SmallVec<[(StateId, NodeId); 1]> = SmallVec::new();
        for (ret, below) in links {
            match joined.last_mut() {
                Some(last) if last.0 == ret && depth < JOIN_DEPTH => {
                    last.1 = self.merge_nodes(last.1, below, depth + 1);
                }
                _ => joined.push((ret, below)),
            }
        }
        self.node(Node { links: joined, bottom })
    }

    fn clamp_node(&mut self, id: NodeId, memo: &mut Vec<(NodeId, NodeId)>) -> NodeId {
        if id == NodeId::BOTTOM {
            return id;
        }
        // Iterative post-order: nodes have smaller ids than the nodes on top of them.
        let mut todo = vec![id];
        while let Some(&top) = todo.last() {
            let node = self.store.node(top);
            let known = |memo: &Vec<(NodeId, NodeId)>, n: NodeId| {
                if n == NodeId::BOTTOM { Some(n) } else { memo.iter().find(|m| m.0 == n).map(|m| m.1) }
            };
            if known(memo, top).is_some() {
                todo.pop();
                continue;
            }
            let open: Vec<NodeId> =
                node.links.iter().map(|l| l.1).filter(|&n| known(memo, n).is_none()).collect();
            if !open.is_empty() {
                todo.extend(open);
                continue;
            }
            let mut links: SmallVec<[(StateId, NodeId); 4]> = SmallVec::new();
            for &(ret, below) in &node.links {
                let below = known(memo, below).unwrap_or(below);
                links.push((self.clamp_state(ret), below));
            }
            let clamped = self.joined_node(links, node.bottom, 0);
            memo.push((top, clamped));
            todo.pop();
        }
        memo.iter().find(|m| m.0 == id).map_or(id, |m| m.1)
    }

    pub(super) fn clamp_local(&mut self, id: LocalId) -> LocalId {
        let store = self.store;
        if let Some(known) = store.local(id).clamped.get() {
            return known;
        }
        if store.is_shared(id.0) {
            return self.library().clamp_local(id);
        }
        let mut memo = Vec::new();
        let mut heads: SmallVec<[(StateId, NodeId); 4]> = SmallVec::new();
        for &(state, node) in &store.local(id).heads {
            let (state, node) = (self.clamp_state(state), self.clamp_node(node, &mut memo));
            match heads.iter_mut().find(|h| h.0 == state) {
                Some(head) => head.1 = self.merge_nodes(head.1, node, 0),
                None => heads.push((state, node)),
            }
        }
        heads.sort_unstable();
        let clamped = self.local(&heads);
        store.local(id).clamped.set(clamped)
    }
}

/// Sorts edges by stack and joins those that lead to the same cell on the same stack.
fn join_edges(edges: Edges) -> Edges {
    if edges.is_sorted_by(|a, b| (a.1, a.2) < (b.1, b.2)) {
        return edges;
    }
    // The sets are large, so it is their places that are sorted.
    let mut places: SmallVec<[(NodeId, CellId, u32); 8]> =
        (0..).zip(&edges).map(|(at, e)| (e.1, e.2, at)).collect();
    places.sort_unstable();
    let same = places.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let joined = same.map(|same| {
        let sets = same.iter().map(|&(.., at)| edges[at as usize].0);
        (sets.fold(ByteSet::EMPTY, |all, set| all.union(&set)), same[0].0, same[0].1)
    });
    joined.collect()
}

fn make_expansion(edges: Edges, (pops, ends): (bool, SmallVec<[End; 2]>), apart: Apart) -> LocalExpansion {
    let classes = partition(edges.iter().map(|e| &e.0));
    let alive = classes.iter().fold(ByteSet::EMPTY, |all, c| all.union(c));
    let table = (classes.len() > LISTED && !is_off(Switch::ClassTables)).then(|| {
        let mut table = Box::new([0u8; 256]);
        for (i, class) in classes.iter().enumerate() {
            for byte in class.iter() {
                table[byte as usize] = i as u8;
            }
        }
        table
    });
    let class = |&set: &ByteSet| Class { set, target: OnceId::new(), clamped: OnceId::new() };
    let classes = classes.iter().map(class).collect();
    LocalExpansion {
        pops,
        ends,
        apart,
        alive,
        ways: alive.len(),
        classes,
        edges: Box::from(&edges[..]),
        table,
    }
}
