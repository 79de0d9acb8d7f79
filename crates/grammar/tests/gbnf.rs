//! GBNF and EBNF: what is read, what is refused, and where.

mod common;

use std::time::{Duration, Instant};

use common::{check, matches};
use tokenstile_grammar::{Error, ErrorKind, Grammar, Limits};
use tokenstile_harness::data::Shared;
use tokenstile_testkit::Rng;

fn gbnf(source: &str) -> Grammar {
    Grammar::gbnf(source, &Limits::default()).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

fn ebnf(source: &str) -> Grammar {
    Grammar::ebnf(source, "root", &Limits::default()).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

fn gbnf_error(source: &str) -> Error {
    let error = Grammar::gbnf(source, &Limits::default());
    error.expect_err(&format!("should be refused: {:?}", source.chars().take(100).collect::<String>()))
}

fn ebnf_error(source: &str) -> Error {
    Grammar::ebnf(source, "root", &Limits::default()).expect_err(&format!("should be refused: {source}"))
}

/// Asserts the kind and the place of an error, and a piece of its message.
#[track_caller]
fn assert_error(error: &Error, kind: ErrorKind, place: &str, message: &str) {
    assert_eq!(error.kind(), kind, "{error}");
    assert_eq!(error.place().map(|p| p.to_string()).as_deref(), Some(place), "{error}");
    assert!(error.message().contains(message), "{error}\nshould say: {message}");
}

#[test]
fn the_form_of_expressions() {
    for (source, expected) in [
        (r#"root ::= "a""#, r#"root ::= "a""#),
        (r#"root ::= "a" "b" "c""#, r#"root ::= "abc""#),
        (r#"root ::= ("a" | "bc") [x-z]"#, r#"root ::= (("a" | "bc") [x-z])"#),
        (r#"root ::= "ab"{2,5}"#, r#"root ::= "ab"{2,5}"#),
        (r#"root ::= "ab"{3}"#, r#"root ::= "ab"{3,3}"#),
        (r#"root ::= "ab"{3,}"#, r#"root ::= "ab"{3,}"#),
        (r#"root ::= "ab"{,3}"#, r#"root ::= "ab"{0,3}"#),
        ("root ::= \"ab\"{ 1 ,\n 3 }", r#"root ::= "ab"{1,3}"#),
        (r#"root ::= "ab"{4294967294}"#, r#"root ::= "ab"{4294967294,4294967294}"#),
        (r#"root ::= "ab"{0003}"#, r#"root ::= "ab"{3,3}"#),
        (r#"root ::= "ab"{2}{3}"#, r#"root ::= "ab"{6,6}"#),
        (r#"root ::= "ab"+? "#, r#"root ::= "ab"*"#),
        (r#"root ::= ()"#, r#"root ::= """#),
        (r#"root ::= "#, r#"root ::= """#),
        (r#"root ::= "" | """#, r#"root ::= """#),
        (r#"root ::= | " ""#, r#"root ::= " "?"#),
        (r#"root ::= " " |"#, r#"root ::= " "?"#),
        (r#"root ::= ("a" | )"#, r#"root ::= "a"?"#),
        (r#"root ::= [a-c] | "d" | [x]"#, r#"root ::= [a-dx]"#),
    ] {
        assert_eq!(gbnf(source).to_string().trim_end(), expected, "{source}");
    }
}

#[test]
fn escapes_are_code_points() {
    let all = r#"root ::= "\n\t\r\"\\\[\]\x41\xE9\u20ac\U0001F600é""#;
    check(&gbnf(all), &["\n\t\r\"\\[]Aé€😀é"], &[]);
    check(
        &gbnf(r"root ::= [\n\]\[\\\x41-\x43\u20ac\U0001F600-\U0001F602]"),
        &["\n", "]", "[", "\\", "B", "€", "😁"],
        &["D"],
    );
    check(&gbnf(r"root ::= [^a-c\]]+"), &["d", "dé😀\n\0"], &["a", "]", "da", ""]);
    check(&gbnf(r"root ::= [-+*/] [a-] [+--]"), &["-a+", "/-,", "*a-"], &["--*"]);
    check(&gbnf(r"root ::= . .{2}"), &["abc", "\n\n\n", "é😀\0"], &["ab", "abcd"]);
    check(&gbnf("root ::= \"a\nb\" [\n]"), &["a\nb\n"], &["ab"]);
    check(&gbnf(r"root ::= [\x00-\U0010FFFF]"), &["a", "\u{10FFFF}"], &[""]);
}

#[test]
fn layout_is_free() {
    let layouts = [
        "root ::= \"a\" b | c\nb ::= \"b\"\nc ::= \"c\"",
        "\u{FEFF}root ::=\n  \"a\" b\n  | c\n\nb ::= \"b\"\nc ::= \"c\"\n",
        "# start\nroot ::= \"a\" # one\n b # two\n |\n # three\n c\r\nb ::= (\n\"b\"\n)\r\nc\n::=\n\"c\"",
        "   root::=\"a\"b|c\n   b::=\"b\"\n   c::=\"c\"",
        "root ::= \"a\" b | c\rb ::= \"b\"\rc ::= \"c\"#",
    ];
    for layout in layouts {
        check(&gbnf(layout), &["ab", "c"], &["a", "b", "abc", ""]);
        check(&ebnf(layout), &["ab", "c"], &["a", "b", "abc", ""]);
    }
}

#[test]
fn recursion_and_names() {
    let g = gbnf("root ::= root \"+\" T-1_x | T-1_x\nT-1_x ::= [0-9] | \"(\" root \")\"");
    check(&g, &["1", "1+2+3", "(1+2)+3"], &["+", "1+", "(1"]);
    let g = gbnf("root ::= 1 2\n1 ::= \"a\" 2? 1?\n2 ::= \"b\"");
    check(&g, &["ab", "abb", "aab"], &["a", "b"]);
}

#[test]
fn definitions_know_their_place() {
    let source = "# é\n  root ::= b \"é\nx\" a\n\na ::= b\n\"y\"\n\tb ::= \"z\"";
    let g = gbnf(source);
    let mut places: Vec<String> =
        g.rules().iter().map(|r| format!("{} {}", r.name, r.place.unwrap())).collect();
    places.sort();
    assert_eq!(places, ["a 5:1", "b 7:2", "root 2:3"]);
    for rule in g.rules() {
        assert!(source[rule.place.unwrap().offset..].starts_with(&format!("{} ::=", rule.name)));
    }
}

#[test]
fn syntax_errors_have_a_place() {
    for (source, place, message) in [
        ("", "1:1", "expected a rule `name ::= …`, found end of input"),
        (" \n# only this\n ", "3:2", "found end of input"),
        ("foo | \"x\"", "1:5", "expected `::=` after rule name `foo`, found `|`"),
        ("foo", "1:4", "expected `::=` after rule name `foo`, found end of input"),
        ("foo bar", "1:5", "found rule name `bar`"),
        ("foo := \"x\"", "1:5", "expected `::=` after rule name `foo`, found `:`"),
        ("\"x\"", "1:1", "found a literal"),
        ("::= \"x\"", "1:1", "found `::=`"),
        ("root ::= \"a\"\n ) \"b\"", "2:2", "no group is open"),
        ("root ::= (\"a\" ))", "1:16", "no group is open"),
        ("root ::= \"a\"\n  ( \"b\" | ( \"c\" )", "2:3", "unclosed group: expected `)`, found end of input"),
        ("root ::= (\"a\"\nb ::= \"c\"", "1:10", "found the definition of `b`"),
        ("root ::= \"é\" \"abc", "1:14", "unterminated literal: expected `\"`, found end of input"),
        ("root ::= \"abc\\\"", "1:10", "unterminated literal"),
        ("root ::=\n [abc", "2:2", "unterminated character class: expected `]`, found end of input"),
        ("root ::= [a-", "1:10", "unterminated character class"),
        ("root ::= \"abc\\", "1:14", "expected an escape after `\\`, found end of input"),
        ("root ::= [é-a]", "1:11", "reversed range: `é` comes after `a`"),
        ("root ::= [az-a]", "1:12", "reversed range"),
        ("root ::= []", "1:10", "the empty class `[]`"),
        ("root ::= [^] \"a\"", "1:10", "the empty class `[^]`"),
        ("root ::= \"a\"{5,2}", "1:13", "the maximum 2 is less than the minimum 5"),
        ("root ::= \"a\"{}", "1:14", "expected a repetition count, found `}`"),
        ("root ::= \"a\"{,}", "1:15", "expected a repetition count, found `}`"),
        ("root ::= \"a\"{x}", "1:14", "expected a repetition count, found `x`"),
        ("root ::= \"a\"{1", "1:15", "expected `}` to end the repetition, found end of input"),
        ("root ::= \"a\"{1 2}", "1:16", "expected `}` to end the repetition, found `2`"),
        ("root ::= \"a\"{1,2,3}", "1:17", "found `,`"),
        ("root ::= \"a\"{-1}", "1:14", "found `-`"),
        ("root ::= \"a\"}", "1:13", "found `}`"),
        ("root ::= * \"a\"", "1:10", "expected something to repeat before `*`"),
        ("root ::= \"a\" | {2}", "1:16", "expected something to repeat before `{2}`"),
        ("root ::= \"a\" (+)", "1:15", "expected something to repeat before `+`"),
        ("root ::= \"a\" ::= \"b\"", "1:14", "expected a rule name before `::=`"),
        ("root ::= a a ::= \"b\"", "1:12", "expected a newline before the definition of `a`"),
        ("root ::= \"\\q\"", "1:11", "found `\\q`"),
        ("root ::= \"\\'\"", "1:11", "found `\\'`"),
        ("root ::= [\\d]", "1:11", "found `\\d`"),
        ("root ::= \"\\x4\"", "1:11", "expected 2 hexadecimal digits, found `\\x4` with 1"),
        ("root ::= \"a\\u12G4\"", "1:12", "expected 4 hexadecimal digits"),
        ("root ::= [\\U0001F60]", "1:11", "expected 8 hexadecimal digits"),
        ("root ::= \"\\uD83D\\uDE00\"", "1:11", "is a surrogate"),
        ("root ::= [\\uDFFF]", "1:11", "is a surrogate"),
        ("root ::= \"\\U00110000\"", "1:11", "is past U+10FFFF"),
        ("root ::= \"\\UFFFFFFFF\"", "1:11", "is past U+10FFFF"),
        ("root ::= \0", "1:10", "found `\\0`"),
        ("root ::= \"a\0b\"", "1:12", "NUL byte"),
        ("root ::= [a\0]", "1:12", "NUL byte"),
        ("root ::= \"a\" # a\0b\n", "1:17", "found `\\0`"),
        ("\0", "1:1", "found `\\0`"),
        ("root ::= 'a'", "1:10", "found `'`"),
        ("root ::= \"a\" é", "1:14", "found `é`"),
        ("root ::= a, b", "1:11", "found `,`"),
    ] {
        assert_error(&gbnf_error(source), ErrorKind::Syntax, place, message);
    }
}

#[test]
fn rules_must_be_defined_once() {
    let error = gbnf_error("root ::= a\n\n  a ::= \"x\"\na ::= \"y\"");
    assert_error(&error, ErrorKind::DuplicateRule, "4:1", "rule `a` is defined twice, first at 3:3");
    let error = gbnf_error("root ::= \"a\" strnig\nstring ::= vlue\n");
    assert_error(
        &error,
        ErrorKind::UndefinedRule,
        "1:14",
        "rule `strnig` is not defined; did you mean `string`?",
    );
    let error = gbnf_error("root ::= \"é\"\n  | (\"a\" nowhere) nowhere\n");
    assert_error(&error, ErrorKind::UndefinedRule, "2:10", "rule `nowhere` is not defined");
    assert!(!error.message().contains("did you mean"), "{error}");
    let error = gbnf_error("\nRoot ::= \"a\"");
    assert_error(&error, ErrorKind::UndefinedRule, "2:1", "rule `root` is not defined; did you mean `Root`?");
    let error = gbnf_error("a ::= root");
    assert_error(&error, ErrorKind::UndefinedRule, "1:7", "rule `root` is not defined");
}

#[test]
fn what_cannot_be_enforced_is_refused() {
    for (source, place, message) in [
        ("root ::= \"a\"{99999999999}", "1:14", "repetition counts past 4294967294 are not supported"),
        ("root ::= \"a\"{0,4294967295}", "1:16", "repetition counts past 4294967294"),
        ("root ::= <[99999999999]>", "1:12", "ids of tokens past 32 bits"),
    ] {
        assert_error(&gbnf_error(source), ErrorKind::Unsupported, place, message);
    }
    for (source, place, message) in [
        ("root ::= \"a\" (= \"b\")", "1:14", "lookahead assertions"),
        ("root ::= TagDispatch((\"a\", b))\nb ::= \"b\"", "1:10", "macros such as `TagDispatch(…)`"),
        ("root ::= \"a\"\n  Token(1)", "2:3", "macros such as `Token(…)`"),
        ("root ::= \"\\x041\"", "1:11", "ambiguous"),
    ] {
        assert_error(&ebnf_error(source), ErrorKind::Unsupported, place, message);
    }
}

#[test]
fn ebnf_additions() {
    check(&ebnf(r#"root ::= 'a"\'' "b'\"" '\x9'"#), &["a\"'b'\"\t"], &[]);
    check(&ebnf(r#"root ::= "\a\b\f\v\0\e\?""#), &["\x07\x08\x0C\x0B\0\x1B?"], &[]);
    check(
        &ebnf(r"root ::= [\d] [\w] [\s]"),
        &["0_ ", "9Z\n", "5a\x0B"],
        &["a_ ", "0- ", "0_a", "0é ", "٣a "],
    );
    check(&ebnf(r"root ::= [\D] [^\w] [\S]"), &["a-b", "é é"], &["0-b", "aab", "a- "]);
    check(&ebnf(r"root ::= [\d\-\.x]+"), &["0-.x"], &["w"]);
    check(&ebnf("root ::= a.b . .\na.b ::= 'x'"), &["xyz"], &["xy"]);
    check(&ebnf("root ::= a.*\na ::= 'x'"), &["x", "xyz"], &["y"]);
    check(&ebnf("root ::= 'a'{2, -1}"), &["aa", "aaa"], &["a"]);
    let g = Grammar::ebnf("a ::= b\nb ::= \"b\"", "b", &Limits::default()).unwrap();
    assert_eq!(&*g.rule(g.root()).name, "b");
    let error = Grammar::ebnf("a ::= \"b\"\n", "mian", &Limits::default()).unwrap_err();
    assert_error(&error, ErrorKind::UndefinedRule, "1:1", "rule `mian` is not defined");
    for (source, place, message) in [
        ("root ::= \"a\nb\"", "1:10", "unterminated literal: expected `\"`, found a newline"),
        ("root ::= 'a", "1:10", "unterminated literal: expected `'`"),
        ("root ::= [a\n]", "1:10", "unterminated character class: expected `]`, found a newline"),
        ("root ::= [a-\\d]", "1:13", "expected a character to end the range"),
        ("root ::= \"\\d\"", "1:11", "belongs inside `[` and `]`"),
        ("root ::= 'a'{,-1}", "1:15", "expected a repetition count"),
    ] {
        assert_error(&ebnf_error(source), ErrorKind::Syntax, place, message);
    }
}

#[test]
fn limits_hold() {
    let limit = |name| ErrorKind::Limit { name };
    let small = Limits::default().with_source_bytes(10);
    let error = Grammar::gbnf("root ::= \"a\"", &small).unwrap_err();
    assert_eq!((error.kind(), error.place()), (limit("source_bytes"), None), "{error}");
    assert!(error.message().contains("source_bytes = 10"), "{error}");

    let few = Limits::default().with_rules(2);
    let error = Grammar::gbnf("root ::= a\na ::= \"a\"\nb ::= \"b\"", &few).unwrap_err();
    assert_error(&error, limit("rules"), "3:1", "rules = 2");

    let few = Limits::default().with_exprs(16);
    let many: String = (0..30).map(|i| format!("\"x{i}\"* ")).collect();
    let error = Grammar::gbnf(&format!("root ::= {many}"), &few).unwrap_err();
    assert_eq!((error.kind(), error.place().map(|p| p.line)), (limit("exprs"), Some(1)), "{error}");

    let none = Limits::default().with_compile_time(Duration::ZERO);
    let error = Grammar::gbnf(&format!("root ::= {}", "\"x\" ".repeat(1_000)), &none).unwrap_err();
    assert_eq!(error.kind(), limit("compile_time"), "{error}");
}

#[test]
fn depth_is_bounded_by_the_limit_and_not_by_the_stack() {
    let nested = |n: usize| format!("root ::=\n{}\"a\"{}", "(".repeat(n), ")?".repeat(n));
    assert!(matches(&gbnf(&nested(1_000)), "a"));
    for depth in [1_001, 100_000] {
        assert_error(
            &gbnf_error(&nested(depth)),
            ErrorKind::Limit { name: "nesting" },
            "2:1001",
            "nesting = 1000",
        );
    }
    let deep = Limits::default().with_nesting(usize::MAX);
    let grammar = Grammar::gbnf(&nested(100_000), &deep).unwrap();
    assert!(grammar.to_string().contains('a') || grammar.to_string().contains('…'));
    let error = Grammar::gbnf(&"(".repeat(1 << 20), &deep).unwrap_err();
    assert_error(&error, ErrorKind::Syntax, "1:1", "found `(`");
    let error = Grammar::gbnf(&format!("root ::= {}", "(".repeat(1 << 20)), &deep).unwrap_err();
    assert_error(&error, ErrorKind::Syntax, &format!("1:{}", 9 + (1 << 20)), "unclosed group");

    let parens = "(".repeat(50 << 20);
    assert_eq!(gbnf_error(&parens).kind(), ErrorKind::Limit { name: "source_bytes" });
    let large = Limits::default().with_source_bytes(1 << 30);
    let error = Grammar::gbnf(&format!("root ::= {parens}"), &large).unwrap_err();
    assert_error(&error, ErrorKind::Limit { name: "nesting" }, "1:1010", "nesting = 1000");
}

#[test]
fn time_is_linear() {
    let started = Instant::now();
    let rules: String =
        (0..200_000).map(|i| format!("r{i} ::= \"é{i}\" r{}\n", (i * 7919) % 200_000)).collect();
    assert_eq!(gbnf(&format!("{rules}root ::= r1")).rules().len(), 200_001);
    // One long line, one long sequence, one long class, one long choice, one long name.
    gbnf(&format!("root ::= {}", "\"a\" ".repeat(500_000)));
    gbnf(&format!("root ::= {}", "\"a\" . ".repeat(300_000)));
    gbnf(&format!("root ::= [{}]", "aé😀".repeat(300_000)));
    gbnf(&format!("root ::= \"\" {}", (0..200_000).map(|i| format!("| \"xy{i}\"")).collect::<String>()));
    let long = "n".repeat(1 << 20);
    assert!(gbnf_error(&format!("root ::= {long}")).to_string().len() < 200);
    gbnf(&format!("root ::= {}{long}\n{long} ::= \"a\"", "root ".repeat(200_000)));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn grammars_of_the_field() {
    let folder = Shared::find().path("peerbench/data/gbnf");
    let cases: [(&str, usize, &[&str], &[&str]); 4] = [
        ("arithmetic", 6, &["1+2=3\n", "(a_1 *2) = 3 \n1=1\n"], &["1+2", "=\n", "1+ 2=3\n"]),
        ("c", 21, &["int f(){return 1;}", "int f(int x){while(x<1){x = x+1;}}"], &["f(){}", "int f("]),
        ("chess", 5, &["1. e4 e5\n2. Nf3 O-O-O\n"], &["1. e4 e5", "2. e4 e5\n"]),
        ("json", 7, &["{}", "{\"a\": [1, true, \"é\\n\"]}"], &["[]", "{a:1}", "{\"a\":}"]),
    ];
    for (name, rules, accept, reject) in cases {
        let source = std::fs::read_to_string(folder.join(format!("{name}.gbnf"))).unwrap();
        for grammar in [gbnf(&source), ebnf(&source)] {
            assert_eq!(grammar.rules().len(), rules, "{name}:\n{grammar}");
            check(&grammar, accept, reject);
        }
    }
}

#[test]
fn mutated_grammars_never_panic() {
    const SEEDS: [&str; 4] = [
        "root ::= item+ # list\nitem ::= \"- \" [^\\n\\x41-\\x5A]{1,20} \"\\n\" | (\"é\" | ) .\n",
        "root ::= root \"+\" t | t\nt ::= [0-9]+ (\".\" [0-9]*)? | \"(\" root \")\"\n",
        "root ::= \"\\u00e9\\U0001F600\\\"\\\\\" [\\]\\[a-]{,3}? x{2}{3,}\nx ::= (((\"a\")))\n",
        "root ::= 'a' [\\d\\w\\-] a.b TagDispatch (= \"b\")\na.b ::= \"x\"{0, -1}\n",
    ];
    const PIECES: [&str; 40] = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        "\\",
        "|",
        "*",
        "+",
        "?",
        ".",
        ",",
        "-",
        "^",
        "#",
        "\n",
        "\r",
        "\0",
        " ",
        "::=",
        ":",
        "=",
        "(=",
        "\\x",
        "\\u",
        "\\U",
        "\\uD800",
        "é",
        "😀",
        "\u{FEFF}",
        "root",
        "a",
        "9",
        "99999999999",
        "{1,2}",
        "Token(",
        "<",
    ];
    let (mut random, mut accepted, mut refused) = (Rng::new(2024), 0, 0);
    for _ in 0..20_000 {
        let mut text: Vec<char> = SEEDS[random.below(SEEDS.len())].chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len() + 1);
            let end = (at + random.below(6)).min(text.len());
            match random.below(4) {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..at, PIECES[random.below(PIECES.len())].chars())),
                2 => drop(text.splice(at..end, PIECES[random.below(PIECES.len())].chars())),
                _ => {
                    let copy: Vec<char> = text[at..end].to_vec();
                    let to = random.below(text.len() + 1);
                    drop(text.splice(to..to, copy));
                }
            }
        }
        let text: String = text.into_iter().collect();
        for result in
            [Grammar::gbnf(&text, &Limits::default()), Grammar::ebnf(&text, "root", &Limits::default())]
        {
            match result {
                Ok(grammar) => {
                    accepted += 1;
                    assert!(!grammar.to_string().is_empty());
                }
                Err(error) => {
                    refused += 1;
                    let place = error.place().unwrap_or_else(|| panic!("{error} has no place\n{text}"));
                    assert!(text.is_char_boundary(place.offset), "{error}\n{text}");
                    assert_eq!(place, tokenstile_grammar::Place::of(&text, place.offset), "{error}\n{text}");
                }
            }
        }
    }
    assert!(accepted > 1_000 && refused > 1_000, "{accepted} accepted, {refused} refused");
}

#[test]
fn token_terminals() {
    let grammar = gbnf("root ::= <think> !<think>* </think> | !<[1001]>+ <[7]>");
    assert_eq!(grammar.to_string(), "root ::= ((<think> !<think>* </think>) | (!<[1001]>+ <[7]>))\n");
    let places: Vec<_> =
        grammar.arena().token_sets().map(|set| set.place.map(|place| place.column)).collect();
    assert_eq!(places, [Some(10), Some(18), Some(28), Some(39), Some(50)]);
    for (source, place, message) in [
        ("root ::= <think", "1:10", "unterminated token"),
        ("root ::= <thi\nnk>", "1:10", "unterminated token"),
        ("root ::= <>", "1:11", "expected the name of a token"),
        ("root ::= <[]>", "1:12", "expected the id of a token"),
        ("root ::= <[1]", "1:13", "expected `]>`"),
        ("root ::= !\"a\"", "1:11", "expected `<` and a token after `!`"),
    ] {
        assert_error(&gbnf_error(source), ErrorKind::Syntax, place, message);
    }
}
