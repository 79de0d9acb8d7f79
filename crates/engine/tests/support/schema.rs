//! What the JSON Schema tests share: does a schema take a text?

#![allow(dead_code)] // each test file uses a part of this

use tokenstile_engine::{CompileError, Compiler, Constraint, Limits};
use tokenstile_json_schema::{JsonOptions, json_schema};

use super::support::byte_vocab;

/// The constraint of a schema over single bytes, or why it is refused.
pub fn constraint(schema: &str, options: &JsonOptions) -> Result<Constraint, CompileError> {
    let grammar = json_schema(schema, options, &Limits::default())?;
    Compiler::new(byte_vocab::<&str>(&[])).compile(&grammar)
}

/// Whether a constraint takes a text, byte by byte.
pub fn takes(constraint: &Constraint, text: &str) -> bool {
    let mut matcher = constraint.matcher();
    text.bytes().all(|byte| matcher.commit(u32::from(byte)).is_ok()) && matcher.is_accepting()
}

/// Fails unless the schema takes all of one list and none of the other.
#[track_caller]
pub fn check(schema: &str, options: &JsonOptions, accepted: &[&str], rejected: &[&str]) {
    let constraint = constraint(schema, options).unwrap_or_else(|error| panic!("{error}: {schema}"));
    for text in accepted {
        assert!(takes(&constraint, text), "{schema} should take {text}");
    }
    for text in rejected {
        assert!(!takes(&constraint, text), "{schema} should not take {text}");
    }
}
