//! Sets of whole numbers as exponents, and how they are read digit by digit.

/// Stands for no end.
pub(super) const ENDLESS: i64 = i64::MAX;
/// More than any end that there is.
const FAR: i64 = 1 << 55;

/// Ranges with both ends included, in rising order, with numbers between them that do not belong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Exponents(pub(super) Vec<(i64, i64)>);

impl Exponents {
    pub(super) fn all() -> Self {
        Exponents(vec![(-ENDLESS, ENDLESS)])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, exponent: i64) -> bool {
        self.0.iter().any(|&(low, high)| low <= exponent && exponent <= high)
    }

    /// Adds a range that is above all others.
    pub(super) fn push(&mut self, low: i64, high: i64) {
        match self.0.last_mut() {
            _ if low > high => {}
            Some((_, last)) if *last + 1 >= low => *last = high,
            _ => self.0.push((low, high)),
        }
    }

    /// The magnitudes of those with one sign; zero has both.
    pub(super) fn with_sign(&self, negative: bool) -> Exponents {
        let mut ranges: Vec<(i64, i64)> = self.0.clone();
        if negative {
            ranges = ranges.iter().rev().map(|&(low, high)| (-high, -low)).collect();
        }
        let ranges = ranges.into_iter().filter(|&(_, high)| high >= 0);
        Exponents(ranges.map(|(low, high)| (low.max(0), high)).collect())
    }

    /// After one more digit of a magnitude: what it is now, and what of this set it may still become. `None` if that is nothing.
    pub(super) fn after(&self, read: i64, digit: u8) -> Option<(i64, Exponents)> {
        let read = (read.min(FAR) * 10 + i64::from(digit)).min(FAR);
        let ranges = self.0.iter().copied().filter(|&(_, high)| high >= read);
        let mut left = Exponents(ranges.map(|(low, high)| (low.max(read), high)).collect());
        left.0.retain(|&(low, high)| is_reachable(read, low, high));
        if left.0 == [(read, ENDLESS)] {
            // It only grows: whatever follows is in there.
            return Some((0, Exponents(vec![(0, ENDLESS)])));
        }
        (!left.is_empty()).then_some((read, left))
    }

    pub(super) fn encode(&self, state: &mut Vec<u8>) {
        for &(low, high) in &self.0 {
            put(state, low);
            put(state, high);
        }
    }

    pub(super) fn decode(mut state: &[u8]) -> Exponents {
        let mut ranges = Vec::new();
        while !state.is_empty() {
            let low = take(&mut state);
            ranges.push((low, take(&mut state)));
        }
        Exponents(ranges)
    }
}

/// Whether digits after those of `read` can make a number from `low` to `high`.
fn is_reachable(read: i64, low: i64, high: i64) -> bool {
    if read == 0 || high == ENDLESS {
        return true;
    }
    let (mut first, mut last) = (read, read);
    while first <= high {
        if last >= low {
            return true;
        }
        (first, last) = (first.saturating_mul(10), last.saturating_mul(10).saturating_add(9));
    }
    false
}

/// Writes a number: seven bits to a byte, small ones of either sign first.
pub(super) fn put(state: &mut Vec<u8>, number: i64) {
    let mut rest = (number << 1 ^ number >> 63) as u64;
    while rest >= 0x80 {
        state.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    state.push(rest as u8);
}

/// Reads what [`put`] wrote.
pub(super) fn take(state: &mut &[u8]) -> i64 {
    let (mut number, mut shift) = (0u64, 0);
    while let [byte, rest @ ..] = *state {
        *state = rest;
        number |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 || shift > 63 {
            break;
        }
    }
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
