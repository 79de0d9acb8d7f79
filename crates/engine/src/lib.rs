//! engine

pub mod vocab;

pub use vocab::{
    Fingerprint, MAX_TOKENS, TokenId, TokenKind, Vocab, VocabBuilder, VocabError, VocabErrorKind, VocabPlace,
};
