//! Terminals that take one token whole, against the reference, bit for bit.

use tokenstile_engine::{Compiler, Constraint, ErrorKind, MatchError, Matcher, Piece, TokenKind, Vocab};
use tokenstile_grammar::ir::{TokenName, TokenSet};
use tokenstile_grammar::{Composer, Grammar, Limits, Part, Trigger, Triggered};
use tokenstile_harness::{bit, mask_of};
use tokenstile_testkit::generate::{
    GrammarOptions, RandomVocab, VocabOptions, random_grammar, random_vocab, sample_sentence,
};
use tokenstile_testkit::{RefState, Reference, Rng, TokenReference};

/// A vocabulary with the special tokens `<s0>` to `<s2>`.
struct Words {
    random: RandomVocab,
    special: Vec<(u32, String)>,
    vocab: Vocab,
}

impl Words {
    fn new(random: RandomVocab) -> Option<Words> {
        let first = random.tokens.iter().map(|t| t.0).chain(random.end.iter().copied()).max()? + 1;
        let special: Vec<(u32, String)> = (0..3).map(|n| (first + n, format!("<s{n}>"))).collect();
        let mut builder = Vocab::builder();
        for (id, bytes) in &random.tokens {
            builder.add(*id, TokenKind::Text, bytes).ok()?;
        }
        for (id, name) in &special {
            builder.add(*id, TokenKind::Special, name.as_bytes()).ok()?;
        }
        for &id in &random.end {
            builder.add(id, TokenKind::Special, format!("<end {id}>").as_bytes()).ok()?;
        }
        let vocab = builder.build().ok()?.with_end_tokens(&random.end).ok()?;
        Some(Words { random, special, vocab })
    }

    /// All bytes, and these words.
    fn of(words: &[&str]) -> Words {
        let bytes = (0..=255u8).map(|byte| vec![byte]);
        let tokens = (0..).zip(bytes.chain(words.iter().map(|word| word.as_bytes().to_vec()))).collect();
        let end = vec![256 + words.len() as u32];
        Words::new(RandomVocab { tokens, end }).expect("a vocabulary")
    }

    fn reference<'r, 'g>(&self, reference: &'r Reference<'g>) -> TokenReference<'r, 'g> {
        TokenReference::new(reference, &self.random.tokens, &self.random.end).with_special(&self.special)
    }

    fn id(&self, name: &str) -> u32 {
        let special = self.special.iter().find(|(_, special)| special == name).map(|(id, _)| *id);
        let text =
            || self.random.tokens.iter().find(|(_, bytes)| bytes == name.as_bytes()).map(|(id, _)| *id);
        special.or_else(text).expect("a token")
    }

    fn compile(&self, grammar: &Grammar) -> Constraint {
        Compiler::new(self.vocab.clone()).compile(grammar).unwrap_or_else(|e| panic!("{e}\n{grammar}"))
    }
}

#[derive(Default, Debug)]
struct Seen {
    grammars: usize,
    refused: usize,
    masks: usize,
    unknown: usize,
    whole: usize,
}

/// The mask and what `allows` says are those of the reference; the tokens that are allowed.
fn check(
    matcher: &mut Matcher,
    tokens: &TokenReference<'_, '_>,
    at: RefState,
    what: &str,
    seen: &mut Seen,
) -> Vec<u32> {
    let words = mask_of(matcher);
    let mut allowed = Vec::new();
    for (token, viability) in (0..).zip(tokens.mask(at)) {
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
fn walk(grammar: &Grammar, words: &Words, rng: &mut Rng, seen: &mut Seen) {
    let reference = Reference::new(grammar);
    let tokens = words.reference(&reference);
    let constraint = match Compiler::new(words.vocab.clone()).compile(grammar) {
        Ok(constraint) => constraint,
        Err(error) => {
            seen.refused += 1;
            assert!(
                matches!(error.kind(), ErrorKind::UnknownToken | ErrorKind::Unsatisfiable),
                "{error}\n{grammar}"
            );
            return;
        }
    };
    seen.grammars += 1;
    for _ in 0..3 {
        let (mut matcher, mut state) = (constraint.matcher(), reference.start());
        let mut history = vec![(state, mask_of(&mut matcher))];
        for _ in 0..8 {
            let what = format!("after {:?} of\n{grammar}", history.len());
            let mut allowed = check(&mut matcher, &tokens, state, &what, seen);
            assert!(!allowed.is_empty(), "dead end {what}");
            assert_eq!(matcher.is_accepting(), reference.is_accepting(state), "accepting {what}");
            for &token in [0, 3, 7, 20].iter().filter(|token| !allowed.contains(token)) {
                assert!(matcher.commit(token).is_err(), "{token} {what}");
            }
            if matcher.is_accepting() {
                allowed.retain(|token| !words.random.end.contains(token));
            }
            if allowed.is_empty() {
                break;
            }
            // Tokens without text, where there are some, half of the time.
            let special: Vec<u32> =
                allowed.iter().copied().filter(|&token| words.vocab.bytes(token).is_none()).collect();
            let from = if !special.is_empty() && rng.chance(1, 2) { &special } else { &allowed };
            let token = *rng.pick(from);
            seen.whole += usize::from(special.contains(&token));
            matcher.commit(token).unwrap_or_else(|e| panic!("{token}: {e} {what}"));
            state = tokens.step(state, token);
            history.push((state, mask_of(&mut matcher)));
            if rng.chance(1, 3) {
                let back = rng.below(history.len());
                let fork = matcher.fork();
                matcher.rollback(back).expect("so many were committed");
                history.truncate(history.len() - back);
                state = history[history.len() - 1].0;
                assert_eq!(mask_of(&mut matcher), history[history.len() - 1].1, "undone {what}");
                assert_eq!(fork.steps(), matcher.steps() + back);
            }
        }
    }
}

fn run(first: u64, count: u64, options: &GrammarOptions, all_bytes: bool) -> Seen {
    let mut seen = Seen::default();
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let grammar = random_grammar(&mut rng, options);
        let sentences: Vec<Vec<u8>> =
            (0..6).filter_map(|_| sample_sentence(&grammar, &mut rng, 24)).collect();
        let vocab = VocabOptions { all_bytes, ..VocabOptions::default() };
        let Some(words) = Words::new(random_vocab(&mut rng, &sentences, &vocab)) else { continue };
        walk(&grammar, &words, &mut rng, &mut seen);
    }
    assert!(seen.masks > count as usize && seen.whole > 20, "{seen:?}");
    seen
}

/// Grammars whose texts are UTF-8: where there are token terminals, other bytes are no text.
fn options() -> GrammarOptions {
    let plain =
        GrammarOptions { boolean: false, lookaround: false, raw_bytes: false, ..GrammarOptions::default() };
    GrammarOptions { tokens: true, ..plain }
}

#[test]
fn masks_equal_the_reference() {
    run(0, 500, &options(), true);
}

#[test]
fn masks_equal_the_reference_where_bytes_are_missing() {
    let seen = run(5_000, 300, &GrammarOptions { rules: 2, depth: 3, ..options() }, false);
    assert!(seen.refused > 0, "{seen:?}");
}

#[test]
fn masks_equal_the_reference_with_members() {
    run(9_000, 200, &GrammarOptions { rules: 3, depth: 3, counted: true, ..options() }, true);
}

/// Parts that a test is made of.
fn composed(make: impl FnOnce(&mut Composer) -> Part) -> Grammar {
    let mut composer = Composer::new(&Limits::default());
    let root = make(&mut composer);
    composer.build(root).expect("a grammar")
}

fn token(name: &str) -> TokenSet {
    TokenSet::of([TokenName::text(name)])
}

#[test]
fn many_classes_have_longer_codes() {
    let words = Words::of(&["<a>", "é€"]);
    let grammar = composed(|c| {
        let parts: Vec<Part> = (0..60u32)
            .map(|n| {
                let token = c.tokens(TokenSet::of([TokenName::id(n), TokenName::id(2 * n)]));
                let text = c.literal(&format!("{n}"));
                c.concat(&[token, text])
            })
            .collect();
        let any = c.union(&parts);
        let rest = c.tokens(TokenSet::but([TokenName::Ids(3, 200)]));
        c.concat(&[any, rest])
    });
    let mut seen = Seen::default();
    for seed in 0..20 {
        walk(&grammar, &words, &mut Rng::new(seed), &mut seen);
    }
}

#[test]
fn a_token_is_read_as_text_and_whole_at_once() {
    let words = Words::of(&["ab"]);
    let grammar = composed(|c| {
        let (whole, text) = (c.tokens(token("ab")), c.literal("abc"));
        let d = c.literal("d");
        let whole = c.concat(&[whole, d]);
        c.union(&[whole, text])
    });
    let constraint = words.compile(&grammar);
    let mut matcher = constraint.matcher();
    matcher.commit(words.id("ab")).unwrap();
    assert_eq!(matcher.allowed_bytes().unwrap(), b"cd".iter().copied().collect());
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(b"ab").unwrap();
    assert_eq!(matcher.allowed_bytes().unwrap(), b"c".iter().copied().collect());
    assert_eq!(matcher.commit_bytes(b"d"), Err(MatchError::ForbiddenByte { at: 0, byte: b'd' }));
}

#[test]
fn end_tokens_end_where_a_text_may_end_and_are_tokens_elsewhere() {
    let words = Words::of(&[]);
    let end = words.random.end[0];
    let grammar = composed(|c| {
        let first = c.tokens(TokenSet::of([TokenName::id(end)]));
        let text = c.literal("x");
        let again = c.tokens(TokenSet::of([TokenName::id(end)]));
        let again = c.optional(again);
        c.concat(&[first, text, again])
    });
    let mut matcher = words.compile(&grammar).matcher();
    assert!(matcher.allows(end).unwrap() && !matcher.is_accepting());
    matcher.commit(end).unwrap();
    assert!(!matcher.is_finished() && !matcher.allows(end).unwrap());
    matcher.commit(u32::from(b'x')).unwrap();
    matcher.commit(end).unwrap();
    assert!(matcher.is_finished());
}

#[test]
fn unknown_tokens_are_refused_with_their_place() {
    let words = Words::of(&[]);
    let grammar = composed(|c| c.tokens(token("<none>").with_pointer("/format/begin")));
    let error = Compiler::new(words.vocab.clone()).compile(&grammar).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownToken);
    assert_eq!(error.to_string(), "/format/begin: the vocabulary has no token <none>");
    let grammar = composed(|c| {
        let (unknown, known) = (c.tokens(token("<none>").if_known()), c.tokens(token("<s1>")));
        c.union(&[unknown, known])
    });
    let mut matcher = words.compile(&grammar).matcher();
    assert!(matcher.allows(words.id("<s1>")).unwrap());
    assert_eq!(mask_of(&mut matcher).iter().map(|word| word.count_ones()).sum::<u32>(), 1);
}

#[test]
fn bytes_do_not_cross_a_token_terminal() {
    let words = Words::of(&["ab"]);
    let grammar = composed(|c| {
        let (a, s) = (c.literal("a"), c.tokens(token("<s0>")));
        let b = c.literal("bcd");
        c.concat(&[a, s, b])
    });
    let constraint = words.compile(&grammar);
    let mut matcher = constraint.matcher();
    assert_eq!(matcher.commit_bytes(b"ab"), Err(MatchError::ForbiddenByte { at: 1, byte: b'b' }));
    assert_eq!(matcher.commit_bytes(b"\xF5"), Err(MatchError::ForbiddenByte { at: 0, byte: 0xF5 }));
    assert_eq!(matcher.forced_bytes().unwrap(), b"a");
    matcher.commit_bytes(b"a").unwrap();
    assert!(matcher.forced_bytes().unwrap().is_empty() && matcher.allowed_bytes().unwrap().is_empty());
    assert_eq!(matcher.shortest_completion().unwrap(), None);
    let pieces = vec![Piece::Token(words.id("<s0>")), Piece::Text(b"bcd".to_vec())];
    assert_eq!(matcher.shortest_pieces().unwrap(), Some(pieces));
    assert_eq!(matcher.forced_tokens(|_| unreachable!("no text is forced")).unwrap(), [words.id("<s0>")]);
    matcher.commit(words.id("<s0>")).unwrap();
    assert_eq!(matcher.shortest_completion().unwrap().as_deref(), Some(&b"bcd"[..]));
    assert_eq!(matcher.text_len(), 1);
}

#[test]
fn triggers_are_texts_and_tokens() {
    let words = Words::of(&["<s0", "x<s0>1", "<s", ">1"]);
    let grammar = composed(|c| {
        let number = c.regex("[0-9]", &Default::default()).unwrap();
        c.triggered(Triggered::new([(Trigger::marked("<s0>"), number)]))
    });
    let mut seen = Seen::default();
    for seed in 0..30 {
        walk(&grammar, &words, &mut Rng::new(seed), &mut seen);
    }
    let mut matcher = words.compile(&grammar).matcher();
    matcher.commit_bytes(b"free <s0").unwrap();
    assert!(matcher.is_accepting());
    matcher.commit(words.id("<s0>")).unwrap();
    assert!(!matcher.is_accepting() && matcher.allows(u32::from(b'7')).unwrap());
    matcher.commit_bytes(b"7x<s0>1 ").unwrap();
    assert!(matcher.is_accepting());
    assert!(matcher.commit_bytes(b"<s0>x").is_err());
}
