//! What a case file says of its constraints: their kind by name, and the `options` object.
//!
//! In comes JSON; out goes what the flags of the other commands give as well, or what is wrong with it in words.

use clap::ValueEnum;
use serde_json::{Map, Value};
use tokenstile::{JsonOptions, RegexSemantics};

use crate::json_options;
use crate::source::{self, Kind, Options};

/// The kind by the name that case files use.
pub(super) fn kind(name: &str) -> Option<Kind> {
    Kind::value_variants().iter().copied().find(|kind| kind.name() == name)
}

/// Reads the `options` object of a case; says what is wrong with it otherwise.
pub(super) fn from_json(kind: Kind, options: &Map<String, Value>) -> Result<Options, String> {
    let mut read = Options::default();
    if kind == Kind::JsonSchema {
        read.json = of_json_schema(options)?;
        return Ok(read);
    }
    for (name, value) in options {
        match (kind, name.as_str()) {
            (Kind::Ebnf, "root") => read.root = Some(text(name, value)?.to_owned()),
            (Kind::Regex, "dialect") => read.regex.dialect = source::dialect(text(name, value)?)?,
            (Kind::Regex, "semantics") => read.regex.semantics = semantics(text(name, value)?)?,
            (Kind::Regex, "search") => read.regex.semantics = source::search(flag(name, value)?),
            (Kind::Regex, "case_insensitive") => read.regex.case_insensitive = flag(name, value)?,
            (Kind::Regex, "dot_all") => read.regex.dot_all = flag(name, value)?,
            (Kind::Regex, "multi_line") => read.regex.multi_line = flag(name, value)?,
            // Refused as a whole before any option could matter.
            (Kind::Lark, _) => {}
            _ => return Err(format!("unknown option `{name}` for kind `{}`", kind.name())),
        }
    }
    Ok(read)
}

/// Those of a JSON Schema.
fn of_json_schema(options: &Map<String, Value>) -> Result<JsonOptions, String> {
    // The profile first: the other options change it.
    let mut read = match options.get("profile") {
        Some(name) => json_options::profile(text("profile", name)?)?,
        None => JsonOptions::default(),
    };
    for (name, value) in options {
        match name.as_str() {
            "profile" => {}
            "order" => read.order = json_options::order(text(name, value)?)?,
            "whitespace" => read.whitespace = json_options::whitespace(text(name, value)?),
            "closed" => read.closed = flag(name, value)?,
            "formats" => read.ignore_formats = !flag(name, value)?,
            "lenient" => read.lenient = flag(name, value)?,
            "draft" => read.draft = json_options::draft(text(name, value)?)?,
            "documents" => {
                let documents = value.as_object().ok_or("option `documents` must be an object of schemas")?;
                read.documents = documents.iter().map(|(a, d)| (a.clone(), d.to_string())).collect();
            }
            _ => return Err(format!("unknown option `{name}` for kind `json_schema`")),
        }
    }
    Ok(read)
}

fn text<'a>(name: &str, value: &'a Value) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| format!("option `{name}` must be a string, not {value}"))
}

fn flag(name: &str, value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("option `{name}` must be true or false, not {value}"))
}

fn semantics(name: &str) -> Result<RegexSemantics, String> {
    match name {
        "whole" | "whole_match" => Ok(RegexSemantics::WholeMatch),
        "search" => Ok(RegexSemantics::Search),
        _ => Err(format!("unknown semantics `{name}`: whole_match or search")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenstile::RegexDialect;

    fn options(kind: Kind, text: &str) -> Result<Options, String> {
        from_json(kind, &serde_json::from_str(text).unwrap())
    }

    #[test]
    fn kinds_have_one_name() {
        for name in ["gbnf", "ebnf", "regex", "choice", "json", "json_schema", "lark", "structural_tag"] {
            assert_eq!(kind(name).unwrap().name(), name);
        }
        assert_eq!(kind("yaml"), None);
    }

    #[test]
    fn options_are_read_or_refused() {
        assert_eq!(options(Kind::Ebnf, r#"{"root":"s"}"#).unwrap().root.as_deref(), Some("s"));
        let regex = options(Kind::Regex, r#"{"dialect":"ecma","search":true}"#).unwrap().regex;
        assert_eq!((regex.dialect, regex.semantics), (RegexDialect::Ecma, RegexSemantics::Search));
        assert!(options(Kind::Gbnf, r#"{"root":"s"}"#).unwrap_err().contains("unknown option `root`"));
        assert!(options(Kind::Regex, r#"{"search":"yes"}"#).unwrap_err().contains("true or false"));
        assert!(options(Kind::Regex, r#"{"dialect":"perl"}"#).unwrap_err().contains("unknown dialect"));
    }
}
