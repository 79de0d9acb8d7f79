//! Structural tags are read from JSON, or refused with the place.

use tokenstile_grammar::{ErrorKind, Limits};
use tokenstile_structural_tag::{Format, StructuralTag};

fn read(text: &str) -> Result<StructuralTag, tokenstile_grammar::Error> {
    StructuralTag::from_json(text, &Limits::default())
}

/// A structural tag of one format.
fn of(format: &str) -> Result<StructuralTag, tokenstile_grammar::Error> {
    read(&format!(r#"{{"type": "structural_tag", "format": {format}}}"#))
}

fn pointer(format: &str) -> String {
    let error = of(format).expect_err(format);
    assert_eq!(error.kind(), ErrorKind::Syntax, "{format}: {error}");
    error.pointer().unwrap_or_else(|| panic!("{format}: {error}")).to_owned()
}

#[test]
fn every_format_is_printed_as_it_is_read() {
    for text in [
        r#"{"type":"const_string","value":"a\n\"b"}"#,
        r#"{"type":"grammar","grammar":"root ::= \"a\""}"#,
        r#"{"type":"regex","pattern":"\\d+"}"#,
        r#"{"type":"any_text","excludes":["a"],"max_tokens":3,"max_chars":null}"#,
        r#"{"type":"sequence","elements":[{"type":"const_string","value":""}]}"#,
        r#"{"type":"or","elements":[{"type":"const_string","value":""}]}"#,
        r#"{"type":"optional","content":{"type":"const_string","value":""}}"#,
        r#"{"type":"plus","content":{"type":"const_string","value":""}}"#,
        r#"{"type":"star","content":{"type":"const_string","value":""}}"#,
        r#"{"type":"repeat","min":2,"max":-1,"content":{"type":"const_string","value":""}}"#,
        r#"{"type":"repeat","min":0,"max":7,"content":{"type":"const_string","value":""}}"#,
        r#"{"type":"token","token":7}"#,
        r#"{"type":"token","token":"</s>"}"#,
        r#"{"type":"exclude_token","exclude_tokens":[7,"</s>"]}"#,
        r#"{"type":"any_tokens","exclude_tokens":[],"max_tokens":null}"#,
        r#"{"type":"dispatch","rules":[["a",{"type":"const_string","value":""}]],"loop":false,"excludes":[]}"#,
        r#"{"type":"token_dispatch","rules":[[1,{"type":"token","token":2}]],"loop":true,"exclude_tokens":[3]}"#,
    ] {
        let tag = of(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(tag.to_json(), format!(r#"{{"type":"structural_tag","format":{text}}}"#));
        assert_eq!(tag.warnings(), &[]);
    }
    let numbers = r#"{"json_schema": {"maximum": 1e400, "x": [1.50, "\u0001é"]}, "style": "glm_xml"}"#;
    assert!(of(numbers).unwrap().to_json().contains(r#"{"maximum":1e400,"x":[1.50,"\u0001é"]}"#));
}

#[test]
fn a_missing_type_is_guessed() {
    let tag = r#"{"begin": "a", "content": {"value": "b"}, "end": ["c", "d"]}"#;
    for (text, name) in [
        (r#"{"value": "a"}"#.to_owned(), "const_string"),
        (r#"{"json_schema": true}"#.into(), "json_schema"),
        (r#"{"excludes": ["a"], "max_chars": 3}"#.into(), "any_text"),
        (r#"{"elements": [{"value": "a"}]}"#.into(), "sequence"),
        (r#"{"content": {"value": "a"}}"#.into(), "optional"),
        (r#"{"min": 1, "max": 2, "content": {"value": "a"}}"#.into(), "repeat"),
        (tag.into(), "tag"),
        (format!(r#"{{"triggers": ["a"], "tags": [{tag}], "excludes": ["q"]}}"#), "triggered_tags"),
        (format!(r#"{{"tags": [{tag}], "separator": ""}}"#), "tags_with_separator"),
        (r#"{"rules": [["a", {"value": "b"}]], "excludes": ["q"]}"#.into(), "dispatch"),
        (r#"{"rules": [[1, {"value": "b"}]]}"#.into(), "token_dispatch"),
    ] {
        let json = of(&text).unwrap_or_else(|error| panic!("{text}: {error}")).to_json();
        let expected = format!(r#"{{"type":"structural_tag","format":{{"type":"{name}","#);
        assert!(json.starts_with(&expected), "{text}: {json}");
    }
    assert_eq!(pointer("{}"), "/format");
    assert_eq!(pointer(r#"{"begin": "a", "content": {"value": "b"}}"#), "/format");
}

#[test]
fn the_older_form_is_triggered_tags() {
    let text = r#"{"structures": [{"begin": "<a>", "schema": {"type": "null"}, "end": "</a>"}], "triggers": ["<a"]}"#;
    let tag = read(text).unwrap();
    assert!(matches!(&tag.format, Format::TriggeredTags(tags) if tags.tags.len() == 1));
    let error = read(&text.replace("[\"<a\"]", "[\"<b\"]")).unwrap_err();
    assert_eq!(error.pointer(), Some("/structures/0/begin"));
    assert_eq!(read(&text.replace("\"end\"", "\"ending\"")).unwrap_err().pointer(), Some("/structures/0"));
}

#[test]
fn errors_have_the_pointer_of_their_place() {
    for (format, expected) in [
        (r#"{"type": "nothing"}"#, "/format/type"),
        (r#"{"type": 3}"#, "/format/type"),
        (r#"{"type": "const_string"}"#, "/format"),
        (r#"{"type": "const_string", "value": 3}"#, "/format/value"),
        (r#"{"type": "regex", "pattern": ""}"#, "/format/pattern"),
        (r#"{"type": "sequence", "elements": []}"#, "/format/elements"),
        (r#"{"type": "or", "elements": [{"value": "a"}, 4]}"#, "/format/elements/1"),
        (r#"{"type": "any_text", "excludes": [""]}"#, "/format/excludes/0"),
        (r#"{"type": "any_text", "max_chars": -1}"#, "/format/max_chars"),
        (r#"{"type": "any_text", "max_chars": 2147483648}"#, "/format/max_chars"),
        (r#"{"type": "repeat", "min": 3, "max": 2, "content": {"value": "a"}}"#, "/format/min"),
        (r#"{"type": "repeat", "min": 0, "max": -2, "content": {"value": "a"}}"#, "/format/max"),
        (r#"{"type": "json_schema", "json_schema": []}"#, "/format/json_schema"),
        (r#"{"type": "json_schema", "json_schema": {}, "style": "x"}"#, "/format/style"),
        (r#"{"type": "json_schema", "json_schema": {}, "any_order": 1}"#, "/format/any_order"),
        (r#"{"type": "token", "token": -1}"#, "/format/token"),
        (r#"{"type": "tag", "begin": 3, "content": {"value": "a"}, "end": "b"}"#, "/format/begin"),
        (r#"{"type": "tag", "begin": "a", "content": {"value": "a"}, "end": []}"#, "/format/end"),
        (r#"{"type": "tag", "begin": "a", "content": {"type": "any_text"}, "end": ""}"#, "/format/end"),
        (r#"{"type": "dispatch", "rules": [["a"]]}"#, "/format/rules/0"),
        (r#"{"type": "dispatch", "rules": [["a", {"value": 1}]]}"#, "/format/rules/0/1/value"),
    ] {
        assert_eq!(pointer(format), expected, "{format}");
    }
}

#[test]
fn a_tag_has_exactly_one_trigger() {
    let tags = |triggers: &str, begin: &str| {
        let tag = format!(r#"{{"begin": {begin}, "content": {{"value": "b"}}, "end": "c"}}"#);
        of(&format!(r#"{{"type": "triggered_tags", "triggers": {triggers}, "tags": [{tag}]}}"#))
    };
    let place = |result: Result<StructuralTag, tokenstile_grammar::Error>| {
        result.unwrap_err().pointer().map(str::to_owned)
    };
    let begin = Some("/format/tags/0/begin".to_owned());
    assert!(tags(r#"["<"]"#, r#""<a""#).is_ok());
    assert_eq!(place(tags(r#"["x"]"#, r#""<a""#)), begin);
    assert_eq!(place(tags(r#"["<", "<a"]"#, r#""<a""#)), begin);
    assert_eq!(place(tags(r#"["<", "<"]"#, r#""<a""#)), begin);
    assert_eq!(place(tags(r#"["<"]"#, r#"{"token": 4}"#)), begin);
    let warned = tags(r#"["<", "never"]"#, r#""<a""#).unwrap();
    assert_eq!(warned.warnings()[0].pointer.as_deref(), Some("/format/triggers/1"));
}

#[test]
fn unknown_fields_are_remarked() {
    let tag = of(r#"{"type": "any_text", "exclude": ["a"]}"#).unwrap();
    assert_eq!(tag.warnings()[0].pointer.as_deref(), Some("/format/exclude"));
}

#[test]
fn deep_nesting_ends_in_an_error() {
    for depth in [600, 100_000] {
        let open = r#"{"type":"optional","content":"#.repeat(depth);
        let text = format!("{open}{{\"value\":\"a\"}}{}", "}".repeat(depth));
        let error = of(&text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit { name: "nesting" }, "{depth}");
    }
}

#[test]
fn ten_thousand_tools_are_read_in_bounded_time() {
    let tool = |i: usize| format!(r#"{{"begin": "<f{i}>", "content": {{"value": "b"}}, "end": "c"}}"#);
    let tags: Vec<String> = (0..10_000).map(tool).collect();
    let triggers: Vec<String> = (0..10_000).map(|i| format!("\"<f{i}>\"")).collect();
    let text = format!(
        r#"{{"type": "triggered_tags", "triggers": [{}], "tags": [{}]}}"#,
        triggers.join(","),
        tags.join(",")
    );
    let started = std::time::Instant::now();
    of(&text).unwrap();
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
