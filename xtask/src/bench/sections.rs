//! Sections of the page about what is measured beside the cases of the harness.

use std::fmt::Write;

use super::Measured;
use super::live::{CONSTRAINTS, Live};
use super::results::{CaseResult, Engines, Outcome, Runs, percentile, sorted};
use super::scaling::Point;
use super::tables::{self, PARTS, grouped, micros, table};
use super::targets::{self, Judged};
use super::workloads::SAMPLE;

/// All of them.
pub(super) fn all(measured: &Measured) -> String {
    let mut out = measured.rest.as_ref().map_or_else(String::new, rest);
    out += &vocabularies(measured);
    out += &patterns(&measured.patterns);
    out += &grammars(&measured.grammars);
    out += &batch(&measured.scaling);
    out += &fills(&measured.scaling);
    out += &saved_tables(&measured.scaling);
    out + &live(&measured.live)
}

/// So many of the slowest schemas are named.
const SLOWEST: usize = 12;

/// All other schemas: percentiles, how many steps are slow, and where.
fn rest(runs: &Runs) -> String {
    let run = runs.lower_of_two();
    let (cold, warm) = (run.cold(), run.warm());
    let parts =
        [("compile + first mask", &run.first()), ("mask + commit, cold", &cold), ("the same, warm", &warm)];
    let rows = parts.map(|(name, times)| {
        let figures = [50.0, 90.0, 99.0, 99.9, 100.0].map(|p| figure(times, p));
        [name.to_owned()].into_iter().chain(figures).chain([grouped(times.len() as u64)]).collect::<Vec<_>>()
    });
    let slow = |steps: &[u64], ms: u64| steps.iter().filter(|&&step| step > ms * 1_000_000).count();
    let max = |case: &CaseResult| case.cold.iter().copied().max().unwrap_or(0);
    let mut cases: Vec<&CaseResult> = run.cases.iter().collect();
    cases.sort_by_key(|case| std::cmp::Reverse(max(case)));
    let slowest = cases.iter().take(SLOWEST).map(|case| {
        vec![format!("`{}`", case.id), figure(&[max(case)], 100.0), slow(&case.cold, 1).to_string()]
    });
    let wrong =
        [Outcome::RejectedValid, Outcome::AcceptedInvalid, Outcome::Broke].map(|outcome| run.count(outcome));
    format!(
        "\n## Other schemas of MaskBench\n\n{} schemas that are neither among those above nor those that the profile is made of, each \
         once with all its instances; Llama-3. {} are refused, {} come out wrong. Of each compile and each step the lower time of two runs, in µs; *cold* and \
         *warm* as above. {} cold steps take more than 1 ms, {} more than 10 ms.\n\n{}\nThe slowest of them:\n\n{}",
        grouped(run.cases.len() as u64),
        run.count(Outcome::Refused),
        wrong.iter().sum::<usize>(),
        slow(&cold, 1),
        slow(&cold, 10),
        table(&["µs", "p50", "p90", "p99", "p99.9", "max", "n"], &rows),
        table(&["schema", "slowest cold step, µs", "cold steps over 1 ms"], &slowest.collect::<Vec<_>>()),
    )
}

fn vocabularies(measured: &Measured) -> String {
    let mut out = String::new();
    if measured.vocabularies.is_empty() {
        return out;
    }
    let runs = measured.vocabularies.iter().flat_map(|with| &with.comparison.engines);
    let _ = write!(
        out,
        "\n## Other vocabularies\n\nThe same {} schemas, their texts taken apart by the tokenizers' own packages \
         (`tokenizers`, `tiktoken`), against the same targets, measured in the same way. xgrammar has \
         the first {SAMPLE} only (any prefix is a fair sample): its slowest compiles take tens of seconds each. \
         For llguidance, which reads no tiktoken ranks, a `tokenizer.json` of o200k is made from them \
         (`tools/bench/cases.py`); it takes all texts apart in the same way.\n",
        runs.map(|(_, runs)| runs.one().cases.len()).max().unwrap_or(0)
    );
    for with in &measured.vocabularies {
        let _ = write!(out, "\n### {}\n", with.vocabulary.name);
        if let Some(Judged { table, met, all }) = targets::judged(&with.comparison) {
            let _ = write!(
                out,
                "\nAgainst the targets, of which {met} of {all} are met (rows that begin in italics are not among them):\n\n{table}"
            );
        }
        for (title, plot, of, pick) in PARTS {
            let _ = write!(out, "\n{title}:\n\n{}", tables::percentiles(&with.comparison, (of, pick), plot));
        }
    }
    out
}

/// A percentile of times in words.
fn figure(times: &[u64], p: f64) -> String {
    percentile(times, p).map_or("–".into(), |time| micros(time as f64 / 1000.0))
}

/// A case of this engine: compile, cold and warm figures.
fn row(case: &CaseResult) -> Vec<String> {
    let (cold, warm) = (sorted(case.cold.iter().copied()), sorted(case.warm.iter().copied()));
    let first = case.first.map_or("–".into(), |time| micros(time as f64 / 1000.0));
    let mut row = vec![format!("`{}`", case.id.replace('|', "\\|")), first];
    row.extend([50.0, 99.0, 100.0].map(|p| figure(&cold, p)));
    row.extend([50.0, 99.0].map(|p| figure(&warm, p)));
    row
}

const HEAD: [&str; 7] =
    ["µs", "compile + first mask", "cold p50", "cold p99", "cold max", "warm p50", "warm p99"];

/// This engine case by case, and how the peers' cold steps compare.
fn beside_peers(engines: &Engines) -> Option<String> {
    let (("Tokenstile", ours), peers) = engines.split_first()? else { return None };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for case in &ours.lower_of_two().cases {
        let mut row = row(case);
        for (_, runs) in peers {
            let theirs = runs.one().cases.iter().find(|other| other.id == case.id);
            row.push(theirs.map_or("–".into(), cold_p99));
        }
        rows.push(row);
    }
    let names: Vec<String> = peers.iter().map(|(name, _)| format!("{name}: cold p99")).collect();
    let head: Vec<&str> = HEAD.into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut words = notes(&rows);
    words += " *Cold*: every text alone, as above. Of this engine each compile and each step counts with the lower time of two runs, each a process of its \
              own: a text has so few steps that one interrupt of the machine makes a p99. The peers' times are from one run.";
    Some(format!("{words}\n\n{}", table(&head, &rows)))
}

/// A peer's figure for a case; marked where it does not follow a text to its end.
fn cold_p99(case: &CaseResult) -> String {
    let figure = figure(&sorted(case.cold.iter().copied()), 99.0);
    if case.outcome == Outcome::RejectedValid { format!("{figure} †") } else { figure }
}

/// What the marks in the rows mean.
fn notes(rows: &[Vec<String>]) -> String {
    let has = |mark: &str| rows.iter().flatten().any(|cell| cell.ends_with(mark));
    let mut out = String::new();
    if has("–") {
        out += " –: refused, or failed.";
    }
    if has("†") {
        out += " †: a text was rejected, although all are valid; the figure is of the steps up to there.";
    }
    out
}

fn patterns(engines: &Engines) -> String {
    let Some(table) = beside_peers(engines) else { return String::new() };
    format!(
        "\n## Patterns\n\nAs members of an object, a few texts each (`tools/bench/patterns.jsonl`); Llama-3. Wanted: cold p99 at \
         most 100, warm at most 2.{table}"
    )
}

fn grammars(engines: &Engines) -> String {
    let Some(table) = beside_peers(engines) else { return String::new() };
    format!(
        "\n## Grammars\n\nContext-free grammars in GBNF, a few texts each (`tools/bench/grammars.jsonl`); Llama-3. Wanted: cold p99 \
         at most 100, warm p99 at most 5. The peers through their Python packages; llguidance and glrmask are given what the \
         `gbnf_to_lark` of llguidance makes of the grammars.{table}"
    )
}

fn batch(points: &[Point]) -> String {
    let of = |what: &str| points.iter().find(|point| point.by == "batch" && point.what == what);
    let (Some(one), Some(two)) = (of("one thread"), of("two threads")) else { return String::new() };
    let rows = [
        vec!["one thread".into(), micros(one.us), "1.00".into()],
        vec!["two threads".into(), micros(two.us), format!("{:.2}", one.us / two.us)],
    ];
    format!(
        "\n## A batch on two threads\n\nA mask and a commit for each of {} matchers of one constraint, with caches that are filled. \
         Wanted: at least 1.8 times as fast.\n\n{}",
        grouped(one.x as u64),
        table(&["a step of all, µs", "time", "times as fast"], &rows)
    )
}

fn fills(points: &[Point]) -> String {
    let points: Vec<&Point> = points.iter().filter(|point| point.by == "fill").collect();
    let row = |copy: &&Point| {
        let of = |what: &str| points.iter().find(|point| point.what == what && point.x == copy.x);
        let (fill, slowest) = (of("fill")?.us, of("slowest")?.us);
        let nanos = |us: f64| format!("{:.0}", us * 1e3);
        let times = |us: f64| format!("{:.2}", us / copy.us);
        let tokens = grouped(copy.x as u64);
        Some(vec![tokens, nanos(copy.us), nanos(fill), times(fill), nanos(slowest), times(slowest)])
    };
    let rows: Vec<Vec<String>> = points.iter().filter(|point| point.what == "copy").filter_map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "\n## Writing a mask that is known\n\nInto the rows of a tensor for sixteen sequences, one after the other, beside a plain copy of \
         the same mask into the same rows: at 60 places of a text, the median of the places and the slowest of them. Wanted: \
         at most 1.3 times a copy.\n\n{}",
        table(&["tokens", "copy, ns", "fill, ns", "times a copy", "slowest, ns", "times a copy"], &rows)
    )
}

fn saved_tables(points: &[Point]) -> String {
    let points: Vec<&Point> = points.iter().filter(|point| point.by == "tables").collect();
    let mut rows = Vec::new();
    for built in points.iter().filter(|point| point.what == "built") {
        let of = |what: &str| points.iter().find(|point| point.what == what && point.x == built.x);
        let shown =
            |what: &str, unit: f64| of(what).map_or("–".into(), |point| format!("{:.1}", point.us / unit));
        rows.push(vec![
            grouped(built.x as u64),
            format!("{:.0}", built.us / 1e3),
            shown("read", 1e3),
            shown("warmed", 1e3),
            shown("bytes", 1e6),
        ]);
    }
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "\n## Tables of a vocabulary\n\nBuilt, and mapped from a file that is in the page cache, with the fingerprint of the \
         vocabulary and all checks. Warmed: with what constraints share built ahead, one second at most. The median of \
         seven. Wanted: built in at most 1,000 ms, read in at most 50, at most 150 MB.\n\n{}",
        table(&["tokens", "built, ms", "read, ms", "warmed, ms", "file, MB"], &rows)
    )
}

fn live(engines: &[Live]) -> String {
    if engines.is_empty() {
        return String::new();
    }
    let kib = |kib: f64| if kib > 0.0 { grouped(kib as u64) } else { "–".into() };
    let rows: Vec<Vec<String>> = engines
        .iter()
        .map(|live| {
            let base = format!("{:.1}", live.base);
            vec![live.engine.clone(), live.count.to_string(), kib(live.growth), kib(live.own), base]
        })
        .collect();
    format!(
        "\n## Memory of constraints that are alive together\n\nThe first {CONSTRAINTS} schemas that all engines compile in less than two \
         seconds, each after one mask; the peers through their Python packages.\n\n{}",
        table(
            &["", "schemas", "growth of the process, KiB each", "own figure, KiB each", "vocabulary, MiB"],
            &rows
        )
    )
}
