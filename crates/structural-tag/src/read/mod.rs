//! JSON → tree.

pub(crate) mod fields;
mod guess;

use std::cell::RefCell;

use bumpalo::Bump;
use tokenstile_grammar::ir::Warning;
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, Limits};
use tokenstile_json_schema::Json;

use self::fields::{Fields, filled_text, token, whole, wrong};
use crate::format::*;
use crate::path::{Path, syntax};
use crate::write;

/// Deepest nesting of formats, whatever the limits say: recursion over them must fit on a stack.
const MAX_DEPTH: usize = 500;

/// Reads a structural tag from its JSON.
pub(crate) fn read(text: &str, limits: &Limits) -> Result<StructuralTag, Error> {
    let room = Bump::new();
    let mut budget = Budget::new(limits);
    let value = Json::parse(text, &room, limits, &mut budget)?;
    let warnings = RefCell::default();
    let top = Fields::of(&value, "a structural tag", &Path::ROOT)?;
    if let Some(name) = top.get("type")
        && name.as_str() != Some("structural_tag")
    {
        return Err(syntax("the type of a structural tag is \"structural_tag\"", &Path::ROOT.field("type")));
    }
    let reader = Reader { warnings: &warnings, depth: limits.nesting.min(MAX_DEPTH) };
    let mut tag = if top.has("structures") && !top.has("format") {
        top.only(&["type", "structures", "triggers"], &warnings);
        StructuralTag { legacy: true, ..StructuralTag::new(reader.legacy(top)?) }
    } else {
        top.only(&["type", "format"], &warnings);
        StructuralTag::new(reader.format(top.required("format")?, &Path::ROOT.field("format"), 1)?)
    };
    tag.warnings = warnings.into_inner();
    Ok(tag)
}

struct Reader<'w> {
    warnings: &'w RefCell<Vec<Warning>>,
    /// How deep formats may be nested.
    depth: usize,
}

impl Reader<'_> {
    /// The older form: tags with schemas in free text.
    fn legacy(&self, top: Fields<'_, '_>) -> Result<Format, Error> {
        let at = Path::ROOT.field("structures");
        let tag = |(i, value)| {
            let at = at.index(i);
            let fields = Fields::of(value, "a structure", &at)?;
            fields.only(&["begin", "schema", "end"], self.warnings);
            let schema = match fields.required("schema")? {
                Json::String(text) => (*text).into(),
                other => schema_text(other, &at.field("schema"))?,
            };
            let content = Format::JsonSchema(JsonSchema::new(schema));
            let begin = Begin::Text(fields.text("begin")?.to_owned());
            Ok(Tag { begin, content, end: End::Texts(vec![fields.text("end")?.to_owned()]) })
        };
        let tags = top.items("structures")?.iter().enumerate().map(tag).collect::<Result<_, Error>>()?;
        top.items("triggers")?;
        Ok(Format::TriggeredTags(TriggeredTags {
            triggers: top.texts("triggers")?,
            tags,
            ..TriggeredTags::default()
        }))
    }

    fn format(&self, value: &Json<'_>, at: &Path<'_>, depth: usize) -> Result<Format, Error> {
        if depth > self.depth {
            return Err(Error::limit("nesting", self.depth).with_pointer(at.pointer()));
        }
        let fields = Fields::of(value, "a format", at)?;
        let name = match fields.get("type") {
            Some(Json::String(name)) => name,
            None if !fields.has("type") => guess::guess(&fields)
                .ok_or_else(|| syntax("the format has no `type`, and no format has these fields", at))?,
            other => {
                return Err(wrong("`type`", "a string", other.unwrap_or(&Json::Null), &at.field("type")));
            }
        };
        self.format_of(name, fields.named(name), depth)
    }

    /// The format of a type.
    fn format_of(&self, name: &str, fields: Fields<'_, '_>, depth: usize) -> Result<Format, Error> {
        let only = |known: &[&str]| fields.only(known, self.warnings);
        Ok(match name {
            "const_string" => {
                only(&["type", "value"]);
                Format::ConstString(fields.text("value")?.to_owned())
            }
            "grammar" => {
                only(&["type", "grammar"]);
                Format::Grammar(fields.filled("grammar")?.to_owned())
            }
            "regex" => {
                only(&["type", "pattern"]);
                Format::Regex(fields.filled("pattern")?.to_owned())
            }
            "json_schema" | "qwen_xml_parameter" => self.json_schema(name, fields)?,
            "any_text" => {
                only(&["type", "excludes", "max_tokens", "max_chars"]);
                Format::AnyText(AnyText {
                    excludes: fields.texts("excludes")?,
                    max_tokens: fields.count("max_tokens")?,
                    max_chars: fields.count("max_chars")?,
                })
            }
            "sequence" => Format::Sequence(self.elements(fields, depth)?),
            "or" => Format::Or(self.elements(fields, depth)?),
            "optional" => Format::Optional(self.content(fields, depth)?),
            "plus" => Format::Plus(self.content(fields, depth)?),
            "star" => Format::Star(self.content(fields, depth)?),
            "repeat" => self.repeat(fields, depth)?,
            "tag" => Format::Tag(Box::new(self.tag(fields, depth)?)),
            "triggered_tags" => self.triggered_tags(fields, depth)?,
            "token_triggered_tags" => self.token_triggered_tags(fields, depth)?,
            "tags_with_separator" => self.tags_with_separator(fields, depth)?,
            "dispatch" => self.dispatch(fields, depth)?,
            "token_dispatch" => self.token_dispatch(fields, depth)?,
            "token" => {
                only(&["type", "token"]);
                Format::Token(token(fields.required("token")?, &fields.at.field("token"))?)
            }
            "exclude_token" => {
                only(&["type", "exclude_tokens"]);
                Format::ExcludeToken(fields.tokens("exclude_tokens")?)
            }
            "any_tokens" => {
                only(&["type", "exclude_tokens", "max_tokens"]);
                let exclude_tokens = fields.tokens("exclude_tokens")?;
                Format::AnyTokens(AnyTokens { exclude_tokens, max_tokens: fields.count("max_tokens")? })
            }
            _ => {
                let message = format!("there is no format `{}`", name.escape_debug());
                return Err(syntax(message, &fields.at.field("type")));
            }
        })
    }

    fn json_schema(&self, name: &str, fields: Fields<'_, '_>) -> Result<Format, Error> {
        let at = fields.at.field("json_schema");
        let mut schema = JsonSchema::new(schema_text(fields.required("json_schema")?, &at)?);
        if name == "qwen_xml_parameter" {
            fields.only(&["type", "json_schema"], self.warnings);
            schema.style = Style::QwenXml;
            return Ok(Format::JsonSchema(schema));
        }
        let known = ["type", "json_schema", "style", "any_order", "max_whitespace_cnt", "excludes"];
        fields.only(&known, self.warnings);
        if fields.get("style").is_some() {
            let at = fields.at.field("style");
            let unknown = |name: &str| syntax(format!("there is no style `{}`", name.escape_debug()), &at);
            let name = fields.text("style")?;
            schema.style = Style::by_name(name).ok_or_else(|| unknown(name))?;
        }
        schema.any_order = fields.flag("any_order", false)?;
        schema.max_whitespace = fields.count("max_whitespace_cnt")?;
        schema.excludes = fields.texts("excludes")?;
        Ok(Format::JsonSchema(schema))
    }

    fn elements(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Vec<Format>, Error> {
        fields.only(&["type", "elements"], self.warnings);
        let at = fields.at.field("elements");
        let element = |(i, value)| self.format(value, &at.index(i), depth + 1);
        fields.items("elements")?.iter().enumerate().map(element).collect()
    }

    fn content(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Box<Format>, Error> {
        fields.only(&["type", "content"], self.warnings);
        self.inner(fields, depth).map(Box::new)
    }

    /// The format in the member `content`.
    fn inner(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Format, Error> {
        self.format(fields.required("content")?, &fields.at.field("content"), depth + 1)
    }

    fn repeat(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Format, Error> {
        fields.only(&["type", "min", "max", "content"], self.warnings);
        fields.required("min")?;
        let min = fields.count("min")?.unwrap_or(0);
        let max = match whole(fields.required("max")?) {
            Some(-1) => None,
            _ => fields.count("max")?,
        };
        if max.is_some_and(|max| max < min) {
            return Err(syntax("`min` is more than `max`", &fields.at.field("min")));
        }
        Ok(Format::Repeat(Repeat { min, max, content: Box::new(self.inner(fields, depth)?) }))
    }

    fn tag(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Tag, Error> {
        fields.only(&["type", "begin", "content", "end"], self.warnings);
        let begin = match fields.required("begin")? {
            Json::String(text) => Begin::Text((*text).to_owned()),
            other => Begin::Token(self.edge(other, "begin", fields.at)?),
        };
        let at = fields.at.field("end");
        let end = match fields.required("end")? {
            Json::String(text) => End::Texts(vec![(*text).to_owned()]),
            Json::Array(texts) => {
                let text = |(i, value): (usize, &Json<'_>)| match value {
                    Json::String(text) => Ok((*text).to_owned()),
                    other => filled_text(other, &at.index(i)).map(str::to_owned),
                };
                fields.items("end")?;
                End::Texts(texts.iter().enumerate().map(text).collect::<Result<_, Error>>()?)
            }
            other => End::Token(self.edge(other, "end", fields.at)?),
        };
        Ok(Tag { begin, content: self.inner(fields, depth)?, end })
    }

    /// The token with which a tag begins or ends.
    fn edge(&self, value: &Json<'_>, name: &str, at: &Path<'_>) -> Result<Token, Error> {
        let at = at.field(name);
        if !matches!(value, Json::Object(_)) {
            return Err(wrong(&format!("`{name}`"), "a text or a format `token`", value, &at));
        }
        let fields = Fields::of(value, "token", &at)?;
        if fields.get("type").is_some_and(|name| name.as_str() != Some("token")) {
            return Err(syntax("a tag begins and ends with a text or a format `token`", &at));
        }
        fields.only(&["type", "token"], self.warnings);
        token(fields.required("token")?, &at.field("token"))
    }

    fn tags(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Vec<Tag>, Error> {
        let at = fields.at.field("tags");
        let tag = |(i, value)| {
            let at = at.index(i);
            let fields = Fields::of(value, "tag", &at)?;
            if fields.get("type").is_some_and(|name| name.as_str() != Some("tag")) {
                return Err(syntax("only formats `tag` can stand here", &at.field("type")));
            }
            self.tag(fields, depth + 1)
        };
        fields.items("tags")?.iter().enumerate().map(tag).collect()
    }

    fn triggered_tags(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Format, Error> {
        let known = ["type", "triggers", "tags", "at_least_one", "stop_after_first", "excludes"];
        fields.only(&known, self.warnings);
        fields.items("triggers")?;
        Ok(Format::TriggeredTags(TriggeredTags {
            triggers: fields.texts("triggers")?,
            tags: self.tags(fields, depth)?,
            at_least_one: fields.flag("at_least_one", false)?,
            stop_after_first: fields.flag("stop_after_first", false)?,
            excludes: fields.texts("excludes")?,
        }))
    }

    fn token_triggered_tags(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Format, Error> {
        let known = ["type", "trigger_tokens", "tags", "exclude_tokens", "at_least_one", "stop_after_first"];
        fields.only(&known, self.warnings);
        fields.items("trigger_tokens")?;
        Ok(Format::TokenTriggeredTags(TokenTriggeredTags {
            trigger_tokens: fields.tokens("trigger_tokens")?,
            tags: self.tags(fields, depth)?,
            exclude_tokens: fields.tokens("exclude_tokens")?,
            at_least_one: fields.flag("at_least_one", false)?,
            stop_after_first: fields.flag("stop_after_first", false)?,
        }))
    }

    fn tags_with_separator(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Format, Error> {
        fields.only(&["type", "tags", "separator", "at_least_one", "stop_after_first"], self.warnings);
        Ok(Format::TagsWithSeparator(TagsWithSeparator {
            tags: self.tags(fields, depth)?,
            separator: fields.text("separator")?.to_owned(),
            at_least_one: fields.flag("at_least_one", false)?,
            stop_after_first: fields.flag("stop_after_first", false)?,
        }))
    }

    /// The rules of a dispatch: pairs of something that `pattern` reads, and a format.
    fn rules<P>(
        &self,
        fields: Fields<'_, '_>,
        depth: usize,
        pattern: impl Fn(&Json<'_>, &Path<'_>) -> Result<P, Error>,
    ) -> Result<Vec<(P, Format)>, Error> {
        let at = fields.at.field("rules");
        let rule = |(i, value): (usize, &Json<'_>)| {
            let at = at.index(i);
            let Json::Array([first, format]) = value else {
                return Err(syntax("a rule is an array of two: a pattern and a format", &at));
            };
            Ok((pattern(first, &at.index(0))?, self.format(format, &at.index(1), depth + 1)?))
        };
        fields.items("rules")?.iter().enumerate().map(rule).collect()
    }

    fn dispatch(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Format, Error> {
        fields.only(&["type", "rules", "loop", "excludes"], self.warnings);
        let pattern = |value: &Json<'_>, at: &Path<'_>| filled_text(value, at).map(str::to_owned);
        Ok(Format::Dispatch(Dispatch {
            rules: self.rules(fields, depth, pattern)?,
            repeats: fields.flag("loop", true)?,
            excludes: fields.texts("excludes")?,
        }))
    }

    fn token_dispatch(&self, fields: Fields<'_, '_>, depth: usize) -> Result<Format, Error> {
        fields.only(&["type", "rules", "loop", "exclude_tokens"], self.warnings);
        Ok(Format::TokenDispatch(TokenDispatch {
            rules: self.rules(fields, depth, token)?,
            repeats: fields.flag("loop", true)?,
            exclude_tokens: fields.tokens("exclude_tokens")?,
        }))
    }
}

/// The text of a schema, which is an object, true or false.
pub(crate) fn schema_text(value: &Json<'_>, at: &Path<'_>) -> Result<std::sync::Arc<str>, Error> {
    match value {
        Json::Object(_) | Json::Bool(_) => Ok(write::json_text(value).into()),
        other => Err(wrong("a schema", "an object, true or false", other, at)),
    }
}
