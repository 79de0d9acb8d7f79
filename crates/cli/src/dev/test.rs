//! `tokenstile test`: runs constraint test cases, one JSON object a line.
//!
//! The form of the cases, of the `--json` output and of the closing line is fixed: others rely on it.

mod case;
mod judge;

pub(crate) use case::{not_an_object, source_text};

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};
use tokenstile::{Compiler, Limits};

use crate::diagnostic::{self, BOLD, ERROR, GOOD, WARNING};
use crate::failure::Failure;
use crate::source::Reason;
use crate::vocab::TableFlags;
use crate::{Verdict, bytes, vocab};
use case::{Case, CaseFile};
use judge::Judge;

const EXAMPLES: &str = "\
A case is one line:
  {\"id\": \"date\", \"kind\": \"regex\", \"source\": \"[0-9]{4}\", \"accept\": [\"2024\"], \"reject\": [\"24\", \"x\"]}
  {\"id\": \"broken\", \"kind\": \"gbnf\", \"source\": \"root ::= (\", \"error\": true}
kind: gbnf ebnf regex choice json json_schema structural_tag (lark is refused so far).
A choice's source is a JSON array of strings.
options: {\"root\": …} for ebnf; {\"dialect\": \"rust\"|\"ecma\", \"search\": true, …} for regex;
{\"profile\": \"exact\", \"order\": …} and the others of docs/json-schema.md for json_schema.

Examples:
  tokenstile test examples/cases.jsonl
  tokenstile test examples/cases.jsonl --json
  tokenstile test examples/cases.jsonl --vocab tokenizer.json

Exit status: 0 all passed, 1 some did not, 2 a file cannot be read or a line is malformed.";

/// Arguments of `test`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files of cases
    #[arg(value_name = "FILE.jsonl", required = true)]
    files: Vec<PathBuf>,
    /// One JSON object a case
    #[arg(long)]
    json: bool,
    /// Vocabulary file; texts are also taken apart into its tokens. Without it every byte is a token
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,
    #[command(flatten)]
    tables: TableFlags,
}

/// How a case came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Pass,
    Fail,
    Refused,
    Limit,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Refused => "refused",
            Status::Limit => "limit",
        }
    }
}

/// A text that did not come out as the case says.
struct TextFailure {
    text: String,
    expected: &'static str,
    /// What came out, asked for the text as a whole.
    accepted: bool,
    /// Offset where an accept text was refused; the length of the text if it ended too early or was
    /// accepted against the case.
    at: usize,
}

/// The result of a case.
struct Outcome {
    status: Status,
    message: Option<String>,
    failures: Vec<TextFailure>,
}

impl Outcome {
    fn new(status: Status, message: impl Into<Option<String>>) -> Self {
        Outcome { status, message: message.into(), failures: Vec::new() }
    }

    fn of_refusal(reason: &Reason) -> Self {
        Outcome::new(if reason.is_limit() { Status::Limit } else { Status::Refused }, reason.to_string())
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let limits = Limits::default();
    let compiler = args.tables.compiler(vocab::load(args.vocab.as_deref())?).with_limits(limits.clone());
    let judge = Judge::new(compiler.vocab().clone());
    let (mut passed, mut failed) = (0usize, 0usize);
    let mut malformed = None;
    for path in &args.files {
        for case in CaseFile::open(path)? {
            let case = match case {
                Ok(case) => case,
                // A bad line is reported and the others still run; the exit status remembers it.
                Err(failure @ Failure::Malformed { .. }) => {
                    diagnostic::write_failure(&mut anstream::stderr(), &failure)?;
                    malformed = Some(failure);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let outcome = run_case(&case, &compiler, &judge, &limits);
            if outcome.status == Status::Pass {
                passed += 1;
            } else {
                failed += 1;
            }
            if args.json {
                writeln!(out, "{}", outcome_json(&case, &outcome))?;
            } else if outcome.status != Status::Pass {
                write_outcome(out, &case, &outcome)?;
            }
        }
    }
    if !args.json {
        let style = if failed == 0 { GOOD } else { ERROR };
        writeln!(out, "{style}{passed} passed, {failed} failed{style:#}")?;
    }
    match malformed {
        Some(_) => Err(Failure::Usage("some lines are malformed".into())),
        None => Ok(if failed == 0 { Verdict::Good } else { Verdict::Bad }),
    }
}

fn run_case(case: &Case, compiler: &Compiler, judge: &Judge, limits: &Limits) -> Outcome {
    let source = match &case.source {
        Ok(source) => source,
        Err(message) => return Outcome::new(Status::Fail, message.clone()),
    };
    let compiled = source.grammar(limits).and_then(|g| compiler.compile(g).map_err(Reason::Compile));
    let constraint = match compiled {
        Ok(_) if case.error => {
            return Outcome::new(Status::Fail, "the source must be refused and was accepted".to_owned());
        }
        Ok(constraint) => constraint,
        // A kind that nobody reads yet says nothing about the source.
        Err(reason) if case.error && !matches!(reason, Reason::NotYet(_)) => {
            return Outcome::new(Status::Pass, None);
        }
        Err(reason) => return Outcome::of_refusal(&reason),
    };
    let mut outcome = Outcome::new(Status::Pass, None);
    let texts =
        case.accept.iter().map(|text| (text, true)).chain(case.reject.iter().map(|text| (text, false)));
    for (text, wanted) in texts {
        let verdict = match judge.text(&constraint, text.as_bytes()) {
            Ok(verdict) => verdict,
            Err(error) => {
                let reason = Reason::Match(error);
                if reason.is_limit() {
                    return Outcome::new(
                        Status::Limit,
                        format!("{reason} (in text {})", bytes::quote(text.as_bytes())),
                    );
                }
                return Outcome::new(Status::Fail, reason.to_string());
            }
        };
        let disagreement = verdict.disagreement.is_some();
        if verdict.accepted != wanted || disagreement {
            outcome.status = Status::Fail;
            outcome.message = outcome.message.or(verdict.disagreement);
            let expected = if wanted { "accept" } else { "reject" };
            outcome.failures.push(TextFailure {
                text: text.clone(),
                expected,
                accepted: verdict.accepted,
                at: verdict.at,
            });
        }
    }
    outcome
}

fn outcome_json(case: &Case, outcome: &Outcome) -> Value {
    let failures: Vec<Value> = outcome
        .failures
        .iter()
        .map(|failure| json!({"text": failure.text, "expected": failure.expected, "at": failure.at}))
        .collect();
    let mut line = json!({"id": case.id, "status": outcome.status.name()});
    if let Some(message) = &outcome.message {
        line["message"] = json!(message);
    }
    line["failures"] = json!(failures);
    line
}

fn write_outcome(out: &mut dyn Write, case: &Case, outcome: &Outcome) -> std::io::Result<()> {
    let style = if outcome.status == Status::Fail { ERROR } else { WARNING };
    write!(
        out,
        "{style}{}{style:#} {BOLD}{}{BOLD:#} ({})",
        outcome.status.name(),
        case.shown_id(),
        case.place
    )?;
    match &outcome.message {
        Some(message) => writeln!(out, ": {message}")?,
        None => writeln!(out)?,
    }
    for failure in &outcome.failures {
        let text = bytes::quote(failure.text.as_bytes());
        let found = match (failure.expected, failure.accepted) {
            ("accept", true) | ("reject", false) => {
                format!("as expected ({}) at once, not in every way of asking", failure.expected)
            }
            ("reject", true) => "was accepted, expected reject".to_owned(),
            _ if failure.at == failure.text.len() => "ends too early, expected accept".to_owned(),
            _ => {
                let byte = bytes::name(failure.text.as_bytes()[failure.at]);
                format!("refused at byte {} ({byte}), expected accept", failure.at)
            }
        };
        writeln!(out, "  {text}: {found}")?;
    }
    Ok(())
}
