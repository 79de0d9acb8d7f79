//! Holds the JSON Schema front end against real schemas, the official suite and an independent validator.
//!
//! Four sweeps (`maskbench`, `suite`, `soundness`, `completeness`) over the data in `../shared`, and a ratchet: what fails
//! must be in `baseline.json`. `cargo xtask conformance` runs it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command, not a library")]

mod allocate;
mod completeness;
mod data;
mod decimal;
mod known;
mod maskbench;
mod mutate;
mod oracle;
mod ratchet;
mod report;
mod respell;
mod runner;
mod sampler;
mod setup;
mod soundness;
mod subject;
mod suite;
mod text;
mod vocabulary;

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};

use data::Unreadable;
use ratchet::Baseline;
use report::Tally;
use setup::Setup;
use subject::Reading;

#[global_allocator]
static ALLOCATOR: allocate::Counting = allocate::Counting;

/// Hold the JSON Schema front end against real schemas, the official suite and an independent validator.
#[derive(Parser)]
#[command(name = "cargo xtask conformance")]
struct Args {
    /// Run everything, not the sample
    #[arg(long)]
    full: bool,
    /// Write what came of it to the baseline (needs --full)
    #[arg(long, requires = "full")]
    update: bool,
    /// Run only these sweeps
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SWEEP,…")]
    only: Vec<Sweep>,
    /// Run only this case, with details: the name of a MaskBench schema, or file and group of the suite
    #[arg(long, value_name = "NAME", conflicts_with = "update")]
    id: Option<String>,
    /// Run all schemas of MaskBench on a real vocabulary too, not some of them: for what they take of memory
    #[arg(long, conflicts_with = "update")]
    all_real: bool,
    /// Read every schema as any JSON value: what the sweeps find where nothing is enforced
    #[arg(long, conflicts_with = "update")]
    any_json: bool,
    /// Where the data is
    #[arg(long, value_name = "FOLDER", default_value = "../shared")]
    shared: PathBuf,
    /// Where the complete lists go, one file a sweep
    #[arg(long, value_name = "FOLDER", default_value = "target/conformance-lists")]
    lists: PathBuf,
    /// Findings of a kind to show here
    #[arg(long, value_name = "N", default_value_t = 5)]
    show: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sweep {
    Maskbench,
    Suite,
    Soundness,
    Completeness,
}

impl Sweep {
    const ALL: [Sweep; 4] = [Sweep::Maskbench, Sweep::Suite, Sweep::Soundness, Sweep::Completeness];

    fn name(self) -> &'static str {
        match self {
            Sweep::Maskbench => "maskbench",
            Sweep::Suite => "suite",
            Sweep::Soundness => "soundness",
            Sweep::Completeness => "completeness",
        }
    }

    fn run(self, setup: &Setup) -> Result<Tally, Unreadable> {
        match self {
            Sweep::Maskbench => maskbench::run(setup),
            Sweep::Suite => suite::run(setup),
            Sweep::Soundness => soundness::run(setup),
            Sweep::Completeness => completeness::run(setup),
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(Unreadable(why)) => {
            eprintln!("conformance: {why}");
            ExitCode::from(2)
        }
    }
}

/// Runs the sweeps; whether nothing is worse than the baseline.
fn run(args: &Args) -> Result<bool, Unreadable> {
    let setup = Setup {
        shared: args.shared.clone(),
        full: args.full,
        id: args.id.clone(),
        all_real: args.all_real,
        reading: if args.any_json { Reading::AnyJson } else { Reading::Schema },
        schemas: OnceCell::new(),
    };
    let mut baseline = Baseline::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("baseline.json"))?;
    runner::keep_panics();
    let started = Instant::now();
    let mut worse = 0;
    for sweep in Sweep::ALL.into_iter().filter(|sweep| args.only.is_empty() || args.only.contains(sweep)) {
        let tally = sweep.run(&setup)?;
        if args.id.is_some() {
            println!("{}:\n{}", sweep.name(), tally.lists());
            continue;
        }
        write_lists(args, sweep, &tally)?;
        println!("{}", tally.summary(sweep.name(), args.show));
        worse += compare(args, sweep, &tally, &baseline);
        baseline.set(sweep.name(), &tally);
    }
    if args.update {
        baseline.save()?;
        println!("the baseline is written");
        return Ok(true);
    }
    if args.id.is_some() {
        return Ok(true);
    }
    println!("conformance: {worse} worse than the baseline ({:.0} s)", started.elapsed().as_secs_f64());
    Ok(worse == 0)
}

/// Prints how a sweep compares with the baseline; how many things are worse.
fn compare(args: &Args, sweep: Sweep, tally: &Tally, baseline: &Baseline) -> usize {
    let comparison = baseline.compare(sweep.name(), tally);
    let most = args.show * 4;
    for (heading, lines) in [("WORSE than the baseline", &comparison.worse), ("better", &comparison.better)] {
        if lines.is_empty() {
            continue;
        }
        println!("  {} {heading}:", lines.len());
        lines.iter().take(most).for_each(|line| println!("    {line}"));
        if lines.len() > most {
            println!("    … and {} more", lines.len() - most);
        }
    }
    if !comparison.better.is_empty() && !args.update {
        println!("  (cargo xtask conformance --full --update takes it over)");
    }
    println!();
    comparison.worse.len()
}

fn write_lists(args: &Args, sweep: Sweep, tally: &Tally) -> Result<(), Unreadable> {
    let path = args.lists.join(format!("{}.txt", sweep.name()));
    let written = fs::create_dir_all(&args.lists).and_then(|()| fs::write(&path, tally.lists()));
    written.map_err(|error| Unreadable(format!("{}: {error}", path.display())))
}
