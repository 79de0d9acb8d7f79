//! Reading result files: one JSON object a line, in the form that the peers' harness fixed.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

use super::tables::Pick;

/// What an engine made of a set of cases.
#[derive(Clone, Default)]
pub(super) struct Run {
    /// The version that the engine says it has.
    pub(super) version: String,
    pub(super) cases: Vec<CaseResult>,
}

/// What an engine made of the same cases, once or several times.
pub(super) struct Runs(Vec<Run>);

/// Times that an engine took, by its runs, each sorted.
pub(super) struct Times(Vec<Vec<u64>>);

/// Engines by what the page calls them.
pub(super) type Engines = Vec<(&'static str, Rc<Runs>)>;

/// What engines made of the same cases.
pub(super) struct Comparison {
    pub(super) engines: Engines,
    /// The same with the runs of this engine in which every text had a constraint of its own. None, if there are none.
    pub(super) alone: Engines,
    /// Of this engine: built or used in another way.
    pub(super) variants: Engines,
}

/// The runs of the engine that the page calls so.
pub(super) fn runs<'a>(engines: &'a Engines, name: &str) -> Option<&'a Runs> {
    engines.iter().find(|(known, _)| *known == name).map(|(_, runs)| &**runs)
}

impl Runs {
    /// None if there is not one.
    pub(super) fn of(runs: Vec<Run>) -> Option<Runs> {
        (!runs.is_empty()).then_some(Runs(runs))
    }

    /// What is the same in all: coverage, memory, version.
    pub(super) fn one(&self) -> &Run {
        &self.0[0]
    }

    /// How often the engine was measured.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Times of every run.
    pub(super) fn times(&self, pick: Pick) -> Times {
        Times(self.0.iter().map(pick).collect())
    }

    /// The same runs without the cases that are not in `ids`.
    pub(super) fn only(&self, ids: &HashSet<&str>) -> Runs {
        Runs(self.0.iter().map(|run| run.only(ids)).collect())
    }

    /// The lower time of the first two runs, of every compile and of every step.
    pub(super) fn lower_of_two(&self) -> Run {
        let mut lowest = self.0[0].clone();
        if let Some(second) = self.0.get(1) {
            lowest.lower(second);
        }
        lowest
    }
}

impl Times {
    /// How many one run has.
    pub(super) fn count(&self) -> usize {
        self.0[0].len()
    }

    /// The percentile that is the middle one of those of the runs.
    pub(super) fn percentile(&self, p: f64) -> Option<u64> {
        percentile(&sorted(self.0.iter().filter_map(|times| percentile(times, p))), 50.0)
    }
}

/// What an engine made of one case. Times are in nanoseconds.
#[derive(Clone)]
pub(super) struct CaseResult {
    pub(super) id: String,
    pub(super) outcome: Outcome,
    /// Compile and first mask.
    pub(super) first: Option<u64>,
    /// Mask and commit of each step, first pass.
    pub(super) cold: Vec<u64>,
    /// The same again.
    pub(super) warm: Vec<u64>,
    /// How much the process grew, in bytes.
    pub(super) resident: Option<i64>,
    /// Bytes that the engine says it holds.
    pub(super) own: Option<u64>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All texts were judged right.
    Passed,
    /// The engine does not take the schema.
    Refused,
    /// A valid text was rejected.
    RejectedValid,
    /// An invalid text was accepted.
    AcceptedInvalid,
    /// A mask failed, or the engine crashed or ran out of time or memory.
    Broke,
}

impl Run {
    /// Reads a result file.
    pub(super) fn read(path: &Path) -> Result<Run, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut run = Run::default();
        for line in BufReader::new(File::open(path).map_err(|e| wrong(&e))?).lines() {
            let value: Value = serde_json::from_str(&line.map_err(|e| wrong(&e))?).map_err(|e| wrong(&e))?;
            if value.get("header").is_some() {
                run.version = value["version"].as_str().unwrap_or_default().to_owned();
            } else {
                run.cases.push(CaseResult::of(&value));
            }
        }
        Ok(run)
    }

    /// The same run without the cases that are not in `ids`.
    pub(super) fn only(&self, ids: &HashSet<&str>) -> Run {
        let cases = self.cases.iter().filter(|case| ids.contains(case.id.as_str())).cloned().collect();
        Run { version: self.version.clone(), cases }
    }

    /// The ids of what was compiled and followed to the end.
    pub(super) fn followed(&self) -> HashSet<&str> {
        let done = self.cases.iter().filter(|case| !case.cold.is_empty());
        done.map(|case| case.id.as_str()).collect()
    }

    /// Compile and first mask of every case, sorted.
    pub(super) fn first(&self) -> Vec<u64> {
        sorted(self.cases.iter().filter_map(|case| case.first))
    }

    /// Every step of the cold pass, sorted.
    pub(super) fn cold(&self) -> Vec<u64> {
        sorted(self.cases.iter().flat_map(|case| case.cold.iter().copied()))
    }

    /// Every step of the warm pass, sorted.
    pub(super) fn warm(&self) -> Vec<u64> {
        sorted(self.cases.iter().flat_map(|case| case.warm.iter().copied()))
    }

    /// How many cases ended so.
    pub(super) fn count(&self, outcome: Outcome) -> usize {
        self.cases.iter().filter(|case| case.outcome == outcome).count()
    }

    /// Keeps the lower one of two runs over the same cases, of compiling and of steps.
    fn lower(&mut self, other: &Run) {
        for (mine, theirs) in self.cases.iter_mut().zip(&other.cases) {
            if let (Some(time), Some(other)) = (&mut mine.first, theirs.first) {
                *time = (*time).min(other);
            }
            lower(&mut mine.warm, &theirs.warm);
            lower(&mut mine.cold, &theirs.cold);
        }
    }
}

impl CaseResult {
    /// Whether it compiled, and in less than two seconds.
    pub(super) fn is_quick(&self) -> bool {
        self.first.is_some_and(|first| first < 2_000_000_000)
    }

    fn of(value: &Value) -> CaseResult {
        let first = value["compile_ns"].as_u64().zip(value["first_mask_ns"].as_u64());
        CaseResult {
            id: value["id"].as_str().map_or_else(|| value["id"].to_string(), str::to_owned),
            outcome: Outcome::of(value),
            // A compile that ran out of time took at least that long.
            first: first
                .map(|(compile, mask)| compile + mask)
                .or_else(|| (value["timeout"] == "compile").then_some(60_000_000_000)),
            cold: steps(&value["cold"]),
            warm: steps(&value["warm"]),
            resident: value["rss_delta_end"].as_i64().or_else(|| value["rss_delta"].as_i64()),
            own: value["mem"].as_u64(),
        }
    }
}

impl Outcome {
    fn of(value: &Value) -> Outcome {
        if value.get("compile_error").is_some() {
            return Outcome::Refused;
        }
        let Some(tests) = value["cold"].as_array() else { return Outcome::Broke };
        let wrong: Vec<&Value> = tests.iter().filter(|test| test["valid"] != test["accepted"]).collect();
        match wrong.iter().any(|test| test["valid"] == true) {
            true => Outcome::RejectedValid,
            false if !wrong.is_empty() => Outcome::AcceptedInvalid,
            false => Outcome::Passed,
        }
    }
}

fn steps(tests: &Value) -> Vec<u64> {
    let tests = tests.as_array().map_or(&[][..], Vec::as_slice);
    tests.iter().filter_map(|test| test["tbm"].as_array()).flatten().filter_map(Value::as_u64).collect()
}

/// Keeps the lower time of each step.
fn lower(steps: &mut [u64], others: &[u64]) {
    for (time, other) in steps.iter_mut().zip(others) {
        *time = (*time).min(*other);
    }
}

/// Values in ascending order.
pub(super) fn sorted(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values
}

/// The value that `p` per cent of the sorted `values` are below.
pub(super) fn percentile(values: &[u64], p: f64) -> Option<u64> {
    let index = (values.len() as f64 * p / 100.0) as usize;
    values.get(index.min(values.len().checked_sub(1)?)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn outcomes_are_told_apart() {
        let tests = |valid: bool, accepted: bool| json!({"cold": [{"valid": valid, "accepted": accepted}]});
        let outcome = |value: Value| Outcome::of(&value);
        assert_eq!(outcome(tests(true, true)), Outcome::Passed);
        assert_eq!(outcome(tests(true, false)), Outcome::RejectedValid);
        assert_eq!(outcome(tests(false, true)), Outcome::AcceptedInvalid);
        assert_eq!(outcome(json!({"compile_error": "no"})), Outcome::Refused);
        assert_eq!(outcome(json!({"timeout": "mask"})), Outcome::Broke);
    }

    #[test]
    fn a_percentile_is_the_middle_one_of_the_runs() {
        let times = Times(vec![vec![1, 2, 9], vec![3, 4, 5], vec![5, 6, 7]]);
        assert_eq!((times.percentile(50.0), times.percentile(100.0)), (Some(4), Some(7)));
        assert_eq!((times.count(), Times(vec![vec![]]).percentile(50.0)), (3, None));
    }

    #[test]
    fn the_lower_of_two_runs_is_kept() {
        let run = |first: u64, steps: [u64; 2]| {
            let tests = json!([{"tbm": steps}]);
            let case =
                json!({"id": "a", "compile_ns": first, "first_mask_ns": 1, "cold": tests, "warm": tests});
            Run { version: String::new(), cases: vec![CaseResult::of(&case)] }
        };
        let lowest = Runs(vec![run(10, [5, 1]), run(7, [4, 3]), run(1, [1, 1])]).lower_of_two();
        assert_eq!((lowest.first(), lowest.warm(), lowest.cold()), (vec![8], vec![1, 4], vec![1, 4]));
        assert_eq!(percentile(&lowest.warm(), 50.0), Some(4));
    }
}
