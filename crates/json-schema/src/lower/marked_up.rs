//! Objects whose members have marks around them.
//!
//! Members come in the order of the schema, or in any order if there are few of them: then what was written is a set of
//! members, and each set is a rule.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tokenstile_grammar::compose::text::marked_text;
use tokenstile_grammar::ir::{CharSet, Warning};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, ErrorKind, ExprId, Grammar, RegexOptions, RuleId, regex_expr};

use super::{Lower, at_least, count, without};
use crate::algebra::{Array, GoalId, Member, Object, Parts, Set, Strings};
use crate::markup::{Between, Close, FREE_STRING, FreeKeys, Items, Kinds, Markup};
use crate::options::MemberOrder;

/// So many members may come in any order, or under counts.
const SETS: usize = 8;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    String,
    Number,
    Boolean,
    Null,
    Object,
    Array,
}

const KINDS: [Kind; 6] = [Kind::String, Kind::Number, Kind::Boolean, Kind::Null, Kind::Object, Kind::Array];

impl Kind {
    fn name(self, names: Kinds) -> &'static str {
        match self {
            Kind::String => names.string,
            Kind::Number => names.number,
            Kind::Boolean => names.boolean,
            Kind::Null => names.null,
            Kind::Object => names.object,
            Kind::Array => names.array,
        }
    }
}

/// What has been written with marks so far.
pub(crate) struct MarkedUp<'m> {
    markup: &'m Markup,
    /// Any string.
    raw: Option<ExprId>,
    /// Marks, by their texts.
    marks: FxHashMap<String, ExprId>,
    /// Objects and arrays of goals.
    deep: FxHashMap<(GoalId, bool), RuleId>,
    todo: Vec<(GoalId, bool, RuleId)>,
}

/// A key, as a text or as an expression.
enum Key<'k> {
    Name(&'k str),
    Any(ExprId),
    Item,
}

impl<'a> Lower<'a> {
    /// The grammar of the objects that have a goal, with marks around their members.
    pub(crate) fn marked_up(mut self, goal: GoalId, markup: &Markup) -> Result<(Grammar, Budget<'a>), Error> {
        let mut marked = MarkedUp {
            markup,
            raw: None,
            marks: FxHashMap::default(),
            deep: FxHashMap::default(),
            todo: Vec::new(),
        };
        let root = self.algebra.builder.declare("root", None)?;
        let set = self.algebra.set_of(goal)?;
        if set.objects.is_empty() {
            return Err(unsupported("in this style the schema must be one of objects").with_pointer(""));
        }
        let body = self.fields_of(&set.objects, &mut marked).map_err(|error| error.with_pointer(""))?;
        self.algebra.builder.define(root, body);
        loop {
            if let Some((goal, is_object, rule)) = marked.todo.pop() {
                let set = self.algebra.set_of(goal)?;
                let body = match is_object {
                    true => self.fields_of(&set.objects, &mut marked),
                    false => self.items_of(&set.arrays, &mut marked),
                };
                let body = body.map_err(|error| error.with_pointer(self.pointer_of(goal)))?;
                self.algebra.builder.define(rule, body);
            } else if let Some((goal, rule)) = self.todo.pop() {
                let body = self.body_of(goal)?.0;
                self.algebra.builder.define(rule, body);
            } else {
                break;
            }
        }
        if self.tracking.any() {
            let warning = Warning::new("keys or items of JSON between marks may repeat");
            self.algebra.builder.warn(warning);
        }
        Ok((self.algebra.builder.build(root)?, self.algebra.budget))
    }

    /// The members of objects, with white space before each and behind the last.
    fn fields_of(&mut self, objects: &Parts<Object>, to: &mut MarkedUp<'_>) -> Result<ExprId, Error> {
        let mut ways = Vec::with_capacity(objects.len());
        for object in objects {
            ways.push(self.fields(object, to)?);
        }
        let arena = &mut self.algebra.builder.arena;
        let any = arena.alt(&ways);
        Ok(arena.concat(&[any, self.ws]))
    }

    fn fields(&mut self, object: &Object, to: &mut MarkedUp<'_>) -> Result<ExprId, Error> {
        if !object.some.is_empty() || !object.formulas.is_empty() {
            return Err(unsupported("in this style alternatives of objects are not judged together"));
        }
        let (members, classes) = self.listed(object)?;
        let mut others = Vec::new();
        for (keys, goal) in &classes {
            let key = self.free_field_key(keys, to.markup)?;
            others.push(self.field(Key::Any(key), *goal, to)?);
        }
        let other = (!others.is_empty()).then(|| self.algebra.builder.arena.alt(&others));
        let mut written = Vec::with_capacity(members.len());
        for member in members.iter() {
            written.push(self.field(Key::Name(&member.name), member.goal, to)?);
        }
        let counted = (object.min, object.max) != (0, u64::MAX) || !object.implies.is_empty();
        let any_order = self.algebra.options.order == MemberOrder::Any;
        match (counted || any_order && members.len() > 1, other) {
            (false, _) => Ok(self.fields_in_order(&members, &written, other)),
            (true, Some(_)) if counted && (object.min, object.max) != (0, u64::MAX) => {
                Err(unsupported("in this style members are not counted beside keys that are not listed"))
            }
            (true, _) if members.len() > SETS => {
                Err(Error::limit("members in any order or under counts", SETS))
            }
            (true, _) => self.fields_by_sets(object, (&members, &written), other),
        }
    }

    fn fields_in_order(&mut self, members: &[Member], written: &[ExprId], other: Option<ExprId>) -> ExprId {
        let arena = &mut self.algebra.builder.arena;
        let mut parts: Vec<ExprId> = Vec::with_capacity(written.len() + 1);
        for (member, &field) in members.iter().zip(written) {
            parts.push(if member.required { field } else { arena.optional(field) });
        }
        parts.extend(other.map(|other| arena.star(other)));
        arena.concat(&parts)
    }

    /// A rule for each set of members that may have been written.
    fn fields_by_sets(
        &mut self,
        object: &Object,
        (members, written): (&[Member], &[ExprId]),
        other: Option<ExprId>,
    ) -> Result<ExprId, Error> {
        let any_order = self.algebra.options.order == MemberOrder::Any;
        let all = 1usize << members.len();
        let mut rules = Vec::with_capacity(all);
        for _ in 0..all {
            rules.push(self.algebra.builder.declare("fields", None)?);
        }
        let at = |name: &Rc<str>| members.iter().position(|member| member.name == *name);
        for set in 0..all {
            let has = |i: usize| set >> i & 1 == 1;
            let number = u64::from(set.count_ones());
            let implied = |(a, b): &(Rc<str>, Rc<str>)| !at(a).is_some_and(has) || at(b).is_some_and(has);
            let complete = (object.min..=object.max).contains(&number)
                && members.iter().enumerate().all(|(i, member)| !member.required || has(i))
                && object.implies.iter().all(implied);
            let mut ways = Vec::new();
            let arena = &mut self.algebra.builder.arena;
            ways.extend(complete.then(|| arena.empty()));
            // In the order of the schema only those may come that stand behind all that were written.
            let first = if any_order { 0 } else { (usize::BITS - set.leading_zeros()) as usize };
            for next in (first..members.len()).filter(|&i| !has(i)) {
                let rest = arena.rule(rules[set | 1 << next]);
                ways.push(arena.concat(&[written[next], rest]));
            }
            if let Some(other) = other.filter(|_| any_order || complete) {
                let rest = arena.rule(rules[set]);
                ways.push(arena.concat(&[other, rest]));
            }
            let body = arena.alt(&ways);
            self.algebra.builder.define(rules[set], body);
        }
        Ok(self.algebra.builder.arena.rule(rules[0]))
    }

    /// White space, and a member with the marks around it.
    fn field(&mut self, key: Key<'_>, goal: GoalId, to: &mut MarkedUp<'_>) -> Result<ExprId, Error> {
        let values = self.values(goal, to)?;
        let markup = to.markup;
        let key = match key {
            Key::Name(name) => Some(self.field_name(name, markup)?),
            Key::Any(expr) => Some(expr),
            Key::Item => None,
        };
        let mut ways: Vec<(ExprId, Vec<ExprId>)> = Vec::new();
        for (kind, value) in values {
            let between = self.between(kind, key.is_none(), to);
            match ways.iter_mut().find(|(known, _)| *known == between) {
                Some((_, values)) => values.push(value),
                None => ways.push((between, vec![value])),
            }
        }
        let close = self.close(key, to);
        let open = match (key, markup.items) {
            (None, Some(Items::Unnamed(open))) => self.mark(open, to),
            _ => self.mark(markup.before_key, to),
        };
        let arena = &mut self.algebra.builder.arena;
        let mut rests = Vec::with_capacity(ways.len());
        for (between, values) in ways {
            let value = arena.alt(&values);
            rests.push(arena.concat(&[between, value]));
        }
        let rest = arena.alt(&rests);
        let key = match (key, markup.items) {
            (Some(key), _) => key,
            (None, Some(Items::Named(name))) => arena.literal(name.as_bytes()),
            (None, _) => arena.empty(),
        };
        Ok(arena.concat(&[self.ws, open, key, rest, close]))
    }

    fn between(&mut self, kind: Kind, is_item: bool, to: &mut MarkedUp<'_>) -> ExprId {
        match &to.markup.between {
            Between::Text(text) => self.mark(text, to),
            Between::Gap(first, second) => {
                let (first, second) = (self.mark(first, to), self.mark(second, to));
                self.algebra.builder.arena.concat(&[first, self.ws, second])
            }
            Between::Kind { before, kinds, after } => {
                // An item has no key whose quote would have to be closed.
                let before = if is_item { before.trim_start_matches('"') } else { before };
                let text = [before, kind.name(*kinds), after].concat();
                self.mark(&text, to)
            }
        }
    }

    fn close(&mut self, key: Option<ExprId>, to: &mut MarkedUp<'_>) -> ExprId {
        match (to.markup.close, to.markup.items) {
            (Close::Text(text), _) => self.mark(text, to),
            (Close::Key(before, after), items) => {
                let (before, after) = (self.mark(before, to), self.mark(after, to));
                let arena = &mut self.algebra.builder.arena;
                let key = match (key, items) {
                    (Some(key), _) => key,
                    (None, Some(Items::Named(name))) => arena.literal(name.as_bytes()),
                    (None, _) => arena.empty(),
                };
                arena.concat(&[before, key, after])
            }
        }
    }

    /// A text in which special tokens may be written for their names.
    fn mark(&mut self, text: &str, to: &mut MarkedUp<'_>) -> ExprId {
        if let Some(&known) = to.marks.get(text) {
            return known;
        }
        let made = marked_text(&mut self.algebra.builder, text, self.algebra.limits);
        to.marks.insert(text.to_owned(), made);
        made
    }

    /// A key of the schema.
    fn field_name(&mut self, name: &str, markup: &Markup) -> Result<ExprId, Error> {
        if markup.free_keys == FreeKeys::Refused
            && (name.is_empty() || name.starts_with('/') || name.contains('>'))
        {
            let message = format!("the key {} cannot be the name of an element", crate::reader::quoted(name));
            return Err(unsupported(message));
        }
        let mut text = String::with_capacity(name.len());
        for c in name.chars() {
            match markup.escape.iter().find(|(special, _)| *special == c) {
                Some((_, entity)) => text.push_str(entity),
                None => text.push(c),
            }
        }
        Ok(self.algebra.builder.arena.literal(text.as_bytes()))
    }

    /// A key that is not listed.
    fn free_field_key(&mut self, keys: &Strings, markup: &Markup) -> Result<ExprId, Error> {
        let pattern = match markup.free_keys {
            FreeKeys::Refused => return Err(unsupported("in this style all keys must be listed")),
            FreeKeys::Words => "[a-zA-Z_][a-zA-Z0-9_]*",
            FreeKeys::Plain => "[^\\x00\"&<>]+",
        };
        let limits = self.algebra.limits;
        let arena = &mut self.algebra.builder.arena;
        let plain = regex_expr(pattern, &RegexOptions::default(), arena, limits)?;
        let plain = self.without_excluded(plain);
        if keys.is_any() {
            return Ok(plain);
        }
        let arena = &mut self.algebra.builder.arena;
        let keys = keys.expr(arena);
        Ok(arena.and(&[plain, keys]))
    }

    /// The values of a goal, by what they are.
    fn values(&mut self, goal: GoalId, to: &mut MarkedUp<'_>) -> Result<Vec<(Kind, ExprId)>, Error> {
        let set = self.algebra.set_of(goal)?;
        let is_one_form = !matches!(to.markup.between, Between::Kind { .. });
        let any_string = set.string.is_any();
        let mut values = Vec::new();
        if !set.string.is_none() {
            values.push((Kind::String, self.raw(&set.string, to)?));
            if is_one_form && any_string && to.markup.items.is_none() {
                // Whatever else there is, it is a string too.
                return Ok(values);
            }
        }
        for kind in KINDS {
            let Some(part) = part_of(&set, kind) else { continue };
            let expr = match (kind, to.markup.items) {
                (Kind::Object, Some(_)) => self.inside(goal, true, to)?,
                (Kind::Array, Some(_)) => self.inside(goal, false, to)?,
                _ => self.set(&part)?,
            };
            let arena = &mut self.algebra.builder.arena;
            let blank = to.markup.blank_values;
            values.push((kind, if blank { arena.concat(&[self.ws, expr, self.ws]) } else { expr }));
        }
        Ok(values)
    }

    /// The objects or arrays of a goal, with marks around what is in them.
    fn inside(&mut self, goal: GoalId, is_object: bool, to: &mut MarkedUp<'_>) -> Result<ExprId, Error> {
        let rule = match to.deep.get(&(goal, is_object)) {
            Some(&rule) => rule,
            None => {
                let rule = self.algebra.builder.declare("inside", None)?;
                to.deep.insert((goal, is_object), rule);
                to.todo.push((goal, is_object, rule));
                rule
            }
        };
        Ok(self.algebra.builder.arena.rule(rule))
    }

    /// The items of arrays, as members.
    fn items_of(&mut self, arrays: &Parts<Array>, to: &mut MarkedUp<'_>) -> Result<ExprId, Error> {
        let mut ways = Vec::with_capacity(arrays.len());
        for array in arrays {
            if array.unique || !array.contains.is_empty() {
                return Err(unsupported("in this style items are not compared or searched"));
            }
            let len = array.prefix.len() as u64;
            let (min, max) = (array.min.saturating_sub(len), array.max.saturating_sub(len));
            let mut tail = match array.rest {
                GoalId::NEVER if min > 0 => self.algebra.builder.arena.never(),
                GoalId::NEVER => self.algebra.builder.arena.empty(),
                rest => {
                    let item = self.field(Key::Item, rest, to)?;
                    let least = at_least(min, "items")?;
                    self.algebra.builder.arena.repeat(item, least, count(max))
                }
            };
            for (i, &goal) in array.prefix.iter().enumerate().rev() {
                if i as u64 >= array.max {
                    continue;
                }
                let item = self.field(Key::Item, goal, to)?;
                let arena = &mut self.algebra.builder.arena;
                tail = arena.concat(&[item, tail]);
                if i as u64 >= array.min {
                    tail = arena.optional(tail);
                }
            }
            ways.push(tail);
        }
        let arena = &mut self.algebra.builder.arena;
        let any = arena.alt(&ways);
        Ok(arena.concat(&[any, self.ws]))
    }

    /// Strings as they are.
    fn raw(&mut self, strings: &Strings, to: &mut MarkedUp<'_>) -> Result<ExprId, Error> {
        if strings.is_any() {
            if let Some(raw) = to.raw {
                return Ok(raw);
            }
            let builder = &mut self.algebra.builder;
            let rule = builder.declare(FREE_STRING, None)?;
            let any = builder.arena.chars(&CharSet::all());
            let any = builder.arena.star(any);
            builder.define(rule, any);
            let raw = builder.arena.rule(rule);
            to.raw = Some(raw);
            return Ok(raw);
        }
        let arena = &mut self.algebra.builder.arena;
        let texts = strings.expr(arena);
        let empty = arena.empty();
        let open = without(arena, empty, &[to.markup.raw_end]);
        let texts = arena.and(&[texts, open]);
        let texts = self.without_excluded(texts);
        let arena = &mut self.algebra.builder.arena;
        Ok(if to.markup.blank_strings { arena.concat(&[self.ws, texts, self.ws]) } else { texts })
    }
}

/// The part of a set that is of a kind, if there is one.
fn part_of(set: &Set, kind: Kind) -> Option<Set> {
    let mut part = Set::none();
    let there = match kind {
        Kind::String => false,
        Kind::Number => {
            part.plain_integers = set.plain_integers;
            part.number = set.number.clone();
            !set.number.is_empty()
        }
        Kind::Boolean => {
            (part.no, part.yes) = (set.no, set.yes);
            set.no || set.yes
        }
        Kind::Null => {
            part.null = set.null;
            set.null
        }
        Kind::Object => {
            part.objects = set.objects.clone();
            !set.objects.is_empty()
        }
        Kind::Array => {
            part.arrays = set.arrays.clone();
            !set.arrays.is_empty()
        }
    };
    there.then_some(part)
}

fn unsupported(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, message)
}
