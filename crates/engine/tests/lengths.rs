//! Patterns held to a length: masks far from the bound, near it and at it, against the reference and the `regex` crate.

use regex::Regex;
use tokenstile_engine::{Grammar, Limits};
use tokenstile_grammar::{GrammarBuilder, RegexOptions, regex_expr};
use tokenstile_harness::{byte_vocab, compile, masks_agree};
use tokenstile_json_schema::{JsonOptions, json_schema};

fn schema(source: &str) -> Grammar {
    json_schema(source, &JsonOptions::default(), &Limits::default())
        .unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// Masks along `text`, after each byte, against those of the reference.
fn agrees(source: &str, text: &str, tokens: &[&str]) {
    masks_agree(&schema(source), &byte_vocab(tokens), text, source);
}

#[test]
fn a_bound_is_seen_in_time() {
    let tokens =
        ["ab", "abab", "ababab", "abababababab", "c", "ca", "cabcab", "cc\"", "ab\"", "a\"", "é", "\\n"];
    for max in [3, 11, 12, 13, 14, 24, 25, 26, 27, 40] {
        let source = format!(r#"{{"type": "string", "pattern": "^(ab|c)*$", "maxLength": {max}}}"#);
        agrees(&source, &format!("\"{}", "ab".repeat(max / 2)), &tokens);
        agrees(&source, &format!("\"{}", "abc".repeat(max / 3)), &tokens);
    }
}

/// A number of words that must not be too long together: what is left of the length is told by the long tokens alone.
#[test]
fn a_bound_beside_several_loops_is_seen_in_time() {
    let long: Vec<String> = (14..70).step_by(5).flat_map(|n| ["-".repeat(n), " ".repeat(n)]).collect();
    let words =
        ["a", "ab ", " b", "a b", "ab\"", "é", "\\n", "ab\\tcd efg", "a b c d e", "a b c d e f g h i j"];
    let mixed =
        ["a-----------------------------------------b\"", "\\u0041\\u0041\\u0041\\u0041\\u0041\\u0041"];
    let tokens: Vec<&str> = long.iter().map(String::as_str).chain(words).chain(mixed).collect();
    for max in [20, 33, 40, 64] {
        let source =
            format!(r#"{{"type": "string", "pattern": "^(?:\\S+\\s+){{0,4}}\\S+$", "maxLength": {max}}}"#);
        agrees(&source, &format!("\"{}", "ab ".repeat(4)), &tokens);
        agrees(&source, &format!("\"{}", "a".repeat(max - 1)), &tokens);
        agrees(&source, &format!("\"ab {} é", "-".repeat(max - 8)), &tokens);
    }
}

/// What is forbidden looks like a length, but is one of other characters than those it begins with.
#[test]
fn what_is_no_length_is_not_taken_for_one() {
    let long = ["a".repeat(45), "1".repeat(45), "a".repeat(25), format!("a{}", "1".repeat(40))];
    let tokens: Vec<&str> = long.iter().map(String::as_str).chain(["a1", " b", "b;"]).collect();
    for forbidden in ["[a-z]{34}", "[a-z][0-9]{33}", "(?:[a-z]|[0-9][0-9]){34}", "(?:[a-z]|-[0-9]){34}"] {
        let grammar = not_begun_by("(?:[a-z0-9-]+ ){0,4}[a-z0-9-]+", forbidden);
        for text in ["a11111 bb", "aaaaaa 1b", "1 a", "aaa-11 2"] {
            masks_agree(&grammar, &byte_vocab(&tokens), text, forbidden);
        }
    }
}

/// Every dot may end a round or belong to one: the places are many, and nearly all of them say nothing new.
#[test]
fn rounds_within_rounds() {
    let tokens = [
        "..", "....", "........", "a.", ".a.b", "ab", "abab", "aaaa", "bab", "bb", "c", ".a\"", "c\"", "a\"",
    ];
    for (pattern, texts) in [
        (r"^(.{1,4}\.){1,6}[a-z0-9-]+\.?$", [".ba.a.a...aa", "aaa.b.b.aab.bb....b", "bb...a.a.b.a....a."]),
        (
            r"^(?!.*://)(?=.{1,20}$)((.{1,5}\.){2,6}(?![0-9]*$)[a-z0-9-]+\.?)$",
            [".1....1.....a", "111.1a..a.", "a.a.1.1.1...11...a"],
        ),
        (r"^((ab?){1,4}a){2,5}b$", ["aaaaaabaaaabaaaaab", "aaabaaaab", "abaaaaaababaab"]),
        (r"^(a{0,3}b?){3,9}c$", ["aaaaaaaabaaaaaaaac", "aaaabaaaaac", "baabaaabac"]),
        (r"^((a|ab){2,3}(b|ba){1,4}){1,5}$", ["aabaababbaaabb", "aababaaaaba", "ababaabaaba"]),
    ] {
        let source = serde_json::json!({"type": "string", "pattern": pattern}).to_string();
        for text in texts {
            agrees(&source, &format!("\"{text}\""), &tokens);
        }
    }
}

/// Texts of a pattern that do not begin with one of another, and a semicolon behind them.
fn not_begun_by(pattern: &str, forbidden: &str) -> Grammar {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None).unwrap();
    let mut re =
        |pattern| regex_expr(pattern, &RegexOptions::default(), &mut g.arena, &Limits::default()).unwrap();
    let [pattern, forbidden, end] = [pattern, forbidden, ";"].map(&mut re);
    let begun = g.arena.concat(&[forbidden, g.arena.anything()]);
    let not = g.arena.not(begun);
    let both = g.arena.and(&[pattern, not]);
    let body = g.arena.concat(&[both, end]);
    g.define(root, body);
    g.build(root).unwrap()
}

#[test]
fn a_bound_of_any_string_is_seen_in_time() {
    let tokens =
        ["ab", "abababababab", "\"a", "\":", "\": \"", "b\"}", "\"}", "\",\"b\"", "é", "\\n", "\\u00"];
    for (min, max) in [(0, 11), (0, 12), (0, 13), (1, 30), (2, 31), (20, 40)] {
        let string = format!(r#"{{"type": "string", "minLength": {min}, "maxLength": {max}}}"#);
        let source = format!(
            r#"{{"type": "object", "properties": {{"a": {string}, "b": {string}}}, "additionalProperties": false}}"#
        );
        let value = "ab".repeat(max / 2);
        agrees(&source, &format!(r#"{{"a": "{value}","b": "é{}\n\u001f"}}"#, &value[3..]), &tokens);
    }
}

#[test]
fn long_tokens_are_told_from_a_bound_that_is_near() {
    let long =
        ["a".repeat(18), "a".repeat(40), "é".repeat(10), "é".repeat(30), format!("\"{}", "a".repeat(24))];
    let ends =
        [format!("{}\"", "a".repeat(19)), format!("{}\"}}", "a".repeat(30)), format!("{}\n", "a".repeat(30))];
    let escapes = [r"\n".repeat(12), format!("{}{}", r"\n".repeat(3), "a".repeat(30))];
    let mixed = [&long[..], &ends, &escapes].concat();
    let pure = ["a", "é", "\"}", "\",\""].into_iter().chain(long.iter().map(String::as_str));
    let pure: Vec<&str> = pure.chain(ends.iter().map(String::as_str)).collect();
    let mixed: Vec<&str> = mixed.iter().map(String::as_str).collect();
    for (min, max) in [(0, 16), (0, 17), (1, 20), (0, 33), (3, 41), (0, 61), (30, 100)] {
        let string = format!(r#"{{"type": "string", "minLength": {min}, "maxLength": {max}}}"#);
        let object = format!(
            r#"{{"type": "object", "properties": {{"a": {string}}}, "additionalProperties": false}}"#
        );
        let pattern = format!(r#"{{"type": "string", "pattern": "^[aé]{{{min},{max}}}$"}}"#);
        for tokens in [&pure, &mixed] {
            agrees(&object, &format!(r#"{{"a":"{}"#, "a".repeat(max)), tokens);
            agrees(&object, &format!(r#"{{"a":"é{}"#, "a".repeat(max - 1)), tokens);
            agrees(&pattern, &format!("\"{}", "a".repeat(max)), tokens);
        }
    }
}

#[test]
fn long_tokens_are_told_from_a_bound_of_items() {
    let tokens = ["1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,1,1,1,1,1,1,1", ",1,1,1,1,1,1,1,1,1]", "1,", "]"];
    for max in [9, 16, 17, 20, 30] {
        let source = format!(r#"{{"type": "array", "items": {{"const": 1}}, "maxItems": {max}}}"#);
        agrees(&source, &format!("[1{}", ",1".repeat(max - 1)), &tokens);
    }
}

#[test]
fn what_must_still_come_is_counted() {
    // After the first `x`, five more characters must follow: a long way before the bound only one kind of text is left.
    let tokens = ["xx", "xyxy", "yyyy", "yyyyy", "yyyyyyyyyyyy", "xyyyyy", "yx", "xy\"", "yyyyy\""];
    for (min, max) in [(0, 9), (0, 20), (7, 22), (12, 30), (3, 31)] {
        let source = format!(
            r#"{{"type": "string", "pattern": "^y*(xyyyyy)*$", "minLength": {min}, "maxLength": {max}}}"#
        );
        agrees(&source, &format!("\"{}", "y".repeat(max)), &tokens);
        agrees(&source, &format!("\"yy{}", "xyyyyy".repeat((max - 2) / 6)), &tokens);
    }
}

#[test]
fn lengths_and_patterns_together_are_what_both_say() {
    let cases = [
        (r"^[a-c]+$", 0, 4),
        (r"^(a|bb)*$", 2, 5),
        (r"^a{2,4}(b|é)?$", 3, 4),
        (r"b", 1, 3),
        (r"^(?=.*a)", 2, 4),
        (r"^$|^..$", 1, 9),
        (r"^a{3}$", 3, 3),
        // Several loops beside each other, with no characters left to divide among them, a few, and many.
        (r"[ab]{2}", 2, 2),
        (r"ab", 0, 4),
        (r"a+b", 2, 5),
        (r"^[ab]*é[ab]*$", 2, 4),
        (r"^a*b{0,2}é*$", 3, 5),
        (r"^a{0,1}b{0,1}é{0,1}$", 2, 3),
        (r"a.*b|é{2}", 2, 3),
    ];
    let letters = ['a', 'b', 'é'];
    for (pattern, min, max) in cases {
        let source = format!(
            r#"{{"type": "string", "pattern": "{pattern}", "minLength": {min}, "maxLength": {max}}}"#
        );
        let constraint = compile(&schema(&source), &byte_vocab::<&str>(&[]));
        let regex = if pattern.contains("?=") { "a" } else { pattern };
        let regex = Regex::new(regex).expect("well formed");
        for text in texts(&letters, 5) {
            let length = text.chars().count();
            let expected = regex.is_match(&text) && (min..=max).contains(&length);
            let mut matcher = constraint.matcher();
            let taken = matcher.commit_bytes(format!("\"{text}\"").as_bytes()).is_ok();
            assert_eq!(taken && matcher.is_accepting(), expected, "{source}: {text:?}");
        }
    }
}

#[test]
fn other_lengths_than_those_are_lengths_too() {
    let source = r#"{"type": "string", "not": {"minLength": 2, "maxLength": 40000}, "maxLength": 40002}"#;
    let constraint = compile(&schema(source), &byte_vocab::<&str>(&[]));
    for (length, expected) in
        [(0, true), (1, true), (2, false), (40000, false), (40001, true), (40003, false)]
    {
        let mut matcher = constraint.matcher();
        let taken = matcher.commit_bytes(format!("\"{}\"", "x".repeat(length)).as_bytes()).is_ok();
        assert_eq!(taken && matcher.is_accepting(), expected, "{length}");
    }
}

/// All texts of at most `longest` of these letters.
fn texts(letters: &[char], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut start = 0;
    for _ in 0..longest {
        let end = all.len();
        for at in start..end {
            all.extend(letters.iter().map(|letter| format!("{}{letter}", all[at])).collect::<Vec<_>>());
        }
        start = end;
    }
    all
}
