//! Which constraint the text is held to.

use std::path::Path;

use clap::ArgGroup;

use crate::failure::Failure;
use crate::json_options::JsonFlags;
use crate::select;
use crate::source::{Kind, Options, Source};

/// Flags that choose a constraint.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Constraint")]
#[command(group = ArgGroup::new("held").args(["schema", "regex", "grammar", "choice", "json"]))]
pub(crate) struct ConstraintFlags {
    /// The text is an instance of this JSON Schema (a file, or the schema itself)
    #[arg(long, value_name = "FILE|JSON")]
    schema: Option<String>,
    /// The text matches this regular expression
    #[arg(long, value_name = "PATTERN")]
    regex: Option<String>,
    /// The text is one of this grammar (a file in any notation, or GBNF itself)
    #[arg(long, value_name = "FILE|GBNF")]
    grammar: Option<String>,
    /// The text is one of these, separated by commas
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    choice: Option<Vec<String>>,
    /// The text is any JSON
    #[arg(long)]
    json: bool,
    /// Root rule of an EBNF grammar [default: root]
    #[arg(long, value_name = "RULE", requires = "grammar")]
    root: Option<String>,
    #[command(flatten)]
    options: JsonFlags,
}

impl ConstraintFlags {
    /// Whether there is a constraint.
    pub(crate) fn is_given(&self) -> bool {
        self.schema.is_some()
            || self.regex.is_some()
            || self.grammar.is_some()
            || self.choice.is_some()
            || self.json
    }

    /// The constraint; none if the text is free.
    pub(crate) fn source(&self) -> Result<Option<Source>, Failure> {
        let (name, kind, text) = if let Some(schema) = &self.schema {
            inline_or_file(schema, "--schema", Kind::JsonSchema, looks_like_json(schema))?
        } else if let Some(pattern) = &self.regex {
            ("--regex".into(), Kind::Regex, pattern.clone())
        } else if let Some(grammar) = &self.grammar {
            inline_or_file(grammar, "--grammar", Kind::Gbnf, grammar.contains("::="))?
        } else if let Some(choices) = &self.choice {
            ("--choice".into(), Kind::Choice, select::json_array(choices))
        } else if self.json {
            ("--json".into(), Kind::Json, String::new())
        } else {
            return match self.options.used() {
                Some(flag) => Err(Failure::Usage(format!("{flag} is for --schema, and there is none"))),
                None => Ok(None),
            };
        };
        let mut options = Options { root: self.root.clone(), ..Options::default() };
        match (self.options.used(), kind) {
            (_, Kind::JsonSchema) => options.json = self.options.options_for_writing()?,
            (Some(flag), _) => return Err(Failure::Usage(format!("{flag} is for --schema"))),
            (None, _) => {}
        }
        if self.root.is_some() && kind != Kind::Ebnf {
            return Err(Failure::Usage("--root is for EBNF grammars".into()));
        }
        Ok(Some(Source { name, kind, text, options }))
    }
}

fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('{') || matches!(text.trim_end(), "true" | "false")
}

/// A constraint that is given itself, or by the name of its file.
fn inline_or_file(
    given: &str,
    flag: &str,
    kind: Kind,
    is_inline: bool,
) -> Result<(String, Kind, String), Failure> {
    if is_inline {
        return Ok((flag.to_owned(), kind, given.to_owned()));
    }
    let path = Path::new(given);
    let text = std::fs::read_to_string(path).map_err(|error| Failure::io(path, error))?;
    let kind = if kind == Kind::JsonSchema { kind } else { select::kind_of(path).unwrap_or(kind) };
    Ok((given.to_owned(), kind, select::file_text(kind, text)))
}
