//! `tokenstile bench`, end to end: the result format that others read.

mod support;

use serde_json::{Value, json};
use support::{file, small_vocab, tokenstile};

fn bench(name: &str, cases: &[Value], more: &[&str]) -> (support::Run, Vec<Value>) {
    let vocab = small_vocab(&format!("{name}-vocab.jsonl"));
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    let cases = file(&format!("{name}-cases.jsonl"), lines.join("\n"));
    let results = file(&format!("{name}-results.jsonl"), "");
    let arguments = ["bench", "--vocab", &vocab, "--cases", &cases, "--out", &results];
    let run = tokenstile(&[&arguments, more].concat());
    let text = std::fs::read_to_string(results).unwrap();
    (run, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn tokens(text: &str) -> Vec<u8> {
    text.bytes().collect()
}

#[test]
fn results_have_the_fields_that_reports_read() {
    let cases = [
        json!({"id": "colour", "split": "s", "kind": "choice", "source": ["red", "green"], "tests": [
            {"valid": true, "tokens": tokens("red")},
            {"valid": false, "tokens": tokens("rex")},
            {"valid": false, "tokens": tokens("gr")},
        ]}),
        json!({"id": "json", "split": "s", "kind": "json", "source": "", "tests": [
            {"valid": true, "tokens": tokens("{\"a\": [1, true, null]}")},
        ]}),
        json!({"id": "broken", "split": "s", "kind": "gbnf", "source": "root ::= (", "tests": []}),
    ];
    let (run, results) = bench("bench-fields", &cases, &["--summary"]);
    run.expect(0)
        .says("TTFM")
        .says("TBM cold")
        .says("TBM warm")
        .says("fork@")
        .says("3 cases: 2 compiled, 1 refused");
    let header = &results[0];
    assert_eq!((&header["header"], &header["engine"]), (&1.into(), &"tokenstile".into()));
    assert!(header["version"].is_string() && header["timeout"].is_number() && header["rss_base"].is_number());

    let first = &results[1];
    assert_eq!((&first["id"], &first["split"], &first["idx"]), (&"colour".into(), &"s".into(), &0.into()));
    for field in ["compile_ns", "first_mask_ns", "rss_delta", "rss_delta_end", "mem", "n_tests"] {
        assert!(first[field].is_number(), "{field}: {first}");
    }
    let [accepted, refused, early] = &first["cold"].as_array().unwrap()[..] else { panic!("{first}") };
    assert_eq!(
        (&accepted["valid"], &accepted["accepted"], &accepted["why"]),
        (&true.into(), &true.into(), &Value::Null)
    );
    assert_eq!((&refused["accepted"], &refused["why"]), (&false.into(), &"rejected at 2".into()));
    assert_eq!((&early["accepted"], &early["why"]), (&false.into(), &"no EOS at end".into()));
    for (test, length) in [(accepted, 3), (refused, 3), (early, 2)] {
        assert_eq!(test["mask"].as_array().unwrap().len(), length);
        assert_eq!(test["tbm"].as_array().unwrap().len(), length);
    }
    assert_eq!(first["warm"].as_array().unwrap().len(), 3);
    assert!(first["ops_ns"].is_object() && results[2].get("ops_ns").is_none());
    assert_eq!(results[2]["cold"][0]["accepted"], true);
    assert!(results[3]["compile_error"].is_string() && results[3].get("cold").is_none());
}

#[test]
fn the_number_of_cases_can_be_limited() {
    let case = json!({"id": 1, "kind": "json", "source": "", "tests": []});
    let (run, results) = bench("bench-limit", &[case.clone(), case.clone(), case], &["--limit", "2"]);
    run.expect(0);
    assert_eq!(results.len(), 3);
}

#[test]
fn warmed_repeated_and_verified() {
    let case = json!({"id": "colour", "kind": "choice", "source": ["red", "green"], "tests": [
        {"valid": true, "tokens": tokens("red")},
        {"valid": false, "tokens": tokens("rex")},
    ]});
    for alone in [&[][..], &["--alone"]] {
        let more = [&["--warm-us", "50", "--repeat", "3", "--verify", "2"], alone].concat();
        let (run, results) = bench("bench-verify", std::slice::from_ref(&case), &more);
        // Six steps, every second one.
        run.expect(0).says("verified 3 masks token by token, 3 of them against the reference, 0 against");
        let header = &results[0];
        assert_eq!((&header["warm_us"], &header["repeat"]), (&50.into(), &3.into()));
        assert_eq!(header["alone"], !alone.is_empty());
        let cold = &results[1]["cold"];
        assert_eq!((&cold[0]["accepted"], &cold[1]["why"]), (&true.into(), &"rejected at 2".into()));
        assert_eq!(cold[0]["tbm"].as_array().unwrap().len(), 3);
    }
    let (run, results) = bench("bench-plain", &[], &[]);
    assert_eq!(run.expect(0).out, "");
    assert!(results[0].get("warm_us").is_none() && results[0].get("repeat").is_none());
    bench("bench-zero", &[], &["--verify", "0"]).0.expect(2);
    bench("bench-none", &[], &["--repeat", "0"]).0.expect(2);
}

#[test]
fn malformed_cases_are_named() {
    let case = json!({"id": 1, "kind": "json", "source": "", "tests": [{"valid": true, "tokens": [99999]}]});
    let (run, _) = bench("bench-malformed", &[case], &[]);
    run.expect(2).complains("bench-malformed-cases.jsonl:1: 99999 is no token");
}
