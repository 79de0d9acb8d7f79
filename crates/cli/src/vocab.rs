//! The vocabulary a command works with: a file, or the bytes themselves.

use std::path::{Path, PathBuf};

use tokenstile::{Compiler, Vocab};
use tokenstile_cache::TableCache;

use crate::failure::Failure;

/// Id of the end token of [`bytes`]; the ids below it are the bytes.
pub(crate) const BYTE_END: u32 = 256;

/// Flags about the tables of vocabularies.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Tables of the vocabulary")]
pub(crate) struct TableFlags {
    /// Folder in which they are kept between runs [default: tokenstile/tables in the user's cache folder]
    #[arg(long, value_name = "FOLDER")]
    table_cache: Option<PathBuf>,
    /// Build them each time, and keep nothing
    #[arg(long, conflicts_with = "table_cache")]
    no_table_cache: bool,
}

impl TableFlags {
    /// The cache that the flags ask for.
    pub(crate) fn cache(&self) -> TableCache {
        match &self.table_cache {
            _ if self.no_table_cache => TableCache::off(),
            Some(folder) => TableCache::at(folder),
            None => TableCache::user(),
        }
    }

    /// A compiler for `vocab`.
    pub(crate) fn compiler(&self, vocab: Vocab) -> Compiler {
        self.cache().compiler(vocab).0
    }
}

/// The vocabulary in `path`, or one token per byte and an end token.
pub(crate) fn load(path: Option<&Path>) -> Result<Vocab, Failure> {
    let Some(path) = path else { return Ok(bytes()) };
    let data = std::fs::read(path).map_err(|error| Failure::io(path, error))?;
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    Vocab::detect_named(&name, &data).map_err(|error| Failure::Vocab { path: path.to_owned(), error })
}

/// 256 single-byte tokens, token id = byte, and the end token [`BYTE_END`].
pub(crate) fn bytes() -> Vocab {
    let bytes = (0..=255u8).map(|byte| (u32::from(byte), vec![byte]));
    Vocab::from_tokens(bytes.chain([(BYTE_END, b"<end>".to_vec())]), &[BYTE_END])
        .expect("the byte vocabulary is well formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_vocabulary_is_the_bytes() {
        let vocab = bytes();
        assert_eq!(vocab.len(), 257);
        assert_eq!(vocab.end_tokens(), [BYTE_END]);
        for byte in 0..=255u8 {
            assert_eq!(vocab.bytes(u32::from(byte)), Some(&[byte][..]));
        }
    }
}
