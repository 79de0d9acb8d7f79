//! What one step of a text takes, what it would take without each of the ways that it reaches, and what it found in memos.

use std::collections::HashMap;

use tokenstile::{Compiler, Constraint};
use tokenstile_engine::ablate;

use crate::clock::thread_nanos;
use crate::workload::Case;

/// What was found out about a step.
pub struct Explained {
    /// Nanoseconds of its mask and its commit, with caches that have seen the text before it and nothing else.
    pub nanos: u64,
    /// The ways that were decided on, by name, with the nanoseconds without each.
    pub without: Vec<(&'static str, u64)>,
    /// The memos that were asked: how often the answer was there, and how often it was not.
    pub memos: Vec<(&'static str, u64, usize)>,
}

/// One measurement.
struct Once {
    nanos: u64,
    asked: Vec<&'static str>,
    memos: Vec<(&'static str, u64, usize)>,
}

/// Explains the step with this number, the first one being 0. `compiler` makes compilers that nothing was compiled with; each figure
/// is the least of `rounds`.
pub fn step<E: From<String>>(
    compiler: impl Fn() -> Result<Compiler, E>,
    case: &Case,
    number: usize,
    rounds: usize,
) -> Result<Explained, E> {
    let with_off = |off: &[&str]| -> Result<Once, E> {
        ablate::turn_off(off).map_err(|name| format!("there is no way called {name}"))?;
        let mut best: Option<Once> = None;
        for _ in 0..rounds.max(1) {
            let found = once(&compiler()?, case, number)?;
            if best.as_ref().is_none_or(|best| found.nanos < best.nanos) {
                best = Some(found);
            }
        }
        best.ok_or_else(|| E::from("nothing was measured".to_owned()))
    };
    let Once { nanos, asked, memos } = with_off(&[])?;
    let without = asked.iter().map(|&name| Ok((name, with_off(&[name])?.nanos))).collect::<Result<_, E>>();
    with_off(&[])?;
    Ok(Explained { nanos, without: without?, memos })
}

/// Goes along the text up to the step, and measures that.
fn once(compiler: &Compiler, case: &Case, number: usize) -> Result<Once, String> {
    let (before, rest) = case.tokens.split_at_checked(number).ok_or("the text has no such step")?;
    let grammar = case.source.grammar().ok_or("the constraint is refused")?;
    let constraint = compiler.compile(grammar).map_err(|error| error.to_string())?;
    let (mut matcher, mut words) = (constraint.matcher(), vec![0; constraint.mask_words()]);
    let mut go_on = |token: Option<&u32>| {
        matcher.fill_mask(&mut words).map_err(|error| error.to_string())?;
        token.map_or(Ok(()), |&token| matcher.commit(token)).map_err(|error| error.to_string())
    };
    before.iter().try_for_each(|token| go_on(Some(token)))?;
    ablate::asked();
    let (known, begun) = (counts(&constraint), thread_nanos());
    go_on(rest.first())?;
    let nanos = thread_nanos() - begun;
    let asked = ablate::asked();
    let memos = constraint.stats().memos.into_iter().map(|memo| {
        let (hits, entries) = known.get(memo.name).copied().unwrap_or_default();
        (memo.name, memo.hits - hits, memo.entries - entries)
    });
    Ok(Once { nanos, asked, memos: memos.filter(|&(_, hits, made)| hits > 0 || made > 0).collect() })
}

/// How often something was found in each memo, and how much it holds.
fn counts(constraint: &Constraint) -> HashMap<&'static str, (u64, usize)> {
    constraint.stats().memos.into_iter().map(|memo| (memo.name, (memo.hits, memo.entries))).collect()
}
