//! Sets of numbers, as the keywords of JSON Schema make them: closed under union, intersection and complement.

use smallvec::{SmallVec, smallvec};
use tokenstile_grammar::Error;

use super::decimal::Decimal;
use super::lattice::Formula;

/// A set of numbers: what it holds at some points, and which multiples on the open intervals between them.
///
/// Points are kept only where something changes there, and a set of multiples next to nothing ends at one of its own.
/// So a set that holds nothing has one form, and so has one that holds all.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NumberSet {
    /// In rising order, and whether they belong to the set.
    pub(super) points: Vec<(Decimal, bool)>,
    /// Before the first point, between each two, after the last.
    pub(super) pieces: Pieces,
}

/// Mostly there is one.
pub(super) type Pieces = SmallVec<[Formula; 1]>;

/// One end of an interval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    pub(super) value: Decimal,
    pub(super) inclusive: bool,
}

/// What a set holds between two numbers.
#[derive(Debug)]
pub(super) struct Interval<'a> {
    pub(super) low: Option<Bound>,
    pub(super) high: Option<Bound>,
    pub(super) formula: &'a Formula,
}

impl NumberSet {
    /// No number.
    pub(crate) fn none() -> Self {
        NumberSet { points: Vec::new(), pieces: smallvec![Formula::none()] }
    }

    /// All numbers.
    pub(crate) fn all() -> Self {
        NumberSet { points: Vec::new(), pieces: smallvec![Formula::all()] }
    }

    /// Numbers without a fraction.
    pub(crate) fn integers() -> Self {
        NumberSet::multiple_of(Decimal::power_of_ten(0))
    }

    /// Numbers from `bound` up, itself left out if `exclusive`.
    pub(crate) fn at_least(bound: Decimal, exclusive: bool) -> Self {
        NumberSet { points: vec![(bound, !exclusive)], pieces: smallvec![Formula::none(), Formula::all()] }
    }

    /// Numbers from `bound` down, itself left out if `exclusive`.
    pub(crate) fn at_most(bound: Decimal, exclusive: bool) -> Self {
        NumberSet { points: vec![(bound, !exclusive)], pieces: smallvec![Formula::all(), Formula::none()] }
    }

    /// The multiples of `step`: of zero, just zero.
    pub(crate) fn multiple_of(step: Decimal) -> Self {
        if step.is_zero() {
            return NumberSet::single(step);
        }
        NumberSet { points: Vec::new(), pieces: smallvec![Formula::multiples(step.abs())] }
    }

    /// One number.
    pub(crate) fn single(value: Decimal) -> Self {
        NumberSet::values(vec![value])
    }

    /// The given numbers.
    pub(crate) fn values(mut values: Vec<Decimal>) -> Self {
        values.sort_unstable();
        values.dedup();
        let pieces = smallvec![Formula::none(); values.len() + 1];
        NumberSet { points: values.into_iter().map(|value| (value, true)).collect(), pieces }
    }

    /// Whether it holds no number.
    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty() && self.pieces[0].is_none()
    }

    /// Whether it holds all numbers.
    pub(crate) fn is_all(&self) -> bool {
        self.points.is_empty() && self.pieces[0].is_all()
    }

    /// Whether it is all integers.
    pub(crate) fn is_integers(&self) -> bool {
        self.points.is_empty() && *self == NumberSet::integers()
    }

    /// Whether it holds `number`.
    pub(crate) fn contains(&self, number: &Decimal) -> bool {
        match self.points.binary_search_by(|(point, _)| point.cmp(number)) {
            Ok(at) => self.points[at].1,
            Err(at) => self.pieces[at].contains(number),
        }
    }

    /// The numbers of either set.
    pub(crate) fn union(&self, other: &NumberSet) -> Result<NumberSet, Error> {
        if self.is_empty() || other.is_all() {
            return Ok(other.clone());
        }
        if other.is_empty() || self.is_all() {
            return Ok(self.clone());
        }
        self.combined(other, |a, b| a || b, Formula::union)
    }

    /// The numbers of both sets.
    pub(crate) fn intersect(&self, other: &NumberSet) -> Result<NumberSet, Error> {
        if self.is_empty() || other.is_all() {
            return Ok(self.clone());
        }
        if other.is_empty() || self.is_all() {
            return Ok(other.clone());
        }
        self.combined(other, |a, b| a && b, Formula::intersect)
    }

    /// The numbers that this set does not hold.
    pub(crate) fn complement(&self) -> Result<NumberSet, Error> {
        let points = self.points.iter().map(|(point, holds)| (point.clone(), !holds)).collect();
        let pieces = self.pieces.iter().map(Formula::complement).collect();
        NumberSet { points, pieces }.simplified()
    }

    /// All its numbers in rising order, if there are at most `limit`.
    pub(crate) fn finite(&self, limit: usize) -> Result<Option<Vec<Decimal>>, Error> {
        let last = self.pieces.len() - 1;
        if !self.pieces[0].is_none()
            || !self.pieces[last].is_none()
            || self.pieces.iter().any(Formula::is_dense)
        {
            return Ok(None);
        }
        let mut values = Vec::new();
        for (at, (point, holds)) in self.points.iter().enumerate() {
            values.extend(holds.then(|| point.clone()));
            let (mut low, high) = (point.clone(), self.points.get(at + 1).map(|(point, _)| point));
            while values.len() <= limit
                && let Some(next) = self.pieces[at + 1].first_between(&low, high)?
            {
                values.push(next.clone());
                low = next;
            }
            if values.len() > limit {
                return Ok(None);
            }
        }
        Ok(Some(values))
    }

    /// Whether it holds a number between `low` (if that is `inclusive`, itself too) and `high`, which is left out.
    pub(super) fn meets(&self, low: &Decimal, inclusive: bool, high: &Decimal) -> Result<bool, Error> {
        if inclusive && self.contains(low) {
            return Ok(true);
        }
        let first = self.points.partition_point(|(point, _)| point <= low);
        let mut from = low;
        for at in first..self.pieces.len() {
            let end = self.points.get(at).filter(|(point, _)| point < high);
            let (piece, to) = (&self.pieces[at], end.map_or(high, |(point, _)| point));
            if piece.is_dense() || !piece.is_none() && piece.first_between(from, Some(to))?.is_some() {
                return Ok(true);
            }
            match end {
                Some((_, true)) => return Ok(true),
                Some((point, false)) => from = point,
                None => break,
            }
        }
        Ok(false)
    }

    /// Its parts as intervals with their ends, and the points that belong to none of them.
    pub(super) fn intervals(&self) -> (Vec<Interval<'_>>, Vec<&Decimal>) {
        let bound = |at: usize, formula: &Formula| {
            let (value, holds) = &self.points[at];
            Bound { value: value.clone(), inclusive: *holds && formula.contains(value) }
        };
        let mut intervals = Vec::new();
        for (at, formula) in self.pieces.iter().enumerate().filter(|(_, formula)| !formula.is_none()) {
            let low = at.checked_sub(1).map(|at| bound(at, formula));
            let high = (at < self.points.len()).then(|| bound(at, formula));
            intervals.push(Interval { low, high, formula });
        }
        let alone = self.points.iter().enumerate().filter(|(at, (point, holds))| {
            *holds && !self.pieces[*at].contains(point) && !self.pieces[at + 1].contains(point)
        });
        (intervals, alone.map(|(_, (point, _))| point).collect())
    }

    fn combined(
        &self,
        other: &NumberSet,
        holds: impl Fn(bool, bool) -> bool,
        formula: impl Fn(&Formula, &Formula) -> Result<Formula, Error>,
    ) -> Result<NumberSet, Error> {
        let mut points = Vec::with_capacity(self.points.len() + other.points.len());
        let mut pieces = Pieces::with_capacity(points.capacity() + 1);
        pieces.push(formula(&self.pieces[0], &other.pieces[0])?);
        let (mut i, mut j) = (0, 0);
        loop {
            let (a, b) = (self.points.get(i), other.points.get(j));
            let point = match (a, b) {
                (None, None) => break,
                (Some((a, _)), Some((b, _))) => a.min(b),
                (Some((point, _)), None) | (None, Some((point, _))) => point,
            };
            let (a, b) = (a.filter(|(p, _)| p == point), b.filter(|(p, _)| p == point));
            let in_a = a.map_or_else(|| self.pieces[i].contains(point), |a| a.1);
            let in_b = b.map_or_else(|| other.pieces[j].contains(point), |b| b.1);
            points.push((point.clone(), holds(in_a, in_b)));
            i += usize::from(a.is_some());
            j += usize::from(b.is_some());
            pieces.push(formula(&self.pieces[i], &other.pieces[j])?);
        }
        NumberSet { points, pieces }.simplified()
    }

    fn simplified(mut self) -> Result<NumberSet, Error> {
        self.join_equal();
        if self.points.is_empty() || !self.pieces.iter().any(Formula::has_steps) {
            return Ok(self);
        }
        for at in 1..self.points.len() {
            self.simplify_piece(at)?;
        }
        self.join_alike()?;
        self.tighten()?;
        for at in 1..self.points.len() {
            self.simplify_piece(at)?;
        }
        self.join_equal();
        Ok(self)
    }

    /// Drops the points at which nothing changes.
    fn join_equal(&mut self) {
        let (points, pieces) = (std::mem::take(&mut self.points), std::mem::take(&mut self.pieces));
        let mut pieces = pieces.into_iter();
        self.pieces.extend(pieces.next());
        for ((point, holds), piece) in points.into_iter().zip(pieces) {
            if self.pieces.last().is_some_and(|left| *left == piece && left.contains(&point) == holds) {
                continue;
            }
            self.points.push((point, holds));
            self.pieces.push(piece);
        }
    }

    /// Simplifies the piece before point `at`, which is not the first.
    fn simplify_piece(&mut self, at: usize) -> Result<(), Error> {
        self.pieces[at] = self.pieces[at].within(&self.points[at - 1].0, &self.points[at].0)?;
        Ok(())
    }

    /// Drops the points at which nothing changes because what holds on one side could hold on the other: there
    /// are no integers between 0.3 and 0.7, so nothing changes there for a set that holds all others.
    fn join_alike(&mut self) -> Result<(), Error> {
        let mut at = 0;
        while at < self.points.len() {
            let (point, holds) = &self.points[at];
            let (left, right) = (&self.pieces[at], &self.pieces[at + 1]);
            let next = self.points.get(at + 1).map(|(point, _)| point);
            let before = at.checked_sub(1).map(|at| &self.points[at].0);
            let keep_left = left.contains(point) == *holds
                && match next {
                    Some(next) if left.has_steps() => left.within(point, next)? == *right,
                    _ => left == right,
                };
            let keep_right = !keep_left
                && right.contains(point) == *holds
                && match before {
                    Some(before) if right.has_steps() => right.within(before, point)? == *left,
                    _ => false,
                };
            if keep_left || keep_right {
                self.points.remove(at);
                self.pieces.remove(if keep_left { at + 1 } else { at });
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Moves the points between nothing and multiples to the first multiple.
    fn tighten(&mut self) -> Result<(), Error> {
        let sparse = |piece: &Formula| !piece.is_none() && !piece.is_dense();
        for at in 0..self.points.len() {
            let (left, right) = (&self.pieces[at], &self.pieces[at + 1]);
            let (point, holds) = &self.points[at];
            if *holds {
                continue;
            }
            let moved = if left.is_none() && sparse(right) {
                right.first_between(point, self.points.get(at + 1).map(|(point, _)| point))?
            } else if sparse(left) && right.is_none() {
                let low = at.checked_sub(1).map(|at| self.points[at].0.negated());
                left.first_between(&point.negated(), low.as_ref())?.map(|first| first.negated())
            } else {
                None
            };
            match moved {
                Some(moved) => self.points[at] = (moved, true),
                None if left.is_none() && sparse(right) => self.pieces[at + 1] = Formula::none(),
                None if sparse(left) && right.is_none() => self.pieces[at] = Formula::none(),
                None => {}
            }
        }
        Ok(())
    }
}
