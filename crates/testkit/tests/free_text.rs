//! Free text up to a trigger, against its definition: all short texts over random triggers.

use tokenstile_grammar::{Composer, Grammar, Limits, Part, Trigger, Triggered};
use tokenstile_testkit::{Reference, Rng};

/// Where `word` occurs in `text`, as ranges.
fn occurrences<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    let (len, size) = (text.len(), word.len());
    (0..=len.saturating_sub(size))
        .filter(move |&at| text.as_bytes()[at..].starts_with(word.as_bytes()))
        .map(move |at| (at, at + size))
}

/// Whether text up to `from` and then a trigger up to the end is free text and its first trigger: nothing that begins in the
/// text is complete before the trigger is.
fn begins(text: &str, from: usize, words: &[String]) -> bool {
    let early = |&(start, end): &(usize, usize)| start < from && end < text.len();
    !words.iter().any(|word| occurrences(text, word).any(|found| early(&found)))
}

/// What a trigger begins in these tests: its number in brackets.
fn tag(number: usize) -> String {
    format!("({number})")
}

struct Case {
    triggers: Vec<String>,
    excludes: Vec<String>,
    /// Triggers and excludes.
    words: Vec<String>,
    at_least_one: bool,
    stop_after_first: bool,
}

impl Case {
    fn random(rng: &mut Rng) -> Case {
        let word = |rng: &mut Rng| -> String {
            (0..rng.between(1, 4)).map(|_| *rng.pick(&['a', 'b', 'é'])).collect()
        };
        let triggers: Vec<String> = (0..rng.between(1, 3)).map(|_| word(rng)).collect();
        let excludes: Vec<String> = (0..rng.below(3)).map(|_| word(rng)).collect();
        let words = [&triggers[..], &excludes[..]].concat();
        Case { triggers, excludes, words, at_least_one: rng.chance(1, 3), stop_after_first: rng.chance(1, 3) }
    }

    fn free(&self, text: &str) -> bool {
        !self.words.iter().any(|word| text.contains(word.as_str()))
    }

    /// Whether the whole text is free text with tags.
    fn accepts(&self, text: &str, first: bool) -> bool {
        if self.free(text) && !(first && self.at_least_one) {
            return true;
        }
        (0..=text.len()).filter(|&at| text.is_char_boundary(at)).any(|from| {
            if from > 0 && first && self.at_least_one {
                return false;
            }
            self.triggers.iter().enumerate().any(|(number, trigger)| {
                let end = from + trigger.len();
                if !text[from..].starts_with(trigger.as_str()) || !begins(&text[..end], from, &self.words) {
                    return false;
                }
                let Some(rest) = text[end..].strip_prefix(&tag(number)) else { return false };
                if self.stop_after_first { rest.is_empty() } else { self.accepts(rest, false) }
            })
        })
    }

    fn grammar(&self, make: impl FnOnce(&mut Composer, Vec<Trigger>, Vec<Trigger>) -> Part) -> Grammar {
        let triggers = |words: &[String]| words.iter().map(|word| Trigger::text(word.as_str())).collect();
        let mut composer = Composer::new(&Limits::default());
        let root = make(&mut composer, triggers(&self.triggers), triggers(&self.excludes));
        composer.build(root).unwrap()
    }
}

/// All texts of so many characters.
fn texts(alphabet: &[&str], len: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..len {
        let end = all.len();
        for at in from..end {
            for c in alphabet {
                let longer = format!("{}{c}", all[at]);
                all.push(longer);
            }
        }
        from = end;
    }
    all
}

#[test]
fn text_until_something() {
    for seed in 0..150 {
        let case = Case::random(&mut Rng::new(seed));
        let until = case.grammar(|c, triggers, excludes| c.until(triggers.into_iter().chain(excludes)));
        let through = case.grammar(|c, ends, excludes| c.through(ends, excludes));
        let (until, through) = (Reference::new(&until), Reference::new(&through));
        for text in texts(&["a", "b", "é", "x"], 6) {
            let what = || format!("{text} of {:?} without {:?}", case.triggers, case.excludes);
            assert_eq!(until.accepts(text.as_bytes()), case.free(&text), "until {}", what());
            let ends = case.triggers.iter().any(|end| {
                text.ends_with(end.as_str()) && begins(&text, text.len() - end.len(), &case.words)
            });
            assert_eq!(through.accepts(text.as_bytes()), ends, "through {}", what());
        }
    }
}

#[test]
fn text_with_tags() {
    for seed in 1_000..1_150 {
        let mut rng = Rng::new(seed);
        let case = Case::random(&mut rng);
        let grammar = case.grammar(|c, triggers, excludes| {
            let tags =
                triggers.into_iter().enumerate().map(|(number, trigger)| (trigger, c.literal(&tag(number))));
            let mut triggered = Triggered::new(tags.collect::<Vec<_>>());
            triggered.excludes = excludes;
            (triggered.at_least_one, triggered.stop_after_first) = (case.at_least_one, case.stop_after_first);
            c.triggered(triggered)
        });
        let reference = Reference::new(&grammar);
        let pieces = ["a", "b", "é", "x", "(0)", "(1)", "(2)"];
        for _ in 0..3_000 {
            let text: String = (0..rng.below(8)).map(|_| *rng.pick(&pieces)).collect();
            let what = format!(
                "{text} of {:?} without {:?}, {} {}",
                case.triggers, case.excludes, case.at_least_one, case.stop_after_first
            );
            assert_eq!(reference.accepts(text.as_bytes()), case.accepts(&text, true), "{what}");
        }
    }
}

#[test]
fn a_trigger_that_is_begun_is_text() {
    let mut c = Composer::new(&Limits::default());
    let end = c.literal("!");
    let root = c.triggered(Triggered::new([(Trigger::text("<tool>"), end)]));
    let grammar = c.build(root).unwrap();
    let reference = Reference::new(&grammar);
    for text in ["", "<", "a<tool", "<<tool<tool>!", "<tool>!<tool>! and <too", "é<tool>!"] {
        assert!(reference.accepts(text.as_bytes()), "{text}");
    }
    for text in ["<tool>", "<tool>x", "<tool>!<tool>?", "<<tool>"] {
        assert!(!reference.accepts(text.as_bytes()), "{text}");
    }
}
