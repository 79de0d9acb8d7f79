//! Percentile tables of a finished run.

use std::io::{self, Write};

use serde_json::Value;

use crate::diagnostic::BOLD;

const PERCENTILES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];
/// Up to so many cases, each has a row of its own.
const FEW: usize = 20;

/// What the tables are made of.
#[derive(Default)]
pub(super) struct Summary {
    cases: Vec<CaseFigures>,
    ops: Vec<(String, u64)>,
    refused: usize,
    mask_errors: usize,
    wrong: usize,
}

struct CaseFigures {
    id: String,
    ttfm: u64,
    cold: Vec<u64>,
    warm: Vec<u64>,
    resident: i64,
    cache: i64,
}

impl Summary {
    /// Takes in one result line.
    pub(super) fn add(&mut self, result: Value) {
        if result.get("compile_error").is_some() {
            self.refused += 1;
            return;
        }
        if result.get("mask_error").is_some() {
            self.mask_errors += 1;
            return;
        }
        let tests = result["cold"].as_array().map_or(&[][..], Vec::as_slice);
        self.wrong += usize::from(tests.iter().any(|test| test["valid"] != test["accepted"]));
        if let Some(ops) = result["ops_ns"].as_object() {
            self.ops.extend(ops.iter().map(|(name, time)| (name.clone(), time.as_u64().unwrap_or(0))));
        }
        self.cases.push(CaseFigures {
            id: result["id"].as_str().map_or_else(|| result["id"].to_string(), str::to_owned),
            ttfm: number(&result["compile_ns"]) + number(&result["first_mask_ns"]),
            cold: times(&result["cold"]),
            warm: times(&result["warm"]),
            resident: result["rss_delta_end"].as_i64().unwrap_or(0),
            cache: result["mem"].as_i64().unwrap_or(0),
        });
    }

    /// Writes the tables.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let total = self.cases.len() + self.refused + self.mask_errors;
        writeln!(
            out,
            "{BOLD}{total} cases{BOLD:#}: {} compiled, {} refused, {} with mask errors; {} with a test that came \
             out wrong\n",
            self.cases.len() + self.mask_errors,
            self.refused,
            self.mask_errors,
            self.wrong
        )?;
        let all =
            |pick: fn(&CaseFigures) -> &Vec<u64>| self.cases.iter().flat_map(|c| pick(c).clone()).collect();
        let rows: [(&str, Vec<u64>); 3] = [
            ("TTFM", self.cases.iter().map(|case| case.ttfm).collect()),
            ("TBM cold", all(|case| &case.cold)),
            ("TBM warm", all(|case| &case.warm)),
        ];
        let mut table = vec![head("µs", &["p50", "p90", "p99", "p99.9", "max", "n"])];
        table.extend(rows.into_iter().map(|(name, times)| percentile_row(name, times, 1000.0)));
        write_table(out, &table)?;
        let mut table = vec![head("KiB", &["p50", "p90", "p99", "p99.9", "max", "n"])];
        let sizes =
            |pick: fn(&CaseFigures) -> i64| self.cases.iter().map(|c| pick(c).max(0) as u64).collect();
        table.push(percentile_row("resident growth", sizes(|case| case.resident), 1024.0));
        table.push(percentile_row("engine cache", sizes(|case| case.cache), 1024.0));
        write_table(out, &table)?;
        if self.cases.len() <= FEW {
            self.write_cases(out)?;
        }
        for (name, time) in &self.ops {
            writeln!(out, "{name}: {time} ns")?;
        }
        Ok(())
    }

    fn write_cases(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = ["tokens", "TTFM", "cold p50", "p99", "max", "warm p50", "p99", "max", "cache KiB"];
        let mut table = vec![head("case (µs)", &columns)];
        for case in &self.cases {
            let (mut cold, mut warm) = (case.cold.clone(), case.warm.clone());
            cold.sort_unstable();
            warm.sort_unstable();
            let mut row = vec![case.id.clone(), cold.len().to_string(), shown(case.ttfm as f64 / 1000.0)];
            for times in [&cold, &warm] {
                for p in [50.0, 99.0, 100.0] {
                    row.push(percentile(times, p).map_or("-".into(), |ns| shown(ns as f64 / 1000.0)));
                }
            }
            row.push((case.cache / 1024).to_string());
            table.push(row);
        }
        write_table(out, &table)
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn times(tests: &Value) -> Vec<u64> {
    let tests = tests.as_array().map_or(&[][..], Vec::as_slice);
    tests.iter().filter_map(|test| test["tbm"].as_array()).flatten().map(number).collect()
}

fn head(name: &str, columns: &[&str]) -> Vec<String> {
    std::iter::once(name).chain(columns.iter().copied()).map(str::to_owned).collect()
}

fn percentile_row(name: &str, mut values: Vec<u64>, unit: f64) -> Vec<String> {
    values.sort_unstable();
    let mut row = vec![name.to_owned()];
    for p in PERCENTILES.into_iter().chain([100.0]) {
        row.push(percentile(&values, p).map_or("-".into(), |value| shown(value as f64 / unit)));
    }
    row.push(values.len().to_string());
    row
}

/// The value that `p` percent of the sorted `values` are below.
fn percentile(values: &[u64], p: f64) -> Option<u64> {
    let index = (values.len() as f64 * p / 100.0) as usize;
    values.get(index.min(values.len().checked_sub(1)?)).copied()
}

fn shown(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn write_table(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (index, row) in rows.iter().enumerate() {
        write!(out, "| {:<w$} |", row[0], w = widths[0])?;
        for (cell, w) in row.iter().zip(&widths).skip(1) {
            write!(out, " {cell:>w$} |")?;
        }
        writeln!(out)?;
        if index == 0 {
            let rules: Vec<String> = widths.iter().map(|w| "-".repeat(w + 2)).collect();
            writeln!(out, "|{}|", rules.join("|"))?;
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn percentiles_of_sorted_values() {
        let values: Vec<u64> = (0..1000).collect();
        assert_eq!(percentile(&values, 50.0), Some(500));
        assert_eq!(percentile(&values, 99.9), Some(999));
        assert_eq!(percentile(&values, 100.0), Some(999));
        assert_eq!(percentile(&[], 50.0), None);
    }

    #[test]
    fn tables_show_what_was_added() {
        let mut summary = Summary::default();
        summary.add(json!({
            "id": "a", "compile_ns": 3000, "first_mask_ns": 2000, "mem": 2048, "rss_delta_end": 4096,
            "cold": [{"valid": true, "accepted": true, "tbm": [1000, 2000]}],
            "warm": [{"accepted": true, "tbm": [500, 500]}],
            "ops_ns": {"fork@5": 7},
        }));
        summary.add(json!({"id": "b", "compile_error": "no"}));
        let mut out = Vec::new();
        summary.write(&mut out).unwrap();
        let text = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
        assert!(text.contains("2 cases: 1 compiled, 1 refused"), "{text}");
        assert!(text.contains("| TTFM     | 5.00 |"), "{text}");
        assert!(text.contains("fork@5: 7 ns"), "{text}");
    }
}
