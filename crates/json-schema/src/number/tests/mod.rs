//! Sets and texts of numbers against an evaluation of their own.

mod oracle;

use oracle::{Made, Random, Value, matches, number};
use tokenstile_grammar::ir::{Arena, Expr, Machine};
use tokenstile_grammar::{ErrorKind, ExprId, Limits};

use super::{Decimal, NumberSet};
use crate::options::Spelling;

fn lowered(set: &NumberSet, spelling: Spelling) -> (Arena, ExprId) {
    let limits = Limits::default();
    let mut arena = Arena::new(limits.exprs);
    let expr = set.expr(spelling, &mut arena, &limits).unwrap();
    (arena, expr)
}

/// All texts of these characters up to a length, if they are the start of a number.
fn texts(alphabet: &str, length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..length {
        let to = all.len();
        for at in from..to {
            for c in alphabet.chars() {
                let text = format!("{}{c}", all[at]);
                // A number, or one after a digit more.
                if Value::of(&text).is_some() || Value::of(&format!("{text}0")).is_some() {
                    all.push(text);
                }
            }
        }
        from = to;
    }
    all.push("+1".into());
    all.push("01".into());
    all.push(".5".into());
    all
}

/// What canonical texts look like beside their value.
fn is_canonical(made: &Made, set: &NumberSet, text: &str) -> bool {
    let Some(value) = Value::of(text) else { return false };
    if text.starts_with('-') && value.0 == 0 && !set.has_negative() {
        return false;
    }
    let has_steps = set.pieces.iter().any(|piece| piece.has_steps());
    let alone = set.intervals().1.iter().any(|p| Value::of(&p.to_string()).unwrap().cmp(value).is_eq());
    if set.only_integers() {
        let written = text.strip_suffix(".0").filter(|_| alone).unwrap_or(text);
        return made.holds(value) && !written.contains(['.', 'e', 'E']);
    }
    let Some((mantissa, _)) = text.split_once(['e', 'E']) else { return made.holds(value) };
    let is_signs_only = !has_steps && set.points.iter().all(|(point, _)| point.is_zero());
    if is_signs_only {
        return made.holds(value);
    }
    // One digit, not zero, before the point; and not what a writer would write out if the number stands alone.
    let whole = mantissa.trim_start_matches('-').split('.').next().unwrap();
    let written_out = alone
        && (-4..15).any(|e| {
            let one = Value(value.0.abs(), value.1);
            one.cmp(Value(1, e)).is_ge() && one.cmp(Value(1, e + 1)).is_lt()
        });
    !has_steps && whole.len() == 1 && whole != "0" && made.holds(value) && !written_out
}

#[test]
fn canonical_texts_of_random_sets() {
    let mut random = Random(0x5EED);
    let texts = texts("-0125.e9", 5);
    for round in 0..120 {
        let made = random.made(round % 4);
        let set = made.set();
        let (arena, expr) = lowered(&set, Spelling::Canonical);
        for text in texts.iter().skip(round as usize % 3).step_by(3) {
            let expected = is_canonical(&made, &set, text);
            assert_eq!(matches(&arena, expr, text), expected, "{text}\n{made:?}\n{set:?}");
        }
    }
}

#[test]
fn all_texts_of_random_sets() {
    let mut random = Random(0xA11);
    let texts = texts("-0125.e9", 6);
    for round in 0..120 {
        let made = random.made(round % 4);
        let set = made.set();
        let (arena, expr) = lowered(&set, Spelling::Any);
        for text in texts.iter().skip(round as usize % 13).step_by(13) {
            let expected = Value::of(text).is_some_and(|value| made.holds(value));
            assert_eq!(matches(&arena, expr, text), expected, "{text}\n{made:?}\n{set:?}");
        }
    }
}

/// Whether an accepting state is found from `state` within some thousand steps.
fn can_end(machine: &dyn Machine, state: &[u8]) -> bool {
    let mut seen = std::collections::HashSet::from([state.to_vec()]);
    let mut queue = std::collections::VecDeque::from([state.to_vec()]);
    while let Some(state) = queue.pop_front() {
        if machine.accepts(&state) {
            return true;
        }
        for &byte in b"0123456789.e-" {
            let mut next = Vec::new();
            if machine.step(&state, byte, &mut next) && seen.len() < 20_000 && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    false
}

#[test]
fn machines_have_no_dead_ends() {
    let mut random = Random(0xDEAD);
    for round in 0..80 {
        let made = random.made(1 + round % 4);
        let set = made.set();
        for spelling in [Spelling::Canonical, Spelling::Any] {
            let (arena, expr) = lowered(&set, spelling);
            let Expr::Machine(id) = arena.get(expr) else { continue };
            let machine = &*arena.machine_of(id).0;
            let mut states = vec![(machine.start().to_vec(), String::new())];
            for _ in 0..60 {
                // A walk at random, with a look at each state on the way.
                let (mut state, mut text) = states[0].clone();
                for _ in 0..7 {
                    let byte = b"0123456789.e-+"[random.below(14) as usize];
                    let mut next = Vec::new();
                    if machine.step(&state, byte, &mut next) {
                        text.push(byte.into());
                        state = next;
                        states.push((state.clone(), text.clone()));
                    }
                }
            }
            for (state, text) in states {
                assert!(can_end(machine, &state), "{text}\n{made:?}\n{set:?}");
            }
        }
    }
}

/// Numbers at and around everything that the random sets are made of.
fn samples() -> Vec<String> {
    let mut samples = Vec::new();
    for tenth in -1300..1300 {
        samples.push(format!("{tenth}e-1"));
    }
    for small in
        ["0.05", "0.15", "0.25", "1.25", "0.001", "-0.001", "1e-5", "1e-6", "1e9", "-1e9", "0.06", "2.55"]
    {
        samples.push(small.into());
    }
    samples
}

#[test]
fn the_algebra_agrees_with_its_members() {
    let mut random = Random(0xA16E);
    let samples: Vec<(Decimal, Value)> =
        samples().iter().map(|text| (number(text), Value::of(text).unwrap())).collect();
    for round in 0..800 {
        let made = random.made(round % 5);
        let set = made.set();
        let mut any = false;
        let mut all = true;
        for (decimal, value) in samples.iter().skip(round as usize % 7).step_by(7) {
            let holds = made.holds(*value);
            assert_eq!(set.contains(decimal), holds, "{decimal}\n{made:?}\n{set:?}");
            any |= holds;
            all &= holds;
        }
        assert!(!any || !set.is_empty(), "{made:?}\n{set:?}");
        assert!(all || !set.is_all(), "{made:?}\n{set:?}");
        let complement = set.complement().unwrap();
        assert!(set.union(&complement).unwrap().is_all(), "{made:?}\n{set:?}");
        assert!(set.intersect(&complement).unwrap().is_empty(), "{made:?}\n{set:?}");
        assert!(set.intersect(&complement.complement().unwrap().complement().unwrap()).unwrap().is_empty());
        if let Some(values) = set.finite(500).unwrap() {
            assert_eq!(values.is_empty(), set.is_empty());
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
            let same = NumberSet::values(values.clone());
            assert!(same.intersect(&complement).unwrap().is_empty(), "{made:?}\n{set:?}");
            assert!(set.intersect(&same.complement().unwrap()).unwrap().is_empty(), "{made:?}\n{set:?}");
            assert!(values.is_empty() || set.finite(values.len() - 1).unwrap().is_none());
        }
    }
}

#[test]
fn equal_sets_are_found_equal() {
    let range = |low: &str, high: &str, exclusive: bool| {
        let low = NumberSet::at_least(number(low), exclusive);
        low.intersect(&NumberSet::at_most(number(high), exclusive)).unwrap()
    };
    let integers = |set: NumberSet| set.intersect(&NumberSet::integers()).unwrap();
    assert_eq!(integers(range("0", "10", false)), integers(range("-1", "11", true)));
    assert_eq!(integers(range("-0.5", "10.5", true)), integers(range("0", "10", false)));
    assert!(integers(range("0.2", "0.8", false)).is_empty());
    let without = NumberSet::integers().intersect(&range("0.3", "0.7", false).complement().unwrap()).unwrap();
    assert_eq!(without, NumberSet::integers());
    assert!(NumberSet::multiple_of(number("2")).intersect(&range("2", "4", true)).unwrap().is_empty());
    let odd = integers(NumberSet::multiple_of(number("2")).complement().unwrap());
    assert!(odd.intersect(&range("3.5", "4.5", false)).unwrap().is_empty());
    assert_eq!(odd.intersect(&range("4", "8", false)).unwrap().finite(9).unwrap().unwrap().len(), 2);
    let either = NumberSet::multiple_of(number("2")).union(&odd).unwrap();
    assert_eq!(either, NumberSet::integers());
    assert_eq!(
        NumberSet::multiple_of(number("0.4")).intersect(&NumberSet::multiple_of(number("0.6"))).unwrap(),
        NumberSet::multiple_of(number("1.2"))
    );
}

#[test]
fn numbers_are_read_by_value() {
    for (a, b) in [
        ("0.10", "0.1"),
        ("-0", "0"),
        ("-0.0e9", "0"),
        ("1E-7", "0.0000001"),
        ("10e-1", "1"),
        ("0.00012e+4", "1.2"),
        ("0e99999999999999999999", "0"),
    ] {
        assert_eq!(number(a), number(b));
        assert_eq!(number(a).to_string(), b);
    }
    let long = format!("{}5{}.{}7", "1".repeat(200), "0".repeat(199), "0".repeat(400));
    assert_eq!(number(&long).to_string(), long);
    assert_eq!(number("1e308").to_string(), format!("1{}", "0".repeat(308)));
    for bad in ["", "-", "+1", "01", ".5", "1.", "1e", "1e+", "0x1", "1 ", "NaN", "--1", "1e1.5"] {
        assert!(Decimal::parse(bad).is_err(), "{bad}");
    }
    for absurd in ["1e100000000", "1e-100000000000000000000", "1e20000", &"9".repeat(20_000)] {
        assert!(Decimal::parse(absurd).unwrap_err().message().contains("10000 places"));
    }
    let sorted =
        ["-1e400", "-100", "-99.5", "-1e-400", "0", "1e-400", "0.09", "0.1", "1", "9.99", "10", "1e400"];
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            assert_eq!(number(a).cmp(&number(b)), i.cmp(&j), "{a} {b}");
        }
    }
}

/// Asserts which texts a set has in a spelling.
fn check(set: &NumberSet, spelling: Spelling, yes: &[&str], no: &[&str]) {
    let (arena, expr) = lowered(set, spelling);
    for (texts, expected) in [(yes, true), (no, false)] {
        for text in texts {
            assert_eq!(accepts(&arena, expr, text), expected, "{text}\n{set:?}");
        }
    }
}

/// Whether a machine accepts a text, or an expression if the text is short.
fn accepts(arena: &Arena, expr: ExprId, text: &str) -> bool {
    let Expr::Machine(id) = arena.get(expr) else { return matches(arena, expr, text) };
    let machine = &arena.machine_of(id).0;
    let mut state = machine.start().to_vec();
    text.bytes().all(|byte| {
        let mut next = Vec::new();
        let goes_on = machine.step(&state, byte, &mut next);
        state = next;
        goes_on
    }) && machine.accepts(&state)
}

#[test]
fn steps_are_exact() {
    let tenth = NumberSet::multiple_of(number("0.1"));
    check(&tenth, Spelling::Canonical, &["0.3", "0.30", "-7", "12.5", "0"], &["0.35", "0.301", "3e-1"]);
    check(&tenth, Spelling::Any, &["0.3", "3e-1", "30E-2", "0.00003e4", "1e99"], &["0.35", "3e-2", "0.3e-1"]);
    let fine = NumberSet::multiple_of(number("0.0001"));
    check(
        &fine,
        Spelling::Canonical,
        &["1", "0.0001", "3.14159000".get(..6).unwrap()],
        &["3.14159", "0.00001"],
    );
    let billion = NumberSet::multiple_of(number("1e9"));
    let big = format!("1{}", "0".repeat(30));
    check(&billion, Spelling::Canonical, &["0", "5000000000", &big], &["500000000", "5000000001", "5"]);
    check(&billion, Spelling::Any, &["0e1", "1e30", "5e9", &big, "0.5e10"], &["1e8", "15e8", "5000000001"]);
    let sevens = NumberSet::multiple_of(number("7"));
    let product = 123_456_789_012_345_678_901_234_567_890_u128 * 7;
    let (product, next) = (product.to_string(), (product + 3).to_string());
    check(&sevens, Spelling::Canonical, &["7", "-14", "0", "-0", &product], &["8", &next, "7.0", "7e0"]);
    check(
        &sevens,
        Spelling::Any,
        &["7.0", "70e-1", "-1.4E1", &product, "0.7e1"],
        &["7e-1", "8", &next, "1e99"],
    );
    let unit =
        NumberSet::at_least(number("0"), true).intersect(&NumberSet::at_most(number("1"), false)).unwrap();
    for spelling in [Spelling::Canonical, Spelling::Any] {
        check(
            &unit,
            spelling,
            &["1", "0.5", "1.0", "1e-05", "9.9e-1", "0.0001"],
            &["0", "0.0", "1.01", "1.1e0", "1e1"],
        );
    }
}

#[test]
fn large_numbers_are_no_trouble() {
    let zeros = |n: usize| "0".repeat(n);
    let large = NumberSet::at_least(number("1e400"), false);
    let (yes, no) = (format!("1{}", zeros(400)), format!("9{}", zeros(399)));
    let (arena, expr) = lowered(&large, Spelling::Canonical);
    assert!(arena.len() < 100, "{}", arena.len());
    assert!(arena.get(expr) != Expr::Never);
    check(&large, Spelling::Any, &[&yes, "1e400", "0.01E+402", "12e399"], &[&no, "1e399", "9.99e399"]);
    let tiny = NumberSet::multiple_of(number("1e-400"));
    check(&tiny, Spelling::Any, &["1", "1e-400", "0.5e-399", "17e+3"], &["1e-401", "0.5e-400"]);
    lowered(&tiny, Spelling::Canonical);
    let digits = "1234567890".repeat(40);
    let one = NumberSet::single(number(&digits));
    let (next, shifted) =
        (format!("{}1", &digits[..399]), format!("{}.{}e390", &digits[..10], &digits[10..]));
    check(&one, Spelling::Any, &[&digits, &shifted, &format!("{digits}.000")], &[&next, "1", &digits[..399]]);
    let (mut arena, expr) = lowered(&one, Spelling::Canonical);
    let (literal, zero) = (arena.literal(digits.as_bytes()), arena.literal(b".0"));
    let zero = arena.optional(zero);
    assert_eq!(expr, arena.concat(&[literal, zero]));
    for spelling in [Spelling::Canonical, Spelling::Any] {
        let bounded = NumberSet::at_most(number(&digits), false).intersect(&NumberSet::integers()).unwrap();
        let (arena, _) = lowered(&bounded, spelling);
        assert!(arena.len() < 4_000, "{}", arena.len());
        let absurd = NumberSet::multiple_of(number("7e-9000"));
        let more = absurd.intersect(&NumberSet::multiple_of(number("11e9000")));
        let expr = more.and_then(|set| set.expr(spelling, &mut Arena::new(1 << 20), &Limits::default()));
        match spelling {
            // Thousands of digits one by one, whatever the remainder: refused.
            Spelling::Canonical => assert_eq!(expr.unwrap_err().kind(), ErrorKind::Unsupported),
            Spelling::Any => assert!(expr.is_ok()),
        }
    }
}
