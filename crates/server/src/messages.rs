//! Conversations: what clients send, as messages that a chat template takes.
//!
//! Calls of tools and their results become text in the form that most models were trained on, so that templates which
//! know nothing of tools can carry them.

use serde_json::{Value, json};
use tokenstile_runtime::Message;

use crate::error::ApiError;
use crate::json::Fields;

/// What begins a call of a tool.
pub(crate) const CALL: &str = "<tool_call>";
/// What ends it.
pub(crate) const CALL_END: &str = "</tool_call>";

/// Reads the messages of a chat.
pub(crate) fn read(list: Vec<Value>, field: &str, has_tool_role: bool) -> Result<Vec<Message>, ApiError> {
    if list.is_empty() {
        return Err(ApiError::field(field, format!("`{field}` must have at least one message")));
    }
    let numbered = list.into_iter().enumerate();
    numbered.map(|(at, value)| message(value, format!("{field}[{at}]"), has_tool_role)).collect()
}

fn message(value: Value, path: String, has_tool_role: bool) -> Result<Message, ApiError> {
    let mut fields = Fields::of(value, &path)?;
    let role = fields.needed_text("role")?;
    let mut content = content(&mut fields, "content")?;
    let role = match &*role {
        "system" | "developer" => "system",
        "user" => "user",
        "assistant" => {
            for call in fields.list("tool_calls")?.unwrap_or_default() {
                content.push_str(&call_text(Fields::of(call, format!("{path}.tool_calls"))?)?);
            }
            "assistant"
        }
        "tool" | "function" => return Ok(result(&content, has_tool_role)),
        other => return Err(fields.wrong("role", &format!("is `{other}`, which is not known"))),
    };
    fields.finish(&[
        "name",
        "refusal",
        "audio",
        "annotations",
        "function_call",
        "reasoning_content",
        "parsed",
    ])?;
    Ok(Message::new(role, content))
}

/// What a tool has answered.
pub(crate) fn result(content: &str, has_tool_role: bool) -> Message {
    match has_tool_role {
        true => Message::new("tool", content),
        false => Message::new("user", format!("<tool_response>\n{content}\n</tool_response>")),
    }
}

fn call_text(mut fields: Fields) -> Result<String, ApiError> {
    let mut function = fields.object("function")?.ok_or_else(|| fields.wrong("function", "is missing"))?;
    let name = function.needed_text("name")?;
    let arguments = function.needed_text("arguments")?;
    Ok(call(&name, &arguments))
}

/// A call as text.
pub(crate) fn call(name: &str, arguments: &str) -> String {
    let name = json!(name);
    format!("{CALL}\n{{\"name\":{name},\"arguments\":{arguments}}}\n{CALL_END}")
}

/// A text, or a list of parts of text.
pub(crate) fn content(fields: &mut Fields, name: &str) -> Result<String, ApiError> {
    let list = match fields.take(name) {
        None => return Ok(String::new()),
        Some(Value::String(text)) => return Ok(text),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(fields.wrong(name, "must be a string or an array of parts")),
    };
    let mut whole = String::new();
    for part in list {
        let mut part = Fields::of(part, fields.path(name))?;
        match &*part.needed_text("type")? {
            "text" | "input_text" | "output_text" => whole.push_str(&part.needed_text("text")?),
            "refusal" => whole.push_str(&part.needed_text("refusal")?),
            other => {
                return Err(part.wrong("type", &format!("is `{other}`: only text is supported")));
            }
        }
        part.finish(&["annotations", "logprobs", "cache_control"])?;
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn messages(text: &str) -> Result<Vec<Message>, ApiError> {
        let Ok(Value::Array(list)) = parse(text.as_bytes()) else { panic!("no list") };
        read(list, "messages", false)
    }

    #[test]
    fn parts_calls_and_results_become_text() {
        let read = messages(
            r#"[{"role":"developer","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
                {"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",
                 "function":{"name":"f","arguments":"{\"x\":1}"}}]},
                {"role":"tool","tool_call_id":"1","content":"2"}]"#,
        );
        let read = read.unwrap();
        assert_eq!(read[0], Message::new("system", "ab"));
        let call = "<tool_call>\n{\"name\":\"f\",\"arguments\":{\"x\":1}}\n</tool_call>";
        assert_eq!(read[1], Message::new("assistant", call));
        assert_eq!(read[2], Message::new("user", "<tool_response>\n2\n</tool_response>"));
    }

    #[test]
    fn what_is_not_text_is_refused() {
        assert!(
            messages(r#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]"#)
                .is_err()
        );
        assert!(messages(r#"[{"role":"pirate","content":"x"}]"#).is_err());
        assert!(messages(r#"[{"role":"user","content":"x","constraint":1}]"#).is_err());
        assert!(messages("[]").is_err());
    }
}
