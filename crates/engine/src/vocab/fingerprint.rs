//! The fingerprint of a vocabulary: what caches and saved artifacts are keyed by.
//!
//! It is FNV-1a with 128 bits: a published hash, a few lines, the same on every platform and in every
//! release. It tells vocabularies apart by accident-proof odds; it is not cryptographic, and someone who
//! sets out to make two vocabularies collide can.

use std::fmt;

/// A 128-bit hash of everything in a [`Vocab`](super::Vocab) that masks depend on: the kind and bytes of
/// every id, the set of end tokens, and the width.
///
/// ```
/// use tokenstile::Vocab;
///
/// let vocab = Vocab::from_tokens([(0, "a"), (1, "</s>")], &[1])?;
/// let same = Vocab::from_tokens([(1, "</s>"), (0, "a")], &[1])?;
/// assert_eq!(vocab.fingerprint(), same.fingerprint());
/// assert_ne!(vocab.fingerprint(), same.with_width(64)?.fingerprint());
/// assert_eq!(vocab.fingerprint().to_string().len(), 32);
/// # Ok::<(), tokenstile::VocabError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The fingerprint as bytes, most significant first: the same order as [`Display`](fmt::Display).
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// The fingerprint that [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Fingerprint(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// FNV-1a over a stream of bytes.
pub(super) struct Hasher(u128);

impl Hasher {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    pub(super) fn new() -> Self {
        Hasher(Self::BASIS)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(Self::PRIME);
        }
    }

    pub(super) fn number(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    pub(super) fn finish(self) -> Fingerprint {
        Fingerprint(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Hasher;

    #[test]
    fn is_fnv_1a() {
        // Test vectors published with FNV.
        let hash = |text: &str| {
            let mut hasher = Hasher::new();
            hasher.bytes(text.as_bytes());
            hasher.finish().to_string()
        };
        assert_eq!(hash(""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(hash("a"), "d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(hash("foobar"), "343e1662793c64bf6f0d3597ba446f18");
    }
}
