//! Which constraint a command is about: named by an option, the same in every sub-command, or a file among the arguments.
//!
//! In come the options; out goes the constraint's text with its notation and how to read it.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use clap::builder::UnknownArgumentValueParser;
use clap::{Arg, ArgGroup};
use tokenstile::JsonOptions;
use tokenstile::{Compiler, Constraint, Limits};

use crate::failure::Failure;
use crate::json_options::JsonFlags;
use crate::source::{self, Kind, Options, Reason, Source};

/// Options that name a constraint, shared by all commands that take one.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Constraint")]
#[command(group = ArgGroup::new("constraint-option").args(["schema", "regex", "grammar", "ebnf", "choice", "any_json"]))]
#[command(arg(misnomer("gbnf", "--grammar")), arg(misnomer("any-json", "--json")))]
pub(crate) struct ConstraintFlags {
    /// An instance of this JSON Schema: a file, or the schema itself
    #[arg(long, value_name = "FILE|JSON")]
    schema: Option<String>,
    /// A text that this regular expression matches
    #[arg(long, value_name = "PATTERN")]
    regex: Option<String>,
    /// A text of this grammar: a file in any notation, or GBNF itself
    #[arg(long, value_name = "FILE|GBNF")]
    grammar: Option<String>,
    /// A text of this grammar in xgrammar's EBNF: a file, or the grammar itself
    #[arg(long, value_name = "FILE|EBNF")]
    ebnf: Option<String>,
    /// One of these texts, separated by commas
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    choice: Option<Vec<String>>,
    /// Any JSON text
    #[arg(id = "any_json", long = "json")]
    json: bool,
    /// Notation of a file or of standard input (-), where its name does not say
    #[arg(long, value_enum, conflicts_with_all = ["schema", "regex", "ebnf", "choice", "any_json"])]
    kind: Option<Kind>,
    /// Root rule of an EBNF grammar [default: root]
    #[arg(long, value_name = "RULE")]
    root: Option<String>,
    /// Dialect of a regular expression: rust or ecma
    #[arg(long, value_parser = ["rust", "ecma"])]
    dialect: Option<String>,
    /// A regular expression may match anywhere in the text (otherwise: the whole text)
    #[arg(long)]
    search: bool,
    #[command(flatten)]
    json_options: JsonFlags,
}

/// An option that does not exist, but that people look for; the error says what is meant.
fn misnomer(name: &'static str, meant: &'static str) -> Arg {
    let suggest = UnknownArgumentValueParser::suggest_arg(meant);
    Arg::new(name).long(name).hide(true).num_args(0).default_missing_value("").value_parser(suggest)
}

/// A constraint's name in messages, its notation and its text.
type Named = (String, Kind, String);

impl ConstraintFlags {
    /// The option that names the constraint, if one does; then there is no file among the arguments.
    pub(crate) fn option(&self) -> Option<&'static str> {
        let options = [
            (self.schema.is_some(), "--schema"),
            (self.regex.is_some(), "--regex"),
            (self.grammar.is_some(), "--grammar"),
            (self.ebnf.is_some(), "--ebnf"),
            (self.choice.is_some(), "--choice"),
            (self.json, "--json"),
        ];
        options.iter().find(|(given, _)| *given).map(|(_, option)| *option)
    }

    /// The constraint: from the options, or from `file` (`-` is standard input).
    pub(crate) fn source(&self, file: Option<&str>) -> Result<Source, Failure> {
        let named = match (self.option(), file) {
            (Some(option), Some(file)) => {
                let hint = if option == "--json" { "; --output json is how to answer" } else { "" };
                let message = format!("both {option} and the file `{file}` name a constraint{hint}");
                return Err(Failure::Usage(message));
            }
            (None, Some(file)) => {
                let kind = self.kind_of_file(file).ok_or_else(|| no_kind(file))?;
                read(file, kind)?
            }
            (_, None) => self.named()?.ok_or_else(|| {
                let options = "--schema, --regex, --grammar, --ebnf, --choice or --json";
                Failure::Usage(format!("no constraint: name a file, or use {options}"))
            })?,
        };
        self.with_options(named, JsonFlags::options)
    }

    /// The constraint that a model is held to; none if it writes freely. A schema is read with the options that are best
    /// where a model writes.
    #[cfg(feature = "generate")]
    pub(crate) fn source_for_writing(&self) -> Result<Option<Source>, Failure> {
        if let Some(named) = self.named()? {
            return self.with_options(named, JsonFlags::options_for_writing).map(Some);
        }
        match self.used_with_a_constraint() {
            Some(flag) => Err(Failure::Usage(format!("{flag} is about a constraint, and there is none"))),
            None => Ok(None),
        }
    }

    /// What that option gives.
    fn named(&self) -> Result<Option<Named>, Failure> {
        let named = if let Some(schema) = &self.schema {
            given("--schema", schema, Kind::JsonSchema, is_json(schema), Kind::JsonSchema)?
        } else if let Some(pattern) = &self.regex {
            ("--regex".into(), Kind::Regex, pattern.clone())
        } else if let Some(grammar) = &self.grammar {
            let kind = self.kind_of_file(grammar).unwrap_or(Kind::Gbnf);
            let text_kind = self.kind.unwrap_or(Kind::Gbnf);
            given("--grammar", grammar, text_kind, is_rules(grammar), kind)?
        } else if let Some(grammar) = &self.ebnf {
            given("--ebnf", grammar, Kind::Ebnf, is_rules(grammar), Kind::Ebnf)?
        } else if let Some(choices) = &self.choice {
            ("--choice".into(), Kind::Choice, json_array(choices))
        } else if self.json {
            ("--json".into(), Kind::Json, String::new())
        } else {
            return Ok(None);
        };
        Ok(Some(named))
    }

    /// The notation of a file: as the user says, or else as its name does.
    fn kind_of_file(&self, file: &str) -> Option<Kind> {
        self.kind.or_else(|| kind_of(Path::new(file)))
    }

    /// A constraint, to be read as the options say; those of JSON Schema by `json_options`.
    fn with_options(
        &self,
        (name, kind, text): Named,
        json_options: fn(&JsonFlags) -> Result<JsonOptions, Failure>,
    ) -> Result<Source, Failure> {
        let fits = |flag: Option<&str>, wanted: Kind| match flag {
            Some(flag) if kind != wanted => {
                let (wanted, kind) = (wanted.name(), kind.name());
                Err(Failure::Usage(format!("{flag} is for {wanted}, and this constraint is {kind}")))
            }
            _ => Ok(()),
        };
        fits(self.json_options.used(), Kind::JsonSchema)?;
        fits(self.root.as_ref().map(|_| "--root"), Kind::Ebnf)?;
        fits(self.dialect.as_ref().map(|_| "--dialect"), Kind::Regex)?;
        fits(self.search.then_some("--search"), Kind::Regex)?;
        let mut options = Options { root: self.root.clone(), ..Options::default() };
        if kind == Kind::JsonSchema {
            options.json = json_options(&self.json_options)?;
        }
        if let Some(dialect) = &self.dialect {
            options.regex.dialect = source::dialect(dialect).map_err(Failure::Usage)?;
        }
        if self.search {
            options.regex.semantics = source::search(true);
        }
        Ok(Source { name, kind, text, options })
    }

    /// An option that was given and that says nothing without a constraint.
    #[cfg(feature = "generate")]
    fn used_with_a_constraint(&self) -> Option<&'static str> {
        let used = [
            (self.kind.is_some(), "--kind"),
            (self.root.is_some(), "--root"),
            (self.dialect.is_some(), "--dialect"),
            (self.search, "--search"),
        ];
        used.iter().find(|(used, _)| *used).map(|(_, flag)| *flag).or(self.json_options.used())
    }
}

/// Whether a text is a schema, and not the name of a file.
fn is_json(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['{', '[', '"']) || matches!(text, "true" | "false")
}

/// Whether a text is a grammar, and not the name of a file.
fn is_rules(text: &str) -> bool {
    text.contains("::=")
}

/// What an option is given: a constraint of `kind` itself, or the name of a file, which is of `file_kind`.
fn given(option: &str, value: &str, kind: Kind, is_text: bool, file_kind: Kind) -> Result<Named, Failure> {
    if is_text {
        return Ok((option.to_owned(), kind, value.to_owned()));
    }
    read(value, file_kind).map_err(|failure| match failure {
        Failure::Io { error, .. } if error.kind() == ErrorKind::NotFound => {
            Failure::Usage(format!("{option}: `{value}` is no file, nor a text of kind {}", kind.name()))
        }
        other => other,
    })
}

fn no_kind(file: &str) -> Failure {
    Failure::Usage(match file {
        "-" => "standard input has no file name: say its --kind".to_owned(),
        _ => format!("`{file}`: the name does not say the notation: use --kind"),
    })
}

/// The constraint in a file, or in standard input (`-`).
fn read(file: &str, kind: Kind) -> Result<Named, Failure> {
    let from_stdin = file == "-";
    let shown = PathBuf::from(if from_stdin { "<stdin>" } else { file });
    let mut data = Vec::new();
    let read = if from_stdin {
        std::io::stdin().read_to_end(&mut data).map(drop)
    } else {
        std::fs::read(file).map(|read| data = read)
    };
    read.map_err(|error| Failure::io(&shown, error))?;
    let text = String::from_utf8(data).map_err(|error| Failure::NotUtf8 {
        path: shown.clone(),
        offset: error.utf8_error().valid_up_to(),
    })?;
    Ok((shown.display().to_string(), kind, file_text(kind, text)))
}

/// The notation that a file's name stands for.
pub(crate) fn kind_of(path: &Path) -> Option<Kind> {
    if path.to_str()?.ends_with(".tag.json") {
        return Some(Kind::StructuralTag);
    }
    Some(match path.extension()?.to_str()? {
        "gbnf" => Kind::Gbnf,
        "ebnf" => Kind::Ebnf,
        "regex" | "re" => Kind::Regex,
        "choice" | "txt" => Kind::Choice,
        "json" => Kind::JsonSchema,
        "lark" => Kind::Lark,
        _ => return None,
    })
}

/// What of a file's text is the constraint: editors end files with a line break, which is no part of a pattern;
/// a choice has one text a line.
pub(crate) fn file_text(kind: Kind, mut text: String) -> String {
    match kind {
        Kind::Regex => {
            let end = text.strip_suffix('\n').map(|t| t.strip_suffix('\r').unwrap_or(t).len());
            text.truncate(end.unwrap_or(text.len()));
            text
        }
        Kind::Choice => json_array(&text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>()),
        _ => text,
    }
}

pub(crate) fn json_array<S: AsRef<str>>(items: &[S]) -> String {
    items.iter().map(|item| item.as_ref()).collect::<serde_json::Value>().to_string()
}

/// Compiles `source` with a compiler that is there.
pub(crate) fn compile_with(source: &Source, compiler: &Compiler) -> Result<Constraint, Failure> {
    let refuse = |reason| Failure::Refused(Box::new(source.refuse(reason)));
    let grammar = source.grammar(&Limits::default()).map_err(refuse)?;
    compiler.compile(grammar).map_err(|error| refuse(Reason::Compile(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_extension() {
        let kind = |name: &str| kind_of(Path::new(name));
        assert_eq!(kind("a/b.gbnf"), Some(Kind::Gbnf));
        assert_eq!(kind("x.schema.json"), Some(Kind::JsonSchema));
        assert_eq!(kind("calls.tag.json"), Some(Kind::StructuralTag));
        assert_eq!(kind("date.re"), Some(Kind::Regex));
        assert_eq!(kind("colours.txt"), Some(Kind::Choice));
        assert_eq!(kind("README"), None);
    }

    #[test]
    fn file_texts() {
        assert_eq!(file_text(Kind::Regex, "a b \r\n".into()), "a b ");
        assert_eq!(file_text(Kind::Regex, "\n\n".into()), "\n");
        assert_eq!(file_text(Kind::Choice, "red\n\"x\"\n\n".into()), r#"["red","\"x\""]"#);
        assert_eq!(file_text(Kind::Gbnf, "root ::= \"a\"\n".into()), "root ::= \"a\"\n");
    }
}
