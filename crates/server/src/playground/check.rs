//! Checking a constraint while it is typed: what is wrong and where, or what it matches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokenstile::{CompileError, Compiler, Constraint, Limits, Place};

use crate::api::{Answer, App, body};
use crate::constraint::{CancelOnDrop, Kind, Source};
use crate::error::{ApiError, json_response};
use crate::json::Fields;

/// Time for one check: whoever types does not wait long.
const TIME: Duration = Duration::from_secs(2);
/// Texts that are shown.
const EXAMPLES: usize = 4;
/// Time for finding them.
const EXAMPLES_TIME: Duration = Duration::from_millis(80);

/// `POST /playground/check`.
pub(crate) async fn check(State(app): State<Arc<App>>, request: Body) -> Answer {
    let mut fields = body(&app, request).await?;
    let source = source(&mut fields)?.ok_or_else(|| ApiError::invalid("there is no constraint"))?;
    fields.finish(&[])?;
    if source.len() > app.constraints.limits().source_bytes {
        return Err(ApiError::field("source", "the constraint is too long"));
    }
    let compiler = app.runtime.compiler().clone();
    let permit = app.constraints.permit().await?;
    let cancel = CancelOnDrop::new();
    let limits = app.constraints.limits().clone().with_compile_time(TIME).with_cancel(cancel.flag());
    let checked = tokio::task::spawn_blocking(move || {
        let value = checked(&source, &compiler, limits);
        drop(permit);
        value
    });
    let value = checked.await.map_err(|_| ApiError::internal("the check failed"))?;
    cancel.disarm();
    Ok(json_response(StatusCode::OK, &value))
}

/// Takes `kind` and `source`; none for free text.
pub(super) fn source(fields: &mut Fields) -> Result<Option<Source>, ApiError> {
    let kind = match &*fields.needed_text("kind")? {
        "none" => return Ok(None),
        "json_schema" => Kind::JsonSchema,
        "regex" => Kind::Regex,
        "grammar" => Kind::Grammar,
        "choice" => Kind::Choice,
        _ => return Err(fields.wrong("kind", "must be none, json_schema, regex, grammar or choice")),
    };
    let text = fields.needed_text("source")?;
    let text = match kind {
        // One a line.
        Kind::Choice => json!(text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>()).to_string(),
        _ => text,
    };
    Ok(Some(Source::new(kind, text)))
}

fn checked(source: &Source, compiler: &Compiler, limits: Limits) -> Value {
    let begun = Instant::now();
    let grammar = match source.grammar(&limits) {
        Ok(grammar) => grammar,
        Err(error) => return refusal(source, &error.into()),
    };
    let warnings: Vec<Value> = grammar
        .warnings()
        .iter()
        .map(|warning| note(source, &warning.message, warning.place, warning.pointer.as_deref()))
        .collect();
    let constraint = match compiler.clone().with_limits(limits).compile(&grammar) {
        Ok(constraint) => constraint,
        Err(error) => return refusal(source, &error),
    };
    let time = begun.elapsed();
    json!({
        "ok": true, "errors": [], "warnings": warnings, "examples": examples(&constraint),
        "compile_us": time.as_secs_f64() * 1e6, "rules": constraint.stats().rules,
    })
}

fn refusal(source: &Source, error: &CompileError) -> Value {
    let note = match error {
        CompileError::Grammar(error) => note(source, error.message(), error.place(), error.pointer()),
        error => note(source, &error.to_string(), None, None),
    };
    json!({"ok": false, "errors": [note], "warnings": [], "examples": []})
}

/// A message and the place that it is about.
fn note(source: &Source, message: &str, place: Option<Place>, pointer: Option<&str>) -> Value {
    let own = pointer.filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
    let of_pointer =
        || tokenstile::place_of_pointer(&source.text, own.filter(|_| source.kind == Kind::JsonSchema)?);
    let place = if source.kind == Kind::Choice { None } else { place.or_else(of_pointer) };
    json!({
        "message": message,
        "pointer": pointer,
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
    })
}

/// Some short texts: a few steps at random, then the shortest way to the end.
fn examples(constraint: &Constraint) -> Vec<String> {
    let begun = Instant::now();
    let mut found: Vec<String> = Vec::new();
    for round in 0..40u64 {
        if found.len() >= EXAMPLES || begun.elapsed() > EXAMPLES_TIME {
            break;
        }
        let text = example(constraint, round).and_then(|bytes| String::from_utf8(bytes).ok());
        found.extend(text.filter(|text| !text.is_empty() && !found.contains(text)));
    }
    found.sort_by_key(String::len);
    found
}

fn example(constraint: &Constraint, round: u64) -> Option<Vec<u8>> {
    let mut matcher = constraint.matcher();
    let mut text = Vec::new();
    let mut random = round.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    // The first one is as short as can be.
    for _ in 0..round.min(8) * 3 {
        let allowed = matcher.allowed_bytes().ok()?;
        let plain: Vec<u8> = allowed.iter().filter(u8::is_ascii_alphanumeric).collect();
        let pool =
            if plain.is_empty() { allowed.iter().filter(u8::is_ascii_graphic).collect() } else { plain };
        if pool.is_empty() {
            break;
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let byte = pool[(random % pool.len() as u64) as usize];
        matcher.commit_bytes(&[byte]).ok()?;
        text.push(byte);
    }
    text.extend(matcher.shortest_completion().ok()??);
    Some(text)
}
