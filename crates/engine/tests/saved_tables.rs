//! Tables that were saved and read again make the same masks, and tables that were damaged are told.

use std::sync::Arc;

use tokenstile_engine::{Compiler, Grammar, Limits, TablesError, Vocab};
use tokenstile_harness::data::fetched;
use tokenstile_harness::{byte_vocab, gbnf, mask_of, regex, tokens_in, vocab};
use tokenstile_json_schema::{JsonOptions, json_schema};
use tokenstile_testkit::Rng;

fn schema(text: &str) -> Grammar {
    json_schema(text, &JsonOptions::default(), &Limits::default()).expect("a sound schema")
}

/// Constraints that use the tables in different ways: runs, counts, characters past ASCII, keys that may not repeat,
/// negated patterns, names, nesting.
fn grammars() -> Vec<Grammar> {
    vec![
        regex("[a-z]{3,9}[0-9]+"),
        regex(r"\p{Greek}+(, \p{L}{1,40})*"),
        regex("[^\n]{1,2000}"),
        regex(r"(?i)[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z]{2,}"),
        gbnf(r#"root ::= expr ("=" expr)? ; expr ::= term ([-+*/] term)* ; term ::= [a-z_]+ | [0-9]+ | "(" expr ")""#.replace(" ; ", "\n").as_str()),
        schema(r#"{"type": "object"}"#),
        schema(r#"{"type": "object", "properties": {"name": {"type": "string", "pattern": "^\\S+$"},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 12}, "uniqueItems": true}},
            "required": ["name", "tags"]}"#),
    ]
}

/// Follows both compilers through the same random texts.
fn compare(built: &Compiler, read: &Compiler, steps: usize) {
    for (index, grammar) in grammars().iter().enumerate() {
        let compile = |compiler: &Compiler| compiler.compile(grammar).map(|constraint| constraint.matcher());
        let (mut one, mut other) = match (compile(built), compile(read)) {
            (Ok(one), Ok(other)) => (one, other),
            // A small vocabulary may spell nothing of it.
            (one, other) => {
                assert_eq!(one.err().map(|e| e.to_string()), other.err().map(|e| e.to_string()));
                continue;
            }
        };
        let mut rng = Rng::new(index as u64);
        for step in 0..steps {
            let mask = mask_of(&mut one);
            assert_eq!(mask, mask_of(&mut other), "grammar {index}, step {step}");
            let allowed = tokens_in(&mask);
            let Some(&token) = allowed.get(rng.below(allowed.len().max(1))) else { break };
            assert_eq!(one.commit(token).is_ok(), other.commit(token).is_ok());
            if one.is_finished() {
                break;
            }
        }
    }
}

fn saved(compiler: &Compiler) -> Vec<u8> {
    let mut bytes = Vec::new();
    compiler.save_tables(&mut bytes).expect("memory can be written");
    bytes
}

fn check(name: &str, vocab: Vocab) {
    let built = Compiler::new(vocab.clone());
    let bytes: Arc<[u8]> = saved(&built).into();
    let read = Compiler::from_tables(vocab, bytes.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(read.table_bytes() > 0);
    compare(&built, &read, 40);
    assert_eq!(saved(&read), *bytes, "{name}: what was read is written as it was");
}

#[test]
fn a_large_vocabulary_makes_the_same_masks() {
    check("large", vocab::large());
}

#[test]
#[ignore = "needs fetched data"]
fn real_vocabularies_make_the_same_masks() {
    for name in ["qwen3.tokenizer.json", "o200k_base.tiktoken", "gemma-3.tokenizer.json", "smollm2.gguf"] {
        let data = std::fs::read(fetched(name)).expect("it can be read");
        check(name, Vocab::detect_named(name, &data).expect("a sound vocabulary"));
    }
}

fn small() -> Vocab {
    byte_vocab(&["ab", "abc", " the", "12", "\",\"", "\": ", "αβ", "e\u{301}", "abcde", "==", "{\""])
}

#[test]
fn small_vocabularies_make_the_same_masks() {
    check("bytes", small());
    check("wider than its tokens", small().with_width(1_000).unwrap());
    check("few bytes", Vocab::from_tokens([(0, "a"), (5, "ab"), (7, "b1"), (9, "é")], &[2]).unwrap());
    let cut = "\u{3b1}".as_bytes();
    check("no byte alone", Vocab::from_tokens([(0, &cut[..1]), (1, &cut[1..]), (2, b"abc")], &[3]).unwrap());
}

#[test]
fn every_flip_and_every_cut_is_told() {
    let vocab = Vocab::from_tokens([(0, "a"), (1, "ab"), (2, "0")], &[3]).unwrap();
    let bytes = saved(&Compiler::new(vocab.clone()));
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(Compiler::from_tables(vocab.clone(), changed).is_err(), "byte {at}");
    }
    // A prefix of every length up to some, then some of every length.
    for len in (0..bytes.len()).filter(|len| *len < 4_096 || len % 61 == 0) {
        assert!(Compiler::from_tables(vocab.clone(), bytes[..len].to_vec()).is_err(), "{len} bytes");
    }
    let longer = [&bytes[..], &[0; 64]].concat();
    assert!(Compiler::from_tables(vocab, longer).is_err());
}

#[test]
fn damage_in_many_places_is_told() {
    let vocab = small();
    let bytes = saved(&Compiler::new(vocab.clone()));
    let mut rng = Rng::new(7);
    for round in 0..2_000 {
        let mut changed = bytes.clone();
        for _ in 0..=rng.below(4) {
            let from = rng.below(changed.len());
            let to = (from + 1 + rng.below(64)).min(changed.len());
            match rng.below(4) {
                0 => changed[from..to].fill(0),
                1 => changed[from..to].iter_mut().for_each(|byte| *byte = rng.below(256) as u8),
                2 => changed[from..to].reverse(),
                _ => changed.truncate(from),
            }
            if changed.is_empty() {
                break;
            }
        }
        let same = changed == bytes;
        assert_eq!(Compiler::from_tables(vocab.clone(), changed).is_ok(), same, "round {round}");
    }
}

#[test]
fn tables_of_another_vocabulary_are_refused() {
    let bytes = saved(&Compiler::new(small()));
    let others = [
        byte_vocab(&["ab"]),
        small().with_width(512).unwrap(),
        small().with_special(&[300 - 44]).unwrap(),
        small().with_end_tokens(&[65]).unwrap(),
    ];
    for other in others {
        let error = Compiler::from_tables(other.clone(), bytes.clone()).err();
        let found = small().fingerprint();
        assert_eq!(error, Some(TablesError::Vocabulary { found, expected: other.fingerprint() }));
    }
}
