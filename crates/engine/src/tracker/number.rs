//! A number while it is read: its value as digits and a power of ten, whatever its magnitude.

use smallvec::SmallVec;

use super::set::{Symbol, symbol};

/// How far a number has come. Its value is `0.ddd…` (the digits given out so far) times ten to the power of
/// `point` and the exponent.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Number {
    negative: bool,
    part: Part,
    /// Whether a digit other than 0 was seen.
    pub(crate) significant: bool,
    /// Zeros since the last such digit: they count only if another one follows.
    pub(crate) zeros: u64,
    pub(crate) point: i64,
    exponent_negative: bool,
    /// Decimal digits without leading zeros.
    exponent: SmallVec<[u8; 8]>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
enum Part {
    #[default]
    Whole,
    Fraction,
    Exponent,
}

impl Number {
    /// Takes the next byte; `emit` gets the symbols that are now certain. Answers whether it is part of the number.
    pub(crate) fn step(&mut self, byte: u8, mut emit: impl FnMut(Symbol)) -> bool {
        match (self.part, byte) {
            (Part::Exponent, b'-') => self.exponent_negative = true,
            (Part::Exponent, b'+') => {}
            (Part::Exponent, b'0'..=b'9') => {
                if self.significant && (byte != b'0' || !self.exponent.is_empty()) {
                    self.exponent.push(byte);
                }
            }
            (Part::Whole | Part::Fraction, b'e' | b'E') => self.part = Part::Exponent,
            (Part::Whole, b'-') => self.negative = true,
            (Part::Whole, b'.') => self.part = Part::Fraction,
            (part, b'0'..=b'9') => self.digit(byte, part == Part::Whole, &mut emit),
            _ => return false,
        }
        true
    }

    fn digit(&mut self, byte: u8, whole: bool, emit: &mut impl FnMut(Symbol)) {
        if byte != b'0' {
            if !self.significant && self.negative {
                emit(symbol::MINUS);
            }
            self.significant = true;
            (0..std::mem::take(&mut self.zeros)).for_each(|_| emit(Symbol::from(b'0')));
            emit(Symbol::from(byte));
        } else if self.significant {
            self.zeros += 1;
        }
        match whole {
            true if self.significant => self.point += 1,
            false if !self.significant => self.point -= 1,
            _ => {}
        }
    }

    /// Gives out the rest, now that the number is complete.
    pub(crate) fn finish(&self, mut emit: impl FnMut(Symbol)) {
        if self.significant {
            emit(symbol::EXPONENT);
            add(self.exponent_negative, &self.exponent, self.point).into_iter().for_each(&mut emit);
        }
        emit(symbol::END);
    }

    /// Whether a digit gives out itself and nothing else.
    pub(crate) fn is_spelled_by(&self, byte: u8) -> bool {
        self.significant && self.zeros == 0 && matches!(byte, b'1'..=b'9')
    }

    /// Whether it stands in the fraction, where more zeros change nothing.
    pub(crate) fn in_fraction(&self) -> bool {
        self.part == Part::Fraction
    }

    /// Whether it stands in the exponent.
    pub(crate) fn in_exponent(&self) -> bool {
        self.part == Part::Exponent
    }
}

/// The decimal digits of a number of any length plus a small one, with a sign if it is negative.
fn add(negative: bool, digits: &[u8], small: i64) -> Vec<Symbol> {
    // Digits from the last to the first.
    let big: Vec<i8> = digits.iter().rev().map(|d| (d - b'0') as i8).collect();
    let mut rest = small.unsigned_abs();
    let mut other: Vec<i8> = Vec::new();
    while rest > 0 {
        other.push((rest % 10) as i8);
        rest /= 10;
    }
    let (mut result, negative) = if negative == (small < 0) {
        (combine(&big, &other, 1), negative)
    } else if at_least(&big, &other) {
        (combine(&big, &other, -1), negative)
    } else {
        (combine(&other, &big, -1), small < 0)
    };
    while result.last() == Some(&0) {
        result.pop();
    }
    let sign = (negative && !result.is_empty()).then_some(symbol::MINUS);
    sign.into_iter().chain(result.iter().rev().map(|&d| Symbol::from(b'0' + d as u8))).collect()
}

/// Whether `a` is at least `b`; neither has leading zeros.
fn at_least(a: &[i8], b: &[i8]) -> bool {
    (a.len(), a.iter().rev().collect::<Vec<_>>()) >= (b.len(), b.iter().rev().collect::<Vec<_>>())
}

/// `a` plus or minus `b`; the result must not be negative.
fn combine(a: &[i8], b: &[i8], sign: i8) -> Vec<i8> {
    let mut carry = 0;
    let mut out = Vec::with_capacity(a.len().max(b.len()) + 1);
    for i in 0..a.len().max(b.len()) {
        let digit = a.get(i).unwrap_or(&0) + sign * b.get(i).unwrap_or(&0) + carry;
        carry = digit.div_euclid(10);
        out.push(digit.rem_euclid(10));
    }
    if carry > 0 {
        out.push(carry);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Vec<Symbol> {
        let (mut number, mut out) = (Number::default(), Vec::new());
        for byte in text.bytes() {
            assert!(number.step(byte, |s| out.push(s)), "{text}");
        }
        number.finish(|s| out.push(s));
        out
    }

    #[test]
    fn equal_values_are_equal() {
        let classes: [&[&str]; 10] = [
            &["0", "-0", "0.000", "0e5", "-0.0E-99999999999999999999999"],
            &["1", "1.0", "10e-1", "0.1e1", "1e0", "1E+000", "100.00e-02", "0.00001e5"],
            &["-1", "-1.0", "-10e-1"],
            &["10", "1e1", "1.0e+1"],
            &["1.01", "101e-2", "0.0101e2"],
            &["1e99999999999999999999999999999999999999999", "10e99999999999999999999999999999999999999998"],
            &[
                "1e-100000000000000000000000000000000000000000",
                "0.1e-99999999999999999999999999999999999999999",
            ],
            &["12345678901234567890123.5", "1234567890123456789012350e-2"],
            &["0.5", "5e-1", "50e-2", "0.05e1"],
            &["1e100000000000000000000000000000000000000000"],
        ];
        for (i, class) in classes.iter().enumerate() {
            for (j, other) in classes.iter().enumerate() {
                for a in class.iter() {
                    for b in other.iter() {
                        assert_eq!(canonical(a) == canonical(b), i == j, "{a} and {b}");
                    }
                }
            }
        }
    }
}
