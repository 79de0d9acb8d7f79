//! A set of bytes as four words.

use std::fmt;

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// No byte.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);
    /// The bytes that are characters.
    pub const ASCII: ByteSet = ByteSet([u64::MAX, u64::MAX, 0, 0]);
    /// Those of which the other characters are made.
    pub const PAST_ASCII: ByteSet = ByteSet([0, 0, u64::MAX, u64::MAX]);
    /// Every byte.
    pub const ALL: ByteSet = ByteSet([u64::MAX; 4]);
    /// The letters of ASCII.
    pub const LETTERS: ByteSet = ByteSet([0, 0x07FF_FFFE_07FF_FFFE, 0, 0]);

    /// The set of one byte.
    #[inline]
    pub const fn single(byte: u8) -> Self {
        let mut words = [0; 4];
        words[(byte >> 6) as usize] = 1 << (byte & 63);
        ByteSet(words)
    }

    /// The bytes from `first` to `last`, both included; none if `first > last`.
    pub const fn range(first: u8, last: u8) -> Self {
        let mut words = [0; 4];
        let mut i = 0;
        while i < 4 && first <= last {
            // The part of the range that is in this word.
            let start = i as u8 * 64;
            let (a, b) = (
                if first > start { first } else { start },
                if last < start + 63 { last } else { start + 63 },
            );
            if a <= b {
                words[i] = (u64::MAX >> (63 - (b - a))) << (a - start);
            }
            i += 1;
        }
        ByteSet(words)
    }

    /// Adds a byte.
    #[inline]
    pub fn insert(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
    }

    /// Whether `byte` is in the set.
    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 != 0
    }

    /// Whether there is no byte in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// How many bytes are in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Bytes in either set.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Bytes in both sets.
    #[inline]
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Bytes of this set that are not in `other`.
    #[inline]
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        ByteSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Bytes not in this set.
    #[inline]
    #[must_use]
    pub fn complement(&self) -> Self {
        ByteSet(self.0.map(|w| !w))
    }

    /// Whether every byte of this set is in `other`.
    #[inline]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.minus(other).is_empty()
    }

    /// Whether the two sets share a byte.
    #[inline]
    pub fn intersects(&self, other: &Self) -> bool {
        !self.intersect(other).is_empty()
    }

    /// The smallest byte.
    #[inline]
    pub fn first(&self) -> Option<u8> {
        self.iter().next()
    }

    /// The bytes in increasing order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let words = self.0;
        (0..4u32).flat_map(move |i| {
            let mut word = words[i as usize];
            std::iter::from_fn(move || {
                if word == 0 {
                    return None;
                }
                let bit = word.trailing_zeros();
                word &= word - 1;
                Some((i * 64 + bit) as u8)
            })
        })
    }

    /// The ASCII bytes of the set, one bit each.
    #[inline]
    pub fn ascii_bits(&self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// The set as words: bit `b & 63` of word `b >> 6` is byte `b`.
    #[inline]
    pub fn words(&self) -> [u64; 4] {
        self.0
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(iter: I) -> Self {
        let mut set = ByteSet::EMPTY;
        iter.into_iter().for_each(|b| set.insert(b));
        set
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        let mut byte = 0u16;
        while byte < 256 {
            if !self.contains(byte as u8) {
                byte += 1;
                continue;
            }
            let start = byte;
            while byte < 256 && self.contains(byte as u8) {
                byte += 1;
            }
            write!(f, "{}", (start as u8).escape_ascii())?;
            if byte - start > 1 {
                write!(f, "-{}", ((byte - 1) as u8).escape_ascii())?;
            }
        }
        f.write_str("]")
    }
}
