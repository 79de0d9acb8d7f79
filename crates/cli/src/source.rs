//! From a constraint as a user gives it (kind, text, options) to a [`Grammar`].
//!
//! Every sub-command comes through [`Source::grammar`]: a kind is taught to the whole command by one arm there.

use std::fmt;

use tokenstile::{
    CompileError, Grammar, GrammarError, JsonOptions, Limits, MatchError, Place, RegexDialect, RegexOptions,
    RegexSemantics,
};

/// The notations of constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Kind {
    /// GBNF, as llama.cpp writes it
    Gbnf,
    /// EBNF with a root rule to name
    Ebnf,
    /// A regular expression
    Regex,
    /// A list of texts
    Choice,
    /// Any JSON text
    Json,
    /// JSON Schema
    #[value(name = "json_schema")]
    JsonSchema,
    /// Lark grammar (refused so far)
    Lark,
    /// Structural tag, in xgrammar's JSON
    #[value(name = "structural_tag")]
    StructuralTag,
}

impl Kind {
    /// The name that case files use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Gbnf => "gbnf",
            Kind::Ebnf => "ebnf",
            Kind::Regex => "regex",
            Kind::Choice => "choice",
            Kind::Json => "json",
            Kind::JsonSchema => "json_schema",
            Kind::Lark => "lark",
            Kind::StructuralTag => "structural_tag",
        }
    }
}

/// How to read a source, beside its kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Of `regex`.
    pub(crate) regex: RegexOptions,
    /// Root rule of `ebnf`; `root` if not given.
    pub(crate) root: Option<String>,
    /// Of `json_schema`.
    pub(crate) json: JsonOptions,
}

/// The dialect by name.
pub(crate) fn dialect(name: &str) -> Result<RegexDialect, String> {
    match name {
        "rust" => Ok(RegexDialect::Rust),
        "ecma" => Ok(RegexDialect::Ecma),
        _ => Err(format!("unknown dialect `{name}`: rust or ecma")),
    }
}

/// Search (a match anywhere in the text) or whole match.
pub(crate) fn search(anywhere: bool) -> RegexSemantics {
    if anywhere { RegexSemantics::Search } else { RegexSemantics::WholeMatch }
}

/// A constraint as the user wrote it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// What to call it in messages: a path, or the flag it came from.
    pub(crate) name: String,
    /// Its notation.
    pub(crate) kind: Kind,
    /// Its text. A choice is a JSON array of strings.
    pub(crate) text: String,
    /// How to read it.
    pub(crate) options: Options,
}

impl Source {
    /// Reads the text into a grammar.
    pub(crate) fn grammar(&self, limits: &Limits) -> Result<Grammar, Reason> {
        let grammar = match self.kind {
            Kind::Gbnf => Grammar::gbnf(&self.text, limits),
            Kind::Ebnf => Grammar::ebnf(&self.text, self.options.root.as_deref().unwrap_or("root"), limits),
            Kind::Regex => Grammar::regex(&self.text, &self.options.regex, limits),
            Kind::Json => Grammar::json(limits),
            Kind::Choice => {
                let choices: Vec<String> = serde_json::from_str(&self.text).map_err(|error| {
                    Reason::NotAChoice(format!("a choice is a JSON array of strings: {error}"))
                })?;
                Grammar::choice(&choices, limits)
            }
            Kind::JsonSchema => Grammar::json_schema(&self.text, &self.options.json, limits),
            Kind::StructuralTag => Grammar::structural_tag(&self.text, limits),
            Kind::Lark => return Err(Reason::NotYet(self.kind)),
        };
        grammar.map_err(Reason::Grammar)
    }

    /// Where in the text the value of a JSON pointer stands, if the text is a JSON document and has such a value.
    pub(crate) fn place_of(&self, pointer: &str) -> Option<Place> {
        // The pointers of other documents have an address before them.
        let own = pointer.is_empty() || pointer.starts_with('/');
        let is_json = matches!(self.kind, Kind::JsonSchema | Kind::StructuralTag);
        (is_json && own).then(|| tokenstile::place_of_pointer(&self.text, pointer))?
    }

    /// The refusal of this source for `reason`.
    pub(crate) fn refuse(&self, reason: Reason) -> Refusal {
        Refusal { source: self.clone(), reason }
    }
}

/// Why a source was refused.
#[derive(Debug)]
pub(crate) enum Reason {
    /// The front end refused it.
    Grammar(GrammarError),
    /// The engine refused it.
    Compile(CompileError),
    /// It compiles, but a mask of it goes past a limit.
    Match(MatchError),
    /// The text of a choice is no JSON array of strings.
    NotAChoice(String),
    /// No front end reads this kind.
    NotYet(Kind),
}

impl Reason {
    /// Whether a limit was exceeded, rather than something being wrong.
    pub(crate) fn is_limit(&self) -> bool {
        let kind = match self {
            Reason::Grammar(error) => error.kind(),
            Reason::Compile(error) => error.kind(),
            Reason::Match(error) => return matches!(error, MatchError::Limit { .. }),
            Reason::NotAChoice(_) | Reason::NotYet(_) => return false,
        };
        matches!(kind, tokenstile::ErrorKind::Limit { .. })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Grammar(error) => write!(f, "{error}"),
            Reason::Compile(error) => write!(f, "{error}"),
            Reason::Match(error) => write!(f, "{error}"),
            Reason::NotAChoice(message) => f.write_str(message),
            Reason::NotYet(kind) => write!(f, "constraints of kind `{}` are not supported yet", kind.name()),
        }
    }
}

/// A refused source: what it was, and why.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// What was refused.
    pub(crate) source: Source,
    /// Why.
    pub(crate) reason: Reason,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source.name, self.reason)
    }
}
