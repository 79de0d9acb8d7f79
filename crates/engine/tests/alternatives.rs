//! Alternatives of objects and of items, few and many, against an independent validator.
//!
//! Each shape of schema has a size. However many alternatives it has, it compiles, the exact profile takes a text if and only
//! if the validator calls its value valid, and whoever follows the masks never gets stuck and ends in a valid text.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokenstile_engine::{CompileError, Compiler, Constraint, ErrorKind, Limits};
use tokenstile_grammar::JsonWhitespace;
use tokenstile_harness::{byte_vocab, cases::takes};
use tokenstile_json_schema::{JsonOptions, json_schema};
use tokenstile_testkit::Rng;

const SIZES: [usize; 5] = [2, 4, 8, 16, 32];
/// Up to this size there are walks through the masks.
const WALKED: usize = 4;
/// After so many bytes a walk tries to end, and after so many it must have.
const LONG: usize = 120;
const TOO_LONG: usize = 4_000;
/// Instances that each schema is asked about.
const INSTANCES: usize = 100;
/// How long the worst of schemas may take to be compiled or refused, under a limit that is shorter.
const BOUNDED: Duration = Duration::from_secs(20);

/// A schema, and values that are valid or nearly so.
struct Shape {
    schema: Value,
    seeds: Vec<Value>,
}

fn key(i: usize) -> String {
    format!("k{i}")
}

/// An object with a member for each of some numbers.
fn each(of: impl Iterator<Item = usize>, member: impl Fn(usize) -> (String, Value)) -> Value {
    Value::Object(of.map(member).collect())
}

fn list(of: impl Iterator<Item = usize>, item: impl Fn(usize) -> Value) -> Value {
    of.map(item).collect()
}

fn string() -> Value {
    json!({"type": "string"})
}

fn string_or_integer(i: usize) -> Value {
    if i % 2 == 1 { json!({"type": "integer"}) } else { string() }
}

fn value_for(i: usize) -> Value {
    if i % 2 == 1 { json!(i) } else { json!("s") }
}

/// Objects that are told apart by one member and have others in common, with objects in it.
fn open_branch(i: usize) -> (Value, Value) {
    let mut properties = Map::from_iter([("name".to_owned(), string()), (key(i), string())]);
    let mut value = Map::from_iter([("name".to_owned(), json!("n")), (key(i), json!("v"))]);
    let entry =
        json!({"type": "object", "properties": {"port": {"type": "integer"}}, "additionalProperties": false});
    let shared = [
        ("vars", json!({"type": "array", "items": entry}), json!([{"port": 1}])),
        ("flags", string(), json!("f")),
        ("copies", json!({"type": "integer"}), json!(2)),
    ];
    for (j, (name, schema, example)) in shared.into_iter().enumerate() {
        if (i * 7 + j * 3) % 5 < 3 {
            properties.insert(name.to_owned(), schema);
            value.insert(name.to_owned(), example);
        }
    }
    let schema = json!({"type": "object", "properties": properties, "required": ["name", key(i)]});
    (schema, Value::Object(value))
}

fn open_objects(combination: &str, n: usize) -> Shape {
    let branches = list(0..n, |i| open_branch(i).0);
    let items = json!({"type": "object", combination: branches});
    let seeds = (0..n).map(|i| json!({"services": [open_branch(i).1, open_branch((i + 1) % n).1]})).collect();
    let services = json!({"type": "array", "items": items});
    Shape { schema: json!({"properties": {"services": services}, "required": ["services"]}), seeds }
}

fn required_only(combination: &str, n: usize) -> Shape {
    let properties = each(0..n, |i| (key(i), string()));
    let branches = list(0..n, |i| json!({"required": [key(i)]}));
    let schema =
        json!({"type": "object", "properties": properties, "required": ["name"], combination: branches});
    let seeds = (0..n).map(|i| json!({"name": "x", key(i): "y", "other": 1})).collect();
    Shape { schema, seeds }
}

fn not_pairs(n: usize) -> Shape {
    let all = list(0..n - 1, |i| json!({"not": {"required": [key(i), key(i + 1)]}}));
    let schema = json!({"type": "object", "properties": each(0..n, |i| (key(i), string())), "allOf": all});
    let value = |from: usize| each((from..n).step_by(2), |i| (key(i), json!("x")));
    Shape { schema, seeds: vec![value(0), value(1), json!({})] }
}

fn if_then(n: usize) -> Shape {
    let all = list(0..n, |i| {
        json!({
            "if": {"properties": {"type": {"const": key(i)}}, "required": ["type"]},
            "then": {"required": [key(i)], "properties": {key(i): string_or_integer(i)}},
        })
    });
    let names = list(0..n, |i| json!(key(i)));
    let properties = json!({"type": {"enum": names}, "name": string()});
    let schema = json!({"type": "object", "properties": properties, "required": ["type"], "allOf": all});
    let seeds = (0..n).flat_map(|i| {
        [json!({"type": key(i), key(i): value_for(i)}), json!({key(i): value_for(i), "type": key(i)})]
    });
    Shape { schema, seeds: seeds.collect() }
}

fn dependent_required(n: usize) -> Shape {
    let schema = json!({
        "type": "object",
        "properties": each(0..n, |i| (key(i), string())),
        "dependentRequired": each(0..n - 1, |i| (key(i), json!([key(i + 1)]))),
    });
    let seeds = (0..n).map(|from| each(from..n, |i| (key(i), json!("x"))));
    Shape { schema, seeds: seeds.collect() }
}

fn all_of_any(n: usize) -> Shape {
    let mode = |i: usize| format!("mode{i}");
    let off = |i: usize| json!({"properties": {mode(i): {"const": "off"}}, "required": [mode(i)]});
    let all = list(0..n, |i| json!({"anyOf": [{"required": [key(i)]}, off(i)]}));
    let schema = json!({"type": "object", "properties": each(0..n, |i| (key(i), string())), "allOf": all});
    let value = |other: usize| {
        let member = |i: usize| if i % 2 == other { (key(i), json!("x")) } else { (mode(i), json!("off")) };
        each(0..n, member)
    };
    Shape { schema, seeds: vec![value(0), value(1)] }
}

fn patterns(n: usize) -> Shape {
    let mut patterns: Map<String, Value> =
        (0..n).map(|i| (format!("^k{i}_[a-z]+$"), string_or_integer(i))).collect();
    patterns.insert("_id$".to_owned(), json!(true));
    let schema = json!({"type": "object", "patternProperties": patterns, "additionalProperties": false});
    let mut value = each(0..n, |i| (format!("k{i}_a"), value_for(i)));
    value["my_id"] = json!(null);
    Shape { schema, seeds: vec![value, json!({"k0_id": "a", "k1_id": 2, "k1": 3})] }
}

fn contains(n: usize) -> Shape {
    let items = json!({"type": "object", "properties": {"name": string(), "id": {"type": "integer"}}});
    let named = |i: usize| json!({"properties": {"name": {"const": key(i)}}, "required": ["name"]});
    let schema =
        json!({"type": "array", "items": items, "allOf": list(0..n, |i| json!({"contains": named(i)}))});
    let value = list(0..n, |i| json!({"name": key(i), "id": i}));
    let mut more = value.clone();
    more.as_array_mut().expect("an array").insert(0, json!({"name": "other"}));
    Shape { schema, seeds: vec![value, more] }
}

fn recursive(n: usize) -> Shape {
    let node = json!({"$ref": "#/$defs/node"});
    let inner = |i: usize| if i % 2 == 1 { json!({"type": "array", "items": node}) } else { node.clone() };
    let branch = |i: usize| json!({"type": "object", "properties": {key(i): inner(i)}, "required": [key(i)]});
    let mut branches: Vec<Value> = (0..n).map(branch).collect();
    branches.push(string());
    let seeds = (1..n).map(|i| json!({key(0): {key(i - i % 2): {"k1": [{"k0": "x"}, "y"]}}}));
    Shape {
        schema: json!({"$ref": "#/$defs/node", "$defs": {"node": {"oneOf": branches}}}),
        seeds: seeds.collect(),
    }
}

/// Exactly one of some, of which each has ways to hold, beside a condition on one of them.
fn nested(n: usize) -> Shape {
    let branch = |i: usize| {
        let next = json!({"not": {"required": [key((i + 1) % n)]}});
        json!({"required": [key(i)], "anyOf": [{"required": ["mode"]}, next], "properties": {key(i): string()}})
    };
    let schema = json!({
        "type": "object",
        "oneOf": list(0..n, branch),
        "if": {"required": ["mode"], "properties": {"mode": {"type": "string"}}},
        "then": {"not": {"required": [key(n - 1)]}},
        "else": {"contains": {}, "anyOf": [{"required": ["plain"]}, {"maxProperties": 2}]},
    });
    let one = (0..n).flat_map(|i| [json!({key(i): "x"}), json!({key(i): "x", "mode": "y", "plain": 1})]);
    Shape { schema, seeds: one.collect() }
}

/// An object's alternatives follow those of an object in it, in an array that has to have some of them.
fn nested_deeper(n: usize) -> Shape {
    let part = json!({"type": "object", "properties": {"kind": {"enum": list(0..n, |i| json!(key(i)))}}});
    let uses = |i: usize| format!("use{i}");
    let branch = |i: usize| json!({"properties": {"part": {"required": ["kind"], "properties": {"kind": {"const": key(i)}}}}, "required": ["part", uses(i)], "dependentRequired": {"x": ["y"]}});
    let items = json!({"type": "object", "properties": {"part": part}, "oneOf": list(0..n, branch)});
    let has = |i: usize| json!({"contains": {"anyOf": [{"required": [uses(i)]}, {"required": ["y"]}]}});
    let schema = json!({"type": "array", "items": items, "allOf": list(0..2, has)});
    let item = |i: usize| json!({"part": {"kind": key(i)}, uses(i): 1});
    let seeds = (2..n + 2).map(|i| {
        let mut last = item(i % n);
        last["y"] = json!("z");
        json!([item(0), item(1), last])
    });
    Shape { schema, seeds: seeds.collect() }
}

type Make = fn(usize) -> Shape;

const SHAPES: [(&str, Make); 13] = [
    ("oneOf of open objects", |n| open_objects("oneOf", n)),
    ("anyOf of open objects", |n| open_objects("anyOf", n)),
    ("oneOf of required", |n| required_only("oneOf", n)),
    ("anyOf of required", |n| required_only("anyOf", n)),
    ("not of pairs", not_pairs),
    ("if and then", if_then),
    ("dependentRequired", dependent_required),
    ("allOf of anyOf", all_of_any),
    ("patternProperties", patterns),
    ("contains", contains),
    ("recursive union", recursive),
    ("oneOf, anyOf, not and if", nested),
    ("alternatives in alternatives", nested_deeper),
];

/// All members and items of some values.
fn pieces(of: &Value, members: &mut Vec<(String, Value)>, items: &mut Vec<Value>) {
    match of {
        Value::Array(list) => {
            items.extend(list.iter().cloned());
            list.iter().for_each(|item| pieces(item, members, items));
        }
        Value::Object(map) => {
            members.extend(map.iter().map(|(name, value)| (name.clone(), value.clone())));
            map.values().for_each(|value| pieces(value, members, items));
        }
        _ => {}
    }
}

/// Changes one thing in a value.
fn mutate(value: &mut Value, rng: &mut Rng, members: &[(String, Value)], items: &[Value]) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let name = map.keys().nth(rng.below(map.len())).expect("there are enough").clone();
            let (other_name, other) = rng.pick(members).clone();
            match rng.below(8) {
                0 => drop(map.remove(&name)),
                1 | 2 => drop(map.insert(other_name, other)),
                3 => drop(map.insert(name, other)),
                4 => {
                    let held = map.remove(&name).expect("it is there");
                    map.insert(if rng.chance(1, 2) { other_name } else { format!("{name}x") }, held);
                }
                _ => mutate(map.get_mut(&name).expect("it is there"), rng, members, items),
            }
        }
        Value::Array(list) if !list.is_empty() => {
            let at = rng.below(list.len());
            match rng.below(6) {
                0 => drop(list.remove(at)),
                1 => list.insert(at, rng.pick(items).clone()),
                _ => mutate(&mut list[at], rng, members, items),
            }
        }
        _ => *value = rng.pick(&[json!(null), json!(7), json!("k1"), json!([]), json!({})]).clone(),
    }
}

type Compiled = Result<Constraint, CompileError>;
fn compile(compiler: &Compiler, schema: &str, options: &JsonOptions, limits: &Limits) -> Compiled {
    compiler.compile(&json_schema(schema, options, limits)?)
}

/// A text that the masks lead to. Pieces of valid texts are tried, or else it would be long before a key comes that has to.
fn walk(constraint: &Constraint, pieces: &[String], rng: &mut Rng) -> String {
    let (mut matcher, mut text) = (constraint.matcher(), String::new());
    let end = *constraint.vocab().end_tokens().first().expect("there is one");
    loop {
        let late = text.len() > LONG;
        assert!(text.len() < TOO_LONG, "no end is found: {}", text);
        let allowed = tokenstile_harness::allowed(&mut matcher);
        assert_eq!(allowed.contains(&end), matcher.is_accepting(), "whether {text} may end");
        if matcher.is_accepting() && (late || allowed == [end] || rng.chance(1, 4)) {
            return text;
        }
        let mut wanted: Vec<&str> = Vec::new();
        if is_in_string(&text) {
            wanted.extend(["\"", "_id\""].iter().filter(|_| late || rng.chance(1, 3)));
        } else if late || rng.chance(1, 2) {
            wanted.extend(["}", "]"].iter().filter(|_| late));
            wanted.push(",");
            let from = rng.below(pieces.len());
            wanted.extend(pieces[from..].iter().chain(&pieces[..from]).map(String::as_str));
        }
        let taken = wanted.into_iter().find(|piece| {
            let mut fork = matcher.fork();
            piece.bytes().all(|byte| fork.commit(u32::from(byte)).is_ok())
        });
        let taken = taken.map(str::to_owned).unwrap_or_else(|| {
            let plain: Vec<u32> = allowed.iter().copied().filter(|&token| token < 0x80).collect();
            assert!(!plain.is_empty(), "stuck after {text}: {allowed:?}");
            char::from(*rng.pick(&plain) as u8).to_string()
        });
        taken.bytes().for_each(|byte| matcher.commit(u32::from(byte)).expect("it is allowed"));
        text.push_str(&taken);
    }
}

/// Whether a text ends within a string.
fn is_in_string(text: &str) -> bool {
    let (mut inside, mut escaped) = (false, false);
    for byte in text.bytes() {
        inside ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
    }
    inside
}

fn check(compiler: &Compiler, name: &str, size: usize, shape: &Shape) {
    let what = || format!("{name} of size {size}");
    let validator = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    let validator = validator.build(&shape.schema).unwrap_or_else(|error| panic!("{}: {error}", what()));
    let text = shape.schema.to_string();
    let compiled = |options: JsonOptions| {
        let constraint = compile(compiler, &text, &options, &Limits::default());
        constraint.unwrap_or_else(|error| panic!("{}: {error}", what()))
    };
    let constraint = compiled(JsonOptions::exact());
    let mut rng = Rng::new(size as u64);
    let (mut members, mut items) = (vec![("other".to_owned(), json!(1))], vec![json!({})]);
    shape.seeds.iter().for_each(|seed| pieces(seed, &mut members, &mut items));
    let mut found = [0, 0];
    for _ in 0..INSTANCES {
        let mut value = rng.pick(&shape.seeds).clone();
        (0..rng.below(4)).for_each(|_| mutate(&mut value, &mut rng, &members, &items));
        let (valid, text) = (validator.is_valid(&value), value.to_string());
        found[usize::from(valid)] += 1;
        assert_eq!(takes(&constraint, &text), valid, "{}: {text}", what());
    }
    assert!(found[0] > 0 && found[1] > 0, "{}: {found:?}", what());
    if size > WALKED {
        return;
    }
    let mut options = JsonOptions::canonical();
    options.whitespace = JsonWhitespace::Compact;
    let constraint = compiled(options);
    let member = |(name, value): &(String, Value)| [format!("\"{name}\":{value}"), value.to_string()];
    let texts: Vec<String> =
        members.iter().flat_map(member).chain(items.iter().map(Value::to_string)).collect();
    for _ in 0..20 {
        let text = walk(&constraint, &texts, &mut rng);
        let value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}: {text}", what()));
        assert!(validator.is_valid(&value), "{}: the masks lead to {text}", what());
    }
}

#[test]
fn they_agree_with_the_validator() {
    let compiler = Compiler::new(byte_vocab::<&str>(&[]));
    for (name, shape) in SHAPES {
        for size in SIZES {
            check(&compiler, name, size, &shape(size));
        }
    }
}

/// A schema of a thousand alternatives, each with a thousand members.
fn hostile(alternative: impl Fn(usize) -> String) -> String {
    let alternatives: Vec<String> = (0..1_000).map(alternative).collect();
    format!("{{\"oneOf\":[{}]}}", alternatives.join(","))
}

fn joined(of: impl Iterator<Item = usize>, member: impl Fn(usize) -> String) -> String {
    of.map(member).collect::<Vec<_>>().join(",")
}

#[test]
fn too_many_end_in_bounded_time() {
    let compiler = Compiler::new(byte_vocab::<&str>(&[]));
    let mut limits = Limits::default();
    limits.compile_time = BOUNDED / 6;
    let all_but = |i: usize| (0..1_000).filter(move |&j| j != i);
    let properties = |members: String| format!("{{\"properties\":{{{members}}}}}");
    let cases: [(&str, String); 3] = [
        ("members of their own", hostile(|i| properties(joined(0..1_000, |j| format!("\"{i}_{j}\":false"))))),
        ("members in common", hostile(|i| properties(joined(all_but(i), |j| format!("\"{j}\":false"))))),
        ("values", hostile(|i| properties(joined(0..700, |j| format!("\"{j}\":{{\"const\":{i}}}"))))),
    ];
    for (name, schema) in &cases {
        let start = Instant::now();
        if let Err(error) = compile(&compiler, schema, &JsonOptions::exact(), &limits) {
            let named = if error.kind() == ErrorKind::Unsupported { "alternatives" } else { "compile_time" };
            assert!(error.to_string().contains(named), "{name}: {error}");
        }
        assert!(start.elapsed() < BOUNDED, "{name}: {:?}", start.elapsed());
    }
}
