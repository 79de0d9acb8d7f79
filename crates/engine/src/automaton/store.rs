//! Where the automaton's objects live: read without a lock, written under one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::{Expr, IdIndex};
use tokenstile_grammar::{ExprId, MembersId};

use super::exprs::Program;
use super::objects::formula::Formula;
use super::objects::ids::{CountedId, FormulaId, LocalId, MachineStateId};
use super::objects::local::Local;
use super::objects::members::{Counted, Entry, MachineState};
use super::objects::state::{Node, State};
use super::places::Watcher;
use super::{Cell, CellId, Head, NodeId, StateId};
use crate::collections::{AppendVec, MemoStats, Retired, Table, Writer};
use crate::work::Exceeded;

/// A store that others refer to, and how much of a grammar it is made of.
pub(crate) struct SharedStore {
    pub(crate) store: Store,
    pub(super) exprs: usize,
    pub(super) char_sets: usize,
    pub(super) machines: usize,
    pub(super) members: usize,
    /// Members of which nothing is known but their separator.
    pub(super) generic: Vec<(ExprId, MembersId)>,
}

/// All objects of one constraint's automaton.
pub(crate) struct Store {
    pub(crate) program: std::sync::Arc<Program>,
    /// What other constraints have too.
    pub(crate) library: Option<Arc<SharedStore>>,
    /// The first id of this store's own objects.
    pub(crate) own: u32,
    pub(super) cells: AppendVec<Cell>,
    pub(super) states: AppendVec<State>,
    pub(super) nodes: AppendVec<Node>,
    pub(super) locals: AppendVec<Local>,
    pub(super) formulas: AppendVec<Formula>,
    pub(super) counted: AppendVec<Counted>,
    pub(super) machine_states: AppendVec<MachineState>,
    /// For each members, the cells of its entries by slot, as far as they were needed.
    pub(super) entries: Vec<OnceLock<Box<[Entry]>>>,
    pub(super) index: Mutex<Index>,
    pub(super) heads_limit: usize,
    pub(super) states_limit: usize,
    pub(super) bytes: AtomicUsize,
    pub(super) start: OnceLock<StateId>,
    pub(super) exceeded: OnceLock<Exceeded>,
}

/// Finds objects by content; held only while something new is built.
#[derive(Default)]
pub(super) struct Index {
    /// Adds the objects to the store.
    pub(super) writer: Writer,
    pub(super) cells: IdIndex<CellId>,
    pub(super) states: IdIndex<StateId>,
    pub(super) nodes: IdIndex<NodeId>,
    pub(super) locals: IdIndex<LocalId>,
    pub(super) formulas: IdIndex<FormulaId>,
    pub(super) counted: IdIndex<CountedId>,
    pub(super) machine_states: IdIndex<MachineStateId>,
    /// Places after an entry of which nothing is known but whether the members may end there.
    pub(super) generic: Table<(MembersId, bool), CountedId>,
    /// What the library has for members of which nothing is known but what is between them.
    pub(super) shared_members: FxHashMap<MembersId, Option<(ExprId, MembersId)>>,
    /// What follows an entry in a slot.
    pub(super) counted_next: Table<(CountedId, u32), CountedId>,
    /// Nodes that were joined.
    pub(super) joined: Table<(NodeId, NodeId), NodeId>,
    /// How many leaves of formulas were made.
    pub(super) leaves: usize,
    /// How many bytes cells miss to their ends, of those that were asked for.
    pub(super) distances: Table<CellId, u32>,
    /// What large leaves of formulas come from.
    pub(super) large_leaves: Table<Box<[CellId]>, FormulaId>,
    /// What some ASCII characters do in a formula: see [`watched`](super::places).
    pub(super) watchers: Table<(FormulaId, u128), Option<Arc<Watcher>>>,
}

/// What a small grammar comes to.
const SMALL: usize = 448;

impl Index {
    /// Room for what a grammar of so many expressions comes to, so that tables hardly grow in the middle of a mask.
    pub(super) fn new(exprs: usize) -> Self {
        Index {
            cells: IdIndex::with_capacity((4 * exprs).clamp(SMALL, 8 * SMALL)),
            states: IdIndex::with_capacity((2 * exprs).clamp(SMALL, 4 * SMALL)),
            nodes: IdIndex::with_capacity(112),
            locals: IdIndex::with_capacity((2 * exprs).clamp(SMALL, 4 * SMALL)),
            ..Index::default()
        }
    }
}

impl Store {
    /// What is remembered by key.
    pub(crate) fn memos(&self) -> Vec<MemoStats> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        vec![
            index.generic.stats("generic tallies"),
            index.counted_next.stats("tallies"),
            index.joined.stats("joined stacks"),
            index.distances.stats("distances"),
            index.large_leaves.stats("leaves of formulas"),
            index.watchers.stats("watchers"),
        ]
    }

    /// The limit that a search in here ran into; from then on nothing it says can be relied on.
    pub(crate) fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded.get().copied()
    }

    pub(super) fn set_exceeded(&self, exceeded: Exceeded) {
        let _ = self.exceeded.set(exceeded);
    }

    /// The state at the start of the text.
    pub(crate) fn start(&self) -> StateId {
        *self.start.get_or_init(|| StateId::END)
    }

    /// Bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn add_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Hands over what takes long to drop.
    pub(crate) fn retire(self, retired: &mut Retired) {
        let Store { states, locals, nodes, formulas, counted, machine_states, .. } = self;
        retired.add(states);
        retired.add(locals);
        retired.add(nodes);
        retired.add(formulas);
        retired.add(counted);
        retired.add(machine_states);
    }

    /// How many states there are, of frames and of configurations.
    pub(crate) fn state_count(&self) -> usize {
        self.states.len() + self.locals.len()
    }

    /// Whether this store should be given up for a new one.
    pub(crate) fn is_full(&self, cache_bytes: usize) -> bool {
        self.bytes() > cache_bytes
            || self.states.len() > self.states_limit
            || self.locals.len() > self.states_limit
    }

    /// Where the object with this number is: here, or in the library.
    #[inline]
    pub(crate) fn home(&self, id: u32) -> &Store {
        if id >= self.own {
            return self;
        }
        self.library.as_ref().map_or(self, |library| &library.store)
    }

    #[inline]
    pub(crate) fn cell(&self, id: CellId) -> Cell {
        let home = self.home(id.0);
        *home.cells.get((id.0 - home.own) as usize)
    }

    #[inline]
    pub(crate) fn state(&self, id: StateId) -> &State {
        let home = self.home(id.0);
        home.states.get((id.0 - home.own) as usize)
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        let home = self.home(id.0);
        home.nodes.get((id.0 - home.own) as usize)
    }

    #[inline]
    pub(crate) fn local(&self, id: LocalId) -> &Local {
        let home = self.home(id.0);
        home.locals.get((id.0 - home.own) as usize)
    }

    /// Whether it is seen at a glance that the frame does not end in this state.
    pub(crate) fn goes_on(&self, id: StateId) -> bool {
        let state = self.state(id);
        *state.goes_on.get_or_init(|| self.find_goes_on(state))
    }

    fn find_goes_on(&self, state: &State) -> bool {
        state.kernel.iter().all(|&cell| {
            let mut at = cell;
            while at != CellId::NIL {
                let cell = self.cell(at);
                match cell.head {
                    Head::Utf8(..) => return true,
                    Head::Expr(expr, 0) if !self.program.is_nullable(expr) => return true,
                    Head::Expr(expr, _) if matches!(self.program.arena.get(expr), Expr::Literal(_)) => {
                        return true;
                    }
                    _ => at = cell.tail,
                }
            }
            false
        })
    }

    /// Whether the frame, or the text, may end in this state.
    #[inline]
    pub(crate) fn may_end(&self, id: StateId) -> bool {
        if self.goes_on(id) {
            return false;
        }
        let expansion = self.expansion(id);
        expansion.accepting || expansion.last || !expansion.ends.is_empty()
    }
}
