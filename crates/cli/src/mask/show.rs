//! How `mask` answers: in words, or as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use tokenstile::{Place, TokenId, Vocab};

use super::sample::sample;
use super::{Next, Standing, Wrong};
use crate::bytes;
use crate::diagnostic::{self, BOLD, ERROR, GOOD};

/// Longest token that is shown as a whole, in characters.
const TOKEN_WIDTH: usize = 60;

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
    if !next.phrases.is_empty() {
        writeln!(out, "{BOLD}next{BOLD:#}     {}", bytes::list(&next.phrases, "or"))?;
    }
    let forced = if next.forced.is_empty() { "nothing".into() } else { bytes::quote(&next.forced) };
    writeln!(out, "{BOLD}forced{BOLD:#}   {forced}")?;
    let total = next.tokens.len() + next.ends.len();
    writeln!(out, "{BOLD}allowed{BOLD:#}  {total} of {} tokens", vocab.len())?;
    let room = limit.saturating_sub(next.ends.len());
    for &id in next.ends.iter().take(limit).chain(&sample(vocab, &next.tokens, room)) {
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
        Some(text) => {
            let quoted = bytes::quote(text);
            match quoted.char_indices().nth(TOKEN_WIDTH) {
                Some((cut, _)) => format!("{}… ({} bytes)", &quoted[..cut], text.len()),
                None => quoted,
            }
        }
        None => vocab.name(id).unwrap_or("(no text)").to_owned(),
    }
}

fn write_wrong(out: &mut dyn Write, wrong: &Wrong, text: &str) -> io::Result<()> {
    let place = Place::of(text, wrong.at);
    writeln!(out, "{ERROR}refused{ERROR:#} at byte {} ({place}): {}", wrong.at, culprit(text, wrong.at))?;
    diagnostic::write_excerpt(out, text, place, ERROR)?;
    writeln!(out, "{BOLD}expected{BOLD:#}: {}", bytes::list(&wrong.phrases, "or"))
}

/// The refused byte, and the character that it is a part of.
fn culprit(text: &str, at: usize) -> String {
    let byte = bytes::name(text.as_bytes()[at]);
    match text[bytes::character_start(text, at)..].chars().next() {
        Some(c) if !c.is_ascii() => format!("{byte} of `{}`", bytes::escape(c.to_string().as_bytes())),
        _ => byte,
    }
}

/// The answer as one JSON object.
pub(super) fn as_json(standing: &Standing, vocab: &Vocab, text: &str, limit: usize) -> Value {
    match standing {
        Standing::Refused(wrong) => json!({
            "status": "refused",
            "at": wrong.at,
            "byte": text.as_bytes()[wrong.at],
            "expected": wrong.phrases,
            "expected_bytes": wrong.expected.iter().collect::<Vec<u8>>(),
        }),
        Standing::Open(next) => json!({
            "status": if next.complete { "complete" } else { "open" },
            "end": !next.ends.is_empty(),
            "next": next.phrases,
            "forced": String::from_utf8_lossy(&next.forced),
            "allowed": next.tokens.len() + next.ends.len(),
            "end_tokens": next.ends,
            "tokens": sample(vocab, &next.tokens, limit).into_iter().map(|id| token_json(vocab, id)).collect::<Vec<_>>(),
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
