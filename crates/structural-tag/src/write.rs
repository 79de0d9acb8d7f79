//! Tree → JSON.

use tokenstile_json_schema::Json;

use crate::format::*;

/// The text of a JSON value.
pub(crate) fn json_text(value: &Json<'_>) -> String {
    let mut out = String::new();
    json(value, &mut out);
    out
}

fn json(value: &Json<'_>, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(is) => out.push_str(if *is { "true" } else { "false" }),
        Json::Number(text) => out.push_str(text),
        Json::String(text) => string(text, out),
        Json::Array(items) => list(items.iter(), out, json),
        Json::Object(members) => {
            out.push('{');
            for (i, (key, value)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                string(key, out);
                out.push(':');
                json(value, out);
            }
            out.push('}');
        }
    }
}

/// A text as a JSON string.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
}

fn list<T>(items: impl Iterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    out.push('[');
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

fn texts(items: &[String], out: &mut String) {
    list(items.iter(), out, |item, out| string(item, out));
}

fn token(token: &Token, out: &mut String) {
    match token {
        Token::Id(id) => out.push_str(&id.to_string()),
        Token::Text(text) => string(text, out),
    }
}

fn tokens(items: &[Token], out: &mut String) {
    list(items.iter(), out, token);
}

fn count(count: Option<u32>, out: &mut String) {
    match count {
        None => out.push_str("null"),
        Some(count) => out.push_str(&count.to_string()),
    }
}

/// An object that begins with its type.
struct Object<'o>(&'o mut String);

impl<'o> Object<'o> {
    fn new(name: &str, out: &'o mut String) -> Self {
        out.push_str("{\"type\":");
        string(name, out);
        Object(out)
    }

    /// One more member, whose value `write` writes.
    fn with(self, key: &str, write: impl FnOnce(&mut String)) -> Self {
        self.0.push(',');
        string(key, self.0);
        self.0.push(':');
        write(self.0);
        self
    }

    fn flag(self, key: &str, is: bool) -> Self {
        self.with(key, |out| out.push_str(if is { "true" } else { "false" }))
    }

    fn end(self) {
        self.0.push('}');
    }
}

impl StructuralTag {
    /// The structural tag as JSON, with all fields of all formats.
    ///
    /// ```
    /// use tokenstile_structural_tag::{Format, StructuralTag};
    /// let tag = StructuralTag::new(Format::ConstString("yes".into()));
    /// assert_eq!(tag.to_json(), r#"{"type":"structural_tag","format":{"type":"const_string","value":"yes"}}"#);
    /// ```
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        Object::new("structural_tag", &mut out).with("format", |out| format(&self.format, out)).end();
        out
    }
}

fn format(value: &Format, out: &mut String) {
    let with_content = |name, content: &Format, out: &mut String| {
        Object::new(name, out).with("content", |out| format(content, out)).end();
    };
    let with_elements = |name, elements: &[Format], out: &mut String| {
        Object::new(name, out).with("elements", |out| list(elements.iter(), out, format)).end();
    };
    match value {
        Format::ConstString(text) => {
            Object::new("const_string", out).with("value", |out| string(text, out)).end();
        }
        Format::JsonSchema(schema) => json_schema(schema, out),
        Format::Grammar(text) => Object::new("grammar", out).with("grammar", |out| string(text, out)).end(),
        Format::Regex(text) => Object::new("regex", out).with("pattern", |out| string(text, out)).end(),
        Format::AnyText(text) => Object::new("any_text", out)
            .with("excludes", |out| texts(&text.excludes, out))
            .with("max_tokens", |out| count(text.max_tokens, out))
            .with("max_chars", |out| count(text.max_chars, out))
            .end(),
        Format::Sequence(elements) => with_elements("sequence", elements, out),
        Format::Or(elements) => with_elements("or", elements, out),
        Format::Optional(content) => with_content("optional", content, out),
        Format::Plus(content) => with_content("plus", content, out),
        Format::Star(content) => with_content("star", content, out),
        Format::Repeat(repeat) => Object::new("repeat", out)
            .with("min", |out| out.push_str(&repeat.min.to_string()))
            .with("max", |out| out.push_str(&repeat.max.map_or(-1, i64::from).to_string()))
            .with("content", |out| format(&repeat.content, out))
            .end(),
        Format::Tag(value) => tag(value, out),
        Format::TriggeredTags(value) => Object::new("triggered_tags", out)
            .with("triggers", |out| texts(&value.triggers, out))
            .with("tags", |out| list(value.tags.iter(), out, tag))
            .flag("at_least_one", value.at_least_one)
            .flag("stop_after_first", value.stop_after_first)
            .with("excludes", |out| texts(&value.excludes, out))
            .end(),
        Format::TagsWithSeparator(value) => Object::new("tags_with_separator", out)
            .with("tags", |out| list(value.tags.iter(), out, tag))
            .with("separator", |out| string(&value.separator, out))
            .flag("at_least_one", value.at_least_one)
            .flag("stop_after_first", value.stop_after_first)
            .end(),
        Format::Dispatch(value) => Object::new("dispatch", out)
            .with("rules", |out| rules(&value.rules, out, |text, out| string(text, out)))
            .flag("loop", value.repeats)
            .with("excludes", |out| texts(&value.excludes, out))
            .end(),
        _ => of_tokens(value, out),
    }
}

/// The formats that are about tokens.
fn of_tokens(value: &Format, out: &mut String) {
    match value {
        Format::TokenTriggeredTags(value) => Object::new("token_triggered_tags", out)
            .with("trigger_tokens", |out| tokens(&value.trigger_tokens, out))
            .with("tags", |out| list(value.tags.iter(), out, tag))
            .with("exclude_tokens", |out| tokens(&value.exclude_tokens, out))
            .flag("at_least_one", value.at_least_one)
            .flag("stop_after_first", value.stop_after_first)
            .end(),
        Format::TokenDispatch(value) => Object::new("token_dispatch", out)
            .with("rules", |out| rules(&value.rules, out, token))
            .flag("loop", value.repeats)
            .with("exclude_tokens", |out| tokens(&value.exclude_tokens, out))
            .end(),
        Format::Token(value) => single(value, out),
        Format::ExcludeToken(value) => {
            Object::new("exclude_token", out).with("exclude_tokens", |out| tokens(value, out)).end();
        }
        Format::AnyTokens(value) => Object::new("any_tokens", out)
            .with("exclude_tokens", |out| tokens(&value.exclude_tokens, out))
            .with("max_tokens", |out| count(value.max_tokens, out))
            .end(),
        _ => {}
    }
}

fn single(value: &Token, out: &mut String) {
    Object::new("token", out).with("token", |out| token(value, out)).end();
}

fn json_schema(value: &JsonSchema, out: &mut String) {
    Object::new("json_schema", out)
        .with("json_schema", |out| out.push_str(&value.schema))
        .with("style", |out| string(value.style.name(), out))
        .flag("any_order", value.any_order)
        .with("max_whitespace_cnt", |out| count(value.max_whitespace, out))
        .with("excludes", |out| texts(&value.excludes, out))
        .end();
}

fn tag(value: &Tag, out: &mut String) {
    Object::new("tag", out)
        .with("begin", |out| match &value.begin {
            Begin::Text(text) => string(text, out),
            Begin::Token(token) => single(token, out),
        })
        .with("content", |out| format(&value.content, out))
        .with("end", |out| match &value.end {
            End::Texts(ends) => match &ends[..] {
                [end] => string(end, out),
                ends => texts(ends, out),
            },
            End::Token(token) => single(token, out),
        })
        .end();
}

fn rules<P>(rules: &[(P, Format)], out: &mut String, pattern: impl Fn(&P, &mut String)) {
    list(rules.iter(), out, |(key, content), out| {
        out.push('[');
        pattern(key, out);
        out.push(',');
        format(content, out);
        out.push(']');
    });
}
