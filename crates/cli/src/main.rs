//! The `tokenstile` command: look at a constraint, test it, measure it.
//!
//! Each sub-command is a module that takes its parsed arguments and a writer and answers whether all is well.
//! Exit status: 0 all is well; 1 the constraint, the text or a test case is not; 2 the command could not do its job.

mod bench;
mod bytes;
mod check;
mod diagnostic;
mod failure;
#[cfg(feature = "generate")]
mod generate;
mod json_options;
mod mask;
mod output;
mod rng;
mod scaling;
mod select;
#[cfg(feature = "serve")]
mod serve;
mod source;
mod test;
mod vocab;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// What a mask needs is allocated in pieces of all sizes. Against the C library's, first masks take up to 5 % less time with this
/// one and compiling 6 to 10 %. It is kept from huge pages: to clear one in the middle of a mask was seen to take 0.2 to 2 ms.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = "\
Examples:
  tokenstile check examples/chess.gbnf             is this grammar sound? what does it match?
  tokenstile mask --regex '[0-9]{4}-[0-9]{2}' 20   what may come after `20`?
  tokenstile test examples/cases.jsonl             do these constraints match what they should?

Every sub-command has examples of its own: tokenstile help mask";

/// Exact token masks for constrained decoding.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Read a constraint: is it sound, and what does it match?
    Check(check::Args),
    /// Where does a text stand, and which tokens may come next?
    Mask(mask::Args),
    /// Run constraint test cases (one JSON object a line).
    Test(test::Args),
    /// Have a local model write a text that a constraint holds it to.
    #[cfg(feature = "generate")]
    Generate(Box<generate::Args>),
    /// Serve a local model over HTTP, in the forms of OpenAI's API, with a playground to look at.
    #[cfg(feature = "serve")]
    Serve(Box<serve::Args>),
    /// Measure compile and mask times over benchmark cases.
    Bench(bench::Args),
    /// Measure how cost grows, for `cargo xtask bench`.
    #[command(hide = true)]
    Scaling(scaling::Args),
}

/// What a sub-command found, when it could do its job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All is well.
    Good,
    /// The constraint was refused, the text does not match, or a case failed.
    Bad,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = anstream::AutoStream::auto(std::io::stdout()).lock();
    let result = match cli.command {
        Command::Check(args) => check::run(&args, &mut out),
        Command::Mask(args) => mask::run(&args, &mut out),
        Command::Test(args) => test::run(&args, &mut out),
        #[cfg(feature = "generate")]
        Command::Generate(args) => generate::run(&args, &mut out),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args, &mut out),
        Command::Bench(args) => bench::run(&args, &mut out),
        Command::Scaling(args) => scaling::run(&args, &mut out),
    };
    let result = result.and_then(|verdict| out.flush().map(|()| verdict).map_err(Failure::Output));
    match result {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::from(1),
        // Whoever read our output has seen enough (`tokenstile mask … | head`).
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            // The last word goes to standard error; if that is closed, the exit status still says it.
            let _ = diagnostic::write_failure(&mut anstream::stderr(), &failure);
            ExitCode::from(if matches!(failure, Failure::Refused(_) | Failure::WrongMask(_)) { 1 } else { 2 })
        }
    }
}
