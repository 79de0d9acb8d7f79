//! An OpenAI-compatible server over Tokenstile's masks, with a playground.
//!
//! [`serve`] takes a model and a listener and answers until it is told to stop:
//!
//! ```text
//!  HTTP ──► api (fields ──► plan) ──► constraint (cache, compile) ──► engine (queue, batch) ──► model
//!   ▲         one module a dialect      threads of their own            one thread
//!   └──────── collect, or stream ◄──────────── events ◄──────────────────────┘
//! ```
//!
//! - `api/` has one file for each way of asking: chats, completions, responses, SGLang's `generate`.
//! - `constraint/` finds the fields that ask for a constraint, compiles it and keeps it for others.
//! - `engine/` has the queue and the thread on which all sequences go through the model together.
//! - `playground/` is the page at `/`.
//!
//! What is not known in a request is refused. This is the only crate with asynchronous code; it prints nothing and reads
//! no environment.

mod api;
mod config;
mod constraint;
mod engine;
mod error;
mod json;
mod log;
mod messages;
mod metrics;
mod params;
mod playground;
mod serve;
mod tools;

pub use config::Config;
pub use log::Log;
pub use serve::{Listener, ServeError, serve};
