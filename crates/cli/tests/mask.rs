//! `tokenstile mask`, end to end.

mod support;

use support::{small_vocab, tokenstile};

#[test]
fn a_text_that_can_continue() {
    let run = tokenstile(&["mask", "examples/iso-date.regex", "2024-0"]).expect(0);
    run.says("can continue").says("9 of 257 tokens").says("\"1\"").says("not allowed");
}

#[test]
fn a_complete_text() {
    tokenstile(&["mask", "--choice", "red,redder", "red"])
        .expect(0)
        .says("complete, and can continue")
        .says("(end)");
    tokenstile(&["mask", "--choice", "red", "red"]).expect(0).says("complete: nothing may follow");
    tokenstile(&["mask", "--regex", "a*"]).expect(0).says("complete, and can continue");
}

#[test]
fn the_forced_text_is_shown() {
    tokenstile(&["mask", "--choice", "red,green,blue", "gr"]).expect(0).says("\"een\"");
}

#[test]
fn a_refused_text_is_shown_with_a_caret() {
    let run = tokenstile(&["mask", "--json", "{\"a\": [1, trx"]).expect(1);
    let run = run.says("refused at byte 12 (1:13): `x`").says("expected: `u`");
    let lines: Vec<&str> = run.out.lines().collect();
    let caret = lines.iter().position(|line| line.ends_with('^')).expect("a caret is shown");
    assert!(lines[caret - 1][lines[caret].len() - 1..].starts_with('x'), "{}", run.out);
}

#[test]
fn what_was_expected_is_said_in_words() {
    tokenstile(&["mask", "--regex", "[0-9\"\\]]x", "?"]).expect(1).says("a digit, `\"` or `]`");
    tokenstile(&["mask", "--regex", "ab?", "ac"]).expect(1).says("`b` or the end of the text");
    tokenstile(&["mask", "--regex", "a", "aa"]).expect(1).says("the end of the text");
}

#[test]
fn characters_are_shown_whole() {
    let run = tokenstile(&["mask", "--regex", "日本|日曜", "日木"]).expect(1);
    run.says("refused at byte 5 (1:2): byte 0xA8 of `木`").says("expected: `曜` or `本`");
    tokenstile(&["mask", "--regex", "ü+", "üx"]).expect(1).says("expected: `ü` or the end of the text");
    tokenstile(&["mask", "--regex", "[äöü]", ""]).expect(0).says("next     `ä`, `ö` or `ü`");
}

#[test]
fn what_may_follow_is_said_even_if_nothing_is_forced() {
    let run = tokenstile(&["mask", "--regex", "[0-9]+x", "1"]).expect(0);
    run.says("next     a digit or `x`\n").says("forced   nothing\n").says("11 of 257 tokens");
}

#[test]
fn a_later_line_is_the_one_shown() {
    let run = tokenstile(&["mask", "--regex", "(?s)a\\nb\\nc", "a\nb\nx"]).expect(1);
    run.says("refused at byte 4 (3:1)").says("3 | x");
}

#[test]
fn json_answers() {
    let open =
        tokenstile(&["mask", "--choice", "red,green", "--output", "json", "r"]).expect(0).json().remove(0);
    assert_eq!(open["status"], "open");
    assert_eq!(open["forced"], "ed");
    assert_eq!(open["allowed"], 1);
    assert_eq!(open["tokens"][0]["text"], "e");
    let complete = tokenstile(&["mask", "--regex", "a+", "--output", "json", "a"]).expect(0).json().remove(0);
    assert_eq!((&complete["status"], &complete["end"]), (&"complete".into(), &true.into()));
    let refused =
        tokenstile(&["mask", "--choice", "red", "--output", "json", "rx"]).expect(1).json().remove(0);
    assert_eq!((&refused["status"], &refused["at"]), (&"refused".into(), &1.into()));
    assert_eq!(refused["expected"][0], "`e`");
}

#[test]
fn tokens_of_a_vocabulary_are_listed_in_order() {
    let vocab = small_vocab("mask-vocab.jsonl");
    let run = tokenstile(&["mask", "--choice", "red,green", "--vocab", &vocab, "--output", "json"]).expect(0);
    let answer = &run.json()[0];
    let texts: Vec<&str> =
        answer["tokens"].as_array().unwrap().iter().map(|t| t["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["g", "gr", "r", "re", "red"]);
    assert_eq!(answer["allowed"], 5);
}

#[test]
fn the_list_is_as_long_as_asked() {
    tokenstile(&["mask", "--regex", "[a-z]", "--limit", "2"]).expect(0).says("… 24 more");
    let run = tokenstile(&["mask", "--regex", "[a-z]", "--all"]).expect(0).says("\"z\"");
    assert!(!run.out.contains("more"));
    tokenstile(&["mask", "--regex", "[a-z]", "--all", "--limit", "2"]).expect(2);
}

#[test]
fn usage_errors() {
    tokenstile(&["mask", "--regex", "a", "a", "b"]).expect(2).complains("unexpected `b`");
    tokenstile(&["mask", "no-such.gbnf", "a"]).expect(2).complains("no-such.gbnf");
    tokenstile(&["mask", "--grammar", "root ::= (", "a"]).expect(1).complains("error[syntax]");
}
