//! Rules of this repository that the compiler does not check.
//!
//! Layering: what a crate may depend on is listed here, so that a new edge is a decision and not an accident; how the modules
//! inside a crate depend on each other is in `layers.rs`.
//! The core crates do no I/O and read no environment. `unsafe` stays in the files listed. Files can be read in one
//! sitting and say what they are for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::layers;

/// Longest file, in lines.
const MAX_LINES: usize = 900;

/// What a crate may depend on.
struct Layer {
    folder: &'static str,
    /// Whether it is of the core: no I/O, no environment, no printing.
    core: bool,
    may_use: &'static [&'static str],
    /// What it may use where a feature asks for it.
    may_offer: &'static [&'static str],
    /// Crates of this workspace that its tests may use beside those.
    tests_may_use: &'static [&'static str],
}

const LAYERS: [Layer; 18] = [
    Layer {
        folder: "crates/grammar",
        core: true,
        may_use: &["hashbrown", "regex-syntax", "rustc-hash", "smallvec"],
        may_offer: &[],
        tests_may_use: &["tokenstile", "tokenstile-harness", "tokenstile-testkit"],
    },
    Layer {
        folder: "crates/json-schema",
        core: true,
        may_use: &["tokenstile-grammar", "bumpalo", "hashbrown", "rustc-hash", "smallvec"],
        may_offer: &[],
        tests_may_use: &["tokenstile", "tokenstile-engine", "tokenstile-harness", "tokenstile-testkit"],
    },
    Layer {
        folder: "crates/structural-tag",
        core: true,
        may_use: &["tokenstile-grammar", "tokenstile-json-schema", "bumpalo"],
        may_offer: &[],
        tests_may_use: &["tokenstile-engine", "tokenstile-harness", "tokenstile-testkit"],
    },
    Layer {
        folder: "crates/engine",
        core: true,
        may_use: &[
            "tokenstile-grammar",
            "base64",
            "hashbrown",
            "rustc-hash",
            "serde",
            "serde_json",
            "smallvec",
        ],
        may_offer: &["rayon"],
        tests_may_use: &["tokenstile", "tokenstile-harness", "tokenstile-json-schema", "tokenstile-testkit"],
    },
    Layer {
        folder: "crates/logits",
        core: true,
        may_use: &[],
        may_offer: &[],
        tests_may_use: &["tokenstile-testkit"],
    },
    Layer {
        folder: "crates/tokenstile",
        core: true,
        may_use: &["tokenstile-engine", "tokenstile-grammar", "tokenstile-logits"],
        may_offer: &["tokenstile-json-schema", "tokenstile-structural-tag"],
        tests_may_use: &[],
    },
    Layer {
        folder: "crates/testkit",
        core: false,
        may_use: &["tokenstile-grammar", "rustc-hash"],
        may_offer: &[],
        tests_may_use: &[],
    },
    Layer {
        folder: "crates/harness",
        core: false,
        may_use: &[
            "tokenstile-engine",
            "tokenstile-grammar",
            "tokenstile-json-schema",
            "tokenstile-testkit",
            "base64",
            "serde_json",
        ],
        may_offer: &[],
        tests_may_use: &[],
    },
    Layer {
        folder: "crates/cache",
        core: false,
        may_use: &["tokenstile", "memmap2"],
        may_offer: &[],
        tests_may_use: &[],
    },
    Layer {
        folder: "crates/runtime",
        core: false,
        may_use: &[
            "tokenstile",
            "tokenstile-cache",
            "candle-core",
            "candle-nn",
            "fancy-regex",
            "half",
            "minijinja",
            "minijinja-contrib",
            "rayon",
            "serde_json",
            "sha2",
            "zip",
        ],
        may_offer: &[],
        tests_may_use: &["tokenstile-harness"],
    },
    Layer {
        folder: "crates/server",
        core: false,
        may_use: &[
            "tokenstile",
            // Puts a line break before the texts of a grammar.
            "tokenstile-grammar",
            "tokenstile-runtime",
            "axum",
            "futures-core",
            "hyper",
            "hyper-util",
            "serde",
            "serde_json",
            "tokio",
        ],
        may_offer: &[],
        tests_may_use: &[],
    },
    Layer {
        folder: "crates/cli",
        core: false,
        may_use: &["tokenstile", "tokenstile-cache", "anstream", "anstyle", "clap", "mimalloc", "serde_json"],
        // The commands that run a model; and those that test and measure, with what `bench --verify` compares masks with.
        may_offer: &[
            "tokenstile-runtime",
            "tokenstile-server",
            "indicatif",
            "rustix",
            "tokenstile-testkit",
            "tokenstile-grammar",
        ],
        tests_may_use: &["tokenstile-harness"],
    },
    Layer {
        folder: "crates/dev",
        core: false,
        may_use: &["tokenstile-cli"],
        may_offer: &[],
        tests_may_use: &[],
    },
    Layer {
        folder: "crates/conformance",
        core: false,
        may_use: &["tokenstile", "tokenstile-testkit", "clap", "flate2", "jsonschema", "serde", "serde_json"],
        may_offer: &[],
        tests_may_use: &["tokenstile-harness"],
    },
    Layer {
        folder: "crates/instructions",
        core: false,
        may_use: &["tokenstile"],
        may_offer: &[],
        tests_may_use: &[],
    },
    Layer { folder: "crates/models", core: false, may_use: &[], may_offer: &[], tests_may_use: &[] },
    Layer {
        folder: "crates/ablation",
        core: false,
        may_use: &["tokenstile", "tokenstile-engine", "rustix", "serde_json"],
        may_offer: &[],
        tests_may_use: &[],
    },
    Layer { folder: "xtask", core: false, may_use: &["serde_json"], may_offer: &[], tests_may_use: &[] },
];

/// Files that may contain `unsafe`, and why.
pub(crate) const MAY_BE_UNSAFE: [(&str, &str); 9] = [
    (
        "crates/engine/src/collections/append.rs",
        "elements are read without a lock while others are appended: with locks, 15 % of cold masks were reads",
    ),
    (
        "crates/engine/src/tokens/union.rs",
        "vector instructions that not every processor has: unions take two thirds of the time",
    ),
    (
        "crates/engine/src/stored/array.rs",
        "tables are slices wherever they lie, in a file or in memory: 5 to 8 % of cold masks",
    ),
    (
        "crates/logits/src/kernels.rs",
        "vector instructions that not every processor has: the best of many is found in a sixth of the time",
    ),
    ("crates/cache/src/map.rs", "a memory map: tables are there in half the time, and shared by processes"),
    ("crates/models/src/appending.rs", "a cell that loom watches is shared by threads"),
    ("crates/ablation/src/valgrind.rs", "callgrind is asked by instructions that do nothing"),
    (
        "crates/runtime/src/model/linear/dot.rs",
        "vector instructions: two to ten times as fast as candle here",
    ),
    ("crates/conformance/src/allocate.rs", "an allocator that counts can be made in no other way"),
];

/// What no source may contain, and why. In two parts, so that this file does not contain it.
const BANNED: [(&str, &str, &str); 3] = [
    ("to", "do!", "an open end belongs in an issue"),
    ("unimple", "mented!", "an open end belongs in an issue"),
    ("db", "g!", "a trace of debugging"),
];

/// What the sources of the core may not contain, and why.
const BANNED_IN_CORE: [(&str, &str, &str); 10] = [
    ("eprint", "ln!", "a library does not print"),
    ("print", "ln!", "a library does not print"),
    ("eprint", "!", "a library does not print"),
    ("print", "!", "a library does not print"),
    ("option_", "env!", "the environment is no configuration"),
    ("std::", "env", "the environment is no configuration"),
    ("std::", "fs", "the core does no I/O"),
    ("std::", "net", "the core does no I/O"),
    ("std::", "process", "the core starts and ends no process"),
    ("thread::", "spawn", "the core has no threads of its own"),
];

/// Everything untidy under `root`, in words; empty if all is well.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    check_members(root, &mut problems);
    for layer in &LAYERS {
        check_dependencies(root, layer, &mut problems);
    }
    problems.extend(layers::check(root));
    let mut files = Vec::new();
    for folder in layers::FOLDERS.iter().map(|folder| root.join(folder)).filter(|folder| folder.exists()) {
        collect(&folder, &mut files, &mut problems);
    }
    files.sort();
    for path in files {
        let shown = shown(root, &path);
        match fs::read_to_string(&path) {
            Ok(text) => check_file(&shown, &text, &mut problems),
            Err(error) => problems.push(format!("{shown}: {error}")),
        }
    }
    for (file, _) in MAY_BE_UNSAFE.iter().filter(|(file, _)| !root.join(file).exists()) {
        problems.push(format!("{file}: is not there any more: strike it from the list in tidy.rs"));
    }
    problems
}

/// A path of the repository as it is written everywhere, with forward slashes.
fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string().replace('\\', "/")
}

/// Every crate has a layer.
fn check_members(root: &Path, problems: &mut Vec<String>) {
    let entries = match fs::read_dir(root.join("crates")) {
        Ok(entries) => entries,
        Err(error) => return problems.push(format!("crates: {error}")),
    };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.join("Cargo.toml").exists()) {
        let folder = shown(root, &path);
        if !LAYERS.iter().any(|layer| layer.folder == folder) {
            problems.push(format!("{folder}: has no layer: say in xtask/src/tidy.rs what it may depend on"));
        }
    }
}

fn check_dependencies(root: &Path, layer: &Layer, problems: &mut Vec<String>) {
    let folder = layer.folder;
    let manifest = format!("{folder}/Cargo.toml");
    let text = match fs::read_to_string(root.join(&manifest)) {
        Ok(text) => text,
        Err(error) => return problems.push(format!("{manifest}: {error}")),
    };
    for Dependency { name, for_tests, optional } in dependencies(&text) {
        let is_ours = name.starts_with("tokenstile");
        let allowed = layer.may_use.contains(&name.as_str())
            || optional && layer.may_offer.contains(&name.as_str())
            || for_tests && (!is_ours || layer.tests_may_use.contains(&name.as_str()));
        if !allowed {
            let who = if for_tests { "tests of " } else { "" };
            problems.push(format!("{manifest}: {who}{folder} may not depend on `{name}`"));
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Dependency {
    name: String,
    for_tests: bool,
    optional: bool,
}

/// What a manifest lists under `[dependencies]`, `[build-dependencies]`, `[dev-dependencies]` and the same of a target.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut list = None;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let kind = |s: &str| s.ends_with("dependencies").then(|| s.ends_with("dev-dependencies"));
            list = kind(section);
            // `[dependencies.name]`
            if let Some((head, name)) = section.rsplit_once('.')
                && let Some(for_tests) = kind(head)
            {
                found.push(Dependency { name: name.to_owned(), for_tests, optional: false });
            }
        } else if let Some(for_tests) = list.filter(|_| !line.is_empty() && !line.starts_with('#')) {
            let name = line.split(['=', '.', ' ']).next().unwrap_or(line).trim_matches('"').to_owned();
            found.push(Dependency { name, for_tests, optional: line.contains("optional = true") });
        }
    }
    found
}

/// All Rust files below `folder`.
pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>, problems: &mut Vec<String>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return problems.push(format!("{}: {error}", folder.display())),
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            // Build output, should a crate be built on its own.
            if path.file_name().is_none_or(|name| name != "target") {
                collect(&path, files, problems);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn check_file(path: &str, text: &str, problems: &mut Vec<String>) {
    let lines = text.lines().count();
    if lines > MAX_LINES {
        problems.push(format!("{path}: {lines} lines, more than {MAX_LINES}: split it"));
    }
    check_shape(path, text, problems);
    if !text.starts_with("//! ") {
        problems.push(format!("{path}: does not begin with `//!`: say what the module is for"));
    }
    let is_test_file = path.contains("/tests/") || path.ends_with("/tests.rs");
    let is_core = LAYERS.iter().any(|l| l.core && path.starts_with(&format!("{}/src/", l.folder)));
    let may_be_unsafe = MAY_BE_UNSAFE.iter().any(|(file, _)| *file == path);
    let mut in_tests = is_test_file;
    let mut lines = text.lines().map(code).zip(1..).peekable();
    while let Some((line, number)) = lines.next() {
        in_tests |= line == "#[cfg(test)]"
            && lines.peek().is_some_and(|(next, _)| next.starts_with("mod ") && next.ends_with('{'));
        let mut report = |what: &str, why: &str| problems.push(format!("{path}:{number}: `{what}`: {why}"));
        for (head, tail, why) in BANNED {
            if has(line, &format!("{head}{tail}")) {
                report(&format!("{head}{tail}"), why);
            }
        }
        if !may_be_unsafe && has(line, concat!("un", "safe")) {
            report(
                concat!("un", "safe"),
                "is for the files that xtask/src/tidy.rs lists, with their reasons",
            );
        }
        if is_core && !in_tests {
            for (head, tail, why) in BANNED_IN_CORE {
                if has(line, &format!("{head}{tail}")) || imports(line, head, tail) {
                    report(&format!("{head}{tail}"), why);
                }
            }
        }
    }
}

/// A file of shapes of masks says in its header, in this order, what is recognized, why that is exact, how it answers and which
/// limit it has.
fn check_shape(path: &str, text: &str, problems: &mut Vec<String>) {
    let is_of_shapes = ["StateShape", "PlaceShape", "AnchorShape", "BytesShape"].iter().any(|kind| {
        text.contains(&format!("> {kind}<'a> for ")) || text.contains(&format!("impl {kind} for "))
    });
    if !path.contains("/masks/shapes/") || !is_of_shapes {
        return;
    }
    let header: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
    let mut rest = &header[..];
    for word in ["*Recognized*", "*Exact*", "*answer*", "*limit"] {
        match rest.split_once(word) {
            Some((_, behind)) => rest = behind,
            None => problems.push(format!("{path}: its header does not say {word} in its place")),
        }
    }
}

/// A line without the space around it and without its comment.
fn code(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with("//") { "" } else { line.split(" // ").next().unwrap_or(line).trim_end() }
}

/// Whether `line` has `word`, and not as a part of a longer name.
fn has(line: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_name) && (word.ends_with('!') || !after.is_some_and(is_name))
    })
}

/// Whether `line` is `use std::{…, tail, …}` for `head` `std::`.
fn imports(line: &str, head: &str, tail: &str) -> bool {
    let list = line.strip_prefix("use ").and_then(|line| line.strip_prefix(head)?.strip_prefix('{'));
    list.is_some_and(|list| has(list, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_tidy() {
        let problems = check(&crate::root());
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }

    #[test]
    fn dependencies_are_found() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = \"1\"\n# c = 1\n\
                        [dependencies.d]\nversion = \"1\"\n[dev-dependencies]\ne = \"1\"\n\
                        [target.'cfg(unix)'.dependencies]\nf = { version = \"1\", optional = true }\n";
        let found = dependencies(manifest);
        let named = |for_tests| {
            found.iter().filter(|d| d.for_tests == for_tests).map(|d| d.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(named(false), ["a", "b", "d", "f"]);
        assert_eq!(named(true), ["e"]);
        assert!(found.iter().all(|d| d.optional == (d.name == "f")));
    }

    fn problems(path: &str, body: &str) -> usize {
        let mut problems = Vec::new();
        check_file(path, &format!("//! Doc.\n{body}"), &mut problems);
        problems.len()
    }

    const CORE: &str = "crates/engine/src/x.rs";
    const COMMAND: &str = "crates/cli/src/x.rs";

    #[test]
    fn the_core_is_kept_apart() {
        let reads = format!("use std::{};\n", "fs");
        assert_eq!((problems(CORE, &reads), problems(COMMAND, &reads)), (1, 0));
        assert_eq!(problems(CORE, &format!("use std::{{{}, io}};\n", "fs")), 1);
        assert_eq!(problems(CORE, &format!("fn f() {{ std::{}::var(\"A\"); }}\n", "env")), 1);
        assert_eq!(problems(CORE, &format!("fn f() {{ {}(\"a\") }}\n", concat!("eprint", "ln!"))), 1);
        assert_eq!(problems(CORE, &format!("#[cfg(test)]\nmod tests {{\n    {reads}}}\n")), 0);
        assert_eq!(problems(CORE, &format!("#[cfg(test)]\nmod tests;\n{reads}")), 1);
        assert_eq!(problems(CORE, &format!("// std::{} is not used\n", "fs")), 0);
        assert_eq!(problems(CORE, &format!("let a = 1; // not std::{}\n", "fs")), 0);
    }

    #[test]
    fn a_shape_says_what_it_is_about() {
        const SHAPE: &str = "crates/engine/src/masks/shapes/own.rs";
        let count = |header: &str| {
            let (mut found, body) = (Vec::new(), "impl BytesShape for Own {}\n");
            check_file(SHAPE, &format!("//! Own.\n//! {header}\n{body}"), &mut found);
            found.len()
        };
        assert_eq!(count("*Recognized* so. *Exact*, since so. The *answer* so. The *limit* so."), 0);
        assert_eq!(count("*Recognized* so. The *answer* so. *Exact*, since so. The *limits* so."), 1);
        assert_eq!(count("So."), 4);
    }

    #[test]
    fn untidy_files_are_found() {
        for macro_name in [concat!("to", "do!"), concat!("unimple", "mented!"), concat!("db", "g!")] {
            assert_eq!(problems(COMMAND, &format!("fn f() {{ {macro_name}(1) }}\n")), 1);
        }
        let risky = format!("{} {{ f() }}\n", concat!("un", "safe"));
        assert_eq!(problems(COMMAND, &risky), 1);
        assert_eq!(problems(MAY_BE_UNSAFE[0].0, &risky), 0);
        assert_eq!(problems(COMMAND, &format!("// {risky}let {}_count = 1;\n", concat!("un", "safe"))), 0);
        assert_eq!(problems(COMMAND, &"\n".repeat(900)), 1);
        let mut found = Vec::new();
        check_file(COMMAND, "fn f() {}\n", &mut found);
        assert_eq!(found.len(), 1);
    }
}
