//! JSON pointers (RFC 6901) that are put into words only when someone asks.
//!
//! Every schema has one, for errors and warnings, and hardly any is ever read.

use std::fmt;
use std::rc::Rc;

/// Where something stands: a JSON pointer, `address#pointer` in documents other than the schema itself.
#[derive(Clone, Debug)]
pub(crate) struct Pointer<'a>(Rc<Step<'a>>);

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

impl Default for Pointer<'_> {
    fn default() -> Self {
        Pointer::new(String::new())
    }
}

impl<'a> Pointer<'a> {
    /// A pointer that is known as a text.
    pub(crate) fn new(text: String) -> Self {
        let len = text.len();
        Pointer(Rc::new(Step { from: Start::Text(text), keyword: "", key: Key::None, len }))
    }

    /// What is below a keyword.
    pub(crate) fn below(&self, keyword: &'a str, key: Key<'a>) -> Self {
        let more = if let Key::Name(name) = key { name.len() + 1 } else { 0 };
        let len = self.0.len + keyword.len() + 1 + more;
        Pointer(Rc::new(Step { from: Start::Pointer(self.clone()), keyword, key, len }))
    }

    /// How many bytes it has, about.
    pub(crate) fn len(&self) -> usize {
        self.0.len
    }

    /// The text of the pointer to a member.
    pub(crate) fn child(&self, key: &str) -> String {
        let mut text = self.to_string();
        push(&mut text, key);
        text
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = Vec::new();
        let mut step = &*self.0;
        let start = loop {
            match &step.from {
                Start::Text(text) => break text,
                Start::Pointer(from) => {
                    steps.push(step);
                    step = &from.0;
                }
            }
        };
        let mut text = start.clone();
        for step in steps.into_iter().rev() {
            push(&mut text, step.keyword);
            match step.key {
                Key::None => {}
                Key::Name(name) => push(&mut text, name),
                Key::Index(index) => push(&mut text, &index.to_string()),
            }
        }
        f.write_str(&text)
    }
}

/// Adds one more step to the text of a pointer.
fn push(text: &mut String, key: &str) {
    text.push('/');
    for c in key.chars() {
        match c {
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            c => text.push(c),
        }
    }
}
