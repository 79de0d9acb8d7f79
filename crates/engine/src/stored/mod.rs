//! Tables as the bytes of a file: written once, looked at where they lie.
//!
//! A file is a header, a list of sections and the sections. A section is an array of plain values ([`array`]) just as it is
//! in memory, at a multiple of 64 bytes, so that a memory map of the file is the tables: nothing is copied or decoded.
//! The order of sections is that in which they are read; each has its length and the size of its values.
//!
//! The header has a mark, the byte order, the version of the format, the fingerprint of the vocabulary and a checksum of
//! itself and the list; the list has the checksums of the sections ([`file`]). So a file of another machine, release or vocabulary is told, and so is one that was cut or
//! damaged. Whoever reads sections checks besides that every index in them leads somewhere, so that no file, not even
//! one made on purpose, leads to a panic or to memory that is not its own. What no check tells is a sound file whose
//! author put other tokens into the groups: who may write the file is trusted as much as who may write the vocabulary.

mod array;
mod error;
mod file;

pub(crate) use array::{Array, Plain, plain};
pub use error::TablesError;
#[cfg(test)]
pub(crate) use file::resealed;
pub(crate) use file::{Reader, VERSION, Writer};
