//! What the workloads take with one way turned off: timed first, then counted.
//!
//! The times show which steps are the slowest and which are about the slowest hundredth; those are counted one by one, and
//! everything else together. A way without which everything takes many times as long is not counted: its times say enough.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use super::callgrind;
use super::setup::{CLIFFS, Places};

/// Tokens of a text that are gone along; most of what texts do is done by then.
const MOST: &str = "24";
/// Of so many timings the best counts. The cliffs take long, and steps that take long vary less.
const ROUNDS: &str = "3";
const CLIFF_ROUNDS: &str = "2";
/// Without a way everything may take so many times as long to be counted.
const SLOW: f64 = 8.0;
/// So many times as long, and so many seconds more, it may take to be timed.
const TOO_SLOW: f64 = 20.0;
const GRACE: f64 = 5.0;
/// So many of the slowest steps of each kind are counted one by one: of those with cold caches more, since times do not tell
/// for certain which is the slowest.
const SLOWEST: usize = 3;
const SLOWEST_COLD: usize = 16;
/// The same on each side of the slowest hundredth.
const AROUND: usize = 3;
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
}

impl Measured {
    fn to_json(&self) -> Value {
        json!({"times": self.times, "counts": self.counts, "masks": self.masks, "failed": self.failed,
               "finished": self.finished, "asked": self.asked})
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
    };
    if let (Some(way), Some(base)) = (way, base)
        && !base.asked.iter().any(|asked| asked == way)
    {
        return Ok(Measured { times: base.times.clone(), counts: base.counts.clone(), ..measured });
    }
    for counted in [true, false] {
        let Some(mut arguments) = places.arguments(counted) else { continue };
        arguments.extend(["--most".to_owned(), MOST.to_owned()]);
        if let Some(way) = way {
            arguments.extend(["--off".to_owned(), way.to_owned()]);
        }
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
        if counted && !is_slow {
            measured.counts = count(places, way, &arguments, &timed)?;
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

    /// Sums, the slowest hundredth and the slowest of all.
    fn figures(&self) -> Figures {
        let mut figures = Figures::new();
        for ((workload, kind), steps) in &self.steps {
            let mut add = |what: &str, value| figures.insert(format!("{workload}/{what}/{kind}"), value);
            add("sum", steps.iter().map(|step| step.0).sum());
            add("worst", steps[0].0);
            if steps.len() >= HUNDREDTHS {
                add("p99", steps[steps.len() / 100].0);
            }
        }
        figures
    }

    /// The steps that are counted one by one: the slowest, and those about the slowest hundredth.
    fn single(&self) -> Map<String, Value> {
        let mut single = Map::new();
        for ((workload, kind), steps) in &self.steps {
            let hundredth = steps.len() / 100;
            let around = match steps.len() {
                HUNDREDTHS.. => hundredth.saturating_sub(AROUND)..hundredth + AROUND + 1,
                _ => 0..0,
            };
            let slowest = if kind == "cold" { SLOWEST_COLD } else { SLOWEST };
            for (rank, (_, step)) in steps.iter().enumerate() {
                let mut of = Vec::new();
                of.extend((rank < slowest).then(|| format!("{workload}/worst/{kind}")));
                of.extend(around.contains(&rank).then(|| format!("{workload}/p99/{kind}")));
                if !of.is_empty() {
                    single.insert(step.clone(), of.into());
                }
            }
        }
        single
    }
}

/// Counts everything, and some steps one by one.
fn count(places: &Places, way: Option<&str>, arguments: &[String], timed: &Timed) -> Result<Figures, String> {
    let single = timed.single();
    let steps: Vec<&str> = single.keys().map(String::as_str).collect();
    let mut arguments = arguments.to_vec();
    arguments.extend(["--single".to_owned(), steps.join(",")]);
    let dumps = places.dumps(way.unwrap_or("everything on"))?;
    let (mut figures, mut around) = (Figures::new(), BTreeMap::<String, Vec<u64>>::new());
    for (label, counts) in callgrind::count(&places.runner, &arguments, &dumps)? {
        let case = label.split(':').nth(1).and_then(|case| case.parse::<usize>().ok());
        let workload = case.and_then(|case| timed.cases.get(case)).map_or(&label, |case| &case.0);
        for (phase, count) in &counts {
            *figures.entry(format!("{workload}/sum/{phase}")).or_default() += count;
        }
        let whole: u64 = counts.values().sum();
        for of in single.get(&label).map(words).unwrap_or_default() {
            if of.contains("/p99/") {
                around.entry(of).or_default().push(whole);
            } else {
                let most = figures.entry(of).or_default();
                *most = whole.max(*most);
            }
        }
    }
    for (of, mut counts) in around {
        counts.sort_unstable();
        figures.insert(of, counts[counts.len() / 2]);
    }
    figures.retain(|key, _| !key.ends_with("/mark"));
    let _ = fs::remove_dir_all(&dumps);
    Ok(figures)
}
