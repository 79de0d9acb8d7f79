//! Micro-benchmarks of the hot parts: `cargo bench -p tokenstile`, with `--features rayon` for batches on two threads.
//!
//! On the Llama-3 vocabulary of `../shared` where it is there, and always on a small one that is made here.

mod support;

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tokenstile::{Batch, Compiler, Limits, MaskRows, Matcher, StepOptions, Turn, Vocab};

const BATCH: usize = 256;

/// The vocabularies to measure with, by name.
fn compilers() -> Vec<(&'static str, Compiler)> {
    let small = support::vocabulary().expect("the vocabulary is well formed");
    let mut all = vec![("8k", Compiler::new(small))];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/peerbench/data/vocab.jsonl");
    match std::fs::read(&path).ok().and_then(|data| Vocab::detect_named("vocab.jsonl", &data).ok()) {
        Some(vocab) => all.push(("llama-3", Compiler::new(vocab))),
        None => report("SKIPPED: the Llama-3 vocabulary is not at ../shared/peerbench"),
    }
    all
}

#[allow(clippy::print_stderr, reason = "a benchmark is a command")]
fn report(line: &str) {
    eprintln!("{line}");
}

fn compiling(c: &mut Criterion) {
    let limits = Limits::default();
    for (vocab, compiler) in compilers() {
        let mut group = c.benchmark_group(format!("compile/{vocab}"));
        for (name, grammar, _) in support::CASES {
            group.bench_function(name, |b| {
                b.iter(|| compiler.compile(grammar(&limits).expect("sound")).expect("compiles"));
            });
        }
    }
}

fn masks(c: &mut Criterion) {
    let limits = Limits::default();
    for (vocab, compiler) in compilers() {
        for (name, grammar, text) in support::CASES {
            let constraint = compiler.compile(grammar(&limits).expect("sound")).expect("compiles");
            let mut group = c.benchmark_group(format!("text/{vocab}/{name}"));
            group.bench_function("cold", |b| {
                let fresh = || constraint.fresh();
                b.iter_batched(
                    fresh,
                    |fresh| support::follow(&fresh, text, usize::MAX),
                    BatchSize::SmallInput,
                );
            });
            group.bench_function("warm", |b| b.iter(|| support::follow(&constraint, text, usize::MAX)));
        }
    }
}

/// A matcher in the middle of the first case, all of whose masks are known.
fn in_the_middle(compiler: &Compiler) -> Matcher {
    let (_, grammar, text) = support::CASES[0];
    let constraint = compiler.compile(grammar(&Limits::default()).expect("sound")).expect("compiles");
    support::follow(&constraint, text, usize::MAX);
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(br#"{"name": "Ada"#).expect("fits");
    matcher
}

fn steps(c: &mut Criterion) {
    for (vocab, compiler) in compilers() {
        let mut matcher = in_the_middle(&compiler);
        let mut words = vec![0u32; matcher.mask_words()];
        let mut group = c.benchmark_group(format!("step/{vocab}"));
        group.bench_function("mask, warm", |b| b.iter(|| matcher.fill_mask(black_box(&mut words))));
        let from = words.clone();
        group.bench_function("copy of a mask", |b| {
            b.iter(|| black_box(&mut words).copy_from_slice(black_box(&from)));
        });
        group.bench_function("fork", |b| b.iter(|| matcher.fork()));
        group.bench_function("commit and rollback", |b| {
            b.iter(|| {
                matcher.commit_bytes(b" Love").expect("fits");
                matcher.rollback(1).expect("there is one");
            });
        });
    }
}

fn batches(c: &mut Criterion) {
    for (vocab, compiler) in compilers() {
        let matcher = in_the_middle(&compiler);
        let words = matcher.mask_words();
        let mut batch = Batch::new();
        let turns: Vec<Turn<'_>> =
            (0..BATCH).map(|row| Turn::new(batch.insert(matcher.fork()), row)).collect();
        let mut fill = |masks: &mut [u32]| {
            let done = batch.step(&turns, MaskRows::new(masks, words), &StepOptions::default());
            assert!(done.is_ok_and(|report| report.error().is_none()));
        };
        let mut masks = vec![0u32; words * BATCH];
        let mut group = c.benchmark_group(format!("batch of {BATCH}/{vocab}"));
        group.throughput(Throughput::Elements(BATCH as u64));
        #[cfg(not(feature = "rayon"))]
        group.bench_function("without threads", |b| b.iter(|| fill(&mut masks)));
        #[cfg(feature = "rayon")]
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            group.bench_function(format!("{threads} threads"), |b| {
                pool.install(|| b.iter(|| fill(&mut masks)));
            });
        }
    }
}

criterion_group! {
    name = all;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(800))
        .without_plots();
    targets = compiling, masks, steps, batches
}
criterion_main!(all);
