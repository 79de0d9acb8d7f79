//! Objects of a store, found by what they are.
//!
//! Each is listed with its hash: a table that grows in the middle of a mask then moves numbers, and need not look at
//! thousands of objects all over the memory (which took 200 µs, and made for the worst masks of large schemas).

use hashbrown::HashTable;

/// See the module documentation. The objects themselves are elsewhere.
pub(crate) struct IdIndex<I>(HashTable<(u32, I)>);

impl<I> Default for IdIndex<I> {
    fn default() -> Self {
        IdIndex(HashTable::new())
    }
}

/// The hash as a table wants it, spread over all bits, of those that are kept: the lower ones, which are the better ones.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<I: Copy> IdIndex<I> {
    /// With room for so many.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        IdIndex(HashTable::with_capacity(capacity))
    }

    /// The object of this hash that is the one looked for.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(I) -> bool) -> Option<I> {
        let hash = hash as u32;
        self.0.find(spread(hash), |known| known.0 == hash && is_it(known.1)).map(|known| known.1)
    }

    /// Adds one that is not here.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, id: I) {
        let hash = hash as u32;
        self.0.insert_unique(spread(hash), (hash, id), |known| spread(known.0));
    }
}
