//! `tokenstile bench`: the peers' measuring loop, natively, for this engine.
//!
//! One thread. An interval is min(wall, CPU time of this thread), because machines are shared. Compile is timed
//! from source text, warming ahead of time (`--warm-us`) included; the first mask is a new matcher and its first
//! fill. The cold pass is the first one over the tests of a constraint that was just compiled, as the peers' loop has it;
//! with `--alone` every test gets a constraint as it was right after the compile, made outside the timed intervals. The
//! warm pass goes over the same tests once more. A refused token counts its mask only. The text must be complete at the
//! end. The result format is fixed: others read it.

mod case;
pub(crate) mod clock;
mod ops;
mod pass;
mod summary;
mod verify;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokenstile::{Compiler, Constraint, Limits, MatchError};

use crate::failure::Failure;
use crate::source::Reason;
use crate::vocab::TableFlags;
use crate::{Verdict, vocab};
use case::Case;
use clock::{Stopwatch, resident_bytes};
use pass::Pass;
use summary::Summary;
use verify::{Oracle, Verifier};

const EXAMPLES: &str = "\
A case is one line:
  {\"id\": \"date\", \"kind\": \"regex\", \"source\": \"[0-9]{4}\", \"tests\": [{\"valid\": true, \"tokens\": [2366, 19]}]}
or has \"schema\" (JSON text) in place of kind and source.

Examples:
  tokenstile bench --vocab vocab.jsonl --cases cases.jsonl --out results.jsonl --summary
  tokenstile bench --vocab vocab.jsonl --cases micro.jsonl --out micro.results.jsonl --limit 3
  tokenstile bench --vocab vocab.jsonl --cases micro.jsonl --out checked.jsonl --verify 50
  taskset -c 0 tokenstile bench --vocab vocab.jsonl --cases cases.jsonl --out results.jsonl";

/// Seconds that the result format calls the time limit of a case.
const TIMEOUT_S: u32 = 60;

/// Arguments of `bench`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Vocabulary file
    #[arg(long, value_name = "FILE")]
    vocab: PathBuf,
    /// Cases, one JSON object a line
    #[arg(long, value_name = "FILE")]
    cases: PathBuf,
    /// Where the results go, one JSON object a line
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Run only the first N cases
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print percentile tables at the end: TTFM is compile + first mask, TBM mask + commit of each token
    #[arg(long)]
    summary: bool,
    /// Warm each constraint for up to N microseconds after it is compiled; this counts as compile time
    #[arg(long, value_name = "N", default_value_t = 0)]
    warm_us: u64,
    /// Build ahead for up to N milliseconds what all constraints of the vocabulary share, before the first case; what a
    /// server does when it starts
    #[arg(long, value_name = "N", default_value_t = 1000)]
    warm_tables_ms: u64,
    /// In the cold pass give every test a constraint as it was compiled, that no other test has used: each text is the first
    /// of its constraint. Without this the cold pass is the first one over all tests of a constraint, as the peers are
    /// measured
    #[arg(long)]
    alone: bool,
    /// Run the cold pass R times, each on empty caches, and report the lowest time of each step (a minimum over R)
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Compare the mask of every K-th step of the cold pass, token by token and outside the timed intervals, with the
    /// reference matcher's, which has nothing of the engine in it, and fail if they differ. About objects of many members
    /// the reference cannot be asked: there, with what the engine says of each token by itself
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    verify: Option<u64>,
    #[command(flatten)]
    tables: TableFlags,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let limits = Limits::default();
    let compiler = args.tables.compiler(vocab::load(Some(&args.vocab))?).with_limits(limits.clone());
    compiler.warm(Duration::from_millis(args.warm_tables_ms));
    let cases = File::open(&args.cases).map_err(|error| Failure::io(&args.cases, error))?;
    let results = File::create(&args.out).map_err(|error| Failure::io(&args.out, error))?;
    let mut results = BufWriter::new(results);
    let written = |error| Failure::io(&args.out, error);
    let mut header = json!({
        "header": 1,
        "engine": "tokenstile",
        "version": env!("CARGO_PKG_VERSION"),
        "timeout": TIMEOUT_S,
        "rss_base": resident_bytes(),
    });
    header["warm_tables_ms"] = json!(args.warm_tables_ms);
    header["alone"] = json!(args.alone);
    if args.warm_us > 0 {
        header["warm_us"] = json!(args.warm_us);
    }
    if args.repeat > 1 {
        header["repeat"] = json!(args.repeat);
    }
    writeln!(results, "{header}").map_err(written)?;
    let verifier = args.verify.map(|every| Verifier::new(every, compiler.vocab())).transpose();
    let verifier = verifier.map_err(Failure::Usage)?;
    let mut bench = Bench {
        words: vec![0; compiler.vocab().width().div_ceil(32)],
        compiler,
        limits,
        warm: Duration::from_micros(args.warm_us),
        alone: args.alone,
        repeat: args.repeat,
        verifier,
        ops_due: true,
    };
    let mut summary = Summary::default();
    for (index, line) in BufReader::new(cases).lines().take(args.limit.unwrap_or(usize::MAX)).enumerate() {
        let line = line.map_err(|error| Failure::io(&args.cases, error))?;
        let case = Case::parse(&line, bench.words.len() * 32).map_err(|message| Failure::Malformed {
            path: args.cases.clone(),
            line: index + 1,
            message,
        })?;
        let mut result = bench.case(&case);
        result["idx"] = json!(index);
        writeln!(results, "{result}").map_err(written)?;
        summary.add(result);
        if let Some(difference) = bench.verifier.as_mut().and_then(Verifier::take_difference) {
            results.flush().map_err(written)?;
            return Err(Failure::WrongMask(format!("{}:{}: {difference}", args.cases.display(), index + 1)));
        }
    }
    results.flush().map_err(written)?;
    if args.summary {
        summary.write(out)?;
    }
    if let Some(verifier) = &bench.verifier {
        writeln!(out, "{}", verifier.report())?;
    }
    Ok(Verdict::Good)
}

struct Bench {
    compiler: Compiler,
    limits: Limits,
    words: Vec<u32>,
    /// How long a compiled constraint is warmed before it is used.
    warm: Duration,
    /// Whether every test of the cold pass gets a constraint of its own.
    alone: bool,
    /// How often the cold pass runs.
    repeat: u32,
    verifier: Option<Verifier>,
    /// Whether the micro timings are still to be taken: the first case that compiles has them.
    ops_due: bool,
}

impl Bench {
    /// The result line of one case.
    fn case(&mut self, case: &Case) -> Value {
        let mut result = json!({"id": case.id, "split": case.split, "n_tests": case.tests.len()});
        let resident = resident_bytes();
        let watch = Stopwatch::start();
        let compiled = self.compile(case);
        result["compile_ns"] = json!(watch.stop());
        let constraint = match compiled {
            Ok(constraint) => constraint,
            Err(reason) => {
                result["compile_error"] = json!(reason.to_string().chars().take(400).collect::<String>());
                return result;
            }
        };
        if let Err(error) = self.measure(case, &constraint, resident, &mut result) {
            result["mask_error"] = json!(error.to_string());
        }
        result
    }

    /// The constraint of a case, warmed.
    fn compile(&self, case: &Case) -> Result<Constraint, Reason> {
        let grammar = case.source.grammar(&self.limits)?;
        let constraint = self.compiler.compile(grammar).map_err(Reason::Compile)?;
        if !self.warm.is_zero() {
            warm(&constraint, self.warm);
        }
        Ok(constraint)
    }

    /// The constraint as it was right after [`compile`](Self::compile): a copy without caches where nothing was
    /// warmed, else one that is compiled and warmed anew.
    fn as_compiled(&self, case: &Case, constraint: &Constraint) -> Constraint {
        if self.warm.is_zero() {
            return constraint.fresh();
        }
        self.compile(case).unwrap_or_else(|_| constraint.fresh())
    }

    fn measure(
        &mut self,
        case: &Case,
        constraint: &Constraint,
        resident: i64,
        result: &mut Value,
    ) -> Result<(), MatchError> {
        let watch = Stopwatch::start();
        constraint.matcher().fill_mask(&mut self.words)?;
        result["first_mask_ns"] = json!(watch.stop());
        result["rss_delta"] = json!(resident_bytes() - resident);
        let cold = self.cold(case, constraint)?;
        if self.alone {
            self.pass(case, constraint)?;
        }
        let warm = self.pass(case, constraint)?;
        result["mem"] = json!(constraint.stats().cache_bytes);
        result["rss_delta_end"] = json!(resident_bytes() - resident);
        result["cold"] = cold
            .iter()
            .zip(&case.tests)
            .map(|(p, t)| json!({"valid": t.valid, "accepted": p.accepted, "why": p.why, "mask": p.mask, "tbm": p.tbm}))
            .collect();
        result["warm"] =
            warm.iter().map(|p| json!({"accepted": p.accepted, "mask": p.mask, "tbm": p.tbm})).collect();
        if std::mem::take(&mut self.ops_due) {
            result["ops_ns"] = ops::measure(constraint, &case.tests, &mut self.words)?;
        }
        Ok(())
    }

    /// The cold pass: the lowest times of all repetitions.
    fn cold(&mut self, case: &Case, constraint: &Constraint) -> Result<Vec<Pass>, MatchError> {
        let mut lowest = self.cold_once(case, constraint, true)?;
        for _ in 1..self.repeat {
            let again = self.cold_once(case, &self.as_compiled(case, constraint), false)?;
            lowest.iter_mut().zip(&again).for_each(|(lowest, again)| lowest.lower(again));
        }
        Ok(lowest)
    }

    /// Every test on the same constraint, which is as it was compiled, or each on a copy of it; verified, if that is wished.
    fn cold_once(
        &mut self,
        case: &Case,
        constraint: &Constraint,
        verify: bool,
    ) -> Result<Vec<Pass>, MatchError> {
        let mut passes = Vec::with_capacity(case.tests.len());
        // It compiled before.
        let grammar =
            (verify && self.verifier.is_some()).then(|| case.source.grammar(&self.limits).ok()).flatten();
        let oracle = grammar.as_ref().and_then(Oracle::new);
        for (index, test) in case.tests.iter().enumerate() {
            let own = self.alone.then(|| self.as_compiled(case, constraint));
            let verifier = self.verifier.as_mut().filter(|_| verify);
            let mut verifying = verifier.map(|verifier| verifier.test(oracle.as_ref(), constraint, index));
            let constraint = own.as_ref().unwrap_or(constraint);
            passes.push(pass::run(constraint, test, &mut self.words, verifying.as_mut())?);
        }
        Ok(passes)
    }

    /// Every test on the same constraint.
    fn pass(&mut self, case: &Case, constraint: &Constraint) -> Result<Vec<Pass>, MatchError> {
        case.tests.iter().map(|test| pass::run(constraint, test, &mut self.words, None)).collect()
    }
}

/// Fills a constraint's caches ahead of time.
fn warm(constraint: &Constraint, budget: Duration) {
    constraint.warm(budget);
}
