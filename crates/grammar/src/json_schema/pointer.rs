//! JSON pointers (RFC 6901) that are put into words only when someone asks.
//!
//! Every schema has one, for errors and warnings, and hardly any is ever read.

use std::fmt::{self, Write};
use std::rc::Rc;

use smallvec::SmallVec;

/// Where something stands: a JSON pointer, `address#pointer` in documents other than the schema itself.
///
/// The schema itself has none: most pointers start there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pointer<'a>(Option<Rc<Step<'a>>>);

#[derive(Debug)]
struct Step<'a> {
    from: Start<'a>,
    keyword: &'a str,
    key: Key<'a>,
    /// How many bytes it has, about.
    len: usize,
}

#[derive(Debug)]
enum Start<'a> {
    /// What all pointers into a document begin with.
    Text(String),
    Pointer(Pointer<'a>),
}

/// What follows a keyword.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    None,
    Name(&'a str),
    Index(usize),
}

impl<'a> Pointer<'a> {
    /// A pointer that is known as a text.
    pub(crate) fn new(text: String) -> Self {
        let len = text.len();
        let start = || Rc::new(Step { from: Start::Text(text), keyword: "", key: Key::None, len });
        Pointer((len > 0).then(start))
    }

    /// What is below a keyword.
    pub(crate) fn below(&self, keyword: &'a str, key: Key<'a>) -> Self {
        let more = if let Key::Name(name) = key { name.len() + 1 } else { 0 };
        let len = self.len() + keyword.len() + 1 + more;
        Pointer(Some(Rc::new(Step { from: Start::Pointer(self.clone()), keyword, key, len })))
    }

    /// How many bytes it has, about.
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |step| step.len)
    }

    /// The text of the pointer to a member.
    pub(crate) fn child(&self, key: &str) -> String {
        let mut text = String::with_capacity(self.len() + key.len() + 1);
        // Writing to a text cannot fail.
        let _ = write!(text, "{self}");
        let _ = push(&mut text, key);
        text
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps: SmallVec<[&Step<'_>; 16]> = SmallVec::new();
        let mut at = self;
        while let Some(step) = &at.0 {
            match &step.from {
                Start::Text(text) => {
                    f.write_str(text)?;
                    break;
                }
                Start::Pointer(from) => {
                    steps.push(step);
                    at = from;
                }
            }
        }
        for step in steps.into_iter().rev() {
            push(f, step.keyword)?;
            match step.key {
                Key::None => {}
                Key::Name(name) => push(f, name)?,
                Key::Index(index) => write!(f, "/{index}")?,
            }
        }
        Ok(())
    }
}

/// Adds one more step to the text of a pointer.
fn push(text: &mut impl fmt::Write, key: &str) -> fmt::Result {
    text.write_char('/')?;
    let mut rest = key;
    while let Some(at) = rest.bytes().position(|b| b == b'~' || b == b'/') {
        text.write_str(&rest[..at])?;
        text.write_str(if rest.as_bytes()[at] == b'~' { "~0" } else { "~1" })?;
        rest = &rest[at + 1..];
    }
    text.write_str(rest)
}
