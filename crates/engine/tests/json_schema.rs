//! JSON Schema as a user sees it: which texts are instances, keyword by keyword.

use tokenstile_grammar::JsonWhitespace;
use tokenstile_harness::schema;
use tokenstile_json_schema::{Draft, JsonOptions, MemberOrder};

/// Schema, texts that are instances, texts that are not; in the canonical and in the exact profile.
type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

#[track_caller]
fn both(cases: &[Case<'_>]) {
    for (schema, accepted, rejected) in cases {
        schema::check(schema, &JsonOptions::canonical(), accepted, rejected);
        schema::check(schema, &JsonOptions::exact(), accepted, rejected);
    }
}

#[test]
fn types_and_values() {
    both(&[
        ("true", &["null", "{}", "[1]", "\"a\"", "-1.5"], &["", "nul", "{\"a\":1,\"a\":2}", "01", "{} "]),
        (r#"{"type":"null"}"#, &["null"], &["0", "\"null\""]),
        (r#"{"type":"boolean"}"#, &["true", "false"], &["null", "1"]),
        (r#"{"type":"integer"}"#, &["0", "-7", "12345678901234567890"], &["1.5", "01", "+1", "\"1\""]),
        (r#"{"type":"number"}"#, &["0", "-0.25", "1e5"], &["1.", ".5", "--1", "NaN"]),
        (r#"{"type":["string","null"]}"#, &["null", "\"\""], &["0", "[]"]),
        (r#"{"enum":[1,"a",null,[1,{"b":2}]]}"#, &["1", "\"a\"", "null", r#"[1,{"b":2}]"#], &["2", "[1]"]),
        (r#"{"const":{"a":1,"b":[]}}"#, &[r#"{"a":1,"b":[]}"#, r#"{"b":[],"a":1}"#], &[r#"{"a":1}"#]),
        (r#"{"type":"integer","enum":[1,1.5,"1"]}"#, &["1"], &["1.5", "\"1\""]),
    ]);
}

#[test]
fn strings() {
    both(&[
        (
            r#"{"type":"string","minLength":2,"maxLength":2}"#,
            &["\"ab\"", "\"é😀\"", r#""\n\"""#],
            &["\"a\"", "\"abc\"", "\"😀\""],
        ),
        (r#"{"type":"string","pattern":"^a+$"}"#, &["\"a\"", "\"aaa\""], &["\"\"", "\"ab\""]),
        (r#"{"type":"string","pattern":"b"}"#, &["\"b\"", "\"abc\""], &["\"\"", "\"ac\""]),
        (
            r#"{"type":"string","pattern":"^(?!ab)\\w+$","maxLength":3}"#,
            &["\"ba\"", "\"a\""],
            &["\"ab\"", "\"abc\"", "\"baba\""],
        ),
        (r#"{"type":"string","pattern":"^\"$"}"#, &[r#""\"""#], &["\"\"\""]),
        (r#"{"type":"string","format":"date"}"#, &["\"2024-02-29\""], &["\"2023-02-29\"", "\"2024-2-9\""]),
        (r#"{"type":"string","format":"ipv4"}"#, &["\"127.0.0.1\""], &["\"127.0.0.256\"", "\"1.2.3\""]),
        (r#"{"type":"string","format":"uuid"}"#, &["\"123e4567-e89b-12d3-a456-426614174000\""], &["\"123\""]),
        (r#"{"format":"date"}"#, &["1", "null"], &["\"x\""]),
    ]);
    let exact = JsonOptions::exact();
    let one = r#"{"type":"string","minLength":1,"maxLength":1}"#;
    schema::check(
        one,
        &exact,
        &[r#""\ud83d\ude00""#, r#""\u0061""#, "\"\u{7f}\""],
        &[r#""\ud83d""#, "\"\n\""],
    );
    let a = r#"{"const":"a/"}"#;
    schema::check(a, &exact, &[r#""a/""#, r#""\u0061\/""#], &[]);
    schema::check(a, &JsonOptions::canonical(), &[r#""a/""#], &[r#""\u0061\/""#]);
}

#[test]
fn numbers() {
    both(&[
        (
            r#"{"type":"integer","minimum":-3,"exclusiveMaximum":12}"#,
            &["-3", "0", "11"],
            &["-4", "12", "100"],
        ),
        (
            r#"{"type":"number","minimum":0.5,"maximum":1.25}"#,
            &["0.5", "1", "1.25", "1.2"],
            &["0.4", "1.26", "1.3", "2"],
        ),
        (r#"{"type":"number","multipleOf":0.1}"#, &["0", "0.3", "-12.7"], &["0.35", "0.01"]),
        (
            r#"{"type":"integer","multipleOf":7}"#,
            &["0", "7", "-49", "700000000000000000000000007"],
            &["1", "8"],
        ),
        (
            r#"{"exclusiveMinimum":1e20,"type":"integer"}"#,
            &["100000000000000000001"],
            &["100000000000000000000", "5"],
        ),
        (r#"{"type":"number","not":{"minimum":1,"maximum":2}}"#, &["0.9", "2.5", "-1"], &["1", "1.5", "2"]),
        (r#"{"allOf":[{"multipleOf":4},{"multipleOf":6}],"type":"integer"}"#, &["12", "0"], &["4", "6"]),
    ]);
    let exact = JsonOptions::exact();
    schema::check(r#"{"type":"integer"}"#, &exact, &["1.0", "10e-1", "1E2", "-0", "0e-5"], &["1e-1", "1.5"]);
    schema::check(
        r#"{"minimum":10,"type":"number"}"#,
        &exact,
        &["1e1", "0.1e3", "100e-1"],
        &["1e0", "99e-1"],
    );
    schema::check(r#"{"enum":[1]}"#, &exact, &["1", "1.0", "0.1e1"], &["1.1"]);
}

#[test]
fn arrays() {
    both(&[
        (
            r#"{"type":"array","items":{"type":"null"},"minItems":1,"maxItems":2}"#,
            &["[null]", "[null,null]"],
            &["[]", "[1]", "[null,null,null]"],
        ),
        (
            r#"{"type":"array","prefixItems":[{"const":1},{"const":2}],"items":false}"#,
            &["[]", "[1]", "[1,2]"],
            &["[2]", "[1,2,3]"],
        ),
        (r#"{"type":"array","contains":{"const":1}}"#, &["[1]", "[2,1]", "[1,1]"], &["[]", "[2]"]),
        (
            r#"{"type":"array","contains":{"const":1},"minContains":2,"maxContains":3}"#,
            &["[1,1]", "[1,0,1,1]"],
            &["[1]", "[1,1,1,1]"],
        ),
        (
            r#"{"type":"array","contains":{"const":1},"minContains":0,"maxContains":1}"#,
            &["[]", "[1,2]"],
            &["[1,1]"],
        ),
        (
            r#"{"type":"array","uniqueItems":true}"#,
            &["[]", "[1,2]", r#"["a","b"]"#, "[1,true,\"1\"]", "[[1],[2]]"],
            &["[1,1]", r#"["a","b","a"]"#, "[[1],[1]]", r#"[{"a":1,"b":2},{"b":2,"a":1}]"#],
        ),
        (
            r#"{"type":"array","uniqueItems":true,"items":{"enum":["a","b"]},"minItems":2}"#,
            &[r#"["a","b"]"#, r#"["b","a"]"#],
            &[r#"["a"]"#, r#"["a","a"]"#, r#"["a","b","a"]"#],
        ),
        (r#"{"items":{"type":"array","uniqueItems":true}}"#, &["[[1],[1]]", "[[1,2]]"], &["[[1,1]]"]),
        // Few objects and arrays: an item that leaves too few others is not begun.
        (
            r#"{"type":"array","uniqueItems":true,"minItems":3,"items":{"type":"object","additionalProperties":false,
                "properties":{"a":{"const":1},"b":{"type":"null"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}}"#,
            &[r#"[{"a":1},{"b":null},{"b":null,"a":1}]"#, r#"[{"a":1,"b":null},{"b":null},{"a":1}]"#],
            &[r#"[{"a":1},{"b":null},{"a":1}]"#, r#"[{"a":1,"b":null},{"b":null},{"b":null,"a":1}]"#, "[]"],
        ),
        (
            r#"{"type":"array","uniqueItems":true,"items":{"type":"array","items":{"type":"boolean"},"maxItems":1}}"#,
            &["[[],[true],[false]]", "[[false]]"],
            &["[[],[]]", "[[true],[],[true]]", "[[true,true]]"],
        ),
        (r#"{"type":"array","prefixItems":[true],"unevaluatedItems":false}"#, &["[1]"], &["[1,2]"]),
        (
            r#"{"type":"array","contains":{"const":1},"unevaluatedItems":{"const":2}}"#,
            &["[1]", "[2,1,2]"],
            &["[2]", "[1,3]"],
        ),
    ]);
    let unique = r#"{"type":"array","uniqueItems":true}"#;
    schema::check(
        unique,
        &JsonOptions::exact(),
        &["[1,1.5]"],
        &["[1,1.0]", "[1, 10e-1]", r#"["a","\u0061"]"#],
    );
    // Nothing counts for the bound, so that there are no slots for items.
    let none = r#"{"type":"array","contains":{"type":"string","pattern":"a"},"maxContains":2,"items":false,"minItems":1}"#;
    assert!(schema::constraint(none, &JsonOptions::default()).is_err());
}

#[test]
fn objects() {
    both(&[
        (
            r#"{"type":"object","properties":{"a":{"type":"null"}}}"#,
            &["{}", r#"{"a":null}"#, r#"{"b":1,"a":null}"#],
            &[r#"{"a":1}"#, r#"{"a":null,"a":null}"#, r#"{"b":1,"b":1}"#],
        ),
        (
            r#"{"type":"object","required":["a","b"]}"#,
            &[r#"{"a":1,"b":2}"#, r#"{"c":0,"b":2,"a":1}"#],
            &["{}", r#"{"a":1}"#],
        ),
        (
            r#"{"type":"object","properties":{"a":true},"additionalProperties":false}"#,
            &["{}", r#"{"a":1}"#],
            &[r#"{"b":1}"#],
        ),
        (r#"{"type":"object","additionalProperties":{"type":"null"}}"#, &[r#"{"x":null}"#], &[r#"{"x":1}"#]),
        (
            r#"{"type":"object","patternProperties":{"^a":{"type":"integer"},"b$":{"minimum":5}},"additionalProperties":false}"#,
            &[r#"{"a":1,"ab":5,"b":"x"}"#],
            &[r#"{"a":"x"}"#, r#"{"ab":4}"#, r#"{"c":1}"#],
        ),
        // Patterns that tell nothing apart, beside one that does, and before what is not evaluated.
        (
            r#"{"type":"object","patternProperties":{"^.{1,9}$":{},"b$":{"minimum":5}}}"#,
            &[r#"{"a":1,"ab":5,"b":"x","":0}"#],
            &[r#"{"ab":4}"#],
        ),
        (
            r##"{"type":"object","$defs":{"n":{"type":"null"}},"patternProperties":{"^a":{"$ref":"#/$defs/n"}},"additionalProperties":{"$ref":"#/$defs/n"}}"##,
            &[r#"{"a":null,"b":null}"#],
            &[r#"{"a":1}"#, r#"{"b":1}"#],
        ),
        (
            r#"{"type":"object","patternProperties":{"^a":{}},"unevaluatedProperties":false}"#,
            &[r#"{"a":1,"ab":{}}"#],
            &[r#"{"b":1}"#],
        ),
        (
            r#"{"type":"object","patternProperties":{"^a":true},"additionalProperties":{"type":"null"}}"#,
            &[r#"{"a":1,"b":null}"#],
            &[r#"{"b":1}"#],
        ),
        (r#"{"type":"object","propertyNames":{"maxLength":2}}"#, &[r#"{"ab":1}"#], &[r#"{"abc":1}"#]),
        (
            r#"{"type":"object","minProperties":1,"maxProperties":2}"#,
            &[r#"{"a":1}"#, r#"{"a":1,"b":2}"#],
            &["{}", r#"{"a":1,"b":2,"c":3}"#],
        ),
        (
            r#"{"type":"object","dependentRequired":{"a":["b"]}}"#,
            &["{}", r#"{"b":1}"#, r#"{"a":1,"b":1}"#, r#"{"b":1,"a":1}"#],
            &[r#"{"a":1}"#],
        ),
        (
            r#"{"type":"object","dependentSchemas":{"a":{"maxProperties":1}}}"#,
            &[r#"{"a":1}"#, r#"{"b":1,"c":1}"#],
            &[r#"{"a":1,"b":1}"#],
        ),
        (
            r#"{"type":"object","dependencies":{"a":["b"],"c":{"required":["d"]}}}"#,
            &[r#"{"a":1,"b":1}"#],
            &[r#"{"a":1}"#, r#"{"c":1}"#],
        ),
        (
            r#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false,"type":"object"}"#,
            &[r#"{"a":1}"#],
            &[r#"{"b":1}"#],
        ),
        (
            r#"{"type":"object","anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":true}}],"unevaluatedProperties":false}"#,
            &[r#"{"a":1}"#, r#"{"a":1,"b":2}"#, r#"{"b":2}"#],
            &[r#"{"a":2}"#, r#"{"c":1}"#],
        ),
        // A member that nothing can be, but that need not be there.
        (
            r#"{"type":"object","properties":{"a":{"allOf":[{"type":"string"},{"type":"null"}]}}}"#,
            &["{}", r#"{"b":1}"#],
            &[r#"{"a":null}"#, r#"{"a":"#],
        ),
    ]);
    let exact = JsonOptions::exact();
    schema::check(r#"{"type":"object"}"#, &exact, &[r#"{"a":1, "A":1}"#], &[r#"{"a":1,"\u0061":1}"#]);
    let props = r#"{"type":"object","properties":{"a":{"type":"null"}},"additionalProperties":false}"#;
    schema::check(props, &exact, &[r#"{"\u0061" : null}"#], &[r#"{"\u0061":null,"a":null}"#]);
}

#[test]
fn combinations() {
    both(&[
        (r#"{"allOf":[{"minimum":1},{"maximum":3}],"type":"integer"}"#, &["1", "3"], &["0", "4"]),
        (r#"{"anyOf":[{"type":"null"},{"const":1}]}"#, &["null", "1"], &["2", "{}"]),
        (
            r#"{"oneOf":[{"type":"integer"},{"type":"number","minimum":2}]}"#,
            &["1", "2.5"],
            &["2", "1.5", "null"],
        ),
        (
            r#"{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}"#,
            &[r#"{"a":1}"#, r#"{"c":1,"b":1}"#],
            &["{}", r#"{"a":1,"b":1}"#, r#"{"b":1,"c":1,"a":1}"#],
        ),
        (r#"{"not":{"type":"string"}}"#, &["1", "null", "[\"a\"]"], &["\"a\""]),
        (
            r#"{"type":"object","not":{"required":["a"]}}"#,
            &["{}", r#"{"b":1}"#],
            &[r#"{"a":1}"#, r#"{"b":1,"a":1}"#],
        ),
        (
            r#"{"type":"object","properties":{"k":{"enum":["x","y"]}},"required":["k"],"if":{"properties":{"k":{"const":"x"}}},"then":{"required":["a"]},"else":{"required":["b"]}}"#,
            &[r#"{"k":"x","a":1}"#, r#"{"b":1,"k":"y"}"#, r#"{"a":1,"k":"x"}"#],
            &[r#"{"k":"x","b":1}"#, r#"{"k":"y","a":1}"#, r#"{"a":1,"k":"y"}"#],
        ),
        (r#"{"not":{"not":{"const":"a"}}}"#, &["\"a\""], &["\"b\"", "1"]),
        (
            r#"{"type":"array","not":{"items":{"type":"integer"}}}"#,
            &["[\"a\"]", "[1,null]"],
            &["[]", "[1,2]"],
        ),
    ]);
}

#[test]
fn references() {
    both(&[
        (r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"null"}}}"##, &["null"], &["1"]),
        (r##"{"$ref":"#/$defs/a","minimum":3,"$defs":{"a":{"type":"integer"}}}"##, &["3"], &["2", "null"]),
        (r##"{"$ref":"#x","$defs":{"a":{"$anchor":"x","const":1}}}"##, &["1"], &["2"]),
        (r#"{"$ref":"item","$id":"http://x/root","$defs":{"a":{"$id":"item","const":1}}}"#, &["1"], &["2"]),
        (r##"{"type":"array","items":{"$ref":"#"}}"##, &["[]", "[[],[[]]]"], &["[1]", "[[1]]"]),
        (
            r##"{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"v":{"type":"integer"}},"required":["v"],"additionalProperties":false}},"$ref":"#/$defs/n"}"##,
            &[r#"{"v":1}"#, r#"{"next":{"v":2},"v":1}"#],
            &[r#"{"next":{}}"#, r#"{"v":1,"next":{"v":"x"}}"#],
        ),
        (
            r##"{"$id":"http://x/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{"kids":{"type":"array","items":{"$dynamicRef":"#node"}}}}}}"##,
            &["{}", r#"{"kids":[{"kids":[]}]}"#],
            &[r#"{"x":1}"#, r#"{"kids":[{"x":1}]}"#],
        ),
        (
            r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"type":"array","items":{"$recursiveRef":"#"}}"##,
            &["[[]]"],
            &["[1]"],
        ),
    ]);
    let mut options = JsonOptions::default();
    options.documents = vec![("http://x/other".to_owned(), r#"{"$defs":{"a":{"const":7}}}"#.to_owned())];
    schema::check(r##"{"$ref":"http://x/other#/$defs/a"}"##, &options, &["7"], &["8"]);
}

/// The same member is part of two rules that call each other: what depends on itself is found all the same.
#[test]
fn rules_that_share_a_part() {
    let schema = r##"{"properties":{"a":{"$ref":"#/$defs/map"}},"$defs":{
        "map":{"additionalProperties":{"not":{"$ref":"#/$defs/node"}}},
        "node":{"properties":{"a":{"$ref":"#/$defs/map"},"b":{"pattern":"x"}},"required":["a"]}}}"##;
    both(&[(
        schema,
        &[r#"{"a":{"m":{"a":{},"b":"y"}}}"#, r#"{"a":{"m":{"b":"x"}}}"#],
        &[r#"{"a":{"m":1}}"#, r#"{"a":{"m":{"a":{},"b":"x"}}}"#, r#"{"a":{"m":{"a":{}}}}"#],
    )]);
}

/// Objects that differ in what some of their members may be, in every order of the members, against a validator.
#[test]
fn unions_of_objects() {
    let closed = |members: &str, required: &str| {
        format!(
            r#"{{"type":"object","properties":{{{members}}},"required":[{required}],"additionalProperties":false}}"#
        )
    };
    let one = closed(r#""k":{"const":1},"a":{"type":"integer"}"#, r#""k","a""#);
    let two = closed(r#""k":{"const":2},"a":{"type":"string"},"b":{"type":"integer"}"#, r#""k""#);
    let three = closed(r#""k":{"enum":["x",2]},"b":{"const":1},"a\n":{"const":1}"#, r#""b""#);
    let (optional, forbidden) =
        (closed(r#""b":{"const":"x"},"a":{"const":2}"#, ""), closed(r#""k":false,"b":{"const":2}"#, ""));
    let open = r#"{"properties":{"k":{"const":3}},"required":["k"]}"#;
    let four = closed(r#""k":{"const":3},"b":{"type":"integer"}"#, r#""k""#);
    let five = closed(r#""a":{"const":1},"a\n":{"const":2}"#, r#""a""#);
    let unions = [
        vec![&*one, &two, &three],
        vec![&one, &two, &three, &four, &five],
        vec![&one, &two, &three, &optional, &four, &five],
        vec![&one, &two, &forbidden, open, &three, &five],
        vec![&three, &three, &three],
        vec![&three, &three, &three, &three, &three],
        vec![&one, &forbidden, &three, r#"{"type":"integer"}"#, &optional, &five],
    ];
    let members: Vec<String> = ["k", "a", "b", "a\\n"]
        .iter()
        .flat_map(|key| ["1", "2", "3", "\"x\""].map(|value| format!("\"{key}\": {value}")))
        .collect();
    let mut texts = vec!["{}".to_owned(), "1".to_owned()];
    for first in &members {
        texts.push(format!("{{{first}}}"));
        for second in &members {
            texts.push(format!("{{{first}, {second}}}"));
            texts.extend(members.iter().map(|third| format!("{{{first}, {second}, {third}}}")));
        }
    }
    let keys = |text: &str| text.matches(':').count();
    for union in unions {
        let schema = format!(r#"{{"anyOf":[{}]}}"#, union.join(","));
        let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
        let constraint = schema::constraint(&schema, &JsonOptions::default()).unwrap();
        for text in &texts {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            // A key that is given twice is one member to the validator.
            let distinct = value.as_object().is_none_or(|object| object.len() == keys(text));
            let valid = distinct && validator.is_valid(&value);
            assert_eq!(schema::takes(&constraint, text), valid, "{schema}: {text}");
        }
    }
}

#[test]
fn drafts() {
    let old = |draft| {
        let mut options = JsonOptions::default();
        options.draft = draft;
        options
    };
    let tuple = r#"{"type":"array","items":[{"enum":[1]}],"additionalItems":false}"#;
    for draft in [Draft::Draft4, Draft::Draft6, Draft::Draft7, Draft::Draft201909, Draft::Draft202012] {
        schema::check(tuple, &old(draft), &["[]", "[1]"], &["[2]", "[1,1]"]);
    }
    let bound = r#"{"type":"integer","minimum":1,"exclusiveMinimum":true}"#;
    schema::check(bound, &old(Draft::Draft4), &["2"], &["1"]);
    // Up to draft 7, what stands beside a reference is ignored.
    let beside = r##"{"$ref":"#/definitions/a","minimum":3,"definitions":{"a":{"type":"integer"}}}"##;
    schema::check(beside, &old(Draft::Draft7), &["2"], &["null"]);
    schema::check(beside, &old(Draft::Draft201909), &["3"], &["2"]);
    // A keyword that the draft does not have means nothing.
    schema::check(r#"{"const":1}"#, &old(Draft::Draft4), &["2"], &[]);
    schema::check(r#"{"if":true,"then":false}"#, &old(Draft::Draft6), &["2"], &[]);
}

#[test]
fn options() {
    let object = r#"{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"required":["a","b"]}"#;
    let with = |change: fn(&mut JsonOptions)| {
        let mut options = JsonOptions::default();
        change(&mut options);
        options
    };
    let declared = with(|o| o.order = MemberOrder::Declared);
    schema::check(object, &declared, &[r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2,"c":3}"#], &[r#"{"b":2,"a":1}"#]);
    let compact = with(|o| o.whitespace = JsonWhitespace::Compact);
    schema::check(object, &compact, &[r#"{"a":1,"b":2}"#], &[r#"{"a": 1,"b":2}"#]);
    let bounded = with(|o| o.whitespace = JsonWhitespace::Bounded);
    schema::check(
        object,
        &bounded,
        &["{\n  \"a\": 1,\n  \"b\": 2\n}"],
        &["{\n\n\"a\":1,\"b\":2}", " {\"a\":1,\"b\":2}"],
    );
    let any = with(|o| o.whitespace = JsonWhitespace::Any);
    schema::check(object, &any, &["{\n\n\t\"a\" : 1,\"b\":2 }"], &["{\u{b}\"a\":1,\"b\":2}"]);
    let pattern = with(|o| o.whitespace = JsonWhitespace::Pattern(" ?".into()));
    schema::check(object, &pattern, &[r#"{ "a": 1, "b" :2}"#], &[r#"{  "a":1,"b":2}"#]);
    let closed = with(|o| o.closed = true);
    schema::check(object, &closed, &[r#"{"b":2,"a":1}"#], &[r#"{"a":1,"b":2,"c":3}"#]);
    let formats = with(|o| o.ignore_formats = true);
    schema::check(r#"{"type":"string","format":"date"}"#, &formats, &["\"x\""], &[]);
    let lenient = with(|o| o.lenient = true);
    schema::check(
        r#"{"type":"string","pattern":"(a)\\1","maxLength":2}"#,
        &lenient,
        &["\"ab\""],
        &["\"abc\"", "1"],
    );
    let repeats = r#"{"type":"array","items":{"enum":[1,2]},"not":{"uniqueItems":true}}"#;
    schema::check(repeats, &lenient, &["[1,1]", "[1,2]"], &["[1]", "[3,3]", "1"]);
}
