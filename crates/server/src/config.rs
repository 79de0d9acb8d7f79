//! Every setting and every bound of the server, in one place.

use std::time::Duration;

/// What the server is called to do, and its bounds.
#[derive(Clone, Debug)]
pub struct Config {
    /// What the model is called in answers and in `/v1/models`.
    pub model: String,
    /// Requests must have this as their bearer token; without it everybody may ask.
    pub api_key: Option<String>,
    /// Connections at the same time; more wait to be taken.
    pub connections: usize,
    /// Sequences that go through the model together.
    pub max_batch: usize,
    /// Requests that may wait for their turn; more are turned away.
    pub queue: usize,
    /// Bytes that compiled constraints may hold in the cache.
    pub cache_bytes: usize,
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Bytes of the text of a constraint.
    pub constraint_bytes: usize,
    /// Time that a constraint may take to compile.
    pub compile_time: Duration,
    /// Constraints that are compiled at the same time.
    pub compile_threads: usize,
    /// Time that a request may take, waiting included.
    pub timeout: Duration,
    /// Time that running requests are given to finish when the server is to stop.
    pub grace: Duration,
    /// Tokens to write where the request does not say.
    pub max_tokens: usize,
    /// Tokens of prompts that go through the model in one round, beside the sequences that are being written.
    pub prefill: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            model: "default".into(),
            api_key: None,
            connections: 1_024,
            max_batch: 16,
            queue: 256,
            cache_bytes: 256 << 20,
            body_bytes: 4 << 20,
            constraint_bytes: 1 << 20,
            compile_time: Duration::from_secs(10),
            compile_threads: 2,
            timeout: Duration::from_secs(600),
            grace: Duration::from_secs(60),
            max_tokens: 1_024,
            prefill: 256,
        }
    }
}
