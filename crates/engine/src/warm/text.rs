//! Texts that a constraint may be asked for, made from its expressions alone.
//!
//! They have every member of an object in order, two items of an array, plain characters, and white space as most texts
//! have it. Where there is a choice, each text takes another way, and the same text does where it comes by twice. Whether
//! the constraint allows them is not looked at: a conjunction is taken for one of its parts, and what an assertion says
//! is left out. Who goes along a text sees how far it holds.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, CharSet, Count, Expr, Members};
use tokenstile_grammar::{ExprId, MembersId};

use crate::automaton::{Program, Store};
use crate::session::plainest;
use crate::tuning::warm::{ANY_CHARS, DEEP, ITEMS, LETTERS, LONG, LONGEST, ROUNDS, WORK};

/// What stands where nothing is known of a text.
const ANYTHING: &[u8] = b"a";

/// The texts of a constraint, one after the other.
pub(super) struct Texts<'s> {
    store: &'s Store,
    /// How often each choice was reached.
    turns: FxHashMap<ExprId, u32>,
    /// How many texts were made.
    count: u32,
    /// The greatest number of ways that a choice has of those that were reached.
    most_ways: u32,
}

/// What is still to be written.
enum Todo {
    Expr(ExprId),
    Rounds(ExprId, u32),
    Entries(Entries),
    Rise,
}

/// Entries that are being written.
struct Entries {
    members: MembersId,
    /// The slot that comes next.
    slot: usize,
    /// How many entries were written, in all and in each slot.
    written: u32,
    used: Vec<u32>,
    /// The counts that each slot has a part in, and how far they have come.
    counts: Vec<SmallVec<[u32; 2]>>,
    counted: Vec<u32>,
}

/// A text that is being written.
struct Page {
    text: Vec<u8>,
    todo: Vec<Todo>,
    depth: u32,
    /// What it took so far.
    work: usize,
}

impl Page {
    /// Whether it is time to come to an end.
    fn hurries(&self) -> bool {
        self.depth >= DEEP || self.text.len() >= LONG
    }
}

impl<'s> Texts<'s> {
    pub(super) fn new(store: &'s Store) -> Self {
        Texts { store, turns: FxHashMap::default(), count: 0, most_ways: 1 }
    }

    /// Whether the texts so far have gone all ways that were seen.
    pub(super) fn are_over(&self) -> bool {
        self.count >= self.most_ways.max(2)
    }

    /// The next text.
    pub(super) fn next(&mut self) -> Vec<u8> {
        let root = Todo::Expr(self.program().root);
        let mut page = Page { text: Vec::new(), todo: vec![root], depth: 0, work: 0 };
        while let Some(todo) = page.todo.pop() {
            page.work += 1;
            if page.text.len() > LONGEST || page.work > WORK {
                break;
            }
            match todo {
                Todo::Expr(expr) => self.write(expr, &mut page),
                Todo::Rounds(expr, left) => {
                    if left > 1 {
                        page.todo.push(Todo::Rounds(expr, left - 1));
                    }
                    page.todo.push(Todo::Expr(expr));
                }
                Todo::Entries(entries) => self.write_entry(entries, &mut page),
                Todo::Rise => page.depth -= 1,
            }
        }
        self.count += 1;
        page.text
    }

    fn program(&self) -> &'s Program {
        &self.store.program
    }

    fn write(&mut self, expr: ExprId, page: &mut Page) {
        let arena = &self.program().arena;
        match arena.get(expr) {
            Expr::Never | Expr::Empty | Expr::Tokens(_) | Expr::Look { .. } => {}
            Expr::Bytes(set) => page.text.extend(plainest_of(arena.byte_set(set))),
            Expr::Chars(set) => write_plainest(arena.char_set(set), &mut page.text),
            Expr::Literal(literal) => page.text.extend_from_slice(arena.literal_bytes(literal)),
            Expr::Concat(list) => page.todo.extend(arena.list(list).iter().rev().copied().map(Todo::Expr)),
            Expr::Alt(list) => {
                let way = self.way(expr, arena.list(list), page.hurries());
                page.todo.extend(way.map(Todo::Expr));
            }
            Expr::Repeat { .. } if self.store.is_white_space(expr) => {
                self.write_white_space(expr, &mut page.text)
            }
            Expr::Repeat { expr: inner, min, max } => {
                let rounds = self.rounds(expr, (inner, min, max), page.hurries());
                if rounds > 0 {
                    page.todo.push(Todo::Rounds(inner, rounds));
                }
            }
            Expr::Rule(rule) => {
                page.depth += 1;
                page.todo.extend([Todo::Rise, Todo::Expr(self.program().bodies[rule.index()])]);
            }
            Expr::And(list) => page.todo.extend(self.most_telling(arena.list(list)).map(Todo::Expr)),
            Expr::Region(inner) => page.todo.push(Todo::Expr(inner)),
            Expr::Not(_) | Expr::Machine(_) => page.text.extend_from_slice(ANYTHING),
            Expr::Members(members) => {
                page.depth += 1;
                let entries = Entries::new(members, arena.members_of(members));
                page.work += entries.used.len();
                page.todo.extend([Todo::Rise, Todo::Entries(entries)]);
            }
        }
    }

    /// Which way to go where there are several: another one each time.
    fn way(&mut self, choice: ExprId, ways: &[ExprId], hurries: bool) -> Option<ExprId> {
        let arena = &self.program().arena;
        let is_word = |way: &&ExprId| matches!(arena.get(**way), Expr::Literal(_));
        if let Some(&plain) = ways.iter().find(|way| self.is_plain(**way)) {
            return Some(plain);
        }
        if hurries {
            return ways.iter().find(is_word).or(ways.first()).copied();
        }
        self.most_ways = self.most_ways.max(ways.len() as u32);
        let turn = self.turns.entry(choice).or_default();
        let nth = *turn as usize % ways.len();
        *turn += 1;
        // What is more than a word comes first.
        let (words, others): (Vec<&ExprId>, Vec<&ExprId>) = ways.iter().partition(is_word);
        others.into_iter().chain(words).nth(nth).copied()
    }

    /// Whether an expression is a character that may be nearly any: what stands beside it is the exception.
    fn is_plain(&self, expr: ExprId) -> bool {
        let arena = &self.program().arena;
        matches!(arena.get(expr), Expr::Chars(set) if arena.char_set(set).ascii().len() >= ANY_CHARS)
    }

    fn rounds(&mut self, repeat: ExprId, of: (ExprId, u32, Option<u32>), hurries: bool) -> u32 {
        let (inner, min, max) = of;
        let max = max.unwrap_or(u32::MAX);
        if hurries || max == 0 {
            return min.min(ROUNDS);
        }
        if max == 1 && min == 0 {
            let turn = self.turns.entry(repeat).or_default();
            *turn += 1;
            return (*turn - 1) % 2;
        }
        let is_letter = matches!(self.program().arena.get(inner), Expr::Chars(_) | Expr::Alt(_));
        let usual = if is_letter { LETTERS } else { ITEMS };
        usual.clamp(min, max).min(ROUNDS)
    }

    /// White space: one space behind a comma or a colon, as in most texts, in every other text none.
    fn write_white_space(&self, space: ExprId, text: &mut Vec<u8>) {
        let behind_a_sign = text.last().is_some_and(|last| matches!(last, b',' | b':'));
        let Expr::Repeat { expr, min, .. } = self.program().arena.get(space) else { return };
        let may_be_space = match self.program().arena.get(expr) {
            Expr::Chars(set) => self.program().arena.char_set(set).contains(' '),
            _ => false,
        };
        if min > 0 || behind_a_sign && may_be_space && self.count.is_multiple_of(2) {
            text.push(b' ');
        }
    }

    /// Of parts that all hold, one that says more than how long a text is or what it is not.
    fn most_telling(&self, parts: &[ExprId]) -> Option<ExprId> {
        let arena = &self.program().arena;
        let says = |part: &ExprId| match arena.get(*part) {
            Expr::Not(_) => 0,
            Expr::Repeat { expr, .. } if matches!(arena.get(expr), Expr::Chars(_) | Expr::Alt(_)) => 1,
            _ => 2,
        };
        parts.iter().rev().copied().max_by_key(says)
    }

    /// Writes the next entry of some members, if there is to be one.
    fn write_entry(&mut self, mut entries: Entries, page: &mut Page) {
        let members = self.program().arena.members_of(entries.members);
        let Some(slot) = entries.next_slot(members, page.hurries()) else { return };
        let separated = entries.written > 0;
        entries.take(slot);
        page.todo.extend([Todo::Entries(entries), Todo::Expr(members.slots[slot].entry)]);
        if separated {
            page.todo.push(Todo::Expr(members.separator));
        }
    }
}

impl Entries {
    fn new(id: MembersId, members: &Members) -> Self {
        let mut counts = vec![SmallVec::new(); members.slots.len()];
        for (number, count) in (0..).zip(&members.counts) {
            count.slots.iter().for_each(|&slot| counts[slot as usize].push(number));
        }
        let (used, counted) = (vec![0; members.slots.len()], vec![0; members.counts.len()]);
        Entries { members: id, slot: 0, written: 0, used, counts, counted }
    }

    /// Takes note of an entry in a slot.
    fn take(&mut self, slot: usize) {
        self.used[slot] += 1;
        self.written += 1;
        self.counts[slot].iter().for_each(|&count| self.counted[count as usize] += 1);
    }

    /// The slot of the next entry: each in order, then those of which there must be more.
    fn next_slot(&mut self, members: &Members, hurries: bool) -> Option<usize> {
        let usual = match (hurries, members.slots.len()) {
            (true, _) => 0,
            (false, 1) => ITEMS,
            (false, _) => 1,
        };
        while self.slot < members.slots.len() {
            if self.used[self.slot] < usual && self.is_open(members, self.slot) {
                return Some(self.slot);
            }
            self.slot += 1;
        }
        let is_missing = |(count, done): &(&Count, &u32)| **done < count.min.min(ROUNDS);
        let (short, _) = members.counts.iter().zip(&self.counted).find(is_missing)?;
        short.slots.iter().map(|&slot| slot as usize).find(|&slot| self.is_open(members, slot))
    }

    /// Whether another entry may stand in a slot.
    fn is_open(&self, members: &Members, slot: usize) -> bool {
        let here = &members.slots[slot];
        let has_room = |&count: &u32| {
            members.counts[count as usize].max.is_none_or(|max| self.counted[count as usize] < max)
        };
        (here.from..here.to).contains(&self.written) && self.counts[slot].iter().all(has_room)
    }
}

/// Writes the plainest character of a set.
fn write_plainest(set: &CharSet, text: &mut Vec<u8>) {
    if let Some(byte) = plainest_of(&set.ascii()) {
        text.push(byte);
    } else if let Some(c) = set.ranges().first().and_then(|range| char::from_u32(range.0)) {
        text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// A letter if there is one, or else what is as plain as can be.
fn plainest_of(set: &ByteSet) -> Option<u8> {
    let letters = set.intersect(&ByteSet::range(b'a', b'z'));
    letters.first().or_else(|| plainest(set, 1).first().copied())
}
