//! The shortest completion, against all texts tried one by one.

use std::collections::VecDeque;

use tokenstile_engine::{Constraint, Grammar, Limits, Matcher};
use tokenstile_harness::{byte_vocab, compile, gbnf, regex};
use tokenstile_json_schema::{JsonOptions, json_schema};

/// The length of a shortest completion, by trying all bytes of a small alphabet, shortest texts first.
fn by_trying(matcher: &Matcher, alphabet: &[u8], most: usize) -> Option<usize> {
    let mut todo = VecDeque::from([(matcher.fork(), 0)]);
    while let Some((matcher, length)) = todo.pop_front() {
        if matcher.is_accepting() {
            return Some(length);
        }
        for byte in alphabet.iter().filter(|_| length < most) {
            let mut next = matcher.fork();
            if next.commit_bytes(&[*byte]).is_ok() {
                todo.push_back((next, length + 1));
            }
        }
    }
    None
}

/// What is found completes the text; its length.
fn found(matcher: &Matcher) -> usize {
    let mut matcher = matcher.fork();
    let bytes = matcher.shortest_completion().unwrap().expect("a completion is found");
    if !bytes.is_empty() {
        matcher.commit_bytes(&bytes).unwrap();
    }
    assert!(matcher.is_accepting(), "{:?} completes nothing", String::from_utf8_lossy(&bytes));
    bytes.len()
}

fn at(constraint: &Constraint, text: &str) -> Matcher {
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
    matcher
}

fn schema(source: &str) -> Grammar {
    json_schema(source, &JsonOptions::canonical(), &Limits::default()).unwrap()
}

#[test]
fn plain_constraints_have_the_shortest() {
    let vocab = byte_vocab::<&str>(&[]);
    let cases: [(Grammar, &[&str]); 6] = [
        (gbnf(r#"root ::= "a"{2,5} ("b" | "cc") root? "a""#), &["", "a", "aa", "aac", "aab", "aabaa"]),
        (gbnf(r#"root ::= "(" root ")" | "[" root "]" root | "a""#), &["", "(", "([", "([a](", "[a]"]),
        (regex("(abc|ab|c{3})*a(b|ca)"), &["", "ab", "abc", "abca", "cc", "a"]),
        (regex("a{3,}b?c{0,2}"), &["", "aa", "aaab"]),
        (regex("(?=.*b)[abc]{2,4}"), &["", "a", "ac", "aca"]),
        (gbnf("root ::= x \"b\"\nx ::= \"a\" x \"c\" | \"\""), &["", "a", "aaa", "aac"]),
    ];
    for (grammar, texts) in cases {
        let constraint = compile(&grammar, &vocab);
        for text in texts {
            let matcher = at(&constraint, text);
            let tried = by_trying(&matcher, b"abc()[]", 8).expect("a completion is found by trying");
            assert_eq!(found(&matcher), tried, "{text:?} of\n{grammar}");
        }
    }
}

#[test]
fn schemas_have_short_ones() {
    let vocab = byte_vocab::<&str>(&[]);
    let object = schema(
        r#"{"type":"object","properties":{"a":{"type":"integer","minimum":10},"b":{"enum":["xy","z"]},"c":{}},
            "required":["a","b"],"additionalProperties":false}"#,
    );
    let tree = schema(
        r##"{"type":"object","properties":{"n":{"type":"array","items":{"$ref":"#"}},"s":{"type":"string","minLength":2}},
            "required":["s"],"additionalProperties":false}"##,
    );
    let unique = schema(r#"{"type":"array","items":{"enum":[1,2,30]},"uniqueItems":true,"minItems":3}"#);
    let cases: [(&Grammar, &str, usize); 9] = [
        (&object, "", r#"{"a":10,"b":"z"}"#.len()),
        (&object, r#"{"a":1"#, r#"0,"b":"z"}"#.len()),
        (&object, r#"{"b":"x"#, r#"y","a":10}"#.len()),
        (&object, r#"{"c":[["#, r#"]],"a":10,"b":"z"}"#.len()),
        (&tree, r#"{"n":[{"n":["#, r#"],"s":"00"}],"s":"00"}"#.len()),
        (&tree, r#"{"s":"#, r#""00"}"#.len()),
        (&unique, "[", "1,2,30]".len()),
        (&unique, "[30,", "1,2]".len()),
        (&unique, "[2,1,", "30]".len()),
    ];
    for (grammar, text, shortest) in cases {
        assert_eq!(found(&at(&compile(grammar, &vocab), text)), shortest, "{text}");
    }
}

#[test]
fn complete_texts_need_nothing() {
    let constraint = compile(&regex("a*b?"), &byte_vocab::<&str>(&[]));
    let mut matcher = at(&constraint, "aa");
    assert_eq!((matcher.shortest_completion().unwrap(), matcher.completion_estimate()), (Some(vec![]), 0));
    matcher.commit(256).unwrap();
    assert_eq!((matcher.shortest_completion().unwrap(), matcher.completion_estimate()), (Some(vec![]), 0));
}

#[test]
fn the_estimate_is_the_length_of_plain_constraints() {
    let vocab = byte_vocab::<&str>(&[]);
    let constraint = compile(&gbnf(r#"root ::= "(" root ")" | [0-9]{3} "x""#), &vocab);
    for text in ["", "(", "((", "((1", "((123", "((123x)"] {
        let matcher = at(&constraint, text);
        assert_eq!(matcher.completion_estimate(), found(&matcher), "{text}");
    }
}

#[test]
fn deep_texts_do_not_use_the_call_stack() {
    let constraint = compile(&gbnf(r#"root ::= "(" root ")" | "x""#), &byte_vocab::<&str>(&[]));
    let matcher = at(&constraint, &"(".repeat(50_000));
    assert_eq!(matcher.completion_estimate(), 50_001);
}
