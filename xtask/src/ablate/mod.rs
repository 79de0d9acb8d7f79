//! `cargo xtask ablate`: what each special case, memo and shortcut of the engine is worth.
//!
//! The crate `crates/ablation` goes through fixed workloads with one way of the engine turned off after the other. Each is
//! timed natively first, which shows the slowest steps, and then counted by callgrind, since times on shared machines move
//! by half and counts hardly move at all. What each way saves is written to `docs/performance.md`.

mod callgrind;
mod measure;
mod setup;
mod table;

use std::collections::VecDeque;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use measure::Measured;
use setup::{Places, Way};

/// What `cargo xtask ablate --help` says.
const USAGE: &str = "\
usage: cargo xtask ablate [--way NAME]… [--without NAME]… [--workload NAME]… [--sample N] [--jobs N] [--anew]
                          [--report]
       cargo xtask ablate --step CASES NAME N

  --way NAME       only this way (may be repeated); --list shows their names
  --without NAME   with this way off throughout (may be repeated): what the others are worth then
  --workload NAME  only this workload: micro, schemas, patterns, shapes, grammars, cliffs (may be repeated)
  --sample N       of large workloads only every N-th case, for a first look
  --jobs N         so many ways at a time
  --anew           measures what was measured before, too
  --report         measures nothing: writes the table of the results that are there
  --list           the ways, and what each is
  --step CASES NAME N
                   of a file of cases as `tokenstile bench` takes them, in tokens of the project's vocabulary: what step N
                   (from 0) of the case's first text takes, what it takes without each way that it reaches, and what it
                   found in memos

Results are kept in target/ablate, so that what was interrupted goes on where it was; those of some workloads,
a sample, or without a way have a folder of their own. A table of all ways and workloads goes to
docs/performance.md, any other to target/ablate. All of it takes about 40 minutes of one core. It needs
valgrind, Python with pip, and the project's shared data.";

/// What is asked for.
#[derive(Default)]
struct Options {
    ways: Vec<String>,
    without: Vec<String>,
    workloads: Vec<String>,
    jobs: usize,
    sample: usize,
    anew: bool,
    report: bool,
}

/// Measures as the arguments say.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    let mut options = Options { jobs: 1, sample: 1, ..Options::default() };
    let mut words = arguments.iter();
    while let Some(&word) = words.next() {
        match word {
            "--anew" => options.anew = true,
            "--report" => options.report = true,
            "--list" => return ended(list(root)),
            "--step" => {
                let (Some(cases), Some(name), Some(step)) = (words.next(), words.next(), words.next()) else {
                    return usage(2);
                };
                return ended(explain(root, cases, &format!("{name}:{step}")));
            }
            "--help" | "-h" => return usage(0),
            "--way" | "--without" | "--workload" | "--jobs" | "--sample" => {
                let Some(&value) = words.next() else { return usage(2) };
                match word {
                    "--way" => options.ways.push(value.to_owned()),
                    "--without" => options.without.push(value.to_owned()),
                    "--workload" => options.workloads.push(value.to_owned()),
                    _ => {
                        let Some(number) = value.parse().ok().filter(|&number| number > 0) else {
                            return usage(2);
                        };
                        *(if word == "--jobs" { &mut options.jobs } else { &mut options.sample }) = number;
                    }
                }
            }
            _ => return usage(2),
        }
    }
    ended(start(root, &options))
}

fn usage(status: u8) -> ExitCode {
    println!("{USAGE}");
    ExitCode::from(status)
}

fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ablate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn list(root: &Path) -> Result<(), String> {
    let places = Places::new(root, &[], 1, &[]);
    places.build()?;
    places.ways()?.iter().for_each(|way| println!("{:<22} {}", way.name, way.what));
    Ok(())
}

/// Says what one step of a case takes and why.
fn explain(root: &Path, cases: &str, step: &str) -> Result<(), String> {
    let places = Places::new(root, &[], 1, &[]);
    places.build()?;
    places.prepare()?;
    places.explain(cases, step)
}

fn start(root: &Path, options: &Options) -> Result<(), String> {
    let places = Places::new(root, &options.workloads, options.sample, &options.without);
    places.build()?;
    places.prepare()?;
    places.make_cases()?;
    let ways = places.ways()?;
    for name in options.ways.iter().chain(&options.without) {
        if !ways.iter().any(|way| way.name == *name) {
            return Err(format!("there is no way called {name}: --list shows them"));
        }
    }
    let chosen = |way: &&Way| options.ways.is_empty() || options.ways.contains(&way.name);
    if !options.report {
        let base = measure::of(&places, None, None, options.anew)?;
        measure_all(&places, &ways.iter().filter(chosen).collect::<Vec<_>>(), &base, options);
    }
    table::write(&places, root, &ways)
}

/// Measures the ways, several at a time if that is asked for. One that cannot be measured is named, and left out.
fn measure_all(places: &Places, ways: &[&Way], base: &Measured, options: &Options) {
    let started = Instant::now();
    let todo: Mutex<VecDeque<(usize, &Way)>> = Mutex::new((1..).zip(ways.iter().copied()).collect());
    let next = || todo.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = || {
        while let Some((number, way)) = next() {
            let found = measure::of(places, Some(&way.name), Some(base), options.anew);
            let what = match &found {
                Ok(found) => table::summary(found, base),
                Err(error) => format!("FAILED: {error}"),
            };
            let minutes = started.elapsed().as_secs_f64() / 60.0;
            println!("ablate: {number}/{} {}: {what} ({minutes:.1} min)", ways.len(), way.name);
        }
    };
    std::thread::scope(|scope| {
        (0..options.jobs).for_each(|_| {
            scope.spawn(work);
        });
    });
}
