//! Attention: each token looks back at the tokens of its own sequence.

mod cpu;

use candle_core::{Device, Result, Tensor};
use candle_nn::{ops, rotary_emb};

use super::linear::Linear;
use super::{Config, Piece, Weights};
use crate::error::LoadError;

/// The attention part of a layer.
pub(super) struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    query_norm: Option<Tensor>,
    key_norm: Option<Tensor>,
}

/// By how much a position turns each pair of a head, for one position on.
pub(super) struct Angles {
    full: Vec<f32>,
    /// In the layers with a window.
    windowed: Option<Vec<f32>>,
    interleaved: bool,
}

impl Angles {
    pub(super) fn new(config: &Config, factors: Option<&[f32]>) -> Angles {
        let pairs = config.head_width / 2;
        let turn = |base: f64, pair: usize| base.powf(-(pair as f64) / pairs as f64);
        let full = (0..pairs).map(|pair| {
            let factor = factors.and_then(|f| f.get(pair)).map_or(1.0, |&f| f64::from(f));
            (turn(config.rope.base, pair) / config.rope.scale / factor) as f32
        });
        let full = full.collect();
        let windowed = config.window.as_ref();
        let windowed = windowed.map(|w| (0..pairs).map(|pair| turn(w.base, pair) as f32).collect());
        Angles { full, windowed, interleaved: config.rope.interleaved }
    }
}

/// What the rows of one pass have in common in all layers: how their positions turn them.
pub(super) struct Rows {
    full: (Tensor, Tensor),
    windowed: Option<(Tensor, Tensor)>,
    interleaved: bool,
}

impl Rows {
    pub(super) fn new(angles: &Angles, positions: &[usize], device: &Device) -> Result<Rows> {
        let table = |turns: &Vec<f32>| -> Result<(Tensor, Tensor)> {
            let all = positions.iter().flat_map(|&at| turns.iter().map(move |turn| at as f32 * turn));
            let all: Vec<f32> = all.collect();
            let all = Tensor::from_vec(all, (positions.len(), turns.len()), device)?;
            Ok((all.cos()?, all.sin()?))
        };
        let windowed = angles.windowed.as_ref().map(table).transpose()?;
        Ok(Rows { full: table(&angles.full)?, windowed, interleaved: angles.interleaved })
    }

    /// Turns heads, `[heads, rows, head width]`.
    fn turn(&self, heads: &Tensor, windowed: bool) -> Result<Tensor> {
        let (cos, sin) = self.windowed.as_ref().filter(|_| windowed).unwrap_or(&self.full);
        let heads = heads.unsqueeze(0)?;
        let turned = match self.interleaved {
            true => rotary_emb::rope_i(&heads, cos, sin),
            false => rotary_emb::rope(&heads, cos, sin),
        };
        turned?.squeeze(0)
    }
}

impl Attention {
    pub(super) fn load(
        weights: &Weights<'_>,
        config: &Config,
        index: usize,
    ) -> std::result::Result<Self, LoadError> {
        let name = |part: &str| format!("blk.{index}.{part}");
        let (queries, keys) = (config.heads * config.head_width, config.kv_heads * config.head_width);
        let linear = |part: &str, rows: usize| {
            let weight = weights.quantized(&name(&format!("{part}.weight")), &[rows, config.width])?;
            let bias = match config.qkv_bias {
                true => Some(weights.vector(&name(&format!("{part}.bias")), rows)?),
                false => None,
            };
            weights.product(weight.into(), bias)
        };
        let norm = |part: &str| match config.head_norm {
            true => weights.vector(&name(&format!("{part}.weight")), config.head_width).map(Some),
            false => Ok(None),
        };
        Ok(Attention {
            query: linear("attn_q", queries)?,
            key: linear("attn_k", keys)?,
            value: linear("attn_v", keys)?,
            output: weights.linear(&name("attn_output.weight"), &[config.width, queries])?,
            query_norm: norm("attn_q_norm")?,
            key_norm: norm("attn_k_norm")?,
        })
    }

    pub(super) fn forward(
        &self,
        config: &Config,
        index: usize,
        x: &Tensor,
        rows: &Rows,
        pieces: &[Piece<'_>],
    ) -> Result<Tensor> {
        let count = x.dim(0)?;
        let window = config.window.as_ref().filter(|w| w.applies_to(index)).map(|w| w.tokens);
        let heads = |x: Tensor, heads: usize, norm: &Option<Tensor>| {
            let mut x = x.reshape((count, heads, config.head_width))?;
            if let Some(weight) = norm {
                x = ops::rms_norm(&x, weight, config.epsilon)?;
            }
            x.transpose(0, 1)?.contiguous()
        };
        let queries = heads(self.query.forward(x)?, config.heads, &self.query_norm)?;
        let queries = (rows.turn(&queries, window.is_some())? / (config.head_width as f64).sqrt())?;
        let keys = heads(self.key.forward(x)?, config.kv_heads, &self.key_norm)?;
        let keys = rows.turn(&keys, window.is_some())?;
        let values = heads(self.value.forward(x)?, config.kv_heads, &None)?;
        let mut mixed = Vec::with_capacity(pieces.len());
        let mut from = 0;
        for piece in pieces {
            let tokens = piece.tokens.len();
            let part = |x: &Tensor| x.narrow(1, from, tokens);
            let seen = piece.cache.len();
            // One token looks at what its window holds; several have windows of their own, so that is masked.
            let first = match (window, tokens) {
                (Some(window), 1) => (seen + 1).saturating_sub(window),
                _ => 0,
            };
            let (k, v) = piece.cache.put(index, &part(&keys)?, &part(&values)?, first)?;
            mixed.push(attend(config, &part(&queries)?, &k, &v, seen, window)?);
            from += tokens;
        }
        let mixed = if mixed.len() == 1 { mixed.swap_remove(0) } else { Tensor::cat(&mixed, 0)? };
        self.output.forward(&mixed)
    }
}

/// The attention of one sequence: `[tokens, heads · head width]`.
fn attend(
    config: &Config,
    queries: &Tensor,
    keys: &Tensor,
    values: &Tensor,
    seen: usize,
    window: Option<usize>,
) -> Result<Tensor> {
    if let Device::Cpu = queries.device() {
        let first = seen + queries.dim(1)? - keys.dim(1)?;
        return cpu::attend(queries, keys, values, cpu::Sight { seen, first, window });
    }
    attend_by_products(config, queries, keys, values, seen, window)
}

/// The same by products of matrices.
///
/// The heads of queries that share a head of keys lie side by side, so they are rows of one product and nothing is
/// repeated.
fn attend_by_products(
    config: &Config,
    queries: &Tensor,
    keys: &Tensor,
    values: &Tensor,
    seen: usize,
    window: Option<usize>,
) -> Result<Tensor> {
    let (heads, tokens, width) = queries.dims3()?;
    let (kv_heads, length) = (config.kv_heads, keys.dim(1)?);
    let queries = queries.contiguous()?.reshape((kv_heads, heads / kv_heads * tokens, width))?;
    let mut scores = queries.matmul(&keys.t()?)?;
    if tokens > 1 {
        let mask = causal(tokens, length, seen, window, queries.device())?;
        scores = scores.reshape((heads, tokens, length))?.broadcast_add(&mask)?;
        scores = scores.reshape((kv_heads, heads / kv_heads * tokens, length))?;
    }
    let mixed = ops::softmax_last_dim(&scores)?.matmul(values)?;
    mixed.reshape((heads, tokens, width))?.transpose(0, 1)?.reshape((tokens, heads * width))
}

/// 0 where a token may look, minus infinity where not: it sees itself and what is before it, in its window.
fn causal(
    tokens: usize,
    length: usize,
    seen: usize,
    window: Option<usize>,
    device: &Device,
) -> Result<Tensor> {
    let sees = |row: usize, column: usize| {
        let at = seen + row;
        column <= at && window.is_none_or(|window| at - column < window)
    };
    let mask = (0..tokens).flat_map(|row| (0..length).map(move |column| (row, column)));
    let mask: Vec<f32> =
        mask.map(|(row, column)| if sees(row, column) { 0.0 } else { f32::NEG_INFINITY }).collect();
    Tensor::from_vec(mask, (tokens, length), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::Rope;

    fn config(heads: usize, kv_heads: usize) -> Config {
        Config {
            architecture: "llama".into(),
            layers: 1,
            width: 16,
            feed_forward: 16,
            heads,
            kv_heads,
            head_width: 8,
            vocab: 8,
            context: 64,
            epsilon: 1e-5,
            rope: Rope { base: 10_000.0, scale: 1.0, interleaved: true },
            qkv_bias: false,
            head_norm: false,
            post_norm: false,
            gemma: false,
            window: None,
        }
    }

    #[test]
    fn both_ways_to_attend_agree() {
        let config = config(6, 2);
        let tensor = |heads, tokens| Tensor::randn(0f32, 1.0, (heads, tokens, 8), &Device::Cpu).unwrap();
        for (seen, tokens, window) in
            [(0, 5, None), (7, 1, None), (4, 3, None), (6, 4, Some(3)), (0, 1, None)]
        {
            let length = seen + tokens;
            let (queries, keys, values) = (tensor(6, tokens), tensor(2, length + 3), tensor(2, length + 3));
            let (keys, values) = (keys.narrow(1, 0, length).unwrap(), values.narrow(1, 0, length).unwrap());
            let fast = attend(&config, &queries, &keys, &values, seen, window).unwrap();
            let slow = attend_by_products(&config, &queries, &keys, &values, seen, window).unwrap();
            let error = (fast - slow).unwrap().abs().unwrap().flatten_all().unwrap().max(0).unwrap();
            let error = error.to_scalar::<f32>().unwrap();
            assert!(error < 1e-5, "{seen} {tokens} {window:?}: {error}");
        }
    }
}
