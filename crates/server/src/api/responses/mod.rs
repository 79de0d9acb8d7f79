//! `POST /v1/responses`, as OpenAI has it, without a memory: nothing is stored, every request brings all of its input.

mod events;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokenstile_runtime::{Finish, Message, Stats};

use super::collect::{Output, collect};
use super::conversation::{Conversation, template_knows_tools};
use super::parts::{Form, Piece, Reader};
use super::sse::stream;
use super::{Answer, App, now, take_model};
use crate::constraint::{self, Shape};
use crate::error::{ApiError, json_response};
use crate::json::Fields;
use crate::params::{self, Params};
use crate::{messages, tools};
use events::Events;

/// Further fields that change nothing here.
const HARMLESS: [&str; 4] = ["include", "truncation", "stream_options", "max_tool_calls"];

pub(super) async fn answer(State(app): State<Arc<App>>, body: Body) -> Answer {
    let conversation = Conversation::take(&app, body, read, &HARMLESS).await?;
    let wants_stream = conversation.params.stream;
    let (plan, form) = conversation.plan(&app)?;
    let mut running = plan.run(&app, "/v1/responses").await?;
    let head = Head { id: running.meter.id.clone(), created: now(), model: app.config.model.clone() };
    if wants_stream {
        return Ok(stream(running, Events::new(head, &form), 1));
    }
    let outputs = collect(&mut running, 1).await?;
    let output = outputs.first().ok_or_else(|| ApiError::internal("there is no text"))?;
    let value = head.whole(output, &form, &running.meter.stats);
    Ok(json_response(StatusCode::OK, &value))
}

fn read(app: &App, fields: &mut Fields) -> Result<Conversation, ApiError> {
    take_model(app, fields)?;
    for memory in ["previous_response_id", "conversation", "background"] {
        if fields.take(memory).is_some_and(|value| value != json!(false)) {
            return Err(fields.wrong(memory, "is not supported: nothing is stored here"));
        }
    }
    let mut messages = Vec::new();
    if let Some(text) = fields.text("instructions")? {
        messages.push(Message::new("system", text));
    }
    input(app, fields, &mut messages)?;
    let mut asked = None;
    if let Some(mut text) = fields.object("text")? {
        if let Some(format) = text.object("format")? {
            asked = constraint::from_format(format, Shape::Flat)?;
        }
        text.finish(&["verbosity"])?;
    }
    let extra = constraint::from_fields(fields)?;
    if asked.is_some() && extra.is_some() {
        return Err(ApiError::field(
            "text.format",
            "`text.format` and another field both ask for a constraint",
        ));
    }
    let params = Params {
        sampling: params::sampling(fields)?,
        max_tokens: fields.count("max_output_tokens", 1..=u64::MAX)?,
        count: 1,
        stop: params::stops(fields)?,
        stream: fields.flag("stream")?,
        stream_usage: false,
        logprobs: None,
    };
    let tools = tools::from_fields(fields, true)?;
    let reasoning = params::reasoning(fields)?;
    Ok(Conversation { messages, tools, asked: asked.or(extra), reasoning, params })
}

/// Takes `input`: a text, or a list of messages, calls and results.
fn input(app: &App, fields: &mut Fields, read: &mut Vec<Message>) -> Result<(), ApiError> {
    let has_tool_role = template_knows_tools(app);
    let list = match fields.take("input") {
        Some(Value::String(text)) => {
            read.push(Message::new("user", text));
            return Ok(());
        }
        Some(Value::Array(list)) if !list.is_empty() => list,
        _ => return Err(fields.wrong("input", "must be a string or a list that is not empty")),
    };
    for (at, value) in list.into_iter().enumerate() {
        let mut item = Fields::of(value, format!("input[{at}]"))?;
        let kind = item.text("type")?.unwrap_or_else(|| "message".into());
        match &*kind {
            "message" => {
                let role = item.needed_text("role")?;
                let role = match &*role {
                    "developer" => "system",
                    "system" | "user" | "assistant" => &role,
                    other => return Err(item.wrong("role", &format!("is `{other}`, which is not known"))),
                };
                read.push(Message::new(role, messages::content(&mut item, "content")?));
            }
            "function_call" => {
                let call = messages::call(&item.needed_text("name")?, &item.needed_text("arguments")?);
                read.push(Message::new("assistant", call));
            }
            "function_call_output" => {
                read.push(messages::result(&messages::content(&mut item, "output")?, has_tool_role));
            }
            "reasoning" => continue,
            other => return Err(item.wrong("type", &format!("is `{other}`, which is not supported"))),
        }
        item.finish(&["id", "status", "call_id"])?;
    }
    Ok(())
}

/// What every answer begins with.
#[derive(Clone)]
struct Head {
    id: String,
    created: u64,
    model: String,
}

impl Head {
    /// A response in some state of its life.
    fn value(&self, status: &str, output: Value, stats: Option<&Stats>) -> Value {
        let usage = stats.map(|stats| {
            json!({
                "input_tokens": stats.prompt_tokens,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": stats.written,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": stats.prompt_tokens + stats.written,
            })
        });
        json!({
            "id": format!("resp_{}", self.id), "object": "response", "created_at": self.created,
            "status": status, "model": self.model, "output": output, "usage": usage,
            "error": null, "incomplete_details": null, "instructions": null, "metadata": {},
            "parallel_tool_calls": false, "temperature": null, "top_p": null, "tool_choice": "auto", "tools": [],
        })
    }

    /// The end of a response.
    fn ended(&self, finish: &Finish, output: Value, stats: &Stats) -> Value {
        if *finish != Finish::Length {
            return self.value("completed", output, Some(stats));
        }
        let mut value = self.value("incomplete", output, Some(stats));
        value["incomplete_details"] = json!({"reason": "max_output_tokens"});
        value
    }

    fn whole(&self, output: &Output, form: &Form, stats: &Stats) -> Value {
        let mut reader = Reader::new(form);
        let mut piece = reader.push(&output.free, &output.text);
        let rest = reader.finish();
        piece.reasoning.push_str(&rest.reasoning);
        piece.content.push_str(&rest.content);
        let items = self.items(&piece);
        self.ended(output.finish.as_ref().unwrap_or(&Finish::End), items.into(), stats)
    }

    /// The items of a text: reasoning, a message, a call.
    fn items(&self, piece: &Piece) -> Vec<Value> {
        let mut items = Vec::new();
        if !piece.reasoning.is_empty() {
            let part = json!({"type": "reasoning_text", "text": piece.reasoning});
            let id = format!("rs_{}", self.id);
            items.push(json!({"id": id, "type": "reasoning", "summary": [], "content": [part]}));
        }
        if !piece.content.is_empty() || piece.call.name.is_none() {
            items.push(self.message("completed", Some(&piece.content)));
        }
        if let Some(name) = &piece.call.name {
            items.push(self.call("completed", name, &piece.call.arguments));
        }
        items
    }

    fn message(&self, status: &str, text: Option<&str>) -> Value {
        let parts: Vec<Value> = text.map(part).into_iter().collect();
        let id = format!("msg_{}", self.id);
        json!({"id": id, "type": "message", "role": "assistant", "status": status, "content": parts})
    }

    fn call(&self, status: &str, name: &str, arguments: &str) -> Value {
        json!({
            "id": format!("fc_{}", self.id), "type": "function_call", "status": status,
            "call_id": format!("call_{}", self.id), "name": name, "arguments": arguments,
        })
    }
}

/// A part of a message.
fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}
