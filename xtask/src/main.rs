//! The chores of this repository.
//!
//! `cargo xtask test` runs everything a change must pass; `cargo xtask tidy` checks the rules that the compiler
//! does not: layering, bans, file sizes, module docs; `cargo xtask conformance` holds the JSON Schema front end against
//! real schemas and an independent validator; `cargo xtask bench` measures against the peers; `cargo xtask ablate` measures
//! what each special case of the engine is worth; `cargo xtask optimize` builds the command with a profile.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command, not a library")]

mod ablate;
mod bench;
mod instructions;
mod process;
mod profiled;
mod steps;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test         everything a change must pass: tidy, fmt, clippy, fixtures, tests, doctests, the command itself,
               the server, a sample of the conformance sweeps, counts of instructions
  tidy         layering, bans, file sizes, module docs
  conformance  JSON Schema against ../shared; with --full all of it, with --help what else there is
  instructions how many instructions compiling and masking take, against xtask/instructions.json; with --update the
               file is written anew
  ablate       what each special case, memo and shortcut of the engine is worth; with --help what can be left out
  bench        this engine and its peers over the same cases; with --help what can be left out
  optimize     the command, built with a profile of its own work; with --help what it takes";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = root();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => steps::test(&root),
        ["tidy"] => report(&tidy::check(&root)),
        ["conformance", ref rest @ ..] => steps::conformance(&root, rest),
        ["instructions"] => steps::instructions(&root, false),
        ["instructions", "--update"] => steps::instructions(&root, true),
        ["ablate", ref rest @ ..] => ablate::run(&root, rest),
        ["bench", ref rest @ ..] => bench::run(&root, rest),
        ["optimize", ref rest @ ..] => profiled::run(&root, rest),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Prints what is untidy.
fn report(problems: &[String]) -> ExitCode {
    for problem in problems {
        eprintln!("tidy: {problem}");
    }
    if problems.is_empty() {
        println!("tidy: nothing to report");
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}

/// The root of the repository: the folder above this crate.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
