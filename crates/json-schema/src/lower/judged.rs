//! Objects of which a formula must hold, judged while they are written.
//!
//! The formula is about sets of objects, the *frames*. Each key is written once for all of them. Its value is told apart by
//! what the frames ask of it, so that a member has a slot for each *verdict*: which of the goals that frames have for
//! its key its value has. Then whether an object is in a frame is seen from the slots of its members: none of them breaks
//! the frame, and what it requires is there. What is written is members under the formula with that put in for each frame.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tokenstile_grammar::ir::{ClauseId, ConditionBuilder, Count, Members, Slot};
use tokenstile_grammar::{Error, ErrorKind, ExprId};

use super::{Lower, at_least, count};
use crate::algebra::{Formula, GoalId, Object, Strings};
use crate::options::MemberOrder;
use crate::tuning::lower::{CLASSES, EFFECTS, OBLIGATIONS, VERDICTS};

/// Classes of keys that are not listed, with what is asked of their values.
type Classes<'o> = &'o [(Strings, GoalId)];

/// The frames of an object, and what they say of keys.
struct Frames<'o> {
    /// The first is the object itself, without its formulas.
    list: Vec<&'o Object>,
    index: FxHashMap<&'o Object, usize>,
    /// For each name, the frames that list it, with their goals.
    names: FxHashMap<Rc<str>, Vec<(usize, GoalId)>>,
    order: Vec<Rc<str>>,
    /// Frames by what they say of keys that they do not list, if that is anything.
    by_classes: Vec<(Classes<'o>, Vec<usize>)>,
    /// Frames that have obligations.
    obliged: Vec<usize>,
}

/// A slot in the making: its key, what its value must have, and the frames that it breaks.
struct Judged {
    key: ExprId,
    goal: GoalId,
    breaks: Vec<usize>,
    /// The numbers of the obligations that it fulfils: a frame's, in that frame.
    fulfils: Vec<(usize, usize)>,
}

/// What the frames ask of one key: goals, each with the frames and obligations that it is for.
#[derive(Default)]
struct Asked {
    goals: Vec<GoalId>,
    frames: Vec<Vec<usize>>,
    some: Vec<Vec<(usize, usize)>>,
    /// Frames in which the key may not be.
    forbidden: Vec<usize>,
    /// Obligations that any value fulfils.
    always: Vec<(usize, usize)>,
    /// Whether it matters that a value does not have a goal. A few obligations are fulfilled or not by whoever counts them.
    exact: bool,
}

impl Asked {
    fn new(frames: &Frames<'_>) -> Self {
        let exact = frames.list.len() > 1 || frames.list[0].some.len() > OBLIGATIONS;
        Asked { exact, ..Asked::default() }
    }

    fn ask(&mut self, frame: usize, goal: GoalId) {
        match goal {
            GoalId::ANY => {}
            GoalId::NEVER => self.forbidden.push(frame),
            _ => {
                let at = self.place(goal);
                self.frames[at].push(frame);
            }
        }
    }

    fn oblige(&mut self, of: (usize, usize), goal: GoalId) {
        match goal {
            GoalId::ANY => self.always.push(of),
            GoalId::NEVER => {}
            _ => {
                let at = self.place(goal);
                self.some[at].push(of);
            }
        }
    }

    fn place(&mut self, goal: GoalId) -> usize {
        self.goals.iter().position(|&known| known == goal).unwrap_or_else(|| {
            self.goals.push(goal);
            self.frames.push(Vec::new());
            self.some.push(Vec::new());
            self.goals.len() - 1
        })
    }
}

impl<'o> Frames<'o> {
    fn new(plain: &'o Object, formulas: &'o [Rc<Formula>]) -> Self {
        let mut frames = Frames {
            list: vec![plain],
            index: FxHashMap::default(),
            names: FxHashMap::default(),
            order: Vec::new(),
            by_classes: Vec::new(),
            obliged: Vec::new(),
        };
        frames.index.insert(plain, 0);
        frames.add_names(0);
        let (mut todo, mut seen): (Vec<&'o Formula>, _) = (Vec::new(), FxHashSet::default());
        todo.extend(formulas.iter().rev().map(|formula| &**formula));
        while let Some(formula) = todo.pop() {
            if !seen.insert(std::ptr::from_ref(formula)) {
                continue;
            }
            if let Formula::In(object) = formula
                && !frames.index.contains_key(&**object)
            {
                frames.index.insert(object, frames.list.len());
                frames.list.push(object);
                frames.add_names(frames.list.len() - 1);
            }
            todo.extend(formula.parts().iter().rev().map(|part| &**part));
        }
        frames
    }

    fn add_names(&mut self, frame: usize) {
        let object = self.list[frame];
        if !object.some.is_empty() {
            self.obliged.push(frame);
        }
        for member in &object.members {
            let known = self.names.entry(member.name.clone()).or_default();
            if known.is_empty() {
                self.order.push(member.name.clone());
            }
            known.push((frame, member.goal));
        }
        let implied = object.implies.iter().flat_map(|(a, b)| [a, b]);
        let listed = object.classes.iter().chain(&object.some).filter_map(|(keys, _)| match keys {
            Strings::Only(names) | Strings::Except(names) => Some(names.iter()),
            _ => None,
        });
        for name in implied.chain(listed.flatten()) {
            if !self.names.contains_key(name) {
                self.names.insert(name.clone(), Vec::new());
                self.order.push(name.clone());
            }
        }
        let says_nothing = |(keys, goal): &(Strings, GoalId)| keys.is_any() && *goal == GoalId::ANY;
        if object.classes.iter().any(says_nothing) {
            return;
        }
        match self.by_classes.iter_mut().find(|known| known.0 == &object.classes[..]) {
            Some(known) => known.1.push(frame),
            None => self.by_classes.push((&object.classes, vec![frame])),
        }
    }
}

impl Lower<'_> {
    /// The members of an object of which formulas must hold, or some obligations.
    pub(super) fn judged_members(&mut self, object: &Object) -> Result<ExprId, Error> {
        let plain = Object { formulas: Vec::new(), ..object.clone() };
        let frames = Frames::new(&plain, &object.formulas);
        let (mut slots, mut counts, mut named) = (Vec::new(), Vec::new(), FxHashMap::default());
        let mut effects = 0;
        for name in &frames.order {
            // Each is looked at in all frames, which may be many.
            self.algebra.budget.check()?;
            let kinds = self.judged_member(&frames, name)?;
            check_effects(&mut effects, &kinds)?;
            let own: SmallVec<[u32; 2]> = (0..kinds.len()).map(|at| (slots.len() + at) as u32).collect();
            slots.extend(kinds);
            named.insert(name.clone(), own);
        }
        for name in &frames.order {
            let required = plain.member(name).is_some_and(|member| member.required);
            counts.push(Count { slots: named[name].clone(), min: u32::from(required), max: Some(1) });
        }
        let others = self.judged_classes(&frames)?;
        check_effects(&mut effects, &others)?;
        slots.extend(others);
        if (object.min, object.max) != (0, u64::MAX) {
            let all = (0..slots.len() as u32).collect();
            counts.push(Count { slots: all, min: at_least(object.min, "members")?, max: count(object.max) });
        }
        let condition = self.condition_of(&frames, &object.formulas, &slots, &named)?;
        let mut entries = Vec::with_capacity(slots.len());
        for slot in &slots {
            entries.push(Slot::anywhere(self.entry(slot.key, slot.goal)?));
        }
        let separator = self.signs.separator;
        let in_order = self.algebra.options.order == MemberOrder::Declared && plain.some.is_empty();
        let condition = Some(Box::new(condition));
        self.members(Members { separator, slots: entries.into(), counts: counts.into(), condition, in_order })
    }

    /// A member by name: a slot for each verdict on its value.
    fn judged_member(&mut self, frames: &Frames<'_>, name: &Rc<str>) -> Result<Vec<Judged>, Error> {
        let mut asked = Asked::new(frames);
        let mut listing = vec![false; if frames.by_classes.is_empty() { 0 } else { frames.list.len() }];
        for &(frame, goal) in &frames.names[name] {
            asked.ask(frame, self.algebra.in_same_words(goal));
            if let Some(lists) = listing.get_mut(frame) {
                *lists = true;
            }
        }
        for (_, of) in &frames.by_classes {
            let goal = self.algebra.goal_of_class(frames.list[of[0]], name)?;
            let goal = self.algebra.in_same_words(goal);
            of.iter().filter(|&&frame| !listing[frame]).for_each(|&frame| asked.ask(frame, goal));
        }
        for &frame in &frames.obliged {
            for (number, (keys, goal)) in frames.list[frame].some.iter().enumerate() {
                if keys.contains(name, &mut self.algebra.texts())? {
                    asked.oblige((frame, number), self.algebra.in_same_words(*goal));
                }
            }
        }
        let key = self.quoted_text(name);
        self.verdicts(key, &asked)
    }

    /// The keys that are not listed: a slot for each class of them and each verdict on its value.
    fn judged_classes(&mut self, frames: &Frames<'_>) -> Result<Vec<Judged>, Error> {
        let names = Strings::Except(frames.order.iter().cloned().collect());
        // Which keys are told apart: those of the classes of frames, and of obligations.
        let mut told: Vec<&Strings> =
            frames.by_classes.iter().flat_map(|(classes, _)| *classes).map(|c| &c.0).collect();
        told.extend(frames.list.iter().flat_map(|object| &object.some).map(|some| &some.0));
        let mut classes: Vec<(Strings, FxHashSet<&Strings>)> = vec![(names, FxHashSet::default())];
        let mut split = FxHashSet::default();
        for keys in told.into_iter().filter(|&keys| split.insert(keys)) {
            self.algebra.budget.check()?;
            let others = keys.complement(&mut self.algebra.builder.arena);
            let mut next = Vec::with_capacity(classes.len() + 1);
            for (class, within) in classes {
                let inside = class.intersect(keys, &mut self.algebra.texts())?;
                if self.algebra.no_strings(&inside)? {
                    next.push((class, within));
                    continue;
                }
                let outside = class.intersect(&others, &mut self.algebra.texts())?;
                let more = within.iter().copied().chain([keys]).collect();
                if !self.algebra.no_strings(&outside)? {
                    next.push((outside, within));
                }
                next.push((inside, more));
            }
            if next.len() > CLASSES {
                return Err(too_many("the classes of its keys"));
            }
            classes = next;
        }
        let mut slots = Vec::new();
        for (keys, within) in classes {
            let mut asked = Asked::new(frames);
            for (of_frames, of) in &frames.by_classes {
                let goal =
                    of_frames.iter().find(|(keys, _)| within.contains(keys)).map_or(GoalId::NEVER, |c| c.1);
                let goal = self.algebra.in_same_words(goal);
                of.iter().for_each(|&frame| asked.ask(frame, goal));
            }
            for &frame in &frames.obliged {
                let some = &frames.list[frame].some;
                let obliged = some.iter().enumerate().filter(|(_, some)| within.contains(&some.0));
                obliged.for_each(|(number, (_, goal))| asked.oblige((frame, number), *goal));
            }
            let unasked = asked.goals.is_empty() && !frames.order.is_empty();
            if asked.forbidden.contains(&0) || unasked && self.algebra.options.closed {
                continue;
            }
            let key = self.unlisted_key(&keys)?;
            slots.extend(self.verdicts(key, &asked)?);
        }
        Ok(slots)
    }

    /// The slots of a key: one for each verdict that a value may get which is allowed at all.
    fn verdicts(&mut self, key: ExprId, asked: &Asked) -> Result<Vec<Judged>, Error> {
        if asked.forbidden.contains(&0) {
            return Ok(Vec::new());
        }
        let demanded = |at: usize| asked.frames[at].contains(&0);
        let base = (0..asked.goals.len()).filter(|&at| demanded(at));
        let base = base.fold(GoalId::ANY, |all, at| self.algebra.goals.and(all, asked.goals[at]));
        let verdicts = self.told_apart(base, &asked.goals, asked.exact)?;
        let judged = |(goal, has): (GoalId, Vec<usize>)| {
            let mut breaks = asked.forbidden.clone();
            let mut fulfils = asked.always.clone();
            for at in 0..asked.goals.len() {
                if has.contains(&at) {
                    fulfils.extend_from_slice(&asked.some[at]);
                } else {
                    breaks.extend_from_slice(&asked.frames[at]);
                }
            }
            Judged { key, goal, breaks, fulfils }
        };
        Ok(verdicts.into_iter().map(judged).collect())
    }

    /// The values of a goal, told apart by which of some other goals they have; those are given by number. If it does not
    /// have to be `exact`, values that have a goal may count as those that do not, too.
    pub(super) fn told_apart(
        &mut self,
        base: GoalId,
        goals: &[GoalId],
        exact: bool,
    ) -> Result<Vec<(GoalId, Vec<usize>)>, Error> {
        let mut apart: Vec<(GoalId, Vec<usize>)> = vec![(base, Vec::new())];
        for (at, &goal) in goals.iter().enumerate() {
            let mut next = Vec::with_capacity(apart.len() + 1);
            for (known, mut has) in apart {
                self.algebra.budget.tick()?;
                let inside = self.algebra.goals.and(known, goal);
                if inside == known {
                    has.push(at);
                    next.push((known, has));
                    continue;
                }
                if self.has_no_values(inside)? {
                    next.push((known, has));
                    continue;
                }
                // What is outside lacks one of the goal's schemas, and has those before.
                let mut outside = known;
                if !exact {
                    next.push((known, has.clone()));
                }
                for other in if exact { self.algebra.violations(goal) } else { SmallVec::new() } {
                    let without = self.algebra.goals.and(outside, other);
                    if !self.has_no_values(without)? {
                        next.push((without, has.clone()));
                    }
                    let held = self.algebra.violations(other);
                    outside = held.into_iter().fold(outside, |all, held| self.algebra.goals.and(all, held));
                }
                has.push(at);
                next.push((inside, has));
            }
            if next.len() > VERDICTS {
                return Err(too_many("the verdicts on one value"));
            }
            apart = next;
        }
        Ok(apart)
    }

    fn has_no_values(&mut self, goal: GoalId) -> Result<bool, Error> {
        self.algebra.no_values(goal, 2)
    }

    /// The formulas over slots.
    fn condition_of(
        &mut self,
        frames: &Frames<'_>,
        formulas: &[Rc<Formula>],
        slots: &[Judged],
        named: &FxHashMap<Rc<str>, SmallVec<[u32; 2]>>,
    ) -> Result<tokenstile_grammar::ir::Condition, Error> {
        let mut breaking: Vec<Vec<u32>> = vec![Vec::new(); frames.list.len()];
        let mut fulfilling: FxHashMap<(usize, usize), Vec<u32>> = FxHashMap::default();
        for (number, slot) in (0..).zip(slots) {
            slot.breaks.iter().for_each(|&frame| breaking[frame].push(number));
            slot.fulfils.iter().for_each(|&of| fulfilling.entry(of).or_default().push(number));
        }
        let mut builder = ConditionBuilder::default();
        let mut clauses: Vec<ClauseId> = Vec::with_capacity(frames.list.len());
        for (frame, object) in frames.list.iter().enumerate() {
            self.algebra.budget.check()?;
            let broken = builder.at_least(breaking[frame].iter().copied(), 1);
            let mut all = vec![builder.not(broken)];
            // Counts see to what is required of the object itself.
            if frame > 0 {
                for member in object.members.iter().filter(|member| member.required) {
                    all.push(builder.at_least(named[&member.name].iter().copied(), 1));
                }
                let every = || 0..slots.len() as u32;
                if object.min > 0 {
                    all.push(builder.at_least(every(), at_least(object.min, "members")?));
                }
                if let Some(max) = count(object.max).and_then(|max| max.checked_add(1)) {
                    let more = builder.at_least(every(), max);
                    all.push(builder.not(more));
                }
            }
            for number in 0..object.some.len() {
                let some = fulfilling.get(&(frame, number)).map_or(&[][..], |slots| slots);
                all.push(builder.at_least(some.iter().copied(), 1));
            }
            for (a, b) in &object.implies {
                let (a, b) = (&named[a], &named[b]);
                let (a, b) = (builder.at_least(a.iter().copied(), 1), builder.at_least(b.iter().copied(), 1));
                let without = builder.not(a);
                all.push(builder.any(&[without, b]));
            }
            clauses.push(builder.all(&all));
        }
        let mut known: FxHashMap<*const Formula, ClauseId> = FxHashMap::default();
        let mut whole = vec![clauses[0]];
        for formula in formulas {
            whole.push(clause_of(formula, frames, &clauses, &mut builder, &mut known));
        }
        let whole = builder.all(&whole);
        Ok(builder.build(whole))
    }
}

/// A formula with the clause of each frame put in. What is shared is written once, from the parts up.
fn clause_of(
    formula: &Rc<Formula>,
    frames: &Frames<'_>,
    clauses: &[ClauseId],
    builder: &mut ConditionBuilder,
    known: &mut FxHashMap<*const Formula, ClauseId>,
) -> ClauseId {
    let mut todo: Vec<&Rc<Formula>> = vec![formula];
    while let Some(&top) = todo.last() {
        let open = |part: &&Rc<Formula>| !known.contains_key(&Rc::as_ptr(part));
        let before = todo.len();
        todo.extend(top.parts().iter().filter(open));
        if todo.len() > before {
            continue;
        }
        todo.pop();
        let parts: SmallVec<[ClauseId; 8]> =
            top.parts().iter().map(|part| known[&Rc::as_ptr(part)]).collect();
        let clause = match &**top {
            Formula::In(object) => clauses[frames.index[&**object]],
            Formula::Not(_) => builder.not(parts[0]),
            Formula::All(_) => builder.all(&parts),
            Formula::Any(_) => builder.any(&parts),
            Formula::One(_) => builder.one(&parts),
        };
        known.insert(Rc::as_ptr(top), clause);
    }
    known[&Rc::as_ptr(formula)]
}

/// Adds what some slots have to do with frames.
fn check_effects(effects: &mut usize, slots: &[Judged]) -> Result<(), Error> {
    *effects += slots.iter().map(|slot| slot.breaks.len() + slot.fulfils.len() + 1).sum::<usize>();
    if *effects > EFFECTS {
        return Err(too_many("what its members have to do with each of its alternatives"));
    }
    Ok(())
}

fn too_many(what: &str) -> Error {
    Error::new(
        ErrorKind::Unsupported,
        format!("an object cannot be judged by all its alternatives at once: {what} are too many"),
    )
}
