//! What the workloads take with one way turned off: timed first, then counted.
//!
//! The times show which steps are the slowest; those are counted one by one, and everything else together. A way without
//! which everything takes many times as long is not counted: its times say enough. The cliffs take callgrind long, so they
//! are counted only if nothing else is asked for.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::callgrind;
use super::setup::{CLIFFS, Places};

/// Tokens of a text that are gone along; most of what texts do is done by then.
const MOST: &str = "24";
/// Of so many timings the best counts.
const ROUNDS: &str = "2";
const CLIFF_ROUNDS: &str = "2";
/// Without a way everything may take so many times as long to be counted.
const SLOW: f64 = 8.0;
/// So many times as long, and so many seconds more, it may take to be timed.
const TOO_SLOW: f64 = 20.0;
const GRACE: f64 = 5.0;
/// So many of the slowest steps of each kind are counted one by one, since times do not tell for certain which is the
/// slowest; of those with cold caches more, since they differ most. The more so with everything on, as all is compared with
/// that.
const SLOWEST: usize = 2;
const SLOWEST_COLD: usize = 6;
const MORE_OF_BASE: usize = 2;
/// So many of them are counted without each way, too.
const KEPT: usize = 2;
/// So many on each side of the slowest hundredth with everything on are counted together, without each way too.
const AROUND: usize = 2;
/// Of fewer steps there is no slowest hundredth.
const HUNDREDTHS: usize = 300;

/// Instructions or nanoseconds by workload, what they are of (`sum`, `p99`, `worst`), and phase.
pub(super) type Figures = BTreeMap<String, u64>;

/// What the workloads took.
pub(super) struct Measured {
    pub(super) times: Figures,
    /// None if it was too slow to be counted.
    pub(super) counts: Figures,
    /// Hashes of all masks.
    pub(super) masks: Vec<String>,
    /// The cases that ran into limits, by name.
    pub(super) failed: Vec<String>,
    /// Whether all was gone through in time.
    pub(super) finished: bool,
    /// The ways that were decided on.
    pub(super) asked: Vec<String>,
    /// With everything on: the steps that are counted one by one without each way, too, by the figure that they are for.
    steps: Singles,
}

/// Steps by the figure that they are counted for.
type Singles = BTreeMap<String, Vec<Step>>;

impl Measured {
    fn to_json(&self) -> Value {
        json!({"times": self.times, "counts": self.counts, "masks": self.masks, "failed": self.failed,
               "finished": self.finished, "asked": self.asked, "steps": self.steps})
    }

    /// What a file of results has.
    pub(super) fn read(places: &Places, way: Option<&str>) -> Option<Measured> {
        let text = fs::read_to_string(places.result(way)).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let figures = |key: &str| -> Option<Figures> {
            let figure = |(key, value): (&String, &Value)| Some((key.clone(), value.as_u64()?));
            value[key].as_object()?.iter().map(figure).collect()
        };
        Some(Measured {
            times: figures("times")?,
            counts: figures("counts")?,
            masks: words(&value["masks"]),
            failed: words(&value["failed"]),
            finished: value["finished"].as_bool()?,
            asked: words(&value["asked"]),
            steps: value["steps"].as_object()?.iter().map(|(of, steps)| (of.clone(), words(steps))).collect(),
        })
    }
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// Measures with a way turned off, or none; what was measured before is used again, unless it is to be `anew`.
pub(super) fn of(
    places: &Places,
    way: Option<&str>,
    base: Option<&Measured>,
    anew: bool,
) -> Result<Measured, String> {
    if let Some(known) = Measured::read(places, way).filter(|_| !anew) {
        return Ok(known);
    }
    let measured = measure(places, way, base)?;
    fs::create_dir_all(&places.results).map_err(|error| error.to_string())?;
    let text = serde_json::to_string(&measured.to_json()).map_err(|error| error.to_string())?;
    fs::write(places.result(way), text).map_err(|error| error.to_string())?;
    Ok(measured)
}

fn measure(places: &Places, way: Option<&str>, base: Option<&Measured>) -> Result<Measured, String> {
    let mut measured = Measured {
        times: Figures::new(),
        counts: Figures::new(),
        masks: Vec::new(),
        failed: Vec::new(),
        finished: true,
        asked: Vec::new(),
        steps: Singles::new(),
    };
    if let (Some(way), Some(base)) = (way, base)
        && !base.asked.iter().any(|asked| asked == way)
    {
        return Ok(Measured { times: base.times.clone(), counts: base.counts.clone(), ..measured });
    }
    for counted in [true, false] {
        let Some(mut arguments) = places.arguments(counted) else { continue };
        arguments.extend(["--most".to_owned(), MOST.to_owned()]);
        arguments.extend(way.iter().flat_map(|way| ["--off".to_owned(), (*way).to_owned()]));
        let limit = base.map_or(1e6, |base| total(&base.times, counted) / 1e9 * TOO_SLOW + GRACE);
        let rounds = if counted { ROUNDS } else { CLIFF_ROUNDS };
        let timed = Timed::run(places, &arguments, rounds, limit)?;
        measured.masks.push(timed.masks.clone());
        measured.failed.extend(timed.failed());
        measured.finished &= timed.finished;
        measured.asked.extend(timed.asked.iter().cloned());
        let times = timed.figures();
        let is_slow = base.is_some_and(|base| {
            total(&times, counted) > SLOW * total(&base.times, counted) || !timed.finished
        });
        measured.times.extend(times);
        if !is_slow && (counted || places.is_of_cliffs()) {
            let (counts, steps) = count(places, way, &arguments, &timed, base)?;
            measured.counts.extend(counts);
            measured.steps.extend(steps);
        }
    }
    Ok(measured)
}

/// All times of the workloads that are counted, or of the others, in nanoseconds.
fn total(times: &Figures, counted: bool) -> f64 {
    let is_of = |key: &&String| key.contains("/sum/") && key.starts_with(CLIFFS) != counted;
    times.keys().filter(is_of).map(|key| times[key] as f64).sum()
}

/// A step as the command names it: its kind, the number of its case and its own number.
type Step = String;

/// The times of all steps.
struct Timed {
    masks: String,
    finished: bool,
    asked: Vec<String>,
    failing: Vec<usize>,
    /// The workload and the name of each case.
    cases: Vec<(String, String)>,
    /// By workload and kind, the slowest first.
    steps: BTreeMap<(String, String), Vec<(u64, Step)>>,
}

impl Timed {
    fn run(places: &Places, arguments: &[String], rounds: &str, limit: f64) -> Result<Timed, String> {
        let mut command = Command::new(&places.runner);
        command.arg("timed").args(arguments).args(["--rounds", rounds, "--limit", &limit.to_string()]);
        let output = command.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
        let value: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("timed: {error}"))?;
        let list = |key: &str| value[key].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let cases: Vec<_> = list("cases").iter().map(|case| (text(&case[0]), text(&case[1]))).collect();
        let mut steps: BTreeMap<_, Vec<(u64, Step)>> = BTreeMap::new();
        for step in list("steps") {
            let (name, nanos) = (text(&step[0]), step[1].as_u64().unwrap_or(0));
            let mut parts = name.split(':');
            let kind = parts.next().unwrap_or_default().to_owned();
            let case = parts.next().and_then(|case| case.parse::<usize>().ok());
            let Some((workload, _)) = case.and_then(|case| cases.get(case)) else { continue };
            steps.entry((workload.clone(), kind)).or_default().push((nanos, name));
        }
        steps.values_mut().for_each(|steps| steps.sort_unstable_by(|a, b| b.cmp(a)));
        let failing = list("failed").into_iter().filter_map(|case| case.as_u64().map(|case| case as usize));
        Ok(Timed {
            masks: text(&value["masks"]),
            finished: value["finished"].as_bool().unwrap_or(false),
            asked: words(&value["asked"]),
            failing: failing.collect(),
            cases,
            steps,
        })
    }

    fn failed(&self) -> impl Iterator<Item = String> {
        self.failing.iter().filter_map(|&case| self.cases.get(case)).map(|case| case.1.clone())
    }

    /// Sums, and the slowest of all.
    fn figures(&self) -> Figures {
        let mut figures = Figures::new();
        // Nothing else takes long in the cliffs, and what is short is timed badly.
        let is_told = |(workload, kind): &(String, String)| workload != CLIFFS || kind == "cold";
        for ((workload, kind), steps) in self.steps.iter().filter(|(of, _)| is_told(of)) {
            let mut add = |what: &str, value| figures.insert(format!("{workload}/{what}/{kind}"), value);
            add("sum", steps.iter().map(|step| step.0).sum());
            add("worst", steps[0].0);
        }
        figures
    }

    /// The steps that are counted one by one, by the figures that they are for.
    fn single(&self, base: Option<&Measured>) -> Singles {
        let mut single = Singles::new();
        let factor = if base.is_none() { MORE_OF_BASE } else { 1 };
        for ((workload, kind), steps) in &self.steps {
            let slowest = factor * if kind == "cold" { SLOWEST_COLD } else { SLOWEST };
            let names = |range: Range<usize>| steps[range].iter().map(|step| step.1.clone());
            let (worst, p99) = (format!("{workload}/worst/{kind}"), format!("{workload}/p99/{kind}"));
            let mut found: Vec<Step> = names(0..slowest.min(steps.len())).collect();
            let known = |of: &str| base.and_then(|base| base.steps.get(of)).into_iter().flatten().cloned();
            found.extend(known(&worst));
            found.sort_unstable();
            found.dedup();
            single.insert(worst, found);
            let hundredth = steps.len() / 100;
            let around: Vec<Step> = match (base, steps.len()) {
                (Some(_), _) => known(&p99).collect(),
                (None, HUNDREDTHS..) => names(hundredth - AROUND..hundredth + AROUND + 1).collect(),
                (None, _) => Vec::new(),
            };
            single.insert(p99, around);
        }
        single.retain(|_, steps| !steps.is_empty());
        single
    }
}

/// Counts everything, and some steps one by one; with everything on, those that are to be counted without each way, too.
fn count(
    places: &Places,
    way: Option<&str>,
    arguments: &[String],
    timed: &Timed,
    base: Option<&Measured>,
) -> Result<(Figures, Singles), String> {
    let mut single = timed.single(base);
    let mut steps: Vec<&str> = single.values().flatten().map(String::as_str).collect();
    steps.sort_unstable();
    steps.dedup();
    let mut arguments = arguments.to_vec();
    arguments.extend(["--single".to_owned(), steps.join(",")]);
    let dump = places.dump(way.unwrap_or("everything on"));
    let (mut figures, mut by_step) = (Figures::new(), BTreeMap::<String, u64>::new());
    for (label, count) in callgrind::count(&places.runner, &arguments, &dump)? {
        let (owner, phase) = label.split_once('/').unwrap_or_default();
        let case = owner.split(':').nth(1).and_then(|case| case.parse::<usize>().ok());
        let workload = case.and_then(|case| timed.cases.get(case)).map_or(owner, |case| &*case.0);
        *figures.entry(format!("{workload}/sum/{phase}")).or_default() += count;
        *by_step.entry(owner.to_owned()).or_default() += count;
    }
    for (of, steps) in &mut single {
        let count = |step: &Step| by_step.get(step).copied().unwrap_or(0);
        steps.sort_unstable_by_key(|step| Reverse(count(step)));
        let counts = steps.iter().map(count);
        if of.contains("/p99/") {
            figures.insert(of.clone(), counts.sum());
        } else {
            figures.insert(of.clone(), counts.max().unwrap_or(0));
            steps.truncate(KEPT);
        }
    }
    Ok((figures, if base.is_none() { single } else { Singles::new() }))
}
