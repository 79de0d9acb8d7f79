//! What can go wrong: while a model is loaded, while it runs, while a text is written.

use std::fmt;
use std::io;
use std::path::PathBuf;

use tokenstile::{MatchError, TokenId, VocabError};

/// Why a model could not be fetched or loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// A file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file is no GGUF, is cut off, or contradicts itself.
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// The vocabulary of the file was refused.
    Vocab {
        /// The file.
        path: PathBuf,
        /// Why.
        error: VocabError,
    },
    /// The model's architecture is not one of those that are known.
    Architecture {
        /// Its name in the file.
        name: String,
    },
    /// The model needs something of its architecture that is not there.
    Unsupported {
        /// What.
        message: String,
    },
    /// A tensor is stored in a way that cannot be computed with.
    Quantization {
        /// The tensor.
        name: String,
        /// GGUF's number of the element type.
        number: u32,
    },
    /// The way in which the tokenizer cuts text up is not known.
    PreTokenizer {
        /// Its name in the file.
        name: String,
    },
    /// The chat template is not one that can be read.
    Template {
        /// What is wrong.
        message: String,
    },
    /// The default model could not be fetched.
    Fetch {
        /// What was tried and what came of it.
        message: String,
    },
    /// The accelerator that this was built for cannot be used.
    Device {
        /// Its kind.
        kind: &'static str,
        /// What its driver said.
        error: candle_core::Error,
    },
    /// The computation library refused.
    Compute(candle_core::Error),
}

impl From<candle_core::Error> for LoadError {
    fn from(error: candle_core::Error) -> Self {
        LoadError::Compute(error)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            LoadError::Malformed { path, message } => write!(f, "{}: {message}", path.display()),
            LoadError::Vocab { path, error } => write!(f, "{}: {error}", path.display()),
            LoadError::Architecture { name } => {
                let known = crate::model::ARCHITECTURES.join(", ");
                write!(f, "models of architecture `{name}` are not supported: {known} are")
            }
            LoadError::Unsupported { message } | LoadError::Fetch { message } => f.write_str(message),
            LoadError::Quantization { name, number } => {
                write!(f, "tensor `{name}` has elements of type {number}, which is not supported")
            }
            LoadError::PreTokenizer { name } => {
                write!(
                    f,
                    "tokenizers of kind `{name}` are not supported: {}",
                    crate::tokenizer::known_kinds()
                )
            }
            LoadError::Template { message } => write!(f, "the model's chat template: {message}"),
            LoadError::Device { kind, error } => {
                let error = error.to_string();
                let reason = error.lines().next().unwrap_or_default();
                write!(f, "this was built for {kind}, and no such device can be used: {reason}")
            }
            LoadError::Compute(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// Why a text could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum GenerateError {
    /// The prompt has no tokens.
    EmptyPrompt,
    /// The prompt and what is to be written do not fit into the model's context.
    TooLong {
        /// Tokens of the prompt.
        prompt: usize,
        /// Tokens that the model can look back at.
        context: usize,
    },
    /// A setting is out of its range.
    Setting {
        /// Its name.
        name: &'static str,
        /// What it must be.
        must: &'static str,
    },
    /// No token is allowed: the mask is empty.
    NothingAllowed,
    /// The logits of all allowed tokens are not numbers: the model's weights are broken.
    NotANumber,
    /// The text cannot be completed within the tokens that are left.
    CannotComplete {
        /// Tokens that are left.
        left: usize,
        /// Tokens that a shortest completion takes, as far as known.
        needed: Option<usize>,
    },
    /// The token limit was reached before the text that the constraint waits for.
    TriggerMissing {
        /// The text that was waited for.
        trigger: String,
    },
    /// The constraint was compiled for another vocabulary.
    OtherVocabulary,
    /// A token is not one of the model's.
    UnknownToken {
        /// The token.
        token: TokenId,
    },
    /// The chat template refused the messages.
    Template {
        /// What it said.
        message: String,
    },
    /// The constraint refused, or went past a limit.
    Match(MatchError),
    /// The computation library refused.
    Compute(candle_core::Error),
}

impl From<MatchError> for GenerateError {
    fn from(error: MatchError) -> Self {
        GenerateError::Match(error)
    }
}

impl From<candle_core::Error> for GenerateError {
    fn from(error: candle_core::Error) -> Self {
        GenerateError::Compute(error)
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::EmptyPrompt => f.write_str("the prompt is empty"),
            GenerateError::TooLong { prompt, context } => {
                write!(f, "the prompt has {prompt} tokens, and the model's context is {context}")
            }
            GenerateError::Setting { name, must } => write!(f, "{name} must be {must}"),
            GenerateError::NothingAllowed => f.write_str("no token is allowed here"),
            GenerateError::NotANumber => {
                f.write_str("the model's logits are not numbers: its weights are broken")
            }
            GenerateError::CannotComplete { left, needed } => {
                write!(f, "the text cannot be completed within the {left} tokens that are left")?;
                needed.map_or(Ok(()), |n| write!(f, ": a shortest completion takes {n}"))
            }
            GenerateError::TriggerMissing { trigger } => {
                write!(f, "the token limit was reached before {trigger:?}, after which the constraint holds")
            }
            GenerateError::OtherVocabulary => {
                f.write_str("the constraint was compiled for another vocabulary than the model's")
            }
            GenerateError::UnknownToken { token } => write!(f, "the model has no token {token}"),
            GenerateError::Template { message } => write!(f, "the model's chat template: {message}"),
            GenerateError::Match(error) => write!(f, "{error}"),
            GenerateError::Compute(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for GenerateError {}
