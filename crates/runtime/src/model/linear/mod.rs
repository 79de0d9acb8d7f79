//! Products with quantized weights.
//!
//! On a CPU, weights in blocks of 32 (Q4_0, Q4_1, Q8_0) go through products of our own ([`blocks`]): candle has no
//! vector instructions for Q4_1, which the default model is stored in. Everything else is candle's.

mod blocks;
mod dot;

use std::sync::Arc;

use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{Module, Result, Tensor};

use blocks::Blocks;

/// A matrix of weights, and what is added to the product.
pub(super) struct Linear {
    weight: Weight,
    bias: Option<Tensor>,
}

enum Weight {
    Blocks(Blocks),
    Candle(QMatMul),
}

impl Linear {
    /// With the numbers that the weights stand for, and activations that are not rounded.
    pub(super) fn exact(weight: &QTensor, bias: Option<Tensor>) -> Result<Linear> {
        let weight = QMatMul::Tensor(weight.dequantize(&weight.device())?);
        Ok(Linear { weight: Weight::Candle(weight), bias })
    }

    pub(super) fn new(weight: Arc<QTensor>, bias: Option<Tensor>) -> Result<Linear> {
        let weight = match Blocks::new(&weight)? {
            Some(blocks) => Weight::Blocks(blocks),
            None => Weight::Candle(QMatMul::from_arc(weight)?),
        };
        Ok(Linear { weight, bias })
    }

    /// `[rows, columns]` times the weights.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let product = match &self.weight {
            Weight::Blocks(blocks) => blocks.forward(x)?,
            Weight::Candle(weight) => weight.forward(x)?,
        };
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }
}
