//! The tables of the page.

use std::collections::HashSet;
use std::fmt::Write;

use super::results::{Comparison, Engines, Outcome, Run, percentile, runs, sorted};
use super::scaling::Point;
use super::{Measured, WARMED};

/// The percentiles that the targets name; 100 is the maximum.
pub(super) const PERCENTILES: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 100.0];

/// A list of times of a run, sorted.
pub(super) type Pick = fn(&Run) -> Vec<u64>;

/// Whose runs they are of.
pub(super) type Whose = fn(&Comparison) -> &Engines;

/// What is measured of every engine: title, name of the plot, whose runs, times.
pub(super) const PARTS: [(&str, &str, Whose, Pick); 4] = [
    ("Compile + first mask", "first", |all| &all.engines, |run| run.first()),
    ("Mask + commit, cold", "cold", |all| &all.engines, |run| run.cold()),
    ("Mask + commit, warm", "warm", |all| &all.engines, |run| run.warm()),
    ("Mask + commit, every text alone", "alone", |all| &all.alone, |run| run.cold()),
];

/// Microseconds in words.
pub(super) fn micros(us: f64) -> String {
    if us < 100.0 { format!("{us:.1}") } else { grouped(us.round() as u64) }
}

/// A number with commas.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A Markdown table; the first column is words, the others are figures.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = format!("| {} |\n|---|{}\n", head.join(" | "), "--:|".repeat(head.len() - 1));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out
}

/// Percentiles of every engine for one of the [`PARTS`].
pub(super) fn percentiles(all: &Comparison, (of, pick): (Whose, Pick), plot: &str) -> String {
    let mut engines = of(all).clone();
    // Warming is about what is cold, and takes the time that it is given.
    let is_shown = |name: &str| plot != "alone" && (plot == "cold" || name != WARMED);
    let variants = all.variants.iter().filter(|(name, _)| is_shown(name)).cloned();
    engines.splice(1.min(engines.len())..1.min(engines.len()), variants);
    let rows: Vec<Vec<String>> = engines
        .iter()
        .map(|(name, runs)| {
            let times = runs.times(pick);
            let mut row = vec![(*name).to_owned()];
            row.extend(
                PERCENTILES
                    .map(|p| times.percentile(p).map_or("–".into(), |time| micros(time as f64 / 1000.0))),
            );
            row.push(grouped(times.count() as u64));
            row
        })
        .collect();
    table(&["µs", "p50", "p90", "p99", "p99.9", "max", "n"], &rows)
}

/// The schemas that every engine compiled and followed.
pub(super) fn common(all: &Comparison) -> Comparison {
    let mut ids: Option<HashSet<&str>> = None;
    for (_, runs) in &all.engines {
        let followed = runs.one().followed();
        ids = Some(match ids {
            None => followed,
            Some(ids) => ids.intersection(&followed).copied().collect(),
        });
    }
    let ids = ids.unwrap_or_default();
    let only =
        |engines: &Engines| engines.iter().map(|(name, runs)| (*name, runs.only(&ids).into())).collect();
    Comparison { engines: only(&all.engines), alone: only(&all.alone), variants: only(&all.variants) }
}

/// What the engines make of the schemas.
pub(super) fn coverage(engines: &Engines) -> String {
    let outcomes =
        [Outcome::Passed, Outcome::Refused, Outcome::RejectedValid, Outcome::AcceptedInvalid, Outcome::Broke];
    let rows: Vec<Vec<String>> = engines
        .iter()
        .map(|(name, runs)| {
            let run = runs.one();
            let mut row = vec![(*name).to_owned(), run.cases.len().to_string()];
            row.extend(outcomes.map(|outcome| run.count(outcome).to_string()));
            row
        })
        .collect();
    let head = [
        "schemas",
        "n",
        "all right",
        "refused",
        "valid text rejected",
        "invalid text accepted",
        "failed or out of time",
    ];
    table(&head, &rows)
}

/// What one compiled schema holds.
pub(super) fn memory(engines: &Engines) -> String {
    let mut rows = Vec::new();
    for (name, runs) in engines {
        let run = runs.one();
        let resident = sorted(
            run.cases.iter().filter(|c| !c.cold.is_empty()).filter_map(|c| c.resident?.try_into().ok()),
        );
        let own = sorted(run.cases.iter().filter_map(|case| case.own));
        let mut row = vec![(*name).to_owned()];
        for values in [&own, &resident] {
            row.extend([50.0, 99.0, 100.0].map(|p| {
                percentile(values, p)
                    .map_or("–".into(), |bytes| format!("{:.2}", bytes as f64 / (1 << 20) as f64))
            }));
        }
        rows.push(row);
    }
    let head = ["MiB", "own figure p50", "p99", "max", "growth of the process p50", "p99", "max"];
    table(&head, &rows)
}

/// Compile and first mask of schemas that were the first of a process, beside the same ones later in a run.
pub(super) fn first_of_process(measured: &Measured) -> Option<String> {
    let (first, later) = (measured.first.as_ref()?, runs(&measured.schemas.engines, "Tokenstile")?.one());
    let ids: HashSet<&str> = first.cases.iter().map(|case| case.id.as_str()).collect();
    let row = |name: &str, run: &Run| {
        let times = run.first();
        let mut row = vec![name.to_owned()];
        row.extend(
            [50.0, 90.0, 100.0]
                .map(|p| percentile(&times, p).map_or("–".into(), |time| micros(time as f64 / 1000.0))),
        );
        row.push(times.len().to_string());
        row
    };
    let rows = [row("the first of its process", first), row("the same later in a run", &later.only(&ids))];
    Some(table(&["compile + first mask, µs", "p50", "p90", "max", "n"], &rows))
}

/// One row for every value of what grows, one column for every thing that was measured.
pub(super) fn growth(points: &[Point], by: &str, head: &str) -> String {
    let points: Vec<&Point> = points.iter().filter(|point| point.by == by).collect();
    let mut columns: Vec<&str> = Vec::new();
    let mut places: Vec<f64> = Vec::new();
    for point in &points {
        if !columns.contains(&point.what.as_str()) {
            columns.push(&point.what);
        }
        if !places.contains(&point.x) {
            places.push(point.x);
        }
    }
    places.sort_by(f64::total_cmp);
    let rows: Vec<Vec<String>> = places
        .iter()
        .map(|&x| {
            let figure = |what: &&str| {
                let found = points.iter().find(|point| point.x == x && point.what == **what);
                found.map_or("–".into(), |point| micros(point.us))
            };
            std::iter::once(grouped(x as u64)).chain(columns.iter().map(figure)).collect()
        })
        .collect();
    let head: Vec<&str> = std::iter::once(head).chain(columns.iter().copied()).collect();
    table(&head, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_in_words() {
        assert_eq!(
            (micros(0.25), micros(99.94), micros(1234567.0)),
            ("0.2".into(), "99.9".into(), "1,234,567".into())
        );
        assert_eq!(table(&["a", "b"], &[vec!["x".into(), "1".into()]]), "| a | b |\n|---|--:|\n| x | 1 |\n");
    }

    #[test]
    fn growth_is_a_row_for_each_size() {
        let point = |what: &str, x: f64| Point { by: "depth".into(), what: what.into(), x, us: x };
        let points = [point("cold", 1.0), point("cold", 10.0), point("warm", 10.0)];
        let text = growth(&points, "depth", "depth");
        assert!(text.ends_with("| 1 | 1.0 | – |\n| 10 | 10.0 | 10.0 |\n"), "{text}");
    }
}
