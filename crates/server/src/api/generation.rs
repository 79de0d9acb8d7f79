//! From what was asked to a running job.

use std::sync::Arc;
use std::time::Instant;

use tokenstile::{Constraint, TokenId};
use tokenstile_runtime::{Request, Stats};
use tokio::sync::mpsc::UnboundedReceiver;

use super::App;
use crate::constraint::{self, Asked};
use crate::engine::{Event, Ticket};
use crate::error::ApiError;
use crate::params::{Params, fresh_number};

/// Everything about a text that is to be written.
pub(crate) struct Plan {
    /// One at least.
    pub(crate) prompts: Vec<Vec<TokenId>>,
    pub(crate) asked: Option<Asked>,
    /// The constraint begins behind this text.
    pub(crate) after: Option<String>,
    /// Whether that text may never come.
    pub(crate) after_is_optional: bool,
    pub(crate) params: Params,
    /// Forced tokens take no pass of the model of their own.
    pub(crate) jump_forward: bool,
}

/// A job that runs.
pub(crate) struct Running {
    pub(crate) events: UnboundedReceiver<Event>,
    pub(crate) meter: Meter,
    pub(crate) constraint: Option<Constraint>,
    /// Texts to each prompt.
    count: usize,
}

impl Running {
    /// Takes note of what a text has cost that has ended. Its prompt counts once, with the first text to it.
    pub(crate) fn ended(&mut self, index: usize, stats: &Stats) {
        let before = self.meter.stats.prompt_tokens;
        self.meter.stats.add(stats);
        if !index.is_multiple_of(self.count) {
            self.meter.stats.prompt_tokens = before;
        }
    }
}

impl Plan {
    /// A plan without a constraint.
    pub(crate) fn new(prompt: Vec<TokenId>, params: Params) -> Plan {
        let jump_forward = params.logprobs.is_none();
        Plan {
            prompts: vec![prompt],
            asked: None,
            after: None,
            after_is_optional: false,
            params,
            jump_forward,
        }
    }

    /// Compiles the constraint and hands the plan to the model.
    pub(crate) async fn run(self, app: &Arc<App>, route: &'static str) -> Result<Running, ApiError> {
        let tickets: Vec<Ticket> =
            self.prompts.iter().map(|_| app.engine.ticket()).collect::<Result<_, _>>()?;
        let meter = Meter::new(app.clone(), route);
        let compiling = constraint::compile(&app.constraints, self.asked.as_ref());
        let constraint = match tokio::time::timeout(app.config.timeout, compiling).await {
            Ok(compiled) => compiled.inspect_err(|_| meter.failed())?,
            Err(_) => return Err(ApiError::timeout()).inspect_err(|_| meter.failed()),
        };
        let Params { sampling, max_tokens, count, stop, logprobs, .. } = self.params;
        let request = Request {
            constraint: constraint.clone(),
            after: self.after,
            after_is_optional: self.after_is_optional,
            sampling,
            max_tokens: max_tokens.unwrap_or(app.config.max_tokens),
            stop,
            jump_forward: self.jump_forward,
            details: logprobs.is_some(),
            top: logprobs.unwrap_or(0),
            ..Request::new(Vec::new())
        };
        let requests = self.prompts.into_iter().map(|prompt| Request { prompt, ..request.clone() });
        let events = app.engine.submit(tickets.into_iter().zip(requests), count);
        let events = events.inspect_err(|_| meter.failed())?;
        Ok(Running { events, meter, constraint, count })
    }
}

/// Follows a generation to its end, however it ends.
pub(crate) struct Meter {
    app: Arc<App>,
    route: &'static str,
    begun: Instant,
    outcome: std::sync::Mutex<&'static str>,
    /// A name for the generation, in answers and logs.
    pub(crate) id: String,
    pub(crate) stats: Stats,
}

impl Meter {
    fn new(app: Arc<App>, route: &'static str) -> Meter {
        app.metrics.in_flight.add(1);
        let id = format!("{:016x}", fresh_number());
        // Unless it is said otherwise, whoever asked has gone.
        Meter { app, route, begun: Instant::now(), outcome: "gone".into(), id, stats: Stats::default() }
    }

    fn set(&self, outcome: &'static str) {
        *self.outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = outcome;
    }

    /// The generation has come to its end.
    pub(crate) fn finished(&self) {
        self.set("finished");
    }

    /// The generation has failed.
    pub(crate) fn failed(&self) {
        self.set("failed");
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let outcome = *self.outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let metrics = &self.app.metrics;
        metrics.in_flight.add(-1);
        metrics.request_time.note(self.begun.elapsed());
        metrics.outcome(outcome);
        let seconds = format!("{:.3}", self.begun.elapsed().as_secs_f64());
        self.app.log.line(
            "generation",
            &[
                ("id", &self.id),
                ("route", &self.route),
                ("outcome", &outcome),
                ("prompt_tokens", &self.stats.prompt_tokens),
                ("written", &self.stats.written),
                ("seconds", &seconds),
            ],
        );
    }
}
