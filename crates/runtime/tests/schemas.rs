//! Twenty schemas of growing difficulty, written by the real model at temperature 1, judged by an independent validator.
//!
//! A sample runs with the other tests. All of it, with numbers:
//! `cargo test --release -p tokenstile-runtime --test schemas -- --ignored --nocapture`

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use tokenstile_runtime::{Runtime, Stats};

/// Name and text of each schema, the easiest first. What to ask the model is its description.
fn schemas() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

/// Writes one instance and judges it; what it cost.
fn write_one(runtime: &Runtime, name: &str, source: &str, seed: u64) -> Stats {
    let schema: Value = serde_json::from_str(source).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let prompt = schema["description"].as_str().unwrap();
    let mut request = support::ask(runtime, prompt, Some(support::schema(runtime, source)));
    (request.sampling, request.max_tokens) = (support::warm(seed), 400);
    let (sequence, _) = support::finish(runtime, request);
    let text = String::from_utf8_lossy(sequence.text()).into_owned();
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}, {seed}: {e}: {text}"));
    if let Some(error) = validator.iter_errors(&value).next() {
        panic!("{name}, {seed}: {error}: {text}");
    }
    sequence.stats().clone()
}

#[test]
fn there_are_twenty() {
    assert_eq!(schemas().len(), 20);
}

#[test]
#[ignore = "needs fetched data"]
fn a_sample_is_valid() {
    let runtime = support::runtime();
    for (name, source) in schemas().iter().step_by(3) {
        write_one(runtime, name, source, 1);
    }
}

#[test]
#[ignore = "takes minutes; see the module's documentation"]
#[allow(clippy::print_stdout, reason = "the numbers are what it is for")]
fn all_are_valid() {
    let runtime = support::runtime();
    let mut all = Stats::default();
    let mut texts = 0;
    for (name, source) in schemas() {
        let mut stats = Stats::default();
        for seed in 0..5 {
            stats.add(&write_one(runtime, &name, &source, seed));
            texts += 1;
        }
        println!("{name:<16} 5 of 5 valid, {:>5.1} % of passes saved", stats.saved() * 100.0);
        all.add(&stats);
    }
    println!("{texts} of {texts} valid; {} tokens, {:.1} a second", all.written, all.rate());
    println!("passes saved by forced tokens: {:.1} %", all.saved() * 100.0);
    println!("waited for masks: {:.3} % of {:.1} s", all.waiting() * 100.0, all.total().as_secs_f64());
    assert!(all.saved() >= 0.15, "{all:?}");
    assert!(all.waiting() <= 0.01, "{all:?}");
}
