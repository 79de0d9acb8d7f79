//! What the tests of real models share: the model, and requests to it.

#![allow(dead_code)] // each test file uses a part of this

use std::sync::LazyLock;

use tokenstile::{Constraint, Grammar, JsonOptions, JsonWhitespace, Limits, MemberOrder};
use tokenstile_harness::data::fetched;
use tokenstile_runtime::{Device, Message, Request, Runtime, Sampling, Sequence, Written};

/// The default model, loaded once for all tests of a file.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Runtime::load(&fetched("smollm2.gguf"), &Device::Cpu, |_| {}).unwrap());
    &RUNTIME
}

/// A schema's constraint, as `tokenstile generate` reads it.
pub fn schema(runtime: &Runtime, source: &str) -> Constraint {
    let mut options = JsonOptions::canonical();
    options.order = MemberOrder::Declared;
    options.whitespace = JsonWhitespace::Compact;
    compile(runtime, &Grammar::json_schema(source, &options, &Limits::default()).unwrap())
}

pub fn compile(runtime: &Runtime, grammar: &Grammar) -> Constraint {
    runtime.compiler().compile(grammar).unwrap()
}

/// A request for an answer to `prompt`.
pub fn ask(runtime: &Runtime, prompt: &str, constraint: Option<Constraint>) -> Request {
    let mut request = Request::new(runtime.prompt(&[Message::new("user", prompt)]).unwrap());
    request.constraint = constraint;
    request.max_tokens = 200;
    request
}

pub fn warm(seed: u64) -> Sampling {
    Sampling { temperature: 1.0, seed, ..Sampling::default() }
}

/// Writes to the end.
pub fn finish(runtime: &Runtime, request: Request) -> (Sequence, Vec<Written>) {
    let mut sequence = runtime.start(request).unwrap();
    let mut written = Vec::new();
    while sequence.finish().is_none() {
        for step in runtime.step(&mut [&mut sequence]).unwrap() {
            written.extend(step.unwrap());
        }
    }
    (sequence, written)
}

/// The text of a request.
pub fn text(runtime: &Runtime, request: Request) -> String {
    String::from_utf8_lossy(finish(runtime, request).0.text()).into_owned()
}
