//! Exact token masks for constrained decoding.
//!
//! A [`Grammar`] says which texts are wanted; a [`Vocab`] says which tokens a model can write. A [`Compiler`]
//! turns the two into a [`Constraint`], and a [`Matcher`] follows one sequence through it: at every step it
//! knows exactly the tokens after which the text can still be completed.
//!
//! ```
//! use tokenstile::{Compiler, Grammar, Limits, Vocab};
//!
//! // Usually from a tokenizer file: Vocab::from_tokenizer_json(&std::fs::read(path)?)?
//! let tokens = ["1", "2", "12", "+", "1+", "(", ")", " "].iter().map(|t| t.as_bytes().to_vec());
//! let vocab = Vocab::from_tokens((0..).zip(tokens), &[8])?;
//!
//! let grammar = Grammar::gbnf(r#"root ::= root "+" root | [0-9]+ | "(" root ")""#, &Limits::default())?;
//! let mut matcher = Compiler::new(vocab).compile(&grammar)?.matcher();
//!
//! let mut mask = vec![0u32; matcher.mask_words()];
//! matcher.commit(4)?; // "1+"
//! matcher.fill_mask(&mut mask)?;
//! assert_eq!(mask[0], 0b0_0011_0111); // a number or a bracket; not yet the end
//! matcher.commit(2)?; // "12"
//! assert!(matcher.is_accepting() && matcher.allows(8)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The promise
//!
//! A token is allowed if and only if the text with it can be completed, by tokens of this vocabulary, to a
//! text of the grammar; an end token exactly when the text is complete. What cannot be enforced is refused when
//! it is compiled. Every piece of work runs under [`Limits`].

#[cfg(not(feature = "ablate"))]
mod ablate;
#[cfg(feature = "ablate")]
#[doc(hidden)]
pub mod ablate;
mod advance;
mod ahead;
mod automaton;
mod batch;
mod constraint;
mod counters;
mod error;
mod few;
mod library;
mod machine;
mod mask;
mod matcher;
mod memo;
mod profile;
mod proof;
mod shortest;
mod skip;
mod spelling;
mod stack;
mod stored;
mod tables;
mod tracker;
mod trie;
pub mod vocab;
mod warm;
mod words;

pub use tokenstile_grammar as grammar;

pub use batch::fill_masks;
pub use constraint::{Compiler, Constraint, Stats};
pub use error::{CompileError, MatchError};
pub use grammar::limits::Cancel;
pub use grammar::{Error as GrammarError, ErrorKind, Grammar, Limits, Place};
pub use matcher::Matcher;
pub use stored::TablesError;
pub use vocab::{
    Fingerprint, MAX_TOKENS, TokenId, TokenKind, Vocab, VocabBuilder, VocabError, VocabErrorKind, VocabPlace,
};
