//! Instances of MaskBench of which the data says what the specification does not: `known.json`.
//!
//! An entry is `{"name": schema, "test": index}`, and must be proved by the validator, which says the opposite of the data;
//! or it carries a written `"reason"`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::data::Unreadable;

const FILE: &str = include_str!("../known.json");

/// The entries by schema: index of the test, and the reason where there is one.
pub(crate) struct Known(BTreeMap<String, Vec<(usize, Option<String>)>>);

impl Known {
    pub(crate) fn load() -> Result<Known, Unreadable> {
        Known::parse(FILE)
    }

    fn parse(text: &str) -> Result<Known, Unreadable> {
        let bad = |why: String| Unreadable(format!("known.json: {why}"));
        let entries: Vec<Value> = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        let mut known: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for entry in entries {
            let (Some(name), Some(test)) = (entry["name"].as_str(), entry["test"].as_u64()) else {
                return Err(bad(format!("needs name and test: {entry}")));
            };
            let reason = entry["reason"].as_str().filter(|reason| !reason.trim().is_empty());
            known.entry(name.to_owned()).or_default().push((test as usize, reason.map(str::to_owned)));
        }
        Ok(Known(known))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries of a schema.
    pub(crate) fn of(&self, schema: &str) -> impl Iterator<Item = (usize, Option<&str>)> {
        self.0.get(schema).into_iter().flatten().map(|(test, reason)| (*test, reason.as_deref()))
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
    }
}
