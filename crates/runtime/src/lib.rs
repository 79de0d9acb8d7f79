//! Local models behind Tokenstile's masks.
//!
//! A [`Runtime`] is a GGUF file, loaded: the [`Model`](model::Model) on candle, the [`Tokenizer`], the [`ChatTemplate`] and
//! a compiler for the vocabulary. A [`Request`] says what to write; [`Runtime::start`] makes a [`Sequence`] of it, and
//! [`Runtime::step`] moves any number of sequences on by one pass of the model. No network, no async, no printing; the
//! only programs that are started are those that fetch the default model ([`fetch`]).

pub mod chat;
mod device;
mod error;
pub mod fetch;
pub mod gguf;
mod guide;
pub mod model;
mod request;
mod runtime;
pub mod sample;
mod sequence;
mod steer;
mod text;
mod tokenizer;

pub use candle_core::Device;
pub use chat::{ChatTemplate, Message};
pub use device::best_device;
pub use error::{GenerateError, LoadError};
pub use request::{Finish, Origin, Request, Stats, Written};
pub use runtime::Runtime;
pub use sample::Sampling;
pub use sequence::Sequence;
pub use tokenizer::Tokenizer;
