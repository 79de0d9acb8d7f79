//! Dynamic scopes: what each dynamic anchor stands for, given the resources that were entered so far.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use tokenstile_grammar::Error;

use super::{Identity, Location, Resolver};

/// The anchor of `$recursiveAnchor`, which has no name.
pub(super) const RECURSIVE: &str = "";

/// All scopes that occur, by number. The first is the empty one.
pub(super) struct Scopes<'a> {
    all: Vec<Vec<(&'a str, Location<'a>)>>,
    numbers: HashMap<Vec<(&'a str, Identity<'a>)>, usize>,
    entered: FxHashMap<(usize, usize), usize>,
    /// Entries of all of them together.
    entries: usize,
}

/// The scope before any resource is entered.
pub(super) const EMPTY: usize = 0;

impl<'a> Scopes<'a> {
    pub(super) fn new() -> Self {
        Scopes {
            all: vec![Vec::new()],
            numbers: HashMap::from([(Vec::new(), EMPTY)]),
            entered: FxHashMap::default(),
            entries: 0,
        }
    }

    /// What a dynamic anchor stands for.
    pub(super) fn get(&self, scope: usize, anchor: &str) -> Option<&Location<'a>> {
        self.all[scope].iter().find(|(name, _)| *name == anchor).map(|(_, location)| location)
    }
}

impl Resolver<'_, '_, '_> {
    /// The scope behind the entry of a resource: an anchor stands for what the first resource to have it says.
    pub(super) fn enter(&mut self, scope: usize, resource: usize) -> Result<usize, Error> {
        let anchors = &self.resources[resource].dynamic;
        if anchors.is_empty() {
            return Ok(scope);
        }
        if let Some(&known) = self.scopes.entered.get(&(scope, resource)) {
            return Ok(known);
        }
        let mut entries = self.scopes.all[scope].clone();
        for (name, location) in anchors {
            if !entries.iter().any(|(known, _)| known == name) {
                entries.push((name, *location));
            }
        }
        entries.sort_by_key(|&(name, _)| name);
        let key: Vec<_> =
            entries.iter().map(|(name, location)| (*name, Identity::from(location.json))).collect();
        let number = match self.scopes.numbers.get(&key) {
            Some(&number) => number,
            None => {
                self.scopes.entries += entries.len();
                if self.scopes.entries > self.limits.exprs {
                    return Err(Error::limit("exprs", self.limits.exprs));
                }
                self.scopes.all.push(entries);
                self.scopes.numbers.insert(key, self.scopes.all.len() - 1);
                self.scopes.all.len() - 1
            }
        };
        self.scopes.entered.insert((scope, resource), number);
        Ok(number)
    }
}
