//! Members and machines: against the definition, against the same language written otherwise, and a few plain truths.

use std::collections::HashSet;

use tokenstile_engine::{Compiler, Constraint, Grammar, Limits, Matcher, Vocab};
use tokenstile_grammar::ir::{CharSet, Condition, ConditionBuilder, Count, MachineRef, Members, Slot};
use tokenstile_grammar::{ErrorKind, ExprId, GrammarBuilder};
use tokenstile_harness::{allowed, bit, byte_vocab, compile, mask_of, masks_agree, tokens_in};
use tokenstile_json_schema::json_schema;
use tokenstile_testkit::generate::{random_dfa, random_members};
use tokenstile_testkit::{Reference, Rng, TokenReference};

/// The grammar `before members after`, with an entry for each of the literals.
fn grammar(
    entries: &[&str],
    separator: &str,
    around: (&str, &str),
    members: impl FnOnce(Vec<Slot>) -> Members,
) -> Grammar {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None).expect("one rule");
    let slots: Vec<Slot> = entries.iter().map(|e| Slot::anywhere(g.arena.literal(e.as_bytes()))).collect();
    let separator = g.arena.literal(separator.as_bytes());
    let members = g.arena.members(Members { separator, ..members(slots) });
    let (before, after) = (g.arena.literal(around.0.as_bytes()), g.arena.literal(around.1.as_bytes()));
    let body = g.arena.concat(&[before, members, after]);
    g.define(root, body);
    g.build(root).expect("well formed")
}

/// Members in any order without counts; the separator is filled in later.
fn plain(slots: Vec<Slot>) -> Members {
    let separator = slots[0].entry;
    Members { separator, slots: slots.into(), counts: [].into(), condition: None, in_order: false }
}

fn count(slots: impl IntoIterator<Item = u32>, min: u32, max: Option<u32>) -> Count {
    Count { slots: slots.into_iter().collect(), min, max }
}

/// Each slot at most once, and those for which `required` says so at least once.
fn once(slots: Vec<Slot>, required: impl Fn(u32) -> bool) -> Members {
    let numbers = 0..slots.len() as u32;
    let counts = numbers.map(|s| count([s], required(s) as u32, Some(1))).collect();
    Members { counts, ..plain(slots) }
}

fn accepts(constraint: &Constraint, text: &str) -> bool {
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(text.as_bytes()).is_ok() && matcher.is_accepting()
}

/// The bytes that can come next.
fn next(constraint: &Constraint, text: &str) -> String {
    let mut matcher = constraint.matcher();
    matcher.commit_bytes(text.as_bytes()).unwrap_or_else(|e| panic!("{text:?}: {e}"));
    allowed(&mut matcher).into_iter().filter_map(|t| char::from_u32(t).filter(|_| t < 256)).collect()
}

/// How often a slot was used.
fn times(slots: &[u32], slot: u32) -> u32 {
    slots.iter().filter(|&&s| s == slot).count() as u32
}

/// With the first slot of each pair, the second is used.
fn implies(pairs: &[(u32, u32)]) -> Option<Box<Condition>> {
    let mut builder = ConditionBuilder::default();
    let whole = builder.implies(pairs.iter().copied());
    Some(Box::new(builder.build(whole)))
}

/// Whether letters match members, as the definition says it: all ways to give them slots are tried.
fn matches(members: &Members, letters: &[&str], of_slot: &[&str]) -> bool {
    fn fits(members: &Members, letters: &[&str], of_slot: &[&str], slots: &mut Vec<u32>) -> bool {
        if slots.len() < letters.len() {
            let i = slots.len();
            return (0..members.slots.len() as u32).any(|s| {
                let slot = &members.slots[s as usize];
                let ordered = !members.in_order || slots.last().is_none_or(|&last| last <= s);
                let open = slot.from <= i as u32 && (i as u32) < slot.to;
                if of_slot[s as usize] != letters[i] || !open || !ordered {
                    return false;
                }
                slots.push(s);
                let fits = fits(members, letters, of_slot, slots);
                slots.pop();
                fits
            });
        }
        let within = |c: &Count| {
            let used = slots.iter().filter(|s| c.slots.contains(s)).count() as u32;
            c.min <= used && c.max.is_none_or(|max| used <= max)
        };
        members.counts.iter().all(within)
            && members.condition.as_ref().is_none_or(|condition| condition.holds(|s| times(slots, s)))
    }
    fits(members, letters, of_slot, &mut Vec::new())
}

/// All lists of up to `length` letters.
fn lists<'a>(letters: &[&'a str], length: usize) -> Vec<Vec<&'a str>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let to = all.len();
        for i in from..to {
            for letter in letters {
                let mut longer = all[i].clone();
                longer.push(*letter);
                all.push(longer);
            }
        }
        from = to;
    }
    all
}

#[test]
fn members_are_what_the_definition_says() {
    const LONGEST: usize = 6;
    let letters = ["a", "b", "c"];
    let (mut accepted, mut refused, mut never, mut hard) = (0, 0, 0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let of_slot: Vec<&str> = (0..rng.between(1, 5)).map(|_| *rng.pick(&letters)).collect();
        let mut raw = None;
        let g = grammar(&of_slot, ",", ("", ";"), |slots| {
            let entries: Vec<ExprId> = slots.iter().map(|s| s.entry).collect();
            raw.insert(random_members(&mut rng, entries[0], &entries)).clone()
        });
        let raw = raw.expect("it was made");
        let texts: Vec<(String, bool)> = lists(&letters, LONGEST)
            .into_iter()
            .map(|list| (format!("{};", list.join(",")), matches(&raw, &list, &of_slot)))
            .collect();
        let constraint = match Compiler::new(byte_vocab::<&str>(&[])).compile(&g) {
            Ok(constraint) => constraint,
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                hard += 1;
                continue;
            }
            Err(error) => {
                assert!(texts.iter().all(|t| !t.1), "seed {seed}: {error} {raw:?}");
                never += 1;
                continue;
            }
        };
        // No completion of one entry takes more than are missing, and a few until the last window opens.
        let missing = raw.counts.iter().map(|c| c.min).sum::<u32>() as usize
            + raw.condition.as_ref().map_or(0, |condition| 2 * condition.most() as usize);
        let few = 1 + missing + 3 <= LONGEST;
        let viable: HashSet<&str> =
            texts.iter().filter(|t| t.1).flat_map(|t| (0..=t.0.len()).map(|i| &t.0[..i])).collect();
        for (text, expected) in &texts {
            *if *expected { &mut accepted } else { &mut refused } += 1;
            assert_eq!(accepts(&constraint, text), *expected, "seed {seed}: {text} {raw:?}");
            for end in 0..text.len().min(3) {
                let prefix = &text[..end];
                let expected = viable.contains(prefix);
                let got = constraint.matcher().commit_bytes(prefix.as_bytes()).is_ok();
                assert!(got || !expected, "seed {seed}: {prefix} {raw:?}");
                assert!(!got || expected || !few, "seed {seed}: dead end {prefix} {raw:?}");
            }
        }
    }
    assert!(
        accepted > 5_000 && refused > 10_000 && never > 10 && hard < 20,
        "{accepted} {refused} {never} {hard}"
    );
}

#[test]
fn far_counts_make_no_difference_to_masks() {
    // Tokens are short, so that counts of some dozens are far from their bounds most of the time.
    let bytes = (0..=255u8).map(|b| vec![b]);
    let long = [",a", "b,", "a,b"].map(|t| t.as_bytes().to_vec());
    let tokens: Vec<(u32, Vec<u8>)> = (0..).zip(bytes.chain(long)).collect();
    let end = tokens.len() as u32;
    let vocab = Vocab::from_tokens(tokens.iter().cloned(), &[end]).expect("well formed");
    let mut masks = 0;
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let of_slot: Vec<&str> = (0..rng.between(1, 3)).map(|_| *rng.pick(&["a", "b"])).collect();
        let g = grammar(&of_slot, ",", ("", ";"), |slots| {
            let number = slots.len() as u32;
            let counts = (0..rng.between(1, 3)).map(|_| {
                let some: Vec<u32> = (0..number).filter(|_| rng.chance(2, 3)).collect();
                let min = if rng.chance(1, 2) { 0 } else { rng.below(14) as u32 };
                let max = rng.chance(2, 3).then(|| min + rng.below(14) as u32);
                count(some, min, max)
            });
            let counts: Vec<Count> = counts.collect();
            let condition = if rng.chance(1, 4) { implies(&[(0, number - 1)]) } else { None };
            Members { counts: counts.into(), condition, in_order: rng.chance(1, 3), ..plain(slots) }
        });
        let Ok(constraint) = Compiler::new(vocab.clone()).compile(&g) else { continue };
        let reference = Reference::new(&g);
        let reference_tokens = TokenReference::new(&reference, &tokens, &[end]);
        let mut matcher = constraint.matcher();
        let mut state = reference.start();
        for _ in 0..40 {
            let expected: Vec<u32> = (0..)
                .zip(reference_tokens.mask(state))
                .filter_map(|(t, v)| v.known().expect("exact").then_some(t))
                .collect();
            assert_eq!(allowed(&mut matcher), expected, "seed {seed}\n{g}");
            masks += 1;
            let going_on: Vec<u32> =
                expected.iter().copied().filter(|&t| t != end && t != b';' as u32).collect();
            if going_on.is_empty() {
                break;
            }
            let token = *rng.pick(&going_on);
            matcher.commit(token).expect("it was allowed");
            state = reference.run_from(state, &tokens[token as usize].1);
        }
    }
    assert!(masks > 2_000, "{masks}");
}

#[test]
fn room_is_kept_for_what_is_needed_however_far_a_bound_is() {
    // Twelve at most, five of them a: the eighth b is one too many, long before the bound is reached.
    let five =
        |slots| Members { counts: [count([0], 5, None), count(0..2, 0, Some(12))].into(), ..plain(slots) };
    let c = compile(&grammar(&["a", "b"], ",", ("", ";"), five), &byte_vocab::<&str>(&[]));
    assert_eq!(next(&c, &"b,".repeat(6)), "ab");
    assert_eq!(next(&c, &"b,".repeat(7)), "a");
    assert_eq!(next(&c, &format!("{}a", "b,".repeat(7))), ",");
    assert_eq!(next(&c, &format!("{}a", "b,a,".repeat(5))), ",;");
    // Two pairs that need each other, three in all at least: one more entry, and not two.
    let pairs = |slots| {
        let members = once(slots, |_| false);
        let counts = members.counts.iter().cloned().chain([count(0..4, 3, Some(3))]).collect();
        Members { counts, condition: implies(&[(0, 1), (1, 0), (2, 3), (3, 2)]), ..members }
    };
    let even = grammar(&["a", "b", "c", "d"], ",", ("", ";"), pairs);
    let error = Compiler::new(byte_vocab::<&str>(&[])).compile(&even).expect_err("pairs are never three");
    assert_eq!(error.kind(), ErrorKind::Unsatisfiable, "{error}");
}

#[test]
fn sixty_optional_members_in_any_order() {
    let names: Vec<String> = (0..60).map(|i| format!("\"k{i}\":1")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let g = grammar(&names, ",", ("{", "}"), |slots| once(slots, |_| false));
    let constraint = compile(&g, &byte_vocab(&["\"k1", "\":", "}}"]));
    assert!(accepts(&constraint, "{}"));
    let mut backwards: Vec<&str> = names.clone();
    backwards.reverse();
    assert!(accepts(&constraint, &format!("{{{}}}", backwards.join(","))));
    assert!(accepts(&constraint, &format!("{{{}}}", names.join(","))));
    // All were used: nothing but the end is left.
    assert_eq!(next(&constraint, &format!("{{{}", backwards.join(","))), "}");
    // All but one: it is all that can follow the comma.
    let rest: Vec<&str> = names.iter().copied().filter(|n| *n != "\"k17\":1").collect();
    assert_eq!(next(&constraint, &format!("{{{},\"k", rest.join(","))), "1");
    assert_eq!(next(&constraint, &format!("{{{},\"k1", rest.join(","))), "7");
    assert!(constraint.matcher().commit_bytes(b"{\"k5\":1,\"k5\"").is_err());
}

/// An object of many members of three kinds, one of them an object itself, with white space, in `space`.
fn object(space: &str, keys: usize, in_order: bool) -> Grammar {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None).expect("one rule");
    let lower = g.arena.chars(&CharSet::from_ranges([('a' as u32, 'z' as u32)]));
    let (space, quote) = (g.arena.literal(space.as_bytes()), g.arena.literal(b"\""));
    let blank = g.arena.optional(space);
    let letters = g.arena.star(lower);
    let string = g.arena.concat(&[quote, letters, quote]);
    let digit = g.arena.chars(&CharSet::from_ranges([('0' as u32, '9' as u32)]));
    let number = g.arena.repeat(digit, 1, Some(3));
    let inner = g.arena.literal(b"{\"a\":1}");
    let values = [string, number, inner];
    let colon = g.arena.literal(b":");
    let mut slots = Vec::new();
    for i in 0..keys {
        let key =
            g.arena.literal(format!("\"{}{}\"", (b'a' + i as u8 % 5) as char, "x".repeat(i / 5)).as_bytes());
        slots.push(Slot::anywhere(g.arena.concat(&[key, colon, blank, values[i % 3], blank])));
    }
    let comma = g.arena.literal(b",");
    let separator = g.arena.concat(&[comma, blank]);
    let members = Members { separator, in_order, ..once(slots, |slot| slot == 3) };
    let members = g.arena.members(members);
    let (open, close) = (g.arena.literal(b"{"), g.arena.literal(b"}"));
    let body = g.arena.concat(&[open, blank, members, close]);
    g.define(root, body);
    g.build(root).expect("well formed")
}

/// Tokens with whole entries in them, and states of more places than are walked together.
#[test]
fn many_members_of_few_kinds_have_the_masks_of_the_definition() {
    let vocab = byte_vocab(&[
        "\"a",
        "\"a\":",
        "\":",
        "\",",
        "\",\"",
        "\", \"",
        "\",\"b",
        ",\"b\":1",
        "1,\"b\":2,\"",
        "\"b\":1,\"d\":{\"",
        "\"}",
        "}}",
        "1}",
        "{\"b\":1",
        "x\":\"",
        "x\"",
        "xx\":",
        " \"",
        ", \"c",
        "\":\"a\",\"d\":\"\"}",
        "12",
        "abc",
        "\"\"",
        "\"e\":7,\"d\":\"\"}",
    ]);
    let mut rng = Rng::new(7);
    for (space, keys, in_order) in [(" ", 13, false), ("", 13, false), (" ", 11, true), (" ", 4, false)] {
        let g = object(space, keys, in_order);
        let constraint = compile(&g, &vocab);
        let reference = Reference::new(&g);
        for _ in 0..6 {
            let mut matcher = constraint.matcher();
            let mut state = reference.start();
            for _ in 0..25 {
                let words = mask_of(&mut matcher);
                assert_eq!(matcher.is_accepting(), reference.is_accepting(state));
                let mut open = Vec::new();
                for token in 0..vocab.width() as u32 {
                    let Some(bytes) = vocab.bytes(token) else { continue };
                    let next = reference.viability(reference.run_from(state, bytes)).known().expect("exact");
                    assert_eq!(bit(&words, token), next, "{:?}", String::from_utf8_lossy(bytes));
                    open.extend(next.then_some(token));
                }
                // Longer tokens are few: they are taken as often as bytes.
                let long: Vec<u32> = open.iter().copied().filter(|&t| t > 255).collect();
                let from = if long.is_empty() || rng.chance(1, 2) { &open } else { &long };
                if from.is_empty() {
                    break;
                }
                let token = *rng.pick(from);
                matcher.commit(token).expect("the mask has it");
                state = reference.run_from(state, vocab.bytes(token).expect("a token"));
            }
        }
    }
}

#[test]
fn required_members_stay_possible() {
    let names = ["a", "b", "c", "d"];
    let required = |s: u32| s == 1 || s == 3;
    let any = compile(&grammar(&names, ",", ("", ";"), |s| once(s, required)), &byte_vocab::<&str>(&[]));
    assert_eq!(next(&any, "a"), ",");
    assert_eq!(next(&any, "d,b"), ",;");
    assert!(accepts(&any, "d,c,b;") && !accepts(&any, "a,c,b;"));
    let ordered = |s| Members { in_order: true, ..once(s, required) };
    let ordered = compile(&grammar(&names, ",", ("", ";"), ordered), &byte_vocab::<&str>(&[]));
    assert_eq!(next(&ordered, ""), "ab");
    assert_eq!(next(&ordered, "b,"), "cd");
    assert_eq!(next(&ordered, "a,b,c,"), "d");
    // Three at most: both that are required need room.
    let three = |s: Vec<Slot>| {
        let members = once(s, required);
        Members {
            counts: members.counts.iter().cloned().chain([count(0..4, 0, Some(3))]).collect(),
            ..members
        }
    };
    let three = compile(&grammar(&names, ",", ("", ";"), three), &byte_vocab::<&str>(&[]));
    assert_eq!(next(&three, "a,"), "bd");
    assert_eq!(next(&three, "b,"), "acd");
}

#[test]
fn implied_members_are_demanded() {
    let names = ["a", "b", "c", "d"];
    let chain = |s: Vec<Slot>, max: Option<u32>| {
        let members = once(s, |_| false);
        let counts = members.counts.iter().cloned().chain([count(0..4, 0, max)]).collect();
        Members { counts, condition: implies(&[(0, 1), (1, 2)]), ..members }
    };
    let any = compile(&grammar(&names, ",", ("", ";"), |s| chain(s, None)), &byte_vocab::<&str>(&[]));
    assert_eq!(next(&any, "a"), ",");
    assert_eq!(next(&any, "a,b"), ",");
    assert_eq!(next(&any, "a,b,c"), ",;");
    assert_eq!(next(&any, "c"), ",;");
    let two = compile(&grammar(&names, ",", ("", ";"), |s| chain(s, Some(2))), &byte_vocab::<&str>(&[]));
    assert_eq!(next(&two, ""), ";bcd");
    assert_eq!(next(&two, "d,"), "c");
    assert_eq!(next(&two, "b,"), "c");
}

#[test]
fn items_by_position_and_enough_that_are_special() {
    // Two items of their own, then any number of a, of which two to three must be x, at most six in all.
    let items = |mut slots: Vec<Slot>| {
        slots[0].to = 1;
        (slots[1].from, slots[1].to) = (1, 2);
        (slots[2].from, slots[3].from) = (2, 2);
        let counts = [count([3], 2, Some(3)), count(0..4, 0, Some(6))];
        Members { counts: counts.into(), ..plain(slots) }
    };
    let c = compile(&grammar(&["f", "s", "a", "x"], ",", ("[", "]"), items), &byte_vocab::<&str>(&[]));
    assert_eq!(next(&c, "["), "f");
    assert_eq!(next(&c, "[f,"), "s");
    assert_eq!(next(&c, "[f,s,"), "ax");
    assert_eq!(next(&c, "[f,s,a,a,"), "x");
    assert_eq!(next(&c, "[f,s,x,x,x"), ",]");
    assert_eq!(next(&c, "[f,s,x,x,x,"), "a");
    assert_eq!(next(&c, "[f,s,a,x,x,x"), "]");
}

#[test]
fn groups_that_overlap() {
    // Each of twenty pairs at most once, and one at least of the first halves.
    let names: Vec<String> = (0..20).flat_map(|i| [format!("b{i:02}"), format!("g{i:02}")]).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let members = |slots: Vec<Slot>| {
        let pairs = (0..20).map(|i| count([2 * i, 2 * i + 1], 0, Some(1)));
        let bad = count((0..20).map(|i| 2 * i), 1, None);
        Members { counts: pairs.chain([bad, count(0..40, 0, Some(3))]).collect(), ..plain(slots) }
    };
    let c = compile(&grammar(&names, ",", ("{", "}"), members), &byte_vocab::<&str>(&[]));
    assert!(accepts(&c, "{b07}") && !accepts(&c, "{g07}") && !accepts(&c, "{b07,g07}"));
    assert_eq!(next(&c, "{g03,g04,"), "b");
    assert_eq!(next(&c, "{g03,b04,"), "bg");
    assert_eq!(next(&c, "{g03,g04,b0"), "01256789");
    assert!(accepts(&c, "{g03,g04,b19}"));
}

#[test]
fn what_overlaps_too_much_is_refused() {
    let names: Vec<String> = (0..40).map(|i| format!("k{i:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let members = |slots: Vec<Slot>| {
        let mut rng = Rng::new(1);
        let random = (0..30).map(|_| count((0..40).filter(|_| rng.chance(1, 2)), 5, Some(9)));
        Members { counts: random.collect(), ..plain(slots) }
    };
    let g = grammar(&names, ",", ("{", "}"), members);
    let error = Compiler::new(byte_vocab::<&str>(&[])).compile(&g).expect_err("too hard");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}

/// `before machine after`, and the same with the machine's states as rules.
fn machine_grammar(machine: MachineRef) -> Grammar {
    let mut g = GrammarBuilder::new(&Limits::default());
    let root = g.declare("root", None).expect("one rule");
    let (machine, end) = (g.arena.machine(machine), g.arena.literal(b"."));
    let body = g.arena.concat(&[machine, end]);
    g.define(root, body);
    g.build(root).expect("well formed")
}

fn followed_by_dot(grammar: Grammar) -> Grammar {
    let inner = grammar.root();
    let mut g = grammar.into_builder(&Limits::default());
    let root = g.declare("root", None).expect("one more rule");
    let (call, end) = (g.arena.rule(inner), g.arena.literal(b"."));
    let body = g.arena.concat(&[call, end]);
    g.define(root, body);
    g.build(root).expect("well formed")
}

#[test]
fn a_machine_is_the_same_as_its_states_written_as_rules() {
    let mut masks = 0;
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let dfa = random_dfa(&mut rng);
        let long: Vec<Vec<u8>> =
            (0..30).map(|_| (0..rng.between(2, 5)).map(|_| *rng.pick(b"abc.")).collect()).collect();
        // In every other case some letter is no token of its own, or no part of any.
        let bytes: Vec<Vec<u8>> = if seed % 2 == 0 {
            (0..=255u8).map(|b| vec![b]).collect()
        } else {
            vec![b"a".into(), b".".into()]
        };
        let spellings = bytes.into_iter().chain(long).filter(|t| seed % 4 != 3 || !t.contains(&b'b'));
        let vocab: Vec<(u32, Vec<u8>)> = (0..).zip(spellings).collect();
        let vocab = Vocab::from_tokens(vocab, &[1000]).expect("well formed");
        let both = [machine_grammar(dfa.machine()), followed_by_dot(dfa.grammar().expect("small"))];
        let [a, b] = both.map(|g| Compiler::new(vocab.clone()).compile(&g));
        let (Ok(a), Ok(b)) = (&a, &b) else {
            assert!(a.is_err() && b.is_err(), "seed {seed}: {dfa:?}");
            continue;
        };
        let (mut a, mut b): (Matcher, Matcher) = (a.matcher(), b.matcher());
        for _ in 0..20 {
            let mask = mask_of(&mut a);
            assert_eq!(mask, mask_of(&mut b), "seed {seed}: {dfa:?}");
            masks += 1;
            let choices: Vec<u32> = tokens_in(&mask).into_iter().filter(|&t| t != 1000).collect();
            if choices.is_empty() {
                break;
            }
            let token = *rng.pick(&choices);
            a.commit(token).expect("it was allowed");
            b.commit(token).expect("it was allowed");
        }
    }
    assert!(masks > 1_000, "{masks}");
}

#[test]
fn entries_that_match_nothing_are_left_out() {
    let mut g = GrammarBuilder::new(&Limits::default());
    let [root, never] = ["root", "again"].map(|n| g.declare(n, None).expect("two rules"));
    let (a, b, call) = (g.arena.literal(b"a"), g.arena.literal(b"b"), g.arena.rule(never));
    let again = g.arena.concat(&[a, call]);
    let conflict = [g.arena.chars(&CharSet::of("a")), g.arena.chars(&CharSet::of("bc"))];
    let conflict = g.arena.and(&conflict);
    let separator = g.arena.literal(b",");
    let slots = [a, b, conflict].map(Slot::anywhere);
    let counts = (0..3).map(|s| count([s], 0, Some(1))).collect();
    let condition = implies(&[(0, 2)]);
    let members = Members { separator, slots: slots.into(), counts, condition, in_order: false };
    let members = g.arena.members(members);
    g.define(root, members);
    g.define(never, again);
    let g = g.build(root).expect("well formed");
    // What implies an entry that matches nothing is gone as well.
    let c = compile(&g, &byte_vocab::<&str>(&[]));
    assert_eq!(next(&c, ""), "b");
    assert!(accepts(&c, "") && accepts(&c, "b"));
}

/// All texts of up to `length` of these bytes, as the reference and the constraint see them.
fn same_as_reference(g: &Grammar, letters: &[u8], length: usize) {
    let constraint = compile(g, &byte_vocab::<&str>(&[]));
    let reference = Reference::new(g);
    let mut todo = vec![Vec::new()];
    while let Some(text) = todo.pop() {
        let mut matcher = constraint.matcher();
        matcher.commit_bytes(&text).unwrap_or_else(|e| panic!("{e}\n{g}"));
        let mask = mask_of(&mut matcher);
        let state = reference.run(&text);
        assert_eq!(matcher.is_accepting(), reference.is_accepting(state), "{}\n{g}", text.escape_ascii());
        for &letter in letters {
            let viable = reference.viability(reference.step(state, letter)).known().expect("exact");
            assert_eq!(bit(&mask, letter as u32), viable, "{} in\n{g}", text.escape_ascii());
            if viable && text.len() < length {
                todo.push([&text[..], &[letter]].concat());
            }
        }
    }
}

#[test]
fn recursion_hides_behind_members_and_machines_that_may_be_empty() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut g = GrammarBuilder::new(&Limits::default());
        let root = g.declare("root", None).expect("one rule");
        let [a, b, end, separator] = ["a", "b", "x", ","].map(|t| g.arena.literal(t.as_bytes()));
        let members = random_members(&mut rng, separator, &[a, b, a]);
        let members = g.arena.members(members);
        let machine = g.arena.machine(random_dfa(&mut rng).machine());
        let (call, y) = (g.arena.rule(root), g.arena.literal(b"y"));
        let first = g.arena.concat(&[members, call, end]);
        let second = g.arena.concat(&[machine, call, end]);
        let body = g.arena.alt(&[first, second, y]);
        g.define(root, body);
        same_as_reference(&g.build(root).expect("well formed"), b"abc,xy", 4);
    }
}

/// Each key opens another set of keys, of which all but one were open before.
#[test]
fn many_keys_once_each_in_any_order() {
    let keys: Vec<String> = ('a'..='x').flat_map(|c| [c.to_string(), format!("{c}{c}z")]).collect();
    let members: Vec<String> = keys.iter().map(|key| format!(r#""{key}": {{"type": "boolean"}}"#)).collect();
    let source = format!(
        r#"{{"type": "object", "properties": {{{}}}, "additionalProperties": false}}"#,
        members.join(",")
    );
    let grammar = json_schema(&source, &Default::default(), &Limits::default()).unwrap();
    let tokens = [
        "bb",
        "bbz",
        "z\"",
        "a\":",
        "\":true",
        "cc",
        "c\":f",
        "x\":true}",
        "xxz\"",
        "\",",
        ",\"d",
        "dd",
        "ddz\":",
        "kkz",
        "true,\"",
        "false,\"m",
        "rue",
        "false}",
        "j\":true,\"jjz\":",
    ];
    let text = r#"{"bbz":true,"m":false,"a":true,"xxz":false,"ddz":true,"c":false,"jjz":true,"b":true}"#;
    masks_agree(&grammar, &byte_vocab(&tokens), text, "48 keys");
}
