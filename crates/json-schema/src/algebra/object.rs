//! Sets of objects: conjunctions of what is said about members, and their complements.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tokenstile_grammar::Error;

use super::goal::{Atom, GoalId};
use super::strings::Strings;
use super::{Algebra, Branch, LOOK, Parts, Unions};
use crate::node::Node;

/// A set of objects. An object is in it if
/// - its members with a listed name have values of that name's goal, and those that are required are there;
/// - every other member has its key in one of the classes (which are disjoint) and its value in that class's goal;
/// - for each entry of `some` there is a member with such a key and such a value;
/// - it has `min` to `max` members, and with the first name of each pair of `implies` also the second;
/// - each of the `formulas` holds of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Object {
    pub(crate) members: Vec<Member>,
    /// Keys that are listed as members do not count, whether or not a class has them.
    pub(crate) classes: Vec<(Strings, GoalId)>,
    pub(crate) some: Vec<(Strings, GoalId)>,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) implies: Vec<(Rc<str>, Rc<str>)>,
    pub(crate) formulas: Vec<Rc<Formula>>,
    /// Keys that count as evaluated; filled in only where `unevaluatedProperties` asks for it.
    pub(crate) seen: SeenKeys,
}

/// A member that is mentioned by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Member {
    /// First, since it is what tells members apart most of the time.
    pub(crate) goal: GoalId,
    pub(crate) name: Rc<str>,
    pub(crate) required: bool,
    /// Whether it is listed in `properties`, rather than just mentioned: those come first.
    pub(crate) declared: bool,
}

/// Keys that some schema has evaluated.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct SeenKeys(pub(crate) Vec<Strings>);

/// What must hold of an object as a whole.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Formula {
    /// The object is in a set that has no formula of its own.
    In(Rc<Object>),
    Not(Rc<Formula>),
    All(Vec<Rc<Formula>>),
    Any(Vec<Rc<Formula>>),
    /// Exactly one of them holds.
    One(Vec<Rc<Formula>>),
}

impl Formula {
    /// An object is in one of some sets.
    pub(crate) fn in_any(parts: &[Rc<Object>]) -> Rc<Formula> {
        match parts {
            [part] => Formula::of_object(part),
            _ => Rc::new(Formula::Any(parts.iter().map(Formula::of_object).collect())),
        }
    }

    /// An object is in a set.
    fn of_object(object: &Rc<Object>) -> Rc<Formula> {
        if object.formulas.is_empty() {
            return Rc::new(Formula::In(object.clone()));
        }
        let plain = Object { formulas: Vec::new(), ..Object::clone(object) };
        let mut all = object.formulas.clone();
        if !plain.is_any() {
            all.push(Rc::new(Formula::In(Rc::new(plain))));
        }
        match &all[..] {
            [one] => one.clone(),
            _ => Rc::new(Formula::All(all)),
        }
    }

    pub(crate) fn negated(self: &Rc<Formula>) -> Rc<Formula> {
        match &**self {
            Formula::Not(inner) => inner.clone(),
            _ => Rc::new(Formula::Not(self.clone())),
        }
    }

    /// The formulas that it is made of.
    pub(crate) fn parts(&self) -> &[Rc<Formula>] {
        match self {
            Formula::In(_) => &[],
            Formula::Not(part) => std::slice::from_ref(part),
            Formula::All(parts) | Formula::Any(parts) | Formula::One(parts) => parts,
        }
    }
}

impl Object {
    pub(crate) fn any() -> Self {
        Object {
            members: Vec::new(),
            classes: vec![(Strings::any(), GoalId::ANY)],
            some: Vec::new(),
            min: 0,
            max: u64::MAX,
            implies: Vec::new(),
            formulas: Vec::new(),
            seen: SeenKeys::default(),
        }
    }

    pub(crate) fn is_any(&self) -> bool {
        self.members.is_empty()
            && self.some.is_empty()
            && self.implies.is_empty()
            && self.formulas.is_empty()
            && (self.min, self.max) == (0, u64::MAX)
            && self.classes.iter().any(|(keys, goal)| keys.is_any() && *goal == GoalId::ANY)
    }

    /// Any object whose member `name`, if it is there, has a value of `goal`.
    pub(crate) fn with_member(name: Rc<str>, required: bool, goal: GoalId) -> Self {
        Object { members: vec![Member { name, required, goal, declared: false }], ..Object::any() }
    }

    /// Any object with a member whose key is among `keys` and whose value has `goal`.
    pub(crate) fn with_some(keys: Strings, goal: GoalId) -> Self {
        Object { some: vec![(keys, goal)], ..Object::any() }
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| &*member.name == name)
    }
}

impl Algebra<'_> {
    /// What the value of a member with this key must be.
    pub(crate) fn goal_of_key(&mut self, object: &Object, key: &str) -> Result<GoalId, Error> {
        if let Some(member) = object.member(key) {
            return Ok(member.goal);
        }
        self.goal_of_class(object, key)
    }

    /// The same for a key that is not listed.
    pub(crate) fn goal_of_class(&mut self, object: &Object, key: &str) -> Result<GoalId, Error> {
        for (keys, goal) in &object.classes {
            if keys.contains(key, &mut self.texts())? {
                return Ok(*goal);
            }
        }
        Ok(GoalId::NEVER)
    }

    pub(crate) fn intersect_objects(&mut self, a: &Object, b: &Object) -> Result<Object, Error> {
        if a.is_any() || b.is_any() {
            let (mut joined, other) = if a.is_any() { (b.clone(), a) } else { (a.clone(), b) };
            joined.seen.0.extend(other.seen.0.iter().cloned());
            return Ok(joined);
        }
        let mut members = Vec::with_capacity(a.members.len() + b.members.len());
        let index: FxHashMap<&str, &Member> = b.members.iter().map(|m| (&*m.name, m)).collect();
        for member in &a.members {
            let (required, goal) = match index.get(&*member.name) {
                Some(other) => (other.required, other.goal),
                None => (false, self.goal_of_class(b, &member.name)?),
            };
            let goal = self.goals.and(member.goal, goal);
            members.push(Member { goal, required: member.required || required, ..member.clone() });
        }
        let index: FxHashMap<&str, &Member> = a.members.iter().map(|m| (&*m.name, m)).collect();
        for member in b.members.iter().filter(|m| !index.contains_key(&*m.name)) {
            let goal = self.goal_of_class(a, &member.name)?;
            let goal = self.goals.and(member.goal, goal);
            members.push(Member { goal, ..member.clone() });
        }
        put_declared_first(&mut members, &a.members, &b.members);
        let classes = self.intersect_classes(&a.classes, &b.classes)?;
        let join = |a: &[(Strings, GoalId)], b: &[(Strings, GoalId)]| {
            let mut joined = a.to_vec();
            joined.extend(b.iter().filter(|entry| !a.contains(entry)).cloned());
            joined
        };
        let mut implies = a.implies.clone();
        implies.extend(b.implies.iter().filter(|pair| !a.implies.contains(pair)).cloned());
        let mut formulas = a.formulas.clone();
        formulas.extend(b.formulas.iter().filter(|formula| !a.formulas.contains(formula)).cloned());
        let mut seen = a.seen.clone();
        seen.0.extend(b.seen.0.iter().cloned());
        let mut some = Vec::new();
        for (keys, goal) in join(&a.some, &b.some) {
            if !self.fulfils(&members, &keys, goal)? {
                some.push((keys, goal));
            }
        }
        let (min, max) = (a.min.max(b.min), a.max.min(b.max));
        Ok(Object { members, classes, some, min, max, implies, formulas, seen })
    }

    fn intersect_classes(
        &mut self,
        a: &[(Strings, GoalId)],
        b: &[(Strings, GoalId)],
    ) -> Result<Vec<(Strings, GoalId)>, Error> {
        let mut classes: Vec<(Strings, GoalId)> = Vec::new();
        for (keys, goal) in a {
            for (other_keys, other_goal) in b {
                let goal = self.goals.and(*goal, *other_goal);
                if goal == GoalId::NEVER {
                    continue; // a key of no class is forbidden
                }
                let keys = keys.intersect(other_keys, &mut self.texts())?;
                if self.no_strings(&keys)? {
                    continue;
                }
                classes.push((keys, goal));
                self.check_alternatives(classes.len())?;
            }
        }
        Ok(classes)
    }

    /// Everything that an object can do to be outside of the set: what the set asks for, one thing after the other, up
    /// to the first that is not so. Said in this way, with what tells objects apart first, the parts do not overlap, and
    /// taking away many sets that differ in one member leaves few parts.
    pub(crate) fn complement_of_object(&mut self, object: &Object) -> Result<Vec<Object>, Error> {
        let mut out = Vec::new();
        let mut so_far = Object::any();
        for (holds, fails) in self.demands(object)? {
            for other in &fails {
                out.push(self.intersect_objects(&so_far, other)?);
            }
            so_far = self.intersect_objects(&so_far, &holds)?;
            self.budget.tick()?;
        }
        Ok(out)
    }

    /// What a set of objects asks for: each with the ways not to fulfil it.
    fn demands(&mut self, object: &Object) -> Result<Vec<(Object, Vec<Object>)>, Error> {
        let mut out = Vec::new();
        let mut members: Vec<&Member> = object.members.iter().collect();
        members.sort_by_key(|member| (!(member.required && self.is_few(member.goal)), !member.required));
        for Member { name, required, goal, .. } in members {
            let other = |literal| Object::with_member(name.clone(), true, literal);
            let mut fails: Vec<Object> = self.violations(*goal).into_iter().map(other).collect();
            match fails.first_mut() {
                // It is not there, or there and not as it should be: that is one thing.
                Some(first) if *required => first.members[0].required = false,
                None if *required => fails.push(Object::with_member(name.clone(), false, GoalId::NEVER)),
                None => continue,
                _ => {}
            }
            out.push((Object::with_member(name.clone(), *required, *goal), fails));
        }
        self.demands_of_classes(object, &mut out)?;
        for (keys, goal) in &object.some {
            let others = keys.complement(&mut self.builder.arena);
            let without = |literal| Object {
                classes: vec![(keys.clone(), literal), (others.clone(), GoalId::ANY)],
                ..Object::any()
            };
            let mut fails: Vec<Object> = self.violations(*goal).into_iter().map(without).collect();
            if *goal == GoalId::ANY {
                fails.push(Object { classes: vec![(others, GoalId::ANY)], ..Object::any() });
            }
            out.push((Object::with_some(keys.clone(), *goal), fails));
        }
        if object.min > 0 {
            let fewer = Object { max: object.min - 1, ..Object::any() };
            out.push((Object { min: object.min, ..Object::any() }, vec![fewer]));
        }
        if object.max < u64::MAX {
            let more = Object { min: object.max + 1, ..Object::any() };
            out.push((Object { max: object.max, ..Object::any() }, vec![more]));
        }
        for (a, b) in &object.implies {
            let mut without = Object::with_member(a.clone(), true, GoalId::ANY);
            without.members.extend(Object::with_member(b.clone(), false, GoalId::NEVER).members);
            out.push((Object { implies: vec![(a.clone(), b.clone())], ..Object::any() }, vec![without]));
        }
        for formula in &object.formulas {
            out.push((Object::judged(formula.clone()), vec![Object::judged(formula.negated())]));
        }
        Ok(out)
    }

    /// The same for the keys that are not listed.
    fn demands_of_classes(
        &mut self,
        object: &Object,
        out: &mut Vec<(Object, Vec<Object>)>,
    ) -> Result<(), Error> {
        let names = object.members.iter().map(|m| m.name.clone()).collect();
        let unlisted = Strings::Except(names);
        let mut uncovered = unlisted.clone();
        for (keys, goal) in &object.classes {
            let keys = keys.intersect(&unlisted, &mut self.texts())?;
            let others = keys.complement(&mut self.builder.arena);
            let fails: Vec<Object> = self
                .violations(*goal)
                .into_iter()
                .map(|literal| Object::with_some(keys.clone(), literal))
                .collect();
            if !fails.is_empty() {
                let classes = vec![(keys.clone(), *goal), (others.clone(), GoalId::ANY)];
                out.push((Object { classes, ..Object::any() }, fails));
            }
            uncovered = uncovered.intersect(&others, &mut self.texts())?;
        }
        if !self.no_strings(&uncovered)? {
            let covered = uncovered.complement(&mut self.builder.arena);
            let holds = Object { classes: vec![(covered, GoalId::ANY)], ..Object::any() };
            out.push((holds, vec![Object::with_some(uncovered, GoalId::ANY)]));
        }
        Ok(())
    }

    /// Whether a goal is one of a few values, as far as its schemas show.
    fn is_few(&self, goal: GoalId) -> bool {
        goal != GoalId::NEVER
            && self.goals.literals(goal).iter().any(|literal| match literal.atom {
                Atom::Node(node) => match self.nodes.get(node) {
                    Node::Schema(schema) => schema.constant.is_some() || schema.values.is_some(),
                    _ => false,
                },
                Atom::Value(_) => true,
            })
    }

    /// Whether the set is surely empty.
    pub(crate) fn no_objects(&mut self, object: &Object, depth: usize) -> Result<bool, Error> {
        let required = object.members.iter().filter(|m| m.required).count() as u64;
        if object.min > object.max || required > object.max {
            return Ok(true);
        }
        if object.classes.is_empty() && (object.members.len() as u64) < object.min {
            return Ok(true);
        }
        for member in object.members.iter().filter(|m| m.required) {
            if self.no_values(member.goal, depth)? {
                return Ok(true);
            }
        }
        for (keys, goal) in &object.some {
            if !self.can_fulfil(object, keys, *goal, depth)? {
                return Ok(true);
            }
        }
        if object.formulas.is_empty() || depth == 0 {
            return Ok(false);
        }
        let plain = Object { formulas: Vec::new(), ..object.clone() };
        for formula in &object.formulas {
            if !self.may_hold(formula, &plain, depth - 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a member of the object may have a key among `keys` and a value of `goal`; `true` if it is not known.
    fn can_fulfil(
        &mut self,
        object: &Object,
        keys: &Strings,
        goal: GoalId,
        depth: usize,
    ) -> Result<bool, Error> {
        for (class, class_goal) in &object.classes {
            let both = self.goals.and(goal, *class_goal);
            if both != GoalId::NEVER {
                let keys = class.intersect(keys, &mut self.texts())?;
                if !self.no_strings(&keys)? && !self.no_values(both, depth)? {
                    return Ok(true);
                }
            }
        }
        for member in &object.members {
            let both = self.goals.and(goal, member.goal);
            if both != GoalId::NEVER
                && keys.contains(&member.name, &mut self.texts())?
                && !self.no_values(both, depth)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an object of the set surely has a member with a key among `keys` and a value of `goal`.
    fn fulfils(&mut self, members: &[Member], keys: &Strings, goal: GoalId) -> Result<bool, Error> {
        for member in members.iter().filter(|m| m.required && m.goal != GoalId::NEVER) {
            if self.goals.implies(member.goal, goal) && keys.contains(&member.name, &mut self.texts())? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Puts the members in the order in which the first object declares them, then the second; those that are only mentioned
/// come last.
fn put_declared_first(members: &mut [Member], first: &[Member], second: &[Member]) {
    let mut order: FxHashMap<&str, usize> = FxHashMap::default();
    for member in first.iter().chain(second).filter(|m| m.declared) {
        let next = order.len();
        order.entry(&member.name).or_insert(next);
    }
    for member in members.iter_mut() {
        member.declared = order.contains_key(&*member.name);
    }
    members.sort_by_key(|member| order.get(&*member.name).copied().unwrap_or(usize::MAX));
}

impl Unions for Object {
    fn intersect(algebra: &mut Algebra<'_>, a: &Self, b: &Self) -> Result<Self, Error> {
        algebra.intersect_objects(a, b)
    }

    fn complement(algebra: &mut Algebra<'_>, of: &Self) -> Result<Vec<Self>, Error> {
        algebra.complement_of_object(of)
    }

    fn is_none(algebra: &mut Algebra<'_>, of: &Self, depth: usize) -> Result<bool, Error> {
        algebra.no_objects(of, depth)
    }

    fn are_disjoint(algebra: &mut Algebra<'_>, a: &Self, b: &Self) -> Result<bool, Error> {
        // Most are told apart by a required member, for which it need not be looked at all of both.
        for member in a.members.iter().filter(|m| m.required) {
            let goal = algebra.goal_of_key(b, &member.name)?;
            let both = algebra.goals.and(member.goal, goal);
            if algebra.no_values(both, LOOK)? {
                return Ok(true);
            }
        }
        let both = algebra.intersect_objects(a, b)?;
        algebra.no_objects(&both, LOOK)
    }

    fn is_judged(&self) -> bool {
        !self.formulas.is_empty()
    }

    fn product_as_one(
        algebra: &mut Algebra<'_>,
        a: &[Rc<Self>],
        b: &[Rc<Self>],
    ) -> Result<Option<Parts<Self>>, Error> {
        algebra.judged_product(a, b)
    }

    fn one_as_one(
        algebra: &mut Algebra<'_>,
        branches: &[Branch<'_, Self>],
        within: &[Rc<Self>],
    ) -> Result<Option<Parts<Self>>, Error> {
        algebra.judged_one(branches, within)
    }

    fn any() -> Self {
        Object::any()
    }

    fn is_any(&self) -> bool {
        self.is_any() && self.seen.0.is_empty()
    }
}
