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
        if self.few.len() == FEW {
            return self.insert_among_many(entry);
        }
        let is_new = !self.few.contains(&entry);
        if is_new {
            self.few.push(entry);
        }
        is_new
    }

    #[inline(never)] // hardly ever are there so many
    fn insert_among_many(&mut self, entry: T) -> bool {
        if self.many.is_empty() {
            self.many.extend(self.few.iter().copied());
        }
        self.many.insert(entry)
    }
}
