//! Completeness: the exact profile accepts what is valid, and nothing else.
//!
//! Instances of MaskBench are changed at random, with names and values of the schema, and written in random spellings. The
//! validator says whether the value is valid; the exact profile must say the same of the text. The canonical profile
//! may reject what is valid, but accept nothing else.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokenstile::{Compiler, JsonOptions};
use tokenstile_testkit::Rng;

use crate::data::{Schema, Unreadable};
use crate::known::Known;
use crate::mutate::{Pool, mutate};
use crate::oracle::Oracle;
use crate::report::{Kind, Outcome, Tally};
use crate::respell::respell;
use crate::runner;
use crate::setup::{self, Setup, hash};
use crate::subject::{self, Compiled, Reading, Verdict};
use crate::text::{dumps, excerpt};
use crate::vocabulary;

/// Changed instances of a schema.
const MUTANTS: usize = 40;

/// Time after which no further instance of a schema is begun; in a sample less.
const TIME: Duration = Duration::from_secs(5);
const SAMPLE_TIME: Duration = Duration::from_secs(1);

struct Sweep {
    bytes: Compiler,
    known: Known,
    reading: Reading,
    details: bool,
    time: Duration,
}

/// A schema, ready to judge texts.
struct Subject {
    oracle: Oracle,
    exact: Compiled,
    canonical: Compiled,
}

/// Runs the sweep: one schema in three, about 2,600.
pub(crate) fn run(setup: &Setup) -> Result<Tally, Unreadable> {
    let mut cases = setup.maskbench()?;
    cases.retain(|(_, schema)| !schema.tests.is_empty());
    if setup.id.is_none() {
        cases = setup::sample(cases, 3, 40);
    }
    let sweep = Arc::new(Sweep {
        bytes: vocabulary::bytes()?,
        known: Known::load()?,
        reading: setup.reading,
        details: setup.id.is_some(),
        time: if setup.full { TIME } else { SAMPLE_TIME },
    });
    Ok(runner::run("completeness", setup.choose(cases, 5, 8), move |name, schema| sweep.schema(name, schema)))
}

impl Sweep {
    fn schema(&self, name: &str, schema: &Schema) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.count("schemas");
        let text = schema.schema.to_string();
        let oracle = match Oracle::new(&schema.schema) {
            Ok(oracle) => oracle,
            Err(error) => {
                outcome.note("schemas that the validator refuses", format!("{name}: {error}"));
                return outcome;
            }
        };
        let exact = subject::compile(name, &text, &JsonOptions::exact(), self.reading, &self.bytes);
        if let Compiled::Refused(finding) = exact {
            outcome.findings.push(finding);
            return outcome;
        }
        let canonical = subject::compile(name, &text, &JsonOptions::canonical(), self.reading, &self.bytes);
        let subject = Subject { oracle, exact, canonical };
        let (pool, mut rng) = (Pool::of(&schema.schema), Rng::new(hash(name)));
        // Valid instances first: what is near them is often valid too.
        let mut seeds: Vec<_> = schema.tests.iter().collect();
        seeds.sort_by_key(|test| !test.valid);
        let started = Instant::now();
        for round in 0..MUTANTS {
            if started.elapsed() > self.time {
                outcome.note("schemas with fewer texts, for lack of time", name);
                break;
            }
            let near = if round % 4 == 3 {
                seeds.len()
            } else {
                seeds.iter().filter(|test| test.valid).count().max(1)
            };
            let seed = &seeds[rng.below(near)].data;
            let value = if round < 4 { seed.clone() } else { mutate(seed, &pool, &mut rng) };
            let text = if round % 3 == 0 { dumps(&value) } else { respell(&value, &mut rng) };
            self.text(name, &subject, &value, &text, &mut outcome);
        }
        self.settle(name, &mut outcome);
        outcome
    }

    fn text(&self, name: &str, subject: &Subject, value: &Value, text: &str, outcome: &mut Outcome) {
        let Some(valid) = subject.oracle.is_valid(value) else {
            return outcome.note("texts that the validator cannot judge", format!("{name}: {text}"));
        };
        outcome.count(if valid { "valid texts" } else { "invalid texts" });
        let verdict = subject.exact.judge(text);
        if self.details {
            outcome.note("details", format!("valid = {valid}, {verdict:?}: {text}"));
        }
        let why = || if valid { String::new() } else { format!("{}: ", subject.oracle.error(value)) };
        match (&verdict, valid) {
            (Verdict::OverLimit(limit), _) => outcome.find(Kind::OverLimit, name, limit),
            (Verdict::Rejected(at), true) => {
                let place = if *at <= 300 { String::new() } else { crate::maskbench::around(text, *at) };
                outcome.find(
                    Kind::ValidRejected,
                    name,
                    format!("at byte {at}: {} {place}", excerpt(text, 300)),
                );
            }
            (Verdict::Accepted, false) => {
                outcome.find(Kind::InvalidAccepted, name, format!("{}{}", why(), excerpt(text, 300)));
            }
            _ => {}
        }
        if !valid && subject.canonical.judge(text) == Verdict::Accepted {
            outcome.find(Kind::InvalidAccepted, name, format!("canonical: {}{}", why(), excerpt(text, 300)));
        }
    }

    /// One finding of a kind is enough; and none where the validator is known to be wrong.
    fn settle(&self, name: &str, outcome: &mut Outcome) {
        for finding in &outcome.findings {
            match finding.kind {
                Kind::ValidRejected => *outcome.counts.entry("valid texts rejected").or_default() += 1,
                Kind::InvalidAccepted => *outcome.counts.entry("invalid texts accepted").or_default() += 1,
                _ => {}
            }
        }
        let judged = |kind| matches!(kind, Kind::ValidRejected | Kind::InvalidAccepted);
        let known = self.known.difference("completeness", name).is_some();
        if known && outcome.findings.iter().any(|finding| judged(finding.kind)) {
            outcome.count("schemas on which the validator is known to differ");
        }
        let mut seen = Vec::new();
        outcome.findings.retain(|finding| {
            let strike = seen.contains(&finding.kind) || known && judged(finding.kind);
            seen.push(finding.kind);
            !strike
        });
    }
}
