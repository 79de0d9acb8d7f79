//! Places in a structural tag, while it is walked through.

use std::fmt::Write;

use tokenstile_grammar::{Error, ErrorKind};

/// A step into a value.
#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Field(&'a str),
    Index(usize),
}

/// A place in a structural tag: a step, and the place from which it leads.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    from: Option<&'a Path<'a>>,
    step: Step<'a>,
}

impl Path<'_> {
    /// The whole value.
    pub(crate) const ROOT: Path<'static> = Path { from: None, step: Step::Root };

    /// The place of a member.
    pub(crate) fn field<'b>(&'b self, name: &'b str) -> Path<'b> {
        Path { from: Some(self), step: Step::Field(name) }
    }

    /// The place of an item.
    pub(crate) fn index(&self, index: usize) -> Path<'_> {
        Path { from: Some(self), step: Step::Index(index) }
    }

    /// The JSON pointer of the place (RFC 6901).
    pub(crate) fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(place) = at {
            steps.push(place.step);
            at = place.from;
        }
        let mut text = String::new();
        for step in steps.into_iter().rev() {
            // Writing to a text cannot fail.
            let _ = match step {
                Step::Root => Ok(()),
                Step::Field(name) => write!(text, "/{}", name.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => write!(text, "/{index}"),
            };
        }
        text
    }
}

/// An error at a place.
pub(crate) fn syntax(message: impl Into<String>, at: &Path<'_>) -> Error {
    Error::new(ErrorKind::Syntax, message).with_pointer(at.pointer())
}
