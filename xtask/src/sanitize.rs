//! `cargo xtask sanitize`: the files that may do what the compiler does not check, run where mistakes show.
//!
//! AddressSanitizer runs the tests that use those files ([`RUNS`] says which): reads and writes outside of what they may touch,
//! and memory that is not given back. Loom runs `crates/models`: what threads share without a lock, in all orders that they
//! can have. Where Miri is installed it runs the unit tests too. `cargo xtask test` does the part that takes a minute or two.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The only target that is tried: the sanitizer is not there for all.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Tests that run under AddressSanitizer.
struct Run {
    /// The files with code that the compiler does not check which they use.
    files: &'static [&'static str],
    package: &'static str,
    /// Which tests of it, as cargo takes them, and a word of their names.
    which: &'static [&'static str],
    names: &'static [&'static str],
    /// Whether `cargo xtask test` has the time for it.
    quick: bool,
}

const APPEND: &str = "crates/engine/src/collections/append.rs";
const UNION: &str = "crates/engine/src/tokens/union.rs";
const ARRAY: &str = "crates/engine/src/stored/array.rs";

const RUNS: [Run; 6] = [
    // Masks of a vocabulary whose tables are read from a map: these files together, and little to build.
    Run {
        files: &["crates/cache/src/map.rs", APPEND, ARRAY],
        package: "tokenstile-cache",
        which: &["--lib"],
        names: &[],
        quick: true,
    },
    Run {
        files: &[APPEND, UNION, ARRAY],
        package: "tokenstile-engine",
        which: &["--lib"],
        names: &["append::", "union::", "stored::", "array::"],
        quick: false,
    },
    Run {
        files: &[APPEND, UNION, ARRAY],
        package: "tokenstile-engine",
        which: &["--test", "sharing", "--test", "at_once", "--test", "saved_tables", "--test", "tokens"],
        names: &[],
        quick: false,
    },
    Run {
        files: &["crates/logits/src/kernels.rs"],
        package: "tokenstile-logits",
        which: &["--test", "exact"],
        names: &[],
        quick: true,
    },
    Run {
        files: &["crates/runtime/src/model/linear/dot.rs"],
        package: "tokenstile-runtime",
        which: &["--lib"],
        names: &["linear::"],
        quick: false,
    },
    Run {
        files: &["crates/conformance/src/allocate.rs"],
        package: "tokenstile-conformance",
        which: &["--bins"],
        names: &["allocate::"],
        quick: false,
    },
];

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Fine,
    /// Something cannot be run here.
    Skipped,
    Failed,
}

/// Runs all of it, or the quick part.
pub(crate) fn run(root: &Path, quick: bool) -> Outcome {
    let mut outcomes = vec![with_loom(root)];
    outcomes.push(if has_sanitizer() { with_addresses(root, quick) } else { Outcome::Skipped });
    if !quick {
        outcomes.push(with_miri(root));
    }
    let all = |outcome| outcomes.contains(&outcome);
    if all(Outcome::Failed) {
        return Outcome::Failed;
    }
    if all(Outcome::Skipped) { Outcome::Skipped } else { Outcome::Fine }
}

fn with_loom(root: &Path) -> Outcome {
    outcome(cargo(root, &["test", "--quiet", "--package", "tokenstile-models"]))
}

fn with_addresses(root: &Path, quick: bool) -> Outcome {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut failed = false;
    for run in RUNS.iter().filter(|run| run.quick || !quick) {
        let package = ["test", "--quiet", "--target", TARGET, "--package", run.package];
        // Tests that need fetched data, if there is some.
        let has_fetched = root.join(".cache/fixtures").is_dir();
        let more: &[&str] = if has_fetched { &["--include-ignored"] } else { &[] };
        let mut cargo = cargo(root, &[&package, run.which, &["--"], run.names, more].concat());
        // The flag is not stable, and the compiler need not be another one for it. Build scripts that ask for it would have much of
        // the ordinary build made again each time, so this one is elsewhere.
        cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
        cargo.env("CARGO_TARGET_DIR", target.join("sanitize"));
        if outcome(cargo) == Outcome::Failed {
            println!("what it runs: {}", run.files.join(", "));
            failed = true;
        }
    }
    if failed { Outcome::Failed } else { Outcome::Fine }
}

fn with_miri(root: &Path) -> Outcome {
    let mut version = cargo(root, &["miri", "--version"]);
    if !version.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        println!("Miri is not installed: its part is left out");
        return Outcome::Skipped;
    }
    let package = ["miri", "test", "--package", "tokenstile-engine", "--lib", "--"];
    let mut cargo = cargo(root, &[&package[..], &["append::", "array::", "any_number_of_masks"]].concat());
    cargo.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    outcome(cargo)
}

/// Whether the compiler makes programs for the target by itself.
fn has_sanitizer() -> bool {
    let version = crate::process::output("rustc", &["-vV"]).unwrap_or_default();
    let has = version.lines().any(|line| line.strip_prefix("host: ") == Some(TARGET));
    if !has {
        println!("AddressSanitizer is run on {TARGET} only: its part is left out");
    }
    has
}

fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).current_dir(root);
    cargo
}

/// Runs a command to its end.
fn outcome(mut command: Command) -> Outcome {
    let shown: Vec<String> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    println!("$ cargo {}", shown.join(" "));
    match command.status() {
        Ok(status) if status.success() => Outcome::Fine,
        Ok(_) => Outcome::Failed,
        Err(error) => {
            println!("cargo: {error}");
            Outcome::Failed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::MAY_BE_UNSAFE;

    #[test]
    fn every_file_that_may_be_unchecked_is_run() {
        // The models are run by loom; what asks callgrind to count touches no memory.
        let is_elsewhere =
            |file: &&str| file.starts_with("crates/models/") || *file == "crates/ablation/src/valgrind.rs";
        let files = MAY_BE_UNSAFE.iter().map(|(file, _)| *file).filter(|file| !is_elsewhere(file));
        for file in files {
            assert!(RUNS.iter().any(|run| run.files.contains(&file)), "{file} is in no run of sanitize.rs");
        }
        let root = crate::root();
        for file in RUNS.iter().flat_map(|run| run.files) {
            assert!(root.join(file).exists(), "{file} is not there any more");
        }
    }
}
