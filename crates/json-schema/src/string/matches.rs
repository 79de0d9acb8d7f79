//! Whether a plain regular expression matches one given text.
//!
//! The text is read once from the left, with the set of what may be left to match at each place. Intersections,
//! complements and assertions are asked separately for where a match of them that starts here ends; every such
//! question is answered once. The time is linear in the text for ordinary expressions and quadratic where booleans
//! or counts stand in the middle of it. Questions that wait for others are kept on a stack of our own.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use tokenstile_grammar::ir::{Arena, Expr, Machine};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ExprId};

/// Whether `expr`, a plain regular expression, matches the whole of `text`.
pub(crate) fn matches(
    arena: &Arena,
    expr: ExprId,
    text: &str,
    budget: &mut Budget<'_>,
) -> Result<bool, Error> {
    let text: Vec<char> = text.chars().collect();
    let ask = Ask::Whole { expr, low: 0, high: text.len() };
    Matcher::new(arena, text, budget).answer(ask)
}

/// A set of places, as bits.
#[derive(Clone)]
struct Places(Box<[u64]>);

impl Places {
    fn none(len: usize) -> Self {
        Places(vec![0; len / 64 + 1].into())
    }

    fn insert(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    fn contains(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 != 0
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

/// A question about an expression in the region from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Ask {
    /// Does it match the whole of the region? The answer is whether `high` is in the set.
    Whole { expr: ExprId, low: usize, high: usize },
    /// Where do matches end that start at `start`, or anywhere?
    Ends { expr: ExprId, start: Option<usize>, low: usize, high: usize },
}

/// What is left to match: an expression, how far into it (parts of a sequence, rounds of a repetition), and what
/// follows it. Cells are interned; cell 0 is the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Cell {
    expr: ExprId,
    at: u32,
    tail: u32,
}

const END: u32 = 0;

/// A walk over the text that answers an [`Ask::Ends`].
struct Walk {
    low: usize,
    high: usize,
    place: usize,
    /// Cells that are still to be looked at, here and further on.
    here: Vec<u32>,
    ahead: BTreeMap<usize, Vec<u32>>,
    seen: FxHashSet<u32>,
    ends: Places,
}

struct Matcher<'a, 'b> {
    arena: &'a Arena,
    text: Vec<char>,
    budget: &'a mut Budget<'b>,
    cells: Vec<Cell>,
    cell_ids: FxHashMap<Cell, u32>,
    known: FxHashMap<Ask, Rc<Places>>,
}

impl<'a, 'b> Matcher<'a, 'b> {
    fn new(arena: &'a Arena, text: Vec<char>, budget: &'a mut Budget<'b>) -> Self {
        let cells = vec![Cell { expr: arena.empty(), at: 0, tail: END }];
        Matcher { arena, text, budget, cells, cell_ids: FxHashMap::default(), known: FxHashMap::default() }
    }

    fn answer(mut self, ask: Ask) -> Result<bool, Error> {
        let mut todo: Vec<(Ask, Option<Walk>)> = vec![(ask, None)];
        let mut missing = Vec::new();
        while let Some((ask, walk)) = todo.last_mut() {
            self.budget.tick()?;
            if self.known.contains_key(ask) {
                todo.pop();
                continue;
            }
            missing.clear();
            let answer = match *ask {
                Ask::Whole { expr, low, high } => self.whole(expr, low, high, &mut missing),
                Ask::Ends { expr, start, low, high } => match (start, self.arena.get(expr)) {
                    (Some(start), Expr::And(_) | Expr::Not(_) | Expr::Look { .. } | Expr::Region(_)) => {
                        self.boolean(expr, start, (low, high), &mut missing)
                    }
                    _ => {
                        let walk = walk.get_or_insert_with(|| self.walk_from(expr, start, (low, high)));
                        self.walk(walk, &mut missing)?
                    }
                },
            };
            match answer {
                Some(places) => {
                    self.known.insert(*ask, Rc::new(places));
                    todo.pop();
                }
                None => todo.extend(missing.drain(..).map(|ask| (ask, None))),
            }
        }
        let Ask::Whole { high, .. } = ask else { return Ok(false) };
        Ok(self.known.get(&ask).is_some_and(|places| places.contains(high)))
    }

    /// The answer to a question, if it is known; otherwise it is noted as missing.
    fn ask(&self, ask: Ask, missing: &mut Vec<Ask>) -> Option<Rc<Places>> {
        let known = self.known.get(&ask).cloned();
        if known.is_none() {
            missing.push(ask);
        }
        known
    }

    fn whole(&self, expr: ExprId, low: usize, high: usize, missing: &mut Vec<Ask>) -> Option<Places> {
        let mut whole = |expr| Some(self.ask(Ask::Whole { expr, low, high }, missing)?.contains(high));
        let yes = match self.arena.get(expr) {
            Expr::And(list) | Expr::Alt(list) => {
                let parts: Vec<_> = self.arena.list(list).iter().map(|&part| whole(part)).collect();
                let mut parts = parts.into_iter().collect::<Option<Vec<bool>>>()?.into_iter();
                if matches!(self.arena.get(expr), Expr::And(_)) { parts.all(|y| y) } else { parts.any(|y| y) }
            }
            Expr::Not(inner) => !whole(inner)?,
            Expr::Region(inner) => whole(inner)?,
            _ => self.ask(Ask::Ends { expr, start: Some(low), low, high }, missing)?.contains(high),
        };
        let mut places = Places::none(self.text.len());
        if yes {
            places.insert(high);
        }
        Some(places)
    }

    fn boolean(
        &self,
        expr: ExprId,
        start: usize,
        (low, high): (usize, usize),
        missing: &mut Vec<Ask>,
    ) -> Option<Places> {
        let mut places = Places::none(self.text.len());
        let ends = |expr, start| Ask::Ends { expr, start, low, high };
        match self.arena.get(expr) {
            Expr::And(list) => {
                let parts: Vec<_> =
                    self.arena.list(list).iter().map(|&p| self.ask(ends(p, Some(start)), missing)).collect();
                let parts: Vec<Rc<Places>> = parts.into_iter().collect::<Option<_>>()?;
                for (i, word) in places.0.iter_mut().enumerate() {
                    *word = parts.iter().fold(u64::MAX, |all, part| all & part.0[i]);
                }
            }
            Expr::Not(inner) => {
                let inner = self.ask(ends(inner, Some(start)), missing)?;
                (start..=high).filter(|&end| !inner.contains(end)).for_each(|end| places.insert(end));
            }
            Expr::Look { expr, behind, negated } => {
                let ends = self.ask(ends(expr, (!behind).then_some(start)), missing)?;
                let found = if behind { ends.contains(start) } else { !ends.is_empty() };
                if found != negated {
                    places.insert(start);
                }
            }
            Expr::Region(inner) => {
                let whole = |high| Ask::Whole { expr: inner, low: start, high };
                let found: Vec<_> = (start..=high).map(|end| self.ask(whole(end), missing)).collect();
                for (end, found) in (start..=high).zip(found.into_iter().collect::<Option<Vec<_>>>()?) {
                    if found.contains(end) {
                        places.insert(end);
                    }
                }
            }
            _ => {}
        }
        Some(places)
    }

    fn walk_from(&mut self, expr: ExprId, start: Option<usize>, (low, high): (usize, usize)) -> Walk {
        let first = self.cell(expr, 0, END);
        let starts = start.map_or(low..=high, |start| start..=start);
        Walk {
            low,
            high,
            place: 0,
            here: Vec::new(),
            ahead: starts.map(|place| (place, vec![first])).collect(),
            seen: FxHashSet::default(),
            ends: Places::none(self.text.len()),
        }
    }

    /// Goes on with a walk until it ends or a question comes up.
    fn walk(&mut self, walk: &mut Walk, missing: &mut Vec<Ask>) -> Result<Option<Places>, Error> {
        loop {
            self.budget.tick()?;
            let Some(cell) = walk.here.pop() else {
                let Some((place, cells)) = walk.ahead.pop_first() else {
                    return Ok(Some(walk.ends.clone()));
                };
                (walk.place, walk.here) = (place, cells);
                walk.seen.clear();
                continue;
            };
            if walk.seen.contains(&cell) {
                continue;
            }
            if cell == END {
                walk.ends.insert(walk.place);
            } else if !self.step(self.cells[cell as usize], walk, missing) {
                walk.here.push(cell);
                return Ok(None);
            }
            walk.seen.insert(cell);
        }
    }

    /// Replaces a cell by what follows from it, unless the answer to a question is missing.
    fn step(&mut self, Cell { expr, at, tail }: Cell, walk: &mut Walk, missing: &mut Vec<Ask>) -> bool {
        let arena = self.arena;
        match arena.get(expr) {
            Expr::Empty => walk.here.push(tail),
            Expr::Chars(set) => {
                if let Some(&c) = self.text[..walk.high].get(walk.place)
                    && arena.char_set(set).contains(c)
                {
                    walk.ahead.entry(walk.place + 1).or_default().push(tail);
                }
            }
            Expr::Literal(literal) => {
                let Ok(text) = std::str::from_utf8(arena.literal_bytes(literal)) else { return true };
                let rest = &self.text[walk.place..walk.high];
                let len = text.chars().count();
                if len <= rest.len() && text.chars().zip(rest).all(|(c, &found)| c == found) {
                    walk.ahead.entry(walk.place + len).or_default().push(tail);
                }
            }
            Expr::Concat(list) => {
                let list = arena.list(list);
                let last = at as usize + 1 == list.len();
                let tail = if last { tail } else { self.cell(expr, at + 1, tail) };
                walk.here.push(self.cell(list[at as usize], 0, tail));
            }
            Expr::Alt(list) => {
                for &part in arena.list(list) {
                    walk.here.push(self.cell(part, 0, tail));
                }
            }
            Expr::Repeat { expr: body, min, max } => {
                // Rounds past the length of the text are empty, and an empty one can be repeated.
                let enough = u32::try_from(self.text.len()).unwrap_or(u32::MAX - 1) + 1;
                let (min, max) = (min.min(enough), max.filter(|&max| max < enough));
                if at >= min {
                    walk.here.push(tail);
                }
                if max.is_none_or(|max| at < max) {
                    let next = if max.is_none() { (at + 1).min(min) } else { at + 1 };
                    let tail = self.cell(expr, next, tail);
                    walk.here.push(self.cell(body, 0, tail));
                }
            }
            Expr::And(_) | Expr::Not(_) | Expr::Look { .. } | Expr::Region(_) => {
                let ask = Ask::Ends { expr, start: Some(walk.place), low: walk.low, high: walk.high };
                let Some(ends) = self.ask(ask, missing) else { return false };
                for end in (walk.place..=walk.high).filter(|&end| ends.contains(end)) {
                    if end == walk.place {
                        walk.here.push(tail);
                    } else {
                        walk.ahead.entry(end).or_default().push(tail);
                    }
                }
            }
            Expr::Machine(machine) => {
                for end in self.ends_of_machine(&*arena.machine_of(machine).0, walk.place, walk.high) {
                    walk.ahead.entry(end).or_default().push(tail);
                }
            }
            // Not to be found in plain expressions.
            Expr::Never | Expr::Tokens(_) | Expr::Bytes(_) | Expr::Rule(_) | Expr::Members(_) => {}
        }
        true
    }

    /// Where the texts of a machine end that start at `start`; they are not empty.
    fn ends_of_machine(&self, machine: &dyn Machine, start: usize, high: usize) -> Vec<usize> {
        let (mut state, mut next, mut ends) = (machine.start().into_vec(), Vec::new(), Vec::new());
        for (at, c) in self.text[..high].iter().enumerate().skip(start) {
            for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
                next.clear();
                if !machine.step(&state, byte, &mut next) {
                    return ends;
                }
                std::mem::swap(&mut state, &mut next);
            }
            if machine.accepts(&state) {
                ends.push(at + 1);
            }
        }
        ends
    }

    fn cell(&mut self, expr: ExprId, at: u32, tail: u32) -> u32 {
        let cell = Cell { expr, at, tail };
        *self.cell_ids.entry(cell).or_insert_with(|| {
            self.cells.push(cell);
            self.cells.len() as u32 - 1
        })
    }
}
