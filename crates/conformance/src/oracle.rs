//! The independent judge: the `jsonschema` crate.
//!
//! Formats are asserted, in every draft all of them. A schema without `$schema` is read as 2020-12, and where it is
//! none of that, as draft 7 or 4: array forms of `items` and boolean `exclusiveMinimum` are common.
//!
//! What the crate makes a difference of and the specification does not is taken out beforehand: members are sorted, and
//! numbers written in their plainest form, so that `1.0` is an integer in every draft. `$schema` counts only at the top:
//! elsewhere it makes the crate change drafts half-way. `multipleOf` is our own: the crate rounds. Addresses of mail may
//! be long: the rule `Mailbox` that JSON Schema names has no limit of 64 characters.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jsonschema::{Draft, Keyword, ValidationError, Validator};
use serde_json::{Value, json};

use crate::decimal::{is_multiple, plain};

/// Formats that the crate knows in later drafts only.
const LATE_FORMATS: [&str; 9] = [
    "duration",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Formats of mail addresses.
const MAIL: [&str; 2] = ["email", "idn-email"];

/// A validator for one schema.
pub(crate) struct Oracle {
    validator: Validator,
}

impl Oracle {
    /// A validator, or why there is none.
    pub(crate) fn new(schema: &Value) -> Result<Oracle, String> {
        let mut schema = plainest(schema).ok_or("a number is too large")?;
        strike_inner_drafts(&mut schema);
        let mut first = None;
        let drafts = if schema.get("$schema").is_some() {
            vec![None]
        } else {
            vec![Some(Draft::Draft202012), Some(Draft::Draft7), Some(Draft::Draft4)]
        };
        for draft in drafts {
            let built = catch_unwind(AssertUnwindSafe(|| build(&schema, draft)));
            match built.unwrap_or_else(|_| Err("it panicked".to_owned())) {
                Ok(validator) => return Ok(Oracle { validator }),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_default())
    }

    /// Whether an instance is valid; none if the crate panics or numbers are too large for it.
    pub(crate) fn is_valid(&self, instance: &Value) -> Option<bool> {
        let instance = plainest(instance)?;
        catch_unwind(AssertUnwindSafe(|| self.validator.is_valid(&instance))).ok()
    }

    /// The first error of an instance, in words.
    pub(crate) fn error(&self, instance: &Value) -> String {
        let Some(instance) = plainest(instance) else { return "a number is too large".to_owned() };
        match self.validator.validate(&instance) {
            Ok(()) => "valid".to_owned(),
            Err(error) => {
                format!("{} ({})", crate::text::excerpt(&error.to_string(), 120), error.schema_path())
            }
        }
    }
}

/// The same value with sorted members and plain numbers; none if a number is too large for that.
fn plainest(value: &Value) -> Option<Value> {
    let mut value = value.clone();
    value.sort_all_objects();
    let mut open = vec![&mut value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values_mut()),
            Value::Number(number) => *number = serde_json::from_str(&plain(&number.to_string())?).ok()?,
            _ => {}
        }
    }
    Some(value)
}

/// Takes `$schema` out of schemas within the schema that are no documents of their own.
fn strike_inner_drafts(schema: &mut Value) {
    let mut open: Vec<&mut Value> = match schema {
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                let named = ["$id", "id"].iter().any(|key| members.get(*key).is_some_and(Value::is_string));
                if !named && members.get("$schema").is_some_and(Value::is_string) {
                    members.shift_remove("$schema");
                }
                open.extend(members.values_mut());
            }
            _ => {}
        }
    }
}

fn build(schema: &Value, draft: Option<Draft>) -> Result<Validator, String> {
    let mut options = jsonschema::options().should_validate_formats(true);
    if let Some(draft) = draft {
        options = options.with_draft(draft);
    }
    options = options.with_keyword("multipleOf", |_, value, _| {
        Ok(Box::new(MultipleOf { factor: value.to_string() }) as Box<dyn Keyword>)
    });
    for (format, check) in formats() {
        let is_mail = MAIL.contains(format);
        options = options.with_format(*format, move |text: &str| {
            check.is_valid(&Value::from(text)) || is_mail && is_long_address(text, check)
        });
    }
    options.build(schema).map_err(|error| crate::text::excerpt(&error.to_string(), 200))
}

/// `multipleOf` without rounding: the crate's own divides large numbers as floating point.
struct MultipleOf {
    factor: String,
}

impl Keyword for MultipleOf {
    fn validate<'i>(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        Err(ValidationError::custom(format!("{instance} is not a multiple of {}", self.factor)))
    }

    fn is_valid(&self, instance: &Value) -> bool {
        !instance.is_number() || is_multiple(&instance.to_string(), &self.factor)
    }
}

/// Whether an address has a long local part and nothing else is wrong with it: each word of it is judged in pieces.
fn is_long_address(text: &str, check: &Validator) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    if local.len() <= 64 || local.starts_with('"') {
        return false;
    }
    local.split('.').all(|word| {
        let word: Vec<char> = word.chars().collect();
        let mut pieces = word.chunks(10).map(|piece| piece.iter().collect::<String>());
        !word.is_empty() && pieces.all(|piece| check.is_valid(&Value::from(format!("{piece}@{domain}"))))
    })
}

/// The checks of [`LATE_FORMATS`] and [`MAIL`], by the crate's own validators of the latest draft.
fn formats() -> &'static [(&'static str, Validator)] {
    static CHECKS: OnceLock<Vec<(&str, Validator)>> = OnceLock::new();
    CHECKS.get_or_init(|| {
        let check = |format| {
            let options = jsonschema::options().should_validate_formats(true);
            Some((format, options.build(&json!({"format": format})).ok()?))
        };
        LATE_FORMATS.into_iter().chain(MAIL).filter_map(check).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_asserted_in_every_draft() {
        for schema in
            ["http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2020-12/schema"]
        {
            for (format, bad) in [("date", "2023-02-30"), ("uuid", "x"), ("duration", "P")] {
                let oracle = Oracle::new(&json!({"$schema": schema, "format": format})).unwrap();
                assert_eq!(oracle.is_valid(&json!(bad)), Some(false), "{format}");
                assert_eq!(oracle.is_valid(&json!(1)), Some(true));
            }
        }
    }

    #[test]
    fn mail_addresses_may_be_long() {
        let oracle = Oracle::new(&json!({"format": "email"})).unwrap();
        let long = "abc-def.".repeat(20);
        let valid = |text: String| oracle.is_valid(&json!(text)) == Some(true);
        assert!(valid("a@example.com".to_owned()) && valid(format!("{long}x@example.com")));
        assert!(!valid("a".to_owned()) && !valid(format!("{long}@example.com")));
        assert!(!valid(format!("{long}x y@example.com")) && !valid(format!("{long}x@")));
    }

    #[test]
    fn old_forms_are_read_where_no_draft_is_named() {
        let oracle = Oracle::new(&json!({"items": [{"type": "string"}], "additionalItems": false})).unwrap();
        assert_eq!(oracle.is_valid(&json!(["a"])), Some(true));
        assert_eq!(oracle.is_valid(&json!(["a", 1])), Some(false));
        let oracle = Oracle::new(&json!({"minimum": 1, "exclusiveMinimum": true})).unwrap();
        assert_eq!(oracle.is_valid(&json!(1)), Some(false));
    }

    #[test]
    fn spelling_and_order_make_no_difference() {
        let schema =
            json!({"$schema": "http://json-schema.org/draft-04/schema#", "enum": [{"b": 1, "a": 2}, 1000]});
        let oracle = Oracle::new(&schema).unwrap();
        let valid = |text: &str| oracle.is_valid(&serde_json::from_str(text).unwrap());
        assert_eq!(valid(r#"{"a": 2.0, "b": 10e-1}"#), Some(true));
        assert_eq!(valid("1e3"), Some(true));
        assert_eq!(valid("1e3000000"), None);
    }

    #[test]
    fn numbers_are_exact() {
        let oracle = Oracle::new(&json!({"type": "integer", "multipleOf": 3})).unwrap();
        let valid = |text: &str| oracle.is_valid(&serde_json::from_str(text).unwrap());
        assert_eq!(valid("300000000000000000000000000000000000000003"), Some(true));
        assert_eq!(valid("300000000000000000000000000000000000000004"), Some(false));
        assert_eq!(valid("3.0"), Some(true));
        assert_eq!(valid("3e999999999"), None);
    }
}
