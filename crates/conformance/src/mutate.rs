//! Random changes of instances: small ones, and with what stands in the schema, so that many stay valid.

use serde_json::{Map, Value, json};
use tokenstile_testkit::Rng;

/// What instances are changed with: names and values of the schema, and some that are always of interest.
pub(crate) struct Pool {
    names: Vec<String>,
    values: Vec<Value>,
}

impl Pool {
    pub(crate) fn of(schema: &Value) -> Pool {
        let mut pool =
            Pool { names: vec!["x".to_owned(), String::new(), "é".to_owned()], values: Vec::new() };
        let mut open = vec![schema];
        while let Some(value) = open.pop() {
            match value {
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    for (key, value) in members {
                        pool.take(key, value);
                    }
                    open.extend(members.values());
                }
                _ => {}
            }
        }
        pool.names.truncate(200);
        pool.values.truncate(200);
        let common = json!([null, true, false, 0, 1, -1, 1.5, 1e3, 100, "", "a", "é😀", "2020-02-29", [], {}, [1], {"x": 1}]);
        if let Value::Array(common) = common {
            pool.values.extend(common);
        }
        pool
    }

    /// What a keyword gives.
    fn take(&mut self, key: &str, value: &Value) {
        match value {
            Value::Object(members) if key == "properties" => self.names.extend(members.keys().cloned()),
            Value::Array(items) if key == "required" => {
                self.names.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            Value::Array(items) if key == "enum" || key == "examples" => {
                self.values.extend(items.iter().cloned())
            }
            value if key == "const" || key == "default" => self.values.push(value.clone()),
            Value::Number(number) => {
                self.values.push(value.clone());
                if let Some(number) = number.as_i64().filter(|number| number.abs() < 1 << 52) {
                    self.values.extend([json!(number + 1), json!(number - 1)]);
                    if key.ends_with("Length") && (0..64).contains(&number) {
                        let length = number as usize;
                        self.values.extend([json!("a".repeat(length)), json!("é".repeat(length + 1))]);
                    }
                }
            }
            _ => {}
        }
    }

    fn value(&self, rng: &mut Rng) -> Value {
        rng.pick(&self.values).clone()
    }

    fn name(&self, rng: &mut Rng) -> String {
        rng.pick(&self.names).clone()
    }
}

/// The value with one to three changes.
pub(crate) fn mutate(value: &Value, pool: &Pool, rng: &mut Rng) -> Value {
    let mut changed = value.clone();
    for _ in 0..rng.between(1, 3) {
        let nodes = count(&changed);
        let chosen = rng.below(nodes);
        if let Some(node) = nth(&mut changed, chosen) {
            change(node, pool, rng);
        }
    }
    changed
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Values in a value, itself among them.
fn count(value: &Value) -> usize {
    let (mut count, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        count += 1;
        open.extend(children(value));
    }
    count
}

/// One of the values in a value.
fn nth(value: &mut Value, number: usize) -> Option<&mut Value> {
    let (mut at, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        if at == number {
            return Some(value);
        }
        at += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values_mut()),
            _ => {}
        }
    }
    None
}

fn change(value: &mut Value, pool: &Pool, rng: &mut Rng) {
    if rng.chance(1, 8) {
        *value = pool.value(rng);
        return;
    }
    match value {
        Value::Object(members) => change_members(members, pool, rng),
        Value::Array(items) => change_items(items, pool, rng),
        Value::Number(number) => {
            let changed = match (number.as_i64().filter(|n| n.abs() < 1 << 52), rng.below(5)) {
                (Some(number), 0) => json!(number + 1),
                (Some(number), 1) => json!(number - 1),
                (Some(number), 2) => json!(-number),
                (Some(number), 3) => serde_json::from_str(&format!("{number}.5")).unwrap_or(Value::Null),
                _ => pool.value(rng),
            };
            *value = changed;
        }
        Value::String(text) => change_string(text, pool, rng),
        Value::Bool(flag) => *flag = !*flag,
        Value::Null => *value = pool.value(rng),
    }
}

fn change_members(members: &mut Map<String, Value>, pool: &Pool, rng: &mut Rng) {
    let chosen = members.keys().nth(rng.below(members.len())).cloned();
    match (chosen, rng.below(4)) {
        (Some(key), 0 | 1) => {
            members.shift_remove(&key);
        }
        (Some(key), 2) => {
            if let Some(value) = members.shift_remove(&key) {
                members.insert(pool.name(rng), value);
            }
        }
        _ => {
            members.insert(pool.name(rng), pool.value(rng));
        }
    }
}

fn change_items(items: &mut Vec<Value>, pool: &Pool, rng: &mut Rng) {
    let at = rng.below(items.len());
    match rng.below(4) {
        0 if !items.is_empty() => {
            items.remove(at);
        }
        1 if !items.is_empty() => {
            let item = items[at].clone();
            items.push(item);
        }
        2 if !items.is_empty() => {
            let other = rng.below(items.len());
            items.swap(at, other);
        }
        _ => items.push(pool.value(rng)),
    }
}

fn change_string(text: &mut String, pool: &Pool, rng: &mut Rng) {
    match rng.below(6) {
        0 => drop(text.pop()),
        1 => text.push(*rng.pick(&['a', '0', ' ', 'é', '😀', '"', '\\', '/', '\n', '\u{1}', '-', '.'])),
        2 => *text = text.to_uppercase(),
        3 => *text = text.chars().rev().collect(),
        4 => {
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            text.insert(middle, 'z');
        }
        _ => {
            if let Value::String(other) = pool.value(rng) {
                *text = other;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_use_what_the_schema_has() {
        let schema = json!({"properties": {"n": {"minimum": 5}, "s": {"enum": ["red"]}}, "required": ["q"]});
        let pool = Pool::of(&schema);
        assert!(["n", "s", "q"].iter().all(|name| pool.names.iter().any(|n| n == name)));
        assert!([json!(5), json!(6), json!(4), json!("red")].iter().all(|value| pool.values.contains(value)));
        let (value, mut rng) = (json!({"n": [1, "a", {"s": null}], "q": true}), Rng::new(3));
        let changed: std::collections::BTreeSet<String> =
            (0..300).map(|_| mutate(&value, &pool, &mut rng).to_string()).collect();
        assert!(changed.len() > 100, "{}", changed.len());
    }

    #[test]
    fn every_node_can_be_reached() {
        let mut value = json!({"a": [1, {"b": 2}], "c": 3});
        let total = count(&value);
        assert_eq!(total, 6);
        let seen: std::collections::BTreeSet<String> =
            (0..total).map(|n| nth(&mut value, n).unwrap().to_string()).collect();
        assert_eq!(seen.len(), 6);
        assert!(nth(&mut value, total).is_none());
    }
}
