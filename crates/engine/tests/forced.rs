//! Bytes and tokens that must come next.

use tokenstile_engine::{Grammar, Limits, MatchError, Matcher, TokenId, Vocab};
use tokenstile_harness::{byte_vocab, compile, gbnf, regex};

fn vocab() -> Vocab {
    byte_vocab(&["na", "name", "\":", "\": ", "\": \"", "{\"", "tr", "true", "yes", "ye", "éa", "==", "===="])
}

/// The longest token first, at every place.
fn encode(vocab: &Vocab, mut text: &[u8]) -> Vec<TokenId> {
    let mut out = Vec::new();
    while !text.is_empty() {
        let fits = vocab.text_tokens().filter(|(_, bytes)| text.starts_with(bytes));
        let (id, bytes) = fits.max_by_key(|t| t.1.len()).expect("every byte is a token");
        out.push(id);
        text = &text[bytes.len()..];
    }
    out
}

fn spell(vocab: &Vocab, tokens: &[TokenId]) -> String {
    let bytes: Vec<u8> = tokens.iter().flat_map(|&t| vocab.bytes(t).expect("text")).copied().collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn at(grammar: &Grammar, text: &str) -> Matcher {
    let mut matcher = compile(grammar, &vocab()).matcher();
    matcher.commit_bytes(text.as_bytes()).unwrap();
    matcher
}

/// What is forced after `text`, with the matcher left as it was.
fn forced(grammar: &Grammar, text: &str) -> String {
    let mut matcher = at(grammar, text);
    let before = tokenstile_harness::mask_of(&mut matcher);
    let bytes = matcher.forced_bytes().unwrap();
    assert_eq!(tokenstile_harness::mask_of(&mut matcher), before, "asking changes nothing");
    matcher.commit_bytes(&bytes).unwrap();
    let more = matcher.forced_bytes().unwrap();
    assert!(more.is_empty(), "{:?} was forced, too", more.escape_ascii().to_string());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn forced_tokens(grammar: &Grammar, text: &str) -> String {
    let mut matcher = at(grammar, text);
    let vocab = vocab();
    let tokens = matcher.forced_tokens(|bytes| encode(&vocab, bytes)).unwrap();
    assert_eq!(matcher.text_len(), text.len(), "nothing is committed");
    for &token in &tokens {
        matcher.commit(token).unwrap();
    }
    spell(&vocab, &tokens)
}

#[test]
fn a_literal_is_forced_up_to_its_end() {
    let grammar = gbnf(r#"root ::= "hello " [a-z]+ "!""#);
    assert_eq!(forced(&grammar, ""), "hello ");
    assert_eq!(forced(&grammar, "hel"), "lo ");
    assert_eq!(forced(&grammar, "hello "), "");
    assert_eq!(forced(&grammar, "hello w"), "");
    assert_eq!(forced(&grammar, "hello w!"), "");
}

#[test]
fn the_start_of_several_keys_is_forced() {
    let grammar = gbnf(r#"root ::= "{\"na" ("me" | "tion") "\": " ("true" | "null") "}""#);
    assert_eq!(forced(&grammar, ""), "{\"na");
    assert_eq!(forced(&grammar, "{\"nam"), "e\": ");
    assert_eq!(forced(&grammar, "{\"nation\": t"), "rue}");
}

#[test]
fn choices_that_meet_again_force_what_they_share() {
    let grammar = gbnf(r#"root ::= ("ab" | "ac") "de" | "xde""#);
    assert_eq!(forced(&grammar, ""), "");
    assert_eq!(forced(&grammar, "a"), "");
    assert_eq!(forced(&grammar, "ac"), "de");
    let same = gbnf("root ::= \"abc\" [0-9] | \"abd\" [0-9] | \"ab\" [cd] \"x\"");
    assert_eq!(forced(&same, ""), "ab");
}

#[test]
fn an_end_is_a_choice_too() {
    let grammar = gbnf(r#"root ::= "ab" "cd"?"#);
    assert_eq!(forced(&grammar, ""), "ab");
    assert_eq!(forced(&grammar, "abc"), "d");
}

#[test]
fn forced_bytes_may_end_inside_a_character() {
    let grammar = regex("x[é-ï]"); // C3 A9 to C3 AF
    assert_eq!(at(&grammar, "").forced_bytes().unwrap(), b"x\xC3");
    assert_eq!(at(&regex("é日"), "").forced_bytes().unwrap(), "é日".as_bytes());
}

#[test]
fn counted_repetitions_are_forced() {
    assert_eq!(forced(&regex("(?:ab){3}[cd]"), ""), "ababab");
    assert_eq!(forced(&regex("a{2,4}"), ""), "aa");
}

#[test]
fn endless_texts_are_forced_a_part_at_a_time() {
    let grammar = regex("a{100000}");
    let mut matcher = at(&grammar, "");
    let mut total = 0;
    loop {
        let bytes = matcher.forced_bytes().unwrap();
        if bytes.is_empty() {
            break;
        }
        assert!(bytes.iter().all(|&b| b == b'a'));
        matcher.commit_bytes(&bytes).unwrap();
        total += bytes.len();
    }
    assert_eq!(total, 100_000);
    assert!(matcher.is_accepting());
}

#[test]
fn nothing_is_forced_after_the_end() {
    let vocab = vocab();
    let mut matcher = at(&regex("a"), "a");
    matcher.commit(vocab.end_tokens()[0]).unwrap();
    assert_eq!(matcher.forced_bytes(), Ok(Vec::new()));
    assert_eq!(matcher.forced_tokens(|_| unreachable!("there is nothing to encode")), Ok(Vec::new()));
    assert_eq!(matcher.commit_bytes(b"a"), Err(MatchError::Finished));
}

#[test]
fn tokens_that_could_grow_are_left_out() {
    // What is forced ends with `": `, and `": "` is a token, too.
    let grammar = gbnf(r#"root ::= "{\"name\": " ("\"" [a-z]* "\"" | "true") "}""#);
    assert_eq!(forced(&grammar, ""), "{\"name\": ");
    assert_eq!(forced_tokens(&grammar, ""), "{\"name");
}

#[test]
fn tokens_that_cannot_grow_are_kept() {
    assert_eq!(forced_tokens(&gbnf(r#"root ::= "{\"name\": \"" [x-z]"#), ""), "{\"name\": \"");
    assert_eq!(forced_tokens(&gbnf(r#"root ::= "{\"x" ("a" | "b")"#), ""), "{\"x");
}

#[test]
fn the_tail_may_be_several_tokens() {
    // `=` alone could become `==`, and `==` `====`: after `===`, all of it is open.
    let grammar = gbnf(r#"root ::= "x===" ("=" | "y")"#);
    assert_eq!(forced_tokens(&grammar, ""), "x");
    let closed = gbnf(r#"root ::= "x====" ("a" | "b")"#);
    assert_eq!(forced_tokens(&closed, ""), "x====");
}

#[test]
fn an_encoder_that_does_not_give_back_the_text_is_not_trusted() {
    let mut matcher = at(&regex("abc"), "");
    assert_eq!(matcher.forced_tokens(|_| vec![u32::from(b'x')]), Ok(Vec::new()));
    assert_eq!(matcher.forced_tokens(|_| vec![u32::MAX]), Ok(Vec::new()));
    assert_eq!(matcher.forced_tokens(|_| Vec::new()), Ok(Vec::new()));
}

#[test]
fn built_in_json_forces_words_and_escapes() {
    let json = Grammar::json(&Limits::default()).unwrap();
    assert_eq!(forced(&json, "t"), "rue");
    assert_eq!(forced(&json, "[n"), "ull");
    assert_eq!(forced(&json, "{\"a\""), "");
    assert_eq!(forced_tokens(&json, "t"), "rue");
}
