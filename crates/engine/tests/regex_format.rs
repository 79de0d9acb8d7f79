//! The format `regex`: masks against the definition, groups to any depth, and the same texts as beside other keywords.

use tokenstile_engine::{Grammar, Limits};
use tokenstile_harness::{Words, allowed, byte_vocab, compile, schema};
use tokenstile_json_schema::{JsonOptions, json_schema};

const REGEX: &str = r#"{"type":"string","format":"regex"}"#;

fn grammar(schema: &str) -> Grammar {
    json_schema(schema, &JsonOptions::default(), &Limits::default()).expect("a good schema")
}

/// Tokens that are in the middle of something, or go past it.
const WORDS: [&str; 31] = [
    "(?:", "(?<", "(?=", "(?<n>", ")*", "))", ")?(", "a)", "[a", "[^", "a-z", "z-a", "]+", "]{1,", "{2,1}",
    "\\\\d", "\\\\", "\\\\p{L", "u00", "\\n", "x)\"", "|(", "name", ">x", "the", "].", "(((", "\"", "\\\"",
    "é", "$\"",
];

#[test]
fn masks_are_those_of_the_definition() {
    masks_agree(
        REGEX,
        &[
            r"^(?:[a-z]+|\\d{2,4})(?<name>x|[^\\]-]*)?$",
            r"((?=a(b))(?<n>c))(d)",
            r"(((((((x)))))))\\u{1F600}\\p{Lu}",
            r"[\\u0041-\\x7F",
        ],
    );
}

/// Beside other keywords it is a conjunction, of which many places are states of hundreds of cells.
#[test]
fn masks_beside_a_pattern_are_those_of_the_definition() {
    masks_agree(
        r#"{"type":"string","format":"regex","pattern":"^/.+/$"}"#,
        &[r"/(?:(?<total>[a-f0-9]+)|\\d{2})%$/", r"/x/[/"],
    );
}

/// At every place of some texts, as far as they can be written.
fn masks_agree(schema: &str, texts: &[&str]) {
    let texts: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
    Words::new(&WORDS).check_along(&grammar(schema), &texts);
}

#[test]
fn groups_nest_to_any_depth() {
    let deep = |inner: &str| format!("\"{}{inner}{}\"", "(?:".repeat(300), ")*".repeat(300));
    let (plain, named) = (deep("[a-f]"), deep("(?<a>b)"));
    let (twice, open) = (deep("(?<a>b)(?<c>d)"), format!("\"{}\"", "(".repeat(300)));
    schema::check(
        REGEX,
        &JsonOptions::default(),
        &[&plain, &named],
        &[&twice, &open, "\"a)\"", "\"(?=a)*\""],
    );
}

/// Beside other keywords it is a plain expression, to a certain depth.
#[test]
fn it_is_the_same_beside_other_keywords() {
    let other = r#"{"type":"string","format":"regex","maxLength":90}"#;
    let vocab = byte_vocab::<&str>(&[]);
    let [alone, beside] = [REGEX, other].map(|schema| compile(&grammar(schema), &vocab));
    let mut state = 5u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    for _ in 0..60 {
        let (mut one, mut two) = (alone.matcher(), beside.matcher());
        let (mut text, mut depth) = (Vec::new(), 0);
        for _ in 0..80 {
            let tokens = allowed(&mut one);
            let signs = tokens.iter().filter(|&&token| token < 128 && !(token as u8).is_ascii_alphanumeric());
            let signs: Vec<u32> = signs.copied().collect();
            let of = if below(3) > 0 && !signs.is_empty() { &signs } else { &tokens };
            let Ok(byte) = u8::try_from(of[below(of.len())]) else { break };
            depth += usize::from(byte == b'(');
            if depth > 4 {
                break;
            }
            text.push(byte);
            let place = String::from_utf8_lossy(&text);
            one.commit_bytes(&[byte]).unwrap_or_else(|error| panic!("{place}: {error}"));
            two.commit_bytes(&[byte]).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(one.is_accepting(), two.is_accepting(), "{place}");
        }
    }
}
