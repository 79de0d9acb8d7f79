//! Random grammars, regular expressions, vocabularies and sentences, all from a seed.

mod counted;
mod grammar;
mod regex;
mod sentence;
mod vocab;

pub use counted::{RandomDfa, random_condition, random_dfa, random_members};
pub use grammar::{GrammarOptions, random_grammar, random_region};
pub use regex::{RegexCase, random_regex};
pub use sentence::{mutate, sample_sentence};
pub use vocab::{RandomVocab, VocabOptions, random_vocab};
