//! `POST /generate`, as SGLang has it: a text or tokens, and `sampling_params` with the constraint in them.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokenstile_runtime::{Finish, Stats};

use super::collect::collect;
use super::completions::prompts;
use super::sse::{Lines, Out, stream};
use super::{Answer, App, Meter, Plan};
use crate::constraint::{Asked, Kind, Source, from_value};
use crate::engine::Step;
use crate::error::{ApiError, json_response};
use crate::json::Fields;
use crate::params::{self, Params};

/// Fields that ask for a constraint.
const CONSTRAINTS: [(&str, Kind); 3] =
    [("json_schema", Kind::JsonSchema), ("regex", Kind::Regex), ("ebnf", Kind::Grammar)];

pub(super) async fn answer(State(app): State<Arc<App>>, body: Body) -> Answer {
    let mut fields = super::body(&app, body).await?;
    let plan = read(&app, &mut fields)?;
    fields.finish(&["rid", "model"])?;
    let params = plan.params.clone();
    let mut running = plan.run(&app, "/generate").await?;
    let id = running.meter.id.clone();
    if params.stream {
        let texts = (0..params.count).map(|_| Told::default()).collect();
        return Ok(stream(running, Chunks { id, texts }, params.count));
    }
    let outputs = collect(&mut running, params.count).await?;
    let stats = &running.meter.stats;
    let mut list: Vec<Value> = outputs
        .iter()
        .map(|output| {
            let told = Told { text: output.text.clone(), written: output.tokens.len() };
            told.value(&id, output.finish.as_ref(), Some(stats))
        })
        .collect();
    let one = if list.len() == 1 { list.pop() } else { None };
    Ok(json_response(StatusCode::OK, &one.unwrap_or(Value::Array(list))))
}

fn read(app: &App, fields: &mut Fields) -> Result<Plan, ApiError> {
    let prompt = match (fields.take("text"), fields.take("input_ids")) {
        (Some(prompt), None) | (None, Some(prompt)) => prompt,
        _ => return Err(ApiError::invalid("exactly one of `text` and `input_ids` must be given")),
    };
    let (prompts, _) = prompts(app, prompt)
        .filter(|(prompts, _)| prompts.len() == 1)
        .ok_or_else(|| fields.wrong("text", "must be one string, or `input_ids` one list"))?;
    let stream = fields.flag("stream")?;
    let mut sampling =
        fields.object("sampling_params")?.map_or_else(|| Fields::of(json!({}), "sampling_params"), Ok)?;
    let params = Params {
        sampling: params::sampling(&mut sampling)?,
        max_tokens: Some(sampling.count("max_new_tokens", 1..=u64::MAX)?.unwrap_or(128)),
        count: sampling.count("n", 1..=app.engine.max_batch as u64)?.unwrap_or(1),
        stop: params::stops(&mut sampling)?,
        stream,
        stream_usage: false,
        logprobs: None,
    };
    let asked = constraint(&mut sampling)?;
    sampling.finish(&["skip_special_tokens", "spaces_between_special_tokens"])?;
    Ok(Plan { prompts, asked, ..Plan::new(Vec::new(), params) })
}

fn constraint(fields: &mut Fields) -> Result<Option<Asked>, ApiError> {
    let mut found = Vec::new();
    for (name, kind) in CONSTRAINTS {
        let Some(value) = fields.take(name) else { continue };
        // SGLang's word for any object.
        let any = kind == Kind::JsonSchema && value == json!("$$ANY$$");
        let path = fields.path(name);
        found.push(if any {
            Asked::new(Source::any_object(), path)
        } else {
            from_value(kind, value, &path)?
        });
    }
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(ApiError::field("sampling_params", "only one of json_schema, regex and ebnf may be given")),
    }
}

/// What was told of a text so far.
#[derive(Default)]
struct Told {
    text: String,
    written: usize,
}

impl Told {
    fn value(&self, id: &str, finish: Option<&Finish>, stats: Option<&Stats>) -> Value {
        let finish = finish.map(|finish| match finish {
            Finish::Length => json!({"type": "length", "length": self.written}),
            Finish::Stop(stop) => json!({"type": "stop", "matched": stop}),
            _ => json!({"type": "stop", "matched": null}),
        });
        let mut meta = json!({"id": id, "finish_reason": finish, "completion_tokens": self.written});
        if let Some(stats) = stats {
            meta["prompt_tokens"] = json!(stats.prompt_tokens);
            meta["e2e_latency"] = json!(stats.total().as_secs_f64());
        }
        json!({"text": self.text, "meta_info": meta})
    }
}

/// An answer piece by piece: each has the whole text so far.
struct Chunks {
    id: String,
    texts: Vec<Told>,
}

impl Chunks {
    fn send(&self, index: usize, finish: Option<&Finish>, out: &mut Out) {
        let Some(told) = self.texts.get(index) else { return };
        let mut value = told.value(&self.id, finish, None);
        if self.texts.len() > 1 {
            value["index"] = json!(index);
        }
        out.data(&value);
    }
}

impl Lines for Chunks {
    fn step(&mut self, step: Step, out: &mut Out) {
        let Some(told) = self.texts.get_mut(step.index) else { return };
        told.text.push_str(&step.text);
        told.written += step.tokens.len();
        if !step.text.is_empty() {
            self.send(step.index, None, out);
        }
    }

    fn done(&mut self, index: usize, finish: &Finish, out: &mut Out) {
        self.send(index, Some(finish), out);
    }

    fn end(&mut self, _meter: &Meter, out: &mut Out) {
        out.close();
    }
}
