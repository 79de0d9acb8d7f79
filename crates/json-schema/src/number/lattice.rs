//! Sets of numbers that multiples make: unions, intersections and complements of "is a multiple of m".
//!
//! The indicator function of such a set is a sum of indicator functions of lattices mℤ with whole factors, and of all numbers:
//! a product of two lattices is the lattice of their least common multiple, the complement of f is 1 − f. Indicators of
//! different lattices are linearly independent (look at m itself for a largest one), so there is one such sum for
//! each set, and two sets are equal if their sums are.

use smallvec::{SmallVec, smallvec};
use tokenstile_grammar::{Error, ErrorKind};

use super::decimal::Decimal;
use super::natural::Natural;
use crate::tuning::number::{TERMS, TRIES};

/// The refusal of what takes too long to work out.
pub(super) fn too_much() -> Error {
    Error::new(ErrorKind::Unsupported, "the `multipleOf` that are combined here are too many or too large")
}

/// A part of the sum: `factor` for every multiple of `step`, for every number if there is none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Term {
    step: Option<Decimal>,
    factor: i64,
}

/// A set as a sum; sorted by step, no factor zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Formula(SmallVec<[Term; 1]>);

impl Formula {
    /// No number.
    pub(super) fn none() -> Self {
        Formula::default()
    }

    /// All numbers.
    pub(super) fn all() -> Self {
        Formula(smallvec![Term { step: None, factor: 1 }])
    }

    /// The multiples of a positive number.
    pub(super) fn multiples(step: Decimal) -> Self {
        Formula(smallvec![Term { step: Some(step), factor: 1 }])
    }

    pub(super) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_all(&self) -> bool {
        matches!(self.0[..], [Term { step: None, factor: 1 }])
    }

    /// Whether numbers that are multiples of nothing in particular belong to it.
    pub(super) fn is_dense(&self) -> bool {
        matches!(self.0.first(), Some(Term { step: None, .. }))
    }

    /// The step, if this is the set of its multiples.
    pub(super) fn single_step(&self) -> Option<&Decimal> {
        match &self.0[..] {
            [Term { step: Some(step), factor: 1 }] => Some(step),
            _ => None,
        }
    }

    /// Whether any multiples matter.
    pub(super) fn has_steps(&self) -> bool {
        self.steps().next().is_some()
    }

    /// All steps that matter.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Decimal> {
        self.0.iter().filter_map(|term| term.step.as_ref())
    }

    /// Whether a number belongs to it.
    pub(super) fn contains(&self, number: &Decimal) -> bool {
        self.holds(|step| is_multiple(number, step))
    }

    /// Whether a number belongs to it that is a multiple of the steps that `divides` says.
    pub(super) fn holds(&self, mut divides: impl FnMut(&Decimal) -> bool) -> bool {
        let counts = self.0.iter().filter(|t| t.step.as_ref().is_none_or(&mut divides));
        counts.map(|t| t.factor).sum::<i64>() > 0
    }

    /// The numbers that do not belong to it.
    pub(super) fn complement(&self) -> Formula {
        let mut terms: SmallVec<[Term; 1]> =
            self.0.iter().map(|t| Term { factor: -t.factor, ..t.clone() }).collect();
        match terms.first_mut() {
            Some(first @ Term { step: None, .. }) => first.factor += 1,
            _ => terms.insert(0, Term { step: None, factor: 1 }),
        }
        terms.retain(|t| t.factor != 0);
        Formula(terms)
    }

    /// The numbers of both.
    pub(super) fn intersect(&self, other: &Formula) -> Result<Formula, Error> {
        if self.is_none() || other.is_all() || self == other {
            return Ok(self.clone());
        }
        if other.is_none() || self.is_all() {
            return Ok(other.clone());
        }
        let mut product: SmallVec<[Term; 8]> = SmallVec::new();
        for a in &self.0 {
            for b in &other.0 {
                let step = match (&a.step, &b.step) {
                    (Some(a), Some(b)) => Some(common_multiple(a, b)?),
                    (step, None) | (None, step) => step.clone(),
                };
                product.push(Term { step, factor: a.factor.checked_mul(b.factor).ok_or_else(too_much)? });
            }
        }
        product.sort_by(|a, b| a.step.cmp(&b.step));
        let mut terms: SmallVec<[Term; 1]> = SmallVec::new();
        for term in product {
            match terms.last_mut() {
                Some(last) if last.step == term.step => {
                    last.factor = last.factor.checked_add(term.factor).ok_or_else(too_much)?;
                }
                _ => terms.push(term),
            }
        }
        terms.retain(|t| t.factor != 0);
        if terms.len() > TERMS { Err(too_much()) } else { Ok(Formula(terms)) }
    }

    /// The numbers of either.
    pub(super) fn union(&self, other: &Formula) -> Result<Formula, Error> {
        if self.is_none() || other.is_all() || self == other {
            return Ok(other.clone());
        }
        if other.is_none() || self.is_all() {
            return Ok(self.clone());
        }
        Ok(self.complement().intersect(&other.complement())?.complement())
    }

    /// The simplest sum for the same numbers between `low` and `high`, neither of them included.
    pub(super) fn within(&self, low: &Decimal, high: &Decimal) -> Result<Formula, Error> {
        if !self.has_steps() {
            return Ok(self.clone());
        }
        if self.is_dense() {
            return Ok(self.complement().within(low, high)?.complement());
        }
        let mut kept = Formula::none();
        for term in &self.0 {
            if let Some(step) = &term.step
                && next_multiple(low, step)? < *high
            {
                kept.0.push(term.clone());
            }
        }
        Ok(if kept.first_between(low, Some(high))?.is_some() { kept } else { Formula::none() })
    }

    /// The least number above `low` and below `high`. There must be a least one: the set is not dense.
    ///
    /// A largest lattice of the sum belongs to the set but for its multiples in the others, and n lattices inside
    /// one cannot cover 2ⁿ multiples in a row; so there is little to try unless there are many lattices.
    pub(super) fn first_between(
        &self,
        low: &Decimal,
        high: Option<&Decimal>,
    ) -> Result<Option<Decimal>, Error> {
        let mut at = low.clone();
        for _ in 0..TRIES {
            let mut next: Option<Decimal> = None;
            for step in self.steps() {
                let multiple = next_multiple(&at, step)?;
                if next.as_ref().is_none_or(|n| multiple < *n) {
                    next = Some(multiple);
                }
            }
            match next {
                Some(next) if high.is_none_or(|high| next < *high) => at = next,
                _ => return Ok(None),
            }
            if self.contains(&at) {
                return Ok(Some(at));
            }
        }
        Err(too_much())
    }
}

/// Whether `number` is a multiple of `step`, which is not zero.
pub(super) fn is_multiple(number: &Decimal, step: &Decimal) -> bool {
    if number.is_zero() {
        return true;
    }
    // The last digit of a number is not zero, and that of its multiples is not further right.
    if number.low() < step.low() {
        return false;
    }
    if step.digits() == [1] {
        return true;
    }
    let modulus = step.natural(0);
    let power = Natural::power_of_ten((number.low() - step.low()) as u64, &modulus);
    number.natural(0).rem(&modulus).times(&power).rem(&modulus).is_zero()
}

/// The least common multiple of two positive numbers.
pub(super) fn common_multiple(a: &Decimal, b: &Decimal) -> Result<Decimal, Error> {
    if is_multiple(a, b) {
        return Ok(a.clone());
    }
    if is_multiple(b, a) {
        return Ok(b.clone());
    }
    let unit = a.low().min(b.low());
    let (x, y) = (a.natural((a.low() - unit) as usize), b.natural((b.low() - unit) as usize));
    let (share, _) = x.div_rem(&x.gcd(&y));
    Decimal::from_natural(false, &share.times(&y), i64::from(unit)).ok_or_else(too_much)
}

/// The least multiple of `step` that is greater than `number`.
pub(super) fn next_multiple(number: &Decimal, step: &Decimal) -> Result<Decimal, Error> {
    let (count, exact) = quotient(number, step);
    let one = Natural::one();
    let (negative, count) = match (number.is_negative(), exact) {
        (false, _) => (false, count.add(&one)),
        (true, true) => (true, count.minus(&one)),
        (true, false) => (true, count),
    };
    let multiple = if step.digits() == [1] { count } else { count.times(&step.natural(0)) };
    Decimal::from_natural(negative, &multiple, i64::from(step.low())).ok_or_else(too_much)
}

/// How many times `step` goes into the magnitude of `number`, and whether nothing is left.
fn quotient(number: &Decimal, step: &Decimal) -> (Natural, bool) {
    if number.is_zero() {
        return (Natural::default(), true);
    }
    if step.digits() == [1] {
        let whole = number.truncated(step.low());
        let zeros = if whole.is_zero() { 0 } else { whole.low() - step.low() };
        return (whole.natural(zeros as usize), whole == *number);
    }
    let unit = number.low().min(step.low());
    let (n, s) = (number.natural((number.low() - unit) as usize), step.natural((step.low() - unit) as usize));
    let (count, rest) = n.div_rem(&s);
    (count, rest.is_zero())
}
