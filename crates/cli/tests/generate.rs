//! `tokenstile generate`, end to end, with the real model where it was fetched.
#![cfg(feature = "generate")]

mod support;

use std::io::Write;
use std::path::Path;

use support::tokenstile;

/// The model's file, if it was fetched.
fn model() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/fixtures/smollm2.gguf");
    if path.is_file() {
        return Some(path.display().to_string());
    }
    // Past the capture of test output.
    let _ =
        writeln!(std::io::stderr(), "skipped: smollm2.gguf is not there: run tools/fixtures.py --reference");
    None
}

#[test]
fn a_schema_is_kept_and_nothing_else_is_written() {
    let Some(model) = model() else { return };
    let arguments =
        ["generate", "--schema", "examples/person.schema.json", "Describe a person", "--model", &model];
    let run = tokenstile(&[&arguments[..], &["--stats", "--max-tokens", "80"]].concat()).expect(0);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(value["name"].is_string() && value["born"].is_string(), "{}", run.out);
    assert!(run.err.contains("passes of the model") && run.err.contains("waited for"), "{}", run.err);
}

#[test]
fn masks_are_shown_beside_the_text() {
    let Some(model) = model() else { return };
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
    let Some(model) = model() else { return };
    tokenstile(&["generate", "x", "--schema", r#"{"type":"nothing"}"#, "--model", &model]).expect(1);
    tokenstile(&["generate", "x", "--regex", "a{50}", "--max-tokens", "3", "--model", &model])
        .expect(2)
        .complains("cannot be completed");
}
