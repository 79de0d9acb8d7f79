//! Names of hosts with encoded labels: masks against the definition, and what becomes of the format among other keywords.

use std::sync::OnceLock;

use tokenstile_engine::{Grammar, Limits, Vocab};
use tokenstile_harness::{Words, allowed, byte_vocab, compile, schema};
use tokenstile_json_schema::{JsonOptions, json_schema};
use tokenstile_testkit::Reference;

const HOSTNAME: &str = r#"{"type":"string","format":"hostname"}"#;

/// Enough words for the tables of runs, and tokens in which a label ends.
fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut tokens: Vec<String> = Vec::new();
        for a in 'a'..='z' {
            for b in ('a'..='z').chain('0'..='9') {
                tokens.extend([format!("{a}{b}"), format!("{b}{a}a{b}{b}"), format!("{a}{b}.")]);
                tokens.extend([format!("{}{b}", a.to_ascii_uppercase()), format!("-{a}{b}")]);
                tokens.push(format!("-{b}{a}{a}x\""));
            }
        }
        let more = [
            "xn--",
            "XN--",
            "n--b",
            "--",
            "--a",
            "va.",
            "va\"",
            "kva.xn--p1ai",
            "a.xn--p",
            "a-kva\"",
            ".xn--",
            "qra",
            "---",
            "----------",
            "abcdefghijklmnopqrstuvwxyz",
            "a-b-c-d-e-f-g-h",
            "ва",
            "kva。",
            "1a1b2c3d4e5f",
        ];
        tokens.extend(more.map(str::to_owned));
        Words::new(&tokens)
    })
}

fn grammar(schema: &str) -> Grammar {
    json_schema(schema, &JsonOptions::default(), &Limits::default()).expect("a good schema")
}

#[test]
fn masks_are_those_of_the_definition() {
    let long = "xn--fiqxllbw1ru7efpecp8aa650aba87e275bnt9ekttaca912x";
    let ascii = format!("xn--{}", "abc-".repeat(14));
    let mut texts: Vec<String> = [
        "",
        "x",
        "xn",
        "xn-",
        "xn--",
        "XN--",
        "xn--b",
        "xn--bcher",
        "xn--bcher-",
        "xn--bcher-kv",
        "xn--bcher-kva",
        "xn--bcher-kva.",
        "a.xn--9n2bp8q",
        "a.xn--9n2bp8q.xn--9t4b11yi5",
        "xn--vek",
        "xn--hello-zed",
        "xn---",
        "xn--0ca24",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.extend((24..=long.len()).step_by(2).map(|length| long[..length].to_owned()));
    texts.extend((40..=57).map(|length| ascii[..length].to_owned()));
    let words = words();
    let items = r#"{"type":"array","items":{"type":"string","format":"hostname"}}"#;
    for (start, schema) in [("\"", HOSTNAME), ("[\"a\",\"", items)] {
        let grammar = grammar(schema);
        let (matcher, reference) = (compile(&grammar, &words.vocab).matcher(), Reference::new(&grammar));
        for text in &texts {
            let text = format!("{start}{text}");
            let mut matcher = matcher.fork();
            if matcher.commit_bytes(text.as_bytes()).is_err() {
                assert_eq!(reference.viable(text.as_bytes()).known(), Some(false), "{text}");
                continue;
            }
            let state = reference.run(text.as_bytes());
            let same = words.sorted.compare(&mut matcher, &reference, state);
            assert!(same.is_ok(), "after {text}: {same:?}");
        }
    }
}

#[test]
fn encoded_labels_are_told_among_other_keywords() {
    let options = JsonOptions::default();
    let (good, bad, plain) = (r#""xn--bcher-kva""#, r#""xn--a""#, r#""example""#);
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            HOSTNAME,
            &[good, plain, r#""XN--Bcher-KVA.de""#, r#""a.xn--p1ai.b.c.d.e""#],
            &[bad, r#""xn--a.b""#],
        ),
        (r#"{"type":"string","format":"idn-hostname"}"#, &[good, plain, r#""é.xn--p1ai""#], &[bad]),
        // Whoever must not be a name must not be one that only decoding would tell.
        (r#"{"type":"string","not":{"format":"hostname"}}"#, &[r#""-a""#, r#""a_b""#], &[good, plain]),
        (
            r#"{"type":"string","not":{"format":"idn-hostname"}}"#,
            &[r#""-é""#, r#""a_b""#],
            &[good, plain, r#""é""#],
        ),
        (r#"{"type":"string","not":{"not":{"format":"hostname"}}}"#, &[plain], &[bad, r#""-a""#]),
        (
            r#"{"oneOf":[{"format":"hostname"},{"pattern":"^x"}],"type":"string"}"#,
            &[plain, r#""x_""#],
            &[good],
        ),
        (
            r#"{"type":"string","if":{"format":"hostname"},"then":{"maxLength":10},"else":{"minLength":20}}"#,
            &[plain, r#""a_____________________b""#],
            &[r#""xn--bcher-kva-and-more""#, r#""examples-of-this""#, r#""-a""#],
        ),
        // Single texts are looked at one by one.
        (r#"{"enum":["xn--bcher-kva","xn--a","example","-a"],"format":"hostname"}"#, &[good, plain], &[bad]),
        (
            r#"{"enum":["xn--bcher-kva","xn--a","-a"],"not":{"format":"hostname"}}"#,
            &[bad, r#""-a""#],
            &[good],
        ),
        (r#"{"anyOf":[{"format":"hostname"},{"const":"-"}],"type":"string"}"#, &[good, r#""-""#], &[bad]),
        (r#"{"format":"hostname","maxLength":8,"type":"string"}"#, &[plain], &[r#""examples-of""#, bad]),
        (
            r#"{"type":"object","propertyNames":{"format":"hostname"}}"#,
            &[r#"{"a.b":1,"c":2}"#],
            &[r#"{"-":1}"#, r#"{"xn--a":1}"#, r#"{"a":1,"a":2}"#],
        ),
    ];
    for (schema, accepted, rejected) in cases {
        schema::check(schema, &options, accepted, rejected);
    }
    schema::check(HOSTNAME, &JsonOptions::exact(), &[good, r#""\u0078n--bcher-kva""#], &[bad]);
}

#[test]
fn there_are_no_dead_ends() {
    let mut state = 11u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let negated = r#"{"type":"string","not":{"format":"hostname"},"maxLength":70}"#;
    let capped =
        r#"{"type":"string","maxLength":300,"anyOf":[{"format":"hostname"},{"pattern":"^xn--[a-f]{60}$"}]}"#;
    for (schema, start) in [(HOSTNAME, "\"xn--"), (negated, "\"xn--"), (capped, "\"xn--a")] {
        let constraint = compile(&grammar(schema), &byte_vocab::<&str>(&[]));
        for round in 0..30 {
            let mut matcher = constraint.matcher();
            matcher.commit_bytes(start.as_bytes()).expect("a start");
            for _ in 0..400 {
                let mut tokens = allowed(&mut matcher);
                assert!(!tokens.is_empty(), "round {round} of {schema}");
                if matcher.is_accepting() {
                    break;
                }
                // Labels are to grow long.
                if tokens.len() > 3 {
                    tokens.retain(|&token| token != u32::from(b'.') && token != u32::from(b'"'));
                }
                matcher.commit(tokens[below(tokens.len())]).expect("an allowed token");
            }
        }
    }
}

#[test]
fn a_vocabulary_without_some_letter_writes_no_encoded_labels() {
    let tokens = (0..=255u8).filter(|byte| *byte != b'Q').map(|byte| (u32::from(byte), vec![byte]));
    let vocab = Vocab::from_tokens(tokens.chain([(256, b"<end>".to_vec())]), &[256]).expect("a vocabulary");
    let constraint = compile(&grammar(HOSTNAME), &vocab);
    assert!(schema::takes(&constraint, r#""example.com""#));
    assert!(!schema::takes(&constraint, r#""xn--bcher-kva""#));
}
