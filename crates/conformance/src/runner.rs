//! Runs the cases of a sweep, each in a thread of its own.
//!
//! The thread has the name of the case, so that a stack overflow, which cannot be caught, names it. A panic is caught
//! and becomes a finding. A case that takes too long becomes one too, and its thread is left behind.

use std::cell::RefCell;
use std::io::{IsTerminal, Write, stderr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::report::{Kind, Outcome, Tally};

/// How long one case may take.
pub(crate) const CASE_TIME: Duration = Duration::from_secs(20);

/// How many cases run at a time.
const THREADS: usize = 2;

thread_local! {
    /// In the thread of a case: what it panicked with.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps the messages of cases that panic instead of printing them.
pub(crate) fn keep_panics() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_case =
            PANIC.with_borrow_mut(|kept| kept.as_mut().map(|kept| *kept = panic.to_string()).is_some());
        if !is_case {
            print(panic);
        }
    }));
}

/// Runs `work` for every case. A case is its name and whatever `work` takes.
pub(crate) fn run<C, W>(sweep: &str, cases: Vec<(String, C)>, work: W) -> Tally
where
    C: Send + Sync + 'static,
    W: Fn(&str, &C) -> Outcome + Send + Sync + 'static,
{
    let (cases, work) = (Arc::new(cases), Arc::new(work));
    let progress = Progress::new(sweep, cases.len());
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((name, _)) = cases.get(index) else { break };
                    let begun = Instant::now();
                    let outcome = case(&cases, index, &work, CASE_TIME);
                    if let Ok(mut tally) = tally.lock() {
                        tally.slowest.push((begun.elapsed(), name.clone()));
                        tally.take(name.clone(), outcome);
                        progress.show(tally.cases.len());
                    }
                }
            });
        }
    });
    progress.end();
    let mut tally = tally.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    tally.sort();
    tally
}

fn case<C, W>(cases: &Arc<Vec<(String, C)>>, index: usize, work: &Arc<W>, time: Duration) -> Outcome
where
    C: Send + Sync + 'static,
    W: Fn(&str, &C) -> Outcome + Send + Sync + 'static,
{
    let (cases, work) = (Arc::clone(cases), Arc::clone(work));
    let name = cases[index].0.clone();
    let (send, receive) = mpsc::channel();
    let started = thread::Builder::new().name(name.replace('\0', " ")).spawn(move || {
        PANIC.set(Some(String::new()));
        let (name, case) = &cases[index];
        let outcome = catch_unwind(AssertUnwindSafe(|| work(name, case)));
        // Nobody listens any more if it took too long.
        let _ = send.send(outcome.map_err(|_| PANIC.take().unwrap_or_default()));
    });
    let mut wrong = Outcome::default();
    if let Err(error) = started {
        wrong.find(Kind::Hang, name, format!("no thread: {error}"));
        return wrong;
    }
    match receive.recv_timeout(time) {
        Ok(Ok(outcome)) => return outcome,
        Ok(Err(panic)) => wrong.find(Kind::Panic, name, panic),
        Err(_) => {
            let _ = writeln!(stderr(), "{name}: hangs, and goes on to do so in the background");
            wrong.find(Kind::Hang, name, format!("more than {time:?}"));
        }
    }
    wrong
}

/// How far a sweep is, on the terminal.
struct Progress {
    sweep: String,
    total: usize,
    shown: Mutex<Instant>,
    started: Instant,
    live: bool,
}

impl Progress {
    fn new(sweep: &str, total: usize) -> Self {
        let now = Instant::now();
        Progress {
            sweep: sweep.to_owned(),
            total,
            shown: Mutex::new(now),
            started: now,
            live: stderr().is_terminal(),
        }
    }

    fn show(&self, done: usize) {
        let pause = Duration::from_millis(if self.live { 100 } else { 10_000 });
        let Ok(mut shown) = self.shown.lock() else { return };
        if shown.elapsed() < pause {
            return;
        }
        *shown = Instant::now();
        let end = if self.live { "\r" } else { "\n" };
        let _ = write!(stderr(), "{}: {done} of {}{end}", self.sweep, self.total);
    }

    fn end(&self) {
        let seconds = self.started.elapsed().as_secs_f64();
        let _ = writeln!(stderr(), "{}: {} cases in {seconds:.1} s", self.sweep, self.total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_and_hangs_are_findings_with_the_name() {
        let work = Arc::new(|_: &str, number: &u32| {
            let mut outcome = Outcome::default();
            match number {
                0 => outcome.count("fine"),
                1 => panic!("oh no"),
                _ => thread::sleep(Duration::from_secs(5)),
            }
            outcome
        });
        keep_panics();
        let cases = Arc::new(vec![("good".to_owned(), 0), ("bad".to_owned(), 1), ("slow".to_owned(), 2)]);
        let outcomes = [0, 1, 2].map(|index| case(&cases, index, &work, Duration::from_millis(300)));
        assert_eq!(outcomes[0].counts["fine"], 1);
        let found = |outcome: &Outcome| (outcome.findings[0].kind, outcome.findings[0].name.clone());
        assert_eq!(found(&outcomes[1]), (Kind::Panic, "bad".to_owned()));
        assert!(outcomes[1].findings[0].detail.contains("oh no"));
        assert_eq!(found(&outcomes[2]), (Kind::Hang, "slow".to_owned()));
    }
}
