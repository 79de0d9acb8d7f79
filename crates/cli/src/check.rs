//! `tokenstile check`: is a constraint sound, and what does it match?

mod examples;
mod instances;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;
use tokenstile::{Compiler, Constraint, Grammar, Limits, MatchError};

use crate::diagnostic::{self, BOLD, Details, GOOD};
use crate::failure::Failure;
use crate::output::OutputFlag;
use crate::select::ConstraintFlags;
use crate::source::{Kind, Reason, Refusal, Source};
use crate::vocab::TableFlags;
use crate::{Verdict, bytes, vocab};

const EXAMPLES: &str = "\
Examples:
  tokenstile check examples/chess.gbnf
  tokenstile check examples/person.schema.json
  tokenstile check --regex '[a-z]+@[a-z]+\\.(com|org)'
  tokenstile check --grammar 'root ::= \"a\" root? \"b\"' --output json
  cat examples/arithmetic.ebnf | tokenstile check - --kind ebnf --root sum

Exit status: 0 accepted, 1 refused, 2 the command could not do its job.";

/// Arguments of `check`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// File with the constraint (.gbnf .ebnf .regex .choice .json …), or - for standard input; left out when an option names it
    #[arg(value_name = "CONSTRAINT")]
    file: Option<String>,
    /// Vocabulary file; without it every byte is a token
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,
    /// How many example texts to show
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    #[command(flatten)]
    output: OutputFlag,
    #[command(flatten)]
    constraint: ConstraintFlags,
    #[command(flatten)]
    tables: TableFlags,
}

/// What is worth knowing about an accepted constraint.
struct Report {
    grammar: Grammar,
    constraint: Constraint,
    compile_time: Duration,
    first_mask: usize,
    first_mask_time: Duration,
    vocab_len: usize,
    wanted_examples: bool,
    examples: Vec<Vec<u8>>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let source = args.constraint.source(args.file.as_deref())?;
    let compiler = args.tables.compiler(vocab::load(args.vocab.as_deref())?);
    match examine(&source, &compiler, args.examples) {
        Ok(report) if args.output.is_json() => writeln!(out, "{}", report_json(&source, &report))?,
        Ok(report) => write_report(out, &source, &report)?,
        Err(reason) => {
            let refusal = source.refuse(reason);
            if args.output.is_json() {
                writeln!(out, "{}", refusal_json(&refusal))?;
            } else {
                diagnostic::write_refusal(out, &refusal)?;
            }
            return Ok(Verdict::Bad);
        }
    }
    Ok(Verdict::Good)
}

fn examine(source: &Source, compiler: &Compiler, examples: usize) -> Result<Report, Reason> {
    let started = Instant::now();
    let grammar = source.grammar(&Limits::default())?;
    let constraint = compiler.compile(&grammar).map_err(Reason::Compile)?;
    let compile_time = started.elapsed();
    let started = Instant::now();
    let first_mask = first_mask(&constraint).map_err(Reason::Match)?;
    let first_mask_time = started.elapsed();
    Ok(Report {
        grammar,
        compile_time,
        first_mask,
        first_mask_time,
        vocab_len: compiler.vocab().len(),
        wanted_examples: examples > 0,
        examples: examples::find(source, compiler, &constraint, examples),
        constraint,
    })
}

/// How many tokens may begin a text.
fn first_mask(constraint: &Constraint) -> Result<usize, MatchError> {
    let mut matcher = constraint.matcher();
    let mut words = vec![0u32; matcher.mask_words()];
    matcher.fill_mask(&mut words)?;
    Ok(words.iter().map(|word| word.count_ones() as usize).sum())
}

fn write_report(out: &mut dyn Write, source: &Source, report: &Report) -> std::io::Result<()> {
    for warning in report.grammar.warnings() {
        diagnostic::write_warning(out, source, warning)?;
    }
    writeln!(out, "{GOOD}accepted{GOOD:#}: {} ({})", source.name, source.kind.name())?;
    let stats = report.constraint.stats();
    writeln!(
        out,
        "  {BOLD}grammar{BOLD:#}     {}, {}; prepared: {}, {}",
        count(report.grammar.rule_count(), "rule"),
        count(report.grammar.expr_count(), "expression"),
        count(stats.rules, "rule"),
        count(stats.exprs, "expression"),
    )?;
    writeln!(out, "  {BOLD}compiled{BOLD:#}    in {:.1?}", report.compile_time)?;
    writeln!(
        out,
        "  {BOLD}first mask{BOLD:#}  {} of {} tokens allowed, in {:.1?}",
        report.first_mask, report.vocab_len, report.first_mask_time
    )?;
    let states = count(stats.states, "state");
    writeln!(out, "  {BOLD}caches{BOLD:#}      {states}, {} KiB so far", stats.cache_bytes.div_ceil(1024))?;
    match &report.examples[..] {
        [] if report.wanted_examples => {
            writeln!(out, "  {BOLD}examples{BOLD:#}    no short text found")?;
        }
        [] => {}
        _ => writeln!(out, "  {BOLD}examples{BOLD:#}")?,
    }
    for example in &report.examples {
        writeln!(out, "    {}", shown(source.kind, example))?;
    }
    Ok(())
}

/// An example as it is shown: in quotes, but for JSON, which has enough of them.
fn shown(kind: Kind, example: &[u8]) -> String {
    match std::str::from_utf8(example) {
        Ok(text) if kind == Kind::JsonSchema && !text.contains(char::is_control) => text.to_owned(),
        _ => bytes::quote(example),
    }
}

/// `1 rule`, `2 rules`.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn report_json(source: &Source, report: &Report) -> serde_json::Value {
    let warnings: Vec<_> = report
        .grammar
        .warnings()
        .iter()
        .map(|warning| {
            let place = diagnostic::place_of_warning(source, warning).map(|place| place.to_string());
            json!({"message": warning.message, "place": place, "pointer": warning.pointer})
        })
        .collect();
    json!({
        "accepted": true,
        "kind": source.kind.name(),
        "rules": report.grammar.rule_count(),
        "expressions": report.grammar.expr_count(),
        "compile_us": report.compile_time.as_micros() as u64,
        "first_mask": report.first_mask,
        "cache_bytes": report.constraint.stats().cache_bytes,
        "examples": report.examples.iter().map(|e| String::from_utf8_lossy(e)).collect::<Vec<_>>(),
        "warnings": warnings,
    })
}

fn refusal_json(refusal: &Refusal) -> serde_json::Value {
    let details = Details::of(refusal);
    json!({
        "accepted": false,
        "kind": refusal.source.kind.name(),
        "error": details.kind,
        "message": details.message,
        "place": details.place.map(|p| json!({"offset": p.offset, "line": p.line, "column": p.column})),
        "pointer": details.pointer,
    })
}
