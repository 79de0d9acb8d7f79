//! What all sweeps are given: where the data is, how much of it to run, how schemas are read.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::data::{self, Schema, Unreadable};
use crate::subject::Reading;

/// See the module.
pub(crate) struct Setup {
    pub(crate) shared: PathBuf,
    /// Everything, not a sample.
    pub(crate) full: bool,
    /// Only the case of this name, with details.
    pub(crate) id: Option<String>,
    pub(crate) reading: Reading,
    /// Every schema of MaskBench also on the real vocabulary.
    pub(crate) all_real: bool,
    /// MaskBench, once it was read.
    pub(crate) schemas: OnceCell<Vec<(String, Arc<Schema>)>>,
}

impl Setup {
    /// MaskBench, by name.
    pub(crate) fn maskbench(&self) -> Result<Vec<(String, Arc<Schema>)>, Unreadable> {
        if self.schemas.get().is_none() {
            let schemas = data::maskbench(&self.shared)?.into_iter();
            let _ = self.schemas.set(schemas.map(|schema| (schema.name.clone(), Arc::new(schema))).collect());
        }
        Ok(self.schemas.get().cloned().unwrap_or_default())
    }

    /// Which of the named cases to run: all; or of each group the share `1 / of`,
    /// and at least `least`, always the same ones; or the one asked for.
    pub(crate) fn choose<C>(&self, cases: Vec<(String, C)>, of: usize, least: usize) -> Vec<(String, C)> {
        if let Some(id) = &self.id {
            return cases
                .into_iter()
                .filter(|(name, _)| name == id || name.starts_with(&format!("{id} ")))
                .collect();
        }
        if self.full { cases } else { sample(cases, of, least) }
    }
}

/// Of each group the cases whose names have the lowest hashes, in the order of the cases.
pub(crate) fn sample<C>(cases: Vec<(String, C)>, of: usize, least: usize) -> Vec<(String, C)> {
    let mut groups: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (name, _) in &cases {
        groups.entry(group(name).to_owned()).or_default().push(hash(name));
    }
    for hashes in groups.values_mut() {
        hashes.sort_unstable();
        let number = (hashes.len() / of).max(least).min(hashes.len());
        hashes.truncate(number);
    }
    cases.into_iter().filter(|(name, _)| groups[group(name)].binary_search(&hash(name)).is_ok()).collect()
}

/// The part of a name before `---`, or before the first digit.
fn group(name: &str) -> &str {
    let before = name.split_once("---").map(|(before, _)| before);
    before.or_else(|| name.split(|c: char| c.is_ascii_digit()).next()).unwrap_or(name)
}

/// FNV-1a: the same on every machine, for ever.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_take_from_every_group_and_stay_the_same() {
        let cases =
            |n: usize| (0..n).map(|i| (format!("large---{i}"), i)).chain([("small---1".to_owned(), 0)]);
        let chosen = sample(cases(100).collect(), 10, 2);
        assert_eq!(chosen.len(), 11);
        assert_eq!(chosen[10].0, "small---1");
        assert_eq!(["BFCL_java_12", "Github_easy---o1"].map(group), ["BFCL_java_", "Github_easy"]);
        assert_eq!(chosen, sample(cases(100).collect(), 10, 2));
    }
}
