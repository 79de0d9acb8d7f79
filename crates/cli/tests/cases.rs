//! `tokenstile test`, end to end: the form that others rely on.

mod support;

use serde_json::{Value, json};
use support::{file, small_vocab, tokenstile};

/// The one line that `test --json` answers for `case`.
fn outcome(name: &str, case: Value, status: i32) -> Value {
    let path = file(name, format!("{case}\n"));
    let mut lines = tokenstile(&["test", &path, "--json"]).expect(status).json();
    assert_eq!(lines.len(), 1);
    lines.remove(0)
}

#[test]
fn the_examples_pass() {
    let run = tokenstile(&["test", "examples/cases.jsonl"]).expect(0);
    assert_eq!(run.out, "11 passed, 0 failed\n");
}

#[test]
fn the_examples_pass_with_tokens() {
    let vocab = small_vocab("cases-vocab.jsonl");
    tokenstile(&["test", "examples/cases.jsonl", "--vocab", &vocab]).expect(0).says("11 passed, 0 failed");
}

#[test]
fn one_json_line_a_case() {
    let lines =
        tokenstile(&["test", "examples/cases.jsonl", "examples/cases.jsonl", "--json"]).expect(0).json();
    assert_eq!(lines.len(), 22);
    assert_eq!(lines[0], json!({"id": "chess", "status": "pass", "failures": []}));
}

#[test]
fn failures_say_where() {
    let case = json!({
        "id": 7, "kind": "regex", "source": "ab+", "accept": ["abb", "axb", "a"], "reject": ["ab", "x"],
    });
    let expected = json!({"id": 7, "status": "fail", "failures": [
        {"text": "axb", "expected": "accept", "at": 1},
        {"text": "a", "expected": "accept", "at": 1},
        {"text": "ab", "expected": "reject", "at": 2},
    ]});
    assert_eq!(outcome("cases-fail.jsonl", case, 1), expected);
}

#[test]
fn failures_in_words() {
    let case = r#"{"id":"b","kind":"regex","source":"ab+","accept":["ax"],"reject":["ab"]}"#;
    let path = file("cases-words.jsonl", format!("{case}\n\n"));
    let run = tokenstile(&["test", &path]).expect(1).says("fail b (").says("cases-words.jsonl:1");
    let run = run.says("refused at byte 1 (`x`)").says("\"ab\": was accepted");
    assert!(run.out.ends_with("0 passed, 1 failed\n"), "{}", run.out);
}

#[test]
fn a_source_that_must_be_refused() {
    let broken = json!({"id": "a", "kind": "gbnf", "source": "root ::= (", "error": true});
    assert_eq!(outcome("cases-error.jsonl", broken, 0)["status"], "pass");
    let sound = json!({"id": "a", "kind": "gbnf", "source": "root ::= \"a\"", "error": true});
    assert_eq!(outcome("cases-no-error.jsonl", sound, 1)["status"], "fail");
}

#[test]
fn a_refused_source() {
    let broken = json!({"id": "a", "kind": "gbnf", "source": "root ::= missing", "accept": ["a"]});
    let line = outcome("cases-refused.jsonl", broken, 1);
    assert_eq!(line["status"], "refused");
    assert!(line["message"].as_str().unwrap().contains("missing"));
    let unknown = json!({"id": "a", "kind": "lark", "source": "start: \"a\"", "error": true});
    let line = outcome("cases-not-yet.jsonl", unknown, 1);
    assert_eq!(line["status"], "refused");
    assert!(line["message"].as_str().unwrap().contains("not supported yet"));
}

#[test]
fn unknown_options_fail() {
    let case = json!({"id": "a", "kind": "regex", "source": "a", "options": {"flavour": 1}, "accept": ["a"]});
    let line = outcome("cases-option.jsonl", case, 1);
    assert_eq!(line["status"], "fail");
    assert!(line["message"].as_str().unwrap().contains("unknown option `flavour`"));
}

#[test]
fn options_are_heard() {
    let search =
        json!({"id": 1, "kind": "regex", "source": "b", "options": {"search": true}, "accept": ["abc"]});
    assert_eq!(outcome("cases-search.jsonl", search, 0)["status"], "pass");
    let root =
        json!({"id": 1, "kind": "ebnf", "source": "s ::= \"a\"", "options": {"root": "s"}, "accept": ["a"]});
    assert_eq!(outcome("cases-root.jsonl", root, 0)["status"], "pass");
}

#[test]
fn malformed_lines_are_named_and_the_others_run() {
    let good = r#"{"id":"a","kind":"choice","source":["x"],"accept":["x"]}"#;
    let path = file("cases-malformed.jsonl", format!("{good}\nnot json\n{good}\n{{\"kind\":\"yaml\"}}\n"));
    let run = tokenstile(&["test", &path]).expect(2).says("2 passed, 0 failed");
    run.complains("cases-malformed.jsonl:2: ").complains("cases-malformed.jsonl:4: unknown kind");
}

#[test]
fn files_must_be_there() {
    tokenstile(&["test"]).expect(2);
    tokenstile(&["test", "no/such/cases.jsonl"]).expect(2).complains("no/such/cases.jsonl");
}
