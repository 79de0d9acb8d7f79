//! Why the command could not do its job.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::source::Refusal;

/// Everything that ends a sub-command early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A file could not be read or written.
    Io { path: PathBuf, error: io::Error },
    /// Standard output could not be written.
    Output(io::Error),
    /// A source file is not UTF-8.
    NotUtf8 { path: PathBuf, offset: usize },
    /// A line of an input file is not what it should be.
    #[cfg(feature = "dev")]
    Malformed { path: PathBuf, line: usize, message: String },
    /// The file is not a vocabulary that can be read.
    Vocab { path: PathBuf, error: tokenstile::VocabError },
    /// The arguments do not fit together.
    Usage(String),
    /// Masks are not what they must be.
    #[cfg(feature = "dev")]
    WrongMask(String),
    /// The model could not be fetched or loaded.
    #[cfg(feature = "generate")]
    Load(tokenstile_runtime::LoadError),
    /// The model could not write the text.
    #[cfg(feature = "generate")]
    Generate(tokenstile_runtime::GenerateError),
    /// The server could not start or go on.
    #[cfg(feature = "serve")]
    Serve(tokenstile_server::ServeError),
    /// The constraint was refused.
    Refused(Box<Refusal>),
}

impl Failure {
    /// The failure of an operation on `path`.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Failure::Io { path: path.to_owned(), error }
    }

    /// Whether the command did its job, and the constraint or its masks are not what they must be.
    pub(crate) fn is_of_the_constraint(&self) -> bool {
        match self {
            Failure::Refused(_) => true,
            #[cfg(feature = "dev")]
            Failure::WrongMask(_) => true,
            _ => false,
        }
    }
}

impl From<io::Error> for Failure {
    /// Every other I/O error is given its path where it happens; what remains is writing our output.
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

#[cfg(feature = "generate")]
impl From<tokenstile_runtime::LoadError> for Failure {
    fn from(error: tokenstile_runtime::LoadError) -> Self {
        Failure::Load(error)
    }
}

#[cfg(feature = "generate")]
impl From<tokenstile_runtime::GenerateError> for Failure {
    fn from(error: tokenstile_runtime::GenerateError) -> Self {
        Failure::Generate(error)
    }
}

#[cfg(feature = "serve")]
impl From<tokenstile_server::ServeError> for Failure {
    fn from(error: tokenstile_server::ServeError) -> Self {
        Failure::Serve(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
            Failure::NotUtf8 { path, offset } => {
                write!(f, "{}: not UTF-8: the first bad byte is at offset {offset}", path.display())
            }
            #[cfg(feature = "dev")]
            Failure::Malformed { path, line, message } => write!(f, "{}:{line}: {message}", path.display()),
            Failure::Vocab { path, error } => write!(f, "{}: {error}", path.display()),
            Failure::Usage(message) => f.write_str(message),
            #[cfg(feature = "dev")]
            Failure::WrongMask(message) => f.write_str(message),
            #[cfg(feature = "generate")]
            Failure::Load(error @ tokenstile_runtime::LoadError::Device { .. }) => {
                write!(f, "{error}; `--cpu` runs the model on the CPU")
            }
            #[cfg(feature = "generate")]
            Failure::Load(error) => write!(f, "{error}"),
            #[cfg(feature = "generate")]
            Failure::Generate(error) => write!(f, "{error}"),
            #[cfg(feature = "serve")]
            Failure::Serve(error) => write!(f, "{error}"),
            Failure::Refused(refusal) => write!(f, "{refusal}"),
        }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_place() {
        let failure = Failure::NotUtf8 { path: "g.gbnf".into(), offset: 7 };
        assert!(failure.to_string().contains("offset 7"));
    }

    #[cfg(feature = "dev")]
    #[test]
    fn messages_name_the_line() {
        let failure = Failure::Malformed { path: "cases.jsonl".into(), line: 3, message: "no id".into() };
        assert_eq!(failure.to_string(), "cases.jsonl:3: no id");
    }
}
