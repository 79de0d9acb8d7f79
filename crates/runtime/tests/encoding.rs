//! Encoders against llama.cpp's own test vectors: many texts, one file of tokens for each kind of tokenizer.

use std::fs;

use tokenstile_harness::data::fetched;
use tokenstile_runtime::Tokenizer;
use tokenstile_runtime::gguf::Gguf;

/// Compares all texts; `space_first` where the tokenizer puts a space before a text.
fn compare(name: &str, space_first: bool) {
    let files = ["texts.inp".to_owned(), format!("{name}.out"), format!("{name}.gguf")];
    let [texts, tokens, vocab] = files.map(|file| fetched(&file));
    let gguf = Gguf::open(&vocab).unwrap();
    let tokenizer = Tokenizer::read(&gguf, gguf.vocab().unwrap().len()).unwrap();
    let texts = fs::read_to_string(texts).unwrap();
    let tokens = fs::read_to_string(tokens).unwrap();
    let texts: Vec<&str> = texts.split("\n__ggml_vocab_test__\n").collect();
    let mut compared = 0;
    for (text, expected) in texts.iter().zip(tokens.lines()) {
        let expected: Vec<u32> = expected.split_whitespace().map(|id| id.parse().unwrap()).collect();
        let text = if space_first && !text.is_empty() { format!(" {text}") } else { (*text).to_owned() };
        assert_eq!(tokenizer.encode(text.as_bytes()), expected, "{name}: {text:?}");
        assert_eq!(tokenizer.decode(&expected), text.as_bytes(), "{name}");
        compared += 1;
    }
    assert!(compared > 40, "{name}: {compared}");
}

#[test]
#[ignore = "needs fetched data"]
fn gpt_2() {
    compare("gpt-2", false);
}

#[test]
#[ignore = "needs fetched data"]
fn llama_3() {
    compare("llama-bpe", false);
}

#[test]
#[ignore = "needs fetched data"]
fn qwen_2() {
    compare("qwen2", false);
}

/// Cuts text as SmolLM2 does.
#[test]
#[ignore = "needs fetched data"]
fn single_digits() {
    compare("refact", false);
}

#[test]
#[ignore = "needs fetched data"]
fn sentencepiece() {
    compare("llama-2", true);
}

#[test]
#[ignore = "needs fetched data"]
fn bytes_that_are_no_text_are_encoded() {
    for name in ["qwen2", "llama-2"] {
        let vocab = fetched(&format!("{name}.gguf"));
        let gguf = Gguf::open(&vocab).unwrap();
        let tokenizer = Tokenizer::read(&gguf, gguf.vocab().unwrap().len()).unwrap();
        let bytes = b"a\xC3(\xE2\x82 b\xFF\xFE";
        assert_eq!(tokenizer.decode(&tokenizer.encode(bytes)), bytes, "{name}");
    }
}
