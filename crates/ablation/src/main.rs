//! The command that `cargo xtask ablate` runs, natively and under callgrind.
//!
//!     ablation ways                            the names of all ways, and what each is
//!     ablation prepare VOCAB TABLES MICRO      the tables of a vocabulary, so that it is there at once, and the micro-cases
//!     ablation timed OPTIONS                   the times of all steps, the best of some rounds, and a hash of the masks
//!     ablation counted OPTIONS                 goes through the cases once; what each function of callgrind's dump is for
//!     ablation step OPTIONS                    one step of a case: its time without each way, and the memos that it asked
//!
//! Options: `--vocab FILE`, `--tables FILE`, `--cases FILE` (may be repeated; a workload is called as its file), `--most TOKENS`
//! of a text, `--nth N`: of large workloads only every N-th case, `--off WAY` (may be repeated), `--rounds N`, `--limit SECONDS`
//! for a round, `--single KIND:CASE:STEP,…` for what is counted by itself, `--step CASE:STEP` for what is explained.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command, not a library")]

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use tokenstile::{Compiler, Vocab};
use tokenstile_ablation::explain::{self, Explained};
use tokenstile_ablation::run::{self, Kind, Step};
use tokenstile_ablation::{Case, Workload, workload};
use tokenstile_engine::ablate;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match start(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ablation: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    match arguments {
        [command] if command == "ways" => {
            ablate::ways().for_each(|(name, what)| println!("{}", json!([name, what])));
            Ok(())
        }
        [command, vocab, tables, micro] if command == "prepare" => {
            let compiler = Compiler::new(Vocab::from_jsonl(&fs::read(vocab)?)?);
            compiler.save_tables(std::io::BufWriter::new(fs::File::create(tables)?))?;
            let lines: Vec<String> = workload::micro(compiler.vocab()).collect();
            Ok(fs::write(micro, lines.join("\n") + "\n")?)
        }
        [command, options @ ..] => {
            let options = Options::parse(options)?;
            let off: Vec<&str> = options.off.iter().map(String::as_str).collect();
            ablate::turn_off(&off).map_err(|name| format!("there is no way called {name}"))?;
            match command.as_str() {
                "timed" => timed(&options),
                "counted" => counted(&options),
                "step" => explained(&options),
                other => Err(format!("unknown command {other}").into()),
            }
        }
        _ => Err("what is there to do?".into()),
    }
}

/// A workload of more cases is large.
const LARGE: usize = 50;

/// Times differ by less, in per cent, from one run to the next.
const MATTERS: f64 = 10.0;

#[derive(Default)]
struct Options {
    vocab: String,
    tables: String,
    cases: Vec<String>,
    most: usize,
    nth: usize,
    off: Vec<String>,
    rounds: usize,
    limit: f64,
    single: HashSet<Step>,
    /// The name of a case, and the number of a step.
    step: Option<(String, usize)>,
}

impl Options {
    fn parse(words: &[String]) -> Result<Options, Box<dyn Error>> {
        let mut options = Options { most: usize::MAX, nth: 1, rounds: 1, limit: 1e6, ..Options::default() };
        for pair in words.chunks(2) {
            let [name, value] = pair else { return Err("each option has a value".into()) };
            match name.as_str() {
                "--vocab" => options.vocab = value.clone(),
                "--tables" => options.tables = value.clone(),
                "--cases" => options.cases.push(value.clone()),
                "--most" => options.most = value.parse()?,
                "--nth" => options.nth = value.parse()?,
                "--off" => options.off.push(value.clone()),
                "--rounds" => options.rounds = value.parse()?,
                "--limit" => options.limit = value.parse()?,
                "--single" => {
                    let steps = value.split(',').filter(|step| !step.is_empty());
                    options.single = steps.map(step_of).collect::<Result<_, _>>()?;
                }
                "--step" => {
                    let (case, step) = value.rsplit_once(':').ok_or("a step is CASE:STEP")?;
                    options.step = Some((case.to_owned(), step.parse()?));
                }
                other => return Err(format!("unknown option {other}").into()),
            }
        }
        Ok(options)
    }

    /// A compiler that was not used before.
    fn compiler(&self) -> Result<Compiler, Box<dyn Error>> {
        let vocab = Vocab::from_jsonl(&fs::read(&self.vocab)?)?;
        Ok(Compiler::from_tables(vocab, fs::read(&self.tables)?)?)
    }

    /// The cases with such a compiler.
    fn workload(&self) -> Result<Workload, Box<dyn Error>> {
        let compiler = self.compiler()?;
        let mut cases = Vec::new();
        for file in &self.cases {
            let name = Path::new(file).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            let text = fs::read_to_string(file)?;
            let nth = if text.lines().count() > LARGE { self.nth } else { 1 };
            for line in text.lines().step_by(nth) {
                cases.extend(Case::parse(name, line, self.most)?);
            }
        }
        Ok(Workload { compiler, cases })
    }
}

fn step_of(text: &str) -> Result<Step, Box<dyn Error>> {
    let mut parts = text.split(':');
    let (Some(kind), Some(case), Some(step)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(format!("{text} is no step").into());
    };
    let kind = Kind::ALL.iter().find(|known| known.1 == kind).ok_or("unknown kind of step")?;
    Ok((kind.0, case.parse()?, step.parse()?))
}

fn name_of((kind, case, step): Step) -> String {
    let kind = Kind::ALL.iter().find(|known| known.0 == kind).map_or("", |known| known.1);
    format!("{kind}:{case}:{step}")
}

/// Prints the best times of all steps.
fn timed(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut best: BTreeMap<Step, u64> = BTreeMap::new();
    let (mut masks, mut failed, mut finished, mut names) = (Vec::new(), Vec::new(), true, Vec::new());
    for _ in 0..options.rounds {
        let workload = options.workload()?;
        ablate::asked();
        let timed = run::timed(&workload, Duration::from_secs_f64(options.limit));
        for (step, nanos) in timed.steps {
            best.entry(step).and_modify(|known| *known = nanos.min(*known)).or_insert(nanos);
        }
        (masks, failed) = (timed.masks, timed.failed);
        names = workload.cases.iter().map(|case| json!([case.workload, case.name])).collect();
        finished &= timed.finished;
        if !finished {
            break;
        }
    }
    let steps: Vec<_> = best.into_iter().map(|(step, nanos)| json!([name_of(step), nanos])).collect();
    let asked = ablate::asked();
    println!(
        "{}",
        json!({"finished": finished, "failed": failed, "masks": hash_of(&masks), "asked": asked, "cases": names,
               "steps": steps})
    );
    Ok(())
}

fn hash_of(masks: &[u64]) -> String {
    let mut hasher = DefaultHasher::new();
    masks.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Prints what each function is for.
fn counted(options: &Options) -> Result<(), Box<dyn Error>> {
    let workload = options.workload()?;
    let single = |step| options.single.contains(&step).then(|| name_of(step));
    run::counted(&workload, single).iter().for_each(|(slot, label)| println!("{slot} {label}"));
    Ok(())
}

/// Prints what a step took and would take, the ways that matter most to it first.
fn explained(options: &Options) -> Result<(), Box<dyn Error>> {
    let (name, number) = options.step.as_ref().ok_or("--step says which")?;
    let workload = options.workload()?;
    let case = workload.cases.iter().find(|case| case.name == *name).ok_or("there is no such case")?;
    let Explained { nanos, mut without, memos } =
        explain::step(|| options.compiler(), case, *number, options.rounds)?;
    println!("{name}, step {number}: {:.1} us, the mask and the commit", nanos as f64 / 1e3);
    without.sort_by_key(|&(_, nanos)| Reverse(nanos));
    let changes = |nanos_without: u64| 100.0 * (nanos_without as f64 / nanos.max(1) as f64 - 1.0);
    let what: BTreeMap<&str, &str> = ablate::ways().collect();
    println!("without each of the ways that it reaches:");
    for &(way, nanos) in without.iter().filter(|way| changes(way.1).abs() >= MATTERS) {
        println!("  {:+6.0} %  {way}: {}", changes(nanos), what.get(way).unwrap_or(&""));
    }
    let same: Vec<&str> =
        without.iter().filter(|way| changes(way.1).abs() < MATTERS).map(|way| way.0).collect();
    println!("  no difference (not recognized here, or others do the same): {}", same.join(", "));
    println!("memos that were asked:");
    memos.iter().for_each(|(memo, found, made)| println!("  {memo}: {found} times found, {made} times not"));
    Ok(())
}
