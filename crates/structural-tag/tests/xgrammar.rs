//! Texts that a structural tag stands for are those that xgrammar accepts, but where a difference is meant.
//!
//! `data/texts.json` has random formats, and which of all short texts over three characters xgrammar 0.2.8 accepts.

use serde_json::Value;
use tokenstile_grammar::{Grammar, Limits};
use tokenstile_structural_tag::StructuralTag;
use tokenstile_testkit::{RefState, Reference};

/// What the texts are made of.
const ALPHABET: &[u8] = b"ab<";
/// How long they are at most.
const LONGEST: usize = 6;

fn grammar(format: &Value) -> Grammar {
    let limits = Limits::default();
    let text = format!(r#"{{"type": "structural_tag", "format": {format}}}"#);
    let tag = StructuralTag::from_json(&text, &limits).unwrap_or_else(|error| panic!("{format}: {error}"));
    tag.grammar(&limits).unwrap_or_else(|error| panic!("{format}: {error}"))
}

/// All short texts that a grammar has, shorter ones first, then by the alphabet.
fn accepted(grammar: &Grammar) -> Vec<bool> {
    let reference = Reference::new(grammar);
    let mut all = Vec::new();
    let mut level: Vec<RefState> = vec![reference.start()];
    for len in 0..=LONGEST {
        all.extend(level.iter().map(|&state| reference.is_accepting(state)));
        if len < LONGEST {
            let next = |state: &RefState| ALPHABET.iter().map(|&byte| reference.step(*state, byte)).collect();
            level = level.iter().flat_map(|state| -> Vec<RefState> { next(state) }).collect();
        }
    }
    all
}

/// The text at a place in that order.
fn text_at(mut at: usize) -> String {
    let mut len = 0;
    while at >= ALPHABET.len().pow(len) {
        at -= ALPHABET.len().pow(len);
        len += 1;
    }
    let digits = (0..len).rev().map(|i| at / ALPHABET.len().pow(i) % ALPHABET.len());
    digits.map(|digit| char::from(ALPHABET[digit])).collect()
}

fn bit(hex: &str, at: usize) -> bool {
    let digit = char::from(hex.as_bytes()[at / 4]).to_digit(16).unwrap();
    digit >> (at % 4) & 1 == 1
}

#[test]
fn short_texts_of_random_formats() {
    let data: Value = serde_json::from_str(include_str!("data/texts.json")).unwrap();
    let (mut same, mut wrong) = (0, Vec::new());
    for case in data.as_array().unwrap() {
        let expected = case["accepted"].as_str().unwrap();
        let found = accepted(&grammar(&case["format"]));
        let differing: Vec<usize> = (0..found.len()).filter(|&at| found[at] != bit(expected, at)).collect();
        same += found.len() - differing.len();
        if !differing.is_empty() {
            let some: Vec<String> = differing
                .iter()
                .take(6)
                .map(|&at| format!("{:?} {}", text_at(at), if found[at] { "ours" } else { "theirs" }))
                .collect();
            wrong.push(format!("{} {}: {}", differing.len(), case["format"], some.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{same} texts are judged alike, but not\n{}", wrong.join("\n"));
    assert!(same > 250_000, "{same}");
}
