//! Files that are broken, cut off or lie: errors, never a panic, never much memory.

mod support;

use std::fs;
use std::path::PathBuf;

use tokenstile_runtime::{Device, LoadError, Runtime};

/// A GGUF file under construction.
#[derive(Clone, Default)]
struct File {
    keys: Vec<(String, u32, Vec<u8>)>,
    /// Name, dimensions (innermost first), type, offset.
    tensors: Vec<(String, Vec<u64>, u32, u64)>,
    data: Vec<u8>,
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

impl File {
    fn text(mut self, key: &str, value: &str) -> Self {
        self.keys.retain(|k| k.0 != key);
        self.keys.push((key.into(), 8, string(value)));
        self
    }

    fn count(mut self, key: &str, value: u32) -> Self {
        self.keys.retain(|k| k.0 != key);
        self.keys.push((key.into(), 4, value.to_le_bytes().to_vec()));
        self
    }

    fn float(mut self, key: &str, value: f32) -> Self {
        self.keys.push((key.into(), 6, value.to_le_bytes().to_vec()));
        self
    }

    fn strings(mut self, key: &str, values: &[&str]) -> Self {
        let head = [&8u32.to_le_bytes()[..], &(values.len() as u64).to_le_bytes()].concat();
        let all = values.iter().flat_map(|value| string(value));
        self.keys.push((key.into(), 9, head.into_iter().chain(all).collect()));
        self
    }

    /// A tensor of 32-bit numbers.
    fn tensor(mut self, name: &str, dims: &[u64], value: f32) -> Self {
        let count: u64 = dims.iter().product();
        let offset = self.data.len() as u64;
        self.tensors.push((name.into(), dims.to_vec(), 0, offset));
        self.data.extend((0..count).flat_map(|i| (value * (1.0 + (i % 7) as f32)).to_le_bytes()));
        self.data.resize(self.data.len().next_multiple_of(32), 0);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = b"GGUF\x03\0\0\0".to_vec();
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.keys.len() as u64).to_le_bytes());
        for (key, kind, value) in &self.keys {
            out.extend(string(key));
            out.extend(kind.to_le_bytes());
            out.extend(value);
        }
        for (name, dims, kind, offset) in &self.tensors {
            out.extend(string(name));
            out.extend((dims.len() as u32).to_le_bytes());
            dims.iter().for_each(|dim| out.extend(dim.to_le_bytes()));
            out.extend(kind.to_le_bytes());
            out.extend(offset.to_le_bytes());
        }
        out.resize(out.len().next_multiple_of(32), 0);
        out.extend(&self.data);
        out
    }
}

/// A tiny model that is all right.
fn tiny(value: f32) -> File {
    let (width, inner) = (8, 16);
    let tokens: Vec<String> = "abcdefgh".chars().map(String::from).chain(["<|end|>".into()]).collect();
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let mut file = File::default()
        .text("general.architecture", "llama")
        .count("llama.block_count", 1)
        .count("llama.context_length", 64)
        .count("llama.embedding_length", 8)
        .count("llama.feed_forward_length", 16)
        .count("llama.attention.head_count", 2)
        .count("llama.attention.head_count_kv", 1)
        .float("llama.attention.layer_norm_rms_epsilon", 1e-5)
        .text("tokenizer.ggml.model", "gpt2")
        .text("tokenizer.ggml.pre", "gpt-2")
        .strings("tokenizer.ggml.tokens", &tokens)
        .strings("tokenizer.ggml.merges", &[])
        .count("tokenizer.ggml.eos_token_id", 8)
        .tensor("token_embd.weight", &[width, 9], value)
        .tensor("output_norm.weight", &[width], 1.0);
    for (name, dims) in [
        ("attn_norm", vec![width]),
        ("attn_q", vec![width, 8]),
        ("attn_k", vec![width, 4]),
        ("attn_v", vec![width, 4]),
        ("attn_output", vec![8, width]),
        ("ffn_norm", vec![width]),
        ("ffn_gate", vec![width, inner]),
        ("ffn_up", vec![width, inner]),
        ("ffn_down", vec![inner, width]),
    ] {
        file = file.tensor(&format!("blk.0.{name}.weight"), &dims, 0.01);
    }
    file
}

/// Loads bytes as a file.
fn load(name: &str, bytes: &[u8]) -> Result<Runtime, LoadError> {
    let path: PathBuf = std::env::temp_dir().join(format!("tokenstile-{}-{name}.gguf", std::process::id()));
    fs::write(&path, bytes).unwrap();
    let loaded = Runtime::load(&path, &Device::Cpu, |_| {});
    fs::remove_file(path).unwrap();
    loaded
}

fn refusal(name: &str, file: &File) -> String {
    load(name, &file.bytes()).err().unwrap_or_else(|| panic!("{name} was loaded")).to_string()
}

#[test]
fn a_tiny_model_runs() {
    let runtime = load("tiny", &tiny(0.1).bytes()).unwrap();
    assert!(runtime.template().is_none());
    let request = support::ask(&runtime, "abc", None);
    let (sequence, _) = support::finish(&runtime, tokenstile_runtime::Request { max_tokens: 5, ..request });
    assert!(sequence.written() <= 5);
}

#[test]
fn every_cut_is_told() {
    let bytes = tiny(0.1).bytes();
    for end in (0..bytes.len()).step_by(13) {
        assert!(load("cut", &bytes[..end]).is_err(), "{end} of {}", bytes.len());
    }
}

#[test]
fn every_changed_byte_is_survived() {
    let bytes = tiny(0.1).bytes();
    let head = bytes.len() - tiny(0.1).data.len();
    for at in 0..head {
        for value in [0, 0xFF, bytes[at] ^ 0x10] {
            let mut changed = bytes.clone();
            changed[at] = value;
            // Loaded or refused: both will do.
            let _ = load("changed", &changed);
        }
    }
}

#[test]
fn lies_are_refused() {
    assert!(refusal("architecture", &tiny(0.1).text("general.architecture", "mamba")).contains("qwen3"));
    assert!(refusal("layers", &tiny(0.1).count("llama.block_count", u32::MAX)).contains("block_count"));
    assert!(refusal("more", &tiny(0.1).count("llama.block_count", 2)).contains("blk.1.attn_norm.weight"));
    assert!(refusal("heads", &tiny(0.1).count("llama.attention.head_count_kv", 3)).contains("share 3"));
    assert!(refusal("none", &tiny(0.1).count("llama.attention.head_count", 0)).contains("head_count"));
    assert!(refusal("width", &tiny(0.1).count("llama.embedding_length", 16)).contains("should be"));
    assert!(refusal("experts", &tiny(0.1).count("llama.expert_count", 8)).contains("experts"));
    assert!(refusal("aligned", &tiny(0.1).count("general.alignment", 0)).contains("alignment"));
    assert!(refusal("pre", &tiny(0.1).text("tokenizer.ggml.pre", "unheard-of")).contains("unheard-of"));
    assert!(
        refusal("template", &tiny(0.1).text("tokenizer.chat_template", "{% for %}")).contains("template")
    );
    let mut huge = tiny(0.1);
    huge.tensors[0].1 = vec![u64::MAX / 2, 9];
    assert!(refusal("huge", &huge).contains("token_embd.weight"));
    let mut far = tiny(0.1);
    far.tensors[1].3 = u64::MAX - 64;
    assert!(refusal("far", &far).contains("output_norm.weight"));
    let mut unknown = tiny(0.1);
    unknown.tensors[1].2 = 999;
    assert!(refusal("unknown", &unknown).contains("999"));
}

#[test]
fn weights_that_are_no_numbers_end_in_an_error() {
    let runtime = load("nan", &tiny(f32::NAN).bytes()).unwrap();
    let mut sequence = runtime.start(support::ask(&runtime, "abc", None)).unwrap();
    let steps = runtime.step(&mut [&mut sequence]).unwrap();
    assert!(matches!(steps[0], Err(tokenstile_runtime::GenerateError::NotANumber)), "{steps:?}");
    assert!(sequence.finish().is_some());
}
