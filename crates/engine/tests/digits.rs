//! Numbers within bounds: masks far from their bounds, near them and at them, against the reference, with vocabularies that
//! have digits by themselves and several in a token.

use tokenstile_engine::{Grammar, Limits};
use tokenstile_harness::{byte_vocab, gbnf, masks_agree};
use tokenstile_json_schema::json_schema;

const TOKENS: [&[&str]; 3] = [
    &[],
    &[
        "10", "12", "21", "65", "00", "99", "214", "748", "364", "655", "000", "999", "7,", "12}", "123,",
        "5.5", "1e",
    ],
    &[
        "2147",
        "21474836",
        "65535",
        "0000",
        "99999",
        "-2",
        "-21",
        "1.",
        ".5",
        "0}",
        "214748364",
        "35,\"",
        "00e",
    ],
];

fn agrees(grammar: &Grammar, text: &str, source: &str) {
    for tokens in TOKENS {
        masks_agree(grammar, &byte_vocab(tokens), text, source);
    }
}

#[test]
fn bounds_are_seen_in_time() {
    let ranges = [
        (
            r#""type": "integer", "minimum": 0, "maximum": 2147483647"#,
            &["0", "7", "2147483647", "214748364", "1999999999"][..],
        ),
        (
            r#""type": "integer", "minimum": -2147483648, "maximum": 2147483647"#,
            &["-2147483648", "-9", "2147483"],
        ),
        (r#""type": "integer", "minimum": 1, "maximum": 65535"#, &["65535", "6553", "8080", "1"]),
        (r#""type": "integer", "minimum": 1024, "maximum": 65535"#, &["1024", "10240", "65000", "9999"]),
        (r#""type": "integer", "minimum": 123456"#, &["123456", "1234567890123", "99999999"]),
        (
            r#""type": "integer", "minimum": 0, "maximum": 1000000, "multipleOf": 10"#,
            &["1000000", "120", "999990"],
        ),
        (r#""type": "number", "minimum": -90, "maximum": 90"#, &["-90", "89.9999", "90.000", "-0.5"]),
        (
            r#""type": "number", "minimum": 100, "exclusiveMaximum": 100000.25"#,
            &["100000.24999", "99999.5", "100"],
        ),
    ];
    for (range, texts) in ranges {
        let source = format!(r#"{{"type": "object", "properties": {{"a": {{{range}}}}}}}"#);
        let grammar = json_schema(&source, &Default::default(), &Limits::default()).unwrap();
        for text in texts {
            agrees(&grammar, &format!(r#"{{"a":{text},"b":1}}"#), &source);
        }
    }
}

#[test]
fn digits_in_other_places() {
    let grammars = [
        ("root ::= ([0-9]{1,6} \"-\")* [0-9]{4,5}", "123456-1-00012"),
        ("root ::= [0-9]* \"x\" | [0-4]{3,9} \"5\" [0-9]? \"y\"", "0123401235y"),
        ("root ::= [0-9]{5,7} \".\" | [0-9]+ \"e\" | \"1234567.8\"", "1234567.8"),
        ("root ::= [0-7]{2,30} [89]?", "0123456701234567012345678"),
        ("root ::= ([0-9]* | \"2147483647\") (\",\" [0-9]{10})?", "2147483647,0123456789"),
    ];
    for (source, text) in grammars {
        agrees(&gbnf(source), text, source);
    }
}
