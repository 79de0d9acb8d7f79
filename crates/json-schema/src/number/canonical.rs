//! The texts of a set's numbers as a writer of JSON would have them.
//!
//! All numbers are written in any way. Integers have neither fraction nor exponent, save that one
//! which is listed by itself may end in `.0`. Other numbers are written out; where only
//! bounds are to be kept they may also have one digit before the point and an exponent (`1.5e-07`), which is how
//! writers shorten very large and very small ones. A sign stands before a zero only if there are negative numbers.

use tokenstile_grammar::ir::{Arena, CharSet};
use tokenstile_grammar::json::number_expr;
use tokenstile_grammar::{Error, ExprId};

use super::decimal::Decimal;
use super::lattice::next_multiple;
use super::plain::Plain;
use super::plain_machine::PlainMachine;
use super::scientific::scientific;
use super::set::{Bound, Interval, NumberSet};
use crate::tuning::number::LISTED;

/// A range of magnitudes, and the power of ten of which they are multiples if there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Magnitudes {
    pub(super) low: Bound,
    pub(super) high: Option<Bound>,
    pub(super) unit: Option<i32>,
}

impl Magnitudes {
    /// Whether it is one number.
    pub(super) fn is_point(&self) -> bool {
        self.high.as_ref().is_some_and(|high| high.value == self.low.value)
    }
}

/// The texts of the numbers in `set`. If `floats`, an integer that is listed by itself may end in `.0`.
pub(super) fn canonical(set: &NumberSet, floats: bool, arena: &mut Arena) -> Result<ExprId, Error> {
    if set.is_empty() {
        return Ok(arena.never());
    }
    if set.is_all() {
        return Ok(number_expr(arena));
    }
    if let Some(expr) = signed(set, arena, false) {
        return Ok(expr);
    }
    if let Some(parts) = parts(set)? {
        return Ok(ranges(set, &parts, floats, arena));
    }
    match set.finite(LISTED)? {
        Some(values) => {
            let set = NumberSet::values(values);
            let parts = parts(&set)?.unwrap_or_default();
            Ok(ranges(&set, &parts, false, arena))
        }
        None => PlainMachine::expr(set, arena),
    }
}

/// The numbers of some signs: all there is to see of them is the sign and whether they have a digit that is not zero.
/// If `any_zero`, a zero may have a sign even if no number is negative.
pub(super) fn signed(set: &NumberSet, arena: &mut Arena, any_zero: bool) -> Option<ExprId> {
    let [(point, zero)] = &set.points[..] else { return None };
    let (below, above) = (&set.pieces[0], &set.pieces[1]);
    let simple = !below.has_steps() && !above.has_steps();
    let only_zero = below.is_none() && above.is_none();
    if !point.is_zero() || !simple || (only_zero && !any_zero) {
        return None;
    }
    let mut parts = Vec::new();
    if !above.is_none() || *zero {
        parts.push(magnitude(arena, *zero, !above.is_none()));
    }
    if !below.is_none() || (any_zero && *zero) {
        let (minus, magnitude) = (arena.literal(b"-"), magnitude(arena, *zero, !below.is_none()));
        parts.push(arena.concat(&[minus, magnitude]));
    }
    Some(arena.alt(&parts))
}

/// Zero, positive numbers or both, with or without an exponent.
fn magnitude(arena: &mut Arena, zero: bool, positive: bool) -> ExprId {
    let mut plain = Plain::new(arena, true, None);
    let low = Bound { value: Decimal::zero(), inclusive: zero };
    let high = (!positive).then(|| low.clone());
    let mantissa = plain.range(&low, high.as_ref());
    let (digit, e, sign) = (plain.digit(0, 9), CharSet::of("eE"), CharSet::of("+-"));
    let (e, sign, digits) = (arena.chars(&e), arena.chars(&sign), arena.repeat(digit, 1, None));
    let sign = arena.optional(sign);
    let exponent = arena.concat(&[e, sign, digits]);
    let exponent = arena.optional(exponent);
    arena.concat(&[mantissa, exponent])
}

/// The ranges of the positive and of the negative numbers of a set, if it can be written as such.
fn parts(set: &NumberSet) -> Result<Option<[Vec<Magnitudes>; 2]>, Error> {
    let (intervals, points) = set.intervals();
    let mut parts = [Vec::new(), Vec::new()];
    let signs = if set.has_negative() { 2 } else { 1 };
    for interval in &intervals {
        let unit = match interval.formula.single_step() {
            Some(step) => step.as_power_of_ten(),
            None => None,
        };
        if unit.is_none() && !interval.formula.is_all() {
            return Ok(None);
        }
        for (sign, parts) in parts.iter_mut().enumerate().take(signs) {
            parts.extend(magnitudes(interval, unit, sign == 1)?);
        }
    }
    for point in points {
        let bound = Bound { value: point.abs(), inclusive: true };
        let point_part = Magnitudes { low: bound.clone(), high: Some(bound), unit: None };
        for (sign, parts) in parts.iter_mut().enumerate().take(signs) {
            if point.is_zero() || point.is_negative() == (sign == 1) {
                parts.push(point_part.clone());
            }
        }
    }
    Ok(Some(parts))
}

/// The part of an interval on one side of zero.
fn magnitudes(
    interval: &Interval<'_>,
    unit: Option<i32>,
    negative: bool,
) -> Result<Option<Magnitudes>, Error> {
    let (low, high) = match negative {
        false => (interval.low.clone(), interval.high.clone()),
        true => (interval.high.as_ref().map(negated), interval.low.as_ref().map(negated)),
    };
    let zero = Bound { value: Decimal::zero(), inclusive: true };
    let mut low = low.filter(|low| !low.value.is_negative()).unwrap_or(zero);
    let mut high = high;
    if let Some(unit) = unit {
        let step = Decimal::power_of_ten(unit);
        low = round_up(&low, &step)?;
        high = match &high {
            Some(high) => Some(negated(&round_up(&negated(high), &step)?)),
            None => None,
        };
    }
    let empty = high.as_ref().is_some_and(|high| match low.value.cmp(&high.value) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => !low.inclusive || !high.inclusive,
        std::cmp::Ordering::Greater => true,
    });
    Ok((!empty).then_some(Magnitudes { low, high, unit }))
}

fn negated(bound: &Bound) -> Bound {
    Bound { value: bound.value.negated(), inclusive: bound.inclusive }
}

/// The least multiple of `step` that a lower bound allows.
fn round_up(bound: &Bound, step: &Decimal) -> Result<Bound, Error> {
    let is_multiple = bound.value.is_zero() || bound.value.low() >= step.low();
    if bound.inclusive && is_multiple {
        return Ok(bound.clone());
    }
    Ok(Bound { value: next_multiple(&bound.value, step)?, inclusive: true })
}

fn ranges(set: &NumberSet, parts: &[Vec<Magnitudes>; 2], floats: bool, arena: &mut Arena) -> ExprId {
    let fractions = !set.only_integers();
    let exponents = fractions && !set.pieces.iter().any(|piece| piece.has_steps());
    let mut texts = |ranges: &[Magnitudes]| {
        let mut exprs = Vec::with_capacity(2 * ranges.len());
        for range in ranges {
            let mut plain = Plain::new(arena, fractions, range.unit);
            let mut written = plain.range(&range.low, range.high.as_ref());
            if floats && !fractions && range.is_point() {
                // A number that the schema lists may be a float to whoever writes it: `2.0` for `2`.
                let zero = arena.literal(b".0");
                let zero = arena.optional(zero);
                written = arena.concat(&[written, zero]);
            }
            exprs.push(written);
            if exponents {
                exprs.push(scientific(arena, range));
            }
        }
        arena.alt(&exprs)
    };
    let [positive, negative] = parts;
    if positive == negative {
        let magnitude = texts(positive);
        let minus = arena.literal(b"-");
        let minus = arena.optional(minus);
        return arena.concat(&[minus, magnitude]);
    }
    let (positive, negative) = (texts(positive), texts(negative));
    let minus = arena.literal(b"-");
    let negative = arena.concat(&[minus, negative]);
    arena.alt(&[positive, negative])
}
