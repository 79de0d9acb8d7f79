//! Schemas that are wrong, hostile or just large: a typed error with its place or the right language, in bounded time.

use std::fmt::Write;

use tokenstile_engine::{Compiler, Constraint, ErrorKind, GrammarError, Limits};
use tokenstile_harness::schema;
use tokenstile_json_schema::{JsonOptions, json_schema};

/// A small stack: what recursion there is must be bounded.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn refused(schema: &str) -> GrammarError {
    let shown: String = schema.chars().take(80).collect();
    json_schema(schema, &JsonOptions::default(), &Limits::default())
        .err()
        .unwrap_or_else(|| panic!("accepted: {shown}"))
}

fn compiled(schema: &str) -> Constraint {
    let shown: String = schema.chars().take(80).collect();
    schema::constraint(schema, &JsonOptions::default()).unwrap_or_else(|error| panic!("{error}: {shown}"))
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cases = [
        (r#"{"type":"strnig"}"#, "/type", "`strnig`"),
        (r#"{"items":[{"minLength":-1}]}"#, "/items/0/minLength", "integer from 0"),
        (r#"{"required":true}"#, "/required", "array of strings"),
        (r#"{"properties":{"a/b":3}}"#, "/properties/a~1b", "needs a schema"),
        (r#"{"allOf":[]}"#, "/allOf", "empty"),
        (r#"{"multipleOf":0}"#, "/multipleOf", "0"),
        (r#"{"pattern":"("}"#, "/pattern", "character"),
        (r##"{"$ref":"#"}"##, "/$ref", "back to itself"),
        (r##"{"$ref":"#/nope"}"##, "/$ref", "leads nowhere"),
        (r##"{"$ref":"http://x/y"}"##, "/$ref", "not handed over"),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            "",
            "itself",
        ),
        (r##"{"allOf":[{"$ref":"#"}]}"##, "", "itself"),
        ("3", "", "object, true or false"),
    ];
    for (schema, pointer, part) in cases {
        let error = refused(schema);
        assert!(error.message().contains(part), "{schema}: {error}");
        let at = error.pointer().unwrap_or_else(|| panic!("no pointer: {error}"));
        assert!(at.starts_with(pointer), "{schema}: {at}");
    }
    for text in ["", "{", "{\"a\":1,\"a\":2}", "nul", "{}x", "[1,]", "\"\\ud800", "{'a':1}"] {
        let error = refused(text);
        assert_eq!(error.kind(), ErrorKind::Syntax, "{text}");
        assert!(error.place().is_some() || error.pointer().is_some(), "{text}");
    }
}

#[test]
fn schemas_without_instances() {
    for schema in [
        "false",
        r#"{"enum":[]}"#,
        r#"{"type":"string","minLength":3,"maxLength":2}"#,
        r#"{"type":"integer","minimum":1.2,"maximum":1.8}"#,
        r#"{"type":"object","required":["a"],"additionalProperties":false}"#,
        r#"{"type":"object","required":["a"],"properties":{"a":false}}"#,
        r#"{"type":"object","minProperties":2,"maxProperties":1}"#,
        r#"{"type":"array","minItems":2,"uniqueItems":true,"items":{"const":1}}"#,
        r#"{"type":"array","contains":false}"#,
        r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#,
        r#"{"type":"string","not":{"type":"string"}}"#,
        r#"{"oneOf":[true,true]}"#,
        r##"{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}"##,
    ] {
        let error = schema::constraint(schema, &JsonOptions::default())
            .err()
            .unwrap_or_else(|| panic!("accepted: {schema}"));
        assert_eq!(error.kind(), ErrorKind::Unsatisfiable, "{schema}: {error}");
    }
}

#[test]
fn depth_does_not_overflow_the_stack() {
    on_a_small_stack(|| {
        for depth in [900, 10_000, 200_000] {
            for (open, close) in
                [("[", "]"), ("{\"not\":", "}"), ("{\"items\":", "}"), ("{\"allOf\":[", "]}")]
            {
                let text = open.repeat(depth) + "true" + &close.repeat(depth);
                let _ = json_schema(&text, &JsonOptions::default(), &Limits::default());
            }
        }
        let items = "{\"items\":".repeat(900) + "true" + &"}".repeat(900);
        assert!(schema::takes(&compiled(&items), "[[[]]]"));
        let mut chain = String::from("{\"$ref\":\"#/$defs/0\",\"$defs\":{");
        for i in 0..5_000 {
            let _ = write!(chain, "\"{i}\":{{\"$ref\":\"#/$defs/{}\",\"minimum\":0}},", i + 1);
        }
        chain += "\"5000\":{\"type\":\"integer\"}}}";
        let error = refused(&chain);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.pointer().is_some());
    });
}

#[test]
fn combinations_that_multiply_are_bounded() {
    on_a_small_stack(|| {
        let mut nested = r#"{"type":"object","required":["x"]}"#.to_owned();
        for i in 0..12 {
            nested = format!(r#"{{"oneOf":[{nested},{{"type":"object","required":["a{i}"]}}]}}"#);
        }
        let limits = Limits::default().with_compile_time(std::time::Duration::from_secs(2));
        if let Err(error) = json_schema(&nested, &JsonOptions::default(), &limits) {
            assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Limit { .. }), "{error}");
        }
        let branches: Vec<String> =
            (0..500).map(|i| format!(r#"{{"properties":{{"p{i}":{{"type":"null"}}}}}}"#)).collect();
        let all = compiled(&format!(r#"{{"type":"object","allOf":[{}]}}"#, branches.join(",")));
        assert!(schema::takes(&all, r#"{"p3":null,"p499":null}"#) && !schema::takes(&all, r#"{"p499":1}"#));
        let patterns: Vec<String> = (0..200).map(|i| format!(r#""^p{i}$":{{"type":"null"}}"#)).collect();
        let schema = format!(r#"{{"type":"object","patternProperties":{{{}}}}}"#, patterns.join(","));
        match json_schema(&schema, &JsonOptions::default(), &limits) {
            Ok(_) => assert!(!schema::takes(&compiled(&schema), r#"{"p7":1}"#)),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Limit { .. }), "{error}")
            }
        }
    });
}

#[test]
fn large_schemas_work() {
    let properties: Vec<String> = (0..2_000).map(|i| format!(r#""p{i}":{{"type":"integer"}}"#)).collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","));
    let constraint = compiled(&schema);
    assert!(schema::takes(&constraint, r#"{"p1999":1,"p0":2,"q":"x"}"#));
    assert!(
        !schema::takes(&constraint, r#"{"p1999":1,"p0":"x"}"#)
            && !schema::takes(&constraint, r#"{"p7":1,"p7":1}"#)
    );
    let values: Vec<String> = (0..100_000).map(|i| format!("\"value {i}\"")).collect();
    let constraint = compiled(&format!(r#"{{"enum":[{}]}}"#, values.join(",")));
    assert!(schema::takes(&constraint, "\"value 99999\"") && !schema::takes(&constraint, "\"value 100000\""));
    let names: Vec<String> = (0..10_000).map(|i| format!("\"n{i}\"")).collect();
    match schema::constraint(
        &format!(r#"{{"type":"object","required":[{}]}}"#, names.join(",")),
        &JsonOptions::default(),
    ) {
        Ok(constraint) => assert!(!schema::takes(&constraint, r#"{"n1":1}"#)),
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Limit { .. }), "{error}")
        }
    }
    let huge = format!("{{\"title\":\"{}\"}}", "a".repeat(100 << 20));
    assert!(matches!(refused(&huge).kind(), ErrorKind::Limit { .. }));
}

#[test]
fn large_numbers_work() {
    let digits = "9".repeat(400);
    let constraint = compiled(&format!(r#"{{"type":"integer","minimum":{digits}}}"#));
    assert!(
        schema::takes(&constraint, &digits)
            && schema::takes(&constraint, &("1".to_owned() + &"0".repeat(400)))
    );
    assert!(!schema::takes(&constraint, "5") && !schema::takes(&constraint, &digits[1..]));
    let constraint = compiled(r#"{"type":"array","items":{"const":1},"maxItems":4294967296}"#);
    assert!(schema::takes(&constraint, "[1,1,1]") && !schema::takes(&constraint, "[2]"));
    let constraint = compiled(r#"{"type":"string","minLength":1000000000}"#);
    assert!(!schema::takes(&constraint, "\"short\""));
    let constraint = compiled(r#"{"type":"number","multipleOf":1e-300}"#);
    assert!(schema::takes(&constraint, "0.1"));
    assert_eq!(refused(r#"{"minItems":99999999999,"type":"array"}"#).kind(), ErrorKind::Unsupported);
    for schema in [r#"{"minimum":1e999999999}"#, r#"{"multipleOf":1e-999999999}"#, r#"{"const":1e999999999}"#]
    {
        assert!(
            matches!(refused(schema).kind(), ErrorKind::Unsupported | ErrorKind::Limit { .. }),
            "{schema}"
        );
    }
}

#[test]
fn patterns_made_to_explode_do_not() {
    let text = |n: usize| format!("\"{}b\"", "a".repeat(n));
    for pattern in ["(a|aa)+$", "^(a+)+$", "^(a*)*b?c$", "^(a|a)*$", "^(a?){50}a{50}$"] {
        let constraint = compiled(&format!(r#"{{"type":"string","pattern":"{pattern}"}}"#));
        assert!(!schema::takes(&constraint, &text(2_000)), "{pattern}");
    }
    let error = refused(r#"{"pattern":"(?=(a+))\\1"}"#);
    assert_eq!((error.kind(), error.pointer()), (ErrorKind::Unsupported, Some("/pattern")));
    let wide = r#"{"type":"string","pattern":"^(.*a.{18})$","not":{"pattern":"b.{18}$"}}"#;
    let _ = json_schema(wide, &JsonOptions::default(), &Limits::default())
        .map(|grammar| Compiler::new(tokenstile_harness::byte_vocab::<&str>(&[])).compile(&grammar));
}

/// Tokens that open more arrays or objects than are walked within each other.
#[test]
fn brackets_behind_brackets() {
    const DEPTH: usize = 100;
    let array = r#""type":"array","#;
    let object = r#""type":"object","required":["a"],"additionalProperties":false,"#;
    let cases = [
        ("[", [array, r#""items":"#, "", ""]),
        ("[ ", [array, r#""minItems":1,"maxItems":1,"items":"#, "", ""]),
        ("[\n", [array, r#""minItems":1,"items":false,"prefixItems":"#, "[", "]"]),
        (r#"{"a":"#, [object, r#""properties":"#, r#"{"a":"#, "}"]),
        (r#"{ "a" : "#, [object, r#""properties":"#, r#"{"b":true,"a":"#, "}"]),
    ];
    for (opening, [kind, keyword, before, after]) in cases {
        on_a_small_stack(move || {
            let mut schema = r#"{"enum":["x"]}"#.to_owned();
            for _ in 0..DEPTH {
                schema = format!("{{{kind}{keyword}{before}{schema}{after}}}");
            }
            let grammar = json_schema(&schema, &JsonOptions::default(), &Limits::default()).unwrap();
            let words: Vec<String> = (1..DEPTH + 4).map(|many| opening.repeat(many)).collect();
            let constraint = Compiler::new(tokenstile_harness::byte_vocab(&words)).compile(&grammar).unwrap();
            let mut matcher = constraint.matcher();
            let mask = matcher.mask().unwrap();
            for (many, token) in (1..DEPTH + 4).zip(256..) {
                let allowed = mask[token / 32] >> (token % 32) & 1 == 1;
                assert_eq!(allowed, many <= DEPTH, "{many} times {opening:?}");
            }
        });
    }
}
