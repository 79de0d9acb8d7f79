//! Products of a row of weights with rows of activations: with AVX2 where the machine has it, in plain Rust elsewhere.
//!
//! Measured with the default model, one token at a time on a shared machine of two cores: 38 to 57 tokens a second
//! with these, 2 to 17 with candle's products, which for Q4_1 are plain Rust.

use super::blocks::{BLOCK, Rows};

/// A row of weights.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub(super) quants: Quants<'a>,
    pub(super) scales: &'a [f32],
    /// Empty where it is 0.
    pub(super) least: &'a [f32],
}

#[derive(Clone, Copy)]
pub(super) enum Quants<'a> {
    Nibbles(&'a [u8]),
    Bytes(&'a [i8]),
}

/// The products of `weights` with all rows of `x`.
pub(super) fn row(weights: Weights<'_>, x: &Rows, out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        // SAFETY: the machine has the instructions.
        return unsafe { avx2::row(weights, x, out) };
    }
    plain(weights, x, out);
}

/// Quantizes `x`, whose length is whole blocks: scales, quants and sums of the blocks.
pub(super) fn quantize(x: &[f32], rows: &mut Rows) {
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        // SAFETY: the machine has the instructions.
        return unsafe { avx2::quantize(x, rows) };
    }
    plain_quantize(x, rows);
}

#[inline(always)]
fn plain_quantize(x: &[f32], rows: &mut Rows) {
    for (block, quants) in x.as_chunks::<BLOCK>().0.iter().zip(rows.quants.as_chunks_mut::<BLOCK>().0) {
        let most = block.iter().fold(0f32, |most, value| most.max(value.abs()));
        // What is not finite makes the product not a number, as it would be without quantization.
        let scale = if block.iter().all(|value| value.is_finite()) { most / 127.0 } else { f32::NAN };
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let mut sum = 0;
        for (value, quant) in block.iter().zip(quants) {
            *quant = (value * inverse).round_ties_even() as i8;
            sum += i32::from(*quant);
        }
        rows.scales.push(scale);
        rows.sums.push(sum as f32 * scale);
    }
}

fn plain(weights: Weights<'_>, x: &Rows, out: &mut [f32]) {
    let blocks = weights.scales.len();
    for (index, out) in out.iter_mut().enumerate() {
        let x = x.part(index, blocks);
        let mut sum: f32 = weights.least.iter().zip(x.sums).map(|(least, sum)| least * sum).sum();
        for (at, quants) in x.quants.as_chunks::<BLOCK>().0.iter().enumerate() {
            let whole = match weights.quants {
                Quants::Nibbles(nibbles) => block_of_nibbles(&nibbles[at * BLOCK / 2..], quants),
                Quants::Bytes(bytes) => block_of_bytes(&bytes[at * BLOCK..], quants),
            };
            sum += weights.scales[at] * x.scales[at] * whole as f32;
        }
        *out = sum;
    }
}

fn block_of_nibbles(nibbles: &[u8], x: &[i8; BLOCK]) -> i32 {
    let (low, high) = x.split_at(BLOCK / 2);
    let pairs = nibbles.iter().zip(low.iter().zip(high));
    let product = |(&pair, (&low, &high)): (&u8, (&i8, &i8))| {
        i32::from(pair & 15) * i32::from(low) + i32::from(pair >> 4) * i32::from(high)
    };
    pairs.map(product).sum()
}

fn block_of_bytes(bytes: &[i8], x: &[i8; BLOCK]) -> i32 {
    bytes.iter().zip(x).map(|(&w, &x)| i32::from(w) * i32::from(x)).sum()
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Quants, Rows, Weights};

    /// Rows of activations that are multiplied with one block of weights while that is in registers.
    const TOGETHER: usize = 4;

    pub(super) fn is_there() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn quantize(x: &[f32], rows: &mut Rows) {
        super::plain_quantize(x, rows);
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn row(weights: Weights<'_>, x: &Rows, out: &mut [f32]) {
        let (groups, rest) = out.as_chunks_mut::<TOGETHER>();
        let grouped = groups.len() * TOGETHER;
        for (index, out) in groups.iter_mut().enumerate() {
            *out = together(weights, x, index * TOGETHER);
        }
        for (index, out) in rest.iter_mut().enumerate() {
            [*out] = together(weights, x, grouped + index);
        }
    }

    /// The products with `N` rows of activations, from `first` on.
    #[target_feature(enable = "avx2,fma")]
    fn together<const N: usize>(weights: Weights<'_>, x: &Rows, first: usize) -> [f32; N] {
        let blocks = weights.scales.len();
        let x: [_; N] = std::array::from_fn(|row| x.part(first + row, blocks));
        // Two sums each, so that one addition need not wait for the other.
        let mut sums = [[_mm256_setzero_ps(); 2]; N];
        for at in 0..blocks {
            let block = match weights.quants {
                Quants::Nibbles(nibbles) => unpack(nibbles, at),
                Quants::Bytes(bytes) => load(bytes, at),
            };
            for (x, sums) in x.iter().zip(&mut sums) {
                let quants = load(x.quants, at);
                let products = match weights.quants {
                    Quants::Nibbles(_) => _mm256_maddubs_epi16(block, quants),
                    // The instruction wants one side without sign: it goes over to the other side.
                    Quants::Bytes(_) => {
                        _mm256_maddubs_epi16(_mm256_abs_epi8(block), _mm256_sign_epi8(quants, block))
                    }
                };
                let whole = _mm256_cvtepi32_ps(_mm256_madd_epi16(products, _mm256_set1_epi16(1)));
                let scale = _mm256_set1_ps(weights.scales[at] * x.scales[at]);
                sums[at % 2] = _mm256_fmadd_ps(whole, scale, sums[at % 2]);
            }
        }
        std::array::from_fn(|row| {
            let least = weights.least.iter().zip(x[row].sums).map(|(least, sum)| least * sum);
            total(_mm256_add_ps(sums[row][0], sums[row][1])) + least.sum::<f32>()
        })
    }

    #[target_feature(enable = "avx2,fma")]
    fn load(bytes: &[i8], block: usize) -> __m256i {
        let bytes = &bytes[block * BLOCK..(block + 1) * BLOCK];
        // SAFETY: 32 bytes are there, and the load needs no alignment.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2,fma")]
    fn unpack(nibbles: &[u8], block: usize) -> __m256i {
        let bytes = &nibbles[block * BLOCK / 2..(block + 1) * BLOCK / 2];
        // SAFETY: 16 bytes are there, and the load needs no alignment.
        let pairs = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16::<4>(pairs), pairs), _mm256_set1_epi8(15))
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

    /// Both ways to multiply one row of weights with `count` rows of activations.
    fn both(weights: Weights<'_>, x: &[f32], count: usize) -> (Vec<f32>, Vec<f32>) {
        let x = Rows::new(x);
        let (mut fast, mut slow) = (vec![0.0; count], vec![0.0; count]);
        row(weights, &x, &mut fast);
        plain(weights, &x, &mut slow);
        (fast, slow)
    }

    #[test]
    fn both_ways_agree() {
        let bytes: Vec<u8> = (0..96u32).map(|i| (i * 37 + 11) as u8).collect();
        let signed: Vec<i8> = bytes.iter().map(|&w| w as i8).collect();
        let x: Vec<f32> = (0..96 * 7).map(|i| ((i * 53) % 255) as f32 / 100.0 - 1.2).collect();
        let (scales, least) = ([0.5, 0.25, 2.0], [-1.0, 0.3, 0.0]);
        let nibbles = Weights { quants: Quants::Nibbles(&bytes[..48]), scales: &scales, least: &least };
        let bytes = Weights { quants: Quants::Bytes(&signed), scales: &scales, least: &[] };
        for weights in [nibbles, bytes] {
            let (fast, slow) = both(weights, &x, 7);
            for (fast, slow) in fast.iter().zip(slow) {
                assert!((fast - slow).abs() <= 1e-4 * slow.abs().max(1.0), "{fast} {slow}");
            }
        }
    }

    #[test]
    fn the_ends_of_the_range_do_not_overflow() {
        let weights = Weights { quants: Quants::Bytes(&[i8::MIN; 32]), scales: &[1.0], least: &[] };
        let (fast, slow) = both(weights, &[127.0; 32], 1);
        assert_eq!((fast[0], slow[0]), (-128.0 * 127.0 * 32.0, -128.0 * 127.0 * 32.0));
    }
}
