//! Short texts that a constraint matches, found by walking through the allowed bytes.
//!
//! A walk is random but leans towards the end: it stops where a text is complete, and the longer it gets, the
//! more it prefers bytes that close something. The seed is fixed, so the examples of a constraint do not change.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokenstile::{ByteSet, Compiler, Constraint, Matcher};

use super::instances;
use crate::rng::Rng;
use crate::source::{Kind, Source};

/// Walks taken at most; the best texts of them are shown.
pub(super) const WALKS: u64 = 200;
/// Length at which a walk is given up.
const LONGEST: usize = 160;
/// Length from which a walk looks for the way out.
const LONG: usize = 12;
/// Time for all walks together: examples are a courtesy.
const TIME: Duration = Duration::from_millis(300);

/// The time that is left for walks.
pub(super) struct Clock(Instant);

impl Clock {
    /// Whether it is time to stop.
    pub(super) fn is_over(&self) -> bool {
        self.0.elapsed() > TIME
    }
}

/// Up to `wanted` different texts, shortest first.
pub(super) fn find(
    source: &Source,
    compiler: &Compiler,
    constraint: &Constraint,
    wanted: usize,
) -> Vec<Vec<u8>> {
    if wanted == 0 {
        return Vec::new();
    }
    let clock = Clock(Instant::now());
    let mut found = match source.kind {
        Kind::JsonSchema => instances::find(source, compiler, constraint, &clock),
        _ => Vec::new(),
    };
    if found.is_empty() {
        found = walks(constraint, &clock);
    }
    // The empty text says little about a constraint that matches others too.
    if found.len() > wanted {
        found.retain(|text| !text.is_empty());
    }
    found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    match source.kind {
        Kind::JsonSchema => spread(found, wanted, instances::shape),
        _ => spread(found, wanted, |text| text.first().map(|&byte| sort_of(byte)).into_iter().collect()),
    }
}

/// Different texts of any constraint.
fn walks(constraint: &Constraint, clock: &Clock) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    for seed in 0..WALKS {
        if clock.is_over() {
            break;
        }
        if let Some(text) = walk(&mut constraint.matcher(), &mut Rng::new(seed))
            && !found.contains(&text)
        {
            found.push(text);
        }
    }
    found
}

/// One text, if the walk reaches the end of one.
fn walk(matcher: &mut Matcher, rng: &mut Rng) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    while text.len() < LONGEST {
        let long = text.len() >= LONG;
        if matcher.is_accepting() && (long || rng.chance(1, 3)) {
            return Some(text);
        }
        let allowed = matcher.allowed_bytes().ok()?;
        if allowed.is_empty() {
            return matcher.is_accepting().then_some(text);
        }
        let byte = choose(&allowed, long, rng)?;
        matcher.commit_bytes(&[byte]).ok()?;
        text.push(byte);
    }
    None
}

/// A byte to go on with: what closes something if the text is long, else what reads well, else any.
fn choose(allowed: &ByteSet, long: bool, rng: &mut Rng) -> Option<u8> {
    let closing: ByteSet = (*b"\"'])}>;.").into_iter().collect();
    let readable =
        ByteSet::range(b'a', b'z').union(&ByteSet::range(b'A', b'Z')).union(&ByteSet::range(b'0', b'9'));
    let ascii = ByteSet::range(b'!', b'~');
    let pools: [(ByteSet, usize); 3] =
        [(closing, if long { 8 } else { 1 }), (readable, if long { 5 } else { 6 }), (ascii, 9)];
    for (pool, weight) in pools {
        let pool = allowed.intersect(&pool);
        if !pool.is_empty() && rng.chance(weight, 10) {
            return rng.pick(&pool.iter().collect::<Vec<_>>()).copied();
        }
    }
    let printable = allowed.intersect(&ByteSet::range(b' ', b'~'));
    let pool = if printable.is_empty() { *allowed } else { printable };
    rng.pick(&pool.iter().collect::<Vec<_>>()).copied()
}

/// `wanted` of the sorted `texts`, of as many sorts as there are.
fn spread(texts: Vec<Vec<u8>>, wanted: usize, sort: impl Fn(&[u8]) -> Vec<u8>) -> Vec<Vec<u8>> {
    let mut seen = HashMap::new();
    let mut ranked: Vec<(usize, Vec<u8>)> = texts
        .into_iter()
        .map(|text| {
            let rank = seen.entry(sort(&text)).or_insert(0usize);
            *rank += 1;
            (*rank, text)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(wanted);
    ranked.sort_by_key(|(_, text)| text.len());
    ranked.into_iter().map(|(_, text)| text).collect()
}

/// Letters are alike, and digits are.
fn sort_of(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => b'0',
        b'a'..=b'z' => b'a',
        b'A'..=b'Z' => b'A',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_differ_in_how_they_begin() {
        let texts: Vec<Vec<u8>> = ["1", "2", "3", "-4", "\"\"", "true"].map(|t| t.as_bytes().to_vec()).into();
        let sort = |text: &[u8]| vec![sort_of(text[0])];
        let shown = |wanted| spread(texts.clone(), wanted, sort).concat();
        assert_eq!(shown(3), b"1-4\"\"");
        assert_eq!(shown(5), b"12-4\"\"true");
        assert_eq!(spread(texts.clone(), 20, sort).len(), 6);
        assert!(shown(0).is_empty());
    }

    #[test]
    fn a_byte_is_always_chosen_from_the_allowed() {
        let mut rng = Rng::new(7);
        for byte in 0..=255u8 {
            for long in [false, true] {
                assert_eq!(choose(&ByteSet::single(byte), long, &mut rng), Some(byte));
            }
        }
        assert_eq!(choose(&ByteSet::EMPTY, false, &mut rng), None);
    }
}
