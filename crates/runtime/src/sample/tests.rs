//! The sampler on small, hostile and large inputs.

use super::*;

fn sampler(settings: Sampling) -> Sampler {
    Sampler::new(settings).unwrap()
}

fn warm(seed: u64) -> Sampling {
    Sampling { temperature: 1.0, seed, ..Sampling::default() }
}

/// How often each of `logits.len()` tokens is drawn.
fn frequencies(settings: Sampling, logits: &[f32], mask: Option<&[u32]>) -> Vec<f64> {
    let mut sampler = sampler(settings);
    let mut counts = vec![0u32; logits.len()];
    for _ in 0..20_000 {
        counts[sampler.choose(logits, mask, None).unwrap().token as usize] += 1;
    }
    counts.iter().map(|&count| f64::from(count) / 20_000.0).collect()
}

#[test]
fn forbidden_tokens_are_never_drawn() {
    for hostile in [f32::NAN, f32::INFINITY, f32::MAX, 1e30] {
        let logits = [hostile, 0.0, hostile, 1.0];
        for settings in [Sampling::default(), warm(3)] {
            let mut sampler = sampler(settings);
            for _ in 0..200 {
                let choice = sampler.choose(&logits, Some(&[0b1010]), Some(2)).unwrap();
                assert!([1, 3].contains(&choice.token), "{hostile}");
                let details = choice.details.unwrap();
                assert!(details.after > 0.0 && details.after <= 1.0, "{details:?}");
                assert!(!details.before.is_nan() && !details.logprob.is_nan());
            }
            assert_eq!(sampler.describe(0, &logits, Some(&[0b1010]), Some(0)).details.unwrap().after, 0.0);
        }
    }
}

#[test]
fn an_empty_mask_is_an_error() {
    let mut sampler = sampler(warm(0));
    assert!(matches!(sampler.choose(&[1.0; 40], Some(&[0, 0]), None), Err(GenerateError::NothingAllowed)));
    // Bits past the logits do not count.
    assert!(matches!(
        sampler.choose(&[1.0; 40], Some(&[0, 1 << 8]), None),
        Err(GenerateError::NothingAllowed)
    ));
    assert!(matches!(sampler.choose(&[], None, None), Err(GenerateError::NothingAllowed)));
    assert!(matches!(sampler.choose(&[f32::NAN; 4], None, None), Err(GenerateError::NotANumber)));
    let infinite = [f32::NEG_INFINITY, f32::NAN, f32::NEG_INFINITY];
    assert_ne!(sampler.choose(&infinite, None, None).unwrap().token, 3);
}

#[test]
fn draws_follow_the_probabilities() {
    let logits = [0.0, 1.0, 2.0, f32::NEG_INFINITY];
    let found = frequencies(warm(1), &logits, Some(&[0b1101]));
    let whole = 1.0 + 2f64.exp();
    for (found, expected) in found.iter().zip([1.0 / whole, 0.0, 2f64.exp() / whole, 0.0]) {
        assert!((found - expected).abs() < 0.015, "{found} {expected}");
    }
    let cold = frequencies(Sampling { temperature: 0.5, ..warm(2) }, &logits, None);
    let whole = 1.0 + 2f64.exp() + 4f64.exp();
    assert!((cold[2] - 4f64.exp() / whole).abs() < 0.015, "{cold:?}");
}

#[test]
fn cuts_come_after_the_mask() {
    // The likeliest token is forbidden: the cuts count from the likeliest that is allowed.
    let logits = [9.0, 3.0, 2.9, 2.0, -4.0];
    let mask = Some(&[0b11110u32][..]);
    let top_k = frequencies(Sampling { top_k: 2, ..warm(1) }, &logits, mask);
    assert!(top_k[1] > 0.4 && top_k[2] > 0.4 && top_k[3] == 0.0 && top_k[0] == 0.0);
    let top_p = frequencies(Sampling { top_p: 0.5, ..warm(1) }, &logits, mask);
    assert!(top_p[1] > 0.4 && top_p[2] > 0.4 && top_p[3] == 0.0);
    let min_p = frequencies(Sampling { min_p: 0.5, ..warm(1) }, &logits, mask);
    assert!(min_p[1] > 0.4 && min_p[2] > 0.4 && min_p[3] == 0.0);
    let tiny = frequencies(Sampling { top_p: f32::MIN_POSITIVE, ..warm(1) }, &logits, mask);
    assert_eq!(tiny[1], 1.0);
}

#[test]
fn penalties_and_biases() {
    let mut sampler = sampler(Sampling { repetition_penalty: 2.0, ..Sampling::default() });
    let logits = [3.0, 2.0, -1.0];
    assert_eq!(sampler.choose(&logits, None, None).unwrap().token, 0);
    sampler.saw(0);
    assert_eq!(sampler.choose(&logits, None, None).unwrap().token, 1);
    let mut biased =
        Sampler::new(Sampling { logit_bias: vec![(2, 100.0), (99, 1.0)], ..Sampling::default() });
    assert_eq!(biased.as_mut().unwrap().choose(&logits, None, None).unwrap().token, 2);
    let mut presence = Sampler::new(Sampling { presence_penalty: 1.5, ..Sampling::default() }).unwrap();
    presence.saw(0);
    assert_eq!(presence.choose(&logits, None, None).unwrap().token, 1);
}

#[test]
fn equal_logits_take_the_first() {
    assert_eq!(
        sampler(Sampling::default()).choose(&[1.0; 70], Some(&[0, 0b110, 1]), None).unwrap().token,
        33
    );
}

#[test]
fn bits_are_found_in_order() {
    assert_eq!(set_bits(&[0b101, 0, 1 << 31]).collect::<Vec<_>>(), [0, 2, 95]);
}
