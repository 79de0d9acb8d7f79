//! Products of two rows of blocks: with AVX2 where the machine has it, in plain Rust elsewhere.
//!
//! Measured on the default model, one thread, one token at a time: plain Rust NUMBERS, with AVX2 NUMBERS.

use super::blocks::BLOCK;

/// Weights in nibbles: the sum of `scale · x_scale · Σ q·x` over the blocks.
pub(super) fn nibbles(nibbles: &[u8], scales: &[f32], x: &[i8], x_scales: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        // SAFETY: the machine has the instructions.
        return unsafe { avx2::nibbles(nibbles, scales, x, x_scales) };
    }
    plain_nibbles(nibbles, scales, x, x_scales)
}

/// Weights in signed bytes: the same sum.
pub(super) fn bytes(bytes: &[i8], scales: &[f32], x: &[i8], x_scales: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        // SAFETY: the machine has the instructions.
        return unsafe { avx2::bytes(bytes, scales, x, x_scales) };
    }
    plain_bytes(bytes, scales, x, x_scales)
}

fn plain_nibbles(nibbles: &[u8], scales: &[f32], x: &[i8], x_scales: &[f32]) -> f32 {
    let blocks = nibbles.chunks_exact(BLOCK / 2).zip(x.chunks_exact(BLOCK));
    let mut sum = 0.0;
    for ((nibbles, x), (scale, x_scale)) in blocks.zip(scales.iter().zip(x_scales)) {
        let (low, high) = x.split_at(BLOCK / 2);
        let mut whole = 0;
        for ((&pair, &low), &high) in nibbles.iter().zip(low).zip(high) {
            whole += i32::from(pair & 15) * i32::from(low) + i32::from(pair >> 4) * i32::from(high);
        }
        sum += scale * x_scale * whole as f32;
    }
    sum
}

fn plain_bytes(bytes: &[i8], scales: &[f32], x: &[i8], x_scales: &[f32]) -> f32 {
    let blocks = bytes.chunks_exact(BLOCK).zip(x.chunks_exact(BLOCK));
    let mut sum = 0.0;
    for ((bytes, x), (scale, x_scale)) in blocks.zip(scales.iter().zip(x_scales)) {
        let whole: i32 = bytes.iter().zip(x).map(|(&w, &x)| i32::from(w) * i32::from(x)).sum();
        sum += scale * x_scale * whole as f32;
    }
    sum
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::BLOCK;

    pub(super) fn is_there() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn nibbles(nibbles: &[u8], scales: &[f32], x: &[i8], x_scales: &[f32]) -> f32 {
        let blocks = nibbles.as_chunks::<{ BLOCK / 2 }>().0.iter().zip(x.as_chunks::<BLOCK>().0);
        let low_half = _mm256_set1_epi8(15);
        let mut sum = _mm256_setzero_ps();
        for ((nibbles, x), (scale, x_scale)) in blocks.zip(scales.iter().zip(x_scales)) {
            // SAFETY: 16 and 32 bytes are there, and the loads need no alignment.
            let (pairs, x) =
                unsafe { (_mm_loadu_si128(nibbles.as_ptr().cast()), _mm256_loadu_si256(x.as_ptr().cast())) };
            let both = _mm256_set_m128i(_mm_srli_epi16::<4>(pairs), pairs);
            let weights = _mm256_and_si256(both, low_half);
            sum = add(sum, _mm256_maddubs_epi16(weights, x), scale * x_scale);
        }
        total(sum)
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn bytes(bytes: &[i8], scales: &[f32], x: &[i8], x_scales: &[f32]) -> f32 {
        let blocks = bytes.as_chunks::<BLOCK>().0.iter().zip(x.as_chunks::<BLOCK>().0);
        let mut sum = _mm256_setzero_ps();
        for ((weights, x), (scale, x_scale)) in blocks.zip(scales.iter().zip(x_scales)) {
            // SAFETY: 32 bytes are there, and the loads need no alignment.
            let (weights, x) = unsafe {
                (_mm256_loadu_si256(weights.as_ptr().cast()), _mm256_loadu_si256(x.as_ptr().cast()))
            };
            // The instruction wants one side without sign: it goes over to the other side.
            let products = _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(x, weights));
            sum = add(sum, products, scale * x_scale);
        }
        total(sum)
    }

    /// Adds sixteen sums of products, scaled.
    #[target_feature(enable = "avx2,fma")]
    fn add(sum: __m256, products: __m256i, scale: f32) -> __m256 {
        let pairs = _mm256_madd_epi16(products, _mm256_set1_epi16(1));
        _mm256_fmadd_ps(_mm256_cvtepi32_ps(pairs), _mm256_set1_ps(scale), sum)
    }

    #[target_feature(enable = "avx2,fma")]
    fn total(sum: __m256) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps::<1>(sum));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree() {
        let weights: Vec<u8> = (0..96u32).map(|i| (i * 37 + 11) as u8).collect();
        let signed: Vec<i8> = weights.iter().map(|&w| w as i8).collect();
        let x: Vec<i8> = (0..192i32).map(|i| ((i * 53) % 255 - 127) as i8).collect();
        let (scales, x_scales) = ([0.5, 0.25, 2.0, 1.0, 0.1, 3.0], [1.5, 0.75, 0.3, 2.0, 0.0, 0.01]);
        let close = |a: f32, b: f32| (a - b).abs() <= 1e-3 * b.abs().max(1.0);
        assert!(close(nibbles(&weights, &scales, &x, &x_scales), plain_nibbles(&weights, &scales, &x, &x_scales)));
        let x = &x[..96];
        let (scales, x_scales) = (&scales[..3], &x_scales[..3]);
        assert!(close(bytes(&signed, scales, x, x_scales), plain_bytes(&signed, scales, x, x_scales)));
        // The ends of the range: nothing overflows.
        let (lowest, most) = ([i8::MIN; 32], [127i8; 32]);
        assert_eq!(bytes(&lowest, &[1.0], &most, &[1.0]), -128.0 * 127.0 * 32.0);
    }
}
