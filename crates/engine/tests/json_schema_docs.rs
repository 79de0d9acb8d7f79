//! `docs/json-schema.md` tells the truth: its cases hold, and its table has the keywords that the code has.

use serde_json::{Map, Value};
use tokenstile_grammar::JsonWhitespace;
use tokenstile_harness::schema;
use tokenstile_json_schema::{Draft, JsonOptions, MemberOrder};

const PAGE: &str = include_str!("../../../docs/json-schema.md");
const KEYWORDS: &str = include_str!("../../json-schema/src/keywords.rs");

fn options(given: Option<&Value>) -> JsonOptions {
    let none = Map::new();
    let given = given.and_then(Value::as_object).unwrap_or(&none);
    let mut options = match given.get("profile").and_then(Value::as_str) {
        Some("exact") => JsonOptions::exact(),
        _ => JsonOptions::canonical(),
    };
    for (name, value) in given {
        match (name.as_str(), value.as_str().unwrap_or_default()) {
            ("profile", "exact") => {}
            ("order", "declared") => options.order = MemberOrder::Declared,
            ("whitespace", "compact") => options.whitespace = JsonWhitespace::Compact,
            ("draft", "7") => options.draft = Draft::Draft7,
            ("closed", _) => options.closed = true,
            ("lenient", _) => options.lenient = true,
            _ => panic!("an option that the test does not know: {name} {value}"),
        }
    }
    options
}

#[test]
fn the_cases_hold() {
    let mut count = 0;
    for block in PAGE.split("```json case\n").skip(1) {
        let text = block.split("```").next().expect("there is a part");
        let case: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let schema = case["schema"].to_string();
        let options = options(case.get("options"));
        count += 1;
        if let Some(part) = case.get("refused").and_then(Value::as_str) {
            match schema::constraint(&schema, &options) {
                Ok(_) => panic!("accepted: {schema}"),
                Err(error) => assert!(error.to_string().contains(part), "{schema}: {error}"),
            }
            continue;
        }
        let texts = |name: &str| -> Vec<&str> {
            let list = case[name].as_array().unwrap_or_else(|| panic!("no `{name}`: {text}"));
            list.iter().map(|text| text.as_str().expect("a text")).collect()
        };
        schema::check(&schema, &options, &texts("accepted"), &texts("rejected"));
    }
    assert!(count >= 15, "only {count} cases found");
}

#[test]
fn the_table_lists_the_keywords_of_the_code() {
    let name = |draft: &str| match draft {
        "D4" => "4",
        "D6" => "6",
        "D7" => "7",
        "D2019" => "2019-09",
        "D2020" => "2020-12",
        other => panic!("no draft: {other}"),
    };
    let code: Vec<(String, String)> = KEYWORDS
        .lines()
        .filter_map(|line| line.trim().strip_prefix("keyword(\""))
        .map(|line| {
            let (keyword, rest) = line.split_once("\", (").expect("a range of drafts");
            let (since, rest) = rest.split_once(", ").expect("two drafts");
            let until = rest.split(')').next().expect("an end");
            let drafts = match (name(since), name(until)) {
                ("4", "2020-12") => "all".to_owned(),
                (since, until) if since == until => since.to_owned(),
                (since, until) => format!("{since} to {until}"),
            };
            (keyword.to_owned(), drafts)
        })
        .collect();
    let section =
        PAGE.split("## Keywords").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("it is there");
    let table: Vec<(String, String)> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .map(|line| {
            let (keyword, rest) = line.split_once("` | ").expect("a column");
            (keyword.to_owned(), rest.split(" |").next().expect("a column").to_owned())
        })
        .collect();
    assert!(code.len() > 60);
    assert_eq!(table, code);
}
