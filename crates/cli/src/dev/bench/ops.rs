//! Micro timings: fork, rollback, and the mask of a state that has just been asked.

use serde_json::{Map, Value, json};
use tokenstile::{Constraint, MatchError};

use super::case::Test;
use super::clock::Stopwatch;

/// Token at which the operations are measured, if the test is that long.
const POSITION: usize = 1000;

/// Best times in nanoseconds, somewhere inside the longest valid test; an empty object if there is none.
pub(super) fn measure(
    constraint: &Constraint,
    tests: &[Test],
    words: &mut [u32],
) -> Result<Value, MatchError> {
    let mut times = Map::new();
    let longest = tests.iter().filter(|test| test.valid).max_by_key(|test| test.tokens.len());
    let Some(test) = longest.filter(|test| !test.tokens.is_empty()) else { return Ok(times.into()) };
    let position = POSITION.min(test.tokens.len().saturating_sub(10));
    let (before, after) = test.tokens.split_at(position);
    let mut matcher = constraint.matcher();
    for &token in before {
        matcher.fill_mask(words)?;
        if matcher.commit(token).is_err() {
            // The constraint does not match the test: the result line says so already.
            return Ok(times.into());
        }
    }
    times.insert(format!("fork@{position}"), json!(best(50, || drop(matcher.fork()))));
    for count in [1, 10].into_iter().filter(|&count| count <= after.len()) {
        let mut fastest = u64::MAX;
        for _ in 0..30 {
            if after[..count].iter().any(|&token| matcher.commit(token).is_err()) {
                return Ok(times.into());
            }
            let watch = Stopwatch::start();
            matcher.rollback(count)?;
            fastest = fastest.min(watch.stop());
        }
        times.insert(format!("rollback({count})"), json!(fastest));
    }
    matcher.fill_mask(words)?;
    let mut failed = None;
    let repeated = best(200, || {
        if let Err(error) = matcher.fill_mask(words) {
            failed = Some(error);
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    times.insert("mask, same state repeated".into(), json!(repeated));
    Ok(times.into())
}

/// The best average of five rounds of `count` calls.
fn best(count: u64, mut operation: impl FnMut()) -> u64 {
    let round = |_| {
        let watch = Stopwatch::start();
        for _ in 0..count {
            operation();
        }
        watch.stop() / count
    };
    (0..5).map(round).min().unwrap_or(0)
}
