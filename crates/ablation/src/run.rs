//! Going through a workload: timed, or counted by callgrind.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use tokenstile::{Constraint, Grammar};

use crate::clock::thread_nanos;
use crate::phases::{self, Slot};
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

/// The outcome of going through a workload.
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
            let passed = work(0, words) && work(1, words);
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

/// The parts of steps of one kind, which are counted apart.
fn phases(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Compile => &["compile"],
        Kind::Cold => &["cold_mask", "cold_commit"],
        Kind::Warm => &["warm_mask", "warm_commit"],
    }
}

/// Goes through a workload under callgrind. `single` names the steps that are counted by themselves. What each function is
/// for comes out: the name of such a step or a workload, and the phase.
pub fn counted(workload: &Workload, single: impl Fn(Step) -> Option<String>) -> Vec<(&'static str, String)> {
    let grammars: Vec<Option<Grammar>> = workload.cases.iter().map(|case| case.source.grammar()).collect();
    let (mut free, mut known) = (phases::slots(), HashMap::<String, Slot>::new());
    start_counting();
    for ((number, case), grammar) in workload.cases.iter().enumerate().zip(grammars) {
        go_through(workload, (case, grammar), &mut |kind, step, words, work| {
            let owner = single((kind, number, step)).unwrap_or_else(|| case.workload.clone());
            phases(kind).iter().enumerate().all(|(part, phase)| {
                let label = format!("{owner}/{phase}");
                let Some(slot) = known.get(&label).copied().or_else(|| free.next()) else { return false };
                known.insert(label, slot);
                (slot.call)(&mut || work(part, words))
            })
        });
    }
    known.into_iter().map(|(label, slot)| (slot.name, label)).collect()
}

/// One part of a step, on the words of a mask; whether it went well.
type Part<'w> = &'w mut dyn FnMut(usize, &mut [u32]) -> bool;

/// What does one step, given its kind, its number, the words of a mask and both parts of the work; whether it went well.
type StepFn<'s> = dyn FnMut(Kind, usize, &mut [u32], Part<'_>) -> bool + 's;

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
    let done = step(Kind::Compile, 0, &mut [], &mut |_, _| {
        if let Some(grammar) = grammar.take() {
            compiled = workload.compiler.compile(grammar).ok();
        }
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
        step(kind, number, words, &mut |part, words| match part {
            0 => matcher.fill_mask(words).is_ok(),
            _ => matcher.commit(token).is_ok(),
        })
    })
}
