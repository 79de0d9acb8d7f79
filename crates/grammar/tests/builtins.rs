//! What built-in JSON and choices match.

mod common;

use common::{check, matches};
use tokenstile_grammar::{Grammar, JsonWhitespace, Limits};

const VALUES: &[&str] = &[
    "0",
    "-0",
    "10",
    "-12.50e+07",
    "1E-2",
    "123456789012345678901234567890",
    "\"\"",
    "\"a\\n\\u00e9\\ud83d\\/\\\"\\\\\"",
    "\"é 😀 \u{7f}\"",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "[[],{}]",
    "{\"a\":1,\"a\":[true,null]}",
];

const NOT_VALUES: &[&str] = &[
    "",
    " ",
    " 1",
    "1 ",
    "[] ",
    "\n{}",
    "01",
    "-",
    "+1",
    ".5",
    "1.",
    "1e",
    "1e+",
    "NaN",
    "tru",
    "\"",
    "\"\n\"",
    "\"\t\"",
    "\"\\x\"",
    "\"\\u12\"",
    "'a'",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{a:1}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "[",
    "}",
];

#[test]
fn json_is_json() {
    for whitespace in [JsonWhitespace::Any, JsonWhitespace::Bounded, JsonWhitespace::Compact] {
        check(&Grammar::json_with(whitespace, &Limits::default()).unwrap(), VALUES, NOT_VALUES);
    }
}

#[test]
fn json_white_space() {
    let (any, bounded, compact) = (
        Grammar::json_with(JsonWhitespace::Any, &Limits::default()).unwrap(),
        Grammar::json(&Limits::default()).unwrap(),
        Grammar::json_with(JsonWhitespace::Compact, &Limits::default()).unwrap(),
    );
    let usual = [
        "{\"a\": 1, \"b\": [1, 2]}",
        "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ]\n}",
        "{\r\n\t\"a\" : { }\r\n}",
        "[ ]",
        "[ 1 , 2 ]",
    ];
    check(&bounded, &usual, &["[\n\n1]", "[ \n1]", "{\"a\":\n\n1}", "[\r1]"]);
    check(&any, &usual, &[]);
    check(&any, &["[\n\n1\r \n]"], &["[\u{b}1]", "[\u{a0}1]"]);
    check(&compact, &[], &usual);
    let wide = |n: usize| format!("[{}1]", " ".repeat(n));
    assert!(matches(&bounded, &wide(100)) && matches(&any, &wide(100)));
    assert!(bounded.to_string().contains("{0,256}"));
}

#[test]
fn choices_are_just_their_options() {
    let options = ["", "a", "ab", "abc", "abd", "b", "été", "êtes", "é", "日本", "日曜", "true", "truth"];
    let grammar = Grammar::choice(&options, &Limits::default()).unwrap();
    check(&grammar, &options, &["abcd", "ac", "ét", "è", "日", "tru", "truet", "c", "A"]);
}

#[test]
fn random_choices_are_just_their_options() {
    let mut seed = 1u64;
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    for _ in 0..200 {
        let mut text =
            || -> String { (0..random(6)).map(|_| ['a', 'b', 'é', 'è'][random(4) as usize]).collect() };
        let options: Vec<String> = (0..12).map(|_| text()).collect();
        let grammar = Grammar::choice(&options, &Limits::default()).unwrap();
        for probe in options.iter().cloned().chain((0..30).map(|_| text())) {
            assert_eq!(
                matches(&grammar, &probe),
                options.contains(&probe),
                "{probe:?} in {options:?}\n{grammar}"
            );
        }
    }
}
