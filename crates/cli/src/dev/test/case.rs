//! Reading case files: one JSON object a line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::dev::case_options;
use crate::failure::Failure;
use crate::source::{Kind, Source};

/// One test case.
pub(super) struct Case {
    /// Its id as given; null if there is none.
    pub(super) id: Value,
    /// `file:line`.
    pub(super) place: String,
    /// The constraint, or what is wrong with its options.
    pub(super) source: Result<Source, String>,
    /// Texts that the constraint matches.
    pub(super) accept: Vec<String>,
    /// Texts that it does not match.
    pub(super) reject: Vec<String>,
    /// Whether the source must be refused.
    pub(super) error: bool,
}

impl Case {
    /// The id for people.
    pub(super) fn shown_id(&self) -> String {
        match &self.id {
            Value::String(id) => id.clone(),
            Value::Null => "(no id)".into(),
            other => other.to_string(),
        }
    }

    /// Reads one line; says what is wrong with it otherwise. Fields that are not ours are left alone.
    fn parse(line: &str, place: String) -> Result<Case, String> {
        let case: Map<String, Value> = serde_json::from_str(line).map_err(|error| not_an_object(&error))?;
        let kind = case.get("kind").and_then(Value::as_str).ok_or("`kind` must be a string")?;
        let kind = case_options::kind(kind).ok_or_else(|| format!("unknown kind `{kind}`"))?;
        let text = source_text(kind, case.get("source"))?;
        let no_options = Map::new();
        let options = match case.get("options") {
            None | Some(Value::Null) => &no_options,
            Some(Value::Object(options)) => options,
            Some(_) => return Err("`options` must be an object".into()),
        };
        let error = match case.get("error") {
            None | Some(Value::Null) => false,
            Some(value) => value.as_bool().ok_or("`error` must be true or false")?,
        };
        Ok(Case {
            id: case.get("id").cloned().unwrap_or(Value::Null),
            source: case_options::from_json(kind, options).map(|options| Source {
                name: place.clone(),
                kind,
                text,
                options,
            }),
            place,
            accept: texts(&case, "accept")?,
            reject: texts(&case, "reject")?,
            error,
        })
    }
}

/// What is wrong with a line that is no JSON object. The file says which line; the reader of JSON saw only this one.
pub(crate) fn not_an_object(error: &serde_json::Error) -> String {
    format!("not a JSON object: {}", error.to_string().replace("line 1 column", "column"))
}

/// The source as text: a choice may be given as an array, a schema as the JSON value itself.
pub(crate) fn source_text(kind: Kind, source: Option<&Value>) -> Result<String, String> {
    match (kind, source) {
        (_, Some(Value::String(text))) => Ok(text.clone()),
        (Kind::Json, None | Some(Value::Null)) => Ok(String::new()),
        (Kind::Choice | Kind::JsonSchema | Kind::StructuralTag, Some(value)) => Ok(value.to_string()),
        _ => Err("`source` must be a string".into()),
    }
}

fn texts(case: &Map<String, Value>, name: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{name}` must be an array of strings");
    match case.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

/// The cases of one file, read line by line; empty lines are skipped.
pub(super) struct CaseFile {
    path: PathBuf,
    lines: std::io::Split<BufReader<File>>,
    line: usize,
}

impl CaseFile {
    /// Opens a file.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| Failure::io(path, error))?;
        Ok(CaseFile { path: path.to_owned(), lines: BufReader::new(file).split(b'\n'), line: 0 })
    }
}

impl Iterator for CaseFile {
    type Item = Result<Case, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(Failure::io(&self.path, error))),
            };
            self.line += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let place = format!("{}:{}", self.path.display(), self.line);
            let case = std::str::from_utf8(&line)
                .map_err(|error| format!("not UTF-8 at byte {} of the line", error.valid_up_to()))
                .and_then(|line| Case::parse(line, place));
            return Some(case.map_err(|message| Failure::Malformed {
                path: self.path.clone(),
                line: self.line,
                message,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Case, String> {
        Case::parse(line, "f:1".into())
    }

    #[test]
    fn cases_are_read() {
        let case = parse(r#"{"id":"a","kind":"choice","source":["x","y"],"accept":["x"],"note":1}"#).unwrap();
        assert_eq!(case.source.unwrap().text, r#"["x","y"]"#);
        assert_eq!(
            (case.accept.as_slice(), case.reject.len(), case.error),
            (&["x".to_owned()][..], 0, false)
        );
        let case = parse(r#"{"id":7,"kind":"regex","source":"a","options":{"flavour":1}}"#).unwrap();
        assert_eq!(case.shown_id(), "7");
        assert!(case.source.unwrap_err().contains("flavour"));
    }

    #[test]
    fn malformed_lines_say_why() {
        let expect = [
            ("{", "not a JSON object"),
            ("[]", "not a JSON object"),
            (r#"{"source":"a"}"#, "`kind`"),
            (r#"{"kind":"yaml","source":"a"}"#, "unknown kind `yaml`"),
            (r#"{"kind":"gbnf"}"#, "`source`"),
            (r#"{"kind":"gbnf","source":"a","accept":"a"}"#, "`accept`"),
            (r#"{"kind":"gbnf","source":"a","reject":[1]}"#, "`reject`"),
            (r#"{"kind":"gbnf","source":"a","error":"yes"}"#, "`error`"),
            (r#"{"kind":"gbnf","source":"a","options":[]}"#, "`options`"),
        ];
        for (line, part) in expect {
            let message = parse(line).err().unwrap();
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}
