//! Every text of a set's numbers: with fraction and exponent, of any length. `1`, `1.0`, `10e-1` and `0.00001e+5` are one number.
//!
//! No regular expression does that, since exponents count digits; so this is a machine, but for sets that only tell
//! signs. Before the exponent a state is what is known of the digits ([`Side`]), from its `e` on it is the set of
//! exponents that lead to a member.

use std::sync::Arc;

use tokenstile_grammar::ir::{Arena, Machine, MachineRef};
use tokenstile_grammar::json::number_expr;
use tokenstile_grammar::{Error, ExprId};

use super::canonical::signed;
use super::exponents::{Exponents, put, take};
use super::set::NumberSet;
use super::side::{Mantissa, Side};

/// All texts of the numbers in `set`.
pub(super) fn any(set: &NumberSet, arena: &mut Arena) -> Result<ExprId, Error> {
    if set.is_empty() {
        return Ok(arena.never());
    }
    if set.is_all() {
        return Ok(number_expr(arena));
    }
    if let Some(expr) = signed(set, arena, true) {
        return Ok(expr);
    }
    let machine = AnyMachine {
        name: format!("number {set:?}"),
        zero: set.contains(&super::Decimal::zero()),
        sides: [Side::new(set.clone())?, Side::new(set.mirrored())?],
    };
    Ok(arena.machine(MachineRef(Arc::new(machine))))
}

/// Reads numbers of a set.
struct AnyMachine {
    name: String,
    /// Whether zero is in it.
    zero: bool,
    /// What may be read without and after a minus.
    sides: [Side; 2],
}

/// What was read so far.
enum Read {
    Start,
    Minus,
    /// `0`, after which no digit may follow.
    Zero,
    /// Zeros only, the point and so many of them after it.
    ZeroPoint(i64),
    /// Digits of the whole part.
    Whole(Mantissa),
    /// The same and the point.
    Point(Mantissa),
    /// The same and digits of the fraction.
    Fraction(Mantissa),
    /// All up to the `e`.
    E(Exponents),
    /// The same and a sign; the exponents are magnitudes now.
    Sign(Exponents),
    /// Digits of the exponent.
    Exponent(i64, Exponents),
}

impl AnyMachine {
    fn side(&self, negative: bool) -> &Side {
        &self.sides[usize::from(negative)]
    }

    /// One byte for what it is and the sign, then the rest.
    fn encode(&self, read: &Read, negative: bool, state: &mut Vec<u8>) {
        let side = self.side(negative);
        let mut head = |kind: u8| state.push(kind << 1 | u8::from(negative));
        match read {
            Read::Start => head(0),
            Read::Minus => head(1),
            Read::Zero => head(2),
            Read::ZeroPoint(count) => {
                head(3);
                put(state, *count);
            }
            Read::Whole(mantissa) => {
                head(4);
                side.encode(mantissa, false, state);
            }
            Read::Point(mantissa) => {
                head(5);
                side.encode(mantissa, false, state);
            }
            Read::Fraction(mantissa) => {
                head(6);
                side.encode(mantissa, true, state);
            }
            // From here on the sign does not matter.
            Read::E(exponents) => {
                state.push(7 << 1);
                exponents.encode(state);
            }
            Read::Sign(exponents) => {
                state.push(8 << 1);
                exponents.encode(state);
            }
            Read::Exponent(read, exponents) => {
                state.push(9 << 1);
                put(state, *read);
                exponents.encode(state);
            }
        }
    }

    fn decode(&self, state: &[u8]) -> Option<(Read, bool)> {
        let (head, mut rest) = state.split_first()?;
        let negative = head & 1 == 1;
        let side = self.side(negative);
        let read = match head >> 1 {
            0 => Read::Start,
            1 => Read::Minus,
            2 => Read::Zero,
            3 => Read::ZeroPoint(take(&mut rest)),
            4 => Read::Whole(side.decode(rest, false)),
            5 => Read::Point(side.decode(rest, false)),
            6 => Read::Fraction(side.decode(rest, true)),
            7 => Read::E(Exponents::decode(rest)),
            8 => Read::Sign(Exponents::decode(rest)),
            _ => Read::Exponent(take(&mut rest), Exponents::decode(rest)),
        };
        Some((read, negative))
    }

    /// What comes after `byte`, if the text goes on so at all.
    fn next(&self, read: Read, negative: bool, byte: u8) -> Option<(Read, bool)> {
        let side = self.side(negative);
        let next = match (read, byte) {
            (Read::Start, b'-') => {
                return (self.zero || self.sides[1].inhabited).then_some((Read::Minus, true));
            }
            (Read::Start | Read::Minus, b'0') => Read::Zero,
            (Read::Start | Read::Minus, b'1'..=b'9') => Read::Whole(side.first(byte - b'0', 0)),
            (Read::Zero, b'.') => Read::ZeroPoint(0),
            (Read::ZeroPoint(count), b'0') => Read::ZeroPoint(if side.counts() { count + 1 } else { 1 }),
            (Read::ZeroPoint(count), b'1'..=b'9') => Read::Fraction(side.first(byte - b'0', -count - 1)),
            (Read::Whole(mut mantissa), b'0'..=b'9') => {
                side.push(&mut mantissa, byte - b'0', false);
                Read::Whole(mantissa)
            }
            (Read::Whole(mantissa), b'.') => Read::Point(mantissa),
            (Read::Point(mut mantissa) | Read::Fraction(mut mantissa), b'0'..=b'9') => {
                side.push(&mut mantissa, byte - b'0', true);
                Read::Fraction(mantissa)
            }
            (
                read @ (Read::Zero | Read::ZeroPoint(1..) | Read::Whole(_) | Read::Fraction(_)),
                b'e' | b'E',
            ) => Read::E(self.exponents(&read, negative)),
            (Read::E(exponents), b'+' | b'-') => Read::Sign(exponents.with_sign(byte == b'-')),
            (Read::E(exponents), b'0'..=b'9') => {
                let (read, left) = exponents.with_sign(false).after(0, byte - b'0')?;
                Read::Exponent(read, left)
            }
            (Read::Sign(exponents), b'0'..=b'9') => {
                let (read, left) = exponents.after(0, byte - b'0')?;
                Read::Exponent(read, left)
            }
            (Read::Exponent(read, exponents), b'0'..=b'9') => {
                let (read, left) = exponents.after(read, byte - b'0')?;
                Read::Exponent(read, left)
            }
            _ => return None,
        };
        self.is_live(&next, negative).then_some((next, negative))
    }

    /// The exponents with which what was read is a member.
    fn exponents(&self, read: &Read, negative: bool) -> Exponents {
        match read {
            Read::Zero | Read::ZeroPoint(_) if self.zero => Exponents::all(),
            Read::Whole(mantissa) | Read::Fraction(mantissa) => self.side(negative).exponents(mantissa),
            _ => Exponents::default(),
        }
    }

    /// Whether some text goes on from here.
    fn is_live(&self, read: &Read, negative: bool) -> bool {
        let side = self.side(negative);
        match read {
            Read::Start | Read::Minus | Read::Exponent(..) => true,
            Read::Zero | Read::ZeroPoint(_) => self.zero || side.inhabited,
            Read::Whole(mantissa) | Read::Point(mantissa) | Read::Fraction(mantissa) => {
                side.is_live(mantissa)
            }
            Read::E(exponents) | Read::Sign(exponents) => !exponents.is_empty(),
        }
    }
}

impl Machine for AnyMachine {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Box<[u8]> {
        Box::new([0])
    }

    fn step(&self, state: &[u8], byte: u8, next: &mut Vec<u8>) -> bool {
        match self.decode(state).and_then(|(read, negative)| self.next(read, negative, byte)) {
            Some((read, negative)) => {
                self.encode(&read, negative, next);
                true
            }
            None => false,
        }
    }

    fn accepts(&self, state: &[u8]) -> bool {
        match self.decode(state) {
            Some((Read::ZeroPoint(0), _)) | None => false,
            Some((Read::Exponent(read, exponents), _)) => exponents.contains(read),
            Some((read, negative)) => self.exponents(&read, negative).contains(0),
        }
    }
}
