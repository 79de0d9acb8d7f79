//! Building ahead what all constraints of a vocabulary have in common.
//!
//! Constraints fill what they share as they go: the [library](crate::library), and what the vocabulary has of sets of
//! characters. The first that needs some of it pays for it, most of all for formats and for characters of many scripts.
//! So here some texts are gone through that have what texts usually have, for schemas that say nothing else.

use std::time::{Duration, Instant};

use tokenstile_grammar::{Grammar, JsonOptions, Limits};

use crate::constraint::{Compiler, Constraint};

/// Schemas of which constraints have much in common with many others, and texts.
const PLAIN: [(&str, &str); 4] = [
    ("true", r#"{"a": [1, -2.5e3, true, false, null, "b\n", [], {}], "c": {"d": {"e": [{}]}}}"#),
    (r#"{"items": {"type": ["string", "integer", "null"]}}"#, r#"["a", 12, null]"#),
    (r#"{"additionalProperties": {"type": ["boolean", "number"]}}"#, r#"{"a": true, "b": 0.5}"#),
    (r#"{"type": "string", "format": "uri", "pattern": "^https?://"}"#, r#""https://a.org/b""#),
];

/// Values that many schemas ask for as members and items, each with some of them: what the [base](Grammar::base) has, and
/// strings of some length, of which most is what those of any length have.
const VALUES: [(&str, &[&str]); 22] = [
    (r#"{}"#, &["0.5", r#""a""#, "{}", "[]", "true"]),
    (r#"{"type": "string"}"#, &[r#""a b""#, r#""""#]),
    (r#"{"type": "string", "minLength": 1}"#, &[r#""a b""#]),
    (r#"{"type": "string", "maxLength": 99}"#, &[r#""a b""#]),
    (r#"{"type": "string", "minLength": 1, "maxLength": 99}"#, &[r#""a b""#]),
    (r#"{"type": "number"}"#, &NUMBERS),
    (r#"{"type": "integer"}"#, &INTEGERS),
    (r#"{"type": "integer", "minimum": 0}"#, &["0", "10", "1234567"]),
    (r#"{"type": "integer", "minimum": 1}"#, &["1", "10", "1234567"]),
    (r#"{"type": "number", "minimum": 0}"#, &["0", "0.5", "10", "12.25", "3e-1"]),
    (r#"{"type": "number", "exclusiveMinimum": 0}"#, &["1", "0.5", "10", "12.25", "3e-1"]),
    (r#"{"type": "number", "minimum": 1}"#, &["1", "10", "12.25", "3e1"]),
    (r#"{"type": "number", "minimum": 0, "maximum": 1}"#, &["0", "0.5", "0.25", "1"]),
    (r#"{"type": "boolean"}"#, &["true", "false"]),
    (r#"{"type": ["boolean", "null"]}"#, &["true", "null"]),
    (r#"{"type": ["string", "null"]}"#, &[r#""a""#, "null"]),
    (r#"{"type": ["number", "null"]}"#, &["12.5", "null"]),
    (r#"{"type": ["integer", "null"]}"#, &["12", "null"]),
    (r#"{"type": ["number", "string"]}"#, &["12.5", r#""a""#]),
    (r#"{"type": ["integer", "string"]}"#, &["12", r#""a""#]),
    (r#"{"type": "object", "additionalProperties": {"type": "string"}}"#, &[r#"{"a": "b", "c": ""}"#, "{}"]),
    (r#"{"type": "object"}"#, &[r#"{"a": 1, "b": "c"}"#, "{}"]),
];

const NUMBERS: [&str; 6] = ["0", "-1", "10", "-12.25", "0.5", "3e-1"];
const INTEGERS: [&str; 5] = ["0", "-1", "10", "-12", "1234567"];

/// Classes of characters that patterns have often: those of names and paths, and the categories of Unicode.
const CLASSES: [&str; 32] = [
    r"\d",
    "[a-z]",
    "[A-Z]",
    "[A-Za-z]",
    "[A-Za-z0-9]",
    "[A-Z0-9_]",
    "[a-z0-9]",
    "[a-z0-9-]",
    "[a-z0-9_]",
    "[A-Za-z0-9_-]",
    "[A-Za-z0-9._-]",
    "[A-Za-z ]",
    "[0-9A-Fa-f]",
    "[^/]",
    r"\w",
    r"[\w-]",
    r"[\w.-]",
    r"\S",
    r"\p{L}",
    r"\p{Lu}",
    r"\p{Ll}",
    r"\p{Lo}",
    r"\p{N}",
    r"\p{Nd}",
    r"\p{P}",
    r"\p{S}",
    r"\p{M}",
    r"[\p{L}\p{N}]",
    r"[\p{L}\p{M}]",
    r"[\p{L}\p{M}\p{N}]",
    r"[\p{L}\p{M}\p{Nd}]",
    r"\P{C}",
];

impl Compiler {
    /// Builds ahead, for at most about `budget`, what constraints of this vocabulary have in common: JSON itself, values of
    /// the types that many schemas ask for, the formats of JSON Schema, classes of characters of many scripts.
    ///
    /// Without it, the first constraints that need some of that build it as they go. Masks are the same with or without
    /// it. It is kept with the tables of the vocabulary, not in what [`save_tables`](Compiler::save_tables) writes. A good
    /// moment is when a server starts; a tenth of a second does most of it for a vocabulary of 128,000 tokens.
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
        let tables = &self.tables;
        tables.profile.make_texts(&tables.trie, &is_over);
        for (schema, text) in PLAIN {
            self.go_through(schema, &[text.to_owned()], &is_over);
        }
        for (value, texts) in VALUES {
            for (schema, text) in around(value, texts) {
                self.go_through(&schema, &[text], &is_over);
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

/// A schema of which values are members, and one of which they are items, each with a text of it.
fn around(value: &str, texts: &[&str]) -> [(String, String); 2] {
    let keys = ('a'..).take(texts.len());
    let (asked, members): (Vec<_>, Vec<_>) = keys
        .zip(texts)
        .map(|(key, text)| (format!(r#""{key}": {value}"#), format!(r#""{key}": {text}"#)))
        .unzip();
    [
        (
            format!(r#"{{"type": "object", "properties": {{{}}}}}"#, asked.join(", ")),
            format!("{{{}}}", members.join(", ")),
        ),
        (
            format!(r#"{{"type": "object", "properties": {{"a": {{"type": "array", "items": {value}}}}}}}"#),
            format!(r#"{{"a": [{}], "b": 1}}"#, texts.join(", ")),
        ),
    ]
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
            for (schema, text) in around(value, texts) {
                assert!(matches(&schema, &text), "{schema} {text}");
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
