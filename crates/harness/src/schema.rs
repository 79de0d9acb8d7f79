//! What the tests of JSON Schema share: does a schema take a text?

use tokenstile_engine::{CompileError, Compiler, Constraint, Limits};
use tokenstile_json_schema::{JsonOptions, json_schema};

pub use crate::cases::takes;
use crate::{byte_vocab, cases};

/// The constraint of a schema over single bytes, or why it is refused.
pub fn constraint(schema: &str, options: &JsonOptions) -> Result<Constraint, CompileError> {
    let grammar = json_schema(schema, options, &Limits::default())?;
    Compiler::new(byte_vocab::<&str>(&[])).compile(&grammar)
}

/// Fails unless the schema takes all of one list and none of the other.
#[track_caller]
pub fn check(schema: &str, options: &JsonOptions, accepted: &[&str], rejected: &[&str]) {
    let constraint = constraint(schema, options).unwrap_or_else(|error| panic!("{error}: {schema}"));
    cases::check(schema, |text| takes(&constraint, text), accepted, rejected);
}
