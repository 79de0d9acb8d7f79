//! A batch of matchers on one thread and on two.

use std::io;

use tokenstile::{Compiler, Constraint, Matcher};

use super::{STEP, Scaling, compile, schemas};
use crate::dev::bench::clock::Stopwatch;

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

/// Times of the same work, a mask and a commit for each matcher and step, per step of the batch. That of two threads is the time
/// of the slower one; of each, as everywhere, the lower of wall time and CPU time, since machines are shared.
pub(super) fn measure(scaling: &mut Scaling, compiler: &Compiler) -> io::Result<()> {
    let Some(constraint) = compile(compiler, schemas::LIST) else { return Ok(()) };
    let text = schemas::list((STEPS + MATCHERS) * STEP);
    let steps: Vec<&[u8]> = text.as_bytes().chunks(STEP).collect();
    // The caches are filled first: what is measured is what a server does all the time.
    run(&mut batch(&constraint), &steps, 1);
    for threads in [1, 2] {
        let time = (0..ROUNDS).map(|_| run(&mut batch(&constraint), &steps, threads)).min();
        let ns = time.unwrap_or_default() / STEPS as u64;
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

/// The nanoseconds of the thread that takes longest.
fn run(slots: &mut [Slot], steps: &[&[u8]], threads: usize) -> u64 {
    let work = |slots: &mut [Slot]| {
        let watch = Stopwatch::start();
        for _ in 0..STEPS {
            slots.iter_mut().for_each(|slot| slot.step(steps));
        }
        watch.stop()
    };
    let share = slots.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let threads: Vec<_> = slots.chunks_mut(share).map(|slots| scope.spawn(move || work(slots))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).max().unwrap_or_default()
    })
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
