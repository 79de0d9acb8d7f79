//! `cargo xtask instructions`: how many instructions compiling and masking take, against a committed baseline.
//!
//! Times on shared machines move by half; instruction counts hardly move at all. The crate
//! `crates/instructions` does the work, and callgrind counts each call of its function `measured` on its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The committed counts.
const BASELINE: &str = "xtask/instructions.json";
/// By how much a count may differ from the baseline.
const TOLERANCE: f64 = 0.05;

/// How a comparison ended.
pub(crate) enum Comparison {
    /// All counts are as they were.
    Same,
    /// It could not be done here.
    Skipped,
    /// Something takes more than it did, or less and the baseline should say so.
    Different,
}

/// Counts by case and phase.
type Counts = BTreeMap<String, u64>;

/// Counts, and compares with the baseline or makes it anew.
pub(crate) fn run(root: &Path, update: bool) -> Result<Comparison, String> {
    if !is_there("valgrind") && !install() {
        println!("SKIPPED: valgrind is not installed, and it is what counts instructions");
        return Ok(Comparison::Skipped);
    }
    let counts = count(root)?;
    let path = root.join(BASELINE);
    if update {
        let text = serde_json::to_string_pretty(&json!({"rustc": rustc(), "instructions": counts}));
        fs::write(&path, text.map_err(|error| error.to_string())? + "\n")
            .map_err(|error| error.to_string())?;
        println!("wrote {BASELINE}: {} counts", counts.len());
        return Ok(Comparison::Same);
    }
    let text = fs::read_to_string(&path).map_err(|error| format!("{BASELINE}: {error}"))?;
    let baseline: Value = serde_json::from_str(&text).map_err(|error| format!("{BASELINE}: {error}"))?;
    let different = compare(&baseline["instructions"], &counts);
    different.iter().for_each(|line| println!("{line}"));
    let changes = changes(&baseline["instructions"], &counts);
    changes.iter().for_each(|(name, change)| println!("{:+6.1} %  {name}", change * 100.0));
    if different.is_empty() {
        println!("{} counts, all within {:.0} % of the baseline", counts.len(), TOLERANCE * 100.0);
        return Ok(Comparison::Same);
    }
    if baseline["rustc"] != rustc() {
        println!("the baseline is of another compiler ({}): only a warning", baseline["rustc"]);
        return Ok(Comparison::Skipped);
    }
    println!("if this is meant: cargo xtask instructions --update");
    Ok(Comparison::Different)
}

/// By how much each count has changed, those that take more now last.
fn changes<'c>(baseline: &Value, counts: &'c Counts) -> Vec<(&'c str, f64)> {
    let change = |now: u64, before: u64| now as f64 / before.max(1) as f64 - 1.0;
    let known =
        counts.iter().filter_map(|(name, &now)| Some((&**name, change(now, baseline[name].as_u64()?))));
    let mut changes: Vec<(&str, f64)> = known.collect();
    changes.sort_by(|a, b| a.1.total_cmp(&b.1));
    changes
}

/// Everything that differs too much, in words.
fn compare(baseline: &Value, counts: &Counts) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, &now) in counts {
        let Some(before) = baseline[name].as_u64() else {
            lines.push(format!("{name}: {now} instructions, not in the baseline"));
            continue;
        };
        let change = now as f64 / before.max(1) as f64 - 1.0;
        if change.abs() > TOLERANCE {
            let word = if change > 0.0 { "SLOWER" } else { "faster" };
            lines.push(format!("{name}: {word}: {before} -> {now} instructions ({:+.1} %)", change * 100.0));
        }
    }
    let gone = baseline.as_object().into_iter().flatten().filter(|(name, _)| !counts.contains_key(*name));
    lines.extend(gone.map(|(name, _)| format!("{name}: in the baseline, but not measured any more")));
    lines
}

/// Builds the crate, runs it under callgrind and reads what it dumped.
fn count(root: &Path) -> Result<Counts, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["build", "--release", "--quiet"]);
    succeeded(cargo.args(["--package", "tokenstile-instructions"]))?;
    let folder = target.join("instructions");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut valgrind = Command::new("valgrind");
    // Without lists of small free blocks in glibc, which are merged now and then: whose call that falls into is chance.
    valgrind.env("GLIBC_TUNABLES", "glibc.malloc.mxfast=0");
    valgrind.args(["--tool=callgrind", "--quiet", "--toggle-collect=instructions::measured"]);
    valgrind.arg("--dump-after=instructions::measured");
    valgrind.arg(format!("--callgrind-out-file={}", folder.join("out").display()));
    let output = valgrind.arg(target.join("release/instructions")).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("valgrind: {error}"))?;
    if !output.status.success() {
        return Err(format!("valgrind: {}", output.status));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    names.lines().zip(1..).map(|(name, number)| Ok((name.to_owned(), total(&folder, number)?))).collect()
}

/// The instructions of one dump.
fn total(folder: &Path, number: usize) -> Result<u64, String> {
    let path = folder.join(format!("out.{number}"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    total.ok_or_else(|| format!("{}: has no total", path.display()))
}

/// Whether a program can be started.
fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// In CI, where this may be: fetches valgrind with the system's package manager.
fn install() -> bool {
    let in_ci = std::env::var("CI").is_ok_and(|value| value == "true" || value == "1");
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--quiet", "--quiet", "valgrind"]).stdout(Stdio::null());
    in_ci && apt.status().is_ok_and(|status| status.success()) && is_there("valgrind")
}

fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn succeeded(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found_both_ways() {
        let baseline = json!({"same": 1000, "slower": 1000, "faster": 1000, "gone": 1});
        let counts = [("same", 1040), ("slower", 1100), ("faster", 900), ("new", 5)];
        let counts: Counts = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        let lines = compare(&baseline, &counts).join("\n");
        assert!(lines.contains("slower: SLOWER: 1000 -> 1100 instructions (+10.0 %)"), "{lines}");
        assert!(lines.contains("faster: faster") && lines.contains("gone: in the baseline"), "{lines}");
        assert!(
            lines.contains("new: 5 instructions, not in the baseline") && !lines.contains("same"),
            "{lines}"
        );
    }
}
