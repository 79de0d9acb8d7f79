//! Passing over white space without building the places inside it.
//!
//! In a committed token white space is mostly followed by something else. From "some more of these characters, and then that"
//! any other byte leads to where it leads from "that", and as long as the characters come only their number changes. Nothing
//! here is about white space alone: it is what repetitions of a class mostly are where something must follow.

use tokenstile_grammar::ir::{ByteSet, Expr};
use tokenstile_grammar::{ExprId, MembersId};

use super::counted::Phase;
use super::store::{Cell, CellId, Head, StateId, Store};

/// How deep an expression is looked into to see what it may begin with.
const DEPTH: usize = 6;

impl Store {
    /// If a state is in repetitions before something else: the state after as many of `bytes` as they take, and how many
    /// those are. `None` as well where that is not plain to see.
    pub(crate) fn past_blank(&self, state: StateId, bytes: &[u8]) -> Option<(StateId, usize)> {
        // A single byte is as fast the usual way, and faster the next time.
        if bytes.len() < 2 {
            return None;
        }
        let [first] = self.state(state).kernel[..] else { return None };
        let (mut at, mut taken) = (first, 0);
        while let Some(&byte) = bytes.get(taken) {
            let Cell { head: Head::Expr(expr, count), tail, .. } = self.cell(at) else { break };
            let (body, min, max) = match self.program.arena.get(expr) {
                Expr::Concat(_) => {
                    at = self.build().unfold(at);
                    continue;
                }
                Expr::Repeat { expr: body, min, max } => (body, min, max),
                _ => break,
            };
            let is_class = matches!(self.program.arena.get(body), Expr::Chars(_));
            if count < min || tail == CellId::NIL || !is_class && max != Some(1) {
                break;
            }
            if self.may_begin(body, byte, 0) {
                let Expr::Chars(set) = self.program.arena.get(body) else { break };
                let class = self.program.class(set).ascii;
                let rounds = bytes[taken..].iter().take_while(|&&b| b < 0x80 && class.contains(b)).count();
                let done = count.checked_add(u32::try_from(rounds).ok()?)?;
                let is_last = max.is_some_and(|max| done >= max);
                if rounds == 0 || is_last || self.may_follow(tail, byte, &bytes[taken..][..rounds]) {
                    break;
                }
                taken += rounds;
                if taken == bytes.len() {
                    let done = if max.is_some() { done } else { done.min(min) };
                    at = self.build().cell(Head::Expr(expr, done), tail);
                    break;
                }
                if self.may_begin(body, bytes[taken], 0) {
                    return None; // a character past ASCII
                }
            }
            at = tail;
        }
        (at != first).then(|| (self.build().state(&[at]), taken))
    }

    /// Whether any of some bytes may come right behind a repetition that takes them too.
    fn may_follow(&self, tail: CellId, first: u8, bytes: &[u8]) -> bool {
        self.may_begin_cell(tail, first) || bytes.iter().any(|&b| b != first && self.may_begin_cell(tail, b))
    }

    /// Whether what is left at a cell may begin with a byte, or be nothing. If that is not plain to see, it may.
    fn may_begin_cell(&self, mut cell: CellId, byte: u8) -> bool {
        let arena = &self.program.arena;
        while cell != CellId::NIL {
            let Cell { head: Head::Expr(expr, at), tail, .. } = self.cell(cell) else { return true };
            match arena.get(expr) {
                Expr::Literal(literal) => {
                    return arena.literal_bytes(literal).get(at as usize) == Some(&byte);
                }
                Expr::Concat(_) => {
                    cell = self.build().unfold(cell);
                    continue;
                }
                Expr::Members(id) => {
                    let begins = match Phase::of(at) {
                        Phase::AfterEntry(_) => self.may_begin(arena.members_of(id).separator, byte, 0),
                        _ => self.entries_begin(id).contains(byte),
                    };
                    if begins || matches!(Phase::of(at), Phase::AfterSeparator(_)) {
                        return begins;
                    }
                }
                Expr::Repeat { expr: body, .. } if self.may_begin(body, byte, 0) => return true,
                Expr::Repeat { .. } => {}
                _ if at != 0 || self.may_begin(expr, byte, 0) => return true,
                _ if !self.program.is_nullable(expr) => return false,
                _ => {}
            }
            cell = tail;
        }
        true
    }

    /// The bytes that entries of some members may begin with, and perhaps others.
    fn entries_begin(&self, members: MembersId) -> ByteSet {
        let home = if self.has_shared_members(members) { self.home(0) } else { self };
        *home.entries_begin[members.index()].get_or_init(|| {
            let slots = &self.program.arena.members_of(members).slots;
            slots.iter().fold(ByteSet::EMPTY, |all, slot| all.union(&self.begins(slot.entry)))
        })
    }

    /// The bytes that an expression may begin with, and perhaps others.
    fn begins(&self, expr: ExprId) -> ByteSet {
        let arena = &self.program.arena;
        match arena.get(expr) {
            Expr::Literal(literal) => ByteSet::single(arena.literal_bytes(literal)[0]),
            Expr::Concat(list) if !self.program.is_nullable(arena.list(list)[0]) => {
                self.begins(arena.list(list)[0])
            }
            _ => (0..=255).filter(|&byte| self.may_begin(expr, byte, 1)).collect(),
        }
    }

    /// Whether an expression may begin with a byte. If that is not plain to see, it may.
    fn may_begin(&self, expr: ExprId, byte: u8, depth: usize) -> bool {
        let arena = &self.program.arena;
        let may = |part: &ExprId| self.may_begin(*part, byte, depth + 1);
        if depth > DEPTH {
            return true;
        }
        match arena.get(expr) {
            Expr::Empty | Expr::Never => false,
            Expr::Bytes(set) => set.contains(byte),
            Expr::Chars(set) => byte >= 0x80 || self.program.class(set).ascii.contains(byte),
            Expr::Literal(literal) => arena.literal_bytes(literal).first() == Some(&byte),
            Expr::Concat(list) => {
                let parts = arena.list(list);
                let needed = parts.iter().position(|&part| !self.program.is_nullable(part));
                parts[..needed.map_or(parts.len(), |at| at + 1)].iter().any(may)
            }
            Expr::Alt(list) => arena.list(list).iter().any(may),
            Expr::Repeat { expr, .. } => may(&expr),
            Expr::Rule(rule) => may(&self.program.bodies[rule.index()]),
            Expr::Members(members) => self.entries_begin(members).contains(byte),
            _ => true,
        }
    }
}
