//! The data under `../shared`: MaskBench and the official test suite.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;
use serde_json::value::RawValue;
use tokenstile::Draft;

/// Data that could not be read: which, and why.
#[derive(Debug)]
pub(crate) struct Unreadable(pub(crate) String);

impl Unreadable {
    fn new(path: &Path, why: impl std::fmt::Display) -> Self {
        Unreadable(format!("{}: {why}", path.display()))
    }
}

/// A schema of MaskBench with its instances.
pub(crate) struct Schema {
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) tests: Vec<Test>,
}

/// An instance, and whether the data says that it is valid.
pub(crate) struct Test {
    pub(crate) valid: bool,
    pub(crate) data: Value,
}

/// All schemas of MaskBench, by file and line.
pub(crate) fn maskbench(shared: &Path) -> Result<Vec<Schema>, Unreadable> {
    let mut schemas = Vec::new();
    let folder = shared.join("maskbench");
    for path in files(&folder, ".jsonl.gz")?.into_iter().chain(files(&folder, ".jsonl")?) {
        let file = File::open(&path).map_err(|error| Unreadable::new(&path, error))?;
        let content: Box<dyn Read> = match path.extension().is_some_and(|extension| extension == "gz") {
            true => Box::new(GzDecoder::new(file)),
            false => Box::new(file),
        };
        for (line, text) in (1..).zip(BufReader::new(content).lines()) {
            let text = text.map_err(|error| Unreadable::new(&path, error))?;
            let at = |why: String| Unreadable::new(&path, format!("line {line}: {why}"));
            let value: Value = serde_json::from_str(&text).map_err(|error| at(error.to_string()))?;
            schemas.push(schema(value).ok_or_else(|| at("not a schema with tests".to_owned()))?);
        }
    }
    Ok(schemas)
}

fn schema(mut value: Value) -> Option<Schema> {
    let tests = value.get_mut("tests")?.as_array_mut()?.drain(..);
    let tests = tests
        .map(|mut test| {
            Some(Test { valid: test.get("valid")?.as_bool()?, data: test.get_mut("data")?.take() })
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Schema {
        name: value.get("name")?.as_str()?.to_owned(),
        schema: value.get_mut("schema")?.take(),
        tests,
    })
}

/// The files of a folder whose names end so, sorted.
fn files(folder: &Path, end: &str) -> Result<Vec<PathBuf>, Unreadable> {
    let entries = fs::read_dir(folder).map_err(|error| Unreadable::new(folder, error))?;
    let mut found: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(end))
        .collect();
    found.sort();
    Ok(found)
}

/// A group of the official suite: a schema and its tests.
pub(crate) struct Group {
    /// `draft7/optional/format/date.json`.
    pub(crate) file: String,
    pub(crate) draft: Draft,
    pub(crate) name: String,
    pub(crate) schema: Box<RawValue>,
    pub(crate) tests: Vec<GroupTest>,
}

/// A test of the official suite. The instance is the text that stands in the file.
pub(crate) struct GroupTest {
    pub(crate) name: String,
    pub(crate) valid: bool,
    pub(crate) data: Box<RawValue>,
}

/// All groups of the two drafts.
pub(crate) fn suite(shared: &Path) -> Result<Vec<Group>, Unreadable> {
    let mut groups = Vec::new();
    for (folder, draft) in [("draft2020-12", Draft::Draft202012), ("draft7", Draft::Draft7)] {
        for below in ["", "optional", "optional/format"] {
            let root = shared.join("json-schema-test-suite");
            for path in files(&root.join(folder).join(below), ".json")? {
                let shown =
                    path.strip_prefix(&root).unwrap_or(&path).display().to_string().replace('\\', "/");
                read_groups(&path, &shown, draft, &mut groups)?;
            }
        }
    }
    Ok(groups)
}

type Fields = BTreeMap<String, Box<RawValue>>;

fn read_groups(path: &Path, shown: &str, draft: Draft, groups: &mut Vec<Group>) -> Result<(), Unreadable> {
    let text = fs::read_to_string(path).map_err(|error| Unreadable::new(path, error))?;
    let bad = |error: serde_json::Error| Unreadable::new(path, error);
    let missing = || Unreadable::new(path, "a field is missing");
    for mut fields in serde_json::from_str::<Vec<Fields>>(&text).map_err(bad)? {
        let mut tests = Vec::new();
        let listed = fields.remove("tests").ok_or_else(missing)?;
        for mut test in serde_json::from_str::<Vec<Fields>>(listed.get()).map_err(bad)? {
            tests.push(GroupTest {
                name: string(&test).ok_or_else(missing)?,
                valid: test.get("valid").ok_or_else(missing)?.get() == "true",
                data: test.remove("data").ok_or_else(missing)?,
            });
        }
        groups.push(Group {
            file: shown.to_owned(),
            draft,
            name: string(&fields).ok_or_else(missing)?,
            schema: fields.remove("schema").ok_or_else(missing)?,
            tests,
        });
    }
    Ok(())
}

fn string(fields: &Fields) -> Option<String> {
    serde_json::from_str(fields.get("description")?.get()).ok()
}

/// The documents that the suite's schemas name, by address.
pub(crate) fn remotes(shared: &Path) -> Result<Vec<(String, String)>, Unreadable> {
    let root = shared.join("json-schema-test-suite/remotes");
    let mut documents = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| Unreadable::new(&folder, error))?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).map_err(|error| Unreadable::new(&path, error))?;
            let below = path.strip_prefix(&root).unwrap_or(&path).display().to_string().replace('\\', "/");
            documents.push((format!("http://localhost:1234/{below}"), text));
        }
    }
    documents.sort();
    Ok(documents)
}
