//! What the tests compare with: values of short texts as `mantissa · 10^exponent`, sets as they were put together, and a matcher
//! written from the definition of the expressions.

use tokenstile_grammar::ExprId;
use tokenstile_grammar::ir::{Arena, Expr};

use crate::number::{Decimal, NumberSet};

/// `.0 · 10^.1`, of short texts only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value(pub(super) i128, pub(super) i32);

impl Value {
    /// The value of a JSON number, if the text is one.
    pub(super) fn of(text: &str) -> Option<Value> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).map_or((rest, None), |(m, e)| (m, Some(e)));
        let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || whole.starts_with('0') && whole != "0" || fraction.is_some_and(|f| !digits(f)) {
            return None;
        }
        let exponent = match exponent {
            None => 0,
            Some(e) if !digits(e.strip_prefix(['+', '-']).unwrap_or(e)) => return None,
            Some(e) => e.parse::<i32>().ok()?,
        };
        let fraction = fraction.unwrap_or_default();
        let mantissa: i128 = format!("{whole}{fraction}").parse().ok()?;
        Some(Value(if negative { -mantissa } else { mantissa }, exponent - fraction.len() as i32))
    }

    /// The order of `self` and `other`, neither of which has many digits.
    pub(super) fn cmp(self, other: Value) -> std::cmp::Ordering {
        let low = self.1.min(other.1);
        let scaled = |v: Value| {
            let up = (v.1 - low).min(25) as u32;
            v.0 * 10i128.pow(up)
        };
        scaled(self).cmp(&scaled(other))
    }

    fn is_multiple(self, step: Value) -> bool {
        if self.0 == 0 {
            return true;
        }
        if self.1 >= step.1 {
            return (0..self.1 - step.1).fold(self.0 % step.0, |rest, _| rest * 10 % step.0) == 0;
        }
        // A value of few digits so far down is no multiple of anything further up.
        step.1 - self.1 < 25 && self.0 % (step.0 * 10i128.pow((step.1 - self.1) as u32)) == 0
    }
}

/// A set as it was put together.
#[derive(Debug)]
pub(super) enum Made {
    AtLeast(String, bool),
    AtMost(String, bool),
    Multiple(String),
    Single(String),
    Union(Box<Made>, Box<Made>),
    Intersect(Box<Made>, Box<Made>),
    Complement(Box<Made>),
}

impl Made {
    pub(super) fn holds(&self, value: Value) -> bool {
        let of = |text: &str| Value::of(text).unwrap();
        match self {
            Made::AtLeast(bound, exclusive) => {
                let order = value.cmp(of(bound));
                order.is_gt() || order.is_eq() && !exclusive
            }
            Made::AtMost(bound, exclusive) => {
                let order = value.cmp(of(bound));
                order.is_lt() || order.is_eq() && !exclusive
            }
            Made::Multiple(step) => value.is_multiple(of(step)),
            Made::Single(one) => value.cmp(of(one)).is_eq(),
            Made::Union(a, b) => a.holds(value) || b.holds(value),
            Made::Intersect(a, b) => a.holds(value) && b.holds(value),
            Made::Complement(a) => !a.holds(value),
        }
    }

    pub(super) fn set(&self) -> NumberSet {
        match self {
            Made::AtLeast(bound, exclusive) => NumberSet::at_least(number(bound), *exclusive),
            Made::AtMost(bound, exclusive) => NumberSet::at_most(number(bound), *exclusive),
            Made::Multiple(step) => NumberSet::multiple_of(number(step)),
            Made::Single(one) => NumberSet::single(number(one)),
            Made::Union(a, b) => a.set().union(&b.set()).unwrap(),
            Made::Intersect(a, b) => a.set().intersect(&b.set()).unwrap(),
            Made::Complement(a) => a.set().complement().unwrap(),
        }
    }
}

/// A generator of random numbers, always the same.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    pub(super) fn made(&mut self, depth: u32) -> Made {
        const BOUNDS: [&str; 28] = [
            "0", "1", "-1", "2", "5", "9", "10", "-10", "12", "15", "20", "22", "50", "99", "100", "120",
            "-5", "0.5", "-0.5", "1.5", "0.05", "0.15", "9.5", "-2.5", "0.1", "1e-5", "1.25", "-95",
        ];
        const STEPS: [&str; 16] = [
            "1", "1", "1", "2", "5", "10", "0.1", "0.5", "0.25", "3", "7", "100", "2.5", "0.3", "25", "0.05",
        ];
        let exclusive = self.below(2) == 0;
        match if depth == 0 { self.below(4) } else { self.below(9) } {
            0 => Made::AtLeast(self.pick(&BOUNDS).into(), exclusive),
            1 => Made::AtMost(self.pick(&BOUNDS).into(), exclusive),
            2 => Made::Multiple(self.pick(&STEPS).into()),
            3 => Made::Single(self.pick(&BOUNDS).into()),
            4 | 5 => Made::Union(self.made(depth - 1).into(), self.made(depth - 1).into()),
            6 | 7 => Made::Intersect(self.made(depth - 1).into(), self.made(depth - 1).into()),
            _ => Made::Complement(self.made(depth - 1).into()),
        }
    }
}

pub(super) fn number(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// Whether `expr` matches the whole of `text`; written from the definition of the expressions.
struct Matcher<'a> {
    arena: &'a Arena,
    text: &'a [u8],
    /// For each expression and start, the ends as bits, once known.
    known: std::collections::HashMap<(ExprId, usize), u64>,
}

impl Matcher<'_> {
    fn after_all(&mut self, ends: u64, expr: ExprId) -> u64 {
        (0..=self.text.len()).filter(|p| ends >> p & 1 == 1).fold(0, |all, p| all | self.ends(expr, p))
    }

    fn ends(&mut self, expr: ExprId, start: usize) -> u64 {
        if let Some(&ends) = self.known.get(&(expr, start)) {
            return ends;
        }
        let arena = self.arena;
        let ends = match arena.get(expr) {
            Expr::Never => 0,
            Expr::Empty => 1 << start,
            Expr::Chars(set) => match self.text.get(start) {
                Some(&byte) if arena.char_set(set).contains(byte.into()) => 2 << start,
                _ => 0,
            },
            Expr::Literal(literal) => {
                let bytes = arena.literal_bytes(literal);
                if self.text[start..].starts_with(bytes) { 1 << (start + bytes.len()) } else { 0 }
            }
            Expr::Concat(list) => {
                arena.list(list).iter().fold(1 << start, |ends, &e| self.after_all(ends, e))
            }
            Expr::Alt(list) => arena.list(list).iter().fold(0, |ends, &e| ends | self.ends(e, start)),
            Expr::Repeat { expr, min, max } => {
                let (mut at, mut all) = (1u64 << start, 0);
                for count in 0..=max.unwrap_or(u32::MAX).min(self.text.len() as u32 + min) {
                    all |= if count >= min { at } else { 0 };
                    at = self.after_all(at, expr);
                    if at == 0 {
                        break;
                    }
                }
                all
            }
            Expr::Machine(id) => {
                let machine = &arena.machine_of(id).0;
                let (mut state, mut all) = (machine.start().to_vec(), 0);
                for at in start..=self.text.len() {
                    all |= u64::from(machine.accepts(&state)) << at;
                    let mut next = Vec::new();
                    if at == self.text.len() || !machine.step(&state, self.text[at], &mut next) {
                        break;
                    }
                    state = next;
                }
                all
            }
            other => panic!("{other:?} is not made here"),
        };
        self.known.insert((expr, start), ends);
        ends
    }
}

pub(super) fn matches(arena: &Arena, expr: ExprId, text: &str) -> bool {
    let mut matcher = Matcher { arena, text: text.as_bytes(), known: Default::default() };
    matcher.ends(expr, 0) >> text.len() & 1 == 1
}
