//! Natural numbers of any size, for the steps of `multipleOf`: nine decimal digits to a limb, since everything comes from
//! decimal text and goes back to it.

use smallvec::SmallVec;
use std::cmp::Ordering;

const BASE: u64 = 1_000_000_000;
const BASE_DIGITS: usize = 9;

/// A natural number: limbs in base 10⁹, least significant first, the last of them not zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Natural(SmallVec<[u32; 4]>);

impl Natural {
    pub(super) fn one() -> Self {
        Natural::from_u64(1)
    }

    pub(super) fn from_u64(mut n: u64) -> Self {
        let mut limbs = SmallVec::new();
        while n > 0 {
            limbs.push((n % BASE) as u32);
            n /= BASE;
        }
        Natural(limbs)
    }

    /// The number that is written with these digits (0 to 9, most significant first) and `zeros` zeros after them.
    pub(super) fn from_digits(digits: &[u8], zeros: usize) -> Self {
        let len = digits.len() + zeros;
        let mut limbs: SmallVec<[u32; 4]> = SmallVec::from_elem(0, len.div_ceil(BASE_DIGITS));
        for (i, &digit) in digits.iter().enumerate() {
            let limb = &mut limbs[(len - 1 - i) / BASE_DIGITS];
            // The digits of one limb come one after the other, so this builds it up; zeros after them are shifted in below.
            *limb = *limb * 10 + u32::from(digit);
        }
        if !zeros.is_multiple_of(BASE_DIGITS) && !digits.is_empty() {
            limbs[zeros / BASE_DIGITS] *= 10u32.pow((zeros % BASE_DIGITS) as u32);
        }
        Natural(limbs).trimmed()
    }

    /// Its digits, most significant first; none for zero.
    pub(super) fn digits(&self) -> Vec<u8> {
        let mut digits = Vec::with_capacity(self.0.len() * BASE_DIGITS);
        for &limb in self.0.iter().rev() {
            let mut rest = limb;
            let start = digits.len();
            for _ in 0..BASE_DIGITS {
                digits.push((rest % 10) as u8);
                rest /= 10;
            }
            digits[start..].reverse();
        }
        let leading = digits.iter().take_while(|&&d| d == 0).count();
        digits.drain(..leading);
        digits
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&self, other: &Natural) -> Natural {
        let mut sum = SmallVec::with_capacity(self.0.len().max(other.0.len()) + 1);
        let mut carry = 0;
        for i in 0..self.0.len().max(other.0.len()) {
            let limb = self.limb(i) + other.limb(i) + carry;
            sum.push((limb % BASE) as u32);
            carry = limb / BASE;
        }
        sum.push(carry as u32);
        Natural(sum).trimmed()
    }

    /// The difference; zero if `other` is greater.
    pub(super) fn minus(&self, other: &Natural) -> Natural {
        if *self <= *other {
            return Natural::default();
        }
        let mut difference = SmallVec::with_capacity(self.0.len());
        let mut borrow = 0;
        for i in 0..self.0.len() {
            let limb = BASE + self.limb(i) - other.limb(i) - borrow;
            difference.push((limb % BASE) as u32);
            borrow = 1 - limb / BASE;
        }
        Natural(difference).trimmed()
    }

    pub(super) fn times(&self, other: &Natural) -> Natural {
        let mut product: SmallVec<[u32; 4]> = SmallVec::from_elem(0, self.0.len() + other.0.len());
        for (i, &a) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (j, &b) in other.0.iter().enumerate() {
                let limb = u64::from(a) * u64::from(b) + u64::from(product[i + j]) + carry;
                product[i + j] = (limb % BASE) as u32;
                carry = limb / BASE;
            }
            product[i + other.0.len()] = carry as u32;
        }
        Natural(product).trimmed()
    }

    /// Quotient and remainder; both zero if `divisor` is.
    pub(super) fn div_rem(&self, divisor: &Natural) -> (Natural, Natural) {
        if self < divisor || divisor.is_zero() {
            let rest = if divisor.is_zero() { Natural::default() } else { self.clone() };
            return (Natural::default(), rest);
        }
        match divisor.0[..] {
            [small] => {
                let (quotient, rest) = self.div_rem_limb(u64::from(small));
                (quotient, Natural::from_u64(rest))
            }
            _ => self.div_rem_long(divisor),
        }
    }

    fn div_rem_limb(&self, divisor: u64) -> (Natural, u64) {
        let mut quotient = self.clone();
        let mut rest = 0;
        for limb in quotient.0.iter_mut().rev() {
            let part = rest * BASE + u64::from(*limb);
            *limb = (part / divisor) as u32;
            rest = part % divisor;
        }
        (quotient.trimmed(), rest)
    }

    /// Division as on paper. Scaling both so that the divisor starts with half the base or more makes the guess of
    /// each digit of the quotient too great by two at most.
    fn div_rem_long(&self, divisor: &Natural) -> (Natural, Natural) {
        let n = divisor.0.len();
        let scale = BASE / (divisor.limb(n - 1) + 1);
        let divisor = divisor.times(&Natural::from_u64(scale));
        let mut rest = self.times(&Natural::from_u64(scale)).0;
        rest.push(0);
        let digits = rest.len() - n;
        let (top, second) = (divisor.limb(n - 1), divisor.limb(n - 2));
        let mut quotient: SmallVec<[u32; 4]> = SmallVec::from_elem(0, digits);
        for j in (0..digits).rev() {
            let high = u64::from(rest[j + n]) * BASE + u64::from(rest[j + n - 1]);
            let (mut guess, mut left) = (high / top, high % top);
            while guess >= BASE || guess * second > left * BASE + u64::from(rest[j + n - 2]) {
                guess -= 1;
                left += top;
                if left >= BASE {
                    break;
                }
            }
            if !subtract_scaled(&mut rest[j..=j + n], &divisor.0, guess) {
                guess -= 1;
                add_back(&mut rest[j..=j + n], &divisor.0);
            }
            quotient[j] = guess as u32;
        }
        let (rest, _) = Natural(rest).trimmed().div_rem_limb(scale);
        (Natural(quotient).trimmed(), rest)
    }

    pub(super) fn rem(&self, divisor: &Natural) -> Natural {
        self.div_rem(divisor).1
    }

    /// The greatest common divisor.
    pub(super) fn gcd(&self, other: &Natural) -> Natural {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.rem(&b));
        }
        a
    }

    /// 10 to the power of `exponent`, less the multiples of `modulus`.
    pub(super) fn power_of_ten(mut exponent: u64, modulus: &Natural) -> Natural {
        let mut result = Natural::one().rem(modulus);
        let mut square = Natural::from_u64(10).rem(modulus);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(&square).rem(modulus);
            }
            square = square.times(&square).rem(modulus);
            exponent >>= 1;
        }
        result
    }

    fn limb(&self, i: usize) -> u64 {
        self.0.get(i).map_or(0, |&limb| u64::from(limb))
    }
}

/// Takes `divisor` times `factor` away; `false` if the result is negative, in which case it is off by a power of the base.
fn subtract_scaled(from: &mut [u32], divisor: &[u32], factor: u64) -> bool {
    let mut borrow = 0;
    for (i, limb) in from.iter_mut().enumerate() {
        let take = divisor.get(i).map_or(0, |&d| u64::from(d)) * factor + borrow;
        let low = take % BASE;
        borrow = take / BASE;
        if u64::from(*limb) < low {
            *limb = (u64::from(*limb) + BASE - low) as u32;
            borrow += 1;
        } else {
            *limb -= low as u32;
        }
    }
    borrow == 0
}

fn add_back(to: &mut [u32], divisor: &[u32]) {
    let mut carry = 0;
    for (i, limb) in to.iter_mut().enumerate() {
        let sum = u64::from(*limb) + divisor.get(i).map_or(0, |&d| u64::from(d)) + carry;
        *limb = (sum % BASE) as u32;
        carry = sum / BASE;
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn natural(n: u128) -> Natural {
        Natural::from_digits(&n.to_string().bytes().map(|b| b - b'0').collect::<Vec<u8>>(), 0)
    }

    #[test]
    fn arithmetic_agrees_with_the_machines() {
        let mut seed = 7u128;
        let mut next = |bits: u32| {
            seed = seed.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645).wrapping_add(12_345);
            (seed >> 5) >> (128 - bits.min(123))
        };
        for round in 0..20_000 {
            let (a, b) = (next(1 + round % 120), next(1 + round / 7 % 100));
            let (x, y) = (natural(a), natural(b));
            assert_eq!(x.cmp(&y), a.cmp(&b));
            assert_eq!(x.add(&y), natural(a + b));
            assert_eq!(x.minus(&y), natural(a.saturating_sub(b)));
            if let Some(product) = a.checked_mul(b) {
                assert_eq!(x.times(&y), natural(product));
            }
            if let (Some(quotient), Some(rest)) = (a.checked_div(b), a.checked_rem(b)) {
                assert_eq!(x.div_rem(&y), (natural(quotient), natural(rest)), "{a} / {b}");
            }
            let (mut c, mut d) = (a, b);
            while d > 0 {
                (c, d) = (d, c % d);
            }
            assert_eq!(x.gcd(&y), natural(c));
        }
    }

    #[test]
    fn division_of_awkward_limbs() {
        // Limbs at both ends of their range, where a guess is off by the most.
        let limbs = [0, 1, 499_999_999, 500_000_000, 999_999_998, 999_999_999];
        let all = |n: usize| {
            (0..6usize.pow(n as u32)).map(move |i| {
                Natural((0..n).map(|k| limbs[i / 6usize.pow(k as u32) % 6]).collect()).trimmed()
            })
        };
        for a in all(4) {
            for b in all(2).chain(all(3)).filter(|b| !b.is_zero()) {
                let (q, r) = a.div_rem(&b);
                assert!(r < b, "{a:?} / {b:?}");
                assert_eq!(q.times(&b).add(&r), a, "{a:?} / {b:?}");
            }
        }
    }

    #[test]
    fn digits_and_back() {
        for zeros in 0..30 {
            let number = Natural::from_digits(&[1, 0, 2], zeros);
            let mut digits = vec![1, 0, 2];
            digits.resize(3 + zeros, 0);
            assert_eq!(number.digits(), digits);
            let modulus = Natural::from_u64(987_654_321);
            let power = Natural::from_digits(&[1], zeros).rem(&modulus);
            assert_eq!(Natural::power_of_ten(zeros as u64, &modulus), power);
        }
    }
}
