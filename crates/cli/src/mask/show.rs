//! How `mask` answers: in words, or as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use tokenstile::{Place, TokenId, Vocab};

use super::{Next, Standing, Wrong};
use crate::bytes;
use crate::diagnostic::{self, BOLD, ERROR, GOOD};

/// Writes the answer in words.
pub(super) fn write(
    out: &mut dyn Write,
    standing: &Standing,
    vocab: &Vocab,
    text: &str,
    limit: usize,
) -> io::Result<()> {
    match standing {
        Standing::Open(next) => write_next(out, next, vocab, text, limit),
        Standing::Refused(wrong) => write_wrong(out, wrong, text),
    }
}

fn write_next(out: &mut dyn Write, next: &Next, vocab: &Vocab, text: &str, limit: usize) -> io::Result<()> {
    let state = match (next.complete, next.tokens.is_empty()) {
        (true, true) => "complete: nothing may follow",
        (true, false) => "complete, and can continue",
        (false, _) => "can continue, not complete yet",
    };
    writeln!(out, "{BOLD}text{BOLD:#}     {}", bytes::quote(text.as_bytes()))?;
    writeln!(out, "{BOLD}status{BOLD:#}   {GOOD}{state}{GOOD:#}")?;
    let end = if next.ends.is_empty() { "not allowed" } else { "allowed" };
    writeln!(out, "{BOLD}end{BOLD:#}      {end}")?;
    if !next.forced.is_empty() {
        writeln!(out, "{BOLD}forced{BOLD:#}   {}", bytes::quote(&next.forced))?;
    }
    let total = next.tokens.len() + next.ends.len();
    writeln!(out, "{BOLD}allowed{BOLD:#}  {total} of {} tokens", vocab.len())?;
    for &id in next.ends.iter().chain(&next.tokens).take(limit) {
        writeln!(out, "  {id:>7}  {}", token(vocab, id))?;
    }
    if total > limit {
        writeln!(out, "  … {} more (--all lists them)", total - limit)?;
    }
    Ok(())
}

/// A token in words: its bytes, or the name of one that is no text.
fn token(vocab: &Vocab, id: TokenId) -> String {
    if vocab.end_tokens().contains(&id) {
        return format!("{} (end)", vocab.name(id).unwrap_or("end of text"));
    }
    match vocab.bytes(id) {
        Some(text) => bytes::quote(text),
        None => vocab.name(id).unwrap_or("(no text)").to_owned(),
    }
}

fn write_wrong(out: &mut dyn Write, wrong: &Wrong, text: &str) -> io::Result<()> {
    let byte = text.as_bytes()[wrong.at];
    let place = Place::of(text, wrong.at);
    writeln!(out, "{ERROR}refused{ERROR:#} at byte {} ({place}): {}", wrong.at, bytes::name(byte))?;
    diagnostic::write_excerpt(out, text, place, ERROR)?;
    writeln!(out, "{BOLD}expected{BOLD:#}: {}", bytes::list(&expected(wrong), "or"))
}

fn expected(wrong: &Wrong) -> Vec<String> {
    let mut phrases = bytes::describe(&wrong.expected);
    if wrong.could_end {
        phrases.push("the end of the text".into());
    }
    phrases
}

/// The answer as one JSON object.
pub(super) fn as_json(standing: &Standing, vocab: &Vocab, text: &str, limit: usize) -> Value {
    match standing {
        Standing::Refused(wrong) => json!({
            "status": "refused",
            "at": wrong.at,
            "byte": text.as_bytes()[wrong.at],
            "expected": expected(wrong),
            "expected_bytes": wrong.expected.iter().collect::<Vec<u8>>(),
        }),
        Standing::Open(next) => json!({
            "status": if next.complete { "complete" } else { "open" },
            "end": !next.ends.is_empty(),
            "forced": String::from_utf8_lossy(&next.forced),
            "allowed": next.tokens.len() + next.ends.len(),
            "end_tokens": next.ends,
            "tokens": next.tokens.iter().take(limit).map(|&id| token_json(vocab, id)).collect::<Vec<_>>(),
        }),
    }
}

fn token_json(vocab: &Vocab, id: TokenId) -> Value {
    match vocab.bytes(id).map(std::str::from_utf8) {
        Some(Ok(text)) => json!({"id": id, "text": text}),
        Some(Err(_)) => json!({"id": id, "bytes": vocab.bytes(id)}),
        None => json!({"id": id, "name": vocab.name(id)}),
    }
}
