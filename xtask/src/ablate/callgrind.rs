//! What callgrind dumped: the instructions of each function that is counted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where the functions are that are counted.
const SLOTS: &str = "tokenstile_ablation::phases::";

/// Instructions by the name of a function.
type Counts = BTreeMap<String, u64>;

/// Runs the command under callgrind; what it says each function is for, with its instructions.
pub(super) fn count(runner: &Path, arguments: &[String], dump: &Path) -> Result<Vec<(String, u64)>, String> {
    let mut valgrind = Command::new("valgrind");
    // Without lists of small free blocks in glibc, which are merged now and then: whose call that falls into is chance.
    valgrind.env("GLIBC_TUNABLES", "glibc.malloc.mxfast=0");
    valgrind.args(["--tool=callgrind", "--quiet", "--dump-line=no", "--instr-atstart=no"]);
    valgrind.arg(format!("--toggle-collect={SLOTS}*"));
    valgrind.arg(format!("--callgrind-out-file={}", dump.display()));
    let output = valgrind.arg(runner).arg("counted").args(arguments).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("valgrind: {error}"))?;
    if !output.status.success() {
        return Err(format!("valgrind: {}", output.status));
    }
    let text = fs::read_to_string(dump).map_err(|error| format!("{}: {error}", dump.display()))?;
    let _ = fs::remove_file(dump);
    let counts = counts(&text);
    let labels = String::from_utf8_lossy(&output.stdout).into_owned();
    let labels = labels.lines().filter_map(|line| line.split_once(' '));
    let counted = |(slot, label): (&str, &str)| Some((label.to_owned(), *counts.get(slot)?));
    Ok(labels.filter_map(counted).collect())
}

/// What the functions took with all that they called: the costs that are listed below each of them.
fn counts(dump: &str) -> Counts {
    let (mut counts, mut names, mut slot) = (Counts::new(), BTreeMap::new(), None);
    for line in dump.lines() {
        // A function is named where it comes up first, behind its number.
        let called = line.strip_prefix("cfn=");
        if let Some(name) = line.strip_prefix("fn=").or(called) {
            let (number, name) = name.split_once(' ').unwrap_or((name, ""));
            if let Some(name) = name.strip_prefix(SLOTS) {
                names.insert(number, name);
            }
            if called.is_none() {
                slot = names.get(number).copied();
            }
            continue;
        }
        let (Some(slot), true) = (slot, line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)))
        else {
            continue;
        };
        if let Some(cost) = line.split(' ').nth(1).and_then(|cost| cost.parse::<u64>().ok()) {
            *counts.entry(slot.to_owned()).or_default() += cost;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_calls_count() {
        let dump = "events: Ir\n\nfn=(1) tokenstile_ablation::run::counted\n0 9\ncfn=(2) tokenstile_ablation::phases::a::b\n\
                    calls=1 0\n0 7\n\nfn=(2)\n0 3\ncfn=(3) tokenstile::fill\ncalls=2 0\n0 100\n\nfn=(3)\n0 40\n\
                    calls=1 0\n0 60\n\nfn=(4) tokenstile_ablation::phases::c::d\n0 5\n";
        let expected = [("a::b".to_owned(), 103), ("c::d".to_owned(), 5)];
        assert_eq!(counts(dump), expected.into_iter().collect());
    }
}
