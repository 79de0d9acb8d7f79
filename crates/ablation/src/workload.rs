//! Workloads: cases as `tokenstile bench` takes them, and the micro-cases.

#[allow(dead_code, reason = "what goes along texts without tokens is for the benchmarks")]
#[path = "../../tokenstile/benches/support/mod.rs"]
mod support;

use serde_json::{Value, json};
use tokenstile::{Compiler, Grammar, Limits, TokenId, Vocab};

/// Some cases and the compiler that they are for.
pub struct Workload {
    /// With the tables of the vocabulary, and nothing in the caches that constraints share.
    pub compiler: Compiler,
    /// In the order in which they are gone through.
    pub cases: Vec<Case>,
}

/// A constraint and a text.
#[derive(Clone)]
pub struct Case {
    /// The workload that it is counted with.
    pub workload: String,
    /// What it is called in results.
    pub name: String,
    /// The constraint.
    pub source: Source,
    /// The text.
    pub tokens: Vec<TokenId>,
}

/// A constraint as it is written.
#[derive(Clone)]
pub enum Source {
    /// JSON Schema.
    Schema(String),
    /// GBNF.
    Gbnf(String),
    /// A regular expression.
    Regex(String),
    /// A grammar that some code makes.
    Made(fn(&Limits) -> Result<Grammar, tokenstile::GrammarError>),
}

impl Source {
    /// Reads it; `None` if it is refused.
    pub fn grammar(&self) -> Option<Grammar> {
        let limits = Limits::default();
        match self {
            Source::Schema(text) => Grammar::json_schema(text, &Default::default(), &limits).ok(),
            Source::Gbnf(text) => Grammar::gbnf(text, &limits).ok(),
            Source::Regex(text) => Grammar::regex(text, &Default::default(), &limits).ok(),
            Source::Made(make) => make(&limits).ok(),
        }
    }
}

impl Case {
    /// A line of a file of cases: the first text that should be accepted, and no more than `most` tokens of it. `None` if
    /// there is no such text.
    pub fn parse(workload: &str, line: &str, most: usize) -> Result<Option<Case>, String> {
        let case: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let source = match (case["schema"].as_str(), case["kind"].as_str()) {
            (Some(schema), _) => Source::Schema(schema.to_owned()),
            (None, Some("gbnf")) => Source::Gbnf(text("source")),
            (None, Some("regex")) => Source::Regex(text("source")),
            (None, Some("micro")) => {
                let known = support::CASES.iter().find(|known| known.0 == text("id"));
                Source::Made(known.ok_or("there is no such micro-case")?.1)
            }
            (None, other) => return Err(format!("unknown kind {other:?}")),
        };
        let tests = case["tests"].as_array().ok_or("`tests` must be an array")?;
        let Some(test) = tests.iter().find(|test| test["valid"] == true) else { return Ok(None) };
        let tokens = test["tokens"].as_array().ok_or("`tokens` must be an array")?;
        let tokens = tokens.iter().take(most).filter_map(Value::as_u64).map(|token| token as TokenId);
        Ok(Some(Case { workload: workload.to_owned(), name: text("id"), source, tokens: tokens.collect() }))
    }
}

/// The micro-cases as lines of a file of cases, in the longest tokens of a vocabulary.
pub fn micro(vocab: &Vocab) -> impl Iterator<Item = String> {
    support::CASES.iter().map(|(name, _, text)| {
        let tests = json!([{"valid": true, "tokens": longest_tokens(vocab, text.as_bytes())}]);
        json!({"id": name, "kind": "micro", "tests": tests}).to_string()
    })
}

/// The small vocabulary of the micro-benchmarks.
pub fn vocabulary() -> Result<Vocab, Box<dyn std::error::Error>> {
    support::vocabulary()
}

/// A text in the longest tokens that there are.
pub fn longest_tokens(vocab: &Vocab, text: &[u8]) -> Vec<TokenId> {
    let ids = 0..vocab.len() as TokenId;
    let (mut rest, mut tokens) = (text, Vec::new());
    while !rest.is_empty() {
        let fits = |id: &TokenId| vocab.bytes(*id).is_some_and(|b| !b.is_empty() && rest.starts_with(b));
        let length = |id: &TokenId| vocab.bytes(*id).map_or(0, <[u8]>::len);
        let Some(longest) = ids.clone().filter(fits).max_by_key(length) else { break };
        rest = &rest[length(&longest)..];
        tokens.push(longest);
    }
    tokens
}
