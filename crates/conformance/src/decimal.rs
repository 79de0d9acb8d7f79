//! Decimal numbers, exactly, from their JSON texts: whether one is a multiple of another, and their plainest form.

/// A number as digits without zeros at the end, and a power of ten. Zero has no digits.
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

fn read(number: &str) -> Option<Decimal> {
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (number, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = whole.trim_start_matches('-').bytes().chain(fraction.bytes());
    let mut digits: Vec<u8> =
        all.map(|digit| digit.wrapping_sub(b'0')).skip_while(|digit| *digit == 0).collect();
    let mut exponent = exponent.checked_sub(fraction.len() as i64)?;
    while digits.last() == Some(&0) {
        digits.pop();
        exponent = exponent.checked_add(1)?;
    }
    Some(Decimal { digits, exponent })
}

/// Whether `number` is a multiple of `factor`. Where one of them is beyond all reason, yes.
pub(crate) fn is_multiple(number: &str, factor: &str) -> bool {
    let (Some(number), Some(factor)) = (read(number), read(factor)) else { return true };
    if number.digits.is_empty() {
        return true;
    }
    // A multiple of 10^k that does not end in 0 has no lower power of ten.
    if number.exponent < factor.exponent {
        return false;
    }
    if factor.digits.len() > 18 || factor.digits.is_empty() {
        return true;
    }
    let modulus = factor.digits.iter().fold(0u128, |value, digit| value * 10 + u128::from(*digit));
    let rest = number.digits.iter().fold(0u128, |rest, digit| (rest * 10 + u128::from(*digit)) % modulus);
    let shifted = rest * power_of_ten(number.exponent.abs_diff(factor.exponent), modulus);
    shifted.is_multiple_of(modulus)
}

/// Digits that a number may have when it is written out.
const WRITTEN: usize = 500;

/// The plainest text of the same number: integers without fraction, no exponent. None if it would be very long.
pub(crate) fn plain(number: &str) -> Option<String> {
    let Decimal { digits, exponent } = read(number)?;
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    if exponent.unsigned_abs() as usize > WRITTEN || digits.len() > WRITTEN {
        return None;
    }
    let mut text: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    if exponent >= 0 {
        text += &"0".repeat(exponent as usize);
    } else {
        let places = exponent.unsigned_abs() as usize;
        if text.len() <= places {
            text.insert_str(0, &"0".repeat(places + 1 - text.len()));
        }
        text.insert(text.len() - places, '.');
    }
    Some(if number.starts_with('-') { format!("-{text}") } else { text })
}

/// 10^n modulo m.
fn power_of_ten(mut n: u64, m: u128) -> u128 {
    let (mut power, mut square) = (1 % m, 10 % m);
    while n > 0 {
        if n & 1 == 1 {
            power = power * square % m;
        }
        square = square * square % m;
        n >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_of_integers_are_those_of_arithmetic() {
        for number in -200i64..200 {
            for factor in 1..50i64 {
                let expected = number % factor == 0;
                assert_eq!(
                    is_multiple(&number.to_string(), &factor.to_string()),
                    expected,
                    "{number} {factor}"
                );
                // The same with both divided by 1000.
                let shift = |n: i64| format!("{n}e-3");
                assert_eq!(is_multiple(&shift(number), &shift(factor)), expected);
                let point = |n: i64| {
                    format!("{}{}.{:03}", if n < 0 { "-" } else { "" }, n.abs() / 1000, n.abs() % 1000)
                };
                assert_eq!(is_multiple(&point(number), &point(factor)), expected);
            }
        }
    }

    #[test]
    fn plain_texts() {
        let cases = [
            ("0", "0"),
            ("-0.0", "0"),
            ("1000.0", "1000"),
            ("1e3", "1000"),
            ("-10e-1", "-1"),
            ("0.050", "0.05"),
            ("12.50", "12.5"),
            ("125E-4", "0.0125"),
            ("1.5e1", "15"),
        ];
        for (number, text) in cases {
            assert_eq!(plain(number).as_deref(), Some(text));
        }
        assert_eq!(plain("1e999999"), None);
        assert_eq!(plain("1e99999999999999999999"), None);
    }

    #[test]
    fn large_numbers_and_odd_spellings() {
        assert!(is_multiple("300000000000000000000000000000000000000003", "3"));
        assert!(!is_multiple("300000000000000000000000000000000000000004", "3"));
        assert!(
            is_multiple("1e308", "0.5") && is_multiple("1E+999999999", "1e-3") && is_multiple("-0.0", "7")
        );
        assert!(
            is_multiple("19.99", "0.01")
                && !is_multiple("19.995", "0.01")
                && !is_multiple("0.00751", "0.0001")
        );
        assert!(is_multiple("10", "2.5") && !is_multiple("10", "4") && is_multiple("1e2", "4"));
    }
}
