//! One constraint, many sequences: on several threads, and with caches that are renewed again and again.

use tokenstile_engine::{Compiler, Constraint, Grammar, Limits, Matcher, Vocab};
use tokenstile_harness::{Sorted, byte_vocab, gbnf, mask_of, tokens_in};
use tokenstile_json_schema::json_schema;
use tokenstile_testkit::{Reference, Rng};

const MATCHERS: u64 = 64;

fn vocab() -> Vocab {
    let mut tokens =
        vec!["\":", "\", \"", "\"}", "}}", "]}", "[[", "{\"", "true", "null", "é", "日本", "  ", "\": "];
    tokens.extend(["the", "ing", " of", "10", "0.", "e+", "\\u", "\\n", "ab", "abc", "a b"]);
    byte_vocab(&tokens)
}

fn json() -> Grammar {
    Grammar::json(&Limits::default()).unwrap()
}

fn constraint(grammar: &Grammar, limits: Limits) -> Constraint {
    Compiler::new(vocab()).with_limits(limits).compile(grammar).unwrap()
}

/// A random walk with forks and rollbacks; every mask it meets.
fn walk(matcher: &mut Matcher, seed: u64, steps: usize) -> Vec<Vec<u32>> {
    let mut rng = Rng::new(seed);
    let mut masks = Vec::new();
    for _ in 0..steps {
        let words = mask_of(matcher);
        let choices = tokens_in(&words);
        masks.push(words);
        let Some(token) = (!choices.is_empty()).then(|| *rng.pick(&choices)) else {
            matcher.rollback(matcher.steps().min(3)).unwrap();
            continue;
        };
        matcher.commit(token).unwrap();
        if rng.chance(1, 10) {
            matcher.rollback(rng.below(matcher.steps())).unwrap();
        }
        if rng.chance(1, 10) {
            *matcher = matcher.fork();
        }
    }
    masks
}

fn is_shared<T: Send + Sync>() {}
fn is_sent<T: Send>() {}

#[test]
fn constraints_and_matchers_cross_threads() {
    is_shared::<Constraint>();
    is_shared::<Compiler>();
    is_shared::<Vocab>();
    is_shared::<Grammar>();
    is_sent::<Matcher>();
}

/// What each matcher saw, with the matchers spread over four threads.
fn on_four_threads(shared: &Constraint, steps: usize) -> Vec<Vec<Vec<u32>>> {
    std::thread::scope(|scope| {
        let spawn = |thread: u64| {
            scope.spawn(move || {
                let seeds = (0..MATCHERS).filter(|s| s % 4 == thread);
                seeds.map(|seed| (seed, walk(&mut shared.matcher(), seed, steps))).collect::<Vec<_>>()
            })
        };
        let handles: Vec<_> = (0..4).map(spawn).collect();
        let mut all: Vec<_> = handles.into_iter().flat_map(|h| h.join().expect("no panic")).collect();
        all.sort_by_key(|run| run.0);
        all.into_iter().map(|run| run.1).collect()
    })
}

fn alone(grammar: &Grammar, steps: usize) -> Vec<Vec<Vec<u32>>> {
    let single = constraint(grammar, Limits::default());
    (0..MATCHERS).map(|seed| walk(&mut single.matcher(), seed, steps)).collect()
}

fn grammars() -> Vec<Grammar> {
    let recursive = gbnf(r#"root ::= root "+" root | "(" root ")" | [a-z]{1,5} | "\"" [^"]{2,} "\"""#);
    vec![json(), recursive, tokenstile_harness::regex("(?:[a-c]{1,9}|[^a-z]{2,7}x)*")]
}

#[test]
fn four_threads_see_what_one_does() {
    for grammar in grammars() {
        let shared = constraint(&grammar, Limits::default());
        assert_eq!(on_four_threads(&shared, 40), alone(&grammar, 40));
        assert_eq!(shared.stats().renewals, 0);
    }
}

#[test]
fn four_threads_that_renew_the_caches_see_what_one_does() {
    for grammar in grammars() {
        let limits = Limits::default().with_cache_bytes(20_000);
        let shared = constraint(&grammar, limits);
        assert_eq!(on_four_threads(&shared, 40), alone(&grammar, 40));
        assert!(shared.stats().renewals > 0, "{:?}", shared.stats());
    }
}

#[test]
fn small_caches_are_renewed_and_stay_small() {
    let small = constraint(&json(), Limits::default().with_cache_bytes(15_000));
    let large = constraint(&json(), Limits::default());
    let (mut a, mut b) = (small.matcher(), large.matcher());
    let mut most = 0;
    for seed in 0..30 {
        assert_eq!(walk(&mut a, seed, 60), walk(&mut b, seed, 60));
        most = most.max(small.stats().cache_bytes);
    }
    let stats = small.stats();
    assert!(stats.renewals > 0, "{stats:?}");
    assert!(most < 10 * 15_000, "{most} bytes of cache");
    assert_eq!(large.stats().renewals, 0);
}

#[test]
fn steps_are_undone_across_a_renewal() {
    let grammar = json();
    let small = constraint(&grammar, Limits::default().with_cache_bytes(30_000));
    let (sorted, reference) = (Sorted::new(&vocab()), Reference::new(&grammar));
    let text =
        br#"{"key": [1, 2.5e3, "a\u00e9\n", {"x": null}, [[["deep"]]], true, false, "the end"], "b": {}}"#;
    let mut matcher = small.matcher();
    for &byte in text {
        matcher.commit(byte.into()).unwrap();
        mask_of(&mut matcher);
    }
    assert!(matcher.is_accepting());
    assert!(small.stats().renewals > 0, "{:?}", small.stats());
    matcher.commit(vocab().end_tokens()[0]).unwrap();
    matcher.rollback(1).unwrap();
    for done in (0..text.len()).rev() {
        matcher.rollback(1).unwrap();
        assert_eq!((matcher.steps(), matcher.text_len()), (done, done));
        let state = reference.run(&text[..done]);
        sorted.compare(&mut matcher, &reference, state).unwrap_or_else(|e| panic!("after {done} bytes: {e}"));
    }
}

/// A sequence that alone needs more than the caches may hold: asking again must not start anew each time.
#[test]
fn a_sequence_too_large_for_the_caches_does_not_renew_them_at_every_call() {
    let grammar = tokenstile_harness::regex("[ab]*a[ab]{10}");
    let small = constraint(&grammar, Limits::default().with_cache_bytes(50_000));
    let mut matcher = small.matcher();
    let mut rng = Rng::new(3);
    for _ in 0..600 {
        matcher.commit(if rng.chance(1, 2) { b'a' } else { b'b' }.into()).unwrap();
    }
    let before = small.stats().renewals;
    for _ in 0..50 {
        mask_of(&mut matcher);
    }
    let renewals = small.stats().renewals - before;
    assert!(renewals <= 5, "{renewals} renewals for 50 masks of one place");
}

#[test]
fn forks_live_in_different_fillings_of_the_caches() {
    let small = constraint(&json(), Limits::default().with_cache_bytes(20_000));
    let mut matcher = small.matcher();
    matcher.commit_bytes(b"{\"a\": [\"b").unwrap();
    let mut forks: Vec<Matcher> = (0..8).map(|_| matcher.fork()).collect();
    let expected = mask_of(&mut matcher);
    for seed in 0..20 {
        walk(&mut small.matcher(), seed, 30);
        let fork = &mut forks[seed as usize % 8];
        assert_eq!(mask_of(fork), expected);
        fork.commit_bytes(b"x").unwrap();
        fork.rollback(1).unwrap();
        assert!(!fork.is_accepting());
    }
    assert!(small.stats().renewals > 0, "{:?}", small.stats());
    forks[0].commit_bytes(b"\"]}").unwrap();
    assert!(forks[0].is_accepting());
}

#[test]
fn a_fresh_constraint_starts_with_empty_caches() {
    let used = constraint(&json(), Limits::default());
    let masks = walk(&mut used.matcher(), 1, 30);
    let fresh = used.fresh();
    assert!(fresh.stats().states < used.stats().states);
    assert_eq!(fresh.stats().masks, 0);
    assert_eq!(walk(&mut fresh.matcher(), 1, 30), masks);
}

/// Constraints of one vocabulary share what their schemas have in common, and fill it together.
#[test]
fn schemas_on_several_threads_see_what_each_does_alone() {
    let schemas = [
        r#"{"properties":{"ab":{"type":"string"},"abc":{"type":"number"},"a":true},"required":["ab"]}"#,
        r#"{"type":"object","properties":{"the":{"type":"boolean"}},"additionalProperties":{"type":"string"}}"#,
        r#"{"type":"array","items":{"properties":{"10":{"type":"integer"},"ab":{"enum":["é","ing"]}}}}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"object","minProperties":1,"properties":{"é":{}}}]}"#,
    ];
    let grammar = |schema: &&str| json_schema(schema, &Default::default(), &Limits::default()).unwrap();
    let grammars: Vec<Grammar> = schemas.iter().map(grammar).collect();
    let steps = 150;
    for seed in 0..4 {
        let compiler = Compiler::new(vocab());
        let together: Vec<Vec<Vec<u32>>> = std::thread::scope(|scope| {
            let start = |grammar| {
                let compiler = &compiler;
                scope.spawn(move || walk(&mut compiler.compile(grammar).unwrap().matcher(), seed, steps))
            };
            let threads: Vec<_> = grammars.iter().map(start).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (grammar, masks) in grammars.iter().zip(together) {
            let mut matcher = constraint(grammar, Limits::default()).matcher();
            assert_eq!(walk(&mut matcher, seed, steps), masks, "{grammar}");
        }
    }
}
