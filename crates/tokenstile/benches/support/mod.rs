//! Constraints, texts and a vocabulary that never change, for what is measured.

use tokenstile::{Constraint, Grammar, GrammarError, Limits, Vocab};

/// Name, constraint, text.
pub type Case = (&'static str, fn(&Limits) -> Result<Grammar, GrammarError>, &'static str);

const PERSON: &str = r#"{"type": "object", "properties": {
    "name": {"type": "string", "minLength": 1}, "born": {"type": "string", "format": "date"}, "age": {"type": "integer",
    "minimum": 0, "maximum": 150}, "languages": {"type": "array", "items": {"enum": ["en", "de", "fr", "ja"]},
    "uniqueItems": true}}, "required": ["name", "born"], "additionalProperties": false}"#;

const TOOLS: &str = r#"{"anyOf": [
    {"type": "object", "properties": {"name": {"const": "read"}, "path": {"type": "string"}, "limit": {"type": "integer"}},
     "required": ["name", "path"], "additionalProperties": false},
    {"type": "object", "properties": {"name": {"const": "write"}, "path": {"type": "string"}, "text": {"type": "string"}},
     "required": ["name", "path", "text"], "additionalProperties": false},
    {"type": "object", "properties": {"name": {"const": "run"}, "command": {"type": "array", "items": {"type": "string"}}},
     "required": ["name", "command"], "additionalProperties": false}]}"#;

const OPEN: &str = r##"{"type": "object", "properties": {"id": {"type": "integer"}, "slug": {"type": "string",
    "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}, "children": {"type": "array", "items": {"$ref": "#"}}}, "required": ["id"]}"##;

const ARITHMETIC: &str = r#"root ::= (sum "=" ws value "\n")+
sum ::= product ([-+] ws product)*
product ::= value ([*/] ws value)*
value ::= [a-z] [a-z0-9_]* ws | [0-9]+ ws | "(" ws sum ")" ws
ws ::= [ \t]*"#;

const COVERAGE: &str = r#"{"type": "string", "format": "regex", "pattern": "^/.+/$"}"#;

/// The cases.
pub const CASES: [Case; 7] = [
    (
        "person",
        |limits| Grammar::json_schema(PERSON, &Default::default(), limits),
        r#"{"name": "Ada Lovelace", "born": "1815-12-10", "age": 36, "languages": ["en", "fr"]}"#,
    ),
    (
        "tools",
        |limits| Grammar::json_schema(TOOLS, &Default::default(), limits),
        r#"{"name": "write", "path": "/some/where", "text": "What is written there"}"#,
    ),
    (
        "open",
        |limits| Grammar::json_schema(OPEN, &Default::default(), limits),
        r#"{"id": 1, "slug": "one-two-3", "other": [true, {"a": null}], "children": [{"id": 2, "slug": "four"}]}"#,
    ),
    (
        "json",
        |limits| Grammar::json(limits),
        r#"[{"text": "Some words, \"quoted\"", "n": -1.5e3, "list": [1, 2, {"deep": [[]]}]}, null]"#,
    ),
    (
        "email",
        |limits| {
            Grammar::regex(
                r"[a-zA-Z0-9._%+-]{1,64}@[a-zA-Z0-9-]{1,63}(\.[a-zA-Z0-9-]{1,63}){1,4}",
                &Default::default(),
                limits,
            )
        },
        "john.doe+test@mail.example-domain.org",
    ),
    (
        "arithmetic",
        |limits| Grammar::gbnf(ARITHMETIC, limits),
        "(x + 3)*foo_bar2 - 17 = y\na+b*(c-(d/4)) = total_sum\n",
    ),
    (
        "coverage",
        |limits| Grammar::json_schema(COVERAGE, &Default::default(), limits),
        r#""/^TOTAL.+?(\\d+%)$/""#,
    ),
];

/// Mask and commit of the first `steps` tokens of a text, cut at the longest tokens.
pub fn follow(constraint: &Constraint, text: &str, steps: usize) {
    let mut matcher = constraint.matcher();
    let mut mask = vec![0; matcher.mask_words()];
    let mut rest = text.as_bytes();
    for _ in 0..steps {
        let masked = matcher.fill_mask(&mut mask);
        assert!(masked.is_ok(), "{masked:?}");
        let Some(word) = rest.get(..1) else { break };
        let length =
            rest.iter().position(|&b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len()).clamp(word.len(), 4);
        let committed = matcher.commit_bytes(&rest[..length]);
        assert!(committed.is_ok(), "{text}: {committed:?}");
        rest = &rest[length..];
    }
}

/// 8,000 tokens: all bytes, and words of the shapes that real vocabularies have.
pub fn vocabulary() -> Result<Vocab, Box<dyn std::error::Error>> {
    let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    let syllables =
        ["an", "be", "co", "de", "er", "in", "lo", "me", "on", "ra", "st", "th", "un", "vi", "w", "s"];
    let before = ["", " ", "", " ", "\"", " \"", "_", "{\"", "-", ", \""];
    let after = ["", "", "", "", "\"", "\":", "\",", "s", "ed", "1", "]}"];
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    while tokens.len() < 7_000 {
        let word: String = (0..=next(3)).map(|_| syllables[next(syllables.len())]).collect();
        tokens.push(format!("{}{word}{}", before[next(before.len())], after[next(after.len())]).into_bytes());
    }
    tokens.extend((0..1_000).map(|n| n.to_string().into_bytes()));
    let end = u32::try_from(tokens.len())?;
    Ok(Vocab::from_tokens((0..).zip(tokens), &[end])?)
}
