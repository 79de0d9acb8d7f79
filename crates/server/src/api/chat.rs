//! `POST /v1/chat/completions`, as OpenAI has it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use tokenstile_runtime::Finish;

use super::collect::{Output, collect, reason, usage};
use super::conversation::{Conversation, template_knows_tools};
use super::parts::{Form, Piece, Reader};
use super::sse::{Lines, Out, stream};
use super::{Answer, App, Meter, logprobs, now, take_model};
use crate::constraint;
use crate::engine::Step;
use crate::error::{ApiError, json_response};
use crate::json::Fields;
use crate::params::{self, Params};
use crate::{messages, tools};

/// Further fields that change nothing here.
const HARMLESS: [&str; 3] = ["reasoning_effort", "verbosity", "modalities"];

pub(super) async fn answer(State(app): State<Arc<App>>, body: Body) -> Answer {
    let conversation = Conversation::take(&app, body, read, &HARMLESS).await?;
    let params = conversation.params.clone();
    let (plan, form) = conversation.plan(&app)?;
    let mut running = plan.run(&app, "/v1/chat/completions").await?;
    let id = format!("chatcmpl-{}", running.meter.id);
    let head = Head { id, created: now(), model: app.config.model.clone() };
    if params.stream {
        let texts = (0..params.count).map(|_| (Reader::new(&form), 0)).collect();
        let count = params.count;
        return Ok(stream(running, Chunks { app, head, texts, params }, count));
    }
    let outputs = collect(&mut running, params.count).await?;
    let wants_logprobs = params.logprobs.is_some();
    let choices: Vec<Value> = (0..)
        .zip(&outputs)
        .map(|(index, output)| choice(&app, index, output, &form, wants_logprobs))
        .collect();
    let mut value = head.value("chat.completion");
    value["choices"] = choices.into();
    value["usage"] = usage(&running.meter.stats);
    Ok(json_response(StatusCode::OK, &value))
}

/// Takes the fields of a chat.
fn read(app: &App, fields: &mut Fields) -> Result<Conversation, ApiError> {
    take_model(app, fields)?;
    let list = fields.list("messages")?.ok_or_else(|| fields.wrong("messages", "is missing"))?;
    let mut params = Params::read(fields, app.engine.max_batch)?;
    let wants = fields.flag("logprobs")?;
    let top = fields.count("top_logprobs", 0..=20)?;
    if top.is_some() && !wants {
        return Err(fields.wrong("top_logprobs", "needs `logprobs`"));
    }
    params.logprobs = wants.then(|| top.unwrap_or(0));
    Ok(Conversation {
        messages: messages::read(list, "messages", template_knows_tools(app))?,
        tools: tools::from_fields(fields, false)?,
        asked: constraint::from_fields(fields)?,
        reasoning: params::reasoning(fields)?,
        params,
    })
}

/// What every answer begins with.
#[derive(Clone)]
struct Head {
    id: String,
    created: u64,
    model: String,
}

impl Head {
    fn value(&self, object: &str) -> Value {
        json!({"id": self.id, "object": object, "created": self.created, "model": self.model})
    }
}

/// One choice of an answer in one piece.
fn choice(app: &App, index: usize, output: &Output, form: &Form, wants_logprobs: bool) -> Value {
    let mut reader = Reader::new(form);
    let mut piece = reader.push(&output.free, &output.text);
    let rest = reader.finish();
    piece.reasoning.push_str(&rest.reasoning);
    piece.content.push_str(&rest.content);
    let has_call = reader.has_call();
    let content = if has_call && piece.content.is_empty() { Value::Null } else { json!(piece.content) };
    let mut message = json!({"role": "assistant", "content": content, "refusal": null});
    if !piece.reasoning.is_empty() {
        message["reasoning_content"] = json!(piece.reasoning);
    }
    if has_call {
        let function = json!({"name": piece.call.name, "arguments": piece.call.arguments});
        message["tool_calls"] = json!([{"id": call_id(), "type": "function", "function": function}]);
    }
    json!({
        "index": index,
        "message": message,
        "logprobs": wants_logprobs.then(|| logprobs::for_chat(&app.runtime, &output.tokens)),
        "finish_reason": output.finish.as_ref().map(|finish| finish_reason(finish, has_call)),
    })
}

fn finish_reason(finish: &Finish, has_call: bool) -> &'static str {
    if has_call && *finish != Finish::Length { "tool_calls" } else { reason(finish) }
}

/// A name for a call.
fn call_id() -> String {
    format!("call_{:016x}", params::fresh_number())
}

/// An answer piece by piece.
struct Chunks {
    app: Arc<App>,
    head: Head,
    /// For each text how to read it, and how many pieces were sent.
    texts: Vec<(Reader, usize)>,
    params: Params,
}

impl Chunks {
    fn chunk(&self, index: usize, delta: Value, logprobs: Value, finish: Option<&str>) -> Value {
        let mut value = self.head.value("chat.completion.chunk");
        let choice = json!({"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish});
        value["choices"] = json!([choice]);
        if self.params.stream_usage {
            value["usage"] = Value::Null;
        }
        value
    }

    fn send(&mut self, index: usize, piece: Piece, logprobs: Value, out: &mut Out) {
        let Some((_, sent)) = self.texts.get_mut(index) else { return };
        let mut delta = Map::new();
        if *sent == 0 {
            delta.insert("role".into(), json!("assistant"));
        }
        if !piece.reasoning.is_empty() {
            delta.insert("reasoning_content".into(), json!(piece.reasoning));
        }
        if !piece.content.is_empty() {
            delta.insert("content".into(), json!(piece.content));
        }
        if let Some(name) = &piece.call.name {
            let function = json!({"name": name, "arguments": piece.call.arguments});
            let call = json!({"index": 0, "id": call_id(), "type": "function", "function": function});
            delta.insert("tool_calls".into(), json!([call]));
        } else if !piece.call.arguments.is_empty() {
            let function = json!({"arguments": piece.call.arguments});
            delta.insert("tool_calls".into(), json!([{"index": 0, "function": function}]));
        }
        if delta.is_empty() && logprobs.is_null() {
            return;
        }
        *sent += 1;
        out.data(&self.chunk(index, Value::Object(delta), logprobs, None));
    }
}

impl Lines for Chunks {
    fn step(&mut self, step: Step, out: &mut Out) {
        let Some((reader, _)) = self.texts.get_mut(step.index) else { return };
        let piece = reader.push(&step.free, &step.text);
        let logprobs = match self.params.logprobs {
            Some(_) => logprobs::for_chat(&self.app.runtime, &step.tokens),
            None => Value::Null,
        };
        self.send(step.index, piece, logprobs, out);
    }

    fn done(&mut self, index: usize, finish: &Finish, out: &mut Out) {
        let Some((reader, _)) = self.texts.get_mut(index) else { return };
        let (rest, has_call) = (reader.finish(), reader.has_call());
        self.send(index, rest, Value::Null, out);
        out.data(&self.chunk(index, json!({}), Value::Null, Some(finish_reason(finish, has_call))));
    }

    fn end(&mut self, meter: &Meter, out: &mut Out) {
        if self.params.stream_usage {
            let mut value = self.head.value("chat.completion.chunk");
            value["choices"] = json!([]);
            value["usage"] = usage(&meter.stats);
            out.data(&value);
        }
        out.close();
    }
}
