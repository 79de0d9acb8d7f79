//! What the fields of formats mean, on texts.

use tokenstile_grammar::{Error, ErrorKind, Grammar, Limits};
use tokenstile_structural_tag::{
    PresetOptions, StructuralTag, Tool, ToolChoice, presets, structural_tag_for,
};
use tokenstile_testkit::{Reference, TokenReference, Viability};

fn made(format: &str) -> Result<Grammar, Error> {
    let limits = Limits::default();
    let text = format!(r#"{{"type": "structural_tag", "format": {format}}}"#);
    StructuralTag::from_json(&text, &limits)?.grammar(&limits)
}

/// Holds texts that a format has and others against it.
fn check(format: &str, texts: &[&str], others: &[&str]) {
    let grammar = made(format).unwrap_or_else(|error| panic!("{format}: {error}"));
    let reference = Reference::new(&grammar);
    for text in texts {
        assert!(reference.accepts(text.as_bytes()), "{format}: {text}");
    }
    for text in others {
        assert!(!reference.accepts(text.as_bytes()), "{format}: {text}");
    }
}

/// A schema of two strings, in a style with more fields.
fn two(more: &str) -> String {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}, "required": ["a"]}"#;
    format!(r#"{{"type": "json_schema", "json_schema": {schema}, {more}}}"#)
}

#[test]
fn members_come_in_the_order_of_the_schema_or_in_any() {
    let ordered = [r#"{"a":"x","b":true}"#, r#"{"a":"x"}"#];
    check(&two(r#""any_order": false"#), &ordered, &[r#"{"b":true,"a":"x"}"#, r#"{"b":true}"#]);
    let any = [r#"{"a":"x","b":true}"#, r#"{"b":true,"a":"x"}"#];
    check(
        &two(r#""any_order": true"#),
        &any,
        &[r#"{"b":true}"#, r#"{"a":"x","a":"x"}"#, r#"{"c":1,"a":"x"}"#],
    );
    let (a, b) = ("<parameter=a>x</parameter>", "<parameter=b>true</parameter>");
    let qwen = |order| two(&format!(r#""style": "qwen_xml", "any_order": {order}"#));
    check(&qwen(false), &[&format!("{a}{b}"), a], &[&format!("{b}{a}"), b, &format!("{a}{a}")]);
    check(&qwen(true), &[&format!("{a}{b}"), &format!("{b}\n{a}"), a], &[b, &format!("{a}{b}{a}")]);
}

#[test]
fn too_many_members_in_any_order_are_refused_in_a_style() {
    let properties: Vec<String> = (0..9).map(|i| format!(r#""k{i}": {{"type": "null"}}"#)).collect();
    let schema = format!(r#"{{"type": "object", "properties": {{{}}}}}"#, properties.join(","));
    let format = |style| {
        format!(
            r#"{{"type": "json_schema", "json_schema": {schema}, "style": "{style}", "any_order": true}}"#
        )
    };
    assert!(made(&format("json")).is_ok());
    let error = made(&format("glm_xml")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
    assert_eq!(error.pointer(), Some("/format/json_schema"));
}

#[test]
fn members_of_a_style_are_counted() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}},
        "minProperties": 1, "maxProperties": 2, "dependentRequired": {"a": ["b"]}}"#;
    let format = format!(r#"{{"type": "json_schema", "json_schema": {schema}, "style": "glm_xml"}}"#);
    let field = |key: &str| format!("<arg_key>{key}</arg_key><arg_value>null</arg_value>");
    let (a, b, c) = (field("a"), field("b"), field("c"));
    let texts = [format!("{a}{b}"), b.clone(), format!("{b}{c}")];
    let others = [String::new(), a.clone(), format!("{a}{c}"), format!("{a}{b}{c}"), format!("{c}{b}")];
    let refs = |texts: &[String]| -> Vec<String> { texts.to_vec() };
    let (texts, others) = (refs(&texts), refs(&others));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    check(&format, &texts, &others);
}

#[test]
fn white_space_is_bounded() {
    let json = |more: &str| two(&format!(r#""style": "json"{more}"#));
    check(&json(""), &["{\n  \"a\": \"x\"\n}"], &["{\n\n\"a\":\"x\"}"]);
    let two_blanks = json(r#", "max_whitespace_cnt": 2"#);
    check(&two_blanks, &["{\n\n\"a\": \"x\"}", "{ \"a\":\"x\"}"], &["{   \"a\":\"x\"}"]);
    check(&json(r#", "max_whitespace_cnt": 0"#), &["{\"a\":\"x\"}"], &["{ \"a\":\"x\"}"]);
}

#[test]
fn excluded_texts_are_in_no_string_and_no_key() {
    let schema = r#"{"type": "object", "properties": {"s": {"type": "string"}, "e": {"enum": ["no", "a<|x"]},
        "l": {"type": "array", "items": {"type": "string"}}, "p": {"type": "string", "minLength": 3}},
        "additionalProperties": {"type": "null"}}"#;
    let format = |style: &str| {
        format!(
            r#"{{"type": "json_schema", "json_schema": {schema}, "style": "{style}", "excludes": ["<|"]}}"#
        )
    };
    check(
        &format("json"),
        &[r#"{"s":"a<b|","e":"no","l":["x"],"p":"abc","k":null}"#, r#"{"s":"<"}"#],
        &[r#"{"s":"a<|b"}"#, r#"{"e":"a<|x"}"#, r#"{"l":["<|"]}"#, r#"{"p":"abc<|"}"#, r#"{"<|":null}"#],
    );
    let field = |key: &str, kind: &str, value: &str| {
        format!(r#"<|open|>argument key="{key}" type="{kind}"<|sep|>{value}<|close|>argument<|sep|>"#)
    };
    check(
        &format("kimi_k3_xml"),
        &[&field("s", "string", "a<b|"), &field("l", "array", r#"["x"]"#), &field("e", "string", "no")],
        &[
            &field("s", "string", "a<|b"),
            &field("l", "array", r#"["<|"]"#),
            &field("e", "string", "a<|x"),
            &field("p", "string", "abc<|"),
            &field("s", "array", "[]"),
        ],
    );
    let blank = two(r#""style": "qwen_xml", "excludes": [" x"]"#);
    assert_eq!(made(&blank).unwrap_err().pointer(), Some("/format/excludes/0"));
}

#[test]
fn a_tool_without_arguments_is_called_with_none() {
    let of = |schema: &str| format!(r#"{{"type": "json_schema", "json_schema": {schema}}}"#);
    check(&of(r#"{"type": "object", "properties": {}}"#), &["{}"], &[r#"{"a":1}"#]);
    check(&of(r#"{"type": "object"}"#), &["{}", r#"{"a":1}"#], &["[]"]);
    check(&of("true"), &["{}", "1"], &["x"]);
}

#[test]
fn budgets_of_characters_are_kept() {
    let text = |more: &str| format!(r#"{{"type": "any_text", "max_chars": 2{more}}}"#);
    check(&text(""), &["", "é", "éé"], &["ééa"]);
    check(&text(r#", "excludes": ["ab"]"#), &["ba"], &["ab", "bab"]);
    let error = made(r#"{"type": "any_text", "max_tokens": 2}"#).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (ErrorKind::Unsupported, Some("/format/max_tokens")));
}

#[test]
fn what_is_wrong_inside_has_its_pointer() {
    let place = |format: &str| made(format).unwrap_err().pointer().map(str::to_owned);
    let grammar = r#"{"type": "sequence", "elements": [{"type": "grammar", "grammar": "root ::= nothing"}]}"#;
    assert_eq!(place(grammar).as_deref(), Some("/format/elements/0/grammar"));
    assert_eq!(place(r#"{"type": "regex", "pattern": "("}"#).as_deref(), Some("/format/pattern"));
    let schema = r#"{"type": "json_schema", "json_schema": {"minLength": -1}}"#;
    assert_eq!(place(schema).as_deref(), Some("/format/json_schema/minLength"));
    let limits = Limits::default();
    let older =
        r#"{"structures": [{"begin": "<a", "schema": {"minLength": -1}, "end": ">"}], "triggers": ["<"]}"#;
    let error = StructuralTag::from_json(older, &limits).unwrap().grammar(&limits).unwrap_err();
    assert_eq!(error.pointer(), Some("/structures/0/schema/minLength"));
}

/// Tokens of text, and special tokens.
const TEXTS: [&str; 8] = ["a", "b", "<", "x", "ab", "<x>", "</x>", "{}"];
const SPECIAL: [&str; 3] = ["<call>", "</call>", "<other>"];

/// Whether a format has a text that is written with these tokens.
fn has(format: &str, tokens: &[&str]) -> bool {
    let grammar = made(format).unwrap_or_else(|error| panic!("{format}: {error}"));
    let reference = Reference::new(&grammar);
    let vocab: Vec<(u32, Vec<u8>)> = (0..).zip(TEXTS.map(|text| text.as_bytes().to_vec())).collect();
    let special: Vec<(u32, String)> = (20..).zip(SPECIAL.map(str::to_owned)).collect();
    let with = TokenReference::new(&reference, &vocab, &[30]).with_special(&special);
    let id = |name: &&str| {
        let special = special.iter().find(|(_, known)| known == name).map(|(id, _)| *id);
        let text = || vocab.iter().find(|(_, text)| text == name.as_bytes()).map(|(id, _)| *id);
        special.or_else(text).unwrap_or_else(|| panic!("no token {name}"))
    };
    let state = tokens.iter().fold(reference.start(), |state, token| with.step(state, id(token)));
    with.mask(state)[30] == Viability::Yes
}

#[test]
fn formats_of_tokens() {
    let any = r#"{"type": "any_tokens", "exclude_tokens": ["<other>"], "max_tokens": 2}"#;
    assert!(has(any, &[]) && has(any, &["ab", "<call>"]));
    assert!(!has(any, &["<other>"]) && !has(any, &["a", "b", "a"]));
    let tag = r#"{"type": "tag", "begin": {"type": "token", "token": "<call>"},
        "content": {"type": "any_tokens"}, "end": {"type": "token", "token": 21}}"#;
    assert!(has(tag, &["<call>", "a", "<other>", "</call>"]));
    assert!(!has(tag, &["<call>", "</call>", "</call>"]) && !has(tag, &["a"]));
    let triggered = |more: &str| {
        let tag =
            r#"{"begin": {"token": "<call>"}, "content": {"value": "{}"}, "end": {"token": "</call>"}}"#;
        format!(
            r#"{{"type": "token_triggered_tags", "trigger_tokens": ["<call>"], "tags": [{tag}],
                "exclude_tokens": ["<other>"]{more}}}"#
        )
    };
    let call = ["<call>", "{}", "</call>"];
    assert!(has(&triggered(""), &[&["a"], &call[..], &["b"], &call[..]].concat()));
    assert!(!has(&triggered(""), &["<other>"]) && !has(&triggered(""), &["<call>", "a"]));
    assert!(!has(&triggered(r#", "at_least_one": true"#), &[&["a"], &call[..]].concat()));
    assert!(!has(&triggered(r#", "stop_after_first": true"#), &[&call[..], &["a"]].concat()));
    let dispatch = r#"{"type": "token_dispatch", "rules": [["<call>", {"value": "{}"}]], "loop": false}"#;
    assert!(has(dispatch, &["a", "<call>", "{}"]) && has(dispatch, &["<other>"]));
    assert!(!has(dispatch, &["<call>", "{}", "a"]));
}

#[test]
fn marks_may_be_special_tokens() {
    let tag = r#"{"begin": "<call>", "content": {"value": "{}"}, "end": "</call>"}"#;
    let format = format!(r#"{{"type": "triggered_tags", "triggers": ["<"], "tags": [{tag}]}}"#);
    assert!(has(&format, &["a", "<call>", "{}", "</call>", "b"]));
    assert!(!has(&format, &["a", "<call>", "b"]) && !has(&format, &["<", "b"]));
    let text = r#"{"type": "tag", "begin": "", "content": {"type": "any_text"}, "end": "</call>"}"#;
    assert!(has(text, &["a", "<", "x", "</call>"]) && !has(text, &["a", "</call>", "b"]));
    assert!(!has(text, &["<other>", "</call>"]));
}

#[test]
fn presets_become_grammars() {
    let limits = Limits::default();
    let schema = r#"{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}"#;
    let tools = [Tool::function("search", Some(schema.into())), Tool::function("alt", Some(schema.into()))];
    let mut options = PresetOptions::default();
    for model in presets() {
        for choice in
            [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, ToolChoice::Function("alt".into())]
        {
            options.tool_choice = choice;
            let grammar = structural_tag_for(model, &tools, &options).and_then(|tag| tag.grammar(&limits));
            grammar.unwrap_or_else(|error| panic!("{model}: {error}"));
        }
    }
}

#[test]
fn a_turn_with_a_call() {
    let limits = Limits::default();
    let schema = r#"{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}"#;
    let tools = [Tool::function("search", Some(schema.into()))];
    let tag = structural_tag_for("qwen_3_5", &tools, &PresetOptions::default()).unwrap();
    let grammar = tag.grammar(&limits).unwrap();
    let reference = Reference::new(&grammar);
    let call =
        "<tool_call>\n<function=search>\n<parameter=q>\na < b\n</parameter>\n</function>\n</tool_call>";
    assert!(reference.accepts(format!("Let me see.</think>\n\nI search: {call}\n{call}").as_bytes()));
    assert!(reference.accepts(b"Nothing to do.</think>\n\nHello!"));
    assert!(!reference.accepts(format!("I see.</think>\n\n{}", &call[..call.len() - 1]).as_bytes()));
    assert!(!reference.accepts(b"I see.</think>\n\nWell <think>"));
}
