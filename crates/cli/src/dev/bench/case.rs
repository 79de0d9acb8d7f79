//! Reading benchmark cases.

use serde_json::{Map, Value};
use tokenstile::TokenId;

use crate::dev::case_options;
use crate::dev::test::{not_an_object, source_text};
use crate::source::{Kind, Options, Source};

/// A constraint and token sequences to take through it.
pub(super) struct Case {
    pub(super) id: Value,
    pub(super) split: Value,
    pub(super) source: Source,
    pub(super) tests: Vec<Test>,
}

/// One token sequence.
pub(super) struct Test {
    /// Whether the constraint should accept it.
    pub(super) valid: bool,
    pub(super) tokens: Vec<TokenId>,
}

impl Case {
    /// Reads one line; `width` is the number of ids that a mask has.
    pub(super) fn parse(line: &str, width: usize) -> Result<Case, String> {
        let case: Map<String, Value> = serde_json::from_str(line).map_err(|error| not_an_object(&error))?;
        let (kind, text) = match (case.get("schema"), case.get("kind")) {
            (Some(schema), None) => (Kind::JsonSchema, source_text(Kind::JsonSchema, Some(schema))?),
            (None, Some(kind)) => {
                let kind = kind
                    .as_str()
                    .and_then(case_options::kind)
                    .ok_or_else(|| format!("unknown kind {kind}"))?;
                (kind, source_text(kind, case.get("source"))?)
            }
            _ => return Err("a case has either `schema` or `kind` and `source`".into()),
        };
        let options = match case.get("options").and_then(Value::as_object) {
            Some(options) => case_options::from_json(kind, options)?,
            None => Options::default(),
        };
        let tests = case.get("tests").and_then(Value::as_array).ok_or("`tests` must be an array")?;
        let id = case.get("id").cloned().unwrap_or(Value::Null);
        Ok(Case {
            source: Source { name: id.to_string(), kind, text, options },
            id,
            split: case.get("split").cloned().unwrap_or_else(|| "".into()),
            tests: tests.iter().map(|test| read_test(test, width)).collect::<Result<_, _>>()?,
        })
    }
}

fn read_test(test: &Value, width: usize) -> Result<Test, String> {
    let valid = test["valid"].as_bool().ok_or("`valid` of a test must be true or false")?;
    let tokens = test["tokens"].as_array().ok_or("`tokens` of a test must be an array")?;
    let token = |token: &Value| {
        token
            .as_u64()
            .filter(|&id| id < width as u64)
            .and_then(|id| TokenId::try_from(id).ok())
            .ok_or_else(|| format!("{token} is no token of this vocabulary"))
    };
    Ok(Test { valid, tokens: tokens.iter().map(token).collect::<Result<_, _>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let case = Case::parse(
            r#"{"id":"a","split":"s","schema":"{}","tests":[{"valid":true,"tokens":[1,2]}]}"#,
            32,
        );
        let case = case.unwrap();
        assert_eq!((case.source.kind, case.tests[0].tokens.as_slice()), (Kind::JsonSchema, &[1, 2][..]));
        let case = Case::parse(r#"{"id":"b","kind":"json","source":"","tests":[]}"#, 32).unwrap();
        assert_eq!(case.source.kind, Kind::Json);
    }

    #[test]
    fn wrong_cases_say_why() {
        let expect = [
            (r#"{"tests":[]}"#, "either `schema`"),
            (r#"{"kind":"json"}"#, "`tests`"),
            (r#"{"kind":"json","tests":[{"valid":1}]}"#, "`valid`"),
            (r#"{"kind":"json","tests":[{"valid":true,"tokens":[32]}]}"#, "32 is no token"),
            (r#"{"kind":"regex","source":"a","options":{"x":1},"tests":[]}"#, "unknown option"),
        ];
        for (line, part) in expect {
            let message = Case::parse(line, 32).err().unwrap();
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}
