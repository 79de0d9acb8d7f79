//! Regular expressions through the whole engine, judged by the `regex` crate.

use regex::bytes::Regex;
use tokenstile_engine::{Compiler, Constraint, ErrorKind, Grammar, Limits, MatchError, Vocab};
use tokenstile_harness::{Sorted, bit, byte_vocab, compile, mask_of};
use tokenstile_testkit::generate::{mutate, random_regex, sample_sentence};
use tokenstile_testkit::{Reference, Rng};

/// Whether the constraint takes `text` and calls it complete.
fn accepts(constraint: &Constraint, text: &[u8]) -> bool {
    let mut matcher = constraint.matcher();
    match matcher.commit_bytes(text) {
        Ok(()) => matcher.is_accepting(),
        Err(MatchError::ForbiddenByte { at, byte }) => {
            assert_eq!(text[at], byte);
            let mut before = constraint.matcher();
            before.commit_bytes(&text[..at]).expect("what comes before the refused byte fits");
            false
        }
        Err(other) => panic!("{other}"),
    }
}

/// The same, one byte at a time and with a mask at each: commits and masks agree.
fn accepts_by_steps(constraint: &Constraint, text: &[u8]) -> bool {
    let mut matcher = constraint.matcher();
    for &byte in text {
        let words = mask_of(&mut matcher);
        assert!(words.iter().any(|&w| w != 0), "a dead end");
        let result = matcher.commit(byte.into());
        assert_eq!(result.is_ok(), bit(&words, byte.into()));
        if result.is_err() {
            return false;
        }
    }
    matcher.is_accepting()
}

fn whole(pattern: &str) -> Regex {
    Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap_or_else(|e| panic!("{e}"))
}

fn judge(constraint: &Constraint, pattern: &str, regex: &Regex, text: &[u8]) {
    let expected = regex.is_match(text);
    let shown = || format!("{pattern} on {:?}", text.escape_ascii().to_string());
    assert_eq!(accepts(constraint, text), expected, "{}", shown());
    assert_eq!(accepts_by_steps(constraint, text), expected, "{}, step by step", shown());
}

/// Sentences of the grammar, and texts that almost are.
fn texts(grammar: &Grammar, rng: &mut Rng, count: usize) -> Vec<Vec<u8>> {
    let mut texts = vec![Vec::new()];
    for _ in 0..count {
        let sentence = sample_sentence(grammar, rng, 20).unwrap_or_else(|| b"ab".to_vec());
        texts.push(mutate(rng, &sentence));
        texts.push(sentence);
    }
    texts
}

fn run_random(seed: u64, cases: u64, assertions: bool) {
    let vocab = byte_vocab(&["ab", "ba", "é"]);
    let compiler = Compiler::new(vocab);
    let (mut compiled, mut matched) = (0, 0);
    for case in seed..seed + cases {
        let mut rng = Rng::new(case);
        let random = random_regex(&mut rng, 3, assertions);
        let expected = whole(&random.pattern);
        let grammar = tokenstile_harness::regex(&random.pattern);
        let texts = texts(&random.grammar, &mut rng, 6);
        let constraint = match compiler.compile(&grammar) {
            Ok(constraint) => constraint,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unsatisfiable, "{error}: {}", random.pattern);
                assert!(!texts.iter().any(|t| expected.is_match(t)), "{error}: {}", random.pattern);
                continue;
            }
        };
        compiled += 1;
        for text in &texts {
            matched += usize::from(expected.is_match(text));
            judge(&constraint, &random.pattern, &expected, text);
        }
    }
    tokenstile_harness::say(&format!("{compiled} patterns, {matched} texts matched"));
    assert!(compiled > cases / 2 && matched as u64 > cases);
}

#[test]
fn random_patterns() {
    run_random(1, 400, false);
}

#[test]
fn random_patterns_with_assertions() {
    run_random(100_000, 300, true);
}

const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

#[test]
fn well_known_patterns() {
    let list: &[(&str, &[&str])] = &[
        (
            r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}",
            &["a@b.co", "a.b+c@d-e.f.org", "a@b", "@b.co", "a@b.c"],
        ),
        (
            r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])",
            &["2024-02-29", "2024-13-01", "٢٠٢٤-01-01", "2024-00-10"],
        ),
        (UUID, &["123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-62d3-a456-426614174000"]),
        (r"\bcat\b", &["cat", "cats", "ca", ""]),
        (r".*\bcat\b.*", &["cat", "a cat!", "concat", "cat_", "cats cat", "écat", "cat é"]),
        (r"\p{Greek}+", &["αβγ", "abc", "α1"]),
        (r"\p{Lu}\p{Ll}*", &["Éa", "éa", "É", "ÉÉ", "Ωω"]),
        (r"\w+\s\d+", &["añb 12", "a\u{a0}1", "a  1", "日本 ٣"]),
        (r"[^\W\d_]+", &["abc", "a1", "é_", "日"]),
        (r"(?i)straße|k", &["STRASSE", "strasse", "STRAßE", "K", "\u{212A}", "k"]),
        (r"(?:ab?){2,3}", &["a", "aa", "abab", "ababab", "abababab", "aab"]),
        (r"(?:a{2,3}){2}", &["aaa", "aaaa", "aaaaa", "aaaaaa", "aaaaaaa"]),
        (r"(?:(?:ab){2}|c{0,2}d){1,2}", &["abab", "d", "ccdd", "ababccd", "ab", "cccd"]),
        (r"a*?b+?|a??", &["", "a", "aab", "aabb", "aa"]),
        (r"[a-z&&[^aeiou]]+", &["xyz", "xay", "b"]),
        (r"(?s).{3}", &["a\nb", "日本語", "ab", "abcd"]),
        (r"(?m)^a$\n^b$", &["a\nb", "ab", "a\n\nb"]),
        (r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", &["-0.5e+10", "01", "1.", "1e5", "-"]),
        (r"[\u{80}-\u{7ff}]{2}", &["éé", "é", "日日", "\u{80}\u{7ff}"]),
        (r"[\u{10000}-\u{10ffff}]+", &["😀", "日", "😀😀"]),
    ];
    let vocab = byte_vocab(&["cat", "ca", "é", "20", "-0", "日本", "ab", "e8"]);
    let mut rng = Rng::new(5);
    for (pattern, texts) in list {
        let grammar = tokenstile_harness::regex(pattern);
        let (constraint, expected) = (compile(&grammar, &vocab), whole(pattern));
        for text in *texts {
            judge(&constraint, pattern, &expected, text.as_bytes());
            for _ in 0..4 {
                judge(&constraint, pattern, &expected, &mutate(&mut rng, text.as_bytes()));
            }
        }
    }
}

#[test]
fn lookahead_takes_texts_away() {
    let constraint =
        compile(&tokenstile_harness::regex("^(?!.*foo)[a-z]+$"), &byte_vocab(&["fo", "oo", "foo", "of"]));
    let plain = whole("[a-z]+");
    for text in ["a", "foo", "fo", "of", "ofo", "xfoox", "fofo", "ffoo", "fooo", "", "1", "oofoof", "f o o"] {
        let expected = plain.is_match(text.as_bytes()) && !text.contains("foo");
        assert_eq!(accepts(&constraint, text.as_bytes()), expected, "{text}");
        assert_eq!(accepts_by_steps(&constraint, text.as_bytes()), expected, "{text}");
    }
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(b"f").unwrap();
    assert!(!matcher.allows(257).unwrap() && matcher.allows(b'o'.into()).unwrap());
    let password = compile(
        &tokenstile_harness::regex("(?=.*[0-9])(?=.*[a-z])[0-9a-z]{4,6}"),
        &byte_vocab(&["ab1", "1234", "12345"]),
    );
    for (text, expected) in
        [("abc1", true), ("abcd", false), ("1234", false), ("12345a", true), ("a1", false)]
    {
        assert_eq!(accepts(&password, text.as_bytes()), expected, "{text}");
    }
    let mut matcher = password.matcher();
    assert!(matcher.allows(258).unwrap(), "12345 leaves one place for a letter");
    matcher.commit(258).unwrap();
    assert!(!matcher.allows(b'6'.into()).unwrap());
}

#[test]
fn twenty_thousand_characters_and_no_more() {
    const MOST: usize = 20_000;
    let vocab = byte_vocab(&["aa", "aaa", "éé", "日日日", "😀", "a\n", "éa"]);
    let grammar = tokenstile_harness::regex(r"[^\n]{1,20000}");
    let constraint = compile(&grammar, &vocab);
    assert!(!accepts(&constraint, b""));
    for unit in ["a", "é", "日", "😀"] {
        let full = unit.repeat(MOST);
        assert!(accepts(&constraint, full.as_bytes()), "{unit}");
        let mut matcher = constraint.matcher();
        let error = matcher.commit_bytes(unit.repeat(MOST + 1).as_bytes()).unwrap_err();
        assert_eq!(error, MatchError::ForbiddenByte { at: full.len(), byte: unit.as_bytes()[0] });
        matcher.commit_bytes(unit.repeat(MOST - 3).as_bytes()).unwrap();
        for left in (0..=3).rev() {
            let fits = |text: &str| !text.contains('\n') && text.chars().count() <= left;
            let words = mask_of(&mut matcher);
            for (id, text) in (256..).zip(["aa", "aaa", "éé", "日日日", "😀", "a\n", "éa"]) {
                assert_eq!(bit(&words, id), fits(text), "{text} with {left} left after {unit}");
            }
            assert_eq!(matcher.allows(257).unwrap(), fits("aaa"));
            assert_eq!(matcher.allows(260).unwrap(), fits("😀"));
            if left > 0 {
                matcher.commit_bytes(unit.as_bytes()).unwrap();
            }
        }
        assert_eq!(tokenstile_harness::allowed(&mut matcher), vocab.end_tokens());
    }
}

/// Whatever the length of its characters, a long run is taken in large steps.
#[test]
fn a_long_run_needs_few_states() {
    let grammar = tokenstile_harness::regex(r"[^\n]{1,20000}");
    for unit in ["a", "é", "日", "😀", "aé日"] {
        let constraint = compile(&grammar, &byte_vocab(&["aa"]));
        let mut matcher = constraint.matcher();
        matcher.commit_bytes(unit.repeat(5_000).as_bytes()).unwrap();
        let states = constraint.stats().states;
        assert!(states < 5_000, "{states} states for 5,000 times {unit}");
    }
}

#[test]
fn masks_inside_of_counted_patterns() {
    let vocab = byte_vocab(&["12", "123", "1234", "-1", "ab", "abcd", "é1", "1é", "9-"]);
    let sorted = Sorted::new(&vocab);
    for pattern in [UUID, r"\d{4}-\d{2}", "[0-9]{2,5}(?:-[0-9]{1,2}){2}", "(?:[0-9]{2}|[a-f]{3}){2,4}"] {
        let grammar = tokenstile_harness::regex(pattern);
        let reference = Reference::new(&grammar);
        let sentence = sample_sentence(&grammar, &mut Rng::new(3), 60).expect("there is one");
        let mut matcher = compile(&grammar, &vocab).matcher();
        for at in 0..sentence.len() {
            let state = reference.run(&sentence[..at]);
            sorted
                .compare(&mut matcher, &reference, state)
                .unwrap_or_else(|e| panic!("{pattern} at {at}: {e}"));
            matcher.commit(sentence[at].into()).unwrap();
        }
        assert!(matcher.is_accepting());
    }
}

/// Assertions nested as deep as the source may be: on a thread with an ordinary stack, an answer or a typed error.
#[test]
fn deeply_nested_assertions_do_not_overflow_the_stack() {
    for (open, close) in [("(?=a", ")"), ("(?!b", ")"), ("(?<=a", ")"), ("(?:(?=a", ")a?)*")] {
        let pattern = format!("{}a{}a*", open.repeat(450), close.repeat(450));
        let Ok(grammar) = Grammar::regex(&pattern, &Default::default(), &Limits::default()) else { continue };
        let vocab = Vocab::from_tokens((0..=255u32).map(|b| (b, vec![b as u8])), &[256]).unwrap();
        let Ok(constraint) = Compiler::new(vocab).compile(&grammar) else { continue };
        let mut matcher = constraint.matcher();
        let _ = matcher.fill_mask(&mut vec![0; matcher.mask_words()]);
        let _ = matcher.commit_bytes(&[b'a'; 600]);
    }
}
