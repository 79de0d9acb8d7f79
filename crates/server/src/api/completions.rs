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
    let (plan, echoes) = read(&app, &mut fields)?;
    fields.finish(&["user", "metadata"])?;
    let params = plan.params.clone();
    let mut running = plan.run(&app, "/v1/completions").await?;
    let head = json!({
        "id": format!("cmpl-{}", running.meter.id), "object": "text_completion", "created": now(),
        "model": app.config.model,
    });
    if params.stream {
        let (offsets, count) = (echoes.iter().map(|echo| echo.chars().count()).collect(), echoes.len());
        return Ok(stream(running, Chunks { app, head, offsets, params, echoes }, count));
    }
    let outputs = collect(&mut running, echoes.len()).await?;
    let wants = params.logprobs.is_some();
    let choices = outputs.iter().zip(&echoes).enumerate();
    let choices: Vec<Value> =
        choices.map(|(index, (output, echo))| choice(&app, index, output, echo, wants)).collect();
    let mut value = head;
    value["choices"] = choices.into();
    value["usage"] = usage(&running.meter.stats);
    Ok(json_response(StatusCode::OK, &value))
}

/// Takes the fields of a completion; the plan, and for each choice the text to repeat before it.
fn read(app: &App, fields: &mut Fields) -> Result<(Plan, Vec<String>), ApiError> {
    take_model(app, fields)?;
    let prompt = fields.take("prompt").ok_or_else(|| fields.wrong("prompt", "is missing"))?;
    let (prompts, texts) = prompts(app, prompt)
        .ok_or_else(|| fields.wrong("prompt", "must be a string, a list of tokens, or a list of either"))?;
    if prompts.len() > app.config.queue {
        return Err(fields.wrong("prompt", &format!("may hold {} prompts at most", app.config.queue)));
    }
    let mut params = Params::read(fields, app.engine.max_batch)?;
    params.logprobs = fields.count("logprobs", 0..=20)?;
    // OpenAI's default for completions.
    params.max_tokens = Some(params.max_tokens.unwrap_or(16));
    let echo = fields.flag("echo")?;
    let echoes = texts.into_iter().flat_map(|text| {
        let text = if echo { text } else { String::new() };
        std::iter::repeat_n(text, params.count)
    });
    let echoes = echoes.collect();
    let asked = constraint::from_fields(fields)?;
    let after = params::reasoning(fields)?.filter(|_| asked.is_some());
    Ok((Plan { prompts, asked, after, ..Plan::new(Vec::new(), params) }, echoes))
}

/// The tokens and the texts of one prompt or a list of them.
pub(super) fn prompts(app: &App, prompt: Value) -> Option<(Vec<Vec<TokenId>>, Vec<String>)> {
    match prompt {
        Value::Array(list) if !list.first()?.is_number() => {
            list.into_iter().map(|prompt| tokens(app, prompt)).collect()
        }
        one => tokens(app, one).map(|(tokens, text)| (vec![tokens], vec![text])),
    }
}

/// The tokens of a prompt: one text, or one list of tokens.
fn tokens(app: &App, prompt: Value) -> Option<(Vec<TokenId>, String)> {
    let tokenizer = app.runtime.tokenizer();
    match prompt {
        Value::String(text) => Some((tokenizer.encode_prompt(&text), text)),
        Value::Array(list) if list.first().is_some_and(Value::is_number) => {
            let tokens = list.iter().map(|token| TokenId::try_from(token.as_u64()?).ok());
            let tokens: Vec<TokenId> = tokens.collect::<Option<_>>()?;
            let text = String::from_utf8_lossy(&tokenizer.decode(&tokens)).into_owned();
            Some((tokens, text))
        }
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
    /// For each text what comes before it.
    echoes: Vec<String>,
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
        for (index, echo) in self.echoes.iter().enumerate().filter(|(_, echo)| !echo.is_empty()) {
            self.send(json!({"index": index, "text": echo, "logprobs": null, "finish_reason": null}), out);
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
