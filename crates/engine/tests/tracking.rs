//! Texts in which repetitions are noticed: masks against a reference that reads each text from its start.

use tokenstile_engine::{
    Batch, Compiler, Grammar, Limits, MaskRows, MatchError, Matcher, StepOptions, Turn, Vocab,
};
use tokenstile_grammar::JsonWhitespace::{self, Any, Compact};
use tokenstile_grammar::ir::Tracking;
use tokenstile_harness::tracked::{Json, NUMBER, TEXT, structure_vocab};
use tokenstile_harness::{allowed, bit, byte_vocab, mask_of, say, tokens_in, vocab};
use tokenstile_json_schema::{JsonOptions, json_schema};
use tokenstile_testkit::{Rng, TrackedReference};

fn json(ws: JsonWhitespace, build: impl FnOnce(&mut Json) -> tokenstile_grammar::ExprId) -> Grammar {
    let mut json = Json::new(ws);
    let root = build(&mut json);
    json.finish(root)
}

const ANY: (u32, Option<u32>) = (0, None);

/// An object whose keys match a pattern, with the value 1.
fn keys(pattern: &str, count: (u32, Option<u32>)) -> Grammar {
    json(Compact, |j| {
        let (key, one) = (j.string(pattern), j.regex("1"));
        j.object(key, one, count)
    })
}

/// An array whose items match a pattern.
fn items(pattern: &str, unique: bool, count: (u32, Option<u32>)) -> Grammar {
    json(Compact, |j| {
        let item = j.regex(pattern);
        j.array(item, unique, count)
    })
}

fn schema(text: &str) -> Grammar {
    json_schema(text, &JsonOptions::default(), &Limits::default()).unwrap()
}

/// Objects that differ, with members that have names and others that have any.
const OPEN: &str = r#"{
    "type": "array",
    "uniqueItems": true,
    "items": {
        "type": "object",
        "properties": {
            "a": {"const": 1},
            "ab": {"type": "object", "properties": {"b": {"const": 1}}, "additionalProperties": false},
            "name": {"type": "string"}
        },
        "additionalProperties": {"enum": [1, 2]}
    }
}"#;

fn cases() -> Vec<(&'static str, Grammar)> {
    vec![
        ("keys of two letters", keys("[ab]{0,2}", ANY)),
        ("keys with a dead end", keys("a|b[0-9]*", ANY)),
        ("keys with a dead end, at least two", keys("a|b[0-9]*", (2, None))),
        ("few keys", keys("a|ab|b", (0, Some(3)))),
        ("keys with escapes", keys(r"(?:[ab]|\\u006[1-3]|\\n)*", ANY)),
        ("few keys with escapes", keys(r"[ab]|\\u006[12]", ANY)),
        ("few strings", items("\"[ab]\"", true, ANY)),
        ("strings", items("\"[ab]*\"", true, (1, Some(4)))),
        ("strings that may be repeated", items("\"[ab]\"", false, (0, Some(4)))),
        ("numbers", items(NUMBER, true, ANY)),
        ("few numbers", items("(?:1|1\\.0|10|2)", true, ANY)),
        ("numbers that may be repeated", items("[01]", false, ANY)),
        ("words", items("true|false|null|[1]", true, ANY)),
        ("words beside strings", items("true|false|null|\"[ab]*\"", true, ANY)),
        ("few numbers beside strings", items("[12]0?|\"[ab]*\"", true, ANY)),
        (
            "white space",
            json(Any, |j| {
                let (key, item) = (j.string("[ab]"), j.regex("[12]"));
                let array = j.array(item, true, (1, None));
                j.object(key, array, ANY)
            }),
        ),
        (
            "arrays in arrays",
            json(Compact, |j| {
                let item = j.regex("\"[ab]\"|1");
                let inner = j.array(item, true, (0, Some(2)));
                j.array(inner, true, ANY)
            }),
        ),
        (
            "repeated items in different arrays",
            json(Compact, |j| {
                let item = j.regex("[12]");
                let inner = j.array(item, false, (0, Some(2)));
                j.array(inner, true, ANY)
            }),
        ),
        (
            "objects in arrays",
            json(Compact, |j| {
                let (key, value) = (j.string("[xy]"), j.regex("[01]"));
                let object = j.object(key, value, ANY);
                j.array(object, true, ANY)
            }),
        ),
        (
            "one object only",
            json(Compact, |j| {
                let (key, value) = (j.string("x"), j.regex("0"));
                let object = j.object(key, value, (0, Some(1)));
                j.array(object, true, ANY)
            }),
        ),
        (
            "objects in objects in arrays",
            json(Compact, |j| {
                let (key, value) = (j.string("[xy]"), j.regex("0"));
                let inner = j.object(key, value, ANY);
                let key = j.string("[ab]");
                let object = j.object(key, inner, (0, Some(2)));
                j.array(object, true, (0, Some(3)))
            }),
        ),
        (
            "different or many",
            json(Compact, |j| {
                let item = j.regex("[12]");
                let (unique, many) = (j.array(item, true, (1, Some(2))), j.array(item, false, (4, Some(5))));
                let value = j.builder.arena.alt(&[unique, many]);
                let key = j.string("[ab]");
                j.object(key, value, (1, Some(2)))
            }),
        ),
    ]
}

/// One grammar against the reference.
struct Check<'a> {
    name: &'a str,
    reference: TrackedReference<'a>,
    vocab: Vocab,
    masks: usize,
    unknown: usize,
}

impl Check<'_> {
    /// Compares the mask, and what is asked token by token, after `text`; the tokens that are allowed.
    fn mask(&mut self, matcher: &mut Matcher, text: &[u8]) -> Vec<u32> {
        let words = mask_of(matcher);
        self.masks += 1;
        let place = || format!("{} after {}", self.name, text.escape_ascii());
        assert_eq!(matcher.is_accepting(), self.reference.accepts(text), "{}", place());
        for (token, bytes) in self.vocab.text_tokens() {
            let longer = [text, bytes].concat();
            let expected = self.reference.viable(&longer).known();
            let got = bit(&words, token);
            self.unknown += expected.is_none() as usize;
            let spelled = bytes.escape_ascii();
            assert!(expected.is_none_or(|e| e == got), "{}: `{spelled}` is {got}", place());
            assert_eq!(matcher.allows(token), Ok(got), "{}: `{spelled}`", place());
        }
        let bytes = matcher.allowed_bytes().unwrap();
        for byte in 0..=255 {
            assert_eq!(bytes.contains(byte), bit(&words, byte.into()), "{}: byte {byte:#x}", place());
        }
        tokens_in(&words)
    }

    /// A walk of random tokens.
    fn walk(&mut self, start: &Matcher, rng: &mut Rng, steps: usize) {
        let mut matcher = start.fork();
        let mut text: Vec<u8> = Vec::new();
        for _ in 0..steps {
            let allowed = self.mask(&mut matcher, &text);
            // Ends only if there is nothing else.
            let end = self.vocab.end_tokens()[0];
            let tokens: Vec<u32> = allowed.iter().copied().filter(|&t| t != end).collect();
            let Some(&token) = tokens.get(rng.below(tokens.len().max(1))) else { break };
            let forbidden = (0..end).find(|t| !allowed.contains(t)).unwrap();
            assert_eq!(matcher.commit(forbidden), Err(MatchError::Forbidden { token: forbidden }));
            let before = mask_of(&mut matcher);
            matcher.commit(token).unwrap();
            let fork = matcher.fork();
            matcher.rollback(1).unwrap();
            assert_eq!(mask_of(&mut matcher), before, "{} after {}", self.name, text.escape_ascii());
            matcher = fork;
            text.extend(self.vocab.bytes(token).unwrap());
        }
    }
}

#[test]
fn masks_equal_the_reference() {
    let vocab = structure_vocab();
    let compiler = Compiler::new(vocab.clone());
    let mut rng = Rng::new(7);
    for (name, grammar) in &cases() {
        let matcher = compiler.compile(grammar).unwrap().matcher();
        let reference = TrackedReference::new(grammar);
        let mut check = Check { name, reference, vocab: vocab.clone(), masks: 0, unknown: 0 };
        for _ in 0..6 {
            check.walk(&matcher, &mut rng, 14);
        }
        assert!(check.unknown * 4 < check.masks, "{name}: {} of {} masks", check.unknown, check.masks);
    }
}

/// Objects in which every beginning of a key can become endlessly many keys, with and without arrays of different items.
fn abounding(promise: bool) -> Vec<(&'static str, Grammar)> {
    let keys_abound = if promise { u32::MAX } else { 0 };
    let finish =
        |json: Json, root, items| json.finish_with(root, Tracking { keys: true, items, keys_abound });
    let short = |pattern: &str, longest: u32| {
        let mut j = Json::new(Compact);
        let (key, one) = (j.string(pattern), j.regex("1"));
        let root = j.object(key, one, ANY);
        let keys_abound = if promise { longest } else { 0 };
        j.finish_with(root, Tracking { keys: true, items: false, keys_abound })
    };
    let keys = |pattern: &str, ws, count| {
        let mut j = Json::new(ws);
        let (key, one) = (j.string(pattern), j.regex("1|\"[ab]\""));
        let root = j.object(key, one, count);
        finish(j, root, false)
    };
    let nested = |items: bool| {
        let mut j = Json::new(Any);
        let (inner, outer) = (j.string("a[ab]*"), j.string(TEXT));
        let value = j.regex("1");
        let inner = j.object(inner, value, ANY);
        let array = j.array(inner, items, ANY);
        let value = j.builder.arena.alt(&[inner, array]);
        let root = j.object(outer, value, ANY);
        finish(j, root, items)
    };
    vec![
        ("any keys", keys(TEXT, Compact, ANY)),
        ("keys of two letters", keys("[ab]*", Any, (0, Some(4)))),
        ("keys with escapes", keys(r#"(?:[ab]|\\u00(?:6[1-3]|[8-9]0)|\\[n"]|\\ud83d)*"#, Compact, (2, None))),
        ("keys that begin alike", keys("ab?a[ab]*", Compact, ANY)),
        ("keys of at most two letters", short("[ab]{1,2}", 2)),
        ("keys of at most four letters", short("a?[ab]{1,3}", 4)),
        ("objects in objects", nested(false)),
        ("objects in objects, and items that differ", nested(true)),
    ]
}

#[test]
fn keys_that_abound_need_no_search() {
    let vocab = structure_vocab();
    let compiler = Compiler::new(vocab.clone());
    let mut rng = Rng::new(11);
    let mut repeated = 0;
    for ((name, slow), (_, fast)) in abounding(false).iter().zip(&abounding(true)) {
        let (slow, fast) = [slow, fast].map(|g| compiler.compile(g).unwrap().matcher()).into();
        for _ in 0..60 {
            let (mut a, mut b): (Matcher, Matcher) = (slow.fork(), fast.fork());
            let mut text = Vec::new();
            for step in 0..24 {
                let place = || format!("{name} after {}", text.escape_ascii());
                let words = mask_of(&mut a);
                assert_eq!(mask_of(&mut b), words, "{}", place());
                assert_eq!(a.allowed_bytes(), b.allowed_bytes(), "{}", place());
                assert_eq!(a.forced_bytes(), b.forced_bytes(), "{}", place());
                let tokens: Vec<u32> = tokens_in(&words);
                let tokens: Vec<u32> =
                    tokens.into_iter().filter(|t| !vocab.end_tokens().contains(t)).collect();
                for (token, bytes) in vocab.text_tokens().skip(step % 4).step_by(4) {
                    assert_eq!(
                        b.allows(token),
                        Ok(bit(&words, token)),
                        "{}: {}",
                        place(),
                        bytes.escape_ascii()
                    );
                }
                // Structure and few letters, so that keys are repeated.
                let of_few =
                    |t: &&u32| vocab.bytes(**t).unwrap().iter().all(|b| b"ab\"{}[]:,1\\u06".contains(b));
                let few: Vec<u32> = tokens.iter().filter(of_few).copied().collect();
                let Some(&token) = few.get(rng.below(few.len().max(1))) else { break };
                a.commit(token).unwrap();
                b.commit(token).unwrap();
                text.extend(vocab.bytes(token).unwrap());
                repeated += (!bit(&words, b'"'.into()) && text.ends_with(b"a")) as usize;
            }
        }
    }
    assert!(repeated > 20, "{repeated}");
}

/// Whether a text is taken, as a whole and byte by byte.
fn takes(matcher: &Matcher, text: &str) -> bool {
    let mut whole = matcher.fork();
    let mut bytes = matcher.fork();
    let taken = whole.commit_bytes(text.as_bytes()).is_ok();
    assert_eq!(taken, text.bytes().all(|b| bytes.commit(b.into()).is_ok()), "{text}");
    taken && whole.is_accepting()
}

fn any_json() -> Grammar {
    json(Compact, |j| {
        let key = j.string(TEXT);
        let value = j.builder.declare("value", None).unwrap();
        let call = j.builder.arena.rule(value);
        let scalar = j.regex(&format!("{NUMBER}|true|false|null"));
        let (string, array) = (j.string(TEXT), j.array(call, true, ANY));
        let object = j.object(key, call, ANY);
        let body = j.builder.arena.alt(&[scalar, string, array, object]);
        j.builder.define(value, body);
        call
    })
}

#[test]
fn equal_values_are_repetitions() {
    let grammar = any_json();
    let vocab = byte_vocab::<&str>(&[]);
    let matcher = Compiler::new(vocab).compile(&grammar).unwrap().matcher();
    let pairs = [
        ("1", "1.0", true),
        ("1", "10e-1", true),
        ("0", "-0.0e7", true),
        ("1", "-1", false),
        ("100", "1e2", true),
        ("1e400", "10E+399", true),
        ("12345678901234567890", "12345678901234567891", false),
        ("0.1", "1e-1", true),
        ("\"a\"", "\"\\u0061\"", true),
        ("\"\\n\"", "\"\\u000A\"", true),
        ("\"/\"", "\"\\/\"", true),
        ("\"😀\"", "\"\\ud83d\\uDE00\"", true),
        ("\"\\ud83d\"", "\"\\ud83d\\ude00\"", false),
        ("\"\\ud83d\"", "\"\\uD83D\"", true),
        ("\"1\"", "1", false),
        ("\"\"", "[]", false),
        ("{}", "[]", false),
        ("{}", "{}", true),
        ("[]", "[]", true),
        ("[[]]", "[]", false),
        ("null", "false", false),
        ("true", "true", true),
        ("[1,2]", "[2,1]", false),
        ("[1,2]", "[1.0,2e0]", true),
        ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true),
        ("{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}", false),
        ("{\"a\":1}", "{\"a\":1,\"b\":1}", false),
        ("{\"a\":{\"b\":[{\"c\":1,\"d\":\"\\u0061\"}]}}", "{\"a\":{\"b\":[{\"d\":\"a\",\"c\":1.00}]}}", true),
        ("{\"a\":[1,{}]}", "{\"a\":[1,{\"\":0}]}", false),
    ];
    for (a, b, equal) in pairs {
        for text in [
            format!("[{a},{b}]"),
            format!("[{b},{a}]"),
            format!("[{a},7,{b}]"),
            format!("[{b},\"x\",{a},{{\"x\":7}}]"),
            format!("{{\"k\":[[{a},[{b}]],[{a},[{b}]],1]}}"),
        ] {
            assert_eq!(takes(&matcher, &text), !(equal || text.starts_with('{')), "{text}");
        }
        assert!(takes(&matcher, &format!("[[{a}],[{b},{{\"a\":{a}}}]]")), "{a} and {b}");
    }
    for (a, b, equal) in [
        ("a", "\\u0061", true),
        ("", "", true),
        ("a", "b", false),
        ("ab", "a", false),
        ("é", "\\u00e9", true),
        ("😀", "\\ud83d\\ude00", true),
        ("\\\"", "\\u0022", true),
        ("\\ud83d", "\\ud83dx", false),
    ] {
        let text = format!("{{\"{a}\":1,\"{b}\":2}}");
        assert_eq!(takes(&matcher, &text), !equal, "{text}");
        assert!(takes(&matcher, &format!("{{\"{a}\":{{\"{a}\":1}},\"z\":{{\"{b}\":1}}}}")));
    }
}

#[test]
fn endless_spellings_of_one_value_are_searched_to_their_end() {
    // Whatever is written is the same; once it was written, it must not come again.
    for (pattern, first) in
        [("1(?:\\.0+)?", "1"), ("0\\.0+", "0.0"), ("1e[+]?0+", "1e0"), ("-?0e[0-9]+", "-0e7")]
    {
        let grammar = items(pattern, true, ANY);
        let mut matcher = Compiler::new(byte_vocab::<&str>(&[])).compile(&grammar).unwrap().matcher();
        matcher.commit_bytes(format!("[{first}").as_bytes()).unwrap();
        assert_eq!(matcher.allows(b','.into()), Ok(false), "{pattern}");
        assert_eq!(matcher.commit_bytes(b","), Err(MatchError::ForbiddenByte { at: 0, byte: b',' }));
        matcher.commit_bytes(b"]").unwrap();
    }
    // Zeros that shift the point make other numbers, unless the exponent takes them back.
    let grammar = items("10*e-?[0-9]", true, ANY);
    let mut matcher = Compiler::new(byte_vocab::<&str>(&[])).compile(&grammar).unwrap().matcher();
    matcher.commit_bytes(b"[1e0").unwrap();
    assert_eq!(matcher.commit_bytes(b",10e-1]"), Err(MatchError::ForbiddenByte { at: 5, byte: b'1' }));
    matcher.commit_bytes(b",10e-0]").unwrap();
}

#[test]
fn what_is_forced_takes_repetitions_into_account() {
    let grammar = keys("ax|bx", (2, Some(2)));
    let vocab = byte_vocab(&["ax", "bx\":1}", "ax\":1}"]);
    let mut matcher = Compiler::new(vocab).compile(&grammar).unwrap().matcher();
    assert_eq!(matcher.forced_bytes().unwrap(), b"{\"");
    matcher.commit_bytes(b"{\"ax\":1").unwrap();
    assert_eq!(matcher.forced_bytes().unwrap(), b",\"bx\":1}");
    matcher.commit_bytes(b",\"").unwrap();
    assert_eq!(allowed(&mut matcher), [u32::from(b'b'), 257]);
    assert_eq!(matcher.commit_bytes(b"ax\""), Err(MatchError::ForbiddenByte { at: 0, byte: b'a' }));
}

#[test]
fn bytes_that_stand_for_repetitions_are_no_text() {
    let grammar = items("[01]", false, ANY);
    let mut matcher = Compiler::new(byte_vocab(&["1\u{0}"])).compile(&grammar).unwrap().matcher();
    matcher.commit_bytes(b"[1").unwrap();
    for byte in [0xFD, 0xFE, 0xFF] {
        assert_eq!(matcher.allows(byte.into()), Ok(false));
        assert_eq!(matcher.commit_bytes(&[byte]), Err(MatchError::ForbiddenByte { at: 0, byte }));
    }
    // No token has them, and nothing is lost.
    let tokens = (0..0x80u32).map(|b| (b, vec![b as u8]));
    let vocab = Vocab::from_tokens(tokens, &[128]).unwrap();
    let mut matcher = Compiler::new(vocab).compile(&grammar).unwrap().matcher();
    matcher.commit_bytes(b"[1,1,1").unwrap();
    assert_eq!(allowed(&mut matcher), [b',', b']'].map(u32::from));
}

#[test]
fn caches_that_are_started_anew_do_not_forget() {
    let grammar = any_json();
    let limits = tokenstile_engine::Limits::default().with_cache_bytes(1);
    let vocab = structure_vocab();
    let constraint = Compiler::new(vocab.clone()).with_limits(limits).compile(&grammar).unwrap();
    let (mut small, mut large) =
        (constraint.matcher(), Compiler::new(vocab).compile(&grammar).unwrap().matcher());
    for byte in br#"[{"a":1,"b":[1,2]},{"b":[1,2],"a":1,"c":0},"aa","ab","a"]"# {
        small.commit_bytes(&[*byte]).unwrap();
        large.commit_bytes(&[*byte]).unwrap();
        assert_eq!(mask_of(&mut small), mask_of(&mut large));
    }
    assert!(constraint.stats().renewals > 0);
}

#[test]
fn batches_and_warm_constraints_are_no_different() {
    let constraint = Compiler::new(structure_vocab()).compile(any_json()).unwrap();
    let fresh = constraint.fresh();
    constraint.warm(std::time::Duration::from_millis(50));
    let texts = ["{\"a\":1,\"", "{\"a\":1,\"b", "[1,2,1", "[[\"a\"],[\"a\"", "[{\"a\":1},{"];
    let start = |constraint: &tokenstile_engine::Constraint, text: &str| {
        let mut matcher = constraint.matcher();
        matcher.commit_bytes(text.as_bytes()).unwrap();
        matcher
    };
    let mut batch = Batch::new();
    let ids: Vec<_> = texts.iter().map(|text| batch.insert(start(&constraint, text))).collect();
    let words = constraint.mask_words();
    let mut masks = vec![0; words * ids.len()];
    let turns: Vec<Turn<'_>> = ids.iter().enumerate().map(|(row, &id)| Turn::new(id, row)).collect();
    let report = batch.step(&turns, MaskRows::new(&mut masks, words), &StepOptions::default()).unwrap();
    assert_eq!(report.error(), None);
    for (text, mask) in texts.iter().zip(masks.chunks(words)) {
        assert_eq!(mask_of(&mut start(&fresh, text)), mask, "{text}");
    }
}

#[test]
fn many_keys_and_many_items() {
    let vocab = structure_vocab();
    let started = std::time::Instant::now();
    let compiler = Compiler::new(vocab);
    for (name, grammar, brackets, entry) in many() {
        let mut matcher = compiler.compile(&grammar).unwrap().matcher();
        matcher.commit_bytes(&brackets[..1]).unwrap();
        for n in 0..10_000 {
            matcher.commit_bytes(entry(n).as_bytes()).unwrap_or_else(|e| panic!("{name} {n}: {e}"));
            matcher.commit_bytes(b",").unwrap();
            if n % 100 == 0 {
                mask_of(&mut matcher);
            }
        }
        let again = entry(1_234);
        assert!(matcher.commit_bytes(format!("{again},").as_bytes()).is_err(), "{name}");
        matcher.commit_bytes(entry(10_000).as_bytes()).unwrap();
        matcher.commit_bytes(&brackets[1..]).unwrap();
        assert!(matcher.is_accepting());
    }
    say(&format!("many keys and items: {:?}", started.elapsed()));
}

type Many = (&'static str, Grammar, &'static [u8], fn(usize) -> String);

fn many() -> Vec<Many> {
    vec![
        ("keys", keys("[a-z0-9_]+", ANY), b"{}", |n| format!("\"key_{n}\":1")),
        ("strings", items(&format!("\"{TEXT}\""), true, ANY), b"[]", |n| format!("\"item {n}\"")),
        ("numbers", items(NUMBER, true, ANY), b"[]", |n| format!("{n}.5")),
        ("objects", any_json(), b"[]", |n| format!("{{\"id\":{n},\"name\":\"x\"}}")),
    ]
}

#[test]
fn deep_and_long_texts_do_not_use_the_call_stack() {
    let matcher = Compiler::new(byte_vocab::<&str>(&[])).compile(any_json()).unwrap().matcher();
    let deep = 20_000;
    let mut one = matcher.fork();
    one.commit_bytes("[".repeat(deep).as_bytes()).unwrap();
    one.commit_bytes("]".repeat(deep).as_bytes()).unwrap();
    assert!(one.is_accepting());
    let long = "x".repeat(300_000);
    let mut one = matcher.fork();
    one.commit_bytes(format!("[\"{long}\",\"{long}y\",\"{long}").as_bytes()).unwrap();
    assert_eq!(one.commit_bytes(b"\",").map_err(drop), Err(()));
    one.commit_bytes(b"z\"]").unwrap();
    assert!(one.is_accepting());
}

#[test]
fn masks_over_a_real_vocabulary() {
    check_real(
        &any_json(),
        &[
            "{\"name\":1,\"names\":2,\"id\":3,",
            "{\"name\":1,\"names\":2,\"id\":3,\"",
            "{\"name\":1,\"names\":2,\"id\":3,\"na",
            "{\"name\":1,\"id\":\"x\",\"b\":12",
            "[\"the\",\"they\",\"a\",\"the",
            "[1,12,\"1\",1",
            "[1,12,\"1\",",
            "[{\"a\":1,\"b\":\"x\"},{\"b\":\"x\",\"a\":1",
            "[[\"a\",\"b\"],[\"a\",\"b",
        ],
    );
}

#[test]
fn open_objects_over_a_real_vocabulary() {
    check_real(
        &schema(OPEN),
        &[
            "[{\"name\":\"the\",\"names\":1},{\"",
            "[{\"name\":\"the\",\"names\":1},{\"names\":1,\"name\":\"the",
            "[{\"ab\":{\"b\":1}},{\"ab\":{\"b\":1",
        ],
    );
}

/// Compares the masks after some texts with what the reference says of them, over a real vocabulary.
fn check_real(grammar: &Grammar, texts: &[&str]) {
    let vocab = vocab::large();
    let reference = TrackedReference::new(grammar);
    let start = Compiler::new(vocab.clone()).compile(grammar).unwrap().matcher();
    let mut tokens: Vec<(&[u8], u32)> = vocab.text_tokens().map(|(id, bytes)| (bytes, id)).collect();
    tokens.sort();
    for text in texts {
        let mut matcher = start.fork();
        matcher.commit_bytes(text.as_bytes()).unwrap();
        let words = mask_of(&mut matcher);
        let mut dead: Option<Vec<u8>> = None;
        for (i, (bytes, id)) in tokens.iter().enumerate() {
            let fits = !dead.as_ref().is_some_and(|d| bytes.starts_with(d)) && {
                let fitting =
                    (1..=bytes.len()).find(|&n| !reference.fits(&[text.as_bytes(), &bytes[..n]].concat()));
                dead = fitting.map(|n| bytes[..n].to_vec());
                dead.is_none()
            };
            let got = bit(&words, *id);
            let longer = [text.as_bytes(), bytes].concat();
            // What fits can be completed nearly always; where the two differ, or now and then, that is searched.
            if got != fits || fits && i % 5_000 == 0 {
                let place = format!("{text} and {}", bytes.escape_ascii());
                assert!(fits, "{place} does not fit");
                let viable = reference.viable(&longer);
                assert_eq!(viable.known().unwrap_or(got), got, "{place}");
            }
        }
    }
}
