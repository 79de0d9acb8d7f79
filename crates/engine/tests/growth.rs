//! Long texts: what is taken over into new caches, what is played again, and arrays of very many items that differ.

use tokenstile_engine::{Compiler, Constraint, Grammar, Limits, Matcher};
use tokenstile_grammar::JsonWhitespace::Compact;
use tokenstile_harness::tracked::Json;
use tokenstile_harness::{byte_vocab, gbnf, mask_of, regex, tokens_in};
use tokenstile_json_schema::json_schema;
use tokenstile_testkit::{Rng, bit};

fn schema(text: &str) -> Grammar {
    json_schema(text, &Default::default(), &Limits::default()).unwrap()
}

fn constraint(grammar: &Grammar, limits: Limits) -> Constraint {
    let words =
        ["\":", "\",\"", "\"}", "]}", "[[", "{\"", "ab", "abc", "é", "日本", "12", "0,", "\": ", "-0"];
    Compiler::new(byte_vocab(&words)).with_limits(limits).compile(grammar).unwrap()
}

/// Grammars whose places are made of all that there is: rules, counts, members, machines, formulas and lookbehinds.
fn grammars() -> Vec<Grammar> {
    vec![
        gbnf(r#"root ::= root "+" root | "(" root ")" | [a-z]{1,5} | "\"" [^"]{2,} "\"""#),
        regex("(?=.*[0-9])(?=.*[a-c]{2})(?!.*ab)[a-d0-9]{3,40}"),
        regex(r"(?:\b[ab]{1,9}\b ?){2,30}"),
        regex("(?:[a-c]{3,900}|[0-9]{2,700}x){2,}"),
        schema("{}"),
        schema(
            r#"{"type":"object","properties":{"ab":{"type":"number","multipleOf":0.25,"minimum":-3},
            "abc":{"type":"array","items":{"enum":["a","é",12,null]},"minItems":2,"maxItems":200}},
            "required":["abc"],"minProperties":2,"additionalProperties":{"type":"string","maxLength":300}}"#,
        ),
        schema(
            r#"{"type":"array","uniqueItems":true,"items":{"anyOf":[{"type":"integer"},
            {"type":"object","properties":{"a":{"type":"string","format":"hostname"}}}]}}"#,
        ),
        schema(r#"{"type":"array","items":{"type":"string","format":"idn-hostname","pattern":"^[^-]"}}"#),
    ]
}

/// A random walk with forks and with steps undone, few and many; every mask it meets.
fn walk(matcher: &mut Matcher, seed: u64, steps: usize) -> Vec<Vec<u32>> {
    let mut rng = Rng::new(seed);
    let (mut masks, mut forks) = (Vec::new(), vec![matcher.fork()]);
    for _ in 0..steps {
        let words = mask_of(matcher);
        let choices = tokens_in(&words);
        masks.push(words);
        match (!choices.is_empty()).then(|| *rng.pick(&choices)) {
            Some(token) => matcher.commit(token).unwrap(),
            None => matcher.rollback(matcher.steps().min(3)).unwrap(),
        }
        if rng.chance(1, 20) {
            let most = if rng.chance(1, 4) { matcher.steps() } else { matcher.steps().min(5) };
            matcher.rollback(rng.below(most + 1)).unwrap();
        }
        if rng.chance(1, 12) {
            forks.push(matcher.fork());
            let other = rng.below(forks.len());
            std::mem::swap(matcher, &mut forks[other]);
        }
    }
    masks
}

#[test]
fn places_are_the_same_in_new_caches() {
    for (number, grammar) in grammars().iter().enumerate() {
        let large = constraint(grammar, Limits::default());
        for cache_bytes in [1, 20_000] {
            let small = constraint(grammar, Limits::default().with_cache_bytes(cache_bytes));
            for seed in 0..6 {
                let masks = walk(&mut small.matcher(), seed, 150);
                assert_eq!(masks, walk(&mut large.matcher(), seed, 150), "grammar {number}, seed {seed}");
            }
            assert!(small.stats().renewals > 0 || cache_bytes > 1, "grammar {number}: {:?}", small.stats());
        }
        assert_eq!(large.stats().renewals, 0);
    }
}

/// Undoes all of a text in steps of many sizes, and goes on from there, against a matcher that begins anew each time.
#[test]
fn long_texts_are_undone_as_far_as_one_likes() {
    let grammar = schema(r#"{"type":"array","items":{"type":["integer","string"]},"maxItems":100000}"#);
    let text: Vec<u8> = format!("[{}1]", "12,\"ab\",".repeat(400)).into_bytes();
    for cache_bytes in [20_000, 1 << 26] {
        let one = constraint(&grammar, Limits::default().with_cache_bytes(cache_bytes));
        let mut matcher = one.matcher();
        for &byte in &text {
            matcher.commit(byte.into()).unwrap();
            mask_of(&mut matcher);
        }
        assert!(matcher.is_accepting());
        let mut rng = Rng::new(5);
        while matcher.steps() > 0 {
            let most = [1, 4, 40, 400, 2_000][rng.below(5)];
            matcher.rollback(rng.below(most.min(matcher.steps())) + 1).unwrap();
            let mut fresh = one.fresh().matcher();
            fresh.commit_bytes(&text[..matcher.steps()]).unwrap();
            assert_eq!(mask_of(&mut matcher), mask_of(&mut fresh), "after {}", matcher.steps());
            for &byte in text[matcher.steps()..].iter().take(rng.below(most.min(70))) {
                matcher.commit(byte.into()).unwrap();
            }
        }
    }
}

/// The mask that a matcher keeps is that of where it stands, whatever is done and undone in between.
#[test]
fn the_mask_that_is_kept_is_the_one_asked_for() {
    let grammar = schema(r#"{"type":"array","items":{"enum":[12,"ab",null,0.25]}}"#);
    let mut matcher = constraint(&grammar, Limits::default()).matcher();
    let mut rng = Rng::new(3);
    for _ in 0..3_000 {
        if rng.chance(1, 2) {
            let words = matcher.mask().unwrap().to_vec();
            assert_eq!(words, mask_of(&mut matcher.fork()));
        }
        let choices = tokens_in(&mask_of(&mut matcher.fork()));
        if choices.is_empty() || rng.chance(1, 3) {
            matcher.rollback(rng.below(matcher.steps().min(40) + 1)).unwrap();
        } else {
            matcher.commit(*rng.pick(&choices)).unwrap();
        }
    }
}

/// An array of different items that match a pattern.
fn items(pattern: &str) -> Grammar {
    let mut json = Json::new(Compact);
    let item = json.regex(pattern);
    let root = json.array(item, true, (0, None));
    json.finish(root)
}

/// All items that there can be, of which some are written: what a mask is by definition.
struct Items {
    all: Vec<String>,
    written: Vec<bool>,
}

impl Items {
    /// Whether a text is an array of these items after those that are written, or the beginning of one.
    fn viable(&self, text: &str) -> bool {
        let mut used = self.written.clone();
        let mut rest = text;
        while let Some((item, more)) = rest.split_once([',', ']']) {
            let closed = rest.as_bytes()[item.len()] == b']';
            let found = self.all.iter().position(|known| known == item);
            let Some(found) = found.filter(|&found| !used[found]) else { return false };
            (used[found], rest) = (true, more);
            if closed {
                return rest.is_empty();
            }
        }
        self.all.iter().zip(&used).any(|(item, used)| !used && item.starts_with(rest))
    }
}

#[test]
fn of_many_items_the_last_few_are_known() {
    let numbers: Vec<String> = (0..1_000).map(|n| n.to_string()).collect();
    let words: Vec<String> =
        (0..400).map(|n| format!("\"{}x{:02}\"", ["a", "b", "c", "d"][n / 100], n % 100)).collect();
    let fractions: Vec<String> = (0..600).map(|n| format!("{}.{:02}", n / 100, n % 100)).collect();
    let mut tokens: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    tokens.extend((0..1_000).step_by(7).map(|n| format!("{n:03}")));
    tokens.extend(
        ["1,", "12]", "12,1", ",1", ",\"a", "x1", "9\"", "\"a", "ax", "bx0", ".5", ".25", "00,", "a\""]
            .map(String::from),
    );
    let vocab = byte_vocab(&tokens.iter().map(String::as_str).collect::<Vec<_>>());
    let compiler = Compiler::new(vocab.clone());
    let mut rng = Rng::new(11);
    for (pattern, all) in
        [("(?:0|[1-9][0-9]{0,2})", numbers), ("\"[a-d]x[0-9]{2}\"", words), ("[0-5]\\.[0-9]{2}", fractions)]
    {
        let constraint = compiler.compile(items(pattern)).unwrap();
        let mut matcher = constraint.matcher();
        matcher.commit_bytes(b"[").unwrap();
        let mut known = Items { written: vec![false; all.len()], all };
        let mut left: Vec<usize> = (0..known.all.len()).collect();
        while left.len() > 1 {
            // Families of items come to their end sooner than all of them.
            let family = rng.below(left.len());
            let at = if rng.chance(1, 3) { rng.below(left.len()) } else { family.min(left.len() / 3) };
            let item = left.swap_remove(at);
            let text = known.all[item].clone();
            let compared = left.len().is_multiple_of(23) || left.len() < 12;
            let cut = if compared { rng.below(text.len()) } else { 0 };
            matcher
                .commit_bytes(&text.as_bytes()[..cut])
                .unwrap_or_else(|e| panic!("{pattern}: {text}: {e}"));
            if compared {
                let mask = mask_of(&mut matcher);
                for (token, bytes) in vocab.text_tokens() {
                    let expected = std::str::from_utf8(bytes)
                        .is_ok_and(|bytes| known.viable(&format!("{}{bytes}", &text[..cut])));
                    let place =
                        format!("{pattern}, {} left, {}: {}", left.len(), &text[..cut], bytes.escape_ascii());
                    assert_eq!(bit(&mask, token), expected, "{place}");
                }
            }
            matcher.commit_bytes(&text.as_bytes()[cut..]).unwrap();
            known.written[item] = true;
            matcher.commit_bytes(b",").unwrap();
        }
        let last = known.all[left[0]].clone();
        matcher.commit_bytes(last.as_bytes()).unwrap();
        assert!(matcher.commit_bytes(b",").is_err(), "{pattern}: nothing is left");
        matcher.commit_bytes(b"]").unwrap();
        assert!(matcher.is_accepting());
    }
}
