//! Numbers without an exponent, read digit by digit: for multiples of what is not a power of ten.
//!
//! What was read is a number M and how many of its digits are a fraction. Most of M does not matter: if no number at which
//! the set changes can come out of M, then any other M with as many digits, on the same side of those numbers and
//! with the same remainder, has the same future. The state is the least such M.

use std::sync::Arc;

use tokenstile_grammar::ir::{Arena, Machine, MachineRef};
use tokenstile_grammar::{Error, ExprId};

use super::decimal::{Decimal, MAX_DIGITS};
use super::lattice::{common_multiple, too_much};
use super::natural::Natural;
use super::set::NumberSet;

/// Reads numbers of a set.
pub(super) struct PlainMachine {
    name: String,
    /// The set, and the set of the same numbers with the other sign: what may be read without and after a minus.
    sides: [Side; 2],
    /// Whether anything is below zero.
    negative: bool,
    /// Whether a fraction may be written.
    fractions: bool,
    /// Digits of a fraction that matter for bounds and multiples.
    places: usize,
    /// For each number of such digits: remainders by this are what matters of M.
    periods: Vec<Natural>,
}

struct Side {
    set: NumberSet,
    /// The points that are not negative, as digits: whole part and fraction.
    points: Vec<(Vec<u8>, Vec<u8>)>,
    /// Digits of the longest whole part of these, if there are any but zero.
    longest: usize,
    /// Whether there are members without end.
    endless: bool,
}

/// What was read so far; the sign is kept beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    Minus,
    /// A zero, after which no digit may follow.
    Zero,
    /// Whole digits.
    Whole,
    /// The point.
    Point,
    /// Digits of the fraction.
    Fraction,
    /// More digits than matter, not all of them zero.
    Deep,
}

const PHASES: [Phase; 7] =
    [Phase::Start, Phase::Minus, Phase::Zero, Phase::Whole, Phase::Point, Phase::Fraction, Phase::Deep];

/// A state, taken apart.
struct Read {
    phase: Phase,
    negative: bool,
    places: usize,
    digits: Vec<u8>,
}

impl Read {
    /// One byte for phase and sign, two for the digits of the fraction, then all digits.
    fn decode(state: &[u8]) -> Option<Read> {
        let [head, low, high, digits @ ..] = state else { return None };
        Some(Read {
            phase: *PHASES.get(usize::from(head >> 1))?,
            negative: head & 1 == 1,
            places: usize::from(u16::from_le_bytes([*low, *high])),
            digits: digits.to_vec(),
        })
    }

    fn encode(&self, state: &mut Vec<u8>) {
        state.push((self.phase as u8) << 1 | u8::from(self.negative));
        state.extend_from_slice(&(self.places as u16).to_le_bytes());
        state.extend_from_slice(&self.digits);
    }

    /// The magnitude read so far, and with one more in its last digit.
    fn block(&self) -> Option<(Decimal, Decimal)> {
        block(&self.digits, self.digits.len() as i64 - self.places as i64)
    }
}

/// The numbers `0.digits · 10^point`, and with one more in the last digit.
pub(super) fn block(digits: &[u8], point: i64) -> Option<(Decimal, Decimal)> {
    let low = Decimal::new(false, digits, point)?;
    let next = Natural::from_digits(digits, 0).add(&Natural::one());
    Some((low, Decimal::from_natural(false, &next, point - digits.len() as i64)?))
}

impl PlainMachine {
    /// The texts of the numbers of `set`, which holds some.
    pub(super) fn expr(set: &NumberSet, arena: &mut Arena) -> Result<ExprId, Error> {
        Ok(arena.machine(MachineRef(Arc::new(PlainMachine::new(set)?))))
    }

    fn new(set: &NumberSet) -> Result<PlainMachine, Error> {
        let one = Decimal::power_of_ten(0);
        let mut period = one.clone();
        let mut places = set.points.iter().map(|(point, _)| -point.low()).max().unwrap_or(0);
        for step in set.pieces.iter().flat_map(|piece| piece.steps()) {
            places = places.max(-step.low());
            period = common_multiple(&period, step)?;
        }
        let places = places.max(0) as usize;
        let far = set.points.iter().map(|(point, _)| point.point()).chain([period.point()]).max();
        // Numbers are kept that are a little longer than the longest of these.
        if places > MAX_DIGITS / 4 || far.is_some_and(|far| far as usize > MAX_DIGITS / 4) {
            return Err(too_much());
        }
        // M · 10^-p may be changed by multiples of every step, M by whole numbers.
        let period_at = |p: usize| period.natural((period.low().max(0) as usize).saturating_add(p));
        Ok(PlainMachine {
            name: format!("plain {set:?}"),
            negative: set.has_negative(),
            fractions: !set.only_integers(),
            places,
            periods: (0..=places).map(period_at).collect(),
            sides: [Side::new(set.clone()), Side::new(set.mirrored())],
        })
    }

    fn side(&self, read: &Read) -> &Side {
        &self.sides[usize::from(read.negative)]
    }

    /// What comes after `byte`, if the text goes on so at all.
    fn next(&self, mut read: Read, byte: u8) -> Option<Read> {
        use Phase::*;
        match (read.phase, byte) {
            (Start, b'-') if self.negative => {
                read.phase = Minus;
                read.negative = true;
            }
            (Start | Minus, b'0') => read.phase = Zero,
            (Start | Minus | Whole, b'0'..=b'9') => {
                read.phase = Whole;
                read.digits.push(byte - b'0');
                self.side(&read).forget_whole(&mut read.digits, &self.periods[0]);
            }
            (Zero | Whole, b'.') if self.fractions => {
                if read.phase == Zero {
                    read.digits.push(0);
                }
                read.phase = Point;
            }
            (Point | Fraction, b'0'..=b'9') if read.places < self.places => {
                read.phase = Fraction;
                read.places += 1;
                read.digits.push(byte - b'0');
                self.side(&read).forget(&mut read.digits, read.places, &self.periods[read.places]);
            }
            (Point | Fraction, b'0') => read.phase = Fraction,
            (Point | Fraction, b'1'..=b'9') => {
                let (low, _) = read.block()?;
                if !self.side(&read).is_dense_above(&low) {
                    return None;
                }
                read = Read { phase: Deep, places: 0, digits: Vec::new(), ..read };
            }
            (Deep, b'0'..=b'9') => {}
            _ => return None,
        }
        self.is_live(&read).then_some(read)
    }

    /// Whether some text goes on from here.
    fn is_live(&self, read: &Read) -> bool {
        let side = self.side(read);
        match read.phase {
            Phase::Start | Phase::Minus | Phase::Deep => true,
            Phase::Zero => {
                let (zero, one) = (Decimal::zero(), Decimal::power_of_ten(0));
                side.set.contains(&zero) || self.fractions && side.meets(&zero, &one)
            }
            Phase::Whole if side.endless => true,
            Phase::Whole => {
                let length = read.digits.len();
                let mut lengths = (length..=side.longest.max(length)).rev();
                lengths.any(|length| {
                    block(&read.digits, length as i64).is_some_and(|(low, high)| side.meets(&low, &high))
                })
            }
            Phase::Point | Phase::Fraction => read.block().is_some_and(|(low, high)| side.meets(&low, &high)),
        }
    }
}

impl Side {
    fn new(set: NumberSet) -> Side {
        let points = set.points.iter().filter(|(point, _)| !point.is_negative());
        let points: Vec<_> = points.map(|(point, _)| point.split()).collect();
        let whole = points.iter().filter(|(whole, _)| *whole != [0]);
        let longest = whole.map(|(whole, _)| whole.len()).max().unwrap_or(0);
        let endless = set.pieces.last().is_some_and(|piece| !piece.is_none());
        Side { set, points, longest, endless }
    }

    /// Whether there are members from `low` on below `high`.
    fn meets(&self, low: &Decimal, high: &Decimal) -> bool {
        self.set.meets(low, true, high).unwrap_or(false)
    }

    fn is_dense_above(&self, number: &Decimal) -> bool {
        let at = self.set.points.partition_point(|(point, _)| point <= number);
        self.set.pieces[at].is_dense()
    }

    /// Replaces whole digits, the first of them not zero, by the least that have the same future.
    fn forget_whole(&self, digits: &mut Vec<u8>, period: &Natural) {
        let length = digits.len();
        if length > self.longest {
            let least = Natural::from_digits(&[1], self.longest);
            return reduce(digits, &least, period, 0);
        }
        let starts = self.points.iter().filter_map(|(whole, _)| whole.get(..length));
        let Some(least) = least_alike(digits, starts.map(<[u8]>::to_vec)) else { return };
        let shortest = Natural::from_digits(&[1], length - 1);
        reduce(digits, &least.max(shortest), period, 0);
    }

    /// The same with `places` digits of a fraction among them.
    fn forget(&self, digits: &mut Vec<u8>, places: usize, period: &Natural) {
        let points = self.points.iter().map(|(whole, fraction)| {
            let mut start = whole.clone();
            start.extend((0..places).map(|i| fraction.get(i).copied().unwrap_or(0)));
            start
        });
        let Some(least) = least_alike(digits, points) else { return };
        reduce(digits, &least, period, places + 1);
    }
}

/// One more than the greatest of `marks` below the number with these digits; `None` if that is one of them.
fn least_alike(digits: &[u8], marks: impl Iterator<Item = Vec<u8>>) -> Option<Natural> {
    let number = Natural::from_digits(digits, 0);
    let mut least = Natural::default();
    for mark in marks {
        let mark = Natural::from_digits(&mark, 0);
        match mark.cmp(&number) {
            std::cmp::Ordering::Equal => return None,
            std::cmp::Ordering::Less => least = least.max(mark.add(&Natural::one())),
            std::cmp::Ordering::Greater => {}
        }
    }
    Some(least)
}

/// Takes multiples of `period` away from a number as long as it is not less than `least`; at least `length` digits.
fn reduce(digits: &mut Vec<u8>, least: &Natural, period: &Natural, length: usize) {
    let above = Natural::from_digits(digits, 0).minus(least).rem(period);
    let reduced = least.add(&above).digits();
    digits.clear();
    digits.resize(length.saturating_sub(reduced.len()), 0);
    digits.extend_from_slice(&reduced);
}

impl Machine for PlainMachine {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Box<[u8]> {
        Box::new([0; 3])
    }

    fn step(&self, state: &[u8], byte: u8, next: &mut Vec<u8>) -> bool {
        match Read::decode(state).and_then(|read| self.next(read, byte)) {
            Some(read) => {
                read.encode(next);
                true
            }
            None => false,
        }
    }

    fn accepts(&self, state: &[u8]) -> bool {
        let Some(read) = Read::decode(state) else { return false };
        let set = &self.side(&read).set;
        match read.phase {
            Phase::Start | Phase::Minus | Phase::Point => false,
            Phase::Deep => true,
            Phase::Zero => set.contains(&Decimal::zero()),
            Phase::Whole | Phase::Fraction => read.block().is_some_and(|(low, _)| set.contains(&low)),
        }
    }
}
