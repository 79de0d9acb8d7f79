//! Why saved tables cannot be used.

use std::fmt;

use crate::vocab::Fingerprint;

/// Why saved tables cannot be used. Whatever the reason, tables that are built anew are as good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TablesError {
    /// The bytes are not saved tables at all.
    NotTables,
    /// They are in the byte order of another kind of machine.
    ByteOrder,
    /// They are of another version of the format.
    Version {
        /// The version of the file.
        found: u32,
        /// The version that this library reads and writes.
        expected: u32,
    },
    /// They are of another vocabulary.
    Vocabulary {
        /// The fingerprint of that one.
        found: Fingerprint,
        /// The fingerprint of the vocabulary that was given.
        expected: Fingerprint,
    },
    /// They were cut, damaged or made up.
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
}

impl fmt::Display for TablesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TablesError::NotTables => f.write_str("not the saved tables of a vocabulary"),
            TablesError::ByteOrder => f.write_str("saved on a machine with another byte order"),
            TablesError::Version { found, expected } => {
                write!(f, "saved in version {found} of the format, not in version {expected}")
            }
            TablesError::Vocabulary { found, expected } => {
                write!(f, "saved for another vocabulary: {found}, not {expected}")
            }
            TablesError::Damaged { what } => write!(f, "damaged: {what}"),
        }
    }
}

impl std::error::Error for TablesError {}
