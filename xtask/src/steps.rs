//! `cargo xtask test`: one step after the other, each under its own heading; all run even if one fails.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::tidy;

/// Commands that a fresh clone must be able to run, as in the README.
const SMOKE: [&[&str]; 5] = [
    &["test", "examples/cases.jsonl"],
    &["check", "examples/chess.gbnf"],
    &["check", "examples/arithmetic.ebnf", "--root", "sum"],
    &["mask", "examples/iso-date.regex", "2024-0"],
    &["mask", "--any-json", "{\"a\": [1, tru"],
];

/// Runs all steps.
pub(crate) fn test(root: &Path) -> ExitCode {
    let started = Instant::now();
    let mut failed = Vec::new();
    let mut step = |name: &'static str, run: &dyn Fn() -> bool| {
        println!("\n=== {name} ===");
        let begun = Instant::now();
        let passed = run();
        println!("--- {name}: {} ({:.1?})", if passed { "ok" } else { "FAILED" }, begun.elapsed());
        if !passed {
            failed.push(name);
        }
    };
    step("tidy", &|| tidy(root));
    step("fmt", &|| cargo(root, &["fmt", "--all", "--check"]));
    step("clippy", &|| {
        cargo(root, &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"])
    });
    step("fixtures", &|| fixtures(root));
    step("tests", &|| tests(root));
    step("command", &|| smoke(root));
    println!();
    if failed.is_empty() {
        println!("all steps passed in {:.0?}", started.elapsed());
        return ExitCode::SUCCESS;
    }
    println!("FAILED: {} ({:.0?})", failed.join(", "), started.elapsed());
    ExitCode::FAILURE
}

fn tidy(root: &Path) -> bool {
    let problems = tidy::check(root);
    problems.iter().for_each(|problem| println!("{problem}"));
    problems.is_empty()
}

/// Checks the test fixtures against an independent implementation, where the script for it is there.
fn fixtures(root: &Path) -> bool {
    const SCRIPT: &str = "tools/fixtures.py";
    if !root.join(SCRIPT).exists() {
        println!("no {SCRIPT}: nothing to check");
        return true;
    }
    run(root, "python3", &[SCRIPT, "--reference"])
}

/// All tests, with nextest where it is installed (it does not run doctests), then the doctests.
fn tests(root: &Path) -> bool {
    if !quietly(root, "cargo", &["nextest", "--version"]) {
        return cargo(root, &["test", "--workspace", "--quiet"]);
    }
    cargo(root, &["nextest", "run", "--workspace", "--no-fail-fast"])
        & cargo(root, &["test", "--workspace", "--doc", "--quiet"])
}

fn smoke(root: &Path) -> bool {
    SMOKE.iter().all(|arguments| {
        println!("$ tokenstile {}", arguments.join(" "));
        cargo(root, &[&["run", "--quiet", "--package", "tokenstile-cli", "--"], *arguments].concat())
    })
}

fn cargo(root: &Path, arguments: &[&str]) -> bool {
    run(root, "cargo", arguments)
}

fn run(root: &Path, program: &str, arguments: &[&str]) -> bool {
    match Command::new(program).args(arguments).current_dir(root).status() {
        Ok(status) => status.success(),
        Err(error) => {
            println!("{program}: {error}");
            false
        }
    }
}

fn quietly(root: &Path, program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
