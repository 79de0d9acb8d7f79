//! Masks that were asked for before, beside a plain copy of a mask: the least that writing one can cost.

use std::hint::black_box;
use std::io;

use tokenstile::{Compiler, MatchError, Matcher};

use super::{STEP, Scaling, compile, median, schemas};
use crate::dev::bench::clock::Stopwatch;

/// Steps of the text, at each of which both are measured.
const STEPS: usize = 60;
/// How often a mask is asked for before it is measured, so that whatever is kept of it is.
const BEFORE: usize = 64;
/// Rows of the tensor that masks are written to, one after the other, as a server does.
const ROWS: usize = 16;
/// How often all of them; an average of these is one measurement.
const TIMES: u64 = 16;
/// Measurements of each, in turn; the lowest counts.
const ROUNDS: usize = 7;

/// Times of a fill and of a copy, in nanoseconds.
struct Both {
    fill: u64,
    copy: u64,
}

/// The median of all places, and the slowest.
pub(super) fn measure(scaling: &mut Scaling, compiler: &Compiler) -> io::Result<()> {
    let Some(constraint) = compile(compiler, schemas::LIST) else { return Ok(()) };
    let text = schemas::list(STEPS * STEP);
    let mut matcher = constraint.matcher();
    let mut step = |bytes: &[u8]| {
        let both = at(&mut matcher)?;
        matcher.commit_bytes(bytes)?;
        Ok(both)
    };
    let all: Result<Vec<Both>, MatchError> = text.as_bytes().chunks(STEP).map(&mut step).collect();
    let Ok(all) = all else { return Ok(()) };
    let (fills, copies): (Vec<u64>, Vec<u64>) = all.iter().map(|both| (both.fill, both.copy)).unzip();
    let size = compiler.vocab().width();
    scaling.point("fill", "copy", size, median(&copies))?;
    scaling.point("fill", "fill", size, median(&fills))?;
    scaling.point("fill", "slowest", size, fills.into_iter().max().unwrap_or(0))
}

/// Both, at the place where a matcher is.
fn at(matcher: &mut Matcher) -> Result<Both, MatchError> {
    let words = matcher.mask_words();
    let (mut rows, mut from) = (vec![0u32; words * ROWS], vec![0u32; words]);
    for _ in 0..BEFORE {
        matcher.fill_mask(&mut from)?;
    }
    let mut both = Both { fill: u64::MAX, copy: u64::MAX };
    for _ in 0..ROUNDS {
        let fill = each(&mut rows, words, |row| matcher.fill_mask(row))?;
        let copy = each(&mut rows, words, |row| {
            row.copy_from_slice(black_box(&from));
            Ok(())
        })?;
        both = Both { fill: both.fill.min(fill), copy: both.copy.min(copy) };
    }
    Ok(both)
}

/// How long it takes to write a row.
fn each(
    rows: &mut [u32],
    words: usize,
    mut write: impl FnMut(&mut [u32]) -> Result<(), MatchError>,
) -> Result<u64, MatchError> {
    let watch = Stopwatch::start();
    for _ in 0..TIMES {
        black_box(&mut *rows).chunks_exact_mut(words).try_for_each(&mut write)?;
    }
    Ok(watch.stop() / (TIMES * ROWS as u64))
}
