//! `tokenstile mask`: where does a text stand under a constraint, and which tokens may come next?

mod follow;
mod sample;
mod show;

use std::io::Write;
use std::path::PathBuf;

use tokenstile::{ByteSet, Constraint, MatchError, Matcher, TokenId, Vocab};

use crate::failure::Failure;
use crate::output::OutputFlag;
use crate::select::{self, ConstraintFlags};
use crate::source::Reason;
use crate::vocab::TableFlags;
use crate::{Verdict, bytes, vocab};

const EXAMPLES: &str = "\
Examples:
  tokenstile mask examples/iso-date.regex 2024-0
  tokenstile mask --choice red,green,blue gr
  tokenstile mask --json '{\"a\": [1, tru'
  tokenstile mask --schema examples/person.schema.json '{\"name\":' --vocab tokenizer.json --limit 40

Exit status: 0 the text can stand, 1 it was refused (as is a bad constraint), 2 the command could not do its job.";

/// Arguments of `mask`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// File with the constraint, or - for standard input; left out when an option names it
    #[arg(value_name = "CONSTRAINT", allow_negative_numbers = true)]
    first: Option<String>,
    /// The text so far
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    second: Option<String>,
    /// Vocabulary file; without it every byte is a token
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,
    /// How many of the allowed tokens to list
    #[arg(long, value_name = "K", default_value_t = 20)]
    limit: usize,
    /// List all allowed tokens
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    #[command(flatten)]
    output: OutputFlag,
    #[command(flatten)]
    constraint: ConstraintFlags,
    #[command(flatten)]
    tables: TableFlags,
}

impl Args {
    /// The constraint file and the text: with a constraint in an option, the only positional is the text.
    fn positionals(&self) -> Result<(Option<&str>, &str), Failure> {
        match (self.constraint.option(), &self.first, &self.second) {
            (Some(option), Some(_), Some(extra)) => {
                Err(Failure::Usage(format!("unexpected `{extra}`: {option} names the constraint already")))
            }
            (Some(_), text, None) => Ok((None, text.as_deref().unwrap_or(""))),
            (_, file, text) => Ok((file.as_deref(), text.as_deref().unwrap_or(""))),
        }
    }
}

/// What there is to say about a text.
enum Standing {
    /// The text can stand.
    Open(Next),
    /// The text has a byte that no sentence has there.
    Refused(Wrong),
}

/// What may follow a text.
struct Next {
    /// Whether the text is complete.
    complete: bool,
    /// Allowed tokens that are text, sorted by their bytes.
    tokens: Vec<TokenId>,
    /// Allowed end tokens.
    ends: Vec<TokenId>,
    /// Text that must come next.
    forced: Vec<u8>,
    /// What the text may go on with, in phrases.
    phrases: Vec<String>,
}

/// Why a text cannot stand.
struct Wrong {
    /// Offset of the refused byte.
    at: usize,
    /// Bytes that could have been there.
    expected: ByteSet,
    /// What could have been in place of the character that the byte is of, in phrases.
    phrases: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let (file, text) = args.positionals()?;
    let source = args.constraint.source(file)?;
    let vocab = vocab::load(args.vocab.as_deref())?;
    let constraint = select::compile_with(&source, &args.tables.compiler(vocab.clone()))?;
    let standing = stand(&constraint, &vocab, text)
        .map_err(|error| Failure::Refused(Box::new(source.refuse(Reason::Match(error)))))?;
    let limit = if args.all { usize::MAX } else { args.limit };
    if args.output.is_json() {
        writeln!(out, "{}", show::as_json(&standing, &vocab, text, limit))?;
    } else {
        show::write(out, &standing, &vocab, text, limit)?;
    }
    Ok(if matches!(standing, Standing::Open(_)) { Verdict::Good } else { Verdict::Bad })
}

fn stand(constraint: &Constraint, vocab: &Vocab, text: &str) -> Result<Standing, MatchError> {
    let mut matcher = constraint.matcher();
    match matcher.commit_bytes(text.as_bytes()) {
        Ok(()) => {}
        Err(MatchError::ForbiddenByte { at, .. }) => {
            return Ok(Standing::Refused(refused(matcher, text, at)?));
        }
        Err(error) => return Err(error),
    }
    let mut words = vec![0u32; matcher.mask_words()];
    matcher.fill_mask(&mut words)?;
    let (ends, mut tokens): (Vec<TokenId>, Vec<TokenId>) =
        allowed(&words).partition(|id| vocab.end_tokens().contains(id));
    tokens.sort_by_key(|&id| (vocab.bytes(id), id));
    let forced = matcher.forced_bytes()?;
    let phrases = follow::describe(&mut matcher)?;
    Ok(Standing::Open(Next { complete: matcher.is_accepting(), tokens, ends, forced, phrases }))
}

/// What could have been in place of byte `at`.
fn refused(mut matcher: Matcher, text: &str, at: usize) -> Result<Wrong, MatchError> {
    matcher.reset();
    matcher.commit_bytes(&text.as_bytes()[..at])?;
    let expected = matcher.allowed_bytes()?;
    matcher.reset();
    matcher.commit_bytes(&text.as_bytes()[..bytes::character_start(text, at)])?;
    let mut phrases = follow::describe(&mut matcher)?;
    if matcher.is_accepting() {
        phrases.push("the end of the text".into());
    }
    Ok(Wrong { at, expected, phrases })
}

/// The ids whose bits are set.
fn allowed(words: &[u32]) -> impl Iterator<Item = TokenId> + '_ {
    words.iter().zip(0u32..).flat_map(|(&word, index)| {
        (0..32u32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index * 32 + bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_set_bits() {
        assert_eq!(allowed(&[0b101, 0, 1 << 31]).collect::<Vec<_>>(), [0, 2, 95]);
        assert_eq!(allowed(&[]).count(), 0);
    }
}
