//! `tokenstile serve`: a local model over HTTP.
//!
//! The address goes to standard output, once requests are answered; the log goes to standard error.

use std::io::Write;
use std::time::Duration;

use tokenstile_server::{Config, Listener, Log};

use crate::Verdict;
use crate::failure::Failure;
use crate::generate::model::{self, ModelFlags};
use crate::generate::report::Timing;

const EXAMPLES: &str = "\
Examples:
  tokenstile serve                                  then open the address that it prints: a playground
  tokenstile serve --model qwen.gguf --port 9000 --api-key secret

Any client of OpenAI's API will do, with the address followed by /v1 as its base. Interrupt it to stop: what runs is finished.";

/// Arguments of `serve`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelFlags,
    /// What the model is called in the API [default: the file's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Port to listen at; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 8000)]
    port: u16,
    /// Key that requests must have as their bearer token
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
    #[command(flatten)]
    limits: LimitFlags,
    /// Do not write a line for every request
    #[arg(long)]
    quiet: bool,
}

/// Flags about the bounds of the server.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Limits")]
struct LimitFlags {
    /// Texts that are written at the same time
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    max_batch: u16,
    /// Connections at the same time; more wait to be taken
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    connections: usize,
    /// Requests that may wait; more are turned away with status 429
    #[arg(long, value_name = "N", default_value_t = 256)]
    queue: usize,
    /// Memory for compiled constraints
    #[arg(long, value_name = "MB", default_value_t = 256)]
    cache_mb: usize,
    /// Longest body of a request
    #[arg(long, value_name = "KB", default_value_t = 4_096)]
    body_kb: usize,
    /// Longest text of a constraint
    #[arg(long, value_name = "KB", default_value_t = 1_024)]
    constraint_kb: usize,
    /// Longest time that a constraint may take to compile, in seconds
    #[arg(long, value_name = "S", default_value_t = 10)]
    compile_time: u64,
    /// Longest time of a request, waiting included, in seconds
    #[arg(long, value_name = "S", default_value_t = 600)]
    timeout: u64,
    /// Time that running requests are given when the server is to stop, in seconds
    #[arg(long, value_name = "S", default_value_t = 60)]
    grace: u64,
    /// Tokens to write where a request does not say
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    max_tokens: usize,
    /// Tokens of prompts that go through the model in one round
    #[arg(long, value_name = "N", default_value_t = 256)]
    prefill: usize,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Verdict, Failure> {
    // First, so that a port that is taken is known before a model is loaded.
    let listener = Listener::bind(&args.host, args.port)?;
    let runtime = model::load(&args.model, &mut Timing::default())?;
    writeln!(out, "listening at http://{}", listener.address()?)?;
    out.flush()?;
    let log = match args.quiet {
        true => Log::nowhere(),
        // A log that cannot be written is no reason to stop.
        false => Log::new(|line| drop(writeln!(std::io::stderr().lock(), "{line}"))),
    };
    tokenstile_server::serve(runtime, args.config(), listener, log)?;
    Ok(Verdict::Good)
}

impl Args {
    fn config(&self) -> Config {
        let limits = &self.limits;
        Config {
            model: self.name.clone().unwrap_or_else(|| self.model.name()),
            api_key: self.api_key.clone(),
            connections: limits.connections,
            max_batch: usize::from(limits.max_batch),
            queue: limits.queue,
            cache_bytes: limits.cache_mb << 20,
            body_bytes: limits.body_kb << 10,
            constraint_bytes: limits.constraint_kb << 10,
            compile_time: Duration::from_secs(limits.compile_time),
            timeout: Duration::from_secs(limits.timeout),
            grace: Duration::from_secs(limits.grace),
            max_tokens: limits.max_tokens.max(1),
            prefill: limits.prefill,
            ..Config::default()
        }
    }
}
