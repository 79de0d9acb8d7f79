//! Chat formats that are put together in a way of their own.

use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, Limits};

use bumpalo::Bump;
use tokenstile_json_schema::Json;

use super::build::{any_text, arguments, constant, excluded, number, separated, tag, think};
use super::table::Thought;
use super::tools::{Chosen, Must, Tool, no_form};
use super::{PresetOptions, Reasoning};
use crate::format::*;

/// Makes what a model writes.
type Make = fn(&Chosen<'_>, &PresetOptions) -> Result<Format, Error>;

/// The models, with what makes their formats.
pub(super) const OWN: [(&str, Make); 4] =
    [("kimi_k3", kimi_k3), ("harmony", harmony), ("plamo3", plamo3), ("hy_v4", hy_v4)];

/// Refuses tools of the server.
fn functions_only(chosen: &Chosen<'_>, model: &str) -> Result<(), Error> {
    match chosen.builtins.first() {
        Some(tool) => Err(no_form(model, &format!("the tool `{}` of the server", tool.name))),
        None => Ok(()),
    }
}

/// Channels for thoughts, the answer and calls, and a mark that ends the message.
fn kimi_k3(chosen: &Chosen<'_>, options: &PresetOptions) -> Result<Format, Error> {
    functions_only(chosen, "kimi_k3")?;
    let thought = Thought {
        begin: "<|open|>think<|sep|>",
        end: "<|close|>think<|sep|>",
        suffix: "",
        excludes: [&["<|open|>", "<|close|>"]; 2],
        prompted: true,
        instead: &[],
        end_alone: false,
    };
    let call = |tool: &&Tool| {
        let mut arguments = arguments(tool, Style::KimiK3Xml, options);
        arguments.excludes = excluded(&["<|open|>", "<|close|>", "<|sep|>"], options);
        let content = vec![number(), constant("\"<|sep|>"), Format::JsonSchema(arguments)];
        let begin = format!("<|open|>call tool=\"{}\" index=\"", tool.name);
        tag(begin, Format::Sequence(content), "<|close|>call<|sep|>")
    };
    let (begin, end) = ("<|open|>tools<|sep|>", "<|close|>tools<|sep|>");
    let tags: Vec<Tag> = chosen.functions.iter().map(call).collect();
    let several = |tags| separated(tags, "", !options.parallel_tool_calls);
    let calls = match chosen.must {
        _ if tags.is_empty() => None,
        Must::Nothing => {
            Some(Format::Optional(Box::new(Format::Tag(Box::new(tag(begin, several(tags), end))))))
        }
        Must::CallOne => Some(Format::Sequence(vec![constant(begin), several(tags), constant(end)])),
        Must::CallThis => {
            let only = tags.into_iter().map(|tag| Format::Tag(Box::new(tag)));
            Some(Format::Sequence([constant(begin)].into_iter().chain(only).chain([constant(end)]).collect()))
        }
    };
    let disabled = options.reasoning == Reasoning::Disabled;
    let answer_begin = if disabled { "" } else { "<|open|>response<|sep|>" };
    let text = any_text(excluded(&["<|open|>", "<|close|>"], options));
    let answer = Format::Tag(Box::new(tag(answer_begin, text, "<|close|>response<|sep|>")));
    let mut elements = Vec::new();
    elements.extend((!disabled).then(|| think(&thought, options)));
    elements.push(answer);
    elements.extend(calls);
    elements.push(constant("<|close|>message<|sep|>"));
    Ok(Format::Sequence(elements))
}

/// Messages in channels, of which calls are one kind.
fn harmony(chosen: &Chosen<'_>, options: &PresetOptions) -> Result<Format, Error> {
    let message = |channel: &str| Tag {
        end: End::Texts(vec!["<|end|>".to_owned(), "<|return|>".to_owned()]),
        ..tag(format!("<|channel|>{channel}<|message|>"), any_text(Vec::new()), "")
    };
    let call = |begin: String, tool: &Tool| {
        tag(begin, Format::JsonSchema(arguments(tool, Style::Json, options)), "<|call|>")
    };
    let functions = chosen.functions.iter().flat_map(|tool| {
        let to = format!("to=functions.{}", tool.name);
        [
            call(format!("<|channel|>commentary {to}<|constrain|>json<|message|>"), tool),
            call(format!(" {to}<|channel|>commentary <|constrain|>json<|message|>"), tool),
            call(format!(" {to}<|channel|>commentary json<|message|>"), tool),
        ]
    });
    let builtins = chosen.builtins.iter().flat_map(|tool| {
        let to = format!("to={}", tool.name);
        [
            call(format!("<|channel|>commentary {to} code<|message|>"), tool),
            call(format!(" {to}<|channel|>commentary code<|message|>"), tool),
        ]
    });
    // Which kind comes first has no meaning: it is how others print it.
    let calls: Vec<Tag> = match chosen.must {
        Must::Nothing => functions.chain(builtins).collect(),
        _ => builtins.chain(functions).collect(),
    };
    let mut messages = Vec::new();
    messages.extend((chosen.must == Must::Nothing).then(|| message("final")));
    messages.extend((options.reasoning != Reasoning::Disabled).then(|| message("analysis")));
    let row = |tags: Vec<Tag>, at_least_one, stop_after_first| {
        let separator = "<|start|>assistant".to_owned();
        Format::TagsWithSeparator(TagsWithSeparator { tags, separator, at_least_one, stop_after_first })
    };
    if options.parallel_tool_calls || calls.is_empty() {
        return Ok(row(calls.into_iter().chain(messages).collect(), false, false));
    }
    let one_call = row(calls, true, true);
    if messages.is_empty() {
        return Ok(Format::Optional(Box::new(one_call)));
    }
    let then = vec![row(messages.clone(), true, false), constant("<|start|>assistant"), one_call.clone()];
    Ok(Format::Or(vec![row(messages, false, false), one_call, Format::Sequence(then)]))
}

/// Requests in a section that may end the turn.
fn plamo3(chosen: &Chosen<'_>, options: &PresetOptions) -> Result<Format, Error> {
    functions_only(chosen, "plamo3")?;
    let mark = |name: &str| format!("<|plamo:{name}:plamo|>");
    let request = |tool: &&Tool| {
        let begin = [
            mark("begin_tool_request"),
            mark("begin_tool_name"),
            tool.name.clone(),
            mark("end_tool_name"),
            mark("begin_tool_arguments"),
            "<|plamo:constrain|>json<|plamo:msg|>".to_owned(),
        ];
        let content = Format::JsonSchema(arguments(tool, Style::Json, options));
        tag(begin.concat(), content, mark("end_tool_arguments") + &mark("end_tool_request"))
    };
    let tags: Vec<Tag> = chosen.functions.iter().map(request).collect();
    if tags.is_empty() {
        return Ok(any_text(Vec::new()));
    }
    let one = !options.parallel_tool_calls;
    let (begin, end) = (mark("begin_tool_requests"), mark("end_tool_requests"));
    let section = Tag {
        begin: Begin::Text(begin.clone()),
        content: separated(tags, "", one || chosen.must == Must::CallThis),
        end: End::Texts(vec![end.clone(), end + "<|plamo:tag|>"]),
    };
    Ok(match chosen.must {
        Must::Nothing => Format::TriggeredTags(TriggeredTags {
            triggers: vec![begin],
            tags: vec![section],
            stop_after_first: one,
            ..TriggeredTags::default()
        }),
        _ => Format::Tag(Box::new(section)),
    })
}

/// Keys and values, each between marks; the values are free text.
fn hy_v4(chosen: &Chosen<'_>, options: &PresetOptions) -> Result<Format, Error> {
    functions_only(chosen, "hy_v4")?;
    let mark = |name: &str| format!("<{name}{}>", options.token_suffix);
    let pair = |key: String| {
        let before = [mark("arg_key"), key, mark("/arg_key"), mark("arg_value")];
        let texts = before.into_iter().map(constant);
        let value = [any_text(Vec::new()), constant(mark("/arg_value"))];
        Format::Sequence(texts.chain(value).collect())
    };
    let call = |tool: &&Tool| {
        let (required, optional) = keys(tool)?;
        let mut elements: Vec<Format> = required.into_iter().map(pair).collect();
        let mut optional: Vec<Format> = optional.into_iter().map(pair).collect();
        match optional.len() {
            0 => {}
            1 => elements.extend(optional.pop().map(|one| Format::Star(Box::new(one)))),
            _ => elements.push(Format::Star(Box::new(Format::Or(optional)))),
        }
        let content = if elements.is_empty() { any_text(Vec::new()) } else { Format::Sequence(elements) };
        Ok(tag(mark("tool_call") + &tool.name, content, mark("/tool_call")))
    };
    let tags = chosen.functions.iter().map(call).collect::<Result<Vec<Tag>, Error>>()?;
    let one = !options.parallel_tool_calls;
    let (begin, end) = (mark("tool_calls"), mark("/tool_calls"));
    let answer = match chosen.must {
        _ if tags.is_empty() => any_text(Vec::new()),
        Must::Nothing => Format::TriggeredTags(TriggeredTags {
            triggers: vec![begin.clone()],
            tags: vec![tag(begin, separated(tags, "", one), end)],
            stop_after_first: one,
            ..TriggeredTags::default()
        }),
        must => {
            let calls = separated(tags, "", one || must == Must::CallThis);
            Format::Sequence(vec![constant(begin), calls, constant(end)])
        }
    };
    let thought = || Format::Tag(Box::new(tag("", any_text(Vec::new()), mark("/think"))));
    Ok(match options.reasoning {
        Reasoning::Disabled => answer,
        Reasoning::Enabled => Format::Sequence(vec![thought(), answer]),
        Reasoning::Auto => Format::Sequence(vec![Format::Optional(Box::new(thought())), answer]),
    })
}

/// The keys of a tool's arguments: those that must be there, and the others.
fn keys(tool: &Tool) -> Result<(Vec<String>, Vec<String>), Error> {
    let Some(schema) = &tool.parameters else { return Ok((Vec::new(), Vec::new())) };
    let (room, limits) = (Bump::new(), Limits::default());
    let schema = Json::parse(schema, &room, &limits, &mut Budget::new(&limits))?;
    let properties: &[(&str, Json<'_>)] = match schema.get("properties") {
        Some(Json::Object(properties)) => properties,
        _ => &[],
    };
    let required: Vec<&str> = match schema.get("required") {
        Some(Json::Array(items)) => items.iter().filter_map(|item| item.as_str()).collect(),
        _ => Vec::new(),
    };
    let (mut must, may): (Vec<_>, Vec<_>) =
        properties.iter().map(|(key, _)| (*key).to_owned()).partition(|key| required.contains(&&key[..]));
    let beside = required.iter().filter(|key| !properties.iter().any(|(name, _)| name == *key));
    must.extend(beside.map(|key| (*key).to_owned()));
    Ok((must, may))
}
