//! Locals that repeat a class of characters, so that runs of them need no states of their own.
//!
//! A loop is found by its shape: a cell that is a repetition of a class (or of a choice with a class in it), whose
//! characters lead back into it and nowhere else. Then the number of rounds is all there is to know of a run.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use smallvec::SmallVec;
use tokenstile_grammar::ir::{ByteSet, Expr};
use tokenstile_grammar::{CharSetId, ExprId};

use super::super::Loop;
use super::super::exprs::first_literal;
use super::super::objects::cell::{Cell, Head};
use super::super::objects::ids::{CellId, LocalId, NodeId, StateId};
use super::super::store::Store;
use crate::ablate::{Switch, is_off};
use crate::tokens::class::LackId;
use crate::tuning::seen::MANY_LEFT;

impl Store {
    /// A state that is a loop of which many rounds are left, perhaps behind a literal, as one of which more are; and how many
    /// are left. Nothing tells them apart but a token that has more characters.
    pub(crate) fn with_more_left(&self, id: StateId) -> Option<(StateId, u32)> {
        let kernel = &self.state(id).kernel;
        let mut loops = kernel.iter().copied().filter(|&cell| !self.reads_nothing(cell));
        let (Some(only), None) = (loops.next(), loops.next()) else { return None };
        let before = self.literal_at(only).map(|(_, tail)| tail);
        let Cell { head: Head::Expr(expr, count), tail, .. } = self.cell(before.unwrap_or(only)) else {
            return None;
        };
        let Expr::Repeat { min, max: Some(max), .. } = self.program.arena.get(expr) else {
            return None;
        };
        let left = max.saturating_sub(count);
        if left < MANY_LEFT || count <= min {
            return None;
        }
        let mut build = self.build();
        let mut more = build.cell(Head::Expr(expr, min), tail);
        if before.is_some() {
            more = build.cell(self.cell(only).head, more);
        }
        let cells: SmallVec<[CellId; 4]> =
            kernel.iter().map(|&cell| if cell == only { more } else { cell }).collect();
        Some((build.state(&cells), left))
    }

    /// A hash of a state that does not depend on how often its loops have run.
    pub(crate) fn shape(&self, id: StateId) -> u64 {
        self.state(id).kernel.iter().fold(0, |sum, &cell| sum ^ self.cell_shape(cell, usize::MAX).0)
    }

    /// The same of a cell and so much of what follows it, and whether a loop with a bound is there.
    pub(in crate::automaton) fn cell_shape(&self, cell: CellId, behind: usize) -> (u64, bool) {
        let (mut hasher, mut at, mut is_bounded) = (FxHasher::default(), cell, false);
        for _ in 0..behind {
            if at == CellId::NIL {
                break;
            }
            let Cell { head, tail, .. } = self.cell(at);
            let repeat = match head {
                Head::Expr(expr, _) => match self.program.arena.get(expr) {
                    Expr::Repeat { max, .. } => Some((expr, max.is_some())),
                    _ => None,
                },
                _ => None,
            };
            match repeat {
                Some((expr, bounded)) => {
                    is_bounded |= bounded;
                    expr.hash(&mut hasher);
                }
                None => head.hash(&mut hasher),
            }
            at = tail;
        }
        (hasher.finish(), is_bounded)
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
        let mut changed = false;
        for &cell in self.state(id).kernel.iter() {
            // The end of the frame is passed by: more characters follow.
            if self.reads_nothing(cell) {
                changed = true;
                continue;
            }
            let Cell { head: Head::Expr(expr, count), tail, .. } = self.cell(cell) else { return None };
            let Expr::Repeat { min, max, .. } = self.program.arena.get(expr) else { return None };
            let before = count;
            let count = count.checked_add(chars)?;
            let count = match max {
                Some(max) if count >= max => return None,
                Some(_) => count,
                None => count.min(min),
            };
            changed |= count != before;
            kernel.push((Head::Expr(expr, count), tail));
        }
        if !changed {
            return Some(id);
        }
        let mut build = self.build();
        let cells: SmallVec<[CellId; 4]> =
            kernel.into_iter().map(|(head, tail)| build.cell(head, tail)).collect();
        Some(build.state(&cells))
    }

    /// ASCII characters any number of which may follow in a state, whatever else may, one bit each: those of a loop without
    /// end that is one of its cells.
    pub(crate) fn any_number_of(&self, id: StateId) -> u128 {
        let arena = &self.program.arena;
        let endless = |&cell: &CellId| {
            let Cell { head: Head::Expr(expr, at), .. } = self.cell(cell) else { return None };
            match arena.get(expr) {
                Expr::Repeat { expr: body, max: None, .. } => {
                    Some(arena.char_set(self.repeated_chars(body)?).ascii().ascii_bits())
                }
                Expr::And(_) => self.program.exceptions(expr)?.any_number_of(at),
                _ => None,
            }
        };
        self.state(id).kernel.iter().filter_map(endless).max_by_key(|ascii| ascii.count_ones()).unwrap_or(0)
    }

    fn find_loop(&self, id: LocalId) -> Option<Loop> {
        let [(state, node)] = self.local(id).heads[..] else { return None };
        if !is_off(Switch::LoopsAlike)
            && let Some((like, left)) = self.with_more_left(state)
        {
            return self.repeats(self.local_on(like, node)).map(|more| Loop { left: Some(left), ..more });
        }
        let kernel = &self.state(state).kernel;
        let mut found: Option<Loop> = None;
        for &cell in kernel.iter().filter(|&&c| !self.reads_nothing(c)) {
            let Cell { head: Head::Expr(expr, count), tail, .. } = self.cell(cell) else { return None };
            let Expr::Repeat { expr: body, min, max } = self.program.arena.get(expr) else { return None };
            let chars = self.repeated_chars(body)?;
            let class = self.program.class(chars);
            let ascii = class.ascii.ascii_bits();
            let (left, need) = (max.map(|m| m - count), min.saturating_sub(count));
            let others = self.other_beginnings(body);
            let ends = need > 0 && self.ends_at(tail, node);
            let this = Loop { chars, left, need, ends, ascii, wide: class.wide, lack: class.lack, others };
            // Several loops in step are one, unless their rounds have to be counted.
            match found {
                Some(f) if f != this || this.left.is_some() || this.need > 0 => return None,
                _ => found = Some(this),
            }
        }
        let found = found?;
        self.is_exclusive(id, found.chars).then_some(found)
    }

    /// Whether the frame may end where a cell begins.
    fn ends_at(&self, cell: CellId, node: NodeId) -> bool {
        let expansion = self.split_expansion(self.local_at(node, cell));
        expansion.pops || !expansion.ends.is_empty()
    }

    /// The character class of a repeated body: a class, or a choice of one class and other things.
    pub(in crate::automaton) fn repeated_chars(&self, body: ExprId) -> Option<CharSetId> {
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

    /// The ASCII characters that the other things of a repeated body may begin with.
    pub(in crate::automaton) fn other_beginnings(&self, body: ExprId) -> u128 {
        let arena = &self.program.arena;
        let Expr::Alt(list) = arena.get(body) else { return 0 };
        let others = arena.list(list).iter().filter(|&&other| !matches!(arena.get(other), Expr::Chars(_)));
        others.fold(0, |all, &other| match first_literal(arena, other).and_then(|literal| literal.first()) {
            Some(&byte) if byte < 0x80 => all | 1 << byte,
            Some(_) => all,
            None => u128::MAX,
        })
    }

    /// Whether the characters of a loop lead nowhere but back into it.
    fn is_exclusive(&self, id: LocalId, chars: CharSetId) -> bool {
        let [(state, node)] = self.local(id).heads[..] else { return false };
        let set = self.program.arena.char_set(chars);
        let ascii = set.ascii();
        let wide = if set.is_ascii() { ByteSet::EMPTY } else { ByteSet::PAST_ASCII };
        let kernel = &self.state(state).kernel;
        let mut rounds = 0;
        let expansion = self.split_expansion(id);
        if !expansion.apart.is_empty() {
            return false; // this may be so all the same, but white space is all that stands before entries
        }
        for &(bytes, at, target) in expansion.edges.iter() {
            if bytes.intersects(&ascii) {
                rounds += 1;
                let whole = bytes.intersect(&ByteSet::ASCII) == ascii;
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
        rounds > 0
            && rounds == kernel.iter().filter(|&&c| !self.reads_nothing(c)).count()
            && !kernel.iter().any(|&cell| self.last_round_hides(id, cell, &ascii.union(&wide)))
    }

    /// Whether a cell is in the last round of a loop, and what follows starts with the same bytes: where that is a loop
    /// as well (`[0-9]{1,2}0*`), its edge leads to where the last round leads, and is none of its own.
    fn last_round_hides(&self, id: LocalId, cell: CellId, bytes: &ByteSet) -> bool {
        let Cell { head: Head::Expr(expr, count), tail, .. } = self.cell(cell) else { return false };
        let Expr::Repeat { max: Some(max), .. } = self.program.arena.get(expr) else { return false };
        max - count == 1
            && tail != CellId::NIL
            && self.local_expansion(self.local_at(self.local(id).heads[0].1, tail)).alive.intersects(bytes)
    }

    /// Whether `target` is one of the loops of `kernel` with one more round done, or with all of them done.
    fn is_round(&self, kernel: &[CellId], target: CellId) -> bool {
        let next = self.cell(target);
        kernel.iter().filter(|&&c| !self.reads_nothing(c)).any(|&cell| {
            let now = self.cell(cell);
            let same = matches!((now.head, next.head), (Head::Expr(a, _), Head::Expr(b, _)) if a == b);
            (same && now.tail == next.tail && !self.reads_nothing(target)) || now.tail == target
        })
    }

    /// Whether every character past ASCII that the vocabulary can spell leads from a local to where `byte` leads, but for
    /// a lack, as the edges show. If they do not show it, it may be so all the same.
    pub(crate) fn wide_follows(&self, id: LocalId, byte: u8, lack: LackId) -> bool {
        if is_off(Switch::WideEdges) {
            return false;
        }
        let edges = &self.split_expansion(id).edges;
        let mut ascii = edges.iter().filter(|e| e.0.contains(byte));
        let (Some(&(_, node, next)), None) = (ascii.next(), ascii.next()) else { return false };
        let wide = ByteSet::PAST_ASCII;
        let mut wide = edges.iter().filter(|e| e.0.intersects(&wide)).peekable();
        wide.peek().is_some()
            && wide.all(|&(_, at, target)| match self.cell(target) {
                Cell { head: Head::Utf8(set, _), tail, .. } => {
                    let class = self.program.class(set);
                    at == node && tail == next && class.wide && class.lack == lack
                }
                _ => false,
            })
    }
}
