//! Products with quantized weights.

use std::sync::Arc;

use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{Module, Result, Tensor};

/// A matrix of weights, and what is added to the product.
pub(super) struct Linear {
    weight: QMatMul,
    bias: Option<Tensor>,
}

impl Linear {
    pub(super) fn new(weight: Arc<QTensor>, bias: Option<Tensor>) -> Result<Linear> {
        Ok(Linear { weight: QMatMul::from_arc(weight)?, bias })
    }

    /// `[rows, columns]` times the weights.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let product = self.weight.forward(x)?;
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }
}
