//! `tokenstile bench`: the peers' measuring loop, natively, for this engine.
//!
//! One thread. An interval is min(wall, CPU time of this thread), because machines are shared. Compile is timed
//! from source text; the first mask is a new matcher and its first fill. The cold pass gives every test a
//! constraint with empty caches, made outside the timed intervals; the warm pass goes over the same tests once
//! more after a pass that is not timed. A refused token counts its mask only. The text must be complete at the
//! end. The result format is fixed: others read it.

mod case;
mod clock;
mod ops;
mod summary;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;

use serde_json::{Value, json};
use tokenstile::{Compiler, Constraint, Limits, MatchError, TokenId};

use crate::failure::Failure;
use crate::source::Reason;
use crate::{Verdict, vocab};
use case::{Case, Test};
use clock::{Stopwatch, resident_bytes};
use summary::Summary;

const EXAMPLES: &str = "\
A case is one line:
  {\"id\": \"date\", \"kind\": \"regex\", \"source\": \"[0-9]{4}\", \"tests\": [{\"valid\": true, \"tokens\": [2366, 19]}]}
or has \"schema\" (JSON text) in place of kind and source.

Examples:
  tokenstile bench --vocab vocab.jsonl --cases cases.jsonl --out results.jsonl --summary
  tokenstile bench --vocab vocab.jsonl --cases micro.jsonl --out micro.results.jsonl --limit 3
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
    /// Print percentile tables at the end
    #[arg(long)]
    summary: bool,
}

/// One pass over one test.
struct Pass {
    accepted: bool,
    why: Option<String>,
    mask: Vec<u64>,
    tbm: Vec<u64>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let limits = Limits::default();
    let compiler = Compiler::new(vocab::load(Some(&args.vocab))?).with_limits(limits.clone());
    let cases = File::open(&args.cases).map_err(|error| Failure::io(&args.cases, error))?;
    let results = File::create(&args.out).map_err(|error| Failure::io(&args.out, error))?;
    let mut results = BufWriter::new(results);
    let written = |error| Failure::io(&args.out, error);
    let header = json!({
        "header": 1,
        "engine": "tokenstile",
        "version": env!("CARGO_PKG_VERSION"),
        "timeout": TIMEOUT_S,
        "rss_base": resident_bytes(),
    });
    writeln!(results, "{header}").map_err(written)?;
    let mut bench =
        Bench { words: vec![0; compiler.vocab().width().div_ceil(32)], compiler, limits, ops_due: true };
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
    }
    results.flush().map_err(written)?;
    if args.summary {
        summary.write(out)?;
    }
    Ok(Verdict::Good)
}

struct Bench {
    compiler: Compiler,
    limits: Limits,
    words: Vec<u32>,
    /// Whether the micro timings are still to be taken: the first case that compiles has them.
    ops_due: bool,
}

impl Bench {
    /// The result line of one case.
    fn case(&mut self, case: &Case) -> Value {
        let mut result = json!({"id": case.id, "split": case.split, "n_tests": case.tests.len()});
        let resident = resident_bytes();
        let watch = Stopwatch::start();
        let compiled = case
            .source
            .grammar(&self.limits)
            .and_then(|grammar| self.compiler.compile(&grammar).map_err(Reason::Compile));
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
        let cold = self.pass(case, || constraint.fresh())?;
        self.pass(case, || constraint.clone())?;
        let warm = self.pass(case, || constraint.clone())?;
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

    /// One pass over all tests, each on what `constraint` gives it.
    fn pass(&mut self, case: &Case, constraint: impl Fn() -> Constraint) -> Result<Vec<Pass>, MatchError> {
        case.tests.iter().map(|test| run_test(&constraint(), test, &mut self.words)).collect()
    }
}

/// The measured loop: mask, look the token up, commit it.
fn run_test(constraint: &Constraint, test: &Test, words: &mut [u32]) -> Result<Pass, MatchError> {
    let mut matcher = constraint.matcher();
    let length = test.tokens.len();
    let mut pass =
        Pass { accepted: true, why: None, mask: Vec::with_capacity(length), tbm: Vec::with_capacity(length) };
    let mut cpu_before = clock::thread_cpu_ns();
    for (position, &token) in test.tokens.iter().enumerate() {
        let masking = clock::wall();
        matcher.fill_mask(words)?;
        let mask = clock::since(masking);
        if !bit(words, token) {
            let mask = mask.min(clock::thread_cpu_ns() - cpu_before);
            pass.mask.push(mask);
            pass.tbm.push(mask);
            pass.accepted = false;
            pass.why = Some(format!("rejected at {position}"));
            break;
        }
        let committing = clock::wall();
        let committed = matcher.commit(token);
        let commit = clock::since(committing);
        let cpu = clock::thread_cpu_ns();
        let used = cpu - cpu_before;
        cpu_before = cpu;
        pass.mask.push(mask.min(used));
        pass.tbm.push((mask + commit).min(used));
        match committed {
            Ok(()) => {}
            Err(error @ MatchError::Limit { .. }) => return Err(error),
            Err(_) => {
                pass.accepted = false;
                pass.why = Some(format!("MISMATCH mask allows, commit refuses at {position}"));
                break;
            }
        }
    }
    if pass.accepted && !matcher.is_accepting() {
        pass.accepted = false;
        pass.why = Some("no EOS at end".into());
    }
    Ok(pass)
}

fn bit(words: &[u32], token: TokenId) -> bool {
    words[token as usize / 32] >> (token % 32) & 1 == 1
}
