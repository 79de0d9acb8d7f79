//! Goals: what is asked of one value, as a conjunction of schemas that hold and schemas that do not.
//!
//! The members of objects and the items of arrays stay goals until they are written down as rules, and equal goals
//! become the same rule. That is what makes recursive schemas finite.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::node::NodeId;

/// Something a value can be compared with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Atom {
    /// A schema.
    Node(NodeId),
    /// One value, of `const` or `enum`.
    Value(ValueId),
}

/// A JSON value that the schema mentions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ValueId(pub(super) u32);

/// An atom that is to hold, or not to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Literal {
    pub(crate) atom: Atom,
    pub(crate) holds: bool,
}

impl Literal {
    pub(crate) fn negated(self) -> Literal {
        Literal { holds: !self.holds, ..self }
    }
}

/// A conjunction of literals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct GoalId(u32);

impl GoalId {
    /// Any value.
    pub(crate) const ANY: GoalId = GoalId(0);
    /// No value.
    pub(crate) const NEVER: GoalId = GoalId(1);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All goals, each once.
#[derive(Debug)]
pub(crate) struct Goals {
    list: Vec<SmallVec<[Literal; 2]>>,
    /// For each schema, the goals that it does not hold and that it does; [`GoalId::ANY`] where nobody has asked yet.
    of_nodes: Vec<[GoalId; 2]>,
    /// The other goals by their literals.
    index: HashTable<GoalId>,
    joined: FxHashMap<(GoalId, GoalId), GoalId>,
    /// Two goals that a goal is the conjunction of.
    halves: FxHashMap<GoalId, (GoalId, GoalId)>,
}

impl Goals {
    /// None yet, about so many schemas.
    pub(crate) fn new(nodes: usize) -> Self {
        let mut list = Vec::with_capacity(nodes + 2);
        // The second entry stands for "never"; its literals are not looked at.
        list.extend([SmallVec::new(), SmallVec::new()]);
        Goals {
            list,
            of_nodes: vec![[GoalId::ANY; 2]; nodes],
            index: HashTable::new(),
            joined: FxHashMap::default(),
            halves: FxHashMap::default(),
        }
    }

    /// The literals of a goal other than [`GoalId::NEVER`].
    pub(crate) fn literals(&self, goal: GoalId) -> &[Literal] {
        &self.list[goal.index()]
    }

    /// The goal of one literal.
    pub(crate) fn of(&mut self, literal: Literal) -> GoalId {
        self.intern(&[literal])
    }

    /// Both goals.
    pub(crate) fn and(&mut self, a: GoalId, b: GoalId) -> GoalId {
        match (a, b) {
            _ if a == b => return a,
            (GoalId::NEVER, _) | (_, GoalId::NEVER) => return GoalId::NEVER,
            (GoalId::ANY, other) | (other, GoalId::ANY) => return other,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.joined.get(&key) {
            return known;
        }
        let mut literals: SmallVec<[Literal; 8]> = SmallVec::from_slice(self.literals(a));
        literals.extend_from_slice(self.literals(b));
        literals.sort_unstable();
        literals.dedup();
        let contradicts = literals.windows(2).any(|pair| pair[0].atom == pair[1].atom);
        let goal = if contradicts { GoalId::NEVER } else { self.intern(&literals) };
        self.joined.insert(key, goal);
        if goal != a && goal != b && goal != GoalId::NEVER {
            self.halves.entry(goal).or_insert((a, b));
        }
        goal
    }

    /// Two smaller goals that this one is the conjunction of, if it came about so.
    pub(crate) fn halves(&self, goal: GoalId) -> Option<(GoalId, GoalId)> {
        self.halves.get(&goal).copied()
    }

    /// Whether whatever has goal `a` has goal `b`, as far as their forms show.
    pub(crate) fn implies(&self, a: GoalId, b: GoalId) -> bool {
        match (a, b) {
            (GoalId::NEVER, _) | (_, GoalId::ANY) => true,
            (_, GoalId::NEVER) => false,
            _ => self.literals(b).iter().all(|literal| self.literals(a).contains(literal)),
        }
    }

    fn intern(&mut self, literals: &[Literal]) -> GoalId {
        match *literals {
            [] => return GoalId::ANY,
            [Literal { atom: Atom::Node(node), holds }] => {
                let known = self.of_nodes[node.index()][usize::from(holds)];
                if known != GoalId::ANY {
                    return known;
                }
                let id = self.add(literals);
                self.of_nodes[node.index()][usize::from(holds)] = id;
                return id;
            }
            _ => {}
        }
        let hash = FxBuildHasher.hash_one(literals);
        if let Some(&id) = self.index.find(hash, |id| self.list[id.index()][..] == *literals) {
            return id;
        }
        let id = self.add(literals);
        let list = &self.list;
        self.index.insert_unique(hash, id, |id| FxBuildHasher.hash_one(&list[id.index()][..]));
        id
    }

    /// A goal that is new.
    fn add(&mut self, literals: &[Literal]) -> GoalId {
        // Every goal is kept in memory, so that there are never 2^32 of them.
        let id = GoalId(self.list.len() as u32);
        self.list.push(SmallVec::from_slice(literals));
        id
    }
}
