//! From the keywords of a schema to the set of its instances.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tokenstile_grammar::ir::CharSet;
use tokenstile_grammar::{Error, ErrorKind, ExprId, RegexDialect, RegexOptions, RegexSemantics, regex_expr};

use super::few::strings_of;
use super::object::SeenKeys;
use super::{Algebra, Array, Atom, Contains, GoalId, IN_PLACE, Literal, Member, Object, Parts, Set, Strings};
use crate::node::{Node, NodeId, Schema, Types, Word};
use crate::number::{Decimal, NumberSet};
use crate::reader::Json;
use crate::string::FormatId;

impl<'a> Algebra<'a> {
    /// The instances of a schema.
    pub(super) fn expand(&mut self, node: NodeId) -> Result<Set, Error> {
        let schema = match self.nodes.get(node) {
            Node::Any => return Ok(Set::all()),
            Node::Never => return Ok(Set::none()),
            Node::Word(word) => return Ok(Set::of_word(*word)),
            Node::Schema(schema) => &**schema,
        };
        if let Some(at) = self.open.iter().position(|&open| open == node) {
            // Further out it is about another value: then it is just not known yet.
            self.blocked = at < self.outer;
            let message =
                "the schema refers to itself without going into an instance, so that nothing is ever decided";
            return Err(schema.error(ErrorKind::Unsupported, "$ref", message));
        }
        if self.open.len() >= IN_PLACE {
            let message =
                format!("more than {IN_PLACE} schemas are applied to one value, each by the one before");
            return Err(Error::new(ErrorKind::Unsupported, message).with_pointer(schema.pointer.to_string()));
        }
        self.open.push(node);
        let set = self.expand_schema(schema);
        self.open.pop();
        self.unknown.clear();
        set.map_err(|error| error.with_pointer(schema.pointer.to_string()))
    }

    fn expand_schema(&mut self, schema: &'a Schema) -> Result<Set, Error> {
        if let (true, Some(values)) = (schema.only_values, schema.listed()) {
            return self.set_of_values(values);
        }
        let mut set = self.own_set(schema)?;
        for &node in schema.references.iter().chain(schema.all_of) {
            let other = self.set_of_node(node, true)?;
            set = self.intersect(&set, &other)?;
        }
        if let Some(not) = schema.not {
            let other = match self.goal_of_node(not, false) {
                goal @ (GoalId::ANY | GoalId::NEVER) => self.set_of(goal)?,
                _ => self.outside(Literal { atom: Atom::Node(not), holds: false }, &set)?,
            };
            let both = self.intersect(&set, &other).map_err(|e| e.with_pointer(schema.pointer_of("not")));
            set = self.or_lenient(both, set)?;
        }
        if !schema.any_of.is_empty() {
            let any = self.any_of(schema.any_of).map_err(|e| e.with_pointer(schema.pointer_of("anyOf")))?;
            set = self.intersect(&set, &any)?;
        }
        if !schema.one_of.is_empty() {
            set = self.one_of(&set, schema)?;
        }
        if let Some(condition) = schema.condition {
            let both = self.if_then_else(condition, schema)?;
            set = self.intersect(&set, &both)?;
        }
        for (name, node) in schema.dependent_schemas {
            let either = self.dependent_schema(name, *node)?;
            set = self.intersect(&set, &either)?;
        }
        self.unevaluated(schema, set)
    }

    /// Whatever is no object, has no member `name`, or is an instance of the schema.
    fn dependent_schema(&mut self, name: &str, node: NodeId) -> Result<Set, Error> {
        let without = Set::of_objects(vec![Object::with_member(name.into(), false, GoalId::NEVER)]);
        let with = Set::of_objects(vec![Object::with_member(name.into(), true, GoalId::ANY)]);
        let (then, other) = (self.set_of_node(node, true)?, self.set_of_node(node, false)?);
        // Several dependencies of one kind are about the same few things: then it takes fewer alternatives to
        // ask for those first.
        let either = if self.annotate || other.objects.len() > 2 {
            let with = self.intersect(&with, &then)?;
            self.union(&without, &with)?
        } else {
            let without = self.intersect(&without, &other)?;
            self.union(&then, &without)?
        };
        Ok(Set { objects: either.objects, ..Set::all() })
    }

    fn any_of(&mut self, branches: &[NodeId]) -> Result<Set, Error> {
        if self.annotate {
            return self.some_of(branches);
        }
        let sets: Result<Vec<Rc<Set>>, Error> = branches.iter().map(|&b| self.set_of_node(b, true)).collect();
        self.union_all(&sets?)
    }

    /// `if` with `then`, or not `if` with `else`. Written so, one `if` after the other on the same member gives one
    /// alternative for each and not all their combinations.
    fn if_then_else(&mut self, condition: NodeId, schema: &Schema) -> Result<Set, Error> {
        let mut sides = [Set::none(), Set::none()];
        for (side, holds, then) in [(0, true, schema.then), (1, false, schema.otherwise)] {
            let when = self.set_of_node(condition, holds)?;
            let then = then.map_or(Ok(Rc::new(Set::all())), |node| self.set_of_node(node, true))?;
            sides[side] = self.intersect(&when, &then)?;
        }
        self.union(&sides[0], &sides[1])
    }

    /// What the keywords say that look at the value itself, its members and its items.
    fn own_set(&mut self, schema: &'a Schema) -> Result<Set, Error> {
        let types = schema.types;
        let has = |t: Types| types.is_none_or(|types| types.contains(t));
        let mut set = Set {
            null: has(Types::NULL),
            no: has(Types::BOOLEAN),
            yes: has(Types::BOOLEAN),
            number: NumberSet::none(),
            plain_integers: false,
            string: Strings::none(),
            arrays: Parts::new(),
            objects: Parts::new(),
        };
        if has(Types::NUMBER) || has(Types::INTEGER) {
            set.number = self.numbers(schema, !has(Types::NUMBER))?;
            set.plain_integers = schema.plain_integers && !has(Types::NUMBER);
        }
        if has(Types::STRING) {
            set.string = self.strings(schema)?;
        }
        if has(Types::ARRAY) {
            set.arrays.push(Rc::new(self.array(schema)));
        }
        if has(Types::OBJECT) {
            set.objects.push(Rc::new(self.object(schema)?));
        }
        if let Some(values) = &schema.values {
            let any = self.set_of_values(values)?;
            set = self.intersect(&set, &any)?;
        }
        if let Some(value) = &schema.constant {
            let one = self.set_of_values(std::slice::from_ref(value))?;
            set = self.intersect(&set, &one)?;
        }
        Ok(set)
    }

    fn numbers(&mut self, schema: &Schema, integers: bool) -> Result<NumberSet, Error> {
        let decimal = |text: &str, keyword: &str| {
            Decimal::parse(text).map_err(|error| error.with_pointer(schema.pointer_of(keyword)))
        };
        let mut set = if integers { NumberSet::integers() } else { NumberSet::all() };
        for bound in schema.minimum {
            let least = NumberSet::at_least(decimal(bound.value, "minimum")?, bound.exclusive);
            set = set.intersect(&least)?;
        }
        for bound in schema.maximum {
            let most = NumberSet::at_most(decimal(bound.value, "maximum")?, bound.exclusive);
            set = set.intersect(&most)?;
        }
        if let Some(step) = &schema.multiple_of {
            set = set.intersect(&NumberSet::multiple_of(decimal(step, "multipleOf")?))?;
        }
        Ok(set)
    }

    fn strings(&mut self, schema: &'a Schema) -> Result<Strings, Error> {
        let mut set = Strings::any();
        if schema.min_length.is_some() || schema.max_length.is_some() {
            let (min, max) = (schema.min_length.unwrap_or(0), schema.max_length);
            let any = self.builder.arena.chars(&CharSet::all());
            let min = u32::try_from(min).map_err(|_| {
                schema.error(ErrorKind::Unsupported, "minLength", "no string of that length can be written")
            })?;
            // Longer strings than 2^32 characters cannot be written: such a bound is none.
            let max = max.and_then(|max| u32::try_from(max).ok());
            let length = self.builder.arena.repeat(any, min, max);
            let length =
                if length == self.builder.arena.never() { Strings::none() } else { Strings::Expr(length) };
            if min > 0 || max.is_some() {
                set = set.intersect(&length, &mut self.texts())?;
            }
        }
        if let Some(pattern) = &schema.pattern {
            let expr = self.pattern(pattern).map_err(|e| e.with_pointer(schema.pointer_of("pattern")));
            if let Some(expr) = self.or_lenient(expr.map(Some), None)? {
                let strings = strings_of(&self.builder.arena, expr);
                set = set.intersect(&strings, &mut self.texts())?;
            }
        }
        if let Some(format) = schema.format.filter(|_| !self.options.ignore_formats) {
            let known = FormatId::of(format, self.options.draft);
            match known.map_err(|e| e.with_pointer(schema.pointer_of("format")))? {
                Some(format) => set = set.intersect(&Strings::Format(format), &mut self.texts())?,
                None => {
                    let message = format!("unknown format `{format}` is not enforced");
                    self.builder.warn(schema.warning("format", message));
                }
            }
        }
        Ok(set)
    }

    /// The expression of the texts in which a pattern matches.
    fn pattern(&mut self, pattern: &'a str) -> Result<ExprId, Error> {
        if let Some(&known) = self.patterns.get(pattern) {
            return Ok(known);
        }
        let options =
            RegexOptions::default().with_dialect(RegexDialect::Ecma).with_semantics(RegexSemantics::Search);
        let expr = regex_expr(pattern, &options, &mut self.builder.arena, self.limits).map_err(in_pattern)?;
        self.patterns.insert(pattern, expr);
        Ok(expr)
    }

    fn array(&mut self, schema: &Schema) -> Array {
        let mut array = Array {
            prefix: schema.prefix_items.iter().map(|&node| self.goal_of_node(node, true)).collect(),
            rest: schema.items.map_or(GoalId::ANY, |node| self.goal_of_node(node, true)),
            min: schema.min_items.unwrap_or(0),
            max: schema.max_items.unwrap_or(u64::MAX),
            unique: schema.unique_items,
            ..Array::any()
        };
        if let Some(node) = schema.contains {
            let goal = self.goal_of_node(node, true);
            let (min, max) = (schema.min_contains.unwrap_or(1), schema.max_contains.unwrap_or(u64::MAX));
            match goal {
                // Every item counts, or none does: that is a bound on the length.
                GoalId::ANY => (array.min, array.max) = (array.min.max(min), array.max.min(max)),
                // No array has more items than it has.
                GoalId::NEVER if min > 0 => (array.min, array.max) = (1, 0),
                GoalId::NEVER => {}
                _ => array.contains.push(Contains { from: 0, goal, min, max }),
            }
            if self.annotate && schema.contains_evaluates {
                array.seen.goals.push(goal);
            }
        }
        if self.annotate {
            array.seen.first = schema.prefix_items.len();
            array.seen.all = schema.items.is_some();
        }
        if array.rest == GoalId::NEVER {
            array.max = array.max.min(array.prefix.len() as u64);
        }
        array
    }

    fn object(&mut self, schema: &'a Schema) -> Result<Object, Error> {
        let mut object = Object {
            classes: self.classes(schema)?,
            min: schema.min_properties.unwrap_or(0),
            max: schema.max_properties.unwrap_or(u64::MAX),
            ..Object::any()
        };
        let mut patterns = Vec::new();
        for (pattern, node) in schema.pattern_properties {
            if let Some(keys) = self.key_pattern(schema, pattern)? {
                patterns.push((keys, self.goal_of_node(*node, true)));
            }
        }
        for (name, node) in schema.properties {
            self.budget.tick()?;
            let mut goal = self.goal_of_node(*node, true);
            for (keys, pattern_goal) in &patterns {
                if keys.contains(name, &mut self.texts())? {
                    goal = self.goals.and(goal, *pattern_goal);
                }
            }
            object.members.push(Member { name: (*name).into(), required: false, goal, declared: true });
        }
        self.require(schema, &mut object)?;
        if let Some(names) = schema.property_names {
            self.restrict_names(names, &mut object)?;
        }
        if self.annotate {
            let names = schema.properties.iter().map(|(name, _)| (*name).into()).collect();
            object.seen.0.push(Strings::Only(names));
            object.seen.0.extend(patterns.into_iter().map(|(keys, _)| keys));
            if schema.additional.is_some() {
                object.seen = SeenKeys(vec![Strings::any()]);
            }
        }
        Ok(object)
    }

    /// Marks what is required, by `required` and the lists of dependencies.
    fn require(&mut self, schema: &Schema, object: &mut Object) -> Result<(), Error> {
        if schema.required.is_empty() && schema.dependent_required.is_empty() {
            return Ok(());
        }
        let mut index: FxHashMap<Rc<str>, usize> = FxHashMap::default();
        index.reserve(object.members.len() + schema.required.len());
        index.extend(object.members.iter().enumerate().map(|(i, m)| (m.name.clone(), i)));
        let mut find = |algebra: &mut Self, object: &mut Object, name: &str| -> Result<usize, Error> {
            if let Some(&at) = index.get(name) {
                return Ok(at);
            }
            let goal = algebra.goal_of_class(object, name)?;
            let name: Rc<str> = name.into();
            index.insert(name.clone(), object.members.len());
            object.members.push(Member { name, required: false, goal, declared: false });
            Ok(object.members.len() - 1)
        };
        for name in schema.required {
            let at = find(self, object, name)?;
            object.members[at].required = true;
        }
        for (name, others) in schema.dependent_required {
            for other in others.iter().filter(|other| *other != name) {
                let (a, b) = (find(self, object, name)?, find(self, object, other)?);
                let pair = (object.members[a].name.clone(), object.members[b].name.clone());
                object.implies.push(pair);
            }
        }
        Ok(())
    }

    /// The keys of a pattern of `patternProperties`.
    fn key_pattern(&mut self, schema: &Schema, pattern: &'a str) -> Result<Option<Strings>, Error> {
        let pointer = || schema.pointer.grandchild("patternProperties", pattern);
        let keys = self.pattern(pattern).map(|expr| Some(strings_of(&self.builder.arena, expr)));
        self.or_lenient(keys.map_err(|e| e.with_pointer(pointer())), None)
    }

    /// The classes of keys that are not listed, by what patterns ask of their values, and the rest.
    fn classes(&mut self, schema: &'a Schema) -> Result<Vec<(Strings, GoalId)>, Error> {
        let additional = schema.additional.map_or(GoalId::ANY, |node| self.goal_of_node(node, true));
        let mut classes: Vec<(Strings, GoalId)> = Vec::new();
        // Keys of patterns that ask for something, and of those that ask for nothing.
        let (mut asked, mut free) = (Strings::none(), Strings::none());
        for (pattern, node) in schema.pattern_properties {
            let Some(keys) = self.key_pattern(schema, pattern)? else { continue };
            let goal = self.goal_of_node(*node, true);
            // Where anything is additional, a pattern tells nothing apart that asks for nothing; alone, nor one that asks for
            // the same.
            if goal == additional && (goal == GoalId::ANY || schema.pattern_properties.len() == 1) {
                continue;
            }
            if goal == GoalId::ANY {
                free = free.union(&keys, &mut self.texts())?;
            } else {
                asked = asked.union(&keys, &mut self.texts())?;
                self.add_class(&mut classes, keys, goal)?;
            }
        }
        let mut rest = asked.complement(&mut self.builder.arena);
        if additional != GoalId::ANY && !free.is_none() {
            let matched = free.intersect(&rest, &mut self.texts())?;
            if !self.no_strings(&matched)? {
                classes.push((matched, GoalId::ANY));
            }
            let others = free.complement(&mut self.builder.arena);
            rest = rest.intersect(&others, &mut self.texts())?;
        }
        if additional != GoalId::NEVER && !self.no_strings(&rest)? {
            classes.push((rest, additional));
        }
        classes.retain(|(_, goal)| *goal != GoalId::NEVER);
        Ok(classes)
    }

    /// Adds the keys of a pattern to disjoint classes. Those of a class that ask for the same need not be told apart.
    fn add_class(
        &mut self,
        classes: &mut Vec<(Strings, GoalId)>,
        keys: Strings,
        goal: GoalId,
    ) -> Result<(), Error> {
        let (mut fresh, mut split) = (keys.clone(), Vec::with_capacity(classes.len() + 1));
        let mut others = None;
        for (class, class_goal) in std::mem::take(classes) {
            let both = self.goals.and(class_goal, goal);
            let inside = match both == class_goal && both == goal {
                true => Strings::none(),
                false => class.intersect(&keys, &mut self.texts())?,
            };
            if self.no_strings(&inside)? {
                split.push((class, class_goal));
                continue;
            }
            let others = others.get_or_insert_with(|| keys.complement(&mut self.builder.arena)).clone();
            let outside = class.intersect(&others, &mut self.texts())?;
            let not_here = class.complement(&mut self.builder.arena);
            fresh = fresh.intersect(&not_here, &mut self.texts())?;
            if !self.no_strings(&outside)? {
                split.push((outside, class_goal));
            }
            split.push((inside, both));
        }
        if !self.no_strings(&fresh)? {
            match split.iter_mut().find(|class| class.1 == goal) {
                Some(class) => class.0 = class.0.union(&fresh, &mut self.texts())?,
                None => split.push((fresh, goal)),
            }
        }
        self.check_alternatives(split.len())?;
        *classes = split;
        Ok(())
    }

    /// `propertyNames`: no key but those.
    fn restrict_names(&mut self, names: NodeId, object: &mut Object) -> Result<(), Error> {
        let names = self.set_of_node(names, true)?.string.clone();
        for member in &mut object.members {
            if !names.contains(&member.name, &mut self.texts())? {
                member.goal = GoalId::NEVER;
            }
        }
        let mut classes = Vec::new();
        for (keys, goal) in std::mem::take(&mut object.classes) {
            let keys = keys.intersect(&names, &mut self.texts())?;
            if !self.no_strings(&keys)? {
                classes.push((keys, goal));
            }
        }
        object.classes = classes;
        Ok(())
    }

    /// The set of some values.
    pub(super) fn set_of_values(&mut self, values: &'a [Json<'a>]) -> Result<Set, Error> {
        let (mut set, mut numbers, mut strings) = (Set::none(), Vec::new(), Vec::new());
        for value in values {
            self.budget.tick()?;
            match value {
                Json::Number(text) => numbers.push(Decimal::parse(text)?),
                Json::String(text) => strings.push(Rc::from(*text)),
                _ => self.add_value(&mut set, value),
            }
        }
        // Sorted once; in the order of a schema each would be looked for.
        let strings = Strings::Only(strings.into_iter().collect());
        (set.number, set.string) = (NumberSet::values(numbers), strings);
        Ok(set)
    }

    /// Adds a value that is no number and no string to a set.
    fn add_value(&mut self, set: &mut Set, value: &'a Json<'a>) {
        match value {
            Json::Null => set.null = true,
            Json::Bool(false) => set.no = true,
            Json::Bool(true) => set.yes = true,
            Json::Number(_) | Json::String(_) => {}
            Json::Array(items) => {
                let prefix: Vec<GoalId> = items.iter().map(|item| self.goal_of_value(item)).collect();
                let len = prefix.len() as u64;
                let array = Array { prefix, rest: GoalId::NEVER, min: len, max: len, ..Array::any() };
                set.arrays.push(Rc::new(array));
            }
            Json::Object(members) => {
                let member = |(name, value): &'a (&'a str, Json<'a>)| Member {
                    name: Rc::from(*name),
                    required: true,
                    goal: self.goal_of_value(value),
                    declared: true,
                };
                let members: Vec<Member> = members.iter().map(member).collect();
                set.objects.push(Rc::new(Object { members, classes: Vec::new(), ..Object::any() }));
            }
        }
    }
}

impl Set {
    /// The values of one type.
    fn of_word(Word { types, plain_integers }: Word) -> Self {
        let mut set = Set::none();
        match types {
            Types::NULL => set.null = true,
            Types::BOOLEAN => (set.no, set.yes) = (true, true),
            Types::NUMBER => set.number = NumberSet::all(),
            Types::INTEGER => set.number = NumberSet::integers(),
            Types::STRING => set.string = Strings::any(),
            _ => {}
        }
        Set { plain_integers, ..set }
    }

    fn of_objects(objects: Vec<Object>) -> Self {
        Set { objects: objects.into_iter().map(Rc::new).collect(), ..Set::none() }
    }
}

/// An error about a pattern, which has places of its own.
fn in_pattern(error: Error) -> Error {
    match error.place() {
        Some(place) => {
            let message = format!("{} (at character {} of the pattern)", error.message(), place.column);
            Error::new(error.kind(), message)
        }
        None => error,
    }
}
