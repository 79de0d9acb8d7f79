//! Why a vocabulary was refused: a kind to match on, a message to read, a place to look at.

use std::fmt;

use super::TokenId;

/// The kind of a [`VocabError`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum VocabErrorKind {
    /// The bytes are in none of the formats that [`Vocab::detect`](super::Vocab::detect) knows.
    UnknownFormat,
    /// The bytes break the rules of their format.
    Syntax,
    /// The bytes end in the middle of a value.
    Truncated,
    /// Well formed, but a kind of tokenizer whose token bytes this crate cannot tell.
    Unsupported,
    /// A token's text is not valid in its encoding (base64, `<0xNN>`).
    Encoding,
    /// A token id above [`MAX_TOKENS`](super::MAX_TOKENS), or past the size the file itself states.
    IdOutOfRange,
    /// One id is given two different meanings.
    DuplicateId,
    /// An id is named that the vocabulary does not have, or that has no text.
    UnknownToken,
    /// An end token that is not a usable id of the vocabulary.
    EndToken,
    /// There is no token at all.
    Empty,
    /// There is no token with text that could ever be allowed.
    NoText,
    /// All token texts together exceed the 4 GiB that offsets can address, or a width of 0 or above
    /// [`MAX_TOKENS`](super::MAX_TOKENS) was asked for.
    TooLarge,
}

/// Where in the input a [`VocabError`] lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum VocabPlace {
    /// A line of a text format, from 1.
    Line(usize),
    /// A byte offset in a binary format.
    Offset(usize),
    /// The token with this id.
    Token(TokenId),
}

impl fmt::Display for VocabPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VocabPlace::Line(line) => write!(f, "line {line}"),
            VocabPlace::Offset(offset) => write!(f, "byte {offset}"),
            VocabPlace::Token(id) => write!(f, "token {id}"),
        }
    }
}

/// A refused vocabulary.
///
/// ```
/// use tokenstile::{Vocab, VocabErrorKind};
///
/// let error = Vocab::from_tiktoken(b"IQ== 0\n#### 1\n", &[] as &[(&str, u32)]).unwrap_err();
/// assert_eq!(error.kind(), VocabErrorKind::Encoding);
/// assert!(error.to_string().starts_with("line 2: "));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VocabError {
    kind: VocabErrorKind,
    message: String,
    place: Option<VocabPlace>,
}

impl VocabError {
    pub(super) fn new(kind: VocabErrorKind, message: impl Into<String>) -> Self {
        VocabError { kind, message: message.into(), place: None }
    }

    pub(super) fn at_line(mut self, line: usize) -> Self {
        self.place = Some(VocabPlace::Line(line));
        self
    }

    pub(super) fn at_offset(mut self, offset: usize) -> Self {
        self.place = Some(VocabPlace::Offset(offset));
        self
    }

    pub(super) fn at_token(mut self, id: TokenId) -> Self {
        self.place = Some(VocabPlace::Token(id));
        self
    }

    /// What kind of refusal this is.
    pub fn kind(&self) -> VocabErrorKind {
        self.kind
    }

    /// The message, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where in the input, if it is known.
    pub fn place(&self) -> Option<VocabPlace> {
        self.place
    }
}

impl fmt::Display for VocabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VocabError {}
