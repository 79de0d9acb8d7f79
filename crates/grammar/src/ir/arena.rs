//! Hash-consed expressions.
//!
//! Only the language of an expression matters, never its parse trees, so the constructors here normalise as
//! far as is free: sequences and choices are flattened, literals joined, character sets merged, choices
//! sorted. Two expressions that are built alike get the same id. Children always have smaller ids than their
//! parents, so a bottom-up pass is a loop over ids and no walk needs the call stack.

use std::sync::Arc;

use smallvec::SmallVec;

use self::hash::hash_of;
use super::charset::Encoded;
use super::expr::{Expr, List, Literal};
use super::index::IdIndex;
use super::pool::Pool;
use super::row::Row;
use super::{Base, ByteSet, CharSet, MachineRef, Members, TokenSet, Utf8Dfa};
use crate::ids::{ByteSetId, CharSetId, ExprId, MachineId, MembersId, RuleId, TokenSetId};

/// Neighbouring literals of a sequence: the first of them, and the bytes of all once there are two.
#[derive(Default)]
struct LiteralRun {
    first: Option<ExprId>,
    bytes: SmallVec<[u8; 64]>,
}

/// The arena of a grammar's expressions.
#[derive(Clone, Debug)]
pub struct Arena {
    exprs: Row<Expr>,
    regular: Row<bool>,
    lists: Row<ExprId>,
    bytes: Row<u8>,
    byte_sets: Pool<ByteSet>,
    char_sets: Pool<Encoded>,
    members: Pool<Members>,
    /// The separator and the entries of each members.
    member_parts: Row<List>,
    machines: Pool<MachineRef>,
    token_sets: Pool<TokenSet>,
    /// Of the first so many expressions: a copy for reading is made without, and catches up when it is written to.
    index: IdIndex<ExprId>,
    indexed: usize,
    /// The index of what is not in that: of those that copies have in common.
    shared: Arc<IdIndex<ExprId>>,
    capacity: usize,
    overflowed: bool,
    /// The first expressions are those of a base that other arenas begin with too. They stay.
    pub(super) base: Option<Arc<Base>>,
}

impl Arena {
    const NEVER: usize = 0;
    const EMPTY: usize = 1;
    const ANYTHING: usize = 3;
    /// Expressions that every arena has, at the same places.
    pub(crate) const STANDING: usize = 4;

    /// An arena for at most `capacity` expressions. Past that, constructors answer `Never` and
    /// [`overflowed`](Arena::overflowed) is set; whoever finishes the grammar reports it.
    pub fn new(capacity: usize) -> Self {
        let mut arena = Arena::bare(capacity.clamp(16, u32::MAX as usize / 2));
        arena.intern(Expr::Never, &[], &[]);
        arena.intern(Expr::Empty, &[], &[]);
        let byte = arena.byte(ByteSet::ALL);
        arena.star(byte);
        arena
    }

    /// An arena without even those that are always there.
    pub(super) fn bare(capacity: usize) -> Self {
        Arena {
            exprs: Row::default(),
            regular: Row::default(),
            lists: Row::default(),
            bytes: Row::default(),
            byte_sets: Pool::default(),
            char_sets: Pool::default(),
            members: Pool::default(),
            member_parts: Row::default(),
            machines: Pool::default(),
            token_sets: Pool::default(),
            index: IdIndex::default(),
            indexed: 0,
            shared: Arc::default(),
            capacity,
            overflowed: false,
            base: None,
        }
    }

    /// The base that it begins with: its expressions are kept, used or not, with the same ids.
    #[inline]
    pub fn base(&self) -> Option<&Arc<Base>> {
        self.base.as_ref()
    }

    /// How many expressions at the beginning are those of a base.
    #[inline]
    pub fn base_len(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.len())
    }

    /// A copy that takes so many expressions at most, and `room` more than there are before anything has to grow.
    pub(super) fn with_capacity(&self, capacity: usize, room: usize) -> Self {
        let capacity = capacity.clamp(16, u32::MAX as usize / 2);
        Arena { capacity, ..self.to_grow(room) }
    }

    /// A copy to which about so many expressions are going to be added.
    pub(crate) fn to_grow(&self, room: usize) -> Self {
        Arena {
            exprs: self.exprs.to_grow(room),
            regular: self.regular.to_grow(room),
            lists: self.lists.to_grow(4 * room),
            bytes: self.bytes.to_grow(8 * room),
            byte_sets: self.byte_sets.clone(),
            char_sets: self.char_sets.clone(),
            members: self.members.clone(),
            member_parts: self.member_parts.clone(),
            machines: self.machines.clone(),
            token_sets: self.token_sets.clone(),
            index: if self.index.is_empty() { IdIndex::with_capacity(room) } else { self.index.clone() },
            shared: self.shared.clone(),
            base: self.base.clone(),
            ..*self
        }
    }

    /// The same, with all that is here in common with every copy.
    pub(crate) fn for_copies(mut self) -> Self {
        self.catch_up();
        Arena {
            shared: Arc::new(std::mem::take(&mut self.index)),
            exprs: self.exprs.shared(),
            regular: self.regular.shared(),
            lists: self.lists.shared(),
            bytes: self.bytes.shared(),
            member_parts: self.member_parts.shared(),
            byte_sets: self.byte_sets.shared(),
            char_sets: self.char_sets.shared(),
            members: self.members.shared(),
            machines: self.machines.shared(),
            token_sets: self.token_sets.shared(),
            ..self
        }
    }

    /// Whether an expression was asked for that no longer fitted.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.exprs.len()
    }

    /// Never: every arena holds a few that are always needed.
    pub fn is_empty(&self) -> bool {
        self.exprs.len() == 0
    }

    /// The expression with this id.
    #[inline]
    pub fn get(&self, id: ExprId) -> Expr {
        self.exprs.get(id.index())
    }

    /// The children of a [`Concat`](Expr::Concat), [`Alt`](Expr::Alt) or [`And`](Expr::And).
    #[inline]
    pub fn list(&self, list: List) -> &[ExprId] {
        self.lists.slice(list.start as usize, list.len as usize)
    }

    /// The bytes of a [`Literal`](Expr::Literal).
    #[inline]
    pub fn literal_bytes(&self, literal: Literal) -> &[u8] {
        self.bytes.slice(literal.start as usize, literal.len as usize)
    }

    /// The set of a [`Bytes`](Expr::Bytes).
    #[inline]
    pub fn byte_set(&self, id: ByteSetId) -> &ByteSet {
        self.byte_sets.get(id.index())
    }

    /// The set of a [`Chars`](Expr::Chars).
    #[inline]
    pub fn char_set(&self, id: CharSetId) -> &CharSet {
        &self.char_sets.get(id.index()).set
    }

    /// The bytes that encode the characters of a [`Chars`](Expr::Chars). Copies of the arena share them.
    #[inline]
    pub fn utf8(&self, id: CharSetId) -> &Utf8Dfa {
        self.char_sets.get(id.index()).utf8()
    }

    /// All interned character sets, in the order of their ids.
    pub fn char_sets(&self) -> impl ExactSizeIterator<Item = &CharSet> {
        self.char_sets.iter().map(|encoded| &encoded.set)
    }

    /// How many of the first of them are those of the base.
    pub fn shared_char_sets(&self) -> usize {
        if self.base.is_some() { self.char_sets.shared_len() } else { 0 }
    }

    /// The entries of a [`Members`](Expr::Members).
    #[inline]
    pub fn members_of(&self, id: MembersId) -> &Members {
        self.members.get(id.index())
    }

    /// All members, in the order of their ids.
    pub fn all_members(&self) -> impl ExactSizeIterator<Item = &Members> {
        self.members.iter()
    }

    /// The procedure of a [`Machine`](Expr::Machine).
    #[inline]
    pub fn machine_of(&self, id: MachineId) -> &MachineRef {
        self.machines.get(id.index())
    }

    /// The set of a [`Tokens`](Expr::Tokens).
    #[inline]
    pub fn token_set(&self, id: TokenSetId) -> &TokenSet {
        self.token_sets.get(id.index())
    }

    /// All sets of tokens, in the order of their ids, used or not.
    pub fn token_sets(&self) -> impl ExactSizeIterator<Item = &TokenSet> {
        self.token_sets.iter()
    }

    /// Whether this expression may stand below a boolean: no rule is called, nothing counted, no procedure run.
    #[inline]
    pub fn is_regular(&self, id: ExprId) -> bool {
        self.regular.get(id.index())
    }

    /// All expressions with their ids, children before parents.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, Expr)> + '_ {
        self.exprs.iter().enumerate().filter_map(|(i, e)| Some((ExprId::new(i)?, e)))
    }

    /// The direct children of an expression; for members, the separator and then the entries.
    #[inline]
    pub fn children(&self, id: ExprId) -> &[ExprId] {
        match &self.exprs.slice(id.index(), 1)[0] {
            Expr::Never
            | Expr::Empty
            | Expr::Bytes(_)
            | Expr::Chars(_)
            | Expr::Literal(_)
            | Expr::Machine(_)
            | Expr::Tokens(_)
            | Expr::Rule(_) => &[],
            Expr::Members(id) => self.list(self.member_parts.get(id.index())),
            Expr::Concat(l) | Expr::Alt(l) | Expr::And(l) => self.list(*l),
            Expr::Repeat { expr, .. } | Expr::Not(expr) | Expr::Look { expr, .. } | Expr::Region(expr) => {
                std::slice::from_ref(expr)
            }
        }
    }

    /// The expression that matches nothing.
    pub fn never(&self) -> ExprId {
        ExprId::new(Self::NEVER).unwrap_or_else(|| unreachable!())
    }

    /// The expression that matches the empty text.
    pub fn empty(&self) -> ExprId {
        ExprId::new(Self::EMPTY).unwrap_or_else(|| unreachable!())
    }

    /// The expression that matches any byte string.
    pub fn anything(&self) -> ExprId {
        ExprId::new(Self::ANYTHING).unwrap_or_else(|| unreachable!())
    }

    /// One byte of `set`.
    pub fn byte(&mut self, set: ByteSet) -> ExprId {
        if set.is_empty() {
            return self.never();
        }
        if set.is_subset(&ByteSet::ASCII) {
            return self.chars(&CharSet::from_ranges(set.iter().map(|b| (b as u32, b as u32))));
        }
        if let (1, Some(byte)) = (set.len(), set.first()) {
            return self.literal(&[byte]);
        }
        let Some(id) = self.byte_sets.put(&set, 1, self.capacity).and_then(ByteSetId::new) else {
            return self.overflow();
        };
        self.intern(Expr::Bytes(id), &[], &[])
    }

    /// One character of `set`.
    pub fn chars(&mut self, set: &CharSet) -> ExprId {
        if set.is_empty() {
            return self.never();
        }
        if let Some(c) = set.as_single() {
            return self.literal(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.char_class(set)
    }

    /// One character of `set`, which has two or more.
    fn char_class(&mut self, set: &CharSet) -> ExprId {
        let room = self.pool_capacity() / 4;
        let number = match self.char_sets.find(set) {
            Ok(number) => Some(number),
            Err(hash) => self.char_sets.insert(Encoded::new(set.clone()), hash, set.ranges().len(), room),
        };
        match number.and_then(CharSetId::new) {
            Some(id) => self.intern(Expr::Chars(id), &[], &[]),
            None => self.overflow(),
        }
    }

    /// Just `bytes`.
    pub fn literal(&mut self, bytes: &[u8]) -> ExprId {
        if bytes.is_empty() {
            return self.empty();
        }
        self.intern(Expr::Literal(Literal { start: 0, len: 0 }), &[], bytes)
    }

    /// The parts one after the other.
    pub fn concat(&mut self, parts: &[ExprId]) -> ExprId {
        let mut flat: SmallVec<[ExprId; 16]> = SmallVec::new();
        let mut run = LiteralRun::default();
        for &part in parts {
            match self.get(part) {
                Expr::Never => return self.never(),
                Expr::Empty => {}
                Expr::Concat(list) => {
                    // In a sequence no two literals are neighbours: only its ends can be joined to anything.
                    let (start, last) = (list.start as usize, list.len as usize - 1);
                    let (first, end) = (self.lists.get(start), self.lists.get(start + last));
                    self.append(&mut flat, &mut run, (first, self.get(first)));
                    self.end_run(&mut flat, &mut run);
                    flat.extend(self.lists.slice(start + 1, last - 1).iter().copied());
                    self.append(&mut flat, &mut run, (end, self.get(end)));
                }
                expr => self.append(&mut flat, &mut run, (part, expr)),
            }
        }
        self.end_run(&mut flat, &mut run);
        match flat[..] {
            [] => self.empty(),
            [one] => one,
            _ => self.intern(Expr::Concat(List { start: 0, len: 0 }), &flat, &[]),
        }
    }

    /// Puts `next` at the end of a sequence. Neighbouring literals are gathered in `run` and interned once, at
    /// its end: a join per literal would store every prefix of a long run.
    fn append(
        &mut self,
        flat: &mut SmallVec<[ExprId; 16]>,
        run: &mut LiteralRun,
        (next, expr): (ExprId, Expr),
    ) {
        let Expr::Literal(literal) = expr else {
            self.end_run(flat, run);
            flat.push(next);
            return;
        };
        match run.first {
            None => run.first = Some(next),
            Some(first) => {
                if run.bytes.is_empty()
                    && let Expr::Literal(first) = self.get(first)
                {
                    run.bytes.extend_from_slice(self.literal_bytes(first));
                }
                run.bytes.extend_from_slice(self.literal_bytes(literal));
            }
        }
    }

    /// Closes a run of literals: one is itself, several are joined.
    #[inline]
    fn end_run(&mut self, flat: &mut SmallVec<[ExprId; 16]>, run: &mut LiteralRun) {
        if let Some(first) = run.first.take() {
            flat.push(if run.bytes.is_empty() { first } else { self.literal(&run.bytes) });
            run.bytes.clear();
        }
    }

    /// Any one of the parts.
    pub fn alt(&mut self, parts: &[ExprId]) -> ExprId {
        if let [one] = *parts {
            return one;
        }
        let mut flat: SmallVec<[ExprId; 16]> = SmallVec::new();
        let mut singles: SmallVec<[ExprId; 16]> = SmallVec::new();
        let mut optional = false;
        let mut todo: SmallVec<[ExprId; 16]> = SmallVec::from_slice(parts);
        while let Some(part) = todo.pop() {
            match self.get(part) {
                Expr::Never => {}
                Expr::Empty => optional = true,
                Expr::Alt(list) => todo.extend(self.list(list).iter().copied()),
                Expr::Repeat { expr, min: 0, max: Some(1) } => {
                    optional = true;
                    todo.push(expr);
                }
                Expr::Chars(_) | Expr::Bytes(_) => singles.push(part),
                Expr::Literal(l) if is_one_char(self.literal_bytes(l)) => singles.push(part),
                _ => flat.push(part),
            }
        }
        self.merge_singles(&singles, &mut flat);
        flat.sort_unstable();
        flat.dedup();
        let any = match flat[..] {
            [] => return if optional { self.empty() } else { self.never() },
            [one] => one,
            _ => self.intern(Expr::Alt(List { start: 0, len: 0 }), &flat, &[]),
        };
        if optional { self.repeat(any, 0, Some(1)) } else { any }
    }

    /// Joins one-character members of a choice into as few sets as possible.
    fn merge_singles(&mut self, singles: &[ExprId], flat: &mut SmallVec<[ExprId; 16]>) {
        if singles.len() < 2 {
            flat.extend(singles.iter().copied());
            return;
        }
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut bytes = ByteSet::EMPTY;
        for &single in singles {
            match self.get(single) {
                Expr::Chars(set) => ranges.extend_from_slice(self.char_set(set).ranges()),
                Expr::Bytes(set) => bytes = bytes.union(self.byte_set(set)),
                Expr::Literal(l) => match std::str::from_utf8(self.literal_bytes(l)) {
                    Ok(text) => ranges.extend(text.chars().map(|c| (c as u32, c as u32))),
                    Err(_) => bytes.insert(self.literal_bytes(l)[0]),
                },
                _ => {}
            }
        }
        let (chars, bytes) = (self.chars(&CharSet::from_ranges(ranges)), self.byte(bytes));
        flat.extend([chars, bytes].into_iter().filter(|&e| e != self.never()));
    }

    /// `min` to `max` times `expr`.
    pub fn repeat(&mut self, expr: ExprId, min: u32, max: Option<u32>) -> ExprId {
        if max.is_some_and(|max| max < min) {
            return self.never();
        }
        match (self.get(expr), min, max) {
            (_, _, Some(0)) | (Expr::Empty, _, _) | (Expr::Never, 0, _) => self.empty(),
            (Expr::Never, _, _) => self.never(),
            (_, 1, Some(1)) => expr,
            (Expr::Repeat { expr: inner, min: least, max: most }, ..)
                if let Some((min, max)) = rounds_of_rounds((least, most), (min, max)) =>
            {
                self.repeat(inner, min, max)
            }
            _ => self.intern(Expr::Repeat { expr, min, max }, &[], &[]),
        }
    }

    /// `expr` or nothing.
    pub fn optional(&mut self, expr: ExprId) -> ExprId {
        self.repeat(expr, 0, Some(1))
    }

    /// `expr` any number of times.
    pub fn star(&mut self, expr: ExprId) -> ExprId {
        self.repeat(expr, 0, None)
    }

    /// A call of `rule`.
    pub fn rule(&mut self, rule: RuleId) -> ExprId {
        self.intern(Expr::Rule(rule), &[], &[])
    }

    /// Texts that all of the parts match. They must be regular.
    pub fn and(&mut self, parts: &[ExprId]) -> ExprId {
        let mut flat: SmallVec<[ExprId; 16]> = SmallVec::new();
        for &part in parts {
            match self.get(part) {
                Expr::Never => return self.never(),
                Expr::And(list) => flat.extend_from_slice(self.list(list)),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [] => self.not(self.never()),
            [one] => one,
            _ => self.intern(Expr::And(List { start: 0, len: 0 }), &flat, &[]),
        }
    }

    /// Byte strings that `expr` does not match. It must be regular.
    pub fn not(&mut self, expr: ExprId) -> ExprId {
        match self.get(expr) {
            Expr::Not(inner) => inner,
            _ => self.intern(Expr::Not(expr), &[], &[]),
        }
    }

    /// An assertion about what lies ahead or behind; it belongs inside a [`region`](Arena::region). Inside an
    /// intersection or complement it needs a region of its own there, and a lookbehind holds no other assertion:
    /// the engine refuses both.
    pub fn look(&mut self, expr: ExprId, behind: bool, negated: bool) -> ExprId {
        match (self.get(expr), negated) {
            (Expr::Never, false) | (Expr::Empty, true) => self.never(),
            (Expr::Never, true) | (Expr::Empty, false) => self.empty(),
            _ => self.intern(Expr::Look { expr, behind, negated }, &[], &[]),
        }
    }

    /// The scope of the assertions inside `expr`.
    pub fn region(&mut self, expr: ExprId) -> ExprId {
        match self.get(expr) {
            Expr::Never
            | Expr::Empty
            | Expr::Bytes(_)
            | Expr::Chars(_)
            | Expr::Literal(_)
            | Expr::Region(_) => expr,
            _ => self.intern(Expr::Region(expr), &[], &[]),
        }
    }

    /// Separated entries under counts. Slots that match nothing are left out, and the others numbered anew; if no
    /// entries will do, that is `Never`.
    pub fn members(&mut self, members: Members) -> ExprId {
        let never = self.never();
        let joins = members.separator != never;
        let mut members = if joins && members.is_settled(never) {
            members
        } else {
            let Some(members) = members.restricted(joins, |slot| slot.entry != never) else { return never };
            members
        };
        if members.slots.is_empty() {
            return self.empty();
        }
        if !joins {
            members.separator = self.empty();
        }
        let room = self.pool_capacity();
        let number = match self.members.find(&members) {
            Ok(number) => Some(number),
            Err(_) if !members.is_satisfiable() => return never,
            Err(hash) => {
                let size = members.size();
                let number = self.members.insert(members, hash, size, room);
                number.inspect(|&number| self.add_member_parts(number))
            }
        };
        let Some(id) = number.and_then(MembersId::new) else {
            return self.overflow();
        };
        self.intern(Expr::Members(id), &[], &[])
    }

    /// Lists the separator and the entries of the newest members.
    fn add_member_parts(&mut self, number: usize) {
        let members = self.members.get(number);
        let (start, len) = (self.lists.len() as u32, 1 + members.slots.len() as u32);
        self.lists.push(members.separator);
        self.lists.extend(members.slots.iter().map(|slot| slot.entry));
        self.member_parts.push(List { start, len });
    }

    /// The texts that a procedure accepts.
    pub fn machine(&mut self, machine: MachineRef) -> ExprId {
        let Some(id) = self.machines.put(&machine, 1, self.capacity).and_then(MachineId::new) else {
            return self.overflow();
        };
        self.intern(Expr::Machine(id), &[], &[])
    }

    /// One token of `set`.
    pub fn tokens(&mut self, set: &TokenSet) -> ExprId {
        if set.names.is_empty() && !set.negated {
            return self.never();
        }
        let room = self.capacity;
        let Some(id) = self.token_sets.put(set, set.names.len(), room).and_then(TokenSetId::new) else {
            return self.overflow();
        };
        self.intern(Expr::Tokens(id), &[], &[])
    }

    /// How many children and literal bytes may be stored, and a quarter of it for character ranges. Flattening
    /// copies them, so without a bound of their own a few nested expressions over one long list would take any
    /// amount of memory.
    fn pool_capacity(&self) -> usize {
        self.capacity.saturating_mul(16).clamp(1 << 20, u32::MAX as usize - 1)
    }

    fn overflow(&mut self) -> ExprId {
        self.overflowed = true;
        self.never()
    }

    fn intern(&mut self, expr: Expr, children: &[ExprId], bytes: &[u8]) -> ExprId {
        if self.indexed < self.exprs.len() {
            self.catch_up();
        }
        let hash = hash_of(&expr, children, bytes);
        if let Some(id) = self.find(hash, &expr, children, bytes) {
            return id;
        }
        let fits = self.lists.len() + children.len() <= self.pool_capacity()
            && self.bytes.len() + bytes.len() <= self.pool_capacity();
        let id = match ExprId::new(self.exprs.len()) {
            Some(id) if self.exprs.len() < self.capacity && fits => id,
            _ => return self.overflow(),
        };
        let list = List { start: self.lists.len() as u32, len: children.len() as u32 };
        let stored = match expr {
            Expr::Concat(_) => Expr::Concat(list),
            Expr::Alt(_) => Expr::Alt(list),
            Expr::And(_) => Expr::And(list),
            Expr::Literal(_) => {
                Expr::Literal(Literal { start: self.bytes.len() as u32, len: bytes.len() as u32 })
            }
            other => other,
        };
        if !children.is_empty() {
            self.lists.extend_from_slice(children);
        }
        if !bytes.is_empty() {
            self.bytes.extend_from_slice(bytes);
        }
        self.exprs.push(stored);
        let regular = match expr {
            Expr::Rule(_) | Expr::Members(_) | Expr::Machine(_) | Expr::Tokens(_) => false,
            Expr::Repeat { expr, .. } | Expr::Not(expr) | Expr::Look { expr, .. } | Expr::Region(expr) => {
                self.regular.get(expr.index())
            }
            _ => children.iter().all(|child| self.regular.get(child.index())),
        };
        self.regular.push(regular);
        self.add_to_index(hash, id);
        id
    }
}

/// How often something is repeated that is repeated so often in each of so many rounds, if every number in between can come
/// up: `x**` and `x+*` are `x*`, `x{2}{3}` is `x{6}`, and `x{2}*` is no repetition of `x`.
fn rounds_of_rounds(
    (least, most): (u32, Option<u32>),
    (min, max): (u32, Option<u32>),
) -> Option<(u32, Option<u32>)> {
    // The numbers that more rounds add must begin where those of fewer rounds end. If they do so for the fewest, they do for all.
    let ends = if min == 0 { Some(0) } else { most.map(|most| u64::from(most) * u64::from(min)) };
    let begins = u64::from(least) * (u64::from(min) + 1);
    if max != Some(min) && ends.is_some_and(|ends| begins > ends + 1) {
        return None;
    }
    let product = |a: u32, b: u32| a.checked_mul(b);
    let max = match (most, max) {
        (Some(most), Some(max)) => Some(product(most, max)?),
        _ => None,
    };
    Some((product(least, min)?, max))
}

fn is_one_char(bytes: &[u8]) -> bool {
    const LONGEST: usize = char::MAX.len_utf8();
    if bytes.len() > LONGEST {
        return false;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().nth(1).is_none(),
        Err(_) => bytes.len() == 1,
    }
}

mod compact;
mod form;
mod graft;
mod hash;
mod index;
mod retain;
#[cfg(test)]
mod tests;
