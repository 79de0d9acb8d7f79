//! What the tests of all crates share.
//!
//! * [`mod@data`]: where the data is that tests read, and what stands in for it.
//! * [`vocab`]: a large vocabulary, small ones, and files of them.
//! * [`masks`]: masks of the engine against those of the reference matcher.
//! * [`cases`]: texts that are taken and texts that are not; [`schema`] for JSON Schemas.
//! * [`tracked`]: grammars of JSON texts in which repetitions are noticed.

pub mod cases;
pub mod data;
pub mod masks;
pub mod schema;
pub mod tracked;
pub mod vocab;

use std::io::Write;

pub use masks::{Sorted, Words, allowed, mask_of, masks_agree, tokens_in};
pub use tokenstile_testkit::bit;
pub use vocab::byte_vocab;

use tokenstile_engine::{Compiler, Constraint, Grammar, Limits, Vocab};
use tokenstile_grammar::RegexOptions;

/// The grammar of a GBNF text.
#[track_caller]
pub fn gbnf(source: &str) -> Grammar {
    Grammar::gbnf(source, &Limits::default()).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// The grammar of a regular expression in Rust's syntax.
#[track_caller]
pub fn regex(pattern: &str) -> Grammar {
    Grammar::regex(pattern, &RegexOptions::default(), &Limits::default())
        .unwrap_or_else(|e| panic!("{e}\n{pattern}"))
}

/// The constraint of a grammar with default limits.
#[track_caller]
pub fn compile(grammar: &Grammar, vocab: &Vocab) -> Constraint {
    Compiler::new(vocab.clone()).compile(grammar).unwrap_or_else(|e| panic!("{e}\n{grammar}"))
}

/// Says something where it is seen: past the capture of test output.
pub fn say(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}
