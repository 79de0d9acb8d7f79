//! The fields that ask for a constraint, in the dialects of OpenAI, vLLM (old and new) and SGLang.
//!
//! At most one may. What is not known inside them is refused.

use serde_json::Value;

use super::{Asked, Kind, Source};
use crate::error::ApiError;
use crate::json::Fields;

/// Fields of vLLM's older way of asking.
const GUIDED: [(&str, Kind); 4] = [
    ("guided_json", Kind::JsonSchema),
    ("guided_regex", Kind::Regex),
    ("guided_choice", Kind::Choice),
    ("guided_grammar", Kind::Grammar),
];

/// Takes every field that asks for a constraint; the constraint, if there is one.
pub(crate) fn from_fields(fields: &mut Fields) -> Result<Option<Asked>, ApiError> {
    let mut found = Vec::new();
    if let Some(format) = fields.object("response_format")? {
        found.extend(from_format(format, Shape::Nested)?);
    }
    if let Some(outputs) = fields.object("structured_outputs")? {
        found.push(from_outputs(outputs)?);
    }
    let whitespace = fields.text("guided_whitespace_pattern")?;
    for (name, kind) in GUIDED {
        if let Some(value) = fields.take(name) {
            let mut asked = from_value(kind, value, &fields.path(name))?;
            asked.source.whitespace.clone_from(&whitespace);
            found.push(asked);
        }
    }
    match &found[..] {
        [] if whitespace.is_some() => Err(fields.wrong("guided_whitespace_pattern", "needs `guided_json`")),
        [] | [_] => Ok(found.pop()),
        [first, second, ..] => {
            let message = format!("`{}` and `{}` both ask for a constraint", first.field, second.field);
            Err(ApiError::field(&second.field, message))
        }
    }
}

/// How a format is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{"type": "json_schema", "json_schema": {"schema": …}}`, as in chat completions.
    Nested,
    /// `{"type": "json_schema", "schema": …}`, as in responses.
    Flat,
}

/// Reads OpenAI's `response_format`.
pub(crate) fn from_format(mut format: Fields, shape: Shape) -> Result<Option<Asked>, ApiError> {
    let path = format.path("type");
    let asked = match &*format.needed_text("type")? {
        "text" => None,
        "json_object" => Some(Asked::new(Source::any_object(), path)),
        "json_schema" => {
            let mut schema = match shape {
                Shape::Flat => return from_schema(format).map(Some),
                Shape::Nested => {
                    format.object("json_schema")?.ok_or_else(|| format.wrong("json_schema", "is missing"))?
                }
            };
            let asked = take_schema(&mut schema)?;
            schema.finish(&[])?;
            Some(asked)
        }
        "structural_tag" => return Err(not_yet(&path, "structural tags")),
        other => {
            let message = format!("`{path}` is `{other}`: text, json_object or json_schema are known");
            return Err(ApiError::field(path, message));
        }
    };
    format.finish(&[])?;
    Ok(asked)
}

fn from_schema(mut fields: Fields) -> Result<Asked, ApiError> {
    let asked = take_schema(&mut fields)?;
    fields.finish(&[])?;
    Ok(asked)
}

/// A named schema. It is enforced whether `strict` is set or not.
fn take_schema(fields: &mut Fields) -> Result<Asked, ApiError> {
    let path = fields.path("schema");
    fields.text("name")?;
    fields.text("description")?;
    fields.flag("strict")?;
    let schema = fields.take("schema").ok_or_else(|| fields.wrong("schema", "is missing"))?;
    from_value(Kind::JsonSchema, schema, &path)
}

/// Reads vLLM's `structured_outputs`.
fn from_outputs(mut fields: Fields) -> Result<Asked, ApiError> {
    if fields.has("structural_tag") {
        return Err(not_yet(&fields.path("structural_tag"), "structural tags"));
    }
    let mut found = Vec::new();
    let kinds = [("json", Kind::JsonSchema), ("regex", Kind::Regex), ("choice", Kind::Choice)];
    for (name, kind) in kinds.into_iter().chain([("grammar", Kind::Grammar)]) {
        if let Some(value) = fields.take(name) {
            found.push(from_value(kind, value, &fields.path(name))?);
        }
    }
    if fields.flag("json_object")? {
        found.push(Asked::new(Source::any_object(), fields.path("json_object")));
    }
    let [asked] = &mut found[..] else {
        let must = "must have exactly one of json, regex, choice, grammar, json_object";
        return Err(ApiError::field("structured_outputs", format!("`structured_outputs` {must}")));
    };
    asked.source.whitespace = fields.text("whitespace_pattern")?;
    asked.source.closed = fields.flag("disable_additional_properties")?;
    // There is no white space to be switched off, and nothing to fall back to.
    fields.flag("disable_any_whitespace")?;
    fields.flag("disable_fallback")?;
    fields.finish(&[])?;
    Ok(asked.clone())
}

/// A constraint of a kind, as a value of JSON.
pub(crate) fn from_value(kind: Kind, value: Value, path: &str) -> Result<Asked, ApiError> {
    let wrong = |must: &str| ApiError::field(path, format!("`{path}` must be {must}"));
    let text = match (kind, value) {
        // A schema may come as text.
        (Kind::JsonSchema, Value::String(text)) => text,
        (Kind::JsonSchema, value @ (Value::Object(_) | Value::Bool(_))) => value.to_string(),
        (Kind::JsonSchema, _) => return Err(wrong("a JSON Schema")),
        (Kind::Regex | Kind::Grammar, Value::String(text)) => text,
        (Kind::Regex | Kind::Grammar, _) => return Err(wrong("a string")),
        (Kind::Choice, Value::Array(list)) if !list.is_empty() && list.iter().all(Value::is_string) => {
            Value::Array(list).to_string()
        }
        (Kind::Choice, _) => return Err(wrong("an array of strings that is not empty")),
    };
    if kind == Kind::Grammar && !text.contains("::=") && !text.trim().is_empty() {
        return Err(not_yet(path, "grammars in another notation than GBNF or EBNF (`root ::= …`)"));
    }
    Ok(Asked::new(Source::new(kind, text), path))
}

fn not_yet(path: &str, what: &str) -> ApiError {
    ApiError::field(path, format!("`{path}`: {what} are not supported yet")).code("not_supported")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn read(body: &str) -> Result<Option<Asked>, String> {
        let mut fields = Fields::of(parse(body.as_bytes()).unwrap(), "").unwrap();
        let asked = from_fields(&mut fields).map_err(|error| error.json().to_string())?;
        fields.finish(&[]).map_err(|error| error.json().to_string())?;
        Ok(asked)
    }

    #[test]
    fn all_dialects() {
        let schema = r#"{"type":"object","b":1,"a":2}"#;
        for body in [
            r#"{"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":S}}}"#,
            r#"{"structured_outputs":{"json":S}}"#,
            r#"{"guided_json":S}"#,
        ] {
            let asked = read(&body.replace('S', schema)).unwrap().unwrap();
            assert_eq!((asked.source.kind, &*asked.source.text), (Kind::JsonSchema, schema));
        }
        assert!(read(r#"{"response_format":{"type":"text"},"guided_json":null}"#).unwrap().is_none());
        let asked = read(r#"{"structured_outputs":{"choice":["a","b"]}}"#).unwrap().unwrap();
        assert_eq!((asked.source.kind, &*asked.source.text), (Kind::Choice, r#"["a","b"]"#));
    }

    #[test]
    fn nothing_is_ignored() {
        for (body, part) in [
            (
                r#"{"response_format":{"type":"json_schema","json_schema":{"schema":{},"x":1}}}"#,
                "json_schema.x",
            ),
            (r#"{"response_format":{"type":"text","schema":{}}}"#, "response_format.schema"),
            (r#"{"response_format":{"type":"xml"}}"#, "xml"),
            (r#"{"structured_outputs":{"lark":"x"}}"#, "exactly one"),
            (r#"{"structured_outputs":{"regex":"x","lark":"x"}}"#, "structured_outputs.lark"),
            (r#"{"structured_outputs":{"regex":"x","json":{}}}"#, "exactly one"),
            (r#"{"structured_outputs":{"structural_tag":{}}}"#, "not supported yet"),
            (r#"{"guided_regex":"x","guided_choice":["a"]}"#, "both ask"),
            (r#"{"guided_lark":"x"}"#, "guided_lark"),
            (r#"{"guided_grammar":"start: \"a\""}"#, "not supported yet"),
            (r#"{"guided_choice":[]}"#, "not empty"),
        ] {
            let error = read(body).unwrap_err();
            assert!(error.contains(part), "{body}: {error}");
        }
    }
}
