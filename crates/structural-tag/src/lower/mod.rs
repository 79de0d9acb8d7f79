//! Tree → grammar.
//!
//! Each format becomes a part of a [`Composer`]. The ends of the nearest tag around a format are excluded from free text in
//! it; they come down with the walk.

mod budget;
mod styles;
mod tags;

use std::borrow::Cow;
use std::collections::HashMap;

use bumpalo::Bump;
use tokenstile_grammar::ir::{TokenName, TokenSet, Warning};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{
    Composer, Error, ErrorKind, Grammar, JsonWhitespace, Limits, Part, RegexDialect, RegexOptions, Trigger,
    Triggered,
};
use tokenstile_json_schema::{FREE_STRING, Json, JsonOptions, MemberOrder, Writing, json_schema_written};

use crate::check;
use crate::format::*;
use crate::path::{Path, syntax};

/// The ends of the nearest tag around a format.
#[derive(Clone, Copy)]
struct Around<'f> {
    texts: &'f [String],
    token: Option<&'f Token>,
}

impl<'f> Around<'f> {
    const NOTHING: Self = Around { texts: &[], token: None };

    fn of(end: &'f End) -> Self {
        match end {
            End::Texts(texts) => Around { texts, token: None },
            End::Token(token) => Around { texts: &[], token: Some(token) },
        }
    }

    /// The texts that are ends.
    fn ends(self) -> impl Iterator<Item = &'f String> {
        self.texts.iter().filter(|text| !text.is_empty())
    }
}

impl StructuralTag {
    /// The grammar of the texts that a structural tag stands for.
    ///
    /// Remarks on it are [warnings](Grammar::warnings) of the grammar.
    ///
    /// ```
    /// use tokenstile_grammar::Limits;
    /// use tokenstile_structural_tag::StructuralTag;
    /// let limits = Limits::default();
    /// let text = r#"{"type": "structural_tag", "format": {"type": "tag", "begin": "<n>",
    ///     "content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": "</n>"}}"#;
    /// let grammar = StructuralTag::from_json(text, &limits)?.grammar(&limits)?;
    /// assert!(grammar.warnings().is_empty());
    /// # Ok::<(), tokenstile_grammar::Error>(())
    /// ```
    pub fn grammar(&self, limits: &Limits) -> Result<Grammar, Error> {
        let mut odd = Vec::new();
        check::check(&self.format, &Path::ROOT.field("format"), &mut odd)
            .map_err(|error| self.placed(error))?;
        let mut composer = Composer::new(limits);
        // Repetitions inside of other text cannot be told, and are allowed as others do.
        composer.allow_repeats(true);
        let warnings = self.warnings.clone();
        let mut lower =
            Lower { composer, limits, warnings, schemas: HashMap::new(), strings: HashMap::new() };
        let root = lower.format(&self.format, Around::NOTHING, &Path::ROOT.field("format"));
        let root = root.map_err(|error| self.placed(error))?;
        let Lower { composer, mut warnings, .. } = lower;
        let grammar = composer.build(root).map_err(|error| self.placed(error))?;
        for warning in odd.iter().chain(grammar.warnings()) {
            if !warnings.contains(warning) {
                warnings.push(warning.clone());
            }
        }
        Ok(grammar.with_warnings(warnings))
    }
}

struct Lower<'l> {
    composer: Composer,
    limits: &'l Limits,
    warnings: Vec<Warning>,
    /// Schemas that are parts already.
    schemas: HashMap<JsonSchema, Part>,
    /// Strings between marks, by their end and what is excluded.
    strings: HashMap<(&'static str, Vec<String>), Part>,
}

impl Lower<'_> {
    fn format(&mut self, format: &Format, around: Around<'_>, at: &Path<'_>) -> Result<Part, Error> {
        Ok(match format {
            Format::ConstString(text) => self.composer.marked(text),
            Format::JsonSchema(schema) => self.schema(schema, at)?,
            Format::Grammar(source) => {
                let grammar = Grammar::ebnf(source, "root", self.limits);
                self.composer.grammar(grammar.map_err(|error| within(error, &at.field("grammar")))?)
            }
            Format::Regex(pattern) => {
                let options = RegexOptions::default().with_dialect(RegexDialect::Ecma).with_dot_all(true);
                let part = self.composer.regex(pattern, &options);
                part.map_err(|error| within(error, &at.field("pattern")))?
            }
            Format::AnyText(text) => self.any_text(text, around, at)?,
            Format::Sequence(elements) => {
                let parts = self.elements(elements, around, at)?;
                self.composer.concat(&parts)
            }
            Format::Or(elements) => {
                let parts = self.elements(elements, around, at)?;
                self.composer.union(&parts)
            }
            Format::Optional(content) => self.repeated(content, (0, Some(1)), around, at)?,
            Format::Plus(content) => self.repeated(content, (1, None), around, at)?,
            Format::Star(content) => self.repeated(content, (0, None), around, at)?,
            Format::Repeat(Repeat { min, max, content }) => {
                self.repeated(content, (*min, *max), around, at)?
            }
            Format::Tag(tag) => self.tag(tag, at)?,
            Format::TriggeredTags(tags) => self.triggered_tags(tags, around, at)?,
            Format::TokenTriggeredTags(tags) => self.token_triggered_tags(tags, around, at)?,
            Format::TagsWithSeparator(tags) => self.tags_with_separator(tags, at)?,
            Format::Dispatch(dispatch) => self.dispatch(dispatch, around, at)?,
            Format::TokenDispatch(dispatch) => self.token_dispatch(dispatch, around, at)?,
            Format::Token(token) => self.one(token, &at.field("token")),
            Format::ExcludeToken(tokens) => self.but(tokens, around, &at.field("exclude_tokens")),
            Format::AnyTokens(tokens) => {
                let one = self.but(&tokens.exclude_tokens, around, &at.field("exclude_tokens"));
                self.composer.repeat(one, 0, tokens.max_tokens)
            }
        })
    }

    fn elements(
        &mut self,
        elements: &[Format],
        around: Around<'_>,
        at: &Path<'_>,
    ) -> Result<Vec<Part>, Error> {
        let at = at.field("elements");
        let element = |(i, element)| self.format(element, around, &at.index(i));
        elements.iter().enumerate().map(element).collect()
    }

    fn repeated(
        &mut self,
        content: &Format,
        (min, max): (u32, Option<u32>),
        around: Around<'_>,
        at: &Path<'_>,
    ) -> Result<Part, Error> {
        let part = self.format(content, around, &at.field("content"))?;
        Ok(self.composer.repeat(part, min, max))
    }

    fn any_text(&mut self, text: &AnyText, around: Around<'_>, at: &Path<'_>) -> Result<Part, Error> {
        if text.max_tokens.is_some() {
            let message = "a bound on the tokens of free text is not enforced";
            return Err(
                Error::new(ErrorKind::Unsupported, message).with_pointer(at.field("max_tokens").pointer())
            );
        }
        let excludes: Vec<&String> = text.excludes.iter().chain(around.ends()).collect();
        match text.max_chars {
            Some(most) => {
                let grammar = budget::any_chars(most, &excludes, self.limits)?;
                Ok(self.composer.grammar(grammar))
            }
            None if excludes.is_empty() => Ok(self.composer.any_text()),
            None => Ok(self.composer.until(excludes.into_iter().map(|text| Trigger::marked(&text[..])))),
        }
    }

    /// A value of a schema.
    fn schema(&mut self, schema: &JsonSchema, at: &Path<'_>) -> Result<Part, Error> {
        if let Some(&part) = self.schemas.get(schema) {
            return Ok(part);
        }
        let mut options = JsonOptions::default();
        options.closed = true;
        options.order = if schema.any_order { MemberOrder::Any } else { MemberOrder::Declared };
        options.whitespace = match schema.max_whitespace {
            None => JsonWhitespace::Bounded,
            Some(0) => JsonWhitespace::Compact,
            Some(most) => JsonWhitespace::Pattern(format!("[ \\n\\r\\t]{{0,{most}}}").into()),
        };
        let markup = styles::markup(schema.style);
        self.check_excludes(schema, at)?;
        let writing = Writing { markup, excludes: &schema.excludes };
        let at = at.field("json_schema");
        let text = closed(&schema.schema, self.limits);
        let grammar = json_schema_written(&text, &options, self.limits, &writing);
        let grammar = grammar.map_err(|error| within(error, &at))?;
        for warning in grammar.warnings() {
            let pointer = warning.pointer.as_ref().map(|pointer| at.pointer() + pointer);
            self.warnings.push(warning.clone().with_pointer(pointer));
        }
        let grammar = grammar.with_warnings(Vec::new());
        let part = match markup {
            None => self.composer.grammar(grammar),
            Some(markup) => {
                let text = self.free_string(markup.raw_end, &schema.excludes);
                self.composer.grammar_with(grammar, &[(FREE_STRING, text)])
            }
        };
        self.schemas.insert(schema.clone(), part);
        Ok(part)
    }

    /// Any string between marks.
    fn free_string(&mut self, end: &'static str, excludes: &[String]) -> Part {
        let key = (end, excludes.to_vec());
        if let Some(&part) = self.strings.get(&key) {
            return part;
        }
        let all = std::iter::once(end).chain(excludes.iter().map(|text| &text[..]));
        let part = self.composer.until(all.map(Trigger::marked).collect::<Vec<_>>());
        self.strings.insert(key, part);
        part
    }

    /// Refuses what cannot be excluded.
    fn check_excludes(&self, schema: &JsonSchema, at: &Path<'_>) -> Result<(), Error> {
        let blank =
            |text: &String| text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
        if schema.style != Style::Json
            && let Some(i) = schema.excludes.iter().position(blank)
        {
            let message = "in this style an excluded text does not begin or end with white space";
            return Err(syntax(message, &at.field("excludes").index(i)));
        }
        Ok(())
    }

    /// One token.
    fn one(&mut self, token: &Token, at: &Path<'_>) -> Part {
        self.composer.tokens(TokenSet::of([name(token)]).with_pointer(at.pointer()))
    }

    /// One token that is none of some, nor the end of the tag around it.
    fn but(&mut self, tokens: &[Token], around: Around<'_>, at: &Path<'_>) -> Part {
        let names = tokens.iter().chain(around.token).map(name);
        self.composer.tokens(TokenSet::but(names).with_pointer(at.pointer()))
    }

    fn dispatch(&mut self, dispatch: &Dispatch, around: Around<'_>, at: &Path<'_>) -> Result<Part, Error> {
        let at = at.field("rules");
        let mut tags = Vec::with_capacity(dispatch.rules.len());
        for (i, (pattern, format)) in dispatch.rules.iter().enumerate() {
            let part = self.format(format, around, &at.index(i).index(1))?;
            tags.push((Trigger::marked(&pattern[..]), part));
        }
        let excludes = dispatch.excludes.iter().map(|text| Trigger::marked(&text[..])).collect();
        let stop_after_first = !dispatch.repeats;
        Ok(self.composer.triggered(Triggered { excludes, stop_after_first, ..Triggered::new(tags) }))
    }

    fn token_dispatch(
        &mut self,
        dispatch: &TokenDispatch,
        around: Around<'_>,
        at: &Path<'_>,
    ) -> Result<Part, Error> {
        let rules = at.field("rules");
        let mut ways = Vec::with_capacity(dispatch.rules.len());
        for (i, (pattern, format)) in dispatch.rules.iter().enumerate() {
            let token = self.one(pattern, &rules.index(i).index(0));
            let part = self.format(format, around, &rules.index(i).index(1))?;
            ways.push(self.composer.concat(&[token, part]));
        }
        let triggers = dispatch.rules.iter().map(|(pattern, _)| pattern);
        let names: Vec<Token> = triggers.chain(&dispatch.exclude_tokens).cloned().collect();
        let free = self.but(&names, Around::NOTHING, &at.field("exclude_tokens"));
        Ok(self.among_tokens(free, &ways, (false, !dispatch.repeats)))
    }

    /// Free tokens, with some ways to write something else among them.
    fn among_tokens(
        &mut self,
        free: Part,
        ways: &[Part],
        (at_least_one, stop_after_first): (bool, bool),
    ) -> Part {
        let way = self.composer.union(ways);
        match (at_least_one, stop_after_first) {
            (true, true) => way,
            (false, true) => {
                let (free, way) = (self.composer.repeat(free, 0, None), self.composer.optional(way));
                self.composer.concat(&[free, way])
            }
            (first, false) => {
                let any = self.composer.union(&[free, way]);
                let any = self.composer.repeat(any, 0, None);
                if first { self.composer.concat(&[way, any]) } else { any }
            }
        }
    }
}

fn name(token: &Token) -> TokenName {
    match token {
        Token::Id(id) => TokenName::id(*id),
        Token::Text(text) => TokenName::text(&text[..]),
    }
}

/// The schema, closed if it lists properties and there are none: a tool without arguments is called with none. (A schema
/// that does not list properties is open.)
fn closed<'s>(schema: &'s str, limits: &Limits) -> Cow<'s, str> {
    const OTHERS: [&str; 10] = [
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
    ];
    let room = Bump::new();
    // What is wrong with a schema is said where it is read.
    let Ok(value) = Json::parse(schema, &room, limits, &mut Budget::new(limits)) else {
        return schema.into();
    };
    let is_empty = value.get("properties") == Some(&Json::Object(&[]));
    if !is_empty || OTHERS.iter().any(|keyword| value.get(keyword).is_some()) {
        return schema.into();
    }
    let rest = schema.trim_start().strip_prefix('{').unwrap_or_default();
    format!("{{\"additionalProperties\":false,{rest}").into()
}

/// The error of something that is in a member, with the pointer from the root.
fn within(error: Error, at: &Path<'_>) -> Error {
    let pointer = at.pointer() + error.pointer().unwrap_or_default();
    Error::at_place(error.kind(), error.message(), error.place()).with_pointer(pointer)
}
