//! Configurations relative to an unknown stack, and their transitions by byte.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;
use tokenstile_grammar::CharSetId;
use tokenstile_grammar::ir::{ByteSet, Expr};

use super::boolean::partition;
use super::build::{Build, hash_of};
use super::store::{Cell, CellId, Exceeded, Head, LocalId, Node, NodeId, StateId, Store, Work};
use crate::few::FewSet;

/// How far down stacks are joined; below that they stay apart, which costs space, not exactness.
const JOIN_DEPTH: usize = 400;

/// Cells by the stack they stand on.
type Groups = SmallVec<[(NodeId, SmallVec<[CellId; 8]>); 2]>;

/// A set of heads: a state each, and the stack it stands on.
pub(crate) struct Local {
    /// Sorted by state; states are distinct, and so are stacks.
    pub(crate) heads: SmallVec<[(StateId, NodeId); 1]>,
    /// Whether it stands in a literal and nowhere else.
    pub(crate) in_literal: bool,
    expansion: OnceLock<LocalExpansion>,
    clamped: OnceLock<LocalId>,
    repeats: OnceLock<Option<Loop>>,
    /// For a local that stands in a literal, the one at its end.
    after_literal: OnceLock<LocalId>,
}

/// What can happen next in a local.
pub(crate) struct LocalExpansion {
    /// Whether the frame we started in may end here.
    pub(crate) pops: bool,
    /// All bytes that lead anywhere.
    pub(crate) alive: ByteSet,
    /// Disjoint sets of bytes that lead to the same place.
    pub(crate) classes: Box<[Class]>,
    edges: Box<[(ByteSet, NodeId, CellId)]>,
    /// The class of each byte, where there are enough of them to make a table pay.
    table: Option<Box<[u8; 256]>>,
}

/// Bytes that lead to the same place.
pub(crate) struct Class {
    pub(crate) set: ByteSet,
    /// The target plus one; 0 while it is not known.
    target: AtomicU32,
    /// The same with counters clamped.
    clamped: AtomicU32,
}

/// A local that repeats one class of characters: `[set]{…}` and then something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    /// The characters that are repeated.
    pub(crate) chars: CharSetId,
    /// How many more of them may follow; `None` for any number.
    pub(crate) left: Option<u32>,
    /// How many more of them must follow.
    pub(crate) need: u32,
    /// The ASCII characters of the set, one bit each.
    pub(crate) ascii: u128,
    /// Whether all other characters that the vocabulary can spell are in it.
    pub(crate) wide: bool,
    /// Whether nothing but such characters is repeated, so that what follows the loop does not depend on how
    /// often it ran.
    pub(crate) plain: bool,
}

impl LocalExpansion {
    /// The class that `byte` belongs to.
    #[inline]
    pub(crate) fn class_of(&self, byte: u8) -> Option<usize> {
        if !self.alive.contains(byte) {
            return None;
        }
        match &self.table {
            Some(table) => Some(table[byte as usize] as usize),
            None => self.classes.iter().position(|c| c.set.contains(byte)),
        }
    }
}

impl Store {
    /// What can happen next in a local.
    #[inline(always)] // the most frequent call of a walk, and two loads when it is known
    pub(crate) fn local_expansion(&self, id: LocalId) -> &LocalExpansion {
        match self.local(id).expansion.get() {
            Some(expansion) => expansion,
            None => self.new_expansion(id),
        }
    }

    #[cold]
    fn new_expansion(&self, id: LocalId) -> &LocalExpansion {
        self.build().expand_local(id);
        self.local(id).expansion.get().unwrap_or_else(|| unreachable!("expand_local sets it"))
    }

    /// Where class `class` leads from a local.
    #[inline]
    pub(crate) fn step(&self, id: LocalId, class: usize, work: &mut Work) -> Result<LocalId, Exceeded> {
        let expansion = self.local_expansion(id);
        match expansion.classes[class].target.load(Ordering::Acquire) {
            0 => self.step_new(id, class, work),
            target => Ok(LocalId(target - 1)),
        }
    }

    /// Where class `class` leads, as far as one token can tell.
    #[inline]
    pub(crate) fn step_clamped(
        &self,
        id: LocalId,
        expansion: &LocalExpansion,
        class: usize,
        work: &mut Work,
    ) -> Result<LocalId, Exceeded> {
        match expansion.classes[class].clamped.load(Ordering::Acquire) {
            0 => {
                let target = self.clamped_local(self.step(id, class, work)?);
                expansion.classes[class].clamped.store(target.0 + 1, Ordering::Release);
                Ok(target)
            }
            target => Ok(LocalId(target - 1)),
        }
    }

    #[cold]
    fn step_new(&self, id: LocalId, class: usize, work: &mut Work) -> Result<LocalId, Exceeded> {
        let expansion = self.local_expansion(id);
        work.spend(16 + expansion.edges.len())?;
        if self.is_full(usize::MAX) {
            return Err(Exceeded { name: "states", value: self.states_limit });
        }
        let target = self.build().step(expansion, class)?;
        expansion.classes[class].target.store(target.0 + 1, Ordering::Release);
        Ok(target)
    }

    /// Where `byte` leads from a local.
    #[inline]
    pub(crate) fn step_byte(
        &self,
        id: LocalId,
        byte: u8,
        work: &mut Work,
    ) -> Result<Option<LocalId>, Exceeded> {
        match self.local_expansion(id).class_of(byte) {
            Some(class) => self.step(id, class, work).map(Some),
            None => Ok(None),
        }
    }

    /// The local as far as one token can tell: see [`Cell::clamped`].
    #[inline]
    pub(crate) fn clamped_local(&self, id: LocalId) -> LocalId {
        let local = self.local(id);
        match local.clamped.get() {
            Some(&clamped) => clamped,
            None => self.build().clamp_local(id),
        }
    }

    /// Whether a local repeats a class of characters, and which.
    #[inline]
    pub(crate) fn repeats(&self, id: LocalId) -> Option<Loop> {
        *self.repeats_ref(id)
    }

    #[inline]
    pub(crate) fn repeats_ref(&self, id: LocalId) -> &Option<Loop> {
        let slot = &self.local(id).repeats;
        match slot.get() {
            Some(known) => known,
            None => slot.get_or_init(|| self.find_loop(id)),
        }
    }

    /// The state after `bytes`, if they are all characters of the loop that `id` is, and not its last ones.
    pub(crate) fn run_through(&self, id: StateId, bytes: &[u8]) -> Option<StateId> {
        let repeats = self.repeats(self.local_of(self.clamped(id)))?;
        let chars = if bytes.iter().all(|&b| b < 0x80 && repeats.ascii >> b & 1 == 1) {
            bytes.len()
        } else {
            let text = std::str::from_utf8(bytes).ok().filter(|_| repeats.wide)?;
            let set = self.program.arena.char_set(repeats.chars);
            text.chars().all(|c| set.contains(c)).then(|| text.chars().count())?
        };
        let chars = u32::try_from(chars).ok()?;
        if repeats.need > 0 && chars >= repeats.need {
            return None; // what follows the loop may come into play
        }
        let mut kernel: SmallVec<[(Head, CellId); 4]> = SmallVec::new();
        for &cell in self.state(id).kernel.iter() {
            // The end of the frame is passed by: more characters follow.
            if cell == CellId::NIL {
                continue;
            }
            let Cell { head: Head::Expr(expr, count), tail, .. } = self.cell(cell) else { return None };
            let Expr::Repeat { min, max, .. } = self.program.arena.get(expr) else { return None };
            let count = count.checked_add(chars)?;
            let count = match max {
                Some(max) if count >= max => return None,
                Some(_) => count,
                None => count.min(min),
            };
            kernel.push((Head::Expr(expr, count), tail));
        }
        let mut build = self.build();
        let cells: SmallVec<[CellId; 4]> =
            kernel.into_iter().map(|(head, tail)| build.cell(head, tail)).collect();
        Some(build.state(&cells))
    }

    /// The bytes that must come next, if the state stands in a literal and nowhere else, and what follows them.
    #[inline]
    pub(crate) fn literal(&self, id: StateId) -> Option<(&[u8], CellId)> {
        let [cell] = self.state(id).kernel[..] else { return None };
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return None };
        match self.program.arena.get(expr) {
            Expr::Literal(literal) => Some((&self.program.arena.literal_bytes(literal)[at as usize..], tail)),
            _ => None,
        }
    }

    /// The same for a local.
    #[inline]
    pub(crate) fn local_literal(&self, id: LocalId) -> Option<&[u8]> {
        let local = self.local(id);
        if local.in_literal { self.literal(local.heads[0].0).map(|l| l.0) } else { None }
    }

    /// The local at the end of the literal that a local stands in, clamped.
    pub(crate) fn after_literal(&self, id: LocalId) -> LocalId {
        let local = self.local(id);
        if let Some(&known) = local.after_literal.get() {
            return known;
        }
        let mut groups = Groups::new();
        if let [(state, node)] = local.heads[..]
            && let Some((_, tail)) = self.literal(state)
        {
            groups.push((node, SmallVec::from_slice(&[tail])));
        }
        let mut build = self.build();
        let next = build.local_of_groups(groups);
        let next = build.clamp_local(next);
        *local.after_literal.get_or_init(|| next)
    }

    /// The state `bytes` further into the literal that a state stands in.
    pub(crate) fn along_literal(&self, id: StateId, bytes: usize) -> StateId {
        let [cell] = self.state(id).kernel[..] else { return id };
        let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return id };
        let mut build = self.build();
        let next = build.cell(Head::Expr(expr, at + bytes as u32), tail);
        build.state(&[next])
    }

    /// The state of a single cell.
    pub(crate) fn state_of(&self, cell: CellId) -> StateId {
        self.build().state(&[cell])
    }

    fn find_loop(&self, id: LocalId) -> Option<Loop> {
        let [(state, _)] = self.local(id).heads[..] else { return None };
        let kernel = &self.state(state).kernel;
        let mut found: Option<Loop> = None;
        for &cell in kernel.iter().filter(|&&c| c != CellId::NIL) {
            let Cell { head: Head::Expr(expr, count), .. } = self.cell(cell) else { return None };
            let Expr::Repeat { expr: body, min, max } = self.program.arena.get(expr) else { return None };
            let chars = self.repeated_chars(body)?;
            let class = self.program.class(chars);
            let words = class.ascii.words();
            let ascii = words[0] as u128 | (words[1] as u128) << 64;
            let (left, need) = (max.map(|m| m - count), min.saturating_sub(count));
            let plain = matches!(self.program.arena.get(body), Expr::Chars(_));
            let this = Loop { chars, left, need, ascii, wide: class.wide, plain };
            // Several loops in step are one, unless their rounds have to be counted.
            match found {
                Some(f) if f != this || this.left.is_some() || this.need > 0 => return None,
                _ => found = Some(this),
            }
        }
        let found = found?;
        self.is_exclusive(id, found.chars).then_some(found)
    }

    /// The character class of a repeated body: a class, or a choice of one class and other things.
    fn repeated_chars(&self, body: tokenstile_grammar::ExprId) -> Option<CharSetId> {
        match self.program.arena.get(body) {
            Expr::Chars(set) => Some(set),
            Expr::Alt(list) => {
                let mut sets =
                    self.program.arena.list(list).iter().filter_map(|&e| match self.program.arena.get(e) {
                        Expr::Chars(set) => Some(set),
                        _ => None,
                    });
                let first = sets.next()?;
                sets.next().is_none().then_some(first)
            }
            _ => None,
        }
    }

    /// Whether the characters of a loop lead nowhere but back into it.
    fn is_exclusive(&self, id: LocalId, chars: CharSetId) -> bool {
        let [(state, node)] = self.local(id).heads[..] else { return false };
        let set = self.program.arena.char_set(chars);
        let ascii = set.ascii();
        let wide = if set.is_ascii() { ByteSet::EMPTY } else { ByteSet::range(0x80, 0xFF) };
        let kernel = &self.state(state).kernel;
        let mut rounds = 0;
        for &(bytes, at, target) in self.local_expansion(id).edges.iter() {
            if bytes.intersects(&ascii) {
                rounds += 1;
                let whole = bytes.intersect(&ByteSet::range(0, 0x7f)) == ascii;
                if !(whole && at == node && self.is_round(kernel, target)) {
                    return false;
                }
            }
            if bytes.intersects(&wide) {
                let Cell { head, tail, .. } = self.cell(target);
                let inside = matches!(head, Head::Utf8(set, _) if set == chars);
                if !(inside && at == node && self.is_round(kernel, tail)) {
                    return false;
                }
            }
        }
        // One edge for each loop: none of them is hidden behind another.
        rounds > 0 && rounds == kernel.iter().filter(|&&c| c != CellId::NIL).count()
    }

    /// Whether every character past ASCII that the vocabulary can spell leads from a local to where `byte` leads,
    /// as the edges show. If they do not show it, it may be so all the same.
    pub(crate) fn wide_follows(&self, id: LocalId, byte: u8) -> bool {
        let edges = &self.local_expansion(id).edges;
        let mut ascii = edges.iter().filter(|e| e.0.contains(byte));
        let (Some(&(_, node, next)), None) = (ascii.next(), ascii.next()) else { return false };
        let wide = ByteSet::range(0x80, 0xFF);
        let mut wide = edges.iter().filter(|e| e.0.intersects(&wide)).peekable();
        wide.peek().is_some()
            && wide.all(|&(_, at, target)| match self.cell(target) {
                Cell { head: Head::Utf8(set, _), tail, .. } => {
                    at == node && tail == next && self.program.class(set).wide
                }
                _ => false,
            })
    }

    /// Whether `target` is one of the loops of `kernel` with one more round done, or with all of them done.
    fn is_round(&self, kernel: &[CellId], target: CellId) -> bool {
        let next = self.cell(target);
        kernel.iter().filter(|&&c| c != CellId::NIL).any(|&cell| {
            let now = self.cell(cell);
            let same = matches!((now.head, next.head), (Head::Expr(a, _), Head::Expr(b, _)) if a == b);
            (same && now.tail == next.tail && target != CellId::NIL) || now.tail == target
        })
    }
}

impl Build<'_> {
    pub(super) fn local(&mut self, heads: &[(StateId, NodeId)]) -> LocalId {
        let store = self.store;
        let hash = hash_of(&heads);
        if let Some(&id) = self.index.locals.find(hash, |&id| store.local(id).heads[..] == *heads) {
            return id;
        }
        store.add_bytes(size_of::<Local>() + 24);
        let in_literal = matches!(heads, [(state, _)] if store.literal(*state).is_some());
        let id = LocalId::of(store.locals.push(Local {
            heads: SmallVec::from_slice(heads),
            in_literal,
            expansion: OnceLock::new(),
            clamped: OnceLock::new(),
            repeats: OnceLock::new(),
            after_literal: OnceLock::new(),
        }));
        self.index.locals.insert_unique(hash, id, |&id| hash_of(&&store.local(id).heads[..]));
        id
    }

    /// Collects the edges of all heads, of the frames they may call and of those they may return to.
    fn expand_local(&mut self, id: LocalId) {
        let store = self.store;
        if store.local(id).expansion.get().is_some() {
            return;
        }
        let mut edges: Vec<(ByteSet, NodeId, CellId)> = Vec::new();
        let mut pops = false;
        let mut seen = FewSet::default();
        // (state, stack, whether the frame was just called: its empty match is the caller's business)
        let mut todo: SmallVec<[(StateId, NodeId, bool); 16]> =
            store.local(id).heads.iter().map(|&(s, n)| (s, n, false)).collect();
        while let Some((state, node, called)) = todo.pop() {
            if !seen.insert((state, node, called)) {
                continue;
            }
            let expansion = store.expansion_in(self, state);
            edges.extend(expansion.edges.iter().map(|&(set, cell)| (set, node, cell)));
            for &(ret, start) in expansion.calls.iter() {
                let above = self.push_node(ret, node);
                todo.push((start, above, true));
            }
            if expansion.accepting && !called {
                let node = store.node(node);
                pops |= node.bottom;
                todo.extend(node.links.iter().map(|&(ret, below)| (ret, below, false)));
            }
        }
        let edges = join_edges(edges);
        let expansion = make_expansion(edges, pops);
        store.add_bytes(expansion.bytes());
        let _ = store.local(id).expansion.set(expansion);
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
        let local = self.local_of_groups(groups);
        if self.store.local(local).heads.len() > self.store.heads_limit {
            return Err(Exceeded { name: "heads", value: self.store.heads_limit });
        }
        Ok(local)
    }

    /// The local of cells on stacks.
    fn local_of_groups(&mut self, mut groups: Groups) -> LocalId {
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
        let ended = |g: &(NodeId, SmallVec<[CellId; 8]>)| {
            g.0 != NodeId::BOTTOM && g.1.iter().all(|&c| c == CellId::NIL)
        };
        while let Some(i) = groups.iter().position(ended) {
            let (node, _) = groups.swap_remove(i);
            let node = self.store.node(node);
            if node.bottom {
                add_cells(groups, NodeId::BOTTOM, &[CellId::NIL]);
            }
            for &(ret, below) in &node.links {
                add_cells(groups, below, &self.store.state(ret).kernel);
            }
        }
    }

    fn merge_nodes(&mut self, a: NodeId, b: NodeId, depth: usize) -> NodeId {
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.index.joined.get(&pair) {
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

    fn clamp_local(&mut self, id: LocalId) -> LocalId {
        let store = self.store;
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
        *store.local(id).clamped.get_or_init(|| clamped)
    }
}

/// Sorts edges by stack and joins those that lead to the same cell on the same stack.
fn join_edges(mut edges: Vec<(ByteSet, NodeId, CellId)>) -> Vec<(ByteSet, NodeId, CellId)> {
    edges.sort_unstable_by_key(|e| (e.1, e.2));
    edges.dedup_by(|next, kept| {
        let same = next.1 == kept.1 && next.2 == kept.2;
        if same {
            kept.0 = kept.0.union(&next.0);
        }
        same
    });
    edges
}

fn add_cells(groups: &mut Groups, node: NodeId, cells: &[CellId]) {
    match groups.iter_mut().find(|g| g.0 == node) {
        Some(group) => group.1.extend_from_slice(cells),
        None => groups.push((node, SmallVec::from_slice(cells))),
    }
}

fn make_expansion(edges: Vec<(ByteSet, NodeId, CellId)>, pops: bool) -> LocalExpansion {
    let classes = partition(edges.iter().map(|e| &e.0));
    let alive = classes.iter().fold(ByteSet::EMPTY, |all, c| all.union(c));
    let table = (classes.len() > 3).then(|| {
        let mut table = Box::new([0u8; 256]);
        for (i, class) in classes.iter().enumerate() {
            for byte in class.iter() {
                table[byte as usize] = i as u8;
            }
        }
        table
    });
    let classes = classes
        .into_iter()
        .map(|set| Class { set, target: AtomicU32::new(0), clamped: AtomicU32::new(0) })
        .collect();
    LocalExpansion { pops, alive, classes, edges: edges.into(), table }
}

impl LocalExpansion {
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.classes.len() * size_of::<Class>()
            + self.edges.len() * size_of::<(ByteSet, NodeId, CellId)>()
            + if self.table.is_some() { 256 } else { 0 }
    }
}
