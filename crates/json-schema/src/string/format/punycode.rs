//! Punycode (RFC 3492): a label as its ASCII characters and numbers that say what is inserted among them.
//!
//! A number says how far it is from the last insertion to the next, where all places of a code point come before those
//! of the next code point. Its digits come lowest first, and each digit has a threshold, below which it is the last. So
//! the numbers that can still be written, once some digits are read, are the steps of a ladder: what the digits come to
//! so far, and any multiple of the next digit's weight more.

use smallvec::SmallVec;

const BASE: u32 = 36;
const LEAST_THRESHOLD: u32 = 1;
const GREATEST_THRESHOLD: u32 = 26;
const SKEW: u64 = 38;
const DAMP: u64 = 700;
/// Numbers past this lead to no code point.
const FAR: u64 = 1 << 32;

/// A label while it is decoded.
#[derive(Clone)]
pub(super) struct Decoder {
    /// The code points so far.
    pub(super) label: SmallVec<[u32; 64]>,
    /// What may be inserted next at the earliest: a code point and its place.
    pub(super) code: u32,
    pub(super) place: usize,
    bias: u32,
    /// Whether something was inserted.
    pub(super) inserted: bool,
    /// Digits of a number that is not complete, their value, and the weight of the next one.
    digits: u32,
    value: u64,
    weight: u64,
}

impl Decoder {
    /// The start of the numbers, after ASCII characters.
    pub(super) fn new(basic: &[u8]) -> Self {
        Decoder {
            label: basic.iter().map(|&byte| u32::from(byte)).collect(),
            code: 0x80,
            place: 0,
            bias: 72,
            inserted: false,
            digits: 0,
            value: 0,
            weight: 1,
        }
    }

    /// Whether a number is begun.
    pub(super) fn is_within(&self) -> bool {
        self.digits > 0
    }

    /// The threshold of a digit that comes so many after the next.
    fn threshold(&self, later: u32) -> u32 {
        let k = BASE * (self.digits + later + 1);
        k.saturating_sub(self.bias).clamp(LEAST_THRESHOLD, GREATEST_THRESHOLD)
    }

    /// Reads a digit. Answers what was inserted if it was the last of its number; `None` if there is no such digit, or
    /// the number is too great.
    pub(super) fn read(&mut self, byte: u8) -> Option<Option<u32>> {
        let digit = match byte {
            b'a'..=b'z' => u32::from(byte - b'a'),
            b'0'..=b'9' => u32::from(byte - b'0') + 26,
            _ => return None,
        };
        let threshold = self.threshold(0);
        let value = self.value + u64::from(digit) * self.weight;
        if value > FAR {
            return None;
        }
        if digit < threshold {
            return Some(Some(self.insert(value)));
        }
        self.value = value;
        self.weight *= u64::from(BASE - threshold);
        self.digits += 1;
        Some(None)
    }

    /// What a number inserts, and where.
    pub(super) fn target(&self, number: u64) -> (u64, usize) {
        let places = self.label.len() as u64 + 1;
        let at = self.place as u64 + number;
        (u64::from(self.code) + at / places, (at % places) as usize)
    }

    /// The number that inserts a code point at a place, if they are not too early.
    pub(super) fn number(&self, code: u32, place: usize) -> Option<u64> {
        let places = self.label.len() as u64 + 1;
        let ahead = u64::from(code.checked_sub(self.code)?) * places + place as u64;
        ahead.checked_sub(self.place as u64)
    }

    /// Inserts what a number says. It must not be greater than those of code points.
    pub(super) fn insert(&mut self, number: u64) -> u32 {
        let (code, place) = self.target(number);
        let code = u32::try_from(code).unwrap_or(u32::MAX);
        self.label.insert(place, code);
        self.adapt(number);
        (self.code, self.place, self.inserted) = (code, place + 1, true);
        (self.digits, self.value, self.weight) = (0, 0, 1);
        code
    }

    fn adapt(&mut self, number: u64) {
        let mut delta = if self.inserted { number / 2 } else { number / DAMP };
        delta += delta / self.label.len() as u64;
        let mut k = 0;
        while delta > u64::from((BASE - LEAST_THRESHOLD) * GREATEST_THRESHOLD / 2) {
            delta /= u64::from(BASE - LEAST_THRESHOLD);
            k += BASE;
        }
        self.bias = k + (u64::from(BASE - LEAST_THRESHOLD + 1) * delta / (delta + SKEW)) as u32;
    }

    /// The number that is so many steps up the ladder.
    pub(super) fn step(&self, steps: u64) -> u64 {
        self.value + steps * self.weight
    }

    /// How many more digits it takes to write a number; `None` if it cannot be written any more, or with `most`.
    pub(super) fn cost(&self, number: u64, most: u32) -> Option<u32> {
        let above = number.checked_sub(self.value)?;
        let steps = above / self.weight;
        (above % self.weight == 0 && steps < self.steps(most))
            .then(|| (1..most).find(|&digits| steps < self.steps(digits)).unwrap_or(most))
    }

    /// How many numbers can be written with up to so many more digits.
    pub(super) fn steps(&self, digits: u32) -> u64 {
        let (mut count, mut size) = (0u64, 1u64);
        for later in 0..digits {
            let threshold = self.threshold(later);
            count += size * u64::from(threshold);
            size *= u64::from(BASE - threshold);
            if count > FAR {
                break;
            }
        }
        count
    }
}
