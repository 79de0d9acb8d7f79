//! The data that tests read.
//!
//! *Shared data* is in the folder `shared` beside the repository. Where that is absent the project's own small data stands in
//! for it: the folder `data` of this crate, which has the same names, so that the same tests run. With
//! `TOKENSTILE_DEMAND_DATA=1`, which `cargo xtask test --demand-data` sets, absence is a failure.
//!
//! *Fetched data* are real tokenizers and a model, which `tools/fixtures.py --reference` gets. Nothing small stands in for
//! those. A test that reads them is marked `#[ignore = "needs fetched data"]`, so that it counts as passed only where it was
//! run; `cargo xtask test` runs it where they are, and names it where they are not.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where the shared data is, or what stands in for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    folder: PathBuf,
    /// Whether it is the real data, of which tests know how much there is.
    pub is_real: bool,
}

impl Shared {
    /// The shared data of this repository.
    ///
    /// # Panics
    /// If it is not there and must be.
    #[track_caller]
    pub fn find() -> Self {
        let must_be_there = env::var_os("TOKENSTILE_DEMAND_DATA").is_some_and(|value| value != "0");
        Self::choose(&root().join("../shared"), must_be_there)
    }

    #[track_caller]
    fn choose(real: &Path, must_be_there: bool) -> Self {
        if real.is_dir() {
            return Shared { folder: real.to_owned(), is_real: true };
        }
        assert!(!must_be_there, "{} is not there, and the data is demanded", real.display());
        Self::small()
    }

    /// What stands in for the shared data.
    pub fn small() -> Self {
        Shared { folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("data"), is_real: false }
    }

    /// The folder that all of it is in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file or folder of it.
    ///
    /// # Panics
    /// If there is none of this name.
    #[track_caller]
    pub fn path(&self, name: &str) -> PathBuf {
        let path = self.folder.join(name);
        assert!(path.exists(), "{} is not there", path.display());
        path
    }
}

/// A fetched file.
///
/// # Panics
/// If it was not fetched.
#[track_caller]
pub fn fetched(name: &str) -> PathBuf {
    let path = root().join(".cache/fixtures").join(name);
    assert!(path.is_file(), "{name} was not fetched: run tools/fixtures.py --reference");
    path
}

/// All files below a folder whose names end so, sorted.
///
/// # Panics
/// If the folder cannot be read.
#[track_caller]
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_data_stands_in_for_what_is_absent() {
        let shared = Shared::choose(Path::new("no-such-folder"), false);
        assert!(!shared.is_real);
        for name in ["json-schema-test-suite", "maskbench", "peerbench/data/gbnf"] {
            assert!(!files(&shared.path(name), "").is_empty(), "{name}");
        }
        assert!(Shared::choose(&root(), true).is_real);
    }

    #[test]
    #[should_panic(expected = "no-such-folder is not there, and the data is demanded")]
    fn what_is_demanded_must_be_there() {
        Shared::choose(Path::new("no-such-folder"), true);
    }

    #[test]
    #[should_panic(expected = "no-such-file was not fetched")]
    fn what_was_not_fetched_is_no_success() {
        fetched("no-such-file");
    }
}
