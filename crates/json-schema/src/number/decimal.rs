//! Decimal numbers without rounding, as JSON writes them.

use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt;

use tokenstile_grammar::{Error, ErrorKind};

use super::natural::Natural;

/// How many digits a number may have, and how far from the point they may be: more than any number has that means something,
/// few enough that one is written down in no time.
pub(crate) const MAX_DIGITS: usize = 10_000;

/// An exact number: `±0.d₁d₂…dₙ · 10^point` with neither d₁ nor dₙ zero. Zero has no digits and no sign.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    digits: SmallVec<[u8; 16]>,
    point: i32,
}

impl Decimal {
    /// Zero.
    pub(crate) fn zero() -> Self {
        Decimal { negative: false, digits: SmallVec::new(), point: 0 }
    }

    /// `10^exponent`.
    pub(crate) fn power_of_ten(exponent: i32) -> Self {
        Decimal { negative: false, digits: SmallVec::from_slice(&[1]), point: exponent + 1 }
    }

    /// The number that a JSON number stands for.
    pub(crate) fn parse(text: &str) -> Result<Decimal, Error> {
        let not_a_number =
            || Error::new(ErrorKind::Syntax, format!("`{}` is not a JSON number", excerpt(text)));
        let too_far = || {
            let text = excerpt(text);
            let message =
                format!("the number {text} has digits more than {MAX_DIGITS} places from its point");
            Error::new(ErrorKind::Unsupported, message)
        };
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
        let unsigned = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
        let is_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !is_digits(whole)
            || whole.len() > 1 && whole.starts_with('0')
            || fraction.is_some_and(|f| !is_digits(f))
            || unsigned.is_some_and(|e| !is_digits(e))
        {
            return Err(not_a_number());
        }
        let digits = whole.bytes().chain(fraction.unwrap_or_default().bytes()).map(|b| b - b'0');
        let digits: Vec<u8> = digits.collect();
        if digits.iter().all(|&d| d == 0) {
            return Ok(Decimal::zero());
        }
        let exponent = match unsigned {
            None => 0,
            Some(unsigned) => {
                let digits = unsigned.trim_start_matches('0');
                let size =
                    if digits.len() > 9 { return Err(too_far()) } else { digits.parse().unwrap_or(0i64) };
                if exponent.is_some_and(|e| e.starts_with('-')) { -size } else { size }
            }
        };
        let point = whole.len() as i64 + exponent;
        Decimal::new(negative, &digits, point).ok_or_else(too_far)
    }

    /// `±0.digits · 10^point`, whatever zeros there are; `None` if it is too large, too small or too long.
    pub(super) fn new(negative: bool, digits: &[u8], point: i64) -> Option<Decimal> {
        let Some(first) = digits.iter().position(|&d| d != 0) else { return Some(Decimal::zero()) };
        let last = digits.iter().rposition(|&d| d != 0).unwrap_or(first);
        let digits = &digits[first..=last];
        let point = point - first as i64;
        let limit = MAX_DIGITS as i64;
        if point.abs() > limit || (point - digits.len() as i64).abs() > limit {
            return None;
        }
        Some(Decimal { negative, digits: SmallVec::from_slice(digits), point: point as i32 })
    }

    /// `natural · 10^exponent`.
    pub(super) fn from_natural(negative: bool, natural: &Natural, exponent: i64) -> Option<Decimal> {
        let digits = natural.digits();
        Decimal::new(negative, &digits, digits.len() as i64 + exponent)
    }

    /// Whether it is less than zero.
    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it is zero.
    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether it has no fraction.
    pub(crate) fn is_integer(&self) -> bool {
        self.is_zero() || self.low() >= 0
    }

    /// The significant digits.
    pub(super) fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// The power of ten above the first digit.
    pub(super) fn point(&self) -> i32 {
        self.point
    }

    /// The power of ten of the last digit.
    pub(super) fn low(&self) -> i32 {
        self.point - self.digits.len() as i32
    }

    /// The exponent, if this is a power of ten.
    pub(super) fn as_power_of_ten(&self) -> Option<i32> {
        (!self.negative && self.digits[..] == [1]).then(|| self.low())
    }

    /// The digits as a natural number, `zeros` zeros after them.
    pub(super) fn natural(&self, zeros: usize) -> Natural {
        Natural::from_digits(&self.digits, zeros)
    }

    /// The same without its sign.
    pub(crate) fn abs(&self) -> Decimal {
        Decimal { negative: false, ..self.clone() }
    }

    /// The same with the other sign.
    pub(crate) fn negated(&self) -> Decimal {
        Decimal { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    /// The digits left of the point (at least a zero) and right of it, of the magnitude.
    pub(super) fn split(&self) -> (Vec<u8>, Vec<u8>) {
        let point = self.point.max(0) as usize;
        let mut whole: Vec<u8> = self.digits.iter().copied().take(point).collect();
        whole.resize(point.max(1), 0);
        let mut fraction = Vec::new();
        if self.low() < 0 {
            fraction.resize((-self.point).max(0) as usize, 0);
            fraction.extend(self.digits.iter().skip(point));
        }
        (whole, fraction)
    }

    /// The greatest multiple of `10^unit` that is not greater in magnitude, of the same sign.
    pub(super) fn truncated(&self, unit: i32) -> Decimal {
        if self.is_zero() || self.low() >= unit {
            return self.clone();
        }
        let kept = (self.point - unit).max(0) as usize;
        let digits = self.digits.get(..kept).unwrap_or(&self.digits);
        Decimal::new(self.negative, digits, i64::from(self.point)).unwrap_or_else(Decimal::zero)
    }
}

/// The first characters of a text that may be long.
fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |n: &Decimal| if n.is_zero() { 0 } else { 1 - 2 * i32::from(n.negative) };
        let magnitude = || self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => magnitude(),
            _ => magnitude().reverse(),
        })
    }
}

impl fmt::Display for Decimal {
    /// As JSON, without an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = self.split();
        let text = |digits: &[u8]| digits.iter().map(|d| char::from(b'0' + d)).collect::<String>();
        write!(f, "{}{}", if self.negative { "-" } else { "" }, text(&whole))?;
        if fraction.is_empty() { Ok(()) } else { write!(f, ".{}", text(&fraction)) }
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
