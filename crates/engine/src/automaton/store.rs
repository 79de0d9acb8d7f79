//! Where the automaton's objects live: read without a lock, written under one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr, IdIndex};
use tokenstile_grammar::{CharSetId, ExprId, Limits, MembersId};

use super::any_text::AnyTexts;
use super::append::{AppendVec, Writer};
use super::boolean::{Formula, FormulaId};
use super::build::Build;
use super::counted::{Counted, CountedId, MachineState, MachineStateId};
use super::entries::{Entry, KnownGeneric};
use super::local::Local;
use super::program::Program;
use super::watched::Watcher;
use crate::library::Library;
use crate::mask::{PendingId, Walked, WalkedId};
use crate::memo::{Memo, OnceId};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub(crate) u32);
        impl $name {
            #[inline]
            pub(crate) fn of(store: &Store, index: usize) -> Self {
                // `Limits::states` keeps every arena far below 2^28 entries.
                $name(store.own + index as u32)
            }
        }
        impl From<u32> for $name {
            #[inline]
            fn from(number: u32) -> Self {
                $name(number)
            }
        }
        impl From<$name> for u32 {
            #[inline]
            fn from(id: $name) -> u32 {
                id.0
            }
        }
    };
}
pub(crate) use id;

id!(/// A [`Cell`].
    CellId);
id!(/// A [`State`].
    StateId);
id!(/// A [`Node`].
    NodeId);
id!(/// A [`Local`].
    LocalId);

impl CellId {
    /// The end of the frame.
    pub(crate) const NIL: CellId = CellId(0);
}

impl StateId {
    /// The state in which the frame has ended and nothing else is possible.
    pub(crate) const END: StateId = StateId(0);
}

impl NodeId {
    /// The stack under the place where we started looking.
    pub(crate) const BOTTOM: NodeId = NodeId(0);
}

/// What a cell matches before its tail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Head {
    /// An expression; the number is the offset into a literal, the position in a sequence, the count of finished
    /// rounds of a repetition, or a place in members or a machine.
    Expr(ExprId, u32),
    /// The rest of a character, from a node of its set's UTF-8 automaton.
    Utf8(CharSetId, u32),
    /// The rest of a boolean expression.
    Bool(FormulaId),
    /// The end of a frame that is an entry of some members.
    End(End),
    /// A cell in a frame of its own, up to the end of that.
    Frame(CellId),
}

/// How the frame of an entry ends: in which slot of which members.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct End {
    pub(crate) members: MembersId,
    pub(crate) slot: u32,
}

/// What is left to match: see the module documentation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) head: Head,
    pub(crate) tail: CellId,
    /// The same cell with counters that cannot run out within one token set to one common value.
    pub(crate) clamped: CellId,
}

/// A set of cells in one frame.
pub(crate) struct State {
    /// Sorted, without duplicates.
    pub(crate) kernel: SmallVec<[CellId; 4]>,
    pub(super) expansion: OnceLock<Expansion>,
    pub(super) clamped: OnceId<StateId>,
    pub(super) local: OnceId<LocalId>,
    /// The tokens that this state allows from the start of a token.
    pub(crate) walked: OnceLock<Box<Walked>>,
    /// The same for what is left of a token after an inner frame ended.
    pub(crate) resolved: Memo<PendingId, WalkedId>,
    /// For a choice, where it goes on after an entry.
    pub(super) after: Memo<End, StateId>,
    /// What stands for this state whatever slots are open.
    pub(super) generic: KnownGeneric,
    /// The bytes that what is left of the frame may begin with.
    pub(super) firsts: OnceLock<Box<ByteSet>>,
    /// See [`goes_on`](Store::goes_on).
    pub(super) goes_on: OnceLock<bool>,
}

/// What can happen next in a state.
pub(crate) struct Expansion {
    /// Cells that consume a byte.
    pub(super) terminals: SmallVec<[CellId; 4]>,
    /// Where bytes lead from those.
    pub(super) edges: OnceLock<Box<[(ByteSet, CellId)]>>,
    /// Calls: the state to return to, and the state to start in.
    pub(crate) calls: SmallVec<[(StateId, StateId); 2]>,
    /// The same for parts of entries.
    pub(crate) frames: SmallVec<[(StateId, StateId); 2]>,
    /// Entries of members that may begin, each as the state to return to: see [`entries`](super::entries).
    pub(crate) choices: SmallVec<[StateId; 4]>,
    /// Whether the frame may end here.
    pub(crate) accepting: bool,
    /// How the frame may end here, if it is that of an entry.
    pub(crate) ends: SmallVec<[End; 2]>,
}

/// A stack, from above.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    /// Sorted pairs of the state to return to and the stack below it.
    pub(crate) links: SmallVec<[(StateId, NodeId); 1]>,
    /// Whether this may also be the unknown stack itself.
    pub(crate) bottom: bool,
}

/// A limit that a piece of work ran into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Exceeded {
    pub(crate) name: &'static str,
    pub(crate) value: usize,
}

/// Counts units of work against a limit.
#[derive(Debug)]
pub(crate) struct Work {
    left: usize,
    limit: usize,
    /// When something first had to be worked out that no cache had.
    cold_since: Option<Instant>,
    /// How many frames are walked within each other.
    pub(crate) depth: u32,
}

impl Work {
    pub(crate) fn new(limit: usize) -> Self {
        Work { left: limit, limit, cold_since: None, depth: 0 }
    }

    /// Takes note that something is not in the caches. Only then is the clock read.
    #[inline]
    pub(crate) fn is_cold(&mut self) {
        self.cold_since.get_or_insert_with(Instant::now);
    }

    /// How long ago something was first not in the caches; none if everything was.
    #[inline]
    pub(crate) fn cold_for(&self) -> Option<Duration> {
        self.cold_since.map(|since| since.elapsed())
    }

    #[inline]
    pub(crate) fn spend(&mut self, units: usize) -> Result<(), Exceeded> {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Exceeded { name: "mask_work", value: self.limit }),
        }
    }
}

/// Ids below this are the library's, if there is one.
pub(crate) const OWN: u32 = 1 << 28;

/// All objects of one constraint's automaton.
pub(crate) struct Store {
    pub(crate) program: std::sync::Arc<Program>,
    /// What other constraints have too: see [`library`](crate::library).
    pub(crate) library: Option<Arc<Library>>,
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
    bytes: AtomicUsize,
    start: OnceLock<StateId>,
    pub(super) any_texts: OnceLock<AnyTexts>,
    exceeded: OnceLock<Exceeded>,
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
    pub(super) generic: FxHashMap<(MembersId, bool), CountedId>,
    /// What the library has for members of which nothing is known but what is between them.
    pub(super) shared_members: FxHashMap<MembersId, Option<(ExprId, MembersId)>>,
    /// What follows an entry in a slot.
    pub(super) counted_next: FxHashMap<(CountedId, u32), CountedId>,
    /// Nodes that were joined.
    pub(super) joined: FxHashMap<(NodeId, NodeId), NodeId>,
    /// How many leaves of formulas were made.
    pub(super) leaves: usize,
    /// How many bytes cells miss to their ends, of those that were asked for.
    pub(super) distances: FxHashMap<CellId, u32>,
    /// What large leaves of formulas come from.
    pub(super) large_leaves: FxHashMap<Box<[CellId]>, FormulaId>,
    /// What some ASCII characters do in a formula: see [`watched`](super::watched).
    pub(super) watchers: FxHashMap<(FormulaId, u128), Option<Arc<Watcher>>>,
}

/// What a small grammar comes to.
const SMALL: usize = 448;

impl Index {
    /// Room for what a grammar of so many expressions comes to, so that tables hardly grow in the middle of a mask.
    fn new(exprs: usize) -> Self {
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
    /// The store of a program that begins as that of the library does, if there is one.
    pub(crate) fn new(program: Arc<Program>, limits: &Limits, library: Option<Arc<Library>>) -> Self {
        let exprs = program.arena.len() - program.arena.base_len();
        let entries = program.arena.all_members().map(|_| OnceLock::new()).collect();
        let index = Index::new(exprs);
        let store = Store {
            program,
            own: if library.is_some() { OWN } else { 0 },
            library,
            entries,
            cells: AppendVec::new(&index.writer),
            states: AppendVec::new(&index.writer),
            nodes: AppendVec::new(&index.writer),
            locals: AppendVec::new(&index.writer),
            formulas: AppendVec::new(&index.writer),
            counted: AppendVec::new(&index.writer),
            machine_states: AppendVec::new(&index.writer),
            index: Mutex::new(index),
            heads_limit: limits.heads,
            states_limit: limits.states,
            bytes: AtomicUsize::new(0),
            start: OnceLock::new(),
            any_texts: OnceLock::new(),
            exceeded: OnceLock::new(),
        };
        if store.library.is_none() {
            let head = Head::Expr(store.program.arena.empty(), 0);
            let mut build = store.build();
            let end = Cell { head, tail: CellId::NIL, clamped: CellId::NIL };
            store.cells.push(end, &mut build.index.writer);
            build.constants();
        }
        let mut build = store.build();
        let root = store.program.root;
        let cell = build.push(root, CellId::NIL);
        let start = build.state(&[cell]);
        drop(build);
        let _ = store.start.set(start);
        store
    }

    /// Takes the writer's lock.
    pub(super) fn build(&self) -> Build<'_> {
        // A poisoned index is still consistent: an entry is added only after its object is complete.
        let index: MutexGuard<'_, Index> = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        Build::new(self, index)
    }

    /// The limit that a search in here ran into; from then on nothing it says can be relied on.
    pub(crate) fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded.get().copied()
    }

    pub(super) fn set_exceeded(&self, exceeded: Exceeded) {
        let _ = self.exceeded.set(exceeded);
    }

    /// Whether the root, a boolean expression, matches nothing.
    pub(crate) fn is_never(&self) -> bool {
        self.build().formula_of(self.program.root) == super::boolean::FormulaId::FALSE
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

    /// What can happen next in a state.
    pub(crate) fn expansion(&self, id: StateId) -> &Expansion {
        let state = self.state(id);
        match state.expansion.get() {
            Some(expansion) => expansion,
            None => {
                self.home(id.0).build().expand_state(id);
                state.expansion.get().unwrap_or_else(|| unreachable!("expand_state sets it"))
            }
        }
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

    /// Whether the frame may end in this state.
    #[inline]
    pub(crate) fn may_end(&self, id: StateId) -> bool {
        if self.goes_on(id) {
            return false;
        }
        let expansion = self.expansion(id);
        expansion.accepting || !expansion.ends.is_empty()
    }

    /// The state as far as one token can tell: see [`Cell::clamped`].
    #[inline]
    pub(crate) fn clamped(&self, id: StateId) -> StateId {
        let state = self.state(id);
        match state.clamped.get() {
            Some(clamped) => clamped,
            None => self.home(id.0).build().clamp_state(id),
        }
    }

    /// The configuration "in this state, on an unknown stack".
    #[inline]
    pub(crate) fn local_of(&self, id: StateId) -> LocalId {
        let state = self.state(id);
        match state.local.get() {
            Some(local) => local,
            None => {
                let local = self.home(id.0).build().local(&[(id, NodeId::BOTTOM)]);
                state.local.set(local)
            }
        }
    }

    /// Where `byte` leads from a state without leaving its frame or calling another.
    pub(crate) fn step_in_frame(&self, id: StateId, byte: u8) -> Option<StateId> {
        let mut build = self.build();
        let edges = self.edges_in(&mut build, id).iter().filter(|e| e.0.contains(byte));
        let cells: SmallVec<[CellId; 8]> = edges.map(|e| e.1).collect();
        if cells.is_empty() { None } else { Some(build.state(&cells)) }
    }

    /// The state that matches what any of `states` matches.
    pub(crate) fn union(&self, states: &[StateId]) -> StateId {
        let cells: Vec<CellId> = states.iter().flat_map(|&s| self.state(s).kernel.iter().copied()).collect();
        self.build().state(&cells)
    }
}
