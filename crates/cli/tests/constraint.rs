//! The options that name a constraint: the same in every sub-command that takes one.

mod support;

use support::{file, tokenstile, tokenstile_with_input};

/// The commands that take a constraint.
const COMMANDS: &[&str] =
    if cfg!(feature = "generate") { &["check", "mask", "generate"] } else { &["check", "mask"] };

/// Every option, a text that its constraint matches and one that it does not.
const OPTIONS: [(&[&str], &str, &str); 7] = [
    (&["--schema", r#"{"type": "integer"}"#], "17", "x"),
    (&["--schema", r#"{"type": "integer"}"#, "--profile", "exact"], "1.0", "x"),
    (&["--regex", "[0-9]+", "--dialect", "ecma"], "17", "x"),
    (&["--grammar", "root ::= \"a\" root? \"b\""], "ab", "b"),
    (&["--ebnf", "sum ::= [0-9] (\"+\" sum)?", "--root", "sum"], "1+2", "+"),
    (&["--choice", "red,green"], "green", "blue"),
    (&["--json"], "[1, true]", "tru e"),
];

#[test]
fn options_that_are_given_the_text_itself() {
    for (options, matched, unmatched) in OPTIONS {
        tokenstile(&[&["check"], options].concat()).expect(0).says(&format!("accepted: {}", options[0]));
        tokenstile(&[&["mask"], options, &[matched]].concat()).expect(0).says("complete");
        tokenstile(&[&["mask"], options, &[unmatched]].concat()).expect(1).says("refused at byte");
    }
}

#[test]
fn a_file_is_as_good_as_its_text() {
    let files = [
        ("--schema", "constraint.schema", r#"{"enum": ["red", "green"]}"#, "\"re"),
        ("--schema", "constraint.schema.json", "  {\"enum\": [\"red\", \"green\"]}\n", "\"re"),
        ("--grammar", "constraint.gbnf", "root ::= \"red\" | \"green\"\n", "re"),
        ("--grammar", "constraint", "root ::= \"red\" | \"green\"\n", "re"),
        ("--ebnf", "constraint.txt", "root ::= \"red\" | \"green\"\n", "re"),
    ];
    for (option, name, content, text) in files {
        let path = file(name, content);
        let of_file = tokenstile(&["mask", option, &path, text]).expect(0).says("forced   \"d");
        assert_eq!(of_file.out, tokenstile(&["mask", option, content, text]).expect(0).out);
        tokenstile(&["check", option, &path]).expect(0).says(&format!("accepted: {path}"));
    }
}

#[test]
fn a_grammar_may_be_a_file_of_any_notation() {
    let run = tokenstile(&["mask", "--grammar", "examples/iso-date.regex", "2024-13"]).expect(1);
    assert_eq!(run.out, tokenstile(&["mask", "examples/iso-date.regex", "2024-13"]).out);
    for (file, kind) in [("person.schema.json", "json_schema"), ("colours.choice", "choice")] {
        let run = tokenstile(&["check", "--grammar", &format!("examples/{file}")]).expect(0);
        run.says(&format!("({kind})"));
    }
    tokenstile(&["check", "--grammar", "examples/arithmetic.ebnf", "--root", "sum"]).expect(0).says("(ebnf)");
    tokenstile_with_input(&["check", "--grammar", "-", "--kind", "regex"], b"a+\n").expect(0).says("(regex)");
}

#[test]
fn options_that_do_not_fit_are_refused() {
    tokenstile(&["check", "--json", "--choice", "a,b"]).expect(2).complains("--choice");
    tokenstile(&["check", "--regex", "a", "--kind", "gbnf"]).expect(2).complains("--kind");
    tokenstile(&["mask", "--grammar", "root ::= \"a\"", "--root", "b"])
        .expect(2)
        .complains("--root is for ebnf");
    tokenstile(&["mask", "--json", "--order", "any"]).expect(2).complains("--order is for json_schema");
    tokenstile(&["mask", "--choice", "a", "--search"]).expect(2).complains("--search is for regex");
    tokenstile(&["check", "--grammar", "nonsense"])
        .expect(2)
        .complains("`nonsense` is no file, nor a text of");
}

#[test]
fn other_names_for_options_lead_to_ours() {
    for command in COMMANDS {
        for (looked_for, meant) in
            [("--gbnf", "--grammar"), ("--any-json", "--json"), ("--shema", "--schema")]
        {
            let run = tokenstile(&[command, looked_for, "root ::= \"a\""]).expect(2);
            run.complains(&format!("unexpected argument '{looked_for}'")).complains(&format!("'{meant}'"));
        }
    }
}

#[test]
fn every_command_explains_them_alike() {
    let section = |command: &str| {
        let help = tokenstile(&["help", command]).expect(0).out;
        let from = help.find("Constraint:\n").expect("a heading");
        let length = help[from..].find("JSON Schema:\n").expect("the next heading");
        help[from..from + length].to_owned()
    };
    let check = section("check");
    for option in ["--schema", "--regex", "--grammar", "--ebnf", "--choice", "--json", "--root"] {
        assert!(check.contains(option), "{option}");
    }
    COMMANDS.iter().for_each(|command| assert_eq!(check, section(command), "{command}"));
}

/// The constraint is read before the model, so no model is needed to see whether it was understood.
#[cfg(feature = "generate")]
#[test]
fn generate_takes_the_same_options() {
    let generate = |options: &[&str]| {
        let more = ["What is it?", "--model", "no-such-model.gguf"];
        tokenstile(&[&["generate"], options, &more[..]].concat()).expect(2)
    };
    for (options, ..) in OPTIONS {
        generate(options).complains("no-such-model.gguf");
    }
    generate(&["--ebnf", "examples/arithmetic.ebnf", "--root", "sum"]).complains("no-such-model.gguf");
    generate(&["--grammar", "examples/iso-date.regex", "--search"]).complains("no-such-model.gguf");
    generate(&["--grammar", "no-such.gbnf"]).complains("`no-such.gbnf` is no file");
    generate(&["--search"]).complains("--search is about a constraint, and there is none");
    generate(&["--profile", "exact"]).complains("--profile is about a constraint");
}
