//! `POST /v1/completions`, as OpenAI has it: a prompt that is gone on with, without a chat template.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokenstile::TokenId;
use tokenstile_runtime::Finish;

use super::collect::{Output, collect, reason, usage};
use super::sse::{Lines, Out, stream};
use super::{Answer, App, Meter, Plan, logprobs, now, take_model};
use crate::constraint;
use crate::engine::Step;
use crate::error::{ApiError, json_response};
use crate::json::Fields;
use crate::params::{self, Params};

pub(super) async fn answer(State(app): State<Arc<App>>, body: Body) -> Answer {
    let mut fields = super::body(&app, body).await?;
    let (plan, echo) = read(&app, &mut fields)?;
    fields.finish(&["user", "metadata"])?;
    let params = plan.params.clone();
    let mut running = plan.run(&app, "/v1/completions").await?;
    let head = json!({
        "id": format!("cmpl-{}", running.meter.id), "object": "text_completion", "created": now(),
        "model": app.config.model,
    });
    if params.stream {
        let (offsets, count) = (vec![0; params.count], params.count);
        return Ok(stream(running, Chunks { app, head, offsets, params, echo }, count));
    }
    let outputs = collect(&mut running, params.count).await?;
    let wants = params.logprobs.is_some();
    let choices: Vec<Value> =
        (0..).zip(&outputs).map(|(index, output)| choice(&app, index, output, &echo, wants)).collect();
    let mut value = head;
    value["choices"] = choices.into();
    value["usage"] = usage(&running.meter.stats);
    Ok(json_response(StatusCode::OK, &value))
}

/// Takes the fields of a completion; the plan, and the text to repeat before the answer.
fn read(app: &App, fields: &mut Fields) -> Result<(Plan, String), ApiError> {
    take_model(app, fields)?;
    let prompt = fields.take("prompt").ok_or_else(|| fields.wrong("prompt", "is missing"))?;
    let (prompt, text) = tokens(app, prompt)
        .ok_or_else(|| fields.wrong("prompt", "must be one string or one list of tokens"))?;
    let mut params = Params::read(fields, app.engine.max_batch)?;
    params.logprobs = fields.count("logprobs", 0..=20)?;
    // OpenAI's default for completions.
    params.max_tokens = Some(params.max_tokens.unwrap_or(16));
    let echo = if fields.flag("echo")? { text } else { String::new() };
    let asked = constraint::from_fields(fields)?;
    let after = params::reasoning(fields)?.filter(|_| asked.is_some());
    Ok((Plan { asked, after, ..Plan::new(prompt, params) }, echo))
}

/// The tokens of a prompt: one text, or one list of tokens, perhaps as the only item of a list.
pub(super) fn tokens(app: &App, prompt: Value) -> Option<(Vec<TokenId>, String)> {
    let tokenizer = app.runtime.tokenizer();
    match prompt {
        Value::String(text) => Some((tokenizer.encode_prompt(&text), text)),
        Value::Array(list) if list.first().is_some_and(Value::is_number) => {
            let tokens = list.iter().map(|token| TokenId::try_from(token.as_u64()?).ok());
            let tokens: Vec<TokenId> = tokens.collect::<Option<_>>()?;
            let text = String::from_utf8_lossy(&tokenizer.decode(&tokens)).into_owned();
            Some((tokens, text))
        }
        Value::Array(list) => match <[Value; 1]>::try_from(list) {
            Ok([Value::String(text)]) => Some((tokenizer.encode_prompt(&text), text)),
            Ok([inner @ Value::Array(_)]) if inner[0].is_number() => tokens(app, inner),
            _ => None,
        },
        _ => None,
    }
}

fn choice(app: &App, index: usize, output: &Output, echo: &str, wants_logprobs: bool) -> Value {
    let mut value = json!({
        "index": index,
        "text": format!("{echo}{}", output.text),
        "logprobs": wants_logprobs.then(|| logprobs::for_completion(&app.runtime, &output.tokens, echo.chars().count())),
        "finish_reason": output.finish.as_ref().map(reason),
    });
    if !output.free.is_empty() {
        value["reasoning_content"] = json!(output.free);
    }
    value
}

/// An answer piece by piece.
struct Chunks {
    app: Arc<App>,
    head: Value,
    /// For each text how many characters its tokens have had.
    offsets: Vec<usize>,
    params: Params,
    echo: String,
}

impl Chunks {
    fn send(&self, choice: Value, out: &mut Out) {
        let mut value = self.head.clone();
        value["choices"] = json!([choice]);
        if self.params.stream_usage {
            value["usage"] = Value::Null;
        }
        out.data(&value);
    }
}

impl Lines for Chunks {
    fn begin(&mut self, out: &mut Out) {
        for index in (0..self.params.count).filter(|_| !self.echo.is_empty()) {
            self.send(
                json!({"index": index, "text": self.echo, "logprobs": null, "finish_reason": null}),
                out,
            );
        }
    }

    fn step(&mut self, step: Step, out: &mut Out) {
        let Some(offset) = self.offsets.get_mut(step.index) else { return };
        let wants = self.params.logprobs.is_some();
        if step.text.is_empty() && step.free.is_empty() && !wants {
            return;
        }
        let logprobs = wants.then(|| logprobs::for_completion(&self.app.runtime, &step.tokens, *offset));
        *offset += step.text.chars().count();
        let mut choice =
            json!({"index": step.index, "text": step.text, "logprobs": logprobs, "finish_reason": null});
        if !step.free.is_empty() {
            choice["reasoning_content"] = json!(step.free);
        }
        self.send(choice, out);
    }

    fn done(&mut self, index: usize, finish: &Finish, out: &mut Out) {
        self.send(
            json!({"index": index, "text": "", "logprobs": null, "finish_reason": reason(finish)}),
            out,
        );
    }

    fn end(&mut self, meter: &Meter, out: &mut Out) {
        if self.params.stream_usage {
            let mut value = self.head.clone();
            value["choices"] = json!([]);
            value["usage"] = usage(&meter.stats);
            out.data(&value);
        }
        out.close();
    }
}
