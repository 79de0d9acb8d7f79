//! Places that all go on because each can do what one of them can.
//!
//! In a text that must contain something, the search for it begins anew with every character: whatever else is open,
//! the place where it begins is open too. If from there characters lead to where it is open again, they do so from
//! everywhere. So one place is looked at instead of all of them, which may be hundreds.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{ByteSet, Expr};

use super::super::memory::Wide;
use super::super::walk::{Closed, Walk};
use crate::ablate::{Switch, is_off};
use crate::automaton::{Cell, CellId, Head, LocalId, Store};
use crate::tokens::class::{CharClass, LackId};
use crate::tuning::shapes::COVER_EXPRS;
use crate::work::Exceeded;

/// The characters that lead from a place to others that can do what one of them can.
struct Leads {
    ascii: ByteSet,
    /// Whether those past ASCII do, but for a few.
    wide: bool,
    dead: SmallVec<[char; 4]>,
}

/// The bytes that may be read from a place on: in what it is made of, and then.
struct Used {
    inside: ByteSet,
    until: ByteSet,
}

impl Walk<'_> {
    /// The place that most tokens lead to, if most characters lead from there back to it: nothing else need be looked at.
    pub(super) fn single(&mut self, local: LocalId, home: LocalId) -> Result<Option<Closed>, Exceeded> {
        if !self.goes_on(local) || !self.goes_on(home) {
            return Ok(None);
        }
        let alive = self.store.split_expansion(home).alive;
        let lack = LackId::NOTHING;
        let all = CharClass {
            ascii: alive.intersect(&ByteSet::ASCII),
            wide: alive.intersects(&ByteSet::PAST_ASCII),
            lack,
        };
        let rest = self.stays(home, &all)?;
        let again = Leads { ascii: rest.ascii, wide: rest.wide, dead: SmallVec::new() };
        let letters = alive.intersect(&ByteSet::LETTERS);
        if !letters.is_subset(&rest.ascii) || !self.is_most(home, &again) {
            return Ok(None);
        }
        let (ascii, wide) =
            (self.leads_to(local, home, &ByteSet::ASCII)?, self.wide_leads_to(local, home, lack)?);
        let first = Leads { ascii, wide, dead: SmallVec::new() };
        if !self.is_most(local, &first) {
            return Ok(None);
        }
        let exits =
            alive.minus(&rest.ascii).minus(if rest.wide { &ByteSet::PAST_ASCII } else { &ByteSet::EMPTY });
        let first = (local, ascii, wide && rest.wide);
        self.closed_at((home, home), first, (rest, u32::MAX, Vec::new()), exits).map(Some)
    }

    /// All that leads from a place to others that can do what it can, or what the place can that most tokens lead to.
    pub(super) fn covered(&mut self, local: LocalId, home: LocalId) -> Result<Option<Closed>, Exceeded> {
        if !self.goes_on(local) || !self.goes_on(home) {
            return Ok(None);
        }
        // It may take a character or two to come to where there is least.
        let least = self.home(home)?.filter(|&least| self.goes_on(least)).unwrap_or(home);
        let mut bases: SmallVec<[LocalId; 4]> = SmallVec::from_slice(&[local, home, least]);
        let other = self.heaviest(home, Some(least))?;
        if !is_off(Switch::CommonPlaces) {
            bases.extend(other.and_then(|other| self.store.common(least, other)));
        }
        bases.extend(self.store.origin_of(local));
        // A space is none of the characters that most is made of.
        bases.extend(self.after_byte(local, b' ')?.filter(|&after| self.goes_on(after)));
        bases.dedup();
        for base in bases {
            if let Some(covered) = self.covered_by(base, local, home)? {
                return Ok(Some(covered));
            }
        }
        Ok(None)
    }

    fn covered_by(
        &mut self,
        base: LocalId,
        local: LocalId,
        home: LocalId,
    ) -> Result<Option<Closed>, Exceeded> {
        let again = self.leads_to_cover(base, base)?;
        // A formula may rule out some here that come again further on.
        let letters = self.store.split_expansion(home).alive.intersect(&ByteSet::LETTERS);
        let has_letters = letters.is_subset(&again.ascii) || !self.store.is_formula(base);
        if !has_letters || !self.is_most(base, &again) {
            return Ok(None);
        }
        let first = self.leads_to_cover(local, base)?;
        let mut dead = again.dead.to_vec();
        dead.extend_from_slice(&first.dead);
        if !self.is_most(local, &first) || !self.are_few(&mut dead) {
            return Ok(None);
        }
        // What is come to is made of what is here.
        let mut looked = 0;
        let used = self.store.used_until(local, &again.ascii.union(&first.ascii), &mut looked);
        self.work.spend(looked / 8)?;
        let Some(Used { inside, until }) = used else { return Ok(None) };
        let used = inside.union(&until);
        let ends = self.store.least_of_formula(local).map(|least| (until.minus(&inside), least));
        let exits =
            used.minus(&again.ascii).minus(if again.wide { &ByteSet::PAST_ASCII } else { &ByteSet::EMPTY });
        let rest = CharClass { ascii: again.ascii, wide: again.wide, lack: LackId::NOTHING };
        let first = (local, first.ascii, first.wide && again.wide);
        let closed = self.closed_at((home, base), first, (rest, u32::MAX, dead), exits)?;
        Ok(Some(Closed { ends, ..closed }))
    }

    /// Whether that is most of what leads on from a place.
    fn is_most(&self, local: LocalId, leads: &Leads) -> bool {
        let alive = self.store.split_expansion(local).alive;
        10 * self.tokens_by(&leads.ascii) >= 9 * self.tokens_by(&alive)
            && (leads.wide || !alive.intersects(&ByteSet::PAST_ASCII))
    }

    /// What leads from a place to others that can do what `base` can.
    fn leads_to_cover(&mut self, local: LocalId, base: LocalId) -> Result<Leads, Exceeded> {
        let expansion = self.store.split_expansion(local);
        let cells = self.store.local(base).heads.iter().map(|head| self.store.state(head.0).kernel.len());
        self.work.spend(expansion.classes.len() * (1 + cells.sum::<usize>() / 8))?;
        let mut ascii = ByteSet::EMPTY;
        for (i, class) in expansion.classes.iter().enumerate() {
            let set = class.set.intersect(&ByteSet::ASCII);
            if !set.is_empty() {
                let next = self.step(expansion, i)?;
                ascii = if self.store.covers(next, base) { ascii.union(&set) } else { ascii };
            }
        }
        if !is_off(Switch::CoveringClasses) && self.store.wide_covers(local, base) {
            return Ok(Leads { ascii, wide: true, dead: SmallVec::new() });
        }
        let elsewhere = Leads { ascii, wide: false, dead: SmallVec::new() };
        let Some(Wide { targets, mut dead, rare, lack, .. }) = self.wide_of(local)? else {
            return Ok(elsewhere);
        };
        if lack != LackId::NOTHING {
            return Ok(elsewhere);
        }
        // A few that lead elsewhere are looked at one by one, like those that lead nowhere.
        for to in targets.into_iter().filter(|&to| !self.store.covers(to, base)) {
            let few = dead.len();
            dead.extend(rare.iter().filter(|rare| rare.0 == to).map(|rare| rare.1));
            if dead.len() == few {
                return Ok(elsewhere);
            }
        }
        Ok(Leads { ascii, wide: true, dead })
    }
}

impl Store {
    /// A place that can do what two others both can, as their cells show.
    fn common(&self, a: LocalId, b: LocalId) -> Option<LocalId> {
        let ((a, stack), (b, below)) = (self.only_state(a)?, self.only_state(b)?);
        let (a, b) = (&self.state(a).kernel, &self.state(b).kernel);
        let both: SmallVec<[CellId; 8]> =
            a.iter().copied().filter(|cell| b.binary_search(cell).is_ok()).collect();
        let known = both.is_empty() || both.len() == a.len() || both.len() == b.len();
        (stack == below && !known).then(|| self.local_of_cells(&both, stack))
    }

    /// What a place can do besides all that another can, if its cells show that, and it was not looked at before.
    pub(super) fn more_than(&self, id: LocalId, other: LocalId) -> Option<LocalId> {
        if id == other
            || self.is_expanded(id)
            || is_off(Switch::StepDifferences)
            || !self.has_cells_of(id, other)
        {
            return None;
        }
        let ((more, stack), (some, _)) = (self.only_state(id)?, self.only_state(other)?);
        let some = &self.state(some).kernel;
        let more = self.state(more).kernel.iter().copied().filter(|cell| some.binary_search(cell).is_err());
        let more: SmallVec<[CellId; 8]> = more.collect();
        (!more.is_empty()).then(|| self.local_of_cells(&more, stack))
    }

    /// The place that can do what one of two others can, if they stand on the same stack.
    pub(super) fn either(&self, a: LocalId, b: LocalId) -> Option<LocalId> {
        let ((a, stack), (b, below)) = (self.only_state(a)?, self.only_state(b)?);
        let cells = self.state(a).kernel.iter().chain(self.state(b).kernel.iter());
        let cells: SmallVec<[CellId; 8]> = cells.copied().collect();
        (stack == below).then(|| self.local_of_cells(&cells, stack))
    }

    /// The bytes that may be read from a place on until something must be read that none of `chars` begins; `None` if
    /// that is not certain to come, or something is called before. How many expressions were looked at is counted.
    fn used_until(&self, id: LocalId, chars: &ByteSet, looked: &mut usize) -> Option<Used> {
        let &[(state, _)] = &self.local(id).heads[..] else { return None };
        let mut until = ByteSet::EMPTY;
        let formula = if self.program.booleans { self.exprs_of_formula(state) } else { None };
        let (mut exprs, behind) = formula.map_or_else(Default::default, |(exprs, tail)| (exprs, Some(tail)));
        let kernel = &self.state(state).kernel[..];
        for &cell in behind.as_ref().map_or(kernel, std::slice::from_ref) {
            let mut at = cell;
            while !self.ends_run(at, chars, &mut until, &mut exprs)? {
                at = self.cell(at).tail;
                if exprs.len() > COVER_EXPRS {
                    return None;
                }
            }
        }
        Some(Used { inside: self.bytes_in(exprs, looked)?, until })
    }

    /// Whether a cell begins with, or comes to, a literal that none of `chars` begins. What may be read before is added.
    fn ends_run(
        &self,
        cell: CellId,
        chars: &ByteSet,
        used: &mut ByteSet,
        exprs: &mut SmallVec<[ExprId; 16]>,
    ) -> Option<bool> {
        match cell {
            CellId::NIL => return None,
            CellId::LAST => return Some(true),
            _ => {}
        }
        let arena = &self.program.arena;
        let Cell { head: Head::Expr(expr, at), .. } = self.cell(cell) else { return None };
        let one = [expr];
        let (parts, mut at) = match arena.get(expr) {
            Expr::Concat(list) => (&arena.list(list)[at as usize..], 0),
            _ => (&one[..], at),
        };
        for &part in parts {
            if let Expr::Literal(literal) = arena.get(part) {
                let next = arena.literal_bytes(literal)[at as usize];
                if !chars.contains(next) && next.is_ascii() {
                    used.insert(next);
                    return Some(true);
                }
            }
            at = 0;
            exprs.push(part);
        }
        Some(false)
    }

    /// The bytes that are in some expressions, if those are plain.
    fn bytes_in(&self, mut todo: SmallVec<[ExprId; 16]>, looked: &mut usize) -> Option<ByteSet> {
        let arena = &self.program.arena;
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut bytes = ByteSet::EMPTY;
        while let Some(expr) = todo.pop() {
            if !seen.insert(expr) {
                continue;
            }
            *looked += 1;
            if *looked > COVER_EXPRS {
                return None;
            }
            match arena.get(expr) {
                Expr::Bytes(set) => bytes = bytes.union(arena.byte_set(set)),
                Expr::Chars(set) => {
                    let set = arena.char_set(set);
                    bytes = bytes.union(&set.ascii());
                    bytes = if set.is_ascii() { bytes } else { bytes.union(&ByteSet::PAST_ASCII) };
                }
                Expr::Literal(literal) => {
                    bytes = bytes.union(&arena.literal_bytes(literal).iter().copied().collect());
                }
                Expr::Never | Expr::Empty => {}
                Expr::Concat(_) | Expr::Alt(_) | Expr::Repeat { .. } => {
                    todo.extend(arena.children(expr).iter().copied());
                }
                _ => return None,
            }
        }
        Some(bytes)
    }
}
