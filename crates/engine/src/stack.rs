//! The stacks and configurations of one sequence.
//!
//! Stacks are immutable and shared: pushing makes a node, popping follows a link, and a fork or a rollback is
//! a pointer. Unlike the automaton's objects they belong to the sequences that use them and go with them.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ablate::{Switch, is_off};
use crate::automaton::{Moving, NodeId, StateId, Store};
use crate::collections::FewSet;

/// A shared stack.
pub(crate) type Stack = Arc<StackNode>;

/// A node of the graph of stacks: what to return to, and the stacks below.
pub(crate) struct StackNode {
    pub(crate) links: SmallVec<[(StateId, Stack); 1]>,
    /// Whether this may also be the bottom: the end of the text.
    pub(crate) bottom: bool,
    /// Whether all frames down to the bottom may end here, once someone has asked.
    accepts: OnceLock<bool>,
    /// Equal for equal stacks, however they came about: see [`key_of`].
    pub(crate) key: u128,
    /// See [`seen`](StackNode::seen).
    seen: OnceLock<u128>,
}

impl StackNode {
    pub(crate) fn bottom() -> Stack {
        Arc::new(StackNode {
            links: SmallVec::new(),
            bottom: true,
            accepts: OnceLock::from(true),
            key: key_of(&[], true),
            seen: OnceLock::new(),
        })
    }

    /// Equal for stacks that are equal as far as one token can tell: with [clamped](Store::clamped) states.
    #[inline]
    pub(crate) fn seen(&self, store: &Store) -> u128 {
        self.seen.get().copied().unwrap_or_else(|| self.find_seen(store))
    }

    /// Those below are asked first, in a loop: they may be many.
    fn find_seen(&self, store: &Store) -> u128 {
        let mut todo: SmallVec<[&StackNode; 4]> = SmallVec::from_slice(&[self]);
        let mut last = 0;
        while let Some(&top) = todo.last() {
            let open = todo.len();
            todo.extend(top.links.iter().map(|link| &*link.1).filter(|below| below.seen.get().is_none()));
            if todo.len() > open {
                continue;
            }
            todo.pop();
            let links = top.links.iter();
            let links =
                links.map(|(ret, below)| (store.clamped(*ret), below.seen.get().copied().unwrap_or(0)));
            last = *top.seen.get_or_init(|| key_of_links(links, top.bottom));
        }
        last
    }

    /// Whether the frame may end in `state` on this stack, and all below it as well.
    pub(crate) fn accepts_from(&self, store: &Store, state: StateId) -> bool {
        if !store.may_end(state) {
            return false;
        }
        // The stacks on which frames may end but of which it is not known whether all do, each with the one it was come
        // to from.
        let mut asked: SmallVec<[(&StackNode, Option<usize>); 4]> = SmallVec::new();
        let mut todo: SmallVec<[(StateId, &StackNode, Option<usize>); 4]> = SmallVec::new();
        let mut seen: FewSet<(StateId, u128)> = FewSet::default();
        todo.push((state, self, None));
        while let Some((state, stack, from)) = todo.pop() {
            if store.goes_on(state) {
                continue;
            }
            let expansion = store.expansion(state);
            let mut returns = |end, from| {
                for (ret, below) in &stack.links {
                    let ret = store.returned(*ret, end);
                    if seen.insert((ret, below.key)) {
                        todo.push((ret, below, from));
                    }
                }
            };
            let forgotten = !stack.bottom && is_off(Switch::AcceptMemo);
            let known = if expansion.last { Some(&true) } else { stack.accepts.get().filter(|_| !forgotten) };
            match known {
                Some(true) if expansion.accepting || expansion.last => {
                    let mut at = from;
                    while let Some((stack, from)) = at.map(|at| asked[at]) {
                        let _ = stack.accepts.set(true);
                        at = from;
                    }
                    return true;
                }
                None if expansion.accepting => {
                    asked.push((stack, from));
                    returns(None, Some(asked.len() - 1));
                }
                _ => {}
            }
            expansion.ends.iter().for_each(|&end| returns(Some(end), from));
        }
        for (stack, _) in asked {
            let _ = stack.accepts.set(false);
        }
        false
    }

    /// A stack; if it may be the bottom, all frames may end.
    fn new(links: SmallVec<[(StateId, Stack); 1]>, bottom: bool) -> Stack {
        let accepts = if bottom { OnceLock::from(true) } else { OnceLock::new() };
        Arc::new(StackNode { key: key_of(&links, bottom), links, bottom, accepts, seen: OnceLock::new() })
    }
}

/// Makes stack nodes; remembers which stacks it has joined, since those share what lies below them.
pub(crate) struct Stacks<'a> {
    store: &'a Store,
    joined: FxHashMap<(u128, u128), Stack>,
}

impl<'a> Stacks<'a> {
    pub(crate) fn new(store: &'a Store) -> Self {
        Stacks { store, joined: FxHashMap::default() }
    }

    /// The stack that returns to one state.
    #[inline]
    pub(crate) fn push(&self, ret: StateId, below: &Stack) -> Stack {
        if let ([(again, _)], false) = (&below.links[..], below.bottom)
            && ret == *again
            && self.store.is_star(ret)
        {
            return below.clone(); // x* after x* is x*
        }
        StackNode::new(SmallVec::from_buf([(ret, below.clone())]), false)
    }

    /// The stack of any of these links. Two ways to return to the same state are one, with the stacks below
    /// joined: that is what keeps the number of stacks small in ambiguous grammars.
    fn node(&mut self, mut links: SmallVec<[(StateId, Stack); 1]>, bottom: bool) -> Stack {
        if let ([(ret, below)], false) = (&links[..], bottom) {
            return self.push(*ret, below);
        }
        links.sort_by_key(|l| (l.0, l.1.key));
        let mut kept: SmallVec<[(StateId, Stack); 1]> = SmallVec::new();
        for (ret, below) in links {
            match kept.last_mut() {
                Some(last) if last.0 == ret => last.1 = self.join(&last.1, &below),
                _ => kept.push((ret, below)),
            }
        }
        self.make(kept, bottom)
    }

    /// The node of links to different states, in order.
    fn make(&self, links: SmallVec<[(StateId, Stack); 1]>, bottom: bool) -> Stack {
        if let ([(ret, below)], false) = (&links[..], bottom) {
            return self.push(*ret, below);
        }
        StackNode::new(links, bottom)
    }

    /// The stack that is either of two. Stacks below are joined first, in a loop: they may be deep.
    fn join(&mut self, a: &Stack, b: &Stack) -> Stack {
        let mut todo: Vec<(Stack, Stack)> = vec![(a.clone(), b.clone())];
        while let Some((a, b)) = todo.last().cloned() {
            if self.known_join(&a, &b).is_some() {
                todo.pop();
                continue;
            }
            let open = todo.len();
            for (ret, below) in &a.links {
                let other = b.links.iter().find(|l| l.0 == *ret).map(|l| &l.1);
                if let Some(other) = other.filter(|other| self.known_join(below, other).is_none()) {
                    todo.push((below.clone(), other.clone()));
                }
            }
            if todo.len() == open {
                todo.pop();
                let joined = self.join_known(&a, &b);
                self.joined.insert(pair_of(&a, &b), joined);
            }
        }
        self.known_join(a, b).unwrap_or_else(|| unreachable!("it was just made"))
    }

    fn known_join(&self, a: &Stack, b: &Stack) -> Option<Stack> {
        if a.key == b.key { Some(a.clone()) } else { self.joined.get(&pair_of(a, b)).cloned() }
    }

    /// The stack that is either of two, where the stacks below them are joined already.
    fn join_known(&self, a: &Stack, b: &Stack) -> Stack {
        let mut links: SmallVec<[(StateId, Stack); 1]> = SmallVec::new();
        for (ret, below) in &a.links {
            let other = b.links.iter().find(|l| l.0 == *ret);
            let joined = other.and_then(|l| self.known_join(below, &l.1));
            links.push((*ret, joined.unwrap_or_else(|| below.clone())));
        }
        links.extend(b.links.iter().filter(|l| !a.links.iter().any(|k| k.0 == l.0)).cloned());
        links.sort_by_key(|l| l.0);
        self.make(links, a.bottom || b.bottom)
    }

    /// How many stacks were joined.
    pub(crate) fn work(&self) -> usize {
        self.joined.len()
    }
}

fn pair_of(a: &Stack, b: &Stack) -> (u128, u128) {
    (a.key.min(b.key), a.key.max(b.key))
}

/// A 128-bit hash of a stack's content, from those of the stacks below it.
///
/// Ambiguous grammars build the same stack in many ways, and only joining equal ones keeps their number
/// small. Comparing content would walk whole stacks; a hash with a secret seed makes it one comparison, and
/// wrong with a probability of 2^-128 a pair that no input can raise.
fn key_of(links: &[(StateId, Stack)], bottom: bool) -> u128 {
    key_of_links(links.iter().map(|(ret, below)| (*ret, below.key)), bottom)
}

/// The same from the keys of the stacks below.
fn key_of_links(links: impl Iterator<Item = (StateId, u128)>, bottom: bool) -> u128 {
    static SEED: OnceLock<[u64; 2]> = OnceLock::new();
    let [a, b] = *SEED.get_or_init(|| [1, 2].map(|n: u64| RandomState::new().hash_one(n) | 1));
    let mix = |x: u64, y: u64, seed: u64| {
        let product = (x ^ seed) as u128 * (y ^ seed.rotate_left(32)) as u128;
        (product as u64) ^ (product >> 64) as u64
    };
    let (mut low, mut high) = (a.wrapping_add(bottom as u64), b.wrapping_mul(3 + bottom as u64));
    for (ret, below) in links {
        let (x, y) = (below as u64, (below >> 64) as u64);
        // Neighbouring ids must differ in many bits before they are mixed with the rest.
        let ret = (ret.0 as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (low, high) = (
            mix(low ^ x, y.wrapping_add(ret), a) ^ high.rotate_left(23),
            mix(high ^ y, x.wrapping_add(ret.rotate_left(31)), b) ^ low.rotate_left(41),
        );
    }
    (high as u128) << 64 | low as u128
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
/// Inside a key there are often two: one of the names, and any other.
pub(crate) type Config = SmallVec<[(StateId, Stack); 2]>;

/// Puts relative stacks on top of a base; nodes that occur more than once are made once.
pub(crate) struct Rebase<'a> {
    base: &'a Stack,
    made: FxHashMap<NodeId, Stack>,
}

impl<'a> Rebase<'a> {
    pub(crate) fn new(base: &'a Stack) -> Self {
        Rebase { base, made: FxHashMap::default() }
    }

    fn known(&self, node: NodeId) -> Option<Stack> {
        if node == NodeId::BOTTOM { Some(self.base.clone()) } else { self.made.get(&node).cloned() }
    }

    /// The stack `node` on top of the base.
    pub(crate) fn stack(&mut self, stacks: &mut Stacks<'_>, node: NodeId) -> Stack {
        if let Some(stack) = self.known(node) {
            return stack;
        }
        let store = stacks.store;
        if let [(ret, NodeId::BOTTOM)] = store.node(node).links[..]
            && !store.node(node).bottom
        {
            return stacks.push(ret, self.base);
        }
        let mut todo = vec![node];
        while let Some(&top) = todo.last() {
            let open = todo.len();
            let links = &store.node(top).links;
            todo.extend(links.iter().map(|l| l.1).filter(|&below| self.known(below).is_none()));
            if todo.len() == open {
                todo.pop();
                let stack = self.make(stacks, top);
                self.made.insert(top, stack);
            }
        }
        self.known(node).unwrap_or_else(|| unreachable!("it was just made"))
    }

    /// One node, where those below it are made.
    fn make(&self, stacks: &mut Stacks<'_>, node: NodeId) -> Stack {
        let node = stacks.store.node(node);
        let mut links: SmallVec<[(StateId, Stack); 1]> =
            node.links.iter().filter_map(|&(ret, below)| Some((ret, self.known(below)?))).collect();
        if node.bottom {
            links.extend(self.base.links.iter().cloned());
        }
        stacks.node(links, node.bottom && self.base.bottom)
    }
}

/// Takes configurations over into another store.
pub(crate) struct MovingStacks<'s> {
    states: Moving<'s>,
    /// The new stacks, by the keys of the old ones.
    made: FxHashMap<u128, Stack>,
}

impl<'s> MovingStacks<'s> {
    pub(crate) fn new(from: &'s Store, to: &'s Store) -> Self {
        MovingStacks { states: Moving::new(from, to), made: FxHashMap::default() }
    }

    /// The same configuration in the other store.
    pub(crate) fn config(&mut self, config: &Config) -> Config {
        let mut moved: Config =
            config.iter().map(|(state, stack)| (self.states.state(*state), self.stack(stack))).collect();
        moved.sort_by_key(|head| head.0);
        moved
    }

    /// The same stack, those below it first: in a loop, since it may be deep.
    fn stack(&mut self, stack: &Stack) -> Stack {
        let mut todo = vec![stack];
        while let Some(&top) = todo.last() {
            let open = todo.len();
            if !self.made.contains_key(&top.key) {
                todo.extend(
                    top.links.iter().map(|l| &l.1).filter(|below| !self.made.contains_key(&below.key)),
                );
            }
            if todo.len() > open {
                continue;
            }
            todo.pop();
            if !self.made.contains_key(&top.key) {
                let mut links: SmallVec<[(StateId, Stack); 1]> = SmallVec::new();
                for (ret, below) in &top.links {
                    links.push((self.states.state(*ret), self.made[&below.key].clone()));
                }
                links.sort_by_key(|l| l.0);
                self.made.insert(top.key, StackNode::new(links, top.bottom));
            }
        }
        self.made[&stack.key].clone()
    }
}

/// Brings heads into normal form: frames that have ended are left, equal stacks and equal states joined.
pub(crate) fn normalize(stacks: &mut Stacks<'_>, mut heads: SmallVec<[(StateId, Stack); 4]>) -> Config {
    if let [(state, _)] = &heads[..]
        && !stacks.store.has_ended(*state)
    {
        return heads.into_iter().collect();
    }
    let mut out: SmallVec<[(StateId, Stack); 4]> = SmallVec::new();
    while let Some((state, stack)) = heads.pop() {
        if !stack.links.is_empty() && stacks.store.has_ended(state) {
            let store = stacks.store;
            for end in store.ends_of(state) {
                heads.extend(
                    stack.links.iter().map(|(ret, below)| (store.returned(*ret, end), below.clone())),
                );
            }
            if stack.bottom {
                heads.push((StateId::END, StackNode::bottom()));
            }
            continue;
        }
        match out.iter_mut().find(|h| h.1.key == stack.key) {
            Some(head) if head.0 == state => {}
            Some(head) => head.0 = stacks.store.union(&[head.0, state]),
            None => out.push((state, stack)),
        }
    }
    let mut joined: Config = SmallVec::new();
    for (state, stack) in out {
        match joined.iter_mut().find(|h| h.0 == state) {
            Some(head) => head.1 = stacks.join(&head.1, &stack),
            None => joined.push((state, stack)),
        }
    }
    joined.sort_by_key(|h| h.0);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    fn node(links: &[(u32, &Stack)], bottom: bool) -> Stack {
        let links: SmallVec<[(StateId, Stack); 1]> =
            links.iter().map(|&(ret, below)| (StateId(ret), below.clone())).collect();
        StackNode::new(links, bottom)
    }

    #[test]
    fn different_stacks_have_different_keys() {
        let bottom = StackNode::bottom();
        let mut keys = FxHashSet::from_iter([bottom.key]);
        let ones: Vec<Stack> = (0..300).map(|ret| node(&[(ret, &bottom)], false)).collect();
        for (i, one) in ones.iter().enumerate() {
            assert!(keys.insert(one.key), "{i}");
            assert!(keys.insert(node(&[(i as u32, &bottom)], true).key), "{i}");
            for ret in 0..100 {
                assert!(keys.insert(node(&[(ret, one)], false).key), "{ret} on {i}");
                if ret as usize != i {
                    let two = node(&[(ret, &bottom), (i as u32, &bottom)], false);
                    assert!(keys.insert(two.key), "{ret} and {i}");
                }
            }
        }
    }
}
