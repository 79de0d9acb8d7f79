//! JSON pointers (RFC 6901) that are put into words only when someone asks.
//!
//! Every schema has one, for errors and warnings, and hardly any is ever read.

use std::fmt::{self, Write};

use bumpalo::Bump;
use smallvec::SmallVec;

/// Where something stands: a JSON pointer, `address#pointer` in documents other than the schema itself.
///
/// The schema itself has none: most pointers start there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pointer<'a>(Option<&'a Step<'a>>);

#[derive(Debug)]
struct Step<'a> {
    from: Pointer<'a>,
    part: Part<'a>,
    /// How many bytes it has, about.
    len: usize,
}

#[derive(Clone, Copy, Debug)]
enum Part<'a> {
    /// What is written as it is here.
    Text(&'a str),
    Keyword(&'a str, Key<'a>),
}

/// What follows a keyword.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    None,
    Name(&'a str),
    Index(usize),
}

impl<'a> Pointer<'a> {
    /// The same with a text behind it.
    pub(crate) fn with_text(self, text: &str, room: &'a Bump) -> Self {
        match text.is_empty() {
            true => self,
            false => self.with(Part::Text(room.alloc_str(text)), text.len(), room),
        }
    }

    /// What is below a keyword.
    pub(crate) fn below(self, keyword: &'a str, key: Key<'a>, room: &'a Bump) -> Self {
        let more = if let Key::Name(name) = key { name.len() + 1 } else { 0 };
        self.with(Part::Keyword(keyword, key), keyword.len() + 1 + more, room)
    }

    fn with(self, part: Part<'a>, more: usize, room: &'a Bump) -> Self {
        Pointer(Some(room.alloc(Step { from: self, part, len: self.len() + more })))
    }

    /// How many bytes it has, about.
    pub(crate) fn len(&self) -> usize {
        self.0.map_or(0, |step| step.len)
    }

    /// The text of the pointer to a member of a keyword.
    pub(crate) fn grandchild(&self, keyword: &str, key: &str) -> String {
        let mut text = self.child(keyword);
        let _ = push(&mut text, key);
        text
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
        let mut at = *self;
        while let Some(step) = at.0 {
            steps.push(step);
            at = step.from;
        }
        for step in steps.into_iter().rev() {
            let (keyword, key) = match step.part {
                Part::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Part::Keyword(keyword, key) => (keyword, key),
            };
            push(f, keyword)?;
            match key {
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
