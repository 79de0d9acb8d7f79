//! Ranges of numbers as expressions over their digits, without an exponent: `0 ≤ x < 65.5` is "`0` to `9`, `1` to `6` and a
//! digit, …". The expressions are as long as their bounds.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, CharSet};

use super::set::Bound;

/// Makes expressions for ranges of magnitudes.
pub(super) struct Plain<'a> {
    pub(super) arena: &'a mut Arena,
    /// Whether a fraction may be written at all.
    fractions: bool,
    /// If there is one, only multiples of this power of ten are meant.
    unit: Option<i32>,
    /// Any digit.
    any: ExprId,
    /// Any fraction or none.
    any_fraction: ExprId,
}

/// A digit, from the first to the second, and what follows it.
type Branch = (u8, u8, ExprId);

impl<'a> Plain<'a> {
    pub(super) fn new(arena: &'a mut Arena, fractions: bool, unit: Option<i32>) -> Self {
        let any = arena.chars(&CharSet::from_ranges([(0x30, 0x39)]));
        let any_fraction = arena.empty();
        let mut plain = Plain { arena, fractions, unit, any, any_fraction };
        plain.any_fraction = plain.any_fraction();
        plain
    }

    /// The numbers from `low`, which is not negative, to `high`. If there is a unit, both are multiples of it and included.
    pub(super) fn range(&mut self, low: &Bound, high: Option<&Bound>) -> ExprId {
        let (mut whole, mut fraction) = low.value.split();
        let mut inclusive_low = low.inclusive;
        let high = high.map(|high| (high.value.split(), high.inclusive));
        let any_fraction = self.any_fraction;
        let mut parts = Vec::new();
        let mut tail = self.fraction_from(&fraction, inclusive_low);
        if whole == [0] {
            let zero = self.digits(&[0]);
            if let Some(((top, top_fraction), inclusive)) = &high
                && *top == [0]
            {
                let tail = self.fraction_between(&fraction, inclusive_low, top_fraction, *inclusive);
                return self.arena.concat(&[zero, tail]);
            }
            parts.push(self.arena.concat(&[zero, tail]));
            (whole, fraction, inclusive_low, tail) = (vec![1], Vec::new(), true, any_fraction);
        }
        let from_full = tail == any_fraction && whole[0] == 1 && whole[1..].iter().all(|&d| d == 0);
        let shortest = whole.len() + usize::from(!from_full);
        let mut longest = None;
        match high {
            Some(((top, top_fraction), inclusive)) if top.len() == whole.len() => {
                let both = if whole == top {
                    self.fraction_between(&fraction, inclusive_low, &top_fraction, inclusive)
                } else {
                    self.fraction_to(&top_fraction, inclusive)
                };
                parts.push(self.whole_between(&whole, tail, &top, both));
                return self.arena.alt(&parts);
            }
            Some(((top, top_fraction), inclusive)) => {
                if top.len() < whole.len() {
                    return self.arena.alt(&parts);
                }
                let top_tail = self.fraction_to(&top_fraction, inclusive);
                let full = top_tail == any_fraction && top.iter().all(|&d| d == 9);
                longest = Some(top.len() - usize::from(!full));
                if !full {
                    let least = [&[1][..], &vec![0; top.len() - 1]].concat();
                    parts.push(self.whole_between(&least, any_fraction, &top, top_tail));
                }
            }
            None => {}
        }
        if !from_full {
            parts.push(self.whole_from_first(&whole, tail));
        }
        parts.push(self.any_of_length(shortest, longest));
        self.arena.alt(&parts)
    }

    /// Whole numbers of some lengths and any fraction.
    fn any_of_length(&mut self, shortest: usize, longest: Option<usize>) -> ExprId {
        let zeros = self.unit.map_or(0, |unit| unit.max(0)) as usize;
        let shortest = shortest.max(zeros + 1);
        if longest.is_some_and(|longest| longest < shortest) {
            return self.arena.never();
        }
        let (first, digit) = (self.digit(1, 9), self.any);
        let count = |length: usize| (length - 1 - zeros) as u32;
        let (digits, zeros) =
            (self.arena.repeat(digit, count(shortest), longest.map(count)), self.zeros(zeros));
        self.arena.concat(&[first, digits, zeros, self.any_fraction])
    }

    /// Whole numbers from `low` to `high`, which have the same number of digits, with `low_tail` after the first of
    /// them, `high_tail` after the last (if they are the same, only that) and any fraction after the others.
    fn whole_between(&mut self, low: &[u8], low_tail: ExprId, high: &[u8], high_tail: ExprId) -> ExprId {
        let Some(fork) = (0..low.len()).find(|&i| low[i] != high[i]) else {
            let digits = self.digits(low);
            return self.arena.concat(&[digits, high_tail]);
        };
        let from = self.whole_from(&low[fork + 1..], low_tail);
        let to = self.whole_to(&high[fork + 1..], high_tail);
        let left = low.len() - fork - 1;
        let any_digits = self.any_digits(left);
        let branches = [
            (low[fork], low[fork], from),
            (low[fork] + 1, high[fork] - 1, any_digits),
            (high[fork], high[fork], to),
        ];
        let rest = self.branch(&branches, left);
        let same = self.digits(&low[..fork]);
        self.arena.concat(&[same, rest])
    }

    /// As many digits as `low` has, and no less.
    fn whole_from(&mut self, low: &[u8], tail: ExprId) -> ExprId {
        let mut from = tail;
        for (i, &digit) in low.iter().enumerate().rev() {
            let left = low.len() - i - 1;
            let any_digits = self.any_digits(left);
            let top = if self.is_zero_place(left) { 0 } else { 9 };
            from = self.branch(&[(digit, digit, from), (digit + 1, top, any_digits)], left);
        }
        from
    }

    /// The same for `low` that starts with a digit other than zero.
    fn whole_from_first(&mut self, low: &[u8], tail: ExprId) -> ExprId {
        let left = low.len() - 1;
        let (from, any_digits) = (self.whole_from(&low[1..], tail), self.any_digits(left));
        let branches = self.merge(&[(low[0], low[0], from), (low[0] + 1, 9, any_digits)]);
        self.choose(&branches)
    }

    /// As many digits as `high` has, and no more.
    fn whole_to(&mut self, high: &[u8], tail: ExprId) -> ExprId {
        let zeros = high.iter().rev().take_while(|&&d| d == 0).count();
        let rest = self.digits(&high[high.len() - zeros..]);
        let mut to = self.arena.concat(&[rest, tail]);
        for (i, &digit) in high[..high.len() - zeros].iter().enumerate().rev() {
            let left = high.len() - i - 1;
            let any_digits = self.any_digits(left);
            to = match digit.checked_sub(1) {
                Some(below) => self.branch(&[(0, below, any_digits), (digit, digit, to)], left),
                None => self.branch(&[(0, 0, to)], left),
            };
        }
        to
    }

    /// A digit, and what follows it depends on which; `left` whole digits follow in each case. Branches are in order.
    fn branch(&mut self, branches: &[Branch], left: usize) -> ExprId {
        let merged = self.merge(branches);
        let top = if self.is_zero_place(left) { 0 } else { 9 };
        if let [(0, last, tail)] = merged[..]
            && last == top
            && tail == self.any_digits(left)
        {
            return self.any_digits(left + 1);
        }
        self.choose(&merged)
    }

    fn merge(&mut self, branches: &[Branch]) -> Vec<Branch> {
        let mut merged: Vec<Branch> = Vec::with_capacity(branches.len());
        for &(first, last, tail) in branches {
            if first > last || tail == self.arena.never() {
                continue;
            }
            match merged.last_mut() {
                Some((_, end, same)) if *same == tail && *end + 1 == first => *end = last,
                _ => merged.push((first, last, tail)),
            }
        }
        merged
    }

    fn choose(&mut self, branches: &[Branch]) -> ExprId {
        let mut parts = Vec::with_capacity(branches.len());
        for &(first, last, tail) in branches {
            let digit = self.digit(first, last);
            parts.push(self.arena.concat(&[digit, tail]));
        }
        self.arena.alt(&parts)
    }

    /// Whether the unit leaves only a zero where this many whole digits follow.
    fn is_zero_place(&self, left: usize) -> bool {
        self.unit.is_some_and(|unit| (left as i64) < i64::from(unit))
    }

    /// So many whole digits and any fraction.
    fn any_digits(&mut self, count: usize) -> ExprId {
        let zeros = self.unit.map_or(0, |unit| unit.max(0) as usize).min(count);
        let digits = self.arena.repeat(self.any, (count - zeros) as u32, Some((count - zeros) as u32));
        let zeros = self.zeros(zeros);
        self.arena.concat(&[digits, zeros, self.any_fraction])
    }

    /// Any fraction or none.
    fn any_fraction(&mut self) -> ExprId {
        if !self.fractions {
            return self.arena.empty();
        }
        let digits = match self.places() {
            None => self.arena.repeat(self.any, 1, None),
            Some(0) => self.some_zeros(),
            Some(places) => {
                let zeros = self.any_zeros();
                let digits = self.arena.repeat(self.any, 1, Some(places as u32));
                self.arena.concat(&[digits, zeros])
            }
        };
        let fraction = self.after_point(digits);
        self.arena.optional(fraction)
    }

    /// How many digits of a fraction may be other than zero.
    fn places(&self) -> Option<usize> {
        self.unit.map(|unit| (-unit).max(0) as usize)
    }

    /// The rest of a fraction after `used` digits of it.
    fn any_places(&mut self, used: usize) -> ExprId {
        match self.places() {
            None => self.arena.star(self.any),
            Some(places) => {
                let digits = self.arena.repeat(self.any, 0, Some(places.saturating_sub(used) as u32));
                let zeros = self.any_zeros();
                self.arena.concat(&[digits, zeros])
            }
        }
    }

    /// Fractions from the given one up. They are also what follows a whole number without a point, if that is enough.
    fn fraction_from(&mut self, low: &[u8], inclusive: bool) -> ExprId {
        if low.is_empty() && inclusive {
            return self.any_fraction;
        }
        let digits = self.places_from(low, 0, inclusive);
        self.after_point(digits)
    }

    /// Digits after `used` of a fraction that make it no less than `low`, of which they are the rest.
    fn places_from(&mut self, low: &[u8], used: usize, inclusive: bool) -> ExprId {
        let low = low.get(used..).unwrap_or_default();
        let end = used + low.len();
        let mut rest = if inclusive { self.any_places(end) } else { self.positive_places() };
        for (i, &digit) in low.iter().enumerate().rev() {
            let any_places = self.any_places(used + i + 1);
            let branches = self.merge(&[(digit, digit, rest), (digit + 1, 9, any_places)]);
            rest = self.choose(&branches);
        }
        rest
    }

    /// Fractions up to the given one.
    fn fraction_to(&mut self, high: &[u8], inclusive: bool) -> ExprId {
        if !self.fractions {
            return self.arena.empty();
        }
        match (high.is_empty(), inclusive) {
            (true, false) => self.arena.never(),
            (true, true) => {
                let zeros = self.some_zeros();
                let fraction = self.after_point(zeros);
                self.arena.optional(fraction)
            }
            (false, _) => {
                let digits = self.places_to(high, 0, inclusive);
                let fraction = self.after_point(digits);
                self.arena.optional(fraction)
            }
        }
    }

    /// Digits after `used` of a fraction that make it no more than `high`; at least one digit if `used` is 0.
    fn places_to(&mut self, high: &[u8], used: usize, inclusive: bool) -> ExprId {
        let mut rest = if inclusive { self.any_zeros() } else { self.arena.never() };
        for i in (used..high.len()).rev() {
            let any_places = self.any_places(i + 1);
            let mut branches = Vec::new();
            branches.extend(high[i].checked_sub(1).map(|below| (0, below, any_places)));
            branches.push((high[i], high[i], rest));
            let branches = self.merge(&branches);
            rest = self.choose(&branches);
            if i > 0 {
                rest = self.arena.optional(rest);
            }
        }
        rest
    }

    /// Fractions from one to the other.
    fn fraction_between(
        &mut self,
        low: &[u8],
        low_inclusive: bool,
        high: &[u8],
        high_inclusive: bool,
    ) -> ExprId {
        if !self.fractions {
            return self.arena.empty();
        }
        let place = |digits: &[u8], i: usize| digits.get(i).copied().unwrap_or(0);
        let length = low.len().max(high.len());
        let Some(fork) = (0..length).find(|&i| place(low, i) != place(high, i)) else {
            if !low_inclusive || !high_inclusive {
                return self.arena.never();
            }
            let (digits, zeros) = (self.digits(low), self.any_zeros());
            return match low.is_empty() {
                true => self.fraction_to(low, true),
                false => {
                    let fraction = self.arena.concat(&[digits, zeros]);
                    self.after_point(fraction)
                }
            };
        };
        let (first, last) = (place(low, fork), place(high, fork));
        let from = self.places_from(low, fork + 1, low_inclusive);
        let to = self.places_to(high, fork + 1, high_inclusive);
        let any_places = self.any_places(fork + 1);
        let branches = self.merge(&[
            (first, first, from),
            (first + 1, last.saturating_sub(1), any_places),
            (last, last, to),
        ]);
        let mut rest = self.choose(&branches);
        for i in (1..=fork).rev() {
            if i >= low.len() && low_inclusive {
                rest = self.arena.optional(rest);
            }
            let digit = self.digits(&[place(low, i - 1)]);
            rest = self.arena.concat(&[digit, rest]);
        }
        let fraction = self.after_point(rest);
        if low.is_empty() && low_inclusive { self.arena.optional(fraction) } else { fraction }
    }

    /// Digits that are not all zero.
    fn positive_places(&mut self) -> ExprId {
        let (zeros, digit, any) = (self.any_zeros(), self.digit(1, 9), self.arena.star(self.any));
        self.arena.concat(&[zeros, digit, any])
    }

    fn after_point(&mut self, digits: ExprId) -> ExprId {
        let point = self.arena.literal(b".");
        self.arena.concat(&[point, digits])
    }

    pub(super) fn digit(&mut self, first: u8, last: u8) -> ExprId {
        let code = |digit: u8| u32::from(b'0' + digit);
        self.arena.chars(&CharSet::from_ranges([(code(first), code(last))]))
    }

    /// These digits; many zeros at the end are counted, not written down.
    fn digits(&mut self, digits: &[u8]) -> ExprId {
        let zeros = digits.iter().rev().take_while(|&&d| d == 0).count();
        let written = if zeros > 16 { digits.len() - zeros } else { digits.len() };
        let text: Vec<u8> = digits[..written].iter().map(|d| b'0' + d).collect();
        let (text, zeros) = (self.arena.literal(&text), self.zeros(digits.len() - written));
        self.arena.concat(&[text, zeros])
    }

    fn zeros(&mut self, count: usize) -> ExprId {
        let zero = self.arena.literal(b"0");
        self.arena.repeat(zero, count as u32, Some(count as u32))
    }

    pub(super) fn any_zeros(&mut self) -> ExprId {
        let zero = self.arena.literal(b"0");
        self.arena.star(zero)
    }

    fn some_zeros(&mut self) -> ExprId {
        let zero = self.arena.literal(b"0");
        self.arena.repeat(zero, 1, None)
    }
}
