//! Constraints of requests: which fields ask for one, what they mean, and where compiled ones are kept.

mod cache;
mod read;

use tokenstile::{
    CompileError, Constraint, Grammar, GrammarError, JsonOptions, JsonWhitespace, Limits, MemberOrder,
    RegexOptions,
};

pub(crate) use cache::{CancelOnDrop, Constraints};
pub(crate) use read::{Shape, from_fields, from_format, from_value};

use crate::error::ApiError;

/// The notations of constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    JsonSchema,
    Regex,
    /// GBNF, or EBNF as vLLM's users write it.
    Grammar,
    /// A JSON array of strings.
    Choice,
}

/// A constraint as a request has it. Equal ones compile to the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// White space in JSON: a regular expression; none for compact.
    pub(crate) whitespace: Option<String>,
    /// Objects have no members but the listed ones, unless the schema says so.
    pub(crate) closed: bool,
    /// Schemas that the schema refers to by address.
    pub(crate) documents: Vec<(String, String)>,
    /// The text may begin with a line break.
    pub(crate) on_new_line: bool,
}

impl Source {
    /// A constraint without options.
    pub(crate) fn new(kind: Kind, text: impl Into<String>) -> Source {
        Source {
            kind,
            text: text.into(),
            whitespace: None,
            closed: false,
            documents: Vec::new(),
            on_new_line: false,
        }
    }

    /// Any JSON object.
    pub(crate) fn any_object() -> Source {
        Source::new(Kind::JsonSchema, r#"{"type":"object"}"#)
    }

    /// Bytes of all texts in it.
    pub(crate) fn len(&self) -> usize {
        let documents = self.documents.iter().map(|(address, text)| address.len() + text.len());
        self.text.len() + self.whitespace.as_ref().map_or(0, String::len) + documents.sum::<usize>()
    }

    /// Reads it into a grammar. JSON is written as a program would: without white space, members as declared.
    pub(crate) fn grammar(&self, limits: &Limits) -> Result<Grammar, GrammarError> {
        let grammar = match self.kind {
            Kind::JsonSchema => Grammar::json_schema(&self.text, &self.json_options(), limits)?,
            Kind::Regex => Grammar::regex(&self.text, &RegexOptions::default(), limits)?,
            Kind::Grammar => match Grammar::gbnf(&self.text, limits) {
                Ok(grammar) => grammar,
                Err(error) => Grammar::ebnf(&self.text, "root", limits).map_err(|_| error)?,
            },
            Kind::Choice => Grammar::choice(&self.choices()?, limits)?,
        };
        if self.on_new_line { behind_line_break(grammar, limits) } else { Ok(grammar) }
    }

    fn json_options(&self) -> JsonOptions {
        let mut options = JsonOptions::canonical();
        options.order = MemberOrder::Declared;
        options.whitespace = match &self.whitespace {
            None => JsonWhitespace::Compact,
            Some(pattern) => JsonWhitespace::Pattern(pattern.as_str().into()),
        };
        options.closed = self.closed;
        options.documents.clone_from(&self.documents);
        options
    }

    fn choices(&self) -> Result<Vec<String>, GrammarError> {
        serde_json::from_str(&self.text).map_err(|error| {
            let message = format!("a choice is a JSON array of strings: {error}");
            GrammarError::new(tokenstile::ErrorKind::Syntax, message)
        })
    }
}

/// The texts of `grammar`, with a line break before them or not.
fn behind_line_break(grammar: Grammar, limits: &Limits) -> Result<Grammar, GrammarError> {
    let grammar = tokenstile_grammar::Grammar::from(grammar);
    let root = grammar.root();
    let mut builder = grammar.into_builder(limits);
    let start = builder.declare("behind-line-break", None)?;
    let line_break = builder.arena.literal(b"\n");
    let line_break = builder.arena.optional(line_break);
    let rest = builder.arena.rule(root);
    let body = builder.arena.concat(&[line_break, rest]);
    builder.define(start, body);
    Ok(builder.build(start)?.into())
}

/// A constraint, the field that it came from, and what was compiled of it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) source: Source,
    /// The field, for messages.
    pub(crate) field: String,
}

impl Asked {
    pub(crate) fn new(source: Source, field: impl Into<String>) -> Asked {
        Asked { source, field: field.into() }
    }

    /// The refusal of this constraint.
    fn refuse(&self, error: &CompileError) -> ApiError {
        let code = match self.source.kind {
            Kind::JsonSchema => "invalid_json_schema",
            Kind::Regex => "invalid_regex",
            Kind::Grammar => "invalid_grammar",
            Kind::Choice => "invalid_choice",
        };
        let message = match (error, self.source.kind) {
            (CompileError::Grammar(error), Kind::JsonSchema) => match error.pointer() {
                Some(pointer) => format!("at {}: {}", shown(pointer), error.message()),
                None => error.to_string(),
            },
            _ => error.to_string(),
        };
        ApiError::field(&self.field, format!("`{}`: {message}", self.field)).code(code)
    }
}

fn shown(pointer: &str) -> String {
    if pointer.is_empty() || pointer.starts_with('/') { format!("#{pointer}") } else { pointer.to_owned() }
}

/// Compiles a constraint; none if it was not asked for.
pub(crate) async fn compile(
    constraints: &Constraints,
    asked: Option<&Asked>,
) -> Result<Option<Constraint>, ApiError> {
    match asked {
        Some(asked) => constraints.get(asked).await.map(Some),
        None => Ok(None),
    }
}
