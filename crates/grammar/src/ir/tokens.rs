//! Terminals that match one token as a whole, whatever its text is.
//!
//! A grammar knows no vocabulary. It names tokens, and whoever runs it finds out which ids those are, or refuses the grammar
//! with the place of a name that nothing has.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Place};

/// Which token is meant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TokenName {
    /// The tokens of these ids, the last one included.
    Ids(u32, u32),
    /// The special token of this name; if there is none, the token of this text.
    Text(Arc<str>),
    /// The special token of this name.
    Special(Arc<str>),
}

impl TokenName {
    /// The token of this id.
    pub fn id(id: u32) -> Self {
        TokenName::Ids(id, id)
    }

    /// The special token of this name; if there is none, the token of this text.
    pub fn text(name: impl Into<Arc<str>>) -> Self {
        TokenName::Text(name.into())
    }

    /// The special token of this name.
    pub fn special(name: impl Into<Arc<str>>) -> Self {
        TokenName::Special(name.into())
    }
}

impl fmt::Display for TokenName {
    /// As in a token terminal of GBNF.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenName::Ids(first, last) if first == last => write!(f, "<[{first}]>"),
            TokenName::Ids(first, last) => write!(f, "<[{first}-{last}]>"),
            TokenName::Text(text) | TokenName::Special(text) => f.write_str(text),
        }
    }
}

/// One token of a set: a terminal beside those that match text.
///
/// It takes exactly one token and no text of it, so it stands where one token ends and another begins. Special tokens can
/// be in the set. End tokens are only if they are named, since they end a text where it may end.
///
/// ```
/// use tokenstile_grammar::ir::{TokenName, TokenSet};
/// let end = TokenSet::of([TokenName::text("</think>")]);
/// assert_eq!(end.to_string(), "</think>");
/// assert_eq!(TokenSet::but([TokenName::id(7)]).to_string(), "!<[7]>");
/// ```
#[derive(Clone, Debug)]
pub struct TokenSet {
    /// The tokens that are named.
    pub names: Box<[TokenName]>,
    /// Whether all tokens but those are meant.
    pub negated: bool,
    /// Whether a name that the vocabulary does not have is left out. Otherwise the grammar is refused.
    pub lenient: bool,
    /// Where it stands in the source text. Sets that differ in nothing else are one.
    pub place: Option<Place>,
    /// Where it stands in a JSON document.
    pub pointer: Option<Arc<str>>,
}

impl TokenSet {
    /// Any of these tokens.
    pub fn of(names: impl IntoIterator<Item = TokenName>) -> Self {
        let mut names: Vec<TokenName> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        TokenSet { names: names.into(), negated: false, lenient: false, place: None, pointer: None }
    }

    /// Any token but these, and but the end tokens.
    pub fn but(names: impl IntoIterator<Item = TokenName>) -> Self {
        TokenSet { negated: true, ..TokenSet::of(names) }
    }

    /// Any token but the end tokens.
    pub fn any() -> Self {
        TokenSet::but([])
    }

    /// The same where a name that the vocabulary does not have is left out.
    #[must_use]
    pub fn if_known(self) -> Self {
        TokenSet { lenient: true, ..self }
    }

    /// The same with a place in the source text.
    #[must_use]
    pub fn at(self, place: impl Into<Option<Place>>) -> Self {
        TokenSet { place: place.into(), ..self }
    }

    /// The same with a JSON pointer.
    #[must_use]
    pub fn with_pointer(self, pointer: impl Into<Arc<str>>) -> Self {
        TokenSet { pointer: Some(pointer.into()), ..self }
    }

    /// An error about this terminal, with its place.
    pub fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        let error = Error::at_place(kind, message, self.place);
        match &self.pointer {
            Some(pointer) => error.with_pointer(pointer.to_string()),
            None => error,
        }
    }

    fn key(&self) -> (&[TokenName], bool, bool) {
        (&self.names, self.negated, self.lenient)
    }
}

impl PartialEq for TokenSet {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for TokenSet {}

impl Hash for TokenSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.negated { "!" } else { "" })?;
        match &*self.names {
            [] => f.write_str("<[]>"),
            [name] => name.fmt(f),
            names => {
                f.write_str("(")?;
                for (number, name) in names.iter().enumerate() {
                    write!(f, "{}{name}", if number == 0 { "" } else { " | " })?;
                }
                f.write_str(")")
            }
        }
    }
}
