//! Memory of constraints that are alive together, each after one mask: as the harness's `mem.py` measures the peers, and
//! this engine in the same way.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::results::Run;
use super::setup::{self, Places, pinned};
use super::{ENGINES, PEERS};

/// So many constraints are alive together.
pub(super) const CONSTRAINTS: usize = 60;

/// What one engine holds.
pub(super) struct Live {
    pub(super) engine: String,
    /// Constraints that are alive.
    pub(super) count: u64,
    /// KiB by which the process grew, per constraint.
    pub(super) growth: f64,
    /// KiB that the engine says it holds, per constraint; 0 if it does not say.
    pub(super) own: f64,
    /// MiB by which the process grew for the vocabulary.
    pub(super) base: f64,
}

/// Measures over the first cases that all engines take. Wants the results of the peers over the cases.
pub(super) fn measure(places: &Places) -> Result<(), String> {
    let error = |error: std::io::Error| error.to_string();
    let folder = places.harness.join("results");
    fs::create_dir_all(&folder).map_err(error)?;
    let mut common: Option<HashSet<String>> = None;
    for peer in &PEERS {
        let result = places.result(peer.name);
        let run = Run::read(&result).map_err(|error| format!("no result to choose schemas by: {error}"))?;
        fs::copy(&result, folder.join(format!("{}.jsonl", peer.key))).map_err(error)?;
        let quick = run.cases.iter().filter(|case| case.is_quick());
        let ids: HashSet<String> = quick.map(|case| case.id.clone()).collect();
        common = Some(common.map_or(ids.clone(), |common| &common & &ids));
    }
    let common = common.unwrap_or_default();
    let cases = fs::read_to_string(places.data("cases.jsonl")).map_err(error)?;
    let is_common = |line: &&str| {
        let case: Option<Value> = serde_json::from_str(line).ok();
        case.is_some_and(|case| case["id"].as_str().is_some_and(|id| common.contains(id)))
    };
    let chosen: Vec<&str> = cases.lines().filter(is_common).take(CONSTRAINTS).collect();
    let file = places.results.join("live.cases");
    fs::write(&file, chosen.join("\n")).map_err(error)?;
    let mut ours = pinned(&places.tokenstile());
    ours.args(["scaling", "--vocab"]).arg(places.data("vocab.jsonl"));
    setup::run(ours.arg("--live").arg(&file).arg("--out").arg(places.result("live")))?;
    let mut all = fs::read_to_string(places.result("live")).map_err(error)?;
    places.install("llguidance==1.9.1", true)?;
    for peer in &PEERS {
        let mut python = pinned(&places.python());
        python.arg(places.harness.join("mem.py")).arg(peer.key).arg(CONSTRAINTS.to_string());
        match line(&mut python) {
            Ok(line) => all += &line,
            Err(error) => println!("bench: memory of {} FAILED: {error}", peer.name),
        }
    }
    fs::write(places.result("live"), all).map_err(error)
}

/// The last line that a command writes, if it is an object.
fn line(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().rev().find(|line| line.starts_with('{'));
    let complaint = || String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
    last.map(|line| format!("{line}\n")).ok_or_else(complaint)
}

/// Reads what was measured.
pub(super) fn read(path: &Path) -> Vec<Live> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let live = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        let engine = value["engine"].as_str()?;
        let name = PEERS.iter().find(|peer| peer.key == engine).map_or(ENGINES[0].name, |peer| peer.name);
        Some(Live {
            engine: name.to_owned(),
            count: value["compiled"].as_u64()?,
            growth: value["rss_per_grammar_kb"].as_f64()?,
            own: value["own_figure_kb"].as_f64()?,
            base: value["engine_base_rss_mb"].as_f64()?,
        })
    };
    text.lines().filter_map(live).collect()
}
