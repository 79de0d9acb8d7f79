//! The truth that Tokenstile's tests hold the engine against: slow, obvious, and written from the definitions.
//!
//! This is an internal crate of `tokenstile`, of the same version, and it makes no promise of stability.
//!
//! * [`Reference`] reads a text byte by byte and says whether it is a sentence of a grammar and whether it can
//!   become one. It works on the grammar as the front end wrote it, so it checks the passes as well.
//! * [`TokenReference`] lifts that to tokens: the exact mask, by trying every token.
//! * [`Along`] is the [`Reference`] along tokens, and [`SortedTokens`] its mask over all those of a large vocabulary.
//! * [`TrackedReference`] does the same for grammars whose texts are JSON in which repetitions are noticed.
//! * [`SpanAutomaton`](boolean::SpanAutomaton) does intersection, complement and lookaround for the reference;
//!   [`spans::matches`] is a second, even plainer definition of the same, to check the first.
//! * [`plain`] matches short texts against expressions by their definition.
//! * [`generate`] makes random grammars, regular expressions, vocabularies and sentences from an [`Rng`].
//!
//! Nothing here uses the engine or the grammar passes. Where an answer could not be had within the budget it is
//! [`Viability::Unknown`], and a test skips it; every other answer is exact.
//!
//! ```
//! use tokenstile_grammar::{GrammarBuilder, Limits};
//! use tokenstile_testkit::{Reference, TokenReference, Viability};
//! let mut g = GrammarBuilder::new(&Limits::default());
//! let pairs = g.declare("pairs", None)?;
//! let (open, inner, close) = (g.arena.literal(b"("), g.arena.rule(pairs), g.arena.literal(b")"));
//! let pair = g.arena.concat(&[open, inner, close]);
//! let body = g.arena.optional(pair);
//! g.define(pairs, body);
//! let grammar = g.build(pairs)?;
//!
//! let reference = Reference::new(&grammar);
//! assert!(reference.accepts(b"(())"));
//! assert_eq!(reference.viable(b"(()"), Viability::Yes);
//! assert_eq!(reference.viable(b"())"), Viability::No);
//!
//! let vocab = [(0, b"(".to_vec()), (1, b")".to_vec()), (2, b"))".to_vec())];
//! let tokens = TokenReference::new(&reference, &vocab, &[3]);
//! let mask = tokens.mask(reference.run(b"("));
//! assert_eq!(mask, [Viability::Yes, Viability::Yes, Viability::No, Viability::No]);
//! # Ok::<(), tokenstile_grammar::Error>(())
//! ```

mod along;
pub mod boolean;
pub mod generate;
mod members;
pub mod plain;
mod reference;
mod rng;
mod sorted;
pub mod spans;
mod tokens;
mod tracked;
mod viability;

pub use along::Along;
pub use reference::{RefState, Reference};
pub use rng::Rng;
pub use sorted::{ReferenceMask, SortedTokens, bit, differing, set};
pub use tokens::TokenReference;
pub use tracked::TrackedReference;
pub use viability::Viability;
