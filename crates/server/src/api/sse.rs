//! Answers piece by piece, as server-sent events.
//!
//! A stream reads a job's events and lets [`Lines`] put them into words. When the client goes away the stream is dropped
//! with the receiver in it, and the model's thread lets go of the job.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::generation::{Meter, Running};
use crate::engine::{Event, Step};
use crate::error::ApiError;
use tokenstile_runtime::Finish;

/// Puts what happens into lines of a stream.
pub(crate) trait Lines: Send + Unpin + 'static {
    /// Before anything has happened.
    fn begin(&mut self, _out: &mut Out) {}
    /// A text has grown.
    fn step(&mut self, step: Step, out: &mut Out);
    /// A text has ended.
    fn done(&mut self, index: usize, finish: &Finish, out: &mut Out);
    /// All texts have ended.
    fn end(&mut self, meter: &Meter, out: &mut Out);
    /// The job has failed.
    fn failed(&mut self, error: &ApiError, out: &mut Out) {
        out.data(&error.json());
    }
}

/// Lines that are to be sent.
#[derive(Debug, Default)]
pub(crate) struct Out(VecDeque<Bytes>);

impl Out {
    /// A value.
    pub(crate) fn data(&mut self, value: &Value) {
        self.0.push_back(format!("data: {value}\n\n").into());
    }

    /// A value under a name.
    pub(crate) fn event(&mut self, name: &str, value: &Value) {
        self.0.push_back(format!("event: {name}\ndata: {value}\n\n").into());
    }

    /// The last line of most streams.
    pub(crate) fn close(&mut self) {
        self.0.push_back(Bytes::from_static(b"data: [DONE]\n\n"));
    }
}

struct Stream<L> {
    running: Running,
    lines: L,
    out: Out,
    /// Texts that have not ended.
    open: usize,
    over: bool,
}

/// The answer to a request that wants a stream of `count` texts.
pub(crate) fn stream<L: Lines>(running: Running, mut lines: L, count: usize) -> Response {
    let mut out = Out::default();
    lines.begin(&mut out);
    let stream = Stream { running, lines, out, open: count, over: false };
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(stream)).into_response()
}

impl<L: Lines> Stream<L> {
    fn take(&mut self, event: Option<Event>) {
        let Stream { running, lines, out, .. } = self;
        match event {
            Some(Event::Step(step)) => lines.step(step, out),
            Some(Event::Done { index, finish, stats }) => {
                running.ended(index, &stats);
                lines.done(index, &finish, out);
                self.open = self.open.saturating_sub(1);
                if self.open == 0 {
                    lines.end(&running.meter, out);
                    running.meter.finished();
                    self.over = true;
                }
            }
            Some(Event::Failed(error)) => self.fail(&error),
            None => self.fail(&ApiError::unavailable()),
        }
    }

    fn fail(&mut self, error: &ApiError) {
        self.lines.failed(error, &mut self.out);
        self.running.meter.failed();
        self.over = true;
    }
}

impl<L: Lines> futures_core::Stream for Stream<L> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(bytes) = self.out.0.pop_front() {
                return Poll::Ready(Some(Ok(bytes)));
            }
            if self.over {
                return Poll::Ready(None);
            }
            match self.running.events.poll_recv(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(event) => self.take(event),
            }
        }
    }
}
