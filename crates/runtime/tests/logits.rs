//! The model against llama.cpp, whose tokens and logits `tools/reference_logits.py` has written down, and against exact
//! arithmetic, which `tools/exact_logits.py` has done.

mod support;

use serde_json::Value;
use tokenstile_harness::data::fetched;
use tokenstile_runtime::gguf::Gguf;
use tokenstile_runtime::model::{Model, Piece};
use tokenstile_runtime::{Device, Runtime};

fn reference() -> Value {
    serde_json::from_str(include_str!("data/llama-cpp.json")).unwrap()
}

fn ids(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect()
}

#[test]
#[ignore = "needs fetched data"]
fn tokens_are_those_of_llama_cpp() {
    let runtime = support::runtime();
    let reference = reference();
    for case in reference["texts"].as_array().unwrap() {
        let text = case[0].as_str().unwrap();
        assert_eq!(runtime.tokenizer().encode(text.as_bytes()), ids(&case[1]), "{text:?}");
        assert_eq!(runtime.tokenizer().decode(&ids(&case[1])), text.as_bytes());
    }
    for case in reference["prompts"].as_array().unwrap() {
        let prompt = case["prompt"].as_str().unwrap();
        assert_eq!(runtime.tokenizer().encode_prompt(prompt), ids(&case["tokens"]), "{prompt:?}");
    }
}

fn log_probabilities(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().fold(f32::MIN, |a, &b| a.max(b));
    let sum: f64 = logits.iter().map(|&logit| f64::from(logit - most).exp()).sum();
    logits.iter().map(|&logit| f64::from(logit - most) - sum.ln()).collect()
}

/// The log probabilities that a model finds after `tokens`.
fn after(model: &Model, tokens: &[u32]) -> Vec<f64> {
    let mut cache = model.cache().unwrap();
    let logits = model.forward(&mut [Piece { tokens, cache: &mut cache }]).unwrap();
    log_probabilities(&logits[0])
}

/// Mean and greatest distance of log probabilities from a list of `[token, expected]`.
fn distances(found: &[f64], top: &Value) -> (f64, f64) {
    let errors = top.as_array().unwrap().iter().map(|pair| {
        let (id, expected) = (pair[0].as_u64().unwrap() as usize, pair[1].as_f64().unwrap());
        (found[id] - expected).abs()
    });
    let errors: Vec<f64> = errors.collect();
    let most = errors.iter().fold(0.0, |most: f64, &error| most.max(error));
    (errors.iter().sum::<f64>() / errors.len() as f64, most)
}

fn likeliest(found: &[f64]) -> usize {
    (0..found.len()).max_by(|&a, &b| found[a].total_cmp(&found[b])).unwrap()
}

/// By how much the likeliest of a list of `[token, expected]` leads.
fn lead(top: &Value) -> f64 {
    let mut top: Vec<f64> = top.as_array().unwrap().iter().map(|pair| pair[1].as_f64().unwrap()).collect();
    top.sort_by(f64::total_cmp);
    top[top.len() - 1] - top[top.len() - 2]
}

/// The prompts' tokens, with what `tools/exact_logits.py` has computed of them in 64 bits.
fn exact() -> Vec<(Vec<u32>, Value)> {
    let exact: Vec<Value> = serde_json::from_str(include_str!("data/exact.json")).unwrap();
    let reference = reference();
    let prompts = reference["prompts"].as_array().unwrap();
    assert_eq!(prompts.len(), exact.len());
    prompts.iter().zip(exact).map(|(case, exact)| (ids(&case["tokens"]), exact)).collect()
}

/// The forward pass itself, without activations rounded to 8 bits: all that is left is 32-bit arithmetic (0.00006 was
/// seen, most of it the four digits of the reference), so a mistake anywhere in it shows.
#[test]
#[ignore = "needs fetched data"]
fn without_rounding_logits_are_exact() {
    let path = fetched("smollm2.gguf");
    let model = Model::load_exact(&Gguf::open(&path).unwrap(), &Device::Cpu).unwrap();
    for (tokens, exact) in exact() {
        let found = after(&model, &tokens);
        let (_, most) = distances(&found, &exact["top"]);
        assert!(most < 0.0005, "{}: {most}", exact["prompt"]);
        assert_eq!(likeliest(&found) as u64, exact["likeliest"], "{}", exact["prompt"]);
    }
}

/// What rounding activations to 8 bits costs. llama.cpp rounds them too, and is 0.07 to 0.14 from the exact values on the
/// average of a prompt, 0.40 at most; we were 0.05 to 0.11 and 0.31 when this was written. The bounds are llama.cpp's
/// distances: no farther from the truth than it is. (From each other the two are up to the sum of both, 0.21 was seen; that
/// says nothing about either, so it is not tested.)
#[test]
#[ignore = "needs fetched data"]
fn rounded_logits_are_as_near_as_those_of_llama_cpp() {
    let runtime = support::runtime();
    let (mut ours, mut theirs) = (0.0, 0.0);
    for (tokens, exact) in exact() {
        let found = after(runtime.model(), &tokens);
        let (mean, most) = distances(&found, &exact["top"]);
        assert!(mean < 0.15 && most < 0.4, "{}: {mean} {most}", exact["prompt"]);
        (ours, theirs) = (ours + mean, theirs + exact["llama_cpp"]["mean"].as_f64().unwrap());
        // Of two that are about as likely, either may come out as the likeliest.
        if lead(&exact["top"]) > 0.2 {
            assert_eq!(likeliest(&found) as u64, exact["likeliest"], "{}", exact["prompt"]);
        }
    }
    // 0.41 and 0.50 over the five prompts. Other machines add up in another order, which moves ours a little.
    assert!(ours < theirs * 1.1, "{ours} {theirs}");
}

/// The accelerator that this is built for: attention by other means, and candle's products. Unrounded the pass is as exact as
/// on a CPU (0.00005 on an NVIDIA H200). candle's own products with Q4_1 round more coarsely than ours do: means of 0.14 to 0.58
/// and 1.27 at most were seen there, so their bounds only find what is broken.
#[cfg(any(feature = "cuda", feature = "metal"))]
#[test]
#[ignore = "needs fetched data"]
fn the_accelerator_agrees() {
    let path = fetched("smollm2.gguf");
    let device = tokenstile_runtime::best_device().unwrap();
    let unrounded = Model::load_exact(&Gguf::open(&path).unwrap(), &device).unwrap();
    let runtime = Runtime::load(&path, &device, |_| {}).unwrap();
    for (tokens, exact) in exact() {
        let (_, most) = distances(&after(&unrounded, &tokens), &exact["top"]);
        assert!(most < 0.0005, "{}: {most}", exact["prompt"]);
        // One token at a time goes through other products than a prompt does.
        let single = in_parts(&runtime, &tokens, &vec![1; tokens.len()]);
        for found in [after(runtime.model(), &tokens), log_probabilities(&single)] {
            let (mean, most) = distances(&found, &exact["top"]);
            assert!(mean < 0.8 && most < 2.0, "{}: {mean} {most}", exact["prompt"]);
        }
    }
}

/// The logits after `tokens`, given in parts of these lengths.
fn in_parts(runtime: &Runtime, tokens: &[u32], lengths: &[usize]) -> Vec<f32> {
    let mut cache = runtime.model().cache().unwrap();
    let (mut at, mut logits) = (0, Vec::new());
    for &length in lengths {
        let piece = Piece { tokens: &tokens[at..at + length], cache: &mut cache };
        logits = runtime.model().forward(&mut [piece]).unwrap();
        at += length;
    }
    assert_eq!((at, cache.len()), (tokens.len(), tokens.len()));
    logits.swap_remove(0)
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
#[ignore = "needs fetched data"]
fn how_tokens_are_grouped_does_not_matter() {
    let runtime = support::runtime();
    let reference = reference();
    let tokens = ids(&reference["prompts"][4]["tokens"]);
    let whole = in_parts(runtime, &tokens, &[tokens.len()]);
    let single = in_parts(runtime, &tokens, &vec![1; tokens.len()]);
    let parts = in_parts(runtime, &tokens, &[3, 1, tokens.len() - 9, 5]);
    // To the last bit: texts do not depend on it.
    assert_eq!((distance(&whole, &single), distance(&whole, &parts)), (0.0, 0.0));
}

#[test]
#[ignore = "needs fetched data"]
fn sequences_in_a_batch_do_not_see_each_other() {
    let runtime = support::runtime();
    let reference = reference();
    let prompts: Vec<Vec<u32>> = (0..4).map(|i| ids(&reference["prompts"][i]["tokens"])).collect();
    let alone: Vec<Vec<f32>> = prompts.iter().map(|p| in_parts(runtime, p, &[p.len()])).collect();
    let mut caches: Vec<_> = prompts.iter().map(|_| runtime.model().cache().unwrap()).collect();
    // All but the last token of each, then the last ones together.
    for last in [false, true] {
        let mut pieces: Vec<Piece<'_>> = prompts
            .iter()
            .zip(&mut caches)
            .map(|(prompt, cache)| {
                let (first, end) = prompt.split_at(prompt.len() - 1);
                Piece { tokens: if last { end } else { first }, cache }
            })
            .collect();
        let logits = runtime.model().forward(&mut pieces).unwrap();
        if last {
            for (alone, logits) in alone.iter().zip(&logits) {
                assert_eq!(distance(alone, logits), 0.0);
            }
        }
    }
}

#[test]
#[ignore = "needs fetched data"]
fn memory_is_taken_back_and_forked() {
    let runtime = support::runtime();
    let model = runtime.model();
    let reference = reference();
    let (tokens, other) = (ids(&reference["prompts"][0]["tokens"]), ids(&reference["prompts"][1]["tokens"]));
    let mut cache = model.cache().unwrap();
    model.forward(&mut [Piece { tokens: &tokens[..4], cache: &mut cache }]).unwrap();
    let mut fork = cache.fork().unwrap();
    model.forward(&mut [Piece { tokens: &other, cache: &mut cache }]).unwrap();
    cache.truncate(4);
    let expected = in_parts(runtime, &tokens, &[tokens.len()]);
    for cache in [&mut cache, &mut fork] {
        let logits = model.forward(&mut [Piece { tokens: &tokens[4..], cache }]).unwrap();
        assert_eq!(distance(&expected, &logits[0]), 0.0);
    }
}

#[test]
#[ignore = "needs fetched data"]
fn long_prompts_go_through_in_parts() {
    let runtime = support::runtime();
    let tokens: Vec<u32> = (0..300).map(|i| 500 + i % 97).collect();
    let whole = in_parts(runtime, &tokens, &[300]);
    let parts = in_parts(runtime, &tokens, &[120, 180]);
    assert_eq!(distance(&whole, &parts), 0.0);
}

#[test]
#[ignore = "needs fetched data"]
fn what_does_not_fit_is_refused() {
    let runtime = support::runtime();
    let model = runtime.model();
    let mut cache = model.cache().unwrap();
    assert!(model.forward(&mut [Piece { tokens: &[], cache: &mut cache }]).is_err());
    assert!(model.forward(&mut [Piece { tokens: &[u32::MAX], cache: &mut cache }]).is_err());
    let long = vec![0; model.config().context + 1];
    assert!(model.forward(&mut [Piece { tokens: &long, cache: &mut cache }]).is_err());
    assert!(cache.is_empty());
}
