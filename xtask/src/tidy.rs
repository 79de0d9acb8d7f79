//! Rules of this repository that the compiler does not check.
//!
//! Layering: what a crate may depend on is listed here, so that a new edge is a decision and not an accident.
//! The core crates do no I/O and read no environment. Files can be read in one sitting and say what they are for.

use std::fs;
use std::path::{Path, PathBuf};

/// Longest file, in lines.
const MAX_LINES: usize = 900;

/// What each crate of the core may depend on.
const LAYERS: [(&str, &[&str]); 2] = [
    ("crates/grammar", &["hashbrown", "regex-syntax", "rustc-hash", "serde_json", "smallvec"]),
    (
        "crates/engine",
        &[
            "tokenstile-grammar",
            "base64",
            "hashbrown",
            "rayon",
            "rustc-hash",
            "serde",
            "serde_json",
            "smallvec",
        ],
    ),
];

/// What the sources of the core may not contain, and why. In two parts, so that this file does not contain it.
const BANNED_IN_CORE: [(&str, &str, &str); 8] = [
    ("print", "ln!(", "a library does not print"),
    ("eprint", "!(", "a library does not print"),
    ("std::", "env", "the environment is no configuration"),
    ("option_", "env!(", "the environment is no configuration"),
    ("std::", "fs", "the core does no I/O"),
    ("std::", "net", "the core does no I/O"),
    ("std::", "process", "the core starts and ends no process"),
    ("std::thread::", "spawn", "the core has no threads of its own"),
];

/// Everything untidy under `root`, in words; empty if all is well.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for (layer, allowed) in LAYERS {
        check_dependencies(root, layer, allowed, &mut problems);
    }
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        collect(&root.join(folder), &mut files, &mut problems);
    }
    files.sort();
    for path in files {
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        match fs::read_to_string(&path) {
            Ok(text) => check_file(&shown, &text, &mut problems),
            Err(error) => problems.push(format!("{shown}: {error}")),
        }
    }
    problems
}

fn check_dependencies(root: &Path, layer: &str, allowed: &[&str], problems: &mut Vec<String>) {
    let manifest = format!("{layer}/Cargo.toml");
    match fs::read_to_string(root.join(&manifest)) {
        Ok(text) => {
            let strangers = dependencies(&text).into_iter().filter(|name| !allowed.contains(&name.as_str()));
            problems.extend(strangers.map(|name| format!("{manifest}: {layer} may not depend on `{name}`")));
        }
        Err(error) => problems.push(format!("{manifest}: {error}")),
    }
}

/// Names under `[dependencies]`, `[build-dependencies]` and `[target.….dependencies]`; dev-dependencies are free.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let is_list = |s: &str| s.ends_with("dependencies") && !s.ends_with("dev-dependencies");
            inside = is_list(section);
            // `[dependencies.name]`
            if let Some((list, name)) = section.rsplit_once('.').filter(|(list, _)| is_list(list)) {
                debug_assert!(!list.is_empty());
                names.push(name.to_owned());
            }
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            let name = line.split(['=', '.', ' ']).next().unwrap_or(line);
            names.push(name.trim_matches('"').to_owned());
        }
    }
    names
}

/// All Rust files below `folder`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>, problems: &mut Vec<String>) {
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
    if !text.starts_with("//! ") {
        problems.push(format!("{path}: does not begin with `//!`: say what the module is for"));
    }
    let is_test_file = path.contains("/tests/") || path.ends_with("/tests.rs");
    let is_core = LAYERS.iter().any(|(layer, _)| path.starts_with(&format!("{layer}/src/"))) && !is_test_file;
    let open_end = concat!("to", "do!(");
    let mut in_tests = is_test_file;
    for (line, number) in text.lines().map(str::trim_start).zip(1..) {
        in_tests |= line.starts_with("#[cfg(test)]");
        if line.starts_with("//") {
            continue;
        }
        if line.contains(open_end) {
            problems.push(format!("{path}:{number}: an open end belongs in an issue"));
        }
        if is_core && !in_tests {
            let found = BANNED_IN_CORE.iter().find(|(head, tail, _)| line.contains(&format!("{head}{tail}")));
            problems.extend(found.map(|(head, tail, why)| format!("{path}:{number}: `{head}{tail}`: {why}")));
        }
    }
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
                        [target.'cfg(unix)'.dependencies]\nf = { version = \"1\" }\n";
        assert_eq!(dependencies(manifest), ["a", "b", "d", "f"]);
    }

    fn problems(path: &str, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        check_file(path, text, &mut problems);
        problems
    }

    #[test]
    fn untidy_files_are_found() {
        let core = "crates/engine/src/x.rs";
        let reads = format!("//! Doc.\nuse std::{};\n", "fs");
        assert_eq!(problems(core, &reads).len(), 1);
        assert!(problems("crates/cli/src/x.rs", &reads).is_empty());
        assert!(
            problems(core, &format!("//! Doc.\n#[cfg(test)]\nmod tests {{ use std::{}; }}\n", "fs"))
                .is_empty()
        );
        assert!(problems(core, &format!("//! Doc.\n// std::{} is not used\n", "fs")).is_empty());
        assert_eq!(problems(core, &format!("//! Doc.\nfn f() {{ {}() }}\n", concat!("to", "do!"))).len(), 1);
        assert_eq!(problems(core, "fn f() {}\n").len(), 1);
        assert_eq!(problems(core, &format!("//! Doc.\n{}", "\n".repeat(900))).len(), 1);
    }
}
