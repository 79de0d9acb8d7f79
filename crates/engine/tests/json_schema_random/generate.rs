//! Random schemas over all keywords, and random instances. Names, texts and numbers are few, so that keywords meet.

use serde_json::{Map, Value, json};
use tokenstile_testkit::Rng;

const NAMES: [&str; 6] = ["a", "b", "c", "ab", "", "é"];
const TEXTS: [&str; 9] = ["", "a", "b", "ab", "abc", "é", "😀", "a\"b", "\n"];
const NUMBERS: [&str; 14] =
    ["0", "1", "2", "3", "-1", "10", "0.5", "1.5", "-0.1", "0.3", "100", "12", "7", "-20"];
const STEPS: [&str; 7] = ["1", "2", "3", "0.5", "0.1", "1.5", "10"];
const PATTERNS: [&str; 11] =
    ["^a", "b$", "a", "^[ab]*$", "^.$", "^(a|bc?)+$", "[^a]", "^$", "^(?!a)", "é|😀", "^.{1,2}$"];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// Keywords that apply schemas to the value itself.
const IN_PLACE: [&str; 8] = ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "$ref", "anyOf"];
/// Keywords about the type of a value, by type.
const STRINGS: [&str; 3] = ["minLength", "maxLength", "pattern"];
const NUMERIC: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const ARRAYS: [&str; 8] =
    ["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems", "items"];
const OBJECTS: [&str; 10] = [
    "properties",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "unevaluatedProperties",
];

/// What schemas a place may refer to without asking itself.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// Definitions from this one on may be applied to the same value.
    from: usize,
}

const DEFINITIONS: usize = 2;

/// A schema with definitions.
pub fn schema(rng: &mut Rng) -> Value {
    let mut root = some_schema(rng, Place { depth: 3, from: 0 });
    let Some(members) = root.as_object_mut() else { return root };
    let defs: Map<String, Value> = (0..DEFINITIONS)
        .map(|i| (format!("d{i}"), some_schema(rng, Place { depth: 2, from: i + 1 })))
        .collect();
    members.insert("$defs".to_owned(), Value::Object(defs));
    root
}

/// A schema of another value.
fn below(rng: &mut Rng, place: Place) -> Value {
    if rng.chance(1, 12) {
        let target = ["#", "#/$defs/d0", "#/$defs/d1"][rng.below(3)];
        return json!({"$ref": target});
    }
    some_schema(rng, Place { depth: place.depth - 1, from: 0 })
}

fn beside(rng: &mut Rng, place: Place) -> Value {
    some_schema(rng, Place { depth: place.depth - 1, from: place.from })
}

fn some_schema(rng: &mut Rng, place: Place) -> Value {
    if rng.chance(1, 12) {
        return Value::Bool(rng.chance(2, 3));
    }
    let mut out = Map::new();
    let kind = rng.below(6);
    if rng.chance(2, 3) {
        let types = match kind {
            0 => vec!["string"],
            1 => vec![*rng.pick(&["integer", "number"])],
            2 => vec!["array"],
            3 => vec!["object"],
            _ => vec![*rng.pick(&TYPES), *rng.pick(&TYPES)],
        };
        let list = types.len() > 1 && types[0] != types[1];
        out.insert("type".to_owned(), if list { json!(types) } else { json!(types[0]) });
    }
    for _ in 0..rng.between(1, 4) {
        let keywords: &[&str] = match kind {
            _ if rng.chance(1, 9) => &["enum", "const"],
            _ if rng.chance(1, 4) && place.depth > 0 => &IN_PLACE,
            0 => &STRINGS,
            1 => &NUMERIC,
            2 | 4 => &ARRAYS,
            _ => &OBJECTS,
        };
        let keyword = *rng.pick(keywords);
        add(rng, place, keyword, &mut out);
    }
    Value::Object(out)
}

fn add(rng: &mut Rng, place: Place, keyword: &str, out: &mut Map<String, Value>) {
    let leaf = place.depth == 0;
    let value = match keyword {
        // Of values of a type that is allowed, mostly.
        "enum" => (0..rng.between(1, 4)).map(|_| value_for(rng, out)).collect(),
        "const" => value_for(rng, out),
        "minLength" | "minItems" | "minProperties" => json!(rng.below(3)),
        "maxLength" | "maxItems" | "maxProperties" => json!(rng.below(4)),
        "pattern" => json!(rng.pick(&PATTERNS)),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => number(rng.pick::<&str>(&NUMBERS)),
        "multipleOf" => number(rng.pick::<&str>(&STEPS)),
        "uniqueItems" => json!(true),
        "required" => names(rng),
        "dependentRequired" => map(rng, names),
        _ if leaf => return,
        "allOf" | "anyOf" | "oneOf" => (0..rng.between(1, 3)).map(|_| beside(rng, place)).collect(),
        "not" => beside(rng, place),
        "if" => {
            for branch in ["then", "else"] {
                if rng.chance(2, 3) {
                    let schema = beside(rng, place);
                    out.insert(branch.to_owned(), schema);
                }
            }
            // The validator forgets what else evaluates beside a plain `false`.
            match beside(rng, place) {
                Value::Bool(_) => json!({"type": "null"}),
                schema => schema,
            }
        }
        "dependentSchemas" => map(rng, |rng| beside(rng, place)),
        "$ref" if place.from < DEFINITIONS => {
            json!(format!("#/$defs/d{}", rng.between(place.from, DEFINITIONS - 1)))
        }
        "$ref" => return,
        "prefixItems" => (0..rng.between(1, 3)).map(|_| below(rng, place)).collect(),
        "contains" => {
            // Not both: the validator gets some of those wrong.
            out.retain(|name, _| !name.ends_with("Contains"));
            match rng.below(3) {
                0 => drop(out.insert("minContains".to_owned(), json!(rng.below(3)))),
                1 => drop(out.insert("maxContains".to_owned(), json!(rng.between(1, 2)))),
                _ => {}
            }
            below(rng, place)
        }
        "properties" => map(rng, |rng| below(rng, place)),
        "patternProperties" => {
            let mut all = Map::new();
            for _ in 0..rng.between(1, 2) {
                all.insert((*rng.pick(&PATTERNS)).to_owned(), below(rng, place));
            }
            Value::Object(all)
        }
        "propertyNames" => match rng.below(3) {
            0 => json!({"enum": names(rng)}),
            1 => json!({"pattern": rng.pick(&PATTERNS)}),
            _ => json!({"maxLength": rng.below(3)}),
        },
        // The validator overflows its stack on some that are recursive.
        "unevaluatedItems" | "unevaluatedProperties" if rng.chance(1, 2) => {
            some_schema(rng, Place { depth: 0, from: DEFINITIONS })
        }
        "unevaluatedItems" | "unevaluatedProperties" => json!(false),
        // The rest apply one schema to members or items.
        _ if rng.chance(1, 2) => json!(false),
        _ => below(rng, place),
    };
    out.insert(keyword.to_owned(), value);
}

/// A value, if possible one of the `type` of a schema.
fn value_for(rng: &mut Rng, schema: &Map<String, Value>) -> Value {
    let fits = |value: &Value| {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        schema.get("type").is_none_or(|types| types.to_string().contains(name))
    };
    let values: Vec<Value> = (0..6).map(|_| value(rng, 2)).collect();
    values.iter().find(|value| fits(value)).unwrap_or(&values[0]).clone()
}

fn names(rng: &mut Rng) -> Value {
    let mut names: Vec<&str> = (0..rng.between(1, 2)).map(|_| *rng.pick(&NAMES)).collect();
    names.dedup();
    json!(names)
}

fn map(rng: &mut Rng, mut each: impl FnMut(&mut Rng) -> Value) -> Value {
    let mut all = Map::new();
    for _ in 0..rng.between(1, 3) {
        let name = (*rng.pick(&NAMES)).to_owned();
        let value = each(rng);
        all.insert(name, value);
    }
    Value::Object(all)
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).expect("a number")
}

/// Any JSON value.
pub fn value(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 6 } else { 12 }) {
        0 => Value::Null,
        1 => Value::Bool(rng.chance(1, 2)),
        2 | 3 => number(rng.pick::<&str>(&NUMBERS)),
        4 | 5 => json!(rng.pick(&TEXTS)),
        6..=8 => (0..rng.below(4)).map(|_| value(rng, depth - 1)).collect(),
        _ => {
            let mut all = Map::new();
            for _ in 0..rng.below(4) {
                all.insert((*rng.pick(&NAMES)).to_owned(), value(rng, depth - 1));
            }
            Value::Object(all)
        }
    }
}

/// A value like another one: something in it is different.
pub fn mutated(rng: &mut Rng, of: &Value) -> Value {
    let mut copy = of.clone();
    match &mut copy {
        Value::Array(items) if !items.is_empty() && rng.chance(4, 5) => {
            let at = rng.below(items.len());
            match rng.below(4) {
                0 => drop(items.remove(at)),
                1 => items.insert(at, items[rng.below(items.len())].clone()),
                2 => items.push(value(rng, 1)),
                _ => items[at] = mutated(rng, &items[at]),
            }
        }
        Value::Object(members) if !members.is_empty() && rng.chance(4, 5) => {
            let at = rng.below(members.len());
            let name = members.keys().nth(at).expect("there are enough").clone();
            match rng.below(4) {
                0 => drop(members.shift_remove(&name)),
                1 => drop(members.insert((*rng.pick(&NAMES)).to_owned(), value(rng, 1))),
                _ => {
                    let other = mutated(rng, &members[&name]);
                    members.insert(name, other);
                }
            }
        }
        Value::String(text) if rng.chance(1, 2) => {
            let mut chars: Vec<char> = text.chars().collect();
            match chars.len() {
                0 => chars.push('a'),
                len if rng.chance(1, 2) => drop(chars.remove(rng.below(len))),
                len => chars.insert(rng.below(len), *rng.pick(&['a', 'b', 'é', '"'])),
            }
            *text = chars.into_iter().collect();
        }
        _ => copy = value(rng, 1),
    }
    copy
}
