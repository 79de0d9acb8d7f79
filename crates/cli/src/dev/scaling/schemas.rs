//! Schemas of any size, and texts of any length for them.

use std::fmt::Write;

use serde_json::{Map, Value, json};

/// A list of small objects.
pub(super) const LIST: &str = r#"{"type": "array", "items": {"type": "object", "properties": {
    "id": {"type": "integer"}, "name": {"type": "string"}, "kind": {"enum": ["red", "green", "blue"]},
    "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["id", "name"], "additionalProperties": false}}"#;

/// Arrays in arrays.
pub(super) const NESTED: &str = r##"{"type": "array", "items": {"$ref": "#"}}"##;

/// An object with that many members.
pub(super) fn object(members: usize) -> String {
    let member = |index: usize| (format!("member_{index}"), kind(index));
    let properties: Map<String, Value> = (0..members).map(member).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": ["member_0", "member_1", "member_2"],
        "additionalProperties": false,
    })
    .to_string()
}

fn kind(index: usize) -> Value {
    match index % 5 {
        0 => json!({"type": "string"}),
        1 => json!({"type": "integer"}),
        2 => json!({"type": "boolean"}),
        3 => json!({"type": "array", "items": {"type": "string"}}),
        _ => json!({"enum": ["first", "second", index]}),
    }
}

/// That many tools: a union of objects told apart by their `name`.
pub(super) fn tools(count: usize) -> String {
    let tool = |index: usize| {
        let name = format!("tool_{index}");
        let arguments = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "limit": {"type": "integer"},
                "recursive": {"type": "boolean"},
                format!("only_{index}"): {"enum": ["a", "b", index]},
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        json!({
            "type": "object",
            "properties": {"name": {"const": name}, "arguments": arguments},
            "required": ["name", "arguments"],
            "additionalProperties": false,
        })
    };
    json!({"anyOf": (0..count).map(tool).collect::<Vec<_>>()}).to_string()
}

/// A call of one of the [`tools`].
pub(super) fn call(index: usize) -> String {
    format!(
        r#"{{"name": "tool_{index}", "arguments": {{"path": "a/path/of/some/length", "recursive": true, "only_{index}": "b"}}}}"#
    )
}

/// The beginning of a text of [`LIST`], of that many bytes.
pub(super) fn list(bytes: usize) -> String {
    let mut text = String::from("[");
    let mut id = 0;
    while text.len() < bytes {
        let kind = ["red", "green", "blue"][id % 3];
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{{\"id\": {id}, \"name\": \"A name of some length\", \"kind\": \"{kind}\", \"tags\": [\"one\", \"two\"]}}, "
        );
        id += 1;
    }
    text.truncate(bytes);
    text
}
