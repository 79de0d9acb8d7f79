//! A set that is usually small: a few entries are searched, many are hashed.

use std::hash::Hash;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

const FEW: usize = 24;

/// See the module documentation.
pub(crate) struct FewSet<T> {
    few: SmallVec<[T; FEW]>,
    many: FxHashSet<T>,
}

impl<T> Default for FewSet<T> {
    fn default() -> Self {
        FewSet { few: SmallVec::new(), many: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> FewSet<T> {
    /// Adds `entry`; says whether it was new.
    #[inline]
    pub(crate) fn insert(&mut self, entry: T) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(entry);
        }
        if self.few.contains(&entry) {
            return false;
        }
        if self.few.len() == FEW {
            self.many.extend(self.few.iter().copied());
            return self.many.insert(entry);
        }
        self.few.push(entry);
        true
    }
}
