//! The reference matcher: Earley's recognizer, run on the expressions of the IR as they are.
//!
//! Every expression is a nonterminal, and how far a match of it has come is a number: the next part of a
//! sequence, the rounds of a repetition, the node of a UTF-8 automaton, an interned place in members or a machine. An
//! item is an expression, that number and the column where the match began. Expressions that match nothing are never predicted, so every item can
//! be completed and *a column with an item in it means a viable text*.
//!
//! What a column does next depends only on its unfinished items and the columns they began in. Columns are
//! therefore interned by just that: texts with the same future often share a [`RefState`], steps are
//! remembered, and a search over states ends where it can.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use tokenstile_grammar::ir::{Expr, Members, TokenSet, Utf8Dfa, Utf8Next};
use tokenstile_grammar::{CharSetId, ExprId, Grammar};

use crate::Viability;
use crate::boolean::{SpanAutomaton, has_open_look};
use crate::members::{Entries, Usable};

/// The state of a [`Reference`] after some text. It belongs to the reference that made it. Equal states have
/// the same continuations (the converse need not hold).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RefState(u32);

/// The origin of an item that begins in the column it is in.
const HERE: RefState = RefState(u32::MAX);
const START: RefState = RefState(0);
/// How far a character match has come when it is complete; smaller numbers are nodes of its automaton.
const CHAR_DONE: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Item {
    expr: ExprId,
    dot: u32,
    origin: RefState,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct ColumnKey {
    /// Unfinished items, sorted.
    items: Vec<Item>,
    accepting: bool,
    /// Whether some emptiness test that led here ran out of its budget.
    doubtful: bool,
}

#[derive(Debug)]
struct Column {
    key: ColumnKey,
    /// For an expression that is expected here, the items that go on once it is matched.
    waiting: FxHashMap<ExprId, Vec<Item>>,
}

/// A recognizer for one grammar. It keeps every column it ever made: use one per test case.
#[derive(Debug)]
pub struct Reference<'g> {
    grammar: &'g Grammar,
    root: ExprId,
    /// Expressions that are matched by an automaton of their own rather than through their parts.
    boolean: FxHashSet<ExprId>,
    /// Expressions that can be reached and match some text.
    productive: FxHashSet<ExprId>,
    utf8: FxHashMap<CharSetId, Utf8Dfa>,
    /// Whether an emptiness test ran out of its budget before any text was read.
    doubtful: bool,
    /// Whether tokens are matched as wholes.
    has_terminals: bool,
    places: RefCell<Places>,
    store: RefCell<Store>,
}

/// How far a match of members or of a machine has got.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Place {
    /// An entry must come; at the start there may be none.
    Entry {
        start: bool,
        entries: Entries,
    },
    AfterEntry(Entries),
    Machine(Vec<u8>),
}

#[derive(Debug, Default)]
struct Places {
    list: Vec<Place>,
    ids: FxHashMap<Place, u32>,
    /// What is expected at a place of members.
    expected: FxHashMap<(ExprId, u32), Vec<(ExprId, u32)>>,
}

impl Places {
    fn intern(&mut self, place: Place) -> u32 {
        *self.ids.entry(place.clone()).or_insert_with(|| {
            self.list.push(place);
            self.list.len() as u32 - 1
        })
    }
}

#[derive(Debug, Default)]
struct Store {
    columns: Vec<Column>,
    ids: FxHashMap<ColumnKey, RefState>,
    steps: FxHashMap<(RefState, u8), RefState>,
    automata: FxHashMap<ExprId, SpanAutomaton>,
}

impl<'g> Reference<'g> {
    /// The recognizer of `grammar`, which may be as a front end wrote it or as the passes left it.
    pub fn new(grammar: &'g Grammar) -> Self {
        let root = grammar.rule(grammar.root()).body;
        let mut this = Reference {
            grammar,
            root,
            boolean: FxHashSet::default(),
            productive: FxHashSet::default(),
            utf8: FxHashMap::default(),
            doubtful: false,
            has_terminals: false,
            places: RefCell::new(Places::default()),
            store: RefCell::new(Store::default()),
        };
        let reachable = this.prepare();
        this.find_productive(&reachable);
        let first = Item { expr: root, dot: this.first_dot(root), origin: HERE };
        let kernel = if this.productive.contains(&root) { vec![first] } else { Vec::new() };
        this.column(kernel, this.doubtful);
        this
    }

    /// The state before any text.
    pub fn start(&self) -> RefState {
        START
    }

    /// The state after one more byte.
    pub fn step(&self, state: RefState, byte: u8) -> RefState {
        if let Some(&known) = self.store.borrow().steps.get(&(state, byte)) {
            return known;
        }
        let (kernel, doubtful) = self.scan_column(state, byte);
        let next = self.column(kernel, doubtful);
        self.store.borrow_mut().steps.insert((state, byte), next);
        next
    }

    /// The state after one token: by its text, if it has one, or as one of a terminal whose set `has` it. Of several ways
    /// to read it each counts.
    ///
    /// A terminal takes a token whole and no text of it. Where there are terminals, texts have no bytes that are in no UTF-8:
    /// a token with such bytes has no text then.
    pub fn step_token(
        &self,
        state: RefState,
        text: Option<&[u8]>,
        has: &dyn Fn(&TokenSet) -> bool,
    ) -> RefState {
        let is_text = |text: &&[u8]| !self.has_terminals || text.iter().all(|&byte| byte < 0xF5);
        let by_text = text.filter(is_text).and_then(|text| text.split_last());
        let (mut kernel, mut doubtful) = match by_text {
            Some((&last, before)) => self.scan_column(self.run_from(state, before), last),
            None => (Vec::new(), false),
        };
        let key = self.store.borrow().columns[state.0 as usize].key.clone();
        for item in key.items {
            if let Expr::Tokens(set) = self.grammar.arena().get(item.expr)
                && item.dot == 0
                && has(self.grammar.arena().token_set(set))
            {
                kernel.push(Item { dot: 1, origin: resolve(item.origin, state), ..item });
                doubtful |= key.doubtful;
            }
        }
        self.column(kernel, doubtful)
    }

    /// Whether some continuation of the text that led to `state` is a sentence.
    pub fn viability(&self, state: RefState) -> Viability {
        let key = &self.store.borrow().columns[state.0 as usize].key;
        match (key.accepting, key.items.is_empty(), key.doubtful) {
            (false, true, _) => Viability::No,
            (false, false, true) => Viability::Unknown,
            _ => Viability::Yes,
        }
    }

    /// Whether the text that led to `state` is a sentence. This answer is always exact.
    pub fn is_accepting(&self, state: RefState) -> bool {
        self.store.borrow().columns[state.0 as usize].key.accepting
    }

    /// The state after `text`.
    pub fn run(&self, text: &[u8]) -> RefState {
        self.run_from(START, text)
    }

    /// The state after `text`, from `state` on.
    pub fn run_from(&self, state: RefState, text: &[u8]) -> RefState {
        text.iter().fold(state, |state, &byte| self.step(state, byte))
    }

    /// Whether `text` is a sentence. This answer is always exact.
    pub fn accepts(&self, text: &[u8]) -> bool {
        self.is_accepting(self.run(text))
    }

    /// Whether some continuation of `text` is a sentence.
    pub fn viable(&self, text: &[u8]) -> Viability {
        self.viability(self.run(text))
    }

    /// How many different states were met so far.
    pub fn state_count(&self) -> usize {
        self.store.borrow().columns.len()
    }
}

/// What an expression does, step by step.
impl Reference<'_> {
    fn is_boolean(&self, expr: ExprId) -> bool {
        self.boolean.contains(&expr)
    }

    fn first_dot(&self, expr: ExprId) -> u32 {
        let arena = self.grammar.arena();
        match arena.get(expr) {
            _ if self.is_boolean(expr) => SpanAutomaton::START,
            Expr::Members(id) => {
                let entries = self.usable(arena.members_of(id)).start();
                self.places.borrow_mut().intern(Place::Entry { start: true, entries })
            }
            Expr::Machine(id) => {
                let start = arena.machine_of(id).0.start().into_vec();
                self.places.borrow_mut().intern(Place::Machine(start))
            }
            _ => 0,
        }
    }

    /// Members with those slots that match some text.
    fn usable<'a>(&self, members: &'a Members) -> Usable<'a> {
        let slots = members.slots.iter().map(|s| self.productive.contains(&s.entry)).collect();
        Usable::new(members, slots, self.productive.contains(&members.separator))
    }

    /// What members expect at a place.
    fn expected_of_members(&self, expr: ExprId, members: &Members, dot: u32) -> Vec<(ExprId, u32)> {
        if let Some(known) = self.places.borrow().expected.get(&(expr, dot)) {
            return known.clone();
        }
        let usable = self.usable(members);
        let place = self.places.borrow().list[dot as usize].clone();
        let places = &mut *self.places.borrow_mut();
        let expected: Vec<(ExprId, u32)> = match place {
            Place::Entry { entries, .. } => {
                let open = usable.open(&entries).into_iter();
                let after = |(slot, next)| {
                    let entry = members.slots[slot as usize].entry;
                    (entry, places.intern(Place::AfterEntry(next)))
                };
                open.map(after).collect()
            }
            Place::AfterEntry(entries) if !usable.open(&entries).is_empty() => {
                vec![(members.separator, places.intern(Place::Entry { start: false, entries }))]
            }
            _ => Vec::new(),
        };
        places.expected.insert((expr, dot), expected.clone());
        expected
    }

    /// The expressions that a match expects next, each with how far it has come after them.
    fn expected(&self, expr: ExprId, dot: u32) -> Vec<(ExprId, u32)> {
        let arena = self.grammar.arena();
        match arena.get(expr) {
            _ if self.is_boolean(expr) => Vec::new(),
            Expr::Concat(list) => {
                arena.list(list).get(dot as usize).map(|&part| (part, dot + 1)).into_iter().collect()
            }
            Expr::Alt(list) if dot == 0 => arena.list(list).iter().map(|&part| (part, 1)).collect(),
            Expr::Rule(rule) if dot == 0 => vec![(self.grammar.rule(rule).body, 1)],
            Expr::Region(inner) if dot == 0 => vec![(inner, 1)],
            Expr::Members(id) => self.expected_of_members(expr, arena.members_of(id), dot),
            Expr::Repeat { expr, max: Some(max), .. } if dot < max => vec![(expr, dot + 1)],
            // Past the least number of rounds there is no need to count.
            Expr::Repeat { expr, min, max: None } => vec![(expr, (dot + 1).min(min))],
            _ => Vec::new(),
        }
    }

    fn is_complete(&self, store: &Store, expr: ExprId, dot: u32) -> bool {
        let arena = self.grammar.arena();
        match arena.get(expr) {
            _ if self.is_boolean(expr) => store.automata[&expr].is_accepting(dot),
            Expr::Empty => true,
            Expr::Bytes(_) | Expr::Tokens(_) | Expr::Alt(_) | Expr::Rule(_) | Expr::Region(_) => dot == 1,
            Expr::Chars(_) => dot == CHAR_DONE,
            Expr::Literal(literal) => dot as usize == arena.literal_bytes(literal).len(),
            Expr::Concat(list) => dot as usize == arena.list(list).len(),
            Expr::Repeat { min, .. } => dot >= min,
            Expr::Never | Expr::And(_) | Expr::Not(_) | Expr::Look { .. } => false,
            Expr::Members(id) => match &self.places.borrow().list[dot as usize] {
                Place::Entry { start: true, entries } | Place::AfterEntry(entries) => {
                    self.usable(arena.members_of(id)).may_end(entries)
                }
                _ => false,
            },
            Expr::Machine(id) => match &self.places.borrow().list[dot as usize] {
                Place::Machine(state) => arena.machine_of(id).0.accepts(state),
                _ => false,
            },
        }
    }

    /// How far a match has come after it read `byte`; `None` if it cannot.
    fn scan(&self, store: &mut Store, expr: ExprId, dot: u32, byte: u8) -> Option<u32> {
        let arena = self.grammar.arena();
        match arena.get(expr) {
            _ if self.is_boolean(expr) => {
                let next = store.automata.get_mut(&expr)?.step(dot, byte);
                Some(next).filter(|&next| next != SpanAutomaton::DEAD)
            }
            Expr::Bytes(set) => (dot == 0 && arena.byte_set(set).contains(byte)).then_some(1),
            Expr::Literal(literal) => {
                (arena.literal_bytes(literal).get(dot as usize) == Some(&byte)).then_some(dot + 1)
            }
            Expr::Chars(set) if dot != CHAR_DONE => match self.utf8[&set].step(dot, byte)? {
                Utf8Next::Done => Some(CHAR_DONE),
                Utf8Next::Node(node) => Some(node),
            },
            Expr::Machine(id) => {
                let places = &mut *self.places.borrow_mut();
                let Place::Machine(state) = &places.list[dot as usize] else { return None };
                let mut next = Vec::new();
                let goes_on = arena.machine_of(id).0.step(state, byte, &mut next);
                goes_on.then(|| places.intern(Place::Machine(next)))
            }
            _ => None,
        }
    }

    /// Whether a match that has come this far could read or expect more.
    fn is_unfinished(&self, expr: ExprId, dot: u32) -> bool {
        let arena = self.grammar.arena();
        match arena.get(expr) {
            _ if self.is_boolean(expr) => true,
            Expr::Bytes(_) | Expr::Tokens(_) => dot == 0,
            Expr::Literal(literal) => (dot as usize) < arena.literal_bytes(literal).len(),
            Expr::Chars(_) => dot != CHAR_DONE,
            Expr::Machine(id) => match &self.places.borrow().list[dot as usize] {
                Place::Machine(state) => {
                    let machine = &arena.machine_of(id).0;
                    (0..=255).any(|byte| machine.step(state, byte, &mut Vec::new()))
                }
                _ => false,
            },
            _ => !self.expected(expr, dot).is_empty(),
        }
    }
}

/// Earley's algorithm.
impl Reference<'_> {
    /// Items that read `byte` in a column, as they are in the next one.
    fn scan_column(&self, state: RefState, byte: u8) -> (Vec<Item>, bool) {
        let store = &mut *self.store.borrow_mut();
        let ColumnKey { items, mut doubtful, .. } = store.columns[state.0 as usize].key.clone();
        let mut kernel = Vec::new();
        for item in items {
            if let Some(dot) = self.scan(store, item.expr, item.dot, byte) {
                kernel.push(Item { dot, origin: resolve(item.origin, state), ..item });
                if self.is_boolean(item.expr) {
                    doubtful |= store.automata[&item.expr].viability(dot) == Viability::Unknown;
                }
            }
        }
        (kernel, doubtful)
    }

    /// The column of all items that follow from `kernel` by prediction and completion.
    fn column(&self, kernel: Vec<Item>, doubtful: bool) -> RefState {
        let store = &mut *self.store.borrow_mut();
        let start = if store.columns.is_empty() { HERE } else { START };
        let mut waiting: FxHashMap<ExprId, Vec<Item>> = FxHashMap::default();
        // Expressions that matched the empty text here, for those who come to expect them later.
        let mut matched_empty: FxHashSet<ExprId> = FxHashSet::default();
        let mut seen: FxHashSet<Item> = FxHashSet::default();
        let mut accepting = false;
        let mut todo = kernel;
        while let Some(item) = todo.pop() {
            if !seen.insert(item) {
                continue;
            }
            if self.is_complete(store, item.expr, item.dot) {
                accepting |= item.expr == self.root && item.origin == start;
                if item.origin == HERE {
                    matched_empty.insert(item.expr);
                    todo.extend(waiting.get(&item.expr).into_iter().flatten());
                } else {
                    let waiting = store.columns[item.origin.0 as usize].waiting.get(&item.expr);
                    let resolved = |next: &Item| Item { origin: resolve(next.origin, item.origin), ..*next };
                    todo.extend(waiting.into_iter().flatten().map(resolved));
                }
            }
            for (child, dot) in self.expected(item.expr, item.dot) {
                if self.productive.contains(&child) {
                    let next = Item { dot, ..item };
                    waiting.entry(child).or_default().push(next);
                    todo.extend(matched_empty.contains(&child).then_some(next));
                    todo.push(Item { expr: child, dot: self.first_dot(child), origin: HERE });
                }
            }
        }
        let mut items: Vec<Item> = seen.into_iter().filter(|i| self.is_unfinished(i.expr, i.dot)).collect();
        items.sort_unstable();
        store.intern(Column { key: ColumnKey { items, accepting, doubtful }, waiting })
    }

    /// Builds the automata that expressions below the root need; the expressions, children first.
    fn prepare(&mut self) -> Vec<ExprId> {
        let mut reachable = FxHashSet::from_iter([self.root]);
        let mut todo = vec![self.root];
        while let Some(id) = todo.pop() {
            let boolean = match self.grammar.arena().get(id) {
                Expr::And(_) | Expr::Not(_) | Expr::Look { .. } => true,
                // A region without assertions is just what is in it.
                Expr::Region(inner) => has_open_look(self.grammar, inner),
                _ => false,
            };
            if boolean {
                let automaton = SpanAutomaton::new(self.grammar, id);
                self.boolean.insert(id);
                self.doubtful |= automaton.viability(SpanAutomaton::START) == Viability::Unknown;
                self.store.get_mut().automata.insert(id, automaton);
                continue;
            }
            self.has_terminals |= matches!(self.grammar.arena().get(id), Expr::Tokens(_));
            let children = match self.grammar.arena().get(id) {
                Expr::Rule(rule) => std::slice::from_ref(&self.grammar.rule(rule).body),
                Expr::Chars(set) => {
                    self.utf8.insert(set, Utf8Dfa::new(self.grammar.arena().char_set(set)));
                    continue;
                }
                _ => self.grammar.arena().children(id),
            };
            todo.extend(children.iter().copied().filter(|&child| reachable.insert(child)));
        }
        let mut reachable = Vec::from_iter(reachable);
        reachable.sort_unstable();
        reachable
    }

    /// Finds the expressions that match some text: the least fixed point, by going round until nothing changes.
    fn find_productive(&mut self, reachable: &[ExprId]) {
        let arena = self.grammar.arena();
        loop {
            let before = self.productive.len();
            for &id in reachable {
                let known = |child: &ExprId| self.productive.contains(child);
                let productive = match arena.get(id) {
                    _ if self.is_boolean(id) => {
                        self.store.get_mut().automata[&id].viability(SpanAutomaton::START) != Viability::No
                    }
                    Expr::Empty | Expr::Bytes(_) | Expr::Chars(_) | Expr::Literal(_) => true,
                    Expr::Concat(list) => arena.list(list).iter().all(known),
                    Expr::Alt(list) => arena.list(list).iter().any(known),
                    Expr::Repeat { expr, min, .. } => min == 0 || known(&expr),
                    Expr::Rule(rule) => known(&self.grammar.rule(rule).body),
                    Expr::Region(inner) => known(&inner),
                    Expr::Never | Expr::And(_) | Expr::Not(_) | Expr::Look { .. } => false,
                    Expr::Members(id) => {
                        let usable = self.usable(arena.members_of(id));
                        usable.shortest(&usable.start()).is_some()
                    }
                    // A set of tokens that the vocabulary does not have is refused before.
                    Expr::Machine(_) | Expr::Tokens(_) => true,
                };
                if productive {
                    self.productive.insert(id);
                }
            }
            if self.productive.len() == before {
                return;
            }
        }
    }
}

impl Store {
    fn intern(&mut self, column: Column) -> RefState {
        if let Some(&known) = self.ids.get(&column.key) {
            return known;
        }
        let id = RefState(self.columns.len() as u32);
        self.ids.insert(column.key.clone(), id);
        self.columns.push(column);
        id
    }
}

/// An origin as seen from another column than the one `here` where the item is.
fn resolve(origin: RefState, here: RefState) -> RefState {
    if origin == HERE { here } else { origin }
}
