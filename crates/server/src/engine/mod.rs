//! The model's side of the server: a queue, and one thread that moves all sequences on together.
//!
//! A [`Job`] goes in, [`Event`]s come out, on a channel of its own. Events never block the model: what a slow reader has
//! not taken is bounded by the tokens of its request. A job whose receiver is gone is dropped at the next round.

mod worker;

use std::sync::mpsc;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokenstile_runtime::{Finish, GenerateError, Request, Runtime, Stats, Written};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::config::Config;
use crate::error::ApiError;
use crate::log::Log;
use crate::metrics::Metrics;
use worker::Worker;

/// Something that became of a job.
#[derive(Debug)]
pub(crate) enum Event {
    /// One of its texts has grown.
    Step(Step),
    /// One of its texts has ended.
    Done {
        /// Which of the texts.
        index: usize,
        finish: Finish,
        stats: Box<Stats>,
    },
    /// The job has failed as a whole; nothing else comes.
    Failed(ApiError),
}

/// What one round has added to a text.
#[derive(Debug)]
pub(crate) struct Step {
    /// Which of the texts.
    pub(crate) index: usize,
    /// The tokens that were written.
    pub(crate) tokens: Vec<Written>,
    /// What is settled of the text and was not sent before.
    pub(crate) text: String,
    /// The same of the free text before the constraint.
    pub(crate) free: String,
    /// Time of the round.
    pub(crate) round: Duration,
}

/// A request on its way to the model.
pub(crate) struct Job {
    request: Request,
    /// The number of its first text.
    first: usize,
    count: usize,
    events: UnboundedSender<Event>,
    deadline: Instant,
    ticket: Ticket,
}

/// A place in the queue. It is given up when the job begins, or when the request goes away.
pub(crate) struct Ticket {
    metrics: Arc<Metrics>,
    drawn: Instant,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.metrics.waiting.add(-1);
    }
}

/// The way to the model's thread; when the last one is dropped, the thread finishes what it has and ends.
#[derive(Clone)]
pub(crate) struct Engine {
    jobs: mpsc::Sender<Job>,
    metrics: Arc<Metrics>,
    queue: usize,
    timeout: Duration,
    pub(crate) max_batch: usize,
    /// The other end is held by the model's thread.
    alive: Weak<()>,
}

impl Engine {
    /// Starts the model's thread.
    pub(crate) fn start(
        runtime: Arc<Runtime>,
        config: &Config,
        metrics: Arc<Metrics>,
        log: Log,
    ) -> std::io::Result<(Engine, std::thread::JoinHandle<()>)> {
        let (sender, receiver) = mpsc::channel();
        let max_batch = config.max_batch.max(1);
        let alive = Arc::new(());
        let worker = Worker::new(runtime, receiver, max_batch, config.prefill.max(1), metrics.clone(), log);
        let thread = std::thread::Builder::new().name("model".into()).spawn({
            let alive = alive.clone();
            move || {
                worker.run();
                drop(alive);
            }
        })?;
        let (queue, timeout, alive) = (config.queue, config.timeout, Arc::downgrade(&alive));
        let engine = Engine { jobs: sender, metrics, queue, timeout, max_batch, alive };
        Ok((engine, thread))
    }

    /// Whether the model's thread is there.
    pub(crate) fn is_alive(&self) -> bool {
        self.alive.strong_count() > 0
    }

    /// A place in the queue, if there is one.
    pub(crate) fn ticket(&self) -> Result<Ticket, ApiError> {
        let ticket = Ticket { metrics: self.metrics.clone(), drawn: Instant::now() };
        self.metrics.waiting.add(1);
        if usize::try_from(self.metrics.waiting.get()).is_ok_and(|waiting| waiting > self.queue) {
            self.metrics.turned_away.add(1);
            return Err(ApiError::too_many(self.queue));
        }
        Ok(ticket)
    }

    /// Hands requests to the model. `count` texts are written to each; they are numbered through all of them.
    pub(crate) fn submit(
        &self,
        requests: impl IntoIterator<Item = (Ticket, Request)>,
        count: usize,
    ) -> Result<UnboundedReceiver<Event>, ApiError> {
        let (events, receiver) = unbounded_channel();
        for (place, (ticket, mut request)) in requests.into_iter().enumerate() {
            let (first, deadline) = (place * count, ticket.drawn + self.timeout);
            // The same prompt twice is two draws, as two texts to one prompt are.
            request.sampling.seed = request.sampling.seed.wrapping_add(first as u64);
            let job = Job { request, first, count, events: events.clone(), deadline, ticket };
            self.jobs.send(job).map_err(|_| ApiError::unavailable())?;
        }
        Ok(receiver)
    }
}

impl From<GenerateError> for Event {
    fn from(error: GenerateError) -> Self {
        Event::Failed(error.into())
    }
}
