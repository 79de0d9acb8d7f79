//! `tokenstile generate`, end to end, with the real model where it was fetched.
#![cfg(feature = "generate")]

mod support;

use support::tokenstile;
use tokenstile_harness::data::fetched;

/// The model's file.
fn model() -> String {
    fetched("smollm2.gguf").display().to_string()
}

#[test]
#[ignore = "needs fetched data"]
fn a_schema_is_kept_and_nothing_else_is_written() {
    let model = model();
    let arguments =
        ["generate", "--schema", "examples/person.schema.json", "Describe a person", "--model", &model];
    let run = tokenstile(&[&arguments[..], &["--stats", "--max-tokens", "80"]].concat()).expect(0);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(value["name"].is_string() && value["born"].is_string(), "{}", run.out);
    assert!(run.err.contains("passes of the model") && run.err.contains("waited for"), "{}", run.err);
}

#[test]
#[ignore = "needs fetched data"]
fn masks_are_shown_beside_the_text() {
    let model = model();
    let run =
        tokenstile(&["generate", "--choice", "yes,no", "Is ice cold?", "--show-masks", "--model", &model]);
    let run = run.expect(0);
    assert!(["yes\n", "no\n"].contains(&&run.out[..]), "{}", run.out);
    assert!(run.err.contains("allowed") && run.err.contains("sampled"), "{}", run.err);
}

#[test]
fn what_is_wrong_is_said() {
    tokenstile(&["generate", "--json"]).expect(2).complains("no prompt");
    tokenstile(&["generate", "x", "--model", "no-such-file.gguf", "--json"])
        .expect(2)
        .complains("no-such-file");
    tokenstile(&["generate", "x", "--model", "Cargo.toml", "--json"]).expect(2).complains("not a GGUF file");
    tokenstile(&["generate", "x", "--schema", "no-such-schema.json"]).expect(2).complains("no-such-schema");
}

#[test]
#[ignore = "needs fetched data"]
fn what_is_wrong_with_a_constraint_is_said() {
    let model = model();
    tokenstile(&["generate", "x", "--schema", r#"{"type":"nothing"}"#, "--model", &model]).expect(1);
    tokenstile(&["generate", "x", "--regex", "a{50}", "--max-tokens", "3", "--model", &model])
        .expect(2)
        .complains("cannot be completed");
}
