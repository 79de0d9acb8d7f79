//! What is said on standard error: how far it is, each token, and what it all cost.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokenstile::Vocab;
use tokenstile_runtime::{Origin, Runtime, Sequence, Stats, Written};

use crate::bytes;
use crate::diagnostic::{BOLD, FRAME};
use crate::failure::Failure;

/// Times outside of the sequences.
#[derive(Debug, Default)]
pub(crate) struct Timing {
    /// Fetching and checking the model.
    pub(crate) fetch: Duration,
    /// Loading it.
    pub(crate) load: Duration,
    /// Reading and compiling the constraint.
    pub(crate) compile: Duration,
    /// From the prompt to the first token.
    pub(crate) first: Duration,
    /// From the prompt to the last token.
    pub(crate) writing: Duration,
}

/// Shows each step.
pub(crate) struct Reporter {
    show_masks: bool,
    vocab: Vocab,
    /// Counts tokens, while the text itself does not show on the same terminal.
    spinner: Option<ProgressBar>,
    tokens: u64,
}

impl Reporter {
    pub(crate) fn new(show_masks: bool, runtime: &Runtime) -> Reporter {
        let shown = !show_masks && !std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        let spinner = shown.then(|| {
            let spinner = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("writing            {pos} tokens, {per_sec}") {
                spinner.set_style(style);
            }
            spinner
        });
        if show_masks {
            let heading = format!(
                "{BOLD}{:<10} {:<26} {:>8} {:>8} {:>9} {:>9}{BOLD:#}",
                "", "token", "before", "after", "allowed", "mask"
            );
            say(&heading);
        }
        Reporter { show_masks, vocab: runtime.tokenizer().vocab().clone(), spinner, tokens: 0 }
    }

    pub(crate) fn step(&mut self, index: usize, written: &[Written]) {
        self.tokens += written.len() as u64;
        if let Some(spinner) = &self.spinner {
            spinner.set_position(self.tokens);
        }
        if self.show_masks && index == 0 {
            written.iter().for_each(|token| say(&self.line(token)));
        }
    }

    /// One token: what it is, how likely it was, how much was allowed, what the mask cost.
    fn line(&self, written: &Written) -> String {
        let spelled = match self.vocab.name(written.token) {
            Some(name) => name.to_owned(),
            None => bytes::quote(&written.bytes),
        };
        let origin = match (written.origin, written.free) {
            (Origin::Forced, _) => "forced",
            (Origin::Steered, _) => "steered",
            (Origin::Sampled, true) => "free",
            (Origin::Sampled, false) => "sampled",
        };
        let start = format!("{FRAME}{origin:<10}{FRAME:#} {spelled:<26}");
        match written.choice.as_ref().and_then(|choice| Some((choice, choice.details.as_ref()?))) {
            None => start,
            Some((choice, details)) => format!(
                "{start} {:>8.4} {:>8.4} {:>9} {:>6.1} µs",
                details.before,
                details.after,
                choice.allowed,
                written.mask_time.as_secs_f64() * 1e6
            ),
        }
    }

    /// Shows the free text before the constraint.
    pub(crate) fn reasoning(&mut self, sequence: &mut Sequence) {
        let text = sequence.take_reasoning();
        if !text.is_empty() && !self.show_masks {
            let mut stderr = anstream::stderr();
            let _ = write!(stderr, "{FRAME}{text}{FRAME:#}").and_then(|()| stderr.flush());
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
    }
}

/// A line on standard error. If that is closed nobody wants to read it.
fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Writes what it cost.
pub(crate) fn write_stats(timing: &Timing, sequences: &[Sequence]) -> Result<(), Failure> {
    let mut all = Stats::default();
    sequences.iter().for_each(|sequence| all.add(sequence.stats()));
    let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
    let percent = |part: f64| format!("{:.2} %", part * 100.0);
    let first = timing.fetch + timing.load + timing.compile + timing.first;
    let prompt = sequences.first().map_or(0, |sequence| sequence.stats().prompt_tokens);
    // Of all texts together: they share passes.
    let after_first = (timing.writing - timing.first).as_secs_f64().max(f64::MIN_POSITIVE);
    let rate = all.written.saturating_sub(sequences.len()) as f64 / after_first;
    let rows = [
        ("first token after", seconds(first)),
        ("  model there", seconds(timing.fetch)),
        ("  model loaded", seconds(timing.load)),
        ("  constraint compiled", seconds(timing.compile)),
        ("  prompt", format!("{} ({prompt} tokens)", seconds(timing.first))),
        ("tokens", format!("{} in {}", all.written, seconds(timing.writing))),
        ("  a second", format!("{rate:.1}")),
        ("  forced, no pass", format!("{} ({} of all passes saved)", all.jumped, percent(all.saved()))),
        ("  steered", all.steered.to_string()),
        ("passes of the model", all.passes.to_string()),
        ("masks", format!("{} on their own thread", seconds(all.masks))),
        ("  waited for", format!("{} ({} of all time)", seconds(all.waited), percent(all.waiting()))),
    ];
    let mut stderr = anstream::stderr();
    for (name, value) in rows {
        writeln!(stderr, "{name:<24}{value}")?;
    }
    Ok(())
}
