//! The plots of the page.

use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;

use super::Measured;
use super::plot::{Labels, Scale, Series, bars, lines};
use super::results::{Engines, Runs};
use super::tables::{PARTS, PERCENTILES, Pick};

/// Writes all plots into `folder`.
pub(super) fn write(folder: &Path, measured: &Measured) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if !measured.schemas.engines.is_empty() {
        for (title, plot, of, pick) in PARTS {
            let by = if plot == "first" { "schemas" } else { "tokens" };
            let title = format!("{title}, by percentile of {by}");
            let plot = folder.join(format!("{plot}.svg"));
            fs::write(plot, cumulative(of(&measured.schemas), &title, pick))?;
        }
        fs::write(folder.join("compile.svg"), compile_bars(measured))?;
    }
    for (by, title, x) in [
        ("members", "Compile + first mask, by the size of an object", "members"),
        ("tools", "Compile and masks, by the number of tools", "tools"),
        ("vocabulary", "Mask + commit, by the size of the vocabulary", "tokens of the vocabulary"),
        ("text", "Mask + commit, by how much is written", "tokens of the text"),
        ("depth", "Mask + commit, by how deep the text is nested", "depth"),
    ] {
        if measured.scaling.iter().any(|point| point.by == by) {
            fs::write(folder.join(format!("{by}.svg")), growth(measured, by, title, x))?;
        }
    }
    Ok(())
}

/// Latency of every engine at every percentile.
fn cumulative(engines: &Engines, title: &str, pick: Pick) -> String {
    let mut series = Vec::new();
    let mut most = 1.0f64;
    for (name, runs) in engines {
        let times = runs.times(pick);
        let nines = (times.count().max(10) as f64).log10();
        most = most.max(nines);
        // Evenly spread over the axis, up to the slowest.
        let place = |step: u32| 100.0 * (1.0 - 10f64.powf(-f64::from(step) / 200.0 * nines));
        let point = |step: u32| Some((place(step), times.percentile(place(step))? as f64 / 1000.0));
        series.push(Series { name: (*name).to_owned(), points: (0..=200).filter_map(point).collect() });
    }
    let y = Scale::around(series.iter().flat_map(|one| one.points.iter().map(|point| point.1)));
    lines(&Labels { title, x: "percentile", y: "µs" }, Scale::Nines(most), y, &series)
}

fn compile_bars(measured: &Measured) -> String {
    let one = |(name, runs): &(&'static str, Rc<Runs>)| {
        let times = runs.times(|run| run.first());
        let points = PERCENTILES.iter().filter_map(|&p| Some((p, times.percentile(p)? as f64 / 1000.0)));
        Series { name: (*name).to_owned(), points: points.collect() }
    };
    let series: Vec<Series> = measured.schemas.engines.iter().map(one).collect();
    let y = Scale::around(series.iter().flat_map(|one| one.points.iter().map(|point| point.1)));
    let labels = Labels { title: "Compile + first mask", x: "", y: "µs" };
    bars(&labels, &["p50", "p90", "p99", "p99.9", "max"], y, &series)
}

fn growth(measured: &Measured, by: &str, title: &str, x: &str) -> String {
    let mut series: Vec<Series> = Vec::new();
    for point in measured.scaling.iter().filter(|point| point.by == by) {
        let at = (point.x, point.us);
        match series.iter_mut().find(|one| one.name == point.what) {
            Some(one) => one.points.push(at),
            None => series.push(Series { name: point.what.clone(), points: vec![at] }),
        }
    }
    let points = || series.iter().flat_map(|one| one.points.iter());
    let (across, up) = (Scale::around(points().map(|p| p.0)), Scale::around(points().map(|p| p.1)));
    lines(&Labels { title, x, y: "µs" }, across, up, &series)
}
