//! Writing a text and showing every choice: what the model thought, what the mask allowed, how long both took.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use serde_json::{Value, json};
use tokenstile_runtime::{Finish, Message, Origin, Runtime, Written};

use super::check::source;
use super::why::Why;
use crate::api::{Answer, App, Lines, Meter, Out, Plan, body, stream, token_text};
use crate::constraint::Asked;
use crate::engine::Step;
use crate::error::ApiError;
use crate::params::{self, Params};

/// Candidates of the model that are looked at.
const TOP: usize = 24;
/// Refused ones that are told.
const REFUSED: usize = 4;

/// `POST /playground/generate`.
pub(crate) async fn generate(State(app): State<Arc<App>>, request: Body) -> Answer {
    let mut fields = body(&app, request).await?;
    let asked = source(&mut fields)?.map(|source| Asked::new(source, "source"));
    fields.take("source");
    let prompt = fields.needed_text("prompt")?;
    let params = Params {
        sampling: params::sampling(&mut fields)?,
        max_tokens: Some(fields.count("max_tokens", 1..=4_096)?.unwrap_or(256)),
        count: 1,
        stop: Vec::new(),
        stream: true,
        stream_usage: false,
        logprobs: Some(TOP),
    };
    let jump_forward = !fields.flag("every_pass")?;
    fields.finish(&[])?;
    let prompt = app.runtime.prompt(&[Message::new("user", prompt)])?;
    let plan = Plan { asked, jump_forward, ..Plan::new(prompt, params) };
    let running = plan.run(&app, "/playground/generate").await?;
    let why = Why::new(running.constraint.as_ref(), app.runtime.tokenizer().vocab().clone());
    let vocabulary = app.runtime.tokenizer().vocab().len();
    Ok(stream(running, Tokens { app, why, vocabulary, finish: None }, 1))
}

struct Tokens {
    app: Arc<App>,
    why: Why,
    vocabulary: usize,
    finish: Option<Finish>,
}

impl Tokens {
    fn token(&self, written: &Written, round_us: f64) -> Value {
        let runtime = &*self.app.runtime;
        let origin = match written.origin {
            Origin::Sampled => "sampled",
            Origin::Forced => "forced",
            Origin::Steered => "steered",
        };
        let special = runtime.tokenizer().vocab().bytes(written.token).is_none();
        let mut value = json!({
            "id": written.token, "text": token_text(runtime, written.token), "origin": origin, "special": special,
        });
        let Some(choice) = &written.choice else { return value };
        value["allowed"] = json!(choice.allowed);
        value["mask_us"] = json!(written.mask_time.as_secs_f64() * 1e6);
        value["model_us"] = json!(round_us);
        if let Some(details) = &choice.details {
            value["before"] = json!(details.before);
            value["after"] = json!(details.after);
            let refused = details.top.iter().filter(|candidate| !candidate.allowed).take(REFUSED);
            let refused = refused.map(|candidate| {
                let text = token_text(runtime, candidate.token);
                let why = self.why.refused(candidate.token);
                json!({"text": text, "probability": candidate.logprob.exp(), "why": why})
            });
            value["refused"] = refused.collect();
            let others = details.top.iter().filter(|one| one.allowed && one.token != written.token).take(3);
            let others = others.map(|one| other(runtime, one.token, one.logprob));
            value["others"] = others.collect();
        }
        value
    }
}

fn other(runtime: &Runtime, token: u32, logprob: f32) -> Value {
    json!({"text": token_text(runtime, token), "probability": logprob.exp()})
}

impl Lines for Tokens {
    fn begin(&mut self, out: &mut Out) {
        out.data(&json!({"type": "begin", "vocabulary": self.vocabulary}));
    }

    fn step(&mut self, step: Step, out: &mut Out) {
        let mut tokens = Vec::new();
        for written in &step.tokens {
            tokens.push(self.token(written, step.round.as_secs_f64() * 1e6));
            self.why.take(written.token);
        }
        out.data(&json!({"type": "tokens", "text": step.text, "tokens": tokens}));
    }

    fn done(&mut self, _index: usize, finish: &Finish, _out: &mut Out) {
        self.finish = Some(finish.clone());
    }

    fn end(&mut self, meter: &Meter, out: &mut Out) {
        let stats = &meter.stats;
        let finish = match &self.finish {
            Some(Finish::Length) => "length",
            Some(Finish::Complete) => "complete",
            _ => "end",
        };
        out.data(&json!({
            "type": "end", "finish": finish, "prompt_tokens": stats.prompt_tokens, "written": stats.written,
            "jumped": stats.jumped, "passes": stats.passes, "rate": stats.rate(),
            "masks_us": stats.masks.as_secs_f64() * 1e6, "waited_us": stats.waited.as_secs_f64() * 1e6,
            "total_us": stats.total().as_secs_f64() * 1e6,
        }));
    }

    fn failed(&mut self, error: &ApiError, out: &mut Out) {
        let message = error.json()["error"]["message"].clone();
        out.data(&json!({"type": "error", "message": message}));
    }
}
