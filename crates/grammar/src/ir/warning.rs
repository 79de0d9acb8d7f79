//! Remarks on constraints that were accepted.

use crate::error::Place;

/// Something that a user should know about a constraint that was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Warning {
    /// What it is.
    pub message: String,
    /// Where, in text.
    pub place: Option<Place>,
    /// Where, in a JSON document.
    pub pointer: Option<String>,
}

impl Warning {
    /// A remark about nothing in particular.
    pub fn new(message: impl Into<String>) -> Self {
        Warning { message: message.into(), place: None, pointer: None }
    }

    /// The same about a place in a JSON document.
    #[must_use]
    pub fn with_pointer(self, pointer: impl Into<Option<String>>) -> Self {
        Warning { pointer: pointer.into(), ..self }
    }

    /// The same about a place in text.
    #[must_use]
    pub fn with_place(self, place: impl Into<Option<Place>>) -> Self {
        Warning { place: place.into(), ..self }
    }
}
