//! Answers in one piece: all events of a job, put together.

use serde_json::{Value, json};
use tokenstile_runtime::{Finish, Stats, Written};

use super::generation::Running;
use crate::engine::Event;
use crate::error::ApiError;

/// One finished text.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) text: String,
    /// The free text before the constraint.
    pub(crate) free: String,
    pub(crate) tokens: Vec<Written>,
    pub(crate) finish: Option<Finish>,
}

/// Waits for all texts of a job.
pub(crate) async fn collect(running: &mut Running, count: usize) -> Result<Vec<Output>, ApiError> {
    let mut outputs: Vec<Output> = (0..count).map(|_| Output::default()).collect();
    while let Some(event) = running.events.recv().await {
        match event {
            Event::Step(step) => {
                if let Some(output) = outputs.get_mut(step.index) {
                    output.text.push_str(&step.text);
                    output.free.push_str(&step.free);
                    output.tokens.extend(step.tokens);
                }
            }
            Event::Done { index, finish, stats } => {
                running.ended(index, &stats);
                if let Some(output) = outputs.get_mut(index) {
                    output.finish = Some(finish);
                }
            }
            Event::Failed(error) => {
                running.meter.failed();
                return Err(error);
            }
        }
        if outputs.iter().all(|output| output.finish.is_some()) {
            running.meter.finished();
            return Ok(outputs);
        }
    }
    running.meter.failed();
    Err(ApiError::unavailable())
}

/// What a job has cost, in OpenAI's form.
pub(crate) fn usage(stats: &Stats) -> Value {
    json!({
        "prompt_tokens": stats.prompt_tokens,
        "completion_tokens": stats.written,
        "total_tokens": stats.prompt_tokens + stats.written,
    })
}

/// Why a text ended, in OpenAI's words.
pub(crate) fn reason(finish: &Finish) -> &'static str {
    match finish {
        Finish::Length => "length",
        _ => "stop",
    }
}
