//! What a model remembers of one sequence: the keys and values of every token, in every layer.

use candle_core::{DType, Device, Result, Tensor};

use super::Config;

/// Tokens that there is room for at first; doubled as needed.
const FIRST: usize = 256;

/// The memory of one sequence. It belongs to the model that made it.
///
/// Taking tokens back costs nothing; a fork copies what is there, so the two do not see each other.
#[derive(Debug)]
pub struct Cache {
    layers: Vec<Layer>,
    /// Tokens that are remembered.
    len: usize,
    /// Tokens that there is room for.
    room: usize,
}

/// Keys and values: `[heads, room, head width]` each.
#[derive(Debug)]
struct Layer {
    keys: Tensor,
    values: Tensor,
}

impl Cache {
    pub(super) fn new(config: &Config, device: &Device) -> Result<Cache> {
        let room = FIRST.min(config.context);
        let shape = (config.kv_heads, room, config.head_width);
        let layer = |_| {
            let keys = Tensor::zeros(shape, DType::F32, device)?;
            Ok(Layer { values: keys.zeros_like()?, keys })
        };
        Ok(Cache { layers: (0..config.layers).map(layer).collect::<Result<_>>()?, len: 0, room })
    }

    /// Tokens that are remembered.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.layers.iter().map(|l| (l.keys.elem_count() + l.values.elem_count()) * 4).sum()
    }

    /// Forgets all but the first `len` tokens.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// A second memory with the same content.
    pub fn fork(&self) -> Result<Cache> {
        let copy = |layer: &Layer| Ok(Layer { keys: layer.keys.copy()?, values: layer.values.copy()? });
        let layers = self.layers.iter().map(copy).collect::<Result<_>>()?;
        Ok(Cache { layers, len: self.len, room: self.room })
    }

    /// Makes room for `more` tokens.
    pub(super) fn reserve(&mut self, more: usize) -> Result<()> {
        let needed = self.len + more;
        if needed <= self.room {
            return Ok(());
        }
        let room = needed.max(self.room * 2);
        for layer in &mut self.layers {
            for tensor in [&mut layer.keys, &mut layer.values] {
                let (heads, _, width) = tensor.dims3()?;
                let larger = Tensor::zeros((heads, room, width), tensor.dtype(), tensor.device())?;
                if self.len > 0 {
                    larger.slice_set(&tensor.narrow(1, 0, self.len)?.contiguous()?, 1, 0)?;
                }
                *tensor = larger;
            }
        }
        self.room = room;
        Ok(())
    }

    /// Writes keys and values of the next tokens, `[heads, tokens, head width]`, and returns those from `first` on.
    /// They count only after [`grow`](Cache::grow).
    pub(super) fn put(
        &self,
        layer: usize,
        keys: &Tensor,
        values: &Tensor,
        first: usize,
    ) -> Result<(Tensor, Tensor)> {
        let layer = &self.layers[layer];
        let tokens = keys.dim(1)?;
        layer.keys.slice_set(&keys.contiguous()?, 1, self.len)?;
        layer.values.slice_set(&values.contiguous()?, 1, self.len)?;
        let count = self.len + tokens - first;
        Ok((layer.keys.narrow(1, first, count)?, layer.values.narrow(1, first, count)?))
    }

    /// Takes what was put as remembered.
    pub(super) fn grow(&mut self, tokens: usize) {
        self.len += tokens;
    }
}
