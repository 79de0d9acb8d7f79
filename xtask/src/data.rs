//! What data there is for the tests, and which tests are not run without it.
//!
//! The shared data lies beside the repository; where it does not, `crates/harness` has small data that stands in for it. The
//! fetched data is what `tools/fixtures.py --reference` gets; tests that need it are marked `#[ignore = "needs fetched data"]`.

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::path::Path;

use crate::layers::FOLDERS;

/// With this variable set, `crates/harness` lets nothing stand in for the shared data.
pub(crate) const DEMAND: &str = "TOKENSTILE_DEMAND_DATA";

/// Why a test may be ignored: it needs what is fetched.
const NEEDS_DATA: &str = "needs fetched data";
/// Or it is for those who ask for it.
const IS_LONG: &str = "takes minutes";

/// The folders of the shared data that tests and sweeps read.
const SHARED: [&str; 3] = ["json-schema-test-suite", "maskbench", "peerbench/data"];

/// What data there is.
pub(crate) struct Data {
    demanded: bool,
    fetched: Cell<bool>,
    missing: Vec<String>,
}

impl Data {
    /// What is beside `root`. Nothing is known to be fetched.
    pub(crate) fn new(root: &Path, demanded: bool) -> Self {
        let shared = root.join("../shared");
        let missing = SHARED.iter().filter(|name| !shared.join(name).is_dir());
        Data {
            demanded,
            fetched: Cell::new(false),
            missing: missing.map(|name| format!("../shared/{name}")).collect(),
        }
    }

    /// Whether nothing may be missing.
    pub(crate) fn is_demanded(&self) -> bool {
        self.demanded
    }

    /// Whether all was fetched.
    pub(crate) fn is_fetched(&self) -> bool {
        self.fetched.get()
    }

    pub(crate) fn set_fetched(&self, fetched: bool) {
        self.fetched.set(fetched);
    }

    /// What is not there, in words.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut missing = self.missing.clone();
        if !self.is_fetched() {
            missing.push("what tools/fixtures.py --reference fetches, or a part of it".to_owned());
        }
        missing
    }
}

/// A test that is not run with the others.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ignored {
    file: String,
    pub(crate) name: String,
    /// Whether it is because of fetched data.
    pub(crate) needs_data: bool,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.file)
    }
}

/// The ignored tests of all crates; an error if one is ignored for another reason than those that there are.
pub(crate) fn ignored_tests(root: &Path) -> Result<Vec<Ignored>, String> {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for folder in FOLDERS.iter().map(|folder| root.join(folder)).filter(|folder| folder.exists()) {
        crate::tidy::collect(&folder, &mut files, &mut problems);
    }
    files.sort();
    let mut ignored = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        match of_file(&shown, &text) {
            Ok(found) => ignored.extend(found),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(ignored) } else { Err(problems.join("\n")) }
}

fn of_file(file: &str, text: &str) -> Result<Vec<Ignored>, String> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let Some(reason) = line.strip_prefix("#[ignore") else { continue };
        let reason = reason.split('"').nth(1).unwrap_or_default();
        let name = lines.find_map(|line| line.strip_prefix("fn ")?.split('(').next());
        let name = name.ok_or_else(|| format!("{file}: `ignore` without a test"))?;
        if reason != NEEDS_DATA && !reason.starts_with(IS_LONG) {
            return Err(format!(
                "{file}: {name}: a test is ignored because it {NEEDS_DATA:?} or {IS_LONG:?} only"
            ));
        }
        found.push(Ignored {
            file: file.to_owned(),
            name: name.to_owned(),
            needs_data: reason == NEEDS_DATA,
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_ignored_for_a_reason_that_is_known() {
        let ignored = ignored_tests(&crate::root()).unwrap();
        let needing = ignored.iter().filter(|test| test.needs_data).count();
        assert!(needing > 20 && ignored.len() > needing, "{ignored:?}");
    }

    #[test]
    fn another_reason_is_refused() {
        let test = |reason: &str| format!("#[test]\n{}[ignore{reason}]\n#[cfg(unix)]\nfn name() {{}}\n", "#");
        let found = |needs_data| Ok(vec![Ignored { file: "x.rs".into(), name: "name".into(), needs_data }]);
        assert_eq!(of_file("x.rs", &test(" = \"needs fetched data\"")), found(true));
        assert_eq!(of_file("x.rs", &test(" = \"takes minutes; see above\"")), found(false));
        assert!(of_file("x.rs", &test(" = \"fails\"")).is_err());
        assert!(of_file("x.rs", &test("")).is_err());
    }

    #[test]
    fn what_is_missing_is_named() {
        let data = Data::new(Path::new("no/such/folder"), false);
        assert_eq!(data.missing().len(), SHARED.len() + 1);
        data.set_fetched(true);
        assert_eq!(data.missing().len(), SHARED.len());
    }
}
