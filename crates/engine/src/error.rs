//! What can go wrong while compiling and while matching.

use std::fmt;

use tokenstile_grammar::{Error as GrammarError, ErrorKind};

use crate::vocab::TokenId;
use crate::work::Exceeded;

/// Why a grammar could not be compiled for a vocabulary.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CompileError {
    /// The grammar itself was refused.
    Grammar(GrammarError),
    /// The grammar matches some texts, but the tokens of this vocabulary spell none of them.
    Unspellable {
        /// Bytes that the grammar uses and no token contains, as far as that is the reason.
        missing: Vec<u8>,
    },
}

impl CompileError {
    /// The kind of refusal.
    pub fn kind(&self) -> ErrorKind {
        match self {
            CompileError::Grammar(error) => error.kind(),
            CompileError::Unspellable { .. } => ErrorKind::Unsatisfiable,
        }
    }
}

impl CompileError {
    pub(crate) fn from_match(error: MatchError) -> Self {
        CompileError::Grammar(match error {
            MatchError::Limit { name, value } => GrammarError::limit(name, value),
            other => GrammarError::new(ErrorKind::Unsatisfiable, other.to_string()),
        })
    }
}

impl From<GrammarError> for CompileError {
    fn from(error: GrammarError) -> Self {
        CompileError::Grammar(error)
    }
}

impl From<Exceeded> for CompileError {
    fn from(e: Exceeded) -> Self {
        CompileError::Grammar(GrammarError::limit(e.name, e.value))
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Grammar(error) => error.fmt(f),
            CompileError::Unspellable { missing } => {
                f.write_str("no text of this constraint can be spelled with the tokens of this vocabulary")?;
                if !missing.is_empty() {
                    write!(f, "; no token contains {}", missing.escape_ascii())?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for CompileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CompileError::Grammar(error) => Some(error),
            CompileError::Unspellable { .. } => None,
        }
    }
}

/// Why a matcher refused a call. The matcher is unchanged by a refused call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MatchError {
    /// The constraint does not allow this token here.
    Forbidden {
        /// The token.
        token: TokenId,
    },
    /// The constraint does not allow these bytes here.
    ForbiddenByte {
        /// Offset of the first byte that does not fit, in the bytes given.
        at: usize,
        /// That byte.
        byte: u8,
    },
    /// The vocabulary has no such token.
    UnknownToken {
        /// The token.
        token: TokenId,
    },
    /// An end token was committed: nothing may follow.
    Finished,
    /// More steps were to be undone than were done.
    NothingToUndo {
        /// Steps asked for.
        asked: usize,
        /// Steps done.
        done: usize,
    },
    /// The caller's mask is too short.
    MaskTooShort {
        /// Words given.
        given: usize,
        /// Words needed.
        needed: usize,
    },
    /// A field of [`Limits`](crate::Limits) was exceeded.
    Limit {
        /// Name of the field.
        name: &'static str,
        /// Its value.
        value: usize,
    },
}

impl From<Exceeded> for MatchError {
    fn from(e: Exceeded) -> Self {
        MatchError::Limit { name: e.name, value: e.value }
    }
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            MatchError::Forbidden { token } => write!(f, "token {token} is not allowed here"),
            MatchError::ForbiddenByte { at, byte } => {
                write!(f, "byte {byte:#04x} ('{}') at offset {at} is not allowed here", [byte].escape_ascii())
            }
            MatchError::UnknownToken { token } => write!(f, "the vocabulary has no token {token}"),
            MatchError::Finished => f.write_str("the text has ended: an end token was committed"),
            MatchError::NothingToUndo { asked, done } => {
                write!(f, "cannot undo {asked} steps: only {done} were done")
            }
            MatchError::MaskTooShort { given, needed } => {
                write!(f, "the mask has {given} words, but {needed} are needed")
            }
            MatchError::Limit { name, value } => write!(f, "limit exceeded: {name} = {value}"),
        }
    }
}

impl std::error::Error for MatchError {}
