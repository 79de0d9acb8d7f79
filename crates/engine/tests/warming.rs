//! Constraints that were warmed: what is likely to come is known already, and masks are the same.

use std::cell::Cell;
use std::time::Duration;

use tokenstile_engine::{Limits, Matcher, Vocab};
use tokenstile_harness::{byte_vocab, compile, mask_of};
use tokenstile_json_schema::json_schema;

const ORDER: &str = r#"{
    "type": "object",
    "properties": {
        "customer": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "email": {"type": "string", "format": "email"}},
            "required": ["name"],
            "additionalProperties": false
        },
        "items": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "minLength": 3},
                    "count": {"type": "integer", "minimum": 1},
                    "colour": {"enum": ["red", "green", "blue"]}
                },
                "required": ["title", "count"],
                "additionalProperties": false
            }
        },
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$", "maxLength": 20},
        "paid": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}
    },
    "required": ["customer", "items"],
    "additionalProperties": false
}"#;

/// Tokens as vocabularies have them, in the order of a text.
const ORDERED: [&str; 44] = [
    "{\"", "customer", "\":", " {\"", "name", "\":", " \"", "Ann", "\"},", " \"", "items", "\":", " [",
    "{\"", "title", "\":", " \"", "Lamp", "\",", " \"", "count", "\":", " ", "2", ",", " \"", "colour",
    "\":", " \"", "green", "\"}", "],", " \"", "code", "\":", " \"", "QX", "-", "7041", "\",", " \"", "paid",
    "\":", " null",
];

fn order_vocab() -> Vocab {
    let mut words: Vec<&str> = ORDERED.iter().copied().filter(|word| word.len() > 1).collect();
    words.sort_unstable();
    words.dedup();
    byte_vocab(&words)
}

fn go(matcher: &mut Matcher, word: &str) {
    matcher.commit_bytes(word.as_bytes()).unwrap_or_else(|e| panic!("{word:?}: {e}"));
}

#[test]
fn a_text_of_a_warmed_constraint_meets_nothing_new() {
    let grammar = json_schema(ORDER, &Default::default(), &Limits::default()).unwrap();
    let warmed = compile(&grammar, &order_vocab());
    let fresh = warmed.fresh();
    // The memory budget is what ends it, so the time of the machine does not matter.
    warmed.warm_within(Duration::from_secs(600), 1 << 20);
    let (mut one, mut other) = (warmed.matcher(), fresh.matcher());
    for word in ORDERED {
        assert_eq!(mask_of(&mut one), mask_of(&mut other), "before {word:?}");
        go(&mut one, word);
        go(&mut other, word);
    }
    go(&mut one, "}");
    assert!(one.is_accepting());
    assert_eq!(warmed.stats().cold_masks, 0);
    assert!(fresh.stats().cold_masks > 20, "{:?}", fresh.stats());
}

/// What a constraint needs that no text made of its parts alone fulfils: fillers, choices, recursion.
#[test]
fn warming_copes_with_any_constraint() {
    let schemas = [
        r#"{"type": "string", "pattern": "ab", "minLength": 30, "maxLength": 31}"#,
        r#"{"type": "array", "uniqueItems": true, "minItems": 4, "items": {"enum": [1, 2, 3, 4]}}"#,
        r#"{"allOf": [{"pattern": "^a*b$"}, {"pattern": "^.{5}$"}], "type": "string"}"#,
        r##"{"properties": {"next": {"$ref": "#"}}, "required": ["next"], "maxProperties": 1}"##,
        r#"{"not": {"type": "string"}, "minProperties": 300}"#,
        r#"{"type": "array", "minItems": 100000, "items": {"type": "array", "minItems": 100000}}"#,
    ];
    for schema in schemas {
        let grammar = json_schema(schema, &Default::default(), &Limits::default());
        let Ok(constraint) = tokenstile_engine::Compiler::new(order_vocab()).compile(grammar.unwrap()) else {
            continue;
        };
        let fresh = constraint.fresh();
        constraint.warm_within(Duration::from_millis(300), 1 << 20);
        assert_eq!(mask_of(&mut constraint.matcher()), mask_of(&mut fresh.matcher()), "{schema}");
    }
    for grammar in
        ["root ::= \"(\" root \")\" | [0-9]{2,}", "root ::= root \"a\" | \"b\"", "root ::= [a-z]{900}"]
    {
        let constraint = compile(&tokenstile_harness::gbnf(grammar), &order_vocab());
        constraint.warm_within(Duration::from_millis(100), 1 << 20);
        assert_eq!(
            mask_of(&mut constraint.matcher()),
            mask_of(&mut constraint.fresh().matcher()),
            "{grammar}"
        );
    }
}

/// A model that has read its prompt is not kept waiting: it is asked between masks.
#[test]
fn warming_goes_on_for_as_long_as_it_is_told_to() {
    let grammar = json_schema(ORDER, &Default::default(), &Limits::default()).unwrap();
    let constraint = compile(&grammar, &order_vocab());
    let built = || constraint.stats().walks + constraint.stats().states;
    let (before, asked) = (built(), Cell::new(0));
    let goes_on = |most: u32| {
        asked.set(asked.get() + 1);
        asked.get() <= most
    };
    constraint.warm_while(Duration::from_secs(10), usize::MAX, &|| goes_on(0));
    assert_eq!(built(), before);
    asked.set(0);
    constraint.warm_while(Duration::from_secs(10), usize::MAX, &|| goes_on(5));
    let few = built();
    assert!(few > before && asked.get() < 10, "{few} {}", asked.get());
    constraint.warm_while(Duration::from_secs(10), usize::MAX, &|| true);
    assert!(built() > 2 * few);
}
