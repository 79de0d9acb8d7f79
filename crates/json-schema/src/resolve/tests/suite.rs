//! The official suite and a collection of real schemas: every schema is read, and its nodes mean what it says there.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use tokenstile_harness::data::{Shared, files};

use super::validator::is_valid;
use super::*;
use crate::options::Draft;

fn read(path: &Path) -> Json<'static> {
    json(Box::leak(std::fs::read_to_string(path).unwrap().into_boxed_str()))
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).unwrap().as_str().unwrap()
}

fn list<'a>(value: &'a Json<'a>, key: &str) -> &'a [Json<'a>] {
    let Some(Json::Array(items)) = value.get(key) else { panic!("{key}") };
    items
}

/// What stands in for the real data has more than so many tests, of each kind.
const SMALL: usize = 25;

/// Cases that no suite of assertions about single schemas can decide here, by part of their path.
const NOT_HERE: [&str; 5] = [
    "optional/format",
    "optional/ecmascript-regex",
    "optional/float-overflow",
    "optional/content",
    "optional/non-bmp",
];

/// Checks a draft's part of the suite, which has more than so many tests.
fn suite(folder: &str, draft: Draft, most: usize) {
    let shared = Shared::find();
    let root = shared.path("json-schema-test-suite");
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
    assert!(checked > if shared.is_real { most } else { SMALL }, "{checked}");
}

#[test]
fn the_suite_of_draft_2020_12() {
    suite("draft2020-12", Draft::Draft202012, 1_200);
}

#[test]
fn the_suite_of_draft_7() {
    suite("draft7", Draft::Draft7, 800);
}

/// Every schema of the collection is read, and its nodes mean what is recorded of its instances.
#[test]
fn real_schemas_are_read() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    let shared = Shared::find();
    for path in files(&shared.path("maskbench"), "") {
        for line in lines(&path).lines() {
            let entry = json(line);
            let schema = written(entry.get("schema").unwrap());
            match load_with(&schema, &JsonOptions::default()) {
                Ok(nodes) => checked += instances(&entry, &schema, &nodes, &mut wrong),
                Err(error) => wrong.push(format!("{}: {error}", text(&entry, "name"))),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > if shared.is_real { 20_000 } else { SMALL }, "{checked}");
}

/// The text of a file, packed or not.
fn lines(path: &Path) -> String {
    let mut text = String::new();
    let file = File::open(path).unwrap();
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => GzDecoder::new(file).read_to_string(&mut text).unwrap(),
        false => { file }.read_to_string(&mut text).unwrap(),
    };
    text
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
