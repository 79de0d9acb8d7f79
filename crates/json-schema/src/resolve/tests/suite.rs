//! The official suite and a collection of real schemas: every schema is read, and its nodes mean what it says there.

use std::path::{Path, PathBuf};

use super::validator::is_valid;
use super::*;
use crate::options::Draft;

fn shared(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(folder)
}

fn read(path: &Path) -> Json<'static> {
    json(Box::leak(std::fs::read_to_string(path).unwrap().into_boxed_str()))
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        #[expect(clippy::print_stderr, reason = "a skipped case must be seen")]
        {
            eprintln!("skipped: {} is not there", folder.display());
        }
        return Vec::new();
    };
    let mut out = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            out.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            out.push(path);
        }
    }
    out.sort();
    out
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).unwrap().as_str().unwrap()
}

fn list<'a>(value: &'a Json<'a>, key: &str) -> &'a [Json<'a>] {
    let Some(Json::Array(items)) = value.get(key) else { panic!("{key}") };
    items
}

/// Cases that no suite of assertions about single schemas can decide here, by part of their path.
const NOT_HERE: [&str; 5] = [
    "optional/format",
    "optional/ecmascript-regex",
    "optional/float-overflow",
    "optional/content",
    "optional/non-bmp",
];

fn suite(folder: &str, draft: Draft) -> usize {
    let root = shared("json-schema-test-suite");
    let remotes = root.join("remotes");
    let mut options = JsonOptions { draft, ..JsonOptions::default() };
    for path in files(&remotes, ".json") {
        let name = path.strip_prefix(&remotes).unwrap().to_string_lossy().into_owned();
        options
            .documents
            .push((format!("http://localhost:1234/{name}"), std::fs::read_to_string(&path).unwrap()));
    }
    let mut checked = 0;
    let mut wrong = Vec::new();
    for path in files(&root.join(folder), ".json") {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        if NOT_HERE.iter().any(|part| name.contains(part)) {
            continue;
        }
        let Json::Array(groups) = read(&path) else { panic!("{name}") };
        for group in groups {
            let title = format!("{name}: {}", text(group, "description"));
            let schema = written(group.get("schema").unwrap());
            let nodes = match load_with(&schema, &options) {
                Ok(nodes) => nodes,
                Err(error) => {
                    wrong.push(format!("{title}: {error}"));
                    continue;
                }
            };
            for test in list(group, "tests") {
                let valid = is_valid(&nodes, test.get("data").unwrap());
                checked += 1;
                if Json::Bool(valid) != *test.get("valid").unwrap() {
                    wrong.push(format!("{title}: {}: {valid}", text(test, "description")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    checked
}

#[test]
fn the_suite_of_draft_2020_12() {
    let checked = suite("draft2020-12", Draft::Draft202012);
    assert!(checked == 0 || checked > 1_200, "{checked}");
}

#[test]
fn the_suite_of_draft_7() {
    let checked = suite("draft7", Draft::Draft7);
    assert!(checked == 0 || checked > 800, "{checked}");
}

/// Every schema of the collection is read, and its nodes mean what is recorded of its instances.
#[test]
fn real_schemas_are_read() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for path in files(&shared("maskbench"), ".jsonl.gz") {
        let lines = std::process::Command::new("gzip").arg("-dc").arg(&path).output().unwrap().stdout;
        for line in String::from_utf8(lines).unwrap().lines() {
            let entry = json(line);
            let schema = written(entry.get("schema").unwrap());
            match load_with(&schema, &JsonOptions::default()) {
                Ok(nodes) => checked += instances(&entry, &schema, &nodes, &mut wrong),
                Err(error) => wrong.push(format!("{}: {error}", text(&entry, "name"))),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked == 0 || checked > 20_000, "{checked}");
}

/// Checks the instances of one schema, as far as the validator can: it knows no formats.
fn instances(entry: &Json, schema: &str, nodes: &Nodes, wrong: &mut Vec<String>) -> usize {
    let tests = list(entry, "tests");
    for (i, test) in tests.iter().enumerate() {
        let recorded = *test.get("valid").unwrap() == Json::Bool(true);
        let valid = is_valid(nodes, test.get("data").unwrap());
        if valid != recorded && (recorded || !schema.contains("\"format\"")) {
            wrong.push(format!("{}: {i}: {valid}", text(entry, "name")));
        }
    }
    tests.len()
}
