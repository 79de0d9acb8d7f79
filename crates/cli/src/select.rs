//! Which constraint a command is about: a file, standard input, or text given in a flag.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::ArgGroup;
use tokenstile::{Compiler, Constraint, Limits};

use crate::failure::Failure;
use crate::json_options::JsonFlags;
use crate::source::{self, Kind, Options, Reason, Source};

/// Flags that choose a constraint, shared by the commands that look at one.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Constraint")]
#[command(group = ArgGroup::new("inline").args(["regex", "gbnf", "choice", "any_json", "schema"]))]
pub(crate) struct Selection {
    /// The constraint is this regular expression
    #[arg(long, value_name = "PATTERN")]
    regex: Option<String>,
    /// The constraint is this GBNF grammar
    #[arg(long, value_name = "TEXT")]
    gbnf: Option<String>,
    /// The constraint is one of these texts, separated by commas
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    choice: Option<Vec<String>>,
    /// The constraint is this JSON Schema
    #[arg(long, value_name = "JSON")]
    schema: Option<String>,
    /// The constraint is any JSON text
    #[arg(long)]
    any_json: bool,
    /// Notation of the file or of standard input, where its name does not say
    #[arg(long, value_enum, conflicts_with = "inline")]
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
    json: JsonFlags,
}

impl Selection {
    /// Whether a flag gives the constraint, so that no file is needed.
    pub(crate) fn is_inline(&self) -> bool {
        self.regex.is_some()
            || self.gbnf.is_some()
            || self.choice.is_some()
            || self.schema.is_some()
            || self.any_json
    }

    /// The constraint: from the flags, or from `file` (`-` is standard input).
    pub(crate) fn source(&self, file: Option<&str>) -> Result<Source, Failure> {
        let (name, kind, text) = match (self.inline(), file) {
            (Some(inline), None) => inline,
            (Some((flag, ..)), Some(file)) => {
                return Err(Failure::Usage(format!("both {flag} and the file `{file}` give a constraint")));
            }
            (None, Some(file)) => self.read(file)?,
            (None, None) => {
                let message =
                    "no constraint: name a file, or use --schema, --regex, --gbnf, --choice or --any-json";
                return Err(Failure::Usage(message.into()));
            }
        };
        Ok(Source { name, kind, text, options: self.options(kind)? })
    }

    fn inline(&self) -> Option<(String, Kind, String)> {
        if let Some(pattern) = &self.regex {
            return Some(("--regex".into(), Kind::Regex, pattern.clone()));
        }
        if let Some(text) = &self.gbnf {
            return Some(("--gbnf".into(), Kind::Gbnf, text.clone()));
        }
        if let Some(choices) = &self.choice {
            return Some(("--choice".into(), Kind::Choice, json_array(choices)));
        }
        if let Some(text) = &self.schema {
            return Some(("--schema".into(), Kind::JsonSchema, text.clone()));
        }
        self.any_json.then(|| ("--any-json".into(), Kind::Json, String::new()))
    }

    fn read(&self, file: &str) -> Result<(String, Kind, String), Failure> {
        let path = Path::new(file);
        let from_stdin = file == "-";
        let kind = match (self.kind, from_stdin) {
            (Some(kind), _) => kind,
            (None, true) => {
                return Err(Failure::Usage("standard input has no file name: say its --kind".into()));
            }
            (None, false) => kind_of(path).ok_or_else(|| {
                Failure::Usage(format!("`{file}`: the name does not say the notation: use --kind"))
            })?,
        };
        let shown = PathBuf::from(if from_stdin { "<stdin>" } else { file });
        let mut data = Vec::new();
        let read = if from_stdin {
            std::io::stdin().read_to_end(&mut data).map(drop)
        } else {
            std::fs::read(path).map(|read| data = read)
        };
        read.map_err(|error| Failure::io(&shown, error))?;
        let text = String::from_utf8(data).map_err(|error| Failure::NotUtf8 {
            path: shown.clone(),
            offset: error.utf8_error().valid_up_to(),
        })?;
        Ok((shown.display().to_string(), kind, file_text(kind, text)))
    }

    fn options(&self, kind: Kind) -> Result<Options, Failure> {
        let unfit = |flag: &str, wanted: &str| {
            Failure::Usage(format!("{flag} is for {wanted}, and this constraint is {}", kind.name()))
        };
        let mut options = Options::default();
        match (self.json.used(), kind) {
            (_, Kind::JsonSchema) => options.json = self.json.options()?,
            (Some(flag), _) => return Err(unfit(flag, "json_schema")),
            (None, _) => {}
        }
        if let Some(root) = &self.root {
            if kind != Kind::Ebnf {
                return Err(unfit("--root", "ebnf"));
            }
            options.root = Some(root.clone());
        }
        if let Some(dialect) = &self.dialect {
            if kind != Kind::Regex {
                return Err(unfit("--dialect", "regex"));
            }
            options.regex.dialect = source::dialect(dialect).map_err(Failure::Usage)?;
        }
        if self.search {
            if kind != Kind::Regex {
                return Err(unfit("--search", "regex"));
            }
            options.regex.semantics = source::search(true);
        }
        Ok(options)
    }
}

/// The notation that a file's name stands for.
pub(crate) fn kind_of(path: &Path) -> Option<Kind> {
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
