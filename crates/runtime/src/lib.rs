//! Local models behind Tokenstile's masks.

pub mod chat;
pub mod error;
pub mod gguf;
pub mod model;
pub mod sample;
pub mod tokenizer;
