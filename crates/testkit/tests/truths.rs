//! The reference against truths that a person wrote down.

use tokenstile_grammar::ir::{ByteSet, CharSet};
use tokenstile_grammar::{ExprId, Grammar, GrammarBuilder, Limits, RuleId};
use tokenstile_testkit::{Reference, TokenReference, Viability};

/// A grammar of `N` rules; the first one is the root.
fn grammar<const N: usize>(
    define: impl FnOnce(&mut GrammarBuilder, [RuleId; N], [ExprId; N]) -> [ExprId; N],
) -> Grammar {
    let mut g = GrammarBuilder::new(&Limits::default());
    let rules: [RuleId; N] = std::array::from_fn(|i| g.declare(format!("r{i}"), None).unwrap());
    let calls = rules.map(|rule| g.arena.rule(rule));
    let bodies = define(&mut g, rules, calls);
    for (rule, body) in rules.into_iter().zip(bodies) {
        g.define(rule, body);
    }
    g.build(rules[0]).unwrap()
}

/// Every sentence is accepted and all of its prefixes are viable; `viable` texts are just that; `dead` texts
/// are not, but are without their last byte.
fn check(grammar: &Grammar, sentences: &[&[u8]], viable: &[&[u8]], dead: &[&[u8]]) {
    let reference = Reference::new(grammar);
    for text in sentences {
        assert!(reference.accepts(text), "{} in\n{grammar}", text.escape_ascii());
        for end in 0..=text.len() {
            assert_eq!(reference.viable(&text[..end]), Viability::Yes, "{}", text[..end].escape_ascii());
        }
    }
    for text in viable {
        assert!(!reference.accepts(text), "{} in\n{grammar}", text.escape_ascii());
        assert_eq!(reference.viable(text), Viability::Yes, "{} in\n{grammar}", text.escape_ascii());
    }
    for text in dead {
        assert_eq!(reference.viable(text), Viability::No, "{} in\n{grammar}", text.escape_ascii());
        let before = &text[..text.len() - 1];
        assert_eq!(reference.viable(before), Viability::Yes, "{} in\n{grammar}", before.escape_ascii());
    }
}

#[test]
fn arithmetic() {
    let g = grammar(|g, _, [sum, product, atom]| {
        let a = &mut g.arena;
        let digits = a.chars(&CharSet::from_ranges([(48, 57)]));
        let (number, plus, times) = (a.repeat(digits, 1, None), a.literal(b"+"), a.literal(b"*"));
        let (open, close) = (a.literal(b"("), a.literal(b")"));
        let (more, group) = (a.concat(&[sum, plus, product]), a.concat(&[open, sum, close]));
        let again = a.concat(&[product, times, atom]);
        [a.alt(&[more, product]), a.alt(&[again, atom]), a.alt(&[number, group])]
    });
    check(
        &g,
        &[b"1", b"1+2*3", b"(1+2)*3", b"((((7))))", b"10*(2+3)*(4)"],
        &[b"", b"(", b"1+", b"(1", b"2*(3+("],
        &[b"+", b"1++", b"()", b"1)", b"(1)2", b"1 "],
    );
}

#[test]
fn the_most_ambiguous_grammar() {
    let g = grammar(|g, _, [s]| {
        let (twice, a) = (g.arena.concat(&[s, s]), g.arena.literal(b"a"));
        [g.arena.alt(&[twice, a])]
    });
    check(&g, &[b"a", b"aaaaaaaaaaaaaaaaaaaaaaaa"], &[b""], &[b"b", b"ab"]);
}

#[test]
fn rules_that_match_nothing_go_round_in_circles() {
    // s = s t | t | "" ; t = s | u? "x"? ; u = t*
    let g = grammar(|g, _, [s, t, u]| {
        let a = &mut g.arena;
        let x = a.literal(b"x");
        let (x, maybe_u, both) = (a.optional(x), a.optional(u), a.concat(&[s, t]));
        let tail = a.concat(&[maybe_u, x]);
        let empty = a.empty();
        [a.alt(&[both, t, empty]), a.alt(&[s, tail]), a.star(t)]
    });
    check(&g, &[b"", b"x", b"xxxxxx"], &[], &[b"y", b"xxy"]);
}

#[test]
fn mutual_left_recursion_behind_an_empty_rule() {
    // s = e t "b" | "c" ; t = s "a" ; e = ""
    let g = grammar(|g, _, [s, t, e]| {
        let a = &mut g.arena;
        let (b, c, x) = (a.literal(b"b"), a.literal(b"c"), a.literal(b"a"));
        let long = a.concat(&[e, t, b]);
        [a.alt(&[long, c]), a.concat(&[s, x]), a.empty()]
    });
    check(&g, &[b"c", b"cab", b"cabab"], &[b"", b"ca", b"caba"], &[b"a", b"cb", b"cabb"]);
}

#[test]
fn brackets_nested_two_hundred_deep() {
    let g = grammar(|g, _, [list]| {
        let a = &mut g.arena;
        let (open, close) = (a.literal(b"["), a.literal(b"]"));
        let lists = a.star(list);
        [a.concat(&[open, lists, close])]
    });
    let deep = [vec![b'['; 200], vec![b']'; 200]].concat();
    let wide = [b"[".as_slice(), &b"[][[]]".repeat(40), b"]"].concat();
    let too_far = [deep.as_slice(), b"]"].concat();
    check(&g, &[&deep, &wide], &[&deep[..300]], &[&too_far, b"[]["]);
}

#[test]
fn what_matches_nothing_is_never_begun() {
    // s = "a" n | "b" m? ; n = "x" n ; m = [^\0-\u{10FFFF}] "y"
    let g = grammar(|g, _, [_, n, m]| {
        let a = &mut g.arena;
        let (x, b, y, never) = (a.literal(b"x"), a.literal(b"b"), a.literal(b"y"), a.never());
        let letter = a.literal(b"a");
        let m = a.optional(m);
        let (dead, live) = (a.concat(&[letter, n]), a.concat(&[b, m]));
        [a.alt(&[dead, live]), a.concat(&[x, n]), a.concat(&[never, y])]
    });
    check(&g, &[b"b"], &[b""], &[b"a", b"by"]);
    let nothing = grammar(|_, _, [s]| [s]);
    let reference = Reference::new(&nothing);
    assert_eq!(reference.viable(b""), Viability::No);
    assert_eq!(reference.viable(b"a"), Viability::No);
    assert!(!reference.accepts(b""));
}

#[test]
fn characters_byte_by_byte() {
    let g = grammar(|g, _, [_]| {
        let letters = g.arena.chars(&CharSet::of("é€😀"));
        [g.arena.repeat(letters, 1, None)]
    });
    check(
        &g,
        &["é".as_bytes(), "€😀é".as_bytes()],
        &[b"", b"\xC3", b"\xE2\x82", b"\xF0\x9F\x98", "é\u{20AC}".as_bytes().split_last().unwrap().1],
        &[b"a", b"\xC4", b"\xC3\xA8", b"\xE2\x83", b"\xF0\x9F\x98\x81", b"\xC3\xA9\x80"],
    );
    let raw = grammar(|g, _, [_]| {
        let (high, a) = (g.arena.byte(ByteSet::range(0x80, 0xFF)), g.arena.literal(b"a"));
        [g.arena.concat(&[high, a])]
    });
    check(&raw, &[b"\xFFa", b"\x80a"], &[b"\xC3"], &[b"a", b"\xC3\xA9"]);
}

#[test]
fn counted_repeats() {
    let g = grammar(|g, _, [_, item]| {
        let a = &mut g.arena;
        let (x, xx) = (a.literal(b"x"), a.literal(b"xx"));
        let end = a.literal(b".");
        let items = a.repeat(item, 2, Some(3));
        [a.concat(&[items, end]), a.alt(&[x, xx])]
    });
    let x = |n| [vec![b'x'; n], vec![b'.']].concat();
    check(&g, &[&x(2), &x(3), &x(6)], &[b"", b"x", b"xxxxxx"], &[b".", &x(1), &[b'x'; 7]]);
    let long = grammar(|g, _, [_]| {
        let any = g.arena.chars(&CharSet::all());
        [g.arena.repeat(any, 100, Some(5000))]
    });
    let text = "é".repeat(5000);
    let reference = Reference::new(&long);
    assert!(reference.accepts(text.as_bytes()) && reference.accepts(&text.as_bytes()[..200]));
    assert!(!reference.accepts(&text.as_bytes()[..198]) && !reference.accepts(&text.as_bytes()[..9_999]));
    assert_eq!(reference.viable((text + "a").as_bytes()), Viability::No);
    // An item that may be empty fulfils any least count.
    let empty = grammar(|g, _, [_, item]| {
        let x = g.arena.literal(b"x");
        [g.arena.repeat(item, 50, Some(60)), g.arena.optional(x)]
    });
    check(&empty, &[b"", b"x", &[b'x'; 60]], &[], &[&[b'x'; 61]]);
}

#[test]
fn intersection_and_complement() {
    // Words of a and b, of even length, without "bb", then a dot.
    let g = grammar(|g, _, [_]| {
        let a = &mut g.arena;
        let letter = a.chars(&CharSet::of("ab"));
        let (pair, all, bb) = (a.concat(&[letter, letter]), a.not(a.never()), a.literal(b"bb"));
        let (even, with) = (a.star(pair), a.concat(&[all, bb, all]));
        let without = a.not(with);
        let (both, dot) = (a.and(&[even, without]), a.literal(b"."));
        [a.concat(&[both, dot])]
    });
    check(
        &g,
        &[b".", b"ab.", b"abab.", b"aaba."],
        &[b"", b"a", b"aba"],
        &[b"bb", b"a.", b"abb", b"..", b"c"],
    );
    // Nothing is both "a…" and not "a…": the intersection is empty, though no part of it is.
    let empty = grammar(|g, _, [_]| {
        let a = &mut g.arena;
        let (letter, any) = (a.literal(b"a"), a.not(a.never()));
        let (starts, word) = (a.concat(&[letter, any]), a.literal(b"abc"));
        let other = a.not(starts);
        let (both, b) = (a.and(&[word, other]), a.literal(b"b"));
        [a.alt(&[both, b])]
    });
    check(&empty, &[b"b"], &[b""], &[b"a", b"bb"]);
}

#[test]
fn an_intersection_that_only_a_search_shows_to_be_empty() {
    // ((aa)*b | cd) & (a(aa)*b | cd): every derivative by a's looks alive.
    let g = grammar(|g, _, [_]| {
        let a = &mut g.arena;
        let (x, aa, b, cd) = (a.literal(b"a"), a.literal(b"aa"), a.literal(b"b"), a.literal(b"cd"));
        let pairs = a.star(aa);
        let (even, odd) = (a.concat(&[pairs, b]), a.concat(&[x, pairs, b]));
        let (left, right) = (a.alt(&[even, cd]), a.alt(&[odd, cd]));
        [a.and(&[left, right])]
    });
    check(&g, &[b"cd"], &[b"", b"c"], &[b"a", b"b", b"cc"]);
}

#[test]
fn assertions_inside_assertions() {
    // "a" (?= "b" (?! "b")) [ab]*: after "ab" no other b, but anything after another a.
    let g = grammar(|g, _, [_]| {
        let a = &mut g.arena;
        let (x, b, any) = (a.literal(b"a"), a.literal(b"b"), a.chars(&CharSet::of("ab")));
        let no_b = a.look(b, false, true);
        let inner = a.concat(&[b, no_b]);
        let (ahead, rest) = (a.look(inner, false, false), a.star(any));
        let all = a.concat(&[x, ahead, rest]);
        [a.region(all)]
    });
    check(&g, &[b"ab", b"aba", b"ababb"], &[b"", b"a"], &[b"b", b"aa", b"abb"]);
}

#[test]
fn assertions_see_their_region_and_no_more() {
    // "x" then a region: a word that does not start with "no" and ends at the end of the region; then "y".
    let g = grammar(|g, _, [_]| {
        let a = &mut g.arena;
        let letter = a.chars(&CharSet::of("noxy"));
        let (no, end, word) = (a.literal(b"no"), a.look(letter, false, true), a.repeat(letter, 1, None));
        let not_no = a.look(no, false, true);
        let start = a.look(letter, true, true);
        let inside = a.concat(&[start, not_no, word, end]);
        let (region, x, y) = (a.region(inside), a.literal(b"x"), a.literal(b"y"));
        [a.concat(&[x, region, y])]
    });
    check(&g, &[b"xxy", b"xny", b"xonyy"], &[b"x", b"xn", b"xo", b"xy"], &[b"n", b"xno", b"xxyz"]);
}

#[test]
fn a_word_boundary_forces_what_comes_next() {
    // <\b? ...>: "a" (?!\w) [ab.] — only the dot can follow.
    let g = grammar(|g, _, [_]| {
        let a = &mut g.arena;
        let (word, next, letter) =
            (a.chars(&CharSet::of("ab")), a.chars(&CharSet::of("ab.")), a.literal(b"a"));
        let boundary = a.look(word, false, true);
        let all = a.concat(&[letter, boundary, next]);
        [a.region(all)]
    });
    check(&g, &[b"a."], &[b"", b"a"], &[b"aa", b"ab", b"a..", b"b"]);
}

#[test]
fn masks_by_the_definition() {
    // "é" or "ab"+
    let g = grammar(|g, _, [_]| {
        let (e, ab) = (g.arena.literal("é".as_bytes()), g.arena.literal(b"ab"));
        let abs = g.arena.repeat(ab, 1, None);
        [g.arena.alt(&[e, abs])]
    });
    let reference = Reference::new(&g);
    use Viability::{No, Yes};
    // No token for 0xA9: 0xC3 is viable in bytes, but leads nowhere in tokens. "a" only goes on with "ba…b".
    let vocab: Vec<(u32, Vec<u8>)> = [&b"\xC3"[..], b"a", b"bab", b"abab", b"", b"ba"]
        .iter()
        .zip(0..)
        .map(|(t, i)| (i, t.to_vec()))
        .collect();
    let tokens = TokenReference::new(&reference, &vocab, &[7]);
    assert_eq!(tokens.mask(reference.start()), [No, Yes, No, Yes, No, No, No, No]);
    assert_eq!(tokens.mask(reference.run(b"a")), [No, No, Yes, No, No, Yes, No, No]);
    assert_eq!(tokens.mask(reference.run(b"abab")), [No, Yes, No, Yes, No, No, No, Yes]);
    let mut full = vocab.clone();
    full.extend((0..=255).map(|b| (10 + u32::from(b), vec![b])));
    let tokens = TokenReference::new(&reference, &full, &[7]);
    let mask = tokens.mask(reference.start());
    assert_eq!(mask[..8], [Yes, Yes, No, Yes, No, No, No, No]);
    assert_eq!(mask[10 + 0xC3], Yes);
    assert_eq!(mask.iter().filter(|&&v| v == Yes).count(), 5);
}
