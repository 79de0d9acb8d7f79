//! A batch of matchers on one thread and on two.

use std::io;
use std::time::{Duration, Instant};

use tokenstile::{Compiler, Constraint, Matcher};

use super::{STEP, Scaling, compile, schemas};

/// Matchers of a batch.
const MATCHERS: usize = 256;
/// Steps of each.
const STEPS: usize = 200;
/// How often it is measured; the lowest time counts.
const ROUNDS: usize = 7;

/// A matcher, the buffer of its masks, and how far it is in its text.
struct Slot {
    matcher: Matcher,
    words: Vec<u32>,
    at: usize,
}

/// Times of the same work, a mask and a commit for each matcher and step, in microseconds of wall time per step of the batch.
pub(super) fn measure(scaling: &mut Scaling, compiler: &Compiler) -> io::Result<()> {
    let Some(constraint) = compile(compiler, schemas::LIST) else { return Ok(()) };
    let text = schemas::list((STEPS + MATCHERS) * STEP);
    let steps: Vec<&[u8]> = text.as_bytes().chunks(STEP).collect();
    // The caches are filled first: what is measured is what a server does all the time.
    run(&mut batch(&constraint), &steps, 1);
    for threads in [1, 2] {
        let time =
            (0..ROUNDS).map(|_| run(&mut batch(&constraint), &steps, threads)).min().unwrap_or_default();
        let ns = time.as_nanos() as u64 / STEPS as u64;
        scaling.point("batch", if threads == 1 { "one thread" } else { "two threads" }, MATCHERS, ns)?;
    }
    io::Write::flush(&mut scaling.points)
}

fn batch(constraint: &Constraint) -> Vec<Slot> {
    let slot = |_| {
        let matcher = constraint.matcher();
        Slot { words: vec![0; matcher.mask_words()], matcher, at: 0 }
    };
    (0..MATCHERS).map(slot).collect()
}

fn run(slots: &mut [Slot], steps: &[&[u8]], threads: usize) -> Duration {
    let share = slots.len().div_ceil(threads);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for slots in slots.chunks_mut(share) {
            scope.spawn(move || {
                for _ in 0..STEPS {
                    slots.iter_mut().for_each(|slot| slot.step(steps));
                }
            });
        }
    });
    begun.elapsed()
}

impl Slot {
    fn step(&mut self, steps: &[&[u8]]) {
        // The text was written for the constraint, so neither fails.
        let masked = self.matcher.fill_mask(&mut self.words).is_ok();
        if masked && steps.get(self.at).is_some_and(|bytes| self.matcher.commit_bytes(bytes).is_ok()) {
            self.at += 1;
        }
    }
}
