//! What users rely on beside the masks: types that threads share, errors that can be boxed, grammars lent or given away.

use std::error::Error;

use tokenstile::{
    CompileError, Compiler, Constraint, ErrorKind, Grammar, GrammarError, JsonWhitespace, Limits, MatchError,
    Matcher, TablesError, Vocab, VocabError,
};

fn bytes() -> Vocab {
    Vocab::from_tokens((0..=255u8).map(|byte| (byte.into(), vec![byte])), &[256]).unwrap()
}

#[test]
fn threads_share_what_is_made_once() {
    fn is_shared<T: Send + Sync + Clone + 'static>() {}
    fn is_error<T: Error + Send + Sync + 'static>() {}
    is_shared::<Vocab>();
    is_shared::<Grammar>();
    is_shared::<Compiler>();
    is_shared::<Constraint>();
    is_shared::<Matcher>();
    is_error::<GrammarError>();
    is_error::<CompileError>();
    is_error::<MatchError>();
    is_error::<VocabError>();
    is_error::<TablesError>();
}

#[test]
fn grammars_are_lent_or_given_away() {
    let compiler = Compiler::new(bytes()).with_limits(Limits::default().with_states(1_000));
    let grammar = Grammar::choice(&["yes", "no"], &Limits::default()).unwrap();
    let lent = compiler.compile(&grammar).unwrap();
    let given = compiler.compile(grammar).unwrap();
    assert_eq!(lent.matcher().mask().unwrap(), given.matcher().mask().unwrap());
}

#[test]
fn a_notation_makes_grammars_and_refusals() {
    let limits = Limits::default();
    let compact = Grammar::json_with(JsonWhitespace::Compact, &limits).unwrap();
    assert!(compact.rule_count() > 0 && compact.expr_count() > compact.rule_count());
    let refused = Grammar::ebnf("a ::= b", "a", &limits).unwrap_err();
    assert_eq!(
        (refused.kind(), refused.place().map(|place| place.column)),
        (ErrorKind::UndefinedRule, Some(7))
    );
    let small = limits.with_source_bytes(3);
    assert_eq!(
        Grammar::gbnf("root ::= \"a\"", &small).unwrap_err().kind(),
        ErrorKind::Limit { name: "source_bytes" }
    );
}

/// What is warmed is what all schemas have in common: a schema that comes later finds masks that are known.
#[cfg(feature = "json-schema")]
#[test]
fn a_compiler_is_warmed_for_schemas() {
    use std::time::Duration;

    use tokenstile::JsonOptions;

    let (warm, cold) = (Compiler::new(bytes()), Compiler::new(bytes()));
    warm.warm(Duration::from_secs(600));
    let schema = r#"{"type": "object", "properties": {"on": {"type": "string", "format": "date"}}}"#;
    let grammar = Grammar::json_schema(schema, &JsonOptions::default(), &Limits::default()).unwrap();
    let [warm, cold] = [&warm, &cold].map(|compiler| {
        let constraint = compiler.compile(&grammar).unwrap();
        let mut matcher = constraint.matcher();
        let mut masks = Vec::new();
        for &byte in br#"{"on": "2024-02-29"}"# {
            masks.push(matcher.mask().unwrap().to_vec());
            matcher.commit(byte.into()).unwrap();
        }
        assert!(matcher.is_accepting());
        (masks, constraint.stats().cold_masks)
    });
    assert_eq!(warm.0, cold.0);
    assert!(warm.1 < cold.1, "{} of {}", warm.1, cold.1);
}

/// A second matcher finds what the first has left behind, and the statistics say where.
#[cfg(feature = "json-schema")]
#[test]
fn statistics_list_what_is_remembered() {
    use tokenstile::JsonOptions;

    let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}"#;
    let constraint = Compiler::new(bytes())
        .compile(Grammar::json_schema(schema, &JsonOptions::default(), &Limits::default()).unwrap())
        .unwrap();
    let hits = || constraint.stats().memos.iter().map(|memo| memo.hits).sum::<u64>();
    let go_along = || {
        let mut matcher = constraint.matcher();
        for byte in br#"{"a": 1, "b": "x"}"# {
            matcher.mask().unwrap();
            matcher.commit(u32::from(*byte)).unwrap();
        }
    };
    go_along();
    let stats = constraint.stats();
    let mut names: Vec<&str> = stats.memos.iter().map(|memo| memo.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), stats.memos.len(), "each has a name of its own");
    assert!(stats.memos.iter().any(|memo| memo.entries > 0 && memo.bytes >= memo.entries));
    let before = hits();
    go_along();
    assert!(hits() >= before);
}
