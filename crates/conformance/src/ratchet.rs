//! The ratchet: `baseline.json` holds what is known to fail, and nothing else may.
//!
//! For every sweep: the counts of the last full run, and the names of what failed, by kind; refusals by reason. A run
//! fails if something fails that is not in the baseline, or more gravely than there. Of a sample the same holds for
//! the cases that ran. `--update` writes what came of a full run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::data::Unreadable;
use crate::report::{Kind, TEST, Tally};

/// What is known to fail: by sweep, the name and how gravely.
pub(crate) struct Baseline {
    path: PathBuf,
    written: Map<String, Value>,
    known: BTreeMap<String, BTreeMap<String, Kind>>,
}

/// A run against the baseline.
#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// What fails and should not.
    pub(crate) worse: Vec<String>,
    /// What failed and no longer does.
    pub(crate) better: Vec<String>,
}

impl Baseline {
    /// Reads the baseline; one that is not there is empty.
    pub(crate) fn load(path: &Path) -> Result<Baseline, Unreadable> {
        let text = if path.exists() {
            fs::read_to_string(path).map_err(|error| Unreadable(format!("{}: {error}", path.display())))?
        } else {
            "{}".to_owned()
        };
        Baseline::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Baseline, Unreadable> {
        let bad = |why: String| Unreadable(format!("{}: {why}", path.display()));
        let written: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        let mut known: BTreeMap<String, BTreeMap<String, Kind>> = BTreeMap::new();
        for (sweep, content) in &written {
            let known = known.entry(sweep.clone()).or_default();
            for (kind, names) in content["failing"].as_object().into_iter().flatten() {
                let kind = Kind::of(kind).ok_or_else(|| bad(format!("no kind of finding: {kind}")))?;
                names.as_array().into_iter().flatten().filter_map(Value::as_str).for_each(|name| {
                    insert(known, name, kind);
                });
            }
            for names in content["refused"].as_object().into_iter().flat_map(Map::values) {
                names.as_array().into_iter().flatten().filter_map(Value::as_str).for_each(|name| {
                    insert(known, name, Kind::Refused);
                });
            }
        }
        Ok(Baseline { path: path.to_owned(), written, known })
    }

    /// Compares a sweep with what is known.
    pub(crate) fn compare(&self, sweep: &str, tally: &Tally) -> Comparison {
        let nothing = BTreeMap::new();
        let known = self.known.get(sweep).unwrap_or(&nothing);
        let mut now = BTreeMap::new();
        tally.findings.iter().for_each(|finding| insert(&mut now, &finding.name, finding.kind));
        let mut comparison = Comparison::default();
        for (name, kind) in &now {
            match known.get(name) {
                None => comparison.worse.push(format!("{name}: {}", kind.name())),
                Some(before) if before < kind => {
                    comparison.worse.push(format!("{name}: {}, was {}", kind.name(), before.name()));
                }
                _ => {}
            }
        }
        for (name, before) in known {
            let ran = tally.cases.contains(name.split(TEST).next().unwrap_or(name));
            match now.get(name) {
                None if ran => comparison.better.push(format!("{name}: was {}", before.name())),
                Some(kind) if kind < before => {
                    comparison.better.push(format!("{name}: {}, was {}", kind.name(), before.name()));
                }
                _ => {}
            }
        }
        comparison
    }

    /// Takes over what came of a full run.
    pub(crate) fn set(&mut self, sweep: &str, tally: &Tally) {
        let mut failing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut refused: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for finding in &tally.findings {
            let names = match finding.kind {
                Kind::Refused => refused.entry(&finding.group).or_default(),
                kind => failing.entry(kind.name()).or_default(),
            };
            names.push(&finding.name);
        }
        for names in failing.values_mut().chain(refused.values_mut()) {
            names.sort_unstable();
            names.dedup();
        }
        let content = json!({"counts": tally.counts, "failing": failing, "refused": refused});
        self.written.insert(sweep.to_owned(), content);
    }

    /// Writes the baseline.
    pub(crate) fn save(&self) -> Result<(), Unreadable> {
        let sorted: BTreeMap<_, _> = self.written.iter().collect();
        let text = serde_json::to_string_pretty(&sorted).unwrap_or_default() + "\n";
        fs::write(&self.path, text).map_err(|error| Unreadable(format!("{}: {error}", self.path.display())))
    }
}

/// Keeps the gravest kind of a name.
fn insert(known: &mut BTreeMap<String, Kind>, name: &str, kind: Kind) {
    let entry = known.entry(name.to_owned()).or_insert(kind);
    *entry = (*entry).max(kind);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Finding, Outcome};

    fn tally(findings: &[(Kind, &str)], cases: &[&str]) -> Tally {
        let mut tally = Tally::default();
        for case in cases {
            let found = findings.iter().filter(|(_, name)| name.split(TEST).next() == Some(case));
            let findings = found
                .map(|(kind, name)| Finding {
                    kind: *kind,
                    name: (*name).to_owned(),
                    group: if *kind == Kind::Refused { "why".to_owned() } else { String::new() },
                    detail: String::new(),
                })
                .collect();
            tally.take((*case).to_owned(), Outcome { findings, ..Outcome::default() });
        }
        tally
    }

    #[test]
    fn only_what_is_known_may_fail() {
        let before = tally(
            &[(Kind::Refused, "a"), (Kind::ValidRejected, "b # 1"), (Kind::Refused, "d"), (Kind::Panic, "e")],
            &["a", "b", "c", "d", "e"],
        );
        let mut baseline = Baseline::parse(Path::new("x"), "{}").unwrap();
        baseline.set("sweep", &before);
        let text = serde_json::to_string(&baseline.written).unwrap();
        let baseline = Baseline::parse(Path::new("x"), &text).unwrap();
        assert_eq!(baseline.compare("sweep", &before), Comparison::default());

        // In a sample without `e`: `a` is better; `b` has one more; `c` is new; `d` is graver.
        let now = tally(
            &[
                (Kind::ValidRejected, "b # 1"),
                (Kind::ValidRejected, "b # 2"),
                (Kind::Refused, "c"),
                (Kind::Hang, "d"),
            ],
            &["a", "b", "c", "d"],
        );
        let comparison = baseline.compare("sweep", &now);
        assert_eq!(comparison.worse, ["b # 2: valid rejected", "c: refused", "d: hang, was refused"]);
        assert_eq!(comparison.better, ["a: was refused"]);
        assert_eq!(baseline.compare("other", &now).worse.len(), 4);
    }
}
