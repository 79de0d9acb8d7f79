//! What a vocabulary may look like: end tokens, duplicates, holes, widths, and parts of characters.

use tokenstile_engine::{CompileError, Compiler, ErrorKind, MatchError, Vocab};
use tokenstile_harness::{Sorted, allowed, bit, byte_vocab, compile, gbnf, mask_of, regex};
use tokenstile_testkit::{Reference, TokenReference};

fn vocab_of(tokens: &[&[u8]], end: &[u32]) -> Vocab {
    Vocab::from_tokens((0..).zip(tokens.iter().map(|t| t.to_vec())), end).unwrap()
}

#[test]
fn end_tokens_are_allowed_exactly_when_the_text_is_complete() {
    let vocab = vocab_of(&[b"a", b"b", b"ab"], &[3, 7, 5]);
    let mut matcher = compile(&regex("(?:ab)+"), &vocab).matcher();
    assert_eq!(allowed(&mut matcher), [0, 2]);
    for end in [3, 5, 7] {
        assert_eq!(matcher.allows(end), Ok(false));
        assert_eq!(matcher.commit(end), Err(MatchError::Forbidden { token: end }));
    }
    matcher.commit(2).unwrap();
    assert_eq!(allowed(&mut matcher), [0, 2, 3, 5, 7]);
    matcher.commit(0).unwrap();
    assert_eq!(allowed(&mut matcher), [1]);
}

#[test]
fn after_an_end_token_everything_is_over_until_it_is_undone() {
    let vocab = vocab_of(&[b"a"], &[1, 2]);
    let mut matcher = compile(&regex("a*"), &vocab).matcher();
    matcher.commit(0).unwrap();
    let before = mask_of(&mut matcher);
    for end in [1, 2] {
        matcher.commit(end).unwrap();
        assert!(matcher.is_finished() && !matcher.is_accepting());
        assert_eq!(matcher.text_len(), 1);
        assert!(allowed(&mut matcher).is_empty());
        assert!((0..4).all(|t| matcher.allows(t) == Ok(false)));
        assert_eq!(matcher.commit(0), Err(MatchError::Finished));
        assert_eq!(matcher.commit(end), Err(MatchError::Finished));
        assert_eq!(matcher.commit_bytes(b"a"), Err(MatchError::Finished));
        assert!(matcher.allowed_bytes().unwrap().is_empty());
        matcher.rollback(1).unwrap();
        assert!(!matcher.is_finished() && matcher.is_accepting());
        assert_eq!(mask_of(&mut matcher), before);
    }
    matcher.commit(1).unwrap();
    matcher.rollback(2).unwrap();
    assert_eq!((matcher.steps(), matcher.text_len()), (0, 0));
    assert_eq!(matcher.rollback(1), Err(MatchError::NothingToUndo { asked: 1, done: 0 }));
}

#[test]
fn an_end_token_with_bytes_does_not_match_text() {
    let vocab = vocab_of(&[b"a", b"b", b"ab"], &[1]);
    let mut matcher = compile(&regex("a|ab"), &vocab).matcher();
    assert_eq!(allowed(&mut matcher), [0, 2]);
    matcher.commit(0).unwrap();
    assert_eq!(allowed(&mut matcher), [1]);
    matcher.commit(1).unwrap();
    assert_eq!(matcher.text_len(), 1);
}

#[test]
fn a_vocabulary_without_end_tokens() {
    let vocab = vocab_of(&[b"a", b"b"], &[]);
    let mut matcher = compile(&regex("ab"), &vocab).matcher();
    matcher.commit(0).unwrap();
    matcher.commit(1).unwrap();
    assert!(matcher.is_accepting());
    assert!(allowed(&mut matcher).is_empty());
}

#[test]
fn duplicates_are_allowed_together() {
    let vocab = vocab_of(&[b"a", b"ab", b"a", b"b", b"ab", b"b", b"a"], &[7]);
    let mut matcher = compile(&regex("ab|b"), &vocab).matcher();
    assert_eq!(allowed(&mut matcher), [0, 1, 2, 3, 4, 5, 6]);
    for first in [0, 2, 6] {
        matcher.commit(first).unwrap();
        assert_eq!(allowed(&mut matcher), [3, 5]);
        matcher.rollback(1).unwrap();
    }
}

#[test]
fn many_duplicates() {
    let vocab = Vocab::from_tokens((0..70_000).map(|id| (id, "ab")), &[70_000]).unwrap();
    let mut matcher = compile(&regex("(?:ab)*"), &vocab).matcher();
    assert_eq!(allowed(&mut matcher).len(), 70_001);
    matcher.commit(69_999).unwrap();
    assert_eq!(allowed(&mut matcher).len(), 70_001);
    assert_eq!(allowed(&mut compile(&regex("ab"), &vocab).matcher()).len(), 70_000);
}

#[test]
fn a_very_long_token() {
    let vocab = byte_vocab(&["a".repeat(70_000)]);
    assert_eq!(allowed(&mut compile(&regex("a*"), &vocab).matcher()), [97, 256, 257]);
    assert_eq!(allowed(&mut compile(&regex("a{1,69999}"), &vocab).matcher()), [97]);
}

#[test]
fn tokens_without_bytes_and_holes_are_never_allowed() {
    let tokens: [(u32, &[u8]); 4] = [(1, b""), (3, b"a"), (40, b"b"), (41, b"")];
    let vocab = Vocab::from_tokens(tokens, &[45]).unwrap();
    let mut matcher = compile(&regex("[ab]*"), &vocab).matcher();
    assert_eq!(allowed(&mut matcher), [3, 40, 45]);
    for id in [0, 1, 2, 41, 44] {
        assert_eq!(matcher.allows(id), Ok(false));
        assert_eq!(matcher.commit(id), Err(MatchError::Forbidden { token: id }));
    }
    for id in [46, 63, 64, u32::MAX] {
        assert_eq!(matcher.allows(id), Ok(false));
        assert_eq!(matcher.commit(id), Err(MatchError::UnknownToken { token: id }));
    }
    assert_eq!(matcher.steps(), 0);
}

#[test]
fn a_width_larger_than_the_vocabulary_is_padding() {
    let vocab = vocab_of(&[b"a", b"b"], &[2]).with_width(100).unwrap();
    let mut matcher = compile(&regex("[ab]*"), &vocab).matcher();
    assert_eq!(matcher.mask_words(), 4);
    let mut words = vec![u32::MAX; 6];
    matcher.fill_mask(&mut words).unwrap();
    assert_eq!(words, [0b111, 0, 0, 0, 0, 0]);
    for id in [3, 99, 100] {
        assert_eq!(matcher.allows(id), Ok(false));
        assert!(matcher.commit(id).is_err());
    }
    let error = matcher.fill_mask(&mut [0; 3]).unwrap_err();
    assert_eq!(error, MatchError::MaskTooShort { given: 3, needed: 4 });
}

#[test]
fn a_width_smaller_than_the_vocabulary_cuts_ids_off() {
    let tokens: Vec<(u32, Vec<u8>)> = (0..100).map(|i| (i, vec![b'a'; 1 + i as usize % 3])).collect();
    let vocab = Vocab::from_tokens(tokens, &[0]).unwrap().with_width(37).unwrap();
    let mut matcher = compile(&regex("a*"), &vocab).matcher();
    assert_eq!(matcher.mask_words(), 2);
    assert_eq!(allowed(&mut matcher), (0..37).collect::<Vec<u32>>());
    for id in [37, 38, 99] {
        assert_eq!(matcher.allows(id), Ok(false));
        assert_eq!(matcher.commit(id), Err(MatchError::UnknownToken { token: id }));
    }
}

#[test]
fn what_only_ids_past_the_width_can_spell_is_refused() {
    let vocab = vocab_of(&[b"a", b"c", b"b"], &[1]).with_width(2).unwrap();
    let error = Compiler::new(vocab.clone()).compile(regex("ab")).unwrap_err();
    assert_eq!(error, CompileError::Unspellable { missing: vec![b'b'] });
    assert_eq!(error.kind(), ErrorKind::Unsatisfiable);
    let mut matcher = compile(&regex("a|ab"), &vocab).matcher();
    matcher.commit(0).unwrap();
    assert_eq!(allowed(&mut matcher), [1]);
}

#[test]
fn masks_of_finished_matchers_and_of_long_buffers_are_cleared() {
    let vocab = vocab_of(&[b"a"], &[1]);
    let mut matcher = compile(&regex("a"), &vocab).matcher();
    matcher.commit(0).unwrap();
    matcher.commit(1).unwrap();
    let mut words = vec![u32::MAX; 3];
    matcher.fill_mask(&mut words).unwrap();
    assert_eq!(words, [0, 0, 0]);
}

#[test]
fn bytes_of_a_character_and_whole_characters_are_allowed_alike() {
    let vocab = byte_vocab(&[
        &b"\xC3\xA9"[..],
        b"\xE6\x97",
        b"\x97\xA5",
        b"\xA9",
        b"x\xC3",
        b"\xA5x",
        "日".as_bytes(),
        "日x".as_bytes(),
    ]);
    for pattern in ["é", "日", "(?:é|日)x", "x?é", "日x|本", "[é日]+", "[^x]x"] {
        let grammar = regex(pattern);
        let (sorted, reference) = (Sorted::new(&vocab), Reference::new(&grammar));
        let matcher = compile(&grammar, &vocab).matcher();
        for text in [&b""[..], b"\xE6", b"\xE6\x97", b"\xC3", b"x", b"x\xC3"] {
            let mut matcher = matcher.fork();
            let state = reference.run(text);
            if reference.viability(state).known() == Some(false) {
                assert!(matcher.commit_bytes(text).is_err());
                continue;
            }
            matcher.commit_bytes(text).unwrap();
            sorted.compare(&mut matcher, &reference, state).unwrap_or_else(|e| panic!("{pattern}: {e}"));
        }
    }
}

/// Compares with the reference where not every byte is a token, for all texts of up to `steps` tokens.
fn check_all(pattern: &str, tokens: &[&[u8]], steps: usize) {
    let end = tokens.len() as u32;
    let grammar = regex(pattern);
    let list: Vec<(u32, Vec<u8>)> = (0..).zip(tokens.iter().map(|t| t.to_vec())).collect();
    let reference = Reference::new(&grammar);
    let expected = TokenReference::new(&reference, &list, &[end]);
    let mut todo = vec![(compile(&grammar, &vocab_of(tokens, &[end])).matcher(), reference.start(), steps)];
    while let Some((mut matcher, state, left)) = todo.pop() {
        let words = mask_of(&mut matcher);
        for (id, viability) in expected.mask(state).iter().enumerate() {
            assert_eq!(Some(bit(&words, id as u32)), viability.known(), "{pattern}: token {id}");
        }
        for (id, bytes) in list.iter().filter(|t| left > 0 && bit(&words, t.0)) {
            let mut next = matcher.fork();
            next.commit(*id).unwrap();
            todo.push((next, reference.run_from(state, bytes), left - 1));
        }
    }
}

#[test]
fn only_one_byte_of_a_character_goes_on() {
    // `é` is C3 A9, `è` is C3 A8: only the first can be finished.
    check_all("[éè]x", &[b"\xC3", b"\xA9", b"x"], 3);
    check_all("[éè]x", &[b"\xC3", b"\xA9x", b"\xA8", "è".as_bytes()], 3);
    check_all("(?:é|e)+", &["é".as_bytes(), b"\xC3", b"e"], 3);
    check_all("(?:日|本)+", &["日".as_bytes(), b"\xE6", b"\x97\xA5", b"\x9C"], 3);
    check_all("[^x]{2}", &["日".as_bytes(), b"\xE6\x97", b"\xA5a", b"x"], 3);
}

#[test]
fn dead_ends_of_the_tokens_are_seen_in_time() {
    check_all("(?:ab)*c|a", &[b"ab", b"a", b"c"], 4);
    check_all("a{3}|a{5}", &[b"aa", b"aaa"], 3);
    check_all("(?:aa)*b", &[b"a", b"ab", b"aaa"], 5);
    check_all("x(?:ab|cd)y", &[b"xa", b"x", b"cd", b"y", b"b"], 4);
}

#[test]
fn rules_that_tokens_cannot_leave_are_not_entered() {
    let grammar = gbnf("root ::= \"(\" root \")\" | \"[\" root \"]\" | \"x\"");
    let vocab = vocab_of(&[b"(", b")", b"[", b"x"], &[4]);
    let mut matcher = compile(&grammar, &vocab).matcher();
    assert_eq!(allowed(&mut matcher), [0, 3]);
    matcher.commit(0).unwrap();
    assert_eq!(allowed(&mut matcher), [0, 3]);
}
