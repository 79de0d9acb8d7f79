//! Numbered values, found by what they are.
//!
//! Each is listed with its hash: a table that grows, in the middle of a mask perhaps, then moves numbers, and need not look
//! at thousands of values all over the memory.

use hashbrown::HashTable;

/// Numbers of values that are kept elsewhere, by hash.
#[derive(Clone, Debug)]
pub struct IdIndex<I>(HashTable<(u32, I)>);

impl<I> Default for IdIndex<I> {
    fn default() -> Self {
        IdIndex(HashTable::new())
    }
}

/// The part of a hash that is kept, spread over all bits, as a table wants it.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<I: Copy> IdIndex<I> {
    /// With room for so many.
    pub fn with_capacity(capacity: usize) -> Self {
        IdIndex(HashTable::with_capacity(capacity))
    }

    /// The value of this hash that is the one looked for. Of the hash the lower half counts.
    #[inline]
    pub fn find(&self, hash: u64, is_it: impl Fn(I) -> bool) -> Option<I> {
        let hash = hash as u32;
        self.0.find(spread(hash), |known| known.0 == hash && is_it(known.1)).map(|known| known.1)
    }

    /// Adds one that is not here.
    #[inline]
    pub fn insert(&mut self, hash: u64, id: I) {
        let hash = hash as u32;
        self.0.insert_unique(spread(hash), (hash, id), |known| spread(known.0));
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops all of them, and keeps the room.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
