//! `tokenstile scaling`: how cost grows with the schema, the vocabulary, the text and its depth. For
//! `cargo xtask bench`, so not in the help. One JSON object a line: what grows (`by`), what was measured (`what`), how
//! large (`x`), how long in microseconds (`us`).
//!
//! With `--batch` it measures a batch on one and on two threads instead, with `--live` the memory of constraints that are
//! alive together.

mod batch;
mod fill;
mod live;
mod schemas;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tokenstile::{Compiler, Constraint, Limits, MatchError, Matcher};
use tokenstile_cache::{Origin, TableCache};

use crate::dev::bench::clock::Stopwatch;
use crate::failure::Failure;
use crate::source::{Kind, Options, Source};
use crate::{Verdict, vocab};

/// Arguments of `scaling`.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Vocabulary file of all but the growth with the vocabulary
    #[arg(long, value_name = "FILE")]
    vocab: PathBuf,
    /// Vocabularies of different sizes
    #[arg(long, value_name = "FILE")]
    sizes: Vec<PathBuf>,
    /// Measure a batch on one and on two threads, and nothing else
    #[arg(long)]
    batch: bool,
    /// Measure the memory of these cases alive together, and nothing else
    #[arg(long, value_name = "FILE")]
    live: Option<PathBuf>,
    /// Where the points go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// How often a compile is measured; the lowest time counts.
const COMPILES: usize = 5;
/// How often tables are built and read; the median counts.
const TABLES: usize = 7;
/// The most time for building ahead what constraints share.
const WARM: Duration = Duration::from_secs(1);
/// Bytes that a step of a text has: what a token has on average.
const STEP: usize = 4;

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let file = File::create(&args.out).map_err(|error| Failure::io(&args.out, error))?;
    let mut scaling = Scaling { points: BufWriter::new(file) };
    if let Some(cases) = &args.live {
        return live::measure(&mut scaling.points, &args.vocab, cases).map(|()| Verdict::Good);
    }
    let compiler = Compiler::new(vocab::load(Some(&args.vocab))?);
    compiler.warm(WARM);
    let io = |error| Failure::io(&args.out, error);
    if args.batch {
        return batch::measure(&mut scaling, &compiler).map_err(io).map(|()| Verdict::Good);
    }
    for members in [10, 30, 100, 300, 1_000, 3_000] {
        scaling.compiles(&compiler, "members", members, &schemas::object(members))?;
    }
    for tools in [1, 4, 12, 40, 120, 400] {
        scaling.compiles(&compiler, "tools", tools, &schemas::tools(tools))?;
        scaling.calls(&compiler, tools).map_err(io)?;
    }
    scaling.text(&compiler).map_err(io)?;
    scaling.depth(&compiler).map_err(io)?;
    for path in &args.sizes {
        let compiler = Compiler::new(vocab::load(Some(path))?);
        compiler.warm(WARM);
        scaling.vocabulary(&compiler).map_err(io)?;
        fill::measure(&mut scaling, &compiler).map_err(io)?;
        scaling.tables(path, &args.out.with_extension("tables"))?;
    }
    scaling.points.flush().map_err(io)?;
    writeln!(out, "wrote {}", args.out.display())?;
    Ok(Verdict::Good)
}

struct Scaling {
    points: BufWriter<File>,
}

impl Scaling {
    fn point(&mut self, by: &str, what: &str, x: usize, ns: u64) -> std::io::Result<()> {
        writeln!(self.points, "{}", json!({"by": by, "what": what, "x": x, "us": ns as f64 / 1000.0}))
    }

    /// Compile and first mask of a schema; a schema that is refused has no point.
    fn compiles(&mut self, compiler: &Compiler, by: &str, x: usize, schema: &str) -> Result<(), Failure> {
        let mut words = vec![0; compiler.vocab().width().div_ceil(32)];
        let mut lowest = u64::MAX;
        for _ in 0..COMPILES {
            let watch = Stopwatch::start();
            let constraint = compile(compiler, schema);
            if constraint.is_none_or(|c| c.matcher().fill_mask(&mut words).is_err()) {
                return Ok(());
            }
            lowest = lowest.min(watch.stop());
        }
        self.point(by, "compile + first mask", x, lowest).map_err(Failure::Output)
    }

    /// The steps of calls of some of so many tools: of each step the lower time of two, cold on a constraint as it was
    /// compiled.
    fn calls(&mut self, compiler: &Compiler, tools: usize) -> std::io::Result<()> {
        let Some(constraint) = compile(compiler, &schemas::tools(tools)) else { return Ok(()) };
        let (mut cold, mut warm) = (Vec::new(), Vec::new());
        for index in [0, tools / 2, tools - 1] {
            let text = schemas::call(index);
            let steps: Vec<&[u8]> = text.as_bytes().chunks(STEP).collect();
            let twice = [constraint.fresh(), constraint.fresh()].map(|fresh| timed(&fresh, &steps));
            let again = [(); 3].map(|()| timed(&constraint, &steps));
            if let ([Ok(a), Ok(b)], [Ok(_), Ok(c), Ok(d)]) = (twice, again) {
                cold.extend(a.into_iter().zip(b).map(|(a, b)| a.min(b)));
                warm.extend(c.into_iter().zip(d).map(|(c, d)| c.min(d)));
            }
        }
        for (what, times) in [("cold", &cold), ("warm", &warm)] {
            self.point("tools", &format!("{what} p50"), tools, median(times))?;
            self.point("tools", &format!("{what} max"), tools, times.iter().copied().max().unwrap_or(0))?;
        }
        Ok(())
    }

    /// Steps of a long text: each point is the median of the last tenth of the steps up to there, or of the last ten.
    fn text(&mut self, compiler: &Compiler) -> std::io::Result<()> {
        let Some(constraint) = compile(compiler, schemas::LIST) else { return Ok(()) };
        let text = schemas::list(100_000 * STEP);
        let steps: Vec<&[u8]> = text.as_bytes().chunks(STEP).collect();
        for what in ["cold", "warm"] {
            let Ok(times) = timed(&constraint, &steps) else { continue };
            for length in [10, 100, 1_000, 10_000, 100_000] {
                let up_to = length.min(times.len());
                let last = (up_to / 10).max(10).min(up_to);
                self.point("text", what, length, median(&times[up_to - last..up_to]))?;
            }
        }
        Ok(())
    }

    /// The step that opens or closes one more array, that deep.
    fn depth(&mut self, compiler: &Compiler) -> std::io::Result<()> {
        let Some(constraint) = compile(compiler, schemas::NESTED) else { return Ok(()) };
        for depth in [1, 10, 100, 1_000] {
            let open = vec![&b"["[..]; depth];
            let mut steps = open.clone();
            steps.extend(vec![&b"]"[..]; depth]);
            let Ok(cold) = timed(&constraint.fresh(), &steps) else { continue };
            let (Ok(_), Ok(warm)) = (timed(&constraint, &steps), timed(&constraint, &steps)) else {
                continue;
            };
            // The ten deepest steps of either side.
            let deepest = |times: &[u64]| median(&times[depth - depth.min(10)..depth + depth.min(10)]);
            self.point("depth", "cold", depth, deepest(&cold))?;
            self.point("depth", "warm", depth, deepest(&warm))?;
        }
        Ok(())
    }

    /// The same text with another vocabulary, and the copy of a mask beside it.
    fn vocabulary(&mut self, compiler: &Compiler) -> std::io::Result<()> {
        let Some(constraint) = compile(compiler, schemas::LIST) else { return Ok(()) };
        // The first entries only, so that most of the places are new the first time.
        let text = schemas::list(40 * STEP);
        let steps: Vec<&[u8]> = text.as_bytes().chunks(STEP).collect();
        let size = compiler.vocab().width();
        for what in ["cold", "warm"] {
            let Ok(times) = timed(&constraint, &steps) else { return Ok(()) };
            self.point("vocabulary", what, size, median(&times))?;
        }
        let (from, mut to) = (vec![1u32; size.div_ceil(32)], vec![0u32; size.div_ceil(32)]);
        let copy = |_| {
            let watch = Stopwatch::start();
            for _ in 0..100 {
                std::hint::black_box(&mut to).copy_from_slice(std::hint::black_box(&from));
            }
            watch.stop() / 100
        };
        let copies: Vec<u64> = (0..9).map(copy).collect();
        self.point("vocabulary", "copy", size, median(&copies))
    }
}

impl Scaling {
    /// The tables of a vocabulary: built, and read from a file in `folder` that is in the page cache, its fingerprint
    /// included; and with what constraints share built ahead.
    fn tables(&mut self, vocab: &Path, folder: &Path) -> Result<(), Failure> {
        let cache = TableCache::at(folder);
        let (mut built, mut read, mut warmed) = (Vec::new(), Vec::new(), Vec::new());
        let mut size = 0;
        for _ in 0..TABLES {
            let vocab = vocab::load(Some(vocab))?;
            size = vocab.width();
            let watch = Stopwatch::start();
            let compiler = Compiler::new(vocab);
            built.push(watch.stop());
            cache.compiler(compiler.vocab().clone());
        }
        for _ in 0..TABLES {
            let vocab = vocab::load(Some(vocab))?;
            let watch = Stopwatch::start();
            let (compiler, origin) = cache.compiler(vocab);
            if origin == Origin::Cache {
                read.push(watch.stop());
            }
            let watch = Stopwatch::start();
            compiler.warm(WARM);
            warmed.push(watch.stop());
        }
        let mut save = || {
            self.point("tables", "built", size, median(&built))?;
            self.point("tables", "read", size, median(&read))?;
            self.point("tables", "warmed", size, median(&warmed))?;
            let files = std::fs::read_dir(folder)?.flatten();
            let bytes: u64 = files.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
            // In the place of a time.
            self.point("tables", "bytes", size, bytes * 1_000)?;
            std::fs::remove_dir_all(folder)
        };
        save().map_err(|error| Failure::io(folder, error))
    }
}

/// The constraint of a schema, unless it is refused.
fn compile(compiler: &Compiler, schema: &str) -> Option<Constraint> {
    let source = Source {
        name: "scaling".into(),
        kind: Kind::JsonSchema,
        text: schema.to_owned(),
        options: Options::default(),
    };
    compiler.compile(source.grammar(&Limits::default()).ok()?).ok()
}

/// Mask and commit of every step.
fn timed(constraint: &Constraint, steps: &[&[u8]]) -> Result<Vec<u64>, MatchError> {
    let mut matcher: Matcher = constraint.matcher();
    let mut words = vec![0; matcher.mask_words()];
    let mut step = |bytes: &&[u8]| {
        let watch = Stopwatch::start();
        matcher.fill_mask(&mut words)?;
        matcher.commit_bytes(bytes)?;
        Ok(watch.stop())
    };
    steps.iter().map(&mut step).collect()
}

fn median(times: &[u64]) -> u64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_can_be_written() {
        let compiler = Compiler::new(vocab::bytes());
        for schema in [schemas::object(12), schemas::tools(3)] {
            assert!(compile(&compiler, &schema).is_some(), "{schema}");
        }
        let tools = compile(&compiler, &schemas::tools(3)).unwrap();
        for call in [0, 2].map(schemas::call) {
            assert!(timed(&tools, &[call.as_bytes()]).is_ok(), "{call}");
        }
        let list = compile(&compiler, schemas::LIST).unwrap();
        let text = schemas::list(500);
        let steps: Vec<&[u8]> = text.as_bytes().chunks(STEP).collect();
        assert_eq!(timed(&list, &steps).unwrap().len(), steps.len());
        let nested = compile(&compiler, schemas::NESTED).unwrap();
        assert!(timed(&nested, &[&b"["[..], b"[", b"]", b"]"]).is_ok());
    }
}
