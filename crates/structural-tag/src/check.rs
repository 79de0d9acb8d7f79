//! What must hold in a structural tag, beside the types of its fields.
//!
//! A tag begins with exactly one trigger. Content without a bound needs something that ends it: an end of the tag that is
//! not empty, or something that it excludes.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use tokenstile_grammar::Error;
use tokenstile_grammar::ir::Warning;

use crate::format::*;
use crate::path::{Path, syntax};

/// Checks a structural tag, and adds what is odd in it to its warnings.
pub(crate) fn check_all(tag: &mut StructuralTag) -> Result<(), Error> {
    let mut warnings = std::mem::take(&mut tag.warnings);
    check(&tag.format, &Path::ROOT.field("format"), &mut warnings).map_err(|error| tag.placed(error))?;
    tag.warnings = warnings;
    Ok(())
}

impl StructuralTag {
    /// The error with its place as the author wrote it.
    pub(crate) fn placed(&self, error: Error) -> Error {
        match error.pointer().and_then(|pointer| pointer.strip_prefix("/format")) {
            Some(rest) if self.legacy => {
                let pointer =
                    rest.replacen("/tags/", "/structures/", 1).replacen("/content/json_schema", "/schema", 1);
                Error::at_place(error.kind(), error.message(), error.place()).with_pointer(pointer)
            }
            _ => error,
        }
    }
}

/// Checks a format and all that is in it; what is odd is added to the warnings.
pub(crate) fn check(format: &Format, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Result<(), Error> {
    match format {
        Format::Sequence(elements) | Format::Or(elements) => {
            let at = at.field("elements");
            if elements.is_empty() {
                return Err(syntax("`elements` is empty", &at));
            }
            elements.iter().enumerate().try_for_each(|(i, element)| check(element, &at.index(i), warnings))
        }
        Format::Optional(content) | Format::Plus(content) | Format::Star(content) => {
            check(content, &at.field("content"), warnings)
        }
        Format::Repeat(repeat) => check(&repeat.content, &at.field("content"), warnings),
        Format::Tag(value) => tag(value, at, warnings),
        Format::TriggeredTags(value) => triggered(value, at, warnings),
        Format::TokenTriggeredTags(value) => token_triggered(value, at, warnings),
        Format::TagsWithSeparator(value) => tags(&value.tags, at, warnings),
        Format::Dispatch(value) => rules(&value.rules, at, warnings),
        Format::TokenDispatch(value) => rules(&value.rules, at, warnings),
        _ => Ok(()),
    }
}

fn rules<P>(rules: &[(P, Format)], at: &Path<'_>, warnings: &mut Vec<Warning>) -> Result<(), Error> {
    let at = at.field("rules");
    let mut rules = rules.iter().enumerate();
    rules.try_for_each(|(i, (_, content))| check(content, &at.index(i).index(1), warnings))
}

fn tags(tags: &[Tag], at: &Path<'_>, warnings: &mut Vec<Warning>) -> Result<(), Error> {
    let at = at.field("tags");
    if tags.is_empty() {
        return Err(syntax("`tags` is empty", &at));
    }
    tags.iter().enumerate().try_for_each(|(i, value)| tag(value, &at.index(i), warnings))
}

fn tag(tag: &Tag, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Result<(), Error> {
    if let End::Texts(ends) = &tag.end
        && ends.iter().all(String::is_empty)
        && endless(&tag.content)
    {
        let message =
            "nothing ends the content of the tag: it has no bound, excludes nothing, and `end` is empty";
        return Err(syntax(message, &at.field("end")));
    }
    check(&tag.content, &at.field("content"), warnings)
}

/// Whether nothing in the format itself says where it ends.
fn endless(format: &Format) -> bool {
    match format {
        Format::AnyText(text) => {
            text.excludes.is_empty() && text.max_chars.is_none() && text.max_tokens.is_none()
        }
        Format::AnyTokens(tokens) => tokens.exclude_tokens.is_empty() && tokens.max_tokens.is_none(),
        Format::Sequence(elements) | Format::Or(elements) => elements.iter().any(endless),
        Format::Optional(content) => endless(content),
        Format::Plus(_) | Format::Star(_) => true,
        Format::Repeat(repeat) => repeat.max.is_none() || endless(&repeat.content),
        Format::TriggeredTags(tags) => {
            tags.excludes.is_empty() && !(tags.at_least_one && tags.stop_after_first)
        }
        Format::TokenTriggeredTags(tags) => {
            tags.exclude_tokens.is_empty() && !(tags.at_least_one && tags.stop_after_first)
        }
        Format::TagsWithSeparator(tags) => !tags.stop_after_first,
        Format::Dispatch(dispatch) => dispatch.excludes.is_empty(),
        Format::TokenDispatch(dispatch) => dispatch.exclude_tokens.is_empty(),
        _ => false,
    }
}

fn triggered(value: &TriggeredTags, at: &Path<'_>, warnings: &mut Vec<Warning>) -> Result<(), Error> {
    let triggers = Counts::of(value.triggers.iter().map(String::as_str));
    let lengths: BTreeSet<usize> = value.triggers.iter().map(String::len).collect();
    let mut used = BTreeSet::new();
    for (i, tag) in value.tags.iter().enumerate() {
        let at = at.field("tags");
        let at = at.index(i);
        let at = at.field("begin");
        let Begin::Text(begin) = &tag.begin else {
            return Err(syntax("a tag in `triggered_tags` begins with a text, not with a token", &at));
        };
        let prefixes = lengths.range(..=begin.len()).filter_map(|&length| begin.get(..length));
        let matching: Vec<&str> = prefixes.filter(|prefix| triggers.get(prefix) > 0).collect();
        one_trigger(matching.iter().map(|trigger| triggers.get(trigger)).sum(), &at)?;
        used.extend(matching);
    }
    let pointer = |i| at.field("triggers").index(i).pointer();
    for (i, _) in value.triggers.iter().enumerate().filter(|(_, trigger)| !used.contains(&trigger[..])) {
        let message = "no tag begins with this trigger: it is never written";
        warnings.push(Warning::new(message).with_pointer(pointer(i)));
    }
    tags(&value.tags, at, warnings)
}

fn token_triggered(
    value: &TokenTriggeredTags,
    at: &Path<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<(), Error> {
    let triggers = Counts::of(value.trigger_tokens.iter());
    for (i, tag) in value.tags.iter().enumerate() {
        let at = at.field("tags");
        let at = at.index(i);
        let at = at.field("begin");
        let Begin::Token(begin) = &tag.begin else {
            return Err(syntax("a tag in `token_triggered_tags` begins with a token, not with a text", &at));
        };
        one_trigger(triggers.get(&begin), &at)?;
    }
    tags(&value.tags, at, warnings)
}

/// How often each of some things is there.
struct Counts<T>(HashMap<T, usize>);

impl<T: Hash + Eq> Counts<T> {
    fn of(things: impl Iterator<Item = T>) -> Self {
        let mut counts = HashMap::new();
        things.for_each(|thing| *counts.entry(thing).or_insert(0) += 1);
        Counts(counts)
    }

    fn get(&self, thing: &T) -> usize {
        self.0.get(thing).copied().unwrap_or(0)
    }
}

fn one_trigger(matching: usize, at: &Path<'_>) -> Result<(), Error> {
    match matching {
        1 => Ok(()),
        0 => Err(syntax("the tag begins with none of the triggers", at)),
        _ => Err(syntax("the tag begins with more than one of the triggers", at)),
    }
}
