//! Constraint languages of Tokenstile: text in, [`Grammar`] out.
//!
//! This crate reads constraints (GBNF, EBNF, regular expressions, choices, JSON) into one intermediate
//! representation ([`ir`]) and prepares it for execution ([`passes`]). It never sees a token: turning a
//! grammar and a vocabulary into masks is the job of the `tokenstile` crate.

mod choice;
pub mod error;
mod gbnf;
mod ids;
pub mod ir;
mod json;
mod json_schema;
pub mod limits;
pub mod passes;
mod regex;

// The recognisers that tests share name the crate as its users do.
#[cfg(test)]
extern crate self as tokenstile_grammar;

pub use error::{Error, ErrorKind, Place};
pub use ids::{ByteSetId, CharSetId, ExprId, MachineId, MembersId, RuleId};
pub use ir::{Grammar, GrammarBuilder};
pub use json::JsonWhitespace;
pub use json_schema::{Draft, JsonOptions, MemberOrder, Spelling};
pub use limits::Limits;
pub use regex::{RegexDialect, RegexOptions, RegexSemantics, regex_expr};
