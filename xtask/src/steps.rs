//! `cargo xtask test`: one step after the other, each under its own heading; all run even if one fails.
//!
//! Rust and Python are enough. What is not there is a warning: of the shared data, for which small data of the project's own
//! stands in; of the fetched data, without which the tests that need it are not run and are named. With `--demand-data` it is
//! a failure.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::data::{self, Data, Ignored};
use crate::instructions::{self, Comparison};
use crate::process::output;
use crate::sanitize::{self, Outcome};
use crate::{package, surface, tidy};

/// Commands that a fresh clone must be able to run, as in the README, and their exit status.
const SMOKE: [(&[&str], i32); 8] = [
    (&["--help"], 0),
    (&["test", "examples/cases.jsonl"], 0),
    (&["check", "examples/chess.gbnf"], 0),
    (&["check", "examples/arithmetic.ebnf", "--root", "sum"], 0),
    (&["mask", "examples/iso-date.regex", "2024-0"], 0),
    (&["mask", "examples/iso-date.regex", "2024-13"], 1),
    (&["generate", "--schema", "examples/person.schema.json", "Describe a person", "--stats"], 0),
    (&["mask", "--json", "{\"a\": [1, tru"], 0),
];

/// Builds the tests, and what they run.
const BUILD_TESTS: [&str; 3] = ["test", "--workspace", "--no-run"];

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Passed,
    /// It could not be done here, and need not be.
    Warned,
    Failed,
}

impl End {
    fn of(passed: bool) -> End {
        if passed { End::Passed } else { End::Failed }
    }

    fn word(self) -> &'static str {
        match self {
            End::Passed => "ok",
            End::Warned => "WARNING",
            End::Failed => "FAILED",
        }
    }
}

type Step = (&'static str, fn(&Path, &Data) -> End);

const STEPS: [Step; 15] = [
    ("tidy", |root, _| tidy(root)),
    ("fmt", |root, _| cargo(root, &["fmt", "--all", "--check"])),
    // With all features that need no accelerator.
    ("clippy", |root, _| {
        let what = ["clippy", "--workspace", "--all-targets", "--quiet"];
        cargo(root, &[&what[..], &["--", "--deny", "warnings"]].concat())
    }),
    ("data", fetch),
    ("tests", tests),
    ("doctests", |root, _| cargo(root, &["test", "--workspace", "--doc", "--quiet"])),
    ("ways", |root, _| {
        // Apart from the others: whatever is built together with the feature would have it too.
        let package = ["test", "--package", "tokenstile-ablation", "--features", "ablate"];
        cargo(root, &[&package[..], &["--test", "exact", "--quiet"]].concat())
    }),
    ("command", |root, _| smoke(root)),
    ("serve", serve),
    ("conformance", conformance_sample),
    ("sanitize", |root, _| sanitized(root, true)),
    ("published", |root, _| published(root)),
    ("instructions", |root, _| count_instructions(root, false)),
    ("surface", |root, _| compare_surface(root, false)),
    ("package", |root, _| pack(root)),
];

/// Whether the tools that are not part of the toolchain must be there.
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// Runs all steps; with `demanded` no data may be missing.
pub(crate) fn test(root: &Path, demanded: bool) -> ExitCode {
    let started = Instant::now();
    let data = Data::new(root, demanded);
    let mut ends: Vec<(&str, End, Duration)> = Vec::new();
    for (number, (name, run)) in (1..).zip(STEPS) {
        println!("\n=== {number}/{} {name} ===", STEPS.len());
        let begun = Instant::now();
        let end = run(root, &data);
        println!("--- {name}: {} ({:.1} s)", end.word(), begun.elapsed().as_secs_f64());
        ends.push((name, end, begun.elapsed()));
    }
    println!();
    for (name, end, time) in &ends {
        println!("{name:<12} {:<8} {:>7.1} s", end.word(), time.as_secs_f64());
    }
    let warned = ends.iter().filter(|(_, end, _)| *end == End::Warned).count();
    if warned > 0 {
        println!("some data or tools are not there: what needs a missing one was not done");
    }
    let failed = ends.iter().filter(|(_, end, _)| *end == End::Failed).count();
    println!(
        "steps: {} passed, {warned} with warnings, {failed} failed ({:.0} s)",
        ends.len() - failed - warned,
        started.elapsed().as_secs_f64()
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tidy(root: &Path) -> End {
    let problems = tidy::check(root);
    problems.iter().for_each(|problem| println!("{problem}"));
    End::of(problems.is_empty())
}

/// Says what of the shared data is there, and fetches real vocabularies and has independent libraries write down what is in
/// them. That is mostly waiting, so the tests are built at the same time; if they cannot be, their own step says so.
fn fetch(root: &Path, data: &Data) -> End {
    let mut python = Command::new("python3");
    let fetching = python.args(["tools/fixtures.py", "--reference"]).current_dir(root).spawn();
    cargo(root, &[&BUILD_TESTS[..], &["--quiet"]].concat());
    match fetching.and_then(|mut fetching| fetching.wait()) {
        Ok(status) => data.set_fetched(status.success()),
        Err(error) => println!("python3: {error}"),
    }
    let missing = data.missing();
    missing.iter().for_each(|missing| println!("MISSING: {missing}"));
    if missing.is_empty() { End::Passed } else { lacking(data) }
}

/// How a step ends that lacks data.
fn lacking(data: &Data) -> End {
    if data.is_demanded() {
        println!("--demand-data: no data may be missing");
        return End::Failed;
    }
    End::Warned
}

/// All tests but the doctests. Those that are not run are named.
fn tests(root: &Path, data: &Data) -> End {
    let ignored = match data::ignored_tests(root) {
        Ok(ignored) => ignored,
        Err(error) => {
            println!("{error}");
            return End::Failed;
        }
    };
    let passed = run_tests(root, data, &ignored);
    let (needing, long): (Vec<_>, Vec<_>) = ignored.iter().partition(|test| test.needs_data);
    long.iter().for_each(|test| println!("NOT RUN, since it takes minutes: {test}"));
    if !data.is_fetched() {
        needing.iter().for_each(|test| println!("NOT RUN, since it needs fetched data: {test}"));
        println!("{} tests were not run", ignored.len());
    }
    match passed {
        false => End::Failed,
        true if data.missing().is_empty() => End::Passed,
        true => lacking(data),
    }
}

/// Runs all tests, with nextest where it is installed: those that need fetched data too if it is there.
fn run_tests(root: &Path, data: &Data, ignored: &[Ignored]) -> bool {
    let with_nextest = quietly(root, "cargo", &["nextest", "--version"]);
    let run: &[&str] = match with_nextest {
        true => &["nextest", "run", "--workspace", "--no-fail-fast"],
        false => &["test", "--workspace", "--no-fail-fast", "--quiet", "--lib", "--bins", "--tests"],
    };
    if !with_nextest {
        println!("(cargo-nextest is not installed: using cargo test)");
    }
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(run);
    let long = ignored.iter().filter(|test| !test.needs_data).map(|test| &test.name);
    match (data.is_fetched(), with_nextest) {
        (false, _) => {}
        (true, true) => {
            let others = long.map(|name| format!("not test(={name})")).collect::<Vec<_>>().join(" and ");
            cargo.args([
                "--run-ignored",
                "all",
                "--filterset",
                if others.is_empty() { "all()" } else { &others },
            ]);
        }
        (true, false) => {
            cargo.args(["--", "--include-ignored", "--exact"]);
            long.for_each(|name| {
                cargo.args(["--skip", name]);
            });
        }
    }
    if data.is_demanded() {
        cargo.env(data::DEMAND, "1");
    }
    cargo.status().is_ok_and(|status| status.success())
}

fn smoke(root: &Path) -> End {
    let Some(command) = command(root) else { return End::Failed };
    let all = SMOKE.iter().all(|(arguments, expected)| {
        println!("$ tokenstile {}", arguments.join(" "));
        let status = run(root, &command, arguments);
        if status != Some(*expected) {
            println!("the exit status should be {expected} and is {status:?}");
        }
        status == Some(*expected)
    });
    End::of(all)
}

/// The command as who installs it has it, and the least of it: they have nothing that tests or measures.
fn published(root: &Path) -> End {
    let least = ["clippy", "--quiet", "--package", "tokenstile-cli", "--no-default-features"];
    if cargo(root, &[&least[..], &["--", "--deny", "warnings"]].concat()) != End::Passed {
        return End::Failed;
    }
    // With all other crates, so that no dependency is built once more with other features.
    let build = ["build", "--workspace", "--exclude", "tokenstile-dev", "--bins"];
    let help = built(root, &build, "tokenstile").and_then(|command| output(&command, &["--help"]));
    let Some(help) = help else { return End::Failed };
    let has = |command: &str| help.lines().any(|line| line.trim_start().starts_with(&format!("{command} ")));
    let unwanted: Vec<&str> = ["test", "bench", "scaling"].into_iter().filter(|name| has(name)).collect();
    unwanted.iter().for_each(|name| println!("`{name}` is for a clone, and what is published has it"));
    let missing: Vec<&str> =
        ["check", "mask", "generate", "serve"].into_iter().filter(|name| !has(name)).collect();
    missing.iter().for_each(|name| println!("`{name}` is not there"));
    End::of(unwanted.is_empty() && missing.is_empty())
}

/// Where the command is. It is the one that the tests have built.
fn command(root: &Path) -> Option<String> {
    built(root, &BUILD_TESTS, "tokenstile")
}

/// Where a program of the workspace is. All are built together, as the tests are: by itself one would be built once more, with
/// other features of its dependencies.
fn built(root: &Path, build: &[&str], name: &str) -> Option<String> {
    let mut cargo = Command::new("cargo");
    cargo.args(build).args(["--quiet", "--message-format", "json"]).current_dir(root);
    let output = cargo.stderr(Stdio::inherit()).output().ok();
    let found = output.and_then(|output| executable(&String::from_utf8_lossy(&output.stdout), name));
    if found.is_none() {
        println!("`{name}` could not be built");
    }
    found
}

/// The server with the real model: real clients, a browser, hostile requests.
fn serve(root: &Path, data: &Data) -> End {
    let Some(command) = command(root) else { return End::Failed };
    match run(root, "python3", &["tools/serve/run.py", &command]) {
        Some(0) => End::Passed,
        Some(3) => lacking(data),
        _ => End::Failed,
    }
}

/// A program among what cargo's messages say was built.
fn executable(messages: &str, name: &str) -> Option<String> {
    let named = format!("\"name\":\"{name}\"");
    let is_it = |line: &&str| {
        let parts = ["\"kind\":[\"bin\"]", &named, "\"test\":false},"];
        parts.iter().all(|part| line.contains(part))
    };
    let mut programs = messages.lines().filter(is_it);
    let rest = programs.find_map(|line| line.split_once("\"executable\":\""))?.1;
    rest.split_once('"').map(|(path, _)| path.replace("\\\\", "\\"))
}

/// The conformance sweeps, with the arguments they were given.
pub(crate) fn conformance(root: &Path, arguments: &[&str]) -> ExitCode {
    match run_conformance(root, arguments) {
        End::Failed => ExitCode::FAILURE,
        End::Passed | End::Warned => ExitCode::SUCCESS,
    }
}

/// A sample of them. The program is the one that the tests have built: to build it as `conformance` does takes longer than they
/// run.
fn conformance_sample(root: &Path, data: &Data) -> End {
    if !has_sweeps(root) {
        return lacking(data);
    }
    let sweeps = built(root, &BUILD_TESTS, "tokenstile-conformance");
    End::of(sweeps.is_some_and(|sweeps| run(root, &sweeps, &[]) == Some(0)))
}

fn run_conformance(root: &Path, arguments: &[&str]) -> End {
    if !arguments.contains(&"--help") && !has_sweeps(root) {
        return End::Warned;
    }
    let run_it = ["run", "--profile", "conformance", "--quiet", "--package", "tokenstile-conformance", "--"];
    cargo(root, &[&run_it[..], arguments].concat())
}

/// Whether what the sweeps need is there.
fn has_sweeps(root: &Path) -> bool {
    let has = root.join("../shared/maskbench").is_dir();
    if !has {
        println!(
            "NOT RUN: ../shared/maskbench is not there, and the sweeps are compared with what is known of its data"
        );
    }
    has
}

/// What the compiler does not check, run where mistakes show.
pub(crate) fn sanitize(root: &Path) -> ExitCode {
    match sanitized(root, false) {
        End::Failed => ExitCode::FAILURE,
        End::Passed | End::Warned => ExitCode::SUCCESS,
    }
}

fn sanitized(root: &Path, quick: bool) -> End {
    match sanitize::run(root, quick) {
        Outcome::Fine => End::Passed,
        Outcome::Skipped => End::Warned,
        Outcome::Failed => End::Failed,
    }
}

/// Counts instructions, against the baseline or to make it.
pub(crate) fn instructions(root: &Path, update: bool) -> ExitCode {
    match count_instructions(root, update) {
        End::Failed => ExitCode::FAILURE,
        End::Passed | End::Warned => ExitCode::SUCCESS,
    }
}

fn count_instructions(root: &Path, update: bool) -> End {
    match instructions::run(root, update) {
        Ok(Comparison::Same) => End::Passed,
        Ok(Comparison::Skipped) if in_ci() => End::Failed,
        Ok(Comparison::Skipped) => End::Warned,
        Ok(Comparison::Different) => End::Failed,
        Err(error) => {
            println!("{error}");
            End::Failed
        }
    }
}

/// Compares the public items of the library with the committed list, or writes that anew.
pub(crate) fn surface(root: &Path, update: bool) -> ExitCode {
    match compare_surface(root, update) {
        End::Failed => ExitCode::FAILURE,
        End::Passed | End::Warned => ExitCode::SUCCESS,
    }
}

/// Packs what is published.
pub(crate) fn package(root: &Path) -> ExitCode {
    if pack(root) == End::Passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn pack(root: &Path) -> End {
    match package::run(root) {
        Ok(()) => End::Passed,
        Err(error) => {
            println!("{error}");
            End::Failed
        }
    }
}

fn compare_surface(root: &Path, update: bool) -> End {
    match surface::run(root, update) {
        Ok(different) if different.is_empty() => End::Passed,
        Ok(different) => {
            different.iter().for_each(|line| println!("{line}"));
            println!(
                "the public items of `tokenstile` are others; if this is meant: cargo xtask surface --update"
            );
            End::Failed
        }
        Err(error) => {
            println!("{error}");
            End::Failed
        }
    }
}

fn cargo(root: &Path, arguments: &[&str]) -> End {
    End::of(run(root, "cargo", arguments) == Some(0))
}

/// The exit status of a program; none if it did not run or was killed.
fn run(root: &Path, program: &str, arguments: &[&str]) -> Option<i32> {
    match Command::new(program).args(arguments).current_dir(root).status() {
        Ok(status) => status.code(),
        Err(error) => {
            println!("{program}: {error}");
            None
        }
    }
}

fn quietly(root: &Path, program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
