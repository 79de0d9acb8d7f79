//! The thread that runs the model.
//!
//! In each round every sequence that is being written gets one token, and prompts get what is left of a bound on their
//! tokens, first come, first served: a long prompt goes through in pieces, and nobody waits for it longer than for one
//! piece. A job begins when there is room for all of its texts; those behind it wait, so that large jobs are not
//! starved by small ones.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use tokenstile_runtime::{Finish, GenerateError, Origin, Runtime, Sequence, Written};
use tokio::sync::mpsc::UnboundedSender;

use super::{Event, Job, Step};
use crate::error::ApiError;
use crate::log::Log;
use crate::metrics::Metrics;

/// Up to so many unseen tokens count as one: a forced span, not a prompt.
const SPAN: usize = 32;

/// One text of a job.
struct Text {
    sequence: Sequence,
    index: usize,
    /// Texts that are forked off once the prompt is through.
    forks: usize,
    seed: u64,
    events: UnboundedSender<Event>,
    deadline: Instant,
    drawn: Instant,
    /// Time of masks that the model had waited for before the last round.
    waited: Duration,
    written: usize,
}

pub(super) struct Worker {
    runtime: Arc<Runtime>,
    jobs: Receiver<Job>,
    queue: VecDeque<Job>,
    texts: Vec<Text>,
    max_batch: usize,
    prefill: usize,
    metrics: Arc<Metrics>,
    log: Log,
}

impl Worker {
    pub(super) fn new(
        runtime: Arc<Runtime>,
        jobs: Receiver<Job>,
        max_batch: usize,
        prefill: usize,
        metrics: Arc<Metrics>,
        log: Log,
    ) -> Worker {
        Worker { runtime, jobs, queue: VecDeque::new(), texts: Vec::new(), max_batch, prefill, metrics, log }
    }

    /// Works until nobody can send jobs any more and all that came are done.
    pub(super) fn run(mut self) {
        while self.receive() {
            self.drop_gone();
            self.admit();
            self.round();
            self.metrics.running.set(self.texts.len());
        }
    }

    /// Takes in new jobs; waits for one if there is nothing to do. False if there never will be.
    fn receive(&mut self) -> bool {
        if self.texts.is_empty() && self.queue.is_empty() {
            match self.jobs.recv() {
                Ok(job) => self.queue.push_back(job),
                Err(_) => return false,
            }
        }
        loop {
            match self.jobs.try_recv() {
                Ok(job) => self.queue.push_back(job),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return !self.texts.is_empty() || !self.queue.is_empty(),
            }
        }
    }

    /// Lets go of texts that have ended, and of jobs that nobody waits for or whose time is over.
    fn drop_gone(&mut self) {
        let now = Instant::now();
        let keep = |events: &UnboundedSender<Event>, deadline: Instant| {
            let late = now >= deadline;
            if late {
                // If nobody listens there is nobody to tell.
                let _ = events.send(Event::Failed(ApiError::timeout()));
            }
            !late && !events.is_closed()
        };
        self.queue.retain(|job| keep(&job.events, job.deadline));
        self.texts.retain(|text| text.sequence.finish().is_none() && keep(&text.events, text.deadline));
    }

    /// Begins jobs, first come, first served, as long as there is room.
    fn admit(&mut self) {
        while let Some(job) = self.queue.front() {
            let taken: usize = self.texts.iter().map(|text| 1 + text.forks).sum();
            if taken > 0 && taken + job.count > self.max_batch {
                break;
            }
            if let Some(job) = self.queue.pop_front() {
                self.begin(job);
            }
        }
    }

    fn begin(&mut self, job: Job) {
        let Job { request, first, count, events, deadline, ticket } = job;
        self.metrics.queue_time.note(ticket.drawn.elapsed());
        self.metrics.prompt_tokens.add(request.prompt.len());
        let seed = request.sampling.seed;
        match self.runtime.start(request) {
            Ok(sequence) if sequence.finish().is_some() => {
                self.report_forced(sequence, first..first + count, &events);
            }
            Ok(sequence) => self.texts.push(Text {
                sequence,
                index: first,
                forks: count.saturating_sub(1),
                seed,
                events,
                deadline,
                drawn: ticket.drawn,
                waited: Duration::ZERO,
                written: 0,
            }),
            Err(error) => drop(events.send(error.into())),
        }
    }

    /// One token for each text whose prompt is through, and a piece of the prompts.
    fn round(&mut self) {
        let chosen = self.choose();
        let begun = Instant::now();
        let mut places = Vec::new();
        let mut batch = Vec::new();
        for (place, text) in self.texts.iter_mut().enumerate().filter(|(place, _)| chosen.contains(place)) {
            places.push(place);
            batch.push(&mut text.sequence);
        }
        if batch.is_empty() {
            return;
        }
        let steps = self.runtime.step(&mut batch);
        let time = begun.elapsed();
        self.metrics.rounds.add(1);
        self.metrics.round_time.note(time);
        match steps {
            Ok(steps) => {
                for (place, step) in places.into_iter().zip(steps) {
                    self.report(place, step, time);
                }
            }
            Err(error) => self.fail_all(&error),
        }
        self.texts.retain(|text| text.sequence.finish().is_none());
    }

    /// Which texts take part in this round. Pieces of long prompts go through on the way.
    fn choose(&mut self) -> Vec<usize> {
        let mut left = self.prefill;
        let mut chosen = Vec::new();
        for place in 0..self.texts.len() {
            let text = &mut self.texts[place];
            let unseen = text.sequence.unseen();
            if unseen <= SPAN && text.forks == 0 {
                chosen.push(place);
            } else if left > 0 {
                let most = left.min(unseen);
                left -= most;
                if text.forks == 0 && unseen <= most {
                    chosen.push(place);
                } else if let Err(error) = self.runtime.prefill(&mut text.sequence, most) {
                    let _ = text.events.send(error.into());
                    text.sequence.cancel();
                } else if text.forks > 0 && text.sequence.unseen() <= 1 {
                    self.fork(place);
                }
            }
        }
        chosen
    }

    /// Makes the other texts of a job, whose prompt is through.
    fn fork(&mut self, place: usize) {
        let text = &mut self.texts[place];
        let count = std::mem::take(&mut text.forks);
        let text = &self.texts[place];
        let forks: Result<Vec<Text>, GenerateError> = (1..=count)
            .map(|fork| {
                let (index, seed) = (text.index + fork, text.seed.wrapping_add(fork as u64));
                let events = text.events.clone();
                let (deadline, drawn) = (text.deadline, text.drawn);
                let sequence = text.sequence.fork(seed)?;
                let (waited, written) = (Duration::ZERO, 0);
                Ok(Text { sequence, index, forks: 0, seed, events, deadline, drawn, waited, written })
            })
            .collect();
        match forks {
            Ok(forks) => self.texts.extend(forks),
            Err(error) => {
                let text = &mut self.texts[place];
                let _ = text.events.send(error.into());
                text.sequence.cancel();
            }
        }
    }

    /// Tells a job what became of one of its texts.
    fn report(&mut self, place: usize, step: Result<Vec<Written>, GenerateError>, round: Duration) {
        let text = &mut self.texts[place];
        let tokens = match step {
            Ok(tokens) => tokens,
            Err(error) => return drop(text.events.send(error.into())),
        };
        self.metrics.count(&tokens);
        if text.written == 0 && !tokens.is_empty() {
            self.metrics.first_token.note(text.drawn.elapsed());
        }
        text.written += tokens.len();
        let waited = text.sequence.stats().waited;
        self.metrics.mask_waited.note(waited.saturating_sub(text.waited));
        text.waited = waited;
        let index = text.index;
        let (free, answer) = (text.sequence.take_reasoning(), text.sequence.take_text());
        // A receiver that is gone is noticed at the next round.
        let _ = text.events.send(Event::Step(Step { index, tokens, text: answer, free, round }));
        if let Some(finish) = text.sequence.finish().filter(|finish| **finish != Finish::Failed) {
            let stats = Box::new(text.sequence.stats().clone());
            let _ = text.events.send(Event::Done { index, finish: finish.clone(), stats });
        }
    }

    /// Tells a job of texts that the constraint has forced from beginning to end.
    fn report_forced(&self, mut sequence: Sequence, texts: Range<usize>, events: &UnboundedSender<Event>) {
        let Some(finish) = sequence.finish().cloned() else { return };
        let (text, free) = (sequence.take_text(), sequence.take_reasoning());
        for index in texts {
            let tokens = sequence.begun().to_vec();
            self.metrics.count(&tokens);
            let step = Step { index, tokens, text: text.clone(), free: free.clone(), round: Duration::ZERO };
            let stats = Box::new(sequence.stats().clone());
            // Who has gone needs no answer.
            let _ = events.send(Event::Step(step));
            let _ = events.send(Event::Done { index, finish: finish.clone(), stats });
        }
    }

    /// A round has failed, and with it all texts.
    fn fail_all(&mut self, error: &GenerateError) {
        self.log.line("model_error", &[("message", error), ("texts", &self.texts.len())]);
        for text in self.texts.drain(..) {
            let _ = text.events.send(Event::Failed(ApiError::internal(error.to_string())));
        }
    }
}

impl Metrics {
    /// Takes note of tokens that were written.
    fn count(&self, tokens: &[Written]) {
        self.written_tokens.add(tokens.len());
        let with = |origin: Origin| tokens.iter().filter(|token| token.origin == origin).count();
        self.forced_tokens.add(with(Origin::Forced));
        self.steered_tokens.add(with(Origin::Steered));
        for token in tokens.iter().filter(|token| token.choice.is_some() && !token.mask_time.is_zero()) {
            self.mask_time.note(token.mask_time);
        }
    }
}
