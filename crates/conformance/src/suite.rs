//! The official test suite, drafts 2020-12 and 7.
//!
//! The exact profile must judge every required test as the suite does; the canonical profile may reject valid texts, but
//! accept no invalid one. Optional tests of formats are held to the same; other optional tests are only reported.

use std::sync::Arc;

use tokenstile::{Compiler, JsonOptions};

use crate::data::{self, Group, Unreadable};
use crate::report::{Kind, Outcome, TEST, Tally};
use crate::runner;
use crate::setup::Setup;
use crate::subject::{self, Compiled, Reading, Verdict};
use crate::text::excerpt;
use crate::vocabulary;

/// The formats that are to be enforced.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

struct Sweep {
    bytes: Compiler,
    documents: Vec<(String, String)>,
    reading: Reading,
    details: bool,
}

/// Runs the sweep. It is fast: there is no sample.
pub(crate) fn run(setup: &Setup) -> Result<Tally, Unreadable> {
    let groups = data::suite(&setup.shared)?;
    let cases = groups.into_iter().map(|group| (format!("{} / {}", group.file, group.name), group)).collect();
    let sweep = Sweep {
        bytes: vocabulary::bytes()?,
        documents: data::remotes(&setup.shared)?,
        reading: setup.reading,
        details: setup.id.is_some(),
    };
    let sweep = Arc::new(sweep);
    Ok(runner::run("suite", setup.choose(cases, 1, 0), move |name, group| sweep.group(name, group)))
}

/// Whether the tests of a file count, or are only reported.
fn counts(file: &str) -> bool {
    match file.split_once("/optional/") {
        None => true,
        Some((_, rest)) => rest
            .strip_prefix("format/")
            .and_then(|name| name.strip_suffix(".json"))
            .is_some_and(|name| FORMATS.contains(&name)),
    }
}

/// Whether `format` is an annotation in a file.
fn formats_are_ignored(file: &str) -> bool {
    file == "draft2020-12/format.json"
}

impl Sweep {
    fn group(&self, name: &str, group: &Group) -> Outcome {
        let mut outcome = Outcome::default();
        let mut options = JsonOptions::exact();
        options.draft = group.draft;
        options.ignore_formats = formats_are_ignored(&group.file);
        options.documents.clone_from(&self.documents);
        let exact = subject::compile(name, group.schema.get(), &options, self.reading, &self.bytes);
        self.exact(name, group, exact, &mut outcome);

        let mut canonical = JsonOptions::canonical();
        canonical.draft = options.draft;
        canonical.ignore_formats = options.ignore_formats;
        canonical.documents = options.documents;
        let compiled = subject::compile(name, group.schema.get(), &canonical, self.reading, &self.bytes);
        for test in group.tests.iter().filter(|test| !test.valid) {
            if compiled.judge(test.data.get()) == Verdict::Accepted {
                let name = format!("{name}{TEST}{} (canonical)", test.name);
                outcome.find(Kind::InvalidAccepted, name, excerpt(test.data.get(), 200));
            }
        }
        if counts(&group.file) { outcome } else { only_reported(outcome) }
    }

    fn exact(&self, name: &str, group: &Group, compiled: Compiled, outcome: &mut Outcome) {
        outcome.count("groups");
        let compiled = match compiled {
            Compiled::Refused(finding) => {
                outcome.count("groups refused");
                outcome.findings.push(finding);
                return;
            }
            compiled => compiled,
        };
        for test in &group.tests {
            let text = test.data.get();
            let verdict = compiled.judge(text);
            let name = format!("{name}{TEST}{}", test.name);
            if self.details {
                outcome.note("details", format!("{name}: valid = {}, {verdict:?}: {text}", test.valid));
            }
            match (verdict, test.valid) {
                (Verdict::OverLimit(limit), _) => outcome.find(Kind::OverLimit, name, limit),
                (Verdict::Accepted, false) => outcome.find(Kind::InvalidAccepted, name, excerpt(text, 200)),
                (Verdict::Rejected(_), true) => outcome.find(Kind::ValidRejected, name, excerpt(text, 200)),
                _ => {}
            }
        }
        outcome.count(if outcome.findings.is_empty() { "groups right" } else { "groups wrong" });
    }
}

/// The same outcome, with notes in place of findings.
fn only_reported(outcome: Outcome) -> Outcome {
    let mut reported = Outcome::default();
    reported.count("optional groups, not counted");
    let grave = |kind| matches!(kind, Kind::Panic | Kind::Hang);
    for finding in outcome.findings {
        if grave(finding.kind) {
            reported.findings.push(finding);
        } else {
            let line = format!("{}: {}: {}", finding.kind.name(), finding.name, finding.detail);
            reported.note("optional tests that are not as the suite has them", line);
        }
    }
    reported.notes.extend(outcome.notes);
    reported
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_tests_and_known_formats_count() {
        assert!(counts("draft7/allOf.json") && counts("draft7/optional/format/date.json"));
        assert!(!counts("draft7/optional/bignum.json") && !counts("draft7/optional/format/unknown.json"));
        assert!(
            formats_are_ignored("draft2020-12/format.json") && !formats_are_ignored("draft7/format.json")
        );
    }
}
