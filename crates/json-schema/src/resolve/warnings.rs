//! What the caller is told: each thing once, and not too much of it.

use std::collections::HashSet;

use tokenstile_grammar::ir::Warning;

use crate::keywords::{Keyword, draft_name, similar};
use crate::options::Draft;
use crate::reader::quoted;
use crate::tuning::resolve::WARNINGS;

#[derive(Default)]
pub(super) struct Warnings<'a> {
    list: Vec<Warning>,
    more: usize,
    /// Keywords that were warned of, by document.
    seen: HashSet<(usize, &'a str)>,
}

impl<'a> Warnings<'a> {
    pub(super) fn push(&mut self, pointer: String, message: impl Into<String>) {
        if self.list.len() < WARNINGS {
            self.list.push(Warning::new(message).with_pointer(pointer));
        } else {
            self.more += 1;
        }
    }

    /// Warns of a keyword once in a document. Neither message nor pointer is made where it is not wanted.
    pub(super) fn once(
        &mut self,
        document: usize,
        keyword: &'a str,
        pointer: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
    ) {
        if !self.seen.insert((document, keyword)) {
            return;
        }
        if self.list.len() < WARNINGS {
            self.push(pointer(), message());
        } else {
            self.more += 1;
        }
    }

    pub(super) fn finish(mut self) -> Vec<Warning> {
        if self.more > 0 {
            let message = format!("there are {} more warnings like these", self.more);
            self.list.push(Warning::new(message));
        }
        self.list
    }
}

/// The message for a name that is no keyword of `draft`; `keyword` if it is one of another.
pub(super) fn unknown(name: &str, keyword: Option<&Keyword>, draft: Draft) -> String {
    let name = quoted(name);
    match keyword {
        Some(keyword) if keyword.since > draft => {
            let (this, since) = (draft_name(draft), draft_name(keyword.since));
            format!("{name} is ignored: it came with {since}, and this schema is read as {this}")
        }
        Some(keyword) => {
            let (this, until) = (draft_name(draft), draft_name(keyword.until));
            format!("{name} is ignored: it went after {until}, and this schema is read as {this}")
        }
        None => match similar(&name[1..name.len() - 1]) {
            Some(meant) => format!("{name} is not a keyword and is ignored; did you mean `{meant}`?"),
            None => format!("{name} is not a keyword and is ignored"),
        },
    }
}
