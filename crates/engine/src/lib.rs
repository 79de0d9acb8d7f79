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

mod automaton;
mod collections;
mod compile;
mod constraint;
mod error;
mod masks;
mod matcher;
mod session;
mod stack;
mod stored;
mod tokens;
mod tracker;
pub mod vocab;
mod warm;
mod work;

pub use tokenstile_grammar as grammar;

pub use compile::Compiler;
pub use constraint::{Constraint, Stats};
pub use error::{CompileError, MatchError};
pub use grammar::limits::Cancel;
pub use grammar::{Error as GrammarError, ErrorKind, Grammar, Limits, Place};
pub use matcher::{Matcher, fill_masks};
pub use stored::TablesError;
pub use vocab::{
    Fingerprint, MAX_TOKENS, TokenId, TokenKind, Vocab, VocabBuilder, VocabError, VocabErrorKind, VocabPlace,
};
