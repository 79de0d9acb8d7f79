//! `tokenstile check`, end to end.

mod support;

use support::{file, tokenstile, tokenstile_with_input};

#[test]
fn an_accepted_grammar_shows_its_figures_and_examples() {
    let run = tokenstile(&["check", "examples/chess.gbnf"]).expect(0);
    run.says("accepted: examples/chess.gbnf (gbnf)").says("rules").says("first mask").says("examples");
}

#[test]
fn every_kind_of_inline_constraint() {
    for arguments in [
        &["check", "--regex", "[a-c]+"][..],
        &["check", "--regex", "b", "--search", "--dialect", "ecma"],
        &["check", "--grammar", "root ::= \"a\" root? \"b\""],
        &["check", "--ebnf", "root ::= \"a\" root?", "--root", "root"],
        &["check", "--schema", "{\"type\": \"integer\"}", "--profile", "exact"],
        &["check", "--choice", "red,green"],
        &["check", "--json"],
    ] {
        tokenstile(arguments).expect(0).says("accepted");
    }
}

#[test]
fn examples_match_the_constraint() {
    let run =
        tokenstile(&["check", "--regex", "[a-c]{2}|x", "--output", "json", "--examples", "5"]).expect(0);
    let answer = &run.json()[0];
    assert_eq!(answer["accepted"], true);
    let examples = answer["examples"].as_array().unwrap();
    assert!(!examples.is_empty());
    for example in examples {
        tokenstile(&["mask", "--regex", "[a-c]{2}|x", example.as_str().unwrap()]).expect(0).says("complete");
    }
}

#[test]
fn an_undefined_rule_is_shown_with_a_caret() {
    let path = file("check-undefined.gbnf", "root ::= \"a\" thing\nother ::= \"b\"\n");
    let run = tokenstile(&["check", &path])
        .expect(1)
        .says("error[undefined-rule]")
        .says("check-undefined.gbnf:1:14");
    let lines: Vec<&str> = run.out.lines().collect();
    let source =
        lines.iter().position(|line| line.starts_with("1 | root")).expect("the source line is shown");
    let caret = lines[source + 1].find('^').expect("a caret is shown");
    assert!(lines[source][caret..].starts_with("thing"), "{}", run.out);
}

#[test]
fn a_broken_regex_is_shown_with_a_caret() {
    let run = tokenstile(&["check", "--regex", "ab(c"]).expect(1).says("error[syntax]").says("1 | ab(c");
    assert!(run.out.lines().any(|line| line.trim_end().ends_with('^')), "{}", run.out);
}

#[test]
fn a_constraint_that_matches_nothing() {
    let run = tokenstile(&["check", "--grammar", "root ::= \"a\" root"]).expect(1);
    run.says("error[unsatisfiable]: rule `root`").says("--> --grammar:1:1").says("1 | root ::= ");
    // The user wrote no rule.
    tokenstile(&["check", "--regex", "(?=b)a"])
        .expect(1)
        .says("error[unsatisfiable]: the constraint can match");
}

#[test]
fn a_missing_root_rule_is_helped_with() {
    let path = file("check-root.ebnf", "sum ::= [0-9]+\n");
    tokenstile(&["check", &path]).expect(1).says("rule `root` is not defined").says("help: ").says("--root");
    tokenstile(&["check", &path, "--root", "sum"]).expect(0);
}

#[test]
fn long_texts_only() {
    tokenstile(&["check", "--regex", "a{5000}"]).expect(0).says("no short text found");
}

#[test]
fn a_refusal_as_json() {
    let run = tokenstile(&["check", "--grammar", "root ::= missing", "--output", "json"]).expect(1);
    let answer = &run.json()[0];
    assert_eq!((&answer["accepted"], &answer["error"]), (&false.into(), &"undefined-rule".into()));
    assert_eq!(answer["place"]["column"], 10);
}

#[test]
fn standard_input_needs_its_kind() {
    let grammar = b"sum ::= sum \"+\" [0-9] | [0-9]\n";
    let run = tokenstile_with_input(&["check", "-", "--kind", "ebnf", "--root", "sum"], grammar);
    run.expect(0).says("accepted: <stdin> (ebnf)");
    tokenstile_with_input(&["check", "-"], grammar).expect(2).complains("--kind");
}

#[test]
fn invalid_utf8_names_the_offset() {
    let path = file("check-utf8.gbnf", b"root ::= \"\xff\"");
    tokenstile(&["check", &path]).expect(2).complains("not UTF-8").complains("offset 10");
}

#[test]
fn usage_errors() {
    tokenstile(&["check"]).expect(2).complains("no constraint");
    tokenstile(&["check", "no/such/file.gbnf"]).expect(2).complains("no/such/file.gbnf");
    tokenstile(&["check", "README.md"]).expect(2).complains("--kind");
    tokenstile(&["check", "x.gbnf", "--regex", "a"]).expect(2).complains("both --regex and the file");
    tokenstile(&["check", "x.gbnf", "--json"]).expect(2).complains("--output json");
    tokenstile(&["check", "--regex", "a", "--grammar", "b"]).expect(2);
    tokenstile(&["check", "--regex", "a", "--root", "b"]).expect(2).complains("--root");
    tokenstile(&["check", "--json", "--vocab", "no/such/vocab"]).expect(2).complains("no/such/vocab");
    tokenstile(&["check", "--json", "--vocab", "README.md"]).expect(2).complains("README.md");
}

#[test]
fn a_schema_shows_instances_with_what_is_required() {
    let run = tokenstile(&["check", "examples/person.schema.json"]).expect(0);
    let examples: Vec<&str> = run.out.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    assert_eq!(examples.len(), 3, "{}", run.out);
    for (i, example) in examples.iter().enumerate() {
        assert!(example.starts_with("{\"name\":\"") && example.contains("\"born\":\""), "{example}");
        assert!(example.len() < 120 * (i + 1), "{example}");
        tokenstile(&["mask", "examples/person.schema.json", example]).expect(0).says("complete");
    }
}

#[test]
fn remarks_about_a_schema_have_a_place() {
    let path = file("check-warn.schema.json", "{\n  \"type\": \"string\",\n  \"minlength\": 2\n}");
    tokenstile(&["check", &path])
        .expect(0)
        .says("warning: `minlength` is not a keyword and is ignored; did you mean `minLength`?")
        .says("check-warn.schema.json:3:3 at /minlength");
    let run = tokenstile(&["check", &path, "--output", "json"]).expect(0);
    assert_eq!(run.json()[0]["warnings"][0]["place"], "3:3");
}

#[test]
fn a_refused_schema_has_pointer_and_place() {
    let schema = "{\n  \"items\": {\n    \"pattern\": \"(a)\\\\1\"\n  }\n}";
    let path = file("check-refused.schema.json", schema);
    let run = tokenstile(&["check", &path])
        .expect(1)
        .says("error[unsupported]")
        .says("check-refused.schema.json:3:5 at /items/pattern")
        .says("3 |     \"pattern\"");
    assert!(run.out.lines().any(|line| line.trim_end().ends_with("    ^")), "{}", run.out);
    let answer = &tokenstile(&["check", &path, "--output", "json"]).expect(1).json()[0];
    assert_eq!((&answer["pointer"], &answer["place"]["line"]), (&"/items/pattern".into(), &3.into()));
    tokenstile(&["check", "--schema", "{\"type\": \"string\", \"maxLength\": 0, \"pattern\": \"^a+$\"}"])
        .expect(1)
        .says("error[unsatisfiable]");
}

#[test]
fn what_is_not_supported_yet_is_refused() {
    let path = file("check.lark", "start: \"a\"");
    tokenstile(&["check", &path, "--kind", "lark"]).expect(1).says("not supported yet");
}

#[test]
fn help_teaches_by_example() {
    let of_a_clone: &[&str] = if cfg!(feature = "dev") { &["test", "bench"] } else { &[] };
    for command in ["check", "mask"].iter().chain(of_a_clone) {
        tokenstile(&["help", command]).expect(0).says("Examples:").says(&format!("tokenstile {command}"));
    }
}
