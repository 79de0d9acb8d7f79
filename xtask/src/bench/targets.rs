//! What is wished for, and how far it is reached.

use super::results::{Comparison, runs};
use super::tables::{self, PERCENTILES, Pick, micros};
use super::{PROFILED, WARMED};

/// A wish for one percentile.
enum Target {
    /// None.
    Open,
    /// At most so much of the peer's time.
    Ratio(f64),
    /// At most so many microseconds.
    Micros(f64),
}

/// A row of wishes.
struct Wish {
    what: &'static str,
    /// Against whom.
    peer: &'static str,
    pick: Pick,
    /// How much at each percentile.
    targets: [Target; 5],
    /// Which runs of this engine.
    of: Ours,
}

/// Runs of this engine. What is not as it is wished for is shown, and does not count.
#[derive(PartialEq)]
enum Ours {
    AsWished,
    /// Every text has a constraint of its own.
    Alone,
    /// Another one with this name.
    Variant(&'static str),
}

fn wishes() -> Vec<Wish> {
    use Ours::{Alone, AsWished, Variant};
    use Target::{Micros, Open, Ratio};
    let first = |what, of| {
        let targets = [Ratio(1.0 / 8.0), Ratio(1.0 / 6.0), Ratio(1.0 / 6.0), Open, Ratio(1.0 / 3.0)];
        Wish { what, peer: "llguidance, native", pick: |run| run.first(), targets, of }
    };
    let cold = |what, of| {
        let targets = [Ratio(0.5), Ratio(0.7), Ratio(0.8), Ratio(1.0), Micros(300.0)];
        Wish { what, peer: "glrmask", pick: |run| run.cold(), targets, of }
    };
    let warm = |what, of| {
        let targets = [Ratio(0.25), Ratio(0.3), Ratio(0.3), Ratio(0.5), Micros(50.0)];
        Wish { what, peer: "glrmask", pick: |run| run.warm(), targets, of }
    };
    vec![
        first("compile + first mask", AsWished),
        cold("mask + commit, cold", AsWished),
        warm("mask + commit, warm", AsWished),
        first("*built with a profile:* compile + first mask", Variant(PROFILED)),
        cold("*built with a profile:* mask + commit, cold", Variant(PROFILED)),
        warm("*built with a profile:* mask + commit, warm", Variant(PROFILED)),
        cold("*warmed for 5 ms:* mask + commit, cold", Variant(WARMED)),
        cold("*stricter:* mask + commit, every text alone", Alone),
    ]
}

/// Wishes and figures side by side, and how many are met.
pub(super) struct Judged {
    pub(super) table: String,
    pub(super) met: usize,
    pub(super) all: usize,
}

/// Holds this engine against the wishes; rows of peers that are not there are left out.
pub(super) fn judged(comparison: &Comparison) -> Option<Judged> {
    let mut rows = Vec::new();
    let (mut met, mut all) = (0, 0);
    for Wish { what, peer, pick, targets, of } in wishes() {
        let ours = match of {
            Ours::AsWished => runs(&comparison.engines, "Tokenstile"),
            Ours::Alone => runs(&comparison.alone, "Tokenstile"),
            Ours::Variant(name) => runs(&comparison.variants, name),
        };
        let (Some(ours), Some(theirs)) = (ours, runs(&comparison.engines, peer)) else { continue };
        let counts = of == Ours::AsWished;
        let slowest = pick(&ours.lower_of_two()).last().copied();
        let (mine, theirs) = (ours.times(pick), theirs.times(pick));
        let mut row = vec![format!("{what}, against {peer}")];
        for (target, p) in targets.iter().zip(PERCENTILES) {
            let mine = if p == 100.0 { slowest } else { mine.percentile(p) };
            let figures = mine.zip(theirs.percentile(p));
            row.push(figures.map_or("–".into(), |(mine, theirs)| {
                let (words, is_met) = cell(target, mine as f64 / 1000.0, theirs as f64 / 1000.0);
                all += usize::from(counts && is_met.is_some());
                met += usize::from(counts && is_met == Some(true));
                words
            }));
        }
        rows.push(row);
    }
    let table = tables::table(&["", "p50", "p90", "p99", "p99.9", "max"], &rows);
    (!rows.is_empty()).then_some(Judged { table, met, all })
}

/// The words for one cell, and whether the wish is met.
fn cell(target: &Target, mine: f64, theirs: f64) -> (String, Option<bool>) {
    let ratio = mine / theirs;
    let mark = |met: bool| if met { "✓" } else { "**✗**" };
    match *target {
        Target::Open => (format!("{ratio:.2} ×"), None),
        Target::Ratio(most) => {
            (format!("{ratio:.2} × (≤ {most:.3}) {}", mark(ratio <= most)), Some(ratio <= most))
        }
        Target::Micros(most) => {
            (format!("{} µs (≤ {most}) {}", micros(mine), mark(mine <= most)), Some(mine <= most))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_judged() {
        assert_eq!(cell(&Target::Ratio(0.5), 1.0, 4.0), ("0.25 × (≤ 0.500) ✓".into(), Some(true)));
        assert_eq!(cell(&Target::Micros(50.0), 60.0, 1.0), ("60.0 µs (≤ 50) **✗**".into(), Some(false)));
        assert_eq!(cell(&Target::Open, 1.0, 2.0).1, None);
    }
}
