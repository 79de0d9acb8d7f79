//! Every field of [`Limits`]: what exceeds it is an error that names it, and nothing else breaks.

use std::time::Duration;

use tokenstile_engine::{
    Cancel, CompileError, Compiler, Constraint, ErrorKind, Grammar, GrammarError, Limits, MatchError, Matcher,
};
use tokenstile_grammar::RegexOptions;
use tokenstile_harness::{byte_vocab, gbnf, mask_of, regex};
use tokenstile_json_schema::json_schema;

fn limit(name: &'static str) -> ErrorKind {
    ErrorKind::Limit { name }
}

fn compile_with(grammar: &Grammar, limits: Limits) -> Result<Constraint, CompileError> {
    Compiler::new(byte_vocab(&["ab", "aa", "aaa"])).with_limits(limits).compile(grammar)
}

/// The error names the limit, in its kind and in its words.
fn assert_names(error: &GrammarError, name: &'static str) {
    assert_eq!(error.kind(), limit(name), "{error}");
    assert!(error.to_string().contains(name), "{error}");
}

fn refusal(result: Result<Constraint, CompileError>) -> GrammarError {
    match result {
        Err(CompileError::Grammar(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn source_bytes() {
    let limits = Limits::default().with_source_bytes(20);
    let fits = "root ::= \"abcdefghi\"";
    assert_eq!(fits.len(), 20);
    assert!(Grammar::gbnf(fits, &limits).is_ok());
    assert_names(&Grammar::gbnf(&format!("{fits} "), &limits).unwrap_err(), "source_bytes");
    let options = RegexOptions::default();
    assert!(Grammar::regex(&"a".repeat(20), &options, &limits).is_ok());
    assert_names(&Grammar::regex(&"a".repeat(21), &options, &limits).unwrap_err(), "source_bytes");
}

#[test]
fn nesting() {
    let limits = Limits::default().with_nesting(10);
    let nested = |n: usize| format!("{}a{}", "(".repeat(n), ")".repeat(n));
    let options = RegexOptions::default();
    assert!(Grammar::regex(&nested(9), &options, &limits).is_ok());
    assert_names(&Grammar::regex(&nested(12), &options, &limits).unwrap_err(), "nesting");
    let source = |n: usize| format!("root ::= {}[a]{}", "(".repeat(n), ")".repeat(n));
    assert!(Grammar::gbnf(&source(9), &limits).is_ok());
    assert_names(&Grammar::gbnf(&source(12), &limits).unwrap_err(), "nesting");
}

#[test]
fn rules() {
    let source: String = (0..100).map(|i| format!("r{i} ::= \"x\" r{}\n", i + 1)).collect();
    let source = format!("root ::= r0\n{source}r100 ::= \"y\"\n");
    let limits = Limits::default().with_rules(50);
    assert_names(&Grammar::gbnf(&source, &limits).unwrap_err(), "rules");
    assert!(Grammar::gbnf(&source, &Limits::default().with_rules(102)).is_ok());
}

#[test]
fn exprs() {
    let source = format!("root ::= {}", (0..200).map(|i| format!("\"{i}\"")).collect::<Vec<_>>().join(" | "));
    let limits = Limits::default().with_exprs(50);
    assert_names(&Grammar::gbnf(&source, &limits).unwrap_err(), "exprs");
    let pattern = (0..200).map(|i| format!("x{i}*")).collect::<String>();
    let error = Grammar::regex(&pattern, &RegexOptions::default(), &limits).unwrap_err();
    assert_names(&error, "exprs");
}

/// A grammar whose automaton has very many states: which of the last `n` letters were `a`.
fn exponential(n: usize) -> Grammar {
    regex(&format!("[ab]*a[ab]{{{n}}}"))
}

/// Texts that visit many states, until something is refused.
fn visit(matcher: &mut Matcher, steps: usize) -> Result<(), MatchError> {
    let mut bits = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..steps {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        matcher.commit_bytes(if bits >> 63 == 1 { b"a" } else { b"b" })?;
        matcher.fill_mask(&mut vec![0; matcher.mask_words()])?;
    }
    Ok(())
}

#[test]
fn states() {
    let limits = Limits::default().with_states(400);
    let constraint = compile_with(&exponential(14), limits).unwrap();
    let mut matcher = constraint.matcher();
    match visit(&mut matcher, 600) {
        // Either the caches are started anew, or one step alone needs too many.
        Ok(()) => assert!(constraint.stats().renewals > 0),
        Err(error) => assert_eq!(error, MatchError::Limit { name: "states", value: 400 }),
    }
    assert!(constraint.stats().states < 2_000, "{:?}", constraint.stats());
}

#[test]
fn heads() {
    // Which of many nested rules one is in shows only at the end.
    let rules: String = (0..40).map(|i| format!("r{i} ::= \"(\" r{i} \"{i:02}\" | \"x\"\n")).collect();
    let calls = (0..40).map(|i| format!("r{i} \"{i:02}\"")).collect::<Vec<_>>().join(" | ");
    let grammar = gbnf(&format!("root ::= {calls}\n{rules}"));
    let constraint = compile_with(&grammar, Limits::default().with_heads(10)).unwrap();
    let mut matcher = constraint.matcher();
    let error = matcher.commit_bytes(b"((((").unwrap_err();
    assert_eq!(error, MatchError::Limit { name: "heads", value: 10 });
    assert_eq!((matcher.steps(), matcher.text_len()), (0, 0));
    let mut matcher = compile_with(&grammar, Limits::default()).unwrap().matcher();
    matcher.commit_bytes(b"((((x0707070707").unwrap();
    assert!(matcher.is_accepting());
}

#[test]
fn cache_bytes() {
    let limits = Limits::default().with_cache_bytes(50_000);
    let constraint = compile_with(&exponential(10), limits).unwrap();
    let mut matcher = constraint.matcher();
    visit(&mut matcher, 300).unwrap();
    let stats = constraint.stats();
    assert!(stats.renewals > 0, "{stats:?}");
    assert!(stats.cache_bytes < 500_000, "{stats:?}");
}

#[test]
fn mask_work_leaves_the_matcher_as_it_was() {
    let grammar = gbnf(r#"root ::= "x" [a-z]* root "y" | [0-9]"#);
    let constraint = compile_with(&grammar, Limits::default().with_mask_work(60)).unwrap();
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(b"x").unwrap();
    let error = matcher.commit_bytes(&b"x".repeat(5_000)).unwrap_err();
    assert_eq!(error, MatchError::Limit { name: "mask_work", value: 60 });
    assert_eq!((matcher.steps(), matcher.text_len()), (1, 1));
    let mut other = constraint.matcher();
    other.commit_bytes(b"5").unwrap();
    assert!(other.is_accepting());
    matcher.commit_bytes(b"5").unwrap();
    matcher.commit_bytes(b"y").unwrap();
    assert!(matcher.is_accepting());
}

#[test]
fn mask_work_of_a_mask_leaves_the_matcher_as_it_was() {
    let grammar = regex("(?:[ab]{3}|[bc]{2}x)*");
    let constraint = compile_with(&grammar, Limits::default().with_mask_work(8)).unwrap();
    let mut matcher = constraint.matcher();
    let mut words = vec![0; matcher.mask_words()];
    let error = matcher.fill_mask(&mut words).unwrap_err();
    assert_eq!(error, MatchError::Limit { name: "mask_work", value: 8 });
    assert_eq!((matcher.steps(), matcher.text_len()), (0, 0));
    assert!(matcher.is_accepting());
    let mut free = compile_with(&grammar, Limits::default()).unwrap().matcher();
    assert!(mask_of(&mut free).iter().any(|&w| w != 0));
}

/// Something that takes a while to compile.
fn large() -> Grammar {
    let rules: String =
        (0..60_000).map(|i| format!("r{i} ::= \"x\" r{} \"z\" | \"y{i}\"\n", (i * 7 + 1) % 60_000)).collect();
    gbnf(&format!("root ::= r0\n{rules}"))
}

#[test]
fn compile_time() {
    let grammar = large();
    let limits = Limits::default().with_compile_time(Duration::from_millis(1));
    let started = std::time::Instant::now();
    let error = refusal(compile_with(&grammar, limits));
    assert_names(&error, "compile_time");
    assert!(error.to_string().contains("1ms"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn compile_time_of_boolean_expressions() {
    let limits = Limits::default().with_compile_time(Duration::from_millis(1));
    let grammar = regex("(?!(?:.*a.{12}b))(?=.*c.{14}d)(?!.*e.{13}f).*");
    let started = std::time::Instant::now();
    if let Err(error) = compile_with(&grammar, limits) {
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn cancel() {
    let flag = Cancel::new();
    let limits = Limits::default().with_cancel(Some(flag.clone()));
    let grammar = large();
    assert!(compile_with(&gbnf("root ::= \"a\""), limits.clone()).is_ok());
    flag.cancel();
    let error = refusal(compile_with(&grammar, limits));
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
}

#[test]
fn cancel_from_another_thread() {
    let flag = Cancel::new();
    let limits = Limits::default().with_cancel(Some(flag.clone()));
    let grammar = large();
    std::thread::scope(|scope| {
        let compile = scope.spawn(|| compile_with(&grammar, limits));
        flag.cancel();
        let result = compile.join().expect("no panic");
        assert_eq!(refusal(result).kind(), ErrorKind::Cancelled);
    });
}

/// Whether `x` may begin a text takes a search over all that may be between the letters that the two patterns count back to.
#[test]
fn a_search_that_is_given_up_is_an_error_each_time_and_nothing_else_is_lost() {
    let schema = r#"{"type": "string", "allOf": [{"pattern": "^(?:x[ab]*a[ab]{17}|y+)$"},
        {"pattern": "^(?:x[ab]*b[ab]{17}|y+)$"}]}"#;
    let grammar = json_schema(schema, &Default::default(), &Limits::default()).unwrap();
    let constraint = Compiler::new(byte_vocab::<&str>(&[])).compile(&grammar).unwrap();
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(b"\"").unwrap();
    let mut words = vec![0; matcher.mask_words()];
    for _ in 0..2 {
        let given_up = matcher.fill_mask(&mut words);
        assert!(matches!(given_up, Err(MatchError::Limit { .. })), "{given_up:?}");
        assert!(matches!(matcher.allowed_bytes(), Err(MatchError::Limit { .. })));
        assert!(matches!(matcher.allows(b'x'.into()), Err(MatchError::Limit { .. })));
    }
    let mut other = constraint.matcher();
    for text in ["\"", "y", "y"] {
        other.commit_bytes(text.as_bytes()).unwrap();
    }
    matcher.commit_bytes(b"yy").unwrap();
    for matcher in [&mut matcher, &mut other] {
        assert_eq!(tokenstile_harness::allowed(matcher), [u32::from(b'"'), u32::from(b'y')]);
        matcher.commit_bytes(b"\"").unwrap();
        assert!(matcher.is_accepting());
    }
    matcher.rollback(2).unwrap();
    assert!(matches!(matcher.fill_mask(&mut words), Err(MatchError::Limit { .. })));
}
