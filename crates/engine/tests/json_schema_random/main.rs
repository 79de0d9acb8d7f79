//! Random schemas against an independent validator.
//!
//! For each schema: the exact profile takes a text if and only if the validator calls its value valid; the canonical
//! profile does so for texts in plain spelling; and whoever follows the masks never gets stuck and ends in a valid text.

mod generate;
mod spell;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use tokenstile_engine::{Compiler, Constraint, ErrorKind, Limits, Matcher, Vocab};
use tokenstile_json_schema::{JsonOptions, json_schema};
use tokenstile_testkit::Rng;

/// Schemas of one test run.
const SCHEMAS: u64 = 400;
/// Instances that each is asked about.
const INSTANCES: usize = 40;
/// Walks through its masks.
const WALKS: usize = 12;
/// Length at which a walk is given up.
const LONGEST: usize = 400;

/// What became of the schemas.
#[derive(Default, Debug)]
struct Tally {
    compiled: usize,
    empty: usize,
    refused: usize,
    valid: usize,
    invalid: usize,
    walks: usize,
    unfinished: usize,
}

#[test]
fn random_schemas_agree_with_the_validator() {
    let seeds = match std::env::var("JSON_SCHEMA_SEEDS") {
        Ok(range) => {
            let (from, to) = range.split_once("..").expect("FROM..TO");
            from.parse().expect("a number")..to.parse().expect("a number")
        }
        Err(_) => 0..SCHEMAS,
    };
    let compiler = Compiler::new(vocab());
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in seeds.clone() {
        let schema = generate::schema(&mut Rng::new(seed));
        let checked = catch_unwind(AssertUnwindSafe(|| check(&compiler, &schema, seed, &mut tally)));
        if let Err(why) = checked.unwrap_or_else(|_| Err("a panic".to_owned())) {
            wrong.push(format!("seed {seed}: {why}\n  {schema}"));
        }
    }
    tokenstile_harness::say(&format!("{tally:?}"));
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), seeds.end - seeds.start, wrong.join("\n"));
}

/// Bytes, and tokens that cross the borders of JSON.
fn vocab() -> Vocab {
    let tokens = [
        "{\"",
        "\":",
        ",\"",
        "\",\"",
        "\"}",
        "\"]",
        "[]",
        "{}",
        "}]",
        "]}",
        "\"a\":",
        "{\"a\":",
        "\"b\":",
        "\":\"",
        "ab",
        "a\"",
        "\"a",
        "[1",
        "1,",
        ",1",
        "10",
        "0.",
        ".5",
        "true",
        "null",
        "null,",
        "[[",
        "]]",
        "\": ",
        ", ",
        "\\u0061",
        "\\u",
        "1,1",
        "\"a\",\"a\"",
        ",\"a\":",
        "b\":",
        "[\"",
    ];
    tokenstile_harness::byte_vocab(&tokens)
}

fn check(compiler: &Compiler, schema: &Value, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    // The validator compares objects member by member, in the order in which they stand.
    let validator = options.build(&spell::sorted(schema)).map_err(|e| format!("no schema: {e}"))?;
    let is_valid = |value: &Value| validator.is_valid(&spell::sorted(value));
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut instances: Vec<Value> = (0..INSTANCES / 2).map(|_| generate::value(&mut rng, 3)).collect();
    let text = schema.to_string();
    let compiled = |options| compile(compiler, &text, options);
    let (canonical, exact) = match (compiled(JsonOptions::canonical()), compiled(JsonOptions::exact())) {
        (Ok(Some(canonical)), Ok(Some(exact))) => (canonical, exact),
        (Ok(None), Ok(None)) => {
            tally.empty += 1;
            return match instances.iter().find(|value| is_valid(value)) {
                Some(value) => Err(format!("called unsatisfiable, but {value} is valid")),
                None => Ok(()),
            };
        }
        (Err(a), Err(b)) if a == b && a.starts_with("refused") => {
            tally.refused += 1;
            return Ok(());
        }
        (a, b) => return Err(format!("canonical {:?}, exact {:?}", a.map(|_| ()), b.map(|_| ()))),
    };
    tally.compiled += 1;
    for round in 0..WALKS {
        let constraint = if round % 3 == 0 { &exact } else { &canonical };
        tally.walks += 1;
        match walk(&mut constraint.matcher(), &mut rng)? {
            Some(text) if has_long_number(&text) => tally.unfinished += 1,
            Some(text) => {
                let value: Value =
                    serde_json::from_str(&text).map_err(|e| format!("no JSON: {text}: {e}"))?;
                if !spell::has_unique_keys(&text) {
                    return Err(format!("the masks lead to repeated keys: {text}"));
                }
                if !is_valid(&value) {
                    return Err(format!("the masks lead to {text}"));
                }
                if instances.len() < INSTANCES {
                    instances.push(generate::mutated(&mut rng, &value));
                    instances.push(value);
                }
            }
            None => tally.unfinished += 1,
        }
    }
    while instances.len() < INSTANCES {
        let of = rng.pick(&instances).clone();
        instances.push(generate::mutated(&mut rng, &of));
    }
    for value in &instances {
        let valid = is_valid(value);
        *(if valid { &mut tally.valid } else { &mut tally.invalid }) += 1;
        let plain = value.to_string();
        let respelled = spell::any_spelling(&mut rng, value);
        for (name, constraint, text) in
            [("exact", &exact, &respelled), ("exact", &exact, &plain), ("canonical", &canonical, &plain)]
        {
            if name == "canonical" && !is_plain(value) {
                continue;
            }
            if accepts(constraint, text)? != valid {
                return Err(format!("{name}: {text} is {}valid", if valid { "" } else { "in" }));
            }
        }
    }
    Ok(())
}

/// Whether some number has too many digits for the validator, written out.
fn has_long_number(text: &str) -> bool {
    let outside: Vec<&str> = text.split('"').step_by(2).collect();
    let mut numbers = outside
        .iter()
        .flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)));
    numbers.any(|number| {
        let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, ""));
        digits.len() > 15 || exponent.trim_start_matches(['+', '-']).len() > 1
    })
}

/// Whether all numbers are spelled as anyone would: walks make others.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            let text = number.to_string();
            let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
            !text.contains(['e', 'E']) && text != "-0" && !fraction.ends_with('0')
        }
        Value::Array(items) => items.iter().all(is_plain),
        Value::Object(members) => members.values().all(is_plain),
        _ => true,
    }
}

/// A constraint; `None` if nothing is an instance; otherwise why not.
fn compile(compiler: &Compiler, schema: &str, options: JsonOptions) -> Result<Option<Constraint>, String> {
    let grammar = match json_schema(schema, &options, &Limits::default()) {
        Ok(grammar) => grammar,
        Err(error) if error.kind() == ErrorKind::Unsatisfiable => return Ok(None),
        Err(error) if error.kind() == ErrorKind::Unsupported => return Err(format!("refused: {error}")),
        Err(error) => return Err(error.to_string()),
    };
    match compiler.compile(&grammar) {
        Ok(constraint) => Ok(Some(constraint)),
        Err(error) if error.kind() == ErrorKind::Unsatisfiable => Ok(None),
        Err(error) if error.kind() == ErrorKind::Unsupported => Err(format!("refused: {error}")),
        Err(error) => Err(format!("does not compile: {error}")),
    }
}

fn accepts(constraint: &Constraint, text: &str) -> Result<bool, String> {
    let mut matcher = constraint.matcher();
    for (i, &byte) in text.as_bytes().iter().enumerate() {
        if matcher.commit(u32::from(byte)).is_err() {
            if matcher.commit_bytes(&text.as_bytes()[i..]).is_ok() {
                return Err(format!("{text} goes on by bytes, not by tokens, at {i}"));
            }
            return Ok(false);
        }
    }
    Ok(matcher.is_accepting())
}

/// A text that the masks lead to; `None` if it gets too long.
fn walk(matcher: &mut Matcher, rng: &mut Rng) -> Result<Option<String>, String> {
    let mut text = Vec::new();
    while text.len() < LONGEST {
        let shown = || String::from_utf8_lossy(&text).into_owned();
        let allowed = tokenstile_harness::allowed(matcher);
        let end = *matcher.constraint().vocab().end_tokens().first().expect("there is one");
        if allowed.contains(&end) != matcher.is_accepting() {
            return Err(format!("the end is wrongly allowed or not after {}", shown()));
        }
        let Some(&token) = choose(&allowed, end, text.len(), rng) else {
            return Err(format!("stuck after {}", shown()));
        };
        if token == end {
            return String::from_utf8(text).map(Some).map_err(|_| "no UTF-8".to_owned());
        }
        let bytes = matcher.constraint().vocab().bytes(token).expect("a token").to_vec();
        if rng.chance(1, 8) {
            crossing(matcher, &allowed, end).map_err(|why| format!("{why} after {}", shown()))?;
        }
        matcher.commit(token).map_err(|e| format!("{e} after {}", shown()))?;
        text.extend(bytes);
    }
    Ok(None)
}

/// Long tokens are allowed where their bytes are.
fn crossing(matcher: &Matcher, allowed: &[u32], end: u32) -> Result<(), String> {
    for token in 256..end {
        let mut fork = matcher.fork();
        let bytes = fork.constraint().vocab().bytes(token).expect("a token").to_vec();
        if fork.commit_bytes(&bytes).is_ok() != allowed.contains(&token) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Err(format!("the mask is wrong about token {text}"));
        }
    }
    Ok(())
}

/// A token to go on with; what ends something if the text is long.
fn choose<'a>(allowed: &'a [u32], end: u32, len: usize, rng: &mut Rng) -> Option<&'a u32> {
    let ends: Vec<&u32> =
        allowed.iter().filter(|&&t| t == end || t < 256 && b"\"}]:".contains(&(t as u8))).collect();
    if !ends.is_empty() && rng.chance(if len > 30 { 9 } else { 4 }, 10) {
        return Some(*rng.pick(&ends));
    }
    let plain: Vec<&u32> =
        allowed.iter().filter(|&&t| t > 255 || b"ab\"{}[]:,0123tfn".contains(&(t as u8))).collect();
    if !plain.is_empty() && rng.chance(5, 6) {
        return Some(*rng.pick(&plain));
    }
    (!allowed.is_empty()).then(|| rng.pick(allowed))
}
