//! How cost grows: the points that `tokenstile scaling` measured.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::setup::{Places, pinned};

/// Vocabularies of different sizes, as `tools/fixtures.py` names their files.
const VOCABULARIES: [&str; 5] = [
    "llama-2.gguf",
    "llama-3.1.tokenizer.json",
    "qwen3.tokenizer.json",
    "o200k_base.tiktoken",
    "gemma-3.tokenizer.json",
];

/// One measured point.
pub(super) struct Point {
    /// What grows: `members`, `tools`, `vocabulary`, `text`, `depth`; or what else is measured: `tables`, `batch`, `fill`.
    pub(super) by: String,
    /// What is measured.
    pub(super) what: String,
    pub(super) x: f64,
    /// Microseconds.
    pub(super) us: f64,
}

/// The command that measures; vocabularies that are not there are left out.
pub(super) fn command(places: &Places) -> Command {
    let mut command = pinned(&places.tokenstile());
    command.arg("scaling").arg("--vocab").arg(places.data("vocab.jsonl"));
    command.arg("--out").arg(places.result("scaling"));
    for file in VOCABULARIES {
        let path = places.root.join(".cache/fixtures").join(file);
        if path.exists() {
            command.arg("--sizes").arg(path);
        } else {
            println!("bench: SKIPPED {file}: it is not there (tools/fixtures.py fetches it)");
        }
    }
    command
}

/// The command that measures a batch on one and on two threads, so on as many cores.
pub(super) fn batch(places: &Places) -> Command {
    let mut command = Command::new(places.tokenstile());
    command.arg("scaling").arg("--batch").arg("--vocab").arg(places.data("vocab.jsonl"));
    command.arg("--out").arg(places.result("batch"));
    command
}

/// Reads the points; none if they were not measured.
pub(super) fn read(path: &Path) -> Vec<Point> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let point = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        Some(Point {
            by: value["by"].as_str()?.to_owned(),
            what: value["what"].as_str()?.to_owned(),
            x: value["x"].as_f64()?,
            us: value["us"].as_f64()?,
        })
    };
    text.lines().filter_map(point).collect()
}
