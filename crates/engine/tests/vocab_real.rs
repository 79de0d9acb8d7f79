//! Real vocabularies, every id compared with what an independent library makes of it.
//!
//! `tools/fixtures.py --reference` fetches the vocabularies and has those libraries write the reference files.

use std::fs;

use tokenstile_engine::{TokenId, TokenKind, Vocab};
use tokenstile_harness::data::fetched;
use tokenstile_harness::vocab::Files;

/// The bytes of a fetched file.
fn read(file: &str) -> Vec<u8> {
    fs::read(fetched(file)).unwrap()
}

/// One line of a reference file.
struct Reference {
    id: TokenId,
    text: bool,
    bytes: Vec<u8>,
}

fn references(name: &str) -> Vec<Reference> {
    let text = String::from_utf8(read(&format!("{name}.ref"))).unwrap();
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let digit = |c: u8| (c as char).to_digit(16).unwrap() as u8;
        Reference {
            id: fields[0].parse().unwrap(),
            text: fields[1] == "t",
            bytes: fields[2].as_bytes().chunks(2).map(|d| digit(d[0]) * 16 + digit(d[1])).collect(),
        }
    };
    text.lines().map(parse).collect()
}

/// What is expected of a vocabulary.
struct Expected {
    name: &'static str,
    len: usize,
    end: &'static [TokenId],
    longest: usize,
    /// Tokens that their file calls text and the rule for added tokens does not.
    overruled: usize,
    special: usize,
    unused: usize,
}

/// Loads, compares every id, and returns the vocabulary.
fn check(file: &str, load: impl Fn(&[u8], &[Reference]) -> Vocab, expected: &Expected) -> Vocab {
    let name = expected.name;
    let bytes = read(file);
    let references = references(name);
    let vocab = load(&bytes, &references);

    let mut known = vec![false; vocab.len()];
    let mut overruled = 0;
    for reference in &references {
        let id = reference.id;
        known[id as usize] = true;
        match vocab.bytes(id) {
            Some(bytes) => {
                assert!(reference.text, "{name}: token {id} is text here only");
                assert_eq!(bytes, reference.bytes, "{name}: token {id}");
            }
            None => {
                overruled += usize::from(reference.text && !reference.bytes.is_empty());
                let token_name = vocab.name(id).unwrap_or_default();
                assert_eq!(token_name.as_bytes(), reference.bytes, "{name}: name of token {id}");
            }
        }
    }
    for id in (0..vocab.len()).filter(|&id| !known[id]) {
        assert_eq!(vocab.kind(id as TokenId), TokenKind::Unused, "{name}: token {id} exists here only");
        assert_eq!(vocab.name(id as TokenId), None, "{name}: token {id} exists here only");
    }
    assert_eq!(vocab.len(), expected.len, "{name}: size");
    assert_eq!(vocab.width(), expected.len, "{name}: width");
    assert_eq!(vocab.end_tokens(), expected.end, "{name}: end tokens");
    let longest = vocab.text_tokens().map(|(_, bytes)| bytes.len()).max();
    assert_eq!(longest, Some(expected.longest), "{name}: longest token");
    let count = |kind| (0..vocab.len()).filter(|&id| vocab.kind(id as TokenId) == kind).count();
    let counts = (overruled, count(TokenKind::Special), count(TokenKind::Unused));
    assert_eq!(
        counts,
        (expected.overruled, expected.special, expected.unused),
        "{name}: overruled, special, unused"
    );

    // Told by content, it is the same.
    let detected = Vocab::detect_named(file, &bytes).unwrap();
    if !file.ends_with(".tiktoken") || file == "o200k_base.tiktoken" {
        assert_eq!(detected.fingerprint(), vocab.fingerprint(), "{name}: detected");
    }
    vocab
}

fn expect(
    name: &'static str,
    (len, longest): (usize, usize),
    end: &'static [TokenId],
    (overruled, special, unused): (usize, usize, usize),
) -> Expected {
    Expected { name, len, end, longest, overruled, special, unused }
}

fn tokenizer_json(expected: &Expected) -> Vocab {
    let file = format!("{}.tokenizer.json", expected.name);
    check(&file, |bytes, _| Vocab::from_tokenizer_json(bytes).unwrap(), expected)
}

fn gguf(expected: &Expected) -> Vocab {
    check(&format!("{}.gguf", expected.name), |bytes, _| Vocab::from_gguf(bytes).unwrap(), expected)
}

/// The files have no special tokens: they come from the reference.
fn tiktoken(expected: &Expected) -> Vocab {
    let load = |bytes: &[u8], references: &[Reference]| {
        let name = |r: &Reference| String::from_utf8(r.bytes.clone()).unwrap();
        let special: Vec<_> = references.iter().filter(|r| !r.text).map(|r| (name(r), r.id)).collect();
        Vocab::from_tiktoken(bytes, &special).unwrap()
    };
    check(&format!("{}.tiktoken", expected.name), load, expected)
}

#[test]
#[ignore = "needs fetched data"]
fn llama_3_1() {
    tokenizer_json(&expect("llama-3.1", (128256, 128), &[128009, 128001], (0, 256, 0)));
}

#[test]
#[ignore = "needs fetched data"]
fn qwen3() {
    let expected = expect("qwen3", (151669, 128), &[151645, 151643], (12, 26, 0));
    let vocab = tokenizer_json(&expected);
    assert_eq!(vocab.find_special("<think>"), Some(151667));
    // The model's logits are wider than the vocabulary.
    let wide = vocab.with_width(151936).unwrap();
    assert_eq!((wide.len(), wide.width()), (151669, 151936));
    assert_eq!(wide.kind(151935), TokenKind::Unused);
}

#[test]
#[ignore = "needs fetched data"]
fn gemma_3() {
    let expected = expect("gemma-3", (262145, 48), &[106, 1], (6246, 13, 6242));
    let vocab = tokenizer_json(&expected);
    assert_eq!(vocab.bytes(107), Some(&b"\n"[..]));
    let text = |name: &[u8]| vocab.text_tokens().any(|(_, bytes)| bytes == name);
    assert!(text(b"<table>") && text(b"</s>") && text(b"        "));
    assert!(!text(b"<unused0>") && !text(b"[multimodal]"));
    // One id more than the model has logits.
    let narrow = vocab.with_width(262144).unwrap();
    assert_eq!(narrow.kind(262144), TokenKind::Unused);
    assert_eq!(narrow.name(262144), Some("<image_soft_token>"));
    assert_eq!(narrow.find_special("<image_soft_token>"), None);
}

#[test]
#[ignore = "needs fetched data"]
fn deepseek_v3() {
    tokenizer_json(&expect("deepseek-v3", (128815, 128), &[1], (14, 18, 800)));
}

#[test]
#[ignore = "needs fetched data"]
fn command_r_plus() {
    tokenizer_json(&expect("command-r-plus", (255029, 512), &[255001], (29, 37, 0)));
}

#[test]
#[ignore = "needs fetched data"]
fn o200k() {
    let expected = expect("o200k_base", (200019, 128), &[199999], (0, 2, 19));
    let vocab = tiktoken(&expected);
    assert_eq!(vocab.kind(199998), TokenKind::Unused);
}

#[test]
#[ignore = "needs fetched data"]
fn qwen3_6() {
    tiktoken(&expect("qwen3.6", (248077, 128), &[248046, 248044], (0, 33, 0)));
}

#[test]
#[ignore = "needs fetched data"]
fn llama_4() {
    tiktoken(&expect("llama-4", (202048, 113), &[200008, 200007, 200001], (0, 2048, 0)));
}

#[test]
#[ignore = "needs fetched data"]
fn tekken() {
    let expected = expect("tekken", (131072, 76), &[2], (0, 20, 980));
    check("tekken.json", |bytes, _| Vocab::from_tekken_json(bytes).unwrap(), &expected);
}

#[test]
#[ignore = "needs fetched data"]
fn mistral_v0_3() {
    let expected = expect("mistral-v0.3", (32768, 25), &[2], (20, 771, 0));
    check("mistral-v0.3.model", |bytes, _| Vocab::from_sentencepiece(bytes).unwrap(), &expected);
}

#[test]
#[ignore = "needs fetched data"]
fn llama_2() {
    let vocab = gguf(&expect("llama-2", (32000, 27), &[2], (0, 3, 0)));
    // The byte and the plain token: two ids for one text.
    assert_eq!(vocab.text_tokens().filter(|(_, bytes)| *bytes == b"a").count(), 2);
}

#[test]
#[ignore = "needs fetched data"]
fn smollm2() {
    let vocab = gguf(&expect("smollm2", (49152, 81), &[2, 0], (0, 17, 0)));
    // Some bytes have no token of their own.
    let single = |byte: u8| vocab.text_tokens().any(|(_, bytes)| bytes == [byte]);
    let without: Vec<u8> = (0..=255).filter(|&byte| !single(byte)).collect();
    assert_eq!(without[..6], [0x04, 0x06, 0x13, 0x14, 0x16, 0x1d]);
    assert_eq!(without[6..10], [0xc0, 0xc1, 0xf1, 0xf2]);
    assert_eq!(without[10..], (0xf5..=0xff).collect::<Vec<u8>>());
}

#[test]
#[ignore = "needs fetched data"]
fn phi_3() {
    gguf(&expect("phi-3", (32064, 27), &[32000, 32007, 2], (1, 14, 53)));
}

#[test]
#[ignore = "needs fetched data"]
fn qwen2() {
    gguf(&expect("qwen2", (151936, 128), &[151643, 151645], (290, 3, 290)));
}

#[test]
#[ignore = "needs fetched data"]
fn gpt_neox() {
    gguf(&expect("gpt-neox", (50432, 512), &[0], (155, 2, 155)));
}

#[test]
#[ignore = "needs fetched data"]
fn deepseek_coder() {
    gguf(&expect("deepseek-coder", (32256, 65), &[32014], (241, 9, 234)));
}

#[test]
#[ignore = "needs fetched data"]
fn gemma_4() {
    gguf(&expect("gemma-4", (262144, 48), &[1, 106], (6234, 24, 6227)));
}

#[test]
fn jsonl_equals_tokenizer_json() {
    let files = Files::large();
    let lines = Vocab::from_jsonl(&files.jsonl).unwrap();
    let json = Vocab::from_tokenizer_json(&files.tokenizer_json).unwrap();
    assert_eq!(lines.len(), files.len);
    assert_eq!(lines.len(), json.len());
    for id in 0..lines.len() as TokenId {
        assert_eq!(lines.kind(id), json.kind(id), "token {id}");
        assert_eq!(lines.bytes(id), json.bytes(id), "token {id}");
        assert_eq!(lines.name(id), json.name(id), "token {id}");
    }
    let ends: Vec<_> = lines.end_tokens().iter().map(|&id| lines.name(id).unwrap()).collect();
    assert_eq!(ends, ["<|eot_id|>", "<|end_of_text|>", "<|eom_id|>"]);
    assert_eq!(lines.fingerprint(), json.fingerprint());
}
