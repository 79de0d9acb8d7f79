//! A validator over [`Nodes`], as simple as can be: what the nodes mean, to hold against what the suites say.

use std::collections::BTreeSet;

use crate::node::{Bound, Node, NodeId, Nodes, Schema, Types};
use crate::reader::Json;

/// Names of members and numbers of items that some schema was applied to.
#[derive(Default)]
struct Evaluated {
    members: BTreeSet<String>,
    items: BTreeSet<usize>,
}

/// Whether `value` is an instance of the root.
pub(super) fn is_valid(nodes: &Nodes, value: &Json) -> bool {
    check(nodes, nodes.root(), value).is_some()
}

fn check(nodes: &Nodes, id: NodeId, value: &Json) -> Option<Evaluated> {
    match nodes.get(id) {
        Node::Any => Some(Evaluated::default()),
        Node::Never => None,
        Node::Word(word) => {
            let (types, plain_integers) = (Some(word.types), word.plain_integers);
            let schema = Schema { types, plain_integers, ..Schema::default() };
            says(&schema, value).then(Evaluated::default)
        }
        Node::Schema(schema) => {
            let mut seen = Evaluated::default();
            let valid = says(schema, value)
                && in_place(nodes, schema, value, &mut seen)
                && members(nodes, schema, value, &mut seen)
                && items(nodes, schema, value, &mut seen)
                && unevaluated(nodes, schema, value, &mut seen);
            valid.then_some(seen)
        }
    }
}

fn holds(nodes: &Nodes, id: NodeId, value: &Json) -> bool {
    check(nodes, id, value).is_some()
}

fn says(schema: &Schema, value: &Json) -> bool {
    let types = match value {
        Json::Null => Types::NULL,
        Json::Bool(_) => Types::BOOLEAN,
        Json::Number(text) if schema.plain_integers && text.contains(['.', 'e', 'E']) => Types::NUMBER,
        Json::Number(text) if Decimal::new(text).exponent >= 0 => Types::INTEGER | Types::NUMBER,
        Json::Number(_) => Types::NUMBER,
        Json::String(_) => Types::STRING,
        Json::Array(_) => Types::ARRAY,
        Json::Object(_) => Types::OBJECT,
    };
    let typed = |wanted: Types| {
        let all = [Types::NULL, Types::BOOLEAN, Types::INTEGER, Types::NUMBER];
        let more = [Types::STRING, Types::ARRAY, Types::OBJECT];
        all.iter().chain(&more).any(|&one| wanted.contains(one) && types.contains(one))
    };
    schema.types.is_none_or(typed)
        && schema.values.as_ref().is_none_or(|values| values.iter().any(|one| equal(one, value)))
        && schema.constant.as_ref().is_none_or(|one| equal(one, value))
        && match value {
            Json::Number(text) => number(schema, text),
            Json::String(text) => string(schema, text),
            _ => true,
        }
}

fn number(schema: &Schema, text: &str) -> bool {
    let value: f64 = text.parse().unwrap();
    let bound = |bound: &Bound| bound.value.parse::<f64>().unwrap();
    schema.minimum.iter().all(|low| value > bound(low) || !low.exclusive && value == bound(low))
        && schema.maximum.iter().all(|high| value < bound(high) || !high.exclusive && value == bound(high))
        && schema.multiple_of.as_ref().is_none_or(|of| Decimal::new(text).is_multiple(&Decimal::new(of)))
}

fn string(schema: &Schema, text: &str) -> bool {
    let length = text.chars().count() as u64;
    schema.min_length.is_none_or(|min| min <= length)
        && schema.max_length.is_none_or(|max| length <= max)
        && schema.pattern.as_ref().is_none_or(|pattern| matches(pattern, text))
}

fn matches(pattern: &str, text: &str) -> bool {
    let pattern = pattern.replace("\\Z", "$");
    let regex = fancy_regex::RegexBuilder::new(&pattern).delegate_size_limit(1 << 28).build();
    regex.unwrap_or_else(|error| panic!("{pattern}: {error}")).is_match(text).unwrap()
}

fn in_place(nodes: &Nodes, schema: &Schema, value: &Json, seen: &mut Evaluated) -> bool {
    let mut add = |id: NodeId| match check(nodes, id, value) {
        Some(more) => {
            seen.members.extend(more.members);
            seen.items.extend(more.items);
            true
        }
        None => false,
    };
    if !schema.references.iter().chain(schema.all_of).all(|&id| add(id)) {
        return false;
    }
    let any = schema.any_of.iter().filter(|&&id| add(id)).count();
    let one = schema.one_of.iter().filter(|&&id| add(id)).count();
    if !schema.any_of.is_empty() && any == 0 || !schema.one_of.is_empty() && one != 1 {
        return false;
    }
    if schema.not.is_some_and(|id| holds(nodes, id, value)) {
        return false;
    }
    let branch = schema.condition.and_then(|id| if add(id) { schema.then } else { schema.otherwise });
    if branch.is_some_and(|id| !add(id)) {
        return false;
    }
    schema.dependent_schemas.iter().all(|(name, id)| value.get(name).is_none() || add(*id))
}

fn members(nodes: &Nodes, schema: &Schema, value: &Json, seen: &mut Evaluated) -> bool {
    let Json::Object(members) = value else { return true };
    let count = members.len() as u64;
    let has = |name: &&str| value.get(name).is_some();
    let dependent = |(name, names): &(&str, &[&str])| !has(name) || names.iter().all(has);
    if schema.min_properties.is_some_and(|min| count < min)
        || schema.max_properties.is_some_and(|max| count > max)
        || !schema.required.iter().all(has)
        || !schema.dependent_required.iter().all(dependent)
    {
        return false;
    }
    members.iter().all(|(name, value)| {
        let named = schema.properties.iter().filter(|(known, _)| known == name);
        let patterned = schema.pattern_properties.iter().filter(|(pattern, _)| matches(pattern, name));
        let mut ids: Vec<NodeId> = named.chain(patterned).map(|(_, id)| *id).collect();
        if ids.is_empty() {
            ids.extend(schema.additional);
        }
        if !ids.is_empty() {
            seen.members.insert(name.to_string());
        }
        let key = Json::String(name);
        schema.property_names.is_none_or(|id| holds(nodes, id, &key))
            && ids.into_iter().all(|id| holds(nodes, id, value))
    })
}

fn items(nodes: &Nodes, schema: &Schema, value: &Json, seen: &mut Evaluated) -> bool {
    let Json::Array(items) = value else { return true };
    let count = items.len() as u64;
    if schema.min_items.is_some_and(|min| count < min) || schema.max_items.is_some_and(|max| count > max) {
        return false;
    }
    if schema.unique_items && (1..items.len()).any(|i| items[..i].iter().any(|one| equal(one, &items[i]))) {
        return false;
    }
    for (i, item) in items.iter().enumerate() {
        let Some(id) = schema.prefix_items.get(i).copied().or(schema.items) else { continue };
        seen.items.insert(i);
        if !holds(nodes, id, item) {
            return false;
        }
    }
    let Some(contains) = schema.contains else { return true };
    let found: Vec<usize> = (0..items.len()).filter(|&i| holds(nodes, contains, &items[i])).collect();
    let enough = found.len() as u64 >= schema.min_contains.unwrap_or(1);
    let valid = enough && schema.max_contains.is_none_or(|max| found.len() as u64 <= max);
    if schema.contains_evaluates {
        seen.items.extend(found);
    }
    valid
}

fn unevaluated(nodes: &Nodes, schema: &Schema, value: &Json, seen: &mut Evaluated) -> bool {
    match (value, schema.unevaluated_properties, schema.unevaluated_items) {
        (Json::Object(members), Some(id), _) => {
            let valid = members.iter().all(|(name, v)| seen.members.contains(&**name) || holds(nodes, id, v));
            seen.members.extend(members.iter().map(|(name, _)| name.to_string()));
            valid
        }
        (Json::Array(items), _, Some(id)) => {
            let valid = items.iter().enumerate().all(|(i, v)| seen.items.contains(&i) || holds(nodes, id, v));
            seen.items.extend(0..items.len());
            valid
        }
        _ => true,
    }
}

fn equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => Decimal::new(a) == Decimal::new(b),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(a, b))
        }
        (Json::Object(c), Json::Object(d)) => {
            c.len() == d.len()
                && c.iter().all(|(name, one)| b.get(name).is_some_and(|other| equal(one, other)))
        }
        _ => a == b,
    }
}

/// A number as digits and a power of ten, without zeros at the end of the digits.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn new(text: &str) -> Decimal {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{}{fraction}", integer.trim_start_matches('-'));
        let digits = all.trim_start_matches('0');
        let short = digits.trim_end_matches('0');
        if short.is_empty() {
            return Decimal { negative: false, digits: String::new(), exponent: 0 };
        }
        let cut = (digits.len() - short.len()) as i64;
        let exponent = exponent.parse::<i64>().unwrap() - fraction.len() as i64 + cut;
        Decimal { negative: text.starts_with('-'), digits: short.to_owned(), exponent }
    }

    /// By long division: the remainder of the digits, one after another.
    fn is_multiple(&self, of: &Decimal) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        let divisor: u128 = of.digits.parse().unwrap();
        let shift = self.exponent - of.exponent;
        if shift < 0 {
            return false;
        }
        let zeros = std::iter::repeat_n(b'0', shift as usize);
        self.digits
            .bytes()
            .chain(zeros)
            .fold(0, |rest, digit| (rest * 10 + u128::from(digit - b'0')) % divisor)
            == 0
    }
}
