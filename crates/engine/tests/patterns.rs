//! Bare patterns whose characters lead about among many places, over a made-up vocabulary with tables of runs: masks along
//! texts that are made of allowed tokens, against the reference.

use std::sync::OnceLock;

use tokenstile_engine::{Compiler, ErrorKind, Grammar, Limits};
use tokenstile_grammar::RegexOptions;
use tokenstile_harness::{Words, compile, tokens_in};
use tokenstile_testkit::{Reference, Rng};

/// Words with what is often between them; characters of several scripts, some of them cut off; and some long tokens.
fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut tokens: Vec<Vec<u8>> = Vec::new();
        let mut add = |text: String| tokens.push(text.into_bytes());
        let letters = || 'a'..='z';
        for (a, b) in letters().flat_map(|a| letters().map(move |b| (a, b))) {
            let upper = a.to_ascii_uppercase();
            for text in
                [format!("{a}{b}"), format!(" {a}{b}"), format!("{upper}{b}{a}"), format!("{a}{b}{a}{b}")]
            {
                add(text);
            }
            if a < 'i' && b < 'k' {
                let between =
                    ["-", "/", ":", ".", " ", ", ", "@", "=", "\n", "_", "1", "12", "é", "\u{2028}", "日"];
                for sign in between {
                    add(format!("{a}{b}{sign}{b}"));
                    add(format!(" {a}{sign}{b}{a}{b}{a}"));
                }
            }
        }
        for (a, b) in ('а'..='я').flat_map(|a| ['а', 'е', 'я', 'n', '7'].map(move |b| (a, b))) {
            add(format!("{a}{b}"));
            add(format!(" {a}{b}{a}"));
        }
        for text in
            ["foo", " foo", "foobar", "xfoo", "bar", "oba", " bar foo", "Foo1", "//", "::", "...", "--"]
        {
            add(text.to_string());
        }
        for number in 0..400 {
            add(format!("{number:02}"));
        }
        for long in [
            "abcdefghijklmnopqrstuvwxyz",
            "----------------------",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            add(long.to_string());
            add(format!(" {long}.{long}"));
        }
        tokens.extend([&b"a\xD0"[..], b"\xB0b", b" \xE6\x97", b"x\xE3"].map(<[u8]>::to_vec));
        tokens.sort();
        tokens.dedup();
        tokens.retain(|token| token.len() > 1);
        Words::new(&tokens)
    })
}

/// Compares masks with the reference's: at the start, and after each of so many tokens that are allowed. Texts that cannot
/// be completed are none of the engine's.
fn check(pattern: &str, steps: usize, rng: &mut Rng) -> bool {
    let words = words();
    let grammar = Grammar::regex(pattern, &RegexOptions::default(), &Limits::default())
        .unwrap_or_else(|e| panic!("{pattern}: {e}"));
    let constraint = match Compiler::new(words.vocab.clone()).compile(&grammar) {
        Ok(constraint) => constraint,
        Err(error) => {
            let kinds = [ErrorKind::Unsatisfiable, ErrorKind::Limit { name: "states" }];
            assert!(kinds.contains(&error.kind()), "{pattern}: {error}");
            return false;
        }
    };
    let reference = Reference::new(&grammar);
    let (mut matcher, mut state, mut text) = (constraint.matcher(), reference.start(), Vec::new());
    for _ in 0..=steps {
        let shown = || text_of(&text);
        let mask = words.sorted.compare(&mut matcher, &reference, state);
        let mask = mask.unwrap_or_else(|e| panic!("{pattern} after {:?}: {e}", shown()));
        let ends = words.vocab.end_tokens();
        let allowed: Vec<u32> = tokens_in(&mask).into_iter().filter(|token| !ends.contains(token)).collect();
        let longer: Vec<u32> = allowed.iter().copied().filter(|token| *token > 255).collect();
        let choice = if longer.is_empty() || rng.chance(1, 4) { &allowed } else { &longer };
        if choice.is_empty() {
            break;
        }
        let token = *rng.pick(choice);
        let bytes = words.vocab.bytes(token).expect("it is a text").to_vec();
        matcher.commit(token).unwrap_or_else(|e| panic!("{pattern} after {:?}: {e}", shown()));
        state = reference.run_from(state, &bytes);
        text.extend(bytes);
    }
    true
}

fn text_of(text: &[u8]) -> String {
    text.escape_ascii().to_string()
}

const CLASSES: [&str; 18] = [
    ".",
    r"\w",
    r"\S",
    r"\s",
    "[^x]",
    r"[^\n]",
    "[^/:]",
    "[a-z]",
    "[A-Za-z0-9_-]",
    "[a-y]",
    r"\d",
    "[а-яё]",
    r"\p{L}",
    r"[^\s,]",
    "[ab]",
    r"[\w.-]",
    "[^aeiou]",
    "(?s:.)",
];
const COUNTS: [&str; 12] =
    ["", "+", "*", "?", "{2}", "{3,5}", "{1,8}", "{4}", "{12}", "{2,}", "{1,40}", "{0,3}"];
const SIGNS: [&str; 14] = ["-", "/", ":", r"\.", " ", ", ", "@", "=", "foo", r"\n", "", r"\s*", "é", "."];
const WORDS: [&str; 6] = ["foo", "bar", "ab", "a", "日", "xyz"];

/// A pattern of classes, counts and signs, nested as deep as that.
fn pattern(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 {
        return format!("{}{}", rng.pick(&CLASSES), rng.pick(&COUNTS));
    }
    let (one, other) = (pattern(rng, depth - 1), pattern(rng, depth - 1));
    match rng.below(5) {
        0 => format!("(?:{one}|{other})"),
        1 => format!("(?:{one}{}){}", rng.pick(&SIGNS), rng.pick(&COUNTS)),
        _ => format!("{one}{}{other}", rng.pick(&SIGNS)),
    }
}

/// A condition on what follows.
fn condition(rng: &mut Rng) -> String {
    let (one, other) = (rng.pick(&WORDS), rng.pick(&WORDS));
    match rng.below(5) {
        0 => format!("(?=.*{one})"),
        1 => format!("(?!.*{one})"),
        2 => format!("(?!.*(?:{one}|{other}))"),
        3 => format!("(?=.*{})", rng.pick(&CLASSES)),
        _ => format!("(?={one}|.*{other}.*{one})"),
    }
}

#[test]
fn random_patterns() {
    let mut compiled = 0;
    for seed in 0..160 {
        let mut rng = Rng::new(seed);
        let depth = rng.between(1, 3);
        compiled += usize::from(check(&pattern(&mut rng, depth), 4, &mut rng));
    }
    assert!(compiled > 120);
}

#[test]
fn random_patterns_under_conditions() {
    let mut compiled = 0;
    for seed in 1_000..1_060 {
        let mut rng = Rng::new(seed);
        let conditions: String = (0..rng.between(1, 4)).map(|_| condition(&mut rng)).collect();
        let rest = if rng.chance(1, 2) { ".*".to_string() } else { pattern(&mut rng, 1) };
        compiled += usize::from(check(&format!("{conditions}{rest}"), 3, &mut rng));
    }
    assert!(compiled > 20);
}

/// The neighbours of what is slow when it is walked: other separators, classes and counts.
#[test]
fn neighbours() {
    let list = include_str!("data/patterns.txt");
    for (seed, line) in (0..).zip(list.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))) {
        check(line, 1, &mut Rng::new(seed));
    }
}

#[test]
fn counts_that_add_up() {
    for (pattern, same) in [
        ("(?:[ab]{2}){3}", "[ab]{6}"),
        ("(?:[ab]{1,3}){2,4}", "[ab]{2,12}"),
        ("(?:[ab]+)*", "[ab]*"),
        ("[ab][ab][ab]*[ab]?", "[ab]{2,}"),
        ("(?:(?:[ab]{0,2})?)+", "[ab]*"),
    ] {
        let texts: Vec<String> = (0..15).map(|len| "ab".repeat(8)[..len].to_string()).collect();
        let accepts = |pattern: &str| {
            let matcher = compile(&tokenstile_harness::regex(pattern), &words().vocab).matcher();
            let takes = |text: &String| {
                let mut matcher = matcher.fork();
                matcher.commit_bytes(text.as_bytes()).is_ok() && matcher.is_accepting()
            };
            texts.iter().map(takes).collect::<Vec<bool>>()
        };
        assert_eq!(accepts(pattern), accepts(same), "{pattern}");
    }
    let pairs = compile(&tokenstile_harness::regex("(?:[ab]{2})*"), &words().vocab);
    let mut matcher = pairs.matcher();
    matcher.commit_bytes(b"aba").unwrap();
    assert!(!matcher.is_accepting());
}
