//! Strings under several conditions, of which some ask for nothing any more: masks against the definition.

use tokenstile_engine::Limits;
use tokenstile_harness::{Words, compile};
use tokenstile_json_schema::{JsonOptions, json_schema};
use tokenstile_testkit::Reference;

#[test]
fn what_asks_for_nothing_more_changes_nothing() {
    let words = [
        "http", "https", "://", "s://a", ".org", "/b", "/b\"", "a.b", "\\n", "\\\\", "\\\"", "\\u00", "x\\",
        "é", "éa", "\u{2028}", "ab", "abc", "%2", "%20", " ", " a", "::", "@", "2024", "-0", "-01", "c\"",
    ];
    let words = Words::new(&words);
    let cases: &[(&str, &[&str])] = &[
        (r#"{"format":"uri","pattern":"^https?://.+"}"#, &["https://a.org/b", "http://é", "ftp://"]),
        (r#"{"format":"uri","pattern":"^http"}"#, &["https:a", "http:\\n"]),
        (r#"{"format":"date","pattern":"^2"}"#, &["2024-01-31"]),
        // Here both may have to be escaped, or the other one says what may not be.
        (r#"{"pattern":"^a[^]*","allOf":[{"pattern":"^[^x]+$"}]}"#, &["a\\nb\\\\x", "ab\\\"é"]),
        (r#"{"pattern":"^a","not":{"pattern":"^ab"}}"#, &["acb", "a\\n", "ab"]),
        (r#"{"pattern":"^a.","allOf":[{"pattern":"^[a-z]{2,}$"}]}"#, &["abc", "a\\n"]),
        (r#"{"pattern":"^a","allOf":[{"pattern":"c"},{"pattern":"^[a-c]*$"}]}"#, &["abcab", "ab\\n"]),
    ];
    for options in [JsonOptions::default(), JsonOptions::exact()] {
        for (schema, texts) in cases {
            let schema = format!(r#"{{"type":"string",{}"#, &schema[1..]);
            let grammar = json_schema(&schema, &options, &Limits::default()).expect("a good schema");
            words.check_along(&grammar, &texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>());
        }
    }
}

#[test]
fn exactly_one_of_several_patterns() {
    let words = ["ab", "abc", "bc", "cab", "b\"", "c\"", "ab\"", "\\n", "\\", "é", "aé", "x", "xx", "xab\""];
    let words = Words::new(&words);
    let cases: &[(&str, &[&str])] = &[
        (r#"[{"pattern":"ab"},{"pattern":"bc"}]"#, &["xabx", "abc", "\\nbc"]),
        (r#"[{"pattern":"ab"},{"pattern":"bc"},{"pattern":"ca"}]"#, &["xab", "abca", "ébc"]),
        (r#"[{"pattern":"^a"},{"pattern":"c$"},{"const":"abc"}]"#, &["ab", "abc", "xc"]),
        (r#"[{"pattern":"a"},{"not":{"pattern":"b"}},{"maxLength":2}]"#, &["ab", "xxc", "xaxb"]),
    ];
    for (schemas, texts) in cases {
        let schema = format!(r#"{{"type":"string","oneOf":{schemas}}}"#);
        let grammar =
            json_schema(&schema, &JsonOptions::default(), &Limits::default()).expect("a good schema");
        words.check_along(&grammar, &texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>());
    }
}

#[test]
fn other_keys_are_none_of_many_names() {
    let names = "name names namely na id ids idle type title time timer tim created createdAt updated updatedAt up a ab abc é éa";
    let words: Vec<String> =
        names.split(' ').flat_map(|name| [name.to_owned(), format!("{name}\":")]).collect();
    let Words { vocab, sorted } = Words::new(&words);
    let members: Vec<String> = names.split(' ').map(|name| format!(r#""{name}":{{"const":1}}"#)).collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{{}}},"additionalProperties":{{"const":2}}}}"#,
        members.join(",")
    );
    let grammar = json_schema(&schema, &JsonOptions::default(), &Limits::default()).expect("a good schema");
    let (matcher, reference) = (compile(&grammar, &vocab).matcher(), Reference::new(&grammar));
    let starts = [
        "", "n", "na", "nam", "name", "namel", "id", "idl", "t", "ti", "tim", "time", "u", "upd", "abc",
        "abcd", "é", "x",
    ];
    for start in starts.iter().flat_map(|name| [format!("{{\"{name}"), format!("{{\"{name}\":")]) {
        let mut matcher = matcher.fork();
        matcher.commit_bytes(start.as_bytes()).unwrap_or_else(|error| panic!("{start}: {error}"));
        let same = sorted.compare(&mut matcher, &reference, reference.run(start.as_bytes()));
        assert!(same.is_ok(), "after {start}: {same:?}");
    }
}
