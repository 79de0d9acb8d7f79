//! The shape of a model, as its file states it.
//!
//! What differs between the architectures is said here, in fields; the forward pass only looks at the fields.

use crate::error::LoadError;
use crate::gguf::{Gguf, Value};

/// The architectures that are known, by their names in GGUF.
pub const ARCHITECTURES: [&str; 4] = ["llama", "qwen2", "qwen3", "gemma3"];

/// Bounds on what a file may claim: far above every known model, far below what would overflow.
const MAX_LAYERS: usize = 1_024;
const MAX_WIDTH: usize = 1 << 20;
const MAX_CONTEXT: usize = 1 << 24;

/// The shape of a model.
#[derive(Clone, Debug)]
pub struct Config {
    /// Name of the architecture.
    pub architecture: String,
    /// Layers.
    pub layers: usize,
    /// Length of the vector of a token.
    pub width: usize,
    /// Length of the vector inside the feed-forward part.
    pub feed_forward: usize,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values; each serves `heads / kv_heads` heads of queries.
    pub kv_heads: usize,
    /// Length of a head.
    pub head_width: usize,
    /// Ids that the output has a logit for.
    pub vocab: usize,
    /// Tokens that the model can look back at.
    pub context: usize,
    pub(crate) epsilon: f32,
    pub(crate) rope: Rope,
    /// Whether keys and queries have biases (Qwen 2).
    pub(crate) qkv_bias: bool,
    /// Whether each head of queries and keys is normalized (Qwen 3, Gemma 3).
    pub(crate) head_norm: bool,
    /// Whether the results of attention and feed-forward are normalized too (Gemma 3).
    pub(crate) post_norm: bool,
    /// GELU in place of SiLU, and embeddings scaled by the root of the width (Gemma 3).
    pub(crate) gemma: bool,
    pub(crate) window: Option<Window>,
}

/// How positions turn queries and keys.
#[derive(Clone, Debug)]
pub(crate) struct Rope {
    pub(crate) base: f64,
    /// Positions are divided by this.
    pub(crate) scale: f64,
    /// Whether neighbours are turned together, rather than halves.
    pub(crate) interleaved: bool,
}

/// Layers that look back a little way only.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) tokens: usize,
    /// Every so many layers one looks back all the way.
    pub(crate) every: usize,
    /// Base of the rotation in the layers with a window.
    pub(crate) base: f64,
}

impl Window {
    pub(crate) fn applies_to(&self, layer: usize) -> bool {
        !(layer + 1).is_multiple_of(self.every)
    }
}

impl Config {
    /// Reads the shape of the model in a file.
    pub fn read(gguf: &Gguf) -> Result<Config, LoadError> {
        let name = gguf.text("general.architecture").unwrap_or_default().to_owned();
        if !ARCHITECTURES.contains(&name.as_str()) {
            return Err(LoadError::Architecture { name });
        }
        let keys = Keys { gguf, architecture: &name };
        if keys.count("expert_count").is_some_and(|experts| experts > 0) {
            let message = "models with several experts are not supported".into();
            return Err(LoadError::Unsupported { message });
        }
        let heads = keys.between("attention.head_count", 1, MAX_WIDTH)?;
        let width = keys.between("embedding_length", 1, MAX_WIDTH)?;
        let config = Config {
            layers: keys.between("block_count", 1, MAX_LAYERS)?,
            width,
            feed_forward: keys.between("feed_forward_length", 1, MAX_WIDTH)?,
            heads,
            kv_heads: keys.kv_heads(heads)?,
            head_width: keys.head_width(width, heads)?,
            vocab: vocab_size(gguf)?,
            context: keys.between("context_length", 1, MAX_CONTEXT)?,
            epsilon: keys.required("attention.layer_norm_rms_epsilon")? as f32,
            rope: keys.rope()?,
            qkv_bias: name == "qwen2",
            head_norm: matches!(name.as_str(), "qwen3" | "gemma3"),
            post_norm: name == "gemma3",
            gemma: name == "gemma3",
            window: keys.window(),
            architecture: name.clone(),
        };
        Ok(config)
    }
}

fn malformed(gguf: &Gguf, message: String) -> LoadError {
    LoadError::Malformed { path: gguf.path().to_owned(), message }
}

/// Rows of the embedding: the metadata's own number is not always there.
fn vocab_size(gguf: &Gguf) -> Result<usize, LoadError> {
    match gguf.dims("token_embd.weight") {
        Some(&[rows @ 1..=tokenstile::MAX_TOKENS, _]) => Ok(rows),
        Some(dims) => Err(malformed(gguf, format!("tensor `token_embd.weight` is {dims:?}"))),
        None => Err(malformed(gguf, "the file has no tensor `token_embd.weight`".into())),
    }
}

/// The keys that begin with the name of the architecture.
struct Keys<'a> {
    gguf: &'a Gguf,
    architecture: &'a str,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture)
    }

    fn count(&self, name: &str) -> Option<usize> {
        self.gguf.count(&self.key(name))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.gguf.number(&self.key(name)).filter(|number| number.is_finite() && *number > 0.0)
    }

    fn required(&self, name: &str) -> Result<f64, LoadError> {
        self.number(name)
            .ok_or_else(|| malformed(self.gguf, format!("the file has no `{}` above 0", self.key(name))))
    }

    fn between(&self, name: &str, least: usize, most: usize) -> Result<usize, LoadError> {
        match self.count(name) {
            Some(count) if (least..=most).contains(&count) => Ok(count),
            found => {
                let key = self.key(name);
                let message = match found {
                    Some(count) => format!("`{key}` is {count}: it must be {least} to {most}"),
                    None => format!("the file has no count `{key}`"),
                };
                Err(malformed(self.gguf, message))
            }
        }
    }

    fn kv_heads(&self, heads: usize) -> Result<usize, LoadError> {
        let key = self.key("attention.head_count_kv");
        if matches!(self.gguf.get(&key), Some(Value::List(_))) {
            let message = "models whose layers differ in their heads are not supported".into();
            return Err(LoadError::Unsupported { message });
        }
        let kv_heads = self.gguf.count(&key).unwrap_or(heads);
        if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
            let message = format!("{heads} heads of queries cannot share {kv_heads} heads of keys");
            return Err(malformed(self.gguf, message));
        }
        Ok(kv_heads)
    }

    fn head_width(&self, width: usize, heads: usize) -> Result<usize, LoadError> {
        let head_width = self.count("attention.key_length").unwrap_or(width / heads);
        let value_width = self.count("attention.value_length").unwrap_or(head_width);
        let turned = self.count("rope.dimension_count").unwrap_or(head_width);
        if head_width == 0 || head_width > 4_096 || !head_width.is_multiple_of(2) {
            return Err(malformed(self.gguf, format!("heads of width {head_width}")));
        }
        if value_width != head_width || turned != head_width {
            let message = format!(
                "heads whose keys ({head_width}), values ({value_width}) and rotation ({turned}) differ in width \
                 are not supported"
            );
            return Err(LoadError::Unsupported { message });
        }
        Ok(head_width)
    }

    fn rope(&self) -> Result<Rope, LoadError> {
        let scaling = self.gguf.text(&self.key("rope.scaling.type")).unwrap_or("none");
        let scale = match scaling {
            "none" => 1.0,
            "linear" => self.number("rope.scaling.factor").unwrap_or(1.0),
            other => {
                let message = format!("positions scaled by `{other}` are not supported: linear is");
                return Err(LoadError::Unsupported { message });
            }
        };
        let base = self.number("rope.freq_base").unwrap_or(10_000.0);
        // Converters permute the weights of Llama so that neighbours are turned together.
        Ok(Rope { base, scale, interleaved: self.architecture == "llama" })
    }

    fn window(&self) -> Option<Window> {
        if self.architecture != "gemma3" {
            return None;
        }
        let tokens = self.count("attention.sliding_window").filter(|&tokens| tokens > 0)?;
        Some(Window { tokens, every: 6, base: 10_000.0 })
    }
}
