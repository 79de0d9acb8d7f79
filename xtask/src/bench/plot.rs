//! Plots as SVG: lines and bars on logarithmic axes, readable on light and on dark.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 52.0;

/// Colours of the series, on light and on dark.
const COLOURS: [(&str, &str); 6] = [
    ("#0b62c4", "#6cb2ff"),
    ("#c2410c", "#ff9a5c"),
    ("#15803d", "#5fd68a"),
    ("#7e22ce", "#cf9bff"),
    ("#a16207", "#e6c04a"),
    ("#475569", "#a3b2c7"),
];

/// How a value becomes a place on an axis, from 0 to 1.
#[derive(Clone, Copy)]
pub(super) enum Scale {
    /// By its logarithm, from the first to the second.
    Log(f64, f64),
    /// Percentiles, by the logarithm of what is above them, up to the one with so many nines.
    Nines(f64),
}

impl Scale {
    /// The whole decades around the values.
    pub(super) fn around(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = values
            .filter(|v| *v > 0.0)
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return Scale::Log(1.0, 10.0);
        }
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        Scale::Log(10f64.powf(low), 10f64.powf(high.max(low + 1.0)))
    }

    fn place(self, value: f64) -> f64 {
        let place = match self {
            Scale::Log(low, high) => (value.max(low) / low).log10() / (high / low).log10(),
            Scale::Nines(most) => -(1.0 - value / 100.0).max(1e-12).log10() / most,
        };
        place.clamp(0.0, 1.0)
    }

    /// Values to mark, and their words.
    fn ticks(self) -> Vec<(f64, String)> {
        match self {
            Scale::Log(low, high) => {
                let (from, to) = (low.log10().round() as i32, high.log10().round() as i32);
                (from..=to).map(|power| 10f64.powi(power)).map(|value| (value, quantity(value))).collect()
            }
            Scale::Nines(most) => {
                let marks = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999];
                let shown = marks.into_iter().filter(|p| -(1.0 - p / 100.0f64).log10() <= most + 1e-6);
                shown.map(|p| (p, format!("p{p}"))).collect()
            }
        }
    }
}

/// A number with as few digits as it needs.
fn quantity(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{} M", v / 1e6),
        v if v >= 1e3 => format!("{} k", v / 1e3),
        v => format!("{v}"),
    }
}

/// One line or one colour of bars.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// What a plot says beside its figures.
pub(super) struct Labels<'a> {
    pub(super) title: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
}

/// Lines.
pub(super) fn lines(labels: &Labels, x: Scale, y: Scale, series: &[Series]) -> String {
    let mut svg = frame(labels, series);
    grid(&mut svg, x, y);
    for (index, one) in series.iter().enumerate().rev() {
        let places: Vec<String> =
            one.points.iter().map(|(a, b)| format!("{:.1},{:.1}", across(x, *a), up(y, *b))).collect();
        let _ = writeln!(svg, "<polyline class=\"line c{index}\" points=\"{}\"/>", places.join(" "));
        for (a, b) in one.points.iter().filter(|_| one.points.len() <= 12) {
            let _ = writeln!(
                svg,
                "<circle class=\"dot c{index}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>",
                across(x, *a),
                up(y, *b)
            );
        }
    }
    svg + "</svg>\n"
}

/// Groups of bars: the points of a series are its bars, one in each group.
pub(super) fn bars(labels: &Labels, groups: &[&str], y: Scale, series: &[Series]) -> String {
    let mut svg = frame(labels, series);
    grid(&mut svg, Scale::Nines(0.0), y);
    let group = (WIDTH - LEFT - RIGHT) / groups.len().max(1) as f64;
    let bar = group * 0.8 / series.len().max(1) as f64;
    for (at, name) in groups.iter().enumerate() {
        let left = LEFT + group * (at as f64 + 0.1);
        let middle = left + group * 0.4;
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            HEIGHT - BOTTOM + 18.0
        );
        for (index, one) in series.iter().enumerate() {
            let Some((_, value)) = one.points.get(at) else { continue };
            let (x, top) = (left + bar * index as f64, up(y, *value));
            let _ = writeln!(
                svg,
                "<rect class=\"bar c{index}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\n\
                 <text class=\"value\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bar - 2.0,
                HEIGHT - BOTTOM - top,
                x + bar / 2.0 - 1.0,
                top - 4.0,
                rounded(*value)
            );
        }
    }
    svg + "</svg>\n"
}

/// A figure above a bar.
fn rounded(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.0}M", v / 1e6),
        v if v >= 1e4 => format!("{:.0}k", v / 1e3),
        v if v >= 1e3 => format!("{:.1}k", v / 1e3),
        v => format!("{v:.0}"),
    }
}

fn across(scale: Scale, value: f64) -> f64 {
    LEFT + scale.place(value) * (WIDTH - LEFT - RIGHT)
}

fn up(scale: Scale, value: f64) -> f64 {
    HEIGHT - BOTTOM - scale.place(value) * (HEIGHT - TOP - BOTTOM)
}

/// Everything but the axes and the figures: style, background, title, legend, names of the axes.
fn frame(labels: &Labels, series: &[Series]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>{}</title>\n<style>\n{}</style>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n",
        escaped(labels.title),
        style()
    );
    let mut text = |class: &str, place: String, words: &str| {
        let _ = writeln!(svg, "<text class=\"{class}\" {place}>{}</text>", escaped(words));
    };
    text("title", format!("x=\"{LEFT}\" y=\"22\""), labels.title);
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    text("tick", format!("x=\"{middle}\" y=\"{}\" text-anchor=\"middle\"", HEIGHT - 10.0), labels.x);
    let side = (TOP + HEIGHT - BOTTOM) / 2.0;
    text("tick", format!("transform=\"translate(18 {side}) rotate(-90)\" text-anchor=\"middle\""), labels.y);
    let mut x = LEFT;
    for (index, one) in series.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<rect class=\"bar c{index}\" x=\"{x:.0}\" y=\"36\" width=\"14\" height=\"10\"/>\n\
             <text class=\"tick\" x=\"{:.0}\" y=\"45\">{}</text>",
            x + 19.0,
            escaped(&one.name)
        );
        x += 40.0 + 7.0 * one.name.chars().count() as f64;
    }
    svg
}

fn grid(svg: &mut String, x: Scale, y: Scale) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for (value, words) in y.ticks() {
        let at = up(y, value);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/>\n\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{words}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    // A scale without length has no marks: that of bars, which have names instead.
    for (value, words) in x.ticks().into_iter().filter(|_| !matches!(x, Scale::Nines(0.0))) {
        let at = across(x, value);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom}\"/>\n\
             <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{words}</text>",
            bottom + 18.0
        );
    }
}

fn style() -> String {
    let mut light = String::from(
        ".page{fill:#fff}.title{fill:#111;font-size:15px;font-weight:600}.tick{fill:#333}.value{fill:#333;font-size:9px}\
         .grid{stroke:#ddd;fill:none}.line{fill:none;stroke-width:2}\n",
    );
    let mut dark = String::from(
        ".page{fill:#0d1117}.title{fill:#f0f3f6}.tick,.value{fill:#c9d1d9}.grid{stroke:#30363d}\n",
    );
    for (index, (on_light, on_dark)) in COLOURS.iter().enumerate() {
        for (style, colour) in [(&mut light, on_light), (&mut dark, on_dark)] {
            let _ = writeln!(
                style,
                ".line.c{index}{{stroke:{colour}}}.bar.c{index},.dot.c{index}{{fill:{colour}}}"
            );
        }
    }
    format!("{light}@media (prefers-color-scheme: dark){{\n{dark}}}\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_on_axes() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(Scale::Log(1.0, 100.0).place(10.0), 0.5));
        assert!(close(Scale::Nines(2.0).place(90.0), 0.5));
        let Scale::Log(low, high) = Scale::around([3.0, 250.0].into_iter()) else { unreachable!() };
        assert!(close(low, 1.0) && close(high, 1000.0));
    }

    #[test]
    fn a_plot_names_its_series() {
        let labels = Labels { title: "a < b", x: "x", y: "y" };
        let series = [Series { name: "one".into(), points: vec![(1.0, 1.0), (10.0, 100.0)] }];
        let svg = lines(&labels, Scale::Log(1.0, 10.0), Scale::Log(1.0, 100.0), &series);
        assert!(svg.contains("a &lt; b") && svg.contains(">one<") && svg.ends_with("</svg>\n"));
        assert!(bars(&labels, &["p50"], Scale::Log(1.0, 100.0), &series).contains("height=\"0.0\""));
    }
}
