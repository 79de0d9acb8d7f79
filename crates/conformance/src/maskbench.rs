//! MaskBench: real schemas, with instances that the data calls valid or invalid.
//!
//! Every schema is compiled as a user would have it, under limits of time and memory, and every instance is judged
//! byte by byte. On some schemas the same texts are also matched in tokens of a real vocabulary.

use std::sync::Arc;
use std::time::Instant;

use tokenstile::{Compiler, JsonOptions, MemberOrder};

use crate::allocate::Peak;
use crate::data::{Schema, Unreadable};
use crate::known::Known;
use crate::oracle::Oracle;
use crate::report::{Kind, Outcome, TEST, Tally};
use crate::runner;
use crate::setup::{Setup, hash};
use crate::subject::{self, Compiled, Reading, Verdict};
use crate::text::{dumps, excerpt};
use crate::vocabulary::{self, Real};

/// Bytes that a schema and its texts may take.
const MEMORY: usize = 200 << 20;

/// One schema in so many is also run on a real vocabulary.
const REAL_ONE_IN: u64 = 20;

struct Sweep {
    bytes: Compiler,
    real: Real,
    known: Known,
    reading: Reading,
    details: bool,
    all_real: bool,
}

/// Runs the sweep.
pub(crate) fn run(setup: &Setup) -> Result<Tally, Unreadable> {
    let sweep = Sweep {
        bytes: vocabulary::bytes()?,
        real: Real::load(&setup.shared)?,
        known: Known::load()?,
        reading: setup.reading,
        details: setup.id.is_some(),
        all_real: setup.all_real,
    };
    let sweep = Arc::new(sweep);
    Ok(runner::run("maskbench", setup.choose(setup.maskbench()?, 8, 12), move |name, schema| {
        sweep.schema(name, schema)
    }))
}

impl Sweep {
    fn schema(&self, name: &str, schema: &Schema) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.count("schemas");
        let text = schema.schema.to_string();
        let oracle = Oracle::new(&schema.schema);
        match &oracle {
            Ok(oracle) => cross_check(name, schema, oracle, &mut outcome),
            Err(error) => outcome.note("schemas that the validator refuses", format!("{name}: {error}")),
        }
        let (peak, started) = (Peak::start(), Instant::now());
        let options = JsonOptions::default();
        let compiled = subject::compile(name, &text, &options, self.reading, &self.bytes);
        let took = started.elapsed();
        if let Compiled::Refused(finding) = compiled {
            outcome.findings.push(finding);
            return outcome;
        }
        if self.details {
            outcome.note("details", format!("compiled in {took:?}, {} bytes at most", peak.bytes()));
        }
        if let Compiled::Empty = compiled {
            outcome.note("schemas without instances", name);
        }
        let verdicts = self.tests(name, schema, &compiled, &mut outcome);
        (outcome.held, outcome.took) = (peak.bytes(), started.elapsed());
        if peak.bytes() > MEMORY {
            outcome.find(Kind::OverLimit, name, format!("{} MB held at most", peak.bytes() >> 20));
        }
        self.other_order(&text, &mut outcome, schema);
        if oracle.is_ok() || !self.known.is_empty() {
            self.known(schema, oracle.as_ref().ok(), &verdicts, &mut outcome);
        }
        if hash(name).is_multiple_of(REAL_ONE_IN) || self.details || self.all_real {
            self.on_real_vocabulary(name, schema, &text, &verdicts, &mut outcome);
        }
        if outcome.findings.iter().all(|finding| finding.kind == Kind::OtherOrder) {
            outcome.count("schemas passed");
        }
        outcome
    }

    /// Judges every instance.
    fn tests(&self, name: &str, schema: &Schema, compiled: &Compiled, outcome: &mut Outcome) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for (index, test) in schema.tests.iter().enumerate() {
            let text = dumps(&test.data);
            let verdict = compiled.judge(&text);
            let name = format!("{name}{TEST}{index}");
            if self.details {
                outcome.note("details", format!("{name}: valid = {}, {verdict:?}: {text}", test.valid));
            }
            outcome.count(if test.valid { "valid texts" } else { "invalid texts" });
            match (&verdict, test.valid) {
                (Verdict::OverLimit(limit), _) => outcome.find(Kind::OverLimit, name, limit),
                (Verdict::Accepted, false) => outcome.find(Kind::InvalidAccepted, name, excerpt(&text, 300)),
                (Verdict::Rejected(at), true) => outcome.find(Kind::ValidRejected, name, around(&text, *at)),
                _ => {}
            }
            verdicts.push(verdict);
        }
        verdicts
    }

    /// Valid texts that were rejected only because their members are in another order are findings of another kind.
    fn other_order(&self, text: &str, outcome: &mut Outcome, schema: &Schema) {
        if outcome.findings.iter().all(|finding| finding.kind != Kind::ValidRejected) {
            return;
        }
        let mut options = JsonOptions::default();
        options.order = MemberOrder::Any;
        let compiled = subject::compile(&schema.name, text, &options, self.reading, &self.bytes);
        for finding in outcome.findings.iter_mut().filter(|finding| finding.kind == Kind::ValidRejected) {
            let test = finding.name.rsplit(TEST).next().and_then(|index| index.parse::<usize>().ok());
            let Some(test) = test.and_then(|index| schema.tests.get(index)) else { continue };
            if compiled.judge(&dumps(&test.data)) == Verdict::Accepted {
                finding.kind = Kind::OtherOrder;
            }
        }
    }

    /// Takes the known contradictions of the data out of the findings, and reports entries that prove nothing.
    fn known(&self, schema: &Schema, oracle: Option<&Oracle>, verdicts: &[Verdict], outcome: &mut Outcome) {
        for (index, entry) in self.known.of(&schema.name) {
            let name = format!("{}{TEST}{index}", schema.name);
            let Some((test, verdict)) = schema.tests.get(index).zip(verdicts.get(index)) else {
                outcome.find(Kind::Disagree, name, "known.json names a test that does not exist");
                continue;
            };
            let proved = oracle.and_then(|oracle| oracle.is_valid(&test.data)) == Some(!test.valid);
            if !proved && entry.is_none() {
                outcome.find(
                    Kind::Disagree,
                    name,
                    "in known.json without a reason, and the validator agrees with the data",
                );
            } else if (*verdict == Verdict::Accepted) == test.valid {
                outcome.find(Kind::Disagree, name, "in known.json, and yet the verdict is the data's");
            } else {
                outcome.findings.retain(|finding| finding.name != name);
                outcome.count("known contradictions of the data");
            }
        }
    }

    /// The same texts in tokens.
    fn on_real_vocabulary(
        &self,
        name: &str,
        schema: &Schema,
        text: &str,
        verdicts: &[Verdict],
        outcome: &mut Outcome,
    ) {
        let (peak, started) = (Peak::start(), Instant::now());
        let options = JsonOptions::default();
        let compiled = subject::compile(name, text, &options, self.reading, &self.real.compiler);
        let Compiled::Ready(constraint) = compiled else { return };
        outcome.count("schemas run on a real vocabulary");
        for (index, (test, verdict)) in schema.tests.iter().zip(verdicts).enumerate() {
            let name = format!("{name}{TEST}{index}");
            let text = dumps(&test.data);
            if let Err(error) = subject::agree(&name, &constraint, &self.real, &text, verdict, outcome) {
                outcome.find(Kind::OverLimit, name, error.to_string());
            }
        }
        // What the vocabulary keeps for all constraints is counted with the first that asks for it.
        outcome.held = outcome.held.max(peak.bytes());
        outcome.took = outcome.took.max(started.elapsed());
        if peak.bytes() > MEMORY {
            let detail = format!("{} MB held at most on a real vocabulary", peak.bytes() >> 20);
            outcome.find(Kind::OverLimit, name, detail);
        }
    }
}

/// Where the data and the validator differ.
fn cross_check(name: &str, schema: &Schema, oracle: &Oracle, outcome: &mut Outcome) {
    for (index, test) in schema.tests.iter().enumerate() {
        match oracle.is_valid(&test.data) {
            Some(valid) if valid == test.valid => {}
            Some(_) => {
                let (said, error) = (test.valid, oracle.error(&test.data));
                let line = format!("{name}{TEST}{index}: valid = {said}; the validator: {error}");
                outcome.note("instances on which data and validator differ", line);
            }
            None => outcome.note("instances that the validator cannot judge", format!("{name}{TEST}{index}")),
        }
    }
}

/// The text around a byte, with a mark before it.
pub(crate) fn around(text: &str, at: usize) -> String {
    let middle = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let (before, after) = text.split_at(middle);
    let start = before.char_indices().rev().nth(59).map_or(0, |(at, _)| at);
    let after: String = after.chars().take(40).collect();
    format!("at byte {at}: {}⟨here⟩{after}", &before[start..])
}
