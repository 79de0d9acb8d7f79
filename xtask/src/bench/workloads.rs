//! Other cases than those of the harness: other vocabularies, patterns, grammars. What they are made of is in `tools/bench`.

use std::fs;
use std::path::{Path, PathBuf};

use super::setup::{self, Places, pinned};
use super::{Comparison, ENGINES, Engine, LOWEST, PEERS, timed};

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
            let result = |engine: &&Engine| format!("{}{}", vocabulary.prefix(), engine.key);
            let runs: Vec<Planned> = engines.iter().map(|engine| (*engine, result(engine))).collect();
            measure(places, &folder, &runs, limit)
        });
    }
}

/// Measures patterns as members of objects.
pub(super) fn patterns(places: &Places, engines: &[&Engine]) -> Result<(), String> {
    let folder = empty(places, "patterns")?;
    let texts = places.root.join("tools/bench/patterns.jsonl");
    let (tokenizer, cases) = (places.data("tokenizer.json"), folder.join("cases.jsonl"));
    places.make_cases(&["texts".as_ref(), &tokenizer, &texts, &cases])?;
    measure(places, &folder, &twice(engines, "patterns-"), usize::MAX)
}

/// Measures context-free grammars. The peers get them through Python: the native loop has schemas only.
pub(super) fn grammars(places: &Places, engines: &[&Engine]) -> Result<(), String> {
    let texts = places.root.join("tools/bench/grammars.jsonl");
    let folder = empty(places, "grammars")?;
    let cases = folder.join("cases.jsonl");
    let (tokenizer, gbnf) = (places.data("tokenizer.json"), places.data("gbnf"));
    places.make_cases(&["texts".as_ref(), &tokenizer, &texts, &cases, &gbnf])?;
    let ours = engines.iter().copied().filter(|engine| engine.key.starts_with(ENGINES[0].key));
    measure(places, &folder, &twice(&ours.collect::<Vec<_>>(), "grammars-"), usize::MAX)?;
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

/// An engine, and the name of its result.
type Planned<'a> = (&'a Engine, String);

/// Engines once, and this one twice, each time alone in a process: what a second cold pass in the same process finds in
/// the caches of the processor makes it faster by a third and more, which shows where there are few steps.
fn twice<'a>(engines: &[&'a Engine], prefix: &str) -> Vec<Planned<'a>> {
    let once = |engine: &'a Engine| if engine.key == LOWEST { &ENGINES[0] } else { engine };
    engines.iter().map(|engine| (once(engine), format!("{prefix}{}", engine.key))).collect()
}

/// Has engines go over the cases of a folder. One that fails leaves no result, and the others go on.
fn measure(places: &Places, folder: &Path, runs: &[Planned], limit: usize) -> Result<(), String> {
    places.put_data(folder).map_err(|error| error.to_string())?;
    for (engine, result) in runs {
        let limit = if engine.key == "xgrammar" { limit.min(SAMPLE) } else { limit };
        if let Err(error) = setup::run(&mut (engine.command)(places, limit, result)) {
            println!("bench: {} FAILED with {}: {error}", engine.name, folder.display());
            let _ = fs::remove_file(places.result(result));
        }
    }
    places.restore_data().map_err(|error| error.to_string())
}
