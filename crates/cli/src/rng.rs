//! A small random source: the same seed gives the same walk on every machine, so a failure can be repeated.

/// SplitMix64.
pub(crate) struct Rng(u64);

impl Rng {
    /// A source that always gives the same numbers for `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// A source whose numbers depend on `text` (FNV-1a).
    #[cfg(feature = "dev")]
    pub(crate) fn from_text(text: &[u8]) -> Self {
        Rng(text.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n` (0 if `n` is 0).
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    /// True in `numerator` of `denominator` cases.
    pub(crate) fn chance(&mut self, numerator: usize, denominator: usize) -> bool {
        self.below(denominator) < numerator
    }

    /// One of `items`.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_numbers_in_range() {
        let (mut a, mut b) = (Rng::new(7), Rng::new(7));
        for n in 1..100 {
            let x = a.below(n);
            assert_eq!(x, b.below(n));
            assert!(x < n);
        }
        assert_eq!(Rng::new(1).below(0), 0);
        assert_eq!(Rng::new(1).pick::<u8>(&[]), None);
    }

    #[cfg(feature = "dev")]
    #[test]
    fn same_text_same_numbers() {
        let (mut a, mut b) = (Rng::from_text(b"seed"), Rng::from_text(b"seed"));
        (1..100).for_each(|n| assert_eq!(a.below(n), b.below(n)));
    }
}
