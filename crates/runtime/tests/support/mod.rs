//! What the tests of real models share: the model, and requests to it.

#![allow(dead_code)] // each test file uses a part of this

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tokenstile::{Constraint, Grammar, JsonOptions, JsonWhitespace, Limits, MemberOrder};
use tokenstile_runtime::{Device, Message, Request, Runtime, Sampling, Sequence, Written};

/// A fixture, if it was fetched.
pub fn fixture(file: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/fixtures").join(file);
    if path.is_file() {
        return Some(path);
    }
    // Past the capture of test output.
    let _ = writeln!(std::io::stderr(), "skipped: {file} is not there: run tools/fixtures.py --reference");
    None
}

/// The default model, loaded once for all tests of a file.
pub fn runtime() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let load = || Some(Runtime::load(&fixture("smollm2.gguf")?, &Device::Cpu, |_| {}).unwrap());
    RUNTIME.get_or_init(load).as_ref()
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
