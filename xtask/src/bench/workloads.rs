//! Other cases than those of the harness: other vocabularies, patterns, grammars. What they are made of is in `tools/bench`.

use std::fs;
use std::path::{Path, PathBuf};

use super::setup::{self, Places, pinned};
use super::{ALONE, Comparison, ENGINES, Engine, PEERS, in_rounds, our_bench, timed};

/// A vocabulary that the cases are measured with.
pub(super) struct Vocabulary {
    key: &'static str,
    pub(super) name: &'static str,
    /// As `tools/fixtures.py` calls it.
    file: &'static str,
}

pub(super) const VOCABULARIES: [Vocabulary; 3] = [
    Vocabulary { key: "o200k", name: "o200k", file: "o200k_base.tiktoken" },
    Vocabulary { key: "qwen3", name: "Qwen3", file: "qwen3.tokenizer.json" },
    Vocabulary { key: "gemma-3", name: "Gemma-3", file: "gemma-3.tokenizer.json" },
];

/// So many of the cases xgrammar is measured with there: some take it tens of seconds each.
pub(super) const SAMPLE: usize = 120;

impl Vocabulary {
    /// What the names of its results begin with.
    pub(super) fn prefix(&self) -> String {
        format!("{}-", self.key)
    }
}

/// What engines made of the cases with a vocabulary.
pub(super) struct Measured {
    pub(super) vocabulary: &'static Vocabulary,
    pub(super) comparison: Comparison,
}

/// Measures the cases with other vocabularies.
pub(super) fn vocabularies(places: &Places, engines: &[&Engine], limit: usize) {
    for vocabulary in &VOCABULARIES {
        let fixture = places.root.join(".cache/fixtures").join(vocabulary.file);
        if !fixture.exists() {
            println!("bench: SKIPPED {}: it is not there (tools/fixtures.py fetches it)", vocabulary.file);
            continue;
        }
        timed(vocabulary.name, || {
            let folder = empty(places, vocabulary.key)?;
            let (from, cases) = (places.data("vocab.jsonl"), places.data("cases.jsonl"));
            let count = limit.to_string();
            places.make_cases(&["vocab".as_ref(), &fixture, &from, &cases, &folder, count.as_ref()])?;
            measure(places, &folder, engines, &vocabulary.prefix(), limit)
        });
    }
}

/// Every so many-th mask is compared with the reference's.
pub(super) const VERIFIED: &str = "499";

/// Compares a sample of the masks of this engine with those of the reference matcher; a mask that differs is a failure.
pub(super) fn verified(places: &Places, limit: usize) -> Result<(), String> {
    let mut command = our_bench(places);
    command.arg("--cases").arg(places.data("cases.jsonl")).args(["--limit", &limit.to_string()]);
    command.args(["--verify", VERIFIED, "--out"]).arg(places.result("verified"));
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let words = String::from_utf8_lossy(&output.stdout);
    fs::write(places.verified(), words.trim()).map_err(|error| error.to_string())
}

/// The names of the results of [`rest`], one of each run.
pub(super) const REST: [&str; 2] = ["rest", "rest-2"];

/// The schemas of MaskBench that are not among the cases.
pub(super) struct Others {
    /// Of which the profile is made, and that are not measured.
    pub(super) training: PathBuf,
    measured: PathBuf,
}

/// One in so many is for the profile.
const TRAINED: usize = 14;

/// The other schemas of MaskBench, as cases; made once in a run.
pub(super) fn others(places: &Places) -> Result<Others, String> {
    let maskbench = places.root.join("../shared/maskbench");
    if !maskbench.is_dir() {
        return Err("../shared/maskbench is not there".into());
    }
    let folder = places.results.join("others");
    let others = Others { training: folder.join("training.jsonl"), measured: folder.join("measured.jsonl") };
    if others.measured.exists() {
        return Ok(others);
    }
    places.make_venv()?;
    let in_words = |error: std::io::Error| error.to_string();
    fs::create_dir_all(&folder).map_err(in_words)?;
    let cases = folder.join("cases.jsonl");
    let (tokenizer, known) = (places.data("tokenizer.json"), places.data("cases.jsonl"));
    places.make_cases(&["rest".as_ref(), &tokenizer, &maskbench, &known, &cases])?;
    let all = fs::read_to_string(&cases).map_err(in_words)?;
    let (mut training, mut measured) = (String::new(), String::new());
    for (number, line) in all.split_inclusive('\n').enumerate() {
        if number.is_multiple_of(TRAINED) { &mut training } else { &mut measured }.push_str(line);
    }
    fs::write(&others.training, training).map_err(in_words)?;
    fs::write(&others.measured, measured).map_err(in_words)?;
    Ok(others)
}

/// Measures this engine with all schemas of MaskBench that are not among the cases.
pub(super) fn rest(places: &Places, limit: usize) -> Result<(), String> {
    let cases = others(places)?.measured;
    for result in REST {
        let mut command = our_bench(places);
        command.arg("--cases").arg(&cases).arg("--limit").arg(limit.to_string());
        setup::run(command.arg("--out").arg(places.result(result)))?;
    }
    Ok(())
}

/// Measures patterns as members of objects, each text alone.
pub(super) fn patterns(places: &Places, engines: &[&Engine]) -> Result<(), String> {
    let folder = empty(places, "patterns")?;
    let texts = places.root.join("tools/bench/patterns.jsonl");
    let (tokenizer, cases) = (places.data("tokenizer.json"), folder.join("cases.jsonl"));
    places.make_cases(&["texts".as_ref(), &tokenizer, &texts, &cases])?;
    let is_peer = |engine: &&Engine| !engine.key.starts_with(ENGINES[0].key) || engine.key == ALONE;
    let engines: Vec<&Engine> = engines.iter().copied().filter(is_peer).collect();
    measure(places, &folder, &engines, "patterns-", usize::MAX)
}

/// Measures context-free grammars, each text alone. The peers get them through Python: the native loop has schemas only.
pub(super) fn grammars(places: &Places, engines: &[&Engine]) -> Result<(), String> {
    let texts = places.root.join("tools/bench/grammars.jsonl");
    let folder = empty(places, "grammars")?;
    let cases = folder.join("cases.jsonl");
    let (tokenizer, gbnf) = (places.data("tokenizer.json"), places.data("gbnf"));
    places.make_cases(&["texts".as_ref(), &tokenizer, &texts, &cases, &gbnf])?;
    let ours: Vec<&Engine> = engines.iter().copied().filter(|engine| engine.key == ALONE).collect();
    measure(places, &folder, &ours, "grammars-", usize::MAX)?;
    // It also has what the others' GBNF is made of.
    places.install("llguidance==1.9.1", true)?;
    for peer in &PEERS {
        let result = places.result(&format!("grammars-{}", peer.name));
        let mut python = pinned(&places.python());
        python.env("PYTHONPATH", &places.harness).arg(places.root.join("tools/bench/grammars.py"));
        if let Err(error) = setup::run(python.arg(peer.key).arg(&cases).arg(&result)) {
            println!("bench: {} FAILED with grammars: {error}", peer.name);
            let _ = fs::remove_file(result);
        }
    }
    Ok(())
}

/// An empty folder for cases.
fn empty(places: &Places, name: &str) -> Result<PathBuf, String> {
    let folder = places.results.join(format!("../{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// Has engines go over the cases of a folder.
fn measure(
    places: &Places,
    folder: &Path,
    engines: &[&Engine],
    prefix: &str,
    limit: usize,
) -> Result<(), String> {
    places.put_data(folder).map_err(|error| error.to_string())?;
    let most = |engine: &Engine| if engine.key == "xgrammar" { limit.min(SAMPLE) } else { limit };
    in_rounds(places, engines, prefix, most);
    places.restore_data().map_err(|error| error.to_string())
}
