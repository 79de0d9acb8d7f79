//! Ranges of numbers in scientific notation, as writers have it: one digit before the point, and an exponent.
//!
//! `m · 10^x ≥ a · 10^b` with 1 ≤ m, a < 10 if m ≥ a and x ≥ b, or m < a and x > b: so each bound cuts the mantissas in two,
//! and each part has its range of exponents.

use std::ops::Range;

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, CharSet};

use super::canonical::Magnitudes;
use super::decimal::Decimal;
use super::plain::Plain;
use super::set::Bound;

/// Where writers do not use an exponent for a single number.
const WRITTEN_OUT: Range<i32> = -4..15;

/// A cut of the mantissas: before a number, or after it.
type Cut = (Decimal, bool);

/// The magnitudes in scientific notation; those that writers would write out left out if it is just one number.
pub(super) fn scientific(arena: &mut Arena, range: &Magnitudes) -> ExprId {
    if range.is_point() {
        let (exponent, mantissa) = (range.low.value.point() - 1, mantissa(&range.low.value));
        if WRITTEN_OUT.contains(&exponent) || range.low.value.is_zero() {
            return arena.never();
        }
        let bound = Bound { value: mantissa, inclusive: true };
        return part(arena, &bound, &bound, Some(exponent), Some(exponent));
    }
    let low = (!range.low.value.is_zero())
        .then(|| ((mantissa(&range.low.value), !range.low.inclusive), range.low.value.point() - 1));
    let high =
        range.high.as_ref().map(|high| ((mantissa(&high.value), high.inclusive), high.value.point() - 1));
    let (first, last): (Cut, Cut) = ((Decimal::power_of_ten(0), false), (Decimal::power_of_ten(1), false));
    let mut cuts = vec![first, last];
    cuts.extend([&low, &high].into_iter().flatten().map(|(cut, _)| cut.clone()));
    cuts.sort();
    cuts.dedup();
    let mut parts = Vec::new();
    for pair in cuts.windows(2) {
        let [from, to] = pair else { continue };
        let least = low.as_ref().map(|(cut, exponent)| exponent + i32::from(from < cut));
        let most = high.as_ref().map(|(cut, exponent)| exponent - i32::from(to > cut));
        if least.zip(most).is_some_and(|(least, most)| least > most) {
            continue;
        }
        let from = Bound { value: from.0.clone(), inclusive: !from.1 };
        let to = Bound { value: to.0.clone(), inclusive: to.1 };
        parts.push(part(arena, &from, &to, least, most));
    }
    arena.alt(&parts)
}

/// The digits of a number with the point after the first of them.
fn mantissa(value: &Decimal) -> Decimal {
    Decimal::new(false, value.digits(), 1).unwrap_or_else(Decimal::zero)
}

fn part(arena: &mut Arena, from: &Bound, to: &Bound, least: Option<i32>, most: Option<i32>) -> ExprId {
    let mantissa = Plain::new(arena, true, None).range(from, Some(to));
    let e = arena.chars(&CharSet::of("eE"));
    let exponent = exponent(arena, least, most);
    arena.concat(&[mantissa, e, exponent])
}

/// A whole number from `least` to `most`, with or without a sign, and zeros before it.
fn exponent(arena: &mut Arena, least: Option<i32>, most: Option<i32>) -> ExprId {
    let up = counts(arena, least.unwrap_or(0).max(0), most);
    let down = counts(arena, most.map_or(0, |most| (-most).max(0)), least.map(|least| -least));
    let (plus, minus) = (arena.literal(b"+"), arena.literal(b"-"));
    let plus = arena.optional(plus);
    let (up, down) = (arena.concat(&[plus, up]), arena.concat(&[minus, down]));
    arena.alt(&[up, down])
}

/// A natural number from `least` to `most`, with zeros before it.
fn counts(arena: &mut Arena, least: i32, most: Option<i32>) -> ExprId {
    if most.is_some_and(|most| most < least) {
        return arena.never();
    }
    let mut plain = Plain::new(arena, false, Some(0));
    if (least, most) == (0, None) {
        let digit = plain.digit(0, 9);
        return arena.repeat(digit, 1, None);
    }
    let bound = |count: i32| {
        let digits: Vec<u8> = count.to_string().bytes().map(|b| b - b'0').collect();
        let value = Decimal::new(false, &digits, digits.len() as i64).unwrap_or_else(Decimal::zero);
        Bound { value, inclusive: true }
    };
    let number = plain.range(&bound(least), most.map(bound).as_ref());
    let zeros = plain.any_zeros();
    arena.concat(&[zeros, number])
}
