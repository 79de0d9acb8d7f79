//! The `tokenstile` command: look at a constraint, have a model write under it, test it, measure it.
//!
//! This library is an internal of the command: [`main`] is all that it offers, and it may change in every version.
//!
//! Each sub-command is a module that takes its parsed arguments and a writer and answers whether all is well.
//! Exit status: 0 all is well; 1 the constraint, the text or a test case is not; 2 the command could not do its job.

mod bytes;
mod check;
#[cfg(feature = "dev")]
mod dev;
mod diagnostic;
mod failure;
#[cfg(feature = "generate")]
mod generate;
mod json_options;
mod mask;
mod output;
mod rng;
mod select;
#[cfg(feature = "serve")]
mod serve;
mod source;
mod vocab;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

const EXAMPLES: &str = "\
Examples:
  tokenstile check examples/chess.gbnf             is this grammar sound? what does it match?
  tokenstile mask --regex '[0-9]{4}-[0-9]{2}' 20   what may come after `20`?
  tokenstile check examples/person.schema.json     what do instances of this schema look like?

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
    #[cfg(feature = "dev")]
    Test(dev::test::Args),
    /// Have a local model write a text that a constraint holds it to.
    #[cfg(feature = "generate")]
    Generate(Box<generate::Args>),
    /// Serve a local model over HTTP, in the forms of OpenAI's API, with a playground to look at.
    #[cfg(feature = "serve")]
    Serve(Box<serve::Args>),
    /// Measure compile and mask times over benchmark cases.
    #[cfg(feature = "dev")]
    Bench(dev::bench::Args),
    /// Measure how cost grows, for `cargo xtask bench`.
    #[cfg(feature = "dev")]
    #[command(hide = true)]
    Scaling(dev::scaling::Args),
}

/// What a sub-command found, when it could do its job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All is well.
    Good,
    /// The constraint was refused, the text does not match, or a case failed.
    Bad,
}

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = anstream::AutoStream::auto(std::io::stdout()).lock();
    let result = match cli.command {
        Command::Check(args) => check::run(&args, &mut out),
        Command::Mask(args) => mask::run(&args, &mut out),
        #[cfg(feature = "dev")]
        Command::Test(args) => dev::test::run(&args, &mut out),
        #[cfg(feature = "generate")]
        Command::Generate(args) => generate::run(&args, &mut out),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args, &mut out),
        #[cfg(feature = "dev")]
        Command::Bench(args) => dev::bench::run(&args, &mut out),
        #[cfg(feature = "dev")]
        Command::Scaling(args) => dev::scaling::run(&args, &mut out),
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
            ExitCode::from(if failure.is_of_the_constraint() { 1 } else { 2 })
        }
    }
}
