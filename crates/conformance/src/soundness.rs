//! Soundness: texts produced through masks are valid.
//!
//! For a sample of MaskBench, random texts on a real vocabulary, most of them in the canonical profile and some in the
//! exact one. The validator must find each of them valid; none may be stuck or repeat a key.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokenstile::JsonOptions;
use tokenstile_testkit::Rng;

use crate::data::{Schema, Unreadable};
use crate::known::Known;
use crate::oracle::Oracle;
use crate::report::{Kind, Outcome, Tally};
use crate::runner;
use crate::sampler::{End, Hints, Sampler};
use crate::setup::{self, Setup, hash};
use crate::subject::{self, Compiled, Reading};
use crate::text::{excerpt, repeats_key};
use crate::vocabulary::Real;

/// Texts of a schema in each profile.
const TEXTS: [(&str, usize); 2] = [("canonical", 15), ("exact", 5)];

/// Time after which no further text of a schema is begun; in a sample less.
const TIME: Duration = Duration::from_secs(8);
const SAMPLE_TIME: Duration = Duration::from_secs(2);

struct Sweep {
    sampler: Sampler,
    real: Real,
    known: Known,
    reading: Reading,
    details: bool,
    time: Duration,
}

/// Runs the sweep: one schema in nine, about 1,000.
pub(crate) fn run(setup: &Setup) -> Result<Tally, Unreadable> {
    let mut cases = setup.maskbench()?;
    if setup.id.is_none() {
        cases = setup::sample(cases, 9, 30);
    }
    let real = Real::load(&setup.shared)?;
    let sweep = Arc::new(Sweep {
        sampler: Sampler::new(real.clone()),
        real,
        known: Known::load()?,
        reading: setup.reading,
        details: setup.id.is_some(),
        time: if setup.full { TIME } else { SAMPLE_TIME },
    });
    Ok(runner::run("soundness", setup.choose(cases, 5, 5), move |name, schema| sweep.schema(name, schema)))
}

impl Sweep {
    fn schema(&self, name: &str, schema: &Schema) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.count("schemas");
        let oracle = match Oracle::new(&schema.schema) {
            Ok(oracle) => oracle,
            Err(error) => {
                outcome.note("schemas that the validator refuses", format!("{name}: {error}"));
                return outcome;
            }
        };
        let (text, hints) = (schema.schema.to_string(), Hints::of(&schema.schema));
        let mut rng = Rng::new(hash(name));
        let started = Instant::now();
        for (profile, number) in TEXTS {
            let options = if profile == "exact" { JsonOptions::exact() } else { JsonOptions::canonical() };
            let constraint = match subject::compile(name, &text, &options, self.reading, &self.real.compiler)
            {
                Compiled::Ready(constraint) => constraint,
                Compiled::Empty => {
                    outcome.note("schemas without instances", name);
                    continue;
                }
                Compiled::Refused(finding) => {
                    outcome.findings.push(finding);
                    continue;
                }
            };
            for _ in 0..number {
                if started.elapsed() > self.time {
                    outcome.note("schemas with fewer texts, for lack of time", name);
                    break;
                }
                outcome.count("texts");
                let end = self.sampler.text(&constraint, &hints, &mut rng);
                self.judge(name, profile, end, &oracle, &mut outcome);
            }
        }
        self.settle(name, &mut outcome);
        outcome
    }

    fn judge(&self, name: &str, profile: &str, end: End, oracle: &Oracle, outcome: &mut Outcome) {
        let shown = |bytes: &[u8]| format!("{profile}: {}", excerpt(&String::from_utf8_lossy(bytes), 400));
        let bytes = match end {
            End::Complete(bytes) => bytes,
            End::Cut(bytes) => {
                outcome.count("texts cut");
                outcome.note("texts that did not end", format!("{name}: {}", shown(&bytes)));
                return;
            }
            End::Stuck(bytes) => return outcome.find(Kind::Stuck, name, shown(&bytes)),
            End::OverLimit(limit) => return outcome.find(Kind::OverLimit, name, limit),
        };
        if self.details {
            outcome.note("details", shown(&bytes));
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return outcome.find(Kind::InvalidAccepted, name, format!("not UTF-8: {}", shown(&bytes)));
        };
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            // What the reader cannot take says nothing of the text.
            Err(error) if cannot_be_judged(&error.to_string()) => {
                return outcome.count("texts that the validator cannot read");
            }
            Err(error) => {
                return outcome.find(Kind::InvalidAccepted, name, format!("{error}: {}", shown(&bytes)));
            }
        };
        if repeats_key(text, &value) {
            return outcome.find(
                Kind::InvalidAccepted,
                name,
                format!("a key is repeated: {}", shown(&bytes)),
            );
        }
        match oracle.is_valid(&value) {
            Some(true) => outcome.count("texts valid"),
            Some(false) => {
                outcome.find(
                    Kind::InvalidAccepted,
                    name,
                    format!("{}: {}", oracle.error(&value), shown(&bytes)),
                );
            }
            None => {
                outcome.note("texts that the validator cannot judge", format!("{name}: {}", shown(&bytes)))
            }
        }
    }

    /// One finding of a kind is enough; and none where the validator is known to be wrong.
    fn settle(&self, name: &str, outcome: &mut Outcome) {
        let known = self.known.difference("soundness", name).is_some();
        let mut seen = Vec::new();
        outcome.findings.retain(|finding| {
            let strike = seen.contains(&finding.kind) || known && finding.kind == Kind::InvalidAccepted;
            seen.push(finding.kind);
            !strike
        });
        if known && seen.contains(&Kind::InvalidAccepted) {
            outcome.count("schemas on which the validator is known to differ");
        }
    }
}

/// Whether the reader gave up for reasons of its own: depth, lone surrogates.
fn cannot_be_judged(error: &str) -> bool {
    ["recursion limit", "surrogate", "hex escape"].iter().any(|why| error.contains(why))
}
