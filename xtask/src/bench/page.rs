//! The page: what was measured, in words and tables, between two marks in `docs/benchmarks.md`.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use super::setup::first_line;
use super::tables::{self, PARTS};
use super::targets::{self, Judged};
use super::{FIRSTS, Measured, plots, sections, workloads};

const BEGIN: &str = "<!-- from here on written by `cargo xtask bench` -->";
const END: &str = "<!-- up to here -->";

/// Writes page and plots into the folder `docs`.
pub(super) fn write(root: &Path, docs: &Path, measured: &Measured) -> io::Result<()> {
    fs::create_dir_all(docs)?;
    plots::write(&docs.join("benchmarks"), measured)?;
    let old = fs::read_to_string(root.join("docs/benchmarks.md")).unwrap_or_default();
    fs::write(docs.join("benchmarks.md"), replaced(&old, &body(measured)))
}

/// The page with the part between the marks replaced; in front of the first section if it has none yet.
fn replaced(old: &str, body: &str) -> String {
    let part = format!("{BEGIN}\n\n{body}\n{END}\n");
    if let (Some(begin), Some(end)) = (old.find(BEGIN), old.find(END)) {
        let rest = &old[end + END.len()..];
        return format!("{}{part}{}", &old[..begin], rest.strip_prefix('\n').unwrap_or(rest));
    }
    let at = old.find("\n## ").map_or(old.len(), |at| at + 1);
    format!("{}{part}\n{}", &old[..at], &old[at..])
}

fn body(measured: &Measured) -> String {
    let mut out = String::new();
    if !measured.schemas.engines.is_empty() {
        out += &opening(measured);
        out += &against_targets(measured);
        out += &engines(measured);
    }
    if let Some(table) = tables::first_of_process(measured) {
        let _ = write!(
            out,
            "\n### The first constraint of a process\n\nThe first {FIRSTS} schemas, each in a process that has read the \
             vocabulary and compiled nothing else before.\n\n{table}"
        );
    }
    out += &growth(measured);
    out + &sections::all(measured)
}

fn opening(measured: &Measured) -> String {
    let schemas = measured.schemas.engines.iter().map(|(_, runs)| runs.one().cases.len()).max().unwrap_or(0);
    let versions: Vec<String> = measured
        .schemas
        .engines
        .iter()
        .map(|(name, runs)| format!("{name} {}", runs.one().version))
        .collect();
    let times: Vec<String> =
        measured.schemas.engines.iter().map(|(name, runs)| format!("{name} {}", runs.count())).collect();
    let verified = measured.verified.as_ref().map_or_else(String::new, |words| {
        format!(
            "- With one mask in {} of the *cold* pass, in a process of its own: {words}.\n",
            workloads::VERIFIED
        )
    });
    format!(
        "## Real schemas\n\n\
         {schemas} schemas of MaskBench with their valid and invalid instances, Llama-3 vocabulary (128,256 tokens), \
         each run of an engine in a process of its own, one after the other, on one \
         pinned core.\n\n\
         - {}\n\
         - Versions: {}. glrmask and xgrammar through their Python packages, as their users call them: \
         their times have the calls from Python in them. Tokenstile as its command ships, with the allocator mimalloc; \
         the others as they ship.\n\
         - Runs of each: {}, those of one engine between those of the others, so that a bad moment of the machine is not \
         all of an engine that is measured in seconds. Where there are several, a percentile is the middle one of theirs.\n\
         - A time is the lower of wall time and CPU time of the step. *Cold*: the first pass over the texts of a schema that \
         was just compiled, as the peers' harness and MaskBench have it; the tables of the vocabulary are there, with what \
         constraints share built ahead (`Compiler::warm`, as servers do when they start: JSON, plain types, formats, classes of \
         characters; nothing of these schemas). *Warm*: the same texts again. Tokens of texts that an engine rejects count \
         up to where it does.\n\
         - *Every text alone* is stricter than *cold*: of this engine every text gets a constraint as it was right after \
         compiling, so that it finds nothing in its own caches that an earlier text of its schema has left; what constraints \
         share is there, with what others have added to it. For the peers it is the same as *cold*: the loop of llguidance \
         gives every text a copy, and glrmask and xgrammar build their tables when they compile.\n\
         - *Built with a profile*: the command as `cargo xtask optimize` builds it, with a profile of one in 14 of the other \
         schemas of MaskBench, none of which is measured here or below. *Warmed for 5 ms*: `constraint.warm` was given so long \
         before the first text, as a server does while a prompt is processed.\n\
         {verified}\
         - Each engine is measured over all schemas that it compiles; a compile that runs out of time counts as \
         60 s. glrmask writes one layout of white space (`, ` and `: `) only; the others here any.\n",
        measured.about.trim(),
        versions.join(", "),
        times.join(", "),
    )
}

/// What these figures are of: command, commit, date, compiler, machine. Taken down when they are measured.
pub(super) fn about(arguments: &str) -> String {
    let changed = if first_line("git", &["status", "--porcelain", "--untracked-files=no"]).is_empty() {
        ""
    } else {
        ", with changes that are not committed"
    };
    format!(
        "One run of `cargo xtask bench{arguments}` at commit {}{changed}, {}, {}, on {}.",
        first_line("git", &["rev-parse", "--short", "HEAD"]),
        first_line("date", &["-u", "+%F"]),
        first_line("rustc", &["--version"]),
        machine(),
    )
}

/// The processor, and how many.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores, shared with others", model.map_or("unknown", |(_, name)| name))
}

/// Wishes and figures side by side.
fn against_targets(measured: &Measured) -> String {
    let Some(Judged { table, met, all }) = targets::judged(&measured.schemas) else { return String::new() };
    format!(
        "\n### Against the targets\n\nMeasured (target): this engine's time as a part of the peer's at the same \
         percentile, or in µs. The maxima of this engine take, of each schema or step, the lower time of the first two \
         runs. {met} of {all} are met; rows that begin in italics are not among them.\n\n{table}"
    )
}

fn engines(measured: &Measured) -> String {
    let engines = &measured.schemas.engines;
    let mut out = String::new();
    for (title, plot, of, pick) in PARTS {
        let table = tables::percentiles(&measured.schemas, (of, pick), plot);
        let _ = write!(out, "\n### {title}\n\n{table}\n![{title}](benchmarks/{plot}.svg)\n");
        if plot == "first" {
            out += "\n![Compile + first mask, as bars](benchmarks/compile.svg)\n";
        }
    }
    if engines.len() > 1 {
        let common = tables::common(&measured.schemas);
        let count = common.engines.first().map_or(0, |(_, runs)| runs.one().cases.len());
        let _ = write!(out, "\n### Only the {count} schemas that all of them take\n");
        for (title, plot, of, pick) in PARTS {
            let _ = write!(out, "\n{title}:\n\n{}", tables::percentiles(&common, (of, pick), plot));
        }
    }
    let _ = write!(out, "\n### Coverage\n\n{}", tables::coverage(engines));
    let _ = write!(
        out,
        "\n### Memory of one compiled schema\n\nAfter all its texts: what the engine says it holds, and by how much its \
         process grew. A process uses again what earlier schemas gave back, so that only the tail of its growth says \
         anything. Wanted of the own figure: at most 0.3 at p50, 5 at p99.\n\n{}",
        tables::memory(engines)
    );
    out
}

fn growth(measured: &Measured) -> String {
    let mut out = String::new();
    for (by, title, head, words) in [
        (
            "members",
            "Size of a schema",
            "members",
            "An object with so many members of five kinds. The lowest of five times. It should be linear.",
        ),
        (
            "tools",
            "Number of tools",
            "tools",
            "A union of objects told apart by the constant `name`, four arguments each. Compiling: the lowest of five times. Mask + commit: calls of the first, the middle and the last tool, four bytes a step, each step the lower of two times, cold on a constraint as it was compiled. Wanted: 400 in at most 20,000, masks as everywhere.",
        ),
        (
            "vocabulary",
            "Size of the vocabulary",
            "tokens",
            "The same schema and text; *copy* is a plain copy of a mask, the least a fill can cost.",
        ),
        (
            "text",
            "Length of the text",
            "tokens",
            "An array of objects, four bytes a step: the median of the last tenth up to there, or of the last ten.",
        ),
        (
            "depth",
            "Nesting",
            "depth",
            "Arrays in arrays: the median of the ten steps before and the ten after the deepest place. What is the same at every depth is new only once.",
        ),
    ] {
        if measured.scaling.iter().any(|point| point.by == by) {
            let table = tables::growth(&measured.scaling, by, head);
            let _ = write!(
                out,
                "\n### {title}\n\n{words} Times in µs.\n\n{table}\n![{title}](benchmarks/{by}.svg)\n"
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_between_the_marks_is_replaced() {
        let once = replaced("# Page\n\nWords.\n\n## Micro\n\nkept\n", "one");
        assert_eq!(once, format!("# Page\n\nWords.\n\n{BEGIN}\n\none\n{END}\n\n## Micro\n\nkept\n"));
        assert_eq!(replaced(&once, "two"), once.replace("one", "two"));
    }
}
