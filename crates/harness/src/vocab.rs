//! Vocabularies: a large one, small ones, and files of them.
//!
//! The large one is that of Llama 3 from the shared data. What stands in for it is made here, of the words in `data/words.txt`:
//! some ten thousand tokens of the kinds that real vocabularies have, since the engine's tables of runs are about those.

use std::collections::BTreeSet;
use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokenstile_engine::{TokenId, Vocab};

use crate::data::Shared;

/// A vocabulary of all single bytes under their own numbers, these `tokens` from 256 on, and one end token.
pub fn byte_vocab<T: AsRef<[u8]>>(tokens: &[T]) -> Vocab {
    let bytes = (0..=255u8).map(|b| vec![b]);
    let all: Vec<(u32, Vec<u8>)> =
        (0..).zip(bytes.chain(tokens.iter().map(|t| t.as_ref().to_vec()))).collect();
    let end = all.len() as u32;
    Vocab::from_tokens(all, &[end]).expect("well formed")
}

/// The large vocabulary as a file of JSON Lines and as a `tokenizer.json`.
#[derive(Debug)]
pub struct Files {
    /// One token a line.
    pub jsonl: Vec<u8>,
    /// As Hugging Face's tokenizers read it.
    pub tokenizer_json: Vec<u8>,
    /// How many tokens there are.
    pub len: usize,
}

impl Files {
    /// Those of Llama 3, or what stands in for them.
    #[track_caller]
    pub fn large() -> Self {
        let shared = Shared::find();
        if !shared.is_real {
            return Files::small();
        }
        let read = |name: &str| fs::read(shared.path(name)).expect("it can be read");
        let (jsonl, json) = (read("peerbench/data/vocab.jsonl"), read("peerbench/data/tokenizer.json"));
        Files { jsonl, tokenizer_json: json, len: 128_256 }
    }

    /// Those of what stands in for Llama 3's.
    pub fn small() -> Self {
        Files::of(&small_tokens())
    }

    /// Files of these tokens, with the special tokens of [`SPECIAL`] behind them.
    fn of(tokens: &[Vec<u8>]) -> Self {
        let special = |at: usize| tokens.len() + at;
        let [end_of_text, end_of_turn, end_of_message] = [0, 1, 2].map(special);
        let mut lines = vec![json!({
            "n_vocab": special(SPECIAL.len()),
            "eos": end_of_turn,
            "stop": [end_of_text, end_of_message, end_of_turn],
        })];
        lines.extend(
            (0..)
                .zip(tokens)
                .map(|(id, token): (TokenId, _)| json!({"id": id, "b64": STANDARD.encode(token)})),
        );
        lines.extend(
            SPECIAL
                .iter()
                .enumerate()
                .map(|(at, name)| json!({"id": special(at), "b64": STANDARD.encode(name), "special": true})),
        );
        let added = SPECIAL
            .iter()
            .enumerate()
            .map(|(at, name)| json!({"id": special(at), "content": name, "special": true}));
        let vocab: serde_json::Map<String, Value> =
            (0..).zip(tokens).map(|(id, token): (TokenId, _)| (spelled(token), id.into())).collect();
        let tokenizer = json!({
            "added_tokens": added.collect::<Vec<_>>(),
            "normalizer": null,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
            "decoder": {"type": "ByteLevel"},
            "model": {"type": "BPE", "byte_fallback": false, "vocab": vocab, "merges": []},
        });
        let jsonl: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Files {
            jsonl: jsonl.into_bytes(),
            tokenizer_json: tokenizer.to_string().into_bytes(),
            len: special(SPECIAL.len()),
        }
    }
}

/// The special tokens of the vocabulary that stands in for the large one: the three that end something.
const SPECIAL: [&str; 3] = ["<|end_of_text|>", "<|eot_id|>", "<|eom_id|>"];

/// The large vocabulary.
#[track_caller]
pub fn large() -> Vocab {
    let files = Files::large();
    let vocab = Vocab::from_jsonl(&files.jsonl).expect("well formed");
    assert_eq!(vocab.len(), files.len);
    vocab
}

/// Bytes as byte-level tokenizers spell them: those that are printable stand for themselves, the others, in order, for the
/// characters from U+0100 on.
fn spelled(bytes: &[u8]) -> String {
    let is_printable = |byte: u8| matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    let spell = |&byte: &u8| match is_printable(byte) {
        true => char::from(byte),
        false => {
            let before = (0..byte).filter(|&byte| !is_printable(byte)).count();
            char::from_u32(0x100 + before as u32).expect("there are fewer than 256")
        }
    };
    bytes.iter().map(spell).collect()
}

/// The tokens of the vocabulary that stands in for the large one: all bytes, then what follows from the words and signs of
/// `data/words.txt`, each once.
fn small_tokens() -> Vec<Vec<u8>> {
    let mut made: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut add = |text: &str| {
        made.insert(text.as_bytes().to_vec());
        // Parts of characters are tokens too.
        if !text.is_ascii() && text.chars().count() <= 2 {
            let (first, last) = (&text.as_bytes()[..text.len() - 1], &text.as_bytes()[1..]);
            made.extend([first.to_vec(), last.to_vec()]);
        }
    };
    for text in include_str!("../data/words.txt").split_whitespace() {
        if text.chars().all(char::is_alphanumeric) {
            words(text).iter().for_each(|word| add(word));
        } else {
            [text.to_owned(), format!(" {text}"), format!("{text} "), format!("{text}\n")]
                .iter()
                .for_each(|signs| add(signs));
        }
    }
    (0..1_000).for_each(|number| add(&number.to_string()));
    for sign in [" ", "\n", "\t", "-", "=", "*", "#", "/", ".", "_", "a", "é", "  \n"] {
        [2, 3, 4, 7, 8, 15, 16, 17, 32, 64].iter().for_each(|&count| add(&sign.repeat(count)));
    }
    let bytes: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    let longer = made.into_iter().filter(|token| token.len() > 1);
    bytes.iter().cloned().chain(longer).collect()
}

/// The tokens that a word brings: itself in other cases, with what real vocabularies have before and behind words.
fn words(word: &str) -> Vec<String> {
    let mut first = word.chars();
    let capital: String = first.next().into_iter().flat_map(char::to_uppercase).chain(first).collect();
    let mut all = Vec::new();
    for form in [word, &capital, &word.to_uppercase()] {
        all.extend(["", " ", "_", "\"", "("].map(|before| format!("{before}{form}")));
        all.extend(["\"", "\":", "\",", ".", ",", "1", "s", " ", "("].map(|after| format!("{form}{after}")));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_has_tokens_of_all_kinds() {
        let tokens = small_tokens();
        assert!((8_000..20_000).contains(&tokens.len()), "{}", tokens.len());
        let count = |is_it: fn(&[u8]) -> bool| tokens.iter().filter(|token| is_it(token)).count();
        assert_eq!(count(|token| token.len() == 1), 256);
        assert!(count(|token| std::str::from_utf8(token).is_err()) > 200, "parts of characters");
        assert!(count(|token| !token.is_ascii()) > 1_000, "characters past ASCII");
        assert!(count(|token| token.len() > 16) > 10, "long ones");
        let mut once = tokens.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), tokens.len());
    }

    #[test]
    fn bytes_are_spelled_as_tokenizers_spell_them() {
        assert_eq!(spelled(b"a b\n"), "aĠbĊ");
        assert_eq!(spelled(&[0x00, 0x7F, 0xAD, 0xFF]), "ĀġŃÿ");
    }
}
