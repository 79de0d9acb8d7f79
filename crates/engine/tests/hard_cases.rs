//! Cases that are known to break engines of this kind, by name.

use std::time::Instant;

use tokenstile_engine::{CompileError, Compiler, ErrorKind, Grammar, Limits, MatchError, Vocab};
use tokenstile_harness::{Sorted, allowed, bit, byte_vocab, compile, gbnf, mask_of, regex};
use tokenstile_testkit::{Reference, Rng};

/// Compares masks with the reference along random walks, and after each text.
fn check(grammar: &Grammar, vocab: &Vocab, texts: &[&str], walks: usize) {
    let sorted = Sorted::new(vocab);
    let constraint = compile(grammar, vocab);
    let reference = Reference::new(grammar);
    let mut rng = Rng::new(7);
    let starts = texts.iter().map(|t| (t.as_bytes(), 1)).chain((0..walks).map(|_| (&b""[..], 12)));
    for (start, steps) in starts {
        let mut matcher = constraint.matcher();
        let mut text = start.to_vec();
        matcher.commit_bytes(start).unwrap_or_else(|e| panic!("{e}: {} of {grammar}", start.escape_ascii()));
        for _ in 0..steps {
            let place = || format!("after {:?} of {grammar}", text.escape_ascii().to_string());
            let state = reference.run(&text);
            assert_eq!(matcher.is_accepting(), reference.is_accepting(state), "{}", place());
            let words = sorted.compare(&mut matcher, &reference, state);
            let words = words.unwrap_or_else(|e| panic!("{}: {e}", place()));
            let choices: Vec<u32> = tokenstile_harness::tokens_in(&words)
                .into_iter()
                .filter(|&t| vocab.bytes(t).is_some())
                .collect();
            if choices.is_empty() {
                break;
            }
            let token = *rng.pick(&choices);
            matcher.commit(token).unwrap_or_else(|e| panic!("{}: {e}", place()));
            text.extend_from_slice(vocab.bytes(token).expect("a text token"));
        }
    }
}

#[test]
fn a_token_of_112_dashes() {
    let dashes: Vec<String> = [2, 3, 64, 112].map(|n| "-".repeat(n)).to_vec();
    let vocab = byte_vocab(&dashes);
    for source in [
        r#"root ::= ("-" | "--")+"#,
        r#"root ::= "--" rest
           rest ::= "-" rest | "x""#,
        r#"root ::= "--" [^x]* "x""#,
        r#"root ::= "-"{1,111}"#,
        r#"root ::= "-"{112}"#,
        r#"root ::= "-"{113}"#,
        r#"root ::= "--"{56}"#,
        r#"root ::= "--"{55} "-""#,
        r#"root ::= ("--" | "---"){1,40}"#,
        r#"root ::= "-" root "-" | "x""#,
        r#"root ::= "-" root "--" | "-""#,
        r#"root ::= [-]{3,64} | [-]{100,} "x""#,
    ] {
        check(&gbnf(source), &vocab, &["", "-", "--"], 4);
    }
    let mut matcher = compile(&gbnf(r#"root ::= "--"{56}"#), &vocab).matcher();
    assert!(matcher.allows(259).unwrap());
    matcher.commit(259).unwrap();
    assert!(matcher.is_accepting());
    assert!(!compile(&gbnf(r#"root ::= "-"{1,111}"#), &vocab).matcher().allows(259).unwrap());
}

#[test]
fn brackets_nested_ten_thousand_deep() {
    const DEPTH: usize = 10_000;
    let vocab = byte_vocab(&["[[", "]]", "]]]]", "[["]);
    let sorted = Sorted::new(&vocab);
    let grammar = gbnf(r#"root ::= "[" root "]" | "{" root "}" | "x""#);
    let constraint = compile(&grammar, &vocab);
    let reference = Reference::new(&grammar);
    let mut matcher = constraint.matcher();
    let mut state = reference.start();
    let first = mask_of(&mut matcher);
    for depth in 0..DEPTH {
        let byte = if depth % 3 == 0 { b'{' } else { b'[' };
        matcher.commit(byte.into()).unwrap();
        state = reference.step(state, byte);
        if depth % 1_999 == 0 {
            sorted.compare(&mut matcher, &reference, state).unwrap();
        }
    }
    let bottom = mask_of(&mut matcher);
    let mut fork = matcher.fork();
    fork.commit(b'x'.into()).unwrap();
    for depth in (0..DEPTH).rev() {
        let byte = if depth % 3 == 0 { b'}' } else { b']' };
        assert!(!fork.is_accepting());
        assert_eq!(fork.commit(b')'.into()), Err(MatchError::Forbidden { token: b')'.into() }));
        if depth % 1_000 == 0 {
            let end = vocab.end_tokens()[0];
            let closing: Vec<u32> = allowed(&mut fork).into_iter().filter(|&t| t < 256 || t == end).collect();
            assert_eq!(closing, [u32::from(byte)]);
        }
        fork.commit(byte.into()).unwrap();
    }
    assert!(fork.is_accepting());
    assert_eq!(mask_of(&mut matcher), bottom, "the fork does not disturb");
    fork.rollback(DEPTH + 1).unwrap();
    assert_eq!(mask_of(&mut fork), bottom);
    matcher.rollback(DEPTH).unwrap();
    assert_eq!(mask_of(&mut matcher), first);
}

#[test]
fn brackets_committed_as_one_long_text() {
    let grammar = gbnf(r#"root ::= "[" root "]" | "x""#);
    let mut matcher = compile(&grammar, &byte_vocab::<&str>(&[])).matcher();
    let text = format!("{}x{}", "[".repeat(10_000), "]".repeat(10_000));
    matcher.commit_bytes(text.as_bytes()).unwrap();
    assert!(matcher.is_accepting());
    assert_eq!(matcher.commit_bytes(b"]"), Err(MatchError::ForbiddenByte { at: 0, byte: b']' }));
    matcher.rollback(1).unwrap();
    let broken = format!("{}x{}", "[".repeat(5_000), "]".repeat(5_001));
    let error = matcher.commit_bytes(broken.as_bytes()).unwrap_err();
    assert_eq!(error, MatchError::ForbiddenByte { at: 10_001, byte: b']' });
    assert_eq!(matcher.text_len(), 0);
}

#[test]
fn a_hundred_thousand_nested_groups_in_source_text() {
    let source = format!("root ::= {}\"a\"{}", "(".repeat(100_000), ")".repeat(100_000));
    let error = Grammar::gbnf(&source, &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit { name: "nesting" });
    let limits = Limits::default().with_nesting(1_000_000);
    let mut matcher = compile(&Grammar::gbnf(&source, &limits).unwrap(), &byte_vocab::<&str>(&[])).matcher();
    matcher.commit_bytes(b"a").unwrap();
    assert!(matcher.is_accepting());
}

#[test]
fn groups_that_all_stay_nested() {
    let source = format!("root ::= {}\"a\"{}", "(\"b\" ".repeat(50_000), "\"c\")*".repeat(50_000));
    let limits = Limits::default().with_nesting(1_000_000);
    match Grammar::gbnf(&source, &limits).map(|g| Compiler::new(byte_vocab::<&str>(&[])).compile(&g)) {
        Ok(Ok(constraint)) => assert!(constraint.matcher().is_accepting()),
        Ok(Err(error)) => assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}"),
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}"),
    }
}

/// Commits 300 times `a`; each step must be allowed, and all of it must be done in reasonable time.
fn three_hundred(source: &str) {
    let vocab = byte_vocab(&["aa", "aaa"]);
    check(&gbnf(source), &vocab, &["", "aaaa"], 2);
    let mut matcher = compile(&gbnf(source), &vocab).matcher();
    let started = Instant::now();
    for i in 0..300 {
        matcher.commit(b'a'.into()).unwrap_or_else(|e| panic!("{e} at {i} of {source}"));
        assert!(matcher.is_accepting());
        let words = mask_of(&mut matcher);
        assert!(bit(&words, b'a'.into()) && bit(&words, 256) && !bit(&words, b'b'.into()));
        assert!(started.elapsed().as_secs() < 10, "{:?} after {i} commits of {source}", started.elapsed());
    }
}

#[test]
fn ambiguity_without_bound() {
    three_hundred(r#"root ::= root root | "a""#);
}

#[test]
fn ambiguity_between_two_and_three() {
    three_hundred(r#"root ::= root root root? | "a" | "aa""#);
}

#[test]
fn ambiguity_between_one_token_and_two() {
    three_hundred(r#"root ::= root root | "a" | "aa""#);
}

#[test]
fn ambiguity_of_three() {
    three_hundred(r#"root ::= root root root | root root | "a""#);
}

#[test]
fn ambiguity_with_brackets() {
    let vocab = byte_vocab(&["((", "))", "()", ")("]);
    let grammar = gbnf(r#"root ::= root root | "(" root ")" | "a" | """#);
    check(&grammar, &vocab, &["", "(", "(a)(", "((()))"], 4);
    let mut matcher = compile(&grammar, &vocab).matcher();
    for i in 0..200 {
        matcher.commit(if i < 100 { b'(' } else { b')' }.into()).unwrap_or_else(|e| panic!("{e} at {i}"));
        mask_of(&mut matcher);
    }
    assert!(matcher.is_accepting());
}

#[test]
fn two_thousand_optional_ends() {
    let vocab = byte_vocab(&["aa", "bb", "bbbb", "ab"]);
    let grammar = gbnf(r#"root ::= "a" root? "b"?"#);
    check(&grammar, &vocab, &["", "a", "aab", "aaabb"], 4);
    let mut matcher = compile(&grammar, &vocab).matcher();
    for i in 0..2_000 {
        matcher.commit(b'a'.into()).unwrap_or_else(|e| panic!("{e} at {i}"));
    }
    assert!(matcher.is_accepting());
    assert!(mask_of(&mut matcher).iter().any(|&w| w != 0));
    for i in 0..2_000 {
        matcher.commit(b'b'.into()).unwrap_or_else(|e| panic!("{e} at {i}"));
        if i % 500 == 0 {
            assert!(bit(&mask_of(&mut matcher), b'b'.into()));
        }
    }
    assert!(matcher.is_accepting());
    assert_eq!(allowed(&mut matcher), vocab.end_tokens());
}

#[test]
fn two_thousand_optional_ends_after_different_openings() {
    let vocab = byte_vocab(&["xx", "yy", "xy", "pq"]);
    let grammar = gbnf(r#"root ::= "p" root "x"? | "q" root "y"? | "z""#);
    check(&grammar, &vocab, &["pqz", "pqpqpqz", "ppqqz"], 4);
    let mut matcher = compile(&grammar, &vocab).matcher();
    matcher.commit_bytes("pq".repeat(1_000).as_bytes()).unwrap();
    matcher.commit_bytes(b"z").unwrap();
    let words = mask_of(&mut matcher);
    assert!(bit(&words, b'x'.into()) && bit(&words, b'y'.into()) && bit(&words, 256) && bit(&words, 258));
    matcher.commit_bytes("yx".repeat(1_000).as_bytes()).unwrap();
    assert!(matcher.is_accepting());
    assert_eq!(allowed(&mut matcher), vocab.end_tokens());
}

#[test]
fn rules_that_call_themselves_without_reading() {
    let vocab = byte_vocab(&["aa", "ab", "ba"]);
    for source in [
        r#"root ::= root | "a""#,
        "root ::= a \"x\"\na ::= b | \"a\"\nb ::= c | \"b\"\nc ::= a | \"c\"",
        "root ::= a* \"x\"\na ::= b*\nb ::= a? \"b\"?",
        "root ::= (root? \"a\"?)*",
        "root ::= (((\"a\"?)*)+)* \"b\"",
        "root ::= e e root e | \"a\"\ne ::= f?\nf ::= e",
        "root ::= (\"\" | \"a\"){3,5} \"b\"",
        "root ::= (\"a\"* \"b\"*){2,} \"\"",
    ] {
        let grammar = gbnf(source);
        match Compiler::new(vocab.clone()).compile(&grammar) {
            Ok(_) => check(&grammar, &vocab, &[""], 4),
            Err(error) => panic!("{error}\n{source}"),
        }
    }
}

#[test]
fn left_recursion_direct_indirect_and_hidden() {
    let vocab = byte_vocab(&["1+", "+1", "1+1", "))", "(1"]);
    for source in [
        r#"root ::= root "+" root | [0-9]+ | "(" root ")""#,
        r#"root ::= root "+" term | root "-" term | term
           term ::= term "*" atom | atom
           atom ::= "1" | "(" root ")""#,
        r#"root ::= a "x" | "1"
           a ::= b "y" | "2"
           b ::= root "z" | a "w" | "3""#,
        r#"root ::= e root "+" | "1"
           e ::= "" | "(""#,
        r#"root ::= opt* root "1" | "(" 
           opt ::= ")"?"#,
        r#"root ::= (root "+")? "1""#,
        r#"root ::= (root "+" | "(" )* "1" root?"#,
    ] {
        check(&gbnf(source), &vocab, &["", "1"][..1], 6);
    }
}

#[test]
fn tokens_that_cross_several_rule_ends() {
    let tokens = [
        "}}", "}}}", "}]", "}}}]", "]}", "\"]},", "\"}", "\"}]", "\":{\"", "},{\"", "]]]", "\":[[", "\"]",
        "\", \"",
    ];
    let vocab = byte_vocab(&tokens);
    let json = Grammar::json(&Limits::default()).unwrap();
    let texts = [
        "",
        "{\"a\":{\"b\":{\"c\":1",
        "[{\"a\":{\"b\":{\"c\":\"",
        "[[[1",
        "[{\"a\":[\"x",
        "[[{\"a\":[{\"b\":[\"x",
        "[{\"a\":{\"b\":{}",
        "{\"a\":[[]",
    ];
    check(&json, &vocab, &texts, 8);
    let own = gbnf(
        r#"root ::= "{" pair? "}" | "[" root* "]"
           pair ::= "\"" [a-z]* "\":" root"#,
    );
    check(&own, &vocab, &["", "{\"a\":{\"b\":[", "[[[{}", "[[[[["], 8);
}

#[test]
fn a_chain_of_a_hundred_thousand_rules() {
    let rules: String =
        (0..100_000).map(|i| format!("r{i} ::= r{} | \"<\" r{} \">\"\n", i + 1, i + 1)).collect();
    let source = format!("root ::= r0\n{rules}r100000 ::= \"x\"\n");
    let grammar = gbnf(&source);
    match Compiler::new(byte_vocab(&["<<", ">>"])).compile(&grammar) {
        Ok(constraint) => {
            let mut matcher = constraint.matcher();
            matcher.commit_bytes(b"<<<x>>").unwrap();
            assert!(!matcher.is_accepting());
            matcher.commit_bytes(b">").unwrap();
            assert!(matcher.is_accepting());
        }
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}"),
    }
}

#[test]
fn a_chain_of_a_hundred_thousand_plain_rules() {
    let rules: String = (0..100_000).map(|i| format!("r{i} ::= r{}\n", i + 1)).collect();
    let grammar = gbnf(&format!("root ::= r0\n{rules}r100000 ::= \"x\" r99999?\n"));
    let mut matcher = compile(&grammar, &byte_vocab(&["xx"])).matcher();
    matcher.commit_bytes(b"xxx").unwrap();
    assert!(matcher.is_accepting());
}

#[test]
fn grammars_that_match_nothing_say_where() {
    let vocab = byte_vocab::<&str>(&[]);
    for (source, line, column) in [
        ("root ::= \"a\" root", 1, 1),
        ("root ::= \"x\" a\na ::= \"y\" b\nb ::= a \"z\"", 2, 1),
        ("root ::= \"ok\" | dead\ndead ::= \"(\" dead \")\"", 2, 1),
    ] {
        let refused = Grammar::gbnf(source, &Limits::default())
            .map_err(CompileError::from)
            .and_then(|g| Compiler::new(vocab.clone()).compile(&g));
        let Err(CompileError::Grammar(error)) = refused else { panic!("{refused:?}\n{source}") };
        assert_eq!(error.kind(), ErrorKind::Unsatisfiable, "{error}");
        let place = error.place().unwrap_or_else(|| panic!("no place: {error}"));
        assert_eq!((place.line, place.column), (line, column), "{error}\n{source}");
    }
    let never = regex("a(?=b)c");
    let error = Compiler::new(vocab).compile(&never).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsatisfiable);
}

#[test]
fn long_chains_of_calls() {
    use std::fmt::Write;
    // Each rule calls the next and goes on after it: none of them is a tail call, and not all can be put in place.
    let mut source = String::from("root ::= r0\n");
    for i in 0..3_000 {
        let _ = writeln!(source, "r{i} ::= r{} [a-z]? | \"{}\" r{}", i + 1, i % 7, (i * 7 + 11) % 3_000);
    }
    source += "r3000 ::= \"x\" | \"(\" r0 \")\"\n";
    let vocab = byte_vocab(&["x)", "((", "xab", "x))a"]);
    match Grammar::gbnf(&source, &Limits::default())
        .map(|grammar| Compiler::new(vocab.clone()).compile(&grammar))
    {
        // It may be too much for the limits, but nothing worse.
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}"),
        Ok(Err(error)) => assert!(error.to_string().contains("limit"), "{error}"),
        Ok(Ok(constraint)) => {
            let mut matcher = constraint.matcher();
            for text in ["", "(", "x", "a"] {
                match matcher.commit_bytes(text.as_bytes()).and_then(|()| matcher.mask().map(drop)) {
                    Ok(()) | Err(MatchError::Limit { .. }) => {}
                    Err(error) => panic!("after {text:?}: {error}"),
                }
            }
        }
    }
}
