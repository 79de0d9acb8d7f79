//! Exact token masks: a grammar and a vocabulary in, the allowed tokens out.
//!
//! This is an internal crate of `tokenstile`, of the same version, and it makes no promise of stability: use it through
//! `tokenstile`.
//!
//! A grammar ([`Grammar`], of `tokenstile-grammar`) says which texts are wanted; a [`Vocab`] says which tokens a model can
//! write. A [`Compiler`] turns the two into a [`Constraint`], and a [`Matcher`] follows one sequence through it: at every
//! step it knows exactly the tokens after which the text can still be completed. Nothing here knows a notation: what many
//! grammars of one notation have in common is a [`Base`](tokenstile_grammar::ir::Base), which they bring.

#[cfg(not(feature = "ablate"))]
mod ablate;
#[cfg(feature = "ablate")]
#[doc(hidden)]
pub mod ablate;
mod automaton;
mod collections;
mod compile;
mod constraint;
mod error;
mod masks;
mod matcher;
mod session;
mod stack;
mod step;
mod stored;
mod tokens;
mod tracker;
mod tuning;
mod vocab;
mod warm;
mod work;

pub use collections::MemoStats;
pub use compile::Compiler;
pub use constraint::{Constraint, Stats};
pub use error::{CompileError, MatchError};
pub use matcher::{Commit, Matcher};
pub use session::Piece;
pub use step::{
    Batch, DraftTokens, DraftTree, Fill, MaskRows, PADDING, PlanError, RowKind, RowReport, SequenceId,
    StepOptions, StepReport, Turn, TurnReport,
};
pub use stored::TablesError;
pub use vocab::{
    Fingerprint, MAX_TOKENS, TokenId, TokenKind, Vocab, VocabBuilder, VocabError, VocabErrorKind, VocabPlace,
};

pub use tokenstile_grammar::limits::{Cancel, Limits};
pub use tokenstile_grammar::{Error as GrammarError, ErrorKind, Grammar};
