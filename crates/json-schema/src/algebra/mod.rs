//! The algebra of value sets: what a schema allows, by type, closed under union, intersection and complement.
//!
//! Null, the booleans, numbers and strings are sets that can be computed with directly. Arrays and objects are unions
//! of conjunctions ([`Array`], [`Object`]) whose items and members stay [goals](goal): they are looked at only when
//! they are written down, or as far as it takes to see that something is empty.

mod apart;
mod array;
mod empty;
mod endless;
mod expand;
mod few;
mod formula;
mod goal;
mod lengths;
mod object;
mod one_of;
mod same;
mod stages;
mod strings;
mod unevaluated;
mod words;

use tokenstile_grammar::ir::Warning;
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ErrorKind, ExprId, GrammarBuilder, Limits};

pub(crate) use array::{Array, Contains};
pub(crate) use goal::{Atom, GoalId, Goals, Literal, ValueId};
pub(crate) use object::{Formula, Member, Object};
pub(crate) use strings::{Matched, Strings, Texts};
use words::Same;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::base::{Library, SchemaBase};
use super::node::{Node, NodeId, Nodes, Types};
use super::number::NumberSet;
use super::options::JsonOptions;
use super::reader::Json;
use super::string::Format;
use crate::tuning::algebra::{ALTERNATIVES, APART, COMPARED, DERIVATIVES, IN_PLACE, LOOK};

/// A set of JSON values.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Set {
    pub(crate) null: bool,
    pub(crate) no: bool,
    pub(crate) yes: bool,
    pub(crate) number: NumberSet,
    /// Whether its numbers are integers that must be written as such (draft 4 has `1.0` for no integer).
    pub(crate) plain_integers: bool,
    pub(crate) string: Strings,
    pub(crate) arrays: Parts<Array>,
    pub(crate) objects: Parts<Object>,
}

/// Of a branch of `oneOf`: the parts that matter, and all of its parts.
type Branch<'b, T> = (&'b [Rc<T>], &'b [Rc<T>]);

/// What a union is made of: mostly of one part.
pub(crate) type Parts<T> = SmallVec<[Rc<T>; 1]>;

impl Set {
    pub(crate) fn all() -> Self {
        Set {
            null: true,
            no: true,
            yes: true,
            number: NumberSet::all(),
            plain_integers: false,
            string: Strings::any(),
            arrays: smallvec![Rc::new(Array::any())],
            objects: smallvec![Rc::new(Object::any())],
        }
    }

    pub(crate) fn none() -> Self {
        Set {
            null: false,
            no: false,
            yes: false,
            number: NumberSet::none(),
            plain_integers: false,
            string: Strings::none(),
            arrays: Parts::new(),
            objects: Parts::new(),
        }
    }

    /// Whether it has no number but integers that must be written as such.
    fn is_plain(&self) -> bool {
        self.plain_integers || self.number.is_empty()
    }

    /// Whether every value is in it, as far as its form shows.
    pub(crate) fn is_all(&self) -> bool {
        self.null
            && self.no
            && self.yes
            && self.number.is_all()
            && self.string.is_any()
            && self.arrays.iter().any(|a| **a == Array::any())
            && self.objects.iter().any(|o| o.is_any())
    }
}

/// What arrays and objects have in common: sets that are unions of conjunctions.
pub(crate) trait Unions: Sized + Clone + PartialEq {
    /// What is in both.
    fn intersect(algebra: &mut Algebra<'_>, a: &Self, b: &Self) -> Result<Self, Error>;
    /// Sets that together have everything that is not in this one.
    fn complement(algebra: &mut Algebra<'_>, of: &Self) -> Result<Vec<Self>, Error>;
    /// Whether it is surely empty, looking into what is inside down to a depth.
    fn is_none(algebra: &mut Algebra<'_>, of: &Self, depth: usize) -> Result<bool, Error>;
    /// Whether two sets surely have nothing in common.
    fn are_disjoint(algebra: &mut Algebra<'_>, a: &Self, b: &Self) -> Result<bool, Error> {
        let both = Self::intersect(algebra, a, b)?;
        Self::is_none(algebra, &both, LOOK)
    }
    /// Whether there is a formula in it.
    fn is_judged(&self) -> bool {
        false
    }
    /// What is in one of `a` and in one of `b`, if it can be put together.
    fn product_as_one(
        _: &mut Algebra<'_>,
        _a: &[Rc<Self>],
        _b: &[Rc<Self>],
    ) -> Result<Option<Parts<Self>>, Error> {
        Ok(None)
    }
    /// What is in exactly one branch, if it can be put together.
    fn one_as_one(
        _: &mut Algebra<'_>,
        _branches: &[Branch<'_, Self>],
        _within: &[Rc<Self>],
    ) -> Result<Option<Parts<Self>>, Error> {
        Ok(None)
    }
    /// All of them.
    fn any() -> Self;
    /// Whether it is all of them.
    fn is_any(&self) -> bool;
}

/// What is known about whether a goal is empty.
#[derive(Clone, Copy)]
enum Emptiness {
    /// It is being looked at.
    Open,
    Empty,
    /// It does not look empty, this deep.
    NotSeen(usize),
}

/// The schemas and all that has been found out about them.
pub(crate) struct Algebra<'a> {
    pub(crate) nodes: &'a Nodes<'a>,
    pub(crate) options: &'a JsonOptions,
    pub(crate) limits: &'a Limits,
    pub(crate) budget: Budget<'a>,
    pub(crate) builder: GrammarBuilder,
    /// What the builder had from the start.
    pub(crate) library: Library,
    pub(crate) goals: Goals,
    values: Vec<&'a Json<'a>>,
    value_ids: FxHashMap<*const Json<'a>, ValueId>,
    /// The sets of goals, by number, as far as they are known.
    sets: Vec<Option<Rc<Set>>>,
    /// What is not in an atom, with or without arrays, with or without objects.
    outsides: FxHashMap<(Atom, bool, bool), Rc<Set>>,
    /// Goals that were found empty, or not; and those that are being looked at.
    emptiness: FxHashMap<GoalId, Emptiness>,
    /// Goals that could not be looked into from inside the schemas that are open now.
    unknown: FxHashSet<GoalId>,
    empty_exprs: FxHashMap<ExprId, bool>,
    matched: Matched,
    /// Expressions that were found to match endlessly much, or not; and how many derivatives may still be tried for it.
    reaches: FxHashMap<ExprId, u32>,
    allowance: usize,
    patterns: FxHashMap<&'a str, ExprId>,
    /// Schemas that are being expanded, from the outside in.
    open: Vec<NodeId>,
    /// How many of them are about another value than the one that is being looked into.
    outer: usize,
    /// Whether the last look ran into one of those, so that it found out nothing.
    blocked: bool,
    /// Whether some schema asks what others have evaluated.
    annotate: bool,
    /// Whether objects may be put together as formulas. Where what was evaluated is asked for, each alternative has to
    /// stand for itself, since each brings along its own.
    pub(crate) judges: bool,
    same: Same<'a>,
}

impl<'a> Algebra<'a> {
    pub(crate) fn new(
        base: &'static SchemaBase,
        nodes: &'a Nodes<'a>,
        (options, limits): (&'a JsonOptions, &'a Limits),
        budget: Budget<'a>,
    ) -> Result<Self, Error> {
        let asks = |node: &Node| match node {
            Node::Schema(s) => s.unevaluated_properties.is_some() || s.unevaluated_items.is_some(),
            _ => false,
        };
        let annotate = nodes.nodes.iter().any(asks);
        let (builder, library) = base.builder(options.spelling, limits)?;
        Ok(Algebra {
            nodes,
            options,
            limits,
            budget,
            builder,
            library,
            goals: Goals::new(nodes.nodes.len()),
            values: Vec::new(),
            value_ids: FxHashMap::default(),
            sets: Vec::with_capacity(nodes.nodes.len() + 2),
            outsides: FxHashMap::default(),
            emptiness: FxHashMap::default(),
            unknown: FxHashSet::default(),
            empty_exprs: FxHashMap::default(),
            matched: Matched::default(),
            reaches: FxHashMap::default(),
            allowance: DERIVATIVES,
            patterns: FxHashMap::default(),
            open: Vec::new(),
            outer: 0,
            blocked: false,
            annotate,
            judges: !annotate,
            same: Same::default(),
        })
    }

    /// What it takes to compute with sets of strings.
    pub(crate) fn texts(&mut self) -> Texts<'_, 'a> {
        Texts { arena: &mut self.builder.arena, budget: &mut self.budget, matched: &mut self.matched }
    }

    /// The goal of being an instance of a schema, or of not being one.
    pub(crate) fn goal_of_node(&mut self, node: NodeId, holds: bool) -> GoalId {
        match (self.nodes.get(node), holds) {
            (Node::Any, true) | (Node::Never, false) => GoalId::ANY,
            (Node::Never, true) | (Node::Any, false) => GoalId::NEVER,
            _ => self.goals.of(Literal { atom: Atom::Node(node), holds }),
        }
    }

    /// The goal of being one value.
    pub(crate) fn goal_of_value(&mut self, value: &'a Json<'a>) -> GoalId {
        let next = ValueId(self.values.len() as u32);
        let id = *self.value_ids.entry(value).or_insert(next);
        if id == next {
            self.values.push(value);
        }
        self.goals.of(Literal { atom: Atom::Value(id), holds: true })
    }

    /// The type of a goal that is one schema which says nothing but that, and has it as it usually is.
    pub(crate) fn only_type(&self, goal: GoalId) -> Option<Types> {
        let &[Literal { atom: Atom::Node(node), holds: true }] = self.goals.literals(goal) else {
            return None;
        };
        match self.nodes.get(node) {
            Node::Word(word) if !word.plain_integers => Some(word.types),
            _ => None,
        }
    }

    /// The values that a goal lists, if it is one schema that does.
    pub(crate) fn listed(&self, goal: GoalId) -> Option<&'a [Json<'a>]> {
        let &[Literal { atom: Atom::Node(node), holds: true }] = self.goals.literals(goal) else {
            return None;
        };
        match self.nodes.get(node) {
            Node::Schema(schema) => schema.listed(),
            _ => None,
        }
    }

    /// The goals that, one or the other, every value has that does not have `goal`.
    pub(crate) fn violations(&mut self, goal: GoalId) -> SmallVec<[GoalId; 4]> {
        if goal == GoalId::NEVER {
            return SmallVec::from_slice(&[GoalId::ANY]);
        }
        let literals: SmallVec<[Literal; 4]> = SmallVec::from_slice(self.goals.literals(goal));
        literals.into_iter().map(|literal| self.goals.of(literal.negated())).collect()
    }

    /// The values that have a goal.
    pub(crate) fn set_of(&mut self, goal: GoalId) -> Result<Rc<Set>, Error> {
        if let Some(set) = self.known_set(goal) {
            return Ok(set);
        }
        self.budget.tick()?;
        let set = match goal {
            GoalId::NEVER => Rc::new(Set::none()),
            GoalId::ANY => Rc::new(Set::all()),
            _ => {
                if let Some((a, b)) = self.goals.halves(goal)
                    && self.goals.literals(goal).len() <= IN_PLACE
                {
                    // What was found out about the two is found out only once.
                    let set = Rc::new(self.set_of_both(a, b)?);
                    return Ok(self.set_is(goal, set));
                }
                let literals: SmallVec<[Literal; 4]> = SmallVec::from_slice(self.goals.literals(goal));
                let mut set = self.set_of_literal(literals[0])?;
                for &literal in &literals[1..] {
                    let other = self.set_of_literal(literal)?;
                    set = Rc::new(self.intersect(&set, &other)?);
                }
                set
            }
        };
        Ok(self.set_is(goal, set))
    }

    fn known_set(&self, goal: GoalId) -> Option<Rc<Set>> {
        self.sets.get(goal.index())?.clone()
    }

    /// Notes the set of a goal.
    fn set_is(&mut self, goal: GoalId, set: Rc<Set>) -> Rc<Set> {
        if self.sets.len() <= goal.index() {
            self.sets.resize(goal.index() + 1, None);
        }
        self.sets[goal.index()] = Some(set.clone());
        set
    }

    /// The values that have two goals.
    fn set_of_both(&mut self, a: GoalId, b: GoalId) -> Result<Set, Error> {
        let negative = |goal: GoalId| match *self.goals.literals(goal) {
            [literal] if !literal.holds => Some(literal),
            _ => None,
        };
        let (set, literal) = match (negative(a), negative(b)) {
            (_, Some(literal)) => (self.set_of(a)?, literal),
            (Some(literal), None) => (self.set_of(b)?, literal),
            (None, None) => {
                let (a, b) = (self.set_of(a)?, self.set_of(b)?);
                return self.intersect(&a, &b);
            }
        };
        let others = self.outside(literal, &set)?;
        self.intersect(&set, &others)
    }

    /// The set of a literal that does not hold, as far as it matters to `within`: where that has no arrays or no
    /// objects, those are left out, since it is they that take long.
    pub(super) fn outside(&mut self, literal: Literal, within: &Set) -> Result<Rc<Set>, Error> {
        let (arrays, objects) = (!within.arrays.is_empty(), !within.objects.is_empty());
        let goal = self.goals.of(literal);
        if let Some(set) = self.known_set(goal) {
            return Ok(set);
        }
        if let Some(set) = self.outsides.get(&(literal.atom, arrays, objects)) {
            return Ok(set.clone());
        }
        let of = self.set_of_literal(literal.negated())?;
        if (arrays || of.arrays.is_empty()) && (objects || of.objects.is_empty()) {
            return self.set_of_literal(literal);
        }
        let mut of = Set::clone(&of);
        if !arrays {
            of.arrays = smallvec![Rc::new(Array::any())];
        }
        if !objects {
            of.objects = smallvec![Rc::new(Object::any())];
        }
        let set = Rc::new(self.complement(&of)?);
        self.outsides.insert((literal.atom, arrays, objects), set.clone());
        Ok(set)
    }

    fn set_of_literal(&mut self, literal: Literal) -> Result<Rc<Set>, Error> {
        let goal = self.goals.of(literal);
        if let Some(set) = self.known_set(goal) {
            return Ok(set);
        }
        let set = match (literal.atom, literal.holds) {
            (Atom::Node(node), true) => self.expand(node)?,
            (Atom::Value(value), true) => {
                self.set_of_values(std::slice::from_ref(self.values[value.0 as usize]))?
            }
            (_, false) => {
                let set = self.set_of_literal(literal.negated())?;
                self.complement(&set)?
            }
        };
        Ok(self.set_is(goal, Rc::new(set)))
    }

    /// The set of a schema that applies to the same value as the one that is being expanded.
    pub(crate) fn set_of_node(&mut self, node: NodeId, holds: bool) -> Result<Rc<Set>, Error> {
        let goal = self.goal_of_node(node, holds);
        match goal {
            GoalId::ANY | GoalId::NEVER => self.set_of(goal),
            _ => self.set_of_literal(Literal { atom: Atom::Node(node), holds }),
        }
    }

    pub(crate) fn intersect(&mut self, a: &Set, b: &Set) -> Result<Set, Error> {
        Ok(Set {
            null: a.null && b.null,
            no: a.no && b.no,
            yes: a.yes && b.yes,
            number: a.number.intersect(&b.number)?,
            plain_integers: a.plain_integers || b.plain_integers,
            string: a.string.intersect(&b.string, &mut self.texts())?,
            arrays: self.product(&a.arrays, &b.arrays)?,
            objects: self.product(&a.objects, &b.objects)?,
        })
    }

    pub(crate) fn union(&mut self, a: &Set, b: &Set) -> Result<Set, Error> {
        Ok(Set {
            null: a.null || b.null,
            no: a.no || b.no,
            yes: a.yes || b.yes,
            number: a.number.union(&b.number)?,
            plain_integers: a.is_plain() && b.is_plain(),
            string: a.string.union(&b.string, &mut self.texts())?,
            arrays: self.either(&a.arrays, &b.arrays)?,
            objects: self.either(&a.objects, &b.objects)?,
        })
    }

    /// All of the sets together.
    pub(crate) fn union_all(&mut self, sets: &[Rc<Set>]) -> Result<Set, Error> {
        let mut all = Set { plain_integers: sets.iter().all(|set| set.is_plain()), ..Set::none() };
        for set in sets {
            (all.null, all.no, all.yes) = (all.null || set.null, all.no || set.no, all.yes || set.yes);
            all.number = all.number.union(&set.number)?;
            for array in &set.arrays {
                self.add(&mut all.arrays, array.clone())?;
            }
            for object in &set.objects {
                self.add(&mut all.objects, object.clone())?;
            }
        }
        all.string = Strings::union_of(sets.iter().map(|set| &set.string), &mut self.texts())?.0;
        Ok(all)
    }

    pub(crate) fn complement(&mut self, of: &Set) -> Result<Set, Error> {
        Ok(Set {
            null: !of.null,
            no: !of.no,
            yes: !of.yes,
            number: of.number.complement()?,
            plain_integers: false,
            string: of.string.complement(&mut self.builder.arena),
            arrays: self.complement_of_all(&of.arrays)?,
            objects: self.complement_of_all(&of.objects)?,
        })
    }

    fn product<T: Unions>(&mut self, a: &[Rc<T>], b: &[Rc<T>]) -> Result<Parts<T>, Error> {
        match (a, b) {
            ([one], other) | (other, [one]) if one.is_any() => return Ok(other.into()),
            _ => {}
        }
        // What has a formula already gets one more, or each of its alternatives would bring it along.
        let judged = a.len() * b.len() > 1 && a.iter().chain(b).any(|part| part.is_judged());
        let mut out: Parts<T> = Parts::new();
        for x in a {
            for y in b {
                self.budget.tick()?;
                if (judged || out.len() > APART)
                    && let Some(both) = T::product_as_one(self, a, b)?
                {
                    return Ok(both);
                }
                let both = T::intersect(self, x, y)?;
                self.add_new(&mut out, both)?;
            }
        }
        Ok(out)
    }

    fn either<T: Unions>(&mut self, a: &[Rc<T>], b: &[Rc<T>]) -> Result<Parts<T>, Error> {
        let mut out: Parts<T> = a.into();
        for x in b {
            self.add(&mut out, x.clone())?;
        }
        Ok(out)
    }

    /// Adds one more part to a union.
    fn add<T: Unions>(&mut self, to: &mut Parts<T>, part: Rc<T>) -> Result<(), Error> {
        if to.iter().any(|known| Rc::ptr_eq(known, &part) || known.is_any() || **known == *part) {
            return Ok(());
        }
        if part.is_any() {
            to.clear();
        }
        to.push(part);
        self.check_alternatives(to.len())
    }

    /// Adds a part to a union, unless it is empty or within another; those that are within it are dropped.
    fn add_new<T: Unions>(&mut self, to: &mut Parts<T>, part: T) -> Result<(), Error> {
        if T::is_none(self, &part, LOOK)? {
            return Ok(());
        }
        if to.len() > COMPARED {
            return self.add(to, Rc::new(part));
        }
        let mut within = Vec::with_capacity(to.len());
        for known in to.iter() {
            let both = T::intersect(self, &part, known)?;
            if both == part {
                return Ok(());
            }
            within.push(T::intersect(self, known, &part)? == **known);
        }
        let mut within = within.into_iter();
        to.retain(|_| !within.next().unwrap_or(false));
        self.add(to, Rc::new(part))
    }

    pub(crate) fn check_alternatives(&self, count: usize) -> Result<(), Error> {
        if count <= ALTERNATIVES {
            return Ok(());
        }
        let what = format!("too many combinations of alternatives (more than {ALTERNATIVES})");
        Err(Error::new(ErrorKind::Unsupported, what))
    }

    fn complement_of_all<T: Unions>(&mut self, parts: &[Rc<T>]) -> Result<Parts<T>, Error> {
        let mut out: Parts<T> = smallvec![Rc::new(T::any())];
        for part in parts {
            let outside: Parts<T> = T::complement(self, part)?.into_iter().map(Rc::new).collect();
            out = self.product(&out, &outside)?;
        }
        Ok(out)
    }

    /// Whether no value has a goal, as far as one sees looking `depth` levels into required members.
    pub(crate) fn no_values(&mut self, goal: GoalId, depth: usize) -> Result<bool, Error> {
        match goal {
            GoalId::NEVER => return Ok(true),
            GoalId::ANY => return Ok(false),
            _ if depth == 0 => return Ok(false),
            _ => {}
        }
        match self.emptiness.get(&goal) {
            Some(Emptiness::Empty) => return Ok(true),
            Some(Emptiness::Open) => return Ok(false),
            Some(Emptiness::NotSeen(looked)) if *looked >= depth => return Ok(false),
            _ if self.unknown.contains(&goal) => return Ok(false),
            _ => {}
        }
        self.budget.tick()?;
        self.emptiness.insert(goal, Emptiness::Open);
        let outer = std::mem::replace(&mut self.outer, self.open.len());
        let looked = self.set_of(goal).and_then(|set| self.is_none(&set, depth - 1));
        self.outer = outer;
        match looked {
            Err(_) if std::mem::take(&mut self.blocked) => {
                self.emptiness.remove(&goal);
                self.unknown.insert(goal);
                Ok(false)
            }
            Err(error) => {
                self.emptiness.remove(&goal);
                Err(error)
            }
            Ok(empty) => {
                let known = if empty { Emptiness::Empty } else { Emptiness::NotSeen(depth) };
                self.emptiness.insert(goal, known);
                Ok(empty)
            }
        }
    }

    /// Whether a set is surely empty.
    pub(crate) fn is_none(&mut self, set: &Set, depth: usize) -> Result<bool, Error> {
        if set.null || set.no || set.yes || !set.number.is_empty() || !self.no_strings(&set.string)? {
            return Ok(false);
        }
        for array in &set.arrays {
            if !Array::is_none(self, array, depth)? {
                return Ok(false);
            }
        }
        for object in &set.objects {
            if !Object::is_none(self, object, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether there is surely no string in a set.
    pub(crate) fn no_strings(&mut self, strings: &Strings) -> Result<bool, Error> {
        let expr = match *strings {
            Strings::Expr(expr) => expr,
            Strings::Within(bounds) => bounds.most,
            // Every format has some.
            Strings::Only(_) | Strings::Except(_) | Strings::Format(_) => return Ok(strings.is_none()),
        };
        if let Some(&known) = self.empty_exprs.get(&expr) {
            return Ok(known);
        }
        self.budget.check()?;
        let empty = empty::is_never(&mut self.builder.arena, expr);
        self.empty_exprs.insert(expr, empty);
        Ok(empty)
    }

    /// A number of characters such that every beginning of one of these strings surely goes on to one of at least so
    /// many; `u32::MAX` if it goes on to endlessly many.
    pub(crate) fn reach(&mut self, strings: &Strings) -> u32 {
        match *strings {
            Strings::Only(_) => 0,
            Strings::Except(_) => u32::MAX,
            Strings::Expr(expr) | Strings::Within(Format { least: expr, .. }) => {
                match self.reaches.get(&expr) {
                    Some(&known) => known,
                    None => {
                        let reach = empty::reach(&mut self.builder.arena, expr, &mut self.allowance);
                        *self.reaches.entry(expr).or_insert(reach)
                    }
                }
            }
            Strings::Format(_) => {
                let expr = strings.expr(&mut self.builder.arena);
                self.reach(&Strings::Expr(expr))
            }
        }
    }

    /// Passes a result on; but if it is a refusal and the user is lenient, `instead` with a warning.
    pub(crate) fn or_lenient<T>(&mut self, result: Result<T, Error>, instead: T) -> Result<T, Error> {
        match result {
            Err(error) if self.options.lenient && error.kind() == ErrorKind::Unsupported => {
                let message = format!("not enforced: {}", error.message());
                let pointer = error.pointer().map(str::to_owned);
                self.builder.warn(Warning::new(message).with_place(error.place()).with_pointer(pointer));
                Ok(instead)
            }
            other => other,
        }
    }
}
