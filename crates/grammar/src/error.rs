//! The one error type of this crate: a kind to match on, a message to read, a place to look at.

use std::fmt;

/// Why a constraint was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not a sentence of its notation.
    Syntax,
    /// A rule is used but not defined.
    UndefinedRule,
    /// A rule is defined twice.
    DuplicateRule,
    /// A rule or the whole constraint matches no text at all.
    Unsatisfiable,
    /// A token is named that the vocabulary does not have.
    UnknownToken,
    /// The text is well formed, but what it asks for cannot be enforced.
    Unsupported,
    /// A field of [`Limits`](crate::Limits) was exceeded.
    Limit {
        /// Name of the field.
        name: &'static str,
    },
    /// [`Cancel::cancel`](crate::limits::Cancel::cancel) was called.
    Cancelled,
}

/// A place in source text. Lines and columns count from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Byte offset.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Place {
    /// The place of byte `offset` in `source`.
    pub fn of(source: &str, offset: usize) -> Self {
        let mut offset = offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Place {
            offset,
            line: 1 + before.bytes().filter(|&b| b == b'\n').count(),
            column: 1 + before[line_start..].chars().count(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A refused constraint: what kind of refusal, in words, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    place: Option<Place>,
    pointer: Option<String>,
}

impl Error {
    /// An error with no place yet.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), place: None, pointer: None }
    }

    /// An error at byte `offset` of `source`.
    pub fn at(kind: ErrorKind, message: impl Into<String>, source: &str, offset: usize) -> Self {
        Error { place: Some(Place::of(source, offset)), ..Error::new(kind, message) }
    }

    /// An error at a place that is already known, if it is.
    pub fn at_place(kind: ErrorKind, message: impl Into<String>, place: Option<Place>) -> Self {
        Error { place, ..Error::new(kind, message) }
    }

    /// The error for an exceeded limit: names the field and its value.
    pub fn limit(name: &'static str, value: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Limit { name }, format!("limit exceeded: {name} = {value}"))
    }

    /// The same error with a place, unless it has one.
    #[must_use]
    pub fn with_place(mut self, source: &str, offset: usize) -> Self {
        if self.place.is_none() {
            self.place = Some(Place::of(source, offset));
        }
        self
    }

    /// The same error with a JSON pointer, unless it has one.
    #[must_use]
    pub fn with_pointer(mut self, pointer: impl Into<String>) -> Self {
        if self.pointer.is_none() {
            self.pointer = Some(pointer.into());
        }
        self
    }

    /// What kind of refusal this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where in the source text, if it is known.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Where in a JSON document (RFC 6901), if it is known.
    pub fn pointer(&self) -> Option<&str> {
        self.pointer.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        if let Some(pointer) = &self.pointer {
            write!(f, "{}: ", if pointer.is_empty() { "(root)" } else { pointer })?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
