//! What a sweep finds: counts, findings that the baseline is compared with, and notes that are only shown.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Stands between the name of a case and that of a test in it.
pub(crate) const TEST: &str = " # ";

/// What is wrong with a case, from the harmless to the grave.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    /// A valid text is rejected with members in declared order, and accepted in any order.
    OtherOrder,
    /// The schema is refused.
    Refused,
    /// A limit of time, memory or work was reached.
    OverLimit,
    /// A valid text is rejected.
    ValidRejected,
    /// An invalid text is accepted or was produced.
    InvalidAccepted,
    /// Mask, `allows` and `commit` do not agree, or two vocabularies do not.
    Disagree,
    /// No token is allowed and the text is not complete.
    Stuck,
    /// It took too long to wait for.
    Hang,
    /// The library panicked.
    Panic,
}

impl Kind {
    pub(crate) const ALL: [Kind; 9] = [
        Kind::OtherOrder,
        Kind::Refused,
        Kind::OverLimit,
        Kind::ValidRejected,
        Kind::InvalidAccepted,
        Kind::Disagree,
        Kind::Stuck,
        Kind::Hang,
        Kind::Panic,
    ];

    /// How it is called in the baseline and in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::OtherOrder => "only in another order",
            Kind::Refused => "refused",
            Kind::OverLimit => "over limits",
            Kind::ValidRejected => "valid rejected",
            Kind::InvalidAccepted => "invalid accepted",
            Kind::Disagree => "disagree",
            Kind::Stuck => "stuck",
            Kind::Hang => "hang",
            Kind::Panic => "panic",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    /// The case, or the case and the test.
    pub(crate) name: String,
    /// What findings are grouped by: the reason of a refusal. Empty for most.
    pub(crate) group: String,
    pub(crate) detail: String,
}

/// What came of one case.
#[derive(Default, Debug)]
pub(crate) struct Outcome {
    pub(crate) findings: Vec<Finding>,
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// Heading and line.
    pub(crate) notes: Vec<(&'static str, String)>,
    /// The most bytes that were held, where that is measured, and how long it took alone.
    pub(crate) held: usize,
    pub(crate) took: Duration,
}

impl Outcome {
    pub(crate) fn count(&mut self, what: &'static str) {
        self.add(what, 1);
    }

    pub(crate) fn add(&mut self, what: &'static str, number: u64) {
        *self.counts.entry(what).or_default() += number;
    }

    pub(crate) fn find(&mut self, kind: Kind, name: impl Into<String>, detail: impl Into<String>) {
        let (name, detail) = (name.into(), detail.into());
        self.findings.push(Finding { kind, name, group: String::new(), detail });
    }

    pub(crate) fn note(&mut self, heading: &'static str, line: impl Into<String>) {
        self.notes.push((heading, line.into()));
    }
}

fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// What came of a sweep.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) findings: Vec<Finding>,
    pub(crate) counts: BTreeMap<&'static str, u64>,
    pub(crate) notes: BTreeMap<&'static str, Vec<String>>,
    /// Cases and how long they took; the slowest first, after [`sort`](Tally::sort) only few.
    pub(crate) slowest: Vec<(Duration, String)>,
    /// The same for the bytes held at most, where that is measured, with how long it took to compile and match.
    pub(crate) largest: Vec<(usize, Duration, String)>,
    /// The cases that ran.
    pub(crate) cases: BTreeSet<String>,
}

impl Tally {
    pub(crate) fn take(&mut self, case: String, outcome: Outcome) {
        if outcome.held > 0 {
            self.largest.push((outcome.held, outcome.took, case.clone()));
        }
        self.cases.insert(case);
        self.findings.extend(outcome.findings);
        for (what, number) in outcome.counts {
            *self.counts.entry(what).or_default() += number;
        }
        for (heading, line) in outcome.notes {
            self.notes.entry(heading).or_default().push(line);
        }
    }

    /// Findings, notes and cases come from two threads: in the order of their names they are the same every time.
    pub(crate) fn sort(&mut self) {
        self.findings.sort_by(|a, b| (a.kind, &a.group, &a.name).cmp(&(b.kind, &b.group, &b.name)));
        self.notes.values_mut().for_each(|lines| lines.sort());
        self.slowest.sort_by(|a, b| b.cmp(a));
        self.slowest.truncate(20);
        self.largest.sort_by(|a, b| b.cmp(a));
        self.largest.truncate(20);
    }

    /// Findings of one kind.
    pub(crate) fn of(&self, kind: Kind) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.kind == kind)
    }

    /// All of it as text: every finding, every note.
    pub(crate) fn lists(&self) -> String {
        let mut text = String::new();
        for (what, number) in &self.counts {
            text += &format!("{number:>8}  {what}\n");
        }
        for kind in Kind::ALL {
            let found: Vec<_> = self.of(kind).collect();
            if found.is_empty() {
                continue;
            }
            text += &format!("\n== {} ({})\n", kind.name(), found.len());
            let mut group = "";
            for finding in found {
                if finding.group != group {
                    group = &finding.group;
                    text += &format!("-- {group}\n");
                }
                text += &format!("{}: {}\n", finding.name, finding.detail);
            }
        }
        text += "\n== slowest\n";
        for (time, name) in &self.slowest {
            text += &format!("{:.3} s: {name}\n", time.as_secs_f64());
        }
        text += "\n== largest\n";
        for (bytes, took, name) in &self.largest {
            text += &format!("{} in {:.3} s: {name}\n", megabytes(*bytes), took.as_secs_f64());
        }
        for (heading, lines) in &self.notes {
            text += &format!("\n== {heading} ({})\n", lines.len());
            lines.iter().for_each(|line| text += &format!("{line}\n"));
        }
        text
    }

    /// The counts, and of every kind of finding the number and the first few.
    pub(crate) fn summary(&self, sweep: &str, shown: usize) -> String {
        let mut text = format!("{sweep}: {} cases\n", self.cases.len());
        for (what, number) in &self.counts {
            text += &format!("  {number:>8}  {what}\n");
        }
        for kind in Kind::ALL {
            let found: Vec<_> = self.of(kind).collect();
            if found.is_empty() {
                continue;
            }
            text += &format!("  {:>8}  {}\n", found.len(), kind.name().to_uppercase());
            if kind == Kind::Refused {
                text += &self.groups(shown);
                continue;
            }
            for finding in found.iter().take(shown) {
                text += &format!(
                    "            {}: {}\n",
                    finding.name,
                    crate::text::excerpt(&finding.detail, 160)
                );
            }
        }
        for (heading, lines) in &self.notes {
            text += &format!("  {:>8}  ({heading})\n", lines.len());
        }
        for (time, name) in self.slowest.iter().take(shown.min(3)) {
            text += &format!("  {:>6.2} s  {name}\n", time.as_secs_f64());
        }
        for (bytes, took, name) in self.largest.iter().take(shown.min(3)) {
            text += &format!("  {:>8}  {name}, in {:.2} s\n", megabytes(*bytes), took.as_secs_f64());
        }
        text
    }

    /// The most frequent reasons of refusals.
    fn groups(&self, shown: usize) -> String {
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        self.of(Kind::Refused).for_each(|finding| *groups.entry(&finding.group).or_default() += 1);
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, number)| usize::MAX - number);
        groups
            .iter()
            .take(shown)
            .map(|(group, number)| format!("            {number:>6}  {group}\n"))
            .collect()
    }
}
