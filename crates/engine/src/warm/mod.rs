//! Building ahead what all constraints of a vocabulary have in common.
//!
//! Constraints fill what they share as they go: the library, and what the vocabulary has of sets of
//! characters. The first that needs some of it pays for it, most of all for formats and for characters of many scripts.
//! So here some texts are gone through that have what texts usually have, for schemas that say nothing else.

mod ahead;
mod shapes;
mod text;

use std::time::{Duration, Instant};

use shapes::{AROUND, CLASSES, IN_RANGES, PLAIN, RANGES, VALUES};
use tokenstile_grammar::{Grammar, JsonOptions, Limits};

use crate::compile::Compiler;
use crate::constraint::Constraint;

impl Compiler {
    /// Builds ahead, for at most about `budget`, what constraints of this vocabulary have in common: JSON itself, values of
    /// the types that many schemas ask for, the formats of JSON Schema, classes of characters of many scripts.
    ///
    /// Without it, the first constraints that need some of that build it as they go. Masks are the same with or without
    /// it. It is kept with the tables of the vocabulary, not in what [`save_tables`](Compiler::save_tables) writes. A good
    /// moment is when a server starts; a few tenths of a second do all of it for a vocabulary of 128,000 tokens.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tokenstile::{Compiler, Grammar, Limits, Vocab};
    /// let vocab = Vocab::from_tokens((0..=255u8).map(|b| (b.into(), vec![b])), &[256])?;
    /// let compiler = Compiler::new(vocab);
    /// compiler.warm(Duration::from_secs(1));
    ///
    /// let schema = r#"{"type": "string", "format": "date"}"#;
    /// let grammar = Grammar::json_schema(schema, &Default::default(), &Limits::default())?;
    /// let mut matcher = compiler.compile(grammar)?.matcher();
    /// matcher.commit_bytes(br#""2024-02-29""#)?;
    /// assert!(matcher.is_accepting());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm(&self, budget: Duration) {
        let start = Instant::now();
        let is_over = || start.elapsed() >= budget;
        let tables = &self.common.tables;
        tables.profile.make_texts(&tables.trie, &is_over);
        for (schema, text) in PLAIN {
            self.go_through(schema, &[text.to_owned()], &is_over);
        }
        for (value, texts) in VALUES {
            for (schema, text) in AROUND {
                self.go_through(&schema.replace('@', value), &around(text, texts), &is_over);
            }
        }
        for range in RANGES {
            for (schema, text) in &AROUND[..3] {
                self.go_through(&schema.replace('@', range), &around(text, &IN_RANGES), &is_over);
            }
        }
        for (format, texts) in Grammar::shared_formats() {
            let texts: Vec<String> = texts.iter().map(|text| format!(r#"{{"a": "{text}"}}"#)).collect();
            self.go_through(&schema_of("format", format), &texts, &is_over);
        }
        for class in CLASSES {
            let schema = schema_of("pattern", &format!("^{class}+$"));
            self.go_through(&schema, &[r#"{"a": ""#.to_owned()], &is_over);
        }
    }

    /// Makes the masks of texts, unless that is over.
    fn go_through(&self, schema: &str, texts: &[String], is_over: &dyn Fn() -> bool) {
        if is_over() {
            return;
        }
        let grammar = Grammar::json_schema(schema, &JsonOptions::default(), &Limits::default());
        // What a vocabulary cannot spell is nothing to build ahead.
        let Some(constraint) = grammar.ok().and_then(|grammar| self.compile(grammar).ok()) else { return };
        texts.iter().for_each(|text| go_along(&constraint, text.as_bytes(), is_over));
    }
}

/// A text with each of some values.
fn around(text: &str, values: &[&str]) -> Vec<String> {
    values.iter().map(|value| text.replace('@', value)).collect()
}

/// An object of which a member is a string with a keyword.
fn schema_of(keyword: &str, value: &str) -> String {
    format!(r#"{{"type": "object", "properties": {{"a": {{"type": "string", "{keyword}": {value:?}}}}}}}"#)
}

/// Makes the mask at each place of a text.
fn go_along(constraint: &Constraint, text: &[u8], is_over: &dyn Fn() -> bool) {
    let mut matcher = constraint.matcher();
    let mut bytes = text.iter();
    while !is_over() && matcher.mask().is_ok() {
        match bytes.next() {
            Some(&byte) if matcher.commit_bytes(&[byte]).is_ok() => {}
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokenstile_grammar::Grammar;

    use super::*;

    #[test]
    fn every_shared_format_has_texts_that_are_of_it() {
        let vocab = crate::Vocab::from_tokens((0..=255u8).map(|b| (b.into(), vec![b])), &[256]).unwrap();
        let compiler = Compiler::new(vocab);
        let limits = Limits::default();
        let matches = |schema: &str, text: &str| {
            let grammar = Grammar::json_schema(schema, &JsonOptions::default(), &limits).unwrap();
            let mut matcher = compiler.compile(grammar).unwrap().matcher();
            matcher.commit_bytes(text.as_bytes()).is_ok() && matcher.is_accepting()
        };
        for (schema, text) in PLAIN {
            assert!(matches(schema, text), "{schema} {text}");
        }
        for (value, texts) in VALUES {
            for (schema, text) in AROUND {
                for text in around(text, texts) {
                    let schema = schema.replace('@', value);
                    assert!(matches(&schema, &text), "{schema} {text}");
                }
            }
        }
        for (format, texts) in Grammar::shared_formats() {
            for text in texts {
                let text = format!(r#"{{"a": "{text}"}}"#);
                assert!(matches(&schema_of("format", format), &text), "{format} {text}");
            }
        }
        for class in CLASSES {
            assert!(!matches(&schema_of("pattern", &format!("^{class}+$")), r#"{"a": ""}"#), "{class}");
        }
    }
}
