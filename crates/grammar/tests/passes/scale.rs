//! Large and deep grammars: linear time, no call stack.

use std::time::{Duration, Instant};

use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{Error, Grammar, GrammarBuilder, Limits, passes};

const MANY: usize = 100_000;

/// Prepares on a thread with little stack, in little time.
fn prepare_fast(raw: Grammar) -> Grammar {
    let run = move || {
        let limits = Limits::default();
        let started = Instant::now();
        let prepared = passes::prepare(&raw, &mut Budget::new(&limits), &mut |_, _| Ok(false)).unwrap();
        // About a second is meant; loaded machines need slack.
        assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
        prepared
    };
    std::thread::Builder::new().stack_size(128 << 10).spawn(run).unwrap().join().unwrap()
}

#[test]
fn a_long_chain_of_rules() -> Result<(), Error> {
    let mut g = GrammarBuilder::new(&Limits::default());
    let rules: Result<Vec<_>, Error> = (0..MANY).map(|i| g.declare(format!("a{i}"), None)).collect();
    let rules = rules?;
    for (i, &rule) in rules.iter().enumerate() {
        let (x, next) = (g.arena.literal(b"x"), rules.get(i + 1).map(|&r| g.arena.rule(r)));
        let body = g.arena.concat(&[next.unwrap_or(x), x]);
        g.define(rule, body);
    }
    let prepared = prepare_fast(g.build(rules[0])?);
    assert!(prepared.rules().len() < 200);
    Ok(())
}

#[test]
fn a_long_cycle_of_left_calls() -> Result<(), Error> {
    let mut g = GrammarBuilder::new(&Limits::default());
    let n = MANY / 4;
    let rules: Result<Vec<_>, Error> = (0..n).map(|i| g.declare(format!("a{i}"), None)).collect();
    let rules = rules?;
    for (i, &rule) in rules.iter().enumerate() {
        let (x, y, next) = (g.arena.literal(b"x"), g.arena.literal(b"y"), g.arena.rule(rules[(i + 1) % n]));
        let body = g.arena.concat(&[next, x]);
        let body = if i + 1 == n { g.arena.alt(&[body, y]) } else { body };
        g.define(rule, body);
    }
    let prepared = prepare_fast(g.build(rules[0])?);
    assert!(passes::left_recursive(&prepared).is_empty());
    Ok(())
}

#[test]
fn deep_expressions() -> Result<(), Error> {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None)?;
    let (a, b, call) = (g.arena.literal(b"a"), g.arena.literal(b"b"), g.arena.rule(root));
    let mut body = g.arena.concat(&[a, call, b]);
    for i in 0..MANY {
        body = match i % 3 {
            0 => g.arena.alt(&[body, a]),
            1 => g.arena.concat(&[b, body, a]),
            _ => g.arena.repeat(body, 2, Some(3)),
        };
    }
    g.define(root, body);
    prepare_fast(g.build(root)?);
    Ok(())
}

#[test]
fn deep_tail_recursion() -> Result<(), Error> {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None)?;
    let (a, b, mut body) = (g.arena.literal(b"a"), g.arena.literal(b"b"), g.arena.rule(root));
    for _ in 0..MANY {
        body = g.arena.concat(&[a, body]);
        body = g.arena.alt(&[body, b]);
    }
    g.define(root, body);
    prepare_fast(g.build(root)?);
    Ok(())
}

#[test]
fn deep_left_recursion_is_solved_or_refused() -> Result<(), Error> {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None)?;
    let (a, b, mut body) = (g.arena.literal(b"a"), g.arena.literal(b"b"), g.arena.rule(root));
    for _ in 0..MANY {
        body = g.arena.concat(&[body, a]);
        body = g.arena.alt(&[body, b]);
    }
    g.define(root, body);
    let (raw, limits) = (g.build(root)?, Limits::default());
    match passes::prepare(&raw, &mut Budget::new(&limits), &mut |_, _| Ok(false)) {
        Ok(prepared) => assert!(passes::left_recursive(&prepared).is_empty()),
        Err(error) => assert!(error.to_string().contains("exprs"), "{error}"),
    }
    Ok(())
}

#[test]
fn a_choice_of_many_literals_becomes_a_trie() -> Result<(), Error> {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None)?;
    let words: Vec<_> = (0..MANY).map(|i| g.arena.literal(format!("keyword_{}", i * 7).as_bytes())).collect();
    let body = g.arena.alt(&words);
    g.define(root, body);
    let prepared = prepare_fast(g.build(root)?);
    assert!(prepared.to_string().starts_with("root ::= (\"keyword_\" ("), "{prepared}");
    let most = prepared.arena().iter().map(|(id, _)| prepared.arena().children(id).len()).max();
    assert!(most <= Some(11), "{most:?}");
    Ok(())
}

#[test]
fn a_choice_of_many_sequences() -> Result<(), Error> {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None)?;
    let item = g.declare("item", None)?;
    let (open, close, call) = (g.arena.literal(b"("), g.arena.literal(b")"), g.arena.rule(item));
    let nested = g.arena.concat(&[open, call, close]);
    let nested = g.arena.optional(nested);
    g.define(item, nested);
    let mut sequences = Vec::new();
    for i in 0..MANY {
        let (name, end) =
            (g.arena.literal(format!("k{i}").as_bytes()), g.arena.literal(format!("e{}", i % 9).as_bytes()));
        sequences.push(g.arena.concat(&[call, name, call, end]));
    }
    let body = g.arena.alt(&sequences);
    g.define(root, body);
    prepare_fast(g.build(root)?);
    Ok(())
}
