//! The fields that every way of asking shares: how tokens are chosen, how far to write, in which form to answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokenstile_runtime::Sampling;

use crate::error::ApiError;
use crate::json::Fields;

/// Most stop texts of a request.
const STOPS: usize = 16;
/// Most bytes of one stop text.
const STOP_BYTES: usize = 1_024;
/// Most tokens that a bias may be given to.
const BIASES: usize = 1_024;

/// How to write, and in which form to answer.
#[derive(Clone, Debug)]
pub(crate) struct Params {
    pub(crate) sampling: Sampling,
    pub(crate) max_tokens: Option<usize>,
    /// How many texts.
    pub(crate) count: usize,
    pub(crate) stop: Vec<String>,
    /// Answer piece by piece.
    pub(crate) stream: bool,
    /// Close a stream with what it has cost.
    pub(crate) stream_usage: bool,
    /// Say how likely tokens were, and so many of the likeliest.
    pub(crate) logprobs: Option<usize>,
}

impl Params {
    /// Takes the fields of a chat or a completion.
    pub(crate) fn read(fields: &mut Fields, most_texts: usize) -> Result<Params, ApiError> {
        let stream = fields.flag("stream")?;
        let mut stream_usage = false;
        if let Some(mut options) = fields.object("stream_options")? {
            stream_usage = options.flag("include_usage")?;
            options.finish(&["include_obfuscation", "continuous_usage_stats"])?;
        }
        let limits =
            [fields.count("max_completion_tokens", 1..=u64::MAX)?, fields.count("max_tokens", 1..=u64::MAX)?];
        Ok(Params {
            sampling: sampling(fields)?,
            max_tokens: limits.into_iter().flatten().next(),
            count: fields.count("n", 1..=most_texts as u64)?.unwrap_or(1),
            stop: stops(fields)?,
            stream,
            stream_usage,
            logprobs: None,
        })
    }
}

/// Takes the fields about how tokens are chosen.
pub(crate) fn sampling(fields: &mut Fields) -> Result<Sampling, ApiError> {
    let usual = Sampling::default();
    // vLLM and SGLang write -1 for "all".
    let top_k = match fields.take("top_k") {
        None => 0,
        Some(value) if value.as_i64() == Some(-1) => 0,
        Some(value) => {
            let count = value.as_u64().and_then(|k| usize::try_from(k).ok());
            count.ok_or_else(|| fields.wrong("top_k", "must be a whole number, or -1 for all"))?
        }
    };
    let top_p = fields.number("top_p", 0.0..=1.0)?.unwrap_or(usual.top_p);
    Ok(Sampling {
        temperature: fields.number("temperature", 0.0..=100.0)?.unwrap_or(1.0),
        top_k,
        // OpenAI allows 0, which leaves the likeliest token.
        top_p: top_p.max(f32::MIN_POSITIVE),
        min_p: fields.number("min_p", 0.0..=1.0)?.unwrap_or(usual.min_p),
        repetition_penalty: fields.number("repetition_penalty", 0.01..=10.0)?.unwrap_or(1.0),
        frequency_penalty: fields.number("frequency_penalty", -2.0..=2.0)?.unwrap_or(0.0),
        presence_penalty: fields.number("presence_penalty", -2.0..=2.0)?.unwrap_or(0.0),
        logit_bias: logit_bias(fields)?,
        seed: seed(fields)?,
    })
}

fn seed(fields: &mut Fields) -> Result<u64, ApiError> {
    match fields.take("seed") {
        None => Ok(fresh_number()),
        Some(value) => {
            let seed = value.as_u64().or_else(|| value.as_i64().map(i64::cast_unsigned));
            seed.ok_or_else(|| fields.wrong("seed", "must be a whole number"))
        }
    }
}

/// A number that is another one each time.
pub(crate) fn fresh_number() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    (now.as_nanos() as u64 ^ count.rotate_left(40)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn logit_bias(fields: &mut Fields) -> Result<Vec<(u32, f32)>, ApiError> {
    let must = "must be an object of at most 1024 tokens and biases from -100 to 100";
    let map = match fields.take("logit_bias") {
        None => return Ok(Vec::new()),
        Some(Value::Object(map)) if map.len() <= BIASES => map,
        Some(_) => return Err(fields.wrong("logit_bias", must)),
    };
    let read = map.iter().map(|(token, bias)| {
        let bias = bias.as_f64().filter(|bias| (-100.0..=100.0).contains(bias))?;
        Some((token.parse().ok()?, bias as f32))
    });
    read.collect::<Option<Vec<_>>>().ok_or_else(|| fields.wrong("logit_bias", must))
}

/// Takes the stop texts.
pub(crate) fn stops(fields: &mut Fields) -> Result<Vec<String>, ApiError> {
    let stops = fields.texts("stop")?;
    if stops.len() > STOPS || stops.iter().any(|stop| stop.is_empty() || stop.len() > STOP_BYTES) {
        return Err(fields.wrong("stop", "must be at most 16 texts of 1 to 1024 bytes"));
    }
    Ok(stops)
}

/// Takes `reasoning.until`: the text behind which the constraint begins. What comes before it is free.
pub(crate) fn reasoning(fields: &mut Fields) -> Result<Option<String>, ApiError> {
    let Some(mut reasoning) = fields.object("reasoning")? else { return Ok(None) };
    let until = reasoning.text("until")?;
    if until.as_ref().is_some_and(|until| until.is_empty() || until.len() > STOP_BYTES) {
        return Err(reasoning.wrong("until", "must have 1 to 1024 bytes"));
    }
    reasoning.finish(&["effort", "summary", "generate_summary"])?;
    Ok(until)
}
