//! Going through a workload: timed, or counted by callgrind.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use tokenstile::{Constraint, Grammar};

use crate::clock::thread_nanos;
use crate::phases;
use crate::valgrind::start_counting;
use crate::workload::{Case, Workload};

/// What a step is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Compiling a constraint.
    Compile,
    /// A mask and the commit behind it, with cold caches.
    Cold,
    /// The same along a text that was gone along before.
    Warm,
}

impl Kind {
    /// All of them, as they are named in results.
    pub const ALL: [(Kind, &'static str); 3] =
        [(Kind::Compile, "compile"), (Kind::Cold, "cold"), (Kind::Warm, "warm")];
}

/// Where a step is: its kind, the number of its case and its own number in the text.
pub type Step = (Kind, usize, usize);

/// What going through a workload came to.
#[derive(Default)]
pub struct Timed {
    /// All steps with the nanoseconds that they took.
    pub steps: Vec<(Step, u64)>,
    /// A hash of the masks of each case.
    pub masks: Vec<u64>,
    /// The cases that ran into a limit, or whose texts were refused.
    pub failed: Vec<usize>,
    /// Whether all cases were gone through in time.
    pub finished: bool,
}

/// Goes through a workload and takes the CPU time of each step, until it has taken too long.
pub fn timed(workload: &Workload, limit: Duration) -> Timed {
    let (started, mut timed) = (thread_nanos(), Timed::default());
    let is_over = || Duration::from_nanos(thread_nanos() - started) >= limit;
    for (number, case) in workload.cases.iter().enumerate() {
        let mut hasher = DefaultHasher::new();
        let ended = go_through(workload, (case, case.source.grammar()), &mut |kind, step, words, work| {
            let begun = thread_nanos();
            let passed = work(words);
            timed.steps.push(((kind, number, step), thread_nanos() - begun));
            words.hash(&mut hasher);
            passed && !is_over()
        });
        timed.masks.push(hasher.finish());
        timed.failed.extend((!ended).then_some(number));
        if is_over() {
            break;
        }
    }
    timed.finished = !is_over();
    timed
}

/// What was counted up to a mark: a step, or all of a workload that is not counted by itself.
pub enum Counted<'w> {
    /// One step.
    Single(Step),
    /// What has come of a workload since the last mark.
    Rest(&'w str),
}

/// Goes through a workload under callgrind. `single` tells the steps that are counted by themselves; `note` is told what
/// was counted up to each mark.
pub fn counted(workload: &Workload, single: impl Fn(Step) -> bool, note: &mut dyn FnMut(Counted<'_>)) {
    let grammars: Vec<Option<Grammar>> = workload.cases.iter().map(|case| case.source.grammar()).collect();
    start_counting();
    for ((number, case), grammar) in workload.cases.iter().enumerate().zip(grammars) {
        go_through(workload, (case, grammar), &mut |kind, step, words, work| {
            let here = (kind, number, step);
            let alone = single(here);
            if alone {
                phases::mark();
                note(Counted::Rest(&case.workload));
            }
            let passed = work(words);
            if alone {
                phases::mark();
                note(Counted::Single(here));
            }
            passed
        });
        if workload.cases.get(number + 1).is_none_or(|next| next.workload != case.workload) {
            phases::mark();
            note(Counted::Rest(&case.workload));
        }
    }
}

/// Work of one step, on the words of a mask; whether it went well.
type Work<'w> = &'w mut dyn FnMut(&mut [u32]) -> bool;

/// What does one step, given its kind, its number, the words of a mask and the work; whether it went well.
type StepFn<'s> = dyn FnMut(Kind, usize, &mut [u32], Work<'_>) -> bool + 's;

/// Compiles a case and goes twice along its text, as long as `step` says so; whether all went well.
fn go_through(
    workload: &Workload,
    (case, mut grammar): (&Case, Option<Grammar>),
    step: &mut StepFn<'_>,
) -> bool {
    if grammar.is_none() {
        return true; // refused whatever is turned off
    }
    let mut compiled = None;
    let done = step(Kind::Compile, 0, &mut [], &mut |_| {
        let grammar = grammar.take();
        compiled = grammar.and_then(|grammar| phases::compile(&workload.compiler, grammar).ok());
        compiled.is_some()
    });
    let Some(constraint) = compiled.filter(|_| done) else { return false };
    let mut words = vec![0; constraint.mask_words()];
    [Kind::Cold, Kind::Warm].into_iter().all(|kind| go_along(&constraint, case, kind, &mut words, step))
}

fn go_along(
    constraint: &Constraint,
    case: &Case,
    kind: Kind,
    words: &mut [u32],
    step: &mut StepFn<'_>,
) -> bool {
    let mut matcher = constraint.matcher();
    case.tokens.iter().enumerate().all(|(number, &token)| {
        step(kind, number, words, &mut |words| {
            let matcher = &mut matcher;
            match kind {
                Kind::Warm => {
                    phases::warm_mask(matcher, words).is_ok() && phases::warm_commit(matcher, token).is_ok()
                }
                _ => phases::cold_mask(matcher, words).is_ok() && phases::cold_commit(matcher, token).is_ok(),
            }
        })
    })
}
