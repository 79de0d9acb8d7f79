//! Where a number lies among others when only its digits are known and not yet its size.
//!
//! After `12.5` any exponent may follow, so what can be said is how the digits 125… compare with the digits of the numbers at
//! which a set changes. The digits themselves need to be kept only as long as they agree with some of those.

use std::cmp::Ordering;

/// The digits of some numbers without the zeros around them, sorted.
#[derive(Debug)]
pub(super) struct Order(Vec<Box<[u8]>>);

/// How the digits read so far compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// They are the first `.1` of those of number `.0`, the first for which that is so.
    Start(usize, usize),
    /// They are all of those of this number, and zeros.
    At(usize),
    /// Whatever follows, they stay above all numbers before this one and below it and those after.
    Before(usize),
}

impl Order {
    pub(super) fn new(mut all: Vec<Box<[u8]>>) -> Order {
        all.sort_unstable();
        all.dedup();
        Order(all)
    }

    pub(super) fn index(&self, digits: &[u8]) -> usize {
        self.0.partition_point(|other| other[..] < *digits)
    }

    /// The place of no digits at all.
    pub(super) fn start(&self) -> Place {
        if self.0.is_empty() { Place::Before(0) } else { Place::Start(0, 0) }
    }

    /// The place after one more digit.
    pub(super) fn next(&self, place: Place, digit: u8) -> Place {
        let (number, length) = match place {
            Place::Before(_) => return place,
            Place::At(number) => return if digit == 0 { place } else { Place::Before(number + 1) },
            Place::Start(number, length) => (number, length),
        };
        let digits = [&self.0[number][..length], &[digit]].concat();
        let first = self.index(&digits);
        if self.0.get(first).is_some_and(|other| other.starts_with(&digits)) {
            let only = self.0.get(first + 1).is_none_or(|other| !other.starts_with(&digits));
            let whole = self.0[first].len() == digits.len();
            return if only && whole { Place::At(first) } else { Place::Start(first, digits.len()) };
        }
        let stripped = strip(&digits);
        match self.0.binary_search_by(|other| other[..].cmp(stripped)) {
            Ok(number) => Place::At(number),
            Err(number) => Place::Before(number),
        }
    }

    /// How the digits compare with those of a number if nothing but zeros follows.
    pub(super) fn compare(&self, place: Place, number: usize) -> Ordering {
        match place {
            Place::Before(next) => {
                if next > number {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            Place::At(at) => at.cmp(&number),
            Place::Start(of, length) => strip(&self.0[of][..length]).cmp(&self.0[number]),
        }
    }

    /// Whether the digits may become greater than those of a number.
    pub(super) fn may_exceed(&self, place: Place, number: usize) -> bool {
        match place {
            Place::Start(of, length) => {
                let (digits, other) = (&self.0[of][..length], &self.0[number]);
                digits >= &other[..other.len().min(length)]
            }
            _ => self.compare(place, number).is_ge(),
        }
    }

    /// Whether the digits may become those of a number.
    pub(super) fn may_equal(&self, place: Place, number: usize) -> bool {
        match place {
            Place::Before(_) => false,
            Place::At(at) => at == number,
            Place::Start(of, length) => {
                let (digits, other) = (&self.0[of][..length], &self.0[number]);
                other.starts_with(digits) || strip(digits) == &other[..]
            }
        }
    }
}

/// Without the zeros at the end.
fn strip(digits: &[u8]) -> &[u8] {
    let length = digits.iter().rposition(|&d| d != 0).map_or(0, |last| last + 1);
    &digits[..length]
}
