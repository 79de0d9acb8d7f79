//! What callgrind dumped: the instructions of each phase.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The functions that are counted, in `crates/ablation/src/phases.rs`.
const PHASES: &str = "tokenstile_ablation::phases::";

/// Instructions by phase.
pub(super) type Counts = BTreeMap<String, u64>;

/// Runs the command under callgrind; what it says each dump is of, with what is in the dump.
pub(super) fn count(
    runner: &Path,
    arguments: &[String],
    folder: &Path,
) -> Result<Vec<(String, Counts)>, String> {
    let mut valgrind = Command::new("valgrind");
    // Without lists of small free blocks in glibc, which are merged now and then: whose call that falls into is chance.
    valgrind.env("GLIBC_TUNABLES", "glibc.malloc.mxfast=0");
    valgrind.args(["--tool=callgrind", "--quiet", "--dump-line=no", "--instr-atstart=no"]);
    valgrind.arg(format!("--toggle-collect={PHASES}*")).arg(format!("--dump-before={PHASES}mark"));
    valgrind.arg(format!("--callgrind-out-file={}", folder.join("out").display()));
    let output = valgrind.arg(runner).arg("counted").args(arguments).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("valgrind: {error}"))?;
    if !output.status.success() {
        return Err(format!("valgrind: {}", output.status));
    }
    let labels = String::from_utf8_lossy(&output.stdout).into_owned();
    labels.lines().zip(1..).map(|(label, number)| Ok((label.to_owned(), read(folder, number)?))).collect()
}

fn read(folder: &Path, number: usize) -> Result<Counts, String> {
    let path = folder.join(format!("out.{number}"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let _ = fs::remove_file(&path);
    Ok(phases(&text))
}

/// What the phases took with all that they called: the costs that are listed below each of them.
fn phases(dump: &str) -> Counts {
    let (mut counts, mut names, mut phase) = (Counts::new(), BTreeMap::new(), None);
    for line in dump.lines() {
        // A function is named where it comes up first, behind its number.
        let called = line.strip_prefix("cfn=");
        if let Some(name) = line.strip_prefix("fn=").or(called) {
            let (number, name) = name.split_once(' ').unwrap_or((name, ""));
            if let Some(name) = name.strip_prefix(PHASES) {
                names.insert(number, name);
            }
            if called.is_none() {
                phase = names.get(number).copied();
            }
            continue;
        }
        let (Some(phase), true) =
            (phase, line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)))
        else {
            continue;
        };
        if let Some(cost) = line.split(' ').nth(1).and_then(|cost| cost.parse::<u64>().ok()) {
            *counts.entry(phase.to_owned()).or_default() += cost;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_calls_count() {
        let dump = "events: Ir\n\nfn=(1) tokenstile_ablation::run::counted\n0 9\ncfn=(2) tokenstile_ablation::phases::cold_mask\n\
                    calls=1 0\n0 7\n\nfn=(2)\n0 3\ncfn=(3) tokenstile::fill\ncalls=2 0\n0 100\n\nfn=(3)\n0 40\n\
                    calls=1 0\n0 60\n\nfn=(4) tokenstile_ablation::phases::warm_mask\n0 5\n";
        let expected = [("cold_mask".to_owned(), 103), ("warm_mask".to_owned(), 5)];
        assert_eq!(phases(dump), expected.into_iter().collect());
    }
}
