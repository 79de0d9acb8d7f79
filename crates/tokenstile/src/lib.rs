//! Exact token masks for constrained decoding.
//!
//! A language model writes one token after the other. This library says at every step exactly which tokens may come next,
//! so that the finished text fulfils a constraint: a JSON Schema, a regular expression, a grammar, a list of choices.
//!
//! # Should I use this?
//!
//! Yes, if you run the model yourself, can set the logits of forbidden tokens to minus infinity, and want texts that
//! fulfil the constraint in every case. No, if you only want to check finished texts, or if the model is behind an
//! interface that takes no masks. There is no tokenizer and no model in here: bytes of vocabularies come in, bits go out,
//! and nothing is read from files or the environment. (`tokenstile-runtime` runs local models, `tokenstile-server`
//! serves them, and `tokenstile-cli` is the command.)
//!
//! # Example
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
//! # The main ideas
//!
//! - A [`Vocab`] says which tokens a model can write, a [`Grammar`] which texts are wanted. Each is made once.
//! - A [`Compiler`] holds the tables of one vocabulary. It makes [`Constraint`]s of grammars, in about a tenth of a
//!   millisecond for a schema of ordinary size.
//! - A [`Constraint`] is shared by any number of sequences and threads. What it finds out it keeps, within bounds, so a
//!   mask that was asked for before takes microseconds; [`warm`](Constraint::warm) finds out ahead.
//! - A [`Matcher`] is one sequence: it [fills masks](Matcher::fill_mask), [commits](Matcher::commit) tokens, takes them
//!   [back](Matcher::rollback), [forks](Matcher::fork), and says what [must](Matcher::forced_bytes) come next.
//! - A mask has one bit for each token id, 32 to a word, lowest bit first: 1 is allowed.
//!
//! **The promise.** A token is allowed if and only if the text with it can be completed, by tokens of this vocabulary, to a
//! text of the grammar; an end token exactly when the text is complete. What cannot be enforced is refused when it is
//! compiled. Every piece of work runs under [`Limits`].
//!
//! # Features
//!
//! All are on by default.
//!
//! - `json-schema`: [`Grammar::json_schema`] and its options. Without it nothing of JSON Schema is compiled;
//!   [`Grammar::json`] is there all the same.
//! - `structural-tag`: [`Grammar::structural_tag`] and [`structural_tag`].
//! - `rayon`: a step of a [`Batch`] works on all threads of the current pool of `rayon`.
//!
//! # The items
//!
//! Grammars: [`Grammar`], [`Warning`], what they are put together with ([`Composer`], [`Part`], [`Trigger`], [`Triggered`],
//! [`TokenSet`], [`TokenName`]), and the options [`RegexOptions`], [`JsonWhitespace`], [`JsonOptions`]. Vocabularies:
//! [`Vocab`], [`VocabBuilder`], [`Fingerprint`]. Masks: [`Compiler`], [`Constraint`], [`Stats`], [`MemoStats`], [`Matcher`],
//! [`ByteSet`], [`Piece`], [`Commit`]. Many sequences at once: [`Batch`] with [`SequenceId`], [`Turn`], [`DraftTokens`],
//! [`DraftTree`], [`PADDING`], [`MaskRows`], [`Fill`], [`StepOptions`], [`StepReport`], [`TurnReport`], [`RowReport`],
//! [`RowKind`], [`PlanError`]; and [`logits`]. Bounds: [`Limits`], [`Cancel`]. Errors, each with a kind to match on: [`GrammarError`],
//! [`CompileError`], [`MatchError`], [`VocabError`], [`TablesError`].
//!
//! Options are structs with public fields that cannot be written out as a whole, so that fields can be added: begin with
//! the default and set what is different.
//!
//! ```
//! let mut options = tokenstile::RegexOptions::default();
//! options.case_insensitive = true;
//! let limits = tokenstile::Limits::default().with_source_bytes(1 << 20);
//! assert!(tokenstile::Grammar::regex("ja|nein", &options, &limits).is_ok());
//! ```

mod compiler;
mod grammar;

pub use compiler::Compiler;
pub use grammar::Grammar;

pub use tokenstile_engine::{
    Batch, Commit, CompileError, Constraint, DraftTokens, DraftTree, Fill, Fingerprint, MAX_TOKENS, MaskRows,
    MatchError, Matcher, MemoStats, PADDING, Piece, PlanError, RowKind, RowReport, SequenceId, Stats,
    StepOptions, StepReport, TablesError, TokenId, TokenKind, Turn, TurnReport, Vocab, VocabBuilder,
    VocabError, VocabErrorKind, VocabPlace,
};
pub use tokenstile_grammar::ir::{ByteSet, TokenName, TokenSet, Warning};
pub use tokenstile_logits as logits;
#[cfg(feature = "structural-tag")]
pub use tokenstile_structural_tag as structural_tag;

pub use tokenstile_grammar::limits::{Cancel, Limits};
pub use tokenstile_grammar::{
    Composer, Error as GrammarError, ErrorKind, JsonWhitespace, Part, Place, RegexDialect, RegexOptions,
    RegexSemantics, Trigger, Triggered,
};
#[cfg(feature = "json-schema")]
pub use tokenstile_json_schema::{Draft, JsonOptions, MemberOrder, Spelling, place_of_pointer};

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
