//! `cargo xtask bench growth`: does cost grow as the schema does? Shapes of schemas in growing sizes, this engine and its
//! peers, and the part of the page that comes of it: a table and a plot for each shape.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::page;
use super::plot::{Labels, Scale, Series, lines};
use super::results::{CaseResult, Outcome, Run};
use super::setup::{self, Places, pinned};
use super::tables::table;
use super::{PEERS, Peer};

/// What `cargo xtask bench growth --help` says.
const USAGE: &str = "\
usage: cargo xtask bench growth [--limit S] [--sizes N,…] [--only NAME,…] [--command FILE] [--report]

  --limit S       seconds that one case may take [default: 10]
  --sizes N       only these sizes [default: 2,4,8,16,32,64]
  --only NAME     only these, and the page from them and what other results are there: tokenstile, llguidance,
                  glrmask, xgrammar
  --command FILE  measure this command instead of one that is built for it
  --report        measure nothing: write the part of the page of the results that are there

Writes a part of docs/benchmarks.md, and plots to docs/benchmarks/growth. It needs ../shared/peerbench and
../shared/shapes.";

const BEGIN: &str = "<!-- from here on written by `cargo xtask bench growth` -->";
const END: &str = "<!-- up to here: growth -->";

const SIZES: &str = "2,4,8,16,32,64";
const OURS: &str = "tokenstile";
/// So many times as long as it may take, a case is waited for.
const WAIT: u64 = 12;
/// How often it is looked whether a case is done.
const LOOK: Duration = Duration::from_millis(20);

struct Options {
    limit: u64,
    sizes: String,
    only: Vec<String>,
    command: Option<PathBuf>,
    report: bool,
}

impl Options {
    fn parse(arguments: &[&str]) -> Option<Options> {
        let (limit, sizes) = (10, SIZES.to_owned());
        let mut options = Options { limit, sizes, only: Vec::new(), command: None, report: false };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "--limit" => options.limit = rest.next()?.parse().ok().filter(|&limit| limit > 0)?,
                "--sizes" => options.sizes = rest.next().filter(|sizes| are_numbers(sizes))?.to_string(),
                "--only" => options.only.extend(rest.next()?.split(',').map(str::to_owned)),
                "--command" => options.command = Some(rest.next()?.into()),
                "--report" => options.report = true,
                _ => return None,
            }
        }
        let known = |name: &String| name == OURS || PEERS.iter().any(|peer| peer.name == name);
        options.only.iter().all(known).then_some(options)
    }

    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

/// Whether a text is numbers with commas between them.
fn are_numbers(text: &str) -> bool {
    text.split(',').all(|number| number.parse().is_ok_and(|number: u32| number > 0))
}

/// Measures, and writes its part of the page.
pub(super) fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    let Some(options) = Options::parse(arguments) else {
        println!("{USAGE}");
        return ExitCode::from(if arguments.contains(&"--help") { 0 } else { 2 });
    };
    if !root.join("../shared/peerbench").is_dir() || !root.join("../shared/shapes").is_dir() {
        println!("SKIPPED: ../shared/peerbench or ../shared/shapes is not there");
        return ExitCode::SUCCESS;
    }
    let places = Places::new(root);
    let done = if options.report { Ok(()) } else { measure(&places, &options) };
    match done.and_then(|()| write(&places)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The result file of an engine.
fn result(name: &str) -> String {
    format!("growth-{name}")
}

fn measure(places: &Places, options: &Options) -> Result<(), String> {
    let in_words = |error: std::io::Error| error.to_string();
    places.copy_harness().map_err(in_words)?;
    places.install("jsonschema==4.26.0", true)?;
    let cases = places.results.join("growth.cases");
    let mut python = Command::new(places.python());
    python.arg(places.root.join("tools/bench/growth.py")).arg(places.root.join("../shared/shapes/shapes.py"));
    setup::run(python.arg(places.data("tokenizer.json")).arg(&options.sizes).arg(&cases))?;
    let about = format!("{} At most {} s for a case.", page::about(" growth"), options.limit);
    fs::write(places.results.join("growth.txt"), about).map_err(in_words)?;
    if options.wants(OURS) {
        println!("bench: measuring {OURS}");
        ours(places, options, &cases)?;
    }
    for peer in PEERS.iter().filter(|peer| options.wants(peer.name)) {
        println!("bench: measuring {}", peer.name);
        if let Err(error) = theirs(places, options, peer, &cases) {
            println!("bench: SKIPPED {}: {error}", peer.name);
        }
    }
    Ok(())
}

/// This engine: each case in a process of its own, so that one that takes too long is ended.
fn ours(places: &Places, options: &Options, cases: &Path) -> Result<(), String> {
    let command = match &options.command {
        Some(command) => command.clone(),
        None => {
            places.build_tokenstile()?;
            places.tokenstile()
        }
    };
    let in_words = |error: std::io::Error| error.to_string();
    let (one, found) = (places.results.join("one.case"), places.results.join("one.result"));
    let mut all = String::new();
    for case in fs::read_to_string(cases).map_err(in_words)?.lines() {
        fs::write(&one, case).map_err(in_words)?;
        // A limit of the time of a processor: the machine may have other things to do.
        let mut bench = pinned(Path::new("sh"));
        bench
            .arg("-c")
            .arg("ulimit -t \"$0\"; exec \"$@\"")
            .arg((options.limit + 2).to_string())
            .arg(&command);
        bench.arg("bench").arg("--table-cache").arg(places.tables());
        bench
            .arg("--vocab")
            .arg(places.data("vocab.jsonl"))
            .arg("--cases")
            .arg(&one)
            .arg("--out")
            .arg(&found);
        if within(bench.stderr(Stdio::null()), Duration::from_secs(WAIT * options.limit))? {
            all += &fs::read_to_string(&found).map_err(in_words)?;
        } else {
            let case: serde_json::Value = serde_json::from_str(case).map_err(|error| error.to_string())?;
            let _ = writeln!(all, "{}", serde_json::json!({"id": case["id"], "timeout": "mask"}));
        }
    }
    fs::write(places.result(&result(OURS)), all).map_err(in_words)
}

/// Whether a command ends well within some time; after that it is ended.
fn within(command: &mut Command, limit: Duration) -> Result<bool, String> {
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => return Ok(status.success()),
            None if start.elapsed() < limit => sleep(LOOK),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(false);
            }
        }
    }
}

fn theirs(places: &Places, options: &Options, peer: &Peer, cases: &Path) -> Result<(), String> {
    let (package, with_dependencies) = match peer.name {
        "glrmask" => ("glrmask==0.5.0", true),
        "xgrammar" => ("xgrammar==0.2.8", false),
        _ => ("llguidance==1.9.1", true),
    };
    places.install(package, with_dependencies)?;
    let mut command = pinned(&places.python());
    command.arg(places.harness.join("peerbench.py")).arg("run").arg(peer.key);
    command.arg("--timeout").arg(options.limit.to_string()).arg("--cases").arg(cases);
    setup::run(command.arg("--out").arg(places.result(&result(peer.name))))
}

/// What engines made of one shape, by size.
type BySize<'a> = BTreeMap<u32, Vec<(&'static str, &'a CaseResult)>>;

fn write(places: &Places) -> Result<(), String> {
    let names = [OURS].into_iter().chain(PEERS.iter().map(|peer| peer.name));
    let read = |name: &'static str| {
        let path = places.result(&result(name));
        path.exists().then(|| Run::read(&path)).transpose().map(|run| run.map(|run| (name, run)))
    };
    let runs: Vec<(&'static str, Run)> =
        names.filter_map(|name| read(name).transpose()).collect::<Result<_, _>>()?;
    let mut order: Vec<&str> = Vec::new();
    let mut shapes: BTreeMap<&str, BySize<'_>> = BTreeMap::new();
    for (name, run) in &runs {
        for case in &run.cases {
            let Some((shape, size)) = case.id.rsplit_once('/') else { continue };
            let Ok(size) = size.parse() else { continue };
            if !shapes.contains_key(shape) {
                order.push(shape);
            }
            shapes.entry(shape).or_default().entry(size).or_default().push((*name, case));
        }
    }
    if order.is_empty() {
        return Err("nothing was measured".into());
    }
    let docs = places.root.join("docs");
    let plots = docs.join("benchmarks/growth");
    let in_words = |error: std::io::Error| error.to_string();
    fs::create_dir_all(&plots).map_err(in_words)?;
    let about = fs::read_to_string(places.results.join("growth.txt")).unwrap_or_default();
    let mut part = opening(&about);
    for shape in order {
        let file = format!("{}.svg", file_name(shape));
        fs::write(plots.join(&file), plot(shape, &shapes[shape])).map_err(in_words)?;
        let _ = write!(
            part,
            "\n### {shape}\n\n<img src=\"benchmarks/growth/{file}\" width=\"420\" alt=\"The slowest wait by size\">\n\n{}",
            rows(&shapes[shape])
        );
    }
    let page = docs.join("benchmarks.md");
    let old = fs::read_to_string(&page).unwrap_or_default();
    fs::write(&page, replaced(&old, &part)).map_err(in_words)?;
    println!("bench: wrote {}", page.display());
    Ok(())
}

fn opening(about: &str) -> String {
    format!(
        "## Growth\n\nShapes of schemas in growing sizes, each with an instance and a few others that differ from it in one thing, \
         valid or not as the package `jsonschema` has it; Llama-3. {about} This engine has a process of its own for each case, the \
         peers run through their Python packages. A cell is compile + first mask, slowest cold step and slowest warm step in ms, and \
         memory (what the process grew by up to the end, or what the engine says if that is more). \
         *refused*: the engine does not take the schema. *too strict*: it rejects a valid instance. *too lax*: it takes one that is not \
         valid. *broke*: an error, a crash, or the limit of time. What was not measured is left out (–). The plots have the longest time that anything waits for: compile + first \
         mask, or a cold step.\n"
    )
}

fn file_name(shape: &str) -> String {
    let plain = shape.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    plain.collect::<String>().split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// The slowest of some steps.
fn slowest(steps: &[u64]) -> u64 {
    steps.iter().copied().max().unwrap_or(0)
}

/// Milliseconds in words.
fn ms(nanoseconds: u64) -> String {
    match nanoseconds as f64 / 1e6 {
        ms if ms < 0.995 => format!("{ms:.2}"),
        ms if ms < 9.95 => format!("{ms:.1}"),
        ms => format!("{ms:.0}"),
    }
}

fn rows(sizes: &BySize<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in sizes.values().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let head: Vec<String> = sizes.keys().map(u32::to_string).collect();
    let head: Vec<&str> = ["size"].into_iter().chain(head.iter().map(String::as_str)).collect();
    let row = |name: &&str| {
        let cells = sizes.values().map(|cases| {
            let case = cases.iter().find(|case| case.0 == *name);
            case.map_or_else(|| "–".to_owned(), |case| cell(case.1))
        });
        [(*name).to_owned()].into_iter().chain(cells).collect::<Vec<_>>()
    };
    table(&head, &names.iter().map(row).collect::<Vec<_>>())
}

fn cell(case: &CaseResult) -> String {
    let words = match case.outcome {
        Outcome::Refused => return "refused".into(),
        Outcome::Broke => return "broke".into(),
        Outcome::Passed => "",
        Outcome::RejectedValid => ", too strict",
        Outcome::AcceptedInvalid => ", too lax",
    };
    let memory = case.resident.unwrap_or(0).max(case.own.unwrap_or(0).try_into().unwrap_or(i64::MAX));
    let first = case.first.map_or("–".into(), ms);
    let (cold, warm) = (ms(slowest(&case.cold)), ms(slowest(&case.warm)));
    format!("{first} / {cold} / {warm}, {:.0} MB{words}", memory as f64 / 1e6)
}

/// The longest wait of every engine by size.
fn plot(shape: &str, sizes: &BySize<'_>) -> String {
    let mut series: Vec<Series> = Vec::new();
    for (size, cases) in sizes {
        for (name, case) in cases.iter().filter(|case| case.1.first.is_some()) {
            let longest = case.first.unwrap_or(0).max(slowest(&case.cold));
            let point = (f64::from(*size), longest as f64 / 1e6);
            match series.iter_mut().find(|one| one.name == *name) {
                Some(one) => one.points.push(point),
                None => series.push(Series { name: (*name).to_owned(), points: vec![point] }),
            }
        }
    }
    let points = || series.iter().flat_map(|one| one.points.iter());
    let (x, y) = (Scale::around(points().map(|p| p.0)), Scale::around(points().map(|p| p.1)));
    lines(&Labels { title: shape, x: "size", y: "ms" }, x, y, &series)
}

/// The page with this part of it replaced, or at its end if it has none yet.
fn replaced(old: &str, part: &str) -> String {
    let part = format!("{BEGIN}\n\n{part}\n{END}\n");
    if let (Some(begin), Some(end)) = (old.find(BEGIN), old.find(END)) {
        let rest = &old[end + END.len()..];
        return format!("{}{part}{}", &old[..begin], rest.strip_prefix('\n').unwrap_or(rest));
    }
    format!("{}\n\n{part}", old.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_is_put_in_its_place() {
        let once = replaced("# Page\n\ntext\n", "one");
        assert_eq!(once, format!("# Page\n\ntext\n\n{BEGIN}\n\none\n{END}\n"));
        assert_eq!(
            replaced(&format!("{once}\nmore\n"), "two"),
            format!("# Page\n\ntext\n\n{BEGIN}\n\ntwo\n{END}\n\nmore\n")
        );
    }

    #[test]
    fn names_and_options() {
        assert_eq!(file_name("if/then, type last"), "if-then-type-last");
        assert!(Options::parse(&["--limit", "5", "--only", "glrmask"]).is_some_and(|o| !o.wants(OURS)));
        assert!(
            Options::parse(&["--sizes", "2,16"]).is_some() && Options::parse(&["--sizes", "2,"]).is_none()
        );
        assert!(
            Options::parse(&["--only", "nothing"]).is_none() && Options::parse(&["--limit", "0"]).is_none()
        );
        assert_eq!([ms(20_000), ms(1_500_000), ms(70_000_000)], ["0.02", "1.5", "70"]);
    }
}
