//! Every mask, bit for bit, against the reference matcher: random grammars, random vocabularies, random walks.

use tokenstile_engine::{Compiler, ErrorKind, Grammar, Limits, MatchError, Matcher, Vocab, VocabErrorKind};
use tokenstile_harness::{bit, mask_of};
use tokenstile_testkit::generate::{
    GrammarOptions, VocabOptions, random_grammar, random_region, random_vocab, sample_sentence,
};
use tokenstile_testkit::{RefState, Reference, Rng, TokenReference, Viability};

/// What a run over many random cases has seen, so that a test can insist on having tested something.
#[derive(Default, Debug)]
struct Seen {
    grammars: usize,
    refused: usize,
    masks: usize,
    unknown: usize,
    ends: usize,
}

/// Compares the mask with the reference, and with `allows`.
fn check_mask(
    matcher: &mut Matcher,
    tokens: &TokenReference<'_, '_>,
    state: RefState,
    what: &str,
    seen: &mut Seen,
) -> Vec<u32> {
    let words = mask_of(matcher);
    let expected = tokens.mask(state);
    let mut allowed = Vec::new();
    for (token, &viability) in (0..).zip(&expected) {
        let got = bit(&words, token);
        match viability.known() {
            Some(wanted) => assert_eq!(got, wanted, "token {token} {what}"),
            None => seen.unknown += 1,
        }
        assert_eq!(matcher.allows(token).expect("within limits"), got, "allows({token}) {what}");
        if got {
            allowed.push(token);
        }
    }
    seen.masks += 1;
    allowed
}

/// Random walks through one grammar with one vocabulary.
fn walk(grammar: &Grammar, rng: &mut Rng, options: &VocabOptions, seen: &mut Seen) {
    let sentences: Vec<Vec<u8>> = (0..6).filter_map(|_| sample_sentence(grammar, rng, 24)).collect();
    let random = random_vocab(rng, &sentences, options);
    let vocab = match Vocab::from_tokens(random.tokens.iter().cloned(), &random.end) {
        Ok(vocab) => vocab,
        Err(error) => {
            assert_eq!(error.kind(), VocabErrorKind::NoText, "{error}");
            seen.refused += 1;
            return;
        }
    };
    let reference = Reference::new(grammar);
    let tokens = TokenReference::new(&reference, &random.tokens, &random.end);
    let constraint = match Compiler::new(vocab).compile(grammar) {
        Ok(constraint) => constraint,
        Err(error) => {
            seen.refused += 1;
            if error.kind() == ErrorKind::Unsatisfiable {
                let start = tokens.completable(reference.start());
                // A rule that matches nothing is refused even where the grammar could do without it.
                if !error.to_string().contains("rule `") {
                    assert_ne!(start, Viability::Yes, "refused: {error}\n{grammar}");
                }
            }
            return;
        }
    };
    seen.grammars += 1;
    for _ in 0..3 {
        let mut matcher = constraint.matcher();
        let mut state = reference.start();
        let mut text = Vec::new();
        for step in 0..8 {
            let what = format!("after {:?} of\n{grammar}", text.escape_ascii().to_string());
            let mut allowed = check_mask(&mut matcher, &tokens, state, &what, seen);
            assert!(!allowed.is_empty(), "dead end {what}");
            assert_eq!(matcher.is_accepting(), reference.is_accepting(state), "accepting {what}");
            let ends = allowed.iter().filter(|t| random.end.contains(t)).count();
            assert_eq!(ends > 0, matcher.is_accepting(), "end tokens {what}");
            seen.ends += (ends > 0) as usize;
            allowed.retain(|t| !random.end.contains(t));
            check_refusals(&mut matcher, &random.tokens, &allowed, &what);
            check_undo(&mut matcher, &allowed, rng, step);
            if allowed.is_empty() {
                break;
            }
            let token = *rng.pick(&allowed);
            let bytes = &random.tokens.iter().find(|t| t.0 == token).expect("a token of the list").1;
            matcher.commit(token).unwrap_or_else(|e| panic!("{e} {what}"));
            state = reference.run_from(state, bytes);
            text.extend_from_slice(bytes);
        }
    }
}

/// Committing what the mask forbids is refused and changes nothing.
fn check_refusals(matcher: &mut Matcher, tokens: &[(u32, Vec<u8>)], allowed: &[u32], what: &str) {
    for (id, bytes) in tokens.iter().filter(|t| !t.1.is_empty() && !allowed.contains(&t.0)).take(3) {
        let before = mask_of(matcher);
        let result = matcher.commit(*id);
        assert!(result.is_err(), "{:?} was committed {what}", bytes.escape_ascii().to_string());
        assert_eq!(mask_of(matcher), before, "a refused commit changed the matcher {what}");
    }
    assert_eq!(matcher.commit(u32::MAX), Err(MatchError::UnknownToken { token: u32::MAX }));
}

/// Undoing gives back the same mask; a fork does not disturb the original.
fn check_undo(matcher: &mut Matcher, allowed: &[u32], rng: &mut Rng, depth: usize) {
    let before = mask_of(matcher);
    let mut fork = matcher.fork();
    let mut steps = 0;
    for _ in 0..2 {
        let choices: Vec<u32> =
            allowed.iter().copied().filter(|&t| fork.allows(t).unwrap_or(false)).collect();
        if choices.is_empty() {
            break;
        }
        fork.commit(*rng.pick(&choices)).expect("it was allowed");
        steps += 1;
    }
    assert_eq!(mask_of(matcher), before);
    fork.rollback(steps).expect("as many as were done");
    assert_eq!(mask_of(&mut fork), before);
    assert_eq!(fork.steps(), depth);
    assert!(matches!(fork.rollback(depth + 1), Err(MatchError::NothingToUndo { .. })));
}

fn run(seed: u64, cases: usize, options: &GrammarOptions, vocab: &VocabOptions, regions: bool) -> Seen {
    let mut seen = Seen::default();
    for case in 0..cases {
        let mut rng = Rng::new(seed + case as u64);
        let grammar =
            if regions { random_region(&mut rng, options) } else { random_grammar(&mut rng, options) };
        walk(&grammar, &mut rng, vocab, &mut seen);
    }
    assert!(seen.grammars > cases / 4 && seen.masks > cases * 2 && seen.ends > 0, "{seen:?}");
    seen
}

#[test]
fn masks_equal_the_reference_on_complete_vocabularies() {
    let vocab = VocabOptions { all_bytes: true, ..VocabOptions::default() };
    run(1, 400, &GrammarOptions::default(), &vocab, false);
}

#[test]
fn masks_equal_the_reference_with_boolean_expressions() {
    let options = GrammarOptions { boolean: true, ..GrammarOptions::default() };
    let vocab = VocabOptions { all_bytes: true, ..VocabOptions::default() };
    run(10_000, 200, &options, &vocab, false);
}

#[test]
fn masks_equal_the_reference_with_assertions() {
    let options =
        GrammarOptions { boolean: true, lookaround: true, only_ab: true, ..GrammarOptions::default() };
    let vocab = VocabOptions { all_bytes: true, ..VocabOptions::default() };
    run(20_000, 200, &options, &vocab, true);
}

#[test]
fn masks_equal_the_reference_with_members_and_machines() {
    let options = GrammarOptions {
        rules: 3,
        depth: 3,
        boolean: false,
        lookaround: false,
        counted: true,
        ..GrammarOptions::default()
    };
    let vocab = VocabOptions { all_bytes: true, ..VocabOptions::default() };
    run(40_000, 600, &options, &vocab, false);
    let vocab = VocabOptions { all_bytes: false, ..VocabOptions::default() };
    let options = GrammarOptions { rules: 2, depth: 2, ..options };
    run(50_000, 200, &options, &vocab, false);
}

#[test]
fn masks_equal_the_reference_on_vocabularies_without_some_bytes() {
    let vocab = VocabOptions { all_bytes: false, ..VocabOptions::default() };
    // Small grammars: the reference has to search token sequences.
    let options = GrammarOptions { rules: 2, depth: 2, ..GrammarOptions::default() };
    let seen = run(30_000, 400, &options, &vocab, false);
    assert!(seen.refused > 0, "some grammars cannot be spelled: {seen:?}");
}

#[test]
fn limits_are_errors_of_the_matcher_alone() {
    let grammar = Grammar::gbnf("root ::= [a-z]* \"x\" root | [0-9]", &Limits::default()).unwrap();
    let vocab = Vocab::from_tokens((0..=255u32).map(|b| (b, vec![b as u8])), &[256]).unwrap();
    let limits = Limits::default().with_mask_work(3);
    let constraint = Compiler::new(vocab).with_limits(limits).compile(&grammar).unwrap();
    let mut matcher = constraint.matcher();
    let error = matcher.fill_mask(&mut vec![0; matcher.mask_words()]).unwrap_err();
    assert_eq!(error, MatchError::Limit { name: "mask_work", value: 3 });
}

#[test]
fn white_space_in_json_is_bounded() {
    let grammar = Grammar::json(&Limits::default()).unwrap();
    let vocab = Vocab::from_tokens((0..=255u32).map(|b| (b, vec![b as u8])), &[256]).unwrap();
    let constraint = Compiler::new(vocab).compile(&grammar).unwrap();
    for before in ["[", "[\n", "[\r\n"] {
        let mut matcher = constraint.matcher();
        matcher.commit_bytes(before.as_bytes()).unwrap();
        matcher.commit_bytes(" ".repeat(256).as_bytes()).unwrap();
        assert_eq!(matcher.commit_bytes(b" "), Err(MatchError::ForbiddenByte { at: 0, byte: b' ' }));
        matcher.commit_bytes(b"]").unwrap();
        assert!(matcher.is_accepting());
    }
}
