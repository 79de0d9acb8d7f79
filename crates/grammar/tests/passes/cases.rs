//! Grammars chosen for what they try.

use tokenstile_grammar::ir::{Members, Slot, Tracking};
use tokenstile_grammar::limits::Budget;
use tokenstile_grammar::{ErrorKind, GrammarBuilder, Limits, passes};

use crate::{check, grammar, prepare};

#[test]
fn left_recursion_of_every_kind_goes_away() {
    for source in [
        "E = E a T | T\nT = b | c",
        "E = E a T | E b T | T\nT = T c F | F\nF = a E b | c",
        "S = S S | a",
        "S = S S | a |",
        "S = S S S | a | b |",
        "A = B a |\nB = A b | c",
        "A = B\nB = A | a |",
        "A = B | a\nB = A b | c",
        "A = B | C | a\nB = A | C b\nC = B | A c",
        "S = N S b | a\nN = c?",
        "S = N M S b | a\nN = c |\nM = N N | a N",
        "X = X* a",
        "X = X? a | b",
        "X = (X a)? b",
        "X = X{2,3} a | b",
        "X = X{0,3} a | b",
        "X = (X a)+ | b |",
        "X = (X a | c)* b",
        "X = (N X){2} a | b\nN = c*",
        "X = Y{2,}\nY = X a | b |",
        "X = (X? Y?){1,2} c\nY = X b | a",
        "A = B a | C b | c\nB = C a | A c | b\nC = A | B b | a",
        "A = (a | A b)(c | A)?",
        "S = A S | b\nA = B?\nB = S c | a",
        "S = (~(a a) & (a | b)*) S c | a",
        "S = (~(a a))? S c | S S | a",
        "S = (( | a) & ( | b)) S c | b",
    ] {
        check(&grammar(source));
    }
}

#[test]
fn tail_recursion_becomes_loops() {
    for (source, expected) in [
        ("X = a X | b", "X ::= (\"a\"* \"b\")\n"),
        ("X = a X | b X |", "X ::= [a-b]*\n"),
        ("X = a X?", "X ::= \"a\"+\n"),
        ("L = a (b L)?", "L ::= (\"a\" \"ba\"*)\n"),
        ("L = a | a b L", "L ::= (\"a\" \"ba\"*)\n"),
        ("E = E b a | a", "E ::= (\"a\" \"ba\"*)\n"),
        ("X = (a X)?", "X ::= \"a\"*\n"),
        ("E = E a T | T\nT = b | c T", "E ::= (\"c\"* \"b\" (\"a\" \"c\"* \"b\")*)\n"),
        ("X = a Y | b\nY = b X | c", "X ::= (\"ab\"* (\"b\" | \"ac\"))\n"),
        ("S = (a S b S)?", "S ::= (\"a\" S \"b\")*\n"),
    ] {
        let prepared = check(&grammar(source)).to_string();
        assert_eq!(prepared, expected, "{source}");
    }
    for source in ["X = a Y | b\nY = b X | c", "X = a (b X)* | c", "X = a (b (c X | a)? | X a X) | b"] {
        check(&grammar(source));
    }
}

#[test]
fn common_beginnings_are_written_once() {
    for (source, expected) in [
        ("S = a b | a c", "S ::= (\"a\" [bc])\n"),
        ("S = a | a b | a b c", "S ::= (\"a\" (\"b\" \"c\"?)?)\n"),
        ("S = a b c a | a b c b | a b a | c", "S ::= (\"c\" | (\"ab\" (\"a\" | (\"c\" [ab]))))\n"),
        ("S = a* b | a* c a | a* c b | a*", "S ::= (\"a\"* (\"b\" | (\"c\" [ab]))?)\n"),
        ("S = a (b a | c) | a b c", "S ::= (\"a\" (\"c\" | (\"b\" [ac])))\n"),
    ] {
        let prepared = check(&grammar(source));
        let longest = prepared.to_string().split_whitespace().count();
        assert_eq!(longest, expected.split_whitespace().count(), "{source}: {prepared}, not {expected}");
    }
}

#[test]
fn small_rules_are_put_in_place() {
    let prepared = check(&grammar("S = A B C\nA = a B\nB = b C | c\nC = a A c | D\nD = a | b\nZ = a"));
    assert_eq!(prepared.rules().len(), 2, "{prepared}");
    let prepared = check(&grammar("E = E a T | E b T | T\nT = T c F | F\nF = a E b | c"));
    assert_eq!(prepared.rules().len(), 1, "{prepared}");
    let prepared = check(&grammar("S = A B C\nA = a B\nB = b C | c\nC = a | b\nZ = a"));
    assert_eq!(prepared.rules().len(), 1, "{prepared}");
    assert_eq!(prepared.rules()[0].place.map(|p| p.line), Some(1));
}

#[test]
fn empty_intersections_are_dropped() {
    let prepared =
        check(&grammar("S = a (b & c) | b A | c\nA = (a & b) A | B c\nB = (~(a | b) & (a | b)) c"));
    assert_eq!(prepared.to_string(), "S ::= \"c\"\n");
    check(&grammar("S = (~(a a) & a*) b"));
    check(&grammar("S = a (b & c)* | (b & c)? S b"));
    let error = prepare(&grammar("S = a A | A\nA = a & b")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsatisfiable);
    assert_eq!(error.to_string(), "1:3: rule `S` can match no text: its conditions exclude each other");
}

#[test]
fn every_outermost_boolean_is_asked_for_once() {
    let raw = grammar("S = (a & b) S | c (a & b) | ~((a & b) | c) | A\nA = (a & b) | c\nZ = b & c");
    let mut asked = Vec::new();
    let limits = Limits::default();
    let prepared = passes::prepare(&raw, &mut Budget::new(&limits), &mut |arena, expr| {
        asked.push(expr);
        Ok(crate::texts::is_never(arena, expr))
    });
    assert!(prepared.is_ok());
    assert_eq!(asked.len(), 2);
    assert_ne!(asked[0], asked[1]);
}

#[test]
fn rules_that_match_nothing_are_refused_with_their_place() {
    for (source, message) in [
        ("S = a | X\nX = X a | b X", "2:3: rule `X` can match no text: every alternative needs `X` itself"),
        ("S = S", "1:3: rule `S` can match no text: every alternative needs `S` itself"),
        (
            "S = a | X\nX = Y a\nY = b X",
            "2:3: rule `X` can match no text: every alternative needs `Y`, which needs `X` again",
        ),
        (
            "S = X\nX = Y a\nY = Z\nZ = X b X",
            "2:3: rule `X` can match no text: every alternative needs `Y`, which leads back to `X`",
        ),
        (
            "S = a | X\nX = X | Y\nY = X a",
            "2:3: rule `X` can match no text: every alternative needs one of `X`, `Y`, none of which can come to an end",
        ),
        ("S = a | X\nX = a !", "2:3: rule `X` can match no text"),
    ] {
        let error = prepare(&grammar(source)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsatisfiable);
        assert_eq!(error.to_string(), message, "{source}");
    }
    // What the root does not reach is no concern.
    check(&grammar("S = a\nX = X"));
}

#[test]
fn limits_hold() {
    // Hundreds of rules that all start with each other make a square of new rules.
    let n = 200;
    let mut g = tokenstile_grammar::GrammarBuilder::new(&Limits::default());
    let rules: Vec<_> = (0..n).map(|i| g.declare(format!("r{i}"), None).unwrap()).collect();
    for (i, &rule) in rules.iter().enumerate() {
        let calls: Vec<_> = (0..4).map(|k| g.arena.rule(rules[(i * 7 + k * 31 + 1) % n])).collect();
        let letters: Vec<_> = (0..4).map(|k| g.arena.literal(format!("{i}x{k}").as_bytes())).collect();
        let mut parts: Vec<_> =
            calls.iter().zip(&letters).map(|(&c, &l)| g.arena.concat(&[c, l, c])).collect();
        parts.push(letters[0]);
        let body = g.arena.alt(&parts);
        g.define(rule, body);
    }
    let raw = g.build(rules[0]).unwrap();
    let limits = Limits::default().with_rules(1_000);
    let error = passes::prepare(&raw, &mut Budget::new(&limits), &mut |_, _| Ok(false)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit { name: "rules" });
    let limits = Limits::default().with_exprs(3_000);
    let error = passes::prepare(&raw, &mut Budget::new(&limits), &mut |_, _| Ok(false)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit { name: "exprs" });
    let cancel = tokenstile_grammar::limits::Cancel::new();
    cancel.cancel();
    let limits = Limits::default().with_cancel(Some(cancel));
    let error = passes::prepare(&raw, &mut Budget::new(&limits), &mut |_, _| Ok(false)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn literals_are_split_inside_characters() {
    let mut g = tokenstile_grammar::GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None).unwrap();
    let words: Vec<_> = ["éa", "èa", "è€"].iter().map(|w| g.arena.literal(w.as_bytes())).collect();
    let body = g.arena.alt(&words);
    g.define(root, body);
    let prepared = check(&g.build(root).unwrap()).to_string();
    let expected = r#"root ::= ("\xc3" ("\xa9a" | ("\xa8" ["#;
    assert!(
        prepared.starts_with(expected) || prepared.starts_with(r#"root ::= ("\xc3" (("\xa8" ["#),
        "{prepared}"
    );
}

#[test]
fn the_empty_text_of_boolean_expressions() {
    let mut g = tokenstile_grammar::GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None).unwrap();
    let a = g.arena.literal(b"a");
    let (maybe, not_a) = (g.arena.optional(a), g.arena.not(a));
    let cases = [
        (not_a, true),
        (g.arena.not(maybe), false),
        (g.arena.and(&[not_a, maybe]), true),
        (g.arena.and(&[not_a, a]), false),
        (g.arena.look(a, false, false), false),
        (g.arena.look(a, true, true), true),
        (g.arena.look(maybe, true, false), true),
    ];
    let regions = cases.map(|(expr, nullable)| (g.arena.region(expr), nullable));
    let body = g.arena.alt(&regions.map(|r| r.0));
    g.define(root, body);
    let nullable = passes::nullable(&g.build(root).unwrap());
    for (expr, expected) in cases.into_iter().chain(regions) {
        assert_eq!(nullable[expr.index()], expected);
    }
}

#[test]
fn what_is_tracked_stays_tracked() {
    let limits = Limits::default();
    let tracking = Tracking { keys: true, items: true, keys_abound: 0 };
    for source in ["S = S a | b", "S = a S | b", "S = N S b | a\nN = c?", "S = (a & (a | b)) T\nT = a"] {
        let original = grammar(source);
        let root = original.root();
        let mut builder = original.into_builder(&limits);
        builder.track(tracking);
        let prepared = prepare(&builder.build(root).expect("well formed")).expect("it matches something");
        assert_eq!(prepared.tracking(), tracking, "{source}");
    }
}

#[test]
fn a_rule_that_calls_itself_at_the_start_of_members_is_refused() {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None).expect("one rule");
    let (call, a, separator) = (g.arena.rule(root), g.arena.literal(b"a"), g.arena.literal(b","));
    let again = g.arena.concat(&[call, a]);
    let slots = [Slot::anywhere(again), Slot::anywhere(a)].into();
    let members = Members { separator, slots, counts: [].into(), condition: None, in_order: false };
    let body = g.arena.members(members);
    g.define(root, body);
    let error = prepare(&g.build(root).expect("well formed")).expect_err("it cannot be run");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}
