//! Memory of constraints that are alive together, each after one mask, in the form of the peers' harness.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use tokenstile::Compiler;

use super::compile;
use crate::dev::bench::clock::resident_bytes;
use crate::failure::Failure;
use crate::vocab;

/// Compiles the schemas of all cases and keeps them.
pub(super) fn measure(out: &mut impl Write, vocab: &Path, cases: &Path) -> Result<(), Failure> {
    let cases = std::fs::read_to_string(cases).map_err(|error| Failure::io(cases, error))?;
    let vocab = vocab::load(Some(vocab))?;
    let before = resident_bytes();
    let compiler = Compiler::new(vocab);
    let mut words = vec![0; compiler.vocab().width().div_ceil(32)];
    let base = resident_bytes();
    let (mut alive, mut own) = (Vec::new(), 0);
    for case in cases.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let Some(constraint) = case["schema"].as_str().and_then(|schema| compile(&compiler, schema)) else {
            continue;
        };
        let mut matcher = constraint.matcher();
        if matcher.fill_mask(&mut words).is_ok() {
            own += constraint.stats().cache_bytes;
            alive.push((constraint, matcher));
        }
    }
    let count = alive.len().max(1);
    let line = json!({
        "engine": "tokenstile",
        "compiled": alive.len(),
        "of": cases.lines().count(),
        "engine_base_rss_mb": (base - before) as f64 / f64::from(1 << 20),
        "rss_per_grammar_kb": (resident_bytes() - base) / 1024 / count as i64,
        "own_figure_kb": own / 1024 / count,
    });
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(Failure::Output)
}
