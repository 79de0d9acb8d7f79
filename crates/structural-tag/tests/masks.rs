//! The masks of structural tags are those of the reference, with marks that are special tokens.

use tokenstile_engine::{Compiler, TokenKind, Vocab};
use tokenstile_grammar::{Grammar, Limits};
use tokenstile_harness::{bit, mask_of};
use tokenstile_structural_tag::structural_tag_for;
use tokenstile_structural_tag::{PresetOptions, Reasoning, StructuralTag, Tool, ToolChoice, presets};
use tokenstile_testkit::{Reference, Rng, TokenReference};

/// Special tokens as vocabularies of models have them.
const SPECIAL: [&str; 8] = [
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<arg_key>",
    "</arg_value>",
    "<|tool_calls_section_begin|>",
    "<|other|>",
];
/// Words beside all bytes; most have parts of marks in them.
const WORDS: [&str; 12] =
    ["search", "\"q\":", "{\"", "\"}", "</", "<tool", "_call>", "x<", "></", "\n\n", ">\n", "think"];

struct Words {
    texts: Vec<(u32, Vec<u8>)>,
    special: Vec<(u32, String)>,
    end: u32,
    vocab: Vocab,
}

impl Words {
    fn new() -> Words {
        let bytes = (0..=255u8).map(|byte| vec![byte]);
        let texts: Vec<(u32, Vec<u8>)> =
            (0..).zip(bytes.chain(WORDS.map(|word| word.as_bytes().to_vec()))).collect();
        let first = texts.len() as u32;
        let special: Vec<(u32, String)> = (first..).zip(SPECIAL.map(str::to_owned)).collect();
        let end = first + special.len() as u32;
        let mut builder = Vocab::builder();
        for (id, text) in &texts {
            builder.add(*id, TokenKind::Text, text).unwrap();
        }
        for (id, name) in &special {
            builder.add(*id, TokenKind::Special, name.as_bytes()).unwrap();
        }
        builder.add(end, TokenKind::Special, b"<end>").unwrap();
        let vocab = builder.build().unwrap().with_end_tokens(&[end]).unwrap();
        Words { texts, special, end, vocab }
    }
}

/// Walks through a grammar at random, but along a text as long as it leads there.
fn walk(grammar: &Grammar, words: &Words, texts: &[&str], rng: &mut Rng, what: &str) -> usize {
    let reference = Reference::new(grammar);
    let tokens = TokenReference::new(&reference, &words.texts, &[words.end]).with_special(&words.special);
    let constraint = Compiler::new(words.vocab.clone()).compile(grammar);
    let constraint = constraint.unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut masks = 0;
    for text in texts {
        let (mut matcher, mut state, mut rest) = (constraint.matcher(), reference.start(), text.as_bytes());
        loop {
            let mask = mask_of(&mut matcher);
            let mut allowed = Vec::new();
            for (token, viability) in (0..).zip(tokens.mask(state)) {
                let got = bit(&mask, token);
                assert_eq!(Some(got), viability.known(), "{what}: token {token} before {rest:?} of {text}");
                allowed.extend(got.then_some(token));
            }
            masks += 1;
            allowed.retain(|&token| token != words.end);
            // Tokens that the text goes on with, special ones too, or any for a while at its end.
            let spelled = |token: u32| -> Option<&[u8]> {
                let special = words.special.iter().find(|(id, _)| *id == token);
                special.map(|(_, name)| name.as_bytes()).or_else(|| words.vocab.bytes(token))
            };
            let along: Vec<u32> = allowed
                .iter()
                .copied()
                .filter(|&token| spelled(token).is_some_and(|text| rest.starts_with(text)))
                .collect();
            let from = if along.is_empty() { &allowed } else { &along };
            if from.is_empty() || along.is_empty() && (rest.is_empty() || rng.chance(1, 3)) {
                break;
            }
            let token = *rng.pick(from);
            if let Some(text) = spelled(token).filter(|text| rest.starts_with(text)) {
                rest = &rest[text.len()..];
            }
            matcher.commit(token).unwrap_or_else(|error| panic!("{what}: {token}: {error}"));
            state = tokens.step(state, token);
        }
    }
    masks
}

#[test]
fn masks_of_presets() {
    let (words, limits, mut rng) = (Words::new(), Limits::default(), Rng::new(3));
    let schema = r#"{"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]}"#;
    let tools = [Tool::function("search", Some(schema.into())), Tool::function("alt", Some("true".into()))];
    let texts = [
        "I see.</think>\n\nWell <tool_call>\n<function=search>\n<parameter=q>\na < b\n</parameter>\n</function>\n</tool_call>",
        "x</think><tool_call>search<arg_key>q</arg_key><arg_value>1</arg_value></tool_call>",
        "x</think>\n\n<tool_call>\n{\"name\": \"search\", \"arguments\": {\"q\": \"x\"}}\n</tool_call>",
        "x</think><|tool_calls_section_begin|><|tool_call_begin|>functions.search:0",
    ];
    let mut masks = 0;
    for model in presets().filter(|model| *model != "minimax_m3") {
        for (choice, reasoning) in [
            (ToolChoice::Auto, Reasoning::Enabled),
            (ToolChoice::Required, Reasoning::Auto),
            (ToolChoice::Function("search".into()), Reasoning::Disabled),
        ] {
            let mut options = PresetOptions::default();
            (options.tool_choice, options.reasoning) = (choice, reasoning);
            let tag = structural_tag_for(model, &tools, &options).unwrap();
            let grammar = tag.grammar(&limits).unwrap();
            masks += walk(&grammar, &words, &texts, &mut rng, &format!("{model} {options:?}"));
        }
    }
    assert!(masks > 1_000, "{masks}");
}

#[test]
fn masks_of_token_formats() {
    let (words, limits, mut rng) = (Words::new(), Limits::default(), Rng::new(5));
    let tag = r#"{"begin": {"token": "<tool_call>"}, "content": {"json_schema": {"type": "integer"}}, "end": {"token": "</tool_call>"}}"#;
    for format in [
        format!(r#"{{"type": "token_triggered_tags", "trigger_tokens": ["<tool_call>"], "tags": [{tag}], "exclude_tokens": ["<|other|>"]}}"#),
        r#"{"type": "sequence", "elements": [{"type": "any_tokens", "exclude_tokens": ["</think>"]}, {"type": "token", "token": "</think>"}]}"#.into(),
        r#"{"type": "token_dispatch", "rules": [["<think>", {"value": "x<"}]], "loop": true}"#.into(),
        r#"{"type": "tag", "begin": "<think>", "content": {"type": "any_text", "excludes": ["<tool"]}, "end": ["</think>", "x</"]}"#.into(),
    ] {
        let text = format!(r#"{{"type": "structural_tag", "format": {format}}}"#);
        let grammar = StructuralTag::from_json(&text, &limits).and_then(|tag| tag.grammar(&limits)).unwrap();
        let texts = ["ab<tool_call>12</tool_call>x", "<think>x</think>", "<think>x<</think>"];
        walk(&grammar, &words, &texts, &mut rng, &format);
    }
}
