//! Whatever is read ends in a grammar or in an error with a kind.

use std::time::Instant;

use tokenstile_grammar::{Error, Grammar, Limits};
use tokenstile_structural_tag::{PresetOptions, StructuralTag, Tool, structural_tag_for};
use tokenstile_testkit::Rng;

fn made(text: &str) -> Result<Grammar, Error> {
    let limits = Limits::default();
    StructuralTag::from_json(text, &limits)?.grammar(&limits)
}

/// A structural tag with many formats in it.
const TAG: &str = r#"{"type": "structural_tag", "format": {"type": "sequence", "elements": [
    {"type": "tag", "begin": "<think>", "content": {"type": "any_text", "excludes": ["<a"], "max_chars": 9}, "end": ["</think>", "x"]},
    {"type": "triggered_tags", "triggers": ["<a"], "tags": [{"begin": "<a>", "content": {"json_schema": {"type": "object",
        "properties": {"q": {"type": "string"}}}, "style": "glm_xml"}, "end": "</a>"}], "excludes": ["<b>"], "at_least_one": true},
    {"type": "dispatch", "rules": [["q", {"type": "regex", "pattern": "a+"}]], "loop": false},
    {"type": "or", "elements": [{"type": "repeat", "min": 1, "max": 3, "content": {"value": "v"}}, {"type": "grammar", "grammar": "root ::= \"a\""}]},
    {"type": "token_dispatch", "rules": [[7, {"type": "token", "token": "</s>"}]]},
    {"type": "any_tokens", "exclude_tokens": [3], "max_tokens": 4}]}}"#;

/// What is put into texts.
const PIECES: [&str; 20] = [
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "0",
    "-1",
    "9223372036854775808",
    "true",
    "\"\"",
    "\"type\"",
    "\"tag\"",
    "\\u0000",
    "<",
    "excludes",
    "tags",
    "\u{1F600}",
];

#[test]
fn mutated_tags() {
    made(TAG).unwrap();
    let mut rng = Rng::new(17);
    let mut kept = 0;
    for _ in 0..10_000 {
        let mut chars: Vec<char> = TAG.chars().collect();
        for _ in 0..rng.between(1, 3) {
            let at = rng.below(chars.len());
            let end = (at + rng.below(6)).min(chars.len());
            let piece = *rng.pick(&PIECES);
            let new = if rng.chance(1, 2) { piece } else { "" };
            chars.splice(at..end, new.chars());
        }
        let text: String = chars.into_iter().collect();
        match made(&text) {
            Ok(_) => kept += 1,
            Err(error) => assert!(error.pointer().is_some() || error.place().is_some(), "{text}: {error}"),
        }
    }
    assert!(kept > 100, "{kept}");
}

#[test]
fn deep_tags() {
    for (open, close) in [
        (r#"{"type":"optional","content":"#, "}"),
        (r#"{"type":"sequence","elements":["#, "]}"),
        (r#"{"type":"tag","begin":"<","end":">","content":"#, "}"),
        (r#"{"type":"dispatch","rules":[["a","#, "]]}"),
    ] {
        for depth in [300, 5_000, 100_000] {
            let inner = format!("{}{{\"value\":\"a\"}}{}", open.repeat(depth), close.repeat(depth));
            let made = made(&format!(r#"{{"type": "structural_tag", "format": {inner}}}"#));
            assert_eq!(made.is_ok(), depth == 300, "{open} {depth}");
        }
    }
}

#[test]
fn many_tools() {
    let schema = r#"{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}"#;
    let tools: Vec<Tool> =
        (0..10_000).map(|i| Tool::function(format!("tool_{i}"), Some(schema.into()))).collect();
    for model in ["qwen_3", "glm_4_7", "harmony"] {
        let started = Instant::now();
        let tag = structural_tag_for(model, &tools, &PresetOptions::default()).unwrap();
        tag.grammar(&Limits::default()).unwrap();
        assert!(started.elapsed().as_secs() < 60, "{model}: {:?}", started.elapsed());
    }
}

#[test]
fn triggers_that_are_prefixes_of_one_another() {
    let triggers: Vec<String> =
        (1..200).map(|len| format!("[\"{}\", {{\"value\": \"x\"}}]", "a".repeat(len))).collect();
    let format = format!(r#"{{"type": "dispatch", "rules": [{}]}}"#, triggers.join(","));
    made(&format!(r#"{{"type": "structural_tag", "format": {format}}}"#)).unwrap();
}
