//! Attention on a CPU, one row at a time.
//!
//! The result of a row does not depend on the rows beside it, to the last bit: so a text is the same whether its forced
//! tokens go through the model at once or one by one. (Products of matrices sum in an order that depends on their
//! shape, and the small differences grow where activations are rounded to 8 bits.)

use candle_core::{Device, Layout, Result, Storage, Tensor};
use rayon::prelude::*;

/// Numbers that are summed side by side.
const LANES: usize = 8;
/// Fewer products than this are not worth several threads.
const ALONE: usize = 1 << 16;

/// What the rows may look at.
#[derive(Clone, Copy)]
pub(super) struct Sight {
    /// Tokens before the first row.
    pub(super) seen: usize,
    /// The token that the first key belongs to.
    pub(super) first: usize,
    pub(super) window: Option<usize>,
}

impl Sight {
    /// The keys that a row looks at.
    fn of(self, row: usize) -> std::ops::Range<usize> {
        let at = self.seen + row;
        let from = self.window.map_or(0, |window| (at + 1).saturating_sub(window)).max(self.first);
        from - self.first..at + 1 - self.first
    }
}

/// Heads of keys or values: tokens of one head follow each other, heads lie `stride` apart.
struct Heads<'a> {
    numbers: &'a [f32],
    start: usize,
    stride: usize,
    width: usize,
}

impl<'a> Heads<'a> {
    /// The numbers of a tensor whose tokens follow each other.
    fn of(storage: &'a Storage, layout: &Layout) -> Result<Heads<'a>> {
        match (storage, layout.stride(), layout.dims()) {
            (Storage::Cpu(storage), &[stride, step, 1], &[_, _, width]) if step == width => {
                let numbers = storage.as_slice::<f32>()?;
                Ok(Heads { numbers, start: layout.start_offset(), stride, width })
            }
            _ => candle_core::bail!("heads are laid out as {layout:?}"),
        }
    }

    fn token(&self, head: usize, token: usize) -> &[f32] {
        let from = self.start + head * self.stride + token * self.width;
        &self.numbers[from..from + self.width]
    }
}

/// `[heads, tokens, width]` queries over `[kv heads, length, width]` keys and values: `[tokens, heads · width]`.
pub(super) fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor, sight: Sight) -> Result<Tensor> {
    let (heads, tokens, width) = queries.dims3()?;
    let shared = heads / keys.dim(0)?;
    let queries = queries.contiguous()?;
    let mut out = vec![0f32; tokens * heads * width];
    let (query_numbers, key_numbers, value_numbers) =
        (queries.storage_and_layout(), keys.storage_and_layout(), values.storage_and_layout());
    let query_heads = Heads::of(&query_numbers.0, query_numbers.1)?;
    let key_heads = Heads::of(&key_numbers.0, key_numbers.1)?;
    let value_heads = Heads::of(&value_numbers.0, value_numbers.1)?;
    let one = |(index, out): (usize, &mut [f32])| {
        let (row, head) = (index / heads, index % heads);
        mix(query_heads.token(head, row), &key_heads, &value_heads, head / shared, sight.of(row), out);
    };
    let work = tokens * heads * width * sight.of(tokens - 1).len();
    if work < ALONE {
        out.chunks_exact_mut(width).enumerate().for_each(one);
    } else {
        out.par_chunks_exact_mut(width).enumerate().for_each(one);
    }
    Tensor::from_vec(out, (tokens, heads * width), &Device::Cpu)
}

/// One head of one row.
fn mix(
    query: &[f32],
    keys: &Heads<'_>,
    values: &Heads<'_>,
    head: usize,
    seen: std::ops::Range<usize>,
    out: &mut [f32],
) {
    let mut scores: Vec<f32> = seen.clone().map(|token| dot(query, keys.token(head, token))).collect();
    let most = scores.iter().fold(f32::NEG_INFINITY, |most, &score| most.max(score));
    scores.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum: f32 = scores.iter().sum();
    for (score, token) in scores.iter().zip(seen) {
        let part = score / sum;
        for (out, value) in out.iter_mut().zip(values.token(head, token)) {
            *out += part * value;
        }
    }
}

/// The sum of products, in an order that is always the same.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}
