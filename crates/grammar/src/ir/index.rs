//! Numbered values, found by what they are.
//!
//! Each is listed with its hash: a table that grows, in the middle of a mask perhaps, then moves numbers, and need not look
//! at thousands of values all over the memory.

use hashbrown::HashTable;

/// Numbers of values that are kept elsewhere, by hash.
///
/// A table that grows moves all that it has. So that none is much to move, many numbers are in several tables.
#[derive(Clone, Debug)]
pub struct IdIndex<I> {
    /// Those of one table, as long as they are few.
    few: HashTable<(u32, I)>,
    /// [`TABLES`] tables, once they are many.
    many: Box<[HashTable<(u32, I)>]>,
}

/// More than this are in several tables.
const MANY: usize = 1 << 13;
const TABLES: usize = 32;

impl<I> Default for IdIndex<I> {
    fn default() -> Self {
        IdIndex { few: HashTable::new(), many: Box::default() }
    }
}

/// The part of a hash that is kept, spread over all bits, as a table wants it.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Which of several tables a hash belongs to: told by bits that a table makes no use of.
#[inline]
fn table_of(spread: u64) -> usize {
    (spread >> 44) as usize % TABLES
}

impl<I: Copy> IdIndex<I> {
    /// With room for so many.
    pub fn with_capacity(capacity: usize) -> Self {
        IdIndex { few: HashTable::with_capacity(capacity), many: Box::default() }
    }

    /// The value of this hash that is the one looked for. Of the hash the lower half counts.
    #[inline]
    pub fn find(&self, hash: u64, is_it: impl Fn(I) -> bool) -> Option<I> {
        let hash = hash as u32;
        let spread = spread(hash);
        let table = if self.many.is_empty() { &self.few } else { &self.many[table_of(spread)] };
        table.find(spread, |known| known.0 == hash && is_it(known.1)).map(|known| known.1)
    }

    /// Adds one that is not here.
    #[inline]
    pub fn insert(&mut self, hash: u64, id: I) {
        if self.few.len() == MANY {
            self.part();
        }
        let hash = hash as u32;
        let table = if self.many.is_empty() { &mut self.few } else { &mut self.many[table_of(spread(hash))] };
        table.insert_unique(spread(hash), (hash, id), |known| spread(known.0));
    }

    /// Parts the only table.
    #[cold]
    fn part(&mut self) {
        let room = 2 * MANY / TABLES;
        self.many = (0..TABLES).map(|_| HashTable::with_capacity(room)).collect();
        for (hash, id) in std::mem::take(&mut self.few) {
            let spread = spread(hash);
            let table = &mut self.many[table_of(spread)];
            table.insert_unique(spread, (hash, id), |known| self::spread(known.0));
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.few.is_empty() && self.many.is_empty()
    }

    /// Drops all of them, and keeps the room.
    pub fn clear(&mut self) {
        self.few.clear();
        self.many = Box::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_found() {
        let mut index = IdIndex::default();
        let hash = |number: u64| number.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 20;
        for number in 0..40_000u32 {
            let of_this = hash(number.into());
            assert_eq!(index.find(of_this, |id| id == number), None);
            index.insert(of_this, number);
        }
        assert!((0..40_000u32).all(|n| index.find(hash(n.into()), |id| id == n) == Some(n)));
        assert_eq!(index.clone().find(hash(7), |id| id == 7), Some(7));
        index.clear();
        assert!(index.is_empty() && index.find(hash(7), |_| true).is_none());
    }
}
