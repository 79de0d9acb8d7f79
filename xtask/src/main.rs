//! The chores of this repository.
//!
//! `cargo xtask test` runs everything a change must pass; `cargo xtask tidy` checks the rules that the compiler
//! does not: layering, bans, file sizes, module docs; `cargo xtask conformance` holds the JSON Schema front end against
//! real schemas and an independent validator; `cargo xtask bench` measures against the peers; `cargo xtask ablate` measures
//! what each special case of the engine is worth; `cargo xtask optimize` builds the command with a profile.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command, not a library")]

mod ablate;
mod bench;
mod data;
mod instructions;
mod layers;
mod package;
mod process;
mod profiled;
mod sanitize;
mod steps;
mod surface;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test         everything a change must pass: tidy, fmt, clippy, data, tests, doctests, that masks are the same without
               each way of the engine, the command itself, the server, a sample of the conformance sweeps, a part of
               sanitize, the command as published, counts of instructions, the public items, the packages; with
               --demand-data no data may be missing
  tidy         layering of crates and of modules, bans, file sizes, module docs
  layers       the files of a crate by level, its imports that run up and its circles: layers CRATE [ROW…], where
               the rows are an order of modules to try, lowest first
  conformance  JSON Schema against ../shared; with --full all of it, with --help what else there is
  instructions how many instructions compiling and masking take, against xtask/instructions.json; with --update the
               file is written anew
  sanitize     the tests of the files that the compiler does not check, under AddressSanitizer, loom and, where it is
               installed, Miri
  surface      every public item of `tokenstile`, against crates/tokenstile/public-api.txt; with --update the file is
               written anew
  package      what would be published, packed from the last commit, and a crate that uses nothing else
  ablate       what each special case, memo and shortcut of the engine is worth; with --help what can be left out
  bench        this engine and its peers over the same cases; with --help what can be left out
  optimize     the command, built with a profile of its own work; with --help what it takes";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = root();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => steps::test(&root, false),
        ["test", "--demand-data"] => steps::test(&root, true),
        ["layers", name, ref order @ ..] => show(layers::show(&root, name, order)),
        ["tidy"] => report(&tidy::check(&root)),
        ["conformance", ref rest @ ..] => steps::conformance(&root, rest),
        ["instructions"] => steps::instructions(&root, false),
        ["instructions", "--update"] => steps::instructions(&root, true),
        ["sanitize"] => steps::sanitize(&root),
        ["surface"] => steps::surface(&root, false),
        ["surface", "--update"] => steps::surface(&root, true),
        ["package"] => steps::package(&root),
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

/// Prints what was asked for.
fn show(text: Result<String, String>) -> ExitCode {
    match text {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository: the folder above this crate.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
