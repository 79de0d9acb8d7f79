//! The order of the modules inside each crate, and whether the sources keep to it.
//!
//! The imports of all Rust files of a crate are read ([`tree`]) and held against two rules. The modules of the crate's root
//! have an order ([`ORDERS`]), and an import runs down in it. And no more than [`MAX_CIRCLE`] files import each other in a
//! circle: where more do, they are one thing, or something is missing between them.
//!
//! Tests do not count, nor do declarations of modules. `cargo xtask tidy` checks the rules, and `cargo xtask layers`
//! shows what there is to someone who moves modules.

mod file;
mod graph;
mod source;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use graph::Graph;
use tree::{Crate, File};

/// The largest circle of files.
const MAX_CIRCLE: usize = 3;

/// Where the crates are: themselves, or the folders that they are in.
pub(crate) const FOLDERS: [&str; 4] = ["crates", "bindings", "integrations", "xtask"];

/// The rules of one crate. A crate that is not listed has no order, and keeps to the largest circle.
struct Rules<'a> {
    folder: &'a str,
    /// The modules of the crate's root, lowest first, as the words of each row. Those in one row do not import each
    /// other, and the root itself is above all. Empty if there is no order yet.
    order: &'a [&'a str],
    /// Why its circles may be larger, if they may.
    circles: Option<&'a str>,
}

/// The rules of the crates. `cargo xtask layers CRATE ROW…` says what an order would break before it is written here.
const ORDERS: [Rules<'_>; 10] = [
    Rules {
        folder: "crates/engine",
        order: &[
            "ablate tuning work vocab",
            "collections",
            "stored error",
            "tokens",
            "automaton",
            "stack",
            "masks",
            "tracker",
            "constraint",
            "session",
            "matcher compile",
            "step",
            "warm",
        ],
        circles: None,
    },
    Rules {
        folder: "crates/json-schema",
        order: &[
            "markup metaschema options pointer reader tuning uri",
            "keywords node number place string",
            "base resolve usual",
            "algebra",
            "lower",
        ],
        circles: None,
    },
    Rules {
        folder: "crates/structural-tag",
        order: &["format path", "write", "check read", "lower presets"],
        circles: None,
    },
    Rules {
        folder: "crates/grammar",
        order: &["error ids tuning", "limits", "ir", "choice gbnf regex", "json passes", "compose"],
        circles: None,
    },
    Rules {
        folder: "crates/testkit",
        order: &[
            "plain viability",
            "boolean members rng",
            "reference spans",
            "along generate tokens tracked",
            "sorted",
        ],
        circles: None,
    },
    Rules { folder: "crates/runtime", order: &[], circles: Some("the error lists what models there are") },
    Rules {
        folder: "crates/server",
        order: &[],
        circles: Some("the routes and what they serve share one state"),
    },
    Rules { folder: "crates/cli", order: &[], circles: Some("the root defines what its commands answer") },
    Rules {
        folder: "crates/conformance",
        order: &[
            "allocate data decimal text",
            "known",
            "oracle",
            "report",
            "runner",
            "vocabulary",
            "subject",
            "setup",
            "maskbench mutate",
            "respell",
            "completeness ratchet sampler",
            "soundness",
            "suite",
        ],
        circles: None,
    },
    Rules {
        folder: "xtask",
        order: &[
            "process",
            "profiled",
            "ablate bench instructions layers package sanitize surface",
            "tidy",
            "data",
            "steps",
        ],
        circles: Some("the benchmark's page and its runs share one table of engines"),
    },
];

/// Every import that breaks a rule, in words.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let folders = crates(root);
    let mut problems = Vec::new();
    for rules in ORDERS.iter().filter(|rules| !folders.iter().any(|folder| folder == rules.folder)) {
        problems.push(format!("{}: is not there any more: strike it from xtask/src/layers.rs", rules.folder));
    }
    for folder in folders {
        let none = Rules { folder: &folder, order: &[], circles: None };
        let rules = ORDERS.iter().find(|rules| rules.folder == folder).unwrap_or(&none);
        match tree::read(&root.join(&folder)) {
            Ok(read) => problems.extend(broken(rules, &read)),
            Err(error) => problems.push(format!("{folder}/{error}")),
        }
    }
    problems
}

/// The folders of all crates.
fn crates(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        collect(root, folder, &mut found);
    }
    found.sort();
    found
}

fn collect(root: &Path, folder: &str, found: &mut Vec<String>) {
    if root.join(folder).join("Cargo.toml").exists() {
        found.push(folder.to_owned());
    }
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return };
    for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !matches!(name.as_str(), "src" | "target" | "node_modules") && !name.starts_with('.') {
            collect(root, &format!("{folder}/{name}"), found);
        }
    }
}

/// What breaks the rules of a crate.
fn broken(rules: &Rules<'_>, read: &Crate) -> Vec<String> {
    let order = Order::new(rules.order);
    let mut problems = order.gaps(rules.folder, read);
    if !rules.order.is_empty() {
        let arrows = order.up(read);
        problems.extend(arrows.into_iter().map(|arrow| format!("{}/{arrow}", rules.folder)));
    }
    let circles = circles(read, |_| true);
    let large = circles.iter().filter(|circle| circle.len() > MAX_CIRCLE);
    let shown: Vec<String> = large
        .map(|circle| {
            let folder = rules.folder;
            format!("{folder}: {} files import each other in a circle, more than {MAX_CIRCLE}:", circle.len())
                + &inside(read, circle)
        })
        .collect();
    match rules.circles {
        None => problems.extend(shown),
        Some(_) if shown.is_empty() => problems.push(format!(
            "{}: has no large circle any more: strike the exemption from xtask/src/layers.rs",
            rules.folder
        )),
        Some(_) => {}
    }
    problems
}

/// The level of each module of a crate's root.
struct Order<'a> {
    level_of: BTreeMap<&'a str, usize>,
}

impl<'a> Order<'a> {
    fn new(rows: &[&'a str]) -> Self {
        let levels =
            (0..).zip(rows).flat_map(|(level, row)| row.split_whitespace().map(move |name| (name, level)));
        Order { level_of: levels.collect() }
    }

    /// The level of a file; none if its module is not listed.
    fn level(&self, file: &File) -> Option<usize> {
        match &file.top {
            None => Some(usize::MAX),
            Some(top) => self.level_of.get(top.as_str()).copied(),
        }
    }

    /// Modules without a level, and levels without a module.
    fn gaps(&self, folder: &str, read: &Crate) -> Vec<String> {
        let tops: BTreeSet<&str> = read.files.iter().filter_map(|file| file.top.as_deref()).collect();
        let gone = self.level_of.keys().filter(|name| !tops.contains(*name)).map(|name| {
            format!("{folder}: has no module `{name}` any more: strike it from xtask/src/layers.rs")
        });
        let new = tops.iter().filter(|top| !self.level_of.is_empty() && !self.level_of.contains_key(*top));
        let new =
            new.map(|top| format!("{folder}: module `{top}` has no layer: say in xtask/src/layers.rs which"));
        gone.chain(new).collect()
    }

    /// Where an import leads, if not down.
    fn wrong_way(&self, importer: &File, imported: &File) -> Option<&'static str> {
        let (here, there) = (self.level(importer)?, self.level(imported)?);
        let is_wrong = importer.top != imported.top && there >= here;
        is_wrong.then_some(if there == here { "same layer" } else { "layer above" })
    }

    /// The imports that do not run down.
    fn up(&self, read: &Crate) -> Vec<String> {
        let shown = |(&(from, to), names): (&(usize, usize), &BTreeSet<String>)| {
            let (importer, imported) = (&read.files[from], &read.files[to]);
            let way = self.wrong_way(importer, imported)?;
            Some(format!("{}: imports {} ({way}): {}", importer.path, imported.module, listed(names)))
        };
        read.arrows.iter().filter_map(shown).collect()
    }
}

/// Files that import each other by the arrows that count, in sets of two or more, the largest first.
fn circles(read: &Crate, counts: impl Fn((usize, usize)) -> bool) -> Vec<Vec<usize>> {
    let mut circles: Vec<Vec<usize>> = graph(read, counts).components();
    circles.retain(|circle| circle.len() > 1);
    circles.iter_mut().for_each(|circle| circle.sort_by_key(|&file| &read.files[file].path));
    circles.sort_by_key(|circle| usize::MAX - circle.len());
    circles
}

/// The files and their imports. What only re-exports is no part of a circle.
fn graph(read: &Crate, counts: impl Fn((usize, usize)) -> bool) -> Graph {
    let is_node = |file: usize| !read.files[file].is_facade;
    let arrows = read.arrows.keys().copied().filter(|&(from, to)| is_node(from) && is_node(to));
    Graph::new(read.files.len(), arrows.filter(|&arrow| counts(arrow)))
}

/// The files of a circle, and what each imports of the others.
fn inside(read: &Crate, circle: &[usize]) -> String {
    let mut text = String::new();
    for &file in circle {
        let arrows = circle.iter().filter_map(|&to| {
            let names = read.arrows.get(&(file, to))?;
            Some(format!("{} ({})", read.files[to].path, listed(names)))
        });
        let arrows: Vec<String> = arrows.collect();
        let _ = write!(text, "\n    {} imports {}", read.files[file].path, arrows.join(", "));
    }
    text
}

fn listed(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// What `cargo xtask layers` prints of a crate: its files by level, the imports that run up and the circles. The order is
/// the one given, or that of the table; if there is none, one in which few imports run up.
pub(crate) fn show(root: &Path, name: &str, order: &[&str]) -> Result<String, String> {
    let folders = crates(root);
    let of_name = |folder: &&String| folder.as_str() == name || folder.rsplit('/').next() == Some(name);
    let folder =
        folders.iter().find(of_name).ok_or_else(|| format!("no crate `{name}`: {}", folders.join(", ")))?;
    let read = tree::read(&root.join(folder))?;
    let listed = ORDERS.iter().find(|rules| rules.folder == *folder).map_or(&[][..], |rules| rules.order);
    let found = found_order(&read);
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    let (said, rows) = match (order, listed) {
        ([], []) => ("an order in which few imports run up", &found[..]),
        ([], listed) => ("the order of xtask/src/layers.rs", listed),
        (order, _) => ("the order given", order),
    };
    let mut text = levels(&read);
    let order = Order::new(rows);
    let up = order.up(&read);
    let _ = writeln!(text, "\n{said}, lowest first:\n    {}", rows.join(" | "));
    order.gaps(folder, &read).iter().for_each(|gap| text.push_str(&format!("    {gap}\n")));
    let _ = writeln!(text, "\nimports that do not run down in it: {}", up.len());
    up.iter().for_each(|arrow| text.push_str(&format!("    {arrow}\n")));
    let sizes =
        circles(&read, |_| true).iter().map(|circle| circle.len().to_string()).collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "\nfiles in circles: {}", if sizes.is_empty() { "none" } else { &sizes });
    let runs_down =
        |(from, to): (usize, usize)| order.wrong_way(&read.files[from], &read.files[to]).is_none();
    let circles = circles(&read, runs_down);
    let _ = writeln!(text, "circles of the imports that run down: {}", circles.len());
    for circle in circles {
        let _ = writeln!(text, "\n  {} files{}", circle.len(), inside(&read, &circle));
        cuts(&read, &circle, &mut text);
    }
    Ok(text)
}

/// The files by level; those of one circle stand together.
fn levels(read: &Crate) -> String {
    let mut text = String::new();
    for (level, components) in graph(read, |_| true).levels().iter().enumerate() {
        let shown = |component: &Vec<usize>| {
            let mut files: Vec<&str> = component.iter().map(|&file| read.files[file].path.as_str()).collect();
            files.sort_unstable();
            let files =
                files.iter().map(|path| path.trim_start_matches("src/")).collect::<Vec<_>>().join(" ");
            if component.len() > 1 { format!("[{files}]") } else { files }
        };
        let mut shown: Vec<String> = components.iter().map(shown).collect();
        shown.sort();
        let _ = writeln!(text, "level {level}:\n    {}", shown.join("\n    "));
    }
    text
}

/// An order of the modules of a crate's root in which few imports run up.
fn found_order(read: &Crate) -> Vec<String> {
    let tops: Vec<&String> =
        read.files.iter().filter_map(|file| file.top.as_ref()).collect::<BTreeSet<_>>().into_iter().collect();
    let number = |file: usize| tops.binary_search(&read.files[file].top.as_ref()?).ok();
    let arrows = read.arrows.keys().filter_map(|&(from, to)| Some((number(from)?, number(to)?)));
    let graph = Graph::new(tops.len(), arrows.filter(|(from, to)| from != to));
    graph.order().into_iter().map(|top| tops[top].clone()).collect()
}

/// The arrows without which a circle would be none: those that run up in an order in which few do.
fn cuts(read: &Crate, circle: &[usize], text: &mut String) {
    let place = |file: usize| circle.iter().position(|&other| other == file);
    let arrows = read.arrows.keys().filter_map(|&(from, to)| Some((place(from)?, place(to)?)));
    let graph = Graph::new(circle.len(), arrows);
    let order = graph.order();
    let level = |node: usize| order.iter().position(|&other| other == node);
    let _ = writeln!(text, "  no circle without these:");
    for &(from, to) in graph.arrows.keys().filter(|&&(from, to)| level(to) > level(from)) {
        let (from, to) = (circle[from], circle[to]);
        let names = read.arrows.get(&(from, to)).map(listed).unwrap_or_default();
        let _ = writeln!(text, "    {} imports {} ({names})", read.files[from].path, read.files[to].path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules<'_> =
        Rules { folder: "crates/x", order: &["low", "left right", "high"], circles: None };

    const ROOT: (&str, &str) = ("src/lib.rs", "mod low; mod left; mod right; mod high; pub use high::High;");

    /// What the rules say about made-up sources.
    fn broken_by(rules: &Rules<'_>, sources: &[(&str, &str)]) -> Vec<String> {
        broken(rules, &tree::crate_of(sources).expect("the sources are complete"))
    }

    #[test]
    fn imports_run_down() {
        let fine = [
            ROOT,
            ("src/low.rs", "pub(crate) struct Low;"),
            ("src/left/mod.rs", "mod a; mod b; use crate::low::Low;"),
            ("src/left/a.rs", "use super::b::B;"),
            ("src/left/b.rs", "pub(super) struct B;"),
            ("src/right.rs", "pub(crate) struct Right;"),
            ("src/high.rs", "use crate::{low::Low, right::Right}; pub struct High;"),
        ];
        assert_eq!(broken_by(&RULES, &fine), Vec::<String>::new());
    }

    #[test]
    fn an_import_that_runs_up_is_named() {
        let sources = [
            ROOT,
            ("src/low.rs", "pub(crate) struct Low;"),
            ("src/left/mod.rs", "mod a; mod b;"),
            (
                "src/left/a.rs",
                "use crate::right::{f, Right}; use crate::High; fn g() { crate::high::deep::h() }",
            ),
            ("src/left/b.rs", "use crate::low::Low; #[cfg(test)] mod tests { use crate::high::High; }"),
            ("src/right.rs", "pub(crate) struct Right; pub(crate) fn f() {}"),
            ("src/high/mod.rs", "pub(crate) mod deep; pub struct High;"),
            ("src/high/deep.rs", "pub(crate) fn h() {}"),
        ];
        let expected = [
            "crates/x/src/left/a.rs: imports crate::right (same layer): Right, f",
            "crates/x/src/left/a.rs: imports crate::high (layer above): High",
            "crates/x/src/left/a.rs: imports crate::high::deep (layer above): h",
        ];
        assert_eq!(broken_by(&RULES, &sources), expected);
    }

    #[test]
    fn every_module_has_a_layer() {
        let sources = [("src/lib.rs", "mod low; mod left; mod right; mod new;")]
            .into_iter()
            .chain(["src/low.rs", "src/left.rs", "src/right.rs", "src/new.rs"].map(|path| (path, "")));
        let expected = [
            "crates/x: has no module `high` any more: strike it from xtask/src/layers.rs",
            "crates/x: module `new` has no layer: say in xtask/src/layers.rs which",
        ];
        assert_eq!(broken_by(&RULES, &sources.collect::<Vec<_>>()), expected);
    }

    /// A circle of as many files as asked for, and what only re-exports a name of it.
    fn circle(files: usize) -> Vec<(String, String)> {
        let declared: String = (0..files).map(|file| format!("mod m{file}; ")).collect();
        let mut sources = vec![("src/lib.rs".to_owned(), declared + "mod facade; pub use facade::S0;")];
        sources.push(("src/facade/mod.rs".to_owned(), "pub use crate::m0::S0;".to_owned()));
        sources.extend((0..files).map(|file| {
            let next = (file + 1) % files;
            let text =
                format!("use crate::m{next}::S{next}; pub struct S{file}; fn f() {{ crate::facade::S0 }}");
            (format!("src/m{file}.rs"), text)
        }));
        sources
    }

    fn broken_by_circle(files: usize, circles: Option<&str>) -> Vec<String> {
        let sources = circle(files);
        let sources: Vec<(&str, &str)> =
            sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        broken_by(&Rules { folder: "crates/x", order: &[], circles }, &sources)
    }

    #[test]
    fn circles_are_small() {
        assert_eq!(broken_by_circle(3, None), Vec::<String>::new());
        let expected = "crates/x: 4 files import each other in a circle, more than 3:\n    \
                        src/m0.rs imports src/m1.rs (S1)\n    \
                        src/m1.rs imports src/m0.rs (S0), src/m2.rs (S2)\n    \
                        src/m2.rs imports src/m0.rs (S0), src/m3.rs (S3)\n    \
                        src/m3.rs imports src/m0.rs (S0)";
        assert_eq!(broken_by_circle(4, None), [expected]);
    }

    #[test]
    fn an_exemption_goes_with_its_reason() {
        assert_eq!(broken_by_circle(4, Some("not yet")), Vec::<String>::new());
        let expected =
            "crates/x: has no large circle any more: strike the exemption from xtask/src/layers.rs";
        assert_eq!(broken_by_circle(3, Some("not yet")), [expected]);
    }

    #[test]
    fn a_crate_is_shown() {
        let shown = show(&crate::root(), "xtask", &[]).expect("this crate is there");
        assert!(
            shown.contains("level 0:") && shown.contains("imports that do not run down in it: 0"),
            "{shown}"
        );
        assert!(show(&crate::root(), "nothing", &[]).is_err());
    }
}
