//! Grammars put together from grammars, whatever notation they were written in.
//!
//! A [`Composer`] makes [parts](Part): texts, patterns, whole grammars, tokens, and free text up to a trigger; and larger ones
//! out of those. A grammar goes in as it is. The first that begins with a [base](crate::ir::Base) gives its base to the
//! whole, and what other grammars have of the same base is shared with it, so a schema inside a tag costs what it costs alone.
//!
//! ```
//! use tokenstile_grammar::{Composer, Grammar, Limits, RegexOptions, Trigger, Triggered};
//! let limits = Limits::default();
//! let mut c = Composer::new(&limits);
//! // Free text, in which `<n>` begins a number that `</n>` ends, any number of times.
//! let number = c.regex("[0-9]+", &RegexOptions::default())?;
//! let end = c.literal("</n>");
//! let rest = c.concat(&[number, end]);
//! let text = c.triggered(Triggered::new([(Trigger::text("<n>"), rest)]));
//! let grammar = c.build(text)?;
//! assert!(grammar.warnings().is_empty());
//! # Ok::<(), tokenstile_grammar::Error>(())
//! ```

mod graft;
mod lower;
mod marks;
mod search;
pub mod text;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustc_hash::FxHashMap;

use crate::error::{Error, ErrorKind};
use crate::ir::{Grammar, TokenName, TokenSet};
use crate::limits::Limits;
use crate::regex::RegexOptions;

/// A part of a grammar that is being put together. It is of use to the [`Composer`] that made it alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    composer: u32,
    at: u32,
}

/// What ends free text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Trigger {
    /// This text.
    Text(Arc<str>),
    /// This text, in which what reads like the name of a special token (`<think>`, `<|call|>`, `[TOOL_CALLS]`) may also be written
    /// as that token, if the vocabulary has it.
    Marked(Arc<str>),
    /// One of these tokens. A token that is not special can be written as text too, and text it remains: what is wanted
    /// then is rather a repetition of [`TokenSet::but`] it.
    Tokens(TokenSet),
}

impl Trigger {
    /// A text.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Trigger::Text(text.into())
    }

    /// A text in which special tokens may be written for their names.
    pub fn marked(text: impl Into<Arc<str>>) -> Self {
        Trigger::Marked(text.into())
    }

    /// The token of this name or text.
    pub fn token(name: impl Into<Arc<str>>) -> Self {
        Trigger::Tokens(TokenSet::of([TokenName::text(name)]))
    }
}

/// Free text in which triggers begin something.
///
/// A trigger is met where it is first complete. Then what it begins must follow; a longer trigger that began with
/// it may be completed instead. One that is begun and not completed is text. Of triggers that are complete at once, each may be meant.
#[derive(Clone, Debug)]
pub struct Triggered {
    /// What follows each trigger.
    pub tags: Vec<(Trigger, Part)>,
    /// What the free text must not have in it, beside the triggers. Part of a trigger is no free text.
    pub excludes: Vec<Trigger>,
    /// Whether a trigger must come, and without text before it.
    pub at_least_one: bool,
    /// Whether the text ends after what the first trigger begins.
    pub stop_after_first: bool,
}

impl Triggered {
    /// Any number of these, with free text before, between and after them.
    pub fn new(tags: impl IntoIterator<Item = (Trigger, Part)>) -> Self {
        let tags = tags.into_iter().collect();
        Triggered { tags, excludes: Vec::new(), at_least_one: false, stop_after_first: false }
    }
}

/// How a part is made, from parts that were made before it.
#[derive(Debug)]
enum Node {
    Empty,
    Literal(Arc<str>),
    Marked(Arc<str>),
    Tokens(TokenSet),
    Grammar(Box<Grammar>),
    GrammarWith { grammar: Box<Grammar>, rules: Vec<(Arc<str>, u32)> },
    AnyText,
    Until(Vec<Trigger>),
    Through { ends: Vec<Trigger>, excludes: Vec<Trigger> },
    Triggered(Triggered),
    Concat(Vec<u32>),
    Union(Vec<u32>),
    Repeat { part: u32, min: u32, max: Option<u32> },
    Named(Arc<str>),
}

/// Puts grammars together. See the module documentation.
///
/// What is wrong with a part shows where it is made or, at the latest, where all is [built](Composer::build).
#[derive(Debug)]
pub struct Composer {
    number: u32,
    nodes: Vec<Node>,
    names: FxHashMap<Arc<str>, u32>,
    limits: Limits,
    repeats_allowed: bool,
    /// What was found wrong and could not be said where it was.
    wrong: Option<Error>,
}

impl Composer {
    /// A composer of grammars under `limits`.
    pub fn new(limits: &Limits) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Composer {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            nodes: Vec::new(),
            names: FxHashMap::default(),
            limits: limits.clone(),
            repeats_allowed: false,
            wrong: None,
        }
    }

    /// Lets keys and items repeat where a grammar inside another forbids it, with a [warning](crate::ir::Warning). What is
    /// repeated is found by reading the whole text as JSON, so it cannot be told inside other text; without this such
    /// a grammar is refused, unless it is all there is.
    pub fn allow_repeats(&mut self, allowed: bool) {
        self.repeats_allowed = allowed;
    }

    /// The empty text.
    pub fn empty(&mut self) -> Part {
        self.add(Node::Empty)
    }

    /// Just this text.
    pub fn literal(&mut self, text: &str) -> Part {
        self.add(Node::Literal(text.into()))
    }

    /// This text, in which what reads like the name of a special token (`<think>`, `<|call|>`, `[TOOL_CALLS]`) may also be
    /// written as that token, if the vocabulary has it.
    pub fn marked(&mut self, text: &str) -> Part {
        self.add(Node::Marked(text.into()))
    }

    /// The texts that a regular expression matches.
    pub fn regex(&mut self, pattern: &str, options: &RegexOptions) -> Result<Part, Error> {
        let grammar = Grammar::regex(pattern, options, &self.limits)?;
        Ok(self.add(Node::Grammar(Box::new(grammar))))
    }

    /// The texts of a grammar, whatever notation it is of.
    pub fn grammar(&mut self, grammar: impl Into<Grammar>) -> Part {
        self.add(Node::Grammar(Box::new(grammar.into())))
    }

    /// The texts of a grammar whose rules of these names are other parts. So what many grammars have in common is there once.
    pub fn grammar_with(&mut self, grammar: impl Into<Grammar>, rules: &[(&str, Part)]) -> Part {
        let rules = rules.iter().map(|(name, part)| ((*name).into(), self.own(*part))).collect();
        self.add(Node::GrammarWith { grammar: Box::new(grammar.into()), rules })
    }

    /// One token of a set.
    pub fn tokens(&mut self, set: TokenSet) -> Part {
        self.add(Node::Tokens(set))
    }

    /// Any text. It has no special tokens in it.
    pub fn any_text(&mut self) -> Part {
        self.add(Node::AnyText)
    }

    /// Any text in which none of these is complete.
    pub fn until(&mut self, excludes: impl IntoIterator<Item = Trigger>) -> Part {
        self.add(Node::Until(excludes.into_iter().collect()))
    }

    /// Any text up to the first place where one of `ends` is complete, and none of `excludes` before.
    pub fn through(
        &mut self,
        ends: impl IntoIterator<Item = Trigger>,
        excludes: impl IntoIterator<Item = Trigger>,
    ) -> Part {
        let (ends, excludes) = (ends.into_iter().collect(), excludes.into_iter().collect());
        self.add(Node::Through { ends, excludes })
    }

    /// Free text in which triggers begin something.
    pub fn triggered(&mut self, triggered: Triggered) -> Part {
        for (_, part) in &triggered.tags {
            self.own(*part);
        }
        self.add(Node::Triggered(triggered))
    }

    /// `begin`, then `content`, then `end`.
    pub fn tag(&mut self, begin: Part, content: Part, end: Part) -> Part {
        self.concat(&[begin, content, end])
    }

    /// The parts one after the other.
    pub fn concat(&mut self, parts: &[Part]) -> Part {
        let parts = parts.iter().map(|&part| self.own(part)).collect();
        self.add(Node::Concat(parts))
    }

    /// Any one of the parts.
    pub fn union(&mut self, parts: &[Part]) -> Part {
        let parts = parts.iter().map(|&part| self.own(part)).collect();
        self.add(Node::Union(parts))
    }

    /// The part or nothing.
    pub fn optional(&mut self, part: Part) -> Part {
        self.repeat(part, 0, Some(1))
    }

    /// `min` to `max` times the part, without end if `max` is `None`.
    pub fn repeat(&mut self, part: Part, min: u32, max: Option<u32>) -> Part {
        let part = self.own(part);
        self.add(Node::Repeat { part, min, max })
    }

    /// What is [defined](Composer::define) by this name, now or later: a part can have itself inside.
    pub fn named(&mut self, name: &str) -> Part {
        self.add(Node::Named(name.into()))
    }

    /// Gives a part a name.
    pub fn define(&mut self, name: &str, part: Part) -> Result<(), Error> {
        let at = self.own(part);
        match self.names.insert(name.into(), at) {
            None => Ok(()),
            Some(_) => Err(Error::new(ErrorKind::DuplicateRule, format!("`{name}` is defined twice"))),
        }
    }

    /// The grammar of the texts of `root`.
    pub fn build(self, root: Part) -> Result<Grammar, Error> {
        lower::lower(self, root)
    }

    fn add(&mut self, node: Node) -> Part {
        let limit = self.limits.exprs.min(u32::MAX as usize);
        if self.nodes.len() >= limit {
            self.wrong.get_or_insert_with(|| Error::limit("exprs", limit));
            return Part { composer: self.number, at: 0 };
        }
        self.nodes.push(node);
        Part { composer: self.number, at: self.nodes.len() as u32 - 1 }
    }

    /// Where a part is, which must be one of this composer.
    fn own(&mut self, part: Part) -> u32 {
        if part.composer != self.number {
            let what = "a part belongs to another composer";
            self.wrong.get_or_insert_with(|| Error::new(ErrorKind::Unsupported, what));
            return 0;
        }
        part.at
    }
}
