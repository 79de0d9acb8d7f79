//! Instances of MaskBench of which the data says what the specification does not: `known.json`.
//!
//! An entry is `{"name": schema, "test": index}`, and must be proved by the validator, which says the opposite of the data;
//! or it carries a written `"reason"`. `{"sweep": "soundness", "name": schema, "reason": …}` names a schema on which the
//! validator is wrong.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::data::Unreadable;

const FILE: &str = include_str!("../known.json");

/// The entries.
pub(crate) struct Known {
    /// By schema: index of the test, and the reason where there is one.
    tests: BTreeMap<String, Vec<(usize, Option<String>)>>,
    /// By sweep and schema: why the validator is wrong.
    differences: BTreeMap<(String, String), String>,
}

impl Known {
    pub(crate) fn load() -> Result<Known, Unreadable> {
        Known::parse(FILE)
    }

    fn parse(text: &str) -> Result<Known, Unreadable> {
        let bad = |why: String| Unreadable(format!("known.json: {why}"));
        let entries: Vec<Value> = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        let mut known = Known { tests: BTreeMap::new(), differences: BTreeMap::new() };
        for entry in entries {
            if let Some(sweep) = entry["sweep"].as_str() {
                let (Some(name), Some(reason)) = (entry["name"].as_str(), entry["reason"].as_str()) else {
                    return Err(bad(format!("needs name and reason: {entry}")));
                };
                known.differences.insert((sweep.to_owned(), name.to_owned()), reason.to_owned());
                continue;
            }
            let (Some(name), Some(test)) = (entry["name"].as_str(), entry["test"].as_u64()) else {
                return Err(bad(format!("needs name and test: {entry}")));
            };
            let reason = entry["reason"].as_str().filter(|reason| !reason.trim().is_empty());
            known.tests.entry(name.to_owned()).or_default().push((test as usize, reason.map(str::to_owned)));
        }
        Ok(known)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// Why the validator is wrong about a schema.
    pub(crate) fn difference(&self, sweep: &str, schema: &str) -> Option<&str> {
        self.differences.get(&(sweep.to_owned(), schema.to_owned())).map(String::as_str)
    }

    /// The entries of a schema.
    pub(crate) fn of(&self, schema: &str) -> impl Iterator<Item = (usize, Option<&str>)> {
        self.tests.get(schema).into_iter().flatten().map(|(test, reason)| (*test, reason.as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read() {
        assert!(Known::load().is_ok());
        let known =
            Known::parse(r#"[{"name": "a", "test": 1}, {"name": "a", "test": 2, "reason": "why"}]"#).unwrap();
        assert_eq!(known.of("a").collect::<Vec<_>>(), [(1, None), (2, Some("why"))]);
        assert_eq!(known.of("b").count(), 0);
        assert!(Known::parse(r#"[{"name": "a"}]"#).is_err());
        let known = Known::parse(r#"[{"sweep": "soundness", "name": "a", "reason": "why"}]"#).unwrap();
        assert_eq!(known.difference("soundness", "a"), Some("why"));
        assert_eq!(known.difference("completeness", "a"), None);
        assert!(Known::parse(r#"[{"sweep": "soundness", "name": "a"}]"#).is_err());
    }
}
