//! Grammars of Tokenstile: text in, [`Grammar`] out.
//!
//! This is an internal crate of `tokenstile`, of the same version, and it makes no promise of stability: use it through
//! `tokenstile`.
//!
//! It reads constraints (GBNF, EBNF, regular expressions, choices, JSON) into one intermediate representation ([`ir`])
//! and prepares it for execution ([`passes`]). It never sees a token: turning a grammar and a vocabulary into masks is
//! the job of `tokenstile-engine`. `tokenstile-json-schema` reads JSON Schema into the same representation.

pub mod choice;
pub mod compose;
pub mod error;
mod gbnf;
mod ids;
pub mod ir;
pub mod json;
pub mod limits;
pub mod passes;
pub mod regex;
mod tuning;

pub use compose::{Composer, Part, Trigger, Triggered};
pub use error::{Error, ErrorKind, Place};
pub use ids::{ByteSetId, CharSetId, ExprId, MachineId, MembersId, RuleId, TokenSetId};
pub use ir::{Grammar, GrammarBuilder};
pub use json::JsonWhitespace;
pub use limits::Limits;
pub use regex::{RegexDialect, RegexOptions, RegexSemantics, regex_expr};
