//! Runs of characters over a made-up vocabulary, large enough for the engine to use its tables of runs: the
//! smallest cases in which they can go wrong, and their neighbours.

use std::sync::OnceLock;

use tokenstile_engine::{Grammar, Limits};
use tokenstile_grammar::{GrammarBuilder, RegexOptions, regex_expr};
use tokenstile_harness::{Words, compile, gbnf, regex};
use tokenstile_json_schema::{JsonOptions, json_schema};
use tokenstile_testkit::Reference;

/// All words of three letters, with and without a space before them; some with an accent; some cut inside it.
fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let letters = || b'a'..=b'z';
        let mut tokens: Vec<Vec<u8>> = Vec::new();
        for (a, b) in letters().flat_map(|a| letters().map(move |b| (a, b))) {
            tokens.extend(letters().map(|c| vec![b' ', a, b, c]));
            for text in [
                vec![a, b],
                vec![a, b, b, a],
                vec![a.to_ascii_uppercase(), b],
                vec![a, b' ', b],
                vec![a, b'-', b],
            ] {
                tokens.push(text);
            }
        }
        for a in letters() {
            for tail in ["é", "én", "née", "日", "é日é", " é", "é "] {
                tokens.push([&[a], tail.as_bytes()].concat());
                tokens.push([b" ", &[a][..], tail.as_bytes()].concat());
            }
            tokens.push(vec![a, 0xC3]);
            tokens.push(vec![0xA9, a]);
            tokens.push(vec![b' ', a, 0xE6, 0x97]);
        }
        tokens.extend(
            ["é", "日", " é", " 日", "éa", "日a", "日本", "abcdefghijklmnopqrstuvwxyz", " abcdefxabcdef"]
                .map(|t| t.as_bytes().to_vec()),
        );
        Words::new(&tokens)
    })
}

/// Many characters past ASCII, alone and with others behind them; some without their last byte.
fn wide_words() -> Words {
    let mut tokens: Vec<Vec<u8>> = Vec::new();
    for c in ('à'..='ɏ').chain('\u{2010}'..='\u{2030}').chain('一'..='丰') {
        for tail in ["", "1", "12", "a", "é1", " "] {
            tokens.push(format!("{c}{tail}").into_bytes());
            tokens.push(format!(" {c}{tail}").into_bytes());
        }
        let bytes = c.to_string().into_bytes();
        tokens.push(bytes[..bytes.len() - 1].to_vec());
    }
    tokens.sort();
    tokens.dedup();
    tokens.retain(|token| token.len() > 1);
    Words::new(&tokens)
}

/// Compares the masks after each text.
fn check(grammar: &Grammar, texts: &[&str]) {
    check_in(words(), grammar, texts);
}

fn check_in(words: &Words, grammar: &Grammar, texts: &[&str]) {
    let matcher = compile(grammar, &words.vocab).matcher();
    let reference = Reference::new(grammar);
    for text in texts {
        let mut matcher = matcher.fork();
        matcher.commit_bytes(text.as_bytes()).unwrap_or_else(|e| panic!("{e}: {text:?} of {grammar}"));
        let state = reference.run(text.as_bytes());
        assert_eq!(matcher.is_accepting(), reference.is_accepting(state), "after {text:?} of {grammar}");
        if let Err(e) = words.sorted.compare(&mut matcher, &reference, state) {
            panic!("after {text:?} of {grammar}: {e}");
        }
    }
}

/// The same after those of the texts that can be gone on with.
fn check_viable(grammar: &Grammar, texts: &[&str]) {
    let reference = Reference::new(grammar);
    let viable = texts.iter().copied().filter(|text| reference.viable(text.as_bytes()).known() == Some(true));
    check(grammar, &viable.collect::<Vec<_>>());
}

#[test]
fn what_follows_a_run_may_be_a_wide_character_of_it() {
    let mut matcher = compile(&regex("[^\\n]*é"), &words().vocab).matcher();
    matcher.commit_bytes("é".as_bytes()).unwrap();
    assert!(matcher.is_accepting());
    check(&regex("[^\\n]*é"), &["", "a", "é", "éa", "日", "aé"]);
}

#[test]
fn one_wide_character_of_many() {
    let words = wide_words();
    for (pattern, texts) in [
        ("[0-9]{1,4}.[0-9]{1,4}x", &["", "1", "12", "1.", "1é", "1é2"][..]),
        ("[^a]1|é2", &["", "é", "日"]),
        // Not all of them lead to the same place, or somewhere at all.
        ("[^é]1|é2", &["", "é", "ë", " "]),
        (" ?[^\u{2028}\u{2029}](1|12| a)", &["", " ", "é"]),
        ("[à-ȏ]1", &["", "à"]),
        // More of them may follow, or it may end.
        (".1?.", &["", "é", "é1"]),
        (".1?", &["", "é"]),
        (".é1", &["", "é", "éé"]),
    ] {
        check_in(&words, &regex(pattern), texts);
    }
}

/// Behind a few characters something may follow that follows no others.
#[test]
fn a_few_wide_characters_lead_elsewhere() {
    let words = wide_words();
    for pattern in
        ["([^é1-]|é1)*-", "([^éà1-]|é1|à12)*a-", "[a-z ]*([^é1-]|é1)*-x", "(x([^é1]|é1)*y)?([^é1-]|é1)*-"]
    {
        let grammar = regex(pattern);
        let texts = ["", "a", "é", "à", "日", "aé1", "éé", "x", "xé"];
        let reference = Reference::new(&grammar);
        let viable = |text: &&str| reference.viable(text.as_bytes()).known() == Some(true);
        check_in(&words, &grammar, &texts.into_iter().filter(viable).collect::<Vec<_>>());
    }
}

#[test]
fn what_follows_a_counted_run_may_be_a_wide_character_of_it() {
    check(
        &regex(".{1,20}é"),
        &["", "a", "aé", "aaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa"],
    );
    check(&regex("[^ ]{2,5}é"), &["", "a", "ab", "abc", "abcd", "abcde"]);
    check(&regex("[^ ]{3}é[a-z]*"), &["", "a", "ab", "abc", "é"]);
    check(&regex(".{0,3}日?.{0,2}"), &["", "a", "日", "日日日", "aaa"]);
}

#[test]
fn what_follows_the_last_round_may_be_a_loop_of_the_same_characters() {
    check(&regex("x[a-z]{1,2}a*"), &["", "x", "xa", "xb", "xab", "xaba"]);
    check(&regex("[a-z]{1,2}a*b?"), &["", "a", "ab", "aba"]);
    check(&regex("[a-z]{3,4}[ab]*é*"), &["", "a", "ab", "abc", "abcd"]);
    check(&regex("[^ ]{1,2}é*"), &["", "a", "ab", "é"]);
}

#[test]
fn too_few_characters_may_be_followed_by_a_wide_one_of_the_class() {
    check(&regex("[a-zé]{2,8}"), &["", "a", "é"]);
    check(&regex("[a-zé]{3,}1"), &["", "a", "ab", "abc"]);
    check(&regex(r"\p{L}{2,8}"), &["", "a", "aé"]);
    check(&regex(" ?[^\\s]+"), &["", " ", "a"]);
    check(&regex("[^é]{4,}"), &["", "a", "日"]);
}

#[test]
fn wide_characters_of_a_class_count() {
    check(&regex("[a-zé]{1,2}"), &["", "a", "é"]);
    check(&regex(r"\w{1,3}"), &["", "a", "aé"]);
    check(&regex("[^é]{1,3}"), &["", "a", "日", "aa"]);
    check(&regex("(?:[a-z]|é){1,3}é?"), &["", "a", "é", "aé"]);
}

#[test]
fn a_class_that_lacks_many_characters() {
    // Tokens may have a character that is lacking, or end in the beginning of one, or of one that is not.
    let texts = ["", "a", "é", "日", "aé", " a", "日本"];
    for pattern in [
        r"\p{L}+",
        r"[\p{L} ]+",
        r"[\p{L} ]+日?!",
        r"[^一-鿿]+",
        r"[ a-z一-鿿]+",
        r"[ a-z一-鿿é]+x",
        r"[ a-zÀ-ɏ]+",
        r"(?:[ a-zÀ-ɏ]+|[ \p{Han}]+b)*",
        r"\p{L}[\p{L}\p{N} ]{0,5}",
        r"[ \p{L}]{2,9}é?",
        r"[^a]*[ \p{L}&&[^日]]+[0-9]",
    ] {
        check_viable(&regex(pattern), &texts);
    }
}

#[test]
fn characters_that_stay_where_they_are() {
    // No loops, for what else may follow: a slash may be the last.
    let texts = ["", "a", "ab", ".ab", "x.ab", "x.abA", "x.ab/", "é", "Ab"];
    for pattern in [
        r"(?:[a-z]+\.)?[a-z.]{2,6}(?:[/A-Za-z .-]*)*/?",
        r"[A-Za-z ]*(?: |-[a-z]*)?",
        r"(?:[A-Z][a-z ]*|[a-z]*é)*[0-9]?",
        r"[a-z]{2,3}(?:[a-z -]*|[A-Z]+)-?!",
    ] {
        check_viable(&regex(pattern), &texts);
    }
}

#[test]
fn what_follows_a_run_is_that_of_two_places() {
    // The search for the middle begins anew with every letter, and a hyphen may follow wherever it stands.
    let texts = ["", "a", "b", "ab", "a-", "q-", "a-b", "q-z", "xa-b", "dé"];
    for pattern in [
        r"(?:[a-z]|-z)*(?:a-b|b-c|c-d|x-y)[a-z]*!",
        r"(?:[a-z]|-[w-z])*(?:a-b|b-c|c-d|x-y)[a-z]{0,3}!",
        r"(?:[a-z ]|-z)*(?:a-b|b -c|c-d|x y)[a-z]*!",
    ] {
        check_viable(&regex(pattern), &texts);
    }
}

#[test]
fn ranges_whose_ends_are_in_order() {
    // After each character something else may follow a hyphen; and there may be one at the end.
    let ranges: Vec<String> = ('a'..='z').map(|c| format!("{c}-[{c}-z]")).collect();
    let texts = ["", "[", "[a", "[abc", "[c-", "[c-f", "[c-f-", "[A", "[x-", "[é", "[ab]"];
    for end in ["", "-?"] {
        let grammar = regex(&format!(r"\[(?:[A-Za-z é]|{})*{end}\]", ranges.join("|")));
        check_viable(&grammar, &texts);
    }
}

#[test]
fn a_wide_class_in_a_rule_that_ends_inside_a_token() {
    check(&gbnf(r#"root ::= "(" root ")" "é" | [^()]{2,3}"#), &["", "(", "((a", "((ab", "((ab)"]);
    check(&gbnf(r#"root ::= "(" root "é" [a-z]* | [^é]{1,3}"#), &["", "(", "(a", "(aaa"]);
    check(&gbnf(r#"root ::= "(" root "é" [a-z]* | [^(]{1,3}"#), &["", "(", "(a", "(é", "(aaa"]);
}

#[test]
fn the_first_character_of_a_run_is_of_another_class() {
    check(&regex("[A-Z][a-z]*"), &["", "A"]);
    check(&regex("[a-m][a-z]{1,3}"), &["", "a", "ab", "abc"]);
    check(&regex("[é-ü][a-z]*"), &["", "é"]);
    check(&regex("[a-z][^a]{2,9}"), &["", "a", "ab"]);
    check(&regex("[ a][a-z]*"), &["", " ", "a"]);
    check(&regex("(?: [a-z]+)*"), &["", " ", " a"]);
}

#[test]
fn counts_reach_exactly_as_far_as_they_say() {
    let alphabet = "abcdefghijklmnopqrstuvwxyz";
    for most in [1, 2, 3, 4, 15, 16, 17, 24, 25, 26, 27] {
        let grammar = regex(&format!("[a-z]{{1,{most}}}"));
        check(&grammar, &["", "a", &alphabet[..most.min(26)], &alphabet[..most.min(26) / 2]]);
        check(
            &regex(&format!("[a-z]{{{most}}}-")),
            &["", "a", &alphabet[..most - 1], &alphabet[..most.min(26) / 2]],
        );
    }
}

#[test]
fn what_follows_a_run_looks_like_more_of_it() {
    for pattern in [
        "[a-z]*b",
        "[a-z]{2,4}b[a-z]",
        "[a-z]+(?: [a-z]{3})?",
        "[a-z ]{2,5}[ -]",
        "[a-z]{3,}abc",
        "[a-z]{2}[a-f]{2}",
    ] {
        check(&regex(pattern), &["", "a", "ab", "aab"]);
    }
}

/// What goes on in many places alike: a search begins anew with every character, up to something that no such character is.
#[test]
fn texts_that_contain_something() {
    let texts = ["", "c", "ca", "cat", "catt", "xyca", "xycat", "cacat", "dog", "cdo", "é", "nénca"];
    for pattern in [
        "[a-z]*(cat|dog)[a-z]*-[a-z]*",
        "[^ -]*(cat|dog)[^ -]* [a-z]*",
        "[^-]*ca.?t[^-]*-x",
        "(.*cat.*-)+[a-z]+",
        "[^-]*(cat|né)[^-]*(-[^-]*)?",
        "[a-z]*cat[a-zé]*(-| x)",
        "(cat|[a-z])*-(c|a|t)*",
        "[a-zé日]*cat[a-zé日]*-",
        "[^-]*(cat[^é日-]|dog)[^-]*-[a-z]*",
        "(cat[^é-]|c[^日-]|[a-z])[^-]*-",
    ] {
        let grammar = regex(pattern);
        check_viable(&grammar, &texts);
    }
    let grammar = gbnf(
        "root ::= any word any \"-\" rest\nany ::= [^-]*\nword ::= \"cat\" | \"d\" any \"g\"\nrest ::= [a-z]*",
    );
    check(&grammar, &["", "c", "cat", "catd", "xd", "xdogca", "né"]);
}

/// Texts of one pattern that none of others matches, then something else; or all of that in another way.
fn but(whole: &str, without: &[&str], tail: &str, or: &str) -> Grammar {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None).expect("one rule");
    let mut re = |pattern: &str| {
        regex_expr(pattern, &RegexOptions::default(), &mut g.arena, &Limits::default())
            .expect("a good pattern")
    };
    let (whole, tail, or) = (re(whole), re(tail), re(or));
    let without: Vec<_> = without.iter().map(|pattern| re(pattern)).collect();
    let mut parts: Vec<_> = without.into_iter().map(|expr| g.arena.not(expr)).collect();
    parts.push(whole);
    let but = g.arena.and(&parts);
    let but = g.arena.concat(&[but, tail]);
    let body = g.arena.alt(&[but, or]);
    g.define(root, body);
    g.build(root).expect("well formed")
}

/// Nothing is known of what goes on, so all tokens are looked at.
#[test]
fn many_tokens_in_few_places() {
    let texts = ["", "c", "xy", "xyc", "x a", "é", "éx", "xxxxx", "xxxxa", "zzzzzz", "日本x", "xx\\", "\\x"];
    for (whole, without, tail, or) in [
        ("[^-]{6}", &["[^-a-f]*"][..], "-", "é"),
        ("[^-]{4,7}", &["[^-a-f]*", "[^-m-z]*"], "-+", "zz"),
        ("[^-]{6}", &["[^-é]*"], "-", "éé-"),
        ("(?:[a-y ]|\\\\[xz]|z[a-z]){5}", &["[^-a-f]*"], "(-| -)", "[a-c]{1,5}-"),
        ("[a-z]{2} ?[a-z]{1,3}(é|[xyz ])[^-]", &["[^-]*[g-k][^-]*"], "-", "zz"),
    ] {
        check_viable(&but(whole, without, tail, or), &texts);
    }
}

/// A text that must contain something, and be long enough: one place can do what all can.
#[test]
fn long_texts_that_contain_something() {
    let texts =
        ["", "a", "ab", "abab", "abcdeff", "zabcdeffz", "é", "abé", "x x x x x", "abcdeffxxxxxxxxxxxx"];
    for (whole, without, tail, or) in [
        ("[^-]*ab[a-f]{5}[^-]*", &["[^-]{0,9}"][..], "-", "zz"),
        ("[^-]*ab[a-f]{5}[^-]*", &["[^-]{0,9}", "[^-]{0,20}"], "-", "zz"),
        ("[^-]*ab[a-f]{5}[^-]*", &["[^-]{3}", "[^-]{8,9}"], "-", "zz"),
        ("[^-]*ab[a-f]{5}[^-]*", &["[^-]{0,9}", "[^-]*abab[^-]*"], "-", "zz"),
        ("[^-]*ab[a-f]{5}[^-]*|[^-]{3,}", &["[^-]{0,9}", "[^-]{12,30}"], "(-| -)", "é"),
        ("[^-]{5,}", &["[^-]{0,9}", "(?:[a-m]|é){12,}[^-]*"], "-", "x"),
    ] {
        check_viable(&but(whole, without, tail, or), &texts);
    }
}

/// Whatever was written can be completed, but may not end where something else matches it.
#[test]
fn texts_that_others_do_not_match() {
    let texts = ["", "c", "ca", "cat", "cats", "xc", "doc", "dog", "é", "né", "né日", "ab", "abc", "C", " x"];
    for (whole, without, tail, or) in [
        ("[^-]*", &["cat[a-z]*s", "(do)+g?"][..], "-[a-z]+", "cat[a-z]*s-x"),
        ("[^-]*", &["[a-z]*cat"], "-", "[a-z]*cat-[A-Z]*"),
        ("[^-]*", &["[a-z]{1,100}"], "-x?", "[a-z]{1,100}-y"),
        ("[^-]*", &["[a-zé]*", "cat|dog"], "(- | -)", "zz"),
        ("[^- c][^-]*", &["abc|do", "né.*t"], "-", "c[a-z]*-"),
        ("[a-zé日]+", &["(ab)*", "cat|do(g|c)"], "-[a-z]*", "é-"),
        ("[a-z]{1,200}", &["cat|dog|ab"], "-", "[a-c]*- "),
        // What is left out does not end in a letter, but neither does the whole.
        ("[a-z]*[0-9]", &["cat[0-9]", "dog[0-5]"], "-", "é"),
        ("[a-z]*( [a-z]+)?", &["cat [a-z]*s"], "-", "cat-"),
        // A text of these may end in any way, so that some texts cannot be completed.
        ("[^-]*", &["cat[^-]*"], "-", "cat-"),
        ("[a-z]*", &["[a-z]*"], "-", "cat"),
        ("[^-]*", &["ca[^-]*[^-]"], "-[a-z]+", "cas"),
    ] {
        let grammar = but(whole, without, tail, or);
        check_viable(&grammar, &texts);
    }
}

/// Nearly everything goes on nearly everywhere, but for what it takes many characters to reach.
#[test]
fn what_fails_is_far_away() {
    let texts = ["", "a", "abcde", "abcdef", "xabcde", "xyz", "é", "éabcdé", " abc", "né日ab", "abcdez"];
    for (whole, without, tail, or) in [
        ("[^-]*", &["[^-]*[a-f]{6}[^-]*"][..], "-[a-z]*", "zz"),
        ("[^-]*", &["[^-]*[a-f]{4}[^-]*", "[^-]*xyzx[^-]*"], "- x?", "a*"),
        ("[a-zé日 ]*", &["[a-zé日 ]*abcdeé[a-zé日 ]*"], "-", "[a-c]{1,5}-"),
        ("[^-]{0,14}", &["[^-]*abc[a-z]{3}[^-]*"], "-", "é"),
        ("[^-]*x[^-]*", &["[^-]*[a-e]{5}é?[^-]*"], "(-| -)", "x"),
        // A text may begin with a character that does not come again.
        (" ?[^ -]*", &[" ?[^ -]*[a-f]{6}[^ -]*"], "-", "zz"),
        (" ?[^ -]*", &["[^-]*[a-f]{6}[^-]*", "[^-]*zzzzz[^-]*"], "-", " x"),
    ] {
        check_viable(&but(whole, without, tail, or), &texts);
    }
}

/// So many characters and no more, among which there must be some.
#[test]
fn lengths_of_texts_that_contain_something() {
    let texts = ["", "a", "abc", "abcdefgh", "xyz1", "1", "zzzzzzzzzzz", "zzzzzzzzzz1", "é", "xé"];
    for pattern in [
        "(?=[a-z0-9]*[0-9])[a-z0-9]{12}-",
        "(?=[^-]*[0-9])[^-]{12}-[a-z]*",
        "(?=[^-]*[a-f])[^-]{3}-",
        "(?=[^-]*[a-f])(?=[^-]*[0-9])[^-]{8,12}( -|-)",
        "(?=[^-]*cat)[^-]{5,11}-",
        "([a-z]+ +){0,3}[a-z]+-",
    ] {
        check_viable(&regex(pattern), &texts);
    }
}

/// So many characters and no more, in several ways at once.
#[test]
fn places_one_behind_the_other() {
    let texts = ["", "a", "ab", "abc", "abcd", "ab-", "ab-c", "abcde-ab", "A", "Ab", "é", "aé"];
    for pattern in [
        "[a-z]{2,3}(-[a-z]{3})?|[a-z]{4}|[a-z]{5,8}(-[a-z]+)?",
        "[a-zA-Z][a-z][a-z]?(-[a-z]{2,3}| [a-z]{1,2}[A-Z])*",
        "([a-z]{3}|[a-z]{1,2}) ?[a-z]{3}",
        "[a-zé]{2}|[a-z]{3,4}( [a-zé]{1,2}|[a-z]{3}-)",
        "([a-z]{2}|[a-z]{3}[ -])[a-z]{1,20}-?",
    ] {
        let grammar = regex(pattern);
        check_viable(&grammar, &texts);
    }
}

/// What is left of a pattern is a loop, and a bound says how often.
#[test]
fn a_loop_up_to_a_length() {
    for (pattern, length) in [
        ("^[a-c]*:[a-z]+$", 6),
        ("^[a-c]+(x|:[a-z]*)$", 5),
        ("^[a-c]+x.*$", 7),
        ("^[a-c]+x[a-z]*$", 6),
        ("^[a-c]+x.*$", 30),
        ("^a*x\\\\S*$", 9),
    ] {
        let source = format!(r#"{{"type": "string", "pattern": "{pattern}", "maxLength": {length}}}"#);
        let grammar = json_schema(&source, &JsonOptions::default(), &Limits::default())
            .unwrap_or_else(|e| panic!("{e}\n{source}"));
        let texts = [
            "\"",
            "\"ax",
            "\"axab",
            "\"axé",
            "\"axabcd",
            "\"ax\\n",
            "\"a:",
            "\"ab:c",
            "\"abc",
            "\"aaxabc",
            "\"axa b",
            "\"axabcde",
        ];
        check_viable(&grammar, &texts);
    }
}

/// A bound beside other texts that are left out.
#[test]
fn a_bound_and_a_word() {
    for words in [&[][..], &["cat"], &["cat", "ab"]] {
        let mut g = GrammarBuilder::new(&Limits::default());
        let root = g.declare("root", None).expect("one rule");
        let mut re = |pattern: &str| {
            regex_expr(pattern, &RegexOptions::default(), &mut g.arena, &Limits::default())
                .expect("a good pattern")
        };
        let (whole, any, tail) = (re("(?s)[^-]*"), re("(?s).{5}"), re("-[a-z]*"));
        let anything = g.arena.anything();
        let mut without = vec![g.arena.concat(&[any, anything])];
        without.extend(words.iter().map(|word| g.arena.literal(word.as_bytes())));
        let without = g.arena.alt(&without);
        let not = g.arena.not(without);
        let but = g.arena.and(&[whole, not]);
        let body = g.arena.concat(&[but, tail]);
        g.define(root, body);
        check(&g.build(root).expect("well formed"), &["", "c", "ca", "cat", "a", "ab", "abc", "abcd", "é"]);
    }
}
