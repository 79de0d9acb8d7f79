//! Random grammars: the prepared one has the same texts.

use tokenstile_grammar::{ErrorKind, ExprId, Grammar, GrammarBuilder, Limits, RuleId};

use crate::{check, prepare, texts};

/// A small generator of numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

fn expr(random: &mut Random, g: &mut GrammarBuilder, rules: &[RuleId], depth: usize) -> ExprId {
    let leaf = depth == 0 || random.below(4) == 0;
    match if leaf { random.below(7) } else { 7 + random.below(11) } {
        0 => g.arena.empty(),
        1 | 2 => g.arena.literal(&[b'a' + random.below(3) as u8]),
        3 => {
            let text: Vec<u8> = (0..2).map(|_| b'a' + random.below(3) as u8).collect();
            g.arena.literal(&text)
        }
        4..=6 => {
            let rule = rules[random.below(rules.len())];
            g.arena.rule(rule)
        }
        7..=10 => {
            let parts: Vec<ExprId> =
                (0..2 + random.below(2)).map(|_| expr(random, g, rules, depth - 1)).collect();
            g.arena.concat(&parts)
        }
        11..=14 => {
            let parts: Vec<ExprId> =
                (0..2 + random.below(3)).map(|_| expr(random, g, rules, depth - 1)).collect();
            g.arena.alt(&parts)
        }
        15 | 16 => {
            let inner = expr(random, g, rules, depth - 1);
            let (min, max) =
                [(0, None), (0, Some(1)), (1, None), (2, Some(3)), (0, Some(2)), (1, Some(2)), (2, None)]
                    [random.below(7)];
            g.arena.repeat(inner, min, max)
        }
        _ => boolean(random, g, depth),
    }
}

/// An intersection of two small regular expressions, one of them complemented or not.
fn boolean(random: &mut Random, g: &mut GrammarBuilder, depth: usize) -> ExprId {
    let mut regular = |g: &mut GrammarBuilder| {
        let letters: Vec<ExprId> = (0..3).map(|_| g.arena.literal(&[b'a' + random.below(3) as u8])).collect();
        let star = g.arena.star(letters[0]);
        let sequence = g.arena.concat(&[letters[1], star]);
        let parts = [sequence, letters[2], g.arena.empty()];
        let choice = g.arena.alt(&parts[random.below(2)..2 + random.below(2)]);
        if random.below(2) == 0 { g.arena.not(choice) } else { choice }
    };
    let parts = [regular(g), regular(g)];
    if depth.is_multiple_of(2) { g.arena.and(&parts) } else { g.arena.not(parts[0]) }
}

fn random_grammar(random: &mut Random) -> Grammar {
    let mut g = GrammarBuilder::new(&Limits::default());
    let rules: Vec<RuleId> =
        (0..1 + random.below(4)).map(|i| g.declare(format!("R{i}"), None).unwrap()).collect();
    let depth = 2 + random.below(2);
    for &rule in &rules {
        let body = expr(random, &mut g, &rules, depth);
        g.define(rule, body);
    }
    g.build(rules[0]).unwrap()
}

#[test]
fn random_grammars_keep_their_texts() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut checked, mut refused, mut left_recursive) = (0, 0, 0);
    while checked < 3_000 {
        let raw = random_grammar(&mut random);
        match prepare(&raw) {
            Ok(_) => {
                left_recursive += !tokenstile_grammar::passes::left_recursive(&raw).is_empty() as usize;
                check(&raw);
                checked += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unsatisfiable, "{error}\n{raw}");
                let texts = texts::of_grammar(&raw);
                assert!(raw.rules().iter().any(|r| texts[r.body.index()].is_empty()), "{error}\n{raw}");
                refused += 1;
            }
        }
    }
    assert!(left_recursive > 500 && refused > 100, "{left_recursive} left recursive, {refused} refused");
}

#[test]
fn preparing_twice_changes_no_text() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for _ in 0..300 {
        if let Ok(prepared) = prepare(&random_grammar(&mut random)) {
            check(&prepared);
        }
    }
}
