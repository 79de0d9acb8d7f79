//! A row of the table, and tools → tree.

use super::table::{Call, Place, Preset, Required, Section, Thought};
use super::tools::{Chosen, Must, Tool};
use super::{PresetOptions, Reasoning};
use crate::format::*;

/// What a model writes: a thought, and then text, calls, or both.
pub(super) fn build(preset: &Preset, chosen: &Chosen<'_>, options: &PresetOptions) -> Format {
    let tags: Vec<Tag> = chosen.functions.iter().flat_map(|tool| calls(preset, tool, options)).collect();
    let answer = match (&preset.place, chosen.must) {
        _ if tags.is_empty() => alone(preset, options),
        (Place::Text { trigger } | Place::Row { trigger }, Must::Nothing) => {
            Format::TriggeredTags(triggered(trigger, tags, preset, options))
        }
        (Place::Text { trigger }, Must::CallOne) => Format::TriggeredTags(TriggeredTags {
            at_least_one: true,
            ..triggered(trigger, tags, preset, options)
        }),
        (Place::Text { .. }, Must::CallThis) => first(tags),
        (Place::Row { .. }, must) => {
            separated(tags, "", must == Must::CallThis || !options.parallel_tool_calls)
        }
        (Place::Section(section), must) => in_section(section, must, tags, preset, options),
    };
    let Some(thought) = &preset.thought else { return answer };
    let mut elements = before(thought, options);
    if elements.is_empty() {
        return answer;
    }
    elements.push(answer);
    Format::Sequence(elements)
}

/// The ways in which a tool can be called.
fn calls(preset: &Preset, tool: &Tool, options: &PresetOptions) -> impl Iterator<Item = Tag> {
    let arguments = Format::JsonSchema(arguments(tool, preset.style, options));
    preset.calls.iter().map(move |Call { begin, numbered, end }| {
        let named = |text: &str| text.replace("{name}", &tool.name);
        let content = match numbered {
            None => arguments.clone(),
            Some(text) => Format::Sequence(vec![number(), constant(named(text)), arguments.clone()]),
        };
        tag(named(begin), content, *end)
    })
}

/// The arguments of a call.
pub(super) fn arguments(tool: &Tool, style: Style, options: &PresetOptions) -> JsonSchema {
    JsonSchema {
        style,
        any_order: options.any_order,
        max_whitespace: options.max_whitespace,
        ..JsonSchema::new(tool.schema())
    }
}

/// Text without calls.
fn alone(preset: &Preset, options: &PresetOptions) -> Format {
    let mut excludes = excluded(preset.alone, options);
    excludes.extend(owned(preset.never));
    any_text(excludes)
}

fn in_section(
    section: &Section,
    must: Must,
    mut tags: Vec<Tag>,
    preset: &Preset,
    options: &PresetOptions,
) -> Format {
    let calls = |tags| separated(tags, section.separator, !options.parallel_tool_calls);
    let whole = |content| tag(section.begin, content, section.end);
    let in_text = |content| triggered(section.trigger, vec![whole(content)], preset, options);
    match (&section.required, must) {
        (_, Must::Nothing) => Format::TriggeredTags(in_text(calls(tags))),
        (Required::Between(begin, end), must) => {
            let inner = if must == Must::CallThis { first(tags) } else { calls(tags) };
            Format::Sequence(vec![constant(*begin), inner, constant(*end)])
        }
        (Required::Triggered, Must::CallOne) => {
            Format::TriggeredTags(TriggeredTags { at_least_one: true, ..in_text(calls(tags)) })
        }
        (Required::Triggered, Must::CallThis) => Format::Tag(Box::new(whole(first(tags)))),
        (Required::Tag, Must::CallOne) => Format::Tag(Box::new(whole(calls(tags)))),
        (Required::Tag, Must::CallThis) => {
            // One tag, whose begin and end have those of the section in them.
            let mut call = tags.swap_remove(0);
            if let (Begin::Text(begin), End::Texts(ends)) = (&mut call.begin, &mut call.end) {
                begin.insert_str(0, section.begin);
                ends.iter_mut().for_each(|end| end.push_str(section.end));
            }
            Format::Tag(Box::new(call))
        }
    }
}

/// What comes before an answer.
fn before(thought: &Thought, options: &PresetOptions) -> Vec<Format> {
    if options.reasoning == Reasoning::Disabled {
        return thought.instead.iter().map(|text| constant(*text)).collect();
    }
    vec![think(thought, options)]
}

/// A thought, or what may be one.
pub(super) fn think(thought: &Thought, options: &PresetOptions) -> Format {
    let may = options.reasoning == Reasoning::Auto;
    let begin = if thought.prompted && !may { "" } else { thought.begin };
    let excludes = excluded(thought.excludes[usize::from(may)], options);
    let mut whole = Format::Tag(Box::new(tag(begin, any_text(excludes), thought.end)));
    if !thought.suffix.is_empty() {
        whole = Format::Sequence(vec![whole, constant(thought.suffix)]);
    }
    match may {
        false => whole,
        true if thought.end_alone => {
            Format::Optional(Box::new(Format::Or(vec![whole, constant(thought.end)])))
        }
        true => Format::Optional(Box::new(whole)),
    }
}

/// Texts that are excluded if the model's own marks are.
pub(super) fn excluded(texts: &[&str], options: &PresetOptions) -> Vec<String> {
    if options.exclude_special_tokens { owned(texts) } else { Vec::new() }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

pub(super) fn constant(text: impl Into<String>) -> Format {
    Format::ConstString(text.into())
}

/// The number of a call.
pub(super) fn number() -> Format {
    Format::Regex("\\d+".to_owned())
}

pub(super) fn any_text(excludes: Vec<String>) -> Format {
    Format::AnyText(AnyText { excludes, ..AnyText::default() })
}

pub(super) fn tag(begin: impl Into<String>, content: Format, end: impl Into<String>) -> Tag {
    Tag { begin: Begin::Text(begin.into()), content, end: End::Texts(vec![end.into()]) }
}

/// At least one tag.
pub(super) fn separated(tags: Vec<Tag>, separator: &str, only_one: bool) -> Format {
    let separator = separator.to_owned();
    Format::TagsWithSeparator(TagsWithSeparator {
        tags,
        separator,
        at_least_one: true,
        stop_after_first: only_one,
    })
}

fn triggered(trigger: &str, tags: Vec<Tag>, preset: &Preset, options: &PresetOptions) -> TriggeredTags {
    TriggeredTags {
        triggers: vec![trigger.to_owned()],
        tags,
        at_least_one: false,
        stop_after_first: !options.parallel_tool_calls,
        excludes: excluded(preset.text, options),
    }
}

fn first(tags: Vec<Tag>) -> Format {
    tags.into_iter().next().map_or_else(|| constant(""), |tag| Format::Tag(Box::new(tag)))
}
