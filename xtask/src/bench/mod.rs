//! `cargo xtask bench`: this engine and its peers over the same cases, one after the other on one core, and the page
//! and the plots that come of it. What is quick is measured several times, between the others, so that a bad moment of the
//! machine is not all of an engine.
//!
//! Everything is below `target/bench`; a full run writes `docs/benchmarks.md` and `docs/benchmarks/`, a quick or a
//! partial one writes the same below `target/bench/docs`, since its figures are not to be published.

mod growth;
mod live;
mod page;
mod plot;
mod plots;
mod results;
mod scaling;
mod sections;
mod setup;
mod tables;
mod targets;
mod workloads;

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::rc::Rc;
use std::time::Instant;

use results::{Comparison, Engines, Run, Runs};
use setup::{Places, pinned};

/// What `cargo xtask bench --help` says.
pub(crate) const USAGE: &str = "\
usage: cargo xtask bench [--quick] [--limit N] [--only NAME,…] [--report]
       cargo xtask bench growth [--help]

  --quick       the first 60 cases only (any prefix of the cases is a fair sample)
  --limit N     the first N cases only
  --only NAME   only these, and the page from them and what other results are there: tokenstile (as it is, each
                text alone, warmed, built with a profile), llguidance, glrmask, xgrammar, verified, first,
                scaling, batch, memory, vocabularies, patterns, grammars, rest (other schemas of MaskBench,
                and the slowest of them)
  --report      measure nothing: write the page of the results that are there

A full run takes about fifty minutes and writes docs/benchmarks.md and the plots beside it; any other writes
them to target/bench/docs. It needs the project's shared data (../shared/peerbench, ../shared/maskbench), what
tools/fixtures.py fetches, taskset, and for the build with a profile what `cargo xtask optimize --help` says; what
is not there is left out. The command is built without what runs models, in target/release and target/profiled.";

/// An engine that is measured.
struct Engine {
    /// What it is called with `--only`, and its result file.
    key: &'static str,
    /// What the page calls it.
    name: &'static str,
    /// The rounds that it is measured in, each time in a process of its own.
    rounds: Range<usize>,
    /// What is to be had before.
    prepare: fn(&Places) -> Result<(), String>,
    /// The command that measures it over the cases in the harness's data, into the result of a name.
    command: fn(&Places, limit: usize, result: &str) -> Command,
}

/// Parts that are measured beside the engines over the cases.
const PARTS: [&str; 9] =
    ["verified", "first", "scaling", "batch", "memory", "vocabularies", "patterns", "grammars", "rest"];

/// So often engines are measured that are quick or that targets compare with; others, in one of these rounds.
const ROUNDS: usize = 3;

/// This engine with a constraint of its own for every text, in processes of their own: what a text leaves behind in the
/// tables of the vocabulary is not there either.
const ALONE: &str = "tokenstile-alone";

/// How many constraints are measured as the first of a process.
const FIRSTS: usize = 20;

/// What the page calls this engine when it was built with a profile, and when constraints were warmed: for as long as a
/// short prompt is processed.
const PROFILED: &str = "Tokenstile, built with a profile";
const WARMED: &str = "Tokenstile, warmed for 5 ms";
const WARM_US: &str = "5000";

const ENGINES: [Engine; 7] = [
    Engine {
        key: "tokenstile",
        name: "Tokenstile",
        rounds: 0..ROUNDS,
        prepare: Places::build_tokenstile,
        command: |places, limit, result| ours(places, limit, result),
    },
    Engine {
        key: ALONE,
        name: "Tokenstile",
        rounds: 0..ROUNDS,
        prepare: Places::build_tokenstile,
        command: |places, limit, result| {
            let mut command = ours(places, limit, result);
            command.arg("--alone");
            command
        },
    },
    Engine {
        key: "tokenstile-profiled",
        name: PROFILED,
        rounds: 0..ROUNDS,
        prepare: Places::build_profiled,
        command: |places, limit, result| {
            over_cases(bench_by(&places.profiled(), places), places, limit, result)
        },
    },
    Engine {
        key: "tokenstile-warmed",
        name: WARMED,
        rounds: 0..ROUNDS,
        prepare: Places::build_tokenstile,
        command: |places, limit, result| {
            let mut command = ours(places, limit, result);
            command.args(["--warm-us", WARM_US]);
            command
        },
    },
    Engine {
        key: "llguidance",
        name: "llguidance, native",
        rounds: 0..ROUNDS,
        prepare: Places::build_llgbench,
        command: |places, limit, result| {
            let mut command = pinned(&places.llgbench());
            command.arg("general").arg(places.result(result)).arg(limit.to_string());
            command
        },
    },
    Engine {
        key: "glrmask",
        name: "glrmask",
        rounds: 0..ROUNDS,
        prepare: |places| places.install("glrmask==0.5.0", true),
        command: |places, limit, result| python(places, limit, "glr-dwa", result),
    },
    Engine {
        key: "xgrammar",
        name: "xgrammar",
        rounds: 2..3,
        prepare: |places| places.install("xgrammar==0.2.8", false),
        command: |places, limit, result| python(places, limit, "xgr", result),
    },
];

impl Engine {
    /// The name of its result in a round; that of the first has no number.
    fn result(&self, prefix: &str, round: usize) -> String {
        match round - self.rounds.start {
            0 => format!("{prefix}{}", self.key),
            again => format!("{prefix}{}-{}", self.key, again + 1),
        }
    }
}

/// Has engines go over the cases that are there, in rounds, into results whose names begin with `prefix`. One that
/// fails leaves no result, and the others go on.
fn in_rounds(places: &Places, engines: &[&Engine], prefix: &str, limit: impl Fn(&Engine) -> usize) {
    for round in 0..ROUNDS {
        for engine in engines.iter().filter(|engine| engine.rounds.contains(&round)) {
            let result = engine.result(prefix, round);
            let started = Instant::now();
            match setup::run(&mut (engine.command)(places, limit(engine), &result)) {
                Ok(()) => println!("bench: {result}: {:.0} s", started.elapsed().as_secs_f64()),
                Err(error) => {
                    println!("bench: {result} FAILED: {error}");
                    let _ = fs::remove_file(places.result(&result));
                }
            }
        }
    }
}

/// A peer through its Python package.
struct Peer {
    /// What the page calls it, and the key of its [`Engine`].
    name: &'static str,
    /// What the harness calls it.
    key: &'static str,
}

const PEERS: [Peer; 3] = [
    Peer { name: "llguidance", key: "llg" },
    Peer { name: "glrmask", key: "glr-dwa" },
    Peer { name: "xgrammar", key: "xgr" },
];

/// Our loop over the harness's vocabulary, with its tables from a file, as a server has them.
fn our_bench(places: &Places) -> Command {
    bench_by(&places.tokenstile(), places)
}

fn bench_by(tokenstile: &Path, places: &Places) -> Command {
    let mut command = pinned(tokenstile);
    command
        .arg("bench")
        .arg("--table-cache")
        .arg(places.tables())
        .arg("--vocab")
        .arg(places.data("vocab.jsonl"));
    command
}

fn ours(places: &Places, limit: usize, result: &str) -> Command {
    over_cases(our_bench(places), places, limit, result)
}

fn over_cases(mut command: Command, places: &Places, limit: usize, result: &str) -> Command {
    command.arg("--cases").arg(places.data("cases.jsonl")).arg("--out").arg(places.result(result));
    command.arg("--limit").arg(limit.to_string());
    command
}

fn python(places: &Places, limit: usize, engine: &str, result: &str) -> Command {
    let mut command = pinned(&places.python());
    command.arg(places.harness.join("peerbench.py")).arg("run").arg(engine);
    command.arg("--limit").arg(limit.to_string()).arg("--out").arg(places.result(result));
    command
}

/// What was asked for.
struct Options {
    limit: usize,
    only: Vec<String>,
    report: bool,
    arguments: String,
}

impl Options {
    fn parse(arguments: &[&str]) -> Option<Options> {
        let arguments_shown = arguments.iter().map(|a| format!(" {a}")).collect();
        let mut options =
            Options { limit: usize::MAX, only: Vec::new(), report: false, arguments: arguments_shown };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "--quick" => options.limit = 60,
                "--limit" => options.limit = rest.next()?.parse().ok().filter(|&limit| limit > 0)?,
                "--only" => options.only.extend(rest.next()?.split(',').map(str::to_owned)),
                "--report" => options.report = true,
                _ => return None,
            }
        }
        let known = |name: &String| ENGINES.iter().any(|e| e.key == name) || PARTS.contains(&name.as_str());
        options.only.iter().all(known).then_some(options)
    }

    fn wants(&self, key: &str) -> bool {
        let key = key.split('-').next().unwrap_or(key);
        self.only.is_empty() || self.only.iter().any(|name| name == key)
    }

    /// Whether the figures are to be published.
    fn is_full(&self) -> bool {
        self.limit == usize::MAX && self.only.is_empty()
    }
}

/// All that was measured.
struct Measured {
    /// With the cases of the harness.
    schemas: Comparison,
    /// Constraints measured as the first of a process.
    first: Option<Run>,
    scaling: Vec<scaling::Point>,
    /// Engines with other vocabularies.
    vocabularies: Vec<workloads::Measured>,
    /// Engines with patterns and with grammars.
    patterns: Engines,
    grammars: Engines,
    /// This engine with all other schemas of MaskBench.
    rest: Option<Runs>,
    /// The outcome of comparing masks with the reference, in words.
    verified: Option<String>,
    /// Memory of constraints that are alive together.
    live: Vec<live::Live>,
    /// Command, commit, date and machine of all this.
    about: String,
}

/// Measures, and writes the page.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    if let ["growth", rest @ ..] = arguments {
        return growth::run(root, rest);
    }
    let Some(options) = Options::parse(arguments) else {
        println!("{USAGE}");
        return ExitCode::from(if arguments.contains(&"--help") { 0 } else { 2 });
    };
    if !root.join("../shared/peerbench").is_dir() {
        println!(
            "SKIPPED: ../shared/peerbench is not there, and the measurement needs its cases and its harness"
        );
        return ExitCode::SUCCESS;
    }
    match measure(root, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(root: &Path, options: &Options) -> Result<(), String> {
    let places = Places::new(root);
    if !options.report {
        places.copy_harness().map_err(|error| format!("the harness could not be copied: {error}"))?;
        if options.only.is_empty() {
            let _ = fs::remove_dir_all(&places.results);
        }
        fs::create_dir_all(&places.results).map_err(|error| error.to_string())?;
        let about = page::about(&options.arguments);
        fs::write(places.about(), about).map_err(|error| error.to_string())?;
        all(&places, options)?;
    }
    let measured = collect(&places);
    if measured.is_empty() {
        return Err("nothing was measured".into());
    }
    // Results of a partial run stay unpublished when the page is only written again.
    let is_full = options.is_full() && measured.about.contains("`cargo xtask bench`");
    let docs = if is_full { root.join("docs") } else { places.results.join("../docs") };
    page::write(root, &docs, &measured).map_err(|error| error.to_string())?;
    println!("bench: wrote {}", docs.join("benchmarks.md").display());
    Ok(())
}

/// Measures all that is wanted.
fn all(places: &Places, options: &Options) -> Result<(), String> {
    let with_peers =
        ["memory", "vocabularies", "patterns", "grammars"].iter().any(|part| options.wants(part));
    let ready: Vec<&Engine> = ENGINES
        .iter()
        .filter(|engine| (with_peers || options.wants(engine.key)) && prepare(engine, places))
        .collect();
    if PARTS.iter().any(|part| options.wants(part)) {
        places.build_tokenstile()?;
    }
    if options.wants("verified") {
        println!("bench: comparing masks with the reference");
        workloads::verified(places, options.limit)?;
    }
    let wanted: Vec<&Engine> = ready.iter().copied().filter(|engine| options.wants(engine.key)).collect();
    in_rounds(places, &wanted, "", |_| options.limit);
    if options.wants("first") {
        timed("the first constraint of a process", || firsts(places));
    }
    if options.wants("scaling") {
        timed("scaling", || setup::run(&mut scaling::command(places)));
    }
    if options.wants("batch") {
        timed("a batch on two threads", || setup::run(&mut scaling::batch(places)));
    }
    if options.wants("memory") {
        timed("memory of live constraints", || live::measure(places));
    }
    if options.wants("grammars") {
        timed("grammars", || workloads::grammars(places, &ready));
    }
    if options.wants("patterns") {
        timed("patterns", || workloads::patterns(places, &ready));
    }
    if options.wants("rest") {
        timed("all other schemas", || workloads::rest(places, options.limit));
    }
    if options.wants("vocabularies") {
        workloads::vocabularies(places, &ready, options.limit);
    }
    Ok(())
}

impl Measured {
    fn is_empty(&self) -> bool {
        self.schemas.engines.is_empty()
            && self.scaling.is_empty()
            && self.vocabularies.is_empty()
            && self.patterns.is_empty()
            && self.grammars.is_empty()
            && self.rest.is_none()
            && self.first.is_none()
            && self.verified.is_none()
            && self.live.is_empty()
    }
}

fn prepare(engine: &Engine, places: &Places) -> bool {
    println!("bench: preparing {}", engine.name);
    let done = (engine.prepare)(places);
    if let Err(error) = &done {
        println!("bench: SKIPPED {}: it could not be set up: {error}", engine.name);
    }
    done.is_ok()
}

/// Does one thing and says how long it took, or that it failed.
fn timed(name: &str, work: impl FnOnce() -> Result<(), String>) {
    println!("bench: measuring {name}");
    let started = Instant::now();
    match work() {
        Ok(()) => println!("bench: {name}: {:.0} s", started.elapsed().as_secs_f64()),
        Err(error) => println!("bench: {name} FAILED: {error}"),
    }
}

/// Each of the first cases in a process of its own.
fn firsts(places: &Places) -> Result<(), String> {
    let cases = fs::read_to_string(places.data("cases.jsonl")).map_err(|error| error.to_string())?;
    let (one, result) = (places.results.join("one.case"), places.results.join("one.result"));
    let mut all = String::new();
    for case in cases.lines().take(FIRSTS) {
        fs::write(&one, case).map_err(|error| error.to_string())?;
        let mut command = our_bench(places);
        command.args(["--warm-tables-ms", "0"]);
        setup::run(command.arg("--cases").arg(&one).arg("--out").arg(&result))?;
        all += &fs::read_to_string(&result).map_err(|error| error.to_string())?;
    }
    fs::write(places.result("first"), all).map_err(|error| error.to_string())
}

/// Reads what lies in the results folder.
fn collect(places: &Places) -> Measured {
    let read = |key: &str| {
        let path = places.result(key);
        path.exists().then(|| Run::read(&path).map_err(|error| println!("bench: {error}")).ok()).flatten()
    };
    let runs = |prefix: &str, engine: &Engine| {
        let all = engine.rounds.clone().filter_map(|round| read(&engine.result(prefix, round))).collect();
        Some((engine.name, Rc::new(Runs::of(all)?)))
    };
    let [ours, alone, profiled, warmed, peers @ ..] = &ENGINES;
    let of = |prefix: &str| {
        let peers: Engines = peers.iter().filter_map(|peer| runs(prefix, peer)).collect();
        let beside = |ours: Option<_>| ours.into_iter().chain(peers.iter().cloned()).collect();
        // Without runs of its own this is no part of the page.
        let alone = runs(prefix, alone).map_or_else(Vec::new, |alone| beside(Some(alone)));
        let variants = [profiled, warmed].into_iter().filter_map(|engine| runs(prefix, engine)).collect();
        Comparison { engines: beside(runs(prefix, ours)), alone, variants }
    };
    let python = |prefix: &str, peer: &Peer| {
        Some((peer.name, Rc::new(Runs::of(vec![read(&format!("{prefix}{}", peer.name))?])?)))
    };
    let through_python = |prefix: &str| {
        let peers = PEERS.iter().filter_map(|peer| python(prefix, peer));
        runs(prefix, alone).into_iter().chain(peers).collect()
    };
    let about = fs::read_to_string(places.about()).unwrap_or_else(|_| "Of an unknown run.".into());
    let mut scaling = scaling::read(&places.result("scaling"));
    scaling.extend(scaling::read(&places.result("batch")));
    Measured {
        schemas: of(""),
        first: read("first"),
        scaling,
        vocabularies: workloads::VOCABULARIES
            .iter()
            .map(|vocabulary| workloads::Measured { vocabulary, comparison: of(&vocabulary.prefix()) })
            .filter(|measured| !measured.comparison.engines.is_empty())
            .collect(),
        patterns: of("patterns-").alone,
        grammars: through_python("grammars-"),
        rest: Runs::of(workloads::REST.into_iter().filter_map(read).collect()),
        verified: fs::read_to_string(places.verified()).ok(),
        live: live::read(&places.result("live")),
        about,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options = Options::parse(&["--quick", "--only", "tokenstile,glrmask"]).unwrap();
        assert!(options.wants("tokenstile") && options.wants(ALONE) && !options.wants("xgrammar"));
        assert!(options.limit == 60 && !options.is_full());
        assert!(Options::parse(&[]).unwrap().is_full());
        assert!(Options::parse(&["--only", "nothing"]).is_none() && Options::parse(&["--what"]).is_none());
    }
}
