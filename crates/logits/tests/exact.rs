//! Both functions against their definitions, on random masks and logits of all kinds and lengths.

use tokenstile_logits::{Logits, LogitsMut, best, forbid};
use tokenstile_testkit::Rng;

/// A number of half precision, by its definition.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

fn brain(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

fn is_allowed(mask: &[u32], token: usize) -> bool {
    mask.get(token / 32).is_some_and(|word| word >> (token % 32) & 1 == 1)
}

/// The first of the largest that are allowed; what is not a number comes last.
fn best_by_definition(mask: &[u32], logits: &[f64]) -> Option<u32> {
    let mut best: Option<usize> = None;
    for token in (0..logits.len()).filter(|&token| is_allowed(mask, token)) {
        let is_better = best.is_none_or(|best| {
            logits[token] > logits[best] || logits[best].is_nan() && !logits[token].is_nan()
        });
        if is_better {
            best = Some(token);
        }
    }
    best.map(|token| token as u32)
}

fn random_mask(rng: &mut Rng, words: usize) -> Vec<u32> {
    let full = rng.below(4);
    (0..words)
        .map(|_| match rng.below(4) {
            0 => 0,
            1 => u32::MAX,
            _ if full == 0 => 1 << rng.below(32),
            _ => rng.next_u64() as u32,
        })
        .collect()
}

/// Bits of all kinds: ordinary numbers, zeros, infinities, what is not a number.
fn random_bits(rng: &mut Rng) -> u16 {
    match rng.below(8) {
        0 => *rng.pick(&[0, 0x8000, 0x7C00, 0xFC00, 0x7F80, 0xFF80, 0x7FC0, 0x7E00, 0xFFFF]),
        1 => 0x3C00 + rng.below(3) as u16,
        _ => rng.next_u64() as u16,
    }
}

#[test]
fn both_are_what_they_say() {
    let mut rng = Rng::new(7);
    for round in 0..3_000 {
        let words = rng.below(12);
        let mask = random_mask(&mut rng, words);
        let len = rng.below(32 * words + 40);
        let bits: Vec<u16> = (0..len).map(|_| random_bits(&mut rng)).collect();
        let single: Vec<f32> =
            bits.iter().map(|&b| f32::from_bits(u32::from(b) << 16 | rng.below(2) as u32)).collect();
        let as_f64 = |read: fn(u16) -> f64| bits.iter().map(|&b| read(b)).collect::<Vec<f64>>();
        assert_eq!(best(&mask, Logits::F16(&bits)), best_by_definition(&mask, &as_f64(half)), "{round}");
        assert_eq!(best(&mask, Logits::Bf16(&bits)), best_by_definition(&mask, &as_f64(brain)), "{round}");
        let wanted: Vec<f64> = single.iter().map(|&x| f64::from(x)).collect();
        assert_eq!(best(&mask, Logits::F32(&single)), best_by_definition(&mask, &wanted), "{round}");

        let kept =
            |token: usize, bits: u32, infinity: u32| if is_allowed(&mask, token) { bits } else { infinity };
        for (f16, infinity) in [(true, 0xFC00), (false, 0xFF80)] {
            let mut after = bits.clone();
            forbid(&mask, if f16 { LogitsMut::F16(&mut after) } else { LogitsMut::Bf16(&mut after) });
            for (token, (&before, &after)) in bits.iter().zip(&after).enumerate() {
                assert_eq!(u32::from(after), kept(token, before.into(), infinity), "{round}: token {token}");
            }
        }
        let mut after = single.clone();
        forbid(&mask, LogitsMut::F32(&mut after));
        for (token, (before, after)) in single.iter().zip(&after).enumerate() {
            let wanted = kept(token, before.to_bits(), f32::NEG_INFINITY.to_bits());
            assert_eq!(after.to_bits(), wanted, "{round}: token {token}");
        }
    }
}
