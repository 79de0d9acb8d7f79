//! Tools: what may be called, the constraint that holds a call to its schema, and calls as they are read from a text.
//!
//! A call is `{"name":…,"arguments":{…}}`, written without white space and in this order, so that the text up to the
//! arguments is known for each tool and the arguments can be passed on while they are written.

use serde_json::{Value, json};
use tokenstile_runtime::Message;

use crate::constraint::{Asked, Kind, Source};
use crate::error::ApiError;
use crate::json::Fields;
use crate::messages::{CALL, CALL_END};

/// Most tools of a request.
const MOST: usize = 128;

/// Whether a tool is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Never.
    None,
    /// If the model begins a call.
    Auto,
    /// In any case.
    Required,
}

/// The tools of a request.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// As they are told to the model.
    told: Vec<Value>,
    /// Those that may be called.
    callable: Vec<Tool>,
    pub(crate) choice: Choice,
}

#[derive(Clone, Debug)]
struct Tool {
    name: String,
    parameters: String,
}

/// Takes `tools` and `tool_choice`. In responses they are `flat`: the function is not an object of its own.
pub(crate) fn from_fields(fields: &mut Fields, flat: bool) -> Result<Option<Tools>, ApiError> {
    let choice = fields.take("tool_choice");
    let list = fields.list("tools")?.unwrap_or_default();
    if list.is_empty() {
        return match choice.as_ref().and_then(Value::as_str) {
            None if choice.is_some() => Err(fields.wrong("tool_choice", "needs `tools`")),
            Some("required") => Err(fields.wrong("tool_choice", "needs `tools`")),
            _ => Ok(None),
        };
    }
    if list.len() > MOST {
        return Err(fields.wrong("tools", "must be at most 128 tools"));
    }
    let mut tools = Tools { told: Vec::new(), callable: Vec::new(), choice: Choice::Auto };
    for (at, value) in list.into_iter().enumerate() {
        let path = fields.path(&format!("tools[{at}]"));
        tools.add(Fields::of(value, path)?, flat)?;
    }
    tools.choose(choice, fields, flat)?;
    Ok(Some(tools))
}

impl Tools {
    fn add(&mut self, mut fields: Fields, flat: bool) -> Result<(), ApiError> {
        let kind = fields.needed_text("type")?;
        if kind != "function" {
            return Err(fields.wrong("type", &format!("is `{kind}`: only functions are supported")));
        }
        if flat {
            return self.add_function(fields);
        }
        let function = fields.object("function")?.ok_or_else(|| fields.wrong("function", "is missing"))?;
        fields.finish(&[])?;
        self.add_function(function)
    }

    fn add_function(&mut self, mut fields: Fields) -> Result<(), ApiError> {
        let name = fields.needed_text("name")?;
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        if name.is_empty() || name.len() > 64 || !is_plain {
            return Err(fields.wrong("name", "must be 1 to 64 letters, digits, `_`, `-` or `.`"));
        }
        if self.callable.iter().any(|tool| tool.name == name) {
            return Err(fields.wrong("name", &format!("is `{name}`, which another tool has")));
        }
        let description = fields.text("description")?.unwrap_or_default();
        let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let parameters = fields.take("parameters").unwrap_or(closed);
        if !parameters.is_object() {
            return Err(fields.wrong("parameters", "must be a JSON Schema"));
        }
        fields.flag("strict")?;
        fields.finish(&[])?;
        self.callable.push(Tool { name: name.clone(), parameters: parameters.to_string() });
        let function = json!({"name": name, "description": description, "parameters": parameters});
        self.told.push(json!({"type": "function", "function": function}));
        Ok(())
    }

    fn choose(&mut self, choice: Option<Value>, fields: &Fields, flat: bool) -> Result<(), ApiError> {
        let wrong = |must: &str| fields.wrong("tool_choice", must);
        match choice {
            None => {}
            Some(Value::String(word)) => {
                self.choice = match &*word {
                    "none" => Choice::None,
                    "auto" => Choice::Auto,
                    "required" | "any" => Choice::Required,
                    _ => return Err(wrong("must be none, auto, required or a function")),
                };
            }
            Some(value) => {
                let mut named = Fields::of(value, "tool_choice")?;
                if named.needed_text("type")? != "function" {
                    return Err(wrong("must be none, auto, required or a function"));
                }
                let name = match named.object("function")? {
                    Some(mut function) => function.needed_text("name")?,
                    None if flat => named.needed_text("name")?,
                    None => return Err(wrong("must name a function")),
                };
                self.callable.retain(|tool| tool.name == name);
                if self.callable.is_empty() {
                    return Err(wrong(&format!("names `{name}`, which is not among the tools")));
                }
                self.choice = Choice::Required;
            }
        }
        Ok(())
    }

    /// What the text is held to: a call, or what `otherwise` says, which is a JSON Schema.
    pub(crate) fn constraint(&self, otherwise: Option<&Source>) -> Asked {
        let address = |at: usize| format!("tool:/{at}");
        let call = |(at, tool): (usize, &Tool)| {
            json!({
                "type": "object",
                "properties": {
                    "name": {"const": tool.name},
                    "arguments": {"type": "object", "$ref": address(at)},
                },
                "required": ["name", "arguments"],
                "additionalProperties": false,
            })
        };
        let mut calls: Vec<Value> = self.callable.iter().enumerate().map(call).collect();
        let mut documents: Vec<(String, String)> = self
            .callable
            .iter()
            .enumerate()
            .map(|(at, tool)| (address(at), tool.parameters.clone()))
            .collect();
        if let Some(source) = otherwise {
            calls.push(json!({"$ref": address(calls.len())}));
            documents.push((address(documents.len()), source.text.clone()));
            documents.extend(source.documents.iter().cloned());
        }
        let schema = match <[Value; 1]>::try_from(calls) {
            Ok([call]) => call,
            Err(calls) => json!({"anyOf": calls}),
        };
        // Behind the text that begins a call, most models break the line.
        let on_new_line = self.choice == Choice::Auto && otherwise.is_none();
        let source = Source { documents, on_new_line, ..Source::new(Kind::JsonSchema, schema.to_string()) };
        Asked::new(source, "tools")
    }

    /// The tools in the form that templates take.
    pub(crate) fn told(&self) -> Value {
        Value::Array(self.told.clone())
    }

    /// Tells the model of the tools in the first message, for templates that do not.
    pub(crate) fn tell(&self, messages: &mut Vec<Message>) {
        let list: Vec<String> = self.told.iter().map(|tool| tool["function"].to_string()).collect();
        let text = format!(
            "You may call one of these functions to answer the user:\n{}\n\
             To call one, write {CALL}\n{{\"name\":\"the function's name\",\"arguments\":{{...}}}}\n{CALL_END}",
            list.join("\n")
        );
        match messages.first_mut() {
            Some(first) if first.role == "system" => first.content = format!("{}\n\n{text}", first.content),
            _ => messages.insert(0, Message::new("system", text)),
        }
    }

    /// Reads a call.
    pub(crate) fn reader(&self) -> CallReader {
        let start = |tool: &Tool| (tool.name.clone(), format!("{{\"name\":\"{}\",\"arguments\":", tool.name));
        CallReader { starts: self.callable.iter().map(start).collect(), text: String::new(), sent: None }
    }
}

/// Reads one call from a text that comes in pieces.
#[derive(Clone, Debug)]
pub(crate) struct CallReader {
    /// Names, and how a call of each begins.
    starts: Vec<(String, String)>,
    text: String,
    /// How much of the text was passed on, once it is known which tool is called.
    sent: Option<usize>,
}

/// What a piece of text says of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallPiece {
    /// The name, once it is known.
    pub(crate) name: Option<String>,
    /// More of the arguments.
    pub(crate) arguments: String,
}

impl CallReader {
    /// Whether the text so far may be a call.
    pub(crate) fn may_be_call(&self) -> bool {
        self.sent.is_some() || self.starts.iter().any(|(_, start)| start.starts_with(&*self.text))
    }

    /// The text so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes more of the text.
    pub(crate) fn push(&mut self, piece: &str) -> CallPiece {
        self.text.push_str(if self.text.is_empty() { piece.trim_start() } else { piece });
        let mut found = CallPiece::default();
        let sent = match self.sent {
            Some(sent) => sent,
            None => {
                let start = self.starts.iter().find(|(_, start)| self.text.starts_with(&**start));
                let Some((name, start)) = start else { return found };
                found.name = Some(name.clone());
                start.len()
            }
        };
        // A brace at the end may be the one that closes the call, which is none of the arguments.
        let end = self.text.strip_suffix('}').unwrap_or(&self.text).len().max(sent);
        found.arguments.push_str(&self.text[sent..end]);
        self.sent = Some(end);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn tools(body: &str) -> Result<Option<Tools>, String> {
        let mut fields = Fields::of(parse(body.as_bytes()).unwrap(), "").unwrap();
        from_fields(&mut fields, false).map_err(|error| error.json().to_string())
    }

    const TWO: &str = r##""tools":[
        {"type":"function","function":{"name":"add","parameters":{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},
         "required":["a"],"additionalProperties":false,"$defs":{"n":{"type":"integer"}}}}},
        {"type":"function","function":{"name":"now"}}]"##;

    #[test]
    fn choices_are_read() {
        let of = |choice: &str| tools(&format!("{{{TWO},\"tool_choice\":{choice}}}"));
        assert_eq!(of("\"auto\"").unwrap().unwrap().choice, Choice::Auto);
        assert_eq!(of("\"required\"").unwrap().unwrap().callable.len(), 2);
        let named = of(r#"{"type":"function","function":{"name":"now"}}"#).unwrap().unwrap();
        assert_eq!((named.choice, named.callable.len(), named.told.len()), (Choice::Required, 1, 2));
        assert!(of(r#"{"type":"function","function":{"name":"x"}}"#).is_err());
        assert!(of("\"sometimes\"").is_err());
        assert!(tools(r#"{"tool_choice":"required"}"#).is_err());
        assert!(tools(r#"{"tools":[{"type":"web_search"}]}"#).is_err());
        assert!(tools("{}").unwrap().is_none());
    }

    #[test]
    fn calls_are_held_to_their_schemas() {
        let tools = tools(&format!("{{{TWO}}}")).unwrap().unwrap();
        let limits = tokenstile::Limits::default();
        let grammar = tools.constraint(None).source.grammar(&limits).unwrap();
        let bytes = (0..=255u8).map(|byte| (u32::from(byte), [byte])).filter(|(id, _)| *id < 255);
        let vocab = tokenstile::Vocab::from_tokens(bytes, &[255]).unwrap();
        let constraint = tokenstile::Compiler::new(vocab).compile(&grammar).unwrap();
        let accepts = |text: &str| {
            let mut matcher = constraint.matcher();
            matcher.commit_bytes(text.as_bytes()).is_ok() && matcher.is_accepting()
        };
        assert!(accepts(r#"{"name":"add","arguments":{"a":12}}"#));
        assert!(accepts("\n{\"name\":\"now\",\"arguments\":{}}"));
        assert!(!accepts(r#"{"name":"add","arguments":{}}"#));
        assert!(!accepts(r#"{"name":"now","arguments":{"a":12}}"#));
        assert!(!accepts(r#"{"name":"sub","arguments":{}}"#));
    }

    #[test]
    fn arguments_come_in_pieces() {
        let tools = tools(&format!("{{{TWO}}}")).unwrap().unwrap();
        let mut reader = tools.reader();
        let text = "\n{\"name\":\"add\",\"arguments\":{\"a\":{\"b\":1}}}";
        let (mut name, mut arguments) = (None, String::new());
        for at in 0..text.len() {
            let piece = reader.push(&text[at..=at]);
            name = name.or(piece.name);
            arguments.push_str(&piece.arguments);
        }
        assert_eq!((name.as_deref(), &*arguments), (Some("add"), "{\"a\":{\"b\":1}}"));
        let whole = tools.reader().push(text);
        assert_eq!(whole.arguments, "{\"a\":{\"b\":1}}");
    }
}
