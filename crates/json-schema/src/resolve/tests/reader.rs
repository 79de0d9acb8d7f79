//! The reader against another.

use tokenstile_testkit::Rng;

use super::*;

/// What another reader makes of a text. It takes keys twice, which ours does not: that is `None` too.
fn other(text: &str) -> Option<serde_json::Value> {
    serde_json::from_str(text).ok()
}

fn same(ours: &Json, other: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (ours, other) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(a), Value::Bool(b)) => a == b,
        // The other one writes exponents in its own way.
        (Json::Number(a), Value::Number(b)) => {
            a.replace('E', "e").replace('+', "") == b.to_string().replace('+', "")
        }
        (Json::String(a), Value::String(b)) => a == b,
        (Json::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => false,
    }
}

fn value(random: &mut Rng, depth: usize, out: &mut String) {
    const SCALARS: [&str; 14] = [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.5e-7",
        "-12E+3",
        "100000000000000000000",
        "\"\"",
        "\"a\\\"b\"",
        "\"\\u00e9\\n\\/\"",
        "\"\\ud83d\\ude00😀\"",
        "\"é\u{7f}\"",
        "0.10",
    ];
    match random.below(if depth == 0 { 1 } else { 3 }) {
        0 => out.push_str(SCALARS[random.below(SCALARS.len())]),
        kind => {
            out.push_str([" [", "{ "][kind - 1]);
            for i in 0..random.below(4) {
                out.push_str(if i > 0 { "\t,\r\n" } else { "" });
                if kind == 2 {
                    out.push_str(&format!("\"k{i}\\t\" : "));
                }
                value(random, depth - 1, out);
            }
            out.push_str(["] ", " }"][kind - 1]);
        }
    }
}

#[test]
fn both_readers_agree() {
    let mut random = Rng::new(1);
    let (mut good, mut bad) = (0, 0);
    const PIECES: [&str; 24] = [
        "\"", "\\", "\\u", "d8", "\\udc00", "{", "}", "[", "]", ",", ":", "0", "-", ".", "e", "+", "null",
        "tru", " ", "\u{1}", "é", "//", "'", "\u{feff}",
    ];
    for _ in 0..20_000 {
        let mut text = String::new();
        value(&mut random, 4, &mut text);
        for _ in 0..random.below(3) {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if random.below(2) == 0 {
                text.insert_str(at, PIECES[random.below(PIECES.len())]);
            } else if let Some(c) = text[at..].chars().next() {
                text.replace_range(at..at + c.len_utf8(), "");
            }
        }
        match (parse(&text), other(&text)) {
            (Ok(ours), Some(other)) => {
                assert!(same(&ours, &other), "{text}\n{ours:?}");
                good += 1;
            }
            (Err(error), None) => {
                assert!(
                    error.place().is_some() && error.kind() == tokenstile_grammar::ErrorKind::Syntax,
                    "{error}"
                );
                bad += 1;
            }
            (Err(error), Some(_)) if error.message().contains("already") => bad += 1,
            (ours, other) => panic!("{text:?}\n{ours:?}\n{other:?}"),
        }
    }
    assert!(good > 5_000 && bad > 5_000, "{good} {bad}");
}

#[test]
fn errors_say_what_and_where() {
    for (text, message) in [
        ("", "1:1: the text ends where a value is expected"),
        ("[1,]", "1:3: JSON has no comma before `]`"),
        ("{\"a\":1,\n }", "1:7: JSON has no comma before `}`"),
        ("{'a':1}", "1:2: expected a key in double quotes; JSON has double quotes only"),
        ("{a:1}", "1:2: expected a key in double quotes, not `a`"),
        ("{\"a\" 1}", "1:6: expected `:`, not `1`"),
        ("[1 2]", "1:4: expected `,` or `]`, not `2`"),
        ("[1", "1:3: the text ends where `,` or `]` is expected"),
        ("1 2", "1:3: expected the end of the text, not `2`"),
        ("[\n // no\n1]", "2:2: JSON has no comments"),
        ("[NaN]", "1:2: expected a value; JSON has no `NaN`"),
        ("[True]", "1:2: expected a value; JSON writes `true`, `false` and `null`"),
        ("[+1]", "1:2: expected a value; a number begins with a digit or `-`"),
        ("01", "1:1: a number has no leading zeros"),
        ("[-]", "1:2: the number is incomplete: a digit must follow"),
        ("\"abc", "1:1: the string has no closing quote"),
        ("\"a\nb\"", "1:3: a string must write the character U+000A as an escape"),
        ("\"é\\x\"", "1:3: JSON has no such escape"),
        ("\"\\u12\"", "1:2: `\\u` needs four hexadecimal digits"),
        ("\"\\ud800\"", "1:2: the escape is half of a surrogate pair, not a character"),
        ("\"\\udc00\\ud800\"", "1:2: the escape is half of a surrogate pair, not a character"),
        ("\"\\ud800\\u0041\"", "1:2: the escape is half of a surrogate pair, not a character"),
        ("\u{feff}{}", "1:1: JSON does not begin with a byte order mark"),
        ("{\"a\":1,\"b\":2,\n\"\\u0061\":3}", "2:1: the key `a` is in the object already"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text:?}");
    }
    let many: Vec<String> = (0..50).map(|i| format!("\"{}\":{{\"x\":0}}", i % 40)).collect();
    let text = format!("{{{}}}", many.join(","));
    let error = parse(&text).unwrap_err();
    assert!(error.to_string().ends_with("the key `0` is in the object already"), "{error}");
    assert_eq!(error.place().unwrap().offset, text.rfind("\"0\"").unwrap());
}
