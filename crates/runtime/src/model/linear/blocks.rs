//! Weights in blocks of 32, on a CPU: integer products of quantized weights with quantized activations.
//!
//! A block stands for `scale · q + least`, where `q` is 32 nibbles or 32 signed bytes. Activations are quantized the same
//! way for each product, to signed bytes with a scale; so a block's part of a product is one integer product and two
//! multiplications. Scales are unpacked to 32 bits when the model is loaded.

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Result, Tensor};
use half::f16;
use rayon::prelude::*;

use super::dot::{self, Weights};

/// Values in a block.
pub(super) const BLOCK: usize = 32;

/// Products smaller than this many multiplications are not worth several threads.
const ALONE: usize = 1 << 19;

/// Rows of weights that a thread takes at once.
const TAKE: usize = 32;

/// A matrix of weights.
pub(super) struct Blocks {
    rows: usize,
    columns: usize,
    quants: Quants,
    scales: Vec<f32>,
    /// Empty where it is 0 everywhere.
    least: Vec<f32>,
}

enum Quants {
    /// 16 bytes a block: value `i` in the low half of byte `i`, value `16 + i` in the high half.
    Nibbles(Vec<u8>),
    Bytes(Vec<i8>),
}

/// Rows of activations.
pub(super) struct Rows {
    pub(super) quants: Vec<i8>,
    pub(super) scales: Vec<f32>,
    /// Sum of the values of each block.
    pub(super) sums: Vec<f32>,
}

/// One of them.
pub(super) struct Row<'a> {
    pub(super) quants: &'a [i8],
    pub(super) scales: &'a [f32],
    pub(super) sums: &'a [f32],
}

impl Blocks {
    /// Takes over weights that are on a CPU and of a kind that is known here.
    pub(super) fn new(tensor: &QTensor) -> Result<Option<Blocks>> {
        let &[rows, columns] = tensor.shape().dims() else { return Ok(None) };
        if !matches!(tensor.device(), Device::Cpu) || !columns.is_multiple_of(BLOCK) {
            return Ok(None);
        }
        let size = match tensor.dtype() {
            GgmlDType::Q4_0 => 18,
            GgmlDType::Q4_1 => 20,
            GgmlDType::Q8_0 => 34,
            _ => return Ok(None),
        };
        let data = tensor.data()?;
        let half = |block: &[u8], at: usize| f16::from_le_bytes([block[at], block[at + 1]]).to_f32();
        let blocks = || data.chunks_exact(size);
        let scales: Vec<f32> = blocks().map(|block| half(block, 0)).collect();
        let (quants, least) = match tensor.dtype() {
            GgmlDType::Q8_0 => {
                let bytes = blocks().flat_map(|block| block[2..].iter().map(|&byte| byte as i8));
                (Quants::Bytes(bytes.collect()), Vec::new())
            }
            // The nibbles of Q4_0 have 8 taken from them.
            GgmlDType::Q4_0 => {
                let nibbles = blocks().flat_map(|block| block[2..].iter().copied());
                (Quants::Nibbles(nibbles.collect()), scales.iter().map(|scale| -8.0 * scale).collect())
            }
            _ => {
                let nibbles = blocks().flat_map(|block| block[4..].iter().copied());
                (Quants::Nibbles(nibbles.collect()), blocks().map(|block| half(block, 2)).collect())
            }
        };
        Ok(Some(Blocks { rows, columns, quants, scales, least }))
    }

    /// `[count, columns]` times the weights: `[count, rows]`.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (count, _) = x.dims2()?;
        let x = Rows::new(&x.flatten_all()?.to_vec1()?);
        // By row of weights, so that each is read once; by row of activations only in the end.
        let mut product = vec![0f32; self.rows * count];
        let take = |(index, part): (usize, &mut [f32])| {
            for (offset, out) in part.chunks_exact_mut(count).enumerate() {
                dot::row(self.row(index * TAKE + offset), &x, out);
            }
        };
        if self.rows * self.columns * count < ALONE {
            product.chunks_mut(TAKE * count).enumerate().for_each(take);
        } else {
            product.par_chunks_mut(TAKE * count).enumerate().for_each(take);
        }
        let product = Tensor::from_vec(product, (self.rows, count), &Device::Cpu)?;
        if count == 1 { product.reshape((1, self.rows)) } else { product.t()?.contiguous() }
    }

    /// One row of weights.
    fn row(&self, row: usize) -> Weights<'_> {
        let blocks = self.columns / BLOCK;
        let range = row * blocks..(row + 1) * blocks;
        let quants = match &self.quants {
            Quants::Nibbles(all) => {
                dot::Quants::Nibbles(&all[range.start * BLOCK / 2..range.end * BLOCK / 2])
            }
            Quants::Bytes(all) => dot::Quants::Bytes(&all[range.start * BLOCK..range.end * BLOCK]),
        };
        let least = self.least.get(range.clone()).unwrap_or_default();
        Weights { quants, scales: &self.scales[range], least }
    }
}

impl Rows {
    /// Quantizes activations, whose rows are whole blocks.
    pub(super) fn new(x: &[f32]) -> Rows {
        let blocks = x.len() / BLOCK;
        let quants = vec![0; blocks * BLOCK];
        let mut rows = Rows { quants, scales: Vec::with_capacity(blocks), sums: Vec::with_capacity(blocks) };
        dot::quantize(x, &mut rows);
        rows
    }

    /// One row of so many blocks.
    pub(super) fn part(&self, row: usize, blocks: usize) -> Row<'_> {
        let range = row * blocks..(row + 1) * blocks;
        Row {
            quants: &self.quants[range.start * BLOCK..range.end * BLOCK],
            scales: &self.scales[range.clone()],
            sums: &self.sums[range],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    fn numbers(count: usize, mut seed: u32) -> Vec<f32> {
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn products_are_those_of_the_dequantized_weights() {
        let (rows, columns, count) = (67, 96, 5);
        let weight = Tensor::from_vec(numbers(rows * columns, 1), (rows, columns), &Device::Cpu).unwrap();
        let x = Tensor::from_vec(numbers(count * columns, 2), (count, columns), &Device::Cpu).unwrap();
        for dtype in [GgmlDType::Q4_0, GgmlDType::Q4_1, GgmlDType::Q8_0] {
            let weight = QTensor::quantize(&weight, dtype).unwrap();
            let expected = x.matmul(&weight.dequantize(&Device::Cpu).unwrap().t().unwrap()).unwrap();
            let found = Blocks::new(&weight).unwrap().unwrap().forward(&x).unwrap();
            let error = (found - expected).unwrap().abs().unwrap().flatten_all().unwrap();
            let error = error.max(0).unwrap().to_scalar::<f32>().unwrap();
            assert!(error < 0.05, "{dtype:?}: {error}");
        }
    }

    #[test]
    fn what_is_no_number_stays_so() {
        let weight = Tensor::ones((1, 32), candle_core::DType::F32, &Device::Cpu).unwrap();
        let weight = QTensor::quantize(&weight, GgmlDType::Q8_0).unwrap();
        let mut x = vec![0f32; 32];
        x[7] = f32::INFINITY;
        let x = Tensor::from_vec(x, (1, 32), &Device::Cpu).unwrap();
        let product = Blocks::new(&weight).unwrap().unwrap().forward(&x).unwrap().to_vec2::<f32>().unwrap();
        assert!(product[0][0].is_nan());
    }
}
