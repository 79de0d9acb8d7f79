//! Formats against the test suite of JSON Schema, and against what other implementations say.

use std::path::Path;

use serde_json::Value;

use super::format_expr;
use crate::ir::Arena;
use crate::json_schema::Draft;
use crate::json_schema::string::matches;
use crate::limits::{Budget, Limits};

/// What is asked of the formats, by name.
const NAMES: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

fn accepts(name: &str, draft: Draft, text: &str) -> bool {
    let limits = Limits::default();
    let mut arena = Arena::new(1 << 20);
    let expr = format_expr(name, draft, &mut arena, &limits).unwrap().unwrap_or_else(|| panic!("{name}"));
    matches(&arena, expr, text, &mut Budget::new(&limits)).unwrap()
}

/// Valid texts of the suite that are left out, for the reasons that the module gives.
fn is_left_out(name: &str, text: &str) -> bool {
    match name {
        "hostname" | "idn-hostname" => text.to_ascii_lowercase().starts_with("xn--"),
        "regex" => text.contains("\\k<"),
        _ => false,
    }
}

#[test]
fn the_test_suite_agrees() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/json-schema-test-suite");
    let mut wrong = Vec::new();
    let mut count = 0;
    for (folder, draft) in [("draft2020-12", Draft::Draft202012), ("draft7", Draft::Draft7)] {
        let folder = root.join(folder).join("optional/format");
        let Ok(files) = std::fs::read_dir(&folder) else {
            println!("skipped: no {}", folder.display());
            continue;
        };
        for file in files {
            let file = file.unwrap().path();
            let groups: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            for group in groups.as_array().unwrap() {
                let Some(name) = group["schema"]["format"].as_str().filter(|n| NAMES.contains(n)) else {
                    continue;
                };
                for test in group["tests"].as_array().unwrap() {
                    let Some(text) = test["data"].as_str() else { continue };
                    let valid = test["valid"].as_bool().unwrap() && !is_left_out(name, text);
                    count += 1;
                    if accepts(name, draft, text) != valid {
                        wrong.push(format!("{draft:?} {name} {text:?} {valid}: {}", test["description"]));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count == 0 || count > 900, "{count}");
}
