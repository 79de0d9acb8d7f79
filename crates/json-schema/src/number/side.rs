//! The numbers of a set on one side of zero, by their digits and the exponent that follows them.
//!
//! `M · 10^e` with a known M lies in a set for some ranges of e: where it passes the numbers at which the set changes, and where
//! it becomes a multiple of a step. M is a multiple of s times a power of ten if s without its twos and fives divides M, from
//! some power on; which one depends on the twos and fives of M, of which no more matter than s has of the one more than of
//! the other (M without zeros at its end has twos or fives, not both). So a remainder of M and two small counts will do.

use tokenstile_grammar::Error;

use super::decimal::Decimal;
use super::exponents::{ENDLESS, Exponents, put, take};
use super::lattice::{Formula, too_much};
use super::natural::Natural;
use super::order::{Order, Place};
use super::plain_machine::block;
use super::set::NumberSet;

/// The members of a set above zero.
pub(super) struct Side {
    /// All of the set; what is below zero is not looked at.
    set: NumberSet,
    /// Where something changes above zero: the index of the digits in `order`, the power of ten above them, and
    /// whether the point belongs to the set.
    points: Vec<(usize, i64, bool)>,
    /// What holds before the first point, between them, and after the last.
    pieces: Vec<Formula>,
    order: Order,
    steps: Vec<Step>,
    /// Remainders by this are kept.
    modulus: Natural,
    /// Most twos and fives that are counted.
    most: [u32; 2],
    /// Whether any digits can be the first of a member.
    free: bool,
    /// Whether the digits themselves must be kept to say what can follow.
    keep: bool,
    /// Whether it has members.
    pub(super) inhabited: bool,
}

/// What is known of a step.
struct Step {
    step: Decimal,
    /// Without its twos and fives.
    coprime: Natural,
    /// How many twos and fives it has; fewer than none if it is a fraction.
    twos: i64,
    fives: i64,
}

/// What is known of the digits read: those that are not zeros at the start.
#[derive(Clone, Debug)]
pub(super) struct Mantissa {
    place: Place,
    /// The power of ten above the first digit.
    top: i64,
    /// Digits of the fraction so far.
    places: i64,
    /// The power of ten of the last digit that is not zero, negated.
    last: i64,
    rest: Natural,
    counts: [u32; 2],
    digits: Vec<u8>,
}

impl Side {
    pub(super) fn new(set: NumberSet) -> Result<Side, Error> {
        let first = set.points.partition_point(|(point, _)| point.is_negative() || point.is_zero());
        let above = &set.points[first..];
        let order = Order::new(above.iter().map(|(point, _)| point.digits().into()).collect());
        let points: Vec<_> =
            above.iter().map(|(p, holds)| (order.index(p.digits()), i64::from(p.point()), *holds)).collect();
        let pieces = set.pieces[first..].to_vec();
        let mut steps: Vec<Step> = Vec::new();
        for step in pieces.iter().flat_map(Formula::steps) {
            if !steps.iter().any(|known| known.step == *step) {
                steps.push(Step::new(step));
            }
        }
        let endless = pieces.last().is_some_and(|piece| !piece.is_none());
        let free = endless || pieces[0].is_dense();
        let keep = !free && pieces.iter().any(|piece| !piece.is_none() && !piece.is_dense());
        let inhabited = points.iter().any(|point| point.2) || pieces.iter().any(|piece| !piece.is_none());
        let mut side = Side {
            set,
            points,
            pieces,
            order,
            steps,
            modulus: Natural::one(),
            most: [0, 0],
            free,
            keep,
            inhabited,
        };
        side.set_modulus()?;
        Ok(side)
    }

    fn set_modulus(&mut self) -> Result<(), Error> {
        for step in &self.steps {
            let more = step.twos - step.fives;
            let which = usize::from(more < 0);
            self.most[which] = self.most[which].max(u32::try_from(more.abs()).map_err(|_| too_much())?);
            let shared = self.modulus.gcd(&step.coprime);
            self.modulus = self.modulus.times(&step.coprime.div_rem(&shared).0);
        }
        for (factor, count) in [(2, self.most[0]), (5, self.most[1])] {
            let factor = Natural::from_u64(factor);
            for _ in 0..count {
                self.modulus = self.modulus.times(&factor);
            }
        }
        Ok(())
    }

    /// What is known after the first digit that is not zero. It has the given power of ten, which is negative in a fraction.
    pub(super) fn first(&self, digit: u8, power: i64) -> Mantissa {
        let mut mantissa = Mantissa {
            place: self.order.start(),
            top: power,
            places: -power - 1,
            last: 0,
            rest: Natural::default(),
            counts: [0, 0],
            digits: Vec::new(),
        };
        if power >= 0 {
            (mantissa.top, mantissa.places) = (0, 0);
            self.push(&mut mantissa, digit, false);
        } else {
            mantissa.top = power + 1;
            self.push(&mut mantissa, digit, true);
        }
        mantissa
    }

    /// Whether it matters how many digits there were.
    pub(super) fn counts(&self) -> bool {
        !self.points.is_empty() || !self.steps.is_empty()
    }

    /// Takes in one more digit.
    pub(super) fn push(&self, mantissa: &mut Mantissa, digit: u8, fraction: bool) {
        mantissa.place = self.order.next(mantissa.place, digit);
        if fraction {
            mantissa.places += 1;
        } else {
            mantissa.top += 1;
            mantissa.last -= 1;
        }
        let ten = mantissa.rest.times(&Natural::from_u64(10));
        mantissa.rest = ten.add(&Natural::from_u64(digit.into())).rem(&self.modulus);
        if digit != 0 {
            mantissa.last = mantissa.places;
            mantissa.counts =
                [count(&mantissa.rest, 2, self.most[0]), count(&mantissa.rest, 5, self.most[1])];
        }
        if self.keep {
            mantissa.digits.push(digit);
        }
    }

    /// The exponents with which the digits make a member.
    pub(super) fn exponents(&self, mantissa: &Mantissa) -> Exponents {
        let mut exponents = Exponents::default();
        let from: Vec<Option<i64>> = self.steps.iter().map(|step| step.multiple_from(mantissa)).collect();
        let mut low = -ENDLESS;
        for (at, piece) in self.pieces.iter().enumerate() {
            let point = self.points.get(at).map(|&(number, power, holds)| {
                (self.order.compare(mantissa.place, number), power - mantissa.top, holds)
            });
            let high = point.map_or(ENDLESS, |(order, power, _)| power - i64::from(order.is_ge()));
            self.add_piece(&mut exponents, piece, &from, low, high);
            if let Some((order, power, holds)) = point {
                if order.is_eq() && holds {
                    exponents.push(power, power);
                }
                low = power + i64::from(order.is_le());
            }
        }
        exponents
    }

    /// Adds the exponents from `low` to `high` with which the digits make a number of a piece.
    fn add_piece(&self, to: &mut Exponents, piece: &Formula, from: &[Option<i64>], low: i64, high: i64) {
        if low > high || piece.is_none() {
            return;
        }
        let mut starts = vec![low];
        starts.extend(from.iter().flatten().copied().filter(|&start| low < start && start <= high));
        starts.sort_unstable();
        starts.dedup();
        for (at, &start) in starts.iter().enumerate() {
            let divides = |step: &Decimal| {
                let known = self.steps.iter().position(|known| known.step == *step);
                known.and_then(|known| from[known]).is_some_and(|from| from <= start)
            };
            if piece.holds(divides) {
                to.push(start, starts.get(at + 1).map_or(high, |next| next - 1));
            }
        }
    }

    /// Whether more digits and an exponent can make a member of these digits.
    pub(super) fn is_live(&self, mantissa: &Mantissa) -> bool {
        if self.free {
            return true;
        }
        if !self.exponents(mantissa).is_empty() {
            return true;
        }
        if self.keep { self.has_start(&mantissa.digits) } else { self.has_place(mantissa.place) }
    }

    /// Whether a member starts with these digits.
    fn has_start(&self, digits: &[u8]) -> bool {
        let tops = self.steps.iter().map(|step| i64::from(step.step.point()));
        let tops = tops.chain(self.points.iter().map(|&(_, power, _)| power));
        let (least, most) =
            tops.fold((ENDLESS, -ENDLESS), |(least, most), top| (least.min(top), most.max(top)));
        (least..=most).rev().any(|top| {
            block(digits, top).is_some_and(|(low, high)| self.set.meets(&low, true, &high).unwrap_or(false))
        })
    }

    /// Whether a member is reached from here, where every piece holds nothing or nearly everything.
    fn has_place(&self, place: Place) -> bool {
        let mut low = -ENDLESS;
        for (at, piece) in self.pieces.iter().enumerate() {
            let Some(&(number, power, holds)) = self.points.get(at) else { break };
            let high = power - i64::from(self.order.compare(place, number).is_ge());
            if (!piece.is_none() && low <= high) || (holds && self.order.may_equal(place, number)) {
                return true;
            }
            low = power + i64::from(!self.order.may_exceed(place, number));
        }
        false
    }

    /// Writes what matters of a mantissa.
    pub(super) fn encode(&self, mantissa: &Mantissa, fraction: bool, state: &mut Vec<u8>) {
        if !self.points.is_empty() {
            let (kind, number, length) = match mantissa.place {
                Place::Start(number, length) => (0, number, length),
                Place::At(number) => (1, number, 0),
                Place::Before(number) => (2, number, 0),
            };
            put(state, kind);
            put(state, number as i64);
            put(state, length as i64);
            put(state, mantissa.top);
        }
        if !self.steps.is_empty() {
            put(state, mantissa.last);
            if fraction {
                put(state, mantissa.places);
            }
            put(state, i64::from(mantissa.counts[0]));
            put(state, i64::from(mantissa.counts[1]));
            let rest = mantissa.rest.digits();
            put(state, rest.len() as i64);
            state.extend_from_slice(&rest);
        }
        state.extend_from_slice(&mantissa.digits);
    }

    /// Reads what [`encode`](Side::encode) wrote.
    pub(super) fn decode(&self, mut state: &[u8], fraction: bool) -> Mantissa {
        let mut mantissa = Mantissa {
            place: Place::Before(0),
            top: 0,
            places: 0,
            last: 0,
            rest: Natural::default(),
            counts: [0, 0],
            digits: Vec::new(),
        };
        if !self.points.is_empty() {
            let kind = take(&mut state);
            let (number, length) = (take(&mut state) as usize, take(&mut state) as usize);
            mantissa.place = match kind {
                0 => Place::Start(number, length),
                1 => Place::At(number),
                _ => Place::Before(number),
            };
            mantissa.top = take(&mut state);
        }
        if !self.steps.is_empty() {
            mantissa.last = take(&mut state);
            if fraction {
                mantissa.places = take(&mut state);
            }
            mantissa.counts = [take(&mut state) as u32, take(&mut state) as u32];
            let length = take(&mut state) as usize;
            let (rest, after) = state.split_at(length.min(state.len()));
            mantissa.rest = Natural::from_digits(rest, 0);
            state = after;
        }
        mantissa.digits = state.to_vec();
        mantissa
    }
}

impl Step {
    fn new(step: &Decimal) -> Step {
        let mut coprime = step.natural(0);
        let [twos, fives] = [2, 5].map(|prime| {
            let (prime, mut count) = (Natural::from_u64(prime), i64::from(step.low()));
            while let (quotient, rest) = coprime.div_rem(&prime)
                && rest.is_zero()
            {
                coprime = quotient;
                count += 1;
            }
            count
        });
        Step { step: step.clone(), coprime, twos, fives }
    }

    /// From which exponent on the digits make a multiple, if they ever do.
    fn multiple_from(&self, mantissa: &Mantissa) -> Option<i64> {
        if !mantissa.rest.rem(&self.coprime).is_zero() {
            return None;
        }
        let more = self.twos - self.fives;
        let [twos, fives] = mantissa.counts.map(i64::from);
        let from = if more >= 0 { self.twos - twos.min(more) } else { self.fives - fives.min(-more) };
        Some(mantissa.last + from)
    }
}

/// How often a prime divides a number, up to `most` times.
fn count(number: &Natural, prime: u64, most: u32) -> u32 {
    let prime = Natural::from_u64(prime);
    let mut rest = number.clone();
    for count in 0..most {
        let (quotient, left) = rest.div_rem(&prime);
        if !left.is_zero() {
            return count;
        }
        rest = quotient;
    }
    most
}
