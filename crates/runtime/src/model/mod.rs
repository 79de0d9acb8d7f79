//! Models of the Llama family, quantized, on candle: tokens in, logits out.
//!
//! One forward pass takes any number of sequences, each with any number of new tokens: a prompt, one sampled token, a
//! forced span. All their rows go through the weights together, so the weights are read once; only attention is done
//! for each sequence, over its own [`Cache`]. The pass was written anew rather than taken from candle's collection of
//! models because those keep one cache inside the model and take one sequence.

mod attention;
mod cache;
mod config;
mod linear;

use std::sync::Arc;

use candle_core::quantized::QTensor;
use candle_core::{Device, Tensor};
use candle_nn::ops;
use tokenstile::TokenId;

pub use cache::Cache;
pub use config::{ARCHITECTURES, Config};

use crate::error::{GenerateError, LoadError};
use crate::gguf::Gguf;
use attention::{Angles, Attention, Rows};
use linear::Linear;

/// Most tokens of one sequence that go through the model at once: attention needs memory for all pairs.
const CHUNK: usize = 256;

/// What a sequence adds: tokens that the model has not seen, and what it remembers of those before.
#[derive(Debug)]
pub struct Piece<'a> {
    /// The new tokens, at least one.
    pub tokens: &'a [TokenId],
    /// The memory of the sequence; the new tokens are added to it.
    pub cache: &'a mut Cache,
}

/// A model, ready to run. Shared by all sequences and threads.
pub struct Model {
    config: Config,
    device: Device,
    embedding: Arc<QTensor>,
    layers: Vec<Layer>,
    norm: Tensor,
    output: Linear,
    angles: Angles,
}

struct Layer {
    attention_norm: Tensor,
    attention: Attention,
    attention_post: Option<Tensor>,
    feed_norm: Tensor,
    gate: Linear,
    up: Linear,
    down: Linear,
    feed_post: Option<Tensor>,
}

impl Model {
    /// Loads the weights of a file onto a device. `progress` is told the part that is done, from 0 to 1.
    pub fn load(gguf: &Gguf, device: &Device, progress: impl FnMut(f64)) -> Result<Model, LoadError> {
        Model::read(&Weights { gguf, device, exact: false }, progress)
    }

    /// The same, with weights unpacked to 32 bits: nothing is rounded to 8 bits on the way. It is slower and takes
    /// several times the memory; it is there to tell how much that rounding changes.
    pub fn load_exact(gguf: &Gguf, device: &Device) -> Result<Model, LoadError> {
        Model::read(&Weights { gguf, device, exact: true }, |_| {})
    }

    fn read(weights: &Weights<'_>, mut progress: impl FnMut(f64)) -> Result<Model, LoadError> {
        let (gguf, device) = (weights.gguf, weights.device);
        let config = Config::read(gguf)?;
        let shape = [config.vocab, config.width];
        let embedding = Arc::new(weights.quantized("token_embd.weight", &shape)?);
        let output = match gguf.has("output.weight") {
            true => weights.linear("output.weight", &shape)?,
            false => weights.product(embedding.clone(), None)?,
        };
        let mut layers = Vec::new();
        for index in 0..config.layers {
            layers.push(Layer::load(weights, &config, index)?);
            progress((index + 1) as f64 / config.layers as f64);
        }
        let norm = weights.vector("output_norm.weight", config.width)?;
        let factors = weights.rope_factors(config.head_width / 2)?;
        let angles = Angles::new(&config, factors.as_deref());
        Ok(Model { device: device.clone(), embedding, layers, norm, output, angles, config })
    }

    /// The shape of the model.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The device that the model runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The memory of a sequence that has no tokens yet.
    pub fn cache(&self) -> Result<Cache, GenerateError> {
        Ok(Cache::new(&self.config, &self.device)?)
    }

    /// Runs the new tokens of all sequences; the logits after the last token of each.
    pub fn forward(&self, pieces: &mut [Piece<'_>]) -> Result<Vec<Vec<f32>>, GenerateError> {
        for piece in &*pieces {
            self.check(piece)?;
        }
        for piece in &mut *pieces {
            while piece.tokens.len() > CHUNK {
                let (first, rest) = piece.tokens.split_at(CHUNK);
                self.rows(&mut [Piece { tokens: first, cache: piece.cache }])?;
                piece.tokens = rest;
            }
        }
        if pieces.is_empty() {
            return Ok(Vec::new());
        }
        let hidden = self.rows(pieces)?;
        let ends = pieces.iter().scan(0u32, |end, piece| {
            *end += piece.tokens.len() as u32;
            Some(*end - 1)
        });
        let ends = Tensor::from_iter(ends, &self.device)?;
        let last = ops::rms_norm(&hidden.index_select(&ends, 0)?, &self.norm, self.config.epsilon)?;
        Ok(self.output.forward(&last)?.to_vec2()?)
    }

    fn check(&self, piece: &Piece<'_>) -> Result<(), GenerateError> {
        let length = piece.cache.len() + piece.tokens.len();
        if piece.tokens.is_empty() {
            return Err(GenerateError::EmptyPrompt);
        }
        if length > self.config.context {
            return Err(GenerateError::TooLong { prompt: length, context: self.config.context });
        }
        match piece.tokens.iter().find(|&&token| token as usize >= self.config.vocab) {
            Some(&token) => Err(GenerateError::UnknownToken { token }),
            None => Ok(()),
        }
    }

    /// The vectors of all new tokens behind the last layer.
    fn rows(&self, pieces: &mut [Piece<'_>]) -> Result<Tensor, GenerateError> {
        let mut ids = Vec::new();
        let mut positions = Vec::new();
        for piece in &mut *pieces {
            piece.cache.reserve(piece.tokens.len())?;
            positions.extend(piece.cache.len()..piece.cache.len() + piece.tokens.len());
            ids.extend_from_slice(piece.tokens);
        }
        let mut hidden = self.embedding.embedding(&Tensor::new(ids, &self.device)?)?;
        if self.config.gemma {
            hidden = (hidden * (self.config.width as f64).sqrt())?;
        }
        let rows = Rows::new(&self.angles, &positions, &self.device)?;
        for (index, layer) in self.layers.iter().enumerate() {
            hidden = layer.forward(&self.config, index, &hidden, &rows, pieces)?;
        }
        for piece in pieces {
            piece.cache.grow(piece.tokens.len());
        }
        Ok(hidden)
    }
}

impl Layer {
    fn load(weights: &Weights<'_>, config: &Config, index: usize) -> Result<Layer, LoadError> {
        let name = |part: &str| format!("blk.{index}.{part}.weight");
        let (width, inner) = (config.width, config.feed_forward);
        let post = |part: &str| match config.post_norm {
            true => weights.vector(&name(part), width).map(Some),
            false => Ok(None),
        };
        Ok(Layer {
            attention_norm: weights.vector(&name("attn_norm"), width)?,
            attention: Attention::load(weights, config, index)?,
            attention_post: post("post_attention_norm")?,
            feed_norm: weights.vector(&name("ffn_norm"), width)?,
            gate: weights.linear(&name("ffn_gate"), &[inner, width])?,
            up: weights.linear(&name("ffn_up"), &[inner, width])?,
            down: weights.linear(&name("ffn_down"), &[width, inner])?,
            feed_post: post("post_ffw_norm")?,
        })
    }

    fn forward(
        &self,
        config: &Config,
        index: usize,
        hidden: &Tensor,
        rows: &Rows,
        pieces: &[Piece<'_>],
    ) -> candle_core::Result<Tensor> {
        let norm = |x: &Tensor, weight: &Tensor| ops::rms_norm(x, weight, config.epsilon);
        let post = |x: Tensor, weight: &Option<Tensor>| match weight {
            Some(weight) => norm(&x, weight),
            None => Ok(x),
        };
        let x = norm(hidden, &self.attention_norm)?;
        let attended = self.attention.forward(config, index, &x, rows, pieces)?;
        let hidden = (hidden + post(attended, &self.attention_post)?)?;
        let x = norm(&hidden, &self.feed_norm)?;
        let gate = self.gate.forward(&x)?;
        let gate = if config.gemma { gate.gelu()? } else { ops::silu(&gate)? };
        let fed = self.down.forward(&(gate * self.up.forward(&x)?)?)?;
        hidden + post(fed, &self.feed_post)?
    }
}

/// Reads tensors of a file onto a device.
struct Weights<'a> {
    gguf: &'a Gguf,
    device: &'a Device,
    /// Whether products are done without rounding to 8 bits.
    exact: bool,
}

impl Weights<'_> {
    fn quantized(&self, name: &str, dims: &[usize]) -> Result<QTensor, LoadError> {
        self.gguf.tensor(name, dims, self.device)
    }

    fn linear(&self, name: &str, dims: &[usize]) -> Result<Linear, LoadError> {
        self.product(self.quantized(name, dims)?.into(), None)
    }

    fn product(&self, weight: Arc<QTensor>, bias: Option<Tensor>) -> Result<Linear, LoadError> {
        Ok(if self.exact { Linear::exact(&weight, bias)? } else { Linear::new(weight, bias)? })
    }

    fn vector(&self, name: &str, len: usize) -> Result<Tensor, LoadError> {
        Ok(self.quantized(name, &[len])?.dequantize(self.device)?)
    }

    /// What the frequencies of the rotation are divided by, where the file says so (Llama 3.1 and later).
    fn rope_factors(&self, len: usize) -> Result<Option<Vec<f32>>, LoadError> {
        if !self.gguf.has("rope_freqs.weight") {
            return Ok(None);
        }
        Ok(Some(self.vector("rope_freqs.weight", len)?.to_vec1()?))
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("config", &self.config).finish_non_exhaustive()
    }
}
