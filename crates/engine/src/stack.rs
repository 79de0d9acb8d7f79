//! The stacks and configurations of one sequence.
//!
//! Stacks are immutable and shared: pushing makes a node, popping follows a link, and a fork or a rollback is
//! a pointer. Unlike the automaton's objects they belong to the sequences that use them and go with them.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::automaton::{NodeId, StateId, Store};

/// A shared stack.
pub(crate) type Stack = Arc<StackNode>;

/// A node of the graph of stacks: what to return to, and the stacks below.
pub(crate) struct StackNode {
    pub(crate) links: SmallVec<[(StateId, Stack); 1]>,
    /// Whether this may also be the bottom: the end of the text.
    pub(crate) bottom: bool,
    /// Whether all frames down to the bottom may end here.
    pub(crate) accepts: bool,
}

impl StackNode {
    pub(crate) fn bottom() -> Stack {
        Arc::new(StackNode { links: SmallVec::new(), bottom: true, accepts: true })
    }

    fn new(store: &Store, links: SmallVec<[(StateId, Stack); 1]>, bottom: bool) -> Stack {
        if let ([(ret, below)], false) = (&links[..], bottom)
            && let ([(again, _)], false) = (&below.links[..], below.bottom)
            && ret == again
            && store.is_star(*ret)
        {
            return below.clone(); // x* after x* is x*
        }
        let accepts = bottom || links.iter().any(|(ret, below)| below.accepts && store.is_accepting(*ret));
        Arc::new(StackNode { links, bottom, accepts })
    }
}

impl Drop for StackNode {
    /// Long stacks are taken apart in a loop: dropping them link by link would use the call stack.
    fn drop(&mut self) {
        let mut todo: SmallVec<[Stack; 1]> = self.links.drain(..).map(|l| l.1).collect();
        while let Some(stack) = todo.pop() {
            if let Some(mut node) = Arc::into_inner(stack) {
                todo.extend(node.links.drain(..).map(|l| l.1));
            }
        }
    }
}

/// Where a sequence stands: heads, each a state on a stack.
pub(crate) type Config = SmallVec<[(StateId, Stack); 1]>;

/// Puts relative stacks on top of a base; nodes that occur more than once are made once.
pub(crate) struct Rebase<'a> {
    store: &'a Store,
    base: &'a Stack,
    made: FxHashMap<NodeId, Stack>,
}

impl<'a> Rebase<'a> {
    pub(crate) fn new(store: &'a Store, base: &'a Stack) -> Self {
        Rebase { store, base, made: FxHashMap::default() }
    }

    fn known(&self, node: NodeId) -> Option<Stack> {
        if node == NodeId::BOTTOM { Some(self.base.clone()) } else { self.made.get(&node).cloned() }
    }

    /// The stack `node` on top of the base.
    pub(crate) fn stack(&mut self, node: NodeId) -> Stack {
        if let Some(stack) = self.known(node) {
            return stack;
        }
        if let [(ret, NodeId::BOTTOM)] = self.store.node(node).links[..]
            && !self.store.node(node).bottom
        {
            return StackNode::new(self.store, SmallVec::from_buf([(ret, self.base.clone())]), false);
        }
        let mut todo = vec![node];
        while let Some(&top) = todo.last() {
            let open = todo.len();
            let links = &self.store.node(top).links;
            todo.extend(links.iter().map(|l| l.1).filter(|&below| self.known(below).is_none()));
            if todo.len() == open {
                todo.pop();
                let stack = self.make(top);
                self.made.insert(top, stack);
            }
        }
        self.known(node).unwrap_or_else(|| unreachable!("it was just made"))
    }

    /// One node, where those below it are made.
    fn make(&self, node: NodeId) -> Stack {
        let node = self.store.node(node);
        let mut links: SmallVec<[(StateId, Stack); 1]> =
            node.links.iter().filter_map(|&(ret, below)| Some((ret, self.known(below)?))).collect();
        if node.bottom {
            links.extend(self.base.links.iter().cloned());
        }
        StackNode::new(self.store, links, node.bottom && self.base.bottom)
    }
}

/// Brings heads into normal form: frames that have ended are left, equal stacks and equal states joined.
pub(crate) fn normalize(store: &Store, mut heads: SmallVec<[(StateId, Stack); 4]>) -> Config {
    if let [(state, _)] = &heads[..]
        && *state != StateId::END
    {
        return heads.into_iter().collect();
    }
    let mut out: SmallVec<[(StateId, Stack); 4]> = SmallVec::new();
    while let Some((state, stack)) = heads.pop() {
        if state == StateId::END && !stack.links.is_empty() {
            heads.extend(stack.links.iter().cloned());
            if stack.bottom {
                heads.push((StateId::END, StackNode::bottom()));
            }
            continue;
        }
        let same_stack = |h: &&mut (StateId, Stack)| Arc::ptr_eq(&h.1, &stack) || (h.1.is_bottom() && stack.is_bottom());
        match out.iter_mut().find(same_stack) {
            Some(head) if head.0 == state => {}
            Some(head) => head.0 = store.union(&[head.0, state]),
            None => out.push((state, stack)),
        }
    }
    let mut joined: Config = SmallVec::new();
    for (state, stack) in out {
        match joined.iter_mut().find(|h| h.0 == state) {
            Some(head) => head.1 = merge(store, &head.1, &stack),
            None => joined.push((state, stack)),
        }
    }
    joined.sort_by_key(|h| h.0);
    joined
}

impl StackNode {
    fn is_bottom(&self) -> bool {
        self.bottom && self.links.is_empty()
    }
}

fn merge(store: &Store, a: &Stack, b: &Stack) -> Stack {
    let mut links = a.links.clone();
    for link in &b.links {
        if !links.iter().any(|l| l.0 == link.0 && Arc::ptr_eq(&l.1, &link.1)) {
            links.push(link.clone());
        }
    }
    StackNode::new(store, links, a.bottom || b.bottom)
}
