//! The reference against independent judges, on random input.

use regex::bytes::Regex;
use tokenstile_grammar::Grammar;
use tokenstile_testkit::boolean::SpanAutomaton;
use tokenstile_testkit::generate::{
    GrammarOptions, VocabOptions, mutate, random_grammar, random_regex, random_region, random_vocab,
    sample_sentence,
};
use tokenstile_testkit::{Reference, Rng, TokenReference, Viability, spans};

fn samples(grammar: &Grammar, rng: &mut Rng, count: usize) -> Vec<Vec<u8>> {
    (0..count).filter_map(|_| sample_sentence(grammar, rng, 24)).collect()
}

#[test]
fn random_regexes_agree_with_the_regex_crate() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Rng::new(seed);
        let case = random_regex(&mut rng, 4, seed % 2 == 0);
        let judge = Regex::new(&format!(r"\A(?:{})\z", case.pattern)).unwrap();
        let reference = Reference::new(&case.grammar);
        let mut texts = samples(&case.grammar, &mut rng, 6);
        let seeds = [texts.clone(), vec![Vec::new(), b"ab".to_vec(), "aé(".into()]].concat();
        texts.extend(seeds.iter().map(|text| mutate(&mut rng, text)));
        // The `regex` crate sees `\B` inside characters; texts that are not UTF-8 are left to other tests.
        texts.retain(|text| std::str::from_utf8(text).is_ok());
        for text in texts {
            let expected = judge.is_match(&text);
            *if expected { &mut accepted } else { &mut rejected } += 1;
            assert_eq!(
                reference.accepts(&text),
                expected,
                "seed {seed}: {} on {}",
                case.pattern,
                text.escape_ascii()
            );
        }
    }
    assert!(accepted > 2000 && rejected > 2000, "{accepted} {rejected}");
}

#[test]
fn sentences_are_accepted_and_their_prefixes_viable() {
    let (mut sentences, mut empty) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Rng::new(seed);
        let grammar = random_grammar(&mut rng, &GrammarOptions::default());
        let reference = Reference::new(&grammar);
        empty += usize::from(reference.viable(b"") == Viability::No);
        for text in samples(&grammar, &mut rng, 6) {
            sentences += 1;
            assert!(reference.accepts(&text), "seed {seed}: {}\n{grammar}", text.escape_ascii());
            for end in 0..text.len() {
                assert_ne!(
                    reference.viable(&text[..end]),
                    Viability::No,
                    "seed {seed}: {}\n{grammar}",
                    text.escape_ascii()
                );
            }
        }
    }
    assert!(sentences > 4000, "{sentences} sentences, {empty} empty languages");
}

/// All texts up to three pieces long over a few pieces.
fn short_texts() -> Vec<Vec<u8>> {
    let pieces: [&[u8]; 6] = [b"a", b"b", b"(", b"\xC3", b"\xA9", "è".as_bytes()];
    let mut texts = vec![Vec::new()];
    let mut last = texts.clone();
    for _ in 0..3 {
        last =
            last.iter().flat_map(|text| pieces.iter().map(move |p| [text.as_slice(), p].concat())).collect();
        texts.extend(last.iter().cloned());
    }
    texts
}

#[test]
fn automata_agree_with_the_definition_on_spans() {
    let texts = short_texts();
    let options = GrammarOptions { rules: 1, ..GrammarOptions::default() };
    let (mut regular, mut accepted, mut unknown) = (0, 0, 0);
    for seed in 0..2500 {
        let grammar = random_grammar(&mut Rng::new(seed), &options);
        let body = grammar.rule(grammar.root()).body;
        if !grammar.arena().is_regular(body) {
            continue;
        }
        regular += 1;
        let reference = Reference::new(&grammar);
        let mut viable_before = Vec::new();
        for text in &texts {
            let expected = spans::matches(&grammar, body, text);
            accepted += usize::from(expected);
            assert_eq!(reference.accepts(text), expected, "seed {seed}: {}\n{grammar}", text.escape_ascii());
            let viability = reference.viable(text);
            unknown += usize::from(viability == Viability::Unknown);
            assert!(
                !expected || viability == Viability::Yes,
                "seed {seed}: {}\n{grammar}",
                text.escape_ascii()
            );
            viable_before.push((text, viability));
        }
        // What is not viable has no sentence after it.
        for (text, viability) in viable_before {
            let longer = texts.iter().filter(|t| t.starts_with(text));
            let found = longer.into_iter().any(|t| reference.accepts(t));
            assert!(!found || viability != Viability::No, "seed {seed}: {}\n{grammar}", text.escape_ascii());
        }
    }
    assert!(regular > 800 && accepted > 10_000 && unknown < 1000, "{regular} {accepted} {unknown}");
}

#[test]
fn assertions_agree_with_the_definition_on_all_short_texts() {
    const LENGTH: usize = 6;
    // All texts over a and b: the text of number n is the binary digits of n after the first.
    let text = |n: usize| -> Vec<u8> { (0..n.ilog2()).rev().map(|bit| b"ab"[n >> bit & 1]).collect() };
    let options = GrammarOptions { only_ab: true, ..GrammarOptions::default() };
    let (mut yes, mut no, mut accepted) = (0, 0, 0);
    for seed in 0..3000 {
        let grammar = random_region(&mut Rng::new(seed), &options);
        let body = grammar.rule(grammar.root()).body;
        let mut automaton = SpanAutomaton::new(&grammar, body);
        let mut continued = [false; 2 << LENGTH];
        for n in (1..2 << LENGTH).rev() {
            let state = text(n).iter().fold(SpanAutomaton::START, |state, &byte| automaton.step(state, byte));
            let expected = spans::matches(&grammar, body, &text(n));
            let context = format!("seed {seed}: {}\n{grammar}", text(n).escape_ascii());
            assert_eq!(automaton.is_accepting(state), expected, "{context}");
            continued[n] |= expected;
            continued[n / 2] |= continued[n];
            accepted += usize::from(expected);
            // "No" must hold for all longer texts; `viable_texts_can_be_completed` is about "yes".
            let viable = automaton.viability(state) != Viability::No;
            assert!(viable || !continued[n], "{context}");
            *if viable { &mut yes } else { &mut no } += 1;
        }
    }
    assert!(accepted > 50_000 && yes > 50_000 && no > 50_000, "{accepted} {yes} {no}");
}

/// A viable text is led to a sentence by trying all bytes, so "yes" is never claimed without cause.
#[test]
fn viable_texts_can_be_completed() {
    let (mut completed, mut given_up) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let grammar = random_grammar(&mut rng, &GrammarOptions::default());
        let reference = Reference::new(&grammar);
        let texts = samples(&grammar, &mut rng, 3);
        for text in texts.iter().map(|text| mutate(&mut rng, text)) {
            let state = reference.run(&text);
            if reference.viability(state) != Viability::Yes {
                continue;
            }
            let mut queue = vec![state];
            let mut at = 0;
            while !reference.is_accepting(queue[at]) && queue.len() < 4000 {
                let next = (0..=255).map(|byte| reference.step(queue[at], byte));
                let fresh: Vec<_> = next.filter(|&s| reference.viability(s) == Viability::Yes).collect();
                fresh.into_iter().for_each(|s| {
                    if !queue.contains(&s) {
                        queue.push(s)
                    }
                });
                at += 1;
                assert!(at < queue.len(), "seed {seed}: {} is stuck\n{grammar}", text.escape_ascii());
            }
            *if reference.is_accepting(queue[at]) { &mut completed } else { &mut given_up } += 1;
        }
    }
    assert!(completed > 100 && given_up * 10 < completed, "{completed} {given_up}");
}

#[test]
fn masks_follow_sentences_that_tokens_can_spell() {
    let (mut steps, mut unknown, mut known) = (0, 0, 0);
    for seed in 0..250 {
        let mut rng = Rng::new(seed);
        let grammar = random_grammar(&mut rng, &GrammarOptions::default());
        let reference = Reference::new(&grammar);
        let sentences = samples(&grammar, &mut rng, 4);
        let options = VocabOptions { all_bytes: seed % 2 == 0, long_tokens: 20, oddities: true };
        let vocab = random_vocab(&mut rng, &sentences, &options);
        let tokens = TokenReference::new(&reference, &vocab.tokens, &vocab.end);
        // A walk that only takes allowed tokens always gets on or is at the end of a sentence.
        let mut state = reference.start();
        for _ in 0..6 {
            let mask = tokens.mask(state);
            let allowed: Vec<_> =
                vocab.tokens.iter().filter(|t| mask[t.0 as usize] == Viability::Yes).collect();
            unknown += mask.iter().filter(|&&v| v == Viability::Unknown).count();
            known += mask.len();
            if tokens.completable(state) == Viability::Yes {
                assert!(!allowed.is_empty() || reference.is_accepting(state), "seed {seed}\n{grammar}");
            }
            for end in &vocab.end {
                assert_eq!(mask[*end as usize] == Viability::Yes, reference.is_accepting(state));
            }
            if allowed.is_empty() {
                break;
            }
            state = reference.run_from(state, &rng.pick(&allowed).1);
            steps += 1;
        }
    }
    assert!(steps > 400 && unknown * 20 < known, "{steps} {unknown} {known}");
}

/// What a few tokens can spell is allowed, whichever bytes have no token.
#[test]
fn masks_allow_the_first_token_of_every_short_spelling() {
    let mut spelled = 0;
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let grammar =
            random_grammar(&mut rng, &GrammarOptions { only_ab: true, ..GrammarOptions::default() });
        let reference = Reference::new(&grammar);
        let vocab: Vec<(u32, Vec<u8>)> =
            [&b"a"[..], b"ab", b"ba", b"bbb"].iter().zip(0..).map(|(t, id)| (id, t.to_vec())).collect();
        let tokens = TokenReference::new(&reference, &vocab, &[9]);
        let mask = tokens.mask(reference.start());
        for (first, a) in &vocab {
            let after = vocab.iter().map(|t| t.1.as_slice()).chain([&b""[..]]);
            let pairs = after.clone().flat_map(|b| after.clone().map(move |c| [a, b, c].concat()));
            if let Some(sentence) = pairs.into_iter().find(|text| reference.accepts(text)) {
                spelled += 1;
                let context = format!("seed {seed}: {}\n{grammar}", sentence.escape_ascii());
                assert_eq!(mask[*first as usize], Viability::Yes, "{context}");
            }
        }
        assert_eq!(mask[9], Viability::from(reference.accepts(b"")));
    }
    assert!(spelled > 100, "{spelled}");
}
