//! The table of what each way saves, in `docs/performance.md`.

use std::fs;
use std::path::Path;

use super::measure::{Figures, Measured};
use super::setup::{Places, Way};

/// The page, and what stands around the part that is written here.
const PAGE: &str = "docs/performance.md";
const BEGIN: &str = "<!-- from here on written by `cargo xtask ablate` -->";
const END: &str = "<!-- up to here -->";

/// A way is worth having if it saves so much of one sum, or so much of one slowest step.
const SUM: f64 = 0.02;
const WORST: f64 = 0.10;

/// Times move from run to run, and on a busy machine by half and more.
const SURE: f64 = 1.0;

/// How much more is taken without a way, and of what that is.
#[derive(Clone, Default)]
struct More {
    part: f64,
    of: String,
}

/// What turning a way off changes.
struct Worth<'w> {
    way: &'w Way,
    sum: More,
    p99: More,
    worst: More,
    /// What is to be known besides.
    note: String,
}

impl Worth<'_> {
    /// How far above the thresholds it is; below 1 it is below both.
    fn score(&self) -> f64 {
        let score = (self.sum.part / SUM).max(self.worst.part / WORST);
        if self.note.is_empty() { score } else { score.max(1e6) }
    }
}

/// The greatest change of one kind of figures.
fn most(figures: &Figures, base: &Figures, kind: &str) -> More {
    let changes =
        base.iter().filter(|(key, _)| key.split('/').nth(1) == Some(kind)).filter_map(|(key, before)| {
            let now = figures.get(key)?;
            let part = *now as f64 / (*before).max(1) as f64 - 1.0;
            let (workload, phase) = (key.split('/').next()?, key.split('/').nth(2)?);
            Some(More { part, of: format!("{workload}, {}", phase.replace('_', " ")) })
        });
    changes.max_by(|a, b| a.part.total_cmp(&b.part)).unwrap_or_default()
}

/// Compares what was measured without a way with what was with all.
fn worth<'w>(way: &'w Way, found: &Measured, base: &Measured) -> Worth<'w> {
    let mut note = Vec::new();
    // Cliffs are not always counted, and nothing is that takes very long.
    let is_timed = |key: &str| !found.counts.keys().any(|counted| workload_of(counted) == workload_of(key));
    let timed = |figures: &Figures| -> Figures {
        figures.iter().filter(|(key, _)| is_timed(key)).map(|(key, value)| (key.clone(), *value)).collect()
    };
    let (times, before) = (timed(&found.times), timed(&base.times));
    let of = |kind: &str| {
        let timed = most(&times, &before, kind);
        let timed = More { of: format!("{}, by time", timed.of), ..timed };
        let counted = most(&found.counts, &base.counts, kind);
        if !found.counts.is_empty() && timed.part < counted.part.max(SURE) { counted } else { timed }
    };
    if !found.finished {
        note.push("did not end in time".to_owned());
    } else if !found.failed.is_empty() {
        note.push(format!("{} cases run into a limit", found.failed.len()));
    } else if !found.masks.is_empty() && found.masks != base.masks {
        note.push("MASKS DIFFER".to_owned());
    }
    Worth { way, sum: of("sum"), p99: of("p99"), worst: of("worst"), note: note.join(", ") }
}

fn workload_of(key: &str) -> &str {
    key.split('/').next().unwrap_or_default()
}

/// One line for whoever waits.
pub(super) fn summary(found: &Measured, base: &Measured) -> String {
    let way = Way { name: String::new(), what: String::new() };
    let Worth { sum, p99, worst, note, .. } = worth(&way, found, base);
    format!("sum {}, p99 {}, worst {} {note}", shown(&sum), shown(&p99), shown(&worst))
}

fn shown(more: &More) -> String {
    match more.part {
        ..0.0005 => "–".to_owned(),
        5.0.. => format!("× {:.0} ({})", more.part + 1.0, more.of),
        part => format!("+{:.1} % ({})", part * 100.0, more.of),
    }
}

/// Writes the table of all results that are there.
pub(super) fn write(places: &Places, root: &Path, ways: &[Way]) -> Result<(), String> {
    let base = Measured::read(places, None).ok_or("nothing was measured with everything on")?;
    let found = ways.iter().filter_map(|way| Some((way, Measured::read(places, Some(&way.name))?)));
    let found: Vec<(&Way, Measured)> = found.collect();
    let mut worths: Vec<Worth<'_>> = found.iter().map(|(way, found)| worth(way, found, &base)).collect();
    worths.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.way.name.cmp(&b.way.name)));
    let mut text = String::from(
        "\n| way | what it is | sum | slowest hundredth | slowest step |\n|---|---|---|---|---|\n",
    );
    for worth in &worths {
        let Worth { way, sum, p99, worst, note } = worth;
        let note = if note.is_empty() { String::new() } else { format!("; {note}") };
        let (sum, p99, worst) = (shown(sum), shown(p99), shown(worst));
        text += &format!("| {} | {} | {sum}{note} | {p99} | {worst} |\n", way.name, way.what);
    }
    let low = worths.iter().filter(|worth| worth.score() < 1.0).count();
    text += &format!(
        "\n{} of {} ways were measured; {low} of them save less than {:.0} % of every sum and less than {:.0} % of every \
         slowest step.\n",
        worths.len(),
        ways.len(),
        SUM * 100.0,
        WORST * 100.0
    );
    let is_whole = places.is_whole() && worths.len() == ways.len();
    let path = if is_whole { root.join(PAGE) } else { places.partial_table() };
    let page = if is_whole { between(&fs::read_to_string(&path).unwrap_or_default(), &text)? } else { text };
    fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("ablate: wrote {}", path.display());
    Ok(())
}

/// A page with the part between the marks replaced.
fn between(page: &str, text: &str) -> Result<String, String> {
    let marks = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) =
        marks.ok_or_else(|| format!("{PAGE} lacks the marks that the table stands between"))?;
    Ok(format!("{before}{BEGIN}\n{text}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_change_is_shown() {
        let figures = |values: [u64; 3]| -> Figures {
            let keys = ["schemas/sum/cold_mask", "micro/sum/cold_mask", "schemas/worst/cold"];
            keys.into_iter().map(str::to_owned).zip(values).collect()
        };
        let (base, found) = (figures([1000, 100, 50]), figures([1010, 105, 50]));
        assert_eq!(shown(&most(&found, &base, "sum")), "+5.0 % (micro, cold mask)");
        assert_eq!(shown(&most(&found, &base, "worst")), "–");
        assert_eq!(shown(&most(&found, &base, "p99")), "–");
    }

    #[test]
    fn text_around_the_table_stays() {
        let page = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        assert_eq!(
            between(&page, "new\n").as_deref(),
            Ok(&*format!("before\n{BEGIN}\nnew\n\n{END}\nafter\n"))
        );
        assert!(between("no marks", "new").is_err());
    }
}
